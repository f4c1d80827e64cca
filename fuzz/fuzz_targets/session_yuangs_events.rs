//! Any bytes are read as a session of the format `yuangs-events`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| yuangs_verify_fuzz::read_session("yuangs-events", bytes));
