//! A finite model of governed executions: the product of the machine, decisions, the lifecycles of
//! actions, and capabilities.
//!
//! The machine is [`reduce`] itself, not a copy. The runtime around it is one function from a
//! situation and a step to the next situation. The model omits what no property refers to: prompts,
//! results, times, turn numbers, and which thought asks for which action. It also reduces data to
//! what matters:
//!
//! - of an action's content, whether it is the approved one;
//! - of its changes, whether they are the declared ones;
//! - of a token's grants, which of the actions it covers.
//!
//! Where the specification leaves a choice, the model allows every alternative: what holds of more
//! executions also holds of fewer. Tokens come and go at any time before the end, and a token that
//! nobody presents may be live. An approved action may be refused for any reason, a result may stay
//! unverified, and an effect may be rolled back at any time.

mod guard;
mod ids;
mod step;
mod world;

pub use guard::{Guard, Guards};
pub use ids::{ActionId, AgentId, TokenId};
pub use step::{Effect, Governor, Run, Step};
pub use world::{Action, Approval, Cover, Thinkers, Token, World};

use crate::lifecycle::{Lifecycle, LifecycleStep};
use crate::reducer::{FsmVersion, natural_target, reduce};
use crate::risk::RiskLevel;
use crate::state::State;

/// The machine of one version, with a runtime around it.
#[derive(Debug, Clone)]
pub struct Model {
    version: FsmVersion,
    guards: Guards,
    steps: [Vec<Step>; State::ALL.len()],
}

impl Model {
    /// Creates a model of the machine of a version, with a runtime that fulfils the given duties.
    #[must_use]
    pub fn new(version: FsmVersion, guards: Guards) -> Self {
        let all = Step::all();
        let steps = State::ALL.map(|state| {
            let heard = |step: &&Step| {
                step.event()
                    .is_none_or(|event| reduce(version, state, event).is_ok())
            };
            all.iter()
                .filter(|step| !guards.keep(Guard::ObeysMachine) || heard(step))
                .copied()
                .collect()
        });
        Self {
            version,
            guards,
            steps,
        }
    }

    /// Keeps only the steps for which `keep` returns true.
    #[cfg(test)]
    pub(super) fn restricted(mut self, keep: impl Fn(&Step) -> bool) -> Self {
        for steps in &mut self.steps {
            steps.retain(&keep);
        }
        self
    }

    /// Returns the machine's version.
    #[must_use]
    pub const fn version(&self) -> FsmVersion {
        self.version
    }

    /// Returns the initial situations: capabilities not required, and required.
    #[must_use]
    pub const fn initial(&self) -> [World; 2] {
        [World::initial(false), World::initial(true)]
    }

    /// Returns the steps to try in a state of the machine, in a fixed order. Steps that the machine
    /// refuses are left out, unless the duty to obey it is lifted.
    #[must_use]
    pub fn steps(&self, state: State) -> &[Step] {
        State::ALL
            .into_iter()
            .zip(&self.steps)
            .find(|(s, _)| *s == state)
            .map_or(&[], |(_, steps)| steps)
    }

    /// Returns the next situation, or `None` if the machine or a duty forbids the step.
    #[must_use]
    pub fn apply(&self, world: &World, step: Step) -> Option<World> {
        let mut next = *world;
        match step.event() {
            Some(event) => {
                next.state = match reduce(self.version, world.state, event) {
                    Ok(state) => state,
                    Err(_) if self.guards.keep(Guard::ObeysMachine) => return None,
                    Err(_) => natural_target(event),
                }
            }
            None if world.state == State::Terminal => return None,
            None => {}
        }
        match step {
            Step::Start | Step::ThinkDone => Some(()),
            Step::Conclude => end_turn(&mut next),
            Step::Think(thinkers) => self.think(&mut next, thinkers),
            Step::Propose {
                agent,
                action,
                risk,
            } => self.propose(&mut next, agent, action, risk),
            Step::Approve { by, governor } => self.approve(&mut next, by, governor),
            Step::Modify { risk, governor } => self.modify(&mut next, risk, governor),
            Step::Reject { human: _, governor } => self.reject(&mut next, governor),
            Step::Run(run) => self.run(&mut next, run),
            Step::Refuse => self.refuse(&mut next),
            Step::Observe(agent) => self.observe(&mut next, agent),
            Step::Evaluate { kind: _, verified } => evaluate(&mut next, verified),
            Step::Issue(token, cover) => self.issue(&mut next, token, cover),
            Step::Revoke(token) => revoke(&mut next, token),
            Step::RollBack(action) => advance(&mut next, action, LifecycleStep::Rollback),
        }?;
        Some(next)
    }

