//! Finds and opens inputs, and splits them at line ends.
//!
//! Inputs aren't mapped into memory. A reader with one reused buffer serves plain files, compressed
//! files and standard input alike. It isn't killed by a file that shrinks while it is read, and it
//! is as fast, because the buffer stays in the cache.

mod archive;
mod archive_layout;
mod blocks;
mod compressed;
mod containment;
mod discover;
mod elements;
mod joined;
mod series;
mod share;

pub use blocks::{Block, Blocks, OversizedLine};
pub use containment::stays;
pub use discover::{
    COMPRESSED, Choice, Discovery, Found, Input, Missing, NO_ENDING, NOT_INCLUDED, SKIP_REASONS,
    Skipped, TRACE_ENDINGS, by_name, discover, line_names, open, open_counted, open_range,
    open_regular, stored_hash, survey, survey_by,
};
pub use elements::{DocumentError, Element, Next, Position, each_element};
#[cfg(feature = "knowledge")]
pub(crate) use series::{events_in, join as join_events};
pub use share::{Part, Plan, Share};

use borsh::{BorshDeserialize, BorshSerialize};
use std::io::{self, Read};

/// Reads a reader to its end, up to `most` bytes. The size that the system reports isn't used,
/// because a symbolic link in a pull request may lead to a device that never ends.
///
/// # Errors
/// When reading fails; with the kind [`io::ErrorKind::FileTooLarge`] when there are more bytes.
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

/// Limits on the resources that an input may use. Exceeding one gives a finding (YV107), never a
/// crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Limits {
    /// Maximum number of bytes of one record. A longer line is skipped.
    pub record_bytes: usize,
    /// Maximum nesting of one record.
    pub depth: u32,
    /// Maximum number of bytes of an input that must be held whole: JSON that isn't one record per
    /// line.
    pub document_bytes: usize,
    /// Maximum number of bytes of an input after decompression.
    pub input_bytes: u64,
    /// Maximum number of executions of one input, and of all inputs of a run.
    pub executions: usize,
    /// Maximum number of bytes kept for the open executions of an input, such as ids and tokens.
    /// The evidence of open turns isn't counted; it is as large as its records.
    pub open_bytes: usize,
}

impl Limits {
    /// Returns the maximum number of bytes of a document that is one object.
    #[must_use]
    pub fn object_bytes(&self) -> usize {
        let most = self.record_bytes.saturating_mul(4).min(self.document_bytes);
        most.max(self.record_bytes)
    }
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
