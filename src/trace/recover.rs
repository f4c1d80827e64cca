//! Recovery of a turn or a whole execution that violates its schema.
//!
//! An event that violates its schema costs one event. A turn contains up to six events and an
//! execution any number, so they are read again part by part. Each valid part is replayed as if it
//! were on a line of its own; each other one is as unreadable as such a line.

use super::contract::{Evaluation, TurnThought};
use super::record::{
    AnyObject, CapabilityMode, ChainMode, ContextDiff, ContextSnapshot, Decision, Each, Governor,
    OnlyTurn, PolicyRef, RecordKind, Turn, TurnAction, TurnObservation, TurnResult,
};
use super::scalar::{Int, Timestamp};
use super::step::{Fact, Part, Step};
use super::turn::{Parts, Slot};
use super::v1::started;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Error as _, SeqAccess, Visitor};
use std::fmt;
use strict_json::{DEFAULT_MAX_DEPTH, Deserializer, Raw, Scanner, Str, from_text};

/// Maximum number of recovered turns of one record. A record with more is taken for unreadable: a
/// recovered turn takes many times as much memory as its text.
const TURNS: usize = 256;

/// A record of several events that violates its schema.
#[derive(Debug)]
pub struct Recovered<'a> {
    pub execution_id: Str<'a>,
    /// Hash of the record before.
    pub prev: Option<Str<'a>>,
    head: Option<Slot<Head<'a>>>,
    turns: Vec<Piece<'a>>,
    outcome: Slot<Str<'a>>,
}

/// A turn of such a record.
#[derive(Debug)]
enum Piece<'a> {
    /// The turn is valid.
    Whole(Box<Turn<'a>>),
    /// Some of its parts are valid.
    Recovered(Box<LooseTurn<'a>>),
    /// Nothing is readable, except perhaps its number.
    Lost(Option<i64>),
}

/// Members of an execution's start that the replay needs.
#[derive(Debug)]
struct Head<'a> {
    timestamp: Option<Timestamp>,
    schema_version: Str<'a>,
    root_intent: Option<Str<'a>>,
    fsm_version: Str<'a>,
    max_turns: Option<Int<1>>,
    agents: Option<Vec<Str<'a>>>,
    governor: Option<Governor<'a>>,
    policy: Option<PolicyRef<'a>>,
    capabilities: Option<CapabilityMode>,
    chain: Option<ChainMode>,
}

/// A turn whose members are read independently. Unknown members are ignored here; they have a
/// finding.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
struct LooseTurn<'a> {
    record: Slot<OnlyTurn>,
    execution_id: Slot<Str<'a>>,
    turn_id: Slot<Int<1>>,
    timestamp: Slot<Timestamp>,
    prev: Slot<Str<'a>>,
    start_time: Slot<Timestamp>,
    end_time: Slot<Timestamp>,
    agent_id: Slot<Str<'a>>,
    context_snapshot: Slot<ContextSnapshot<'a>>,
    context_diff: Slot<ContextDiff<'a>>,
    thought: Slot<TurnThought<'a>>,
    thoughts: Slot<Vec<TurnThought<'a>>>,
    used_context: Slot<Vec<Str<'a>>>,
    used_skills: Slot<Each<Str<'a>>>,
    model: Slot<Str<'a>>,
    proposed_action: Slot<TurnAction<'a>>,
    declared_changes: Slot<Vec<Str<'a>>>,
    governance: Slot<Decision<'a>>,
    capability_id: Slot<Str<'a>>,
    execution_result: Slot<TurnResult<'a>>,
    observed_changes: Slot<Vec<Str<'a>>>,
    observation: Slot<TurnObservation<'a>>,
    evaluation: Slot<Evaluation>,
    metadata: Slot<AnyObject>,
}

/// An execution whose members are read independently.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
struct LooseExecution<'a> {
    execution_id: Slot<Str<'a>>,
    timestamp: Slot<Timestamp>,
    prev: Slot<Str<'a>>,
    schema_version: Slot<Str<'a>>,
    root_intent: Slot<Str<'a>>,
    fsm_version: Slot<Str<'a>>,
    max_turns: Slot<Int<1>>,
    agents: Slot<Vec<Str<'a>>>,
    governor: Slot<Governor<'a>>,
    policy: Slot<PolicyRef<'a>>,
    capabilities: Slot<CapabilityMode>,
    chain: Slot<ChainMode>,
    turns: Slot<Raw<'a>>,
    outcome: Slot<Str<'a>>,
}

