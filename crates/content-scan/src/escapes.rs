//! Finds in one pass which escapes a text contains. It reads every byte of the input, and nearly
//! all texts contain none.

#![expect(clippy::inline_always, reason = "see `text_simd::dispatch`")]

use super::secret::visible::is_splitter;
use text_simd::{self, CHUNK, Kinds as _, Lanes};

/// The kinds of escapes in a text, which decide what else is scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Escapes {
    /// `\uhhhh`.
    pub(super) unicode: bool,
    /// `\/`.
    pub(super) slash: bool,
    /// `\r`, `\b` or `\f`.
    pub(super) control: bool,
    /// Bytes outside of visible ASCII. This isn't an escape.
    pub(super) beyond: bool,
}

impl Escapes {
    /// Scans a text. An escaped backslash counts as the start of an escape, so the result errs on
    /// the side of true.
    pub fn of(text: &str) -> Self {
        text_simd::dispatch(EscapeScan {
            bytes: text.as_bytes(),
            found: Self::default(),
            beyond: Lanes::splat(0),
        })
    }
}

/// The state of a scan.
struct EscapeScan<'b> {
    bytes: &'b [u8],
    found: Escapes,
    /// Accumulates, per lane, whether a byte was outside of visible ASCII.
    beyond: Lanes,
}

impl text_simd::Work for EscapeScan<'_> {
    type Output = Escapes;

    #[inline(always)]
    fn call(mut self) -> Escapes {
        let (chunks, rest) = self.bytes.as_chunks();
        for (n, chunk) in chunks.iter().enumerate() {
            self.chunk(n * CHUNK, chunk);
        }
        self.chunk(chunks.len() * CHUNK, &text_simd::first(rest));
        // The highest bit of a non-ASCII byte is set.
        Escapes {
            beyond: self.beyond.any(),
            ..self.found
        }
    }
}

impl EscapeScan<'_> {
    #[inline(always)]
    fn chunk(&mut self, base: usize, chunk: &[u8; CHUNK]) {
        let lanes = text_simd::lanes(chunk);
        for lane in lanes {
            self.beyond |= lane | lane.are(0x7f);
        }
        let mut escapes = text_simd::word(lanes.map(|lane| lane.are(b'\\')));
        while escapes != 0 {
            match self.bytes.get(base + escapes.trailing_zeros() as usize + 1) {
                Some(b'u') => self.found.unicode = true,
                Some(b'/') => self.found.slash = true,
                Some(b'r' | b'b' | b'f') => self.found.control = true,
                _ => {}
            }
            escapes &= escapes - 1;
        }
    }
}

/// Returns whether the backslash at an offset starts an escape. In code, it is often the second
/// half of an escaped backslash. The text must be valid JSON, or be inside a string of it.
pub(super) fn is_start(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().iter();
    before.rev().take_while(|byte| **byte == b'\\').count() % 2 == 0
}

/// Returns the code units of the `\uhhhh` escapes in a text, with their byte offsets. A backslash
/// that is itself escaped counts too.
pub(super) fn units(text: &str) -> impl Iterator<Item = (usize, u32)> {
    memchr::memmem::find_iter(text.as_bytes(), br"\u").filter_map(|at| {
        let digits = text.get(at + 2..at + 6)?;
        Some((at, u32::from_str_radix(digits, 16).ok()?))
    })
}

/// A text that isn't valid JSON, with `\uhhhh` escapes resolved if they can be in a token or split
/// one. A truncated line may still contain a secret.
#[derive(Debug)]
pub(super) struct Unescaped {
    pub text: String,
    /// The places of the resolved characters, each with the number of bytes that were saved up to
    /// there.
    places: Vec<(usize, usize)>,
}

impl Unescaped {
    /// Resolves the escapes in a text; `None` if there are none.
    pub fn of(written: &str) -> Option<Self> {
        let mut resolved = Self {
            text: String::new(),
            places: Vec::new(),
        };
        let (mut rest, mut saved) = (written, 0);
        while let Some((plain, behind)) = rest.split_once(r"\u") {
            resolved.text.push_str(plain);
            let unit = behind
                .get(..4)
                .filter(|h| h.bytes().all(|b| b.is_ascii_hexdigit()));
            if let Some(c) = unit
                .and_then(|h| u32::from_str_radix(h, 16).ok())
                .and_then(char::from_u32)
                .filter(|c| matches!(c, ' '..='~' | '\u{1b}') || is_splitter(*c))
            {
                saved += 6 - c.len_utf8();
                resolved.places.push((resolved.text.len(), saved));
                resolved.text.push(c);
                rest = behind.get(4..).unwrap_or_default();
            } else {
                resolved.text.push_str(r"\u");
                rest = behind;
            }
        }
        if resolved.places.is_empty() {
            return None;
        }
        resolved.text.push_str(rest);
        Some(resolved)
    }

    /// Returns the position in the original text of a byte of the resolved text.
    pub(super) fn origin(&self, at: usize) -> usize {
        let before = self.places.partition_point(|(place, _)| *place < at);
        let saved = before.checked_sub(1).and_then(|n| self.places.get(n));
        at + saved.map_or(0, |(_, saved)| *saved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn places_are_those_of_the_text_as_written() {
        let written = r"a\u0041b\u00e9\u200b\u0042!";
        let found = Unescaped::of(written).unwrap();
        assert_eq!(found.text, "aAb\\u00e9\u{200b}B!");
        for (at, c) in found.text.char_indices() {
            let origin = written.get(found.origin(at)..).unwrap();
            assert!(
                origin.starts_with(c)
                    || origin.starts_with(r"\u004")
                    || origin.starts_with(r"\u200b"),
                "{origin}"
            );
        }
        assert!(Unescaped::of(r"\u00e9 \n").is_none());
    }

    proptest! {
        #[test]
        fn agrees_with_a_search(text in r#"([a-z"/\\]|\\u0041|\\/|\\n|\\r){0,12}"#, before in 0usize..2100) {
            let text = format!("{}{text}", "x".repeat(before));
            prop_assert!(!Escapes::of(&text).beyond);
            for beyond in ["\u{7f}", "é"] {
                prop_assert!(Escapes::of(&[&text, beyond, &text].concat()).beyond);
            }
            let escapes = Escapes::of(&text);
            prop_assert_eq!(escapes.unicode, text.contains(r"\u"));
            prop_assert_eq!(escapes.slash, text.contains(r"\/"));
            prop_assert_eq!(escapes.control, [r"\r", r"\b", r"\f"].iter().any(|e| text.contains(e)));
        }
    }
}
