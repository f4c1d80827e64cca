//! The duties of a conforming runtime. Each can be lifted.
//!
//! A proof that can't fail proves nothing. Lifting a duty must break exactly the properties that
//! depend on it; the tests of the proof lift each one in turn.

use std::fmt;

/// A duty of a conforming runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Guard {
    /// The runtime ignores an event that the machine refuses.
    ObeysMachine,
    /// The runtime enters EXECUTING only after a recorded decision.
    DecisionOnRecord,
    /// The governor isn't one of the agents.
    GovernorIsNoAgent,
    /// From medium risk up, a policy names the rule that it applied.
    PolicyNamesRule,
    /// Only a human approves an action of high risk.
    HumanForHigh,
    /// Where capabilities are in force, an execution presents a token.
    TokenPresented,
    /// The presented token is live.
    TokenLive,
    /// The presented token covers the action.
    TokenCovers,
    RevokedForGood,
    /// The observed changes are exactly the declared ones.
    ChangesAsDeclared,
    /// An action that was executed isn't executed again.
    NoReExecution,
    /// The executed type and payload are the approved ones.
    RunsAsApproved,
    /// One governor signs all decisions.
    OneGovernor,
    /// From the proposal to the evaluation, only the agent whose thought was selected acts.
    OneAgentAtATime,
    /// An approved action that may no longer run is finished as a failure.
    RefusalIsFinished,
}

impl Guard {
    pub const ALL: [Self; 15] = [
        Self::ObeysMachine,
        Self::DecisionOnRecord,
        Self::GovernorIsNoAgent,
        Self::PolicyNamesRule,
        Self::HumanForHigh,
        Self::TokenPresented,
        Self::TokenLive,
        Self::TokenCovers,
        Self::RevokedForGood,
        Self::ChangesAsDeclared,
        Self::NoReExecution,
        Self::RunsAsApproved,
        Self::OneGovernor,
        Self::OneAgentAtATime,
        Self::RefusalIsFinished,
    ];

    /// Returns the duty as a short sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::ObeysMachine => "an event that the machine refuses isn't taken",
            Self::DecisionOnRecord => "no decision, no EXECUTING",
            Self::GovernorIsNoAgent => "the governor is no agent",
            Self::PolicyNamesRule => "from medium risk up a policy names the rule it used",
            Self::HumanForHigh => "high risk is approved by a human only",
            Self::TokenPresented => "where capabilities are in force an execution presents a token",
            Self::TokenLive => "the token that an execution presents is live",
            Self::TokenCovers => "the token that an execution presents covers the action",
            Self::RevokedForGood => "a revoked token is never issued again",
            Self::ChangesAsDeclared => "what was changed is what was declared",
            Self::NoReExecution => "an action that has run doesn't run again",
            Self::RunsAsApproved => "type and payload that run are those that were approved",
            Self::OneGovernor => "one governor signs all decisions",
            Self::OneAgentAtATime => {
                "from the proposal to the evaluation only the selected agent acts"
            }
            Self::RefusalIsFinished => {
                "what was approved and may not run after all is finished as a failure"
            }
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}

/// A set of duties that a runtime fulfils, as a bit mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Guards(u16);

impl Guards {
    /// Returns all duties.
    #[must_use]
    pub fn all() -> Self {
        Self(
            Guard::ALL
                .into_iter()
                .fold(0, |bits, guard| bits | guard.bit()),
        )
    }

    /// Returns the set without one duty.
    #[must_use]
    pub const fn without(self, guard: Guard) -> Self {
        Self(self.0 & !guard.bit())
    }

    /// Returns whether the set contains a duty.
    #[must_use]
    pub const fn keep(self, guard: Guard) -> bool {
        self.0 & guard.bit() != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_duty_can_be_lifted_and_no_other_goes_with_it() {
        for lifted in Guard::ALL {
            let guards = Guards::all().without(lifted);
            for guard in Guard::ALL {
                assert_eq!(guards.keep(guard), guard != lifted, "{lifted:?} {guard:?}");
            }
        }
    }
}
