//! Repo maps from the command line: reproducible output, budgets, hostile trees, checks and
//! comparisons.

use proptest::prelude::*;
use repo_map::{Format, Language, Settings, build, extract, of_folder};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tokens::Encoding;

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(folder)
        .arg("repomap")
        .args(args)
        .output()
        .unwrap()
}

fn code(folder: &Path, args: &[&str]) -> i32 {
    run(folder, args).status.code().unwrap()
}

fn stdout(folder: &Path, args: &[&str]) -> String {
    let output = run(folder, args);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Copies the samples, so that a repository can be created around them.
fn samples(to: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/repomap/samples");
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "expect") {
            fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
        }
    }
}

fn git(folder: &Path, args: &[&str]) {
    let output = Command::new("git")
        .current_dir(folder)
        .args([
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.com",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(args)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_revision_gives_the_map_of_its_checkout() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    samples(&at.join("src"));
    fs::write(at.join(".gitignore"), "ignored.py\n").unwrap();
    fs::write(at.join("src/ignored.py"), "def ignored(): pass\n").unwrap();
    git(at, &["init", "-q", "-b", "main"]);
    git(at, &["add", "."]);
    git(at, &["commit", "-qm", "one"]);
    for args in [
        &["build", "--tokens", "900"][..],
        &["build", "src", "--format", "json"],
        &["tags"],
        &["build", "--marks", "--lines"],
    ] {
        let tree = stdout(at, args);
        assert_eq!(tree, stdout(at, args), "two runs");
        assert_eq!(
            tree,
            stdout(at, &[args, &["--rev", "HEAD"]].concat()),
            "{args:?}"
        );
        assert!(!tree.contains("ignored.py"));
    }
    assert_eq!(code(at, &["build", "--rev", "nowhere"]), 2);
    fs::write(at.join("src/new.py"), "def quite_new(): pass\n").unwrap();
    assert!(stdout(at, &["tags"]).contains("quite_new"));
    assert!(!stdout(at, &["tags", "--rev", "HEAD"]).contains("quite_new"));
}

#[test]
fn every_map_fits_and_the_next_entry_would_not() {
    let folder = tempfile::tempdir().unwrap();
    samples(folder.path());
    let snapshot = of_folder(folder.path(), None).unwrap();
    let mut before = 0;
    for tokens in [150, 200, 301, 480, 800, 1500, 100_000] {
        for format in [Format::Text, Format::Markdown, Format::Json] {
            let settings = Settings {
                tokens: tokens + 150,
                format,
                ..Settings::default()
            };
            let map = build(&snapshot, &settings).unwrap();
            assert_eq!(map.tokens, Encoding::O200k.count(&map.text));
            assert!(map.tokens <= tokens + 150);
            if format == Format::Text {
                assert!(map.definitions.0 >= before);
                before = map.definitions.0;
            }
        }
    }
    let all = build(
        &snapshot,
        &Settings {
            tokens: 100_000,
            ..Settings::default()
        },
    )
    .unwrap();
    assert_eq!(
        (all.definitions.0, all.files.0),
        (all.definitions.1, all.files.1)
    );
    // Without the further grammars, the header names the files that have none.
    let header = if cfg!(feature = "languages-extra") {
        "# Left out: nothing\n"
    } else {
        "# Not parsed: .dart, "
    };
    assert!(all.text.contains(header), "{}", all.text);
    let exact = Settings {
        tokens: all.tokens,
        ..Settings::default()
    };
    // The budget of the whole map shows all of it.
    let again = build(&snapshot, &exact).unwrap();
    assert_eq!(again.definitions.0, all.definitions.0);
    assert_eq!(code(folder.path(), &["build", "--tokens", "3"]), 2);
}

#[test]
fn a_stale_map_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    samples(&at.join("src"));
    for (format, file) in [
        ("text", "map.txt"),
        ("markdown", "REPOMAP.md"),
        ("json", "map.json"),
    ] {
        let build = [
            "build",
            "--format",
            format,
            "-o",
            file,
            "--query",
            "queue <x> -->",
            "--focus",
            "src/pool.go",
            "--tokens",
            "2000",
        ];
        assert_eq!(code(at, &build), 0);
        assert_eq!(code(at, &["check", "--map", file]), 0, "{format}");
    }
    assert_eq!(code(at, &["check"]), 0, "REPOMAP.md is the default");
    fs::write(
        at.join("src/pool.go"),
        "package pool\n\nfunc New() *Pool { return nil }\n",
    )
    .unwrap();
    for file in ["map.txt", "REPOMAP.md", "map.json"] {
        let output = run(at, &["check", "--map", file]);
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            text.contains("YV904") && text.contains("is stale"),
            "{text}"
        );
    }
    let text = stdout_of(&run(at, &["check", "--map", "map.txt"]));
    let map = fs::read_to_string(at.join("map.txt")).unwrap();
    let line = map
        .lines()
        .position(|l| l.contains("func New[T any]("))
        .unwrap()
        + 1;
    assert!(
        text.contains(&format!("map.txt:{line}:1"))
            && text.contains("it is now `func New() *Pool`"),
        "{text}"
    );
    assert!(text.contains("drift "), "{text}");
    let report: serde_json::Value =
        serde_json::from_str(&stdout_of(&run(at, &["check", "--format", "json"]))).unwrap();
    assert_eq!(report["findings"][0]["code"], "YV904");
    assert_eq!(code(at, &["check", "--map", "src/pool.go"]), 2, "no map");
    assert_eq!(code(at, &["check", "--map", "nowhere"]), 2);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/dev/zero", at.join("endless.md")).unwrap();
        assert_eq!(code(at, &["check", "--map", "endless.md"]), 2);
        fs::remove_file(at.join("endless.md")).unwrap();
    }
    let map = fs::read_to_string(at.join("map.txt")).unwrap();
    fs::write(
        at.join("map.txt"),
        map.replace("\"version\":2", "\"version\":1"),
    )
    .unwrap();
    let refused = run(at, &["check", "--map", "map.txt"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(
        refused.status.code(),
        Some(2),
        "another version is never compared"
    );
    assert!(
        said.contains("version 1 of repo maps") && said.contains("build it again"),
        "{said}"
    );
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(code(empty.path(), &["build", "-o", "map.txt"]), 3);
    assert_eq!(
        code(empty.path(), &["check", "--map", "map.txt"]),
        3,
        "nothing was checked"
    );
    assert_eq!(
        code(empty.path(), &["build", "--focus", "x"]),
        2,
        "a focus on nothing"
    );
}

fn stdout_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Writes a project of several languages, with what it uses and who uses it.
fn project(at: &Path) {
    let write = |name: &str, text: String| {
        let path = at.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for n in 0..30 {
        let text = format!(
            "def used_{n}(rows):\n    return rows\n\ndef step_{n}(rows):\n    return used_{n}(rows)\n\n\
             def flow_{n}(rows):\n    return step_{n}(rows)\n"
        );
        write(&format!("shop/part_{n}.py"), text);
    }
}

#[test]
fn a_small_change_leaves_a_map_current() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    project(at);
    let build = ["build", "-o", "map.txt", "--tokens", "600"];
    assert_eq!(code(at, &build), 0);
    let map = fs::read_to_string(at.join("map.txt")).unwrap();
    let check = |args: &[&str]| run(at, &[&["check", "--map", "map.txt"], args].concat());
    // What nobody uses is new, and a page of another kind.
    fs::write(at.join("shop/late.py"), "def _late(): pass\n").unwrap();
    fs::write(at.join("page.nim"), "<template/>\n").unwrap();
    assert_eq!(
        check(&[]).status.code(),
        Some(0),
        "{}",
        stdout_of(&check(&[]))
    );
    // Much is missing.
    let lines: Vec<&str> = map.lines().collect();
    let half: String = lines[..lines.len() / 2]
        .iter()
        .map(|l| format!("{l}\n"))
        .collect();
    fs::write(at.join("map.txt"), half).unwrap();
    let output = check(&[]);
    let text = stdout_of(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("are missing: drift ") && text.contains("A new map would also show:"),
        "{text}"
    );
    assert_eq!(check(&["--max-drift", "100"]).status.code(), Some(0));
    assert_eq!(check(&["--max-drift", "101"]).status.code(), Some(2));
    let report: serde_json::Value =
        serde_json::from_str(&stdout_of(&check(&["--format", "json"]))).unwrap();
    assert!(report["drift"].as_f64().unwrap() > 10.0 && report["stale"] == true);
    assert_eq!(report["wrong"].as_array().unwrap().len(), 0);
    // The settings of the old map are kept, and its order.
    let update = ["build", "--update", "map.txt", "-o", "map.txt"];
    assert_eq!(code(at, &update), 0);
    assert_eq!(check(&["--max-drift", "0"]).status.code(), Some(0));
    let again = fs::read_to_string(at.join("map.txt")).unwrap();
    assert!(again.contains("\"tokens\":600"), "{again}");
    assert_eq!(code(at, &["build", "--update", "shop/late.py"]), 2);
}

#[test]
fn a_map_for_a_review_shows_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    project(at);
    git(at, &["init", "-q", "-b", "main"]);
    git(at, &["add", "."]);
    git(at, &["commit", "-qm", "one"]);
    git(at, &["switch", "-qc", "feature"]);
    let path = at.join("shop/part_17.py");
    let text = fs::read_to_string(&path).unwrap();
    let text = text.replace("    return used_17(rows)", "    return used_17(rows[1:])");
    fs::write(&path, text).unwrap();
    let args = ["build", "--diff", "main", "--tokens", "260"];
    let open = stdout(at, &args);
    for name in [
        "def step_17(rows)",
        "def used_17(rows)",
        "def flow_17(rows)",
    ] {
        assert!(open.contains(name), "{name}: {open}");
    }
    assert!(!stdout(at, &["build", "--tokens", "260"]).contains("step_17"));
    git(at, &["commit", "-qam", "two"]);
    assert_eq!(stdout(at, &args), open, "committed or not");
    let rev = [&args[..], &["--rev", "feature"]].concat();
    assert_eq!(stdout(at, &rev), open, "without a checkout");
    assert_eq!(code(at, &[&args[..], &["-o", "map.txt"]].concat()), 0);
    assert_eq!(code(at, &["check", "--map", "map.txt"]), 0);
    // What a removed function was used by.
    git(at, &["switch", "-q", "main"]);
    git(at, &["switch", "-qc", "removal"]);
    let path = at.join("shop/part_9.py");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.split_once("\n\n").unwrap().1).unwrap();
    let removal = stdout(at, &args);
    assert!(removal.contains("def step_9(rows)"), "{removal}");
    assert_eq!(code(at, &["build", "--diff", "nowhere"]), 2);
    let outside = tempfile::tempdir().unwrap();
    project(outside.path());
    assert_eq!(code(outside.path(), &args), 2, "there is no repository");
}

