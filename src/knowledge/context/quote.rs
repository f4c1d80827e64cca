//! Detects which items of a bank a text quotes.

use super::bank::Bank;
use std::collections::{BTreeMap, BTreeSet};
use util::verbatim_overlap::{head, repetitions, runs_of};

/// Maximum number of bytes of an item that are read. Longer items are no plausible contexts.
const ITEM: usize = 1 << 20;

/// An index of the texts of a bank's items.
#[derive(Debug, Default)]
pub struct Quotes {
    /// Numbers of the items that contain a run of words, by the hash of the run.
    runs: BTreeMap<u64, BTreeSet<u32>>,
    names: Vec<(String, String)>,
}

impl Quotes {
    /// Indexes the items of a bank.
    #[must_use]
    pub fn of(bank: &Bank) -> Self {
        let mut quotes = Self::default();
        for (number, item) in (0_u32..).zip(&bank.items) {
            quotes.names.push((item.id.clone(), item.path.clone()));
            for text in item.content.iter().chain(&item.summary) {
                for run in runs_of(head(text, ITEM)) {
                    quotes.runs.entry(run).or_default().insert(number);
                }
            }
        }
        quotes
    }

    /// Returns the paths of the items that a text quotes and that aren't `declared` by id or path.
    /// Of several items with the same text, it is enough to declare one, and one is named.
    #[must_use]
    pub fn undeclared(&self, text: &str, declared: &dyn Fn(&str, &str) -> bool) -> BTreeSet<&str> {
        let name = |n: &u32| {
            self.names
                .get(*n as usize)
                .map(|(id, path)| (id.as_str(), path.as_str()))
        };
        let is_declared = |items: &BTreeSet<u32>| {
            items
                .iter()
                .filter_map(name)
                .any(|(id, path)| declared(id, path))
        };
        let excused = |run| self.runs.get(&run).is_some_and(is_declared);
        let holders = |run| {
            let items = self.runs.get(&run).filter(|items| !is_declared(items));
            items
                .and_then(BTreeSet::first)
                .copied()
                .into_iter()
                .collect()
        };
        repetitions(text, &holders, &excused)
            .keys()
            .filter_map(name)
            .map(|(_, path)| path)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::context::{Item, Place};
    use serde_json::json;

    #[test]
    fn what_is_quoted_is_declared_or_told() {
        let item = |id: &str, content: &str| {
            Item::read(
                "f",
                Place::Whole,
                &json!({"id": id, "path": format!("{id}.md"), "content": content}),
            )
            .unwrap()
        };
        let items = vec![
            item("a", "one two three four five six seven eight nine"),
            item("b", "words that both of them share are quoted of one"),
            item("c", "words that both of them share are quoted of one"),
            item("d", "每晚：夜间重新索引会把所有的会话与文档读入仓库"),
        ];
        let quotes = Quotes::of(&Bank {
            items,
            ..Bank::default()
        });
        let found = |text: &str, declared: &str| {
            quotes
                .undeclared(text, &|id, path| declared == id || declared == path)
                .into_iter()
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found("say: two\n three  four five six\tseven eight nine!", ""),
            ["a.md"]
        );
        assert!(found("say: two\n three  four five six\tseven eight nine!", "a").is_empty());
        assert!(found("one two three four five six seven EIGHT", "").is_empty());
        assert_eq!(
            found("words that both of them share are quoted", ""),
            ["b.md"]
        );
        assert!(found("words that both of them share are quoted", "c.md").is_empty());
        assert_eq!(found("x 夜间重新索引会把所有的会话与文档 y", ""), ["d.md"]);
        assert!(found("夜间重新索引会", "").is_empty());
    }
}
