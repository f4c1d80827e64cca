//! `yuangs-events`: the event log of the command-line runtime.
//!
//! State movements and what they rest on are separate lines; a movement is joined with its evidence
//! in the replay. Known of real files: byte-identical repeats and lost lines, no sequence number.

use super::shown::Shape;
use super::turns::NativeObservation;
use super::{NativeAction, NativeDecision, NativeResult, NativeThought, open_shapes, shown};
use crate::trace::record::EvaluationReason;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{
    Annotation, Decision, Executed, Fact, Moved, Observed, Part, Showing, Step, Told,
};
use governance::DecidedBy;
use governance::{EvaluationKind, State};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use strict_json::{Raw, Str};

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
        #[serde(skip)]
        #[schemars(skip)]
        others: Vec<shown::Other<'a>>,
    }

    /// What belongs to the event, by its type.
    pub struct EventData<'a> {
        from: Option<State>,
        to: Option<State>,
        action: Option<NativeAction<'a>>,
        action_id: Option<Str<'a>>,
        decision: Option<Raw<'a>>,
        result: Option<Raw<'a>>,
        error: Option<Raw<'a>>,
    }

    /// What the state machine was handed.
    pub struct EventMetadata<'a> {
        payload: Option<Raw<'a>>,
    }
}

/// What a payload says of an evaluation, whether or not it can be read as one.
#[derive(Deserialize)]
struct Ruled<'a> {
    #[serde(borrow, default)]
    kind: Option<Raw<'a>>,
    #[serde(borrow, default)]
    reason: Option<Raw<'a>>,
}

/// The evaluation that a payload holds, with its reason where that is one of the known ones.
pub(super) fn evaluation(
    payload: Option<Raw<'_>>,
) -> (Option<EvaluationKind>, Option<EvaluationReason>) {
    let Some(ruled) = payload.and_then(Raw::read::<Ruled<'_>>) else {
        return (None, None);
    };
    (
        ruled.kind.and_then(Raw::read),
        ruled.reason.and_then(Raw::read),
    )
}

/// What should have been there, where something is meant as a decision or an evaluation and can't
/// be read as one: then something was ruled, and nobody can tell what.
///
/// # Errors
/// What it should have been.
pub(super) fn check_payload(
    from: State,
    to: State,
    payload: Option<Raw<'_>>,
) -> Result<(), &'static str> {
    if is_garbled(from, to, payload) {
        return Err("the payload of the movement is no decision");
    }
    let evaluates =
        |payload: &Raw<'_>| from == State::Evaluating && payload.as_written().starts_with('{');
    let ruled = payload.filter(evaluates).and_then(Raw::read::<Ruled<'_>>);
    match ruled.and_then(|r| r.kind) {
        Some(kind) if kind.read::<EvaluationKind>().is_none() => {
            Err("the payload of the movement is no evaluation")
        }
        _ => Ok(()),
    }
}

/// Whether what stands beside a movement is meant as a decision, and can't be read as one: then
/// something was decided, and nobody can tell what.
fn is_garbled(from: State, to: State, payload: Option<Raw<'_>>) -> bool {
    let decides = from == State::Governing && matches!(to, State::Executing | State::Thinking);
    let Some(payload) = payload.filter(|_| decides) else {
        return false;
    };
    let meant = |members: BTreeMap<String, Raw<'_>>| {
        members.contains_key("status") || members.contains_key("by")
    };
    payload.read().is_some_and(meant) && payload.read::<NativeDecision<'_>>().is_none()
}

const METADATA: Shape = Shape {
    known: &["payload"],
    parts: &[],
};
const DATA: Shape = Shape {
    known: &["from", "to", "actionId"],
    parts: &[
        ("action", false, &shown::ACTION),
        ("decision", false, &shown::DECISION),
        ("result", false, &shown::RESULT),
        ("error", false, &shown::FREE),
    ],
};
const DATA_OF_RUN: Shape = Shape {
    parts: &[
        ("action", true, &shown::ACTION),
        ("decision", false, &shown::DECISION),
        ("result", true, &shown::RESULT),
        ("error", false, &shown::FREE),
    ],
    ..DATA
};
const KNOWN: &[&str] = &["id", "timestamp", "executionId", "type"];
static EVENT: Shape = Shape {
    known: KNOWN,
    parts: &[("data", false, &DATA), ("metadata", false, &METADATA)],
};
static RAN: Shape = Shape {
    known: KNOWN,
    parts: &[
        ("data", false, &DATA_OF_RUN),
        ("metadata", false, &METADATA),
    ],
};

impl<'a> Event<'a> {
    /// Reads the members that an event and its parts don't have.
    pub(crate) fn read_others(&mut self, text: &'a str) {
        // What a tool or an observation returns has run; what a model returns hasn't.
        let ran = matches!(
            self.kind,
            EventType::ToolExecution | EventType::ObservationRecorded
        );
        self.others = shown::others(text, if ran { &RAN } else { &EVENT });
    }

