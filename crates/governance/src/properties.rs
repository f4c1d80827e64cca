//! The ten properties, each as a check of one transition of the model.
//!
//! A property also holds if its premise never becomes true, which proves nothing. A published model
//! of this governance held all its invariants only because its `Execute` step could never fire. A
//! check therefore reports whether the premise was true.

use super::model::{Approval, Effect, Governor, Guard, Run, Step, Thinkers, TokenId, World};
use super::risk::RiskLevel;
use super::state::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A property of governed executions.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Property {
    /// Execution requires approval.
    P1,
    /// Where capabilities are in force, execution requires a live capability.
    P2,
    /// The changes that were observed are exactly those that were declared.
    P3,
    /// Nothing executes on a revoked token.
    P4,
    /// The same action never executes twice.
    P5,
    /// Every path to TERMINAL passes through EVALUATING.
    P6,
    /// No high-risk action executes without the approval of a human.
    P7,
    /// The executed action is the approved one.
    P8,
    /// History is linear: one agent acts at a time, under one governor.
    P9,
    /// TERMINAL can be reached from every state.
    P10,
}

/// The result of checking one transition against a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The premise is false: the transition doesn't concern the property.
    Silent,
    /// The premise and the conclusion are true.
    Holds,
    /// The transition violates the property.
    Breaks,
}

impl Verdict {
    const fn from_conclusion(conclusion: bool) -> Self {
        if conclusion {
            Self::Holds
        } else {
            Self::Breaks
        }
    }
}

impl Property {
    /// All properties, by number.
    pub const ALL: [Self; 10] = [
        Self::P1,
        Self::P2,
        Self::P3,
        Self::P4,
        Self::P5,
        Self::P6,
        Self::P7,
        Self::P8,
        Self::P9,
        Self::P10,
    ];

