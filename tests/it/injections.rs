//! No text of a trace is more than text in a report, in any format.

use super::reading;
use serde_json::Value;
use std::path::Path;
use yuangs_verify::replay::Assessor;
use yuangs_verify::report::{Format, Lang, Outcome, Run, TextOptions};
use yuangs_verify::rules::Settings;
use yuangs_verify::trajectory::{ExecutionSet, stats};
use yuangs_verify::verify::{Counts, Options, Report, verify_reader};

struct Payload {
    name: String,
    text: String,
}

fn payloads() -> Vec<Payload> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/injections/payloads.jsonl");
    let all: Vec<Payload> = std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| {
            let value: Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| value[name].as_str().unwrap().to_owned();
            Payload {
                name: text("name"),
                text: text("text"),
            }
        })
        .collect();
    assert!(all.len() > 80);
    all
}

/// Builds a trace with `word` in every place that reports quote.
fn trace(word: &str) -> String {
    let word = serde_json::to_string(word).unwrap();
    let common = format!("\"executionId\":{word},\"timestamp\":1768800000000");
    let action = "{\"type\":\"tool_call\",\"payload\":{\"tool\":\"read_file\",\"parameters\":{}}}";
    [
        format!("{{\"record\":\"execution_started\",{common},\"schemaVersion\":{word},\"rootIntent\":{word},\"fsmVersion\":\"1\",{word}:1}}"),
        format!("{{\"record\":\"thought_generated\",{common},\"turnId\":1,\"agentId\":{word},\"thought\":{{\"reasoning\":{word},\"done\":false,\"action\":{action}}}}}"),
        format!("{{\"record\":\"action_proposed\",{common},\"turnId\":1,\"agentId\":{word},\"action\":{{\"id\":{word},\"type\":\"tool_call\",\"payload\":{{\"tool\":{word},\"parameters\":{{}}}},\"riskLevel\":\"low\",\"reasoning\":{word}}}}}"),
        format!("{{\"record\":\"governance_decided\",{common},\"turnId\":1,\"decision\":{{\"status\":\"approved\",\"by\":\"human\",\"signer\":{word},\"actionId\":\"other\",\"timestamp\":1768800000000}}}}"),
        format!("{{\"record\":\"execution_finished\",{common},\"turnId\":1,\"actionId\":{word},\"result\":{{\"success\":true,\"output\":{word}}},\"observedChanges\":[{word}]}}"),
        format!("{{\"record\":\"observation_recorded\",{common},\"turnId\":1,\"observation\":{{\"summary\":{word},\"artifacts\":[]}}}}"),
        format!("{{\"record\":\"evaluation_made\",{common},\"turnId\":1,\"evaluation\":{{\"kind\":\"terminate\",\"reason\":\"goal_satisfied\"}}}}"),
        format!("{{\"record\":\"execution_ended\",{common},\"outcome\":{word}}}"),
    ]
    .join("\n")
        + "\n"
}

/// Returns the report about a trace with `word` in it, without findings about the word itself.
/// These say that it hides something, leads out of the work tree, names nobody, or is an unknown
/// tool.
fn report(word: &str) -> Report {
    let mut report = whole_report(word, Assessor::Off);
    report
        .findings
        .retain(|f| ![303, 604, 703, 803, 804].contains(&f.code.0));
    report.counts = Counts {
        files: 1,
        records: report.counts.records,
        ..Counts::default()
    };
    report
}

fn whole_report(word: &str, assessor: Assessor) -> Report {
    let options = Options {
        max_turns: 100,
        settings: Settings {
            assessor,
            ..Settings::default()
        },
        ..Options::default()
    };
    let mut report = verify_reader(word, trace(word).as_bytes(), &options);
    // The configuration comes with the pull request, and its reasons are quoted.
    report.notices.push(format!("YV301 is off here: {word}"));
    report
}

