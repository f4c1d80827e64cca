//! Parsing a time never panics. Times are ASCII, and equal instants are equal in any spelling.

#![no_main]

use libfuzzer_sys::fuzz_target;
use util::time::parse_rfc3339;

/// A day in milliseconds, the maximum offset of a time zone.
const DAY: i64 = 86_400_000;
/// 0000-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z, extended by a day at both ends.
const YEARS: std::ops::RangeInclusive<i64> = -62_167_219_200_000 - DAY..=253_402_300_799_999 + DAY;

fuzz_target!(|text: &str| {
    let Some(millis) = parse_rfc3339(text) else {
        return;
    };
    assert!(text.is_ascii() && text.len() >= 20);
    assert!(YEARS.contains(&millis), "{millis}");
    assert_eq!(parse_rfc3339(&text.to_ascii_uppercase()), Some(millis));
    assert_eq!(parse_rfc3339(&text.to_ascii_lowercase()), Some(millis));
    if let Some(local) = text.strip_suffix(['Z', 'z']) {
        assert_eq!(parse_rfc3339(&format!("{local}+00:00")), Some(millis));
        assert_eq!(parse_rfc3339(&format!("{local}-01:00")), Some(millis + 3_600_000));
    }
    assert_eq!(parse_rfc3339(&format!("{text}0")), None);
});
