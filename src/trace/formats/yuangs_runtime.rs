//! `yuangs-runtime` and `yuangs-reducer`: logs of a runtime's events, without ids and times.
//!
//! The runtime logs what its parts produced (`RuntimeEvent`), in one of two spellings. The reducer
//! logs the events that move its states (`FSMEvent`). Both have one execution per file.

use super::native::{NativeDecision, NativeResult, action_kind, open_shapes};
use super::{Coverage, FormatRecord, Narrative, Routing, TraceFormat, Unit, shown};
use crate::schema::Catalogue;
use crate::trace::contract::OpenEvaluation;
use crate::trace::entry::{Record, data};
use crate::trace::record::RecordKind;
use crate::trace::step::{
    Action, ActionKind, ActionRole, ExecutionFact, Fact, Part, Proposal, Step, Thought,
    TransitionFact,
};
use governance::{EvaluationKind, Event, Ruling, State};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use strict_json::{Deserializer, Error, Raw, Scanner, Str};

pub(super) struct YuangsRuntime;
pub(super) struct YuangsReducer;

/// Types of the runtime's events, in both spellings.
const RUNTIME: [&str; 10] = [
    "THOUGHT_GENERATED",
    "ACTION_PROPOSED",
    "GOVERNANCE_DECIDED",
    "TOOL_EXECUTED",
    "EVALUATED",
    "ThoughtGenerated",
    "ActionProposed",
    "GovernanceDecided",
    "ExecutionFinished",
    "EvaluationMade",
];

/// Types that only the reducer's events have.
const REDUCER: [&str; 3] = [
    "THOUGHT_COMPLETE",
    "EXECUTION_FINISHED",
    "OBSERVATION_RECORDED",
];

/// Members that neither log has. A record with one is of somebody else.
const OTHERS: [&str; 8] = [
    "data",
    "executionId",
    "id",
    "message",
    "sessionId",
    "time",
    "timestamp",
    "uuid",
];

impl TraceFormat for YuangsRuntime {
    fn name(&self) -> &'static str {
        "yuangs-runtime"
    }

    fn coverage(&self) -> Coverage {
        Coverage::Turns
    }

    fn routing(&self) -> Routing {
        Routing::ByInput
    }

    fn is_shape_of(&self, unit: &Unit<'_>) -> bool {
        unit.is_word("type", &RUNTIME) && !unit.has_one(&OTHERS)
    }

    fn read<'a>(&self, scanner: &mut Scanner<'a>, text: &'a str) -> Result<Record<'a>, Error> {
        let mut event: Box<RuntimeEvent<'a>> = Box::deserialize(&mut Deserializer::new(scanner))?;
        event.check().map_err(data)?;
        event.others = shown::others(text, &RUNTIME_MEMBERS);
        scanner.end()?;
        Ok(event.into())
    }

    fn not_recorded(&self, _: bool) -> Option<&'static str> {
        Some(
            "the start, turn numbers, most times, proposed actions beyond their ids, observations, \
             signers of decisions, the rules that policy used, prompt, tool-set and policy version",
        )
    }

    fn add_schemas(&self, catalogue: &mut Catalogue) {
        let description = "A line of the log of a runtime's events.";
        catalogue.add::<RuntimeEvent<'_>>(self.name(), description, |schema| {
            requires(
                schema,
                &[
                    (
                        &["GOVERNANCE_DECIDED", "GovernanceDecided"],
                        "decision",
                        "object",
                    ),
                    (&["EVALUATED", "EvaluationMade"], "outcome", "object"),
                ],
            );
        });
    }
}

