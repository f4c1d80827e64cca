//! An audit: one screen of figures about many sessions of coding agents, computed without keeping
//! the sessions.

use super::model::{ExecutionSet, FindingNote, Trajectory};
use super::words;
use crate::report::Lang;
use crate::trace::record::{CallOutcome, NotRecorded};
use crate::verify::timeline::Turn;
use borsh::{BorshDeserialize, BorshSerialize};
use governance::{DecidedBy, RiskLevel, Ruling};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of writes and secrets to list.
const LISTED: usize = 10;
/// Maximum number of risky actions to list.
const ACTIONS: usize = 200;

/// A position in a session.
#[derive(
    Debug,
    Clone,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
pub struct Spot {
    /// Name of the file.
    pub file: String,
    /// Line in the file.
    pub line: u64,
}

/// An action in the list of the riskiest ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize)]
pub struct Listed {
    /// Risk of the action.
    pub risk: RiskLevel,
    /// Short description of the action. Hostile.
    pub what: String,
    /// The decision about it: `approved`, `modified`, `rejected` or `not-recorded`.
    pub decision: Cow<'static, str>,
    /// Its outcome: `ok`, `error`, `not-executed`, `interrupted`, `unmatched` or `not-recorded`.
    pub outcome: Cow<'static, str>,
    /// Time of the action, in milliseconds since the epoch.
    pub time: Option<i64>,
    /// Position of the action.
    pub at: Spot,
}

impl Listed {
    /// Returns what the list is sorted by.
    fn rank(&self) -> (RiskLevel, bool, Option<i64>) {
        (self.risk, self.outcome != "not-executed", self.time)
    }
}

/// A finding in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize)]
pub struct Noted {
    /// Code of the rule.
    pub code: String,
    /// Message of the finding. Hostile.
    pub message: String,
    /// Position of the finding.
    pub at: Spot,
}

/// Findings of one kind: their number, and the first ones.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
)]
pub struct Notes {
    /// Number of findings.
    pub count: u64,
    /// The first findings.
    pub first: Vec<Noted>,
}

/// Rejected calls, by who rejected them.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Serialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(rename_all = "camelCase")]
pub struct Rejections {
    /// Calls that a person rejected.
    pub by_human: u64,
    /// Calls that a policy, a hook or a guard rejected.
    pub by_policy: u64,
    /// Calls whose rejection appears only in a text. They may have been executed.
    pub by_text: u64,
    /// Calls that were executed despite a rejection, or again under another id.
    pub ran_all_the_same: u64,
}

/// The figures of an audit.
#[derive(
    Debug, Clone, Default, PartialEq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    /// Number of sessions by format, including those of sub-agents.
    pub sessions: BTreeMap<String, u64>,
    /// Number of sessions that another session started.
    pub sub_agents: u64,
    /// Number of calls.
    pub calls: u64,
    /// Number of calls that aren't ranked, because their file has more calls than are kept.
    pub calls_left_out: u64,
    /// Earliest recorded time, in milliseconds since the epoch.
    pub from: Option<i64>,
    /// Latest recorded time, in milliseconds since the epoch.
    pub to: Option<i64>,
    /// Number of sessions without a recorded time. They are included whatever their age.
    pub undated: u64,
    /// Number of calls by risk.
    pub risks: BTreeMap<RiskLevel, u64>,
    /// The riskiest actions, in descending order. Of equal ones, the latest is listed.
    pub riskiest: Vec<Listed>,
    /// Rejected calls.
    pub rejections: Rejections,
    /// Findings of credentials.
    pub secrets: Notes,
    /// Findings of actions that leave the work tree.
    pub outside: Notes,
    /// Errors of other rules, and calls that were executed despite a rejection.
    pub errors: Notes,
    /// Number of errors, warnings and notes among the findings.
    pub findings: [u64; 3],
    /// Number of sessions by the name of a part that they don't record.
    pub not_recorded: BTreeMap<Cow<'static, str>, u64>,
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

impl Notes {
    fn absorb(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        let room = LISTED.saturating_sub(self.first.len());
        self.first.extend(other.first.into_iter().take(room));
    }
}

