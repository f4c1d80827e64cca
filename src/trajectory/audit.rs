//! What coding agents did, in one screen: over many sessions, without keeping them.

use super::model::{ExecutionSet, FindingNote, Trajectory};
use super::words;
use crate::trace::record::{CallOutcome, NotRecorded};
use crate::verify::timeline::Turn;
use governance::{DecidedBy, RiskLevel, Ruling};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Actions, writes and secrets that are listed.
const LISTED: usize = 10;

/// A place in a session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Spot {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u64,
}

/// An action that is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Listed {
    /// How risky it is.
    pub risk: RiskLevel,
    /// What it does, in a few words. Hostile.
    pub what: String,
    /// What was decided about it: `approved`, `modified`, `rejected` or `not-recorded`.
    pub decision: &'static str,
    /// What came of it: `ok`, `error`, `not-executed`, `interrupted`, `unmatched` or
    /// `not-recorded`.
    pub outcome: &'static str,
    /// When, in milliseconds since the epoch.
    pub time: Option<i64>,
    /// Where.
    pub at: Spot,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Noted {
    /// The code of the rule.
    pub code: String,
    /// What. Hostile.
    pub message: String,
    /// Where.
    pub at: Spot,
}

/// Findings of one kind: how many, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Notes {
    /// How many.
    pub count: u64,
    /// The first.
    pub first: Vec<Noted>,
}

/// Decisions against calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rejections {
    /// A person rejected it.
    pub by_human: u64,
    /// A policy, a hook or a guard did.
    pub by_policy: u64,
    /// A text says so and nothing else: it may have run.
    pub by_text: u64,
    /// Calls that ran all the same, or again under another id.
    pub ran_all_the_same: u64,
}

/// An audit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    /// Sessions by format. Those of sub-agents count.
    pub sessions: BTreeMap<String, u64>,
    /// Sessions that another one has started.
    pub sub_agents: u64,
    /// Calls.
    pub calls: u64,
    /// Calls that aren't ranked, because a file holds more than are kept.
    pub calls_left_out: u64,
    /// The first and the last recorded time, in milliseconds since the epoch.
    pub from: Option<i64>,
    /// The last one.
    pub to: Option<i64>,
    /// Sessions without a recorded time: they count, however old they are.
    pub undated: u64,
    /// Calls by risk.
    pub risks: BTreeMap<RiskLevel, u64>,
    /// The riskiest actions, the worst first.
    pub riskiest: Vec<Listed>,
    /// Rejections.
    pub rejections: Rejections,
    /// Credentials.
    pub secrets: Notes,
    /// What left the work tree.
    pub outside: Notes,
    /// Errors of other rules, and what ran although it was rejected.
    pub errors: Notes,
    /// Errors, warnings and notes among the findings.
    pub findings: [u64; 3],
    /// What isn't recorded, in words, and of how many sessions.
    pub not_recorded: BTreeMap<&'static str, u64>,
}

impl Notes {
    fn add(&mut self, file: &str, finding: &FindingNote) {
        self.count += 1;
        if self.first.len() < LISTED {
            self.first.push(Noted {
                code: finding.code.clone(),
                message: finding.message.clone(),
                at: Spot {
                    file: file.to_owned(),
                    line: finding.line,
                },
            });
        }
    }
}

/// The last time that is recorded of an execution.
#[must_use]
pub fn last_time(execution: &Trajectory) -> Option<i64> {
    let of_turns = execution.turns.iter().flat_map(|t| [t.start, t.end]);
    of_turns
        .chain(execution.openings.iter().map(|o| o.time))
        .flatten()
        .max()
}

impl Audit {
    /// Adds the sessions of one file that `keep` wants, and returns their ids.
    pub fn add(
        &mut self,
        set: &ExecutionSet,
        keep: &dyn Fn(&Trajectory) -> bool,
    ) -> BTreeSet<String> {
        let mut kept = BTreeSet::new();
        for execution in set.executions.iter().filter(|e| keep(e)) {
            kept.insert(execution.execution_id.clone());
            self.session(execution);
        }
        kept
    }

