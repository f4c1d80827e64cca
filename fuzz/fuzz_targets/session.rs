//! Any bytes are read as a session of each format without a panic. The report is deterministic and
//! counts every unit once. The first byte chooses the format.

#![no_main]

use libfuzzer_sys::fuzz_target;
use yuangs_verify::report::write_json;
use yuangs_verify::trace::Format;
use yuangs_verify::verify::{Options, verify_reader};

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, text)) = bytes.split_first() else { return };
    let format = Format::ALL[usize::from(*choice) % Format::ALL.len()];
    let options = Options { format: Some(format), max_turns: 100, ..Options::default() };
    let mut reports = [Vec::new(), Vec::new()];
    for out in &mut reports {
        let report = verify_reader("fuzz.jsonl", text, &options);
        write_json(&report, out).expect("a vector takes everything");
    }
    assert_eq!(reports[0], reports[1], "the same input gives another report");
});
