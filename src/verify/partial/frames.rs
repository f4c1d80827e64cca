//! The frames of a partial result.

use borsh::{BorshDeserialize, BorshSerialize};
use std::io::{self, ErrorKind, Read, Write};

/// The first line of a partial result. The number is raised with each change of the format.
const MAGIC: &[u8] = b"yuangs-verify partial result 2\n";

/// Maximum number of bytes of a frame.
const MOST: u64 = 4 << 30;

/// The kinds of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    Header,
    Input,
    Trailer,
}

impl Frame {
    const ALL: [Self; 3] = [Self::Header, Self::Input, Self::Trailer];

    const fn letter(self) -> u8 {
        match self {
            Self::Header => b'H',
            Self::Input => b'I',
            Self::Trailer => b'T',
        }
    }
}

/// Writes frames, and the hash of all at the end.
pub(super) struct FrameWriter<'w> {
    to: &'w mut dyn Write,
    hash: blake3::Hasher,
    bytes: Vec<u8>,
}

impl<'w> FrameWriter<'w> {
    pub(super) fn new(to: &'w mut dyn Write) -> io::Result<Self> {
        to.write_all(MAGIC)?;
        Ok(Self {
            to,
            hash: blake3::Hasher::new(),
            bytes: Vec::new(),
        })
    }

    /// Writes a frame.
    pub(super) fn write(&mut self, frame: Frame, content: &impl BorshSerialize) -> io::Result<()> {
        self.bytes.clear();
        content.serialize(&mut self.bytes)?;
        if self.bytes.len() as u64 > MOST {
            return Err(io::Error::new(
                ErrorKind::FileTooLarge,
                "the result of an input is too large",
            ));
        }
        let head = head(frame.letter(), self.bytes.len() as u64);
        for part in [&head[..], &self.bytes] {
            self.hash.update(part);
            self.to.write_all(part)?;
        }
        Ok(())
    }

    /// Writes the hash of all frames.
    pub(super) fn finish(self) -> io::Result<()> {
        self.to.write_all(self.hash.finalize().as_bytes())?;
        self.to.flush()
    }
}

/// Returns the bytes before the content of a frame.
fn head(letter: u8, length: u64) -> [u8; 9] {
    let mut head = [letter; 9];
    if let Some(place) = head.last_chunk_mut() {
        *place = length.to_le_bytes();
    }
    head
}

/// Reads frames.
pub(super) struct FrameReader<R> {
    from: R,
    hash: blake3::Hasher,
    bytes: Vec<u8>,
}

/// Creates an error for content that no version of the program writes.
fn invalid(why: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

impl<R: Read> FrameReader<R> {
    pub(super) fn new(mut from: R) -> io::Result<Self> {
        let mut magic = Vec::new();
        (&mut from)
            .take(MAGIC.len() as u64)
            .read_to_end(&mut magic)?;
        if magic.is_empty() {
            return Err(invalid("it is empty"));
        }
        if magic != MAGIC {
            return Err(invalid("it isn't a partial result of this version"));
        }
        Ok(Self {
            from,
            hash: blake3::Hasher::new(),
            bytes: Vec::new(),
        })
    }

    /// Reads the next frame; returns its kind. The content is read by [`Self::content`].
    pub(super) fn next(&mut self) -> io::Result<Frame> {
        let mut head = [0; 9];
        self.from.read_exact(&mut head)?;
        let (letter, length) = head.split_first().unwrap_or((&0, &[]));
        let frame = Frame::ALL.into_iter().find(|f| f.letter() == *letter);
        let frame = frame.ok_or_else(|| invalid("it contains an unknown frame"))?;
        let length = length.first_chunk().map_or(0, |l| u64::from_le_bytes(*l));
        if length > MOST {
            return Err(invalid("it contains a frame that is too long"));
        }
        self.bytes.clear();
        // The length is the file's word, so no room is made for it.
        (&mut self.from).take(length).read_to_end(&mut self.bytes)?;
        if self.bytes.len() as u64 != length {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.hash.update(&head).update(&self.bytes);
        Ok(frame)
    }

    /// Returns the content of the last frame.
    pub(super) fn content<T: BorshDeserialize>(&self) -> io::Result<T> {
        borsh::from_slice(&self.bytes)
    }

    /// Checks the hash of all frames, behind which nothing may follow.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        let mut hash = Vec::new();
        (&mut self.from).take(33).read_to_end(&mut hash)?;
        if hash != self.hash.finalize().as_bytes() {
            return Err(invalid("it was changed, or is incomplete"));
        }
        Ok(())
    }
}
