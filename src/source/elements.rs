//! Splits a JSON document into its elements while it is read: those of an array, or its single
//! value.
//!
//! Only the separators of elements are checked (RFC 8259: brackets, commas, and strings as far as
//! needed to find their end). The caller checks each element. Only one element is held at a time,
//! so memory is bounded by the longest element and by the size limit of a record.

use super::{Blocks, Limits, OversizedLine};
use std::io::{self, Read};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The position of a byte in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: u64,
    /// Number of bytes before it on that line.
    pub indent: u64,
}

/// An element of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element<'b> {
    /// Its bytes as they are written.
    Bytes(&'b [u8]),
    /// It exceeds its size limit, which is the number, and was skipped.
    OversizedLine(OversizedLine, usize),
}

/// The reason why a document wasn't read to its end.
#[derive(Debug)]
pub enum DocumentError {
    /// Reading failed, or the input exceeds its size limit.
    Io(io::Error),
    /// A syntax error, described in a clause.
    Syntax(Position, &'static str),
    /// The input ends inside an element, whose start and bytes these are.
    Incomplete(Position, Vec<u8>),
    /// The input exceeds the size limit of a document.
    TooLong(Position),
    /// The caller stopped.
    Stopped,
}

/// Whether to continue with the next element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Go,
    Stop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    /// A value must follow; if `true`, the end of the array is also allowed.
    Value(bool),
    Inside,
    /// After a value.
    After,
    /// After the document.
    End,
}

/// The value that is being read.
#[derive(Debug)]
struct OpenValue {
    bytes: Vec<u8>,
    /// Maximum number of bytes that are kept.
    most: usize,
    /// Size of the value in bytes, including bytes that aren't kept.
    length: u64,
    /// Hash of the value, once it is too long to keep.
    hash: Option<Box<blake3::Hasher>>,
    at: Position,
    depth: u64,
    string: bool,
    escape: bool,
    /// A number, `true`, `false` or `null`, which ends before the next separator.
    bare: bool,
}

/// Passes the elements of a document to `each`, in their order.
///
/// # Errors
/// When the document can't be read to its end. All elements before the error have been passed.
pub fn each_element<R: Read>(
    blocks: &mut Blocks<R>,
    limits: Limits,
    each: &mut dyn FnMut(Position, Element<'_>) -> Next,
) -> Result<(), DocumentError> {
    let mut reader = Reader {
        state: State::Start,
        array: false,
        open: None,
        here: Position { line: 1, indent: 0 },
        limits,
        each,
    };
    let mut spare = Vec::new();
    let mut total = 0;
    loop {
        let Some(bytes) = blocks.next_bytes(spare).map_err(DocumentError::Io)? else {
            return reader.finish();
        };
        let mut rest = bytes.as_slice();
        if total == 0
            && let Some(text) = rest.strip_prefix(BOM)
        {
            reader.here.indent = BOM.len() as u64;
            rest = text;
        }
        total += bytes.len();
        if total > limits.document_bytes {
            return Err(DocumentError::TooLong(reader.here));
        }
        reader.chunk(rest)?;
        spare = bytes;
    }
}

struct Reader<'e> {
    state: State,
    array: bool,
    open: Option<OpenValue>,
    here: Position,
    limits: Limits,
    each: &'e mut dyn FnMut(Position, Element<'_>) -> Next,
}

