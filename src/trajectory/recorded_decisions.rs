//! The recorded decisions of a trace, each with the history at the time of the decision.

use crate::trace::scalar::Timestamp;
use crate::trace::step::{self, Annotation, Decision, Fact, Step};
use agent_policy::{Action, History, Past, RecordedDecision, Timeline};
use governance::{DecidedBy, RiskLevel};
use std::collections::HashMap;
use std::sync::Arc;

/// The state of one open execution.
#[derive(Debug, Default)]
struct ExecutionState {
    /// Whether it is a session, in which an executed call only shows that nothing stopped it.
    session: bool,
    proposed: Option<(Action, Option<RiskLevel>)>,
    agent: Option<String>,
    digest: Option<String>,
    root: Option<String>,
    /// The latest time of the decisions so far.
    latest: Option<i64>,
    /// Something that limits count has no time.
    undated: bool,
    history: History,
}

/// What happens in all executions, for limits per hour and day.
#[derive(Debug, Default)]
enum AcrossExecutions {
    /// Each execution is counted by itself.
    #[default]
    No,
    /// The first reading collects the entries.
    Collects(Timeline),
    /// The second one counts them.
    Counts(Arc<Timeline>),
}

/// All executions, with the number of the entry that is next.
#[derive(Debug, Default)]
struct Shared {
    across: AcrossExecutions,
    number: u64,
    /// The number of executions with an entry that has no time.
    undated: u64,
}

impl Shared {
    fn approve(&mut self, kind: Option<governance::ActionType>, time: Option<i64>) {
        if let (AcrossExecutions::Collects(timeline), Some(time)) = (&mut self.across, time) {
            timeline.approve(kind, (time, self.number));
        }
        self.number += 1;
    }

    fn spend(&mut self, cost: f64, time: Option<i64>) {
        if let (AcrossExecutions::Collects(timeline), Some(time)) = (&mut self.across, time) {
            timeline.spend(cost, (time, self.number));
        }
        self.number += 1;
    }
}

/// The open executions. Memory grows with their number, not with the length of the trace.
#[derive(Debug, Default)]
pub struct DecisionHistory {
    open: HashMap<Box<str>, ExecutionState>,
    shared: Shared,
}

impl DecisionHistory {
    /// Creates a history that collects what limits per hour and day count over all executions.
    #[must_use]
    pub fn collecting() -> Self {
        Self::with(AcrossExecutions::Collects(Timeline::default()))
    }

    /// Creates a history of the same records, read again, that counts what was collected.
    #[must_use]
    pub fn counting(timeline: Timeline) -> Self {
        Self::with(AcrossExecutions::Counts(Arc::new(timeline.sorted())))
    }

    fn with(across: AcrossExecutions) -> Self {
        let shared = Shared {
            across,
            ..Shared::default()
        };
        Self {
            shared,
            ..Self::default()
        }
    }

    /// Returns what was collected.
    #[must_use]
    pub fn into_timeline(self) -> Timeline {
        match self.shared.across {
            AcrossExecutions::Collects(timeline) => timeline,
            AcrossExecutions::No | AcrossExecutions::Counts(_) => Timeline::default(),
        }
    }

    /// Returns the number of executions with approvals or costs that have no time, and that others
    /// therefore don't count.
    #[must_use]
    pub const fn undated(&self) -> u64 {
        self.shared.undated
    }

    /// Processes a step of an execution. Calls `ask` for a decision, with the history before it.
    pub fn step(
        &mut self,
        execution: &str,
        step: &Step<'_, '_>,
        ask: &mut dyn FnMut(&RecordedDecision, &History),
    ) {
        if !self.open.contains_key(execution) {
            self.open
                .insert(execution.into(), ExecutionState::default());
        }
        let shared = &mut self.shared;
        let Some(state) = self.open.get_mut(execution) else {
            return;
        };
        match &step.fact {
            Fact::Started(started) => {
                state.digest = started.policy_digest.map(|d| d.decode().into_owned());
                state.root = started.workdir().map(|root| root.decode().into_owned());
                state.session = started.fsm_version == *"session";
            }
            Fact::Proposed(proposal) => {
                state.proposed = read_action(&proposal.action).map(|a| (a, proposal.action.risk));
                state.agent = proposal.agent.map(|a| a.decode().into_owned());
            }
            Fact::Decided(decision) => state.decide(step, decision, shared, ask),
            Fact::Annotation(Annotation::Decided(action, Some(annotated))) => {
                let decision = &annotated.decision;
                if let Some(action) = action {
                    state.proposed = read_action(action).map(|a| (a, action.risk));
                }
                state.decide(step, decision, shared, ask);
            }
            Fact::Executed(executed) => {
                if state.session && state.proposed.is_some() {
                    state.decide(step, &IMPLIED_APPROVAL, shared, ask);
                }
                state.executed(step, executed, shared);
            }
            Fact::Annotation(Annotation::Executed(executed, _)) => {
                state.executed(step, executed, shared);
            }
            Fact::Ended(_) => {
                self.open.remove(execution);
            }
            _ => {}
        }
    }
}

