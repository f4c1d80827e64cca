//! Proposals and the decisions that follow them.

use super::super::authority::{self, Assessor, Context};
use super::super::evidence::{Evidence, OwnedAction, OwnedThought};
use super::super::step_facts::{Reuse, StepFacts};
use super::known::Known;
use super::{Execution, native};
use crate::trace::step::{Action, Decision, Proposal, Step};
use governance::{DecidedBy, Event, RiskLevel, Ruling};

impl Execution {
    pub(super) fn proposed(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        proposal: &Proposal<'_, '_>,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        self.check_turn(line, step, false, step_facts);
        self.apply(line, Event::ActionProposed, step_facts);
        let agent: Option<Box<str>> = proposal.agent.map(|a| a.decode().into());
        // An action that a human modified isn't the action of a thought. What was proposed equals
        // the thought.
        if !proposal.replaced && self.matches_no_thought(agent.as_deref(), &proposal.action) {
            step_facts.anomalies_mut().not_thought = true;
        }
        let (found, reach) = authority::analyse_cached(context, &proposal.action);
        let risks = understated(context, &proposal.action, found, step_facts);
        self.propose_analysed(line, reach.as_deref(), risks, step_facts);
        self.tokens.name_tool(&proposal.action);
        if let Some(id) = proposal.action.id.filter(|_| !proposal.replaced) {
            self.register_id(line, &id.decode(), &proposal.action, step_facts);
        }
        if let Some(agent) = &agent {
            self.add_agent(line, agent, step_facts);
        }
        if step_facts.movement.is_some_and(|m| m.breach.is_some()) && self.turn.proposal.is_some() {
            // A second proposal in a state that allows none doesn't replace the first.
            return;
        }
        self.turn.proposer = agent;
        self.turn.declared = proposal
            .declared
            .map(|paths| paths.iter().map(|p| p.distinct().into()).collect());
        let thoughts = &self.turn.thoughts;
        let thought = thoughts
            .iter()
            .find_map(|t| t.what.action.clone())
            .filter(|_| proposal.replaced);
        // A log that names the proposed action only has it in the thought.
        let by_id = proposal.replaced && proposal.action.payload.is_none();
        let thought = thought.map(|thought| {
            let (risk, reach) = authority::analyse_owned(context, &thought);
            let named = if by_id {
                let id = proposal.action.id.map(|id| id.decode().into());
                OwnedAction {
                    id,
                    found: risk,
                    ..thought
                }
            } else {
                thought
            };
            named.reaching(reach)
        });
        if let Some(thought) = thought.as_ref().filter(|_| by_id) {
            self.propose_analysed(line, thought.reach.as_deref(), None, step_facts);
            if let Some(id) = proposal.action.id {
                self.register_id(line, &id.decode(), &thought.as_action(), step_facts);
            }
        }
        self.turn.proposal_unknown = proposal.replaced && thought.is_none();
        if self.turn.proposal.is_some() {
            // The decision was about the earlier proposal.
            self.turn.decision = None;
        } else if let Some(early) = &self.turn.decision {
            // A decision before its proposal stays valid if it can be about this action and may
            // decide it.
            let id = proposal.action.id.map(|id| id.decode());
            let other = early
                .what
                .action
                .as_deref()
                .is_some_and(|named| id.as_deref() != Some(named));
            let risk = found.max(proposal.action.risk);
            let too_high = early.what.by == DecidedBy::Policy
                && risk.is_none_or(|risk| risk == RiskLevel::High);
            if early.what.ruling != Ruling::Rejected
                && (other || too_high || early.what.modified.is_some())
            {
                self.turn.decision = None;
            }
        }
        let shown = || {
            if by_id {
                // Without its thought, nothing is known of the action.
                let id = proposal.action.id.map(|id| id.decode().into());
                return OwnedAction {
                    id,
                    ..OwnedAction::not_recorded()
                };
            }
            OwnedAction::proposed(&proposal.action, found, &self.turn.thoughts).reaching(reach)
        };
        self.turn.proposal = Some(Evidence {
            what: thought.unwrap_or_else(shown),
            line,
            time: step.time,
        });
    }

    /// Registers an action's id. An id may recur only for an action that was rejected and is
    /// proposed again unchanged. Any other recurrence is a second action.
    pub(super) fn register_id(
        &mut self,
        line: u64,
        id: &str,
        action: &Action<'_>,
        step_facts: &mut StepFacts,
    ) {
        match self.known.by_id.get_mut(id) {
            Some(known)
                if (known.rejected || known.rejected_perhaps)
                    && known.frozen.as_ref().and_then(|f| f.same_as(action)) == Some(true) =>
            {
                (known.rejected, known.rejected_perhaps) = (false, false);
            }
            Some(known) => {
                step_facts.anomalies_mut().reuse = Some(Reuse {
                    of: "action",
                    id: id.to_owned(),
                    line: known.line,
                });
                self.turn.id_reused = true;
            }
            None => {
                self.known.by_id.insert(id.into(), Known::new(line));
            }
        }
    }

    pub(super) fn matches_no_thought(&self, agent: Option<&str>, action: &Action<'_>) -> bool {
        let turn = &self.turn;
        if turn.thoughts.is_empty() || turn.thoughts_unknown || action.payload.is_none() {
            return false;
        }
        // If only one agent thought, it needs no name.
        let alone = turn.thoughts.len() == 1;
        let same = |t: &&Evidence<OwnedThought>| {
            t.what.agent.as_deref() == agent || alone && (agent.is_none() || t.what.agent.is_none())
        };
        let mut theirs = turn.thoughts.iter().filter(same);
        let wanted = |t: &Evidence<OwnedThought>| {
            t.what
                .action
                .as_ref()
                .map(|a| a.same_as(action) != Some(false))
        };
        !theirs.any(|t| wanted(t).unwrap_or(false))
            // If no thought intends an action, the path is broken, which is reported instead.
            && turn.thoughts.iter().any(|t| t.what.action.is_some())
    }

    pub(super) fn decided(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        decision: &Decision<'_>,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        self.check_turn(line, step, false, step_facts);
        // A rejection that was recorded with the proposal applies.
        let beside = self
            .turn
            .pending_decision
            .take()
            .filter(|beside| beside.what.ruling == Ruling::Rejected);
        let decision = native::stricter(*decision, beside.as_ref());
        self.apply(line, Event::GovernanceDecided(decision.ruling), step_facts);
        self.apply_decision(line, step.time, &decision, context, step_facts);
    }
}

/// Returns the recorded and the analyser's risk, if the latter is higher. A recorded risk below the
/// one that a manifest declares is reported by itself.
pub(super) fn understated(
    context: Context<'_>,
    action: &Action<'_>,
    found: Option<RiskLevel>,
    step_facts: &mut StepFacts,
) -> Option<(RiskLevel, RiskLevel)> {
    let recorded = action.risk?;
    let mut found = found;
    if let Some((tool, declared)) = context.tools.and_then(|tools| tools.declared_risk(action))
        && declared > recorded
    {
        step_facts
            .anomalies_mut()
            .below_declared
            .get_or_insert((tool, recorded, declared));
        // What was found includes the declared risk.
        let alone = Context {
            tools: None,
            ..context
        };
        found = authority::analyse_cached(alone, action).0;
    }
    let found = found?;
    (context.assessor != Assessor::Off && found > recorded).then_some((recorded, found))
}
