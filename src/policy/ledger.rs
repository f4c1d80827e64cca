//! Recorded decisions with the history as it stood when they were made.

use super::action::Action;
use super::request::{History, Past, Request};
use crate::governance::{Risk, Ruling};
use crate::trace::record::DecidedBy;
use crate::trace::step::{self, Beside, Decision, Fact, Step};
use std::collections::HashMap;

/// A decision as it was recorded.
#[derive(Debug, Clone)]
pub struct Decided {
    /// What was decided about: the action as a human has changed it, where one has.
    pub action: Action,
    /// The risk that was recorded.
    pub risk: Option<Risk>,
    /// What was decided.
    pub ruling: Ruling,
    /// A human decided, and not the policy.
    pub by_human: bool,
    /// Who had proposed it.
    pub agent: Option<String>,
    /// In which turn.
    pub turn: Option<i64>,
    /// When, in milliseconds since the epoch.
    pub time: Option<i64>,
    /// The digest of the policy that was in force.
    pub digest: Option<String>,
}

impl Decided {
    /// The question that was decided.
    #[must_use]
    pub fn request<'a>(&'a self, history: &'a History) -> Request<'a> {
        Request {
            action: &self.action,
            risk: self.risk,
            turn: self.turn.and_then(|t| u64::try_from(t).ok()).unwrap_or(1),
            agent: self.agent.as_deref(),
            mode: None,
            production: false,
            time: self.time,
            history,
        }
    }
}

/// One execution while its trace is read.
#[derive(Debug, Default)]
struct Account {
    proposed: Option<(Action, Option<Risk>)>,
    agent: Option<String>,
    digest: Option<String>,
    history: History,
}

/// The executions that are open. Memory grows with them, not with the trace.
#[derive(Debug, Default)]
pub struct Ledger {
    open: HashMap<Box<str>, Account>,
}

impl Ledger {
    /// Takes a step of an execution. If it is a decision, `ask` is shown it with the history before it.
    pub fn step(&mut self, execution: &str, step: &Step<'_, '_>, ask: &mut dyn FnMut(&Decided, &History)) {
        if !self.open.contains_key(execution) {
            self.open.insert(execution.into(), Account::default());
        }
        let Some(account) = self.open.get_mut(execution) else { return };
        match &step.fact {
            Fact::Started(started) => account.digest = started.policy_digest.map(|d| d.decode().into_owned()),
            Fact::Proposed(proposal) => {
                account.proposed = taken(&proposal.action).map(|a| (a, proposal.action.risk));
                account.agent = proposal.agent.map(|a| a.decode().into_owned());
            }
            Fact::Decided(decision) => account.decide(step, decision, ask),
            Fact::Beside(Beside::Decided(action, Some(told))) => {
                let decision = &told.decision;
                if let Some(action) = action {
                    account.proposed = taken(action).map(|a| (a, action.risk));
                }
                account.decide(step, decision, ask);
            }
            Fact::Executed(executed) => account.executed(executed),
            Fact::Beside(Beside::Executed(executed, _)) => account.executed(executed),
            Fact::Ended(_) => {
                self.open.remove(execution);
            }
            _ => {}
        }
    }
}

/// An action out of a trace, if its payload can be read.
fn taken(action: &step::Action<'_>) -> Option<Action> {
    let written = action.payload?;
    let payload: serde_json::Value = written.read()?;
    // What has two meanings is known to be neither of them.
    let clear = matches!(super::suite::repeated(written.as_written()), Ok(None));
    Some(Action::recorded(&action.kind.name(), if clear { payload } else { serde_json::Value::Null }))
}

impl Account {
    fn decide(&mut self, step: &Step<'_, '_>, decision: &Decision<'_>, ask: &mut dyn FnMut(&Decided, &History)) {
        let changed = decision.modified.as_ref().and_then(|m| Some((taken(m)?, m.risk)));
        let Some((action, risk)) = changed.or_else(|| self.proposed.take()) else { return };
        let decided = Decided {
            action,
            risk,
            ruling: decision.ruling,
            by_human: decision.by == DecidedBy::Human,
            agent: self.agent.clone(),
            turn: step.turn,
            time: decision.time.or(step.time),
            digest: self.digest.clone(),
        };
        ask(&decided, &self.history);
        if decision.ruling.permits() {
            self.history.approve(&Past {
                kind: decided.action.kind,
                tool: decided.action.tool.clone(),
                // What nobody rated covers no more than the least.
                risk: decided.risk.unwrap_or(Risk::Low),
                time: decided.time,
                by_human: decided.by_human,
            });
        }
    }

    fn executed(&mut self, executed: &step::Executed<'_, '_>) {
        if let Some(result) = &executed.result {
            let milliseconds = result.duration.filter(|d| d.is_finite() && *d > 0.0).unwrap_or(0.0);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a float to integer cast saturates, which suits a duration"
            )]
            self.history.spend(result.cost.unwrap_or(0.0), milliseconds as u64);
        }
    }
}

/// How a recorded decision stands to what a policy says now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Drift {
    /// Approved, and the policy denies.
    NowDenies,
    /// Approved by policy, and the policy asks.
    NowAsks,
    /// Rejected by policy, and the policy allows.
    NowAllows,
    /// Approved beyond a limit of the policy.
    OverLimit,
}

impl Drift {
    /// The code of the rule that is about it.
    #[must_use]
    pub const fn code(self) -> u16 {
        match self {
            Self::NowDenies => 501,
            Self::NowAsks => 502,
            Self::NowAllows => 503,
            Self::OverLimit => 505,
        }
    }

    /// Compares a recorded decision with one of a policy; none when they agree, or when the policy
    /// leaves to a human what a human decided.
    #[must_use]
    pub fn between(recorded: &Decided, now: &super::Decision<'_>) -> Option<Self> {
        use super::Effect::{Allow, Deny, RequireApproval};
        let limited = match &now.cause {
            super::Cause::Limit(..) => true,
            super::Cause::Matches => now.rule.is_some_and(super::Rule::is_limit),
            super::Cause::MayMatch | super::Cause::Default(_) => false,
        };
        match (recorded.ruling.permits(), now.effect) {
            (true, Deny) if limited => Some(Self::OverLimit),
            (true, Deny) => Some(Self::NowDenies),
            (true, RequireApproval) if !recorded.by_human => Some(Self::NowAsks),
            (false, Allow) if !recorded.by_human => Some(Self::NowAllows),
            _ => None,
        }
    }
}
