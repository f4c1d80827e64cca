//! The gate as a user runs it: in a directory, with its exit code, output and files.

use super::support::{FORMATS, Finished, run};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

pub(super) const RED: &str = include_str!("../../corpora/gate-demo/red/traces/diff-fix.jsonl");
pub(super) const GREEN: &str = include_str!("../../corpora/gate-demo/green/traces/diff-fix.jsonl");

pub(super) fn gate(folder: &Path, args: &[&str]) -> Finished {
    run(folder, &[&["gate"], args].concat())
}

pub(super) fn repository(config: &str, trace: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("traces")).unwrap();
    fs::write(folder.path().join("traces/a.jsonl"), trace).unwrap();
    fs::write(folder.path().join("yuangs-verify.toml"), config).unwrap();
    folder
}

pub(super) const PLAIN: &str = "[traces]\npaths = ['traces']\n";

#[test]
fn the_demonstration_is_red_and_green() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/gate-demo");
    let red = gate(&demo.join("red"), &[]);
    assert_eq!(red.code, 1, "{}", red.err);
    assert_eq!(red.out.matches("error[YV301]").count(), 1, "{}", red.out);
    assert_eq!(gate(&demo.join("green"), &[]).code, 0);
}

#[test]
fn it_says_the_same_wherever_it_is_started() {
    let repository = repository(PLAIN, RED);
    let root = repository.path();
    fs::create_dir_all(root.join("deep/down")).unwrap();
    let here = gate(root, &["--format", "json"]).out;
    assert!(here.contains("\"traces/a.jsonl\""), "{here}");
    assert_eq!(
        gate(&root.join("deep/down"), &["--format", "json"]).out,
        here
    );
    let config = root.join("yuangs-verify.toml");
    assert_eq!(
        gate(
            Path::new("/"),
            &["--config", config.to_str().unwrap(), "--format", "json"]
        )
        .out,
        here
    );
}

#[test]
fn nothing_to_look_at_is_no_pass() {
    for (config, trace, why) in [
        ("", GREEN, "names no traces"),
        ("[traces]\npaths = []\n", GREEN, "no trace under"),
        (PLAIN, "", "no input holds a record"),
        (
            PLAIN,
            "{\"record\":\"execution_started\",\"executionId\":\"e\",\"timestamp\":0,\"schemaVersion\":\"1.0\",\"rootIntent\":\"x\",\"fsmVersion\":\"1\"}\n",
            "no execution shows a turn",
        ),
    ] {
        let ran = gate(repository(config, trace).path(), &[]);
        assert_eq!(ran.code, 3, "{why}: {}", ran.out);
        assert!(ran.err.contains(why), "{why}: {}", ran.err);
    }
    let allowed = format!("{PLAIN}allow-empty = 'no agent yet'\n");
    let ran = gate(repository(&allowed, "").path(), &[]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.out
            .contains("allowed by the configuration: no agent yet"),
        "{}",
        ran.out
    );
    assert_eq!(
        gate(repository(&allowed, RED).path(), &[]).code,
        1,
        "it allows nothing else"
    );
    assert_eq!(
        gate(
            repository("[traces]\npaths = ['nowhere']\nallow-empty = 'r'\n", GREEN).path(),
            &[]
        )
        .code,
        2
    );
}

#[test]
fn a_configuration_that_cannot_be_used_is_said() {
    let none = tempfile::tempdir().unwrap();
    let ran = gate(none.path(), &[]);
    assert!(
        ran.code == 2 && ran.err.contains("yuangs-verify init"),
        "{}",
        ran.err
    );
    let ran = gate(repository("[traces]\npahts = []\n", GREEN).path(), &[]);
    assert!(
        ran.code == 2
            && ran.err.contains(
                "unknown key `pahts`; the nearest is `paths`\n --> yuangs-verify.toml:2:1\n"
            ),
        "{}",
        ran.err
    );
    for rest in [
        "[keys]\nfile = 'none'",
        "[baseline]\nfile = 'none'",
        "[reports]\nnonsense = 'x'",
        "[reports]\nhtml = '../x'",
    ] {
        assert_eq!(
            gate(repository(&format!("{PLAIN}{rest}\n"), GREEN).path(), &[]).code,
            2,
            "{rest}"
        );
    }
}

