//! A turn of version 1, unfolded into the events that it represents.

use super::contract::{Evaluation, TurnThought};
use super::record::{self, RecordKind, Turn, TurnAction, TurnObservation, TurnResult};
use super::scalar::Timestamp;
use super::step::{
    Action, ActionKind, Annotation, Decision, ExecutionFact, Fact, ObservationFact, Outcome, Part,
    Paths, Proposal, Step, Thought,
};
use super::v1::{decision, intent};
use serde::{Deserialize, Deserializer};
use strict_json::{Raw, Str};

/// A member of a turn.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Slot<T> {
    /// The member is missing.
    #[default]
    Absent,
    /// The member is valid.
    Present(T),
    /// The member violates the schema.
    Lost,
}

impl<T> Slot<T> {
    /// Creates a slot from an optional value.
    pub(super) fn of(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Self::Present)
    }

    /// Returns a slot that borrows the value.
    pub(super) const fn as_ref(&self) -> Slot<&T> {
        match self {
            Self::Absent => Slot::Absent,
            Self::Present(value) => Slot::Present(value),
            Self::Lost => Slot::Lost,
        }
    }

    /// Converts the value.
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Slot<U> {
        match self {
            Self::Absent => Slot::Absent,
            Self::Present(value) => Slot::Present(change(value)),
            Self::Lost => Slot::Lost,
        }
    }

    /// Returns a lost slot if `lost`, which says that another member it needs is lost.
    pub(super) fn lost_if(self, lost: bool) -> Self {
        if lost && matches!(self, Self::Present(_)) {
            Self::Lost
        } else {
            self
        }
    }

    /// Returns whether the member violates the schema.
    pub(super) const fn is_lost(&self) -> bool {
        matches!(self, Self::Lost)
    }

    /// Returns the value, if it is valid.
    pub(super) fn present(self) -> Option<T> {
        if let Self::Present(value) = self {
            Some(value)
        } else {
            None
        }
    }
}

impl<T: Clone> Slot<T> {
    /// Returns the value of an optional member. The outer `None` means that it violates the schema.
    #[expect(clippy::option_option, reason = "missing and broken differ")]
    pub(super) fn optional(&self) -> Option<Option<T>> {
        match self {
            Self::Absent => Some(None),
            Self::Present(value) => Some(Some(value.clone())),
            Self::Lost => None,
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Slot<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Option::<Raw<'de>>::deserialize(deserializer)?;
        Ok(raw.map_or(Self::Absent, |raw| {
            raw.read().map_or(Self::Lost, Self::Present)
        }))
    }
}

/// The parts of a turn that become events.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts<'r, 'a> {
    pub(super) turn: Option<i64>,
    pub(super) start: Option<Timestamp>,
    pub(super) end: Option<Timestamp>,
    pub(super) agent: Option<Str<'a>>,
    pub(super) capability: Option<Str<'a>>,
    pub(super) declared: Option<&'r [Str<'a>]>,
    pub(super) observed: Option<&'r [Str<'a>]>,
    pub(super) thought: Slot<&'r TurnThought<'a>>,
    pub(super) thoughts: Slot<&'r [TurnThought<'a>]>,
    pub(super) proposed: Slot<&'r TurnAction<'a>>,
    pub(super) governance: Slot<&'r record::Decision<'a>>,
    pub(super) result: Slot<&'r TurnResult<'a>>,
    pub(super) observation: Slot<&'r TurnObservation<'a>>,
    pub(super) evaluation: Slot<&'r Evaluation>,
}

impl<'r, 'a> Parts<'r, 'a> {
    /// Returns the parts of a valid turn.
    pub(super) fn of(turn: &'r Turn<'a>) -> Self {
        Self {
            turn: Some(turn.turn_id.get()),
            start: Some(turn.start_time),
            end: turn.end_time,
            agent: turn.agent_id,
            capability: turn.capability_id,
            declared: turn.declared_changes.as_deref(),
            observed: turn.observed_changes.as_deref(),
            thought: Slot::of(turn.thought.as_ref()),
            thoughts: Slot::of(turn.thoughts.as_deref()),
            proposed: Slot::of(turn.proposed_action.as_ref()),
            governance: Slot::of(turn.governance.as_ref()),
            result: Slot::of(turn.execution_result.as_ref()),
            observation: Slot::of(turn.observation.as_ref()),
            evaluation: Slot::of(turn.evaluation.as_ref()),
        }
    }

