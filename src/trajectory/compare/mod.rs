//! `compare`: what is different this time. Turns are aligned by what was proposed in them, not by
//! their numbers.
//!
//! Times, durations and ids are no differences: no two runs have the same ones.

mod commands;
mod page;
mod turns;

pub use page::page;

use super::align::{Likeness, align};
use super::model::{ExecutionSet, Trajectory};
use super::pair::pair;
use crate::verify::timeline::{Deed, Shown, Turn};
use schemars::JsonSchema;
use serde::Serialize;

/// The version of the JSON shape. It grows by members; a change of meaning makes a new version.
const VERSION: u32 = 1;

/// What a difference is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say all there is")]
pub enum Aspect {
    Intent,
    Action,
    States,
    Risk,
    Decision,
    Context,
    Prompt,
    Tools,
    Policy,
    Model,
    Skills,
    Command,
    Result,
    Outcome,
    Verdict,
}

impl Aspect {
    /// In a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Intent => "intent",
            Self::Action => "action",
            Self::States => "states",
            Self::Risk => "risk",
            Self::Decision => "decision",
            Self::Context => "context",
            Self::Prompt => "prompt",
            Self::Tools => "tools",
            Self::Policy => "policy",
            Self::Model => "model",
            Self::Skills => "skills",
            Self::Command => "command",
            Self::Result => "result",
            Self::Outcome => "outcome",
            Self::Verdict => "verdict",
        }
    }
}

/// Where something stands on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct At {
    /// The turn; none for the execution as a whole.
    pub turn: Option<i64>,
    /// The line.
    pub line: u64,
}

/// One difference. What is `None` isn't there on that side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// What it is about.
    pub aspect: Aspect,
    /// Where it stands in the base.
    pub base_at: Option<At>,
    /// Where it stands in the new one.
    pub new_at: Option<At>,
    /// What the base has. Hostile.
    pub base: Option<String>,
    /// What the new one has. Hostile.
    pub new: Option<String>,
}

/// What is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sameness {
    /// The same actions in the same order, through the same states.
    pub path: bool,
    /// The same rulings by the same signers and rules on them.
    pub decisions: bool,
    /// The same end.
    pub outcome: bool,
}

impl Sameness {
    /// Everything, until something differs.
    pub const ALL: Self = Self {
        path: true,
        decisions: true,
        outcome: true,
    };
    /// Nothing.
    pub const NONE: Self = Self {
        path: false,
        decisions: false,
        outcome: false,
    };

    fn and(self, other: Self) -> Self {
        Self {
            path: self.path && other.path,
            decisions: self.decisions && other.decisions,
            outcome: self.outcome && other.outcome,
        }
    }
}

/// One side of a pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Side {
    /// The id.
    pub execution_id: String,
    /// The input.
    pub file: String,
    /// Its first line.
    pub line: u64,
}

impl Side {
    fn from_execution(execution: &Trajectory) -> Self {
        Self {
            execution_id: execution.execution_id.clone(),
            file: execution.file.clone(),
            line: execution.line,
        }
    }
}

/// Two executions held against each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// What it should be like.
    pub base: Side,
    /// What it is like.
    pub new: Side,
    /// What is the same.
    pub same: Sameness,
    /// Turns that answer each other.
    pub aligned: usize,
    /// False when they were too long to be aligned, and what lies between equal ends was paired by
    /// its position.
    pub aligned_by_actions: bool,
    /// Turns that weren't looked at on either side, beyond the limit.
    pub left_out: u64,
    /// What differs, in the order of the turns.
    pub differences: Vec<Difference>,
}

/// Two sets of executions held against each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// The version of this shape.
    pub version: u32,
    /// What is the same in all of them.
    pub same: Sameness,
    /// The pairs.
    pub pairs: Vec<Comparison>,
    /// What only the base has.
    pub only_in_base: Vec<Side>,
    /// What only the new ones have.
    pub only_in_new: Vec<Side>,
    /// Records and inputs of either side that nobody could read; they may hold anything, so that
    /// nothing is the same then.
    pub unread: usize,
}

