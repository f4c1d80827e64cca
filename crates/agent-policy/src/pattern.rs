//! Patterns: names with `*`, and regular expressions in the dialect of the older policy files.
//!
//! Older policies were written for a JavaScript runtime. Their expressions are translated into the
//! syntax of the `regex` crate, which matches in linear time. Constructs that need backtracking
//! (look-around, back-references) are rejected by name.

use regex::{Regex, RegexBuilder};

/// Bytes that a compiled expression may take.
const SIZE_LIMIT: usize = 1 << 20;

/// The beginning of an expression that ignores case.
pub(super) const IGNORE_CASE: &str = "(?i)";

/// Why a pattern can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// A construct that isn't regular.
    #[error("{construct} can't be used: matching is in linear time, without backtracking")]
    NotRegular {
        /// The name and the syntax of the construct.
        construct: String,
    },
    /// A flag that the dialect's `.` ignores.
    #[error("the flag `s` can't be used: `.` matches no line break; write `[^]` for any character")]
    DotAll,
    /// A syntax error, with the library's message.
    #[error("not a regular expression: {0}")]
    Syntax(String),
    /// The expression is too large when compiled.
    #[error("the expression is too large when its repetitions are written out")]
    TooLarge,
}

/// Compiles an expression.
///
/// # Errors
/// If it holds a construct that isn't regular, or isn't well formed.
pub fn compile(pattern: &str, ignore_case: bool) -> Result<Regex, PatternError> {
    let translated = translate(pattern)?;
    // In the text, so that it says all that the expression means.
    let case = if ignore_case { IGNORE_CASE } else { "" };
    RegexBuilder::new(&format!("{case}{translated}"))
        .size_limit(SIZE_LIMIT)
        .nest_limit(64)
        .build()
        .map_err(|error| {
            match error {
                regex::Error::CompiledTooBig(_) => PatternError::TooLarge,
                other => {
                    // The last line of the library's message says what; the others draw the
                    // pattern.
                    let text = other.to_string();
                    let line = text.lines().last().unwrap_or_default();
                    PatternError::Syntax(line.trim_start_matches("error: ").to_owned())
                }
            }
        })
}

