//! The maps of several repositories.

use super::support::{json_report, run, write};
use std::fs;
use std::path::Path;

const BUILD: [&str; 4] = ["repomap", "build", "--repositories", "repositories.toml"];
const CHECK: [&str; 4] = ["repomap", "check", "--repositories", "repositories.toml"];

/// Creates two repositories and a manifest.
fn two() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at,
        "repositories.toml",
        "[[repository]]\nname = 'beta'\npath = 'b'\nmap = 'docs/MAP.md'\n\n[[repository]]\nname = 'alpha'\npath = 'a'\n",
    );
    write(
        at,
        "a/src/lib.rs",
        "pub fn first() {}\n\npub struct Second;\n",
    );
    write(at, "b/main.py", "def third():\n    pass\n");
    write(at, "b/docs/a.md", "# Docs\n");
    folder
}

fn map(at: &Path, path: &str) -> String {
    fs::read_to_string(at.join(path)).unwrap()
}

#[test]
fn each_repository_has_its_map_and_the_report_a_line_for_each() {
    let folder = two();
    let at = folder.path();
    let built = run(at, &BUILD);
    assert_eq!(built.code, 0, "{}{}", built.out, built.err);
    let lines: Vec<&str> = built.out.lines().collect();
    assert!(
        lines[0].starts_with("alpha: 2 of 2 definitions in 1 of 1 files, "),
        "{}",
        built.out
    );
    assert!(
        lines[1].starts_with("beta: 1 of 1 definitions"),
        "{}",
        built.out
    );
    assert_eq!(lines[2..], ["2 repositories: 2 written"]);
    assert!(map(at, "a/REPOMAP.md").contains("pub struct Second"));
    assert!(map(at, "b/docs/MAP.md").contains("def third()"));

    let current = run(at, &CHECK);
    assert_eq!(current.code, 0);
    assert!(
        current.out.ends_with("2 repositories: 2 current\n"),
        "{}",
        current.out
    );
    write(at, "b/main.py", "def fourth():\n    pass\n");
    let (code, stale) = json_report(at, &CHECK);
    let stale = &stale["repositories"];
    assert_eq!(
        (code, &stale["alpha"]["stale"], &stale["beta"]["stale"]),
        (1, &false.into(), &true.into())
    );
    assert_eq!(stale["beta"]["findings"][0]["file"], "beta/docs/MAP.md");
    // Maps keep the settings that they have.
    let single = [
        "repomap",
        "build",
        "a",
        "--tokens",
        "321",
        "-o",
        "a/REPOMAP.md",
    ];
    assert_eq!(run(at, &single).code, 0);
    assert_eq!(run(at, &BUILD).code, 0);
    assert!(map(at, "a/REPOMAP.md").contains("321 tokens"));
    assert_eq!(run(at, &CHECK).code, 0);
}

#[test]
fn what_cannot_be_mapped_is_named_and_the_others_are_mapped() {
    let folder = two();
    let at = folder.path();
    write(at, "prose/README.md", "# Prose\n");
    write(at, "file", "text\n");
    let all = [
        "--root", "prose", "--root", "missing", "--root", "a", "--root", "file",
    ];
    let built = run(at, &[&["repomap", "build"], &all[..]].concat());
    assert_eq!(built.code, 2);
    let starts = [
        "a: 2 of 2",
        "file: error: `file` isn't a folder",
        "  help: ",
        "missing: error: `missing` isn't a folder",
        "  help: ",
        "prose: ",
    ];
    for (line, start) in built.out.lines().zip(starts) {
        assert!(line.starts_with(start), "{}", built.out);
    }
    assert!(built.out.contains("4 repositories: "), "{}", built.out);
    assert!(map(at, "a/REPOMAP.md").contains("first"));

    let (code, checked) = json_report(at, &[&["repomap", "check"], &all[..]].concat());
    assert_eq!(code, 2);
    assert_eq!(
        checked["repositories"]["missing"]["error"],
        "`missing` isn't a folder"
    );
    assert_eq!(checked["repositories"]["a"]["stale"], false);
    // No map yet, and one that isn't a map: neither is overwritten or taken for current.
    let (code, checked) = json_report(at, &["repomap", "check", "--root", "b"]);
    let error = checked["repositories"]["b"]["error"].as_str().unwrap();
    assert!(code == 2 && error.contains("can't read"), "{error}");
    write(at, "b/REPOMAP.md", "Written by a person.\n");
    let refused = run(at, &["repomap", "build", "--root", "b"]);
    assert_eq!(refused.code, 2, "{}", refused.out);
    assert_eq!(map(at, "b/REPOMAP.md"), "Written by a person.\n");
    // A stale map counts less than an error, and more than a tree without code.
    fs::create_dir(at.join("none")).unwrap();
    assert_eq!(run(at, &["repomap", "build", "--root", "none"]).code, 3);
    let pair = ["repomap", "check", "--root", "none", "--root", "a"];
    assert_eq!(run(at, &pair).code, 3);
    write(at, "a/src/lib.rs", "pub fn other() {}\n");
    assert_eq!(run(at, &pair).code, 1);
}

