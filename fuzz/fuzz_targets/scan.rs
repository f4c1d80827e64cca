//! Scans don't panic on any text, and their findings lie in it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use strict_json::Scanner;
use content_scan::frames::Frames;
use content_scan::secret::{Table, find};
use content_scan::{hidden_text, secrets};

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
    let lines: Vec<&str> = text.lines().collect();
    for spread in Frames::default().read(lines.iter().copied()) {
        assert!(spread.pieces.iter().all(|(n, place)| lines.get(*n).is_some_and(|line| line.get(place.clone()).is_some())));
    }
    // Hidden text is only searched in JSON: in the text itself if it is valid, and in a string with
    // the text.
    let mut scanner = Scanner::new(text, 128);
    let whole = scanner.skip().and_then(|_| scanner.end()).is_ok().then(|| text.to_owned());
    for record in whole.into_iter().chain(serde_json::to_string(&[text])) {
        for remark in hidden_text(&record) {
            assert!(record.get(remark.at.0..remark.at.0 + remark.at.1).is_some());
        }
    }
});
