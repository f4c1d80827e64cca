//! Redaction: any text is refused or loses its secrets, and a second time there is nothing to do; items of messages lie in them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use yuangs_verify::redact::{Keys, redact};
use yuangs_verify::trace::injected::{injection, items};

fuzz_target!(|text: &str| {
    if let Ok((once, _)) = redact(text, &Keys::new()) {
        let (twice, outcome) = redact(&once, &Keys::new()).expect("what was redacted is of the same format");
        assert_eq!((once, outcome.places), (twice, 0));
    }
    for (path, body) in items(text) {
        assert!(text.contains(path) && body.lines().all(|line| text.contains(line)));
    }
    assert!(injection(text).is_none_or(|part| text.ends_with(part)));
});
