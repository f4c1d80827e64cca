//! The words of a question, with what the index knows of them.

use super::variants;
use crate::{IndexError, words};
use rusqlite::{Connection, OptionalExtension as _};
use rustc_hash::FxHashMap;

/// Maximum number of words of a question that are searched.
const WORDS: usize = 32;
/// The factor for the weight of a word that frames a question, unless there are no others.
const FRAME: f64 = 0.3;
/// The factor for the weight of a pair of characters that the index doesn't contain: about half of
/// the pairs in a text join the end of a word with the beginning of the next.
const UNKNOWN_PAIR: f64 = 0.5;

/// A word of a question.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub(super) word: String,
    /// Whether every indexed word that begins with it matches.
    pub(super) prefix: bool,
    /// Indexed words that differ from it by an ending only.
    pub(super) variants: Vec<String>,
    /// The number of observations that contain the word, or a variant.
    pub(super) documents: u64,
    /// How much the word tells: the rarer, the more.
    pub(super) weight: f64,
}

/// A question, ready to be compared with texts.
#[derive(Debug, Clone, Default)]
pub(super) struct Question {
    /// The words in the order of the question, each one once.
    pub(super) terms: Vec<Term>,
    /// Whether the question is one identifier.
    pub(super) is_identifier: bool,
    /// The number of observations in the index.
    pub(super) observations: u64,
}

impl Question {
    /// Splits a question into words and looks them up. Function words are dropped unless there are
    /// no others.
    pub(super) fn new(db: &Connection, text: &str) -> Result<Self, IndexError> {
        let all: i64 = db.query_row("SELECT count(*) FROM observation", [], |row| row.get(0))?;
        let mut terms = Vec::new();
        for word in split(text) {
            terms.push(look_up(db, word, all.cast_unsigned())?);
        }
        drop_seams(&mut terms);
        weigh_down(&mut terms);
        Ok(Self {
            terms,
            is_identifier: is_identifier(text),
            observations: all.cast_unsigned(),
        })
    }

    /// Returns the weights of all words together.
    pub(super) fn weight(&self) -> f64 {
        self.terms.iter().map(|term| term.weight).sum()
    }

    /// Returns the share of the question, by weight, whose words the index contains.
    pub(super) fn known(&self) -> f64 {
        let known = self.terms.iter().filter(|term| term.documents > 0);
        let (known, all) = (known.map(|term| term.weight).sum::<f64>(), self.weight());
        if all > 0.0 { known / all } else { 0.0 }
    }

    /// Returns the words by which an indexed word is recognised, with the places of their terms and
    /// whether they are variants.
    pub(super) fn places(&self) -> FxHashMap<&str, (usize, bool)> {
        let mut all = FxHashMap::default();
        for (n, term) in self.terms.iter().enumerate() {
            for variant in &term.variants {
                all.entry(variant.as_str()).or_insert((n, true));
            }
        }
        for (n, term) in self.terms.iter().enumerate() {
            all.insert(&term.word, (n, false));
        }
        all
    }
}

/// Whether a text is one identifier: a single run without blanks that has several parts or a digit,
/// or isn't a word of prose otherwise.
fn is_identifier(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && text.is_ascii()
        && text.bytes().all(|b| {
            b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':' | b'/' | b'(' | b')')
        })
}

/// Splits a question into its words, each one once.
fn split(text: &str) -> Vec<String> {
    let (mut all, mut telling): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut before = String::new();
    let content = words::without_function_words(text);
    let content = if content.trim().is_empty() {
        text
    } else {
        &content
    };
    words::each(content, &mut |word| {
        // The last character of a run is in the pair before it as well.
        let is_rest = word.chars().count() == 1
            && words::is_cjk(word.chars().next().unwrap_or_default())
            && before.chars().nth(1) == word.chars().next();
        word.clone_into(&mut before);
        if !is_rest && !all.iter().any(|known| known == word) {
            all.push(word.to_owned());
            if !words::is_function_word(word) {
                telling.push(word.to_owned());
            }
        }
    });
    let mut asked = if telling.is_empty() { all } else { telling };
    asked.truncate(WORDS);
    asked
}