#[test]
fn what_is_let_pass_is_said_in_every_report() {
    let config =
        format!("{PLAIN}[[ignore]]\ncode = 'YV301'\nreason = 'known'\nexpires = 2027-01-31\n");
    let repository = repository(&config, RED);
    let root = repository.path();
    assert_eq!(gate(root, &[]).code, 1, "nobody said what day it is");
    let ran = gate(root, &["--now", "2027-01-31"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let late = gate(root, &["--now", "2027-02-01T00:00:00Z"]);
    assert!(
        late.code == 1
            && late
                .out
                .contains("ignore number 1 (known) expired on 2027-01-31"),
        "{}",
        late.out
    );
    for format in FORMATS {
        let ran = gate(root, &["--now", "2027-01-31", "--format", format]);
        assert!(
            ran.code == 0 && ran.out.contains("findings ignored by the configuration"),
            "{format}: {}",
            ran.out
        );
        let quiet = gate(root, &["--now", "2027-01-31", "-q"]);
        assert!(
            quiet
                .out
                .contains("findings ignored by the configuration: 1"),
            "{}",
            quiet.out
        );
    }
}

#[test]
fn an_ignore_that_fits_nothing_is_said() {
    let config = format!("{PLAIN}[[ignore]]\ncode = 'YV301'\nreason = 'known'\n");
    let ran = gate(repository(&config, GREEN).path(), &[]);
    assert!(
        ran.code == 0
            && ran
                .out
                .contains("ignore number 1 (known) matches nothing any more"),
        "{}",
        ran.out
    );
}

#[test]
#[cfg_attr(not(feature = "knowledge"), ignore = "needs knowledge")]
fn sections_that_are_not_run_are_never_silent() {
    let config = format!("{PLAIN}[knowledge]\nstore = 'k'\n");
    let ran = gate(repository(&config, GREEN).path(), &["-q"]);
    assert!(
        ran.out
            .contains("[knowledge] is configured and not run by the gate"),
        "{}",
        ran.out
    );
}

#[test]
#[cfg_attr(not(feature = "repomap"), ignore = "needs repomap")]
fn the_committed_map_has_to_be_what_the_tree_gives() {
    let repository = repository(&format!("{PLAIN}[repo-map]\nfile = 'MAP.md'\n"), GREEN);
    let root = repository.path();
    assert_eq!(gate(root, &[]).code, 2, "there is no map");
    fs::write(root.join("MAP.md"), "# no map\n").unwrap();
    assert_eq!(gate(root, &[]).code, 2);
    fs::write(root.join("add.py"), "def add(a, b):\n    return a + b\n").unwrap();
    assert_eq!(
        run(
            root,
            &["repomap", "build", "-o", "MAP.md", "--format", "markdown"]
        )
        .code,
        0
    );
    let ran = gate(root, &[]);
    assert!(
        ran.code == 0 && ran.out.contains("the repo map was compared with"),
        "{}{}",
        ran.out,
        ran.err
    );
    fs::write(root.join("add.py"), "def add(a, b, c):\n    return a + b\n").unwrap();
    let ran = gate(root, &[]);
    assert!(
        ran.code == 1 && ran.out.contains("error[YV904]") && ran.out.contains("--> MAP.md:10:1"),
        "{}{}",
        ran.out,
        ran.err
    );
}

#[test]
#[cfg_attr(not(feature = "repomap"), ignore = "needs repomap")]
fn the_drift_of_the_committed_map_is_bounded() {
    let repository = repository(&format!("{PLAIN}[repo-map]\nfile = 'MAP.txt'\n"), GREEN);
    let root = repository.path();
    for n in 0..8 {
        let text = format!("def part_{n}():\n    pass\n");
        fs::write(root.join(format!("part_{n}.py")), text).unwrap();
    }
    let args = ["repomap", "build", "-o", "MAP.txt", "--tokens", "9000"];
    assert_eq!(run(root, &args).code, 0);
    assert_eq!(gate(root, &[]).code, 0);
    fs::write(
        root.join("late.py"),
        "def late(): pass\ndef later(): pass\n",
    )
    .unwrap();
    let ran = gate(root, &[]);
    assert!(
        ran.code == 1 && ran.out.contains("--> MAP.txt:1:1") && ran.out.contains("late()"),
        "{}{}",
        ran.out,
        ran.err
    );
    let config = |drift: &str| {
        let text = format!("{PLAIN}[repo-map]\nfile = 'MAP.txt'\nmax-drift = {drift}\n");
        fs::write(root.join("yuangs-verify.toml"), text).unwrap();
    };
    config("40");
    assert_eq!(gate(root, &[]).code, 0);
    for wrong in ["101", "-1", "'10'"] {
        config(wrong);
        assert_eq!(gate(root, &[]).code, 2, "{wrong}");
    }
}

#[test]
#[cfg_attr(not(feature = "repomap"), ignore = "needs repomap")]
fn interfaces_are_compared_with_where_the_branch_began() {
    let repository = repository(&format!("{PLAIN}[repo-map]\nbase = 'main'\n"), GREEN);
    let root = repository.path();
    let ran = gate(root, &[]);
    assert!(
        ran.code == 2,
        "there is no repository: {}{}",
        ran.out,
        ran.err
    );
    let git = |args: &[&str]| {
        let identity = [
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.com",
            "-c",
            "commit.gpgsign=false",
        ];
        assert!(
            Command::new("git")
                .current_dir(root)
                .args(identity)
                .args(args)
                .status()
                .unwrap()
                .success()
        );
    };
    git(&["init", "-q", "-b", "main"]);
    fs::write(
        root.join("add.py"),
        "def add(a, b):\n    return a + b\ndef gone(): pass\ndef _own(): pass\n",
    )
    .unwrap();
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    git(&["checkout", "-qb", "work"]);
    let ran = gate(root, &[]);
    assert!(
        ran.code == 0 && ran.out.contains("new 0, gone or changed 0"),
        "{}{}",
        ran.out,
        ran.err
    );
    // The names come from the pull request.
    let evil = "def add(a, b, c='`<img src=x> @team ##[error]'):\n    return a + b\ndef fresh(): pass\ndef _other(): pass\n";
    fs::write(root.join("add.py"), evil).unwrap();
    let ran = gate(root, &[]);
    assert!(
        ran.code == 0 && ran.out.contains("note[YV906]") && ran.out.contains("] add.py:1:1: "),
        "{}{}",
        ran.out,
        ran.err
    );
    assert!(
        ran.out
            .contains("new 1, gone or changed 2, private ones that differ 2"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("new definitions: fresh") && ran.out.contains("`gone` is gone"),
        "{}",
        ran.out
    );
    let markdown = gate(root, &["--format", "markdown-comment"]).out;
    assert!(
        markdown.contains("YV906") && !markdown.contains("##["),
        "{markdown}"
    );
    let html = pulldown_cmark::Parser::new(&markdown)
        .filter(|e| matches!(e, pulldown_cmark::Event::InlineHtml(h) | pulldown_cmark::Event::Html(h) if h.contains("img")))
        .count();
    assert_eq!(html, 0, "{markdown}");
    assert_eq!(gate(root, &["--fail-on", "note"]).code, 1);
    let config = format!(
        "{PLAIN}[repo-map]\nbase = 'main'\n[severity.YV906]\nlevel = 'error'\nreason = 'a library'\n"
    );
    fs::write(root.join("yuangs-verify.toml"), config).unwrap();
    assert_eq!(gate(root, &[]).code, 1, "configured to fail");
    fs::write(
        root.join("yuangs-verify.toml"),
        format!("{PLAIN}[repo-map]\n"),
    )
    .unwrap();
    let ran = gate(root, &[]);
    assert!(
        ran.code == 3 && ran.err.contains("neither a file nor a base"),
        "{}{}",
        ran.out,
        ran.err
    );
}

/// Commits a file of the work tree to the current branch.
pub(super) fn commit(repository: &git2::Repository, file: &str) {
    let path = repository.workdir().unwrap().join(file);
    if !path.exists() {
        fs::write(path, "x\n").unwrap();
    }
    let mut index = repository.index().unwrap();
    index.add_path(Path::new(file)).unwrap();
    let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
    let who =
        git2::Signature::new("A", "a@example.com", &git2::Time::new(1_700_000_000, 0)).unwrap();
    let parent = repository.head().ok().map(|h| h.peel_to_commit().unwrap());
    let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
    repository
        .commit(Some("HEAD"), &who, &who, file, &tree, &parents)
        .unwrap();
}

#[test]
fn only_new_findings_fail_behind_a_baseline() {
    let repository = repository(PLAIN, RED);
    let root = repository.path();
    let ran = gate(root, &["--write-baseline", "baseline.json"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert_eq!(
        gate(root, &[]).code,
        1,
        "a baseline counts only where it is named"
    );
    let ran = gate(root, &["--baseline", "baseline.json"]);
    assert!(
        ran.code == 0 && ran.out.contains("findings that the baseline knows: 1"),
        "{}",
        ran.out
    );
    // The same findings on other lines are known; a different one isn't.
    let other = GREEN.replace("diff-fix", "other");
    fs::write(root.join("traces/a.jsonl"), format!("{other}{RED}")).unwrap();
    assert_eq!(gate(root, &["--baseline", "baseline.json"]).code, 0);
    fs::write(
        root.join("traces/a.jsonl"),
        format!("{}{RED}", RED.replace("diff-fix", "other")),
    )
    .unwrap();
    let ran = gate(root, &["--baseline", "baseline.json"]);
    assert_eq!(
        (ran.code, ran.out.matches("error[YV301]").count()),
        (1, 1),
        "{}",
        ran.out
    );
    fs::write(root.join("traces/a.jsonl"), GREEN).unwrap();
    let ran = gate(root, &["--baseline", "baseline.json"]);
    assert!(
        ran.code == 0
            && ran
                .out
                .contains("entries of the baseline that are fixed: 1"),
        "{}",
        ran.out
    );
    fs::write(root.join("baseline.json"), "{}").unwrap();
    assert_eq!(gate(root, &["--baseline", "baseline.json"]).code, 2);
}

#[test]
fn reports_of_the_configuration_are_written_below_it() {
    let repository = repository(
        &format!("{PLAIN}[reports]\nsarif = 'out.sarif'\nhtml = 'audit.html'\n"),
        RED,
    );
    let root = repository.path();
    fs::create_dir(root.join("sub")).unwrap();
    assert_eq!(
        gate(&root.join("sub"), &["--report", "junit=here.xml"]).code,
        1
    );
    let sarif: Value =
        serde_json::from_str(&fs::read_to_string(root.join("out.sarif")).unwrap()).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1);
    assert!(
        fs::read_to_string(root.join("audit.html"))
            .unwrap()
            .contains("Turn 2")
    );
    assert!(root.join("sub/here.xml").is_file());
}

#[cfg(unix)]
#[test]
fn a_link_in_the_repository_does_not_lead_a_report_out_of_it() {
    let outside = tempfile::tempdir().unwrap();
    let precious = outside.path().join("precious");
    fs::write(&precious, "untouched").unwrap();
    for path in ["out.sarif", "linked/precious"] {
        let repository = repository(&format!("{PLAIN}[reports]\nsarif = '{path}'\n"), RED);
        std::os::unix::fs::symlink(&precious, repository.path().join("out.sarif")).unwrap();
        std::os::unix::fs::symlink(outside.path(), repository.path().join("linked")).unwrap();
        let ran = gate(repository.path(), &[]);
        assert!(
            ran.code == 2 && ran.err.contains("leads out"),
            "{}",
            ran.err
        );
        assert_eq!(fs::read_to_string(&precious).unwrap(), "untouched");
    }
}

#[test]
fn init_for_github_writes_two_files_and_keeps_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (config, workflow) = (
        root.join("yuangs-verify.toml"),
        root.join(".github/workflows/replay-gate.yml"),
    );
    let ran = run(root, &["init", "--github"]);
    assert!(
        ran.code == 0 && ran.out.contains("replay-gate.yml\n") && !ran.out.contains("kept"),
        "{}{}",
        ran.out,
        ran.err
    );
    let text = fs::read_to_string(&workflow).unwrap();
    let uses = concat!("replay-gate@action-v", env!("CARGO_PKG_VERSION"), "\n");
    assert!(
        text.contains(uses) && text.contains("\n  contents: read\n"),
        "{text}"
    );
    // The configuration contains every section, possibly as a comment.
    let text = fs::read_to_string(&config).unwrap();
    let schema = run(root, &["schema", "print", "config"]).out;
    let schema: Value = serde_json::from_str(&schema).unwrap();
    for key in schema["properties"].as_object().unwrap().keys() {
        let written = [format!("[{key}]"), format!("[{key}."), format!("{key} = ")];
        assert!(written.iter().any(|w| text.contains(w)), "{key}");
    }

    let ran = run(root, &["init", "--github"]);
    assert!(
        ran.code == 2 && ran.err.contains("replay-gate.yml` are there already"),
        "{}",
        ran.err
    );
    fs::write(&workflow, "mine").unwrap();
    fs::remove_file(&config).unwrap();
    let ran = run(root, &["init", "--github"]);
    assert!(
        ran.code == 0 && ran.out.starts_with("kept ") && config.exists(),
        "{}",
        ran.out
    );
    assert_eq!(fs::read_to_string(&workflow).unwrap(), "mine");
    fs::write(&config, "# mine\n").unwrap();
    fs::remove_file(&workflow).unwrap();
    let ran = run(root, &["init", "--github"]);
    assert!(
        ran.code == 0 && ran.out.contains("kept ./yuangs-verify.toml\n") && workflow.exists(),
        "{}",
        ran.out
    );
    assert_eq!(fs::read_to_string(&config).unwrap(), "# mine\n");
}

#[test]
#[cfg_attr(not(feature = "knowledge"), ignore = "needs knowledge")]
fn init_writes_what_gate_reads() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("logs/agents/old")).unwrap();
    fs::write(root.join("logs/agents/a.jsonl"), GREEN).unwrap();
    fs::write(root.join("logs/agents/old/b.jsonl"), GREEN).unwrap();
    fs::write(root.join("package.json"), "{}").unwrap();
    let ran = run(root, &["init"]);
    assert!(
        ran.code == 0 && ran.out.contains("traces: logs/agents\n"),
        "{}",
        ran.out
    );
    assert_eq!(gate(root, &[]).code, 0);
    assert_eq!(run(root, &["init"]).code, 2, "nothing is overwritten");
    let shown = run(root, &["config", "show"]);
    assert!(
        shown
            .out
            .contains("traces.paths = [\"logs/agents\"]  # yuangs-verify.toml"),
        "{}",
        shown.out
    );
    assert_eq!(run(root, &["doctor"]).code, 0);
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(run(empty.path(), &["init"]).code, 0);
    let ran = run(empty.path(), &["doctor"]);
    assert!(ran.code == 2 && ran.out.contains("PROBLEM"), "{}", ran.out);
    // The commented lines are valid when uncommented.
    let text = fs::read_to_string(root.join("yuangs-verify.toml")).unwrap();
    let taken: Vec<&str> = text
        .lines()
        .map(|l| {
            l.strip_prefix("# ")
                .filter(|l| l.starts_with('[') || l.contains(" = "))
                .unwrap_or(l)
        })
        .collect();
    let config = yuangs_verify::config::Config::parse("x.toml", &taken.join("\n")).unwrap();
    assert!(config.knowledge.is_some());
    assert!(
        config.keys.is_some()
            && config.ignore.len() == 1
            && config.severity.len() == 1
            && config.reports.len() == 2
    );
}

/// Text in a configuration is as hostile as text in a trace.
#[cfg(unix)]
#[test]
fn a_folder_with_a_telling_name_writes_no_line() {
    let name =
        "t\n::stop-commands::x\n## passed\n\n@acme/admins ![p](https:/evil.example) <!-- \u{1b}[2J";
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join(name)).unwrap();
    let config = format!(
        "[traces]\npaths = [{}]\n",
        serde_json::to_string(name).unwrap()
    );
    fs::write(folder.path().join("yuangs-verify.toml"), config).unwrap();
    let ran = gate(
        folder.path(),
        &[
            "--report",
            "markdown=m.md",
            "--report",
            "sarif=s.json",
            "--format",
            "github",
        ],
    );
    assert_eq!(ran.code, 3);
    let markdown = fs::read_to_string(folder.path().join("m.md")).unwrap();
    for text in [&ran.out, &ran.err, &markdown] {
        let acts = |line: &str| {
            line.starts_with("::stop") || line.starts_with("## passed") || line.starts_with('@')
        };
        assert!(
            !text.lines().any(acts) && !text.contains('\u{1b}'),
            "{text}"
        );
    }
    assert!(
        !markdown.contains("![p](") || markdown.contains('`'),
        "{markdown}"
    );
}

