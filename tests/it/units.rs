//! Every unit of an input is counted, and unchecked input is never clean.

use proptest::prelude::*;
use yuangs_verify::diag::Code;
use yuangs_verify::report::Outcome;
use yuangs_verify::source::Limits;
use yuangs_verify::verify::{Options, Report, Units, verify_reader};

const DEMO: &str = include_str!("../../corpora/traces/demo/react-fix.jsonl");
const EVENTS: &str = include_str!("../../corpora/traces/native/events-legal.jsonl");
const CAST: &str = include_str!("../../corpora/traces/native/cast-legal.cast");

fn read(text: &str, options: &Options) -> Report {
    verify_reader("a.jsonl", text.as_bytes(), options)
}

fn units(report: &Report) -> Units {
    assert_eq!(report.inputs.len(), 1);
    report.inputs[0].units
}

/// Generates a line: a record of some format, or something else.
fn line() -> impl Strategy<Value = String> {
    let of = |text: &'static str| {
        prop::sample::select(text.lines().collect::<Vec<_>>()).prop_map(str::to_owned)
    };
    prop_oneof![
        6 => of(DEMO),
        2 => of(EVENTS),
        1 => of(CAST),
        1 => Just(String::new()),
        1 => Just(" \t".to_owned()),
        1 => Just("{\"record\":\"x\"}".to_owned()),
        1 => Just("{\"hello\":1}".to_owned()),
        1 => Just("[1,2]".to_owned()),
        1 => Just("null".to_owned()),
        1 => Just("no JSON".to_owned()),
        1 => (1usize..300_000).prop_map(|n| format!("{{\"hello\":\"{}\"}}", "x".repeat(n))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The counts add up for any mixture, block boundary and number of threads.
    #[test]
    fn the_classes_add_up(lines in prop::collection::vec(line(), 0..40), ended in any::<bool>(), threads in 1usize..4) {
        let mut text = lines.join("\n");
        if ended && !lines.is_empty() {
            text.push('\n');
        }
        let limits = Limits { record_bytes: 200_000, ..Limits::default() };
        let report = read(&text, &Options { limits, threads, ..Options::default() });
        let units = units(&report);
        let is_document = text.trim_start().starts_with('[') && report.inputs[0].format.is_none();
        if !is_document {
            prop_assert_eq!(units.total(), text.split_inclusive('\n').count() as u64, "{:?}", units);
        }
        let outcome = Outcome::of(&report, Some(yuangs_verify::diag::Severity::Warning), false);
        if units.refused + units.findings > 0 {
            prop_assert_ne!(outcome, Outcome::Clean, "{:?}", units);
        }
        let blank = text.split_inclusive('\n').filter(|line| line.trim().is_empty()).count() as u64;
        prop_assert_eq!(units.blank, if is_document { 0 } else { blank });
    }

    /// The counts add up for the elements of a document.
    #[test]
    fn the_elements_add_up(lines in prop::collection::vec(line(), 1..20)) {
        let elements: Vec<String> = lines.into_iter().filter(|l| serde_json::from_str::<serde_json::Value>(l).is_ok()).collect();
        let text = format!("[\n{}\n]", elements.join(",\n"));
        prop_assert_eq!(units(&read(&text, &Options::default())).total(), elements.len() as u64);
    }
}

fn codes(report: &Report) -> Vec<u16> {
    report
        .findings
        .iter()
        .map(|finding| finding.code.0)
        .collect()
}

/// Builds consecutive executions of one turn each.
fn executions(number: usize) -> String {
    (0..number)
        .map(|n| DEMO.replace("\"react-fix\"", &format!("\"e{n}\"")))
        .collect()
}

#[test]
fn what_a_limit_keeps_out_is_refused_and_said() {
    let text = executions(200);
    let limits = |executions, open_bytes| Limits {
        executions,
        open_bytes,
        ..Limits::default()
    };
    let of = |limits| {
        read(
            &text,
            &Options {
                limits,
                ..Options::default()
            },
        )
    };
    let all = of(limits(200, 1 << 20));
    assert_eq!(
        (codes(&all), all.summaries.len(), units(&all).refused),
        (Vec::new(), 200, 0)
    );
    let few = of(limits(64, 1 << 20));
    assert_eq!(codes(&few), [107]);
    assert!(few.summaries.len() < 200 && units(&few).refused > 0);
    assert_eq!(units(&few).total(), text.lines().count() as u64);
    assert_eq!(few.counts.errors, 1);
}

#[test]
fn open_executions_are_given_up_before_they_hold_too_much() {
    let start = DEMO.lines().next().unwrap();
    let text: String = (0..20_000)
        .map(|n| start.replace("\"react-fix\"", &format!("\"e{n}\"")) + "\n")
        .collect();
    let limits = Limits {
        open_bytes: 4 << 20,
        ..Limits::default()
    };
    let report = read(
        &text,
        &Options {
            limits,
            ..Options::default()
        },
    );
    assert!(codes(&report).contains(&107));
    assert!(report.summaries.len() < 5_000, "{}", report.summaries.len());
    assert!(units(&report).refused > 10_000);
    assert_eq!(units(&report).total(), 20_000);
    // An execution that grows too large is abandoned too, and none of its answers is yes.
    let rejected = |n: u64| {
        format!(
            "{{\"record\":\"action_proposed\",\"executionId\":\"react-fix\",\"turnId\":1,\"timestamp\":1,\"action\":{{\"id\":\"{n:0>2000}\",\"type\":\"answer\",\"payload\":\"x\",\"riskLevel\":\"low\",\"reasoning\":\"r\"}}}}\n"
        )
    };
    let text: String = start.to_owned() + "\n" + &(0..2_000).map(rejected).collect::<String>();
    let limits = Limits {
        open_bytes: 1 << 20,
        ..Limits::default()
    };
    let report = read(
        &text,
        &Options {
            limits,
            ..Options::default()
        },
    );
    assert!(codes(&report).contains(&107));
    assert!(units(&report).refused > 0);
    assert!(
        report
            .findings
            .iter()
            .any(|f| f.code == Code(107) && f.message.contains("were not checked"))
    );
}

#[test]
fn findings_beyond_the_limit_are_counted() {
    let text = "x\n".repeat(5_000);
    let report = read(
        &text,
        &Options {
            max_findings: 10,
            ..Options::default()
        },
    );
    assert_eq!(
        (
            report.findings.len(),
            report.counts.errors,
            report.counts.left_out
        ),
        (10, 5_000, 4_990)
    );
    assert_eq!(units(&report).findings, 5_000);
}

#[test]
fn a_document_may_break_its_lines_anywhere_between_two_signs() {
    let text = include_str!("../../corpora/gate-demo/green/traces/diff-fix.jsonl");
    let records: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let plain = verify_reader("x.jsonl", text.as_bytes(), &Options::default());
    assert!(plain.findings.is_empty() && !plain.summaries.is_empty());
    for (begin, between, end) in [
        ("[", "\n,", "\n]\n"),
        ("[ ", "\n, ", "]"),
        ("\u{feff}[", "\r\n,\r\n", "\r\n]\r\n"),
        ("\n\n [", " \n\n , ", "\n"),
        ("[", "\n,\n", "]"),
        ("[", ",", "]"),
        ("[\t", "\t,\n\t", "\n]"),
        ("[\n", "\n,\n", "\n]"),
    ] {
        let end = if end.contains(']') {
            end.to_owned()
        } else {
            format!("{end}]")
        };
        let document = format!("{begin}{}{end}", records.join(between));
        let report = verify_reader("x.jsonl", document.as_bytes(), &Options::default());
        assert!(
            report.findings.is_empty(),
            "{begin:?} {between:?} {end:?}: {:?}",
            report.findings
        );
        assert_eq!(report.summaries.len(), plain.summaries.len());
        assert_eq!(report.inputs[0].units.steps, records.len() as u64);
        // One record has line breaks before and after punctuation.
        let first = format!(
            "{}\n{}",
            records[0]
                .replacen(',', "\n,", 1)
                .replacen(':', "\n:\n", 1)
                .trim_end_matches('}'),
            "}"
        );
        let one = verify_reader("x.json", first.as_bytes(), &Options::default());
        assert!(
            one.findings.iter().all(|f| f.code.0 >= 200),
            "{:?}",
            one.findings
        );
    }
    // A malformed first line counts as one and hides none of the others.
    let broken = format!("{}\n{}", &records[0][..40], text);
    let report = verify_reader("x.jsonl", broken.as_bytes(), &Options::default());
    assert_eq!(
        (report.findings.len(), report.inputs[0].units.steps),
        (1, records.len() as u64),
        "{:?}",
        report.findings
    );
}
