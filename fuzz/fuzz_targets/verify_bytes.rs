//! Any bytes are verified without a panic. The report is deterministic, its counts are consistent,
//! and it contains nothing that acts on a terminal.
//!
//! `verify_reader` neither opens files nor decompresses them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use yuangs_verify::diag::Severity;
use yuangs_verify::replay::Assessor;
use yuangs_verify::report::{TextOptions, write_json, write_text};
use yuangs_verify::rules::Settings;
use yuangs_verify::source::Limits;
use yuangs_verify::verify::{Options, verify_reader};

fn options(schema_only: bool) -> Options {
    Options {
        limits: Limits { record_bytes: 64 << 10, depth: 64, document_bytes: 1 << 20, input_bytes: 16 << 20, ..Limits::default() },
        settings: Settings { assessor: Assessor::V0, keep_changes: true, context_budget: Some(100), ..Settings::default() },
        schema_only,
        ..Options::default()
    }
}

fuzz_target!(|bytes: &[u8]| {
    for schema_only in [false, true] {
        let options = options(schema_only);
        let report = verify_reader("fuzz.jsonl", bytes, &options);
        let of = |severity| report.findings.iter().filter(|f| f.severity == severity).count() as u64;
        let listed = of(Severity::Error) + of(Severity::Warning) + of(Severity::Note);
        assert_eq!(report.counts.at_least(Severity::Note), listed + report.counts.left_out);

        let mut json = Vec::new();
        write_json(&report, &mut json).expect("a vector takes everything");
        let mut again = Vec::new();
        write_json(&verify_reader("fuzz.jsonl", bytes, &options), &mut again).expect("a vector takes everything");
        assert_eq!(json, again, "the same input gives another report");
        serde_json::from_slice::<serde_json::Value>(&json).expect("the report is JSON");

        let mut text = Vec::new();
        let verbose = TextOptions { quiet: false, verbose: true, schema_only, unenforced: false, ..TextOptions::default() };
        write_text(&report, verbose, &mut text).expect("a vector takes everything");
        // Only escapes for colours are written; the output stream removes them if needed.
        let json = String::from_utf8(json).expect("the report is UTF-8");
        let text = String::from_utf8(text).expect("the report is UTF-8").replace("\u{1b}[", "");
        for shown in [json, text] {
            let acts = shown
                .chars()
                .find(|c| (c.is_control() && *c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'));
            assert_eq!(acts, None, "it acts on a terminal");
        }
    }
});
