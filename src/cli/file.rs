//! Files that are read whole: settings, keys, policies, rows of a corpus.

use super::Failure;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes that such a file may have.
const MOST: u64 = 64 << 20;

/// The text of a file.
pub(super) fn text(path: &Path) -> Result<String, Failure> {
    text_up_to(path, MOST)
}

/// The text of a file, or for `-` of standard input.
pub(super) fn text_or_input(path: &Path) -> Result<String, Failure> {
    if path.as_os_str() == "-" {
        return whole(io::stdin().lock(), MOST).map_err(|e| unable(path, &e));
    }
    text(path)
}

/// The text of a file that may have `most` bytes.
pub(super) fn text_up_to(path: &Path, most: u64) -> Result<String, Failure> {
    File::open(path).and_then(|file| whole(file, most)).map_err(|e| unable(path, &e))
}

/// Reads to the end. Not what the system says of a size counts: a link in a pull request may lead to a device that never ends.
fn whole(reader: impl Read, most: u64) -> io::Result<String> {
    let mut text = String::new();
    reader.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(text)
}

fn unable(path: &Path, error: &io::Error) -> Failure {
    let name = if path.as_os_str() == "-" { "standard input".to_owned() } else { format!("`{}`", path.display()) };
    Failure::unable(format!("can't read {name}: {error}"), "the file must be readable UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_refused() {
        assert_eq!(whole(&b"four"[..], 4).unwrap(), "four");
        assert!(whole(&b"four"[..], 3).unwrap_err().to_string().contains("more than 3 bytes"));
        assert!(whole(io::repeat(b'x'), 100).is_err());
        assert!(whole(&b"\xff"[..], 4).is_err());
    }
}