/// Translates JavaScript's syntax: shorthand classes are those of ASCII, `\uhhhh`, `[^]`, a `{`
/// that stands for itself, escapes of letters that mean nothing.
fn translate(pattern: &str) -> Result<String, PatternError> {
    let not_regular = |construct: &str| PatternError::NotRegular {
        construct: construct.to_owned(),
    };
    let chars: Vec<char> = pattern.chars().collect();
    let at = |i: usize| chars.get(i).copied();
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut i = 0;
    let mut class = false;
    // The last brace that opens before the place where it is asked for; looked for from there each
    // time, many that close would take time by their square.
    let mut opened = LastBrace::default();
    while let Some(c) = at(i) {
        match c {
            '\\' => {
                let Some(next) = at(i + 1) else {
                    return Err(PatternError::Syntax("it ends in a backslash".into()));
                };
                i += 2;
                match next {
                    'd' => out.push_str(if class { "0-9" } else { "[0-9]" }),
                    'D' => out.push_str("[^0-9]"),
                    'w' => out.push_str(if class { "0-9A-Za-z_" } else { "[0-9A-Za-z_]" }),
                    'W' => out.push_str("[^0-9A-Za-z_]"),
                    's' => out.push_str(if class {
                        r"\s\x{feff}"
                    } else {
                        r"[\s\x{feff}]"
                    }),
                    'S' => out.push_str(r"[^\s\x{feff}]"),
                    'b' if class => out.push_str(r"\x08"),
                    'b' => out.push_str(r"(?-u:\b)"),
                    'B' => out.push_str(r"\B"),
                    't' | 'n' | 'r' | 'f' | 'v' => out.extend(['\\', next]),
                    '0' if !at(i).is_some_and(|c| c.is_ascii_digit()) => out.push_str(r"\x00"),
                    '1'..='9' if !class => {
                        return Err(not_regular(&format!("the back-reference `\\{next}`")));
                    }
                    'k' if at(i) == Some('<') && !class => {
                        return Err(not_regular("a back-reference `\\k<…>`"));
                    }
                    'x' | 'u' => {
                        let (value, length) = code_point(&chars, i, next);
                        i += length;
                        match value {
                            Some(value) => {
                                out.push_str(&format!("\\x{{{value:x}}}"));
                            }
                            None => out.push(next),
                        }
                    }
                    'c' if at(i).is_some_and(|c| c.is_ascii_alphabetic()) => {
                        let control = at(i).map_or(0, u32::from) % 32;
                        out.push_str(&format!("\\x{{{control:x}}}"));
                        i += 1;
                    }
                    'p' | 'P' if at(i) == Some('{') => out.extend(['\\', next]),
                    c if c.is_ascii_alphanumeric() => out.push(c),
                    c => literal(c, &mut out),
                }
                continue;
            }
            '[' if !class => {
                match (at(i + 1), at(i + 2)) {
                    (Some(']'), _) => {
                        out.push_str(r"[^\s\S]");
                        i += 2;
                        continue;
                    }
                    (Some('^'), Some(']')) => {
                        out.push_str(r"[\s\S]");
                        i += 3;
                        continue;
                    }
                    (Some('^'), _) => {
                        out.push_str("[^");
                        i += 1;
                    }
                    _ => out.push('['),
                }
                class = true;
            }
            ']' if class => {
                out.push(']');
                class = false;
            }
            // In the other dialect these begin nested classes and set operations.
            '[' | '&' | '~' | '^' if class => out.extend(['\\', c]),
            '-' if class && at(i + 1) == Some('-') => out.push_str(r"\-"),
            _ if class => out.push(c),
            '.' => out.push_str(r"[^\n\r\x{2028}\x{2029}]"),
            '(' if at(i + 1) == Some('?') => {
                match (at(i + 2), at(i + 3)) {
                    (Some('='), _) => return Err(not_regular("the look-ahead `(?=…)`")),
                    (Some('!'), _) => return Err(not_regular("the negative look-ahead `(?!…)`")),
                    (Some('<'), Some('=')) => return Err(not_regular("the look-behind `(?<=…)`")),
                    (Some('<'), Some('!')) => {
                        return Err(not_regular("the negative look-behind `(?<!…)`"));
                    }
                    (Some('>'), _) => return Err(not_regular("the atomic group `(?>…)`")),
                    _ if sets_dot_all(chars.get(i + 2..).unwrap_or_default()) => {
                        return Err(PatternError::DotAll);
                    }
                    _ => {}
                }
                out.push('(');
            }
            '{' if !is_repetition(&chars, i) => out.push_str(r"\{"),
            '}' if !closes_repetition(&chars, opened.before(&chars, i)) => out.push_str(r"\}"),
            c => out.push(c),
        }
        i += 1;
    }
    Ok(out)
}

/// Whether the flags behind `(?` contain `s`. It would be ignored, and a rule that forbids would
/// silently miss what is on another line.
fn sets_dot_all(rest: &[char]) -> bool {
    let flags = rest
        .iter()
        .take_while(|c| c.is_ascii_alphabetic() || **c == '-');
    let end = rest.get(flags.clone().count());
    matches!(end, Some(':' | ')')) && flags.take_while(|c| **c != '-').any(|c| *c == 's')
}

/// Appends a literal character. A backslash before others could have a meaning: `\<` is a word
/// boundary in `regex` and a literal in JavaScript.
fn literal(c: char, out: &mut String) {
    let mut buffer = [0; 4];
    out.push_str(&regex::escape(c.encode_utf8(&mut buffer)));
}

