//! Tests of diffs without line numbers: bare `@@` and SEARCH/REPLACE blocks.

use super::*;

/// A hunk without numbers for the header of a file `x`.
fn unplaced(body: &str) -> String {
    format!("--- a/x\n+++ b/x\n{body}")
}

#[test]
fn hunks_without_numbers_are_at_the_only_place() {
    let file = "one\ntwo\nthree\ntwo\nfour\n";
    let three = unplaced("@@\n-three\n+3\n@@ @@\n two\n-four\n+4\n");
    let (outcome, after) = on(&[("x", file)], &three);
    assert!(outcome.applies(), "{outcome:?}");
    assert_eq!(after["x"].as_deref(), Some("one\ntwo\n3\ntwo\n4\n"));
    let hunks = &outcome.files[0].hunks;
    assert_eq!((hunks[0].stated, &hunks[0].place), (None, &Place::At(3)));
    // Two places, no place, and a place that only an earlier hunk has made.
    for (body, obstacle) in [
        ("@@\n-two\n+2\n", Some(Obstacle::Ambiguous { places: 2 })),
        ("@@\n+new\n", Some(Obstacle::Ambiguous { places: 6 })),
        ("@@\n-five\n+5\n", None),
        ("@@\n-one\n+1\n+five\n@@\n-five\n+5\n", None),
        (
            "@@\n one\n-two\n+2\n@@\n-two\n+3\n",
            Some(Obstacle::Ambiguous { places: 2 }),
        ),
        (
            "@@\n-three\n+one\n@@\n-one\n+1\n",
            Some(Obstacle::Ambiguous { places: 2 }),
        ),
    ] {
        let (outcome, after) = on(&[("x", file)], &unplaced(body));
        assert!(
            !outcome.applies() && after["x"].as_deref() == Some(file),
            "{body}: {outcome:?}"
        );
        let last = outcome.files[0].hunks.last().unwrap();
        let Place::Conflict(nearest) = &last.place else {
            panic!("{body}: {last:?}")
        };
        if obstacle.is_some() {
            assert_eq!(
                nearest.as_ref().map(|n| n.obstacle.clone()),
                obstacle,
                "{body}"
            );
        }
    }
    // A hunk of context keeps its place, and empty lines between the parts are none of its.
    let git = "diff --git a/x b/x\n@@\n one\n two\n@@\n three\n+3\n\n\n";
    let (outcome, after) = on(&[("x", file)], git);
    assert!(outcome.applies(), "{outcome:?}");
    assert_eq!(
        after["x"].as_deref(),
        Some("one\ntwo\nthree\n3\ntwo\nfour\n")
    );
}

#[test]
fn hunks_without_numbers_keep_the_end_of_a_file() {
    let whole = unplaced("@@\n-a\n-b\n+c\n+d\n");
    for (before, then) in [("a\nb", "c\nd"), ("a\nb\n", "c\nd\n")] {
        let (outcome, after) = on(&[("x", before)], &whole);
        assert!(outcome.applies(), "{outcome:?}");
        assert_eq!(after["x"].as_deref(), Some(then));
    }
    // With the mark, the line feed is stated.
    let marked = unplaced("@@\n-b\n\\ No newline at end of file\n+d\n");
    assert_eq!(
        on(&[("x", "a\nb")], &marked).1["x"].as_deref(),
        Some("a\nd\n")
    );
    assert!(!on(&[("x", "a\nb\n")], &marked).0.applies());
    let all = unplaced("@@\n-a\n");
    assert_eq!(on(&[("x", "a")], &all).1["x"].as_deref(), Some(""));
    let created = "--- /dev/null\n+++ b/x\n@@\n+a\n";
    assert_eq!(on(&[], created).1["x"].as_deref(), Some("a\n"));
    assert_eq!(refusal(&[], &unplaced("@@\n+a\n")), Refusal::Missing);
}

