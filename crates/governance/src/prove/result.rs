//! The result of a proof, in a form that can be printed and serialised.

use crate::model::{Model, Step, World};
use crate::properties::Property;
use schemars::JsonSchema;
use serde::Serialize;

/// The proof of one version of the machine.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proof {
    /// Version of the machine.
    pub fsm_version: String,
    /// Whether the search covered everything that can be reached.
    pub complete: bool,
    /// Maximum number of situations that the search was allowed to hold.
    pub limit: usize,
    /// Number of situations that were reached.
    pub states: usize,
    /// Number of transitions between them that were checked.
    pub transitions: usize,
    /// Number of steps from the start to the farthest situation.
    pub depth: usize,
    /// One entry for each property, by number.
    pub properties: Vec<PropertyProof>,
}

impl Proof {
    /// Returns whether every property is proved, none of them vacuously.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.properties
            .iter()
            .all(|p| matches!(p.outcome, Outcome::Proved { .. }))
    }

    /// Returns whether any property is violated.
    #[must_use]
    pub fn is_violated(&self) -> bool {
        self.properties
            .iter()
            .any(|p| matches!(p.outcome, Outcome::Violated { .. }))
    }

    /// Returns the outcome for one property.
    #[must_use]
    pub fn outcome(&self, property: Property) -> Option<&Outcome> {
        self.properties
            .iter()
            .find(|p| p.id == property)
            .map(|p| &p.outcome)
    }
}

/// The result for one property.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PropertyProof {
    /// Number of the property.
    pub id: Property,
    /// The property in one sentence.
    pub sentence: String,
    /// The premise that a witness shows to be reachable.
    pub premise: String,
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The outcome of a search for one property.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(
    tag = "verdict",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum Outcome {
    /// The property holds everywhere, and its premise becomes true at least once.
    Proved {
        /// Number of situations that were reached.
        states: usize,
        /// Number of transitions that were checked.
        transitions: usize,
        /// Number of transitions (for P10: situations) that the property concerns.
        exercised: usize,
        /// A shortest trace on which the premise becomes true.
        witness: Trace,
    },
    /// The property holds only because its premise never becomes true. This proves nothing.
    Vacuous {
        /// Number of situations that were reached.
        states: usize,
        /// Number of transitions that were checked.
        transitions: usize,
    },
    /// The property is violated.
    Violated {
        /// A shortest trace that violates the property.
        counterexample: Trace,
    },
    /// The search stopped at its limit before it found a violation.
    Inconclusive {
        /// Number of situations that were reached.
        states: usize,
        /// Number of transitions that were checked.
        transitions: usize,
        /// Number of steps from the start that the search reached.
        depth: usize,
    },
}

impl Outcome {
    /// Returns the verdict as one word.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Proved { .. } => "proved",
            Self::Vacuous { .. } => "vacuous",
            Self::Violated { .. } => "violated",
            Self::Inconclusive { .. } => "inconclusive",
        }
    }

    /// Returns the witness or the counterexample, if there is one.
    #[must_use]
    pub const fn trace(&self) -> Option<&Trace> {
        match self {
            Self::Proved { witness, .. } => Some(witness),
            Self::Violated { counterexample } => Some(counterexample),
            Self::Vacuous { .. } | Self::Inconclusive { .. } => None,
        }
    }
}

/// A path through the model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    /// Assumptions before the first step.
    pub given: String,
    /// The steps, in order.
    pub steps: Vec<TraceStep>,
    /// The first situation, for replaying the trace.
    #[serde(skip)]
    pub start: World,
    /// The steps, for replaying the trace.
    #[serde(skip)]
    pub moves: Vec<Step>,
}

/// One step of a trace, described for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TraceStep {
    /// The step that was taken.
    pub event: String,
    /// State of the machine before the step.
    pub from: String,
    /// State of the machine after the step.
    pub to: String,
    /// Other changes that the step made.
    pub changes: Vec<String>,
}

impl Trace {
    /// Replays steps through the model. It stops at a step that the model refuses, which the trace
    /// of a search never contains.
    pub(super) fn replay(model: &Model, start: World, moves: Vec<Step>) -> Self {
        let mut world = start;
        let mut steps = Vec::with_capacity(moves.len());
        for step in &moves {
            let Some(after) = model.apply(&world, *step) else {
                break;
            };
            steps.push(TraceStep {
                event: step.to_string(),
                from: world.state.name().to_owned(),
                to: after.state.name().to_owned(),
                changes: world.changes(&after),
            });
            world = after;
        }
        Self {
            given: start.given(),
            steps,
            start,
            moves,
        }
    }
}
