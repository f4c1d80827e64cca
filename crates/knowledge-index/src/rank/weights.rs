//! How the figures of the stages are weighed.

use super::evidence::Evidence;

/// The weights and the minimal scores of a search. Shares needn't add up to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Share of full text in the merged score.
    pub full_text: f64,
    /// Share of vectors in the merged score.
    pub vectors: f64,
    /// Minimum merged score of an answer.
    pub minimum: f64,
    /// Minimum confidence of the best answer. Below it, the question isn't answered.
    pub answer: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            full_text: 0.75,
            vectors: 0.25,
            minimum: 0.1,
            answer: 0.55,
        }
    }
}

/// Shares of the evidence in the full-text score: BM25, coverage, head and phrase.
const SHARES: [f64; 4] = [0.35, 0.25, 0.3, 0.1];

impl Weights {
    /// Returns the weights that suit a question. One identifier leans on full text: it is found
    /// literally or not at all. A given model knows words that the index doesn't contain, so its
    /// vectors count as much as full text does otherwise, unless other shares are configured.
    pub(super) fn suited(self, is_identifier: bool, is_given: bool) -> Self {
        let default = Self::default();
        if is_identifier {
            Self {
                full_text: self.full_text + self.vectors,
                vectors: 0.0,
                ..self
            }
        } else if is_given && self.same_shares(&default) {
            Self {
                full_text: default.vectors,
                vectors: default.full_text,
                ..self
            }
        } else {
            self
        }
    }

    fn same_shares(&self, other: &Self) -> bool {
        let differs = |a: f64, b: f64| (a - b).abs() > f64::EPSILON;
        !differs(self.full_text, other.full_text) && !differs(self.vectors, other.vectors)
    }

    /// Returns the full-text score.
    #[expect(clippy::unused_self, reason = "the shares belong to the weights")]
    pub(super) fn text(&self, evidence: &Evidence) -> f64 {
        let parts = [
            evidence.bm25,
            evidence.coverage,
            evidence.head,
            evidence.phrase,
        ];
        SHARES.iter().zip(parts).map(|(share, x)| share * x).sum()
    }

    /// Returns the merged score.
    pub(super) fn merged(&self, text: f64, vector: f64) -> f64 {
        self.full_text * text + self.vectors * vector
    }
}
