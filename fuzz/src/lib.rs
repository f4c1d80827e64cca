//! What several fuzz targets have in common.

use yuangs_verify::report::write_json;
use yuangs_verify::trace::Format;
use yuangs_verify::verify::{Options, verify_reader};

/// Reads any bytes as a session of a format. It doesn't panic, and the same bytes give the same
/// report.
///
/// # Panics
///
/// If the bytes break that, or there is no such format.
pub fn read_session(format: &str, bytes: &[u8]) {
    let format = Format::parse(format).expect("the name of a format");
    let options = Options {
        format: Some(format),
        max_turns: 100,
        ..Options::default()
    };
    let report = || {
        let mut out = Vec::new();
        let report = verify_reader("fuzz.jsonl", bytes, &options);
        write_json(&report, &mut out).expect("a vector takes everything");
        out
    };
    assert_eq!(report(), report(), "the same input gives another report");
}
