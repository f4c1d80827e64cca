//! What can still be read of a turn or of a whole execution that breaks its schema.
//!
//! An event that breaks its schema costs one event. A turn stands for six of them and an execution for any number, so
//! they are read again part by part: each part that keeps the schema is replayed as if it stood on a line of its own, each
//! other one is as unreadable as such a line would be.

use super::contract::{Evaluation, TurnThought};
use super::record::{
    CapabilityMode, ChainMode, Decision, Governor, OnlyTurn, PolicyRef, RecordKind, Turn, TurnAction, TurnObservation, TurnResult,
};
use super::scalar::{Int, Timestamp};
use super::step::{Fact, Part, Step};
use super::turn::{Parts, Slot};
use super::v1::started;
use crate::json::{DEFAULT_MAX_DEPTH, Deserializer, Raw, Scanner, Str, from_text};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Error as _, SeqAccess, Visitor};
use std::fmt;

/// Broken turns of one record that are mended. A record with more is taken for no execution: what is kept of each would
/// be many times as long as what stands in the text.
const TURNS: usize = 256;

/// A record of several events that breaks its schema, as far as it can be read.
#[derive(Debug)]
pub struct Mended<'a> {
    /// The execution.
    pub execution_id: Str<'a>,
    /// The hash of the record before.
    pub prev: Option<Str<'a>>,
    head: Option<Slot<Head<'a>>>,
    turns: Vec<Piece<'a>>,
    outcome: Slot<Str<'a>>,
}

/// A turn of such a record.
#[derive(Debug)]
enum Piece<'a> {
    /// It keeps the schema.
    Whole(Box<Turn<'a>>),
    /// Some of it does.
    Mended(Box<MendedTurn<'a>>),
    /// Nothing can be told but, perhaps, its number.
    Lost(Option<i64>),
}

#[derive(Debug)]
struct MendedTurn<'a> {
    turn_id: Int<1>,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    agent_id: Option<Str<'a>>,
    capability_id: Option<Str<'a>>,
    declared_changes: Option<Vec<Str<'a>>>,
    observed_changes: Option<Vec<Str<'a>>>,
    thought: Slot<TurnThought<'a>>,
    thoughts: Slot<Vec<TurnThought<'a>>>,
    proposed_action: Slot<TurnAction<'a>>,
    governance: Slot<Decision<'a>>,
    execution_result: Slot<TurnResult<'a>>,
    observation: Slot<TurnObservation<'a>>,
    evaluation: Slot<Evaluation>,
}

/// The start of an execution, as far as replay reads it.
#[derive(Debug)]
struct Head<'a> {
    timestamp: Option<Timestamp>,
    schema_version: Str<'a>,
    fsm_version: Str<'a>,
    max_turns: Option<Int<1>>,
    agents: Option<Vec<Str<'a>>>,
    governor: Option<Governor<'a>>,
    policy: Option<PolicyRef<'a>>,
    capabilities: Option<CapabilityMode>,
    chain: Option<ChainMode>,
}

/// The members of a turn, each as it is written. What a turn must not hold is passed over: it has its finding.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
struct TurnMembers<'a> {
    record: Option<Raw<'a>>,
    execution_id: Option<Raw<'a>>,
    turn_id: Option<Raw<'a>>,
    prev: Option<Raw<'a>>,
    timestamp: Option<Raw<'a>>,
    start_time: Option<Raw<'a>>,
    end_time: Option<Raw<'a>>,
    agent_id: Option<Raw<'a>>,
    context_snapshot: Option<Raw<'a>>,
    context_diff: Option<Raw<'a>>,
    used_context: Option<Raw<'a>>,
    used_skills: Option<Raw<'a>>,
    model: Option<Raw<'a>>,
    metadata: Option<Raw<'a>>,
    thought: Option<Raw<'a>>,
    thoughts: Option<Raw<'a>>,
    proposed_action: Option<Raw<'a>>,
    declared_changes: Option<Raw<'a>>,
    governance: Option<Raw<'a>>,
    capability_id: Option<Raw<'a>>,
    execution_result: Option<Raw<'a>>,
    observed_changes: Option<Raw<'a>>,
    observation: Option<Raw<'a>>,
    evaluation: Option<Raw<'a>>,
}

/// The members of an execution, likewise.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
struct ExecutionMembers<'a> {
    execution_id: Option<Raw<'a>>,
    timestamp: Option<Raw<'a>>,
    prev: Option<Raw<'a>>,
    schema_version: Option<Raw<'a>>,
    fsm_version: Option<Raw<'a>>,
    max_turns: Option<Raw<'a>>,
    agents: Option<Raw<'a>>,
    governor: Option<Raw<'a>>,
    policy: Option<Raw<'a>>,
    capabilities: Option<Raw<'a>>,
    chain: Option<Raw<'a>>,
    turns: Option<Raw<'a>>,
    outcome: Option<Raw<'a>>,
}

