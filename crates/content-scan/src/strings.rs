//! The strings of a record, with their position and role.
//!
//! The walk expects text that the scanner of [`strict_json`] has accepted. On other text it
//! terminates, and may or may not find strings.

use std::borrow::Cow;
use std::ops::Range;
use strict_json::Str;

/// A string of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordString<'a> {
    /// Byte offset of the first byte after the quote.
    pub(super) at: usize,
    /// The text between the quotes, as written.
    pub(super) inner: &'a str,
    escaped: bool,
    /// Data about the enclosing members.
    within: Within<'a>,
    /// Whether the string is a member name.
    pub(super) is_name: bool,
    /// The byte offset of the bracket of the array that contains it; `None` if it isn't an element.
    pub(super) list: Option<usize>,
}

/// Data about the members around a position. It is kept for every open bracket, so that the cost of
/// a string doesn't depend on its depth.
#[derive(Debug, Clone, Copy, Default)]
struct Within<'a> {
    /// The innermost name that isn't empty, as written.
    member: Option<&'a str>,
    /// Whether one of the names is that of a program's output.
    printed: bool,
}

impl<'a> Within<'a> {
    /// Returns the data inside a member of this name.
    fn named(self, name: &'a str) -> Self {
        let prints = matches!(
            name,
            "output" | "stdout" | "stderr" | "rawOutput" | "recentMessages" | "messages"
        );
        Self {
            member: Some(name).filter(|n| !n.is_empty()).or(self.member),
            printed: self.printed || prints,
        }
    }
}

/// An open bracket, with the data around it and inside its current member.
#[derive(Debug, Clone, Copy)]
struct Open<'a> {
    around: Within<'a>,
    here: Within<'a>,
    /// The byte offset of the bracket if it opens an array.
    list: Option<usize>,
}

/// The purpose of a string, which decides which characters it may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Sentences: reasoning, reasons, summaries, intents, ids.
    Prose,
    Command,
    /// A path, or a list of paths.
    Path,
    /// Contents of files: diffs, written text, answers.
    Code,
    /// The output of a program.
    Output,
}

impl Role {
    /// Returns the name used in messages.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Prose => "text that people read",
            Self::Command => "a command",
            Self::Path => "a path",
            Self::Code => "the content of a file or an answer",
            Self::Output => "the output of a program",
        }
    }
}

impl<'a> RecordString<'a> {
    /// Returns the decoded text.
    pub(super) fn decode(&self, record: &'a str) -> Cow<'a, str> {
        if !self.escaped {
            return Cow::Borrowed(self.inner);
        }
        let quoted = record.get(self.at.saturating_sub(1)..self.at + self.inner.len() + 1);
        let read: Option<Str<'a>> = quoted.and_then(|q| strict_json::from_text(q).ok());
        read.map_or(Cow::Borrowed(self.inner), Str::decode)
    }

    /// Returns the name of the innermost enclosing member.
    pub(super) const fn member(&self) -> Option<&'a str> {
        self.within.member
    }

    /// Returns the purpose of the string.
    pub(super) fn role(&self) -> Role {
        if self.is_name {
            return Role::Prose;
        }
        if self.within.printed {
            return Role::Output;
        }
        let Some(member) = self.member() else {
            // A frame of a recording: it consists of bytes for a terminal.
            return Role::Output;
        };
        match member {
            // A payload that is a bare string is a command.
            "command" | "cmd" | "script" | "payload" => Role::Command,
            "path" | "paths" | "file" | "files" | "filePath" | "file_path" | "filename"
            | "fileName" | "cwd" | "dir" | "directory" | "target" | "targets" | "source"
            | "destination" | "artifacts" | "affectedFiles" | "declaredChanges"
            | "observedChanges" | "usedContext" | "added" | "removed" | "changed" | "scope" => {
                Role::Path
            }
            "diff" | "patch" | "content" | "contents" | "text" | "old_string" | "new_string"
            | "oldText" | "newText" | "code" => Role::Code,
            _ => Role::Prose,
        }
    }

