//! The lifecycle of one action, from draft to verification.

use std::fmt;

/// A stage in the lifecycle of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lifecycle {
    /// The action isn't proposed yet.
    Draft,
    /// The action waits for the governor.
    Proposed,
    /// The action may run.
    Approved,
    Executed,
    /// The result is recorded.
    Observed,
    /// The runtime accepted the result. This stage is final.
    Verified,
    /// The action was refused, or its effect was rolled back. It may be proposed again.
    Rejected,
}

/// A step in the lifecycle of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LifecycleStep {
    /// An agent's action is submitted to the governor, for the first time or again.
    Propose,
    /// The governor allows the action.
    Approve,
    Execute,
    /// The result is recorded.
    Observe,
    /// The result is accepted.
    Verify,
    /// The action is refused, or its approval is withdrawn.
    Reject,
    /// The effect of the action is undone.
    Rollback,
}

impl Lifecycle {
    /// All stages, in the order of a lifecycle.
    pub const ALL: [Self; 7] = [
        Self::Draft,
        Self::Proposed,
        Self::Approved,
        Self::Executed,
        Self::Observed,
        Self::Verified,
        Self::Rejected,
    ];

    /// Returns the name as the specification writes it.
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

    /// Returns the next stage, or `None` if the step isn't allowed here.
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
