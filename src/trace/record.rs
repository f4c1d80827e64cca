//! Records of `ExecutionRecord` JSONL, version 1, as written on a line.
//!
//! The types are the schema: what they accept is valid, and the files in `schemas/` are generated
//! from them. Strings are borrowed, payloads remain text, and lists that no rule reads are checked
//! without being built ([`Each`]).

pub use super::call::{Call, CallOutcome, NotRecorded};

use super::contract::{Evaluation, Thought, TurnThought};
use super::injected::{Messages, SnapshotMetadata};
use super::scalar::{Int, Timestamp};
use governance::{ActionType, DecidedBy};
use governance::{EvaluationKind, RiskLevel, Ruling};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use strict_json::{OPEN_OBJECT, Raw, Str};

/// Kind of a record, in the order of an execution.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    ExecutionStarted,
    ThoughtGenerated,
    ActionProposed,
    GovernanceDecided,
    ExecutionFinished,
    ObservationRecorded,
    EvaluationMade,
    ExecutionEnded,
    CapabilityIssued,
    CapabilityRevoked,
    ContextChanged,
    Turn,
    Execution,
    Call,
}

impl RecordKind {
    /// All kinds.
    pub const ALL: [Self; 14] = [
        Self::ExecutionStarted,
        Self::ThoughtGenerated,
        Self::ActionProposed,
        Self::GovernanceDecided,
        Self::ExecutionFinished,
        Self::ObservationRecorded,
        Self::EvaluationMade,
        Self::ExecutionEnded,
        Self::CapabilityIssued,
        Self::CapabilityRevoked,
        Self::ContextChanged,
        Self::Turn,
        Self::Execution,
        Self::Call,
    ];

    /// Returns the word in the member `record`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ExecutionStarted => "execution_started",
            Self::ThoughtGenerated => "thought_generated",
            Self::ActionProposed => "action_proposed",
            Self::GovernanceDecided => "governance_decided",
            Self::ExecutionFinished => "execution_finished",
            Self::ObservationRecorded => "observation_recorded",
            Self::EvaluationMade => "evaluation_made",
            Self::ExecutionEnded => "execution_ended",
            Self::CapabilityIssued => "capability_issued",
            Self::CapabilityRevoked => "capability_revoked",
            Self::ContextChanged => "context_changed",
            Self::Turn => "turn",
            Self::Execution => "execution",
            Self::Call => "call",
        }
    }

    /// Returns the kind of a word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.name() == word)
    }
}

/// Kind of a record that can only be a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnlyTurn {
    /// The only value.
    Turn,
}

/// A list whose elements are checked and counted, but not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Each<T> {
    /// Number of elements.
    pub count: usize,
    element: PhantomData<T>,
}

struct EachVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for EachVisitor<T> {
    type Value = Each<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Each<T>, A::Error> {
        let mut count = 0;
        while seq.next_element::<T>()?.is_some() {
            count += 1;
        }
        Ok(Each {
            count,
            element: PhantomData,
        })
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Each<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(EachVisitor(PhantomData))
    }
}

/// A list of strings that is checked, counted and kept as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Texts<'a> {
    /// Number of strings.
    pub count: usize,
    written: Raw<'a>,
}

impl<'a> Texts<'a> {
    /// Returns the strings.
    #[must_use]
    pub fn all(self) -> Vec<Str<'a>> {
        self.written.read().unwrap_or_default()
    }

    /// Returns whether the list consists of `text` alone, written without escapes.
    #[must_use]
    pub fn is_only(self, text: &str) -> bool {
        let inner = self
            .written
            .as_written()
            .strip_prefix("[\"")
            .and_then(|rest| rest.strip_suffix("\"]"));
        self.count == 1 && inner == Some(text) && !text.contains('\\')
    }

    /// Returns the list as written.
    #[must_use]
    pub fn as_written(self) -> &'a str {
        self.written.as_written()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Texts<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Raw::<'a>::deserialize(deserializer)?;
        let all: Option<Each<Str<'a>>> = written.read();
        let all = all.ok_or_else(|| de::Error::custom("expected an array of strings"))?;
        Ok(Self {
            count: all.count,
            written,
        })
    }
}