/// Reads a turn or an execution that its type refused. Nothing where not even its execution can be told, or too much of it is
/// broken.
pub(super) fn mend<'a>(kind: RecordKind, text: &'a str) -> Option<Mended<'a>> {
    if kind == RecordKind::Turn {
        let members: TurnMembers<'a> = from_text(text).ok()?;
        let execution_id = members.execution_id?.read()?;
        let prev = members.prev.and_then(Raw::read);
        return Some(Mended { execution_id, prev, head: None, turns: vec![members.piece(execution_id)], outcome: Slot::Absent });
    }
    let members: ExecutionMembers<'a> = from_text(text).ok()?;
    let execution_id = members.execution_id?.read()?;
    let mut scanner = Scanner::new(members.turns?.as_written(), DEFAULT_MAX_DEPTH);
    let turns = Pieces { execution_id }.deserialize(&mut Deserializer::new(&mut scanner)).ok()?;
    let prev = members.prev.and_then(Raw::read);
    let outcome = slot(members.outcome);
    let head = Some(members.head().map_or(Slot::Lost, Slot::There));
    Some(Mended { execution_id, prev, head, turns, outcome })
}

/// A part as its type reads it.
fn slot<'a, T: Deserialize<'a>>(raw: Option<Raw<'a>>) -> Slot<T> {
    raw.map_or(Slot::Absent, |raw| raw.read().map_or(Slot::Lost, Slot::There))
}

/// A member that may be missing. The outer `None` says that it breaks the schema.
#[expect(clippy::option_option, reason = "missing and broken differ")]
fn optional<'a, T: Deserialize<'a>>(raw: Option<Raw<'a>>) -> Option<Option<T>> {
    raw.map_or(Some(None), |raw| raw.read().map(Some))
}

impl<'a> TurnMembers<'a> {
    /// The turn, where it only holds members that it must not.
    fn whole(&self) -> Option<Turn<'a>> {
        Some(Turn {
            record: optional(self.record)?,
            execution_id: optional(self.execution_id)?,
            turn_id: self.turn_id?.read()?,
            timestamp: optional(self.timestamp)?,
            prev: optional(self.prev)?,
            start_time: self.start_time?.read()?,
            end_time: optional(self.end_time)?,
            agent_id: optional(self.agent_id)?,
            context_snapshot: self.context_snapshot?.read()?,
            context_diff: optional(self.context_diff)?,
            thought: optional(self.thought)?,
            thoughts: optional(self.thoughts)?,
            used_context: optional(self.used_context)?,
            used_skills: optional(self.used_skills)?,
            model: optional(self.model)?,
            proposed_action: optional(self.proposed_action)?,
            declared_changes: optional(self.declared_changes)?,
            governance: optional(self.governance)?,
            capability_id: optional(self.capability_id)?,
            execution_result: optional(self.execution_result)?,
            observed_changes: optional(self.observed_changes)?,
            observation: optional(self.observation)?,
            evaluation: optional(self.evaluation)?,
            metadata: optional(self.metadata)?,
        })
    }

    /// The turn of `execution_id` that these are.
    fn piece(self, execution_id: Str<'a>) -> Piece<'a> {
        let number: Option<Int<1>> = self.turn_id.and_then(Raw::read);
        let lost = Piece::Lost(number.map(Int::get));
        let (Some(turn_id), Some(own), Some(_)) =
            (number, optional::<Str<'_>>(self.execution_id), optional::<OnlyTurn>(self.record))
        else {
            return lost;
        };
        if own.is_some_and(|id| id != execution_id) {
            return lost;
        }
        if let Some(turn) = self.whole() {
            return Piece::Whole(Box::new(turn));
        }
        // What stands beside the parts belongs to some of them.
        let declared_changes = optional(self.declared_changes);
        let agent_id = optional(self.agent_id);
        let capability_id = optional(self.capability_id);
        let observed_changes = optional(self.observed_changes);
        let agent_lost = agent_id.is_none();
        let proposal_lost = agent_lost || declared_changes.is_none();
        let result_lost = capability_id.is_none() || observed_changes.is_none();
        Piece::Mended(Box::new(MendedTurn {
            turn_id,
            start: self.start_time.and_then(Raw::read),
            end: self.end_time.and_then(Raw::read),
            agent_id: agent_id.flatten(),
            capability_id: capability_id.flatten(),
            declared_changes: declared_changes.flatten(),
            observed_changes: observed_changes.flatten(),
            thought: slot(self.thought).lost_if(agent_lost),
            thoughts: slot(self.thoughts).lost_if(agent_lost),
            proposed_action: slot(self.proposed_action).lost_if(proposal_lost),
            governance: slot(self.governance),
            execution_result: slot(self.execution_result).lost_if(result_lost),
            observation: slot(self.observation),
            evaluation: slot(self.evaluation),
        }))
    }
}

impl<'a> ExecutionMembers<'a> {
    /// The start, when all that replay reads of it keeps the schema.
    fn head(&self) -> Option<Head<'a>> {
        Some(Head {
            timestamp: self.timestamp.and_then(Raw::read),
            schema_version: self.schema_version?.read()?,
            fsm_version: self.fsm_version?.read()?,
            max_turns: optional(self.max_turns)?,
            agents: optional(self.agents)?,
            governor: optional(self.governor)?,
            policy: optional(self.policy)?,
            capabilities: optional(self.capabilities)?,
            chain: optional(self.chain)?,
        })
    }
}

