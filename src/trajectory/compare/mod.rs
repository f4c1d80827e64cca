//! `compare`: the differences between executions. Turns are aligned by their proposed actions, not
//! by their numbers.
//!
//! Times, durations and ids are ignored, because they differ in every execution.

mod commands;
mod page;
mod turns;

pub use page::page;

use super::align::{Likeness, align};
use super::model::{ExecutionSet, Trajectory};
use super::pair::pair;
use crate::report::Lang;
use crate::verify::timeline::{Deed, Shown, Turn};
use schemars::JsonSchema;
use serde::Serialize;

/// Version of the JSON shape. New members don't change it; a change of meaning does.
const VERSION: u32 = 1;

/// The subject of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
    /// Returns the name of the aspect.
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

/// A position on one side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct At {
    /// Number of the turn; null for the execution as a whole.
    pub turn: Option<i64>,
    /// Line in the trace.
    pub line: u64,
}

/// One difference. A side without the value has null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// Subject of the difference.
    pub aspect: Aspect,
    /// Position in the base.
    pub base_at: Option<At>,
    /// Position in the new execution.
    pub new_at: Option<At>,
    /// Value in the base. Hostile.
    pub base: Option<String>,
    /// Value in the new execution. Hostile.
    pub new: Option<String>,
}

/// The parts that are the same on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sameness {
    /// Whether the same actions follow in the same order, through the same states.
    pub path: bool,
    /// Whether the same signers and rules made the same rulings.
    pub decisions: bool,
    /// Whether the executions end in the same way.
    pub outcome: bool,
}

impl Sameness {
    /// Everything is the same, the initial value of a comparison.
    pub const ALL: Self = Self {
        path: true,
        decisions: true,
        outcome: true,
    };
    /// Nothing is the same.
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
    /// Id of the execution.
    pub execution_id: String,
    /// Name of the input.
    pub file: String,
    /// First line of the execution in the input.
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

/// The comparison of two executions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// The expected execution.
    pub base: Side,
    /// The execution that is compared with the base.
    pub new: Side,
    /// The parts that are the same.
    pub same: Sameness,
    /// Number of turns that are aligned with each other.
    pub aligned: usize,
    /// False when the executions were too long to align, so that the turns between their common
    /// start and end were paired by position.
    pub aligned_by_actions: bool,
    /// Number of turns beyond the limit on either side, which weren't compared.
    pub left_out: u64,
    /// The differences, in the order of the turns.
    pub differences: Vec<Difference>,
}

/// The comparison of two sets of executions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// Version of this shape.
    pub version: u32,
    /// The parts that are the same in all pairs.
    pub same: Sameness,
    /// The pairs of executions.
    pub pairs: Vec<Comparison>,
    /// Executions that only the base has.
    pub only_in_base: Vec<Side>,
    /// Executions that only the new set has.
    pub only_in_new: Vec<Side>,
    /// Number of unreadable records and inputs on either side. With any of them nothing counts as
    /// the same, because they may contain anything.
    pub unread: usize,
}

impl Document {
    /// Returns true if there is no difference.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let paired =
            self.only_in_base.is_empty() && self.only_in_new.is_empty() && self.unread == 0;
        paired && self.pairs.iter().all(|p| p.differences.is_empty())
    }

    /// Returns the number of turns that weren't compared.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.pairs.iter().map(|p| p.left_out).sum()
    }
}

/// Compares two sets of executions. The values are described in this language; programs get
/// English.
#[must_use]
pub fn compare(base: &ExecutionSet, new: &ExecutionSet, lang: Lang) -> Document {
    let executions = pair(&base.executions, &new.executions);
    let records = pair(&base.commands, &new.commands);
    let mut pairs: Vec<Comparison> = executions
        .both
        .iter()
        .map(|(a, b)| compare_two(a, b, lang))
        .collect();
    pairs.extend(
        records
            .both
            .iter()
            .map(|(a, b)| commands::compare(a, b, lang)),
    );
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

/// Counts the findings that report unreadable records or inputs.
fn unread(set: &ExecutionSet) -> usize {
    const UNREADABLE: [&str; 5] = ["YV101", "YV102", "YV103", "YV107", "YV108"];
    let of_executions = set.executions.iter().flat_map(|e| &e.findings);
    set.findings
        .iter()
        .chain(of_executions)
        .filter(|f| UNREADABLE.contains(&&*f.code))
        .count()
}

/// Returns true if two actions are the same. Their canonical hashes also cover truncated text and
/// masked secrets.
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

/// Compares two executions.
fn compare_two(base: &Trajectory, new: &Trajectory, lang: Lang) -> Comparison {
    let like = |a: usize, b: usize| match (base.turns.get(a), new.turns.get(b)) {
        (Some(a), Some(b)) => likeness(a, b),
        _ => Likeness::Different,
    };
    let (aligned, exact) = align(base.turns.len(), new.turns.len(), &like);
    let mut found = turns::Differences::new(lang);
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
        differences: found.list,
    }
}
