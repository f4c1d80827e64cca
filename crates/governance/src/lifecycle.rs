//! The life of one action, from its draft to its verification.

use std::fmt;

/// Where an action stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lifecycle {
    /// Nobody has proposed it yet.
    Draft,
    /// It waits for the governor.
    Proposed,
    /// It may run.
    Approved,
    /// It ran.
    Executed,
    /// Its result is on record.
    Observed,
    /// The runtime has accepted its result; nothing can happen to it any more.
    Verified,
    /// It was refused, or its effect was taken back.
    Rejected,
}

/// What can be done with an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LifecycleStep {
    /// An agent's action is put before the governor, for the first time or again.
    Propose,
    /// The governor lets it run.
    Approve,
    /// It runs.
    Execute,
    /// Its result is recorded.
    Observe,
    /// Its result is accepted.
    Verify,
    /// It isn't to run, or not any more.
    Reject,
    /// Its effect is taken back.
    Rollback,
}

impl Lifecycle {
    /// All stations in the order of a life.
    pub const ALL: [Self; 7] = [
        Self::Draft,
        Self::Proposed,
        Self::Approved,
        Self::Executed,
        Self::Observed,
        Self::Verified,
        Self::Rejected,
    ];

    /// The name as the specification writes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Draft => "DRAFT",
            Self::Proposed => "PROPOSED",
            Self::Approved => "APPROVED",
            Self::Executed => "EXECUTED",
            Self::Observed => "OBSERVED",
            Self::Verified => "VERIFIED",
            Self::Rejected => "REJECTED",
        }
    }

    /// The station that follows, or `None` when the step isn't allowed here.
    #[must_use]
    pub const fn advance(self, step: LifecycleStep) -> Option<Self> {
        use LifecycleStep as S;
        match step {
            S::Propose => match self {
                Self::Draft | Self::Rejected => Some(Self::Proposed),
                Self::Proposed
                | Self::Approved
                | Self::Executed
                | Self::Observed
                | Self::Verified => None,
            },
            S::Approve => match self {
                Self::Proposed => Some(Self::Approved),
                Self::Draft
                | Self::Approved
                | Self::Executed
                | Self::Observed
                | Self::Verified
                | Self::Rejected => None,
            },
            S::Execute => match self {
                Self::Approved => Some(Self::Executed),
                Self::Draft
                | Self::Proposed
                | Self::Executed
                | Self::Observed
                | Self::Verified
                | Self::Rejected => None,
            },
            S::Observe => match self {
                Self::Executed => Some(Self::Observed),
                Self::Draft
                | Self::Proposed
                | Self::Approved
                | Self::Observed
                | Self::Verified
                | Self::Rejected => None,
            },
            S::Verify => match self {
                Self::Observed => Some(Self::Verified),
                Self::Draft
                | Self::Proposed
                | Self::Approved
                | Self::Executed
                | Self::Verified
                | Self::Rejected => None,
            },
            S::Reject => match self {
                Self::Proposed | Self::Approved => Some(Self::Rejected),
                Self::Draft | Self::Executed | Self::Observed | Self::Verified | Self::Rejected => {
                    None
                }
            },
            S::Rollback => match self {
                Self::Executed | Self::Observed => Some(Self::Rejected),
                Self::Draft | Self::Proposed | Self::Approved | Self::Verified | Self::Rejected => {
                    None
                }
            },
        }
    }
}

impl fmt::Display for Lifecycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_life_is_as_specified() {
        use Lifecycle as L;
        use LifecycleStep as S;
        const LEGAL: [(L, S, L); 10] = [
            (L::Draft, S::Propose, L::Proposed),
            (L::Rejected, S::Propose, L::Proposed),
            (L::Proposed, S::Approve, L::Approved),
            (L::Approved, S::Execute, L::Executed),
            (L::Executed, S::Observe, L::Observed),
            (L::Observed, S::Verify, L::Verified),
            (L::Proposed, S::Reject, L::Rejected),
            (L::Approved, S::Reject, L::Rejected),
            (L::Executed, S::Rollback, L::Rejected),
            (L::Observed, S::Rollback, L::Rejected),
        ];
        for from in L::ALL {
            for step in [
                S::Propose,
                S::Approve,
                S::Execute,
                S::Observe,
                S::Verify,
                S::Reject,
                S::Rollback,
            ] {
                let expected = LEGAL
                    .iter()
                    .find(|(f, s, _)| (*f, *s) == (from, step))
                    .map(|(.., to)| *to);
                assert_eq!(from.advance(step), expected, "{from} {step:?}");
            }
        }
    }
}
