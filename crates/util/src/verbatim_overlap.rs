//! Detects whether a text repeats another, by runs of equal tokens. White space is ignored.
//!
//! A token is a word (a path and a hyphenated name are one), a character of a script without
//! spaces, or any other symbol. `a - b;` has four. These tokens don't depend on a language model,
//! since each model splits words differently and a copy must be one for all of them.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Number of equal consecutive tokens that make a text a repetition.
pub const RUN: usize = 8;
/// Number of different words among them. Closing brackets and rulers are equal everywhere.
const WORDS: usize = 5;

/// A token and its byte offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token<'t> {
    at: usize,
    text: &'t str,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    /// One character of a script without spaces. Two of them count as one word.
    Character,
    Sign,
}

fn is_character(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{2fdf}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_letter(c: char) -> bool {
    (c.is_alphanumeric() || c == '_') && !is_character(c)
}

/// Splits a text into tokens.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        if c.is_whitespace() {
            continue;
        }
        let mut end = at + c.len_utf8();
        let kind = if is_character(c) {
            Kind::Character
        } else if is_letter(c) {
            while let Some((next, c)) = rest.peek().copied() {
                // A character that joins two letters is a part of the word.
                let joins = matches!(c, '.' | '/' | '-' | '@' | '\\' | ':')
                    && text
                        .get(next + 1..)
                        .and_then(|after| after.chars().next())
                        .is_some_and(is_letter);
                if !is_letter(c) && !joins {
                    break;
                }
                end = next + c.len_utf8();
                rest.next();
            }
            Kind::Word
        } else {
            Kind::Sign
        };
        found.push(Token {
            at,
            text: text.get(at..end).unwrap_or_default(),
            kind,
        });
    }
    found
}

