//! The scanner: checks the grammar, notes anomalies, never recurses.

use super::keys::{KeyStack, NameStatus};
use super::text::Str;
use std::fmt;
use text_simd::{self, CHUNK, Kinds as _};

/// Why a text isn't acceptable JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Byte offset into the text.
    pub at: usize,
    pub kind: ErrorKind,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorKind {
    Incomplete,
    /// The grammar requires something else here.
    Expected(&'static str),
    /// A string contains an unescaped control character.
    ControlCharacter(u8),
    /// The character after a backslash isn't a valid escape.
    BadEscape,
    /// A number violates the grammar (leading zero, no digits, …).
    BadNumber,
    TrailingText,
    /// The nesting exceeds the limit, which is the value.
    TooDeep(u32),
    /// The text is JSON, but not of the requested type. The value is the message.
    Data(String),
    /// A type's member occurs twice, under the same name or under an alias.
    Repeated(&'static str),
}

impl Error {
    pub(super) fn new(at: usize, kind: ErrorKind) -> Self {
        Self { at, kind }
    }

    /// Returns whether the text only ends too early: a longer text could be valid.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.kind == ErrorKind::Incomplete
    }

    /// Returns whether a derived type has found a duplicate of one of its members.
    pub(super) fn is_repeated(&self) -> bool {
        matches!(self.kind, ErrorKind::Repeated(_))
    }

    /// Returns whether the text is valid JSON of another type than requested.
    #[must_use]
    pub fn is_data(&self) -> bool {
        matches!(self.kind, ErrorKind::Data(_) | ErrorKind::Repeated(_))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ErrorKind::Incomplete => f.write_str("the text ends inside a value"),
            ErrorKind::Expected(what) => write!(f, "expected {what}"),
            ErrorKind::ControlCharacter(byte) => {
                write!(f, "control character U+{byte:04X} inside a string")
            }
            ErrorKind::BadEscape => f.write_str("invalid escape sequence"),
            ErrorKind::BadNumber => f.write_str("invalid number"),
            ErrorKind::TrailingText => f.write_str("text after the end of the value"),
            ErrorKind::TooDeep(limit) => write!(f, "nested deeper than {limit} levels"),
            ErrorKind::Data(message) => f.write_str(message),
            ErrorKind::Repeated(name) => write!(f, "the member `{name}` is given twice"),
        }
    }
}

impl std::error::Error for Error {}

/// An anomaly in valid JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// Byte offset of the member name or of the escape.
    pub at: usize,
    pub kind: NoteKind,
}

/// The kinds of [`Note`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// A member name occurs twice in its object; the first one is used.
    DuplicateMember,
    /// An escape is a lone surrogate, which is read as U+FFFD.
    LoneSurrogate,
    /// The open objects have too many members to remember. This one may be a duplicate.
    TooManyMembers,
}

/// The JSON type of a value, by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

/// Maximum number of notes for one text, apart from the first one of each kind.
pub const MOST_NOTES: usize = 1_000;

/// A cursor over one JSON text.
#[derive(Debug)]
pub struct Scanner<'a> {
    text: &'a str,
    pos: usize,
    depth: u32,
    max_depth: u32,
    keys: KeyStack<'a>,
    notes: Vec<Note>,
    /// Containers that [`Scanner::skip`] has opened: `true` for an object.
    open: Vec<bool>,
    /// Which member names are remembered in order to find duplicates.
    memory: Memory,
    /// Whether a type has read an object that may have any members.
    met_open_object: bool,
    /// The last member name that was read, with its offset.
    member: (usize, Str<'a>),
    /// The chunk that was classified last: its end, and a bit for each byte that ends a plain run
    /// of a string.
    chunk: (usize, u64),
    /// The error in the last string that was read.
    failure: Option<Error>,
    /// Whether a number that is too large for a float is read as the largest one.
    pub(super) clamps_numbers: bool,
    /// The text was validated before, so only the ends of values are looked for.
    is_validated: bool,
}

/// Which member names a [`Scanner`] remembers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    All,
    /// All but those that a derived type knows. The type finds their duplicates itself
    /// ([`ErrorKind::Repeated`]).
    BesideTypes,
    None,
}

impl<'a> Scanner<'a> {
    /// Creates a scanner at the start of `text`.
    #[must_use]
    pub fn new(text: &'a str, max_depth: u32) -> Self {
        Self {
            text,
            pos: 0,
            depth: 0,
            max_depth,
            keys: KeyStack::default(),
            notes: Vec::new(),
            open: Vec::new(),
            memory: Memory::All,
            met_open_object: false,
            member: (0, Str::default()),
            chunk: (0, 0),
            failure: None,
            clamps_numbers: false,
            is_validated: false,
        }
    }