#[test]
fn a_baseline_counts_as_it_reads() {
    let folder = repository(PLAIN, RED);
    let root = folder.path();
    assert_eq!(gate(root, &["--write-baseline", "b.json"]).code, 0);
    assert_eq!(gate(root, &["--baseline", "b.json"]).code, 0);
    let honest = fs::read_to_string(root.join("b.json")).unwrap();
    for (word, other) in [("YV301", "YV208"), ("traces/a.jsonl", "traces/old.jsonl")] {
        fs::write(root.join("b.json"), honest.replace(word, other)).unwrap();
        assert_eq!(
            gate(root, &["--baseline", "b.json"]).code,
            1,
            "an entry that names {other} is about something else"
        );
    }
}

#[test]
fn no_report_is_green_over_errors_that_fail_nothing() {
    let repository = repository(PLAIN, RED);
    let root = repository.path();
    // A valid execution, next to an invalid one.
    fs::write(
        root.join("traces/b.jsonl"),
        GREEN.replace("\"diff-fix\"", "\"in-order\""),
    )
    .unwrap();
    fs::write(
        root.join("never.toml"),
        format!("fail-on = 'never'\n{PLAIN}"),
    )
    .unwrap();
    for args in [
        ["gate", "--fail-on", "never"],
        ["gate", "--config", "never.toml"],
        ["replay", "traces", "--fail-on=never"],
    ] {
        for format in [
            "text",
            "json",
            "jsonl",
            "sarif",
            "junit",
            "github",
            "markdown",
            "markdown-comment",
            "html",
            "gitlab",
            "rdjsonl",
        ] {
            let ran = run(root, &[&args[..], &["--format", format]].concat());
            assert_eq!(ran.code, 0, "{args:?} {format}: {}", ran.err);
            assert!(
                ran.out.contains("not enforced: 1 error"),
                "{args:?} {format}: {}",
                ran.out
            );
            // The rule pages in SARIF mention passing.
            for green in [
                if format == "sarif" { "PASS " } else { "PASS" },
                "✅",
                "Passed",
            ] {
                assert!(
                    !ran.out.contains(green),
                    "{args:?} {format} says {green}: {}",
                    ran.out
                );
            }
        }
        let junit = run(root, &[&args[..], &["--format", "junit"]].concat()).out;
        assert!(
            junit.contains("<skipped") && junit.contains("type=\"not-enforced\""),
            "{junit}"
        );
    }
    // Without errors it passes as before.
    fs::remove_file(root.join("traces/a.jsonl")).unwrap();
    let ran = gate(root, &["--fail-on", "never"]);
    assert!(
        ran.code == 0 && ran.out.contains("PASS in-order") && !ran.out.contains("not enforced"),
        "{}",
        ran.out
    );
}