/// `xHH`, `uHHHH` or `u{…}` from `from`: the character's number, and how many characters it takes.
fn code_point(chars: &[char], from: usize, kind: char) -> (Option<u32>, usize) {
    let digits = |start: usize, count: usize| -> Option<u32> {
        let text: String = chars.get(start..start + count)?.iter().collect();
        u32::from_str_radix(&text, 16).ok()
    };
    if kind == 'x' {
        return digits(from, 2).map_or((None, 0), |v| (Some(v), 2));
    }
    if chars.get(from) == Some(&'{') {
        let length = chars.iter().skip(from + 1).take(7).position(|c| *c == '}');
        return match length.and_then(|n| digits(from + 1, n).map(|v| (v, n))) {
            Some((value, n)) => (Some(value), n + 2),
            None => (None, 0),
        };
    }
    digits(from, 4).map_or((None, 0), |v| (Some(v), 4))
}

/// Whether `{` at `i` begins `{n}`, `{n,}` or `{n,m}`.
fn is_repetition(chars: &[char], i: usize) -> bool {
    let inside: String = chars
        .iter()
        .skip(i + 1)
        .take(24)
        .take_while(|c| **c != '}')
        .collect();
    let closed = chars.get(i + 1 + inside.chars().count()) == Some(&'}');
    let (least, most) = inside.split_once(',').unwrap_or((&inside, ""));
    let number = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    closed && !least.is_empty() && number(least) && number(most)
}

/// The last `{` before places that are asked for in ascending order.
#[derive(Default)]
struct LastBrace {
    last: Option<usize>,
    looked_at: usize,
}

impl LastBrace {
    fn before(&mut self, chars: &[char], i: usize) -> Option<usize> {
        let new = chars.get(self.looked_at..i).unwrap_or_default();
        self.last = new
            .iter()
            .rposition(|c| *c == '{')
            .map(|at| self.looked_at + at)
            .or(self.last);
        self.looked_at = i;
        self.last
    }
}

/// Whether a `}` behind the `{` at `open` ends such a repetition (or a `\p{…}`).
fn closes_repetition(chars: &[char], open: Option<usize>) -> bool {
    open.is_some_and(|open| {
        let property = open >= 2
            && chars.get(open - 2) == Some(&'\\')
            && matches!(chars.get(open - 1), Some('p' | 'P'));
        property || is_repetition(chars, open)
    })
}

/// Whether a name matches a pattern in which `*` matches any text. Linear in the text for each `*`.
#[must_use]
pub fn wildcard(pattern: &str, text: &str, ignore_case: bool) -> bool {
    let same = |a: u8, b: u8| {
        if ignore_case {
            a.eq_ignore_ascii_case(&b)
        } else {
            a == b
        }
    };
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(c) = text.get(t) {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(q) if same(*q, *c) => {
                p += 1;
                t += 1;
            }
            _ => match &mut star {
                Some((back, from)) => {
                    *from += 1;
                    t = *from;
                    p = *back + 1;
                }
                None => return false,
            },
        }
    }
    pattern
        .get(p..)
        .is_some_and(|rest| rest.iter().all(|b| *b == b'*'))
}

/// The bit of a byte in a set of first or last bytes. Letters (ignoring case) and digits have their
/// own bits, other ASCII shares a few, and the rest has one.
pub(super) const fn letter(byte: u8) -> u64 {
    1 << number(byte)
}

