//! Events: the only input of the state machine.

use borsh::{BorshDeserialize, BorshSerialize};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An event, reduced to the data that the machine uses.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize,
)]
pub enum Event {
    /// An execution starts, or resumes after a pause.
    Start,
    /// The agents of a turn have thought.
    ThoughtGenerated {
        /// All agents of the turn suggest that the goal is reached.
        done: bool,
    },
    /// The early runtime (FSM version 0) ended the execution on a `done` thought, without an
    /// evaluation.
    Concluded,
    /// The action that the governor decides about was recorded.
    ActionProposed,
    GovernanceDecided(Ruling),
    /// The action was executed, successfully or not.
    ExecutionFinished,
    ObservationRecorded,
    /// The runtime decided how to continue.
    EvaluationMade(EvaluationKind),
}

/// The outcome of a governance decision.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Ruling {
    /// The action may run as proposed.
    Approved,
    /// The action may not run.
    Rejected,
    /// The action may run in the form that a human gave it.
    Modified,
}

impl Ruling {
    /// Returns whether an action may run after this ruling.
    #[must_use]
    pub const fn permits(self) -> bool {
        match self {
            Self::Approved | Self::Modified => true,
            Self::Rejected => false,
        }
    }

    /// Returns the name used in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Modified => "modified",
        }
    }
}

/// The outcome of an evaluation.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum EvaluationKind {
    /// Another turn follows.
    Continue,
    /// The execution ends.
    Terminate,
    /// The execution waits for input from a human.
    Pause,
}

impl EvaluationKind {
    /// Returns the name used in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Terminate => "terminate",
            Self::Pause => "pause",
        }
    }
}

impl Event {
    pub const ALL: [Self; 13] = [
        Self::Start,
        Self::ThoughtGenerated { done: false },
        Self::ThoughtGenerated { done: true },
        Self::Concluded,
        Self::ActionProposed,
        Self::GovernanceDecided(Ruling::Approved),
        Self::GovernanceDecided(Ruling::Modified),
        Self::GovernanceDecided(Ruling::Rejected),
        Self::ExecutionFinished,
        Self::ObservationRecorded,
        Self::EvaluationMade(EvaluationKind::Continue),
        Self::EvaluationMade(EvaluationKind::Terminate),
        Self::EvaluationMade(EvaluationKind::Pause),
    ];
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("Start"),
            Self::ThoughtGenerated { done } => write!(f, "ThoughtGenerated(done={done})"),
            Self::Concluded => f.write_str("Concluded"),
            Self::ActionProposed => f.write_str("ActionProposed"),
            Self::GovernanceDecided(ruling) => write!(f, "GovernanceDecided({})", ruling.name()),
            Self::ExecutionFinished => f.write_str("ExecutionFinished"),
            Self::ObservationRecorded => f.write_str("ObservationRecorded"),
            Self::EvaluationMade(kind) => write!(f, "EvaluationMade({})", kind.name()),
        }
    }
}