impl JsonSchema for Texts<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Each::<Str<'_>>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Each::<Str<'_>>::json_schema(generator)
    }
}

/// A list of any values, kept as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Values<'a>(Raw<'a>);

impl<'a> Values<'a> {
    /// Returns the values.
    #[must_use]
    pub fn all(self) -> Vec<Raw<'a>> {
        self.0.read().unwrap_or_default()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Values<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Raw::<'a>::deserialize(deserializer)?;
        if written.as_written().starts_with('[') {
            Ok(Self(written))
        } else {
            Err(de::Error::custom("expected an array"))
        }
    }
}

impl JsonSchema for Values<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Each::<Raw<'_>>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Each::<Raw<'_>>::json_schema(generator)
    }
}

impl<T: JsonSchema> JsonSchema for Each<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Each{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": generator.subschema_for::<T>() })
    }
}

/// An object with any members, such as `metadata`.
#[derive(Debug, Clone, Copy)]
pub struct AnyObject;

impl<'de> Deserialize<'de> for AnyObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = AnyObject;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                deserializer: D,
            ) -> Result<AnyObject, D::Error> {
                deserializer.deserialize_map(self)
            }
            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<AnyObject, A::Error> {
                while map
                    .next_entry::<de::IgnoredAny, de::IgnoredAny>()?
                    .is_some()
                {}
                Ok(AnyObject)
            }
        }
        deserializer.deserialize_newtype_struct(OPEN_OBJECT, V)
    }
}

impl JsonSchema for AnyObject {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "AnyObject".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}

/// Payload of an action: an object, or a plain string for a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Payload<'a>(pub Raw<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for Payload<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        match raw.as_written().as_bytes().first() {
            Some(b'{' | b'"') => Ok(Self(raw)),
            _ => Err(de::Error::custom("expected an object or a string")),
        }
    }
}

impl JsonSchema for Payload<'_> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Payload".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["object", "string"] })
    }
}

/// Type of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorType {
    Conflict,
    Permission,
    Runtime,
    Timeout,
    NotFound,
}

/// Whether actions need capability tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CapabilityMode {
    Required,
    Off,
}

/// How records are chained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChainMode {
    Sha256,
}

/// Reason of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvaluationReason {
    Incomplete,
    FailureRetry,
    GoalSatisfied,
    UserAbort,
    MaxTurnsExceeded,
    AwaitHumanInput,
}

impl EvaluationReason {
    /// Returns the kind of evaluation that may have this reason.
    #[must_use]
    pub const fn kind(self) -> EvaluationKind {
        match self {
            Self::Incomplete | Self::FailureRetry => EvaluationKind::Continue,
            Self::GoalSatisfied | Self::UserAbort | Self::MaxTurnsExceeded => {
                EvaluationKind::Terminate
            }
            Self::AwaitHumanInput => EvaluationKind::Pause,
        }
    }

    /// Returns the word that records use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Incomplete => "incomplete",
            Self::FailureRetry => "failure_retry",
            Self::GoalSatisfied => "goal_satisfied",
            Self::UserAbort => "user_abort",
            Self::MaxTurnsExceeded => "max_turns_exceeded",
            Self::AwaitHumanInput => "await_human_input",
        }
    }
}

/// Declares structs of a record: members in camelCase, no unknown members, optional ones may be
/// null.
macro_rules! shapes {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident<$a:lifetime> {
            $($(#[$field_meta:meta])* $field:ident : $type:ty,)*
        }
    )*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields, bound(deserialize = "'de: 'a"))]
        pub struct $name<$a> { $($(#[$field_meta])* pub $field: $type,)* }
    )*};
}
pub(super) use shapes;

