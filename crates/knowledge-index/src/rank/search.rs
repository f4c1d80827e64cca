//! The stages of a search, with the score of each.

use super::confidence;
use super::diverse::{Candidate, diverse};
use super::evidence::{Comparison, Evidence, Text};
use super::fulltext::{self, Candidates};
use super::prior;
use super::question::Question;
use super::space::Space;
use super::weights::Weights;
use crate::store::Filter;
use crate::vector::cosine;
use crate::{IndexError, Store, Stored};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Maximum number of observations from each kind of search that are merged.
const CANDIDATES: usize = 100;
/// Minimum factor of the decay.
const FLOOR: f64 = 0.1;
/// Milliseconds in a day.
const DAY: f64 = 86_400_000.0;

/// The kinds of search that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stages {
    /// Full text and vectors, if there are vectors.
    #[default]
    Both,
    /// Full text alone.
    Text,
    /// Vectors alone.
    Vectors,
}

/// How a score decreases with age. Each form halves it after the half-life, and never goes below a
/// tenth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decay {
    /// `e^(-λ·days)` with `λ = ln 2 / half-life`.
    #[default]
    Exponential,
    /// Linear, so that only the minimum is left after two half-lives.
    Linear,
    /// Halved after each half-life, constant in between.
    Step,
}

/// A search query.
#[derive(Debug, Clone)]
pub struct Query<'q> {
    pub text: &'q str,
    /// Restricts the search.
    pub filter: Filter<'q>,
    /// The time from which ages are counted, in milliseconds since the Unix epoch. `None` disables
    /// decay.
    pub now: Option<i64>,
    /// Half-life in days.
    pub half_life: f64,
    pub decay: Decay,
    /// Maximum number of answers.
    pub limit: usize,
    /// The kinds of search that are used.
    pub stages: Stages,
    pub weights: Weights,
}

impl<'q> Query<'q> {
    /// Creates a query over everything, without decay.
    #[must_use]
    pub fn new(text: &'q str) -> Self {
        Self {
            text,
            filter: Filter::default(),
            now: None,
            half_life: 30.0,
            decay: Decay::default(),
            limit: 10,
            stages: Stages::default(),
            weights: Weights::default(),
        }
    }
}

/// The scores of one answer.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Scores {
    /// What the text has of the question.
    pub evidence: Evidence,
    /// The full-text score: the weighted sum of the evidence.
    pub text: f64,
    /// The raw cosine; `None` without a vector.
    pub cosine: Option<f64>,
    /// The cosine times the known share of the question; 0 where it is negative.
    pub vector: f64,
    /// The weighted sum of `text` and `vector`.
    pub merged: f64,
    /// The factor for age.
    pub decay: f64,
    /// The ranking score: `merged` times `decay`.
    pub score: f64,
    /// The maximal marginal relevance at selection.
    pub mmr: f64,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct SearchHit {
    pub stored: Stored,
    pub scores: Scores,
    /// Number of dropped duplicates of this answer.
    pub duplicates: u64,
}

/// The answers to a query.
#[derive(Debug, Clone, Default)]
pub struct Answers {
    /// The best answers in descending order.
    pub found: Vec<SearchHit>,
    /// Number of further matches: those beyond the limit and dropped duplicates.
    pub more: usize,
    /// Whether there may be even more, since not everything was compared.
    pub open: bool,
    /// How sure the best answer is, between 0 and 1.
    pub confidence: f64,
    /// Whether the best answers are too weak: they are only the nearest observations.
    pub is_refused: bool,
}

/// Answers queries. It loads the vectors on first use.
#[derive(Debug)]
pub struct Ranker<'s> {
    store: &'s Store,
    /// Unset before the first query that needs it; `None` inside when the store has no vectors.
    vectors: OnceCell<Option<Space>>,
}

/// Returns the value of a cell, which is created on first use.
fn once<T>(
    cell: &OnceCell<T>,
    make: impl FnOnce() -> Result<T, IndexError>,
) -> Result<&T, IndexError> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = make()?;
    Ok(cell.get_or_init(|| value))
}

impl<'s> Ranker<'s> {
    /// Creates a ranker for a store.
    #[must_use]
    pub fn new(store: &'s Store) -> Self {
        Self {
            store,
            vectors: OnceCell::new(),
        }
    }