/// Reads a turn or an execution that its type refused. Returns `None` if not even its execution is
/// readable, or if too much of it is invalid.
pub(super) fn recover<'a>(kind: RecordKind, text: &'a str) -> Option<Recovered<'a>> {
    if kind == RecordKind::Turn {
        let turn: LooseTurn<'a> = from_text(text).ok()?;
        let (execution_id, prev) = (turn.execution_id.present()?, turn.prev.present());
        return Some(Recovered {
            execution_id,
            prev,
            head: None,
            turns: vec![turn.piece(execution_id)],
            outcome: Slot::Absent,
        });
    }
    let loose: LooseExecution<'a> = from_text(text).ok()?;
    let (execution_id, prev, outcome) = (
        loose.execution_id.present()?,
        loose.prev.present(),
        loose.outcome,
    );
    let mut scanner = Scanner::new(loose.turns.present()?.as_written(), DEFAULT_MAX_DEPTH);
    let turns = Pieces { execution_id }
        .deserialize(&mut Deserializer::new(&mut scanner))
        .ok()?;
    let head = Some(loose.head().map_or(Slot::Lost, Slot::Present));
    Some(Recovered {
        execution_id,
        prev,
        head,
        turns,
        outcome,
    })
}

impl<'a> LooseTurn<'a> {
    /// Returns the turn, if its only fault is unknown members.
    fn whole(&self) -> Option<Turn<'a>> {
        Some(Turn {
            record: self.record.optional()?,
            execution_id: self.execution_id.optional()?,
            turn_id: self.turn_id.present()?,
            timestamp: self.timestamp.optional()?,
            prev: self.prev.optional()?,
            start_time: self.start_time.present()?,
            end_time: self.end_time.optional()?,
            agent_id: self.agent_id.optional()?,
            context_snapshot: self.context_snapshot.as_ref().present()?.clone(),
            context_diff: self.context_diff.optional()?,
            thought: self.thought.optional()?,
            thoughts: self.thoughts.optional()?,
            used_context: self.used_context.optional()?,
            used_skills: self.used_skills.optional()?,
            model: self.model.optional()?,
            proposed_action: self.proposed_action.optional()?,
            declared_changes: self.declared_changes.optional()?,
            governance: self.governance.optional()?,
            capability_id: self.capability_id.optional()?,
            execution_result: self.execution_result.optional()?,
            observed_changes: self.observed_changes.optional()?,
            observation: self.observation.optional()?,
            evaluation: self.evaluation.optional()?,
            metadata: self.metadata.optional()?,
        })
    }

    /// Converts the turn to a part of its execution.
    fn piece(self, execution_id: Str<'a>) -> Piece<'a> {
        let other = self
            .execution_id
            .optional()
            .is_none_or(|id| id.is_some_and(|id| id != execution_id));
        match self.turn_id.present() {
            Some(_) if !other && !self.record.is_lost() => match self.whole() {
                Some(turn) => Piece::Whole(Box::new(turn)),
                None => Piece::Recovered(Box::new(self)),
            },
            number => Piece::Lost(number.map(Int::get)),
        }
    }

    /// Returns the parts of the turn. If a member next to them is lost, the parts that it belongs
    /// to are too.
    fn parts(&self) -> Parts<'_, 'a> {
        let agent_lost = self.agent_id.is_lost();
        let proposal_lost = agent_lost || self.declared_changes.is_lost();
        let result_lost = self.capability_id.is_lost() || self.observed_changes.is_lost();
        Parts {
            turn: self.turn_id.present().map(Int::get),
            start: self.start_time.present(),
            end: self.end_time.present(),
            agent: self.agent_id.present(),
            capability: self.capability_id.present(),
            declared: self.declared_changes.as_ref().present().map(Vec::as_slice),
            observed: self.observed_changes.as_ref().present().map(Vec::as_slice),
            thought: self.thought.as_ref().lost_if(agent_lost),
            thoughts: self
                .thoughts
                .as_ref()
                .map(Vec::as_slice)
                .lost_if(agent_lost),
            proposed: self.proposed_action.as_ref().lost_if(proposal_lost),
            governance: self.governance.as_ref(),
            result: self.execution_result.as_ref().lost_if(result_lost),
            observation: self.observation.as_ref(),
            evaluation: self.evaluation.as_ref(),
        }
    }
}

