use super::*;
use crate::source::Limits;
use crate::trace::entry::{Grammar, read};
use strict_json::Scanner;

/// A reader that returns all records at the end of the input, as real ones do with calls that were
/// never answered.
#[derive(Debug)]
struct HoldsBack {
    format: Format,
    kept: Vec<(u64, String)>,
}

impl Reader for HoldsBack {
    fn feed(&mut self, entry: &Entry<'_>, _: &mut dyn FnMut(RoutedRecord<'_, '_>)) {
        self.kept.push((entry.line, entry.text.to_owned()));
    }

    fn finish(&mut self, on: &mut dyn FnMut(RoutedRecord<'_, '_>)) {
        for (line, text) in &self.kept {
            let mut scanner = Scanner::new("", 32);
            let grammar = Grammar::Format(self.format);
            let entry = read(grammar, &mut scanner, text, (*line, 0), false);
            on(RoutedRecord {
                execution: Some("another".into()),
                entry: &entry,
                problem: None,
            });
        }
    }
}

#[test]
fn what_a_reader_keeps_to_the_end_is_replayed() {
    let format = Format::parse("execution-record").unwrap();
    let bounds = Bounds::for_workers(&Limits::default(), 100, 1);
    let reader = Box::new(HoldsBack {
        format,
        kept: Vec::new(),
    });
    let mut shard = Shard::new("t.jsonl".into(), format, reader, Recorder::new(10), bounds);
    let settings = Settings::default();
    let trace = [
        r#"{"record":"execution_started","executionId":"e","schemaVersion":"1.0","rootIntent":"do","fsmVersion":"1"}"#,
        r#"{"record":"execution_ended","executionId":"e","outcome":"goal_satisfied"}"#,
    ];
    for (text, line) in trace.into_iter().zip(1..) {
        let mut scanner = Scanner::new("", 32);
        let entry = read(
            Grammar::Format(format),
            &mut scanner,
            text,
            (line, 0),
            false,
        );
        shard.feed("stem", &entry, &settings, context_of(&settings));
    }
    assert_eq!(shard.executions(), 0);
    let output = shard.end("stem", &settings);
    let names: Vec<&str> = output.summaries.iter().map(|s| &*s.id).collect();
    assert_eq!(names, ["another"]);
    assert_eq!(output.summaries[0].line, 1);
}