fn written(report: &Report, format: Format, lang: Lang, word: &str) -> String {
    let outcome = Outcome::of(report, Some(yuangs_verify::diag::Severity::Error), false);
    let text = TextOptions {
        verbose: true,
        lang,
        ..TextOptions::default()
    };
    let command = format!("yuangs-verify replay -- '{word}'");
    let book = ExecutionSet::gather(&report.summaries, &report.findings, report.timeline.clone());
    let statistics = stats::page(&stats::stats(&book), lang);
    let run = Run {
        report,
        outcome: &outcome,
        text,
        command: &command,
        statistics: Some(&statistics),
        base: None,
    };
    let mut out = Vec::new();
    run.write(format, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns the structure that a reader of each format sees, without the words. It must not depend
/// on the words.
fn shape(format: Format, text: &str) -> Result<Vec<String>, String> {
    match format {
        Format::Text => reading::terminal(text),
        Format::Github => reading::workflow_commands(text),
        Format::Markdown | Format::MarkdownComment => reading::markdown(text),
        Format::Html => reading::html(text),
        Format::Junit => reading::xml(text),
        Format::Json | Format::Sarif | Format::Gitlab => reading::json(text),
        Format::Jsonl | Format::Rdjsonl => {
            let lines: Result<Vec<Vec<String>>, String> = text.lines().map(reading::json).collect();
            Ok(lines?.concat())
        }
    }
}

#[test]
fn the_trace_speaks_everywhere() {
    let report = report("harmless-word");
    assert!(report.findings.len() >= 4, "{:?}", report.findings);
    for format in Format::ALL {
        let text = written(&report, format, Lang::En, "harmless-word");
        assert!(
            text.matches("harmless-word").count() >= 4,
            "{}: {text}",
            format.name()
        );
    }
}

#[test]
fn text_from_a_trace_is_only_text_in_every_format() {
    let harmless = report("harmless-word");
    let mut all = Vec::new();
    for format in Format::ALL {
        for lang in Lang::ALL {
            if lang == Lang::En || format.has_languages() {
                let text = written(&harmless, format, lang, "harmless-word");
                let expected = shape(format, &text).unwrap();
                assert!(expected.len() > 5, "{}: {expected:?}", format.name());
                all.push((format, lang, expected));
            }
        }
    }
    for payload in payloads() {
        let report = report(&payload.text);
        assert_eq!(
            report.findings.len(),
            harmless.findings.len(),
            "{}: {:#?}",
            payload.name,
            report.findings
        );
        // Findings about the word itself change their number, but must be as harmless.
        let whole = whole_report(&payload.text, Assessor::V1);
        for (format, lang, expected) in &all {
            let name = format!("{} in {} ({})", payload.name, format.name(), lang.name());
            for (report, expected) in [(&report, Some(expected)), (&whole, None)] {
                let text = written(report, *format, *lang, &payload.text);
                let found = shape(*format, &text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
                assert!(
                    expected.is_none_or(|expected| *expected == found),
                    "{name}: {found:?} isn't {expected:?}\n{text}"
                );
                assert!(
                    !reading::runner_command(&text, *format == Format::Github),
                    "{name}:\n{text}"
                );
            }
        }
    }
}

/// The output of commands about names, command lines, diffs and rules, on standard output and
/// standard error.
#[test]
fn text_of_an_input_is_only_text_in_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (number, payload) in payloads().iter().enumerate() {
        let word = serde_json::to_string(&payload.text).unwrap();
        let file = |name: &str, text: String| std::fs::write(root.join(name), text).unwrap();
        let rule = format!("{{ id: {word}, when: {{ tool: x }}, effect: deny, reason: {word} }}");
        file(
            "p.yaml",
            format!("version: 1\nid: {word}\nrules:\n  - {rule}\n"),
        );
        file(
            "q.yaml",
            "version: 1\nid: q\nrules:\n  - { id: r, when: { tool: x }, effect: ask, reason: r }\n"
                .into(),
        );
        let case = format!(
            "{{ name: {word}, action: {{ type: tool_call, tool: y }}, expect: {{ effect: allow }} }}"
        );
        file("p.test.yaml", format!("cases:\n  - {case}\n"));
        file(
            "d.diff",
            format!(
                "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-{0}\n+x\n",
                payload.text
            ),
        );
        file(
            "rows.jsonl",
            format!("{{\"cmd\":{word},\"class\":{word},\"expect\":\"low\"}}\n"),
        );
        let command = payload.text.replace('\0', "");
        let runs: [&[&str]; 14] = [
            &["policy", "test", "-v", "p.yaml"],
            &["policy", "test", "p.yaml", "--format", "json"],
            &["policy", "compare", "p.yaml", "q.yaml", "--cases", "20"],
            &[
                "policy", "compare", "p.yaml", "q.yaml", "--cases", "20", "--format", "json",
            ],
            &["policy", "fuzz", "p.yaml", "--cases", "20"],
            &["policy", "mutate", "p.yaml", "--cases", "20"],
            &["policy", "show", "p.yaml"],
            &["policy", "eval", "p.yaml", "--tool", &command],
            &["command", "explain", "--", &command],
            &["command", "explain", "--format", "json", "--", &command],
            &["command", "check", "rows.jsonl"],
            &["command", "check", "rows.jsonl", "--format", "jsonl"],
            &["patch", "check", "d.diff"],
            &["patch", "check", "d.diff", "--format", "json"],
        ];
        // Searches take long, so only a few payloads are tested with them.
        let quick =
            |args: &&&[&str]| number % 12 == 0 || !matches!(args[1], "compare" | "fuzz" | "mutate");
        for args in runs.iter().filter(quick) {
            let output = std::process::Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
                .current_dir(root)
                .args(*args)
                .output()
                .unwrap();
            for bytes in [output.stdout, output.stderr] {
                let said = String::from_utf8(bytes).unwrap();
                assert!(
                    !reading::runner_command(&said, false),
                    "{} in {args:?}:\n{said}",
                    payload.name
                );
                let hidden = |c: char| {
                    (c.is_control() && c != '\n')
                        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
                };
                assert!(
                    !said.contains(hidden),
                    "{} in {args:?}:\n{said}",
                    payload.name
                );
            }
        }
    }
}
