//! Compares the text of a candidate with the words of a question.

use super::fulltext::HEAD;
use super::question::Question;
use crate::words;
use rustc_hash::FxHashMap;

/// Saturation of the term frequency in BM25.
const K1: f64 = 1.2;
/// Strength of the normalisation by length in BM25.
const B: f64 = 0.75;
/// Number of words of a text of usual length. Long texts are split, so lengths differ little.
const LENGTH: f64 = 200.0;
/// How much a variant of a word counts, relative to the word.
const VARIANT: f64 = 0.8;
/// Maximum distance of two words that are next to each other in the question, for them to be near
/// each other in a text.
const NEAR: usize = 4;

/// What a text has of a question. All shares are weighted by the rarity of the words, and between 0
/// and 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evidence {
    /// BM25 (Robertson and others, "Okapi at TREC-3", 1994), relative to the best possible score.
    pub bm25: f64,
    /// The share of the question's words that the text contains.
    pub coverage: f64,
    /// The share that its head contains: the summary, headings, paths, and the task.
    pub head: f64,
    /// The share of neighbouring words of the question that are near each other in the text.
    pub phrase: f64,
}

/// A term in a text.
#[derive(Clone, Copy, Default)]
struct Seen {
    count: f64,
    in_head: f64,
    strength: f64,
}

/// The parts of a text.
pub(super) struct Text<'t> {
    pub(super) head: [&'t str; 3],
    pub(super) body: &'t str,
}

/// Compares texts with one question.
pub(super) struct Comparison<'q> {
    question: &'q Question,
    places: FxHashMap<&'q str, (usize, bool)>,
    weight: f64,
}

impl<'q> Comparison<'q> {
    pub(super) fn new(question: &'q Question) -> Self {
        Self {
            question,
            places: question.places(),
            weight: question.weight(),
        }
    }

    /// Finds the term that an indexed word matches.
    fn term(&self, word: &str) -> Option<(usize, f64)> {
        if let Some((place, is_variant)) = self.places.get(word) {
            return Some((*place, if *is_variant { VARIANT } else { 1.0 }));
        }
        let mut terms = self.question.terms.iter();
        let place = terms.position(|term| term.prefix && word.starts_with(&term.word))?;
        Some((place, 1.0))
    }

    /// Whether the question contains all words of a task's name.
    pub(super) fn names(&self, task: &str) -> bool {
        let (mut all, mut found) = (0_usize, 0_usize);
        words::each(task, &mut |word| {
            all += 1;
            found += usize::from(self.places.get(word).is_some_and(|(_, variant)| !variant));
        });
        all > 0 && all == found
    }

