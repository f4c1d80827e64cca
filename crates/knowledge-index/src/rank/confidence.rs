//! Estimates whether the best answer answers the question at all.
//!
//! The share of the question's words in the best answer, weighted by rarity, distinguishes
//! answerable questions best: a missing word may be the one that matters. A long question needs a
//! smaller share, since several of its words rarely meet by accident. So does a small index, since
//! it lacks many words that an answer could have been written with.

use super::Scores;
use super::question::Question;

/// The share of the merged score. Coverage has the rest.
const MERGED: f64 = 0.5;
/// How much a question of more words is favoured.
const LENGTH: f64 = 0.2;
/// The number of words of a usual question, which is neither favoured nor disfavoured.
const USUAL: f64 = 4.0;
/// The least number of words that are counted.
const LEAST: usize = 2;
/// How much an index of no size is favoured, and the number of observations at which half of that
/// is left.
const SIZE: f64 = 0.15;
const HALF: f64 = 500.0;

/// Returns the confidence in the best answer to a question. A given model may know words that the
/// index doesn't contain, so its vectors can replace coverage.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of words and observations"
)]
pub(super) fn estimate(best: &Scores, question: &Question, is_given: bool) -> f64 {
    let coverage = if is_given {
        best.evidence.coverage.max(best.vector)
    } else {
        best.evidence.coverage
    };
    if coverage <= 0.0 {
        return 0.0;
    }
    let length = (question.terms.len().max(LEAST) as f64 / USUAL).ln();
    let size = HALF / (question.observations as f64 + HALF);
    let base = MERGED * best.merged + (1.0 - MERGED) * coverage;
    (base + LENGTH * length + SIZE * size).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::Evidence;
    use super::super::question::Term;
    use super::*;

    fn scores(merged: f64, coverage: f64, vector: f64) -> Scores {
        Scores {
            evidence: Evidence {
                coverage,
                ..Evidence::default()
            },
            merged,
            vector,
            ..Scores::default()
        }
    }

    fn question(words: usize, observations: u64) -> Question {
        let term = Term {
            word: "word".to_owned(),
            prefix: false,
            variants: Vec::new(),
            documents: 1,
            weight: 1.0,
        };
        Question {
            terms: vec![term; words],
            is_identifier: false,
            observations,
        }
    }

    #[test]
    fn coverage_length_and_a_small_index_raise_confidence() {
        const LARGE: u64 = 1_000_000;
        let half = scores(0.5, 0.5, 0.0);
        let usual = estimate(&half, &question(4, LARGE), false);
        assert!((usual - 0.5).abs() < 1e-3);
        assert!(estimate(&scores(0.5, 0.8, 0.0), &question(4, LARGE), false) > usual);
        assert!(estimate(&half, &question(8, LARGE), false) > usual);
        assert!(estimate(&half, &question(2, LARGE), false) < usual);
        assert!(estimate(&half, &question(4, 100), false) > usual + 0.1);
    }

    #[test]
    fn only_vectors_of_a_given_model_replace_coverage() {
        let near = scores(0.5, 0.2, 0.9);
        let (learnt, given) = (
            estimate(&near, &question(4, 9), false),
            estimate(&near, &question(4, 9), true),
        );
        assert!(given > learnt + 0.3);
        let nothing = scores(0.3, 0.0, 0.9);
        assert!(estimate(&nothing, &question(32, 9), false) <= 0.0);
        assert!((estimate(&scores(1.0, 1.0, 1.0), &question(32, 9), false) - 1.0).abs() < 1e-9);
    }
}
