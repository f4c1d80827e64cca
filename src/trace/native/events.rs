//! `yuangs-events`: the event log of the command-line runtime.
//!
//! State movements and what they rest on are separate lines; a movement is joined with its evidence
//! in the replay. Known of real files: byte-identical repeats and lost lines, no sequence number.

use super::{NativeAction, NativeDecision, NativeResult, NativeThought, open_shapes};
use crate::governance::{EvaluationKind, State};
use crate::json::{Raw, Str};
use crate::trace::record::EvaluationReason;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{Beside, Executed, Fact, Moved, Part, Step};
use schemars::JsonSchema;
use serde::Deserialize;

/// The types of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say all there is")]
pub enum EventType {
    StateTransition,
    LlmCall,
    ToolExecution,
    GovernanceDecision,
    ObservationRecorded,
    EvaluationResult,
    ErrorOccurred,
}

open_shapes! {
    /// One line of the log.
    pub struct Event<'a> {
        id: Str<'a>,
        timestamp: Timestamp,
        execution_id: Str<'a>,
        #[serde(rename = "type")]
        kind: EventType,
        data: EventData<'a>,
        metadata: Option<EventMetadata<'a>>,
    }

    /// What belongs to the event, by its type.
    pub struct EventData<'a> {
        from: Option<State>,
        to: Option<State>,
        action: Option<NativeAction<'a>>,
        decision: Option<Raw<'a>>,
        result: Option<Raw<'a>>,
        error: Option<Raw<'a>>,
    }

    /// What the state machine was handed.
    pub struct EventMetadata<'a> {
        payload: Option<Raw<'a>>,
    }
}

#[derive(Deserialize)]
struct Ruled {
    kind: EvaluationKind,
    #[serde(default)]
    reason: Option<EvaluationReason>,
}

/// The evaluation that a payload holds, with its reason where that is one of the known ones.
pub(super) fn evaluation(payload: Option<Raw<'_>>) -> (Option<EvaluationKind>, Option<EvaluationReason>) {
    payload.and_then(Raw::read::<Ruled>).map_or((None, None), |r| (Some(r.kind), r.reason))
}

impl<'a> Event<'a> {
    /// The event in common words.
    pub fn steps<'r>(&'r self, emit: &mut dyn FnMut(Step<'r, 'a>)) {
        let decision = |raw: Option<Raw<'a>>| raw.and_then(Raw::read::<NativeDecision<'a>>).map(|d| d.fact());
        let (member, fact) = match self.kind {
            EventType::StateTransition => {
                let payload = self.metadata.as_ref().and_then(|m| m.payload);
                match (self.data.from, self.data.to) {
                    (Some(from), Some(to)) => {
                        let (evaluation, reason) = evaluation(payload);
                        ("data", Fact::Moved(Moved { from, to, decision: decision(payload), evaluation, reason }))
                    }
                    _ => ("data", Fact::Beside(Beside::Other)),
                }
            }
            EventType::LlmCall => {
                let thought = self.data.result.and_then(Raw::read::<NativeThought<'a>>);
                ("data", thought.map_or(Fact::Beside(Beside::Other), |t| Fact::Beside(Beside::Thought(t.fact()))))
            }
            EventType::GovernanceDecision => (
                "data",
                Fact::Beside(Beside::Decided(self.data.action.as_ref().map(NativeAction::fact), decision(self.data.decision))),
            ),
            EventType::ToolExecution => {
                let action = self.data.action.as_ref().map(NativeAction::fact);
                let result = self.data.result.and_then(Raw::read::<NativeResult<'a>>).map(|r| r.fact());
                (
                    "data",
                    Fact::Beside(Beside::Executed(Executed {
                        action_id: action.and_then(|a| a.id),
                        capability: None,
                        action,
                        observed: None,
                        result,
                    })),
                )
            }
            EventType::ObservationRecorded | EventType::EvaluationResult | EventType::ErrorOccurred => {
                ("data", Fact::Beside(Beside::Other))
            }
        };
        emit(Step { turn: None, time: Some(self.timestamp.millis()), part: Part::member(member), fact });
    }
}