impl TraceFormat for YuangsReducer {
    fn name(&self) -> &'static str {
        "yuangs-reducer"
    }

    fn coverage(&self) -> Coverage {
        Coverage::Movements { evidence: false }
    }

    fn routing(&self) -> Routing {
        Routing::ByInput
    }

    fn is_shape_of(&self, unit: &Unit<'_>) -> bool {
        let proposes = || unit.is_word("type", &["ACTION_PROPOSED"]) && !unit.has(&["actionId"]);
        let starts = || unit.is_word("type", &["START"]);
        (unit.is_word("type", &REDUCER) || proposes() || starts()) && !unit.has_one(&OTHERS)
    }

    fn read<'a>(&self, scanner: &mut Scanner<'a>, text: &'a str) -> Result<Record<'a>, Error> {
        let mut event: Box<ReducerEvent<'a>> = Box::deserialize(&mut Deserializer::new(scanner))?;
        event.check().map_err(data)?;
        event.others = shown::others(text, &REDUCER_MEMBERS);
        scanner.end()?;
        Ok(event.into())
    }

    fn not_recorded(&self, _: bool) -> Option<&'static str> {
        Some(
            "thoughts, actions and results, turn numbers, most times, signers of decisions, the \
             rules that policy used, prompt, tool-set and policy version",
        )
    }

    fn add_schemas(&self, catalogue: &mut Catalogue) {
        let description = "A line of the log of the events that move a runtime's states.";
        catalogue.add::<ReducerEvent<'_>>(self.name(), description, |schema| {
            requires(
                schema,
                &[
                    (&["THOUGHT_COMPLETE"], "done", "boolean"),
                    (&["GOVERNANCE_DECIDED"], "decision", "object"),
                    (&["EVALUATED"], "outcome", "object"),
                ],
            );
        });
    }
}

/// Adds the members that some types of event must have.
fn requires(schema: &mut Map<String, Value>, parts: &[(&[&str], &str, &str)]) {
    let parts = parts.iter().map(|(types, member, kind)| {
        let is = json!({ "required": ["type"], "properties": { "type": { "enum": types } } });
        let has = json!({
            "required": [member],
            "properties": { (*member): { "type": kind } }
        });
        json!({ "if": is, "then": has })
    });
    schema.insert("allOf".into(), parts.collect());
}

/// The type of a runtime's event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum RuntimeEventType {
    #[serde(rename = "THOUGHT_GENERATED")]
    Thought,
    #[serde(rename = "ACTION_PROPOSED")]
    Proposal,
    #[serde(rename = "GOVERNANCE_DECIDED")]
    Decision,
    #[serde(rename = "TOOL_EXECUTED")]
    Execution,
    #[serde(rename = "EVALUATED")]
    Evaluation,
    ThoughtGenerated,
    ActionProposed,
    GovernanceDecided,
    ExecutionFinished,
    EvaluationMade,
}

/// The type of a reducer's event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReducerEventType {
    Start,
    ThoughtComplete,
    ActionProposed,
    GovernanceDecided,
    ExecutionFinished,
    ObservationRecorded,
    Evaluated,
}

open_shapes! {
    /// One event of a runtime.
    pub struct RuntimeEvent<'a> {
        #[serde(rename = "type")]
        kind: RuntimeEventType,
        output: Option<Raw<'a>>,
        action_id: Option<Str<'a>>,
        decision: Option<NativeDecision<'a>>,
        result: Option<Raw<'a>>,
        outcome: Option<OpenEvaluation>,
        #[serde(skip)]
        #[schemars(skip)]
        others: Vec<shown::UnknownMember<'a>>,
    }

    /// One event of a reducer.
    pub struct ReducerEvent<'a> {
        #[serde(rename = "type")]
        kind: ReducerEventType,
        done: Option<bool>,
        decision: Option<NativeDecision<'a>>,
        outcome: Option<OpenEvaluation>,
        #[serde(skip)]
        #[schemars(skip)]
        others: Vec<shown::UnknownMember<'a>>,
    }
}

static RUNTIME_MEMBERS: shown::Shape = shown::Shape {
    known: &["type", "actionId"],
    parts: &[
        ("output", false, &OUTPUT),
        ("decision", false, &shown::DECISION),
        ("result", true, &shown::RESULT),
        ("outcome", false, &shown::DECISION),
    ],
};

/// Members of a model's output.
const OUTPUT: shown::Shape = shown::Shape {
    known: &[
        "reasoning",
        "done",
        "isDone",
        "type",
        "payload",
        "raw",
        "parsedPlan",
    ],
    parts: &[("action", false, &shown::ACTION)],
};

