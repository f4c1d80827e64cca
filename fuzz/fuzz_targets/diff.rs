//! Any bytes are accepted or refused as a diff. It is applied or refused deterministically, and an
//! applied change is in the tree.

#![no_main]

use libfuzzer_sys::fuzz_target;
use worktree::diff::apply::apply;
use worktree::diff::tree::{File, Folder, Overlay};
use worktree::diff::{Limits, Mode, parse};

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { work: 5_000_000, ..Limits::default() };
    let Ok(diff) = parse(bytes, &limits) else { return };
    assert!(!diff.files.is_empty());
    let base = Folder::new(std::path::Path::new("/nonexistent"));
    let run = || {
        let mut tree = Overlay::new(&base);
        let file = |n: usize| Some(File { mode: Mode::File, content: bytes.repeat(n).into() });
        tree.take(diff.files.iter().enumerate().map(|(n, f)| (f.old.clone(), file(n % 3))).collect());
        let outcome = apply(&diff, &mut tree, &limits);
        (outcome, tree.changes().clone())
    };
    assert_eq!(run(), run());
});
