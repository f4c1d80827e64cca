//! The strings of a record, with where they stand and what they are for.
//!
//! The walk is over text that the scanner of [`crate::json`] has accepted; on anything else it finds
//! something or nothing, and ends.

use crate::json::Str;
use std::borrow::Cow;

/// A string of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'a, 'p> {
    /// Byte offset of its first byte behind the quote.
    pub(super) at: usize,
    /// What stands between the quotes, as written.
    pub(super) inner: &'a str,
    /// Whether it holds escapes.
    escaped: bool,
    /// The member names that lead to it, as written; an array is an empty name.
    names: &'p [&'a str],
    /// Whether it is a member name itself.
    pub(super) is_name: bool,
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

impl<'a> Found<'a, '_> {
    /// The text that is meant.
    pub(super) fn decode(&self, record: &'a str) -> Cow<'a, str> {
        if !self.escaped {
            return Cow::Borrowed(self.inner);
        }
        let quoted = record.get(self.at.saturating_sub(1)..self.at + self.inner.len() + 1);
        let read: Option<Str<'a>> = quoted.and_then(|q| crate::json::from_text(q).ok());
        read.map_or(Cow::Borrowed(self.inner), Str::decode)
    }

    /// The innermost member that it belongs to.
    pub(super) fn member(&self) -> Option<&'a str> {
        self.names.iter().rev().find(|n| !n.is_empty()).copied()
    }

    /// What it is for.
    pub(super) fn role(&self) -> Role {
        if self.is_name {
            return Role::Prose;
        }
        if self.names.iter().any(|n| matches!(*n, "output" | "stdout" | "stderr" | "rawOutput" | "recentMessages" | "messages")) {
            return Role::Output;
        }
        let Some(member) = self.member() else {
            // The frame of a recording: bytes for a terminal are what it is made of.
            return Role::Output;
        };
        match member {
            // A payload that is a bare string is a command.
            "command" | "cmd" | "script" | "payload" => Role::Command,
            "path" | "paths" | "file" | "files" | "filePath" | "file_path" | "filename" | "fileName" | "cwd" | "dir"
            | "directory" | "target" | "targets" | "source" | "destination" | "artifacts" | "affectedFiles"
            | "declaredChanges" | "observedChanges" | "usedContext" | "added" | "removed" | "changed" | "scope" => Role::Path,
            "diff" | "patch" | "content" | "contents" | "text" | "old_string" | "new_string" | "oldText" | "newText" | "code" => {
                Role::Code
            }
            _ => Role::Prose,
        }
    }

    /// Where in the record the byte `decoded` of the decoded text is written.
    pub(super) fn offset(&self, decoded: usize) -> usize {
        if self.escaped { self.at + raw_offset(self.inner, decoded) } else { self.at + decoded }
    }
}

/// How many bytes of escaped text write the first `decoded` bytes of the text that is meant.
fn raw_offset(inner: &str, decoded: usize) -> usize {
    let bytes = inner.as_bytes();
    let (mut raw, mut meant) = (0, 0);
    while meant < decoded && raw < bytes.len() {
        if bytes.get(raw) != Some(&b'\\') {
            raw += 1;
            meant += 1;
            continue;
        }
        if bytes.get(raw + 1) != Some(&b'u') {
            raw += 2;
            meant += 1;
            continue;
        }
        let unit = |at: usize| inner.get(at + 2..at + 6).and_then(|d| u32::from_str_radix(d, 16).ok()).unwrap_or(0xFFFD);
        let high = unit(raw);
        let pair = (0xD800..0xDC00).contains(&high)
            && bytes.get(raw + 6..raw + 8) == Some(br"\u".as_slice())
            && (0xDC00..0xE000).contains(&unit(raw + 6));
        raw += if pair { 12 } else { 6 };
        meant += match high {
            _ if pair => 4,
            0..0x80 => 1,
            0x80..0x800 => 2,
            // A half that stands alone is read as U+FFFD, which has three bytes as well.
            _ => 3,
        };
    }
    raw.min(inner.len())
}

/// Calls `visit` for each string, in the order of the text.
pub(super) fn each<'a>(text: &'a str, mut visit: impl FnMut(Found<'a, '_>)) {
    let bytes = text.as_bytes();
    let mut names: Vec<&'a str> = Vec::new();
    let mut pos = 0;
    while let Some(byte) = bytes.get(pos) {
        match byte {
            b'"' => {
                let start = pos + 1;
                let (end, escaped) = closing_quote(bytes, start);
                let inner = text.get(start..end).unwrap_or_default();
                let behind = bytes.get(end + 1..).unwrap_or_default().iter().find(|b| !b.is_ascii_whitespace());
                let is_name = behind == Some(&b':');
                if is_name && let Some(top) = names.last_mut() {
                    *top = inner;
                }
                visit(Found { at: start, inner, escaped, names: &names, is_name });
                pos = end;
            }
            b'{' | b'[' => names.push(""),
            b'}' | b']' => {
                names.pop();
            }
            _ => {}
        }
        pos += 1;
    }
}

/// Where the quote stands that ends the string which begins at `start`, and whether a backslash stands before it.
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
        let expected = [("x", Role::Prose), ("l\"s", Role::Command), ("p", Role::Path), ("q", Role::Output), ("y", Role::Prose)];
        assert_eq!(seen, expected.map(|(t, r)| (t.to_owned(), r)));
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
                for (at, _) in decoded.char_indices() {
                    let rest = written.get(f.offset(at)..).unwrap();
                    let again: String = serde_json::from_str(&format!("\"{rest}")).unwrap();
                    assert_eq!(again, text.get(at..).unwrap());
                }
            });
        }

        #[test]
        fn any_text_can_be_walked(text in any::<String>()) {
            each(&text, |f| {
                let _ = (f.decode(&text), f.offset(3), f.role());
            });
        }
    }
}