    /// Adds what was found in a file outside of its sessions.
    pub fn add_of_file(&mut self, file: &str, findings: &[FindingNote]) {
        for finding in findings {
            self.finding(file, finding);
        }
    }

    fn session(&mut self, execution: &Trajectory) {
        *self.sessions.entry(execution.format.clone()).or_default() += 1;
        self.calls_left_out += execution.turns_left_out;
        self.calls += execution.turns_left_out;
        let opening = execution.openings.first();
        self.sub_agents += u64::from(opening.is_some_and(|o| o.parent.is_some()));
        let parts: BTreeSet<&str> = execution
            .openings
            .iter()
            .flat_map(|o| o.not_recorded.iter().copied().map(NotRecorded::name))
            .collect();
        for part in NOT_RECORDED.iter().filter(|part| parts.contains(*part)) {
            *self.not_recorded.entry(part).or_default() += 1;
        }
        self.undated += u64::from(last_time(execution).is_none());
        for turn in &execution.turns {
            self.turn(&execution.file, turn);
        }
        for finding in &execution.findings {
            self.finding(&execution.file, finding);
        }
    }

    fn turn(&mut self, file: &str, turn: &Turn) {
        let Some(action) = turn.proposed.as_ref().or(turn.ran.as_ref()) else {
            return;
        };
        self.calls += 1;
        let times = || [turn.start, turn.end].into_iter().flatten();
        self.from = self.from.into_iter().chain(times()).min();
        self.to = self.to.into_iter().chain(times()).max();
        match &turn.decision {
            Some(d) if d.ruling == Ruling::Rejected => match d.by {
                DecidedBy::Human => self.rejections.by_human += 1,
                DecidedBy::Policy => self.rejections.by_policy += 1,
            },
            None if turn
                .call
                .as_ref()
                .is_some_and(|c| c.outcome == CallOutcome::RejectedByText) =>
            {
                self.rejections.by_text += 1;
            }
            _ => {}
        }
        let Some(risk) = words::risk(turn) else {
            return;
        };
        *self.risks.entry(risk).or_default() += 1;
        if risk == RiskLevel::Low {
            return;
        }
        let listed = Listed {
            risk,
            what: words::action(action),
            decision: words::decided(turn),
            outcome: words::outcome(turn),
            time: turn.start,
            at: Spot {
                file: file.to_owned(),
                line: turn.line,
            },
        };
        // The worst first; of equals what ran, and then the latest.
        let rank = |l: &Listed| {
            let ran = !matches!(l.outcome, "not-executed");
            (l.risk, ran, l.time)
        };
        let at = self
            .riskiest
            .partition_point(|other| rank(other) >= rank(&listed));
        if at < LISTED {
            self.riskiest.insert(at, listed);
            self.riskiest.truncate(LISTED);
        }
    }

    fn finding(&mut self, file: &str, finding: &FindingNote) {
        use crate::diag::Severity as S;
        let place = match finding.severity {
            S::Error => 0,
            S::Warning => 1,
            S::Note => 2,
        };
        if let Some(count) = self.findings.get_mut(place) {
            *count += 1;
        }
        match finding.code.as_str() {
            "YV803" => self.secrets.add(file, finding),
            "YV703" => self.outside.add(file, finding),
            "YV309" | "YV324" => {
                self.rejections.ran_all_the_same += 1;
                self.errors.add(file, finding);
            }
            _ if finding.severity == S::Error => self.errors.add(file, finding),
            _ => {}
        }
    }

    /// How many sessions there are.
    #[must_use]
    pub fn sessions(&self) -> u64 {
        self.sessions.values().sum()
    }
}

/// What may not be recorded, in words.
const NOT_RECORDED: [&str; 8] = [
    NotRecorded::Decisions.name(),
    NotRecorded::DecisionDetails.name(),
    NotRecorded::Results.name(),
    NotRecorded::ExitCodes.name(),
    NotRecorded::Arguments.name(),
    NotRecorded::Diffs.name(),
    NotRecorded::Times.name(),
    NotRecorded::Workdir.name(),
];
