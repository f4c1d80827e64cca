//! Measures the quality of answers on questions with graded answers.

use super::{Query, Ranker, Stages, Weights};
use crate::observation::{Kind, Observation, summarise};
use crate::store::{NewSource, Prepared, Schema};
use crate::{IndexError, Store};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Number of answers that are evaluated.
const AT: usize = 10;

/// Documents with questions about them.
#[derive(Debug, Clone)]
pub struct Corpus {
    documents: Vec<Document>,
    questions: Vec<Question>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    id: String,
    text: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    group: String,
    #[serde(rename = "question")]
    text: String,
    /// Document ids with grades: 2 answers the question, 1 helps. Without any, no document answers
    /// the question.
    answers: BTreeMap<String, u8>,
}

/// Means over questions, between 0 and 1. A refused question is a miss; only `ndcg` and `recall`
/// rate its ranking all the same.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Metrics {
    /// Normalised discounted cumulative gain of the first ten answers (Järvelin and Kekäläinen,
    /// TOIS 20, 2002), with a gain of `2^grade - 1`.
    pub ndcg: f64,
    /// Share of all relevant documents that are among the first ten answers.
    pub recall: f64,
    /// Whether the first answer has the highest grade of the question.
    pub hit_at_1: f64,
    /// Whether one of the first five answers has it.
    pub hit_at_5: f64,
    /// Mean reciprocal rank of the first answer with it.
    pub mrr: f64,
    /// Share of the questions with answers that were refused.
    pub refused: f64,
    /// Share of the questions without answers that were answered.
    pub answered: f64,
}

/// The metrics of a group of questions.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The name of the group; `all` is every question.
    pub group: String,
    /// Number of questions that a document answers.
    pub questions: usize,
    /// Number of questions that none answers.
    pub unanswerable: usize,
    /// With full text, with vectors, and with both.
    pub figures: [Metrics; 3],
}

fn lines<'t, T: Deserialize<'t>>(what: &str, text: &'t str) -> Result<Vec<T>, String> {
    let lines = (1..)
        .zip(text.lines())
        .filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
    lines
        .map(|(n, line)| serde_json::from_str(line).map_err(|e| format!("{what}, line {n}: {e}")))
        .collect()
}

impl Corpus {
    /// Parses documents and questions in JSON Lines.
    ///
    /// # Errors
    /// When a line can't be read, an id is duplicated, or an answer isn't a document. The error is
    /// a message.
    pub fn parse(documents: &str, questions: &str) -> Result<Self, String> {
        let corpus = Self {
            documents: lines("documents", documents)?,
            questions: lines("questions", questions)?,
        };
        let mut ids = BTreeSet::new();
        if let Some(twice) = corpus.documents.iter().find(|d| !ids.insert(&d.id)) {
            return Err(format!("the document `{}` appears twice", twice.id));
        }
        for question in &corpus.questions {
            if let Some(unknown) = question.answers.keys().find(|id| !ids.contains(id)) {
                return Err(format!(
                    "the question `{}` is answered by `{unknown}`, which isn't a document",
                    question.text
                ));
            }
        }
        Ok(corpus)
    }
}

/// Searches for every question with each kind of search. `model` is the directory of a model that
/// replaces the learned one.
///
/// # Errors
/// When the temporary store can't be used.
pub fn evaluate(
    corpus: &Corpus,
    model: Option<&Path>,
    weights: Weights,
) -> Result<Vec<Group>, IndexError> {
    let mut store = Store::in_memory(&Schema::BARE)?;
    store.use_model(model);
    fill(&mut store, corpus)?;
    let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
    let mut all = Group::new("all");
    let ranker = Ranker::new(&store);
    for question in &corpus.questions {
        let name = question.group.as_str();
        let group = groups.entry(name).or_insert_with(|| Group::new(name));
        let is_answerable = !question.answers.is_empty();
        for group in [&mut *group, &mut all] {
            group.questions += usize::from(is_answerable);
            group.unanswerable += usize::from(!is_answerable);
        }
        for (n, stages) in [Stages::Text, Stages::Vectors, Stages::Both]
            .into_iter()
            .enumerate()
        {
            let answers = ranker.answers(&Query {
                limit: AT,
                stages,
                weights,
                ..Query::new(&question.text)
            })?;
            let is_refused = answers.is_refused || answers.found.is_empty();
            let found: Vec<String> = answers
                .found
                .into_iter()
                .filter_map(|f| f.stored.task)
                .collect();
            let one = if is_answerable {
                rate(&question.answers, &found, is_refused)
            } else {
                Metrics {
                    answered: f64::from(u8::from(!is_refused)),
                    ..Metrics::default()
                }
            };
            for sum in [group.figures.get_mut(n), all.figures.get_mut(n)]
                .into_iter()
                .flatten()
            {
                sum.add(one);
            }
        }
    }
    let mut out: Vec<Group> = groups.into_values().chain([all]).collect();
    out.iter_mut().for_each(Group::divide);
    Ok(out)
}

impl Metrics {
    fn add(&mut self, other: Self) {
        self.ndcg += other.ndcg;
        self.recall += other.recall;
        self.hit_at_1 += other.hit_at_1;
        self.hit_at_5 += other.hit_at_5;
        self.mrr += other.mrr;
        self.refused += other.refused;
        self.answered += other.answered;
    }
}

