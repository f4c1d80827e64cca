//! The stages of a search, and the figure of each.

use super::fulltext;
use super::lsa::{Model, cosine};
use crate::knowledge::words;
use crate::knowledge::{KnowledgeError, Store, Stored};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// Observations of each kind of search that go on to the merge.
const CANDIDATES: usize = 200;
/// Shares of full text and vectors in the merged score.
const SHARES: (f64, f64) = (0.3, 0.7);
/// Merged scores below this are no answers.
const LEAST: f64 = 0.1;
/// However old something is, so much of its score stays.
const FLOOR: f64 = 0.1;
/// The share of relevance, against novelty, in the choice.
const RELEVANCE: f64 = 0.7;
/// Two observations this alike say the same.
const DUPLICATE: f64 = 0.8;
/// Two observations whose vectors say so must share this much of their words as well.
const CONFIRMED: f64 = 0.5;
/// Milliseconds of a day.
const DAY: f64 = 86_400_000.0;

/// Which kinds of search take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stages {
    /// Both, where there are vectors.
    #[default]
    Both,
    /// Full text alone.
    Text,
    /// Vectors alone.
    Vectors,
}

/// A question.
#[derive(Debug, Clone)]
pub struct Query<'q> {
    /// The words.
    pub text: &'q str,
    /// Only observations of this task.
    pub task: Option<&'q str>,
    /// Milliseconds since the epoch, from which ages are counted.
    pub now: Option<i64>,
    /// Days after which a score is half.
    pub half_life: f64,
    /// How many answers.
    pub limit: usize,
    /// Which kinds of search take part.
    pub stages: Stages,
}

/// The figures of one answer.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Scores {
    /// BM25, as it is.
    pub bm25: Option<f64>,
    /// Full text, relative to the best.
    pub text: f64,
    /// The cosine, as it is.
    pub cosine: Option<f64>,
    /// Vectors: the cosine, or nothing where it is negative.
    pub vector: f64,
    /// Both.
    pub merged: f64,
    /// The share that age leaves.
    pub decay: f64,
    /// What is ranked by: merged times decay.
    pub score: f64,
    /// What the choice was made by: relevance less what was said already.
    pub mmr: f64,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Found {
    /// What was found.
    pub stored: Stored,
    /// Its figures.
    pub scores: Scores,
    /// Ids of what says the same and was left out for it.
    pub duplicates: u64,
}

/// Answers questions. Holds the model and the vectors once they are needed.
#[derive(Debug)]
pub struct Ranker<'s> {
    store: &'s Store,
    /// Nothing before the first question; then what there is, which may be nothing.
    vectors: OnceCell<Option<Space>>,
}

/// All vectors, one behind the other.
#[derive(Debug)]
struct Space {
    model: Model,
    width: usize,
    rows: Vec<i64>,
    values: Vec<i8>,
}

impl Space {
    fn load(store: &Store) -> Result<Option<Self>, KnowledgeError> {
        let Some(bytes) = store.meta::<Vec<u8>>("lsa")? else { return Ok(None) };
        let model = Model::from_bytes(&bytes).ok_or(KnowledgeError::Damaged("the model of the vectors can't be read"))?;
        let mut statement = store.db.prepare("SELECT observation, vector FROM embedding ORDER BY observation")?;
        let mut rows = statement.query([])?;
        let mut space = Self { model, width: 0, rows: Vec::new(), values: Vec::new() };
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let vector = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            if vector.is_empty() || space.width != 0 && vector.len() != space.width {
                continue;
            }
            space.width = vector.len();
            space.rows.push(id);
            space.values.extend(vector.iter().map(|b| b.cast_signed()));
        }
        Ok(Some(space))
    }

    fn of(&self, row: i64) -> Option<&[i8]> {
        let at = self.rows.binary_search(&row).ok()?;
        self.values.get(at * self.width..(at + 1) * self.width)
    }

    fn nearest(&self, asked: &[i8], limit: usize) -> Vec<(i64, f64)> {
        let vectors = self.values.chunks_exact(self.width.max(1));
        let mut all: Vec<(f32, i64)> = self.rows.iter().zip(vectors).map(|(row, v)| (cosine(asked, v), *row)).collect();
        let order = |a: &(f32, i64), b: &(f32, i64)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if all.len() > limit {
            all.select_nth_unstable_by(limit, order);
            all.truncate(limit);
        }
        all.sort_by(order);
        all.into_iter().filter(|(c, _)| *c > 0.0).map(|(c, row)| (row, f64::from(c))).collect()
    }
}

impl<'s> Ranker<'s> {
    /// Over a store.
    #[must_use]
    pub fn new(store: &'s Store) -> Self {
        Self { store, vectors: OnceCell::new() }
    }

