//! Names of tools, programs, hosts, agents and modes, as rules write them.

use super::pattern::wildcard;
use regex::Regex;

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
