//! `yuangs-events`: the event log of the command-line runtime.
//!
//! State movements and what they rest on are separate lines; a movement is joined with its evidence
//! in the replay. Known of real files: byte-identical repeats and lost lines, no sequence number.

use super::native::{NativeAction, NativeDecision, NativeResult, NativeThought, open_shapes};
use super::shown::{self, Shape};
use super::yuangs_turns::NativeObservation;
use super::{Coverage, FormatRecord, Narrative, Routing, Shown, TraceFormat, Unit};
use crate::schema::{Catalogue, define};
use crate::trace::cut::CutMembers;
use crate::trace::entry::{Record, data};
use crate::trace::record::EvaluationReason;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{
    Annotation, Decision, Executed, Fact, Moved, Observed, Part, Showing, Step, Told,
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
        // Other agents write `type`, `data` and `timestamp` as well: only who names an execution or
        // a known type is detected by them.
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

    fn cut_action(&self, cut: &CutMembers<'_>) -> Option<Shown> {
        let kind = cut.kind.and_then(Raw::read::<EventType>);
        let acts =
            kind.map(|kind| matches!(kind, EventType::ToolExecution | EventType::StateTransition));
        // A result appears in events of other types as well.
        if acts == Some(true) || cut.acts || cut.result && acts.is_none() {
            return Some(Shown::Yes);
        }
        acts.is_none().then_some(Shown::Perhaps)
    }

    fn not_recorded(&self, _: bool) -> Option<&'static str> {
        Some(
            "turn numbers, signers of decisions, the rules that policy used, prompt, tool-set and policy version",
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
        return Err("the payload of the transition isn't a valid decision");
    }
    let evaluates =
        |payload: &Raw<'_>| from == State::Evaluating && payload.as_written().starts_with('{');
    let ruled = payload.filter(evaluates).and_then(Raw::read::<Ruled<'_>>);
    match ruled.and_then(|r| r.kind) {
        Some(kind) if kind.read::<EvaluationKind>().is_none() => {
            Err("the payload of the transition isn't a valid evaluation")
        }
        _ => Ok(()),
    }
}

/// Whether what is next to a movement is meant as a decision, and can't be read as one: then
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
    fn read_others(&mut self, text: &'a str) {
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
}

/// The parts of an event that only its type makes what they are.
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
    let payload = |value: Value| json!({ "properties": { "metadata": { "properties": { "payload": value } } } });
    schema.insert(
        "allOf".into(),
        json!([
            { "if": is("governance_decision"), "then": part("decision", "NativeDecision") },
            { "if": is("tool_execution"), "then": part("result", "NativeResult") },
            { "if": { "allOf": [is("state_transition"), decided] }, "then": payload(json!({ "$ref": "#/$defs/NativeDecision" })) },
            { "if": { "allOf": [is("state_transition"), ruled] }, "then": payload(evaluation_schema()) },
        ]),
    );
}

/// A movement that a decision leads to.
pub(super) fn governing() -> Value {
    json!({
        "required": ["from", "to"],
        "properties": { "from": { "const": "GOVERNING" }, "to": { "enum": ["EXECUTING", "THINKING"] } }
    })
}

/// What has a member of a decision is meant as one.
pub(super) fn meant_as_decision() -> Value {
    json!({ "type": "object", "anyOf": [{ "required": ["status"] }, { "required": ["by"] }] })
}

/// A movement that an evaluation leads to.
pub(super) fn evaluating() -> Value {
    json!({ "required": ["from", "to"], "properties": { "from": { "const": "EVALUATING" } } })
}

/// What has the member of an evaluation is meant as one.
pub(super) fn meant_as_evaluation() -> Value {
    json!({ "type": "object", "required": ["kind"] })
}

/// The schema of an evaluation.
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
