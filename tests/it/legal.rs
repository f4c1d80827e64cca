//! Legal traces, generated from the specification alone: every finding is a false alarm.
//!
//! An [`Execution`] is a model of the events. [`Execution::lines`] writes it as `ExecutionRecord`
//! in any layout, and the module `foreign` writes it in the formats of other programs. The same
//! seed gives the same trace.

mod actions;
mod foreign;
mod model;
mod records;

use foreign::Decided;
use governance::State;
use model::{Execution, Flavour, Layout, Rng, shuffled};
use records::keys;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use yuangs_verify::replay::Answer::{self, NotRecorded, Yes};
use yuangs_verify::rules::Settings;
use yuangs_verify::source::{Found, Input, Missing};
use yuangs_verify::verify::{Options, Report, verify, verify_reader};

fn options() -> Options {
    Options {
        settings: Settings {
            keys: Some(keys()),
            ..Settings::default()
        },
        threads: 1,
        ..Options::default()
    }
}

fn replay(name: &str, text: &str) -> Report {
    verify_reader(name, text.as_bytes(), &options())
}

fn codes(report: &Report) -> BTreeSet<String> {
    report.findings.iter().map(|f| f.code.to_string()).collect()
}

/// The answers of each execution, and how it ended.
type Verdicts = Vec<(String, [Answer; 3], u64, Option<State>, Option<String>)>;

fn verdicts(report: &Report) -> Verdicts {
    let answers = |s: &yuangs_verify::replay::Summary| {
        (
            s.id.to_string(),
            [
                s.verdict.legal_path,
                s.verdict.authorised,
                s.verdict.governance_complete,
            ],
            s.turns,
            s.final_state,
            s.outcome.as_deref().map(str::to_owned),
        )
    };
    report.summaries.iter().map(answers).collect()
}

fn alarms(report: &Report) -> String {
    let worse = report
        .findings
        .iter()
        .filter(|f| !["YV212", "YV606"].contains(&f.code.to_string().as_str()));
    let told = worse.map(|f| {
        format!(
            "  {} line {}:{} {}\n",
            f.code, f.place.line, f.place.column, f.message
        )
    });
    told.collect()
}

/// Fails unless `text` gives exactly these notes, and the answers `expected` for each of its
/// executions.
#[track_caller]
fn assert_legal(
    name: &str,
    text: &str,
    notes: &[&str],
    expected: &[[Answer; 3]],
    executions: usize,
) -> Report {
    let report = replay(name, text);
    let allowed: BTreeSet<String> = notes.iter().map(|n| (*n).to_owned()).collect();
    let found = codes(&report);
    assert!(
        found.is_subset(&allowed),
        "{name}: {found:?}\n{}\n{text}",
        alarms(&report)
    );
    assert_eq!(
        (report.counts.errors, report.counts.warnings),
        (0, 0),
        "{name}\n{}\n{text}",
        alarms(&report)
    );
    assert_eq!(report.summaries.len(), executions, "{name}\n{text}");
    for (id, answers, ..) in verdicts(&report) {
        assert!(
            expected.contains(&answers),
            "{name}: {id} {answers:?}\n{}\n{text}",
            alarms(&report)
        );
    }
    report
}

const NATIVE: &[&str] = &["YV212", "YV606"];

/// Returns the codes and counts of findings about each execution.
fn said(report: &Report) -> BTreeMap<String, (BTreeSet<String>, u64, u64)> {
    let found = |id: &Arc<str>| {
        let own = report
            .findings
            .iter()
            .filter(|f| f.execution.as_ref() == Some(id));
        own.map(|f| f.code.to_string()).collect()
    };
    report
        .summaries
        .iter()
        .map(|s| (s.id.to_string(), (found(&s.id), s.actions, s.decisions)))
        .collect()
}

/// Each layout that can express an execution gives no finding, and all give the same answers.
#[test]
fn each_layout_of_a_legal_execution_is_clean_and_says_the_same() {
    for part in 0..6 {
        let executions: Vec<Execution> = (part * 50..part * 50 + 50)
            .map(|seed| Execution::new(seed, Flavour::Full))
            .collect();
        let mut first = BTreeMap::new();
        for layout in [Layout::Events, Layout::Turns, Layout::Mixed, Layout::Whole] {
            let all: Vec<_> = executions
                .iter()
                .filter_map(|e| e.lines(layout, &mut Rng(part)))
                .collect();
            let name = format!("{layout:?}-{part}.jsonl");
            let report = assert_legal(
                &name,
                &all.concat().join("\n"),
                &["YV606"],
                &[[Yes; 3]],
                all.len(),
            );
            for summary in &report.summaries {
                let execution = executions.iter().find(|e| *e.id == *summary.id).unwrap();
                assert_eq!(
                    summary.final_state,
                    Some(State::Terminal),
                    "{name} {}",
                    summary.id
                );
                assert_eq!(
                    summary.outcome.as_deref(),
                    Some(execution.outcome()),
                    "{name} {}",
                    summary.id
                );
                assert_eq!(
                    summary.turns,
                    execution.turns.len() as u64,
                    "{name} {}",
                    summary.id
                );
            }
            for (id, says) in said(&report) {
                let notes: BTreeSet<String> =
                    if executions.iter().any(|e| e.id == id && e.has_policy()) {
                        BTreeSet::new()
                    } else {
                        ["YV606".to_owned()].into()
                    };
                assert_eq!(says.0, notes, "{name} {id}");
                let before = first.entry(id.clone()).or_insert_with(|| says.clone());
                assert_eq!(*before, says, "{name} {id}");
            }
        }
    }
}

