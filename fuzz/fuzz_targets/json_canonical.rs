//! The canonical form is valid, is its own canonical form, and equals the original value.

#![no_main]

use libfuzzer_sys::fuzz_target;
use strict_json::{DEFAULT_MAX_DEPTH, NoteKind, Raw, Scanner, canonical_eq, canonicalise};

fuzz_target!(|text: &str| {
    let mut scanner = Scanner::new(text, DEFAULT_MAX_DEPTH);
    if scanner.skip().and_then(|_| scanner.end()).is_err() {
        // For other text, it only must not panic.
        let _ = canonicalise(Raw::trusted(text));
        return;
    }
    let once = canonicalise(Raw::trusted(text));
    let mut again = Scanner::new(&once, DEFAULT_MAX_DEPTH);
    again.skip().expect("the canonical form is JSON");
    again.end().expect("and nothing stands behind it");
    assert!(again.notes().iter().all(|n| n.kind != NoteKind::DuplicateMember), "a member stands twice");
    assert_eq!(canonicalise(Raw::trusted(&once)), once);
    assert!(canonical_eq(Raw::trusted(text), Raw::trusted(&once)));
    assert!(canonical_eq(Raw::trusted(&once), Raw::trusted(text)));
});
