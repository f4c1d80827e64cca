//! Checks every format with an external schema or parser, and the limits of the platforms.

use super::reading;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use yuangs_verify::diag::{Code, Excerpt, Finding, Place, Severity, assign_fingerprints};
use yuangs_verify::report::{Format, MARKER, Outcome, Run, TextOptions};
use yuangs_verify::rules;
use yuangs_verify::source::discover;
use yuangs_verify::verify::{Options, Report, verify, verify_reader};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn corpora() -> Report {
    let report = verify(
        &discover(&[root().join("corpora/traces")]),
        &Options::default(),
    );
    assert!(report.findings.len() > 200 && report.summaries.len() > 300);
    report
}

fn written(report: &Report, format: Format) -> String {
    let outcome = Outcome::of(report, Some(Severity::Error), false);
    let run = Run {
        report,
        outcome: &outcome,
        text: TextOptions::default(),
        command: "yuangs-verify replay -- traces",
        statistics: None,
        base: None,
    };
    let mut out = Vec::new();
    run.write(format, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn parsed(report: &Report, format: Format) -> Value {
    serde_json::from_str(&written(report, format)).unwrap()
}

/// Builds a report with `count` findings of each severity.
fn many(count: u64) -> Report {
    let mut report = Report::default();
    for (code, severity) in [
        (301, Severity::Error),
        (203, Severity::Warning),
        (606, Severity::Note),
    ] {
        for line in 1..=count {
            let excerpt = Excerpt {
                text: "ä\"actionId\":\"a1\"".into(),
                span: (2, 10),
                ..Excerpt::default()
            };
            let message = format!("action `a{line}` ran, and no decision approves it");
            let place = Place {
                file: "a.jsonl".into(),
                line,
                column: 3,
                pointer: None,
                excerpt: Some(excerpt),
            };
            report.findings.push(Finding {
                execution: Some(format!("e{line}").into()),
                turn: Some(1),
                severity,
                ..rules::finding(Code(code), message, place)
            });
            report.counts.count(severity);
        }
    }
    report.counts.files = 1;
    report.counts.records = count;
    assign_fingerprints(&mut report.findings);
    report
}

#[test]
fn sarif_keeps_its_schema() {
    let text =
        std::fs::read_to_string(root().join("tests/vendored/sarif-2.1.0.schema.json")).unwrap();
    // The published pattern for languages has an extra bracket and isn't a valid regular
    // expression.
    let text = text.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    let schema: Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let report = corpora();
    for report in [&report, &Report::default(), &many(3)] {
        let sarif = parsed(report, Format::Sarif);
        let errors: Vec<String> = validator
            .iter_errors(&sarif)
            .map(|e| format!("{}: {e}", e.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), report.findings.len());
        for rule in sarif["runs"][0]["tool"]["driver"]["rules"]
            .as_array()
            .unwrap()
        {
            let code = rule["id"].as_str().unwrap();
            let page = format!("{}/rules/{code}.html", env!("CARGO_PKG_HOMEPAGE"));
            assert_eq!(rule["helpUri"], page);
        }
        for result in results {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(
                sarif["runs"][0]["tool"]["driver"]["rules"][index]["id"],
                result["ruleId"]
            );
        }
    }
    assert!(
        !validator.is_valid(&serde_json::json!({"version": "2.1.0"})),
        "the schema can say no"
    );
}

#[test]
fn sarif_says_whether_it_looked() {
    let looked = |report: &Report| {
        parsed(report, Format::Sarif)["runs"][0]["invocations"][0]["executionSuccessful"].clone()
    };
    assert_eq!(looked(&Report::default()), false);
    assert_eq!(looked(&many(1)), true);
}

#[test]
fn sarif_counts_what_is_over_the_limit() {
    let report = many(10_000);
    let sarif = parsed(&report, Format::Sarif);
    let run = &sarif["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), 25_000);
    assert_eq!(run["properties"]["leftOut"], 5_000);
    assert_eq!(
        run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"],
        "5000 more findings counted and not listed"
    );
    let levels: BTreeSet<&str> = run["results"].as_array().unwrap()[..20_000]
        .iter()
        .map(|r| r["level"].as_str().unwrap())
        .collect();
    assert_eq!(
        levels,
        BTreeSet::from(["error", "warning"]),
        "the worst are kept"
    );
}

#[test]
fn columns_are_counted_as_each_format_counts() {
    let trace = "{\"record\":\"execution_started\",\"executionId\":\"ü𝄞\",\"timestamp\":0,\"schemaVersion\":\"9\",\"rootIntent\":\"x\",\"fsmVersion\":\"1\"}\n";
    let report = verify_reader("a.jsonl", trace.as_bytes(), &Options::default());
    let found = report
        .findings
        .iter()
        .find(|f| f.code == Code(105))
        .unwrap();
    // `ü` has 2 bytes and `𝄞` has 4: 4 more bytes than characters, and 2 more than UTF-16 units.
    assert_eq!(found.place.column, 68);
    assert_eq!(trace.find("\"schemaVersion\"").unwrap(), 67);
    assert_eq!(found.place.characters(), Some((64, 83)));
    let sarif = parsed(&report, Format::Sarif);
    assert_eq!(sarif["runs"][0]["columnKind"], "unicodeCodePoints");
    let regions = sarif["runs"][0]["results"].as_array().unwrap();
    let region = &regions.iter().find(|r| r["ruleId"] == "YV105").unwrap()["locations"][0]["physicalLocation"]
        ["region"];
    assert_eq!(
        (region["startColumn"].as_u64(), region["endColumn"].as_u64()),
        (Some(64), Some(83))
    );
    assert_eq!(region["snippet"]["text"], "\"schemaVersion\":\"9\"");
    let rdjson = written(&report, Format::Rdjsonl);
    assert!(
        rdjson.contains("\"start\":{\"column\":68,\"line\":1}")
            && rdjson.contains("\"end\":{\"column\":87,\"line\":1}"),
        "{rdjson}"
    );
}

#[test]
fn fingerprints_stay_when_lines_move() {
    let bad = std::fs::read_to_string(
        root().join("corpora/traces/broken/YV301-no-decision-in-turn-4.jsonl"),
    )
    .unwrap();
    let good = std::fs::read_to_string(root().join("corpora/traces/demo/react-fix.jsonl")).unwrap();
    let fingerprints = |text: &str| -> Vec<String> {
        let report = verify_reader("a.jsonl", text.as_bytes(), &Options::default());
        let sarif = parsed(&report, Format::Sarif);
        sarif["runs"][0]["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r["partialFingerprints"]["primaryLocationLineHash"].to_string())
            .collect()
    };
    let before = fingerprints(&bad);
    assert!(!before.is_empty());
    assert_eq!(before, fingerprints(&format!("{good}{bad}")));
    assert_eq!(before, fingerprints(&format!("\n\n{bad}")));
}

#[test]
fn junit_counts_as_it_should() {
    let report = corpora();
    let text = written(&report, Format::Junit);
    let document = roxmltree::Document::parse(&text).unwrap();
    let count = |name: &str| {
        document
            .descendants()
            .filter(|n| n.has_tag_name(name))
            .count()
    };
    let attribute = |name: &str| {
        document
            .root_element()
            .attribute(name)
            .unwrap()
            .parse::<usize>()
            .unwrap()
    };
    assert_eq!(count("testcase"), attribute("tests"));
    assert_eq!(count("failure"), attribute("failures"));
    assert!(count("failure") > 100 && count("testcase") > report.summaries.len());
    let failures: usize = document
        .descendants()
        .filter(|n| n.has_tag_name("failure"))
        .map(|n| {
            n.attribute("message")
                .unwrap()
                .split(' ')
                .next()
                .unwrap()
                .parse::<usize>()
                .unwrap()
        })
        .sum();
    assert_eq!(
        failures,
        report
            .findings
            .iter()
            .filter(|f| f.severity == Severity::Error)
            .count(),
        "every error fails a case"
    );
    // What a reader of test results sees.
    let read = junit_parser::from_reader(text.as_bytes()).unwrap();
    let cases = || read.suites.iter().flat_map(|s| &s.cases);
    assert_eq!(
        (read.tests, read.failures, read.errors),
        (cases().count() as u64, count("failure") as u64, 0)
    );
    assert!(
        read.suites
            .iter()
            .all(|s| !s.name.is_empty() && s.tests == s.cases.len() as u64 && s.suites.is_empty())
    );
    for case in cases() {
        let named = case.classname.as_deref().is_some_and(|c| !c.is_empty())
            && !case.original_name.is_empty();
        assert!(named, "{case:?}");
    }
    let failing: BTreeSet<(&str, &str)> = cases()
        .filter(|c| c.status.is_failure() && !c.status.failure_as_ref().text.is_empty())
        .map(|c| (c.classname.as_deref().unwrap(), c.original_name.as_str()))
        .collect();
    for summary in &report.summaries {
        let known = summary
            .id
            .chars()
            .chain(summary.file.chars())
            .all(|c| c.is_ascii_graphic());
        let fails = report.findings.iter().any(|f| {
            f.severity == Severity::Error
                && f.place.file == summary.file
                && f.execution.as_deref() == Some(&*summary.id)
        });
        assert!(
            !known || failing.contains(&(&*summary.file, &*summary.id)) == fails,
            "{summary:?}"
        );
    }
    let empty = written(&Report::default(), Format::Junit);
    let empty = roxmltree::Document::parse(&empty).unwrap();
    assert_eq!(
        empty.root_element().attribute("errors"),
        Some("1"),
        "nothing verified is no pass"
    );
}

#[test]
fn annotations_keep_the_limits_of_a_step() {
    for (report, more) in [
        (many(3), None),
        (many(10), None),
        (many(11), Some(4)),
        (many(1000), Some(2971)),
    ] {
        let text = written(&report, Format::Github);
        let of = |level: &str| {
            text.lines()
                .filter(|l| l.starts_with(&format!("::{level} ")))
                .count()
        };
        assert!(
            of("error") <= 10 && of("warning") <= 10 && of("notice") <= 10,
            "{text}"
        );
        match more {
            None => assert!(!text.contains("more finding"), "{text}"),
            Some(more) => assert!(
                text.contains(&format!("::{more} more findings not annotated here")),
                "{text}"
            ),
        }
    }
    assert!(written(&many(1), Format::Github).starts_with(
        "::error file=a.jsonl,line=1,col=2,endColumn=10,title=YV301 unauthorised-execution::"
    ));
}

#[test]
fn markdown_keeps_its_limits_and_says_what_it_left_out() {
    let mut report = corpora();
    report.findings.extend(many(500).findings);
    let comment = written(&report, Format::MarkdownComment);
    assert!(comment.starts_with(MARKER) && comment.chars().count() <= 65_536);
    let summary = written(&report, Format::Markdown);
    assert!(summary.len() <= 1 << 20 && !summary.contains(MARKER));
    for text in [&comment, &summary] {
        reading::markdown(text).unwrap();
        assert_eq!(
            text.matches("<details").count(),
            text.matches("</details>").count(),
            "cut at whole sections"
        );
        assert!(text.contains("not listed") || text.contains("left out"));
        assert!(text.contains("The same at home: `yuangs-verify replay -- traces`"));
    }
    let first = written(&many(1), Format::Markdown);
    assert!(first.starts_with("## ❌ yuangs-verify failed\n"), "{first}");
    assert_eq!(first.matches("<details open>").count(), 3);
    let nothing = written(&Report::default(), Format::Markdown);
    assert!(
        nothing.starts_with("## ⚠️ yuangs-verify could not decide: nothing was verified"),
        "{nothing}"
    );
}

#[test]
fn a_comment_of_long_sections_is_cut_whole() {
    // Every rule's section is long, so that some don't fit.
    let mut report = Report::default();
    for code in 200..400u16 {
        for line in 1..=10 {
            let mut finding = many(1).findings[0].clone();
            (finding.code, finding.place.line, finding.message) =
                (Code(code), line, "x".repeat(290));
            report.findings.push(finding);
            report.counts.count(Severity::Error);
        }
    }
    let comment = written(&report, Format::MarkdownComment);
    assert!(
        comment.len() <= 65_536 && comment.contains("sections left out to keep within 65536 bytes"),
        "{}",
        comment.len()
    );
    assert_eq!(
        comment.matches("<details").count(),
        comment.matches("</details>").count()
    );
}

#[test]
fn gitlab_gets_what_it_documents() {
    let report = corpora();
    let issues = parsed(&report, Format::Gitlab);
    let issues = issues.as_array().unwrap();
    assert_eq!(issues.len(), report.findings.len());
    let unique: BTreeSet<&str> = issues
        .iter()
        .map(|i| i["fingerprint"].as_str().unwrap())
        .collect();
    assert_eq!(unique.len(), issues.len());
    for issue in issues {
        assert!(
            ["info", "minor", "major", "critical", "blocker"]
                .contains(&issue["severity"].as_str().unwrap())
        );
        assert!(
            issue["location"]["lines"]["begin"].as_u64().unwrap() > 0
                && !issue["location"]["path"].as_str().unwrap().is_empty()
        );
        assert!(
            !issue["description"].as_str().unwrap().is_empty()
                && issue["check_name"].as_str().unwrap().starts_with("YV")
        );
    }
}

#[test]
fn reviewdog_gets_one_diagnostic_a_line() {
    let mut report = corpora();
    report.counts.left_out = 7;
    let text = written(&report, Format::Rdjsonl);
    assert_eq!(text.lines().count(), report.findings.len() + 1);
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        let known = [
            "message",
            "location",
            "severity",
            "source",
            "code",
            "related_locations",
            "original_output",
        ];
        assert!(
            value
                .as_object()
                .unwrap()
                .keys()
                .all(|k| known.contains(&&**k)),
            "{line}"
        );
        assert!(["ERROR", "WARNING", "INFO"].contains(&value["severity"].as_str().unwrap()));
        assert!(value["location"]["path"].is_string() && value["message"].is_string());
    }
    assert!(
        text.lines()
            .last()
            .unwrap()
            .contains("7 more findings counted and not listed")
    );
}

#[test]
fn json_keeps_its_own_schemas() {
    let report = corpora();
    let schemas = yuangs_verify::cli::schemas();
    let validator =
        |name: &str| jsonschema::validator_for(&schemas.get(name).unwrap().schema).unwrap();
    let whole = validator("report");
    let errors: Vec<String> = whole
        .iter_errors(&parsed(&report, Format::Json))
        .map(|e| e.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let line = validator("report-line");
    let text = written(&report, Format::Jsonl);
    assert_eq!(
        text.lines().count(),
        1 + report.inputs.len() + report.summaries.len() + report.findings.len()
    );
    for text in text.lines() {
        let value = serde_json::from_str(text).unwrap();
        assert!(line.is_valid(&value), "{text}");
    }
}

/// Findings that aren't listed still count: an execution fails, however many notes precede its
/// error.
#[test]
fn what_is_not_listed_still_fails_its_execution() {
    let inputs = discover(&[root().join("corpora/traces")]);
    let (full, cut) = (
        corpora(),
        verify(
            &inputs,
            &Options {
                max_findings: 3,
                ..Options::default()
            },
        ),
    );
    assert_eq!(cut.findings.len(), 3);
    assert!(
        cut.findings.iter().all(|f| f.severity == Severity::Error),
        "the worst are kept"
    );
    let grades = |report: &Report| {
        let text = written(report, Format::Text);
        text.lines()
            .filter(|line| line.contains("FAIL") && line.contains("legal path:"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert!(grades(&full).len() > 100);
    assert_eq!(grades(&cut), grades(&full));
    let failures = |report: &Report| written(report, Format::Junit).matches("<failure").count();
    let of_inputs = full
        .findings
        .iter()
        .filter(|f| f.execution.is_none() && f.severity == Severity::Error)
        .count();
    assert!(
        failures(&cut) + of_inputs >= failures(&full) && failures(&cut) > 100,
        "{} {}",
        failures(&cut),
        failures(&full)
    );
}
