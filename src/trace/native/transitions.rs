//! `yuangs-transitions`: nothing but the movements of the state, one execution a file.

use super::{NativeDecision, events, open_shapes, shown};
use crate::trace::scalar::Timestamp;
use crate::trace::step::{Fact, Moved, Part, Step};
use governance::State;
use schemars::JsonSchema;
use serde::Deserialize;
use strict_json::Raw;

open_shapes! {
    /// One movement.
    pub struct Transition<'a> {
        from: State,
        to: State,
        timestamp: Timestamp,
        payload: Option<Raw<'a>>,
        #[serde(skip)]
        #[schemars(skip)]
        others: Vec<shown::Other<'a>>,
    }
}

static MEMBERS: shown::Shape = shown::Shape {
    known: &["from", "to", "timestamp", "payload"],
    parts: &[],
};

impl<'a> Transition<'a> {
    /// Reads the members that a movement doesn't have.
    pub(crate) fn read_others(&mut self, text: &'a str) {
        self.others = shown::others(text, &MEMBERS);
    }

    /// Whether a decision or an evaluation that goes with it can be read.
    ///
    /// # Errors
    /// What should have been one.
    pub fn check(&self) -> Result<(), &'static str> {
        events::check_payload(self.from, self.to, self.payload)
    }

    /// The movement in common words.
    pub fn steps<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        let decision = self
            .payload
            .and_then(Raw::read::<NativeDecision<'a>>)
            .map(|d| d.fact());
        let (evaluation, reason) = events::evaluation(self.payload);
        let showing = shown::of_movement(self.from, self.to);
        // What a decision is about is there before it.
        let before = self.from == State::Governing;
        let show = |emit: &mut dyn FnMut(&Step<'r, 'a>)| {
            if let Some(payload) = self.payload {
                shown::show(
                    payload,
                    showing,
                    (None, Some(self.timestamp), "payload"),
                    emit,
                );
            }
            for other in &self.others {
                other.show((None, Some(self.timestamp), ""), emit);
            }
        };
        if before {
            show(emit);
        }
        emit(&Step {
            turn: None,
            time: Some(self.timestamp),
            part: Part::WHOLE,
            fact: Fact::Moved(Moved {
                from: self.from,
                to: self.to,
                decision,
                told: None,
                evaluation,
                reason,
            }),
        });
        if !before {
            show(emit);
        }
    }
}
