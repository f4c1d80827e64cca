//! The steps of the model: the machine's events with their data, and the events that don't concern
//! the machine.

use super::ids::{ActionId, AgentId, TokenId};
use super::world::{Approval, Cover, Thinkers};
use crate::event::{EvaluationKind, Event, Ruling};
use crate::risk::RiskLevel;
use std::fmt;

/// The governor of a decision, compared with the earlier decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Governor {
    /// The governor of the earlier decisions.
    Same,
    /// A governor other than that of the earlier decisions.
    Another,
}

impl fmt::Display for Governor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Same => "governor-1",
            Self::Another => "governor-2",
        })
    }
}

/// The effect of an action, compared with its declared changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// It succeeded and changed exactly what it declared.
    AsDeclared,
    /// It failed and changed nothing.
    Failed,
    /// It reported success but left out a declared change.
    Missing,
    /// It changed something that it didn't declare.
    Extra,
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AsDeclared => "changes as declared",
            Self::Failed => "fails, changes nothing",
            Self::Missing => "a declared change is missing",
            Self::Extra => "an undeclared change",
        })
    }
}

/// One execution of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Run {
    /// The agent on whose behalf the action runs.
    pub agent: AgentId,
    /// The token that is presented, if any.
    pub token: Option<TokenId>,
    /// Type or payload differ from what was approved.
    pub altered: bool,
    pub effect: Effect,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = match self.token {
            Some(TokenId::First) => "on token-1",
            Some(TokenId::Second) => "on token-2",
            None => "on no token",
        };
        let payload = if self.altered {
            "altered"
        } else {
            "as approved"
        };
        write!(f, "{}, {token}, {payload}, {}", self.agent, self.effect)
    }
}

/// A step of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// The execution starts or resumes.
    Start,
    /// Agents think and ask for an action.
    Think(Thinkers),
    /// Agents think and suggest that the goal is reached.
    ThinkDone,
    /// The early runtime ends the execution on that suggestion.
    Conclude,
    /// The selected agent's action is proposed.
    Propose {
        /// The agent whose thought was selected.
        agent: AgentId,
        action: ActionId,
        risk: RiskLevel,
    },
    /// The turn's action is approved.
    Approve {
        /// Who approved it; `None` if no decision is recorded.
        by: Option<Approval>,
        governor: Governor,
    },
    /// A human replaces the turn's action by the other, new one.
    Modify {
        /// The risk of the replacement.
        risk: RiskLevel,
        governor: Governor,
    },
    /// The turn's action is rejected.
    Reject {
        /// True if a human rejected it, false if a policy did.
        human: bool,
        governor: Governor,
    },
    /// The turn's action is executed.
    Run(Run),
    /// The turn's action was approved, but the runtime doesn't execute it.
    Refuse,
    /// The result is recorded.
    Observe(AgentId),
    /// The runtime decides whether to continue.
    Evaluate {
        kind: EvaluationKind,
        /// The turn's result is accepted.
        verified: bool,
    },
    Issue(TokenId, Cover),
    Revoke(TokenId),
    /// The effect of an action is undone.
    RollBack(ActionId),
}

impl Step {
    /// Returns the event that the machine receives, or `None` if the step doesn't concern it.
    #[must_use]
    pub const fn event(self) -> Option<Event> {
        match self {
            Self::Start => Some(Event::Start),
            Self::Think(_) => Some(Event::ThoughtGenerated { done: false }),
            Self::ThinkDone => Some(Event::ThoughtGenerated { done: true }),
            Self::Conclude => Some(Event::Concluded),
            Self::Propose { .. } => Some(Event::ActionProposed),
            Self::Approve { .. } => Some(Event::GovernanceDecided(Ruling::Approved)),
            Self::Modify { .. } => Some(Event::GovernanceDecided(Ruling::Modified)),
            Self::Reject { .. } => Some(Event::GovernanceDecided(Ruling::Rejected)),
            Self::Run(_) | Self::Refuse => Some(Event::ExecutionFinished),
            Self::Observe(_) => Some(Event::ObservationRecorded),
            Self::Evaluate { kind, .. } => Some(Event::EvaluationMade(kind)),
            Self::Issue(..) | Self::Revoke(_) | Self::RollBack(_) => None,
        }
    }

