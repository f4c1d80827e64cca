//! Texts that a pattern requires.
//!
//! Most patterns are of other names than a text has, and their literal parts show that at once.
//! So no automaton is built for them.

use super::language::{Pattern, parse};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// Maximum number of texts of which one is required. More of them exclude little.
const MAX_TEXTS: usize = 16;

/// Ends a prefix that is a whole text. No byte of a text has this value.
const END: u8 = 0xff;

/// What any text in a language contains, whether in lower or upper case.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RequiredText {
    /// One of these. `None` requires nothing.
    part: Option<Vec<Vec<u8>>>,
    /// How it begins, in lower case.
    prefix: Vec<u8>,
}

impl RequiredText {
    /// What a pattern requires.
    pub(super) fn of(pattern: &Pattern) -> Self {
        parse(pattern).map_or_else(Self::default, |hir| Self {
            part: required(&hir),
            prefix: prefix(&hir),
        })
    }

    /// Whether no text begins as both require.
    pub(super) fn excludes(&self, other: &Self) -> bool {
        let mut both = self.prefix.iter().zip(&other.prefix);
        both.any(|(one, other)| one != other)
    }

    /// Whether it requires a beginning.
    pub(super) const fn has_prefix(&self) -> bool {
        !self.prefix.is_empty()
    }

    /// Whether a text may be in the language.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let contains = |wanted: &Vec<u8>| {
            let mut parts = text.as_bytes().windows(wanted.len().max(1));
            parts.any(|part| part.eq_ignore_ascii_case(wanted))
        };
        self.part
            .as_ref()
            .is_none_or(|all| all.iter().any(contains))
    }
}

/// The longest text that matches contain: one for each branch.
fn required(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    match hir.kind() {
        HirKind::Capture(group) => required(&group.sub),
        HirKind::Repetition(repeated) if repeated.min > 0 => required(&repeated.sub),
        HirKind::Alternation(branches) => {
            let mut all = Vec::new();
            for branch in branches {
                all.append(&mut required(branch)?);
            }
            (all.len() <= MAX_TEXTS).then_some(all)
        }
        HirKind::Concat(parts) => of_sequence(parts),
        HirKind::Literal(_) | HirKind::Class(_) => of_sequence(std::slice::from_ref(hir)),
        HirKind::Empty | HirKind::Look(_) | HirKind::Repetition(_) => None,
    }
}

/// How every match begins, in lower case.
fn prefix(hir: &Hir) -> Vec<u8> {
    let HirKind::Concat(parts) = hir.kind() else {
        return Vec::new();
    };
    let mut prefix = Vec::new();
    let Some((first, rest)) = parts.split_first() else {
        return prefix;
    };
    if !matches!(first.kind(), HirKind::Look(Look::Start)) {
        return prefix;
    }
    for part in rest {
        match part.kind() {
            HirKind::Literal(literal) => prefix.extend(literal.0.to_ascii_lowercase()),
            HirKind::Class(class) => match letter(class) {
                Some(letter) => prefix.push(letter.to_ascii_lowercase()),
                None => break,
            },
            HirKind::Look(Look::End) => {
                prefix.push(END);
                break;
            }
            _ => break,
        }
    }
    prefix
}

/// The longest of the texts that parts in a row require.
fn of_sequence(parts: &[Hir]) -> Option<Vec<Vec<u8>>> {
    let mut best: Option<Vec<Vec<u8>>> = None;
    let mut take = |one: Vec<Vec<u8>>| {
        let shortest = |all: &Vec<Vec<u8>>| all.iter().map(Vec::len).min().unwrap_or(0);
        let better = best.as_ref().is_none_or(|b| shortest(&one) > shortest(b));
        if shortest(&one) > 0 && better {
            best = Some(one);
        }
    };
    let mut run = Vec::new();
    for part in parts {
        match part.kind() {
            HirKind::Literal(literal) => run.extend(literal.0.iter().copied()),
            HirKind::Class(class) => match letter(class) {
                Some(letter) => run.push(letter),
                None => take(vec![std::mem::take(&mut run)]),
            },
            HirKind::Look(_) | HirKind::Empty => {}
            _ => {
                take(vec![std::mem::take(&mut run)]);
                if let Some(own) = required(part) {
                    take(own);
                }
            }
        }
    }
    take(vec![run]);
    best
}

