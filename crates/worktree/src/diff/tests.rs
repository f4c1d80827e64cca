use super::apply::{HunkOutcome, Outcome, Place, Refusal, apply};
use super::nearest::Obstacle;
use super::tree::{File, Folder, Found, Overlay, Tree as _};
use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

mod unplaced;

fn parsed(text: &str) -> Diff<'_> {
    parse(text.as_bytes(), &Limits::default()).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn refused(text: &str) -> String {
    parse(text.as_bytes(), &Limits::default())
        .unwrap_err()
        .to_string()
}

fn tree<'t>(base: &'t Folder, files: &[(&str, &str)]) -> Overlay<'t> {
    let mut overlay = Overlay::new(base);
    let file = |content: &str| {
        Some(File {
            mode: Mode::File,
            content: content.as_bytes().into(),
        })
    };
    overlay.take(
        files
            .iter()
            .map(|(path, content)| ((*path).to_owned(), file(content)))
            .collect(),
    );
    overlay
}

fn on(files: &[(&str, &str)], diff: &str) -> (Outcome, BTreeMap<String, Option<String>>) {
    let folder = tempfile::tempdir().unwrap();
    let base = Folder::new(folder.path());
    let mut overlay = tree(&base, files);
    let outcome = apply(&parsed(diff), &mut overlay, &Limits::default());
    let text = |file: &Option<File>| {
        file.as_ref()
            .map(|f| String::from_utf8_lossy(&f.content).into_owned())
    };
    let after = overlay
        .changes()
        .iter()
        .map(|(path, file)| (path.clone(), text(file)))
        .collect();
    (outcome, after)
}

fn refusal(files: &[(&str, &str)], diff: &str) -> Refusal {
    on(files, diff)
        .0
        .files
        .into_iter()
        .find_map(|f| f.refusal)
        .unwrap()
}

#[test]
fn every_kind_of_change_is_read() {
    let text = include_str!("every-change.diff");
    let diff = parsed(text);
    let seen: Vec<_> = diff
        .files
        .iter()
        .map(|f| (f.change, f.old.as_str(), f.new.as_str()))
        .collect();
    let expected = [
        (Change::Rename, "old name", "new name"),
        (Change::Create, "e", "e"),
        (Change::Modify, "m", "m"),
        (Change::Delete, "d", "d"),
        (Change::Modify, "p.png", "p.png"),
        (Change::Modify, "ü \"q\"", "ü \"q\""),
        (Change::Copy, "f", "g"),
        (Change::Create, "n", "n"),
    ];
    assert_eq!(seen, expected);
    let first = &diff.files[0].hunks[0];
    assert_eq!(
        first
            .old_rows()
            .map(|r| (r.text, r.ended))
            .collect::<Vec<_>>(),
        [(b"a\r".as_slice(), true), (b"b", false)]
    );
    assert!(diff.files[4].binary);
    assert_eq!(diff.files[2].new_mode, Some(Mode::Executable));
}

