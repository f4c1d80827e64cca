//! `yuangs-transitions`: nothing but the movements of the state, one execution a file.

use super::{NativeDecision, events, open_shapes};
use crate::governance::State;
use crate::json::Raw;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{Fact, Moved, Part, Step};
use schemars::JsonSchema;
use serde::Deserialize;

open_shapes! {
    /// One movement.
    pub struct Transition<'a> {
        from: State,
        to: State,
        timestamp: Timestamp,
        payload: Option<Raw<'a>>,
    }
}

impl<'a> Transition<'a> {
    /// Whether a decision or an evaluation that goes with it can be read.
    ///
    /// # Errors
    /// What should have been one.
    pub fn check(&self) -> Result<(), &'static str> {
        events::check_payload(self.from, self.to, self.payload)
    }

    /// The movement in common words.
    pub fn steps<'r>(&'r self, emit: &mut dyn FnMut(Step<'r, 'a>)) {
        let decision = self.payload.and_then(Raw::read::<NativeDecision<'a>>).map(|d| d.fact());
        let (evaluation, reason) = events::evaluation(self.payload);
        emit(Step {
            turn: None,
            time: Some(self.timestamp),
            part: Part::WHOLE,
            fact: Fact::Moved(Moved { from: self.from, to: self.to, decision, told: None, evaluation, reason }),
        });
    }
}
