//! Does a text quote an item? Eight words in a row, whatever white space stands between them, are a quote.

use super::bank::Bank;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{BuildHasher as _, RandomState};

/// Words in a row that make a quote.
pub const SHINGLE: usize = 8;
/// Words of one item that are looked at; what lies behind is too long to be a context.
const WORDS: usize = 200_000;

/// Runs of words of every item of a bank.
///
/// A word is what stands between white space; scripts that write without it have a word for each character. The hashes
/// are keyed, so that nobody can make two texts agree; they decide nothing but whether two runs of words are the same.
#[derive(Debug, Default)]
pub struct Quotes {
    state: RandomState,
    /// The items that hold a run, by number.
    runs: BTreeMap<u64, BTreeSet<u32>>,
    names: Vec<(String, String)>,
}

impl Quotes {
    /// The runs of a bank's items.
    #[must_use]
    pub fn of(bank: &Bank) -> Self {
        let mut quotes = Self::default();
        for (number, item) in (0_u32..).zip(&bank.items) {
            quotes.names.push((item.id.clone(), item.path.clone()));
            for text in item.content.iter().chain(&item.summary) {
                for run in quotes.hashes(text) {
                    quotes.runs.entry(run).or_default().insert(number);
                }
            }
        }
        quotes
    }

    /// Whether no item says enough to be quoted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    fn hashes(&self, text: &str) -> HashSet<u64> {
        let words: Vec<&str> = text.split_whitespace().flat_map(pieces).take(WORDS).collect();
        words.windows(SHINGLE).map(|run| self.state.hash_one(run)).collect()
    }

    /// What a text quotes: for each quote the items that hold it, as id and path. It is of one of them.
    #[must_use]
    pub fn quoted(&self, text: &str) -> BTreeSet<Vec<(&str, &str)>> {
        let named = |n: &u32| self.names.get(*n as usize).map(|(id, path)| (id.as_str(), path.as_str()));
        self.hashes(text)
            .iter()
            .filter_map(|run| self.runs.get(run))
            .map(|items| items.iter().filter_map(named).collect())
            .collect()
    }
}

/// The words of a text without white space: each character of a script that writes without it is one.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = if unspaced(first) { first.len_utf8() } else { rest.find(unspaced).unwrap_or(rest.len()) };
        let (piece, left) = rest.split_at_checked(end)?;
        rest = left;
        Some(piece)
    })
}

/// Han, Hiragana, Katakana, Thai, Lao, Khmer and Burmese are written without spaces.
const fn unspaced(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::context::Item;
    use crate::knowledge::context::Place;
    use serde_json::json;

    #[test]
    fn eight_words_in_a_row_are_a_quote() {
        let item = |id: &str, content: &str| {
            Item::read("f", Place::Whole, &json!({"id": id, "path": format!("{id}.md"), "content": content})).unwrap()
        };
        let items = vec![
            item("a", "one two three four five six seven eight nine"),
            item("b", "shared words shared words shared words shared words"),
            item("c", "shared words shared words shared words shared words"),
            item("d", "每晚：夜间重新索引会把所有的"),
        ];
        let quotes = Quotes::of(&Bank { items, ..Bank::default() });
        let found_in = |text: &str| {
            let found = quotes.quoted(text).into_iter();
            found.map(|of| of.into_iter().map(|(id, _)| id).collect::<Vec<_>>().join("|")).collect::<Vec<_>>()
        };
        assert_eq!(
            found_in("say: two\n three  four five six\tseven eight nine!  two three four five six seven eight nine"),
            ["a"]
        );
        assert!(found_in("one two three four five six seven EIGHT").is_empty());
        assert_eq!(found_in("shared words shared words shared words shared words"), ["b|c"]);
        assert_eq!(found_in("x 夜间重新索引会把 y"), ["d"]);
        assert!(found_in("夜间重新索引会").is_empty());
    }
}
