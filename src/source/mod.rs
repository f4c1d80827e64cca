//! Bytes: where inputs are found, how they are opened, and how they are cut at line ends.
//!
//! Nothing is mapped into memory: a reader with one reused buffer serves plain files, compressed
//! files and standard input alike, can't be killed by a file that shrinks while it is read, and is
//! as fast (the buffer stays in the cache, a map's pages don't).

mod archive;
mod blocks;
mod compressed;
mod containment;
mod discover;
mod elements;
mod joined;
mod series;

pub use blocks::{Block, Blocks, OversizedLine};
pub use containment::stays;
pub use discover::{
    COMPRESSED, Choice, Discovery, Found, Input, Missing, NO_ENDING, NOT_INCLUDED, Skipped,
    TRACE_ENDINGS, by_name, discover, line_names, open, open_counted, open_regular, stored_hash,
    survey, survey_by,
};
pub use elements::{DocumentError, Element, Next, Position, each_element};

use std::io::{self, Read};

/// Reads to the end what may have at most so many bytes. Not what the system says of a size counts:
/// a link in a pull request may lead to a device that never ends.
///
/// # Errors
/// When it can't be read; of the kind [`io::ErrorKind::FileTooLarge`] when it has more.
pub fn read_whole(reader: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has more than {most} bytes"),
        ));
    }
    Ok(bytes)
}

/// What an input may demand. Beyond it a finding is given (YV107), never a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one record; a longer line is passed over.
    pub record_bytes: usize,
    /// Nesting of one record.
    pub depth: u32,
    /// Bytes of an input that has to be held whole: JSON that isn't one record a line.
    pub document_bytes: usize,
    /// Bytes of an input after decompression.
    pub input_bytes: u64,
    /// Executions of one input, and of all inputs of a run.
    pub executions: usize,
    /// Bytes that the open executions of an input may hold: ids, tokens, and what else is kept of
    /// them until they end. The evidence of open turns, which is as large as its records, isn't
    /// counted.
    pub open_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            record_bytes: 16 << 20,
            depth: strict_json::DEFAULT_MAX_DEPTH,
            document_bytes: 256 << 20,
            input_bytes: 64 << 30,
            executions: 50_000,
            open_bytes: 16 << 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_refused() {
        assert_eq!(read_whole(&b"four"[..], 4).unwrap(), b"four");
        assert_eq!(
            read_whole(&b"four"[..], 3).unwrap_err().kind(),
            io::ErrorKind::FileTooLarge
        );
        assert!(
            read_whole(io::repeat(b'x'), 100)
                .unwrap_err()
                .to_string()
                .contains("more than 100 bytes")
        );
    }
}
