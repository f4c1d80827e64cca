//! Ids that can't be told apart.

use super::super::verdict::Aspect;
use super::Execution;
use crate::json::Str;
use crate::trace::step::{Action, Beside, Decision, Executed, Fact, Step};

impl Execution {
    /// Half of a surrogate pair is read as U+FFFD, and so is any other half: two ids that differ in nothing else look the
    /// same. What rests on comparing them isn't known then.
    pub(super) fn check_ids(&mut self, step: &Step<'_, '_>) {
        if has_torn_id(&step.fact) {
            self.verdict.doubt(Aspect::Authorised);
            self.verdict.doubt(Aspect::GovernanceComplete);
        }
    }
}

fn has_torn_id(fact: &Fact<'_, '_>) -> bool {
    let one = |id: Option<Str<'_>>| id.is_some_and(Str::is_torn);
    let action = |action: Option<Action<'_>>| one(action.and_then(|a| a.id));
    let decision = |d: &Decision<'_>| one(d.action) || one(d.signer) || one(d.original) || action(d.modified);
    let executed = |e: &Executed<'_, '_>| one(e.action_id) || one(e.capability) || action(e.action);
    match fact {
        Fact::Started(started) => one(started.governor) || started.agents.iter().any(|agent| agent.is_torn()),
        Fact::Thought(thought) | Fact::Beside(Beside::Thought(thought)) => one(thought.agent),
        Fact::Proposed(proposal) => one(proposal.agent) || one(proposal.action.id),
        Fact::Decided(decided) => decision(decided),
        Fact::Executed(ran) => executed(ran),
        Fact::Issued(token) => token.id.is_torn() || one(token.subject),
        Fact::Revoked(id) => id.is_torn(),
        Fact::Moved(moved) => moved.decision.as_ref().is_some_and(decision),
        Fact::Beside(Beside::Decided(about, told)) => action(*about) || told.as_ref().is_some_and(|t| decision(&t.decision)),
        Fact::Beside(Beside::Executed(ran, told)) => executed(ran) || told.is_some_and(|(_, told)| decision(told)),
        Fact::Observed(_)
        | Fact::Evaluated(..)
        | Fact::Ended(_)
        | Fact::Context
        | Fact::Beside(Beside::Other)
        | Fact::NotRecorded(_)
        | Fact::Terminal(_)
        | Fact::Unreadable(_) => false,
    }
}