impl<'a> LooseExecution<'a> {
    /// Returns the start, if everything that the replay reads of it is valid.
    fn head(self) -> Option<Head<'a>> {
        Some(Head {
            timestamp: self.timestamp.present(),
            schema_version: self.schema_version.present()?,
            root_intent: self.root_intent.present(),
            fsm_version: self.fsm_version.present()?,
            max_turns: self.max_turns.optional()?,
            agents: self.agents.optional()?,
            governor: self.governor.optional()?,
            policy: self.policy.optional()?,
            capabilities: self.capabilities.optional()?,
            chain: self.chain.optional()?,
        })
    }
}

/// Reads the turns of an execution.
struct Pieces<'a> {
    execution_id: Str<'a>,
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for Pieces<'a> {
    type Value = Vec<Piece<'a>>;

    fn deserialize<D: serde::Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de: 'a, 'a> Visitor<'de> for Pieces<'a> {
    type Value = Vec<Piece<'a>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut pieces = Vec::new();
        let mut broken = 0;
        while let Some(raw) = seq.next_element::<Raw<'a>>()? {
            let piece = raw.read().map_or(Piece::Lost(None), |turn: LooseTurn<'a>| {
                turn.piece(self.execution_id)
            });
            broken += usize::from(!matches!(piece, Piece::Whole(_)));
            if broken > TURNS {
                return Err(A::Error::custom("too many broken turns"));
            }
            pieces.push(piece);
        }
        Ok(pieces)
    }
}

impl<'a> Recovered<'a> {
    /// Returns whether it declares that the records of its execution are chained.
    pub(crate) fn declares_chain(&self) -> bool {
        matches!(&self.head, Some(Slot::Present(head)) if head.chain.is_some())
    }

    /// Returns its turns; `None` for invalid ones.
    pub(crate) fn turns(&self) -> impl Iterator<Item = Option<&Turn<'a>>> {
        self.turns.iter().map(|piece| {
            if let Piece::Whole(turn) = piece {
                Some(&**turn)
            } else {
                None
            }
        })
    }

    /// Returns the number of the turn that contains a pointer.
    pub(crate) fn turn_at(&self, pointer: Option<&str>) -> Option<i64> {
        let index = match self.head {
            None => 0,
            Some(_) => pointer?
                .strip_prefix("/turns/")?
                .split('/')
                .next()?
                .parse()
                .ok()?,
        };
        match self.turns.get(index)? {
            Piece::Whole(turn) => Some(turn.turn_id.get()),
            Piece::Recovered(turn) => turn.turn_id.present().map(Int::get),
            Piece::Lost(turn) => *turn,
        }
    }

    /// Passes its steps to `emit`, in their order.
    pub(super) fn steps<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        let whole = |time, member, fact| Step {
            turn: None,
            time,
            part: Part::member(member),
            fact,
        };
        match &self.head {
            None => {}
            Some(Slot::Present(head)) => {
                emit(&whole(
                    head.timestamp,
                    "",
                    Fact::Started(started!(head, false)),
                ));
            }
            Some(_) => emit(&whole(
                None,
                "",
                Fact::Unreadable(RecordKind::ExecutionStarted),
            )),
        }
        for (piece, index) in self.turns.iter().zip(0u32..) {
            let nested = self.head.as_ref().map(|_| index);
            match piece {
                Piece::Whole(turn) => Parts::of(turn).steps(nested, emit),
                Piece::Recovered(turn) => turn.parts().steps(nested, emit),
                Piece::Lost(turn) => emit(&Step {
                    turn: *turn,
                    time: None,
                    part: Part { nested, member: "" },
                    fact: Fact::Unreadable(RecordKind::Turn),
                }),
            }
        }
        match self.outcome {
            Slot::Absent => {}
            Slot::Present(outcome) => emit(&whole(None, "outcome", Fact::Ended(outcome))),
            Slot::Lost => emit(&whole(
                None,
                "outcome",
                Fact::Unreadable(RecordKind::ExecutionEnded),
            )),
        }
    }
}
