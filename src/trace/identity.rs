//! Comparison of ids of agents, governors and signers, independent of their notation.

use content_scan::passes_for;
use std::borrow::Cow;
use text_safety::invisible_chars::is_ignorable;
use unicode_normalization::UnicodeNormalization as _;

/// An id in the forms in which it is compared with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    plain: Box<str>,
    seen: Option<Box<str>>,
}

impl Identity {
    /// Normalises an id.
    #[must_use]
    pub fn of(id: &str) -> Self {
        if id.is_ascii() && !id.bytes().any(|b| b.is_ascii_control()) {
            return Self {
                plain: id.trim().to_ascii_lowercase().into(),
                seen: None,
            };
        }
        let id = &*displayed(id);
        let plain = folded(&visible(id.chars()));
        let seen = folded(&likened(id));
        let seen = likened(&seen);
        Self {
            seen: (seen != plain).then(|| seen.into()),
            plain: plain.into(),
        }
    }

    /// Returns the id in NFKC, in one case, without surrounding white space and invisible
    /// characters. Equal plain forms mean the same id.
    #[must_use]
    pub fn plain(&self) -> &str {
        &self.plain
    }

    /// Returns the plain form with letters of other scripts replaced by Latin ones that look like
    /// them. An id with the same form can be mistaken for this one.
    #[must_use]
    pub fn seen(&self) -> &str {
        self.seen.as_deref().unwrap_or(&self.plain)
    }
}

/// Returns the shape of an id: similar letters and digits of one script become equal, such as `1`,
/// `l` and `I`, `0` and `O`, `rn` and `m`.
#[must_use]
pub fn shape(id: &str) -> String {
    let alike = |c| match c {
        'I' | '1' | '|' => 'l',
        '0' => 'o',
        other => other,
    };
    let shown = displayed(id);
    let likened = if shown.is_ascii() {
        shown
    } else {
        Cow::Owned(likened(&shown))
    };
    let letters: String = likened.chars().map(alike).collect();
    folded(&letters)
        .replace("rn", "m")
        .replace("vv", "w")
        .replace("cl", "d")
}

/// Returns which of the known names of members a reader takes a name for, if it is spelled
/// otherwise: in another case, with other separators, look-alikes or blanks, or without the
/// plural's `s`.
#[must_use]
pub fn misspelling<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let plain = |name: &str| {
        let id = Identity::of(name);
        let mut plain: String = id.seen().chars().filter(|c| c.is_alphanumeric()).collect();
        plain.truncate(plain.trim_end_matches('s').len());
        plain
    };
    if known.contains(&name) {
        return None;
    }
    let read = plain(name);
    known.iter().copied().find(|known| plain(known) == read)
}

/// Returns a text as a terminal shows it: without escape sequences and characters that a backspace
/// removes.
fn displayed(text: &str) -> Cow<'_, str> {
    if !text.contains([
        '\u{1b}', '\u{8}', '\u{90}', '\u{98}', '\u{9b}', '\u{9d}', '\u{9e}', '\u{9f}',
    ]) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let kind = match c {
            '\u{8}' => {
                shown.pop();
                continue;
            }
            '\u{1b}' => chars.next(),
            '\u{9b}' => Some('['),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => Some(']'),
            c => {
                shown.push(c);
                continue;
            }
        };
        match kind {
            // A control sequence ends with the first character beyond its parameters.
            Some('[') => {
                while chars
                    .next()
                    .is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c))
                {}
            }
            // A control string ends with a bell or a string terminator.
            Some(']' | 'P' | 'X' | '^' | '_') => {
                while let Some(c) = chars.next() {
                    if c == '\u{1b}' && chars.peek() == Some(&'\\') {
                        chars.next();
                        break;
                    }
                    if matches!(c, '\u{7}' | '\u{9c}') {
                        break;
                    }
                }
            }
            // A sequence of two or three characters.
            Some(' '..='/') => {
                chars.next();
            }
            _ => {}
        }
    }
    Cow::Owned(shown)
}

/// Returns the visible characters in NFKC.
fn visible(text: impl Iterator<Item = char>) -> String {
    let leaves_mark =
        |c: &char| !is_ignorable(*c) && (!c.is_control() || c.is_whitespace()) && *c != '\u{2800}';
    text.filter(leaves_mark)
        .nfkc()
        .filter(leaves_mark)
        .collect()
}