/// Replaces the missing decision about a call of a session that was executed.
const IMPLIED_APPROVAL: Decision<'static> =
    Decision::bare(governance::Ruling::Approved, DecidedBy::Policy, None);

/// Reads an action of a trace; `None` when its payload can't be read.
fn read_action(action: &step::Action<'_>) -> Option<Action> {
    let written = action.payload?;
    let payload: serde_json::Value = written.read()?;
    // A payload with a repeated member is ambiguous, so neither value is used.
    let clear = matches!(agent_policy::repeated(written.as_written()), Ok(None));
    Some(Action::recorded(
        &action.kind.name(),
        if clear {
            payload
        } else {
            serde_json::Value::Null
        },
    ))
}

impl ExecutionState {
    fn decide(
        &mut self,
        step: &Step<'_, '_>,
        decision: &Decision<'_>,
        shared: &mut Shared,
        ask: &mut dyn FnMut(&RecordedDecision, &History),
    ) {
        let changed = decision
            .modified
            .as_ref()
            .and_then(|m| Some((read_action(m)?, m.risk)));
        let Some((action, risk)) = changed.or_else(|| self.proposed.take()) else {
            return;
        };
        // Decisions are recorded in the order in which they were made. A backdated decision must
        // not hide the earlier ones from the history.
        let time = decision.time.or(step.time).map(Timestamp::millis);
        let time = time.map(|time| self.latest.map_or(time, |latest| latest.max(time)));
        self.latest = time.or(self.latest);
        let decided = RecordedDecision {
            action,
            risk,
            ruling: decision.ruling,
            by_human: decision.by == DecidedBy::Human,
            agent: self.agent.clone(),
            turn: step.turn,
            time,
            digest: self.digest.clone(),
            root: self.root.clone(),
        };
        if let AcrossExecutions::Counts(timeline) = &shared.across {
            self.history.count_across(timeline, shared.number);
        }
        ask(&decided, &self.history);
        if decision.ruling.permits() {
            shared.approve(decided.action.kind, decided.time);
            self.note_undated(decided.time, shared);
            self.history.approve(&Past {
                kind: decided.action.kind,
                tool: decided.action.tool.clone(),
                // An approval without a recorded risk covers only the lowest risk.
                risk: decided.risk.unwrap_or(RiskLevel::Low),
                time: decided.time,
                by_human: decided.by_human,
            });
        }
    }

    /// Counts this execution if an entry has no time.
    fn note_undated(&mut self, time: Option<i64>, shared: &mut Shared) {
        if time.is_none() && !self.undated {
            self.undated = true;
            shared.undated += 1;
        }
    }

    fn executed(
        &mut self,
        step: &Step<'_, '_>,
        executed: &step::ExecutionFact<'_, '_>,
        shared: &mut Shared,
    ) {
        if let Some(result) = &executed.result {
            let milliseconds = result
                .duration
                .filter(|d| d.is_finite() && *d > 0.0)
                .unwrap_or(0.0);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a float to integer cast saturates, which suits a duration"
            )]
            let milliseconds = milliseconds as u64;
            let time = step.time.map(Timestamp::millis);
            let time = time.map(|time| self.latest.map_or(time, |latest| latest.max(time)));
            if let Some(cost) = result.cost {
                shared.spend(cost, time);
                self.note_undated(time, shared);
            }
            self.history
                .spend_at(time, result.cost.unwrap_or(0.0), milliseconds);
        }
    }
}