    /// Returns the governor if the step is a recorded decision.
    #[must_use]
    pub const fn governor(self) -> Option<Governor> {
        match self {
            Self::Approve {
                by: Some(_),
                governor,
            }
            | Self::Modify { governor, .. }
            | Self::Reject { governor, .. } => Some(governor),
            Self::Approve { by: None, .. }
            | Self::Start
            | Self::Think(_)
            | Self::ThinkDone
            | Self::Conclude
            | Self::Propose { .. }
            | Self::Run(_)
            | Self::Refuse
            | Self::Observe(_)
            | Self::Evaluate { .. }
            | Self::Issue(..)
            | Self::Revoke(_)
            | Self::RollBack(_) => None,
        }
    }

    /// Returns all steps in a fixed order. Ordinary steps come first: of equally short traces, the
    /// first one found is shown.
    #[must_use]
    pub fn all() -> Vec<Self> {
        const RISKS: [RiskLevel; 3] = [RiskLevel::Low, RiskLevel::Medium, RiskLevel::High];
        const GOVERNORS: [Governor; 2] = [Governor::Same, Governor::Another];
        const KINDS: [EvaluationKind; 3] = [
            EvaluationKind::Continue,
            EvaluationKind::Terminate,
            EvaluationKind::Pause,
        ];
        const APPROVALS: [Option<Approval>; 6] = [
            Some(Approval::Policy),
            Some(Approval::Human),
            Some(Approval::SilentPolicy),
            Some(Approval::Agent(AgentId::First)),
            Some(Approval::Agent(AgentId::Second)),
            None,
        ];
        const EFFECTS: [Effect; 4] = [
            Effect::AsDeclared,
            Effect::Failed,
            Effect::Missing,
            Effect::Extra,
        ];
        let mut steps = vec![Self::Start, Self::ThinkDone, Self::Conclude];
        steps.extend(Thinkers::ALL.map(Self::Think));
        for agent in AgentId::ALL {
            for action in ActionId::ALL {
                steps.extend(RISKS.map(|risk| Self::Propose {
                    agent,
                    action,
                    risk,
                }));
            }
        }
        for governor in GOVERNORS {
            steps.extend(APPROVALS.map(|by| Self::Approve { by, governor }));
            steps.extend(RISKS.map(|risk| Self::Modify { risk, governor }));
            steps.extend([false, true].map(|human| Self::Reject { human, governor }));
        }
        for agent in AgentId::ALL {
            for token in [None, Some(TokenId::First), Some(TokenId::Second)] {
                for altered in [false, true] {
                    steps.extend(EFFECTS.map(|effect| {
                        Self::Run(Run {
                            agent,
                            token,
                            altered,
                            effect,
                        })
                    }));
                }
            }
        }
        steps.push(Self::Refuse);
        steps.extend(AgentId::ALL.map(Self::Observe));
        for kind in KINDS {
            steps.extend([true, false].map(|verified| Self::Evaluate { kind, verified }));
        }
        for token in TokenId::ALL {
            steps.extend(Cover::ALL.map(|cover| Self::Issue(token, cover)));
            steps.push(Self::Revoke(token));
        }
        steps.extend(ActionId::ALL.map(Self::RollBack));
        steps
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(event) = self.event() {
            event.fmt(f)?;
        }
        match self {
            Self::Start | Self::ThinkDone | Self::Conclude => Ok(()),
            Self::Think(thinkers) => write!(f, " by {thinkers}"),
            Self::Propose { agent, action, .. } => write!(f, " by {agent}: {action}"),
            Self::Approve {
                by: Some(by),
                governor,
            } => write!(f, " by {governor}: {by}"),
            Self::Approve { by: None, .. } => f.write_str(" with no decision on record"),
            Self::Modify { governor, .. } => write!(f, " by {governor}: human"),
            Self::Reject { human, governor } => write!(
                f,
                " by {governor}: {}",
                if *human { "human" } else { "policy" }
            ),
            Self::Run(run) => write!(f, " for {run}"),
            Self::Refuse => f.write_str(" refused, nothing ran"),
            Self::Observe(agent) => write!(f, " for {agent}"),
            Self::Evaluate { verified, .. } => {
                f.write_str(if *verified { " result accepted" } else { "" })
            }
            Self::Issue(token, cover) => write!(f, "CapabilityIssued {token} for {cover}"),
            Self::Revoke(token) => write!(f, "CapabilityRevoked {token}"),
            Self::RollBack(action) => write!(f, "RolledBack {action}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_step_stands_twice_and_every_event_has_one() {
        let steps = Step::all();
        assert_eq!(steps.iter().collect::<BTreeSet<_>>().len(), steps.len());
        for event in Event::ALL {
            assert!(steps.iter().any(|s| s.event() == Some(event)), "{event}");
        }
    }
}