fn look_up(db: &Connection, word: String, all: u64) -> Result<Term, IndexError> {
    // A single Chinese character is the beginning of an indexed pair.
    let prefix = word.chars().count() == 1 && word.chars().all(words::is_cjk);
    let mut documents: i64 = if prefix {
        let sql = "SELECT coalesce(sum(doc), 0) FROM vocabulary WHERE term >= ?1 AND term < ?2";
        let end = format!("{word}\u{10ffff}");
        db.prepare_cached(sql)?
            .query_row([&word, &end], |row| row.get(0))?
    } else {
        let sql = "SELECT doc FROM vocabulary WHERE term = ?1";
        db.prepare_cached(sql)?
            .query_row([&word], |row| row.get(0))
            .optional()?
            .unwrap_or_default()
    };
    let mut others = Vec::new();
    for (variant, count) in variants::of(db, &word)? {
        documents = documents.saturating_add(count);
        others.push(variant);
    }
    let documents = documents.cast_unsigned().min(all);
    Ok(Term {
        prefix,
        variants: others,
        documents,
        // An unknown word counts as much as one that a single observation contains.
        weight: rarity(all, documents.max(1)),
        word,
    })
}

/// Returns the weight of a word that appears in `found` of `all` documents. Unlike the formula of
/// Robertson and others ("Okapi at TREC-3", 1994) it is always positive, since a word may well
/// appear in every document of a small collection.
#[expect(clippy::cast_precision_loss, reason = "counts of documents")]
fn rarity(all: u64, found: u64) -> f64 {
    let (all, found) = (all as f64, found as f64);
    (1.0 + (all - found + 0.5) / (found + 0.5)).ln()
}

/// Returns the characters of a pair in a script without spaces.
fn pair(term: &Term) -> Option<(char, char)> {
    let mut chars = term.word.chars();
    match (chars.next(), chars.next(), chars.next()) {
        (Some(a), Some(b), None) if words::is_cjk(a) && words::is_cjk(b) => Some((a, b)),
        _ => None,
    }
}

/// Lowers the weights of words that say less about the answer than their rarity suggests.
fn weigh_down(terms: &mut [Term]) {
    let is_framed = terms.iter().any(|term| !words::is_frame_word(&term.word));
    for term in terms {
        if is_framed && words::is_frame_word(&term.word) {
            term.weight *= FRAME;
        }
        if term.documents == 0 && pair(term).is_some() {
            term.weight *= UNKNOWN_PAIR;
        }
    }
}

/// Removes unknown pairs of characters that are next to known ones, or contain a function word:
/// most of them join the end of a word with the beginning of the next, and say nothing.
fn drop_seams(terms: &mut Vec<Term>) {
    let seam: Vec<bool> = (0..terms.len())
        .map(|n| {
            let Some((a, b)) = terms.get(n).filter(|t| t.documents == 0).and_then(pair) else {
                return false;
            };
            let known = |n: Option<usize>| {
                n.and_then(|n| terms.get(n))
                    .filter(|t| t.documents > 0)
                    .and_then(pair)
            };
            words::is_function_char(a)
                || words::is_function_char(b)
                || known(n.checked_sub(1)).is_some_and(|(_, end)| end == a)
                || known(n.checked_add(1)).is_some_and(|(start, _)| start == b)
        })
        .collect();
    if seam.iter().all(|seam| *seam) {
        return;
    }
    let mut places = seam.into_iter();
    terms.retain(|_| !places.next().unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_lose_what_says_nothing() {
        assert_eq!(split("How does the lexer work?"), ["lexer", "work"]);
        assert_eq!(split("who is who"), ["who", "is"]);
        assert_eq!(split("?!"), Vec::<String>::new());
        assert_eq!(split("索 OR \"x\" NEAR"), ["索", "x", "near"]);
        assert_eq!(split("重新索引"), ["重新", "新索", "索引"]);
    }

    #[test]
    fn frames_and_unknown_pairs_weigh_less() {
        let term = |word: &str, documents| Term {
            word: word.to_owned(),
            prefix: false,
            variants: Vec::new(),
            documents,
            weight: 1.0,
        };
        let weights = |mut terms: Vec<Term>| -> Vec<f64> {
            weigh_down(&mut terms);
            terms.iter().map(|term| term.weight).collect()
        };
        let framed = weights(vec![term("happen", 9), term("lexer", 9), term("zzz", 0)]);
        assert_eq!(framed, [FRAME, 1.0, 1.0]);
        assert_eq!(weights(vec![term("happen", 9)]), [1.0]);
        let pairs = weights(vec![term("索引", 0), term("重新", 9)]);
        assert_eq!(pairs, [UNKNOWN_PAIR, 1.0]);
    }

    #[test]
    fn rare_words_count_more() {
        assert!(rarity(100, 1) > rarity(100, 50) && rarity(100, 100) > 0.0);
    }

    #[test]
    fn identifiers_are_recognised() {
        assert!(is_identifier("parseHttpHeader") && is_identifier("zzzqqqxxx"));
        assert!(is_identifier("src/main.rs") && is_identifier(" YV905 "));
        assert!(!is_identifier("two words") && !is_identifier("") && !is_identifier("索引"));
    }
}
