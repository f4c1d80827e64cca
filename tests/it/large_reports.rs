//! Reports of runs that are too large to read line by line, and their summaries.

use super::support::{git, run, write};
use std::path::Path;
use yuangs_verify::diag::{Code, Finding, Place, Severity, assign_fingerprints};
use yuangs_verify::report::{Base, Format, Outcome, Run, TextOptions};
use yuangs_verify::rules;
use yuangs_verify::verify::{Options, Report, verify_reader};

const GREEN: &str = include_str!("../../corpora/gate-demo/green/traces/diff-fix.jsonl");
const RED: &str = include_str!("../../corpora/gate-demo/red/traces/diff-fix.jsonl");

/// Maximum size in bytes of a page that opens in every browser.
const PAGE: usize = 5_000_000;

fn written(report: &Report, format: Format, verbose: bool, base: Option<&Base>) -> String {
    let outcome = Outcome::of(report, Some(Severity::Error), false);
    let run = Run {
        report,
        outcome: &outcome,
        text: TextOptions {
            verbose,
            ..TextOptions::default()
        },
        command: "yuangs-verify replay -- traces",
        statistics: None,
        base,
    };
    let mut plain = anstream::StripStream::new(Vec::new());
    run.write(format, &mut plain).unwrap();
    String::from_utf8(plain.into_inner()).unwrap()
}

fn place(line: u64) -> Place {
    Place {
        file: "a.jsonl".into(),
        line,
        ..Place::default()
    }
}

/// Builds a report of many executions. One in a hundred fails, and each has a note with the same
/// text. The words are as long and as expensive to escape as a trace allows.
fn many(executions: u64, word: &str) -> Report {
    let mut report = verify_reader(
        "a.jsonl",
        GREEN.as_bytes(),
        &Options {
            max_turns: 2_000,
            ..Options::default()
        },
    );
    let turns = std::mem::take(&mut report.timeline.turns);
    let model = report.summaries.pop().unwrap();
    for n in 0..executions {
        let id = format!("e{n}{word}");
        let mut summary = model.clone();
        summary.id = id.clone().into();
        summary.line = n + 1;
        report.summaries.push(summary);
        if n < 2_000 {
            let mut turn = turns[0].clone();
            turn.execution = id.clone().into();
            turn.evaluation = Some(word.into());
            report.timeline.turns.push(turn);
        }
        let note = rules::finding(Code(212), "not recorded", place(n + 1));
        let error = rules::finding(Code(301), format!("`a{n}{word}` ran"), place(n + 1));
        for finding in [Some(note), Some(error).filter(|_| n % 100 == 7)] {
            report.findings.extend(finding.map(|finding| Finding {
                execution: Some(id.clone().into()),
                ..finding
            }));
        }
    }
    for finding in &report.findings {
        *match finding.severity {
            Severity::Error => &mut report.counts.errors,
            Severity::Warning => &mut report.counts.warnings,
            Severity::Note => &mut report.counts.notes,
        } += 1;
    }
    assign_fingerprints(&mut report.findings);
    report
}

#[test]
fn a_page_stays_small() {
    let expensive = "<\"&'/".repeat(300);
    for (executions, word, failed, passed) in [
        (100_000, "", "1,000", "99,000"),
        (5_000, &*expensive, "50", "4,950"),
    ] {
        let report = many(executions, word);
        let page = written(&report, Format::Html, false, None);
        assert!(page.len() < PAGE, "{}", page.len());
        for (count, name) in [(failed, "failed"), (passed, "passed")] {
            let tile = format!("<b>{count}</b><span>{name}</span>");
            assert!(page.contains(&tile), "{tile}");
        }
        assert!(page.contains("more executions counted above and not drawn"));
    }
}

#[test]
fn executions_that_passed_are_counted_and_failed_ones_listed() {
    let report = many(100_000, "");
    let text = written(&report, Format::Text, false, None);
    let lines = |word: &str| text.lines().filter(|l| l.starts_with(word)).count();
    assert_eq!(lines("FAIL e"), 1_000);
    assert_eq!(lines("PASS e"), 200);
    assert!(text.contains("\nPASS 98,800 more executions (-v lists them)\n"));
    let all = written(&many(1_000, ""), Format::Text, true, None);
    assert_eq!(all.lines().filter(|l| l.starts_with("PASS e")).count(), 990);
    assert!(!all.contains("more executions"));
}

#[test]
fn equal_notes_are_one_note() {
    let report = many(3_000, "");
    let text = written(&report, Format::Text, false, None);
    assert_eq!(text.matches("note[YV212]").count(), 1);
    assert!(
        text.contains("not recorded (and 2999 equal notes; -v shows all)"),
        "{text}"
    );
    let all = written(&report, Format::Text, true, None);
    assert_eq!(all.matches("note[YV212]").count(), 3_000);
    let markdown = written(&report, Format::Markdown, false, None);
    assert_eq!(markdown.matches(": not recorded").count(), 1);
    assert!(markdown.contains(", and 2999 equal notes elsewhere"));
    let page = written(&report, Format::Html, false, None);
    assert_eq!(page.matches("<h3>not recorded</h3>").count(), 1);
    assert!(page.contains("<summary>The same in 2999 other places</summary>"));
}