#[test]
fn revisions_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    git(at, &["init", "-q", "-b", "main"]);
    fs::write(
        at.join("a.rs"),
        "pub fn kept() {}\npub fn gone(x: u8) {}\npub fn other(x: u8) {}\nfn hidden() {}\n",
    )
    .unwrap();
    git(at, &["add", "."]);
    git(at, &["commit", "-qm", "one"]);
    fs::write(
        at.join("a.rs"),
        "pub fn kept() { 1; }\npub fn other(x: u16) {}\npub fn `new() {}\npub fn new() {}\n",
    )
    .unwrap();
    git(at, &["commit", "-qam", "two"]);
    let text = stdout(at, &["diff", "HEAD~1", "HEAD"]);
    assert!(text.contains("a.rs\n  - pub fn gone(x: u8)\n"), "{text}");
    assert!(
        text.contains("  - pub fn other(x: u8)\n  + pub fn other(x: u16)\n"),
        "{text}"
    );
    assert!(text.contains("1 private ones differ"), "{text}");
    assert_eq!(
        stdout(at, &["diff", "HEAD~1"]),
        text.replace("→ HEAD", "→ the work tree")
    );
    let markdown = stdout(at, &["diff", "HEAD~1", "HEAD", "--format", "markdown"]);
    assert!(
        markdown.contains("- removed: `pub fn gone(x: u8)`\n")
            && markdown.contains("- now: `pub fn other(x: u16)`"),
        "{markdown}"
    );
    let report: serde_json::Value =
        serde_json::from_str(&stdout(at, &["diff", "HEAD~1", "HEAD", "--format", "json"])).unwrap();
    assert_eq!(
        report["differences"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|d| d["change"] == "changed")
            .count(),
        1
    );
    assert_eq!(code(at, &["diff", "nowhere"]), 2);
}