/// Returns the latest recorded time of an execution.
#[must_use]
pub fn last_time(execution: &Trajectory) -> Option<i64> {
    let of_turns = execution.turns.iter().flat_map(|t| [t.start, t.end]);
    of_turns
        .chain(execution.openings.iter().map(|o| o.time))
        .flatten()
        .max()
}

impl Audit {
    /// Adds the sessions of one file that `keep` accepts, and returns their ids.
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

    /// Adds the findings of a file that belong to no session.
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
            *self.not_recorded.entry((*part).into()).or_default() += 1;
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
            what: words::action(action, Lang::En),
            decision: words::decided(turn).into(),
            outcome: words::outcome(turn).into(),
            time: turn.start,
            at: Spot {
                file: file.to_owned(),
                line: turn.line,
            },
        };
        self.list(listed);
    }

    /// Adds an action to the list, sorted by descending risk, then executed actions first, then the
    /// latest first.
    fn list(&mut self, listed: Listed) {
        let is_same = |one: &Listed| one.risk == listed.risk && one.what == listed.what;
        if let Some(at) = self.riskiest.iter().position(is_same) {
            let is_later = self
                .riskiest
                .get(at)
                .is_some_and(|one| one.rank() < listed.rank());
            if !is_later {
                return;
            }
            self.riskiest.remove(at);
        }
        let rank = listed.rank();
        let at = self.riskiest.partition_point(|other| other.rank() >= rank);
        if at < ACTIONS {
            self.riskiest.insert(at, listed);
            self.riskiest.truncate(ACTIONS);
        }
    }

    /// Returns the number of actions of a risk that aren't among the first `shown` of the list.
    #[must_use]
    pub fn unlisted(&self, risk: RiskLevel, shown: usize) -> u64 {
        let all = self.risks.get(&risk).copied().unwrap_or_default();
        let listed = self.riskiest.iter().take(shown);
        all.saturating_sub(listed.filter(|one| one.risk == risk).count() as u64)
    }

    /// Returns whether the words that pages print as they are contain nothing that needs escaping,
    /// after reading them from a file.
    #[must_use]
    pub fn has_known_words(&self) -> bool {
        let listed = self.riskiest.iter();
        let words = listed.flat_map(|l| [&*l.decision, &*l.outcome]);
        let notes = [&self.secrets, &self.outside, &self.errors].into_iter();
        let codes = notes.flat_map(|notes| notes.first.iter().map(|noted| &*noted.code));
        let parts = self.not_recorded.keys().map(|part| &**part);
        let formats = self.sessions.keys().map(|format| &**format);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-, ".contains(c);
        let mut words = words.chain(codes).chain(parts).chain(formats);
        words.all(|word| word.chars().all(is_plain))
    }

    /// Adds the figures of further files.
    pub fn absorb(&mut self, other: Self) {
        let add = |count: &mut u64, more: u64| *count = count.saturating_add(more);
        for (format, number) in other.sessions {
            add(self.sessions.entry(format).or_default(), number);
        }
        add(&mut self.sub_agents, other.sub_agents);
        add(&mut self.calls, other.calls);
        add(&mut self.calls_left_out, other.calls_left_out);
        self.from = self.from.into_iter().chain(other.from).min();
        self.to = self.to.max(other.to);
        add(&mut self.undated, other.undated);
        for (risk, number) in other.risks {
            add(self.risks.entry(risk).or_default(), number);
        }
        for listed in other.riskiest {
            self.list(listed);
        }
        let (mine, theirs) = (&mut self.rejections, other.rejections);
        add(&mut mine.by_human, theirs.by_human);
        add(&mut mine.by_policy, theirs.by_policy);
        add(&mut mine.by_text, theirs.by_text);
        add(&mut mine.ran_all_the_same, theirs.ran_all_the_same);
        self.secrets.absorb(other.secrets);
        self.outside.absorb(other.outside);
        self.errors.absorb(other.errors);
        for (count, more) in self.findings.iter_mut().zip(other.findings) {
            add(count, more);
        }
        for (part, number) in other.not_recorded {
            add(self.not_recorded.entry(part).or_default(), number);
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

    /// Returns the number of sessions.
    #[must_use]
    pub fn sessions(&self) -> u64 {
        let sessions = self.sessions.values();
        sessions.fold(0, |sum, n| sum.saturating_add(*n))
    }
}

/// Names of the parts that a session may not record.
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
