//! Names with globs: the files that they may match.
//!
//! A shell's `*` and `?` don't match a leading dot, so `*` and `*.rs` match no hidden file. An
//! unspecific glob (`*`, `c*`, `*.yml`) isn't taken for any particular file.

use crate::chars::{ANY, SAFE_UNKNOWN, STAR, UNKNOWN, has_glob, is_placeholder};

/// Minimum number of literal characters in a specific glob.
const MIN_LITERALS: usize = 2;

/// Returns whether a name with globs and another pattern can match the same name. `*` is the other
/// pattern's only wildcard.
///
/// Simulates all positions in `other` at once, one bit each.
pub(crate) fn may_overlap(name: &str, other: &str) -> bool {
    let other = other.as_bytes();
    if other.len() >= 128 {
        return true;
    }
    let hidden = other.first() == Some(&b'.');
    if hidden && name.starts_with(is_placeholder) {
        return false;
    }
    let bit = |at: usize| 1_u128 << at;
    let is = |wanted: &dyn Fn(u8) -> bool| {
        other
            .iter()
            .enumerate()
            .filter(|(_, byte)| wanted(**byte))
            .fold(0, |bits, (at, _)| bits | bit(at))
    };
    let stars = is(&|byte| byte == b'*');
    // A star of the other pattern may match nothing. Stars aren't adjacent.
    let open = |bits: u128| bits | (bits & stars) << 1;
    let mut at = open(1);
    for c in name.chars() {
        at = match c {
            // All positions from the first one on.
            STAR | UNKNOWN | SAFE_UNKNOWN => !(at & at.wrapping_neg()).wrapping_sub(1),
            ANY => at & stars | (at & !stars) << 1,
            c => {
                let mut bytes = [0; 4];
                c.encode_utf8(&mut bytes).bytes().fold(at, |at, byte| {
                    open(at & stars | (at & is(&|other| other == byte)) << 1)
                })
            }
        };
        at = open(at & (bit(other.len()) | (bit(other.len()).wrapping_sub(1))));
        if at == 0 {
            return false;
        }
    }
    at & bit(other.len()) != 0
}

/// Returns whether a glob is specific enough to be taken for a particular file: `.e*` and `J*file`
/// are, `*`, `c*` and `*.yml` aren't.
pub(crate) fn is_specific(name: &str) -> bool {
    let rest = name.trim_start_matches(is_placeholder);
    let start = name.get(..name.len() - rest.len()).unwrap_or_default();
    let kind = start.contains([STAR, UNKNOWN]) && (rest.is_empty() || rest.starts_with('.'));
    let letters = rest.chars().filter(|c| !is_placeholder(*c)).count();
    // A glob matches hidden files only intentionally.
    !kind && letters + usize::from(name.starts_with('.')) >= MIN_LITERALS
}

/// Returns whether a name with globs may match this hidden or plain file.
pub(crate) fn may_match_file(name: &str, file: &str) -> bool {
    has_glob(name) && is_specific(name) && may_overlap(name, file)
}

/// Returns the extension of a name, if it has both globs and a literal character.
pub(crate) fn globbed_extension(name: &str) -> Option<&str> {
    let (_, extension) = name.rsplit_once('.')?;
    (has_glob(extension) && extension.chars().any(|c| !is_placeholder(c))).then_some(extension)
}

/// Matches a glob in which only `*` and `?` are special. `*` matches any text, `/` included.
pub(crate) fn glob(pattern: &str, text: &str) -> bool {
    let (p, t) = (pattern.as_bytes(), text.as_bytes());
    let (mut i, mut j) = (0usize, 0usize);
    let mut back: Option<(usize, usize)> = None;
    while let Some(c) = t.get(j) {
        match p.get(i) {
            Some(b'*') => {
                back = Some((i, j));
                i += 1;
            }
            Some(x) if x == c || *x == b'?' => {
                i += 1;
                j += 1;
            }
            _ => match back {
                Some((bi, bj)) => {
                    i = bi + 1;
                    j = bj + 1;
                    back = Some((bi, bj + 1));
                }
                None => return false,
            },
        }
    }
    p.get(i..).unwrap_or_default().iter().all(|c| *c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn marked(name: &str) -> String {
        name.replace('*', "\u{2}").replace('?', "\u{3}")
    }

    #[test]
    fn globs_overlap_names_and_other_globs() {
        for (name, other) in [
            (".e?v", ".env"),
            (".e*", ".env"),
            (".*", ".env"),
            ("*.pem", "*.pem"),
            ("a*", "*.pem"),
            ("?enkinsfile", "jenkinsfile"),
            (".env.?", ".env.*"),
            (".en*", ".env.*"),
            ("req*", "requirements*.txt"),
            ("*", "a"),
            ("", "*"),
        ] {
            assert!(may_overlap(&marked(name), other), "{name} {other}");
        }
        for (name, other) in [
            ("*", ".env"),
            ("?env", ".env"),
            ("*env", ".env"),
            (".e?", ".env"),
            (".f*", ".env"),
            ("*.rs", "*.pem"),
            ("", "a"),
            ("a", ""),
        ] {
            assert!(!may_overlap(&marked(name), other), "{name} {other}");
        }
    }

    #[test]
    fn an_unspecific_glob_matches_no_file() {
        for name in [".*", ".g*", ".e?v", "J*", "?enkins*", "cr*", "*vrc"] {
            let expected = name != "J*";
            assert_eq!(is_specific(&marked(name)), expected, "{name}");
        }
        for name in ["*", "?*", "*.yml", "?*.rs", "c*", "**"] {
            assert!(!is_specific(&marked(name)), "{name}");
        }
    }

    proptest! {
        /// For names without globs, the result agrees with the table's glob matcher.
        #[test]
        fn plain_names_are_matched_as_by_the_table(glob in "[ab*?]{0,8}", name in "[ab]{0,8}") {
            let matched = crate::paths::name_globs::glob(&glob, &name);
            prop_assert_eq!(may_overlap(&marked(&glob), &name), matched);
        }
    }
}
