//! The exact analysis of policies.
//!
//! Both policies are read as formulas over abstract actions. A satisfiability solver looks for an
//! abstract action on which they differ; if there is none, that is a proof about all actions.

mod abstraction;
mod alternatives;
mod axioms;
mod command_texts;
mod encoding;
mod fact;
mod formula;
mod glob_order;
mod grants;
mod language;
mod option_axioms;
mod options;
mod proof;
mod property;
mod required_text;
mod rule_use;
mod shared;
mod sketch;
mod solver;

pub(crate) use proof::{AbstractDifference, Direction, NextKind, Proof, implies, prove};
pub use property::{ProvableProperty, Proven};
pub use rule_use::{PolicyUse, RuleUse};
pub(crate) use shared::Shared;
pub(crate) use sketch::{MANY, Sketch, StepSketch};

#[cfg(test)]
mod tests;