impl Document {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let paired =
            self.only_in_base.is_empty() && self.only_in_new.is_empty() && self.unread == 0;
        paired && self.pairs.iter().all(|p| p.differences.is_empty())
    }

    /// Turns that weren't looked at.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.pairs.iter().map(|p| p.left_out).sum()
    }
}

/// Holds two sets against each other.
#[must_use]
pub fn compare(base: &ExecutionSet, new: &ExecutionSet) -> Document {
    let executions = pair(&base.executions, &new.executions);
    let records = pair(&base.commands, &new.commands);
    let mut pairs: Vec<Comparison> = executions
        .both
        .iter()
        .map(|(a, b)| compare_two(a, b))
        .collect();
    pairs.extend(records.both.iter().map(|(a, b)| commands::compare(a, b)));
    let left = |executions: &[&Trajectory], records: &[&crate::verify::timeline::CommandRun]| {
        executions
            .iter()
            .map(|e| Side::from_execution(e))
            .chain(records.iter().map(|c| commands::side(c)))
            .collect::<Vec<_>>()
    };
    let only_in_base = left(&executions.base, &records.base);
    let only_in_new = left(&executions.new, &records.new);
    let unread = unread(base) + unread(new);
    let paired = only_in_base.is_empty() && only_in_new.is_empty() && unread == 0;
    let alone = if paired {
        Sameness::ALL
    } else {
        Sameness::NONE
    };
    let same = pairs.iter().fold(alone, |all, pair| all.and(pair.same));
    Document {
        version: VERSION,
        same,
        pairs,
        only_in_base,
        only_in_new,
        unread,
    }
}

/// What a book says can't be read.
fn unread(book: &ExecutionSet) -> usize {
    const UNREADABLE: [&str; 5] = ["YV101", "YV102", "YV103", "YV107", "YV108"];
    let of_executions = book.executions.iter().flat_map(|e| &e.findings);
    book.findings
        .iter()
        .chain(of_executions)
        .filter(|f| UNREADABLE.contains(&&*f.code))
        .count()
}

/// Whether two actions are the same: by their canonical hash, which sees what a cut text or a
/// hidden secret doesn't.
fn same_action(a: &Shown, b: &Shown) -> bool {
    match (&a.hash, &b.hash) {
        (Some(a), Some(b)) => a == b,
        _ => a.deed == b.deed,
    }
}

fn likeness(a: &Turn, b: &Turn) -> Likeness {
    match (
        a.proposed.as_ref().or(a.ran.as_ref()),
        b.proposed.as_ref().or(b.ran.as_ref()),
    ) {
        (Some(a), Some(b)) if same_action(a, b) => Likeness::Same,
        (Some(a), Some(b)) => {
            let tools = match (&a.deed, &b.deed) {
                (Deed::Tool { tool: a, .. }, Deed::Tool { tool: b, .. }) => a == b,
                _ => true,
            };
            if a.deed.word() == b.deed.word() && tools {
                Likeness::Similar
            } else {
                Likeness::Different
            }
        }
        (None, None) => Likeness::Same,
        _ => Likeness::Different,
    }
}

/// Holds two executions against each other.
#[must_use]
pub fn compare_two(base: &Trajectory, new: &Trajectory) -> Comparison {
    let like = |a: usize, b: usize| match (base.turns.get(a), new.turns.get(b)) {
        (Some(a), Some(b)) => likeness(a, b),
        _ => Likeness::Different,
    };
    let (aligned, exact) = align(base.turns.len(), new.turns.len(), &like);
    let mut found = turns::Differences::default();
    found.whole(base, new);
    let mut count = 0;
    for (a, b) in aligned {
        match (
            a.and_then(|a| base.turns.get(a)),
            b.and_then(|b| new.turns.get(b)),
        ) {
            (Some(a), Some(b)) => {
                count += 1;
                found.pair(a, b);
            }
            (a, b) => found.alone(a, b),
        }
    }
    Comparison {
        base: Side::from_execution(base),
        new: Side::from_execution(new),
        same: found.same,
        aligned: count,
        aligned_by_actions: exact,
        left_out: base.turns_left_out + new.turns_left_out,
        differences: found.differences,
    }
}