impl Reader<'_> {
    fn chunk(&mut self, bytes: &[u8]) -> Result<(), DocumentError> {
        // Start of the open value's part that hasn't been kept yet.
        let mut kept = 0;
        let mut at = 0;
        while let Some(byte) = bytes.get(at).copied() {
            let white = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
            match self.state {
                State::Start | State::After | State::End if white => {}
                State::Value(_) if white => {}
                State::Start if byte == b'[' => {
                    self.array = true;
                    self.state = State::Value(true);
                }
                State::Value(true) if byte == b']' => self.state = State::End,
                State::Start | State::Value(_) => {
                    if matches!(byte, b']' | b'}' | b',' | b':') {
                        return Err(DocumentError::Syntax(self.here, "expected a value"));
                    }
                    let bare = !matches!(byte, b'{' | b'[' | b'"');
                    // A document that is one object can't be read in parts.
                    let most = if self.state == State::Start && byte == b'{' {
                        self.limits.object_bytes()
                    } else {
                        self.limits.record_bytes
                    };
                    let open = OpenValue {
                        bytes: Vec::new(),
                        most,
                        length: 0,
                        hash: None,
                        at: self.here,
                        depth: 0,
                        string: false,
                        escape: false,
                        bare,
                    };
                    self.open = Some(open);
                    self.state = State::Inside;
                    kept = at;
                    continue;
                }
                State::Inside => match self
                    .open
                    .as_mut()
                    .map_or(ValueEnd::Excluded, |open| open.take(byte))
                {
                    ValueEnd::No => {}
                    ValueEnd::Included => {
                        self.keep(bytes.get(kept..=at).unwrap_or_default());
                        self.close()?;
                    }
                    ValueEnd::Excluded => {
                        self.keep(bytes.get(kept..at).unwrap_or_default());
                        self.close()?;
                        continue;
                    }
                },
                State::After if self.array && byte == b',' => self.state = State::Value(false),
                State::After if self.array && byte == b']' => self.state = State::End,
                State::After if self.array => {
                    return Err(DocumentError::Syntax(
                        self.here,
                        "expected `,` or `]` behind an element",
                    ));
                }
                State::After | State::End => {
                    return Err(DocumentError::Syntax(
                        self.here,
                        "something follows the value",
                    ));
                }
            }
            if byte == b'\n' {
                self.here = Position {
                    line: self.here.line + 1,
                    indent: 0,
                };
            } else {
                self.here.indent += 1;
            }
            at += 1;
        }
        self.keep(bytes.get(kept..).unwrap_or_default());
        Ok(())
    }

    /// Keeps a piece of the open value, up to the size limit.
    fn keep(&mut self, piece: &[u8]) {
        if let Some(open) = &mut self.open {
            open.length += piece.len() as u64;
            if open.length <= open.most as u64 {
                open.bytes.extend_from_slice(piece);
            } else {
                let kept = std::mem::take(&mut open.bytes);
                open.hash
                    .get_or_insert_default()
                    .update(&kept)
                    .update(piece);
            }
        }
    }

    fn close(&mut self) -> Result<(), DocumentError> {
        self.state = State::After;
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let element = match &open.hash {
            Some(hash) => {
                let (length, hash) = (open.length, hash.finalize());
                Element::OversizedLine(OversizedLine { length, hash }, open.most)
            }
            None => Element::Bytes(&open.bytes),
        };
        match (self.each)(open.at, element) {
            Next::Go => Ok(()),
            Next::Stop => Err(DocumentError::Stopped),
        }
    }

    fn finish(mut self) -> Result<(), DocumentError> {
        let bare = self.open.as_ref().is_some_and(|open| open.bare);
        if self.state == State::Inside && bare && !self.array {
            self.close()?;
        }
        match self.state {
            State::End => Ok(()),
            State::Start => Ok(()),
            State::After if !self.array => Ok(()),
            State::Inside => {
                let (at, bytes) = self
                    .open
                    .take()
                    .map_or((self.here, Vec::new()), |open| (open.at, open.bytes));
                Err(DocumentError::Incomplete(at, bytes))
            }
            State::Value(_) | State::After => {
                Err(DocumentError::Syntax(self.here, "the array breaks off"))
            }
        }
    }
}

/// Whether and where a value ends at a byte.
enum ValueEnd {
    No,
    /// After the byte.
    Included,
    /// Before the byte.
    Excluded,
}