    /// The answers to a question, the best first; and how many were left out because something chosen says the same.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn search(&self, query: &Query<'_>) -> Result<Vec<Found>, KnowledgeError> {
        let wanted = if query.task.is_some() { usize::MAX } else { CANDIDATES.max(query.limit * 4) };
        let mut all: BTreeMap<i64, Scores> = BTreeMap::new();
        if query.stages != Stages::Vectors {
            let found = fulltext::search(self.store, query.text, wanted)?;
            let best = found.first().map_or(1.0, |(_, s)| *s).max(f64::MIN_POSITIVE);
            for (row, score) in found {
                all.insert(row, Scores { bm25: Some(score), text: (score / best).clamp(0.0, 1.0), ..Scores::default() });
            }
        }
        let mut with_vectors = false;
        if query.stages != Stages::Text
            && let Some(space) = self.space()?
        {
            let asked = space.model.embed(query.text);
            let found = asked.as_deref().map(|asked| space.nearest(asked, wanted)).unwrap_or_default();
            with_vectors = !found.is_empty();
            // What only the words found is compared as well.
            let by_words: Vec<i64> = all.keys().copied().collect();
            let asked = asked.as_deref().unwrap_or_default();
            let compared = by_words.into_iter().filter_map(|row| Some((row, f64::from(cosine(asked, space.of(row)?)))));
            for (row, cosine) in compared.chain(found).collect::<Vec<_>>() {
                let scores = all.entry(row).or_default();
                scores.cosine = Some(cosine);
                scores.vector = cosine.clamp(0.0, 1.0);
            }
        }
        let mut candidates = Vec::new();
        for (row, mut scores) in all {
            scores.merged = match query.stages {
                Stages::Both if with_vectors => SHARES.0 * scores.text + SHARES.1 * scores.vector,
                Stages::Vectors => scores.vector,
                _ => scores.text,
            };
            if scores.merged >= LEAST {
                candidates.push((row, scores));
            }
        }
        candidates.sort_by(|a, b| b.1.merged.total_cmp(&a.1.merged).then(a.0.cmp(&b.0)));
        let mut found = Vec::new();
        for (row, mut scores) in candidates {
            let stored = self.store.by_row(row)?;
            if query.task.is_some_and(|task| stored.task.as_deref() != Some(task)) {
                continue;
            }
            scores.decay = decay(query, stored.time);
            scores.score = scores.merged * scores.decay;
            found.push(Found { stored, scores, duplicates: 0 });
            if found.len() >= CANDIDATES {
                break;
            }
        }
        found.sort_by(|a, b| b.scores.score.total_cmp(&a.scores.score).then_with(|| a.stored.id.cmp(&b.stored.id)));
        Ok(self.diverse(found, query.limit))
    }

    fn space(&self) -> Result<Option<&Space>, KnowledgeError> {
        if self.vectors.get().is_none() {
            let space = Space::load(self.store)?;
            return Ok(self.vectors.get_or_init(|| space).as_ref());
        }
        Ok(self.vectors.get().and_then(Option::as_ref))
    }

    /// Chooses by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998).
    fn diverse(&self, candidates: Vec<Found>, limit: usize) -> Vec<Found> {
        let space = self.vectors.get().and_then(Option::as_ref);
        let best = candidates.first().map_or(1.0, |f| f.scores.score).max(f64::MIN_POSITIVE);
        let mut open: Vec<Candidate> = candidates.into_iter().map(Candidate::new).collect();
        let mut chosen: Vec<Found> = Vec::new();
        let value = |c: &Candidate| RELEVANCE * c.found.scores.score / best - (1.0 - RELEVANCE) * c.alike;
        while chosen.len() < limit {
            let order = |(_, a): &(usize, &Candidate), (_, b): &(usize, &Candidate)| {
                value(a).total_cmp(&value(b)).then_with(|| b.found.stored.id.cmp(&a.found.stored.id))
            };
            let Some((next, _)) = open.iter().enumerate().max_by(order) else { break };
            let mut taken = open.swap_remove(next);
            taken.found.scores.mmr = value(&taken);
            let mut duplicates = 0;
            open.retain_mut(|other| {
                let vectors = space.and_then(|s| s.of(taken.found.stored.row).zip(s.of(other.found.stored.row)));
                let similarity = vectors.map_or_else(|| taken.jaccard(other), |(a, b)| f64::from(cosine(a, b)));
                other.alike = other.alike.max(similarity);
                // In a space of few dimensions neighbours may be about the same and say different things: the words decide.
                let same = similarity > DUPLICATE && (vectors.is_none() || taken.jaccard(other) > CONFIRMED);
                duplicates += u64::from(same);
                !same
            });
            taken.found.duplicates = duplicates;
            chosen.push(taken.found);
        }
        chosen
    }
}

/// What may be chosen.
struct Candidate {
    found: Found,
    words: OnceCell<BTreeSet<String>>,
    /// How much it is like what was chosen already.
    alike: f64,
}

impl Candidate {
    fn new(found: Found) -> Self {
        Self { found, words: OnceCell::new(), alike: 0.0 }
    }

    fn words(&self) -> &BTreeSet<String> {
        self.words.get_or_init(|| {
            let mut all = BTreeSet::new();
            words::each(&self.found.stored.detail, &mut |word| {
                all.insert(word.to_owned());
            });
            all
        })
    }

    /// The share of words that two have in common (Jaccard).
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    fn jaccard(&self, other: &Self) -> f64 {
        let (a, b) = (self.words(), other.words());
        let common = a.intersection(b).count();
        let union = a.len() + b.len() - common;
        if union == 0 { 0.0 } else { common as f64 / union as f64 }
    }
}

/// The share of a score that age leaves: `e^(-λ·days)` with `λ = ln 2 / half-life`.
#[expect(clippy::cast_precision_loss, reason = "milliseconds since the epoch")]
fn decay(query: &Query<'_>, time: Option<i64>) -> f64 {
    let (Some(now), Some(time)) = (query.now, time) else { return 1.0 };
    let days = (now.saturating_sub(time).max(0) as f64) / DAY;
    (-std::f64::consts::LN_2 / query.half_life.max(f64::MIN_POSITIVE) * days).exp().max(FLOOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_halves_and_never_takes_all() {
        let query = Query { text: "", task: None, now: Some(60 * 86_400_000), half_life: 30.0, limit: 1, stages: Stages::Both };
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(close(decay(&query, Some(30 * 86_400_000)), 0.5));
        assert!(close(decay(&query, Some(60 * 86_400_000)), 1.0));
        assert!(close(decay(&query, Some(i64::MAX)), 1.0), "what is newer than now isn't better for it");
        assert!(close(decay(&query, Some(i64::MIN)), FLOOR));
        assert!(close(decay(&query, None), 1.0));
    }
}