/// Returns a hash for each run of [`RUN`] tokens.
fn runs(tokens: &[Token<'_>]) -> Vec<u64> {
    let hash = |token: &Token<'_>| {
        // The keys of this hasher are fixed, so equal inputs give equal reports.
        let mut hasher = DefaultHasher::new();
        token.text.hash(&mut hasher);
        hasher.finish()
    };
    let hashes: Vec<u64> = tokens.iter().map(hash).collect();
    let fold = |run: &[u64]| {
        run.iter().fold(0_u64, |sum, h| {
            (sum.rotate_left(7) ^ h).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    };
    hashes.windows(RUN).map(fold).collect()
}

/// Returns the start of a text, at most `bytes` bytes, for callers that can't read all of it.
pub fn head(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// Returns a hash for each run of [`RUN`] tokens in a text.
pub fn runs_of(text: &str) -> Vec<u64> {
    runs(&tokens(text))
}

/// A part of a text that repeats another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repetition {
    pub text: String,
    /// Number of tokens.
    pub tokens: usize,
}

/// Returns the longest part of `text` that repeats each source, by source number. `holders` returns
/// the numbers of the sources that contain a run. Tokens of an `excused` run aren't counted, since
/// text around a quotation of something else isn't a use of the source.
pub fn repetitions(
    text: &str,
    holders: &dyn Fn(u64) -> Vec<u32>,
    excused: &dyn Fn(u64) -> bool,
) -> BTreeMap<u32, Repetition> {
    let tokens = tokens(text);
    let mut open: BTreeMap<u32, usize> = BTreeMap::new();
    let mut longest: BTreeMap<u32, Repetition> = BTreeMap::new();
    let runs = runs(&tokens);
    let mut counted = vec![true; tokens.len()];
    for (n, _) in runs.iter().enumerate().filter(|(_, run)| excused(**run)) {
        counted
            .iter_mut()
            .skip(n)
            .take(RUN)
            .for_each(|token| *token = false);
    }
    for (n, run) in runs.into_iter().map(Some).chain([None]).enumerate() {
        let here = run.map(holders).unwrap_or_default();
        open.retain(|source, start| {
            let goes_on = here.contains(source);
            if !goes_on {
                // The last matching run starts at n - 1.
                let stretch = tokens.get(*start..n - 1 + RUN).unwrap_or_default();
                let best = longest.get(source).map_or(0, |r| r.tokens);
                let counted = counted.get(*start..n - 1 + RUN).unwrap_or_default();
                if stretch.len() > best && counts(stretch, counted) {
                    longest.insert(
                        *source,
                        Repetition {
                            text: whole(text, stretch).to_owned(),
                            tokens: stretch.len(),
                        },
                    );
                }
            }
            goes_on
        });
        for source in here {
            open.entry(source).or_insert(n);
        }
    }
    longest
}

/// Returns whether a part is long and varied enough not to be a coincidence.
fn counts(stretch: &[Token<'_>], counted: &[bool]) -> bool {
    let stretch: Vec<&Token<'_>> = stretch
        .iter()
        .zip(counted)
        .filter(|(_, counted)| **counted)
        .map(|(t, _)| t)
        .collect();
    let halves: usize = stretch
        .iter()
        .map(|t| if t.kind == Kind::Character { 1 } else { 2 })
        .sum();
    let words: HashSet<&str> = stretch
        .iter()
        .filter(|t| t.kind != Kind::Sign)
        .map(|t| t.text)
        .collect();
    halves >= 2 * RUN && words.len() >= WORDS
}

fn whole<'t>(text: &'t str, stretch: &[Token<'_>]) -> &'t str {
    let (Some(first), Some(last)) = (stretch.first(), stretch.last()) else {
        return "";
    };
    text.get(first.at..last.at + last.text.len())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn repeats(text: &str, source: &str) -> Option<Repetition> {
        let known: HashSet<u64> = runs_of(source).into_iter().collect();
        repetitions(
            text,
            &|run| {
                if known.contains(&run) {
                    vec![0]
                } else {
                    Vec::new()
                }
            },
            &|_| false,
        )
        .remove(&0)
    }

    #[test]
    fn tokens_are_those_of_a_reader() {
        let words: Vec<&str> = tokens("a-b src/add.ts. f(x): a - b; 读文")
            .iter()
            .map(|t| t.text)
            .collect();
        assert_eq!(
            words,
            [
                "a-b",
                "src/add.ts",
                ".",
                "f",
                "(",
                "x",
                ")",
                ":",
                "a",
                "-",
                "b",
                ";",
                "读",
                "文"
            ]
        );
    }

    #[test]
    fn eight_tokens_in_a_row_are_a_repetition_and_seven_are_none() {
        let source = "the deploy key rotates every ninety days on a monday";
        let found = repeats(
            "Note: the  deploy key\n\trotates every ninety days on Tuesday",
            source,
        )
        .unwrap();
        assert_eq!(
            (found.tokens, found.text.as_str()),
            (8, "the  deploy key\n\trotates every ninety days on")
        );
        assert_eq!(
            repeats("the deploy key rotates every ninety days", source),
            None
        );
        assert_eq!(
            repeats("the deploy key, rotates every, ninety days on a", source),
            None
        );
    }

    #[test]
    fn signs_and_the_same_word_again_are_chance() {
        assert_eq!(
            repeats("} } ) ; } ) ; } ) ; }", "} } ) ; } ) ; } ) ; }"),
            None
        );
        assert_eq!(
            repeats("0, 0, 0, 0, 0, 0, 0, 0", "0, 0, 0, 0, 0, 0, 0, 0"),
            None
        );
        assert_eq!(
            repeats("import { x } from 'fs';", "import { x } from 'fs';"),
            None
        );
        assert_eq!(repeats("读取配置文件的内容", "读取配置文件的内容吗"), None);
        assert!(
            repeats(
                "部署密钥每九十天在星期一轮换一次",
                "部署密钥每九十天在星期一轮换一次。"
            )
            .is_some()
        );
    }

    #[test]
    fn tokens_of_an_excused_run_dont_count() {
        let text = "one two three four five six seven eight.";
        let (source, asked) = (
            runs_of(text),
            runs_of("one two three four five six seven eight?"),
        );
        let found = |excused: &dyn Fn(u64) -> bool| {
            repetitions(
                text,
                &|run| {
                    if source.contains(&run) {
                        vec![0]
                    } else {
                        Vec::new()
                    }
                },
                excused,
            )
            .len()
        };
        assert_eq!(
            (found(&|_| false), found(&|run| asked.contains(&run))),
            (1, 0)
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        /// Compares with the plain definition: some sequence of eight tokens also occurs in the
        /// source.
        #[test]
        fn it_finds_what_the_definition_finds(
            text in proptest::collection::vec(0_u8..12, 0..60),
            source in proptest::collection::vec(0_u8..12, 0..60),
            spaces in 0_usize..3
        ) {
            let say = |words: &[u8], gap: &str| {
                let words = words.iter().map(|w| format!("w{w}"));
                words.collect::<Vec<_>>().join(gap)
            };
            let rich = |w: &[u8]| w.iter().collect::<HashSet<_>>().len() >= WORDS;
            let expected = text.windows(RUN).any(|w| rich(w) && source.windows(RUN).any(|s| s == w));
            let found = repeats(&say(&text, [" ", "\n", " \t "][spaces]), &say(&source, " "));
            prop_assert!(!expected || found.is_some());
            if let Some(found) = found {
                let copied = text.windows(RUN).any(|w| source.windows(RUN).any(|s| s == w));
                prop_assert!(found.tokens >= RUN && copied);
            }
        }

        #[test]
        fn any_text_has_tokens_that_lie_in_it(text in "\\PC{0,80}") {
            let all = tokens(&text);
            for token in &all {
                let rest = text.get(token.at..);
                prop_assert!(rest.is_some_and(|rest| rest.starts_with(token.text)));
                prop_assert!(!token.text.is_empty());
            }
            prop_assert!(all.windows(2).all(|p| p[0].at + p[0].text.len() <= p[1].at));
        }
    }
}