    /// Requires a condition, unless the duty to keep it is lifted.
    fn unless(&self, guard: Guard, condition: bool) -> Option<()> {
        allowed(condition || !self.guards.keep(guard))
    }

    /// Requires that an agent holds the current turn.
    fn may_act(&self, world: &World, agent: AgentId) -> Option<()> {
        self.unless(Guard::OneAgentAtATime, world.holder == Some(agent))
    }

    /// Records the thoughts of a turn. A thought that isn't done carries an action, so an action
    /// must be left to propose. Without this check, the model's limit of two actions would look
    /// like a dead end.
    fn think(&self, next: &mut World, thinkers: Thinkers) -> Option<()> {
        let left = ActionId::ALL.into_iter().any(|id| {
            next.action(id)
                .lifecycle
                .advance(LifecycleStep::Propose)
                .is_some()
        });
        allowed(left)?;
        self.unless(
            Guard::OneAgentAtATime,
            next.holder
                .is_none_or(|holder| thinkers == Thinkers::Only(holder)),
        )?;
        next.thinkers = Some(thinkers);
        Some(())
    }

    fn propose(
        &self,
        next: &mut World,
        agent: AgentId,
        id: ActionId,
        risk: RiskLevel,
    ) -> Option<()> {
        let thought = next.thinkers.is_some_and(|t| t.contains(agent));
        self.unless(
            Guard::OneAgentAtATime,
            thought && next.holder.is_none_or(|holder| holder == agent),
        )?;
        allowed(next.action(id).risk.is_none_or(|frozen| frozen == risk))?;
        advance(next, id, LifecycleStep::Propose)?;
        next.action_mut(id).risk = Some(risk);
        next.holder = Some(agent);
        next.current = Some(id);
        Some(())
    }

    /// Records that a governor decided. `Another` only means "not the one of the earlier
    /// decisions", so the first decision of an execution is always by `Same`.
    fn govern(&self, next: &mut World, governor: Governor) -> Option<()> {
        match governor {
            Governor::Same => {}
            Governor::Another => {
                allowed(next.governed)?;
                self.unless(Guard::OneGovernor, false)?;
            }
        }
        next.governed = true;
        Some(())
    }

    fn approve(&self, next: &mut World, by: Option<Approval>, governor: Governor) -> Option<()> {
        let (id, action) = next.current_action()?;
        let risk = action.risk?;
        self.unless(
            Guard::HumanForHigh,
            risk != RiskLevel::High || by == Some(Approval::Human),
        )?;
        match by {
            None => {
                allowed(governor == Governor::Same)?;
                self.unless(Guard::DecisionOnRecord, false)?;
            }
            Some(by) => {
                match by {
                    Approval::Human | Approval::Policy => {}
                    Approval::SilentPolicy => {
                        self.unless(Guard::PolicyNamesRule, risk == RiskLevel::Low)?;
                    }
                    Approval::Agent(agent) => {
                        self.unless(Guard::GovernorIsNoAgent, false)?;
                        self.may_act(next, agent)?;
                    }
                }
                self.govern(next, governor)?;
            }
        }
        advance(next, id, LifecycleStep::Approve)?;
        next.action_mut(id).approval = by;
        Some(())
    }

    /// Replaces the action by a modified one. It has an id of its own, no higher risk, and the
    /// approval of a human. The original is rejected until it is proposed again.
    fn modify(&self, next: &mut World, risk: RiskLevel, governor: Governor) -> Option<()> {
        let (original, action) = next.current_action()?;
        let replacement = original.other();
        allowed(action.risk.is_some_and(|was| risk <= was))?;
        allowed(next.action(replacement).lifecycle == Lifecycle::Draft)?;
        self.govern(next, governor)?;
        advance(next, original, LifecycleStep::Reject)?;
        advance(next, replacement, LifecycleStep::Propose)?;
        advance(next, replacement, LifecycleStep::Approve)?;
        let action = next.action_mut(replacement);
        action.risk = Some(risk);
        action.approval = Some(Approval::Human);
        next.current = Some(replacement);
        Some(())
    }