#[test]
fn a_cache_changes_nothing_but_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    samples(&at.join("src"));
    let without = stdout(at, &["build", "src"]);
    let file = at.join(".yuangs/cache/repomap/tags.cache");
    let with = ["build", "src", "--cache", ".yuangs/cache/repomap"];
    // A file that was just written may be changed within the same tick of the clock, so it is
    // cached only later.
    std::thread::sleep(std::time::Duration::from_secs(4));
    assert_eq!(stdout(at, &with), without);
    let first = fs::read(&file).unwrap();
    assert_eq!(stdout(at, &with), without);
    assert_eq!(
        fs::read(&file).unwrap(),
        first,
        "nothing new, nothing written"
    );
    for broken in [&first[..first.len() / 2], b"", b"yvrmap\0\x01 nonsense"] {
        fs::write(&file, broken).unwrap();
        assert_eq!(stdout(at, &with), without);
        assert_eq!(fs::read(&file).unwrap(), first, "built again");
    }
    fs::write(at.join("src/pool.go"), "package pool\nfunc Changed() {}\n").unwrap();
    assert_eq!(stdout(at, &with), stdout(at, &["build", "src"]));
}

#[test]
fn hostile_files_are_counted_and_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let write = |name: &str, content: &[u8]| {
        let path = at.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    write("good.py", b"def good():\n    pass\n");
    write(
        "broken.rs",
        b"pub fn whole() {}\npub fn ((((\nstruct After;\n",
    );
    write("image.py", b"x\0y");
    write("latin.py", b"caf\xe9 = 1\n");
    write("min.js", "var a=1;".repeat(2000).as_bytes());
    write("huge.c", &vec![b'\n'; (2 << 20) + 1]);
    write("lib/vendor/x.go", b"package x\nfunc Vendored() {}\n");
    write("a.pb.go", b"package x\nfunc Generated() {}\n");
    write(
        "marked.go",
        b"// Code generated by x. DO NOT EDIT.\npackage x\n",
    );
    write("by_attribute.rs", b"pub fn attribute() {}\n");
    write(".gitattributes", b"by_attribute.rs linguist-generated\n");
    write("sub/.git", b"gitdir: elsewhere\n");
    write("sub/inner.py", b"def inner(): pass\n");
    write("notes.txt", b"hello\n");
    write("one.nim", b"<template/>\n");
    write("two.nim", b"<template/>\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", at.join("link.py")).unwrap();
    let text = stdout(at, &["build", "--tokens", "4000"]);
    let left = text.lines().nth(1).unwrap();
    let expected =
        "# Left out: binary, generated, symbolic links, minified, not UTF-8, too large, vendored";
    assert_eq!(left, expected);
    let rest: Vec<&str> = text.lines().skip(2).take(2).collect();
    assert_eq!(
        rest,
        [
            "# Not parsed: .nim",
            "# Parsed in part: files with syntax errors"
        ]
    );
    let counts = String::from_utf8(run(at, &["build"]).stderr).unwrap();
    assert_eq!(
        counts.split_whitespace().collect::<Vec<_>>().join(" "),
        "not parsed: 2 .nim files; left out: 1 binary, 3 generated, 1 symbolic links, 1 minified, 1 not \
         UTF-8, 1 too large, 1 vendored; with syntax errors: 1 file"
    );
    for name in ["good.py", "notes.txt", "def good()", "pub fn whole()"] {
        assert!(text.contains(name), "{name}: {text}");
    }
    for name in ["inner.py", "Vendored", "attribute()", "root:"] {
        assert!(!text.contains(name), "{name}: {text}");
    }
}