#[test]
fn mistakes_are_named_with_line_and_counts() {
    let short = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n";
    let counts = "line 3: hunk 1: its header says 3 old and 3 new lines, found 2 old and 2 new";
    assert_eq!(refused(short), counts);
    let long = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n d\n";
    assert_eq!(
        refused(long),
        "line 3: hunk 1: its header says 1 old and 1 new lines, found 2 old and 2 new"
    );
    let second = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n@@ -9,2 +9 @@\n-b\n+c\n\
                  --- a/y\n+++ b/y\n@@ -1 +1 @@\n-b\n+c\n";
    assert_eq!(
        refused(second),
        "line 6: hunk 2: its header says 2 old and 1 new lines, found 1 old and 1 new"
    );
    assert_eq!(
        refused("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\nb\n"),
        "line 5: hunk 1: a line begins with none of ` `, `+`, `-` and `\\`"
    );
    assert_eq!(
        refused("--- a/x\n+++ b/x\n@@ -1 1 @@\n"),
        "line 3: hunk 1: expected `@@ -LINE,COUNT +LINE,COUNT @@`"
    );
    assert_eq!(
        refused("--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n"),
        "line 3: hunk 1 adds and removes nothing"
    );
    assert_eq!(
        refused("--- a/x\n@@ -1 +1 @@\n-a\n+b\n"),
        "line 2: expected `+++ ` here"
    );
    assert_eq!(
        refused("@@ -1 +1 @@\n-a\n+b\n"),
        "line 1: a hunk comes before any file header"
    );
    assert_eq!(
        refused("nothing"),
        "line 0: no file header (`diff --git` or `---` and `+++`) is to be found"
    );
    assert_eq!(
        refused("--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"),
        "line 2: the header names `y`, and before it named `x`"
    );
    assert_eq!(
        refused("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n"),
        "line 6: this line belongs to no hunk and no header"
    );
    let git = "diff --git a/x b/x\n";
    assert_eq!(
        refused(git),
        "line 1: the header of `x` is followed by no hunk and no change of mode or name"
    );
    assert_eq!(
        refused(&format!("{git}old mode 777\n")),
        "line 2: `777` isn't a file mode of git"
    );
    assert_eq!(
        refused(&format!("{git}--- a/y\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")),
        "line 2: the header names `y`, and before it named `x`"
    );
    assert_eq!(
        refused(&format!("{git}--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n")),
        "line 2: the file is new, and the header doesn't say so"
    );
    assert_eq!(
        refused(&format!("{git}GIT binary patch\nliteral 3\nKcmZ\n")),
        "line 4: the binary patch breaks its form"
    );
    let mark = "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n-b\n+c\n";
    assert_eq!(
        refused(mark),
        "line 6: hunk 1: `\\ No newline at end of file` must follow the last line of its side"
    );
}

#[test]
fn limits_hold() {
    let limits = Limits {
        hunks: 1,
        ..Limits::default()
    };
    let text = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n@@ -9 +9 @@\n-b\n+c\n";
    assert_eq!(
        parse(text.as_bytes(), &limits).unwrap_err().to_string(),
        "line 6: the diff has more than 1 hunks"
    );
    let limits = Limits {
        bytes: 10,
        ..Limits::default()
    };
    assert_eq!(
        parse(text.as_bytes(), &limits).unwrap_err().to_string(),
        "line 0: the diff has more than 10 bytes"
    );
    let limits = Limits {
        lines: 3,
        ..Limits::default()
    };
    assert_eq!(
        parse(text.as_bytes(), &limits).unwrap_err().to_string(),
        "line 8: the diff has more than 3 lines"
    );
    // A file of equal lines, and a hunk that almost matches at every line.
    let file = "a\n".repeat(50_000);
    let hunks: String = (0..100)
        .map(|_| format!("@@ -2,1001 +2,1001 @@\n{}-b\n+c\n", " a\n".repeat(1000)))
        .collect();
    let text = format!("--- a/x\n+++ b/x\n{hunks}");
    let folder = tempfile::tempdir().unwrap();
    let base = Folder::new(folder.path());
    // The work that one file has used up isn't available for the next one.
    let text = format!("{text}--- a/y\n+++ b/y\n@@ -1 +1 @@\n-b\n+c\n");
    let mut files = tree(&base, &[("x", &file), ("y", "b\n")]);
    let outcome = apply(
        &parsed(&text),
        &mut files,
        &Limits {
            work: 2_000_000,
            ..Limits::default()
        },
    );
    let refusals: Vec<_> = outcome.files.into_iter().map(|f| f.refusal).collect();
    assert_eq!(refusals, [Some(Refusal::Work), Some(Refusal::Work)]);
}