static REDUCER_MEMBERS: shown::Shape = shown::Shape {
    known: &["type", "done"],
    parts: &[
        ("decision", false, &shown::DECISION),
        ("outcome", false, &shown::DECISION),
    ],
};

/// A model's output, read leniently.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    done: Option<bool>,
    is_done: Option<bool>,
    #[serde(borrow)]
    action: Option<OutputAction<'a>>,
    #[serde(borrow, rename = "type")]
    kind: Option<Str<'a>>,
    #[serde(borrow)]
    payload: Option<Raw<'a>>,
}

/// The action in a model's output.
#[derive(Deserialize)]
struct OutputAction<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    #[serde(borrow)]
    payload: Option<Raw<'a>>,
}

impl<'a> Output<'a> {
    /// Returns the thought; `None` if it isn't clear whether the agent considers its task done.
    fn thought(&self) -> Option<Thought<'a>> {
        let nested = self.action.as_ref().map(|a| (a.kind, a.payload));
        let action = nested.or(self.kind.map(|kind| (kind, self.payload)));
        let done = match (self.done, self.is_done) {
            (Some(one), Some(other)) if one != other => return None,
            (one, other) => one.or(other).or(action.map(|_| false))?,
        };
        let action = action.filter(|_| !done).map(|(kind, payload)| Action {
            id: None,
            kind: action_kind(kind),
            payload,
            risk: None,
        });
        Some(Thought {
            agent: None,
            done,
            action,
            conditions: false,
        })
    }
}

impl RuntimeEvent<'_> {
    /// Checks that it has the member that its type needs.
    ///
    /// # Errors
    /// The missing member.
    fn check(&self) -> Result<(), &'static str> {
        use RuntimeEventType as T;
        match self.kind {
            T::Decision | T::GovernanceDecided if self.decision.is_none() => {
                Err("`decision` is missing")
            }
            T::Evaluation | T::EvaluationMade if self.outcome.is_none() => {
                Err("`outcome` is missing")
            }
            _ => Ok(()),
        }
    }
}

impl<'a> FormatRecord<'a> for RuntimeEvent<'a> {
    fn may_refuse(&self) -> bool {
        !matches!(
            self.kind,
            RuntimeEventType::Thought | RuntimeEventType::ThoughtGenerated
        )
    }

    fn decision_pointer(&self, _: &Step<'_, '_>) -> Option<&'static str> {
        Some("/decision")
    }

    fn narrative(&self) -> Narrative<'a> {
        self.output.map_or(Narrative::Nothing, Narrative::Thought)
    }

    fn steps<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        use RuntimeEventType as T;
        let step = |member, fact| Step {
            turn: None,
            time: None,
            part: Part::member(member),
            fact,
        };
        match self.kind {
            T::Thought | T::ThoughtGenerated => {
                let output = self.output.and_then(Raw::read::<Output<'a>>);
                let fact = match output.and_then(|output| output.thought()) {
                    Some(thought) => Fact::Thought(thought),
                    None => Fact::Unreadable(RecordKind::ThoughtGenerated),
                };
                emit(&step("output", fact));
            }
            T::Proposal | T::ActionProposed => {
                // The event names the action only. It is the one that was thought.
                let action = Action {
                    id: self.action_id,
                    kind: ActionKind::Other(Str::plain("")),
                    payload: None,
                    risk: None,
                };
                emit(&step(
                    "",
                    Fact::Proposed(Proposal {
                        agent: None,
                        action,
                        declared: None,
                        replaced: true,
                    }),
                ));
            }
            T::Decision | T::GovernanceDecided => {
                if let Some(decision) = &self.decision {
                    let mut fact = step("decision", Fact::Decided(decision.fact()));
                    fact.time = decision.fact().time;
                    emit(&fact);
                }
            }
            T::Execution | T::ExecutionFinished => {
                let result = self.result.and_then(Raw::read::<NativeResult<'a>>);
                let member = if self.result.is_some() { "result" } else { "" };
                emit(&step(
                    member,
                    Fact::Executed(ExecutionFact {
                        action_id: None,
                        capability: None,
                        action: None,
                        observed: None,
                        result: result.map(|result| result.fact(None)),
                    }),
                ));
                if let Some(result) = self.result.filter(|_| result_is_open(self.result)) {
                    shown::show(result, ActionRole::Execution, (None, None, "result"), emit);
                }
                emit(&step("", Fact::NotRecorded(Event::ObservationRecorded)));
            }
            T::Evaluation | T::EvaluationMade => {
                if let Some(OpenEvaluation(evaluation)) = &self.outcome {
                    let fact = Fact::Evaluated(evaluation.kind, Some(evaluation.reason));
                    emit(&step("outcome", fact));
                }
            }
        }
        for other in &self.others {
            other.show((None, None, ""), emit);
        }
    }
}