/// The turns of an execution.
struct Pieces<'a> {
    execution_id: Str<'a>,
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for Pieces<'a> {
    type Value = Vec<Piece<'a>>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
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
            let whole: Option<Box<Turn<'a>>> = raw.read();
            if let Some(turn) = whole.filter(|t| t.execution_id.is_none_or(|id| id == self.execution_id)) {
                pieces.push(Piece::Whole(turn));
                continue;
            }
            broken += 1;
            if broken > TURNS {
                return Err(A::Error::custom("too many broken turns"));
            }
            let members: Option<TurnMembers<'a>> = raw.read();
            pieces.push(members.map_or(Piece::Lost(None), |m| m.piece(self.execution_id)));
        }
        Ok(pieces)
    }
}

impl<'a> Mended<'a> {
    /// Whether it declares that the records of its execution are chained.
    pub(crate) fn declares_chain(&self) -> bool {
        matches!(&self.head, Some(Slot::There(head)) if head.chain.is_some())
    }

    /// Its turns; nothing for those that break the schema.
    pub(crate) fn turns(&self) -> impl Iterator<Item = Option<&Turn<'a>>> {
        self.turns.iter().map(|piece| if let Piece::Whole(turn) = piece { Some(&**turn) } else { None })
    }

    /// The number of the turn that a place in the record belongs to.
    pub(crate) fn turn_at(&self, pointer: Option<&str>) -> Option<i64> {
        let index = match self.head {
            None => 0,
            Some(_) => pointer?.strip_prefix("/turns/")?.split('/').next()?.parse().ok()?,
        };
        match self.turns.get(index)? {
            Piece::Whole(turn) => Some(turn.turn_id.get()),
            Piece::Mended(turn) => Some(turn.turn_id.get()),
            Piece::Lost(turn) => *turn,
        }
    }

    /// Unfolds it into its steps, in their order.
    pub(super) fn steps<'r>(&'r self, emit: &mut dyn FnMut(Step<'r, 'a>)) {
        let whole = |time, member, fact| Step { turn: None, time, part: Part::member(member), fact };
        match &self.head {
            None => {}
            Some(Slot::There(head)) => emit(whole(head.timestamp.map(Timestamp::millis), "", Fact::Started(started!(head)))),
            Some(_) => emit(whole(None, "", Fact::Unreadable(RecordKind::ExecutionStarted))),
        }
        for (piece, index) in self.turns.iter().zip(0u32..) {
            let nested = self.head.as_ref().map(|_| index);
            match piece {
                Piece::Whole(turn) => Parts::of(turn).steps(nested, emit),
                Piece::Mended(turn) => turn.parts().steps(nested, emit),
                Piece::Lost(turn) => emit(Step {
                    turn: *turn,
                    time: None,
                    part: Part { nested, member: "" },
                    fact: Fact::Unreadable(RecordKind::Turn),
                }),
            }
        }
        match self.outcome {
            Slot::Absent => {}
            Slot::There(outcome) => emit(whole(None, "outcome", Fact::Ended(outcome))),
            Slot::Lost => emit(whole(None, "outcome", Fact::Unreadable(RecordKind::ExecutionEnded))),
        }
    }
}

impl<'a> MendedTurn<'a> {
    fn parts(&self) -> Parts<'_, 'a> {
        Parts {
            turn: Some(self.turn_id.get()),
            start: self.start.map(Timestamp::millis),
            end: self.end.map(Timestamp::millis),
            agent: self.agent_id,
            capability: self.capability_id,
            declared: self.declared_changes.as_deref(),
            observed: self.observed_changes.as_deref(),
            thought: self.thought.as_ref(),
            thoughts: match &self.thoughts {
                Slot::Absent => Slot::Absent,
                Slot::There(thoughts) => Slot::There(thoughts),
                Slot::Lost => Slot::Lost,
            },
            proposed: self.proposed_action.as_ref(),
            governance: self.governance.as_ref(),
            result: self.execution_result.as_ref(),
            observation: self.observation.as_ref(),
            evaluation: self.evaluation.as_ref(),
        }
    }
}
