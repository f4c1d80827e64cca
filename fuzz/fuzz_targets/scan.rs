//! Scans: no panic on any text, and what they find lies in it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use yuangs_verify::scan::secret::{Table, find};
use yuangs_verify::scan::{hidden_text, secrets};

fuzz_target!(|text: &str| {
    if let Ok(table) = Table::shipped() {
        let mut last = 0;
        for secret in find(table, text) {
            assert!(secret.start >= last && text.get(secret.start..secret.end).is_some());
            last = secret.end;
        }
    }
    for valid in [true, false] {
        let found = secrets(text, valid);
        assert!(found.places.iter().all(|p| text.get(p.clone()).is_some()));
    }
    for remark in hidden_text(text) {
        assert!(text.get(remark.at.0..remark.at.0 + remark.at.1).is_some());
    }
});