/// Returns whether a result isn't one of the known form, so that it may contain anything.
fn result_is_open(result: Option<Raw<'_>>) -> bool {
    result.is_some_and(|result| result.read::<NativeResult<'_>>().is_none())
}

impl ReducerEvent<'_> {
    /// Checks that it has the member that its type needs.
    ///
    /// # Errors
    /// The missing member.
    fn check(&self) -> Result<(), &'static str> {
        match self.kind {
            ReducerEventType::ThoughtComplete if self.done.is_none() => Err("`done` is missing"),
            ReducerEventType::GovernanceDecided if self.decision.is_none() => {
                Err("`decision` is missing")
            }
            ReducerEventType::Evaluated if self.outcome.is_none() => Err("`outcome` is missing"),
            _ => Ok(()),
        }
    }

    /// Returns the states that the event leads from and to.
    fn states(&self) -> (State, State) {
        match self.kind {
            ReducerEventType::Start => (State::Idle, State::Thinking),
            ReducerEventType::ThoughtComplete if self.done == Some(true) => {
                (State::Thinking, State::Evaluating)
            }
            ReducerEventType::ThoughtComplete => (State::Thinking, State::Proposing),
            ReducerEventType::ActionProposed => (State::Proposing, State::Governing),
            ReducerEventType::GovernanceDecided => {
                let ruling = self.decision.as_ref().map(|d| d.fact().ruling);
                let rejected = ruling == Some(Ruling::Rejected);
                let to = if rejected {
                    State::Thinking
                } else {
                    State::Executing
                };
                (State::Governing, to)
            }
            ReducerEventType::ExecutionFinished => (State::Executing, State::Observing),
            ReducerEventType::ObservationRecorded => (State::Observing, State::Evaluating),
            ReducerEventType::Evaluated => {
                let to = match self.outcome.as_ref().map(|o| o.0.kind) {
                    Some(EvaluationKind::Terminate) => State::Terminal,
                    Some(EvaluationKind::Pause) => State::Idle,
                    Some(EvaluationKind::Continue) | None => State::Thinking,
                };
                (State::Evaluating, to)
            }
        }
    }
}

impl<'a> FormatRecord<'a> for ReducerEvent<'a> {
    fn may_refuse(&self) -> bool {
        true
    }

    fn decision_pointer(&self, _: &Step<'_, '_>) -> Option<&'static str> {
        Some("/decision")
    }

    fn steps<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        let step = |member, fact| Step {
            turn: None,
            time: None,
            part: Part::member(member),
            fact,
        };
        let (from, to) = self.states();
        let decision = self.decision.as_ref().map(NativeDecision::fact);
        let evaluation = self.outcome.as_ref().map(|outcome| outcome.0.kind);
        let mut moved = step(
            "",
            Fact::Moved(TransitionFact {
                from,
                to,
                decision,
                told: None,
                evaluation,
                reason: self.outcome.as_ref().map(|outcome| outcome.0.reason),
            }),
        );
        moved.time = decision.and_then(|decision| decision.time);
        emit(&moved);
        for other in &self.others {
            other.show((None, None, ""), emit);
        }
    }
}
