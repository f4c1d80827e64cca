//! `ExecutionRecord` JSONL, version 1: lines become records, records become steps.

use super::record::{
    self as v1, ActionProposed, Call, CapabilityIssued, CapabilityRevoked, ContextChanged,
    EvaluationMade, Execution, ExecutionEnded, ExecutionFinished, ExecutionStarted,
    GovernanceDecided, Intent, ObservationRecorded, RecordKind, ThoughtGenerated, Turn, Values,
};
use super::step::{
    Action, ActionKind, Annotation, Decision, ExecutionFact, Fact, ObservationFact, Outcome, Part,
    Paths, Proposal, StartFact, Step, Thought,
};
use super::turn::Parts;
use governance::Ruling;
use serde::Deserialize;
use strict_json::{Deserializer, Error, Raw, Scanner, Str};

/// Creates the `StartFact` fact from any record that contains the start of an execution.
macro_rules! started {
    ($record:expr, $alone:expr) => {
        $crate::trace::step::StartFact {
            schema_version: $record.schema_version,
            fsm_version: $record.fsm_version,
            max_turns: $record.max_turns.map(|n| n.get()),
            agents: $record.agents.as_deref(),
            governor: $record.governor.as_ref().map(|g| g.id),
            intent: Option::from($record.root_intent),
            policy: $record.policy.is_some(),
            policy_digest: $record.policy.as_ref().map(|p| p.digest),
            policy_path: $record.policy.as_ref().and_then(|p| p.path),
            capabilities_required: $record.capabilities
                == Some($crate::trace::record::CapabilityMode::Required),
            chain: $record.chain,
            alone: $alone,
            refused: None,
            own: None,
        }
    };
}
pub(super) use started;

