//! Any text is refused or loses its secrets, and a second redaction changes nothing. Items of
//! messages lie in the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use yuangs_verify::redact::{Keys, redact};
use yuangs_verify::trace::injected::{injection, items};

fuzz_target!(|text: &str| {
    if let Ok((once, first)) = redact(text, &Keys::new()) {
        match redact(&once, &Keys::new()) {
            Ok((twice, outcome)) => assert_eq!((once, outcome.places), (twice, 0)),
            // The start of text that isn't JSON determines its format, and a replacement may be
            // there.
            Err(error) => assert!(first.unreadable > 0, "what was redacted is of the same format: {error}"),
        }
    }
    for (path, body) in items(text) {
        assert!(text.contains(path) && body.lines().all(|line| text.contains(line)));
    }
    assert!(injection(text).is_none_or(|part| text.ends_with(part)));
});