shapes! {
    /// Name and version of the writer.
    pub struct Runtime<'a> {
        name: Str<'a>,
        version: Str<'a>,
    }

    /// The governor of an execution.
    pub struct Governor<'a> {
        id: Str<'a>,
        metadata: Option<AnyObject>,
    }

    /// The policy in force.
    pub struct PolicyRef<'a> {
        digest: Str<'a>,
        path: Option<Str<'a>>,
        revision: Option<Str<'a>>,
    }

    /// A message that the model was given.
    pub struct Message<'a> {
        role: Str<'a>,
        content: Str<'a>,
        timestamp: Timestamp,
        metadata: Option<AnyObject>,
    }

    /// An item of the model's context: only its hash, not its content.
    pub struct SnapshotItem<'a> {
        path: Str<'a>,
        hash: Str<'a>,
        tokens: Int<0>,
    }

    /// The conditions of a thought: prompt, tools and context.
    pub struct ContextSnapshot<'a> {
        input_hash: Str<'a>,
        system_prompt_version: Str<'a>,
        tool_set_version: Str<'a>,
        recent_messages: Option<Messages<'a>>,
        items: Option<Vec<SnapshotItem<'a>>>,
        metadata: Option<SnapshotMetadata<'a>>,
    }

    /// An action that an agent intends.
    pub struct Intent<'a> {
        #[serde(rename = "type")]
        kind: ActionType,
        payload: Payload<'a>,
    }

    /// A proposed action.
    pub struct Action<'a> {
        id: Str<'a>,
        #[serde(rename = "type")]
        kind: ActionType,
        payload: Payload<'a>,
        risk_level: RiskLevel,
        reasoning: Str<'a>,
        metadata: Option<AnyObject>,
    }

    /// An action as modified by a human.
    pub struct ModifiedAction<'a> {
        id: Str<'a>,
        #[serde(rename = "type")]
        kind: ActionType,
        payload: Payload<'a>,
        risk_level: Option<RiskLevel>,
        reasoning: Option<Str<'a>>,
        metadata: Option<AnyObject>,
    }

    /// A signature of a decision.
    pub struct Signature<'a> {
        key_id: Str<'a>,
        alg: Str<'a>,
        value: Str<'a>,
    }

    /// A decision of the governor. The timestamp is optional here, because a decision without one
    /// is a finding of its own (YV303).
    pub struct Decision<'a> {
        status: Ruling,
        by: DecidedBy,
        timestamp: Option<Timestamp>,
        action_id: Option<Str<'a>>,
        signer: Option<Str<'a>>,
        reason: Option<Str<'a>>,
        policy_id: Option<Str<'a>>,
        rule_id: Option<Str<'a>>,
        risk_score: Option<f64>,
        original_action_id: Option<Str<'a>>,
        modified_action: Option<ModifiedAction<'a>>,
        modification_reason: Option<Str<'a>>,
        signature: Option<Signature<'a>>,
        metadata: Option<AnyObject>,
    }

    /// The result of an action.
    pub struct ResultBody<'a> {
        success: bool,
        output: Str<'a>,
        error: Option<Str<'a>>,
        error_type: Option<ErrorType>,
        exit_code: Option<Int<-2_147_483_648>>,
        artifacts: Option<Texts<'a>>,
        truncated: Option<bool>,
        duration_ms: Option<f64>,
        cost: Option<f64>,
        metadata: Option<AnyObject>,
    }

    /// An observation of a result.
    pub struct Observation<'a> {
        summary: Str<'a>,
        artifacts: Texts<'a>,
        truncated: Option<bool>,
        raw_output_ref: Option<Str<'a>>,
        metadata: Option<AnyObject>,
    }

    /// A capability token.
    pub struct Capability<'a> {
        id: Str<'a>,
        subject: Option<Str<'a>>,
        grants: Vec<Str<'a>>,
        scope: Option<Vec<Str<'a>>>,
        issuer: Str<'a>,
        metadata: Option<AnyObject>,
    }

    /// The id of a revoked token.
    pub struct CapabilityId<'a> {
        id: Str<'a>,
        metadata: Option<AnyObject>,
    }

    /// Paths that were added to, removed from or changed in the context.
    pub struct ContextDiff<'a> {
        added: Vec<Str<'a>>,
        removed: Vec<Str<'a>>,
        changed: Vec<Str<'a>>,
    }

    /// The items of a snapshot.
    pub struct SnapshotItems<'a> {
        items: Vec<SnapshotItem<'a>>,
        metadata: Option<SnapshotMetadata<'a>>,
    }

    /// The start of an execution, or its continuation after a pause.
    pub struct ExecutionStarted<'a> {
        record: RecordKind,
        execution_id: Str<'a>,
        timestamp: Option<Timestamp>,
        prev: Option<Str<'a>>,
        schema_version: Str<'a>,
        root_intent: Str<'a>,
        fsm_version: Str<'a>,
        max_turns: Option<Int<1>>,
        runtime: Option<Runtime<'a>>,
        agents: Option<Vec<Str<'a>>>,
        governor: Option<Governor<'a>>,
        policy: Option<PolicyRef<'a>>,
        capabilities: Option<CapabilityMode>,
        chain: Option<ChainMode>,
        parent: Option<Str<'a>>,
        not_recorded: Option<Vec<NotRecorded>>,
        workdir: Option<Str<'a>>,
        metadata: Option<AnyObject>,
    }

    /// A thought of an agent.
    pub struct ThoughtGenerated<'a> {
        record: RecordKind,
        execution_id: Str<'a>,
        turn_id: Int<1>,
        timestamp: Option<Timestamp>,
        prev: Option<Str<'a>>,
        agent_id: Option<Str<'a>>,
        thought: Thought<'a>,
        context_snapshot: Option<ContextSnapshot<'a>>,
        used_context: Option<Vec<Str<'a>>>,
        used_skills: Option<Each<Str<'a>>>,
        model: Option<Str<'a>>,
        metadata: Option<AnyObject>,
    }

    /// The action that is proposed to the governor.
    pub struct ActionProposed<'a> {
        record: RecordKind,
        execution_id: Str<'a>,
        turn_id: Int<1>,
        timestamp: Option<Timestamp>,
        prev: Option<Str<'a>>,
        agent_id: Option<Str<'a>>,
        action: Action<'a>,
        declared_changes: Option<Vec<Str<'a>>>,
        metadata: Option<AnyObject>,
    }

    /// A decision of the governor.
    pub struct GovernanceDecided<'a> {
        record: RecordKind,
        execution_id: Str<'a>,
        turn_id: Int<1>,
        timestamp: Option<Timestamp>,
        prev: Option<Str<'a>>,
        decision: Decision<'a>,
        metadata: Option<AnyObject>,
    }

    /// The end of an action, with its result.
    pub struct ExecutionFinished<'a> {
        record: RecordKind,
        execution_id: Str<'a>,
        turn_id: Int<1>,
        timestamp: Option<Timestamp>,
        prev: Option<Str<'a>>,
        action_id: Str<'a>,
        capability_id: Option<Str<'a>>,
        action: Option<Intent<'a>>,
        result: ResultBody<'a>,
        observed_changes: Option<Vec<Str<'a>>>,
        metadata: Option<AnyObject>,
    }

    /// An observation of a result.
    pub struct ObservationRecorded<'a> {
        record: RecordKind,
        execution_id: Str<'a>,
        turn_id: Int<1>,
        timestamp: Option<Timestamp>,
        prev: Option<Str<'a>>,
        action_id: Option<Str<'a>>,
        observation: Observation<'a>,
        metadata: Option<AnyObject>,
    }

    /// The runtime's decision whether the execution continues.
    pub struct EvaluationMade<'a> {
        record: RecordKind,
        execution_id: Str<'a>,
        turn_id: Int<1>,
        timestamp: Option<Timestamp>,
        prev: Option<Str<'a>>,
        evaluation: Evaluation,
        metadata: Option<AnyObject>,
    }

    /// The end of an execution.
    pub struct ExecutionEnded<'a> {
        record: RecordKind,
        execution_id: Str<'a>,
        timestamp: Option<Timestamp>,
        prev: Option<Str<'a>>,
        outcome: Str<'a>,
        decisions: Option<Values<'a>>,
        artifacts: Option<Texts<'a>>,
        metadata: Option<AnyObject>,
    }

    /// The issue of a capability token.
    pub struct CapabilityIssued<'a> {
        record: RecordKind,
        execution_id: Str<'a>,
        turn_id: Option<Int<1>>,
        timestamp: Option<Timestamp>,
        prev: Option<Str<'a>>,
        capability: Capability<'a>,
        metadata: Option<AnyObject>,
    }

    /// The permanent revocation of a capability token.
    pub struct CapabilityRevoked<'a> {
        record: RecordKind,
        execution_id: Str<'a>,
        turn_id: Option<Int<1>>,
        timestamp: Option<Timestamp>,
        prev: Option<Str<'a>>,
        capability: CapabilityId<'a>,
        reason: Option<Str<'a>>,
        metadata: Option<AnyObject>,
    }

    /// A change of the model's context.
    pub struct ContextChanged<'a> {
        record: RecordKind,
        execution_id: Str<'a>,
        turn_id: Int<1>,
        timestamp: Option<Timestamp>,
        prev: Option<Str<'a>>,
        diff: ContextDiff<'a>,
        snapshot: SnapshotItems<'a>,
        metadata: Option<AnyObject>,
    }

    /// A proposed action inside a turn, with the members of a record of its own.
    pub struct TurnAction<'a> {
        id: Str<'a>,
        #[serde(rename = "type")]
        kind: ActionType,
        payload: Payload<'a>,
        risk_level: RiskLevel,
        reasoning: Str<'a>,
        agent_id: Option<Str<'a>>,
        declared_changes: Option<Vec<Str<'a>>>,
        metadata: Option<AnyObject>,
    }

    /// A result inside a turn, with the members of a record of its own.
    pub struct TurnResult<'a> {
        action_id: Option<Str<'a>>,
        capability_id: Option<Str<'a>>,
        action: Option<Intent<'a>>,
        observed_changes: Option<Vec<Str<'a>>>,
        success: bool,
        output: Str<'a>,
        error: Option<Str<'a>>,
        error_type: Option<ErrorType>,
        exit_code: Option<Int<-2_147_483_648>>,
        artifacts: Option<Texts<'a>>,
        truncated: Option<bool>,
        duration_ms: Option<f64>,
        cost: Option<f64>,
        metadata: Option<AnyObject>,
    }

    /// An observation inside a turn.
    pub struct TurnObservation<'a> {
        action_id: Option<Str<'a>>,
        summary: Str<'a>,
        artifacts: Texts<'a>,
        truncated: Option<bool>,
        raw_output_ref: Option<Str<'a>>,
        metadata: Option<AnyObject>,
    }

    /// A whole turn, which represents the events above in their order.
    pub struct Turn<'a> {
        record: Option<OnlyTurn>,
        execution_id: Option<Str<'a>>,
        turn_id: Int<1>,
        timestamp: Option<Timestamp>,
        prev: Option<Str<'a>>,
        start_time: Timestamp,
        end_time: Option<Timestamp>,
        agent_id: Option<Str<'a>>,
        context_snapshot: ContextSnapshot<'a>,
        context_diff: Option<ContextDiff<'a>>,
        thought: Option<TurnThought<'a>>,
        thoughts: Option<Vec<TurnThought<'a>>>,
        used_context: Option<Vec<Str<'a>>>,
        used_skills: Option<Each<Str<'a>>>,
        model: Option<Str<'a>>,
        proposed_action: Option<TurnAction<'a>>,
        declared_changes: Option<Vec<Str<'a>>>,
        governance: Option<Decision<'a>>,
        capability_id: Option<Str<'a>>,
        execution_result: Option<TurnResult<'a>>,
        observed_changes: Option<Vec<Str<'a>>>,
        observation: Option<TurnObservation<'a>>,
        evaluation: Option<Evaluation>,
        metadata: Option<AnyObject>,
    }

    /// A whole execution.
    pub struct Execution<'a> {
        record: RecordKind,
        execution_id: Str<'a>,
        timestamp: Option<Timestamp>,
        prev: Option<Str<'a>>,
        schema_version: Str<'a>,
        root_intent: Str<'a>,
        fsm_version: Str<'a>,
        max_turns: Option<Int<1>>,
        runtime: Option<Runtime<'a>>,
        agents: Option<Vec<Str<'a>>>,
        governor: Option<Governor<'a>>,
        policy: Option<PolicyRef<'a>>,
        capabilities: Option<CapabilityMode>,
        chain: Option<ChainMode>,
        parent: Option<Str<'a>>,
        turns: Vec<Turn<'a>>,
        outcome: Option<Str<'a>>,
        metadata: Option<AnyObject>,
    }
}