#[test]
fn a_reason_that_shows_nothing_is_none() {
    let blank = [
        "",
        " ",
        "\\u00a0",
        "\\u200b",
        "\\u3164",
        "\\u2800",
        "...",
        "—!?",
        "\\u0007",
        "- \\u200d -",
    ];
    for reason in blank {
        for config in [
            format!("{PLAIN}[severity.YV301]\nlevel = 'off'\nreason = \"{reason}\"\n"),
            format!("{PLAIN}[[ignore]]\ncode = 'YV301'\nreason = \"{reason}\"\n"),
            format!("{PLAIN}allow-empty = \"{reason}\"\n"),
            format!("{PLAIN}[policy]\nfile = 'p.yaml'\nuntested = \"{reason}\"\n"),
            format!(
                "{PLAIN}[policy]\nfile = 'p.yaml'\n[[policy.accept]]\nfingerprint = 'x'\nreason = \"{reason}\"\n"
            ),
        ] {
            let ran = gate(repository(&config, RED).path(), &[]);
            assert!(
                ran.code == 2 && ran.err.contains("needs a reason"),
                "{config}: {} {}",
                ran.code,
                ran.err
            );
        }
    }
}

#[test]
fn a_baseline_of_the_first_version_is_read_and_written_anew() {
    // Written before fingerprints excluded messages.
    let known = r#"{"version":1,"findings":[{"code":"YV301","file":"traces/a.jsonl","fingerprint":"ffb111e336616af9"}]}"#;
    let repository = repository(PLAIN, RED);
    let root = repository.path();
    fs::write(root.join("known.json"), known).unwrap();
    let ran = gate(root, &["--baseline", "known.json"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(
        ran.out.contains("the baseline has version 1"),
        "{}",
        ran.out
    );
    let ignore = format!("{PLAIN}[[ignore]]\nfingerprint = 'ffb111e336616af9'\nreason = 'known'\n");
    fs::write(root.join("yuangs-verify.toml"), ignore).unwrap();
    let ran = gate(root, &[]);
    assert!(
        ran.code == 0
            && ran
                .out
                .contains("names a fingerprint of version 1: write `"),
        "{}",
        ran.out
    );
    fs::write(root.join("yuangs-verify.toml"), PLAIN).unwrap();
    assert_eq!(gate(root, &["--write-baseline", "known.json"]).code, 0);
    assert!(
        fs::read_to_string(root.join("known.json"))
            .unwrap()
            .contains("\"version\": 2")
    );
    let ran = gate(root, &["--baseline", "known.json"]);
    assert!(
        ran.code == 0 && !ran.out.contains("version 1"),
        "{}",
        ran.out
    );
}
