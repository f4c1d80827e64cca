//! Any bytes are read as a session of the format `mini-swe-agent`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| yuangs_verify_fuzz::read_session("mini-swe-agent", bytes));
