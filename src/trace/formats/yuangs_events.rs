//! `yuangs-events`: the event log of the command-line runtime.
//!
//! State transitions and their evidence are separate lines, which the replay joins. Real files
//! contain byte-identical repeats, lack lines, and have no sequence numbers.

use super::native::{NativeAction, NativeDecision, NativeResult, NativeThought, open_shapes};
use super::shown::{self, Shape};
use super::yuangs_turns::NativeObservation;
use super::{Certainty, Coverage, FormatRecord, Narrative, Routing, TraceFormat, Unit};
use crate::schema::{Catalogue, define};
use crate::trace::cut::CutMembers;
use crate::trace::entry::{Record, data};
use crate::trace::record::EvaluationReason;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{
    ActionRole, Annotation, Decision, DecisionLine, ExecutionFact, Fact, ObservationFact, Part,
    Step, TransitionFact,
};
use governance::DecidedBy;
use governance::{EvaluationKind, State};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use strict_json::{Deserializer, Error, Raw, Scanner, Str};

pub(super) struct YuangsEvents;

impl TraceFormat for YuangsEvents {
    fn name(&self) -> &'static str {
        "yuangs-events"
    }

    fn coverage(&self) -> Coverage {
        Coverage::Movements { evidence: true }
    }

    fn routing(&self) -> Routing {
        Routing::ByRecord
    }

    fn repeats_lines(&self) -> bool {
        true
    }

    fn is_shape_of(&self, unit: &Unit<'_>) -> bool {
        // Other agents also write `type`, `data` and `timestamp`. An execution id or a known type
        // is required in addition.
        let known = || unit.get("type").and_then(Raw::read::<EventType>).is_some();
        unit.has(&["type", "data"]) && (unit.has(&["executionId"]) || known())
    }

    fn read<'a>(&self, scanner: &mut Scanner<'a>, text: &'a str) -> Result<Record<'a>, Error> {
        let mut event: Box<Event<'a>> = Box::deserialize(&mut Deserializer::new(scanner))?;
        event.check().map_err(data)?;
        event.read_others(text);
        scanner.end()?;
        Ok(event.into())
    }

    fn cut_action(&self, cut: &CutMembers<'_>) -> Option<Certainty> {
        let kind = cut.kind.and_then(Raw::read::<EventType>);
        let acts =
            kind.map(|kind| matches!(kind, EventType::ToolExecution | EventType::StateTransition));
        // Events of other types contain results too.
        if acts == Some(true) || cut.acts || cut.result && acts.is_none() {
            return Some(Certainty::Certain);
        }
        acts.is_none().then_some(Certainty::Possible)
    }

    fn not_recorded(&self, _: bool) -> Option<&'static str> {
        Some(
            "turn numbers, signers of decisions, the rules that policy used, prompt, tool-set and \
             policy version",
        )
    }

    fn add_schemas(&self, catalogue: &mut Catalogue) {
        catalogue.add::<Event<'_>>(
            self.name(),
            "A line of the command-line runtime's event log.",
            parts_by_type,
        );
    }
}

/// The type of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
        others: Vec<shown::UnknownMember<'a>>,
    }

    /// The data of an event, depending on its type.
    pub struct EventData<'a> {
        from: Option<State>,
        to: Option<State>,
        action: Option<NativeAction<'a>>,
        action_id: Option<Str<'a>>,
        decision: Option<Raw<'a>>,
        result: Option<Raw<'a>>,
        error: Option<Raw<'a>>,
    }

    /// The input of the state machine.
    pub struct EventMetadata<'a> {
        payload: Option<Raw<'a>>,
    }
}

/// Members of an evaluation in a payload, read leniently.
#[derive(Deserialize)]
struct EvaluationMembers<'a> {
    #[serde(borrow, default)]
    kind: Option<Raw<'a>>,
    #[serde(borrow, default)]
    reason: Option<Raw<'a>>,
}

/// Returns the evaluation in a payload, and its reason if that is known.
pub(super) fn evaluation(
    payload: Option<Raw<'_>>,
) -> (Option<EvaluationKind>, Option<EvaluationReason>) {
    let Some(ruled) = payload.and_then(Raw::read::<EvaluationMembers<'_>>) else {
        return (None, None);
    };
    (
        ruled.kind.and_then(Raw::read),
        ruled.reason.and_then(Raw::read),
    )
}

