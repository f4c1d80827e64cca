//! Queries of a context bank, as people type them: `@src/a.ts:10-30`, `#src/engine`,
//! `type:file importance:>0.5 tag:ci "two words"`, `:ls`, `:cat 3`.

use super::bank::Bank;
use super::formula::Metrics;
use super::item::Item;
use crate::trace::typed_reference::{Declared, ReferenceKind, TypedReference};

/// A query of a bank.
#[derive(Debug, Clone, PartialEq)]
pub enum BankQuery {
    /// All items, in the order of their numbers.
    List,
    /// The content of the item with this number.
    Show(usize),
    /// The items that meet every condition, best first.
    Find(Vec<Condition>),
}

/// A condition on an item.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// A typed reference refers to it.
    Reference(String),
    Type(String),
    Semantic(String),
    Tag(String),
    Importance(Comparison, f64),
    /// Words that count for the relevance. An item needs at least one of them.
    Words(String),
}

/// How a number is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    Above,
    AtLeast,
    Below,
    AtMost,
    Equal,
}

impl Comparison {
    fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Self::Above => value > limit,
            Self::AtLeast => value >= limit,
            Self::Below => value < limit,
            Self::AtMost => value <= limit,
            Self::Equal => (value - limit).abs() < 1e-9,
        }
    }
}

/// An item that a query finds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its number in the bank, from 1.
    pub number: usize,
    /// The share of the query's words that it contains, 0..1; 1 without words.
    pub relevance: f64,
    /// Importance times relevance times freshness; `None` when one of them isn't recorded.
    pub score: Option<f64>,
}

impl BankQuery {
    /// Reads a query. An empty one lists everything.
    ///
    /// # Errors
    /// Says what can't be read.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts = split(text)?;
        match parts
            .first()
            .map(|part| (part.is_quoted, part.text.as_str()))
        {
            None => return Ok(Self::List),
            Some((false, command)) if command.starts_with(':') => {
                let rest = parts.get(1).map(|part| part.text.as_str());
                return match (command, rest, parts.len()) {
                    (":ls", None, _) => Ok(Self::List),
                    (":cat", Some(number), 2) => match number.parse() {
                        Ok(number) => Ok(Self::Show(number)),
                        Err(_) => Err(format!("`{number}` is no number of an item")),
                    },
                    (":clear", ..) => Err("`:clear` empties a context; this only reads".to_owned()),
                    _ => Err("commands are `:ls` and `:cat NUMBER`".to_owned()),
                };
            }
            Some(_) => {}
        }
        parts
            .iter()
            .map(Condition::parse)
            .collect::<Result<_, _>>()
            .map(Self::Find)
    }

    /// Returns the hits in a bank, best first. `now` is in milliseconds since the Unix epoch.
    #[must_use]
    pub fn hits(&self, bank: &Bank, now: i64) -> Vec<Hit> {
        let items = || (1..).zip(&bank.items);
        match self {
            Self::List => items()
                .map(|(n, item)| Hit::of(n, item, 1.0, now))
                .collect(),
            Self::Show(number) => items()
                .filter(|(n, _)| n == number)
                .map(|(n, item)| Hit::of(n, item, 1.0, now))
                .collect(),
            Self::Find(conditions) => {
                let mut hits: Vec<Hit> = items()
                    .filter(|(_, item)| conditions.iter().all(|c| c.holds(item, now)))
                    .filter_map(|(n, item)| {
                        let relevance = relevance(conditions, item)?;
                        Some(Hit::of(n, item, relevance, now))
                    })
                    .collect();
                let order = |hit: &Hit| (hit.score.unwrap_or(-1.0), hit.relevance);
                hits.sort_by(|a, b| {
                    let ((a_score, a_relevance), (b_score, b_relevance)) = (order(a), order(b));
                    b_score
                        .total_cmp(&a_score)
                        .then(b_relevance.total_cmp(&a_relevance))
                        .then(a.number.cmp(&b.number))
                });
                hits
            }
        }
    }

    /// Returns the lines that the query asks for, from 1, if it refers to lines of one file.
    #[must_use]
    pub fn lines(&self) -> Option<(u64, u64)> {
        let Self::Find(conditions) = self else {
            return None;
        };
        conditions.iter().find_map(|condition| match condition {
            Condition::Reference(text) => TypedReference::parse(text)?.lines,
            _ => None,
        })
    }
}

