//! Full-text search with BM25 (Robertson and others, "Okapi at TREC-3", 1994).

use crate::knowledge::text::Segments;
use crate::knowledge::words;
use crate::knowledge::{Id, KnowledgeError};
use rusqlite::Connection;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Saturation of the term frequency.
const K1: f32 = 1.2;
/// Strength of the normalisation by document length.
const B: f32 = 0.75;
/// Maximum number of words of a question that are searched.
const WORDS: usize = 32;

/// Returns the words of a question. Function words are dropped unless there are no others.
fn question(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    words::each(text, &mut |word| {
        if seen.insert(word.to_owned()) {
            all.push(word.to_owned());
        }
    });
    let telling: Vec<String> = all
        .iter()
        .filter(|w| !words::is_function_word(w))
        .cloned()
        .collect();
    let mut asked = if telling.is_empty() { all } else { telling };
    asked.truncate(WORDS);
    asked
}

/// A document's row and score.
type Hit = (i64, f64);

/// Returns the id of a document by its row.
type Name<'n> = &'n dyn Fn(i64) -> Result<Id, KnowledgeError>;

/// Returns the best documents for a question in descending order of score, and the others. `among`,
/// which must be sorted, restricts the documents.
pub(super) fn search(
    db: &Connection,
    segments: &Segments,
    text: &str,
    among: Option<&[i64]>,
    limit: usize,
    name: Name<'_>,
) -> Result<(Vec<Hit>, Vec<Hit>), KnowledgeError> {
    let mut scores: Vec<Vec<f32>> = segments
        .all
        .iter()
        .map(|s| vec![0.0; s.ids.len()])
        .collect();
    for word in question(text) {
        // A single Chinese character is the beginning of an indexed pair.
        let prefix = word.chars().count() == 1 && word.chars().all(words::is_cjk);
        let found = segments
            .all
            .iter()
            .map(|s| s.find(db, &word, prefix))
            .collect::<Result<Vec<_>, _>>()?;
        let weight = rarity(segments.documents, found.iter().map(Vec::len).sum());
        for ((segment, scores), found) in segments.all.iter().zip(&mut scores).zip(&found) {
            for posting in found {
                let at = posting.document as usize;
                let length = segment.lengths.get(at).copied().unwrap_or_default();
                if let Some(score) = scores.get_mut(at) {
                    *score += weight * saturation(posting.count, length, segments.mean);
                }
            }
        }
    }
    let mut best: Vec<(f32, i64)> = Vec::new();
    for (segment, scores) in segments.all.iter().zip(&scores) {
        let found = scores
            .iter()
            .zip(&segment.ids)
            .filter(|(score, _)| **score > 0.0)
            .map(|(score, id)| (*score, *id));
        best.extend(found.filter(|(_, id)| among.is_none_or(|ids| ids.binary_search(id).is_ok())));
    }
    let others = leading(&mut best, limit, name)?;
    let hits = |all: Vec<(f32, i64)>| {
        all.into_iter()
            .map(|(score, id)| (id, f64::from(score)))
            .collect()
    };
    Ok((hits(best), hits(others)))
}

/// Splits off the `limit` best documents in descending order and returns the others. The id breaks
/// ties, since rows depend on the order in which sources were indexed.
fn leading(
    all: &mut Vec<(f32, i64)>,
    limit: usize,
    name: Name<'_>,
) -> Result<Vec<(f32, i64)>, KnowledgeError> {
    let by_figure = |a: &(f32, i64), b: &(f32, i64)| b.0.total_cmp(&a.0);
    let mut others = Vec::new();
    if all.len() > limit {
        let (_, &mut (cut, _), _) = all.select_nth_unstable_by(limit, by_figure);
        let mut equal = Vec::new();
        let mut kept = Vec::with_capacity(limit);
        for found in all.drain(..) {
            match found.0.total_cmp(&cut) {
                Ordering::Less => others.push(found),
                Ordering::Equal => equal.push((name(found.1)?, found)),
                Ordering::Greater => kept.push(found),
            }
        }
        equal.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let room = limit.saturating_sub(kept.len());
        for (n, (_, found)) in equal.into_iter().enumerate() {
            if n < room {
                kept.push(found);
            } else {
                others.push(found);
            }
        }
        *all = kept;
    }
    all.sort_unstable_by(by_figure);
    Ok(others)
}

/// Returns the weight of a word that appears in `found` of `all` documents. Unlike the formula of
/// 1994 it is always positive, since a word may well appear in every document of a small
/// collection.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "counts of documents"
)]
fn rarity(all: usize, found: usize) -> f32 {
    let (all, found) = (all as f64, found as f64);
    (1.0 + (all - found + 0.5) / (found + 0.5)).ln() as f32
}

/// Returns the weight of a word's frequency in a document of a given length.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "counts of words"
)]
fn saturation(count: u32, length: u32, mean: f64) -> f32 {
    let (count, relative) = (count as f32, length as f32 / mean.max(1.0) as f32);
    count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * relative))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_lose_what_says_nothing() {
        assert_eq!(question("How does the lexer work?"), ["lexer", "work"]);
        assert_eq!(question("who is who"), ["who", "is"]);
        assert_eq!(question("?!"), Vec::<String>::new());
        assert_eq!(question("索 OR \"x\" NEAR"), ["索", "x", "near"]);
    }

    #[test]
    fn rare_words_and_short_documents_count_more() {
        assert!(rarity(100, 1) > rarity(100, 50) && rarity(100, 100) > 0.0);
        assert!(saturation(2, 10, 10.0) > saturation(1, 10, 10.0));
        assert!(saturation(1, 5, 10.0) > saturation(1, 10, 10.0));
        // One occurrence in a document of mean length has weight 1.
        assert!((saturation(1, 10, 10.0) - 1.0).abs() < 1e-6);
    }
}
