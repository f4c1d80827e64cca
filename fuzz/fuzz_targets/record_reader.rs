//! Any text is read as a record of every format without a panic. Positions lie in the text, and the
//! typed reader agrees with the general schema validator.

#![no_main]

use libfuzzer_sys::fuzz_target;
use strict_json::{Scanner, from_text};
use yuangs_verify::trace::entry::{Grammar, read};
use yuangs_verify::trace::record::RecordKind;
use yuangs_verify::trace::{Format, Record, schemas, v1};

const DEPTH: u32 = 128;

fn kind(record: &v1::Record<'_>) -> RecordKind {
    match record {
        v1::Record::ExecutionStarted(_) => RecordKind::ExecutionStarted,
        v1::Record::ThoughtGenerated(_) => RecordKind::ThoughtGenerated,
        v1::Record::ActionProposed(_) => RecordKind::ActionProposed,
        v1::Record::GovernanceDecided(_) => RecordKind::GovernanceDecided,
        v1::Record::ExecutionFinished(_) => RecordKind::ExecutionFinished,
        v1::Record::ObservationRecorded(_) => RecordKind::ObservationRecorded,
        v1::Record::EvaluationMade(_) => RecordKind::EvaluationMade,
        v1::Record::ExecutionEnded(_) => RecordKind::ExecutionEnded,
        v1::Record::CapabilityIssued(_) => RecordKind::CapabilityIssued,
        v1::Record::CapabilityRevoked(_) => RecordKind::CapabilityRevoked,
        v1::Record::ContextChanged(_) => RecordKind::ContextChanged,
        v1::Record::Turn(_) => RecordKind::Turn,
        v1::Record::Execution(_) => RecordKind::Execution,
        v1::Record::Call(_) => RecordKind::Call,
    }
}

fuzz_target!(|text: &str| {
    let _ = Format::of_record(text, DEPTH);
    // One reader skips a number outside the range of a double, which the other can't represent.
    let comparable = from_text::<serde_json::Value>(text).is_ok();
    let mut scanner = Scanner::new("", DEPTH);
    for format in Format::ALL {
        let entry = read(Grammar::Format(format), &mut scanner, text, (1, 0), true);
        for problem in &entry.problems {
            assert!(problem.at.0 <= text.len(), "{problem:?} lies behind the text");
            let _ = entry.position(problem.at.0);
            let _ = entry.excerpt(problem.at.0, problem.at.1);
        }
        entry.record.steps(&mut |step| {
            let _ = step.part.pointer("");
        });
        match &entry.record {
            Record::Broken(broken) => {
                assert!(!entry.problems.is_empty(), "{format:?}: broken, and nothing says why");
                assert!(!schemas::accepts(format, broken.kind, text), "{format:?}: only the typed reader refuses");
            }
            Record::Recovered(_) => assert!(!entry.problems.is_empty(), "{format:?}: recovered, and nothing says why"),
            Record::Unreadable => {
                assert!(!entry.problems.is_empty(), "{format:?}: unreadable, and nothing says why");
                let object =
                    text.trim_start().starts_with('{') || (format == Format::parse("yuangs-cast").unwrap() && text.trim_start().starts_with('['));
                let mut plain = Scanner::new(text, DEPTH);
                let valid = plain.skip().and_then(|_| plain.end()).is_ok();
                assert!(!(valid && object), "{format:?}: a valid object is called unreadable");
            }
            // Sessions have no schema, since their writers change the format.
            Record::Native(record) if record.get().is_fully_derived() => {}
            record if comparable => {
                let kind = if let Record::V1(record) = record { Some(kind(record)) } else { None };
                assert!(schemas::accepts(format, kind, text), "{format:?}: only the general validator refuses");
            }
            _ => {}
        }
    }
});
