//! Any bytes are read as a session of the format `codex-exec`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| yuangs_verify_fuzz::read_session("codex-exec", bytes));