#[test]
fn context_decides_and_line_numbers_do_not() {
    let file = "0\n1\n2\n3\n4\n5\n6\n7\n8\n";
    let (outcome, after) = on(
        &[("x", file)],
        "--- a/x\n+++ b/x\n@@ -2,3 +2,3 @@\n 4\n-5\n+five\n 6\n",
    );
    assert_eq!(outcome.files[0].hunks[0].place, Place::At(5));
    assert_eq!(
        after["x"].as_deref(),
        Some("0\n1\n2\n3\n4\nfive\n6\n7\n8\n")
    );

    let (outcome, after) = on(
        &[("x", file)],
        "--- a/x\n+++ b/x\n@@ -5,3 +5,3 @@\n 4\n-six\n+five\n 6\n",
    );
    let Place::Conflict(Some(nearest)) = &outcome.files[0].hunks[0].place else {
        panic!("{outcome:?}")
    };
    let differs = Obstacle::Differs {
        equal: 2,
        of: 3,
        diff_line: 5,
        expected: "six".into(),
        found: Some("5".into()),
    };
    assert_eq!((nearest.line, &nearest.obstacle), (5, &differs));
    assert_eq!(after["x"].as_deref(), Some(file), "nothing has changed");

    let obstacle = |diff: &str| match on(&[("x", file)], diff).0.files[0].hunks[0].place.clone() {
        Place::Conflict(Some(nearest)) => (nearest.line, nearest.obstacle),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        obstacle("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-5\n+five\n 6\n"),
        (6, Obstacle::Elsewhere)
    );
    assert_eq!(
        obstacle("--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@\n 4\n-five\n+5\n 6\n"),
        (5, Obstacle::Applied)
    );
    assert_eq!(
        obstacle("--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@\n 4\n-5 \n+five\n 6\n"),
        (5, Obstacle::WhiteSpace)
    );
}

#[test]
fn line_ends_are_part_of_a_line() {
    let diff =
        |end: &str| format!("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a{end}\n-b{end}\n+c{end}\n");
    assert!(on(&[("x", "a\r\nb\r\n")], &diff("\r")).0.applies());
    assert!(!on(&[("x", "a\r\nb\r\n")], &diff("")).0.applies());
    assert!(!on(&[("x", "a\nb")], &diff("")).0.applies());
    let (outcome, after) = on(
        &[("x", "a\nb")],
        "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n",
    );
    assert!(outcome.applies());
    assert_eq!(after["x"].as_deref(), Some("a\nc\n"));
}

#[test]
fn a_diff_applies_as_a_whole_or_not_at_all() {
    let good = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    let (outcome, after) = on(
        &[("x", "a\n")],
        &format!("{good}--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"),
    );
    assert!(!outcome.applies() && outcome.files[0].applies());
    assert_eq!(after["x"].as_deref(), Some("a\n"));
    // Parts build on each other, and names may be swapped.
    let (outcome, after) = on(
        &[("x", "a\n")],
        &format!("{good}--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n"),
    );
    assert!(outcome.applies());
    assert_eq!(after["x"].as_deref(), Some("c\n"));
    let swap = "diff --git a/x b/y\nrename from x\nrename to y\n\
                diff --git a/y b/x\nrename from y\nrename to x\n";
    let (outcome, after) = on(&[("x", "1"), ("y", "2")], swap);
    assert!(outcome.applies(), "{outcome:?}");
    assert_eq!(
        (after["x"].as_deref(), after["y"].as_deref()),
        (Some("2"), Some("1"))
    );
}