    /// Compares a text with the question.
    pub(super) fn evidence(&self, text: &Text<'_>) -> Evidence {
        let terms = &self.question.terms;
        let mut seen = vec![Seen::default(); terms.len()];
        let mut last: Vec<Option<usize>> = vec![None; terms.len()];
        let mut near = vec![false; terms.len()];
        let mut at = 0_usize;
        for (n, part) in text.head.iter().chain([&text.body]).enumerate() {
            let is_head = n < text.head.len();
            words::each(part, &mut |word| {
                at += 1;
                let Some((place, strength)) = self.term(word) else {
                    return;
                };
                if let Some(seen) = seen.get_mut(place) {
                    seen.count += strength * if is_head { HEAD } else { 1.0 };
                    seen.strength = seen.strength.max(strength);
                    if is_head {
                        seen.in_head = seen.in_head.max(strength);
                    }
                }
                // A pair of terms is known by its second one.
                for (second, other) in [
                    (Some(place), place.checked_sub(1)),
                    (place.checked_add(1), place.checked_add(1)),
                ] {
                    let other_at = other.and_then(|n| last.get(n).copied().flatten());
                    if other_at.is_some_and(|before| at - before <= NEAR)
                        && let Some(near) = second.and_then(|n| near.get_mut(n))
                    {
                        *near = true;
                    }
                }
                if let Some(last) = last.get_mut(place) {
                    *last = Some(at);
                }
            });
            // Words of different parts aren't near each other.
            at += NEAR;
        }
        #[expect(clippy::cast_precision_loss, reason = "a count of words")]
        let relative = at as f64 / LENGTH;
        let mut sum = Evidence::default();
        let (mut pairs, mut near_pairs) = (0.0, 0.0);
        for (n, (term, seen)) in terms.iter().zip(&seen).enumerate() {
            let bm25 = seen.count / (seen.count + K1 * (1.0 - B + B * relative));
            sum.bm25 += term.weight * bm25;
            sum.coverage += term.weight * seen.strength;
            sum.head += term.weight * seen.in_head;
            if let Some(before) = n.checked_sub(1).and_then(|n| terms.get(n)) {
                let weight = term.weight.min(before.weight);
                pairs += weight;
                if near.get(n).copied().unwrap_or_default() {
                    near_pairs += weight;
                }
            }
        }
        let share = |sum: f64, of: f64| if of > 0.0 { sum / of } else { 0.0 };
        let coverage = share(sum.coverage, self.weight);
        Evidence {
            bm25: share(sum.bm25, self.weight),
            coverage,
            head: share(sum.head, self.weight),
            // A single word is a phrase of its own.
            phrase: if pairs > 0.0 {
                near_pairs / pairs
            } else {
                coverage
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::question::Term;
    use super::*;

    fn question(words: &[(&str, &[&str], f64)]) -> Question {
        let term = |(word, variants, weight): &(&str, &[&str], f64)| Term {
            word: (*word).to_owned(),
            prefix: false,
            variants: variants.iter().map(|v| (*v).to_owned()).collect(),
            documents: 1,
            weight: *weight,
        };
        Question {
            terms: words.iter().map(term).collect(),
            is_identifier: false,
            observations: 1,
        }
    }

    fn evidence(question: &Question, head: &str, body: &str) -> Evidence {
        let head = [head, "", ""];
        Comparison::new(question).evidence(&Text { head, body })
    }

    #[test]
    fn shares_are_weighted_by_rarity() {
        let question = question(&[("lexer", &[], 3.0), ("fast", &[], 1.0)]);
        let found = evidence(&question, "", "a lexer");
        assert!((found.coverage - 0.75).abs() < 1e-9 && found.head.abs() < 1e-9);
        let found = evidence(&question, "lexer", "fast");
        assert!((found.coverage - 1.0).abs() < 1e-9 && (found.head - 0.75).abs() < 1e-9);
        assert_eq!(evidence(&question, "", "nothing"), Evidence::default());
    }

    #[test]
    fn phrases_are_words_near_each_other() {
        let question = question(&[("writ", &[], 1.0), ("ahead", &[], 1.0)]);
        assert!((evidence(&question, "", "write far ahead").phrase - 1.0).abs() < 1e-9);
        assert!((evidence(&question, "", "ahead write").phrase - 1.0).abs() < 1e-9);
        let far = "write one two three four five six ahead";
        assert!(evidence(&question, "", far).phrase.abs() < 1e-9);
        assert!(evidence(&question, "write", "ahead").phrase.abs() < 1e-9);
    }

    #[test]
    fn variants_count_less_and_frequency_saturates() {
        let question = question(&[("configur", &["configuration"], 1.0)]);
        let (word, variant) = (
            evidence(&question, "", "configure"),
            evidence(&question, "", "configuration"),
        );
        assert!(word.coverage > variant.coverage && word.bm25 > variant.bm25);
        let often = evidence(&question, "", &"configure ".repeat(50));
        assert!(often.bm25 > word.bm25 && often.bm25 <= 1.0);
    }

    #[test]
    fn a_task_is_named_by_all_of_its_words() {
        let question = question(&[("react", &[], 1.0), ("fix", &[], 1.0)]);
        let comparison = Comparison::new(&question);
        assert!(comparison.names("react-fix"));
        assert!(!comparison.names("react-fix-turns") && !comparison.names(""));
    }
}
