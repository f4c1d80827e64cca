//! Recorded decisions of a trace, each with the history as it was when it was made.

use crate::trace::scalar::Timestamp;
use crate::trace::step::{self, Annotation, Decision, Fact, Step};
use agent_policy::{Action, History, Past, RecordedDecision};
use governance::{DecidedBy, RiskLevel};
use std::collections::HashMap;

/// One execution while its trace is read.
#[derive(Debug, Default)]
struct Account {
    /// It is a session: that a call ran says no more than that nothing stopped it.
    session: bool,
    proposed: Option<(Action, Option<RiskLevel>)>,
    agent: Option<String>,
    digest: Option<String>,
    root: Option<String>,
    /// The latest time of its decisions so far.
    latest: Option<i64>,
    history: History,
}

/// The executions that are open. Memory grows with them, not with the trace.
#[derive(Debug, Default)]
pub struct DecisionHistory {
    open: HashMap<Box<str>, Account>,
}

impl DecisionHistory {
    /// Takes a step of an execution. If it is a decision, `ask` is shown it with the history before
    /// it.
    pub fn step(
        &mut self,
        execution: &str,
        step: &Step<'_, '_>,
        ask: &mut dyn FnMut(&RecordedDecision, &History),
    ) {
        if !self.open.contains_key(execution) {
            self.open.insert(execution.into(), Account::default());
        }
        let Some(account) = self.open.get_mut(execution) else {
            return;
        };
        match &step.fact {
            Fact::Started(started) => {
                account.digest = started.policy_digest.map(|d| d.decode().into_owned());
                account.root = started.workdir().map(|root| root.decode().into_owned());
                account.session = started.fsm_version == *"session";
            }
            Fact::Proposed(proposal) => {
                account.proposed = taken(&proposal.action).map(|a| (a, proposal.action.risk));
                account.agent = proposal.agent.map(|a| a.decode().into_owned());
            }
            Fact::Decided(decision) => account.decide(step, decision, ask),
            Fact::Annotation(Annotation::Decided(action, Some(told))) => {
                let decision = &told.decision;
                if let Some(action) = action {
                    account.proposed = taken(action).map(|a| (a, action.risk));
                }
                account.decide(step, decision, ask);
            }
            Fact::Executed(executed) => {
                if account.session && account.proposed.is_some() {
                    account.decide(step, &UNSTOPPED, ask);
                }
                account.executed(executed);
            }
            Fact::Annotation(Annotation::Executed(executed, _)) => account.executed(executed),
            Fact::Ended(_) => {
                self.open.remove(execution);
            }
            _ => {}
        }
    }
}

/// What stands for the decision about a call that ran, where none is recorded.
const UNSTOPPED: Decision<'static> =
    Decision::bare(governance::Ruling::Approved, DecidedBy::Policy, None);

/// An action out of a trace, if its payload can be read.
fn taken(action: &step::Action<'_>) -> Option<Action> {
    let written = action.payload?;
    let payload: serde_json::Value = written.read()?;
    // What has two meanings is known to be neither of them.
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

impl Account {
    fn decide(
        &mut self,
        step: &Step<'_, '_>,
        decision: &Decision<'_>,
        ask: &mut dyn FnMut(&RecordedDecision, &History),
    ) {
        let changed = decision
            .modified
            .as_ref()
            .and_then(|m| Some((taken(m)?, m.risk)));
        let Some((action, risk)) = changed.or_else(|| self.proposed.take()) else {
            return;
        };
        // Decisions stand in the order in which they were made. One that is dated back would be
        // blind to those before it.
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
        ask(&decided, &self.history);
        if decision.ruling.permits() {
            self.history.approve(&Past {
                kind: decided.action.kind,
                tool: decided.action.tool.clone(),
                // What nobody rated covers no more than the least.
                risk: decided.risk.unwrap_or(RiskLevel::Low),
                time: decided.time,
                by_human: decided.by_human,
            });
        }
    }

    fn executed(&mut self, executed: &step::Executed<'_, '_>) {
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
            self.history
                .spend(result.cost.unwrap_or(0.0), milliseconds as u64);
        }
    }
}
