//! What a proof says, in a shape that can be printed and serialised.

use crate::model::{Model, Step, World};
use crate::properties::Property;
use schemars::JsonSchema;
use serde::Serialize;

/// The proof of one machine.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proof {
    /// The machine's version.
    pub fsm_version: String,
    /// Everything that can be reached was searched.
    pub complete: bool,
    /// How many situations the search was allowed to hold.
    pub limit: usize,
    /// Situations that were reached.
    pub states: usize,
    /// Transitions between them that were judged.
    pub transitions: usize,
    /// Steps from the start to the situation that is farthest from it.
    pub depth: usize,
    /// One entry for each property, in the order of their numbers.
    pub properties: Vec<PropertyProof>,
}

impl Proof {
    /// Whether every property is proved, none of them vacuously.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.properties
            .iter()
            .all(|p| matches!(p.outcome, Outcome::Proved { .. }))
    }

    /// Whether some property is violated.
    #[must_use]
    pub fn is_violated(&self) -> bool {
        self.properties
            .iter()
            .any(|p| matches!(p.outcome, Outcome::Violated { .. }))
    }

    /// What was found of one property.
    #[must_use]
    pub fn outcome(&self, property: Property) -> Option<&Outcome> {
        self.properties
            .iter()
            .find(|p| p.id == property)
            .map(|p| &p.outcome)
    }
}

/// What was found of one property.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PropertyProof {
    /// Its number.
    pub id: Property,
    /// The property in one sentence.
    pub sentence: String,
    /// What a witness shows.
    pub premise: String,
    /// What was found.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The end of a search, for one property.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(
    tag = "verdict",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum Outcome {
    /// It holds of everything that can be reached, and its premise comes true.
    Proved {
        /// Situations that were reached.
        states: usize,
        /// Transitions that were judged.
        transitions: usize,
        /// Transitions (for P10: situations) that the property speaks of.
        exercised: usize,
        /// A shortest trace on which the premise comes true.
        witness: Trace,
    },
    /// It holds, but only because its premise never comes true. That is worth nothing.
    Vacuous {
        /// Situations that were reached.
        states: usize,
        /// Transitions that were judged.
        transitions: usize,
    },
    /// It doesn't hold.
    Violated {
        /// A shortest trace that breaks it.
        counterexample: Trace,
    },
    /// The search was cut short and found nothing until then.
    Inconclusive {
        /// Situations that were reached.
        states: usize,
        /// Transitions that were judged.
        transitions: usize,
        /// How many steps from the start the search came.
        depth: usize,
    },
}

impl Outcome {
    /// The verdict in one word.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Proved { .. } => "proved",
            Self::Vacuous { .. } => "vacuous",
            Self::Violated { .. } => "violated",
            Self::Inconclusive { .. } => "inconclusive",
        }
    }

    /// The trace that comes with it: the witness or the counterexample.
    #[must_use]
    pub const fn trace(&self) -> Option<&Trace> {
        match self {
            Self::Proved { witness, .. } => Some(witness),
            Self::Violated { counterexample } => Some(counterexample),
            Self::Vacuous { .. } | Self::Inconclusive { .. } => None,
        }
    }
}

/// A way through the model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    /// What holds before the first step.
    pub given: String,
    /// What happens, in order.
    pub steps: Vec<TraceStep>,
    /// Where it starts, for who wants to walk it again.
    #[serde(skip)]
    pub start: World,
    /// Its steps, for who wants to walk it again.
    #[serde(skip)]
    pub moves: Vec<Step>,
}

/// One step of a trace, for a reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TraceStep {
    /// What happens.
    pub event: String,
    /// The machine's state before.
    pub from: String,
    /// The machine's state after.
    pub to: String,
    /// What else is different afterwards.
    pub changes: Vec<String>,
}

impl Trace {
    /// Walks the model along the steps. It stops where the model refuses one, which no trace of a
    /// search ever meets.
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
