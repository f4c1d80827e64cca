//! Selects answers that don't repeat each other.

use super::Scores;
use super::lsa::hash;
use crate::observation::Id;
use crate::vector::cosine;
use crate::{IndexError, words};
use std::cell::OnceCell;

/// The share of relevance in the choice; novelty has the rest.
const RELEVANCE: f64 = 0.7;
/// Similarity above which two observations are duplicates.
const DUPLICATE: f64 = 0.8;
/// Jaccard similarity of words that must confirm a duplicate found by vectors.
const CONFIRMED: f64 = 0.5;

/// A candidate for the selection.
pub(super) struct Candidate<'v> {
    row: i64,
    id: Id,
    scores: Scores,
    vector: Option<&'v [u8]>,
    words: OnceCell<Vec<u64>>,
    /// Highest similarity to a selected answer that it was compared with.
    alike: f64,
    /// Number of selected answers that it was compared with.
    compared: usize,
}

/// A selected answer: its row, its scores, and the number of duplicates that were dropped.
type Chosen = (i64, Scores, u64);

/// Reads the text of an observation.
type Read<'r> = &'r dyn Fn(i64) -> Result<String, IndexError>;

/// Selects by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998).
///
/// A candidate is compared with the selected answers only while it could be the next one. Its
/// relevance is an upper bound for its value.
pub(super) fn diverse(
    mut open: Vec<Candidate<'_>>,
    limit: usize,
    read: Read<'_>,
) -> Result<Vec<Chosen>, IndexError> {
    open.sort_by(|a, b| {
        b.scores
            .score
            .total_cmp(&a.scores.score)
            .then_with(|| a.id.cmp(&b.id))
    });
    let best = open
        .first()
        .map_or(1.0, |c| c.scores.score)
        .max(f64::MIN_POSITIVE);
    let relevance = |c: &Candidate<'_>| RELEVANCE * c.scores.score / best;
    let value = |c: &Candidate<'_>| relevance(c) - (1.0 - RELEVANCE) * c.alike;
    let mut chosen: Vec<(Candidate<'_>, u64)> = Vec::new();
    while chosen.len() < limit {
        let mut next: Option<(usize, f64)> = None;
        let mut at = 0;
        while let Some(candidate) = open.get_mut(at) {
            let leading = next.map_or(f64::NEG_INFINITY, |(_, value)| value);
            if relevance(candidate) <= leading {
                break;
            }
            let mut same = false;
            while !same
                && value(candidate) > leading
                && let Some((other, duplicates)) = chosen.get_mut(candidate.compared)
            {
                same = candidate.compare(other, read)?;
                *duplicates += u64::from(same);
            }
            if same {
                open.remove(at);
                continue;
            }
            if value(candidate) > leading {
                next = Some((at, value(candidate)));
            }
            at += 1;
        }
        let Some((at, value)) = next else { break };
        let mut taken = open.remove(at);
        taken.scores.mmr = value;
        chosen.push((taken, 0));
    }
    Ok(chosen
        .into_iter()
        .map(|(c, duplicates)| (c.row, c.scores, duplicates))
        .collect())
}

impl<'v> Candidate<'v> {
    pub(super) fn new(row: i64, id: Id, scores: Scores, vector: Option<&'v [u8]>) -> Self {
        Self {
            row,
            id,
            scores,
            vector,
            words: OnceCell::new(),
            alike: 0.0,
            compared: 0,
        }
    }

    /// Compares with a selected answer. Returns whether the two are duplicates.
    fn compare(&mut self, other: &Self, read: Read<'_>) -> Result<bool, IndexError> {
        self.compared += 1;
        let vectors = self.vector.zip(other.vector);
        let similarity = match vectors {
            Some((a, b)) => f64::from(cosine(a, b)),
            None => self.jaccard(other, read)?,
        };
        self.alike = self.alike.max(similarity);
        // In a space of few dimensions, texts with different content may be close. The words have
        // to confirm a duplicate.
        Ok(similarity > DUPLICATE && (vectors.is_none() || self.jaccard(other, read)? > CONFIRMED))
    }

    /// Returns the sorted hashes of the words in its text.
    fn words(&self, read: Read<'_>) -> Result<&[u64], IndexError> {
        if let Some(known) = self.words.get() {
            return Ok(known);
        }
        let mut all = Vec::new();
        words::each(&read(self.row)?, &mut |word| all.push(hash(&[word])));
        all.sort_unstable();
        all.dedup();
        Ok(self.words.get_or_init(|| all))
    }

    /// Returns the Jaccard similarity of the words of two candidates.
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    fn jaccard(&self, other: &Self, read: Read<'_>) -> Result<f64, IndexError> {
        let (a, b) = (self.words(read)?, other.words(read)?);
        let common = a
            .iter()
            .filter(|word| b.binary_search(word).is_ok())
            .count();
        let union = a.len() + b.len() - common;
        Ok(if union == 0 {
            0.0
        } else {
            common as f64 / union as f64
        })
    }
}
