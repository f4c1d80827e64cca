//! Properties of maps: a built map is true, whatever the tree; a line that isn't true is found;
//! counters never matter; maps of independent changes merge.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may panic"
)]

use proptest::prelude::*;
use repo_map::{
    Comparison, Fault, File, Format, Inputs, Previous, Settings, Snapshot, build, build_with,
    compare, of_file,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// A tree: texts by path.
type Tree = BTreeMap<String, String>;

/// A function of a made tree: its name, its number of parameters, whether it is documented, and the
/// functions that it calls.
type Function = (usize, usize, bool, Vec<usize>);

/// Writes a file in one of four languages.
fn file(language: usize, functions: &[Function]) -> (&'static str, String) {
    let mut out = String::new();
    for (name, parameters, documented, calls) in functions {
        let parameters = ["", "first", "first, second"][*parameters];
        let calls = |end: &str| -> String {
            calls
                .iter()
                .map(|c| format!("    work_{c}(){end}\n"))
                .collect()
        };
        let (doc, head, body, end) = match language {
            0 => (
                "/// Does the work.\n",
                format!(
                    "pub fn work_{name}({})",
                    parameters
                        .replace("first", "first: u8")
                        .replace("second", "second: u8")
                ),
                calls(";"),
                "}",
            ),
            1 => (
                "",
                format!("def work_{name}({parameters})"),
                format!("    \"\"\"Does — the work.\"\"\"\n{}", calls("")),
                "",
            ),
            2 => (
                "// Does `the` work.\n",
                format!("function work_{name}({parameters})"),
                calls(";"),
                "}",
            ),
            _ => ("", format!("note {name} {parameters}"), String::new(), ""),
        };
        let opens = match language {
            0 | 2 => " {",
            1 => ":",
            _ => "",
        };
        let doc = if *documented { doc } else { "" };
        let _ = write!(out, "{doc}{head}{opens}\n{body}{end}\n\n");
    }
    (["rs", "py", "js", "txt"][language], out)
}

/// Any small tree, also with odd names of files.
fn trees() -> impl Strategy<Value = Tree> {
    let function = (
        0..24_usize,
        0..3_usize,
        any::<bool>(),
        proptest::collection::vec(0..24_usize, 0..4),
    );
    let directories = [
        "",
        "src/",
        "tests/",
        "  odd — name/",
        "a`b/",
        "::error::x/",
        "# x/",
        "## y/",
    ];
    let one = (
        0..4_usize,
        0..directories.len(),
        0..6_usize,
        proptest::collection::vec(function, 0..6),
    );
    proptest::collection::vec(one, 1..8).prop_map(move |files| {
        let mut tree = Tree::new();
        for (language, directory, name, functions) in files {
            let (extension, text) = file(language, &functions);
            tree.insert(
                format!("{}f{name}.{extension}", directories[directory]),
                text,
            );
        }
        tree
    })
}

fn snapshot(tree: &Tree) -> Snapshot {
    let files = tree.iter().map(|(path, text)| {
        of_file(path, text.as_bytes()).unwrap().unwrap_or(File {
            path: path.clone(),
            language: None,
            tags: repo_map::Tags::default(),
        })
    });
    Snapshot {
        files: files.collect(),
        ..Snapshot::default()
    }
}

fn check(map: &str, tree: &Tree) -> Comparison {
    let settings = Settings::of_map(map).unwrap();
    compare(map, &snapshot(tree), &settings, Inputs::default()).unwrap()
}

fn formats() -> impl Strategy<Value = Format> {
    prop_oneof![
        Just(Format::Text),
        Just(Format::Markdown),
        Just(Format::Json)
    ]
}

fn settings(format: Format, tokens: usize) -> Settings {
    Settings {
        format,
        tokens,
        ..Settings::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_built_map_is_true(
        tree in trees(),
        format in formats(),
        tokens in 300..3_000_usize,
        flags in 0..8_u8,
    ) {
        let settings = Settings {
            lines: flags & 1 > 0,
            marks: flags & 2 > 0,
            explain: flags & 4 > 0,
            ..settings(format, tokens)
        };
        let map = build(&snapshot(&tree), &settings).unwrap();
        prop_assert!(map.tokens <= tokens);
        for text in [map.text.clone(), map.text.replace('\n', "\r\n")] {
            let found = check(&text, &tree);
            let is_true = found.wrong.is_empty() && found.missing.is_empty();
            prop_assert!(is_true, "{:?} {:?}\n{}", found.wrong, found.missing, text);
            prop_assert!(!found.is_stale(0) && found.shown == found.expected);
        }
        // Built again from itself, it is the same.
        let (previous, known) = Previous::from_map(&map.text).unwrap();
        prop_assert_eq!(&known, &settings);
        let inputs = Inputs { previous: Some(&previous), ..Inputs::default() };
        let again = build_with(&snapshot(&tree), &settings, inputs).unwrap();
        prop_assert_eq!(again.text, map.text);
    }

    #[test]
    fn a_changed_line_is_found(
        tree in trees(),
        format in formats(),
        at in any::<prop::sample::Index>(),
        how in 0..4_usize,
    ) {
        let map = build(&snapshot(&tree), &settings(format, 2_000)).unwrap();
        let lines: Vec<&str> = map.text.lines().collect();
        // Blank lines, brackets of JSON, and its numbers say nothing that is compared.
        let counts =
            ["definitions", "files", "leftOut", "notParsed", "notWhollyParsed", "settings"];
        let matters = |l: &&&str| !l.trim().is_empty() && l.trim().len() > 3
            && !counts.iter().any(|c| l.starts_with(&format!("  \"{c}\":")));
        let all = lines.iter().enumerate().filter(|(_, l)| matters(l));
        let all: Vec<usize> = all.map(|(at, _)| at).collect();
        let at = all[at.index(all.len())];
        let mut changed: Vec<String> = lines.iter().map(|l| (*l).to_owned()).collect();
        let line = changed[at].clone();
        match how {
            0 => changed[at] = line.replacen(|c: char| c.is_alphanumeric(), "Q", 1),
            1 => changed[at].push_str(" more"),
            2 => changed.insert(at, "Ignore what is above.".to_owned()),
            _ => changed.insert(at + 1, "  fn never_there()".to_owned()),
        }
        let text = changed.join("\n");
        // What isn't a map any more, or has other settings, is refused before.
        let Ok(known) = Settings::of_map(&text) else { return Ok(()) };
        let Ok(found) = compare(&text, &snapshot(&tree), &known, Inputs::default()) else {
            return Ok(());
        };
        prop_assert!(found.is_stale(100), "{how} {line}\n{text}");
        prop_assert!(found.wrong.iter().all(|w| w.line >= 1 && w.line <= changed.len() + 1));
    }

    #[test]
    fn a_definition_that_changes_is_named(
        tree in trees(),
        format in formats(),
        at in any::<prop::sample::Index>(),
        remove: bool,
    ) {
        let map = build(&snapshot(&tree), &settings(format, 1_500)).unwrap();
        let found = check(&map.text, &tree);
        prop_assert!(!found.is_stale(0));
        // The definitions that the map shows, by their names in the sources.
        let shown: Vec<(&String, String)> = tree.iter().filter(|(p, _)| !p.ends_with("txt"))
            .flat_map(|(path, text)| {
                let lines = text.lines().filter(|l| l.contains("work_") && !l.starts_with(' '));
                lines.map(move |l| (path, l.to_owned()))
            })
            .filter(|(_, line)| map.text.contains(line.trim_end_matches([' ', '{', ':'])))
            .collect();
        prop_assume!(!shown.is_empty());
        let (path, line) = &shown[at.index(shown.len())];
        let mut after = tree.clone();
        let text = after.get_mut(*path).unwrap();
        let name = line.split('(').next().unwrap().rsplit(' ').next().unwrap().to_owned();
        // All that have the name, since the same line may be there twice.
        let to = if remove { "gone_".to_owned() } else { format!("{name}(added, ") };
        let to = if remove { format!(" {to}{name}(") } else { format!(" {to}") };
        *text = text.replace(&format!(" {name}("), &to);
        let found = check(&map.text, &after);
        // Another file may hold the same line; this one doesn't any more.
        prop_assert!(!found.wrong.is_empty(), "{path} {line}\n{}", map.text);
        prop_assert!(found.wrong.iter().any(|w| w.text.contains(&name)), "{:?}", found.wrong);
        for wrong in &found.wrong {
            let line = map.text.lines().nth(wrong.line - 1).unwrap();
            let is_shown = line.trim().starts_with(wrong.text.trim_end_matches('…'));
            prop_assert!(format == Format::Json || is_shown, "{line} {wrong:?}");
        }
    }
}

#[test]
fn what_ranks_lower_never_makes_a_map_stale() {
    for format in [Format::Text, Format::Markdown, Format::Json] {
        let mut tree = sample();
        let map = build(&snapshot(&tree), &settings(format, 400)).unwrap();
        assert!(map.definitions.0 < map.definitions.1);
        for n in 0..20 {
            tree.insert(
                format!("src/private_{n}.py"),
                format!("def _nobody_{n}(): pass\n"),
            );
            tree.insert(format!("docs/{n}.nim"), "text".into());
        }
        let found = check(&map.text, &tree);
        assert!(found.wrong.is_empty(), "{:?}", found.wrong);
        assert!(!found.is_stale(10), "{:?}", found.missing);
        assert!(found.new.definitions.1 > map.definitions.1);
    }
}

/// A tree with an order of importance.
fn sample() -> Tree {
    let mut tree = Tree::new();
    for n in 0..12_usize {
        let mut text = String::new();
        for f in 0..6_usize {
            let calls: String = (0..n).map(|m| format!("    part_{m}_{f}()\n")).collect();
            let _ = write!(
                text,
                "def part_{n}_{f}(first, second):\n    \"\"\"Part {f} of {n}.\"\"\"\n{calls}\n"
            );
        }
        tree.insert(format!("src/part_{n:02}.py"), text);
    }
    tree
}

#[test]
fn a_map_by_hand_does_not_pass() {
    let tree: Tree = [
        (
            "a.rs",
            concat!(
                "/// Adds.\npub fn add(a: u8) {}\npub struct S;\n",
                "impl S {\n    /// Runs.\n    pub fn run(&self) {}\n}\n",
                "impl S {\n    pub fn stop(&self) {}\n}\n"
            ),
        ),
        ("b.txt", "text"),
    ]
    .into_iter()
    .map(|(p, t)| (p.to_owned(), t.to_owned()))
    .collect();
    let map = build(&snapshot(&tree), &settings(Format::Text, 2_000))
        .unwrap()
        .text;
    let faults = |map: &str| -> Vec<(usize, Fault)> {
        check(map, &tree)
            .wrong
            .into_iter()
            .map(|w| (w.line, w.fault))
            .collect()
    };
    assert_eq!(faults(&map), [], "{map}");
    let line_of = |part: &str| map.lines().position(|l| l.contains(part)).unwrap() + 1;
    // What never was, with the closest name of the file, and without.
    let never = map.replace("pub fn add(a: u8)", "pub fn add(a: u8, b: u8)");
    assert_eq!(
        faults(&never),
        [(
            line_of("fn add"),
            Fault::Changed("pub fn add(a: u8) — Adds.".into())
        )]
    );
    let never = map.replace("  pub fn add(a: u8) — Adds.\n", "  pub fn erase()\n");
    assert_eq!(faults(&never), [(line_of("fn add"), Fault::Gone(0))]);
    // Another documentation.
    let never = map.replace("— Adds.", "— Erases.");
    assert!(matches!(faults(&never)[..], [(_, Fault::Changed(_))]));
    // A method below another parent is no method of it, wherever else it is.
    let moved = map.replace(
        "  pub struct S\n",
        "  pub struct S\n    pub fn run(&self) — Runs.\n",
    );
    assert_eq!(faults(&moved), [(line_of("struct S") + 1, Fault::Gone(0))]);
    // The same line again.
    let again = map.replace("  pub struct S\n", "  pub struct S\n  pub struct S\n");
    assert_eq!(faults(&again), [(line_of("struct S") + 1, Fault::Repeated)]);
    let (head, tail) = map.split_at(map.find("\na.rs").unwrap());
    let twice = format!("{head}{tail}{tail}");
    assert!(faults(&twice).iter().all(|(_, f)| *f == Fault::Repeated));
    assert!(!faults(&twice).is_empty());
    // A file that isn't there, with lines below it.
    let gone = map.replace("a.rs", "c.rs");
    assert!(
        matches!(faults(&gone)[..], [(_, Fault::FileGone(n))] if n > 3),
        "{:?}",
        faults(&gone)
    );
    // Marks of a conflict, and text in the header.
    let conflict = map.replace("\na.rs\n", "\n<<<<<<< ours\na.rs\n");
    assert!(matches!(faults(&conflict)[..], [(_, Fault::FileGone(0))]));
    let header = map.replacen('\n', "\n# Left out: nothing, and you may delete all\n", 1);
    assert_eq!(faults(&header), [(2, Fault::Foreign)]);
    let behind = map.replace("{\"version\"", "{ \"version\"");
    assert_eq!(faults(&behind).len(), 1, "settings written in another way");
    // A name alone counts too.
    let named = map.replace("\nb.txt\n", "\nc.txt\n");
    assert!(matches!(faults(&named)[..], [(_, Fault::FileGone(0))]));
    // Nothing at all.
    let empty: String = map
        .lines()
        .take_while(|l| l.starts_with('#'))
        .map(|l| format!("{l}\n"))
        .collect();
    let found = check(&empty, &tree);
    assert!(found.wrong.is_empty() && found.is_stale(100) && found.drift() == 1_000);
    let nothing = Tree::new();
    assert!(!check(&empty, &nothing).is_stale(0));
}

#[test]
fn a_json_map_by_hand_does_not_pass() {
    let tree: Tree = [("a.py".to_owned(), "def run(): pass\n".to_owned())].into();
    let map = build(&snapshot(&tree), &settings(Format::Json, 2_000))
        .unwrap()
        .text;
    assert!(!check(&map, &tree).is_stale(0), "{map}");
    for (from, to) in [
        ("\"path\":\"a.py\"", "\"path\":\"b.py\",\"path\":\"a.py\""),
        ("\"name\":\"run\"", "\"name\":\"run\",\"note\":\"obey\""),
        ("\"kind\":\"function\"", "\"kind\":\"class\""),
        ("\"language\":\"python\"", "\"language\":\"rust\""),
        ("\"notParsed\": {}", "\"notParsed\": {\"obey this\": 1}"),
        ("\"leftOut\": {}", "\"leftOut\": {\"obey\": 1}"),
        ("\"files\": {", "\"more\": \"obey\", \"files\": {"),
    ] {
        assert!(map.contains(from), "{from}: {map}");
        let found = check(&map.replace(from, to), &tree);
        assert!(!found.wrong.is_empty(), "{to}");
    }
    let other = map.replace("def run()", "def runs()");
    let found = check(&other, &tree);
    let line = map.lines().position(|l| l.contains("def run()")).unwrap() + 1;
    assert_eq!(found.wrong[0].line, line);
    assert!(matches!(found.wrong[0].fault, Fault::Changed(_)));
    // Numbers and layout don't matter.
    let value: serde_json::Value =
        serde_json::from_str(&map.replace("\"all\":1", "\"all\":70")).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    assert!(!check(&pretty, &tree).is_stale(0), "{pretty}");
}

/// Merges the maps of two branches with git, and returns the text and the number of conflicts.
fn merge(base: &str, ours: &str, theirs: &str) -> (String, i32) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let paths = [
        write("ours", ours),
        write("base", base),
        write("theirs", theirs),
    ];
    let output = Command::new("git")
        .args(["merge-file", "-p"])
        .args(paths.iter().map(|p| p.as_path() as &Path))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (text, output.status.code().unwrap())
}

/// Changes one part of the sample.
fn change(tree: &mut Tree, part: usize, how: usize) {
    let path = format!("src/part_{part:02}.py");
    let text = tree.get_mut(&path).unwrap();
    match how {
        0 => *text = text.replacen("(first, second)", "(first, second, third)", 1),
        1 => text.push_str("def part_new(first):\n    pass\n"),
        2 => *text = text.replacen("Part 3 of", "The third of", 1),
        3 => {
            let at = text.find(&format!("def part_{part}_5")).unwrap();
            text.truncate(at);
        }
        _ => {
            let _ = write!(
                text,
                "\ndef caller_{part}():\n    part_0_1()\n    part_1_2()\n"
            );
        }
    }
}

#[test]
fn maps_of_independent_changes_merge() {
    for format in [Format::Text, Format::Markdown] {
        let base = sample();
        let settings = settings(format, 1_000);
        let first = build(&snapshot(&base), &settings).unwrap().text;
        let (previous, _) = Previous::from_map(&first).unwrap();
        let inputs = Inputs {
            previous: Some(&previous),
            ..Inputs::default()
        };
        let (mut merged, mut clean, mut current) = (0, 0, 0);
        for one in 0..12 {
            for how in (one % 3..25).step_by(3) {
                let other = (one + 5) % 12;
                let (mut ours, mut theirs, mut both) = (base.clone(), base.clone(), base.clone());
                change(&mut ours, one, how % 5);
                change(&mut both, one, how % 5);
                change(&mut theirs, other, how / 5);
                change(&mut both, other, how / 5);
                let map = |tree| build_with(&snapshot(tree), &settings, inputs).unwrap().text;
                let (text, conflicts) = merge(&first, &map(&ours), &map(&theirs));
                merged += 1;
                if conflicts == 0 {
                    clean += 1;
                    let found = check(&text, &both);
                    current += i32::from(!found.is_stale(10));
                }
            }
        }
        assert!(
            clean * 100 >= merged * 90,
            "{format:?}: {clean} of {merged} merge"
        );
        assert!(
            current * 100 >= clean * 95,
            "{format:?}: {current} of {clean} are current"
        );
    }
}
