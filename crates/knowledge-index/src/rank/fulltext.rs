//! Finds candidates by full text: the rarest words of the question first.

use super::question::{Question, Term};
use crate::{Id, IndexError};
use rusqlite::Connection;
use std::cmp::Ordering;

/// Observations that may be compared for a question. FTS5 needs about a microsecond for each, so
/// frequent words aren't searched once rarer ones have given this many.
const COMPARED: u64 = 6_000;
/// Weight of a word in the head of an observation, relative to the body.
pub(super) const HEAD: f64 = 2.0;

/// A document's row and its BM25 score.
type Hit = (i64, f64);

/// Returns the id of a document by its row.
type Name<'n> = &'n dyn Fn(i64) -> Result<Id, IndexError>;

/// Documents with words of a question.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// The best documents in descending order of score.
    pub(super) best: Vec<Hit>,
    /// The other ones.
    pub(super) others: Vec<i64>,
    /// Whether frequent words of the question weren't searched.
    pub(super) is_open: bool,
}

/// Returns the candidates for a question. `among`, which must be sorted, restricts the documents.
pub(super) fn candidates(
    db: &Connection,
    question: &Question,
    among: Option<&[i64]>,
    limit: usize,
    name: Name<'_>,
) -> Result<Candidates, IndexError> {
    let mut terms: Vec<&Term> = question.terms.iter().filter(|t| t.documents > 0).collect();
    terms.sort_by(|a, b| (a.documents, &a.word).cmp(&(b.documents, &b.word)));
    let mut sum = 0_u64;
    let mut within = terms.iter().take_while(|term| {
        sum = sum.saturating_add(term.documents);
        sum <= COMPARED
    });
    let within = within.by_ref().count();
    let (expression, is_open) = match terms.split_at_checked(within) {
        Some(([], [])) | None => return Ok(Candidates::default()),
        // Even the rarest word is frequent: observations with all words are the best.
        Some(([], frequent)) => (joined(frequent, " AND "), true),
        Some((rare, frequent)) => (joined(rare, " OR "), !frequent.is_empty()),
    };
    let mut all = matches(db, &expression, among)?;
    if all.is_empty()
        && within == 0
        && let Some(rarest) = terms.first()
    {
        all = matches(db, &expression_of(rarest), among)?;
    }
    let others = leading(&mut all, limit, name)?;
    Ok(Candidates {
        best: all,
        others: others.into_iter().map(|(row, _)| row).collect(),
        is_open,
    })
}

fn matches(
    db: &Connection,
    expression: &str,
    among: Option<&[i64]>,
) -> Result<Vec<Hit>, IndexError> {
    let mut select =
        db.prepare_cached("SELECT rowid, bm25(words, ?2, 1.0) FROM words WHERE words MATCH ?1")?;
    let mut rows = select.query((expression, HEAD))?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        if among.is_none_or(|ids| ids.binary_search(&id).is_ok()) {
            // FTS5 gives better matches lower scores.
            all.push((id, -row.get::<_, f64>(1)?));
        }
    }
    Ok(all)
}

fn joined(terms: &[&Term], operator: &str) -> String {
    let all: Vec<String> = terms.iter().map(|term| expression_of(term)).collect();
    all.join(operator)
}

/// Returns the expression of FTS5 for a word. Words contain no quotation marks.
fn expression_of(term: &Term) -> String {
    if term.prefix {
        return format!("\"{}\" *", term.word);
    }
    let all: Vec<String> = std::iter::once(&term.word)
        .chain(&term.variants)
        .map(|word| format!("\"{word}\""))
        .collect();
    format!("({})", all.join(" OR "))
}

/// Splits off the `limit` best documents in descending order and returns the others. The id breaks
/// ties, since rows depend on the order in which sources were indexed.
fn leading(all: &mut Vec<Hit>, limit: usize, name: Name<'_>) -> Result<Vec<Hit>, IndexError> {
    let by_figure = |a: &Hit, b: &Hit| b.1.total_cmp(&a.1);
    let mut others = Vec::new();
    if all.len() > limit {
        let (_, &mut (_, cut), _) = all.select_nth_unstable_by(limit, by_figure);
        let mut equal = Vec::new();
        let mut kept = Vec::with_capacity(limit);
        for found in all.drain(..) {
            match found.1.total_cmp(&cut) {
                Ordering::Less => others.push(found),
                Ordering::Equal => equal.push((name(found.0)?, found)),
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
