#![no_main]

//! Any text is explained, is read as a knowledge graph, and differs from itself only in unreadable
//! records.

use libfuzzer_sys::fuzz_target;
use yuangs_verify::report::Lang;
use yuangs_verify::report::page::Format;
use content_scan::mask::Mask;
use yuangs_verify::trajectory::ExecutionSet;
use yuangs_verify::trajectory::compare::compare;
use yuangs_verify::trajectory::explain::{Detail, page};
use yuangs_verify::trajectory::graph::Graph;
use yuangs_verify::verify::{Options, verify_reader};

fuzz_target!(|text: &str| {
    let options = Options { max_turns: 1_000, ..Options::default() };
    let book = ExecutionSet::of(verify_reader("fuzz", text.as_bytes(), &options));
    let graph = Graph::parse(text, &mut Mask::default());
    for format in [Format::Text, Format::Markdown, Format::Html] {
        let mut out = Vec::new();
        page(&book, Some(&graph), Detail::default(), Lang::En).write(format, &mut out).expect("memory takes it");
        let out = String::from_utf8(out).expect("pages are text");
        assert!(!out.contains('\r') && !out.contains('\u{202e}'));
    }
    let itself = compare(&book, &book, Lang::En);
    assert!(itself.is_empty() || itself.unread > 0);
});