    /// Returns a converter from offsets in the decoded text to offsets in the record. A string that
    /// [`RecordString::decode`] couldn't decode is its own decoded text.
    pub(super) const fn offsets(&self, decoded: &Cow<'a, str>) -> Offsets<'a> {
        Offsets {
            at: self.at,
            inner: self.inner,
            escaped: matches!(decoded, Cow::Owned(_)),
            raw: 0,
            meant: 0,
        }
    }
}

/// Converts offsets in the decoded text of a string to offsets in the record. For ascending
/// offsets, it reads the string only once.
#[derive(Debug, Clone)]
pub(super) struct Offsets<'a> {
    /// Byte offset of the string in the record.
    at: usize,
    inner: &'a str,
    escaped: bool,
    /// Number of bytes read so far, as written and decoded.
    raw: usize,
    meant: usize,
}

impl Offsets<'_> {
    /// Returns the offset in the record of a byte of the decoded text.
    pub fn of(&mut self, decoded: usize) -> usize {
        if !self.escaped {
            return self.at + decoded;
        }
        if decoded < self.meant {
            (self.raw, self.meant) = (0, 0);
        }
        self.advance(decoded);
        self.at + self.raw.min(self.inner.len())
    }

    /// Returns the range in the record of a range of the decoded text.
    pub(super) fn range(&mut self, decoded: Range<usize>) -> Range<usize> {
        let start = self.of(decoded.start);
        start..self.of(decoded.end)
    }

    /// Advances to the end of the first `decoded` bytes of the decoded text.
    fn advance(&mut self, decoded: usize) {
        let bytes = self.inner.as_bytes();
        while self.meant < decoded && self.raw < bytes.len() {
            let rest = bytes.get(self.raw..).unwrap_or_default();
            let most = rest.len().min(decoded - self.meant);
            let plain = memchr::memchr(b'\\', rest.get(..most).unwrap_or_default()).unwrap_or(most);
            if plain > 0 {
                self.raw += plain;
                self.meant += plain;
                continue;
            }
            if rest.get(1) != Some(&b'u') {
                self.raw += 2;
                self.meant += 1;
                continue;
            }
            let unit = |at: usize| {
                let digits = self.inner.get(self.raw + at + 2..self.raw + at + 6);
                digits
                    .and_then(|d| u32::from_str_radix(d, 16).ok())
                    .unwrap_or(0xFFFD)
            };
            let high = unit(0);
            let pair = (0xD800..0xDC00).contains(&high)
                && rest.get(6..8) == Some(br"\u".as_slice())
                && (0xDC00..0xE000).contains(&unit(6));
            self.raw += if pair { 12 } else { 6 };
            self.meant += match high {
                _ if pair => 4,
                0..0x80 => 1,
                0x80..0x800 => 2,
                // A lone surrogate is decoded as U+FFFD, which also has three bytes.
                _ => 3,
            };
        }
    }
}

/// Calls `visit` for each string, in the order of the text.
pub(super) fn each<'a>(text: &'a str, mut visit: impl FnMut(RecordString<'a>)) {
    let bytes = text.as_bytes();
    let mut open: Vec<Open<'a>> = Vec::new();
    let mut pos = 0;
    while let Some(byte) = bytes.get(pos) {
        match byte {
            b'"' => {
                let start = pos + 1;
                let (end, escaped) = closing_quote(bytes, start);
                let inner = text.get(start..end).unwrap_or_default();
                let behind = bytes
                    .get(end + 1..)
                    .unwrap_or_default()
                    .iter()
                    .find(|b| !b.is_ascii_whitespace());
                let is_name = behind == Some(&b':');
                if is_name && let Some(top) = open.last_mut() {
                    top.here = top.around.named(inner);
                }
                let within = open.last().map_or_else(Within::default, |top| top.here);
                visit(RecordString {
                    at: start,
                    inner,
                    escaped,
                    within,
                    is_name,
                    list: open.last().and_then(|top| top.list),
                });
                pos = end;
            }
            b'{' | b'[' => {
                let within = open.last().map_or_else(Within::default, |top| top.here);
                open.push(Open {
                    around: within,
                    here: within,
                    list: (*byte == b'[').then_some(pos),
                });
            }
            b'}' | b']' => {
                open.pop();
            }
            _ => {}
        }
        pos += 1;
    }
}