impl Hit {
    fn of(number: usize, item: &Item, relevance: f64, now: i64) -> Self {
        let metrics = Metrics::of(item, now);
        let score = metrics.importance.zip(metrics.freshness);
        Self {
            number,
            relevance,
            score: score.map(|(importance, freshness)| importance * relevance * freshness),
        }
    }
}

impl Condition {
    fn parse(part: &Part) -> Result<Self, String> {
        let text = part.text.as_str();
        if part.is_quoted {
            return Ok(Self::Words(text.to_owned()));
        }
        if text.starts_with(['@', '#']) {
            return match TypedReference::parse(text) {
                Some(_) => Ok(Self::Reference(text.to_owned())),
                None => Err(format!(
                    "`{text}` is no reference; they are written `@FILE`, `@FILE:10-30`, `#FOLDER` and `@!SCRIPT`"
                )),
            };
        }
        let filter = text.split_once(':').filter(|(key, value)| {
            !value.is_empty() && !key.is_empty() && key.chars().all(|c| c.is_ascii_alphabetic())
        });
        match filter {
            Some(("type", value)) => Ok(Self::Type(value.to_owned())),
            Some(("semantic", value)) => Ok(Self::Semantic(value.to_owned())),
            Some(("tag", value)) => Ok(Self::Tag(value.to_owned())),
            Some(("importance", value)) => {
                importance(value).ok_or_else(|| format!(
                    "`{value}` is no condition on the importance; it is written `importance:>0.5`, with `>`, `>=`, `<`, `<=` or `=`"
                ))
            }
            Some((key, _)) => Err(format!(
                "no filter is called `{key}`; they are `type`, `semantic`, `tag` and `importance`; words with a colon are written in quotes"
            )),
            None => Ok(Self::Words(text.to_owned())),
        }
    }

    fn holds(&self, item: &Item, now: i64) -> bool {
        let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
        match self {
            Self::Reference(text) => {
                let mut declared = Declared::default();
                declared.add(text);
                let is_runtime = TypedReference::parse(text)
                    .is_some_and(|typed| typed.kind == ReferenceKind::Runtime);
                declared.contains(&item.path) && (!is_runtime || same(&item.kind, "runtime"))
            }
            Self::Type(kind) => same(&item.kind, kind),
            Self::Semantic(semantic) => item.semantic.as_deref().is_some_and(|s| same(s, semantic)),
            Self::Tag(tag) => item.tags.iter().any(|t| same(t, tag)),
            Self::Importance(comparison, limit) => Metrics::of(item, now)
                .importance
                .is_some_and(|importance| comparison.holds(importance, *limit)),
            Self::Words(_) => true,
        }
    }
}

fn importance(text: &str) -> Option<Condition> {
    let signs = [
        (">=", Comparison::AtLeast),
        ("<=", Comparison::AtMost),
        (">", Comparison::Above),
        ("<", Comparison::Below),
        ("=", Comparison::Equal),
        ("", Comparison::Equal),
    ];
    let (comparison, limit) = signs
        .into_iter()
        .find_map(|(sign, comparison)| Some((comparison, text.strip_prefix(sign)?)))?;
    let limit = limit.parse::<f64>().ok()?;
    (0.0..=1.0)
        .contains(&limit)
        .then_some(Condition::Importance(comparison, limit))
}

/// Returns the share of the words that an item contains in its path, tags or texts; `None` when it
/// contains none.
fn relevance(conditions: &[Condition], item: &Item) -> Option<f64> {
    let texts: Vec<String> = [Some(&item.path), item.alias.as_ref(), item.summary.as_ref()]
        .into_iter()
        .chain([item.content.as_ref()])
        .flatten()
        .chain(&item.tags)
        .map(|text| text.to_lowercase())
        .collect();
    let (mut words, mut found) = (0_u32, 0_u32);
    for condition in conditions {
        if let Condition::Words(text) = condition {
            let text = text.to_lowercase();
            words += 1;
            found += u32::from(texts.iter().any(|t| t.contains(&text)));
        }
    }
    match (found, words) {
        (_, 0) => Some(1.0),
        (0, _) => None,
        (found, words) => Some(f64::from(found) / f64::from(words)),
    }
}