#[test]
fn what_cannot_be_is_refused() {
    let change = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(refusal(&[], change), Refusal::Missing);
    assert_eq!(
        refusal(
            &[("x", "a\n")],
            "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n"
        ),
        Refusal::Exists
    );
    assert_eq!(
        refusal(
            &[("X", "a\n")],
            "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n"
        ),
        Refusal::Twin { twin: "X".into() }
    );
    assert_eq!(
        refusal(
            &[("x", "a\n")],
            "--- /dev/null\n+++ b/x/y\n@@ -0,0 +1 @@\n+b\n"
        ),
        Refusal::Beyond {
            at: "x".into(),
            what: "a file"
        }
    );
    let link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n\
                @@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n";
    let through = "--- /dev/null\n+++ b/l/passwd\n@@ -0,0 +1 @@\n+b\n";
    assert_eq!(
        refusal(&[], &format!("{link}{through}")),
        Refusal::Beyond {
            at: "l".into(),
            what: "a symbolic link"
        }
    );
    // On a system that folds names, the second part would write through the link.
    let folded = "--- /dev/null\n+++ b/L/passwd\n@@ -0,0 +1 @@\n+b\n";
    let outcome = on(&[], &format!("{link}{folded}")).0;
    assert_eq!(
        outcome.files[1].refusal,
        Some(Refusal::Twin { twin: "l".into() })
    );
    let hook = refusal(
        &[],
        "--- /dev/null\n+++ b/.GIT/hooks/x\n@@ -0,0 +1 @@\n+b\n",
    );
    assert!(matches!(hook, Refusal::Unsafe { .. }), "{hook:?}");
    let part = "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    assert!(!on(&[("x", "a\nb\n")], part).0.applies());
    let typed = "diff --git a/x b/x\nindex 1..2 120000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(
        refusal(&[("x", "a\n")], typed),
        Refusal::Type {
            expected: "120000",
            found: "100644"
        }
    );
    let binary = on(
        &[("x", "a")],
        "diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n",
    )
    .0;
    assert!(binary.is_unjudged() && !binary.applies());
}

/// Returns a part that creates a file, or a link (`120000`).
fn new(path: &str, mode: &str, content: &str) -> String {
    let end = if mode == "120000" {
        "\\ No newline at end of file\n"
    } else {
        ""
    };
    format!(
        "diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n\
         @@ -0,0 +1 @@\n+{content}\n{end}"
    )
}

/// Returns a part that removes a file with one line, or a link.
fn gone(path: &str, mode: &str, content: &str) -> String {
    let end = if mode == "120000" {
        "\\ No newline at end of file\n"
    } else {
        ""
    };
    format!(
        "diff --git a/{path} b/{path}\ndeleted file mode {mode}\n--- a/{path}\n+++ /dev/null\n\
         @@ -1 +0,0 @@\n-{content}\n{end}"
    )
}

/// Returns the refusals of two parts by path, sorted. Checks that their order doesn't matter.
fn both_ways(files: &[(&str, &str)], parts: [&str; 2]) -> Vec<(String, Refusal)> {
    let outcome = |first: &str, second: &str| {
        let outcome = on(files, &format!("{first}{second}")).0;
        let applies = outcome.applies();
        let mut refused: Vec<_> = outcome
            .files
            .into_iter()
            .filter_map(|f| Some((f.path, f.refusal?)))
            .collect();
        assert_eq!(applies, refused.is_empty());
        refused.sort_by(|a, b| a.0.cmp(&b.0));
        refused
    };
    let [one, other] = parts;
    let refused = outcome(one, other);
    assert_eq!(refused, outcome(other, one), "{one}{other}");
    refused
}