#[test]
fn names_and_options_that_would_mix_repositories_are_refused() {
    let folder = two();
    let at = folder.path();
    write(at, "deep/a/x.rs", "fn x() {}\n");
    for args in [
        &["--root", "a", "--root", "deep/a"][..],
        &["--root", "a", "b"],
        &["--root", "a", "-o", "x.md"],
        &["--root", "a", "--repositories", "repositories.toml"],
        &["--root", "/"],
        &["--repositories", "a"],
    ] {
        let refused = run(at, &[&["repomap", "build"], args].concat());
        assert_eq!((refused.code, &*refused.out), (2, ""), "{args:?}");
    }
    write(at, "repositories.toml", "");
    assert_eq!((run(at, &BUILD).code, run(at, &CHECK).code), (2, 2));
    assert!(!at.join("a/REPOMAP.md").exists());
    // `.` is named as the folder that it is.
    let here = run(&at.join("a"), &["repomap", "build", "--root", "."]);
    assert!(
        here.code == 0 && here.out.starts_with("a: "),
        "{}",
        here.err
    );
}

#[cfg(unix)]
#[test]
fn a_map_is_not_written_through_a_link() {
    let folder = two();
    let at = folder.path();
    write(at, "kept.md", "kept\n");
    std::os::unix::fs::symlink(at.join("kept.md"), at.join("a/REPOMAP.md")).unwrap();
    for command in [BUILD, CHECK] {
        let refused = run(at, &command);
        assert!(
            refused
                .out
                .contains("alpha: error: `a/REPOMAP.md` leads out"),
            "{}",
            refused.out
        );
        assert_eq!(refused.code, 2);
    }
    assert_eq!(map(at, "kept.md"), "kept\n");
}

#[test]
fn each_repository_has_a_cache_of_its_own() {
    let folder = two();
    let at = folder.path();
    let build = [&BUILD[..], &["--cache", "cache"]].concat();
    let cold = (run(at, &build).out, map(at, "a/REPOMAP.md"));
    let warm = (run(at, &build).out, map(at, "a/REPOMAP.md"));
    assert_eq!(cold, warm);
    assert!(
        ["alpha", "beta"].iter().all(|name| at
            .join("cache")
            .join(name)
            .join("tags.cache")
            .is_file())
    );
}

#[cfg(unix)]
#[test]
fn a_map_that_is_a_pipe_is_not_read() {
    let folder = two();
    let at = folder.path();
    let pipe = at.join("b/docs/MAP.md");
    let made = std::process::Command::new("mkfifo").arg(pipe).status();
    assert!(made.unwrap().success());
    for command in [BUILD, CHECK] {
        let done = run(at, &command);
        assert_eq!(done.code, 2, "{}", done.out);
        assert!(done.out.contains("isn't a regular file"), "{}", done.out);
    }
}

#[test]
fn no_repository_overwrites_the_map_of_another_one() {
    let folder = two();
    let at = folder.path();
    write(at, "a/inner/c.py", "def fourth():\n    pass\n");
    write(
        at,
        "repositories.toml",
        "[[repository]]\nname = 'a'\npath = 'a'\nmap = 'inner/REPOMAP.md'\n\n[[repository]]\nname = 'inner'\npath = 'a/inner'\n",
    );
    let built = run(at, &BUILD);
    assert_eq!(built.code, 2, "{}", built.out);
    assert!(
        built.out.contains("is the map of `a`, too"),
        "{}",
        built.out
    );
    assert!(map(at, "a/inner/REPOMAP.md").contains("pub struct Second"));
}

/// A command that reads it would wait for somebody who writes.
#[cfg(unix)]
#[test]
fn no_option_of_a_map_names_a_pipe() {
    let folder = two();
    let at = folder.path();
    let made = std::process::Command::new("mkfifo")
        .arg(at.join("pipe"))
        .status();
    assert!(made.unwrap().success());
    write(at, "gate.toml", "[repo-map]\nfile = 'pipe'\n");
    for args in [
        &["repomap", "check", "a", "--map", "pipe"][..],
        &["repomap", "check", "a", "--map", "/dev/null"],
        &["repomap", "build", "a", "--update", "pipe"],
        &["repomap", "build", "--repositories", "pipe"],
        &["repomap", "check", "--repositories", "pipe"],
        &["repomap", "check", "--repositories", "/dev/null"],
        &["gate", "--config", "pipe"],
        &["gate", "--config", "gate.toml"],
    ] {
        let done = run(at, args);
        assert_eq!((done.code, &*done.out), (2, ""), "{args:?}: {}", done.err);
        let said = "isn't a regular file";
        let help = "help: a pipe could block";
        assert!(
            done.err.contains(said) && done.err.contains(help),
            "{args:?}: {}",
            done.err
        );
    }
}

#[test]
fn repositories_that_are_one_folder_are_refused_and_nested_ones_are_mapped() {
    let folder = two();
    let at = folder.path();
    write(at, "a/inner/c.py", "def fourth():\n    pass\n");
    let mut same = vec![["a", "a"], ["a", "./a/"], ["a", "b/../a"]];
    if cfg!(unix) {
        #[cfg(unix)]
        std::os::unix::fs::symlink("a", at.join("linked")).unwrap();
        same.push(["a", "linked"]);
    }
    for [one, other] in same {
        for command in ["build", "check"] {
            let done = run(at, &["repomap", command, "--root", one, "--root", other]);
            assert_eq!((done.code, &*done.out), (2, ""), "{other}");
        }
    }
    // The inner map is no part of the outer one, so both stay current.
    let nested = ["--root", "a", "--root", "a/inner"];
    for _ in 0..2 {
        assert_eq!(
            run(at, &[&["repomap", "build"], &nested[..]].concat()).code,
            0
        );
        let checked = run(at, &[&["repomap", "check"], &nested[..]].concat());
        assert!(
            checked.out.ends_with("2 repositories: 2 current\n"),
            "{}",
            checked.out
        );
    }
    assert!(!map(at, "a/REPOMAP.md").contains("inner/REPOMAP.md"));
}
