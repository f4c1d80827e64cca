//! Any text is accepted or refused as configuration and as baseline, without a panic. An accepted
//! configuration ignores nothing without a reason.

#![no_main]

use libfuzzer_sys::fuzz_target;
use yuangs_verify::config::{Baseline, Config};

fuzz_target!(|text: &str| {
    if let Ok(config) = Config::parse("fuzz.toml", text) {
        assert!(config.ignore.iter().all(|i| !i.reason.trim().is_empty() && (i.code.is_some() || i.fingerprint.is_some())));
        assert!(config.severity.values().all(|s| !s.reason.trim().is_empty()));
        assert!(config.reports.values().all(|path| !path.starts_with('/') && !path.split('/').any(|part| part == "..")));
    }
    if let Ok(baseline) = Baseline::parse(text) {
        assert_eq!(Baseline::parse(&baseline.text()).ok(), Some(baseline));
    }
});