#[test]
fn the_order_of_parts_decides_nothing() {
    let beyond = |path: &str, at: &str, what| {
        vec![(
            path.to_owned(),
            Refusal::Beyond {
                at: at.into(),
                what,
            },
        )]
    };
    let exists = |path: &str| vec![(path.to_owned(), Refusal::Exists)];
    let (inside, link) = (new("d/x", "100644", "evil"), new("d", "120000", "/etc"));
    assert_eq!(
        both_ways(&[], [&inside, &link]),
        beyond("d/x", "d", "a symbolic link")
    );
    assert_eq!(
        both_ways(&[], [&inside, &new("d", "100644", "x")]),
        beyond("d/x", "d", "a file")
    );
    let twin = |path: &str, twin: &str| (path.to_owned(), Refusal::Twin { twin: twin.into() });
    assert_eq!(
        both_ways(&[], [&new("D/x", "100644", "evil"), &link]),
        [twin("D/x", "d"), twin("d", "D")]
    );
    // A directory becomes a link or a file if everything in it is removed.
    let folder = [("d/s", "s\n")];
    for mode in ["120000", "100644"] {
        assert_eq!(
            both_ways(
                &folder,
                [&new("d", mode, "/srv"), &gone("d/s", "100644", "s")]
            ),
            []
        );
    }
    let more = [("d/s", "s\n"), ("d/t", "t\n")];
    assert_eq!(
        both_ways(&more, [&link, &gone("d/s", "100644", "s")]),
        exists("d")
    );
    assert_eq!(
        both_ways(&folder, [&link, &new("n", "100644", "n")]),
        exists("d")
    );
    // A file becomes a directory.
    assert_eq!(
        both_ways(
            &[("d", "d\n")],
            [&new("d/x", "100644", "x"), &gone("d", "100644", "d")]
        ),
        []
    );
    // Another spelling that is removed is no twin, but one that a part creates again is one.
    let (goes, comes) = (gone("readme", "100644", "x"), new("README", "100644", "x"));
    assert_eq!(both_ways(&[("readme", "x\n")], [&goes, &comes]), []);
    let again = new("readme", "120000", "/etc");
    assert_eq!(
        both_ways(&[("readme", "x\n")], [&format!("{goes}{again}"), &comes]),
        [twin("README", "readme")]
    );
    // A rename needn't mention the mode.
    let renamed = "diff --git a/l b/d\nrename from l\nrename to d\n";
    assert_eq!(
        both_ways(&[("l", "x")], [renamed, &inside]),
        beyond("d/x", "d", "a file")
    );
    let down = "diff --git a/d b/d/x\nrename from d\nrename to d/x\n";
    assert_eq!(
        both_ways(&[("d", "x")], [down, &new("n", "100644", "n")]),
        []
    );
    assert_eq!(
        both_ways(
            &[("d", "x")],
            [&down.replace("rename", "copy"), &new("n", "100644", "n")]
        ),
        beyond("d/x", "d", "a file")
    );
    // A binary part, which can't be evaluated, is still taken into account.
    let binary = "diff --git a/d b/d\nnew file mode 120000\nindex 0..1\n\
                  Binary files /dev/null and b/d differ\n";
    let outcome = on(&[], &format!("{inside}{binary}")).0;
    assert_eq!(
        outcome.files[0].refusal,
        Some(Refusal::Beyond {
            at: "d".into(),
            what: "a symbolic link"
        })
    );
    assert!(!outcome.is_unjudged());
}

#[test]
fn nothing_behind_a_link_is_read() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(elsewhere.path().join("s"), "secret\n").unwrap();
    let target = elsewhere.path().to_str().unwrap();
    let base = Folder::new(folder.path());
    let mut tree = Overlay::new(&base);
    #[cfg(unix)]
    std::os::unix::fs::symlink(target, folder.path().join("l")).unwrap();
    #[cfg(not(unix))]
    tree.take(
        [(
            "l".to_owned(),
            Some(File {
                mode: Mode::Link,
                content: target.as_bytes().into(),
            }),
        )]
        .into(),
    );
    assert_eq!(base.look("l/s").unwrap(), Found::Nothing);
    // The link is removed; content is read from the tree before that.
    let goes = gone("l", "120000", target);
    let read = "--- a/l/s\n+++ b/l/s\n@@ -1 +1 @@\n-public\n+x\n";
    let copied = "diff --git a/l/s b/n\ncopy from l/s\ncopy to n\n";
    for through in [read, copied, &gone("l/s", "100644", "secret")] {
        let outcome = apply(
            &parsed(&format!("{goes}{through}")),
            &mut tree,
            &Limits::default(),
        );
        let refusal = Refusal::Beyond {
            at: "l".into(),
            what: "a symbolic link",
        };
        assert_eq!(outcome.files[1].refusal, Some(refusal), "{through}");
        assert_eq!(outcome.files[1].hunks, []);
    }
    let written = format!("{}{goes}", new("l/s", "100644", "x"));
    assert!(apply(&parsed(&written), &mut tree, &Limits::default()).applies());
    // The next diff also finds a directory there now.
    let over = apply(
        &parsed(&new("l", "100644", "x")),
        &mut tree,
        &Limits::default(),
    );
    assert_eq!(over.files[0].refusal, Some(Refusal::Exists));
    let inside = apply(
        &parsed(&new("l/t", "100644", "x")),
        &mut tree,
        &Limits::default(),
    );
    assert!(inside.applies());
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_are_found_by_their_bytes() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join(std::ffi::OsStr::from_bytes(b"t\xff")),
        "a\n",
    )
    .unwrap();
    let base = Folder::new(folder.path());
    let change = |name: &str| format!("--- \"a/{name}\"\n+++ \"b/{name}\"\n@@ -1 +1 @@\n-a\n+b\n");
    let refusal = |name: &str| {
        apply(
            &parsed(&change(name)),
            &mut Overlay::new(&base),
            &Limits::default(),
        )
        .files
        .remove(0)
        .refusal
    };
    assert_eq!(refusal("t\\377"), None);
    for other in ["t\\376", "t\u{fffd}", "t\u{fffd}ff"] {
        assert_eq!(refusal(other), Some(Refusal::Missing), "{other}");
    }
}

