//! Any file is opened or refused, and read the same way each time. A compressed file that is read
//! has no bytes behind its end.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::{self, Read as _};
use yuangs_verify::source::{Input, line_names, open};

/// What is read of a file at most: a small file may hold gigabytes.
const MOST: u64 = 1 << 20;

fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let path = std::env::temp_dir().join(format!("yuangs-verify-fuzz-{}", std::process::id()));
    std::fs::write(&path, bytes)?;
    let input = Input::File(path);
    let mut content = Vec::new();
    open(&input)?.take(MOST).read_to_end(&mut content)?;
    let names = line_names(&input);
    assert!(names.iter().all(|name| !name.contains(char::is_control)), "{names:?}");
    Ok(content)
}

fuzz_target!(|bytes: &[u8]| {
    let once = read(bytes);
    let again = read(bytes);
    match (&once, &again) {
        (Ok(once), Ok(again)) => assert_eq!(once, again, "the same file is read differently"),
        (Err(once), Err(again)) => assert_eq!(once.to_string(), again.to_string()),
        _ => panic!("{once:?} {again:?}"),
    }
    if let Ok(content) = once
        && content != bytes
        && (content.len() as u64) < MOST
    {
        assert!(read(&[bytes, b"x"].concat()).is_err(), "a byte behind the end is skipped");
    }
});
