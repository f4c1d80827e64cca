//! Any bytes are read as a session of the format `pi`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| yuangs_verify_fuzz::read_session("pi", bytes));