/// The letter of a class that has only its two cases.
fn letter(class: &Class) -> Option<u8> {
    let chars: Option<Vec<u8>> = match class {
        Class::Unicode(class) => class
            .ranges()
            .iter()
            .map(|range| {
                u8::try_from(range.start())
                    .ok()
                    .filter(|_| range.len() == 1)
            })
            .collect(),
        Class::Bytes(class) => class
            .ranges()
            .iter()
            .map(|range| Some(range.start()).filter(|_| range.len() == 1))
            .collect(),
    };
    match chars?.as_slice() {
        [one, other] if one.is_ascii() && one.eq_ignore_ascii_case(other) => Some(*one),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requires(regex: &str, unicode: bool) -> Vec<String> {
        let pattern = Pattern {
            regex: regex.to_owned(),
            ignore_case: false,
            unicode,
        };
        let all = RequiredText::of(&pattern).part.unwrap_or_default();
        let text = |bytes| String::from_utf8(bytes).unwrap().to_lowercase();
        all.into_iter().map(text).collect()
    }

    #[test]
    fn a_match_contains_the_required_text() {
        for (regex, wanted) in [
            ("^abc$", &["abc"][..]),
            ("(?i)abc", &["abc"]),
            // Other letters fold to k and s.
            ("(?i)makes_us", &["ma"]),
            ("(?i)abk1de", &["1de"]),
            ("a?b+cd(e|ff)x*", &["cd"]),
            ("one|three(x|y)|two", &["one", "three", "two"]),
            ("(one|[0-9]+)", &[]),
            ("(?:x.*)?", &[]),
            ("(?:ab){2,}c", &["ab"]),
            ("a\\bb", &["ab"]),
            (".*", &[]),
        ] {
            assert_eq!(requires(regex, true), wanted, "{regex}");
        }
        assert_eq!(requires("(?i)makes_us", false), ["makes_us"]);
        assert!(requires("(", true).is_empty());
    }

    #[test]
    fn languages_with_different_beginnings_have_no_text_in_common() {
        let of = |regex: &str| {
            RequiredText::of(&Pattern {
                regex: regex.to_owned(),
                ignore_case: false,
                unicode: false,
            })
        };
        for (one, other, excludes) in [
            ("^/src/a.*$", "(?i)^/SRC/B.*$", true),
            ("^/src/a.*$", "(?i)^/SRC/.*$", false),
            ("^a$", "^ab$", true),
            ("^a$", "^a.*$", false),
            ("^a", "^ab$", false),
            ("^a", "b", false),
            ("(?m)^a", "(?m)^b", false),
            ("^a|b", "^b", false),
            ("^(?:a|b)c", "^d", false),
            ("^[ab]c", "^d", false),
            ("^a?c", "^d", false),
            ("^(?:ab)$", "^(?:(?i)AC)$", true),
            ("(?m)^a$", "(?m)^ab$", false),
            ("^a(?m)$", "^ab", false),
            ("^", "^$", false),
        ] {
            assert_eq!(of(one).excludes(&of(other)), excludes, "{one} {other}");
            assert_eq!(of(other).excludes(&of(one)), excludes, "{one} {other}");
        }
    }

    #[test]
    fn what_it_excludes_no_expression_matches() {
        let texts = [
            "", "a", "ab", "AB", "aB1", "xaby", "ſ", "K", "k", "s", "é", "É", "ab\nab", "1", "aé",
        ];
        for regex in [
            "ab",
            "(?i)ab",
            "(?i)s",
            "(?i)k",
            "(?i)É",
            "é",
            "^a.b?$",
            "(a|é)b*",
            "(?s)a.*1|y",
            "[aA]b",
            "(?-u)(?i)s",
            "(?i-u)k",
            "a{0}b",
            "a{2}|1",
        ] {
            let pattern = Pattern {
                regex: regex.to_owned(),
                ignore_case: false,
                unicode: true,
            };
            let (required, real) = (
                RequiredText::of(&pattern),
                regex::bytes::Regex::new(regex).unwrap(),
            );
            for text in texts {
                assert!(
                    required.is_in(text) || !real.is_match(text.as_bytes()),
                    "{regex} {text}"
                );
            }
        }
    }
}
