//! Words and judged corpora: any text is parted into words that the full-text index takes, and read or refused as a corpus.

#![no_main]

use libfuzzer_sys::fuzz_target;
use yuangs_verify::knowledge::rank::judge::Corpus;
use yuangs_verify::knowledge::words;

fuzz_target!(|text: &str| {
    words::each(text, &mut |word| {
        assert!(!word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c == '"'));
    });
    let (documents, questions) = text.split_once("\n\n").unwrap_or((text, ""));
    let _ = Corpus::parse(documents, questions);
});
