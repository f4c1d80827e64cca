//! Names of tools, programs, hosts, agents and modes, as rules write them.

use super::pattern::wildcard;
use regex::Regex;

/// What stands for an unknown part of a text.
pub(crate) const UNKNOWN_PART: &str = "$…";

/// The longest known beginning of a text.
const MAX_BEGINNING: usize = 40;

/// The characters that mean something in a regular expression.
const METAS: [char; 14] = [
    '\\', '.', '+', '*', '?', '(', ')', '|', '[', ']', '{', '}', '^', '$',
];

/// A pattern for names.
#[derive(Debug, Clone)]
pub(crate) enum Name {
    Exact(String),
    Star(String),
    /// A regular expression, case-sensitive and case-insensitive.
    Regex(Regex, Regex),
}

impl Name {
    pub(crate) fn fits(&self, text: &str, strict: bool) -> bool {
        match self {
            Self::Exact(name) if strict => name == text,
            Self::Exact(name) => name.eq_ignore_ascii_case(text),
            Self::Star(pattern) => wildcard(pattern, text, !strict),
            Self::Regex(exact, blind) => exact.is_match(text) || !strict && blind.is_match(text),
        }
    }

    /// The name as written.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Exact(text) | Self::Star(text) => text,
            Self::Regex(exact, _) => exact.as_str(),
        }
    }

    /// The text that all texts that match begin with, as far as it is known.
    pub(crate) fn beginning(&self) -> String {
        let (text, metas): (&str, &[char]) = match self {
            Self::Exact(text) => (text, &[]),
            Self::Star(pattern) => (pattern, &['*']),
            Self::Regex(exact, _) => {
                let text = exact.as_str();
                // An alternative may begin otherwise.
                let text = text.strip_prefix('^').filter(|text| !text.contains('|'));
                (text.unwrap_or_default(), &METAS)
            }
        };
        let end = text.find(metas).unwrap_or(text.len());
        let mut begins: Vec<char> = text.get(..end).unwrap_or_default().chars().collect();
        // The last character may be repeated, or not be there.
        if matches!(self, Self::Regex(..)) && end < text.len() {
            begins.pop();
        }
        begins.into_iter().take(MAX_BEGINNING).collect()
    }

    /// Whether a text with an unknown part may match, for a rule that forbids.
    pub(crate) fn may_fit(&self, text: &str) -> bool {
        let Some((known, _)) = text.split_once(UNKNOWN_PART) else {
            return false;
        };
        let begins = self.beginning();
        let both = known.len().min(begins.len());
        match (known.as_bytes().get(..both), begins.as_bytes().get(..both)) {
            (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
            _ => true,
        }
    }

    /// The texts that [`Self::may_fit`], as a regular expression over bytes that ignores case.
    pub(crate) fn open_expression(&self) -> String {
        let begins = self.beginning();
        let hole = regex_syntax::escape(UNKNOWN_PART);
        let mut all = vec![format!("{}.*", regex_syntax::escape(&begins))];
        let cuts = begins.char_indices().map(|(at, _)| begins.get(..at));
        all.extend(cuts.flatten().map(regex_syntax::escape));
        format!("(?s)^(?:{}){hole}", all.join("|"))
    }

    /// The first byte of all names that match, ignoring case; `None` if it varies.
    pub(crate) fn first(&self) -> Option<u8> {
        match self {
            Self::Exact(name) => name.bytes().next(),
            Self::Star(pattern) => pattern.bytes().next().filter(|byte| *byte != b'*'),
            Self::Regex(..) => None,
        }
    }
}

/// Whether a text matches one of the names.
pub(crate) fn any_name(names: &[Name], text: &str, strict: bool) -> bool {
    names.iter().any(|n| n.fits(text, strict))
}