#[test]
fn hunks_without_numbers_have_a_strict_form() {
    for (body, message) in [
        ("@@\n@@\n-a\n", "line 3: hunk 1 adds and removes nothing"),
        (
            "@@\n a\n@@\n b\n",
            "line 3: hunk 1 adds and removes nothing",
        ),
        (
            "@@\n-a\nb\n",
            "line 5: hunk 1: a line begins with none of ` `, `+`, `-` and `\\`",
        ),
        (
            "@@\n-a\n```\n",
            "line 5: hunk 1: a line begins with none of ` `, `+`, `-` and `\\`",
        ),
        (
            "@@\n-a\n\\ No newline at end of file\n-b\n",
            "line 3: hunk 1: `\\ No newline at end of file` must follow the last line of its side",
        ),
        (
            "@@ fn main() {\n-a\n",
            "line 3: the header of `x` is followed by no hunk and no change of mode or name",
        ),
    ] {
        assert_eq!(refused(&unplaced(body)), message, "{body}");
    }
    assert_eq!(
        refused("@@\n-a\n+b\n"),
        "line 1: a hunk comes before any file header"
    );
    // What looks like the header of another file ends the hunk, whoever applies it.
    let two = parsed("--- a/x\n+++ b/x\n@@\n-a\n--- a/y\n+++ b/y\n@@\n-b\n")
        .files
        .len();
    assert_eq!(two, 2);
}

const BLOCK: &str = "<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n";

#[test]
fn search_and_replace_blocks_apply_at_the_only_place() {
    let more = "<<<<<<< SEARCH\nc\n=======\n>>>>>>> REPLACE\n";
    let new = "<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n";
    let text = format!("Here it is.\n\nx\n```rust\n{BLOCK}```\n\n{more}\nd/y\n{new}");
    let (outcome, after) = on(&[("x", "a\nb\nc")], &text);
    assert!(outcome.applies(), "{outcome:?}");
    assert_eq!(after["x"].as_deref(), Some("a\nB"));
    assert_eq!(after["d/y"].as_deref(), Some("new\n"));
    let seen: Vec<_> = outcome
        .files
        .iter()
        .map(|f| (f.change, f.line, f.hunks.len()))
        .collect();
    assert_eq!(seen, [(Change::Modify, 3, 2), (Change::Create, 17, 1)]);
    assert!(!on(&[("x", "b\nb\n")], &format!("x\n{BLOCK}")).0.applies());
    assert!(!on(&[("x", "a\n")], &format!("x\n{BLOCK}")).0.applies());
    assert_eq!(
        refusal(&[("x", "a\n")], &format!("x\n{new}")),
        Refusal::Exists
    );
    assert_eq!(refusal(&[], &format!("x\n{BLOCK}")), Refusal::Missing);
    let outside = refusal(&[], &format!("../x\n{BLOCK}"));
    assert!(matches!(outside, Refusal::Unsafe { .. }), "{outside:?}");
}

#[test]
fn search_and_replace_blocks_have_a_strict_form() {
    for (text, message) in [
        (
            BLOCK.to_owned(),
            "line 1: no line above the block names its file",
        ),
        (
            format!("x\n\n{BLOCK}"),
            "line 3: no line above the block names its file",
        ),
        (
            format!("**x**\n{BLOCK}"),
            "line 1: `**x**` isn't a file name",
        ),
        (format!("x:\n{BLOCK}"), "line 1: `x:` isn't a file name"),
        (
            format!("x\n{BLOCK}and y\n"),
            "line 7: this line belongs to no hunk and no header",
        ),
        (
            format!("x\n{BLOCK}and\ny\n{BLOCK}"),
            "line 7: this line belongs to no hunk and no header",
        ),
        (
            format!("x\n{BLOCK}>>>>>>> REPLACE\n"),
            "line 7: this marker is in no block",
        ),
        (
            "x\n<<<<<<< SEARCH\na\n".to_owned(),
            "line 2: the block has no end",
        ),
        (
            "x\n<<<<<<< SEARCH\na\n=======\nb\n".to_owned(),
            "line 2: the block has no end",
        ),
        (
            "x\n<<<<<<< SEARCH\na\n=====\n=======\nb\n>>>>>>> REPLACE\n".to_owned(),
            "line 4: this marker doesn't belong in a block",
        ),
        (
            "x\n<<<<<<< SEARCH\na\n=======\na\n>>>>>>> REPLACE\n".to_owned(),
            "line 2: hunk 1 adds and removes nothing",
        ),
        (
            format!("--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\nx\n{BLOCK}"),
            "line 1: a diff is next to SEARCH/REPLACE blocks",
        ),
        (
            format!("x\n{BLOCK}--- a/y\n+++ b/y\n@@\n-a\n+b\n"),
            "line 7: a diff is next to SEARCH/REPLACE blocks",
        ),
    ] {
        assert_eq!(refused(&text), message, "{text}");
    }
    // A marker in the middle of a line begins nothing.
    let quoted = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-<<<<<<< SEARCH\n+b\n";
    assert_eq!(parsed(quoted).files.len(), 1);
}

