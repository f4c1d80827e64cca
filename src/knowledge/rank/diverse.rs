//! Choosing answers that don't say the same.

use super::Scores;
use super::lsa::hash;
use crate::knowledge::observation::Id;
use crate::knowledge::vector::cosine;
use crate::knowledge::{KnowledgeError, words};
use std::cell::OnceCell;

/// The share of relevance, against novelty, in the choice.
const RELEVANCE: f64 = 0.7;
/// Two observations this alike say the same.
const DUPLICATE: f64 = 0.8;
/// Two observations whose vectors say so must share this much of their words as well.
const CONFIRMED: f64 = 0.5;

/// What may be chosen.
pub(super) struct Candidate<'v> {
    row: i64,
    id: Id,
    scores: Scores,
    vector: Option<&'v [u8]>,
    words: OnceCell<Vec<u64>>,
    /// How much it is like what it was compared with.
    alike: f64,
    /// How many of the chosen it was compared with.
    compared: usize,
}

/// What was chosen: its row, its figures, and how many were left out because they say the same.
type Chosen = (i64, Scores, u64);

/// Reads the text of an observation.
type Read<'r> = &'r dyn Fn(i64) -> Result<String, KnowledgeError>;

/// Chooses by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998).
///
/// A candidate is compared with what was chosen only while it could still be the next: relevance
/// alone bounds its value.
pub(super) fn diverse(
    mut open: Vec<Candidate<'_>>,
    limit: usize,
    read: Read<'_>,
) -> Result<Vec<Chosen>, KnowledgeError> {
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

    /// Compares with something that was chosen. Says whether the two say the same.
    fn compare(&mut self, other: &Self, read: Read<'_>) -> Result<bool, KnowledgeError> {
        self.compared += 1;
        let vectors = self.vector.zip(other.vector);
        let similarity = match vectors {
            Some((a, b)) => f64::from(cosine(a, b)),
            None => self.jaccard(other, read)?,
        };
        self.alike = self.alike.max(similarity);
        // In a space of few dimensions neighbours may be about the same and say different things:
        // the words decide.
        Ok(similarity > DUPLICATE && (vectors.is_none() || self.jaccard(other, read)? > CONFIRMED))
    }

    /// The words of its text, by their hashes, sorted.
    fn words(&self, read: Read<'_>) -> Result<&[u64], KnowledgeError> {
        if let Some(known) = self.words.get() {
            return Ok(known);
        }
        let mut all = Vec::new();
        words::each(&read(self.row)?, &mut |word| all.push(hash(&[word])));
        all.sort_unstable();
        all.dedup();
        Ok(self.words.get_or_init(|| all))
    }

    /// The share of words that two have in common (Jaccard).
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    fn jaccard(&self, other: &Self, read: Read<'_>) -> Result<f64, KnowledgeError> {
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
