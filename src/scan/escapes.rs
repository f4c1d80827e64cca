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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
