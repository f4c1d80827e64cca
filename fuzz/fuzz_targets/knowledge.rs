//! Words, judged corpora, models and sessions: any text is parted into words that the full-text
//! index takes, is read or refused as a corpus or as the files of a model, and is a session that is
//! measured and compared.

#![no_main]

use libfuzzer_sys::fuzz_target;
use yuangs_verify::knowledge::compaction::compare;
use yuangs_verify::knowledge::rank::eval::Corpus;
use yuangs_verify::knowledge::model2vec::Model2Vec;
use yuangs_verify::knowledge::session::Session;
use yuangs_verify::knowledge::window::{WINDOW, health};
use yuangs_verify::knowledge::words;

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
        assert!(compared.lost.len() <= compared.decisions);
    }
});