/// Returns the position of the quote that ends the string starting at `start`, and whether the
/// string contains a backslash.
fn closing_quote(bytes: &[u8], start: usize) -> (usize, bool) {
    let mut pos = start;
    let mut escaped = false;
    while let Some(n) = memchr::memchr2(b'"', b'\\', bytes.get(pos..).unwrap_or_default()) {
        pos += n;
        if bytes.get(pos) == Some(&b'"') {
            return (pos, escaped);
        }
        escaped = true;
        pos += 2;
    }
    (bytes.len(), escaped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn strings_know_their_members() {
        let mut seen = Vec::new();
        let text = r#"{"a":"x","command":["l\"s",{"path":"p"}],"output":{"path":"q"},"b": "y"}"#;
        each(text, |f| {
            if !f.is_name {
                seen.push((f.decode(text).into_owned(), f.role()));
            }
        });
        let expected = [
            ("x", Role::Prose),
            ("l\"s", Role::Command),
            ("p", Role::Path),
            ("q", Role::Output),
            ("y", Role::Prose),
        ];
        assert_eq!(seen, expected.map(|(t, r)| (t.to_owned(), r)));
    }

    #[test]
    fn elements_know_their_list() {
        let mut lists = Vec::new();
        each(r#"["a",{"b":"c","d":["e"]},["f"],"g"]"#, |f| {
            lists.push((f.inner, f.list));
        });
        assert_eq!(
            lists,
            [
                ("a", Some(0)),
                ("b", None),
                ("c", None),
                ("d", None),
                ("e", Some(18)),
                ("f", Some(25)),
                ("g", Some(0))
            ]
        );
    }

    proptest! {
        #[test]
        fn offsets_lead_back(text in any::<String>(), ascii in any::<bool>()) {
            let mut written = serde_json::to_string(&text).unwrap();
            if ascii {
                written = written.chars().map(|c| {
                    if c.is_ascii() { c.to_string() } else {
                        c.encode_utf16(&mut [0; 2]).iter().map(|u| format!("\\u{u:04x}")).collect()
                    }
                }).collect();
            }
            each(&written, |f| {
                let decoded = f.decode(&written);
                assert_eq!(decoded, text.as_str());
                let mut offsets = f.offsets(&decoded);
                for (at, _) in decoded.char_indices() {
                    let begins = offsets.of(at);
                    // The result doesn't depend on the order of the calls.
                    assert_eq!(begins, f.offsets(&decoded).of(at));
                    assert_eq!(offsets.clone().range(0..at), f.at..begins);
                    let rest = written.get(begins..).unwrap();
                    let again: String = serde_json::from_str(&format!("\"{rest}")).unwrap();
                    assert_eq!(again, text.get(at..).unwrap());
                }
            });
        }

        #[test]
        fn any_text_can_be_walked(text in any::<String>()) {
            each(&text, |f| {
                let decoded = f.decode(&text);
                let _ = (f.offsets(&decoded).of(3), f.role());
            });
        }

        /// This also holds for strings that can't be decoded: one with an invalid escape is its own
        /// decoded text.
        #[test]
        fn a_stretch_of_any_string_is_one_of_the_text(inner in "([a-zä]|\\\\[neux\\\\]|\\\\u00e9){0,12}") {
            let text = format!("[\"{inner}\"]");
            each(&text, |f| {
                let decoded = f.decode(&text);
                let places: Vec<usize> = decoded.char_indices().map(|(at, _)| at).chain([decoded.len()]).collect();
                for (a, b) in places.iter().zip(places.get(1..).unwrap_or_default()) {
                    assert!(text.get(f.offsets(&decoded).range(*a..*b)).is_some(), "{text} {a}");
                }
            });
        }
    }
}