/// A record of version 1.
#[derive(Debug, Clone)]
pub enum Record<'a> {
    ExecutionStarted(Box<ExecutionStarted<'a>>),
    ThoughtGenerated(Box<ThoughtGenerated<'a>>),
    ActionProposed(Box<ActionProposed<'a>>),
    GovernanceDecided(Box<GovernanceDecided<'a>>),
    ExecutionFinished(Box<ExecutionFinished<'a>>),
    ObservationRecorded(Box<ObservationRecorded<'a>>),
    EvaluationMade(Box<EvaluationMade<'a>>),
    ExecutionEnded(Box<ExecutionEnded<'a>>),
    CapabilityIssued(Box<CapabilityIssued<'a>>),
    CapabilityRevoked(Box<CapabilityRevoked<'a>>),
    ContextChanged(Box<ContextChanged<'a>>),
    Turn(Box<Turn<'a>>),
    Execution(Box<Execution<'a>>),
    Call(Box<Call<'a>>),
}

/// Reads the line under `scanner` as a record of `kind`.
///
/// # Errors
/// When the line isn't JSON or isn't such a record.
pub fn read<'a>(kind: RecordKind, scanner: &mut Scanner<'a>) -> Result<Record<'a>, Error> {
    let mut de = Deserializer::new(scanner);
    let de = &mut de;
    let record = match kind {
        RecordKind::ExecutionStarted => Record::ExecutionStarted(Box::deserialize(de)?),
        RecordKind::ThoughtGenerated => Record::ThoughtGenerated(Box::deserialize(de)?),
        RecordKind::ActionProposed => Record::ActionProposed(Box::deserialize(de)?),
        RecordKind::GovernanceDecided => Record::GovernanceDecided(Box::deserialize(de)?),
        RecordKind::ExecutionFinished => Record::ExecutionFinished(Box::deserialize(de)?),
        RecordKind::ObservationRecorded => Record::ObservationRecorded(Box::deserialize(de)?),
        RecordKind::EvaluationMade => Record::EvaluationMade(Box::deserialize(de)?),
        RecordKind::ExecutionEnded => Record::ExecutionEnded(Box::deserialize(de)?),
        RecordKind::CapabilityIssued => Record::CapabilityIssued(Box::deserialize(de)?),
        RecordKind::CapabilityRevoked => Record::CapabilityRevoked(Box::deserialize(de)?),
        RecordKind::ContextChanged => Record::ContextChanged(Box::deserialize(de)?),
        RecordKind::Turn => {
            let turn = Box::<Turn<'a>>::deserialize(de)?;
            if turn.execution_id.is_none() || turn.record.is_none() {
                return Err(serde::de::Error::custom("missing field `executionId`"));
            }
            Record::Turn(turn)
        }
        RecordKind::Execution => {
            let execution = Box::<Execution<'a>>::deserialize(de)?;
            if execution.turns.iter().any(|t| {
                t.execution_id
                    .is_some_and(|id| id != execution.execution_id)
            }) {
                return Err(serde::de::Error::custom(
                    "a turn inside the execution names another execution",
                ));
            }
            Record::Execution(execution)
        }
        RecordKind::Call => Record::Call(Box::deserialize(de)?),
    };
    scanner.end()?;
    Ok(record)
}

impl<'a> Record<'a> {
    /// Returns the id of the record's execution.
    #[must_use]
    pub fn execution_id(&self) -> Str<'a> {
        match self {
            Self::ExecutionStarted(r) => r.execution_id,
            Self::ThoughtGenerated(r) => r.execution_id,
            Self::ActionProposed(r) => r.execution_id,
            Self::GovernanceDecided(r) => r.execution_id,
            Self::ExecutionFinished(r) => r.execution_id,
            Self::ObservationRecorded(r) => r.execution_id,
            Self::EvaluationMade(r) => r.execution_id,
            Self::ExecutionEnded(r) => r.execution_id,
            Self::CapabilityIssued(r) => r.execution_id,
            Self::CapabilityRevoked(r) => r.execution_id,
            Self::ContextChanged(r) => r.execution_id,
            Self::Turn(r) => r.execution_id.unwrap_or_default(),
            Self::Execution(r) => r.execution_id,
            Self::Call(r) => r.execution_id,
        }
    }

    /// Returns the hash of the record before, if records are chained.
    #[must_use]
    pub fn prev(&self) -> Option<Str<'a>> {
        match self {
            Self::ExecutionStarted(r) => r.prev,
            Self::ThoughtGenerated(r) => r.prev,
            Self::ActionProposed(r) => r.prev,
            Self::GovernanceDecided(r) => r.prev,
            Self::ExecutionFinished(r) => r.prev,
            Self::ObservationRecorded(r) => r.prev,
            Self::EvaluationMade(r) => r.prev,
            Self::ExecutionEnded(r) => r.prev,
            Self::CapabilityIssued(r) => r.prev,
            Self::CapabilityRevoked(r) => r.prev,
            Self::ContextChanged(r) => r.prev,
            Self::Turn(r) => r.prev,
            Self::Execution(r) => r.prev,
            Self::Call(r) => r.prev,
        }
    }

    /// Returns whether the record declares that the records of its execution are chained.
    #[must_use]
    pub fn declares_chain(&self) -> bool {
        match self {
            Self::ExecutionStarted(r) => r.chain.is_some(),
            Self::Execution(r) => r.chain.is_some(),
            _ => false,
        }
    }

    /// Passes the record's steps to `emit`, in their order.
    pub fn steps<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        match self {
            Self::ExecutionStarted(r) => {
                emit(&Step {
                    turn: None,
                    time: r.timestamp,
                    part: Part::WHOLE,
                    fact: Fact::Started(StartFact {
                        own: Some(r),
                        ..started!(r, true)
                    }),
                });
            }
            Self::ThoughtGenerated(r) => emit(&Step {
                turn: Some(r.turn_id.get()),
                time: r.timestamp,
                part: Part::member("thought"),
                fact: Fact::Thought(Thought {
                    agent: r.agent_id,
                    done: r.thought.done,
                    action: r.thought.action.as_ref().map(intent),
                    conditions: r.context_snapshot.is_some(),
                }),
            }),
            Self::ActionProposed(r) => emit(&Step {
                turn: Some(r.turn_id.get()),
                time: r.timestamp,
                part: Part::member("action"),
                fact: Fact::Proposed(Proposal {
                    agent: r.agent_id,
                    action: Action {
                        id: Some(r.action.id),
                        kind: ActionKind::Known(r.action.kind),
                        payload: Some(r.action.payload.0),
                        risk: Some(r.action.risk_level),
                    },
                    declared: Paths::union(r.declared_changes.as_deref(), None),
                    replaced: false,
                }),
            }),
            Self::GovernanceDecided(r) => emit(&Step {
                turn: Some(r.turn_id.get()),
                time: r.timestamp,
                part: Part::member("decision"),
                fact: Fact::Decided(decision(&r.decision)),
            }),
            Self::ExecutionFinished(r) => emit(&Step {
                turn: Some(r.turn_id.get()),
                time: r.timestamp,
                part: Part::WHOLE,
                fact: Fact::Executed(ExecutionFact {
                    action_id: Some(r.action_id),
                    capability: r.capability_id,
                    action: r.action.as_ref().map(intent),
                    observed: Paths::union(r.observed_changes.as_deref(), None),
                    result: Some(Outcome {
                        success: r.result.success,
                        output: r.result.output,
                        error: r.result.error,
                        error_type: r.result.error_type.is_some(),
                        exit_code: r.result.exit_code.map(|n| n.get()),
                        cost: r.result.cost,
                        duration: r.result.duration_ms,
                        artifacts: r.result.artifacts,
                        perhaps: false,
                        marks: &[],
                    }),
                }),
            }),
            Self::ObservationRecorded(r) => emit(&Step {
                turn: Some(r.turn_id.get()),
                time: r.timestamp,
                part: Part::member("observation"),
                fact: Fact::Observed(ObservationFact {
                    action: r.action_id,
                    artifacts: Some(r.observation.artifacts),
                }),
            }),
            Self::EvaluationMade(r) => emit(&Step {
                turn: Some(r.turn_id.get()),
                time: r.timestamp,
                part: Part::member("evaluation"),
                fact: Fact::Evaluated(r.evaluation.kind, Some(r.evaluation.reason)),
            }),
            Self::ExecutionEnded(r) => {
                let beside = |member, beside| Step {
                    turn: None,
                    time: None,
                    part: Part::member(member),
                    fact: Fact::Annotation(beside),
                };
                if let Some(artifacts) = r.artifacts.filter(|a| a.count > 0) {
                    emit(&beside("artifacts", Annotation::FinalArtifacts(artifacts)));
                }
                let decisions = r.decisions.map(Values::all).unwrap_or_default();
                for (decision, nth) in decisions.into_iter().filter_map(refusal).zip(1u64..) {
                    emit(&beside(
                        "decisions",
                        Annotation::ListedRejection(decision, nth),
                    ));
                }
                emit(&Step {
                    turn: None,
                    time: r.timestamp,
                    part: Part::member("outcome"),
                    fact: Fact::Ended(r.outcome),
                });
            }
            Self::CapabilityIssued(r) => {
                emit(&Step {
                    turn: None,
                    time: r.timestamp,
                    part: Part::member("capability"),
                    fact: Fact::Issued(&r.capability),
                });
            }
            Self::CapabilityRevoked(r) => emit(&Step {
                turn: None,
                time: r.timestamp,
                part: Part::member("capability"),
                fact: Fact::Revoked(r.capability.id),
            }),
            Self::ContextChanged(r) => {
                emit(&Step {
                    turn: Some(r.turn_id.get()),
                    time: r.timestamp,
                    part: Part::WHOLE,
                    fact: Fact::Context,
                });
            }
            Self::Turn(r) => Parts::of(r).steps(None, emit),
            Self::Call(r) => r.steps(emit),
            Self::Execution(r) => {
                emit(&Step {
                    turn: None,
                    time: r.timestamp,
                    part: Part::WHOLE,
                    fact: Fact::Started(started!(r, false)),
                });
                for (turn, index) in r.turns.iter().zip(0u32..) {
                    Parts::of(turn).steps(Some(index), emit);
                }
                if let Some(outcome) = r.outcome {
                    emit(&Step {
                        turn: None,
                        time: None,
                        part: Part::member("outcome"),
                        fact: Fact::Ended(outcome),
                    });
                }
            }
        }
    }
}

/// Reads an entry in a list of decisions as a rejection: an object or a word.
fn refusal(listed: Raw<'_>) -> Option<Decision<'_>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Listed<'a> {
        #[serde(borrow)]
        status: Option<Raw<'a>>,
        #[serde(borrow)]
        action_id: Option<Raw<'a>>,
    }
    let listed_as = listed.read::<Listed<'_>>();
    let word = match &listed_as {
        Some(object) => object.status?.read::<Str<'_>>()?,
        None => listed.read::<Str<'_>>()?,
    };
    let rejected = word.decode().trim().eq_ignore_ascii_case("rejected");
    rejected.then(|| Decision {
        ruling: Ruling::Rejected,
        by: governance::DecidedBy::Policy,
        time: None,
        action: listed_as.and_then(|l| l.action_id?.read()),
        signer: None,
        reason: None,
        rule: None,
        original: None,
        modified: None,
        modification_reason: None,
        signature: None,
    })
}

pub(super) fn intent<'a>(intent: &Intent<'a>) -> Action<'a> {
    Action {
        id: None,
        kind: ActionKind::Known(intent.kind),
        payload: Some(intent.payload.0),
        risk: None,
    }
}

pub(super) fn decision<'a>(decision: &v1::Decision<'a>) -> Decision<'a> {
    Decision {
        ruling: decision.status,
        by: decision.by,
        time: decision.timestamp,
        action: decision.action_id,
        signer: decision.signer,
        reason: decision.reason,
        rule: decision.rule_id,
        original: decision.original_action_id,
        modified: decision.modified_action.as_ref().map(|a| Action {
            id: Some(a.id),
            kind: ActionKind::Known(a.kind),
            payload: Some(a.payload.0),
            risk: a.risk_level,
        }),
        modification_reason: decision.modification_reason,
        signature: decision.signature.as_ref().map(Into::into),
    }
}