    /// Returns the number as the specification writes it.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::P1 => "P1",
            Self::P2 => "P2",
            Self::P3 => "P3",
            Self::P4 => "P4",
            Self::P5 => "P5",
            Self::P6 => "P6",
            Self::P7 => "P7",
            Self::P8 => "P8",
            Self::P9 => "P9",
            Self::P10 => "P10",
        }
    }

    /// Returns the property in one sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::P1 => "execution requires approval",
            Self::P2 => "execution requires a live capability (where capabilities are in force)",
            Self::P3 => "no extra changes: what was observed equals what was declared",
            Self::P4 => "nothing executes on a revoked token",
            Self::P5 => "the same action never executes twice",
            Self::P6 => "every path to TERMINAL passes EVALUATING",
            Self::P7 => "no high-risk action executes without a human signer",
            Self::P8 => "what executed is what was approved",
            Self::P9 => {
                "history is linear: one governor, no event of a second agent between PROPOSING and EVALUATING of the first"
            }
            Self::P10 => "every legal trace can still reach TERMINAL (no dead end)",
        }
    }

    /// Returns the premise: what must happen for the property to apply. A witness shows it.
    #[must_use]
    pub const fn premise(self) -> &'static str {
        match self {
            Self::P1 | Self::P8 => "an action executes",
            Self::P2 => "an action executes while capabilities are in force",
            Self::P3 => "an action that declares changes executes",
            Self::P4 => "an action executes while a token is revoked",
            Self::P5 => "an action that has executed before is approved again",
            Self::P6 => "TERMINAL is reached",
            Self::P7 => "a high-risk action executes",
            Self::P9 => "a governor decides once more, in a turn in which both agents have thought",
            Self::P10 => "the situation that is farthest from TERMINAL, and the way on from it",
        }
    }

    /// Returns the duties that the property depends on. Lifting any of them breaks it.
    #[must_use]
    pub const fn guards(self) -> &'static [Guard] {
        match self {
            Self::P1 => &[
                Guard::DecisionOnRecord,
                Guard::GovernorIsNoAgent,
                Guard::PolicyNamesRule,
            ],
            Self::P2 => &[Guard::TokenPresented, Guard::TokenLive, Guard::TokenCovers],
            Self::P3 => &[Guard::ChangesAsDeclared],
            Self::P4 => &[Guard::TokenLive, Guard::RevokedForGood],
            Self::P5 => &[Guard::NoReExecution],
            Self::P6 => &[Guard::ObeysMachine],
            Self::P7 => &[Guard::HumanForHigh],
            Self::P8 => &[Guard::RunsAsApproved],
            Self::P9 => &[Guard::OneGovernor, Guard::OneAgentAtATime],
            Self::P10 => &[Guard::RefusalIsFinished],
        }
    }

    /// Checks one transition. P10 doesn't concern single transitions and is always silent here; the
    /// search decides it.
    #[must_use]
    pub fn check(self, before: &World, step: Step, after: &World) -> Verdict {
        match self {
            Self::P6 => {
                if after.state != State::Terminal || before.state == State::Terminal {
                    return Verdict::Silent;
                }
                Verdict::from_conclusion(before.state == State::Evaluating)
            }
            Self::P9 => linear(before, step),
            Self::P10 => Verdict::Silent,
            Self::P5 => match step {
                Step::Run(_) => match before.current_action() {
                    Some((_, action)) if action.has_run => Verdict::Breaks,
                    Some(_) | None => Verdict::Silent,
                },
                Step::Approve { .. } => match before.current_action() {
                    Some((_, action)) if action.has_run => Verdict::Holds,
                    Some(_) | None => Verdict::Silent,
                },
                Step::Start
                | Step::Think(_)
                | Step::ThinkDone
                | Step::Conclude
                | Step::Propose { .. }
                | Step::Modify { .. }
                | Step::Reject { .. }
                | Step::Refuse
                | Step::Observe(_)
                | Step::Evaluate { .. }
                | Step::Issue(..)
                | Step::Revoke(_)
                | Step::RollBack(_) => Verdict::Silent,
            },
            Self::P1 | Self::P2 | Self::P3 | Self::P4 | Self::P7 | Self::P8 => match step {
                Step::Run(run) => self.check_run(before, run),
                Step::Start
                | Step::Think(_)
                | Step::ThinkDone
                | Step::Conclude
                | Step::Propose { .. }
                | Step::Approve { .. }
                | Step::Modify { .. }
                | Step::Reject { .. }
                | Step::Refuse
                | Step::Observe(_)
                | Step::Evaluate { .. }
                | Step::Issue(..)
                | Step::Revoke(_)
                | Step::RollBack(_) => Verdict::Silent,
            },
        }
    }

    fn check_run(self, before: &World, run: Run) -> Verdict {
        // Without a current action there is nothing that could have been approved.
        let Some((id, action)) = before.current_action() else {
            return Verdict::Breaks;
        };
        match self {
            Self::P1 => Verdict::from_conclusion(match action.approval {
                Some(Approval::Human | Approval::Policy) => true,
                Some(Approval::SilentPolicy) => action.risk == Some(RiskLevel::Low),
                Some(Approval::Agent(_)) | None => false,
            }),
            Self::P2 if !before.in_force => Verdict::Silent,
            Self::P2 => {
                let cover = run.token.and_then(|token| before.token(token).issued());
                Verdict::from_conclusion(cover.is_some_and(|cover| cover.covers(id)))
            }
            Self::P3 => match run.effect {
                Effect::AsDeclared | Effect::Failed if !action.declares_changes() => {
                    Verdict::Silent
                }
                Effect::AsDeclared | Effect::Failed => Verdict::Holds,
                Effect::Missing | Effect::Extra => Verdict::Breaks,
            },
            Self::P4
                if !TokenId::ALL
                    .into_iter()
                    .any(|token| before.token(token).is_revoked()) =>
            {
                Verdict::Silent
            }
            Self::P4 => Verdict::from_conclusion(
                !run.token
                    .is_some_and(|token| before.token(token).is_revoked()),
            ),
            Self::P7 if action.risk != Some(RiskLevel::High) => Verdict::Silent,
            Self::P7 => Verdict::from_conclusion(action.approval == Some(Approval::Human)),
            Self::P8 => Verdict::from_conclusion(!run.altered),
            Self::P5 | Self::P6 | Self::P9 | Self::P10 => Verdict::Silent,
        }
    }
}

/// Checks P9: only the agent that holds the turn acts, and only one governor decides.
fn linear(before: &World, step: Step) -> Verdict {
    let second = match step {
        Step::Propose { agent, .. } => {
            !before.thinkers.is_some_and(|t| t.contains(agent))
                || before.holder.is_some_and(|holder| holder != agent)
        }
        Step::Think(thinkers) => before
            .holder
            .is_some_and(|holder| thinkers != Thinkers::Only(holder)),
        Step::Run(Run { agent, .. })
        | Step::Observe(agent)
        | Step::Approve {
            by: Some(Approval::Agent(agent)),
            ..
        } => before.holder != Some(agent),
        Step::Approve {
            by: Some(Approval::SilentPolicy | Approval::Policy | Approval::Human) | None,
            ..
        }
        | Step::Start
        | Step::ThinkDone
        | Step::Conclude
        | Step::Modify { .. }
        | Step::Reject { .. }
        | Step::Refuse
        | Step::Evaluate { .. }
        | Step::Issue(..)
        | Step::Revoke(_)
        | Step::RollBack(_) => false,
    };
    match step.governor() {
        _ if second => Verdict::Breaks,
        Some(Governor::Another) => Verdict::Breaks,
        Some(Governor::Same) if before.governed && before.thinkers == Some(Thinkers::Both) => {
            Verdict::Holds
        }
        Some(Governor::Same) | None => Verdict::Silent,
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
