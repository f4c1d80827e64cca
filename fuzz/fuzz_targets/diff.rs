//! Any bytes are accepted or refused as a diff. It is applied or refused deterministically, and an
//! applied change is in the tree. A hunk without line numbers only applies where its old lines are
//! at one place.

#![no_main]

use libfuzzer_sys::fuzz_target;
use worktree::diff::apply::{Place, apply};
use worktree::diff::tree::{File, Folder, Overlay};
use worktree::diff::{FileDiff, Hunk, Limits, Mode, parse};

/// Returns the old lines of a hunk, as a file that consists of them.
fn old(hunk: &Hunk<'_>) -> Vec<u8> {
    hunk.old_rows().flat_map(|row| [row.text, b"\n"].concat()).collect()
}

fn content(bytes: &[u8], file: &FileDiff<'_>, n: usize) -> Vec<u8> {
    if n == 3 { file.hunks.iter().flat_map(old).collect() } else { bytes.repeat(n) }
}

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { work: 5_000_000, ..Limits::default() };
    let Ok(diff) = parse(bytes, &limits) else { return };
    assert!(!diff.files.is_empty());
    let base = Folder::new(std::path::Path::new("/nonexistent"));
    let run = || {
        let mut tree = Overlay::new(&base);
        let before = diff.files.iter().enumerate().map(|(n, f)| {
            let file = File { mode: Mode::File, content: content(bytes, f, n % 4).into() };
            (f.old.clone(), Some(file))
        });
        tree.take(before.collect());
        let outcome = apply(&diff, &mut tree, &limits);
        (outcome, tree.changes().clone())
    };
    let (outcome, changes) = run();
    assert_eq!(run(), (outcome.clone(), changes));
    let hunks = diff.files.iter().zip(&outcome.files).flat_map(|(file, became)| file.hunks.iter().zip(&became.hunks));
    for (hunk, became) in hunks.filter(|(hunk, _)| hunk.unplaced) {
        assert!(became.stated.is_none());
        assert!(!matches!(became.place, Place::At(0)), "{hunk:?}");
    }
});
