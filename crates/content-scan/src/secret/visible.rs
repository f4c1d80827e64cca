//! The visible part of a text, without the characters and sequences that can split a token
//! invisibly.

use crate::hidden;
use crate::unusual::unusual;
use std::ops::Range;

/// A text without zero-width characters, soft hyphens and colours.
#[derive(Debug)]
pub(crate) struct Visible {
    pub(crate) text: String,
    /// The places in `text` at which something was removed, each with the number of bytes removed
    /// up to there.
    removed: Vec<(usize, usize)>,
}

impl Visible {
    /// Removes invisible parts from a text; `None` if it has none.
    pub(crate) fn new(written: &str) -> Option<Self> {
        // Most texts contain neither.
        if written.is_ascii() && memchr::memchr(0x1b, written.as_bytes()).is_none() {
            return None;
        }
        let mut visible = Self {
            text: String::new(),
            removed: Vec::new(),
        };
        let (mut kept, mut total) = (0, 0);
        let candidates = unusual(written).filter(|(_, c)| *c == '\u{1b}' || !c.is_ascii());
        for (at, c) in candidates {
            if at < kept {
                continue;
            }
            let length = splitter(c, written.get(at..).unwrap_or_default());
            if length > 0 {
                visible
                    .text
                    .push_str(written.get(kept..at).unwrap_or_default());
                total += length;
                visible.removed.push((visible.text.len(), total));
                kept = at + length;
            }
        }
        visible
            .text
            .push_str(written.get(kept..).unwrap_or_default());
        let bytes = visible.text.as_bytes();
        let splits = |(at, _): &(usize, usize)| {
            bytes
                .get(at.wrapping_sub(1)..at + 1)
                .is_some_and(|around| around.iter().all(u8::is_ascii_graphic))
        };
        visible.removed.iter().any(splits).then_some(visible)
    }

    /// Returns the original range of a range of the visible text. Parts removed at its ends are
    /// excluded.
    pub(crate) fn origin(&self, visible: Range<usize>) -> Range<usize> {
        let removed = |before: usize| {
            before
                .checked_sub(1)
                .and_then(|n| self.removed.get(n))
                .map_or(0, |(_, total)| *total)
        };
        let start = self.removed.partition_point(|(at, _)| *at <= visible.start);
        let end = self.removed.partition_point(|(at, _)| *at < visible.end);
        visible.start + removed(start)..visible.end + removed(end)
    }
}

/// Returns whether a character is invisible.
pub(crate) const fn is_splitter(c: char) -> bool {
    !c.is_ascii() && hidden::invisible(c).is_some()
}

/// Returns the length of the invisible character or sequence at the start of a text, or 0.
fn splitter(first: char, text: &str) -> usize {
    if is_splitter(first) {
        return first.len_utf8();
    }
    let bytes = text.as_bytes();
    let parameters = match bytes {
        [0x1b, b'[', rest @ ..] | [0xc2, 0x9b, rest @ ..] => rest,
        // A switch back to ASCII, as `tput sgr0` writes it.
        [0x1b, b'(', b'B', ..] => return 3,
        _ => return 0,
    };
    let length = parameters
        .iter()
        .position(|b| !(b.is_ascii_digit() || matches!(b, b';' | b':')))
        .unwrap_or(parameters.len());
    // Colours and weights, and clearing the rest of a line.
    match parameters.get(length) {
        Some(b'm' | b'K') => length + 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_shows_nothing_is_removed() {
        for split in [
            "\u{200b}",
            "\u{ad}",
            "\u{2060}\u{feff}",
            "\u{1b}[1m",
            "\u{1b}[01;31m\u{1b}[K",
            "\u{9b}0m",
            "\u{1b}(B",
        ] {
            let written = format!("{split}é AK{split}IA{split}");
            let visible = Visible::new(&written).unwrap();
            assert_eq!(visible.text, "é AKIA");
            let place = visible.origin(3..7);
            assert_eq!(written.get(place), Some(&*format!("AK{split}IA")));
        }
        for whole in [
            "plain",
            "é",
            "a\u{1b}[2Jb",
            "a\u{1b}[",
            "\u{1b}[1m bold \u{1b}[m",
            "\u{200b}",
        ] {
            assert!(Visible::new(whole).is_none(), "{whole:?}");
        }
    }

    proptest! {
        #[test]
        fn places_lead_back(parts in proptest::collection::vec(("[a-cé]{0,3}", 0..4_usize), 0..8)) {
            let splits = ["", "\u{200b}", "\u{1b}[1m", "\u{ad}"];
            let written: String = parts.iter().map(|(text, n)| format!("{text}{}", splits[*n])).collect();
            if let Some(visible) = Visible::new(&written) {
                for (at, c) in visible.text.char_indices() {
                    let place = visible.origin(at..at + c.len_utf8());
                    prop_assert_eq!(written.get(place), Some(&*c.to_string()));
                }
            }
        }
    }
}
