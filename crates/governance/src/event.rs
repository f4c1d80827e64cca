//! What can happen: the only input of the state machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An event, reduced to what the machine looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Event {
    /// An execution starts, or goes on after a pause.
    Start,
    /// The agents of a turn have thought; `done` only when all of them are.
    ThoughtGenerated {
        /// The agents suggest that the goal is reached.
        done: bool,
    },
    /// The early runtime took a `done` thought for the end and skipped the evaluation (FSM version
    /// 0).
    Concluded,
    /// The governor's candidate is on record.
    ActionProposed,
    /// The governor has decided.
    GovernanceDecided(Ruling),
    /// The action ran, with success or without.
    ExecutionFinished,
    /// The result was observed.
    ObservationRecorded,
    /// The runtime has ruled how to go on.
    EvaluationMade(EvaluationKind),
}

/// What a decision says of the action.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Ruling {
    /// It may run as proposed.
    Approved,
    /// It may not run.
    Rejected,
    /// It may run as a human has changed it.
    Modified,
}

impl Ruling {
    /// Whether something may run after it.
    #[must_use]
    pub const fn permits(self) -> bool {
        match self {
            Self::Approved | Self::Modified => true,
            Self::Rejected => false,
        }
    }

    /// The name in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Modified => "modified",
        }
    }
}

/// How an evaluation rules.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum EvaluationKind {
    /// Another turn follows.
    Continue,
    /// The execution is over.
    Terminate,
    /// A human has to say something first.
    Pause,
}

impl EvaluationKind {
    /// The name in records.
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
    /// Every event there is.
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
