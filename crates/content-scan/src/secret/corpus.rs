//! How good the rules are: precision and recall over lines of which it is known what they hold.

use super::table::Table;
use super::{find, sample};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A line of a corpus.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The text, with templates in it (see [`sample::fill`]).
    pub text: String,
    /// The rule that finds the one secret in it; none when it holds none.
    #[serde(default)]
    pub finds: Option<String>,
}

/// What came of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// What should be found was found, and nothing else.
    Right,
    /// The secret wasn't found.
    Missed,
    /// Something was found that is no secret, by these rules.
    FalseAlarm(Vec<String>),
    /// The secret was found, but by other rules.
    OtherRule(Vec<String>),
    /// The row can't be judged.
    Unreadable(String),
}

/// Figures for one rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Secrets that were found.
    pub found: u64,
    /// Secrets that weren't.
    pub missed: u64,
    /// What was found and is no secret.
    pub false_alarms: u64,
}

impl Figures {
    /// Found of all that there is, in tenths of a percent; `None` when there is nothing.
    #[must_use]
    pub fn recall(self) -> Option<u64> {
        (self.found * 1000).checked_div(self.found + self.missed)
    }

    /// Right of all that was found, in tenths of a percent; `None` when nothing was.
    #[must_use]
    pub fn precision(self) -> Option<u64> {
        (self.found * 1000).checked_div(self.found + self.false_alarms)
    }
}

/// What came of a corpus.
#[derive(Debug, Default)]
pub struct Judged {
    /// Figures by rule.
    pub rules: BTreeMap<String, Figures>,
    /// Lines with a secret, and without.
    pub rows: (u64, u64),
    /// Rows that went wrong, by the number of their line.
    pub wrong: Vec<(usize, Outcome)>,
}

/// Judges a corpus: one JSON object a line, blank lines and lines that begin with `#` left out.
#[must_use]
pub fn judge(table: &Table, text: &str) -> Judged {
    let mut judged = Judged::default();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let outcome = match strict_json::from_text::<Row>(line) {
            Ok(row) => row_outcome(table, &row, &mut judged),
            Err(error) => Outcome::Unreadable(error.to_string()),
        };
        if outcome != Outcome::Right {
            judged.wrong.push((number, outcome));
        }
    }
    judged
}

fn row_outcome(table: &Table, row: &Row, judged: &mut Judged) -> Outcome {
    let text = match sample::fill(&row.text) {
        Ok(text) => text,
        Err(error) => return Outcome::Unreadable(error.to_string()),
    };
    let found: Vec<String> = find(table, &text)
        .iter()
        .map(|s| s.rule.id.clone())
        .collect();
    let Some(expected) = &row.finds else {
        judged.rows.1 += 1;
        for id in &found {
            judged.rules.entry(id.clone()).or_default().false_alarms += 1;
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
    judged.rows.0 += 1;
    let others: Vec<String> = found.iter().filter(|id| *id != expected).cloned().collect();
    for id in &others {
        judged.rules.entry(id.clone()).or_default().false_alarms += 1;
    }
    let figures = judged.rules.entry(expected.clone()).or_default();
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