    /// Creates a scanner for text that is known to be one valid JSON value, such as a value that
    /// another scanner has read. It neither checks skipped values again nor notes anything in them,
    /// and derived types find duplicates of their members ([`Self::trust_types`]).
    #[must_use]
    pub fn validated(text: &'a str) -> Self {
        Self {
            is_validated: true,
            memory: Memory::BesideTypes,
            ..Self::new(text, super::DEFAULT_MAX_DEPTH)
        }
    }

    /// Returns whether the text was validated before.
    pub(super) fn is_validated(&self) -> bool {
        self.is_validated
    }

    /// Creates a scanner for validated JSON: no depth limit, and duplicate members aren't tracked.
    pub(super) fn unchecked(text: &'a str) -> Self {
        Self {
            memory: Memory::None,
            ..Self::new(text, u32::MAX)
        }
    }

    /// Lets derived types find duplicate members, which costs nothing. They then stop with
    /// [`ErrorKind::Repeated`]. By default, the scanner notes the duplicate and continues.
    pub fn trust_types(&mut self, trust: bool) {
        self.memory = if trust {
            Memory::BesideTypes
        } else {
            Memory::All
        };
    }

    /// Starts with another text and keeps the allocations.
    pub fn reset(&mut self, text: &'a str) {
        self.text = text;
        self.pos = 0;
        self.chunk = (0, 0);
        self.depth = 0;
        self.keys.clear();
        self.notes.clear();
        self.open.clear();
        self.met_open_object = false;
    }

    pub(super) fn meet_open_object(&mut self) {
        self.met_open_object = true;
    }

    /// Returns whether a type has read an object that may have any members, by the name
    /// [`super::OPEN_OBJECT`].
    #[must_use]
    pub fn has_met_open_object(&self) -> bool {
        self.met_open_object
    }

    /// Returns the whole text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the byte offset of the cursor.
    #[must_use]
    #[inline]
    pub fn position(&self) -> usize {
        self.pos
    }

    /// Returns the notes so far.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Adds a note. The first [`MOST_NOTES`] and the first one of each kind are kept.
    fn note(&mut self, at: usize, kind: NoteKind) {
        if self.notes.len() < MOST_NOTES || !self.notes.iter().any(|note| note.kind == kind) {
            self.notes.push(Note { at, kind });
        }
    }