/// Several interleaved executions in one file, each in a layout of its own.
#[test]
fn interleaved_legal_executions_are_clean() {
    let mut rng = Rng(77);
    for file in 0..80 {
        let number = 2 + rng.below(6);
        let mut all: Vec<Vec<String>> = (0..number)
            .map(|n| {
                let execution = Execution::new(10_000 + file * 10 + n as u64, Flavour::Full);
                let layout = [Layout::Events, Layout::Turns, Layout::Mixed][rng.below(3)];
                execution.lines(layout, &mut rng).unwrap()
            })
            .collect();
        let lines = if rng.one_in(4) {
            all.concat()
        } else {
            shuffled(&mut all, &mut rng)
        };
        let end = if rng.one_in(3) { "\r\n" } else { "\n" };
        let mut text = if rng.one_in(5) {
            "\u{feff}".to_owned()
        } else {
            String::new()
        };
        for line in lines {
            text.push_str(&line);
            text.push_str(end);
            if rng.one_in(20) {
                text.push_str(end);
            }
        }
        assert_legal(
            &format!("interleaved-{file}.jsonl"),
            &text,
            &["YV606"],
            &[[Yes; 3]],
            number,
        );
    }
}

/// Times are compared at the coarser of two precisions: a decision in whole seconds isn't earlier
/// than a proposal in the same second.
#[test]
fn decisions_in_whole_seconds_beside_records_in_milliseconds_are_clean() {
    for seed in 25_000..25_060 {
        let execution = Execution::new(seed, Flavour::Coarse);
        for layout in [Layout::Events, Layout::Turns] {
            let text = execution.lines(layout, &mut Rng(seed)).unwrap().join("\n");
            assert_legal(
                &format!("{layout:?}-{seed}.jsonl"),
                &text,
                &["YV606"],
                &[[Yes; 3]],
                1,
            );
        }
    }
}

/// An array of records is a single document.
#[test]
fn a_legal_array_of_records_is_clean() {
    for seed in 20_000..20_030 {
        let execution = Execution::new(seed, Flavour::Unchained);
        let lines = execution.lines(Layout::Events, &mut Rng(seed)).unwrap();
        assert_legal(
            "array.json",
            &format!("[\n{}\n]\n", lines.join(",\n")),
            &["YV606"],
            &[[Yes; 3]],
            1,
        );
    }
}

/// Event logs, also interleaved: recorded properties are a yes, except for signers, which aren't
/// recorded.
#[test]
fn legal_event_logs_are_clean() {
    let mut rng = Rng(5);
    for file in 0..100 {
        let number = 1 + rng.below(3);
        let decided = *rng.pick(&[Decided::Movement, Decided::Beside, Decided::Both]);
        let mut all: Vec<Vec<String>> = (0..number)
            .map(|n| {
                foreign::events(
                    &Execution::new(30_000 + file * 10 + n as u64, Flavour::Plain),
                    decided,
                    &mut rng,
                )
            })
            .collect();
        let text = shuffled(&mut all, &mut rng).join("\n");
        // Unless it was modified, the action of a decision is unknown if it isn't next to it.
        let without: &[[Answer; 3]] = &[[Yes, NotRecorded, NotRecorded], [Yes, Yes, NotRecorded]];
        let expected = if decided == Decided::Movement {
            without
        } else {
            &without[1..]
        };
        assert_legal(
            &format!("events-{file}.jsonl"),
            &text,
            NATIVE,
            expected,
            number,
        );
    }
}

#[test]
fn legal_transition_logs_are_clean() {
    for seed in 40_000..40_080 {
        let text = foreign::transitions(&Execution::new(seed, Flavour::Plain)).join("\n");
        assert_legal(
            &format!("transitions-{seed}.jsonl"),
            &text,
            NATIVE,
            &[[Yes, NotRecorded, NotRecorded]],
            1,
        );
    }
}

#[test]
fn legal_logs_of_runtime_events_are_clean() {
    for seed in 45_000..45_080 {
        let execution = Execution::new(seed, Flavour::Plain);
        let logs = [
            (
                "reducer",
                foreign::reducer(&execution),
                [Yes, NotRecorded, NotRecorded],
            ),
            (
                "runtime",
                foreign::runtime(&execution, false),
                [NotRecorded, Yes, NotRecorded],
            ),
            (
                "second",
                foreign::runtime(&execution, true),
                [NotRecorded, Yes, NotRecorded],
            ),
        ];
        for (name, lines, verdict) in logs {
            assert_legal(
                &format!("{name}-{seed}.jsonl"),
                &lines.join("\n"),
                NATIVE,
                &[verdict],
                1,
            );
        }
    }
}