#[test]
fn what_passes_is_not_green_where_errors_fail_nothing() {
    let report = many(300, "");
    let outcome = Outcome::of(&report, None, false);
    let run = Run {
        report: &report,
        outcome: &outcome,
        text: TextOptions::default(),
        command: "x",
        statistics: None,
        base: None,
    };
    let mut page = Vec::new();
    run.write(Format::Html, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    for green in ["class=\"good\"", "verdict passed", "badge pass", "PASS"] {
        assert!(!page.contains(green), "{green}");
    }
    assert!(page.contains("<h1>Not enforced</h1>"));
    assert!(page.contains("<b>297</b><span>without errors</span>"));
}

#[test]
fn platforms_get_paths_from_the_root_of_the_repository() {
    let report = verify_reader("a.jsonl", RED.as_bytes(), &Options::default());
    let base = Base::new("/r".into(), "/r/sub dir".into());
    for (format, path) in [
        (Format::Sarif, "\"sub%20dir/a.jsonl\""),
        (Format::Github, "file=sub dir/a.jsonl,"),
        (Format::Gitlab, "\"path\": \"sub dir/a.jsonl\""),
        (Format::Rdjsonl, "\"path\":\"sub dir/a.jsonl\""),
    ] {
        let text = written(&report, format, false, Some(&base));
        assert!(text.contains(path), "{text}");
        let without = text.replace("sub%20dir/", "").replace("sub dir/", "");
        assert_eq!(
            without,
            written(&report, format, false, None),
            "the rest stays"
        );
    }
    for format in [Format::Json, Format::Text, Format::Markdown, Format::Html] {
        assert_eq!(
            written(&report, format, false, Some(&base)),
            written(&report, format, false, None),
            "{format:?}"
        );
    }
}

#[test]
fn a_gate_below_the_root_names_files_from_the_root() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "-q"]);
    write(
        root,
        "app/yuangs-verify.toml",
        "[traces]\npaths = ['traces']\n",
    );
    write(root, "app/traces/a.jsonl", RED);
    let app = root.join("app");
    for (directory, args) in [
        (&*app, vec!["gate"]),
        (&*app, vec!["replay", "traces"]),
        (root, vec!["gate", "--config", "app/yuangs-verify.toml"]),
        (root, vec!["replay", "app/traces"]),
    ] {
        let args = [&args[..], &["--format", "github"]].concat();
        let ran = run(directory, &args);
        assert_eq!(ran.code, 1, "{}", ran.err);
        assert!(
            ran.out.contains("::error file=app/traces/a.jsonl,line="),
            "{args:?}: {}",
            ran.out
        );
    }
    // Fingerprints in a baseline are those of the path that the gate uses.
    let ran = run(&app, &["gate", "--format", "json"]);
    assert!(
        ran.out.contains("\"file\": \"traces/a.jsonl\""),
        "{}",
        ran.out
    );
}

#[test]
fn a_gate_lists_as_many_findings_as_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "yuangs-verify.toml",
        "[traces]\npaths = ['traces']\n",
    );
    for n in 0..4 {
        write(folder.path(), &format!("traces/{n}.jsonl"), RED);
    }
    let listed = |limit: &str| {
        let ran = run(folder.path(), &["gate", "--max-findings", limit]);
        assert_eq!(ran.code, 1, "{}", ran.err);
        assert!(ran.out.contains(": 4 errors, "), "{}", ran.out);
        let fails = ran.out.lines().filter(|l| l.starts_with("FAIL ")).count();
        assert_eq!(fails, 4, "what isn't listed fails its execution");
        ran.out.matches("error[YV301]").count()
    };
    assert_eq!((listed("1"), listed("3"), listed("0")), (1, 3, 4));
}

/// Each element has only the attributes that Jenkins' schema (`junit-10.xsd`) allows.
#[test]
fn junit_has_the_attributes_that_schemas_know() {
    let mut report = verify_reader("a.jsonl", RED.as_bytes(), &Options::default());
    report.summaries[0].id = "\" skipped=\"0\" <testsuites skipped=\"1\">".into();
    let text = written(&report, Format::Junit, false, None);
    let document = roxmltree::Document::parse(&text).unwrap();
    let known = |name: &str| -> &[&str] {
        match name {
            "testsuites" => &["name", "time", "tests", "failures", "disabled", "errors"],
            "testsuite" => &[
                "name",
                "tests",
                "failures",
                "errors",
                "time",
                "disabled",
                "skipped",
                "timestamp",
                "hostname",
                "id",
                "package",
            ],
            "testcase" => &["name", "assertions", "time", "classname", "status"],
            "failure" | "error" => &["type", "message"],
            "property" => &["name", "value"],
            _ => &[],
        }
    };
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        for attribute in node.attributes() {
            let name = node.tag_name().name();
            assert!(
                known(name).contains(&attribute.name()),
                "{name} {attribute:?}"
            );
        }
    }
    let times: Vec<&str> = document
        .descendants()
        .filter(|n| n.has_tag_name("testcase"))
        .map(|n| n.attribute("time").unwrap())
        .collect();
    assert_eq!(times, ["0.000", "18.935", "0.000"]);
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/gate-demo/green");
    let ran = run(&demo, &["replay", "traces", "--format", "junit"]);
    assert!(!ran.out.lines().nth(1).unwrap().contains("skipped"));
}
