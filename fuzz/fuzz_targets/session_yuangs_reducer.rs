//! Any bytes are read as a session of the format `yuangs-reducer`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| yuangs_verify_fuzz::read_session("yuangs-reducer", bytes));
