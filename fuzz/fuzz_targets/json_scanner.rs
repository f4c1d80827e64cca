//! The scanner accepts and refuses the same texts as `serde_json`, and its offsets lie in the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use strict_json::{ErrorKind, NoteKind, Scanner, from_text, pointer_at, resolve};

const DEPTH: u32 = 64;

fuzz_target!(|text: &str| {
    let mut scanner = Scanner::new(text, DEPTH);
    let ours = scanner.skip().and_then(|_| scanner.end());
    for note in scanner.notes() {
        assert!(text.is_char_boundary(note.at), "a note inside a character");
        let _ = pointer_at(text, note.at);
    }
    if let Err(error) = &ours {
        assert!(error.at <= text.len(), "{error:?} lies behind the text");
        let pointer = pointer_at(text, error.at);
        let _ = resolve(text, &pointer);
    }

    // These differences are intended: lone surrogates are accepted with a note, and the grammar
    // permits numbers outside the range of a double and deep nesting.
    let halves = scanner.notes().iter().any(|n| n.kind == NoteKind::LoneSurrogate);
    let too_deep = matches!(&ours, Err(e) if matches!(e.kind, ErrorKind::TooDeep(_)));
    let theirs = serde_json::from_str::<serde_json::Value>(text);
    let said = theirs.as_ref().err().map(ToString::to_string).unwrap_or_default();
    let out_of_range = said.contains("number out of range") || said.contains("recursion limit");
    if !(halves || too_deep || out_of_range) {
        assert_eq!(ours.is_ok(), theirs.is_ok(), "{ours:?} {theirs:?}");
    }

    // The serde deserialiser accepts the same texts as the scanner.
    let read = from_text::<serde_json::Value>(text);
    let beyond = matches!(&read, Err(e) if e.to_string().contains("number out of range"));
    if !too_deep && !beyond {
        assert_eq!(ours.is_ok(), read.is_ok(), "{ours:?} {read:?}");
    }
});