/// Turns of the command-line runtime, as lines and as an array, on one line or formatted.
#[test]
fn legal_turns_of_the_command_line_are_clean() {
    for seed in 50_000..50_150 {
        let turns = foreign::turns(
            &Execution::new(seed, Flavour::Plain),
            foreign::Writer::CommandLine,
        );
        for (name, text) in foreign::spellings(&turns) {
            assert_legal(
                &format!("turns-{seed}.{name}"),
                &text,
                NATIVE,
                &[[Yes, Yes, NotRecorded]],
                1,
            );
        }
    }
}

/// Turns of the editor: approvals of answers and events after a result aren't recorded.
#[test]
fn legal_turns_of_the_editor_are_clean() {
    for seed in 60_000..60_100 {
        let turns = foreign::turns(
            &Execution::new(seed, Flavour::Editor),
            foreign::Writer::Editor,
        );
        for (name, text) in foreign::spellings(&turns) {
            assert_legal(
                &format!("editor-{seed}.{name}"),
                &text,
                NATIVE,
                &[[NotRecorded; 3]],
                1,
            );
        }
    }
}

#[test]
fn legal_records_of_commands_are_clean() {
    for seed in 70_000..70_050 {
        let records: Vec<String> = (0..=seed % 3)
            .map(|n| foreign::command_record(seed * 10 + n))
            .collect();
        assert_legal(
            "record.jsonl",
            &records.join("\n"),
            &[],
            &[[NotRecorded; 3]],
            0,
        );
    }
}

#[test]
fn legal_recordings_are_clean() {
    for seed in 80_000..80_070 {
        assert_legal(
            &format!("cast-{seed}.cast"),
            &foreign::cast(seed).join("\n"),
            NATIVE,
            &[[NotRecorded; 3]],
            1,
        );
    }
}

/// No format answers no where another answers yes. It gives the same answer, or says that it
/// doesn't record it.
#[test]
fn all_formats_of_one_execution_agree_as_far_as_they_record_it() {
    for seed in 90_000..90_100 {
        let execution = Execution::new(seed, Flavour::Plain);
        let mut rng = Rng(seed);
        let full = replay(
            "e.jsonl",
            &execution
                .lines(Layout::Events, &mut rng)
                .unwrap()
                .join("\n"),
        );
        let [whole] = &verdicts(&full)[..] else {
            panic!("{}", alarms(&full))
        };
        let others = [
            foreign::events(&execution, Decided::Both, &mut rng).join("\n"),
            foreign::transitions(&execution).join("\n"),
            foreign::turns(&execution, foreign::Writer::CommandLine).join("\n"),
        ];
        for text in others {
            let report = replay("e.jsonl", &text);
            let [other] = &verdicts(&report)[..] else {
                panic!("{}\n{text}", alarms(&report))
            };
            assert!(
                codes(&report).is_subset(&NATIVE.iter().map(|n| (*n).to_owned()).collect()),
                "{}\n{text}",
                alarms(&report)
            );
            for (answer, known) in other.1.iter().zip(&whole.1) {
                assert!(
                    answer == known || *answer == NotRecorded,
                    "{other:?} {whole:?}\n{text}"
                );
            }
            assert_eq!((other.2, other.3), (whole.2, whole.3), "{text}");
        }
    }
}

/// Several files of all formats in one run, on all cores.
#[test]
fn legal_files_of_all_formats_are_clean_together() {
    let folder = tempfile::tempdir().unwrap();
    let mut inputs: Vec<Result<Found, Missing>> = Vec::new();
    let mut executions = 0;
    for seed in 95_000..95_100 {
        let mut rng = Rng(seed);
        let (flavour, ending) = match seed % 5 {
            0 | 1 => (Flavour::Full, "jsonl"),
            2 | 3 => (Flavour::Plain, "jsonl"),
            _ => (Flavour::Plain, "cast"),
        };
        let execution = Execution::new(seed, flavour);
        let lines = match seed % 5 {
            0 => execution.lines(Layout::Mixed, &mut rng).unwrap(),
            1 => execution.lines(Layout::Turns, &mut rng).unwrap(),
            2 => foreign::events(&execution, Decided::Both, &mut rng),
            3 => foreign::turns(&execution, foreign::Writer::CommandLine),
            _ => foreign::cast(seed),
        };
        let path = folder.path().join(format!("{seed}.{ending}"));
        std::fs::write(&path, lines.join("\n")).unwrap();
        inputs.push(Ok(Found {
            name: format!("{seed}.{ending}"),
            input: Input::File(path),
        }));
        executions += 1;
    }
    let report = verify(
        &inputs,
        &Options {
            threads: 0,
            ..options()
        },
    );
    let allowed = NATIVE.iter().map(|n| (*n).to_owned()).collect();
    assert!(codes(&report).is_subset(&allowed), "{}", alarms(&report));
    assert_eq!(report.summaries.len(), executions);
}