    pub(super) fn error<T>(&self, kind: ErrorKind) -> Result<T, Error> {
        Err(Error::new(self.pos, kind))
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    /// Skips white space and returns the byte after it.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.byte() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.pos += 1,
                other => return other,
            }
        }
    }

    fn expected<T>(&mut self, what: &'static str) -> Result<T, Error> {
        match self.peek() {
            None => self.error(ErrorKind::Incomplete),
            Some(_) => self.error(ErrorKind::Expected(what)),
        }
    }

    /// Returns the type of the value at the cursor, by its first byte.
    ///
    /// # Errors
    /// Fails if no value starts here.
    #[inline]
    pub fn kind(&mut self) -> Result<ValueKind, Error> {
        Ok(match self.peek() {
            Some(b'{') => ValueKind::Object,
            Some(b'[') => ValueKind::Array,
            Some(b'"') => ValueKind::String,
            Some(b'-' | b'0'..=b'9') => ValueKind::Number,
            Some(b't') => ValueKind::True,
            Some(b'f') => ValueKind::False,
            Some(b'n') => ValueKind::Null,
            _ => return self.expected("a value"),
        })
    }

    /// Checks that only white space is left.
    ///
    /// # Errors
    /// Returns [`ErrorKind::TrailingText`] with the offset of the rest.
    pub fn end(&mut self) -> Result<(), Error> {
        match self.peek() {
            None => Ok(()),
            Some(_) => self.error(ErrorKind::TrailingText),
        }
    }

    fn descend(&mut self) -> Result<(), Error> {
        if self.depth >= self.max_depth {
            return self.error(ErrorKind::TooDeep(self.max_depth));
        }
        self.depth += 1;
        self.pos += 1;
        Ok(())
    }

    /// Enters an object. Returns `true` if its member names are remembered. `typed` says whether a
    /// derived type reads it.
    pub(super) fn open_object(&mut self, typed: bool) -> Result<bool, Error> {
        self.descend()?;
        self.keys.open();
        Ok(match self.memory {
            Memory::All => true,
            Memory::BesideTypes => !typed,
            Memory::None => false,
        })
    }

    pub(super) fn open_array(&mut self) -> Result<(), Error> {
        self.descend()
    }

    #[inline]
    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.pos += 1;
    }

    /// Returns the next member name of the open object. At the closing brace, consumes it and
    /// returns `None`.
    pub(super) fn member(&mut self, first: bool) -> Result<Option<Str<'a>>, Error> {
        match self.peek() {
            Some(b'}') => {
                self.close();
                self.keys.close();
                return Ok(None);
            }
            Some(b',') if !first => {
                self.pos += 1;
                if self.peek() != Some(b'"') {
                    return self.expected("a member name in quotes");
                }
            }
            Some(b'"') if first => {}
            _ => {
                return self.expected(if first {
                    "a member name in quotes or `}`"
                } else {
                    "`,` or `}`"
                });
            }
        }
        let at = self.pos;
        let name = self.string()?;
        if self.peek() != Some(b':') {
            return self.expected("`:`");
        }
        self.pos += 1;
        self.member = (at, name);
        Ok(Some(name))
    }

    /// Remembers the last member. Returns `false` and adds a note if its object has the name
    /// already. Without memory, every member counts as new.
    pub(super) fn remember(&mut self) -> bool {
        let (at, name) = self.member;
        let seen = if self.memory == Memory::None {
            NameStatus::New
        } else {
            self.keys.insert(name.decode())
        };
        match seen {
            NameStatus::New => {}
            NameStatus::Duplicate => self.note(at, NoteKind::DuplicateMember),
            NameStatus::Unknown => self.note(at, NoteKind::TooManyMembers),
        }
        seen != NameStatus::Duplicate
    }

    /// Skips a member name. Returns `false` at the end of the object.
    fn skip_member(&mut self, first: bool) -> Result<bool, Error> {
        let more = self.member(first)?.is_some();
        if more {
            self.remember();
        }
        Ok(more)
    }

    /// Returns whether the open array has another element. If not, consumes the bracket.
    pub(super) fn element(&mut self, first: bool) -> Result<bool, Error> {
        match self.peek() {
            Some(b']') => {
                self.close();
                Ok(false)
            }
            Some(b',') if !first => {
                self.pos += 1;
                Ok(true)
            }
            Some(_) if first => Ok(true),
            _ => self.expected("`,` or `]`"),
        }
    }

    pub(super) fn literal(&mut self, word: &'static str, what: &'static str) -> Result<(), Error> {
        let rest = self.text.as_bytes().get(self.pos..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.pos += word.len();
            Ok(())
        } else if word.as_bytes().starts_with(rest) {
            self.pos = self.text.len();
            self.error(ErrorKind::Incomplete)
        } else {
            self.error(ErrorKind::Expected(what))
        }
    }

    /// Returns the number at the cursor if it is a non-negative integer with few digits, as most
    /// are.
    #[inline]
    pub(super) fn small_integer(&mut self) -> Option<u64> {
        const DIGITS: usize = 18;
        let rest = self.text.as_bytes().get(self.pos..)?;
        let mut value = 0u64;
        let mut length = 0;
        for byte in rest.iter().take(DIGITS + 1) {
            match byte {
                b'0'..=b'9' => value = value * 10 + u64::from(byte - b'0'),
                b'.' | b'e' | b'E' => return None,
                _ => break,
            }
            length += 1;
        }
        let padded = length > 1 && rest.first() == Some(&b'0');
        if length == 0 || length > DIGITS || padded {
            return None;
        }
        self.pos += length;
        Some(value)
    }

    /// Returns the number at the cursor as written.
    pub(super) fn number(&mut self) -> Result<&'a str, Error> {
        let start = self.pos;
        if self.byte() == Some(b'-') {
            self.pos += 1;
        }
        match self.byte() {
            Some(b'0') => self.pos += 1,
            Some(b'1'..=b'9') => self.digits(),
            None => return self.error(ErrorKind::Incomplete),
            Some(_) => return self.error(ErrorKind::BadNumber),
        }
        if self.byte() == Some(b'.') {
            self.pos += 1;
            self.some_digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.pos += 1;
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.pos += 1;
            }
            self.some_digits()?;
        }
        if matches!(self.byte(), Some(b'0'..=b'9')) {
            return self.error(ErrorKind::BadNumber);
        }
        Ok(self.text.get(start..self.pos).unwrap_or_default())
    }

    fn digits(&mut self) {
        while matches!(self.byte(), Some(b'0'..=b'9')) {
            self.pos += 1;
        }
    }

    fn some_digits(&mut self) -> Result<(), Error> {
        match self.byte() {
            Some(b'0'..=b'9') => {
                self.digits();
                Ok(())
            }
            None => self.error(ErrorKind::Incomplete),
            Some(_) => self.error(ErrorKind::BadNumber),
        }
    }

    /// Returns the string at the cursor, which must be at its opening quote.
    #[inline]
    pub(super) fn string(&mut self) -> Result<Str<'a>, Error> {
        let quote = self.pos;
        let passed = self.pass_string(quote);
        if passed == 0 {
            return Err(self
                .failure
                .take()
                .unwrap_or_else(|| Error::new(quote, ErrorKind::Incomplete)));
        }
        let end = passed >> 1;
        self.pos = end + 1;
        Ok(Str::new(
            self.text.get(quote + 1..end).unwrap_or_default(),
            passed & 1 == 1,
        ))
    }

    /// Skips the string that starts at `quote`. Returns twice the offset of its closing quote, plus
    /// one if it contains escapes. A single integer is returned in a register, which matters for
    /// many strings. Returns 0 on an error, which is in `failure`.
    fn pass_string(&mut self, quote: usize) -> usize {
        let pos = self.plain_until(quote + 1);
        if self.text.as_bytes().get(pos) == Some(&b'"') {
            return pos << 1;
        }
        self.pass_string_from(pos)
    }

    /// Like [`Self::pass_string`], for a string that is plain up to `pos`. It is apart to keep the
    /// code small that all other strings run through.
    #[inline(never)]
    fn pass_string_from(&mut self, mut pos: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut escaped = false;
        let failure = loop {
            match bytes.get(pos) {
                Some(b'"') => return pos << 1 | usize::from(escaped),
                Some(b'\\') if self.is_validated => {
                    return self.closing_quote(pos + 2).map_or(0, |end| end << 1 | 1);
                }
                Some(b'\\') => {
                    escaped = true;
                    match bytes.get(pos + 1) {
                        Some(b'n' | b'"' | b'\\' | b't' | b'r' | b'/' | b'b' | b'f') => pos += 2,
                        Some(b'u') => match self.unicode_escape(pos) {
                            Ok(behind) => pos = behind,
                            Err(error) => break error,
                        },
                        None => break Error::new(bytes.len(), ErrorKind::Incomplete),
                        Some(_) => break Error::new(pos, ErrorKind::BadEscape),
                    }
                }
                Some(control) => break Error::new(pos, ErrorKind::ControlCharacter(*control)),
                None => break Error::new(bytes.len(), ErrorKind::Incomplete),
            }
            pos = self.plain_until(pos);
        };
        self.failure = Some(failure);
        0
    }

    /// Returns the offset of the quote that closes the string around `from`, in a text that was
    /// validated. No escape may end at `from`.
    fn closing_quote(&self, from: usize) -> Option<usize> {
        let mut pos = from;
        loop {
            let rest = self.text.as_bytes().get(pos..)?;
            let found = memchr::memchr(b'"', rest)?;
            // A run of backslashes ends at the previous quote at the latest, so each counts once.
            let before = rest.get(..found)?.iter();
            let backslashes = before.rev().take_while(|byte| **byte == b'\\').count();
            if backslashes % 2 == 0 {
                return Some(pos + found);
            }
            pos += found + 1;
        }
    }

    /// Skips an object or an array of a text that was validated: only quotes and brackets matter.
    fn skip_validated_container(&mut self) -> Result<(), Error> {
        let mut depth = 0usize;
        loop {
            match self.byte() {
                Some(b'"') => {
                    self.string()?;
                    continue;
                }
                Some(b'{' | b'[') => depth += 1,
                Some(b'}' | b']') => depth = depth.saturating_sub(1),
                Some(_) => {}
                None => return self.error(ErrorKind::Incomplete),
            }
            self.pos += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Returns the position of the first special byte at or after `pos`: a quote, a backslash, a
    /// control character, or the end.
    #[inline]
    fn plain_until(&mut self, pos: usize) -> usize {
        let (mut end, mut hits) = self.chunk;
        let mut from = pos;
        loop {
            // Strings are short, so one classified chunk serves several of them.
            if from < end
                && let Some(offset) = (from + CHUNK).checked_sub(end)
            {
                let left = hits >> offset;
                if left != 0 {
                    return from + left.trailing_zeros() as usize;
                }
                from = end;
            }
            let bytes = self.text.as_bytes();
            if from >= bytes.len() {
                return bytes.len();
            }
            hits = special(bytes, from);
            end = from + CHUNK;
            self.chunk = (end, hits);
        }
    }

    /// Checks `\uhhhh` at `pos` (and its low surrogate). Returns the offset after it.
    #[cold]
    fn unicode_escape(&mut self, pos: usize) -> Result<usize, Error> {
        let bytes = self.text.as_bytes();
        let unit = hex4(bytes, pos + 2).map_err(|kind| Error::new(pos, kind))?;
        match unit {
            0xD800..=0xDBFF => {
                if bytes.get(pos + 6) == Some(&b'\\')
                    && bytes.get(pos + 7) == Some(&b'u')
                    && let Ok(0xDC00..=0xDFFF) = hex4(bytes, pos + 8)
                {
                    return Ok(pos + 12);
                }
                self.note(pos, NoteKind::LoneSurrogate);
            }
            0xDC00..=0xDFFF => self.note(pos, NoteKind::LoneSurrogate),
            _ => {}
        }
        Ok(pos + 6)
    }

    /// Scans a whole text. Calls `element` with the byte range of each element of its array, or of
    /// its only value.
    ///
    /// # Errors
    /// Fails if the text isn't valid JSON. `element` has been called for the elements before the
    /// error.
    pub fn each_element(&mut self, mut element: impl FnMut(usize, usize)) -> Result<(), Error> {
        let mut one = |scanner: &mut Self| {
            scanner.peek();
            let start = scanner.pos;
            scanner.skip()?;
            element(start, scanner.pos);
            Ok(())
        };
        if self.kind()? == ValueKind::Array {
            self.open_array()?;
            let mut first = true;
            while self.element(first)? {
                first = false;
                one(self)?;
            }
        } else {
            one(self)?;
        }
        self.end()
    }

    /// Skips one value of any type, validates it, and returns it as written.
    ///
    /// # Errors
    /// Fails if the value isn't valid JSON or nested too deeply.
    pub fn skip(&mut self) -> Result<&'a str, Error> {
        self.peek();
        let start = self.pos;
        if self.is_validated && matches!(self.byte(), Some(b'{' | b'[')) {
            self.skip_validated_container()?;
            return Ok(self.text.get(start..self.pos).unwrap_or_default());
        }
        let base = self.open.len();
        let mut fresh_container = false;
        loop {
            match self.kind()? {
                ValueKind::Object => {
                    self.open_object(false)?;
                    self.open.push(true);
                    fresh_container = true;
                }
                ValueKind::Array => {
                    self.open_array()?;
                    self.open.push(false);
                    fresh_container = true;
                }
                ValueKind::String => {
                    self.string()?;
                }
                ValueKind::Number => {
                    self.number()?;
                }
                ValueKind::True => self.literal("true", "a value")?,
                ValueKind::False => self.literal("false", "a value")?,
                ValueKind::Null => self.literal("null", "a value")?,
            }
            // Close finished containers until another value follows.
            loop {
                if self.open.len() == base {
                    return Ok(self.text.get(start..self.pos).unwrap_or_default());
                }
                let object = self.open.last().copied().unwrap_or_default();
                let more = if object {
                    self.skip_member(fresh_container)?
                } else {
                    self.element(fresh_container)?
                };
                fresh_container = false;
                if more {
                    break;
                }
                self.open.pop();
            }
        }
    }
}

/// Returns a bit for each special byte of the chunk at `pos`, on which a plain run of a string
/// ends. Every byte after the end of the text counts as special.
#[inline]
pub(super) fn special(bytes: &[u8], pos: usize) -> u64 {
    let bits = |chunk: &[u8; CHUNK]| {
        text_simd::word(
            text_simd::lanes(chunk)
                .map(|lane| lane.within(0, 0x1f) | lane.are(b'"') | lane.are(b'\\')),
        )
    };
    let rest = bytes.get(pos..).unwrap_or_default();
    match rest.first_chunk() {
        Some(chunk) => bits(chunk),
        None => bits(&text_simd::first(rest)),
    }
}

/// Parses four hexadecimal digits at `pos`.
pub(super) fn hex4(bytes: &[u8], pos: usize) -> Result<u32, ErrorKind> {
    let mut value = 0;
    for offset in 0..4 {
        let digit = match bytes.get(pos + offset) {
            None => return Err(ErrorKind::Incomplete),
            Some(b) => (*b as char).to_digit(16).ok_or(ErrorKind::BadEscape)?,
        };
        value = value << 4 | digit;
    }
    Ok(value)
}

#[cfg(test)]
mod tests;
