//! Mistakes in the configuration: all are reported in one run, each with its place.

use crate::support::{git, run, write};
use std::path::Path;

const BROKEN: &str = include_str!("configuration/broken.toml");

#[test]
fn every_mistake_is_shown_where_it_stands() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "yuangs-verify.toml", BROKEN);
    for command in ["gate", "doctor"] {
        let ran = run(directory.path(), &[command]);
        assert_eq!(ran.code, 2);
        let lines: Vec<&str> = ran.err.lines().collect();
        let positions = lines
            .iter()
            .filter_map(|line| line.trim_start().strip_prefix("--> yuangs-verify.toml:"));
        assert_eq!(
            positions.collect::<Vec<_>>(),
            [
                "1:1", "3:1", "4:9", "5:17", "6:12", "7:15", "8:11", "9:9", "10:10", "11:1",
                "13:1", "16:11", "17:1", "20:9", "22:8"
            ],
            "{}",
            ran.err
        );
        let end = "error: `yuangs-verify.toml` can't be used: 15 mistakes\n";
        assert!(ran.err.contains(end), "{}", ran.err);
        assert!(!ran.err.contains("##["), "{}", ran.err);
    }
}

#[test]
fn the_caret_points_at_the_mistake() {
    let directory = tempfile::tempdir().unwrap();
    for (text, drawn) in [
        (
            "[traces]\npaths = []\nrequire = ['legal', 'path'] # 中文\n",
            "3 | require = ['legal', 'path'] # 中文\n  |            ^^^^^^^\n",
        ),
        (
            "[traces]\npaths = []\n# 中文\n\"中文\" = 'x'\n",
            "4 | \"中文\" = 'x'\n  | ^^^^^^\n",
        ),
        ("[keys]\nrequire = 'human'\n", "1 | [keys]\n  | ^^^^^^\n"),
        ("a = [1\n", "1 | a = [1\n  |     "),
    ] {
        write(directory.path(), "yuangs-verify.toml", text);
        let ran = run(directory.path(), &["gate"]);
        assert!(ran.err.contains(drawn), "{}", ran.err);
    }
}

#[test]
fn doctor_finds_what_the_gate_would_trip_over() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    git(root, &["init", "-q", "-b", "main"]);
    write(root, "README.md", "# x\n");
    let trace = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/corpora/traces/demo/diff-fix.jsonl"
    );
    write(root, "t/a.jsonl", &std::fs::read_to_string(trace).unwrap());
    let policy = run(root, &["policy", "show", "default"]).out;
    write(root, "p.yaml", &policy);
    let doctor = |rest: &str| {
        let text = format!("[traces]\npaths = ['t']\n{rest}");
        write(root, "yuangs-verify.toml", &text);
        let ran = run(root, &["doctor"]);
        let problems = ran.out.lines().filter_map(|l| l.strip_prefix("PROBLEM  "));
        (ran.code, problems.map(str::to_owned).collect::<Vec<_>>())
    };
    for fine in [
        "",
        "[policy]\nfile = 'p.yaml'\nuntested = 'new'\n",
        "[reports]\nhtml = 'a.html'\n",
    ] {
        assert_eq!(doctor(fine), (0, Vec::new()), "{fine}");
    }
    for (wrong, said) in [
        ("[policy]\nfile = 'p.yaml'\n", "policy: p.yaml no case"),
        (
            "[policy]\nfile = 'p.yaml'\nuntested = 'new'\nbase = 'nosuch'\n",
            "policy base: `nosuch`",
        ),
        (
            "[reports]\nsarif = 'out/x'\n",
            "reports: sarif goes to out/x, whose directory is missing",
        ),
    ] {
        let (code, problems) = doctor(wrong);
        assert_eq!((code, problems.len()), (2, 1), "{wrong}: {problems:?}");
        assert!(problems[0].starts_with(said), "{problems:?}");
    }
    if cfg!(feature = "knowledge") {
        let fine = doctor("[knowledge]\ndocuments = ['README.md']\n");
        assert_eq!(fine, (0, Vec::new()));
        let (_, problems) = doctor("[knowledge]\ndocuments = ['README.md', 'gone']\n");
        assert_eq!(problems, ["knowledge: gone isn't there"]);
    }
}

#[test]
fn an_unknown_report_is_shown_where_it_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let text = "fail-on = 'erro'\n[reports]\nhtml = 'a'\nsarfi = 'x'\n";
    write(directory.path(), "yuangs-verify.toml", text);
    let ran = run(directory.path(), &["gate"]);
    assert_eq!(ran.code, 2);
    let said = "error: reports: no format is called `sarfi`; the nearest is `sarif`";
    assert!(ran.err.contains(said), "{}", ran.err);
    assert!(
        ran.err.contains(" --> yuangs-verify.toml:4:1"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("2 mistakes"), "{}", ran.err);
}

#[test]
fn an_abbreviated_name_gets_the_whole_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (given, whole) in [
        ("claude", "claude-code"),
        ("gemini", "gemini-cli"),
        ("codx", "codex"),
    ] {
        let ran = run(root, &["replay", "--format-in", given, "-"]);
        let said = format!("the nearest is `{whole}`");
        assert!(ran.code == 2 && ran.err.contains(&said), "{}", ran.err);
    }
}

#[test]
fn doctor_names_entries_that_have_expired() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let trace = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/corpora/traces/demo/diff-fix.jsonl"
    );
    write(root, "t/a.jsonl", &std::fs::read_to_string(trace).unwrap());
    let policy = run(root, &["policy", "show", "default"]).out;
    write(root, "p.yaml", &policy);
    let config = include_str!("configuration/expiring.toml");
    write(root, "yuangs-verify.toml", config);
    let doctor = |now: &str| {
        let ran = run(root, &["doctor", "--now", now]);
        let lines = ran.out.lines().filter(|line| line.contains("2026-"));
        (ran.code, lines.map(str::to_owned).collect::<Vec<_>>())
    };
    let (applies, expired) = ("applies with `gate --now` until", "expired on");
    let ignore = "ignore number 2 (old) ";
    let accept = "policy.accept number 1 (wider) ";
    let lines = |ok: [bool; 2]| {
        [(ignore, "2026-05-31", ok[0]), (accept, "2026-06-30", ok[1])].map(|(name, date, ok)| {
            let (mark, said) = if ok {
                ("ok      ", applies)
            } else {
                ("PROBLEM ", expired)
            };
            format!("{mark} {name}{said} {date}")
        })
    };
    assert_eq!(doctor("2026-05-31"), (0, lines([true, true]).to_vec()));
    assert_eq!(doctor("2026-06-01"), (2, lines([false, true]).to_vec()));
    assert_eq!(doctor("2026-07-01"), (2, lines([false, false]).to_vec()));
    // Without --now, the current time applies.
    assert_eq!(run(root, &["doctor"]).code, 2);
}
