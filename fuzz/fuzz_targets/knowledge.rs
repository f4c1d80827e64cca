//! Any text is split into words that the full-text index accepts. It is accepted or refused as an
//! evaluation corpus and as the files of a model, and is measured and compared as a session.

#![no_main]

use knowledge_index::model2vec::Model2Vec;
use knowledge_index::rank::eval::Corpus;
use knowledge_index::words;
use libfuzzer_sys::fuzz_target;
use yuangs_verify::knowledge::compaction::compare;
use yuangs_verify::knowledge::session::Session;
use yuangs_verify::knowledge::window::{WINDOW, health};

fuzz_target!(|text: &str| {
    words::each(text, &mut |word| {
        assert!(!word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c == '"'));
    });
    let (documents, questions) = text.split_once("\n\n").unwrap_or((text, ""));
    let _ = Corpus::parse(documents, questions);
    let _ = Model2Vec::parse(documents.as_bytes(), questions.as_bytes());
    let session = Session::parse(text);
    let _ = health(&session, WINDOW);
    if let Ok(compared) = compare(&session) {
        assert!(compared.lost.len() <= compared.items.iter().sum());
    }
});
