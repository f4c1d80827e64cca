//! Names of tools, programs, hosts, agents and modes, as rules write them.

use super::pattern::wildcard;
use regex::Regex;

/// A name, in one of the ways to write one.
#[derive(Debug, Clone)]
pub(crate) enum Name {
    Exact(String),
    Star(String),
    /// An expression, and the same with letters of either case.
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

    /// The byte that whatever fits begins with, in some case; none where that isn't said.
    pub(crate) fn first(&self) -> Option<u8> {
        match self {
            Self::Exact(name) => name.bytes().next(),
            Self::Star(pattern) => pattern.bytes().next().filter(|byte| *byte != b'*'),
            Self::Regex(..) => None,
        }
    }
}

/// Whether a text fits one of the names.
pub(crate) fn any_name(names: &[Name], text: &str, strict: bool) -> bool {
    names.iter().any(|n| n.fits(text, strict))
}
