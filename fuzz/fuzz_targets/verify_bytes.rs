//! Any bytes, from the cutting into lines to the findings: no panic, and no answer from nothing.
//!
//! `verify::verify` takes paths and standard input, so the line from `Blocks` over `entry::read` to the
//! replay and the rules is laid here by hand. It leaves out what only `verify` does: documents over
//! several lines, compressed input, the folding of follow-ups and the reports.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;
use std::sync::Arc;
use yuangs_verify::json::Scanner;
use yuangs_verify::replay::{Assessor, Context, Execution, Judged};
use yuangs_verify::rules::{Out, Scene, Settings, check_all};
use yuangs_verify::source::{Blocks, Limits};
use yuangs_verify::trace::entry::{Grammar, read};
use yuangs_verify::trace::{Entry, Format, Record};

fn limits() -> Limits {
    Limits { record_bytes: 64 << 10, depth: 64, document_bytes: 1 << 20, input_bytes: 16 << 20 }
}

fn replay(executions: &mut BTreeMap<String, Execution>, entry: &Entry<'_>, format: Format, settings: &Settings) {
    let id = match &entry.record {
        Record::Unreadable | Record::Command(_) => return,
        record => record.execution_id().map_or_else(|| "stem".to_owned(), |id| id.decode().into_owned()),
    };
    let execution = executions.entry(id).or_insert_with_key(|id| {
        Execution::new(Arc::from(id.as_str()), Arc::from("fuzz.jsonl"), format, entry.line)
    });
    if matches!(entry.record, Record::Event(_)) && execution.is_repeat(entry.text) {
        return;
    }
    if let Record::V1(record) = &entry.record {
        execution.record(entry.line, entry.text, record.prev(), record.declares_chain(), &mut Judged::default());
    }
    entry.record.steps(&mut |step| {
        let mut judged = Judged::default();
        execution.step(entry.line, &step, Context { assessor: settings.assessor }, &mut judged);
        let mut out = Out::default();
        let scene =
            Scene { execution: &*execution, step: Some(&step), entry: Some(entry), judged: &judged, close: None, settings };
        check_all(&scene, &mut out);
        assert!(out.drafts.iter().all(|d| !d.message.is_empty()));
    });
}

fuzz_target!(|bytes: &[u8]| {
    let settings = Settings { assessor: Assessor::V0, keys: None };
    let mut executions = BTreeMap::new();
    let mut format = None;
    let mut blocks = Blocks::new(bytes, limits());
    let mut next_line = 1;
    while let Ok(Some(block)) = blocks.next() {
        assert_eq!(block.first_line, next_line, "a line was lost or counted twice");
        if block.overlong.is_some() {
            next_line += 1;
            continue;
        }
        let mut scanner = Scanner::new("", limits().depth);
        for line in block.bytes.split_inclusive(|b| *b == b'\n') {
            let unended = !line.ends_with(b"\n") && block.last;
            let (number, line) = (next_line, line.strip_suffix(b"\n").unwrap_or(line));
            next_line += 1;
            let Ok(text) = std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)) else {
                continue;
            };
            if text.len() > limits().record_bytes || text.trim().is_empty() {
                continue;
            }
            if format.is_none() {
                format = Format::of_record(text, limits().depth);
            }
            let Some(format) = format else {
                continue;
            };
            let entry = read(Grammar::Format(format), &mut scanner, text, (number, 0), unended);
            replay(&mut executions, &entry, format, &settings);
        }
    }
    for execution in executions.values_mut() {
        let close = execution.close();
        let judged = Judged::default();
        let mut out = Out::default();
        let scene = Scene {
            execution: &*execution,
            step: None,
            entry: None,
            judged: &judged,
            close: Some(&close),
            settings: &settings,
        };
        check_all(&scene, &mut out);
        let _ = execution.summary();
    }
});