    /// Returns the answers to a query in descending order.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn search(&self, query: &Query<'_>) -> Result<Vec<SearchHit>, IndexError> {
        Ok(self.answers(query)?.found)
    }

    /// Returns the answers to a query, with the number of further matches.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn answers(&self, query: &Query<'_>) -> Result<Answers, IndexError> {
        let question = Question::new(&self.store.db, query.text)?;
        let space = match query.stages {
            Stages::Text => None,
            Stages::Both | Stages::Vectors => {
                once(&self.vectors, || Space::load(self.store))?.as_ref()
            }
        };
        let is_given = space.is_some_and(|space| !space.is_learned());
        // A given model may know a single word of prose.
        let is_word = query.text.trim().bytes().all(|b| b.is_ascii_alphabetic());
        let is_identifier = question.is_identifier && !(is_given && is_word);
        let weights = query.weights.suited(is_identifier, is_given);
        let among = self.store.rows_among(&query.filter)?;
        let among = among.as_deref();
        let wanted = CANDIDATES.max(query.limit.saturating_mul(4));
        let by_text = if query.stages == Stages::Vectors {
            Candidates::default()
        } else {
            let name = |row| Ok(self.store.name_and_time(row)?.0);
            fulltext::candidates(&self.store.db, &question, among, wanted, &name)?
        };
        let mut cosines: BTreeMap<i64, Option<f64>> =
            by_text.best.iter().map(|(row, _)| (*row, None)).collect();
        let mut with_vectors = false;
        if let Some(space) = space
            && let Some(asked) = space.embed(query.text)
        {
            let found = space.nearest(&asked, among, wanted);
            with_vectors = !found.is_empty();
            // Documents found only by words are compared by vector as well.
            for (row, known) in &mut cosines {
                *known = space
                    .of(*row)
                    .map(|vector| f64::from(cosine(&asked, vector)));
            }
            cosines.extend(found.into_iter().map(|(row, cosine)| (row, Some(cosine))));
        }
        // Full text and learned vectors represent only the words that the index contains.
        let known = question.known();
        let represented = if is_given { 1.0 } else { known };
        let comparison = Comparison::new(&question);
        let mut candidates = Vec::new();
        for (row, cosine) in cosines {
            let texts = self.store.texts(row)?;
            let evidence = comparison.evidence(&Text {
                head: [&texts.summary, &texts.refs, &texts.task],
                body: &texts.detail,
            });
            let (text, vector) = (
                weights.text(&evidence),
                represented * cosine.unwrap_or_default().clamp(0.0, 1.0),
            );
            let merged = match query.stages {
                Stages::Both if with_vectors => weights.merged(text, vector),
                Stages::Vectors => vector,
                _ => text,
            };
            let merged = merged * prior::factor(&texts, &question);
            if merged >= weights.minimum {
                let scores = Scores {
                    evidence,
                    text,
                    cosine,
                    vector,
                    merged,
                    ..Scores::default()
                };
                let is_named = comparison.names(&texts.task);
                candidates.push((row, texts.id, (texts.time, is_named), scores));
            }
        }
        // Observations that were found by words and aren't compared are only counted.
        let beyond = by_text.others.len();
        let answers = candidates.len() + beyond;
        // The id breaks ties, since rows depend on the order in which sources were indexed.
        candidates.sort_by(|a, b| {
            b.3.merged
                .total_cmp(&a.3.merged)
                .then_with(|| a.1.cmp(&b.1))
        });
        candidates.truncate(CANDIDATES);
        let confidence = candidates.first().map_or(0.0, |(.., scores)| {
            confidence::estimate(scores, &question, is_given && with_vectors)
        });
        let mut near = Vec::with_capacity(candidates.len());
        for (row, id, (time, is_named), mut scores) in candidates {
            // What the question names by its task doesn't age.
            scores.decay = if is_named { 1.0 } else { decay(query, time) };
            scores.score = scores.merged * scores.decay;
            near.push(Candidate::new(
                row,
                id,
                scores,
                space.and_then(|s| s.of(row)),
            ));
        }
        let chosen = diverse(near, query.limit, &|row| self.store.detail(row))?;
        let whole = |(row, scores, duplicates)| {
            Ok(SearchHit {
                stored: self.store.by_row(row)?,
                scores,
                duplicates,
            })
        };
        let found = chosen
            .into_iter()
            .map(whole)
            .collect::<Result<Vec<_>, IndexError>>()?;
        Ok(Answers {
            more: answers.saturating_sub(found.len()),
            found,
            open: by_text.is_open || with_vectors,
            confidence,
            is_refused: confidence < weights.answer,
        })
    }
}

/// Returns the factor that remains at an observation's age.
#[expect(clippy::cast_precision_loss, reason = "milliseconds since the epoch")]
fn decay(query: &Query<'_>, time: Option<i64>) -> f64 {
    let (Some(now), Some(time)) = (query.now, time) else {
        return 1.0;
    };
    let days = (now.saturating_sub(time).max(0) as f64) / DAY;
    let half_lives = days / query.half_life.max(f64::MIN_POSITIVE);
    let left = match query.decay {
        Decay::Exponential => (-std::f64::consts::LN_2 * half_lives).exp(),
        Decay::Linear => 1.0 - half_lives / 2.0,
        Decay::Step => (-half_lives.floor()).exp2(),
    };
    left.max(FLOOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_halves_and_never_takes_all() {
        const DAYS: i64 = 86_400_000;
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        for decays in [Decay::Exponential, Decay::Linear, Decay::Step] {
            let now = Some(60 * DAYS);
            let query = Query {
                now,
                decay: decays,
                ..Query::new("")
            };
            assert!(close(decay(&query, Some(30 * DAYS)), 0.5));
            assert!(close(decay(&query, Some(60 * DAYS)), 1.0));
            assert!(
                close(decay(&query, Some(i64::MAX)), 1.0),
                "what is newer than now isn't better for it"
            );
            assert!(close(decay(&query, Some(i64::MIN)), FLOOR));
            assert!(close(decay(&query, None), 1.0));
            let after = |days: i64| decay(&query, Some((60 - days) * DAYS));
            let expected = match decays {
                Decay::Exponential => [0.5_f64.sqrt(), 0.5_f64.powf(1.5), 0.25],
                Decay::Linear => [0.75, 0.25, FLOOR],
                Decay::Step => [1.0, 0.5, 0.25],
            };
            for (days, share) in [15, 45, 60].into_iter().zip(expected) {
                assert!(
                    close(after(days), share),
                    "{decays:?} {days}: {}",
                    after(days)
                );
            }
        }
    }
}