    /// Whether a part that only this type of event has can be read.
    ///
    /// # Errors
    /// What the part should have been.
    pub fn check(&self) -> Result<(), &'static str> {
        let payload = self.metadata.as_ref().and_then(|m| m.payload);
        match self.kind {
            EventType::StateTransition => match (self.data.from, self.data.to) {
                (Some(State::Governing), Some(_))
                    if self.data.decision.is_some_and(|decision| {
                        decision.read::<NativeDecision<'_>>().is_none()
                    }) =>
                {
                    Err("`decision` is no decision")
                }
                (Some(from), Some(to)) => check_payload(from, to, payload),
                _ => Ok(()),
            },
            EventType::GovernanceDecision => match self.data.decision {
                Some(decision) if decision.read::<NativeDecision<'_>>().is_none() => {
                    Err("`decision` is no decision")
                }
                _ => Ok(()),
            },
            EventType::ToolExecution => match self.data.result {
                Some(result) if result.read::<NativeResult<'_>>().is_none() => {
                    Err("`result` is no result")
                }
                _ => Ok(()),
            },
            EventType::LlmCall
            | EventType::ObservationRecorded
            | EventType::EvaluationResult
            | EventType::ErrorOccurred => Ok(()),
        }
    }

    /// The event in common words.
    pub fn steps<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        let told = |written: Raw<'a>| {
            let decision = written.read::<NativeDecision<'a>>()?.fact();
            Some(Told { decision, written })
        };
        let (member, fact) = match self.kind {
            EventType::StateTransition => {
                let payload = self.metadata.as_ref().and_then(|m| m.payload);
                match (self.data.from, self.data.to) {
                    (Some(from), Some(to)) => {
                        let (evaluation, reason) = evaluation(payload);
                        // Two accounts of one decision: the stricter one counts, by whom it was
                        // made as well.
                        let account = self
                            .data
                            .decision
                            .filter(|_| from == State::Governing)
                            .and_then(told);
                        let decision = match (payload.and_then(told), account) {
                            (Some(one), Some(other)) if other.decision.by == DecidedBy::Policy => {
                                Some(Decision {
                                    by: DecidedBy::Policy,
                                    ..one.decision
                                })
                            }
                            (one, other) => one.or(other).map(|t| t.decision),
                        };
                        (
                            "data",
                            Fact::Moved(Moved {
                                from,
                                to,
                                decision,
                                told: None,
                                evaluation,
                                reason,
                            }),
                        )
                    }
                    _ => ("data", Fact::Annotation(Annotation::Other)),
                }
            }
            EventType::LlmCall => {
                let thought = self.data.result.and_then(Raw::read::<NativeThought<'a>>);
                (
                    "data",
                    thought.map_or(Fact::Annotation(Annotation::Other), |t| {
                        Fact::Annotation(Annotation::Thought(t.fact()))
                    }),
                )
            }
            EventType::GovernanceDecision => (
                "data",
                Fact::Annotation(Annotation::Decided(
                    self.data.action.as_ref().map(NativeAction::fact),
                    self.data.decision.and_then(told),
                )),
            ),
            EventType::ToolExecution => {
                let action = self.data.action.as_ref().map(NativeAction::fact);
                let kind = action.map(|a| a.kind);
                let result = self
                    .data
                    .result
                    .and_then(Raw::read::<NativeResult<'a>>)
                    .map(|r| r.fact(kind));
                (
                    "data",
                    Fact::Annotation(Annotation::Executed(
                        Executed {
                            action_id: action.and_then(|a| a.id),
                            capability: None,
                            action,
                            observed: None,
                            result,
                        },
                        None,
                    )),
                )
            }
            EventType::ObservationRecorded => {
                let seen = self
                    .data
                    .result
                    .and_then(Raw::read::<NativeObservation<'a>>);
                let named = seen.as_ref().and_then(|o| o.action_id);
                let action = self
                    .data
                    .action
                    .as_ref()
                    .and_then(|a| a.id)
                    .or(self.data.action_id)
                    .or(named);
                let artifacts = seen.and_then(|o| o.artifacts).filter(|a| a.count > 0);
                let known = action.is_some() || artifacts.is_some();
                (
                    "data",
                    Fact::Annotation(if known {
                        Annotation::Observed(Observed { action, artifacts })
                    } else {
                        Annotation::Other
                    }),
                )
            }
            EventType::EvaluationResult | EventType::ErrorOccurred => {
                ("data", Fact::Annotation(Annotation::Other))
            }
        };
        // What a decision is about is there before it.
        let before = matches!(fact, Fact::Moved(moved) if moved.from == State::Governing);
        if before {
            self.show(emit);
        }
        emit(&Step {
            turn: None,
            time: Some(self.timestamp),
            part: Part::member(member),
            fact,
        });
        if !before {
            self.show(emit);
        }
    }

    /// Shows the actions that are somewhere else than this type of event keeps one.
    fn show<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        let of_payload = match (self.kind, self.data.from, self.data.to) {
            (EventType::StateTransition, Some(from), Some(to)) => shown::of_movement(from, to),
            (EventType::ToolExecution | EventType::ObservationRecorded, ..) => Showing::Run,
            (EventType::GovernanceDecision, ..) => Showing::Proposal,
            (EventType::LlmCall, ..) => Showing::Thought,
            (
                EventType::StateTransition | EventType::EvaluationResult | EventType::ErrorOccurred,
                ..,
            ) => Showing::Open,
        };
        let has_own = matches!(
            self.kind,
            EventType::GovernanceDecision | EventType::ToolExecution
        );
        if let Some(action) = self.data.action.as_ref().filter(|_| !has_own) {
            let fact = Fact::Annotation(Annotation::Shown(action.fact(), of_payload));
            emit(&Step {
                turn: None,
                time: Some(self.timestamp),
                part: Part::member("data/action"),
                fact,
            });
        }
        if let Some(payload) = self.metadata.as_ref().and_then(|m| m.payload) {
            shown::show(
                payload,
                of_payload,
                (None, Some(self.timestamp), "metadata/payload"),
                emit,
            );
        }
        for other in &self.others {
            other.show((None, Some(self.timestamp), ""), emit);
        }
    }
}
