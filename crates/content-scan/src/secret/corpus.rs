//! Measures the precision and recall of the rules over labelled lines.

use super::table::Table;
use super::{find, sample};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A line of a corpus.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The text, with templates (see [`sample::fill`]).
    pub text: String,
    /// The id of the rule that should find the one secret in the text; `None` if it contains no
    /// secret.
    #[serde(default)]
    pub finds: Option<String>,
}

/// The result for one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The expected secret was found, and nothing else.
    Right,
    /// The secret wasn't found.
    Missed,
    /// Other rules, listed here, found something that isn't a secret.
    FalseAlarm(Vec<String>),
    /// The secret was found, but only by the other rules listed here.
    OtherRule(Vec<String>),
    /// The row is invalid. The value is the error message.
    Unreadable(String),
}

/// The counts for one rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Number of secrets that were found.
    pub found: u64,
    /// Number of secrets that weren't found.
    pub missed: u64,
    /// Number of findings that aren't secrets.
    pub false_alarms: u64,
}

impl Figures {
    /// Returns the recall in tenths of a percent; `None` without any secret.
    #[must_use]
    pub fn recall(self) -> Option<u64> {
        (self.found * 1000).checked_div(self.found + self.missed)
    }

    /// Returns the precision in tenths of a percent; `None` without any finding.
    #[must_use]
    pub fn precision(self) -> Option<u64> {
        (self.found * 1000).checked_div(self.found + self.false_alarms)
    }
}

/// The results for a corpus.
#[derive(Debug, Default)]
pub struct Judged {
    /// Counts by rule id.
    pub rules: BTreeMap<String, Figures>,
    /// Number of rows with a secret, and without.
    pub rows: (u64, u64),
    /// Rows with an unexpected result, by line number from 1.
    pub wrong: Vec<(usize, Outcome)>,
}

/// Evaluates the rules on a corpus of JSON Lines. Blank lines and lines that start with `#` are
/// skipped.
#[must_use]
pub fn judge(table: &Table, text: &str) -> Judged {
    let mut result = Judged::default();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let outcome = match strict_json::from_text::<Row>(line) {
            Ok(row) => row_outcome(table, &row, &mut result),
            Err(error) => Outcome::Unreadable(error.to_string()),
        };
        if outcome != Outcome::Right {
            result.wrong.push((number, outcome));
        }
    }
    result
}

fn row_outcome(table: &Table, row: &Row, result: &mut Judged) -> Outcome {
    let text = match sample::fill(&row.text) {
        Ok(text) => text,
        Err(error) => return Outcome::Unreadable(error.to_string()),
    };
    let found: Vec<String> = find(table, &text)
        .iter()
        .map(|s| s.rule.id.clone())
        .collect();
    let Some(expected) = &row.finds else {
        result.rows.1 += 1;
        for id in &found {
            result.rules.entry(id.clone()).or_default().false_alarms += 1;
        }
        return if found.is_empty() {
            Outcome::Right
        } else {
            Outcome::FalseAlarm(found)
        };
    };
    if !table.rules.iter().any(|r| r.id == *expected) {
        return Outcome::Unreadable(format!("no rule is called `{expected}`"));
    }
    result.rows.0 += 1;
    let others: Vec<String> = found.iter().filter(|id| *id != expected).cloned().collect();
    for id in &others {
        result.rules.entry(id.clone()).or_default().false_alarms += 1;
    }
    let figures = result.rules.entry(expected.clone()).or_default();
    if found.len() == others.len() {
        figures.missed += 1;
        return if others.is_empty() {
            Outcome::Missed
        } else {
            Outcome::OtherRule(others)
        };
    }
    figures.found += 1;
    if others.is_empty() {
        Outcome::Right
    } else {
        Outcome::FalseAlarm(others)
    }
}