/// A part of a query between spaces, or between quotation marks.
struct Part {
    text: String,
    is_quoted: bool,
}

fn split(text: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (part, is_quoted, after) = if let Some(quoted) = rest.strip_prefix('"') {
            let (part, after) = quoted
                .split_once('"')
                .ok_or("a quotation mark has no other one")?;
            (part, true, after)
        } else {
            let (part, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            (part, false, after)
        };
        if !part.trim().is_empty() {
            parts.push(Part {
                text: part.to_owned(),
                is_quoted,
            });
        }
        rest = after.trim_start();
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::context::Place;
    use proptest::prelude::*;
    use serde_json::json;

    const NOW: i64 = 1_767_225_600_000;

    fn bank() -> Bank {
        let item = |path: &str, kind: &str, tag: &str, content: &str, confidence: f64| {
            let value = json!({
                "path": path, "type": kind, "tags": [tag], "content": content, "semantic": "config",
                "importance": {
                    "useCount": 1, "successCount": 1, "failureCount": 0, "confidence": confidence,
                    "lastUsed": NOW,
                },
            });
            Item::read("bank.json", Place::Whole, &value).unwrap()
        };
        Bank {
            items: vec![
                item("ci/build.yml", "file", "ci", "steps of the build", 0.9),
                item("src/engine/a.ts", "file", "core", "the planner", 0.6),
                item("src/engine", "directory", "core", "two files", 0.1),
                item("check.sh", "runtime", "ci", "all checks passed", 0.4),
                Item::read("bank.json", Place::Whole, &json!({"path": "bare.md"})).unwrap(),
            ],
            ..Bank::default()
        }
    }

    fn numbers(query: &str) -> Vec<usize> {
        let query = BankQuery::parse(query).unwrap();
        query
            .hits(&bank(), NOW)
            .iter()
            .map(|hit| hit.number)
            .collect()
    }

    #[test]
    fn a_query_finds_what_it_says() {
        for (query, expected) in [
            ("", &[1, 2, 3, 4, 5][..]),
            (":ls", &[1, 2, 3, 4, 5]),
            (":cat 2", &[2]),
            (":cat 9", &[]),
            ("type:file", &[1, 2]),
            ("type:FILE tag:ci", &[1]),
            ("semantic:config importance:>=0.9", &[1, 2]),
            ("importance:<0.9", &[4, 3]),
            ("@src/engine/a.ts:1-9", &[2]),
            ("@check.sh", &[4]),
            ("@!check.sh", &[4]),
            ("@!ci/build.yml", &[]),
            ("#src/engine", &[2, 3]),
            ("\"of the build\"", &[1]),
            ("build checks", &[1, 4]),
            ("bare", &[5]),
            ("nothing", &[]),
        ] {
            assert_eq!(numbers(query), expected, "{query}");
        }
    }

    #[test]
    fn a_score_by_hand() {
        // Success rate 1, freshness 1 and confidence 0.9; one of two words.
        let query = BankQuery::parse("build missing").unwrap();
        let hits = query.hits(&bank(), NOW);
        assert_eq!(hits.first().map(|hit| hit.relevance), Some(0.5));
        let score = hits.first().and_then(|hit| hit.score).unwrap();
        assert!(
            (score - (0.45 + 0.35 + 0.2 * 0.9) * 0.5).abs() < 1e-9,
            "{score}"
        );
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for (query, said) in [
            ("importance:high", "no condition on the importance"),
            ("importance:>2", "no condition on the importance"),
            ("kind:file", "no filter is called `kind`"),
            ("@a:9-1", "no reference"),
            ("\"open", "quotation mark"),
            (":cat x", "no number"),
            (":clear", "only reads"),
            (":rm", "`:ls` and `:cat NUMBER`"),
        ] {
            let error = BankQuery::parse(query).unwrap_err();
            assert!(error.contains(said), "{query}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_query_is_read_or_refused(text in "([@#:!\"> ]|type:|importance:|[a-z0-9.]){0,12}") {
            if let Ok(query) = BankQuery::parse(&text) {
                prop_assert!(query.hits(&bank(), NOW).len() <= 5);
            }
        }
    }
}