impl Group {
    fn new(name: &str) -> Self {
        Self {
            group: name.into(),
            questions: 0,
            unanswerable: 0,
            figures: [Metrics::default(); 3],
        }
    }

    /// Makes means of sums.
    #[expect(clippy::cast_precision_loss, reason = "counts of questions")]
    fn divide(&mut self) {
        let questions = self.questions.max(1) as f64;
        let unanswerable = self.unanswerable.max(1) as f64;
        for figures in &mut self.figures {
            figures.ndcg /= questions;
            figures.recall /= questions;
            figures.hit_at_1 /= questions;
            figures.hit_at_5 /= questions;
            figures.mrr /= questions;
            figures.refused /= questions;
            figures.answered /= unanswerable;
        }
    }
}

fn fill(store: &mut Store, corpus: &Corpus) -> Result<(), IndexError> {
    let given = store.model()?;
    let mut writer = store.write()?;
    for document in &corpus.documents {
        let observation = Observation {
            kind: Kind::Document,
            task: Some(document.id.clone()),
            time: None,
            lines: (1, 1),
            summary: summarise(&document.text),
            refs: Vec::new(),
            detail: document.text.clone(),
        };
        let source = NewSource {
            kind: "documents",
            path: &document.id,
            hash: &[],
            bytes: 0,
            hidden: 0,
        };
        let prepared = Prepared::new(vec![observation], source.path);
        writer.index(writer.next(), &prepared.words())?;
        let source = writer.add(&source, &prepared)?;
        writer.finish(source)?;
    }
    super::update(&writer, true, given, true)?;
    writer.commit()
}

/// Computes the metrics of one list of answers.
fn rate(answers: &BTreeMap<String, u8>, found: &[String], is_refused: bool) -> Metrics {
    let gain = |grade: u8| f64::from(2_u32.pow(u32::from(grade.min(8)))) - 1.0;
    #[expect(clippy::cast_precision_loss, reason = "at most ten")]
    let discounted = |grades: &mut dyn Iterator<Item = u8>| -> f64 {
        grades
            .take(AT)
            .enumerate()
            .map(|(n, grade)| gain(grade) / (n as f64 + 2.0).log2())
            .sum()
    };
    let mut best: Vec<u8> = answers.values().copied().collect();
    best.sort_unstable_by(|a, b| b.cmp(a));
    let ideal = discounted(&mut best.into_iter());
    let grade = |id: &String| answers.get(id).copied().unwrap_or_default();
    let right = found.iter().take(AT).filter(|id| grade(id) > 0).count();
    #[expect(clippy::cast_precision_loss, reason = "counts of answers")]
    let recall = right as f64 / answers.len().clamp(1, AT) as f64;
    let ndcg = if ideal > 0.0 {
        discounted(&mut found.iter().map(grade)) / ideal
    } else {
        0.0
    };
    let highest = answers.values().max().copied().unwrap_or_default();
    let first = found
        .iter()
        .position(|id| !is_refused && grade(id) == highest);
    let within = |n: usize| f64::from(u8::from(first.is_some_and(|at| at < n)));
    #[expect(clippy::cast_precision_loss, reason = "at most ten")]
    let mrr = first.map_or(0.0, |at| 1.0 / (at as f64 + 1.0));
    Metrics {
        ndcg,
        recall,
        hit_at_1: within(1),
        hit_at_5: within(5),
        mrr,
        refused: f64::from(u8::from(is_refused)),
        answered: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_formula() {
        let answers = BTreeMap::from([("a".to_owned(), 2), ("b".to_owned(), 1)]);
        let rated = |found: &[&str]| {
            rate(
                &answers,
                &found.iter().map(|f| (*f).to_owned()).collect::<Vec<_>>(),
                false,
            )
        };
        assert_eq!(
            rated(&["a", "b"]),
            Metrics {
                ndcg: 1.0,
                recall: 1.0,
                hit_at_1: 1.0,
                hit_at_5: 1.0,
                mrr: 1.0,
                ..Metrics::default()
            }
        );
        let late = rated(&["b", "a"]);
        assert!((late.hit_at_1, late.hit_at_5, late.mrr) == (0.0, 1.0, 0.5));
        assert_eq!(rated(&[]), Metrics::default());
        let ideal = 3.0 + 1.0 / 3.0_f64.log2();
        let swapped = (1.0 + 3.0 / 3.0_f64.log2()) / ideal;
        assert!((rated(&["b", "a"]).ndcg - swapped).abs() < 1e-12);
        assert!((rated(&["x", "a"]).recall - 0.5).abs() < 1e-12);
    }

    #[test]
    fn corpora_are_checked() {
        let document = r#"{"id":"a","text":"t"}"#;
        assert!(
            Corpus::parse(
                document,
                r#"{"group":"g","question":"q","answers":{"a":2}}"#
            )
            .is_ok()
        );
        let twice = format!("{document}\n{document}");
        for (documents, questions) in [
            (twice.as_str(), ""),
            (
                document,
                r#"{"group":"g","question":"q","answers":{"b":2}}"#,
            ),
            (document, "{}"),
            ("[]", ""),
        ] {
            assert!(Corpus::parse(documents, questions).is_err());
        }
    }
}
