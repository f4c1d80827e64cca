//! The recorded decisions of a trace, each with the history at the time of the decision.

use crate::trace::scalar::Timestamp;
use crate::trace::step::{self, Annotation, Decision, Fact, Step};
use agent_policy::{Action, History, Past, RecordedDecision, Timeline};
use governance::{DecidedBy, RiskLevel};
use std::collections::HashMap;

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

/// What limits per hour and day count over all executions.
#[derive(Debug, Default)]
pub struct CountedEntries {
    /// The approvals and costs, if they are collected.
    pub timeline: Option<Timeline>,
    /// The number of all approvals and costs so far, which is the number of the next entry.
    pub number: u64,
    /// The number of executions with an approval or cost that has no time, and that others
    /// therefore don't count.
    pub undated: u64,
}

impl CountedEntries {
    fn approve(&mut self, kind: Option<governance::ActionType>, time: Option<i64>) {
        if let (Some(timeline), Some(time)) = (&mut self.timeline, time) {
            timeline.approve(kind, (time, self.number));
        }
        self.number += 1;
    }

    fn spend(&mut self, cost: f64, time: Option<i64>) {
        if let (Some(timeline), Some(time)) = (&mut self.timeline, time) {
            timeline.spend(cost, (time, self.number));
        }
        self.number += 1;
    }
}

/// The open executions. Memory grows with their number, not with the length of the trace.
#[derive(Debug, Default)]
pub struct DecisionHistory {
    open: HashMap<Box<str>, ExecutionState>,
    counted: CountedEntries,
}

impl DecisionHistory {
    /// Creates a history that collects what limits per hour and day count over all executions.
    #[must_use]
    pub fn collecting() -> Self {
        Self {
            counted: CountedEntries {
                timeline: Some(Timeline::default()),
                ..CountedEntries::default()
            },
            ..Self::default()
        }
    }

    /// Returns what limits per hour and day count.
    #[must_use]
    pub fn into_counted(self) -> CountedEntries {
        self.counted
    }

    /// Processes a step of an execution. Calls `ask` for a decision, with the history before it and
    /// the number of the next entry that limits per hour and day count.
    pub fn step(
        &mut self,
        execution: &str,
        step: &Step<'_, '_>,
        ask: &mut dyn FnMut(&RecordedDecision, (&History, u64)),
    ) {
        if !self.open.contains_key(execution) {
            self.open
                .insert(execution.into(), ExecutionState::default());
        }
        let counted = &mut self.counted;
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
            Fact::Decided(decision) => state.decide(step, decision, counted, ask),
            Fact::Annotation(Annotation::Decided(action, Some(annotated))) => {
                let decision = &annotated.decision;
                if let Some(action) = action {
                    state.proposed = read_action(action).map(|a| (a, action.risk));
                }
                state.decide(step, decision, counted, ask);
            }
            Fact::Executed(executed) => {
                if state.session && state.proposed.is_some() {
                    state.decide(step, &IMPLIED_APPROVAL, counted, ask);
                }
                state.executed(step, executed, counted);
            }
            Fact::Annotation(Annotation::Executed(executed, _)) => {
                state.executed(step, executed, counted);
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
        counted: &mut CountedEntries,
        ask: &mut dyn FnMut(&RecordedDecision, (&History, u64)),
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
        ask(&decided, (&self.history, counted.number));
        if decision.ruling.permits() {
            counted.approve(decided.action.kind, decided.time);
            self.note_undated(decided.time, counted);
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
    fn note_undated(&mut self, time: Option<i64>, counted: &mut CountedEntries) {
        if time.is_none() && !self.undated {
            self.undated = true;
            counted.undated += 1;
        }
    }

    fn executed(
        &mut self,
        step: &Step<'_, '_>,
        executed: &step::ExecutionFact<'_, '_>,
        counted: &mut CountedEntries,
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
                counted.spend(cost, time);
                self.note_undated(time, counted);
            }
            self.history
                .spend_at(time, result.cost.unwrap_or(0.0), milliseconds);
        }
    }
}