/// The number of that bit.
pub(super) const fn number(byte: u8) -> u32 {
    // Called for each name of each path: two subtractions suffice for nearly all.
    let letter = (byte | 0x20).wrapping_sub(b'a');
    let digit = byte.wrapping_sub(b'0');
    if letter < 26 {
        letter as u32
    } else if digit < 10 {
        26 + digit as u32
    } else if byte < 128 {
        36 + (byte % 16) as u32
    } else {
        63
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fits(pattern: &str, text: &str) -> bool {
        compile(pattern, true).unwrap().is_match(text)
    }

    #[test]
    fn javascript_expressions_mean_what_they_meant() {
        assert!(fits(r"rm\s+-rf\s+\/", "sudo RM  -rf /"));
        assert!(
            fits(r"^\w+\d$", "abc1") && !fits(r"^\w+$", "é"),
            "shorthands are ASCII"
        );
        assert!(fits(r"\u0041\x42\u{43}", "abc"));
        assert!(fits("a[^]b", "a\nb") && !fits("a.b", "a\nb") && !fits("a.b", "a\u{2028}b"));
        assert!(fits("{\"a\":1}", "{\"a\":1}") && fits("a{2,3}", "aa") && fits("x{,2}", "x{,2}"));
        assert!(fits(r"[\w.-]+@[[a&&b]+$", "x.y-z@[&"));
        assert!(fits(r"\bforce\b", "--force") && fits(r"\-\-force\e", "--forcee"));
        assert!(fits(r"[a\-z]", "-") && !fits(r"^[a\-z]$", "m") && fits("[]a]|b", "b"));
    }

    #[test]
    fn what_is_not_regular_is_named() {
        for (pattern, name) in [
            ("a(?=b)", "look-ahead `(?=…)`"),
            ("a(?!b)", "negative look-ahead"),
            ("(?<=a)b", "look-behind"),
            ("(?<!a)b", "negative look-behind"),
            (r"(a)\1", r"back-reference `\1`"),
            (r"(?<x>a)\k<x>", "back-reference"),
        ] {
            let error = compile(pattern, true).unwrap_err();
            assert!(
                matches!(error, PatternError::NotRegular { .. }),
                "{pattern}: {error}"
            );
            assert!(error.to_string().contains(name), "{error}");
        }
        for flags in ["(?s)a.b", "(?is:a.b)", "a(?s-i)b"] {
            assert_eq!(compile(flags, true).unwrap_err(), PatternError::DotAll);
        }
        for fine in [
            "(?<x>a)", "(?<s>a)", "(?-s)a", "(?i-s:a)", "(?:s)", r"\(?s:a",
        ] {
            assert!(compile(fine, true).is_ok(), "{fine}");
        }
        assert!(matches!(compile("a(", true), Err(PatternError::Syntax(_))));
        assert_eq!(
            compile("(a{1000}){1000}", true).unwrap_err(),
            PatternError::TooLarge
        );
    }

    #[test]
    fn many_braces_take_no_longer_for_each() {
        // By its square this would take minutes.
        let start = std::time::Instant::now();
        assert_eq!(
            compile(&"}".repeat(1_000_000), true).unwrap_err(),
            PatternError::TooLarge
        );
        assert!(
            compile(&"a{2}".repeat(2_000), true).is_ok()
                && compile(&"a{,}".repeat(2_000), true).is_ok()
        );
        assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
        assert!(fits("^a{2}}$", "aa}") && fits("^{}}$", "{}}"));
    }

    #[test]
    fn names_with_stars() {
        assert!(wildcard("*_read*", "fs_read_file", false) && !wildcard("*_read*", "read", false));
        assert!(
            wildcard("git_*", "git_", false)
                && wildcard("GIT_*", "git_x", true)
                && !wildcard("GIT_*", "git_x", false)
        );
        assert!(
            wildcard("*", "", false)
                && !wildcard("", "a", false)
                && wildcard("a*b*c", "a--b--bc", false)
        );
    }

    proptest! {
        #[test]
        fn any_pattern_compiles_or_is_refused(pattern in r"([a-z(){}\[\]\\|*+?.^$,0-9:=!<>&~-]|\\[a-zA-Z0-9]){0,24}") {
            if let Ok(regex) = compile(&pattern, true) {
                regex.is_match("some text 123 {}[]");
            }
        }

        #[test]
        fn escaped_text_matches_itself(text in "[ -~]{1,20}") {
            let escaped: String = text.chars().flat_map(|c| if c.is_ascii_alphanumeric() { vec![c] } else { vec!['\\', c] }).collect();
            prop_assert!(compile(&format!("^{escaped}$"), false).unwrap().is_match(&text), "{}", escaped);
        }

        #[test]
        fn a_name_fits_its_own_stars(text in "[a-c]{0,8}", cut in 0usize..8) {
            let cut = cut.min(text.len());
            let (before, behind) = text.split_at(cut);
            let starred = format!("{before}*{behind}");
            prop_assert!(wildcard(&starred, &text, false));
            prop_assert_eq!(wildcard("a*b", &text, false), text.starts_with('a') && text.ends_with('b') && text.len() > 1);
        }
    }
}