/// Returns the visible characters with look-alikes of other scripts, and dashes, replaced by ASCII
/// ones.
fn likened(text: &str) -> String {
    let like = |c: char| match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ => passes_for(c).unwrap_or(c),
    };
    let likened: String = visible(text.chars().map(like)).chars().map(like).collect();
    // A second dot on a letter that has one shows nothing.
    likened.replace("i\u{307}", "i").replace("j\u{307}", "j")
}

/// Returns a text in one case, without surrounding white space.
fn folded(text: &str) -> String {
    let text = text.trim();
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let folded: String = text
        .chars()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfkc()
        .collect();
    folded.trim().to_owned()
}

/// Returns only the plain form of an id.
#[must_use]
pub fn plain(id: &str) -> Cow<'_, str> {
    let is_plain = |b: u8| b.is_ascii_graphic() && !b.is_ascii_uppercase();
    if id.bytes().all(is_plain) {
        Cow::Borrowed(id)
    } else {
        Cow::Owned(Identity::of(id).plain.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_nobody_can_tell_apart_are_the_same() {
        for other in [
            "Coder",
            " coder\t",
            "co\u{200b}der",
            "ｃｏｄｅｒ",
            "𝐜oder",
            "coder\u{feff}",
            "co\u{ad}der",
            "coder\u{a0}",
            "CODER\u{2800}",
            "\u{202e}coder",
            "c\u{0}oder",
            "coder\u{1b}[0m",
            "\u{1b}[1;31mcoder\u{9b}m",
            "\u{1b}]0;x\u{7}co\u{1b}(Bder",
            "\u{1b}]8;;http://x\u{1b}\\coder",
            "coderx\u{8}",
        ] {
            assert_eq!(Identity::of(other).plain(), "coder", "{other:?}");
            assert_eq!(plain(other), "coder", "{other:?}");
        }
        assert_eq!(
            Identity::of("Straße").plain(),
            Identity::of("STRASSE").plain()
        );
        assert_eq!(Identity::of("ΑΣ").plain(), Identity::of("ας").plain());
        assert_eq!(
            Identity::of("e\u{301}va").plain(),
            Identity::of("Éva").plain()
        );
        for other in ["coder-2", "сoder", "códer", "co der", ""] {
            assert_ne!(Identity::of(other).plain(), "coder", "{other:?}");
        }
    }

    #[test]
    fn ids_in_other_scripts_pass_for_what_they_look_like() {
        for other in [
            "сoder",
            "СODER",
            "соdеr",
            "c\u{3bf}der",
            "ϲoder",
            "co\u{200d}dеr",
        ] {
            assert_eq!(Identity::of(other).seen(), "coder", "{other:?}");
        }
        for (other, one) in [
            ("codeг", "coder"),
            ("coԁer", "coder"),
            ("ᴄoder", "coder"),
            ("cꓳder", "coder"),
            ("cⲟder", "coder"),
            ("co\u{ab70}er", "coder"),
            ("ᏟᎾᎠᎬᎡ", "coder"),
            ("ьot", "bot"),
            ("вот", "bot"),
            ("ops∶coder", "ops:coder"),
            ("o’hara", "o'hara"),
            ("o＇hara", "o'hara"),
            ("кимн", "kumh"),
            ("🅲oder", "coder"),
            ("i\u{307}ris", "iris"),
            ("İris", "iris"),
            ("j\u{307}im", "jim"),
        ] {
            assert_eq!(Identity::of(other).seen(), one, "{other:?}");
        }
        assert_eq!(Identity::of("agent\u{2011}1").seen(), "agent-1");
        assert_eq!(Identity::of("Нина").plain(), Identity::of("нина").plain());
        for (one, other) in [("Нина", "Hina"), ("Оля", "Olya"), ("код", "kod")] {
            assert_ne!(
                Identity::of(one).seen(),
                Identity::of(other).seen(),
                "{one}"
            );
        }
    }

    #[test]
    fn look_alikes_within_a_script_have_one_shape() {
        for (one, other) in [
            ("agent-1", "agent-l"),
            ("agent-1", "agent-I"),
            ("agent-O", "agent-0"),
            ("govern", "govem"),
            ("wiki", "vviki"),
            ("cloud", "doud"),
            ("Ivan", "lvan"),
        ] {
            assert_eq!(shape(one), shape(other), "{one}");
            assert_ne!(
                Identity::of(one).seen(),
                Identity::of(other).seen(),
                "{one}"
            );
        }
        for (one, other) in [
            ("agent-1", "agent-2"),
            ("alice", "bob"),
            ("agent-1", "agent-i"),
            ("agent-10", "agent-11"),
        ] {
            assert_ne!(shape(one), shape(other), "{one}");
        }
    }
}
