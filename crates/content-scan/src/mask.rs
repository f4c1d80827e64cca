//! Hides known secrets in all texts of a report.
//!
//! A finding may quote any part of a record: an id, a path, an excerpt of a line. Once a secret is
//! known, every sequence of eight bytes of it is hidden everywhere. A quotation that is cut inside
//! a secret therefore doesn't reveal the rest.

use std::collections::HashSet;

/// Length in bytes of a sequence that counts as a part of a secret.
const WINDOW: usize = 8;
/// Maximum number of sequences, which take about 10 MB. If there are more, nothing is quoted.
const MOST: usize = 1 << 19;
/// The replacement for a secret.
pub const HIDDEN: &str = "[secret]";
/// The replacement for every text if there are too many secrets.
const WITHHELD: &str = "[withheld: the input holds too many secrets]";

/// The known secrets.
#[derive(Debug, Clone, Default)]
pub struct Mask {
    windows: HashSet<[u8; WINDOW]>,
    /// Secrets shorter than a sequence, by length. A text is searched once for each length, however
    /// many secrets there are.
    short: [HashSet<Vec<u8>>; WINDOW],
    overflow: bool,
}

impl Mask {
    /// Adds a secret.
    pub fn add(&mut self, secret: &str) {
        if self.len() + secret.len() > MOST {
            self.overflow = true;
        } else if let Some(short) = self.short.get_mut(secret.len()) {
            short.insert(secret.as_bytes().to_vec());
        } else {
            self.windows.extend(
                secret
                    .as_bytes()
                    .windows(WINDOW)
                    .filter_map(|w| <[u8; WINDOW]>::try_from(w).ok()),
            );
        }
    }

    /// Returns the number of stored sequences.
    fn len(&self) -> usize {
        self.windows.len() + self.short.iter().map(HashSet::len).sum::<usize>()
    }

    /// Returns whether the mask contains no secret.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.overflow && self.len() == 0
    }

    /// Returns the text without secrets; `None` if it contains none.
    #[must_use]
    pub fn hide(&self, text: &str) -> Option<String> {
        if self.overflow {
            return Some(WITHHELD.to_owned());
        }
        let hidden = self.hidden(text)?;
        let mut out = String::with_capacity(text.len());
        let mut inside = false;
        for (c, secret) in text
            .char_indices()
            .map(|(at, c)| (c, hidden.get(at) == Some(&true)))
        {
            match (secret, inside) {
                (true, false) => out.push_str(HIDDEN),
                (true, true) => {}
                (false, _) => out.push(c),
            }
            inside = secret;
        }
        Some(out)
    }

    /// Removes the secrets from a text in place.
    pub fn clean(&self, text: &mut String) {
        if let Some(hidden) = self.hide(text) {
            *text = hidden;
        }
    }

    /// Adds the secrets of another mask.
    pub fn absorb(&mut self, other: Self) {
        self.windows.extend(other.windows);
        for (short, others) in self.short.iter_mut().zip(other.short) {
            short.extend(others);
        }
        self.overflow |= other.overflow || self.len() > MOST;
    }

    /// Replaces secrets without changing the length in bytes, so that offsets into the text stay
    /// valid. `None` if the text contains none.
    #[must_use]
    pub fn redact_span(&self, text: &str) -> Option<String> {
        let all = || vec![true; text.len()];
        let hidden = if self.overflow {
            Some(all())
        } else {
            self.hidden(text)
        }?;
        Some(redact_span(text, |at| hidden.get(at) == Some(&true)))
    }

    /// Marks the bytes of characters that a secret touches; `None` if there are none.
    fn hidden(&self, text: &str) -> Option<Vec<bool>> {
        let bytes = text.as_bytes();
        let mut hidden = vec![false; bytes.len()];
        let mut any = false;
        let mut mark = |from: usize, length: usize| {
            any = true;
            hidden
                .iter_mut()
                .skip(from)
                .take(length)
                .for_each(|b| *b = true);
        };
        if !self.windows.is_empty() {
            for (at, window) in bytes.windows(WINDOW).enumerate() {
                if <[u8; WINDOW]>::try_from(window).is_ok_and(|w| self.windows.contains(&w)) {
                    mark(at, WINDOW);
                }
            }
        }
        // Length 0 is skipped: an empty secret hides nothing.
        for (length, short) in self
            .short
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(_, short)| !short.is_empty())
        {
            for (at, stretch) in bytes.windows(length).enumerate() {
                if short.contains(stretch) {
                    mark(at, length);
                }
            }
        }
        if !any {
            return None;
        }
        for (at, c) in text.char_indices() {
            let whole = at..at + c.len_utf8();
            if hidden.get(whole.clone()).is_some_and(|h| h.contains(&true)) {
                hidden
                    .iter_mut()
                    .skip(at)
                    .take(whole.len())
                    .for_each(|b| *b = true);
            }
        }
        Some(hidden)
    }
}

/// Replaces every byte of hidden characters by `*`.
pub fn redact_span(text: &str, hidden: impl Fn(usize) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if hidden(at) {
            out.extend(std::iter::repeat_n('*', c.len_utf8()));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parts_of_secrets_are_hidden() {
        let mut mask = Mask::default();
        assert!(mask.is_empty() && mask.hide("anything").is_none());
        mask.add("q7Zk2vX9pLm4Ws");
        mask.add("pw1");
        assert_eq!(
            mask.hide("the id `q7Zk2vX9pLm4Ws` and `…2vX9pLm4` cut"),
            Some("the id `[secret]` and `…[secret]` cut".into())
        );
        assert_eq!(
            mask.hide("user:pw1@host"),
            Some("user:[secret]@host".into())
        );
        assert_eq!(
            mask.redact_span("a q7Zk2vX9pLm4Ws b"),
            Some("a ************** b".into())
        );
        assert_eq!(
            mask.hide("q7Zk2vX"),
            None,
            "seven characters are too few to go by"
        );
    }

    #[test]
    fn too_many_secrets_silence_the_report() {
        let mut mask = Mask::default();
        mask.add(&"x".repeat(MOST + 1));
        assert!(!mask.is_empty());
        assert_eq!(mask.hide("anything").as_deref(), Some(WITHHELD));
    }

    /// A text's cost once depended on the number of short secrets.
    #[test]
    fn many_short_secrets_cost_what_one_does() {
        let mut mask = Mask::default();
        let secrets: Vec<String> = (0..100_000).map(|n| format!("p{n:05}")).collect();
        for secret in &secrets {
            mask.add(secret);
        }
        mask.add("");
        for secret in secrets.iter().take(2000) {
            assert_eq!(
                mask.hide(&format!("it is {secret}.")),
                Some("it is [secret].".into())
            );
        }
    }

    proptest! {
        #[test]
        fn no_stretch_of_a_secret_is_left(secret in "[a-c€]{1,20}", text in "[a-c€ ]{0,60}", cut in 0usize..20) {
            let mut mask = Mask::default();
            mask.add(&secret);
            let cut: String = secret.chars().skip(cut).collect();
            let text = format!("{text}{secret}{cut}");
            let shown = mask.hide(&text).unwrap();
            let length = secret.len().min(WINDOW);
            for window in secret.as_bytes().windows(length) {
                prop_assert!(memchr::memmem::find(shown.replace(HIDDEN, " ").as_bytes(), window).is_none());
            }
            prop_assert_eq!(mask.redact_span(&text).unwrap().len(), text.len());
        }
    }
}