    fn reject(&self, next: &mut World, governor: Governor) -> Option<()> {
        let id = next.current?;
        self.govern(next, governor)?;
        advance(next, id, LifecycleStep::Reject)?;
        end_turn(next)
    }

    fn run(&self, next: &mut World, run: Run) -> Option<()> {
        let (id, action) = next.current_action()?;
        let as_declared = match run.effect {
            Effect::AsDeclared | Effect::Failed => true,
            Effect::Missing => {
                allowed(action.declares_changes())?;
                false
            }
            Effect::Extra => false,
        };
        self.may_act(next, run.agent)?;
        self.unless(Guard::NoReExecution, !action.has_run)?;
        self.unless(Guard::RunsAsApproved, !run.altered)?;
        self.unless(Guard::ChangesAsDeclared, as_declared)?;
        match run.token.map(|token| next.token(token)) {
            None => self.unless(Guard::TokenPresented, !next.in_force)?,
            Some(token) => {
                // The model doesn't keep what a revoked token covered, so it can't be checked.
                self.unless(
                    Guard::TokenCovers,
                    token == Token::Revoked || token.issued().is_some_and(|c| c.covers(id)),
                )?;
                self.unless(Guard::TokenLive, token.issued().is_some())?;
            }
        }
        advance(next, id, LifecycleStep::Execute)?;
        let action = next.action_mut(id);
        action.has_run = true;
        action.approval = None;
        Some(())
    }

    /// Finishes an approved action without running it. EXECUTING can only be left by
    /// `ExecutionFinished`, also if the token was revoked after the approval or the action ran
    /// before. The execution then finishes as a failure.
    fn refuse(&self, next: &mut World) -> Option<()> {
        allowed(self.guards.keep(Guard::RefusalIsFinished))?;
        let (id, action) = next.current_action()?;
        allowed(action.lifecycle == Lifecycle::Approved)?;
        advance(next, id, LifecycleStep::Reject)
    }

    /// Records an observation. OBSERVING can only be left by `ObservationRecorded`, so refused and
    /// rolled back actions are observed too. They stay rejected.
    fn observe(&self, next: &mut World, agent: AgentId) -> Option<()> {
        self.may_act(next, agent)?;
        let (id, action) = next.current_action()?;
        match action.lifecycle {
            Lifecycle::Rejected => {}
            Lifecycle::Executed => advance(next, id, LifecycleStep::Observe)?,
            Lifecycle::Draft
            | Lifecycle::Proposed
            | Lifecycle::Approved
            | Lifecycle::Observed
            | Lifecycle::Verified => {
                return None;
            }
        }
        next.thinkers = None;
        next.holder = None;
        Some(())
    }

    fn issue(&self, next: &mut World, id: TokenId, cover: Cover) -> Option<()> {
        // Tokens are numbered in the order of their issue. Any other numbering describes the same
        // execution.
        allowed(id == TokenId::First || next.token_1 != Token::Unissued)?;
        let token = next.token_mut(id);
        *token = match *token {
            Token::Unissued => Token::Live(cover),
            Token::Revoked => {
                self.unless(Guard::RevokedForGood, false)?;
                Token::Reissued(cover)
            }
            Token::Live(_) | Token::Reissued(_) => return None,
        };
        next.in_force = true;
        Some(())
    }
}

fn allowed(condition: bool) -> Option<()> {
    condition.then_some(())
}

fn advance(next: &mut World, id: ActionId, step: LifecycleStep) -> Option<()> {
    let action = next.action_mut(id);
    action.lifecycle = action.lifecycle.advance(step)?;
    if action.lifecycle == Lifecycle::Rejected {
        action.approval = None;
    }
    Some(())
}

fn evaluate(next: &mut World, verified: bool) -> Option<()> {
    if verified {
        let id = next.current?;
        advance(next, id, LifecycleStep::Verify)?;
    }
    end_turn(next)
}

/// Clears the state of the turn. Only the lifecycle of its action outlives it.
#[expect(clippy::unnecessary_wraps, reason = "reads as one of the steps")]
fn end_turn(next: &mut World) -> Option<()> {
    next.thinkers = None;
    next.holder = None;
    next.current = None;
    Some(())
}

fn revoke(next: &mut World, id: TokenId) -> Option<()> {
    let token = next.token_mut(id);
    *token = match *token {
        Token::Live(_) => Token::Revoked,
        Token::Unissued | Token::Revoked | Token::Reissued(_) => return None,
    };
    Some(())
}
