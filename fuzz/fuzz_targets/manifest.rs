//! The faults of any manifest lie in its text, and the checks are deterministic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use yuangs_verify::manifest::{File, Kind, check, faults, kind_of};

fuzz_target!(|text: &str| {
    let _ = kind_of("x.json", text);
    for kind in Kind::ALL {
        for fault in faults(kind, text) {
            assert!(fault.at.start <= text.len());
        }
        let file = File { name: "x.json", text, places: None };
        assert_eq!(check(kind, &file).0, check(kind, &file).0);
    }
});