#[test]
fn deep_and_repeated_text_ends() {
    let size = 3_000;
    let shapes = [
        "(",
        "{",
        "[",
        "<",
        "((",
        "f(",
        "\"",
        "if x:\n",
        "fn f() {",
        "class A {",
        "/*",
        "#{",
        "<<A\n",
        "`",
        "${",
        "-",
        "a.b(",
        "\n ",
    ];
    for language in Language::ALL {
        for shape in shapes {
            let text = shape.repeat(size / shape.len());
            // It need not parse, but it has to finish, with valid places.
            if let Ok(tags) = extract(language, &text) {
                assert!(
                    tags.references
                        .iter()
                        .all(|r| (r.name as usize) < tags.names.len())
                );
            }
        }
    }
}

#[test]
fn no_keyword_becomes_a_function() {
    let text = "int f(int a)\n{\n    if (a < 0) {\n        a = 1;\n    }\n#ifdef STRICT\n    else if (a == 2) {\n        a = 2;\n    }\n\
                #endif\n    return a;\n}\n";
    let names: Vec<String> = extract(Language::C, text)
        .unwrap()
        .definitions
        .into_iter()
        .map(|d| d.name)
        .collect();
    assert_eq!(names, ["f"]);
}

#[test]
fn nothing_of_a_tree_acts_on_a_terminal_or_ends_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let evil = "def f(a=\"\u{1b}[2J\u{202e}x ```\n::error::y ##[z\"):\n    \"\"\"\u{9b} --> <img src=x> @team\"\"\"\n";
    fs::write(folder.path().join("evil.py"), evil).unwrap();
    #[cfg(unix)]
    fs::write(
        folder.path().join("a\n##[error]\u{1b}`.py"),
        "def g(): pass\n",
    )
    .unwrap();
    // Lines that a CI runner would take for workflow commands: a path, a signature, a name.
    fs::write(folder.path().join("::error::path.py"), "def h(): pass\n").unwrap();
    fs::write(
        folder.path().join("scope.cpp"),
        "::error::x f() { return 1; }\n",
    )
    .unwrap();
    fs::write(
        folder.path().join("colons.sh"),
        "::error::hello() { true; }\n",
    )
    .unwrap();
    let tags = stdout(folder.path(), &["tags", "--format", "ctags"]);
    assert!(
        tags.contains("error::hello") && !tags.lines().any(|l| l.trim_start().starts_with("::")),
        "{tags}"
    );
    for format in ["text", "markdown", "json"] {
        let text = stdout(folder.path(), &["build", "--format", format]);
        assert!(
            !text.contains(['\u{1b}', '\u{202e}', '\u{9b}']) && !text.contains("##["),
            "{format}: {text}"
        );
        assert!(
            !text.lines().any(|l| l.trim_start().starts_with("::")),
            "{text}"
        );
    }
    let markdown = stdout(folder.path(), &["build", "--format", "markdown"]);
    let html: Vec<_> = pulldown_cmark::Parser::new(&markdown)
        .filter(|e| {
            matches!(e, pulldown_cmark::Event::InlineHtml(_))
                || matches!(e, pulldown_cmark::Event::Html(h) if !h.starts_with("<!-- repomap settings: "))
        })
        .collect();
    assert!(html.is_empty(), "{html:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gives_tags_that_fit(text in "(\\PC|[(){}\\[\\]<>;:,.'\"#/*=\\n ]|fn |def |class |impl |struct |\u{0}){0,80}") {
        for language in Language::ALL {
            let Ok(tags) = extract(language, &text) else { continue };
            let lines = u32::try_from(text.split('\n').count()).unwrap();
            for (at, definition) in tags.definitions.iter().enumerate() {
                prop_assert!(definition.line >= 1 && definition.line <= definition.end.max(definition.line) && definition.line <= lines);
                prop_assert!(definition.within.is_none_or(|w| (w as usize) < at));
                prop_assert!(!definition.signature.contains(char::is_control));
            }
            for reference in &tags.references {
                prop_assert!((reference.name as usize) < tags.names.len());
                prop_assert!(reference.within.is_none_or(|w| (w as usize) < tags.definitions.len()));
            }
        }
    }
}
