//! `yuangs-transitions`: state transitions without evidence, one execution per file.

use super::native::{NativeDecision, open_shapes};
use super::{
    Coverage, FormatRecord, Narrative, Routing, TraceFormat, Unit, shown, yuangs_events as events,
};
use crate::schema::{Catalogue, define};
use crate::trace::entry::{Record, data};
use crate::trace::scalar::Timestamp;
use crate::trace::step::{Fact, Part, Step, TransitionFact};
use governance::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use strict_json::{Deserializer, Error, Raw, Scanner};

pub(super) struct YuangsTransitions;

impl TraceFormat for YuangsTransitions {
    fn name(&self) -> &'static str {
        "yuangs-transitions"
    }

    fn coverage(&self) -> Coverage {
        Coverage::Movements { evidence: false }
    }

    fn routing(&self) -> Routing {
        Routing::ByInput
    }

    fn is_shape_of(&self, unit: &Unit<'_>) -> bool {
        let state = |name: &str| unit.get(name).and_then(Raw::read::<State>).is_some();
        unit.has(&["from", "to"]) && (state("from") || state("to"))
    }

    fn read<'a>(&self, scanner: &mut Scanner<'a>, text: &'a str) -> Result<Record<'a>, Error> {
        let mut transition: Box<Transition<'a>> =
            Box::deserialize(&mut Deserializer::new(scanner))?;
        transition.check().map_err(data)?;
        transition.read_others(text);
        scanner.end()?;
        Ok(transition.into())
    }

    fn not_recorded(&self, _: bool) -> Option<&'static str> {
        Some(
            "actions and results, signers of decisions, the rules that policy used, prompt, \
             tool-set and policy version",
        )
    }

    fn add_schemas(&self, catalogue: &mut Catalogue) {
        let description = "A line of the command-line runtime's transition log.";
        catalogue.add::<Transition<'_>>(self.name(), description, |schema| {
        define::<NativeDecision<'_>>(schema, "NativeDecision");
        let beside = |meant: Value| {
                json!({ "required": ["payload"], "properties": { "payload": meant } })
            };
        let decided = json!({ "properties": { "payload": { "$ref": "#/$defs/NativeDecision" } } });
        let ruled = json!({ "properties": { "payload": events::evaluation_schema() } });
        let all = json!([
            {
                    "if": { "allOf": [events::governing(), beside(events::meant_as_decision())] },
                    "then": decided
                },
            {
                    "if": { "allOf": [events::evaluating(), beside(events::meant_as_evaluation())] },
                    "then": ruled
                },
        ]);
        schema.insert("allOf".into(), all);
    });
    }
}

open_shapes! {
    /// One state transition.
    pub struct Transition<'a> {
        from: State,
        to: State,
        timestamp: Timestamp,
        payload: Option<Raw<'a>>,
        #[serde(skip)]
        #[schemars(skip)]
        others: Vec<shown::UnknownMember<'a>>,
    }
}

static MEMBERS: shown::Shape = shown::Shape {
    known: &["from", "to", "timestamp", "payload"],
    parts: &[],
};

impl<'a> Transition<'a> {
    /// Reads the members that the format doesn't define.
    fn read_others(&mut self, text: &'a str) {
        self.others = shown::others(text, &MEMBERS);
    }

    /// Checks that its decision or evaluation can be read.
    ///
    /// # Errors
    /// The expected content.
    fn check(&self) -> Result<(), &'static str> {
        events::check_payload(self.from, self.to, self.payload)
    }
}

impl<'a> FormatRecord<'a> for Transition<'a> {
    fn may_refuse(&self) -> bool {
        true
    }

    fn decision_pointer(&self, _: &Step<'_, '_>) -> Option<&'static str> {
        Some("/payload")
    }

    fn narrative(&self) -> Narrative<'a> {
        let observed = (self.from, self.to) == (State::Observing, State::Evaluating);
        self.payload
            .filter(|_| observed)
            .map_or(Narrative::Nothing, Narrative::Observation)
    }

    fn steps<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        let decision = self
            .payload
            .and_then(Raw::read::<NativeDecision<'a>>)
            .map(|d| d.fact());
        let (evaluation, reason) = events::evaluation(self.payload);
        let showing = shown::of_movement(self.from, self.to);
        // The action comes before the decision about it.
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
            fact: Fact::Moved(TransitionFact {
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
