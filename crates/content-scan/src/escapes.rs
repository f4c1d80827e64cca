//! Which escapes a text contains, found in one pass. Nearly every text contains none, and every
//! byte of an input passes through here.

#![expect(clippy::inline_always, reason = "see `text_simd::at_best`")]

use super::secret::visible::is_splitter;
use text_simd::{self, CHUNK, Kinds as _, Lanes};

/// The kinds of escapes that decide what else is scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Escapes {
    /// `\uhhhh`.
    pub(super) unicode: bool,
    /// `\/`.
    pub(super) slash: bool,
    /// `\r`, `\b` or `\f`.
    pub(super) control: bool,
    /// No escape: bytes beyond the visible ones of ASCII.
    pub(super) beyond: bool,
}

impl Escapes {
    /// Scans a text. A backslash that is escaped itself counts as one: this may err to the
    /// side of yes.
    pub fn of(text: &str) -> Self {
        text_simd::dispatch(EscapeScan {
            bytes: text.as_bytes(),
            found: Self::default(),
            beyond: Lanes::splat(0),
        })
    }
}

/// A text while it is scanned.
struct EscapeScan<'b> {
    bytes: &'b [u8],
    found: Escapes,
    /// Of all lanes so far those with bytes beyond the visible ones.
    beyond: Lanes,
}

impl text_simd::Work for EscapeScan<'_> {
    type Output = Escapes;

    #[inline(always)]
    fn call(mut self) -> Escapes {
        let (stretches, rest) = self.bytes.as_chunks();
        for (n, stretch) in stretches.iter().enumerate() {
            self.stretch(n * CHUNK, stretch);
        }
        self.stretch(stretches.len() * CHUNK, &text_simd::first(rest));
        // The highest bit of a byte that is no ASCII is set.
        Escapes {
            beyond: self.beyond.any(),
            ..self.found
        }
    }
}

impl EscapeScan<'_> {
    #[inline(always)]
    fn stretch(&mut self, base: usize, stretch: &[u8; CHUNK]) {
        let lanes = text_simd::lanes(stretch);
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

/// The code units that the `\uhhhh` escapes of a text stand for.
pub(super) fn units(text: &str) -> impl Iterator<Item = u32> {
    memchr::memmem::find_iter(text.as_bytes(), br"\u").filter_map(|at| {
        let digits = text.get(at + 2..at + 6)?;
        u32::from_str_radix(digits, 16).ok()
    })
}

/// A text that is not valid JSON, with those `\uhhhh` escapes resolved that a token may hold or be
/// split by: a line that was cut off still means what it says.
#[derive(Debug)]
pub(super) struct Unescaped {
    pub text: String,
    /// Where the resolved characters are, in order, each with how many bytes all of them so far
    /// took more as escapes.
    places: Vec<(usize, usize)>,
}

impl Unescaped {
    /// Resolves the escapes of a text; `None` if there are none.
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

    /// Where a byte of the resolved text begins in the text as written.
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