#[test]
fn a_folder_is_read_and_never_written() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(folder.path().join("src/x"), "a\n").unwrap();
    let base = Folder::new(folder.path());
    let mut overlay = Overlay::new(&base);
    let outcome = apply(
        &parsed("--- a/src/x\n+++ b/src/x\n@@ -1 +1 @@\n-a\n+b\n"),
        &mut overlay,
        &Limits::default(),
    );
    assert!(outcome.applies(), "{outcome:?}");
    assert_eq!(std::fs::read(folder.path().join("src/x")).unwrap(), b"a\n");
    let new = "--- /dev/null\n+++ b/src/X\n@@ -0,0 +1 @@\n+b\n";
    let outcome = apply(&parsed(new), &mut Overlay::new(&base), &Limits::default());
    assert_eq!(
        outcome.files[0].refusal,
        Some(Refusal::Twin {
            twin: "src/x".into()
        })
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_text_is_read_or_refused(
        text in "((diff --git a/x b/x|--- a/x|\\+\\+\\+ b/x|@@ -1(,2)? \\+1(,2)? @@|[ +-]a|\
                 \\\\ No newline at end|rename from x|new file mode 100644|GIT binary patch|\
                 @@|@@ @@|x|<<<<<<< SEARCH|=======|>>>>>>> REPLACE|```|)\n){0,12}"
    ) {
        if let Ok(diff) = parse(text.as_bytes(), &Limits::default()) {
            let lines = text.lines().count();
            prop_assert!(!diff.files.is_empty());
            for file in &diff.files {
                prop_assert!(file.line >= 1 && file.line <= lines);
                prop_assert!(!file.old.is_empty() && !file.new.is_empty());
                for hunk in &file.hunks {
                    prop_assert!(hunk.lines.iter().any(|l| l.side != Side::Both));
                }
            }
        }
    }

    /// Checks that a diff generated from two texts turns one into the other.
    #[test]
    fn a_diff_of_two_texts_turns_one_into_the_other(
        old in "([ab]{0,2}\r?\n){0,12}[ab]?",
        new in "([ab]{0,2}\r?\n){0,12}[ab]?",
        context in 0usize..4,
    ) {
        prop_assume!(old != new && !old.is_empty() && !new.is_empty());
        let text = similar::TextDiff::from_lines(&old, &new);
        let text = text
            .unified_diff()
            .context_radius(context)
            .missing_newline_hint(true)
            .header("a/x", "b/x")
            .to_string();
        let (outcome, after) = on(&[("x", &old)], &text);
        // With little context, git takes a hunk to be at the end of its file, and so do we.
        prop_assert!(outcome.applies() || context < 3, "{:?}\n{}", outcome, text);
        if outcome.applies() && context == 3 {
            let is_exact =
                |h: &HunkOutcome| h.stated.is_some_and(|stated| h.place == Place::At(stated));
            let exact = outcome.files[0].hunks.iter().all(is_exact);
            prop_assert!(!exact || after["x"].as_deref() == Some(&*new), "{}", text);
        }
    }
}