/// Checks that a payload which looks like a decision or an evaluation can be read as one. Otherwise
/// the event happened, but its content is unknown.
///
/// # Errors
/// The expected content.
pub(super) fn check_payload(
    from: State,
    to: State,
    payload: Option<Raw<'_>>,
) -> Result<(), &'static str> {
    if is_garbled(from, to, payload) {
        return Err("the payload of the transition isn't a valid decision");
    }
    let evaluates =
        |payload: &Raw<'_>| from == State::Evaluating && payload.as_written().starts_with('{');
    let ruled = payload
        .filter(evaluates)
        .and_then(Raw::read::<EvaluationMembers<'_>>);
    match ruled.and_then(|r| r.kind) {
        Some(kind) if kind.read::<EvaluationKind>().is_none() => {
            Err("the payload of the transition isn't a valid evaluation")
        }
        _ => Ok(()),
    }
}

/// Returns whether a transition's payload looks like a decision but can't be read as one. Then
/// something was decided, but its content is unknown.
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
        ("error", false, &shown::NO_MEMBERS),
    ],
};
const DATA_OF_RUN: Shape = Shape {
    parts: &[
        ("action", true, &shown::ACTION),
        ("decision", false, &shown::DECISION),
        ("result", true, &shown::RESULT),
        ("error", false, &shown::NO_MEMBERS),
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
    /// Reads the members that the format doesn't define.
    fn read_others(&mut self, text: &'a str) {
        // Results of tools and observations have been executed; a model's output hasn't.
        let ran = matches!(
            self.kind,
            EventType::ToolExecution | EventType::ObservationRecorded
        );
        self.others = shown::others(text, if ran { &RAN } else { &EVENT });
    }

    /// Checks that the part specific to this type of event can be read.
    ///
    /// # Errors
    /// The expected content of the part.
    pub fn check(&self) -> Result<(), &'static str> {
        let payload = self.metadata.as_ref().and_then(|m| m.payload);
        match self.kind {
            EventType::StateTransition => match (self.data.from, self.data.to) {
                (Some(State::Governing), Some(_))
                    if self.data.decision.is_some_and(|decision| {
                        decision.read::<NativeDecision<'_>>().is_none()
                    }) =>
                {
                    Err("`decision` isn't a valid decision")
                }
                (Some(from), Some(to)) => check_payload(from, to, payload),
                _ => Ok(()),
            },
            EventType::GovernanceDecision => match self.data.decision {
                Some(decision) if decision.read::<NativeDecision<'_>>().is_none() => {
                    Err("`decision` isn't a valid decision")
                }
                _ => Ok(()),
            },
            EventType::ToolExecution => match self.data.result {
                Some(result) if result.read::<NativeResult<'_>>().is_none() => {
                    Err("`result` isn't a valid result")
                }
                _ => Ok(()),
            },
            EventType::LlmCall
            | EventType::ObservationRecorded
            | EventType::EvaluationResult
            | EventType::ErrorOccurred => Ok(()),
        }
    }

    /// Emits the actions in places where this type of event normally has none.
    fn show<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        let of_payload = match (self.kind, self.data.from, self.data.to) {
            (EventType::StateTransition, Some(from), Some(to)) => shown::of_movement(from, to),
            (EventType::ToolExecution | EventType::ObservationRecorded, ..) => {
                ActionRole::Execution
            }
            (EventType::GovernanceDecision, ..) => ActionRole::Proposal,
            (EventType::LlmCall, ..) => ActionRole::Thought,
            (
                EventType::StateTransition | EventType::EvaluationResult | EventType::ErrorOccurred,
                ..,
            ) => ActionRole::Unknown,
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

impl<'a> FormatRecord<'a> for Event<'a> {
    fn execution_id(&self) -> Option<Str<'a>> {
        Some(self.execution_id)
    }

    fn may_refuse(&self) -> bool {
        self.kind != EventType::LlmCall
    }

    fn decision_pointer(&self, step: &Step<'_, '_>) -> Option<&'static str> {
        Some(if matches!(step.fact, Fact::Moved(_)) {
            "/metadata/payload"
        } else {
            "/data/decision"
        })
    }

    fn action_pointer(&self) -> &'static str {
        "/data/action"
    }

    fn narrative(&self) -> Narrative<'a> {
        match (self.kind, self.data.result) {
            (EventType::LlmCall, Some(result)) => Narrative::Thought(result),
            (EventType::ObservationRecorded, Some(result)) => Narrative::Observation(result),
            _ => Narrative::Nothing,
        }
    }

    fn steps<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        let told = |written: Raw<'a>| {
            let decision = written.read::<NativeDecision<'a>>()?.fact();
            Some(DecisionLine { decision, written })
        };
        let (member, fact) = match self.kind {
            EventType::StateTransition => {
                let payload = self.metadata.as_ref().and_then(|m| m.payload);
                match (self.data.from, self.data.to) {
                    (Some(from), Some(to)) => {
                        let (evaluation, reason) = evaluation(payload);
                        // Of two records of one decision, the more restrictive one applies,
                        // including who made it.
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
                            Fact::Moved(TransitionFact {
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
                    thought
                        .and_then(|t| t.fact())
                        .map_or(Fact::Annotation(Annotation::Other), |t| {
                            Fact::Annotation(Annotation::Thought(t))
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
                        ExecutionFact {
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
                        Annotation::Observed(ObservationFact { action, artifacts })
                    } else {
                        Annotation::Other
                    }),
                )
            }
            EventType::EvaluationResult | EventType::ErrorOccurred => {
                ("data", Fact::Annotation(Annotation::Other))
            }
        };
        // The action comes before the decision about it.
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
}

/// Adds the parts of an event that depend on its type.
fn parts_by_type(schema: &mut Map<String, Value>) {
    define::<NativeDecision<'_>>(schema, "NativeDecision");
    define::<NativeResult<'_>>(schema, "NativeResult");
    let is =
        |kind: &str| json!({ "required": ["type"], "properties": { "type": { "const": kind } } });
    let part = |member: &str, of: &str| {
        let value = json!({ "anyOf": [{ "$ref": format!("#/$defs/{of}") }, { "type": "null" }] });
        json!({ "properties": { "data": { "properties": { member: value } } } })
    };
    let moved = |data: Value, meant: Value| {
        json!({
            "required": ["data", "metadata"],
            "properties": {
                "data": data,
                "metadata": { "type": "object", "required": ["payload"], "properties": { "payload": meant } }
            }
        })
    };
    let decided = moved(governing(), meant_as_decision());
    let ruled = moved(evaluating(), meant_as_evaluation());
    let payload = |value: Value| {
        json!({
            "properties": { "metadata": { "properties": { "payload": value } } }
        })
    };
    schema.insert(
        "allOf".into(),
        json!([
            { "if": is("governance_decision"), "then": part("decision", "NativeDecision") },
            { "if": is("tool_execution"), "then": part("result", "NativeResult") },
            { "if": { "allOf": [is("state_transition"), decided] },
                "then": payload(json!({ "$ref": "#/$defs/NativeDecision" })) },
            { "if": { "allOf": [is("state_transition"), ruled] }, "then": payload(evaluation_schema()) },
        ]),
    );
}

/// Returns the schema of a transition that follows from a decision.
pub(super) fn governing() -> Value {
    json!({
        "required": ["from", "to"],
        "properties": { "from": { "const": "GOVERNING" }, "to": { "enum": ["EXECUTING", "THINKING"] } }
    })
}

/// Returns the schema of an object that looks like a decision.
pub(super) fn meant_as_decision() -> Value {
    json!({ "type": "object", "anyOf": [{ "required": ["status"] }, { "required": ["by"] }] })
}

/// Returns the schema of a transition that follows from an evaluation.
pub(super) fn evaluating() -> Value {
    json!({ "required": ["from", "to"], "properties": { "from": { "const": "EVALUATING" } } })
}

/// Returns the schema of an object that looks like an evaluation.
pub(super) fn meant_as_evaluation() -> Value {
    json!({ "type": "object", "required": ["kind"] })
}

/// Returns the schema of an evaluation.
pub(super) fn evaluation_schema() -> Value {
    let kinds = [
        EvaluationKind::Continue,
        EvaluationKind::Terminate,
        EvaluationKind::Pause,
    ]
    .map(|kind| json!(kind.name()));
    let values: Vec<Value> = kinds.into_iter().chain([Value::Null]).collect();
    json!({ "properties": { "kind": { "enum": values } } })
}