/// Checks that hostile hunks without numbers take bounded work.
#[test]
fn places_are_searched_within_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    let base = Folder::new(folder.path());
    let file = "a\n".repeat(2_000);
    let limits = Limits {
        work: 100_000,
        ..Limits::default()
    };
    let hunk = format!("@@\n{}-b\n+c\n", " a\n".repeat(50));
    let block = BLOCK.replace("\nb\n", &format!("\n{}b\n", "a\n".repeat(50)));
    for text in [
        unplaced(&hunk.repeat(1_000)),
        format!("x\n{}", block.repeat(1_000)),
    ] {
        let mut overlay = tree(&base, &[("x", &file)]);
        let outcome = apply(&parsed(&text), &mut overlay, &limits);
        assert_eq!(outcome.files[0].refusal, Some(Refusal::Work));
        assert!(
            outcome.files[0].hunks.len() < 20,
            "{}",
            outcome.files[0].hunks.len()
        );
    }
    let few = Limits {
        hunks: 2,
        lines: 4,
        files: 1,
        ..Limits::default()
    };
    for (text, unit) in [
        (unplaced(&"@@\n-a\n".repeat(3)), "2 hunks"),
        (unplaced("@@\n-a\n-b\n-c\n-d\n-e\n"), "4 lines"),
        (format!("x\n{}", BLOCK.repeat(3)), "2 hunks"),
        (format!("x\n{BLOCK}y\n{BLOCK}"), "1 files"),
    ] {
        let error = parse(text.as_bytes(), &few).unwrap_err().to_string();
        assert!(error.ends_with(&format!("more than {unit}")), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    /// Checks that edits without line numbers make of a text what they say, or nothing.
    #[test]
    fn edits_without_numbers_hit_the_only_place(
        lines in proptest::collection::vec("[abc]{1,2}", 1..12),
        start in 0usize..12,
        count in 1usize..4,
        new in proptest::collection::vec("[xyz]{1,2}", 0..4),
        ends in any::<bool>(),
        blocks in any::<bool>(),
    ) {
        prop_assume!(start + count <= lines.len());
        let file = lines.join("\n") + if ends { "\n" } else { "" };
        let old = &lines[start..start + count];
        let each = |sign: &str, lines: &[String]| -> String {
            lines.iter().map(|line| format!("{sign}{line}\n")).collect()
        };
        let text = if blocks {
            let (old, new) = (each("", old), each("", &new));
            format!("x\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n")
        } else {
            unplaced(&format!("@@\n{}{}", each("-", old), each("+", &new)))
        };
        let places = lines.windows(count).filter(|window| *window == old).count();
        let (outcome, after) = on(&[("x", &file)], &text);
        prop_assert_eq!(outcome.applies(), places == 1, "{:?}\n{}", outcome, text);
        let mut edited = lines.clone();
        if places == 1 {
            edited.splice(start..start + count, new.iter().cloned());
        }
        let end = if ends && !edited.is_empty() { "\n" } else { "" };
        prop_assert_eq!(after["x"].clone(), Some(edited.join("\n") + end));
    }
}
