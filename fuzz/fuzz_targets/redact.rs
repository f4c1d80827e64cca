//! Redaction: any text is refused or loses its secrets, and a second time there is nothing to do;
//! items of messages lie in them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use yuangs_verify::redact::{Keys, redact};
use yuangs_verify::trace::injected::{injection, items};

fuzz_target!(|text: &str| {
    if let Ok((once, first)) = redact(text, &Keys::new()) {
        match redact(&once, &Keys::new()) {
            Ok((twice, outcome)) => assert_eq!((once, outcome.places), (twice, 0)),
            // What is no JSON has the format of how it begins, and a mark may stand there.
            Err(error) => assert!(first.unreadable > 0, "what was redacted is of the same format: {error}"),
        }
    }
    for (path, body) in items(text) {
        assert!(text.contains(path) && body.lines().all(|line| text.contains(line)));
    }
    assert!(injection(text).is_none_or(|part| text.ends_with(part)));
});