impl OpenValue {
    fn take(&mut self, byte: u8) -> ValueEnd {
        if self.string {
            match byte {
                _ if self.escape => self.escape = false,
                b'\\' => self.escape = true,
                b'"' => {
                    self.string = false;
                    if self.depth == 0 {
                        return ValueEnd::Included;
                    }
                }
                _ => {}
            }
            return ValueEnd::No;
        }
        if self.bare {
            return if matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b']' | b'}') {
                ValueEnd::Excluded
            } else {
                ValueEnd::No
            };
        }
        match byte {
            b'"' => self.string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return ValueEnd::Included;
                }
            }
            _ => {}
        }
        ValueEnd::No
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use strict_json::Scanner;

    /// A reader that returns its bytes in whatever pieces the caller asks for.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    type Elements = Vec<(u64, u64, String)>;

    fn read(text: &[u8], limits: Limits) -> (Elements, Result<(), DocumentError>) {
        let mut all = Vec::new();
        let mut blocks = Blocks::new(Drops(text), limits);
        let result = each_element(&mut blocks, limits, &mut |at, element| {
            let what = match element {
                Element::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                Element::OversizedLine(OversizedLine { length, .. }, _) => {
                    format!("({length} bytes)")
                }
            };
            all.push((at.line, at.indent, what));
            Next::Go
        });
        (all, result)
    }

    #[test]
    fn elements_have_their_places() {
        let text = b"\xef\xbb\xbf[\n {\"a\": \"]}\\\"\"},\n  7 , \"x\",[1,{}]]\n";
        let (all, result) = read(text, Limits::default());
        assert!(result.is_ok());
        let expected = [
            (2, 1, "{\"a\": \"]}\\\"\"}"),
            (3, 2, "7"),
            (3, 6, "\"x\""),
            (3, 10, "[1,{}]"),
        ];
        assert_eq!(
            all.iter()
                .map(|(l, i, t)| (*l, *i, t.as_str()))
                .collect::<Vec<_>>(),
            expected
        );
        assert_eq!(
            read(b"\xef\xbb\xbf{}", Limits::default()).0,
            [(1, 3, "{}".to_owned())]
        );
    }

    #[test]
    fn what_is_too_long_is_passed_over_or_refused() {
        let limits = Limits {
            record_bytes: 4,
            document_bytes: 20,
            ..Limits::default()
        };
        assert_eq!(
            read(b"[12345,1234]", limits).0,
            [(1, 1, "(5 bytes)".to_owned()), (1, 7, "1234".to_owned())]
        );
        // A document that is one object can't be read in parts.
        for (text, kept) in [
            (r#"{"a":"bcdefgh"}"#, true),
            (r#"{"a":"bcdefghi"}"#, true),
            (r#"{"a":"bcdefghij"}"#, false),
            (r#"[{"a":0}]"#, false),
        ] {
            let found = read(text.as_bytes(), limits).0;
            assert_eq!(found[0].2 == text, kept, "{text}: {found:?}");
        }
        let limits = Limits {
            document_bytes: 100,
            ..limits
        };
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(30));
        assert_eq!(
            read(long.as_bytes(), limits).0,
            [(1, 0, "(38 bytes)".to_owned())]
        );
        let limits = Limits {
            document_bytes: 20,
            ..limits
        };
        assert!(matches!(
            read(&b"[1,2,3,4,5,6,7,8,9,10]"[..], limits).1,
            Err(DocumentError::TooLong(_))
        ));
    }

    #[test]
    fn what_is_no_document_is_refused_where_that_shows() {
        for (text, column) in [
            ("[1 2]", 3),
            ("[1,]", 3),
            ("[}", 1),
            ("{} x", 3),
            ("[1]]", 3),
            ("[1", 2),
            ("[", 1),
        ] {
            let at = match read(text.as_bytes(), Limits::default()).1 {
                Err(DocumentError::Syntax(at, _)) => at,
                Err(DocumentError::Incomplete(..)) => Position { line: 1, indent: 2 },
                other => panic!("{text}: {other:?}"),
            };
            assert_eq!(at.indent, column, "{text}");
        }
    }

    proptest! {
        /// The scanner that reads a whole text is the oracle.
        #[test]
        fn cuts_as_the_scanner_does(text in r#"\[? ?([0-9]{1,3}|"(\\"|[a,\]])*"|\{"a":\[[0-9]?\]\}|[\[\]{},:" \n]){0,8}\]?"#) {
            let (all, result) = read(text.as_bytes(), Limits::default());
            let mut scanner = Scanner::new(&text, 64);
            let mut expected = Vec::new();
            let oracle = scanner.each_element(|start, end| expected.push(text.get(start..end).unwrap().to_owned()));
            let mine: Vec<String> = all.into_iter().map(|(.., text)| text).collect();
            if oracle.is_ok() {
                prop_assert!(result.is_ok());
                prop_assert_eq!(mine, expected);
            } else if text.trim().is_empty() {
                prop_assert!(mine.is_empty());
            } else {
                // When brackets don't match inside an element, the element itself isn't valid JSON.
                let broken = mine.iter().any(|text| { let mut s = Scanner::new(text, 64); s.skip().and_then(|_| s.end()).is_err() });
                prop_assert!(result.is_err() || broken, "{:?}", mine);
            }
        }
    }
}