    /// Emits the events in their order. A turn records few times: thoughts get the start, the
    /// decision its own time, everything else the end. `nested` is the turn's index in a whole
    /// execution.
    pub(super) fn steps(&self, nested: Option<u32>, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        let mut emit = |time, member, fact| {
            emit(&Step {
                turn: self.turn,
                time,
                part: Part { nested, member },
                fact,
            });
        };
        let lost = Fact::Unreadable;
        for (list, member) in [
            (self.thought.map(std::slice::from_ref), "thought"),
            (self.thoughts, "thoughts"),
        ] {
            match list {
                Slot::Absent => {}
                Slot::Present(thoughts) => {
                    for thought in thoughts {
                        emit(self.start, member, self.thought(thought));
                    }
                }
                Slot::Lost => emit(self.start, member, lost(RecordKind::ThoughtGenerated)),
            }
        }
        match self.proposed {
            Slot::Absent => {
                if let Some(paths) =
                    Paths::union(None, self.declared).filter(|paths| !paths.is_empty())
                {
                    let fact = Fact::Annotation(Annotation::Declared(paths));
                    emit(self.start, "declaredChanges", fact);
                }
            }
            Slot::Present(action) => emit(self.start, "proposedAction", self.proposal(action)),
            Slot::Lost => emit(
                self.start,
                "proposedAction",
                lost(RecordKind::ActionProposed),
            ),
        }
        if let Some(agent) = self.other_agent() {
            emit(
                self.start,
                "agentId",
                Fact::Annotation(Annotation::Agent(agent)),
            );
        }
        let decided = self.governance.present().map(decision);
        match (self.governance, decided) {
            (_, Some(decision)) => emit(decision.time, "governance", Fact::Decided(decision)),
            (Slot::Lost, _) => emit(None, "governance", lost(RecordKind::GovernanceDecided)),
            _ => {}
        }
        if let Some((member, fact)) = self.changed(decided.as_ref()) {
            emit(self.end, member, fact);
        }
        match self.result {
            Slot::Absent => {}
            Slot::Present(result) => emit(
                self.end,
                "executionResult",
                self.executed(result, decided.as_ref()),
            ),
            Slot::Lost => emit(
                self.end,
                "executionResult",
                lost(RecordKind::ExecutionFinished),
            ),
        }
        match self.observation {
            Slot::Absent => {}
            Slot::Present(observation) => {
                let artifacts = Some(observation.artifacts);
                emit(
                    self.end,
                    "observation",
                    Fact::Observed(ObservationFact {
                        action: observation.action_id,
                        artifacts,
                    }),
                );
            }
            Slot::Lost => emit(
                self.end,
                "observation",
                lost(RecordKind::ObservationRecorded),
            ),
        }
        match self.evaluation {
            Slot::Absent => {}
            Slot::Present(evaluation) => {
                emit(
                    self.end,
                    "evaluation",
                    Fact::Evaluated(evaluation.kind, Some(evaluation.reason)),
                );
            }
            Slot::Lost => emit(self.end, "evaluation", lost(RecordKind::EvaluationMade)),
        }
    }

    fn thought(&self, thought: &TurnThought<'a>) -> Fact<'r, 'a> {
        Fact::Thought(Thought {
            agent: thought.agent_id.or(self.agent),
            done: thought.done,
            action: thought.action.as_ref().map(intent),
            conditions: true,
        })
    }

    fn proposal(&self, action: &'r TurnAction<'a>) -> Fact<'r, 'a> {
        Fact::Proposed(Proposal {
            agent: action.agent_id.or(self.agent),
            action: Action {
                id: Some(action.id),
                kind: ActionKind::Known(action.kind),
                payload: Some(action.payload.0),
                risk: Some(action.risk_level),
            },
            declared: Paths::union(action.declared_changes.as_deref(), self.declared),
            replaced: false,
        })
    }

    /// Returns the agent of the turn, if no thought and no proposal is by that agent.
    fn other_agent(&self) -> Option<Str<'a>> {
        let agent = self.agent?;
        let thoughts = [self.thought.map(std::slice::from_ref), self.thoughts];
        let thoughts = thoughts.into_iter().filter_map(Slot::present).flatten();
        let theirs = thoughts
            .map(|thought| thought.agent_id)
            .chain(self.proposed.present().map(|action| action.agent_id))
            .any(|own| own.is_none_or(|own| own == agent));
        (!theirs).then_some(agent)
    }

    /// Returns what the turn records about a result that the result doesn't: changes without a
    /// result, or another token.
    fn changed(&self, decided: Option<&Decision<'a>>) -> Option<(&'static str, Fact<'r, 'a>)> {
        let (observed, capability) = match self.result {
            Slot::Absent => (Paths::union(None, self.observed), self.capability),
            Slot::Present(result) => {
                let other = |token: &Str<'a>| result.capability_id.is_some_and(|own| own != *token);
                (None, self.capability.filter(other))
            }
            Slot::Lost => return None,
        };
        let observed = observed.filter(|paths| !paths.is_empty());
        if observed.is_none() && capability.is_none() {
            return None;
        }
        let member = if observed.is_some() {
            "observedChanges"
        } else {
            "capabilityId"
        };
        let changed = Annotation::Changed(ExecutionFact {
            action_id: self.due(decided),
            capability,
            action: None,
            observed,
            result: None,
        });
        Some((member, Fact::Annotation(changed)))
    }

    /// Returns the id of the turn's action, as modified.
    fn due(&self, decided: Option<&Decision<'a>>) -> Option<Str<'a>> {
        let modified = decided.and_then(|d| d.modified).and_then(|a| a.id);
        let proposed = match self.proposed {
            Slot::Present(action) => Some(action.id),
            Slot::Absent => None,
            Slot::Lost => decided.and_then(|d| d.action),
        };
        modified.or(proposed)
    }

    fn executed(&self, result: &'r TurnResult<'a>, decided: Option<&Decision<'a>>) -> Fact<'r, 'a> {
        Fact::Executed(ExecutionFact {
            // A turn has one action, which is the executed one unless the result names another.
            action_id: result.action_id.or_else(|| self.due(decided)),
            capability: result.capability_id.or(self.capability),
            action: result.action.as_ref().map(intent),
            observed: Paths::union(result.observed_changes.as_deref(), self.observed),
            result: Some(Outcome {
                success: result.success,
                output: result.output,
                error: result.error,
                error_type: result.error_type.is_some(),
                exit_code: result.exit_code.map(|n| n.get()),
                cost: result.cost,
                duration: result.duration_ms,
                artifacts: result.artifacts,
                perhaps: false,
                marks: &[],
            }),
        })
    }
}
