//! The strings of a record, with where they stand and what they are for.
//!
//! The walk is over text that the scanner of [`strict_json`] has accepted; on anything else it
//! finds something or nothing, and ends.

use std::borrow::Cow;
use std::ops::Range;
use strict_json::Str;

/// A string of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordString<'a> {
    /// Byte offset of its first byte behind the quote.
    pub(super) at: usize,
    /// What stands between the quotes, as written.
    pub(super) inner: &'a str,
    /// Whether it holds escapes.
    escaped: bool,
    /// What the members say that lead to it.
    within: Within<'a>,
    /// Whether it is a member name itself.
    pub(super) is_name: bool,
    /// The array that it is an element of, by the place of its bracket.
    pub(super) list: Option<usize>,
}

/// What the members around a place say of it. Kept for every open bracket, so that a string costs
/// the same however deep it stands.
#[derive(Debug, Clone, Copy, Default)]
struct Within<'a> {
    /// The innermost name that isn't empty, as written.
    member: Option<&'a str>,
    /// Whether one of the names is that of something printed.
    printed: bool,
}

impl<'a> Within<'a> {
    /// What holds inside a member of this name.
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

/// An open bracket: what holds around it, and what holds in the member of it that is being read.
#[derive(Debug, Clone, Copy)]
struct Open<'a> {
    around: Within<'a>,
    here: Within<'a>,
    /// Where it stands, if it is that of an array.
    list: Option<usize>,
}

/// What a string is for. Decides what may stand in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Sentences: reasoning, reasons, summaries, intents, ids.
    Prose,
    /// A shell command.
    Command,
    /// A path, or a list of them.
    Path,
    /// The content of files: diffs, what is written, answers.
    Code,
    /// What a program printed.
    Output,
}

impl Role {
    /// How messages call it.
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
    /// The text that is meant.
    pub(super) fn decode(&self, record: &'a str) -> Cow<'a, str> {
        if !self.escaped {
            return Cow::Borrowed(self.inner);
        }
        let quoted = record.get(self.at.saturating_sub(1)..self.at + self.inner.len() + 1);
        let read: Option<Str<'a>> = quoted.and_then(|q| strict_json::from_text(q).ok());
        read.map_or(Cow::Borrowed(self.inner), Str::decode)
    }

    /// The innermost member that it belongs to.
    pub(super) const fn member(&self) -> Option<&'a str> {
        self.within.member
    }

    /// What it is for.
    pub(super) fn role(&self) -> Role {
        if self.is_name {
            return Role::Prose;
        }
        if self.within.printed {
            return Role::Output;
        }
        let Some(member) = self.member() else {
            // The frame of a recording: bytes for a terminal are what it is made of.
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

    /// Tells where in the record bytes of the decoded text are written. What
    /// [`RecordString::decode`] couldn't read stands as it is.
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

/// Where the bytes of a string's decoded text are written in the record. Goes through the string
/// once as long as it is asked for places in their order, however many there are.
#[derive(Debug, Clone)]
pub(super) struct Offsets<'a> {
    /// Where the string begins in the record.
    at: usize,
    inner: &'a str,
    escaped: bool,
    /// Bytes that were gone through as written, and as they are meant.
    raw: usize,
    meant: usize,
}

impl Offsets<'_> {
    /// Where in the record the byte `decoded` of the decoded text is written.
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

    /// Where in the record a stretch of the decoded text is written.
    pub(super) fn range(&mut self, decoded: Range<usize>) -> Range<usize> {
        let start = self.of(decoded.start);
        start..self.of(decoded.end)
    }

    /// Goes on until the first `decoded` bytes of the text that is meant are written.
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
                // A half that stands alone is read as U+FFFD, which has three bytes as well.
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

/// Where the quote stands that ends the string which begins at `start`, and whether a backslash
/// stands before it.
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
                    // In order or not: the answer is the same.
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

        /// Whether it can be read or not: a string with an escape that there is none of stands as
        /// it is.
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
