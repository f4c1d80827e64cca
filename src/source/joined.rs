//! Concatenates documents, one per line.
//!
//! Line ends inside a document become spaces, which doesn't change JSON, so line N is the Nth
//! document.

use std::io::{self, Read};

/// Reads documents one after the other, and opens each when it is its turn.
pub(super) struct JoinedReader<I, R> {
    waiting: I,
    current: Option<R>,
}

impl<I: Iterator<Item = io::Result<R>>, R: Read> JoinedReader<I, R> {
    pub(super) const fn new(documents: I) -> Self {
        Self {
            waiting: documents,
            current: None,
        }
    }
}

impl<I: Iterator<Item = io::Result<R>>, R: Read> Read for JoinedReader<I, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let document = match &mut self.current {
            Some(document) => document,
            None => match self.waiting.next() {
                Some(document) => self.current.insert(document?),
                None => return Ok(0),
            },
        };
        let read = document.read(buffer)?;
        if read == 0 {
            self.current = None;
            if let Some(first) = buffer.first_mut() {
                *first = b'\n';
            }
            return Ok(1);
        }
        let mut rest = buffer.get_mut(..read).unwrap_or_default();
        while let Some(at) = memchr::memchr2(b'\n', b'\r', rest)
            && let Some((end, behind)) = rest.get_mut(at..).and_then(<[u8]>::split_first_mut)
        {
            *end = b' ';
            rest = behind;
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_a_line_whatever_it_holds() {
        let documents = ["{\n\"a\":\r\n1}", "", "[2]"].map(|text| Ok(text.as_bytes()));
        let mut text = String::new();
        let mut joined = JoinedReader::new(documents.into_iter());
        joined.read_to_string(&mut text).unwrap();
        assert_eq!(text, "{ \"a\":  1}\n\n[2]\n");
    }

    #[test]
    fn a_document_that_cannot_be_opened_ends_the_reading() {
        let documents = [Ok(&b"1"[..]), Err(io::Error::other("no"))];
        let mut text = String::new();
        let mut joined = JoinedReader::new(documents.into_iter());
        assert!(joined.read_to_string(&mut text).is_err());
    }
}
