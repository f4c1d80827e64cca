//! Which kinds of escapes a JSON text holds: one branchless pass, because nearly every text holds none that
//! matters and every byte comes by here.

/// The kinds of escapes that a scan asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Escapes(u8);

impl Escapes {
    const UNICODE: u8 = 1;
    const SLASH: u8 = 2;
    const CONTROL: u8 = 4;

    /// Looks a text over. A backslash that is escaped itself counts as one: this may err to the side of yes.
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let next = bytes.get(1..).unwrap_or_default();
        let mut kinds = 0;
        // In stretches, so that the sum stays in registers.
        for (here, next) in bytes.chunks(1 << 10).zip(next.chunks(1 << 10)) {
            let sum = here.iter().zip(next).fold(0_u8, |sum, (a, b)| {
                let unicode = u8::from(*b == b'u') * Self::UNICODE;
                let slash = u8::from(*b == b'/') * Self::SLASH;
                let control = (u8::from(*b == b'r') | u8::from(*b == b'b') | u8::from(*b == b'f')) * Self::CONTROL;
                sum | (u8::from(*a == b'\\') * (unicode | slash | control))
            });
            kinds |= sum;
        }
        Self(kinds)
    }

    /// `\uhhhh`.
    pub(super) const fn unicode(self) -> bool {
        self.0 & Self::UNICODE != 0
    }

    /// `\/`.
    pub(super) const fn slash(self) -> bool {
        self.0 & Self::SLASH != 0
    }

    /// `\r`, `\b` or `\f`.
    pub(super) const fn control(self) -> bool {
        self.0 & Self::CONTROL != 0
    }
}

/// A text that is no JSON, with its `\uhhhh` escapes of ASCII characters resolved: a line that was cut off still means what it says.
#[derive(Debug)]
pub(super) struct Unescaped {
    /// The text.
    pub(super) text: String,
    /// Where the resolved characters stand in it, in order; each took five bytes more.
    places: Vec<usize>,
}

impl Unescaped {
    /// Resolves the escapes of a text; `None` if there are none.
    pub(super) fn of(written: &str) -> Option<Self> {
        let mut resolved = Self { text: String::new(), places: Vec::new() };
        let mut rest = written;
        while let Some((plain, behind)) = rest.split_once(r"\u") {
            resolved.text.push_str(plain);
            let unit = behind.get(..4).filter(|h| h.bytes().all(|b| b.is_ascii_hexdigit()));
            if let Some(byte) = unit.and_then(|h| u8::from_str_radix(h, 16).ok()).filter(|b| (b' '..=b'~').contains(b)) {
                resolved.places.push(resolved.text.len());
                resolved.text.push(char::from(byte));
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
        at + 5 * self.places.partition_point(|place| *place < at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn places_are_those_of_the_text_as_written() {
        let written = r"a\u0041b\u00e9\u0042!";
        let found = Unescaped::of(written).unwrap();
        assert_eq!(found.text, r"aAb\u00e9B!");
        for (at, c) in found.text.char_indices() {
            let origin = written.get(found.origin(at)..).unwrap();
            assert!(origin.starts_with(c) || origin.starts_with(r"\u004"), "{origin}");
        }
        assert!(Unescaped::of(r"\u00e9 \n").is_none());
    }

    proptest! {
        #[test]
        fn agrees_with_a_search(text in r#"([a-z"/\\]|\\u0041|\\/|\\n|\\r){0,12}"#, before in 0usize..2100) {
            let text = format!("{}{text}", "x".repeat(before));
            let escapes = Escapes::of(&text);
            prop_assert_eq!(escapes.unicode(), text.contains(r"\u"));
            prop_assert_eq!(escapes.slash(), text.contains(r"\/"));
            prop_assert_eq!(escapes.control(), [r"\r", r"\b", r"\f"].iter().any(|e| text.contains(e)));
        }
    }
}
