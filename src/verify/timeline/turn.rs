//! The parts of an execution that a report shows: its start, its turns and its terminal frames.
//!
//! These types also define the JSON output, so the comments of their members become descriptions of
//! the JSON schema. Every text in them comes from the trace and is hostile;
//! [`each_text`](Turn::each_text) passes all of them to the function that masks secrets.

use crate::trace::record::{CallOutcome, NotRecorded};
use borsh::{BorshDeserialize, BorshSerialize};
use governance::DecidedBy;
use governance::{RiskLevel, Ruling, State};
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// A text, truncated to the length that a report shows.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
)]
pub struct Text {
    /// The text or its beginning. Hostile.
    pub text: String,
    /// Number of characters that were cut off after `text`; 0 when the text is complete.
    pub cut: usize,
    /// SHA-256 of the whole text when it was cut, so that two texts with the same beginning compare
    /// as different.
    #[serde(skip)]
    pub whole: Option<[u8; 32]>,
}

impl Text {
    /// Truncates a text to `limit` characters.
    #[must_use]
    pub fn truncated(text: &str, limit: usize) -> Self {
        match text.char_indices().nth(limit) {
            None => Self {
                text: text.to_owned(),
                cut: 0,
                whole: None,
            },
            Some((at, _)) => {
                let (kept, rest) = text.split_at_checked(at).unwrap_or((text, ""));
                let whole = Some(Sha256::digest(text.as_bytes()).into());
                Self {
                    text: kept.to_owned(),
                    cut: rest.chars().count(),
                    whole,
                }
            }
        }
    }
}

/// What an action does, by its type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Deed {
    /// A shell command line.
    #[serde(rename = "shell_cmd")]
    Command(Text),
    /// A unified diff.
    #[serde(rename = "code_diff")]
    Diff(Text),
    /// A tool call with its parameters.
    #[serde(rename = "tool_call")]
    Tool {
        /// Name of the tool.
        tool: String,
        /// The payload as JSON text.
        payload: Text,
    },
    /// An answer in text.
    Answer(Text),
    /// An action with an unknown type or an unreadable payload.
    Other {
        /// Name of the type, as recorded.
        word: String,
        /// The payload as recorded.
        payload: Text,
    },
}

impl Deed {
    /// Returns the name of the type as records write it.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Command(_) => "shell_cmd",
            Self::Diff(_) => "code_diff",
            Self::Tool { .. } => "tool_call",
            Self::Answer(_) => "answer",
            Self::Other { word, .. } => word,
        }
    }
}

/// An action as a report shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize)]
pub struct Shown {
    /// Id of the action, if one is recorded.
    pub id: Option<String>,
    /// What the action does.
    #[serde(flatten)]
    pub deed: Deed,
    /// The first few paths that the action names.
    pub paths: Vec<String>,
    /// The risk that the trace records for the action.
    pub risk: Option<RiskLevel>,
    /// Canonical hash of type and payload: equal actions have equal hashes, whatever their
    /// formatting or truncation. Never printed, because a short secret in the payload could be
    /// guessed from it.
    #[serde(skip)]
    pub hash: Option<String>,
}

/// One thought of an agent.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
)]
pub struct Thought {
    /// Name of the agent.
    pub agent: Option<String>,
    /// Whether the agent considered its task complete.
    pub done: bool,
    /// The reasoning that the agent gave.
    pub reasoning: Option<Text>,
    /// Name of the model that produced the thought.
    pub model: Option<String>,
}

/// An item of the context that the model received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize)]
pub struct Item {
    /// Path of the item.
    pub path: String,
    /// Hash of the content; empty when none is recorded.
    pub hash: String,
    /// Size in tokens, if recorded.
    pub tokens: Option<u64>,
}

/// The context that the model received.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// Hash over the whole input of the model.
    pub input_hash: Option<String>,
    /// Version of the system prompt.
    pub prompt_version: Option<String>,
    /// Version of the set of tools.
    pub tool_set_version: Option<String>,
    /// Number of recorded messages; null when messages aren't recorded.
    pub messages: Option<usize>,
    /// The first message of a user. It serves as the intent in formats that record no other.
    pub asked: Option<Text>,
    /// The items of the context; null when they aren't recorded.
    pub items: Option<Vec<Item>>,
    /// Number of items that are omitted here.
    pub items_cut: usize,
}

/// The difference between this context and the previous one.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
)]
pub struct ContextDiff {
    /// Paths that were added.
    pub added: Vec<String>,
    /// Paths that were removed.
    pub removed: Vec<String>,
    /// Paths whose content changed.
    pub changed: Vec<String>,
    /// Number of paths that are omitted here.
    pub cut: usize,
}

/// A recorded governance decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize)]
pub struct Verdict {
    /// Whether the action was approved, rejected or modified.
    pub ruling: Ruling,
    /// Whether the policy or a human decided.
    pub by: DecidedBy,
    /// Name of the signer.
    pub signer: Option<String>,
    /// The policy rule that the decision names.
    pub rule: Option<String>,
    /// The reason that was given.
    pub reason: Option<String>,
    /// Time of the decision, in milliseconds since the epoch.
    pub time: Option<i64>,
    /// Whether the decision carries a signature. It says nothing about its validity.
    pub signed: bool,
    /// The modified action, if the decision changed it.
    pub modified: Option<Shown>,
}

/// A recorded result.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Result {
    /// Whether the record reports success.
    pub success: bool,
    /// Whether the output carries the mark with which the format reports a failure.
    pub marked_failed: bool,
    /// Output of the action.
    pub output: Text,
    /// Error message.
    pub error: Option<Text>,
    /// Kind of the error.
    pub error_type: Option<String>,
    /// Exit code.
    pub exit_code: Option<i64>,
    /// Duration in milliseconds.
    pub duration_ms: Option<f64>,
    /// Cost, in the unit of the record.
    pub cost: Option<f64>,
}

impl Result {
    /// Returns true if the success flag or a mark in the output reports a failure.
    #[must_use]
    pub fn failed(&self) -> bool {
        !self.success || self.marked_failed
    }
}

/// The observation that was recorded after a result.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
)]
pub struct Observation {
    /// Short summary of the result.
    pub summary: Text,
    /// Files that the action produced.
    pub artifacts: Vec<String>,
    /// Whether the writer of the trace truncated the observation.
    pub truncated: bool,
}

/// A state that a turn passed through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize)]
pub struct Stop {
    /// The state that was reached.
    pub state: State,
    /// Time of the transition, in milliseconds since the epoch.
    pub at: Option<i64>,
    /// Name of the event that was illegal at this point; null for a legal transition.
    pub illegal: Option<String>,
}

/// A frame of a recorded terminal session: typed input, or an act of the governor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize)]
pub struct Frame {
    /// Line of the frame in the trace.
    pub line: u64,
    /// Time in milliseconds since the recording began.
    pub time: Option<i64>,
    /// `typed`, or the name of the governor's act.
    pub what: String,
    /// The typed text, or the argument of the governor's act.
    pub text: Text,
}

/// One turn of one execution.
#[derive(
    Debug, Clone, Default, PartialEq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// Name of the input.
    #[serde(skip)]
    pub file: Arc<str>,
    /// Id of the execution.
    #[serde(skip)]
    pub execution: Arc<str>,
    /// Number of the turn, if known.
    pub number: Option<i64>,
    /// Whether the number was counted during the replay because the format numbers no turns.
    pub counted: bool,
    /// First line of the turn in the trace.
    pub line: u64,
    /// Last line of the turn in the trace.
    pub last_line: u64,
    /// Earliest recorded time, in milliseconds since the epoch.
    pub start: Option<i64>,
    /// Latest recorded time, in milliseconds since the epoch.
    pub end: Option<i64>,
    /// The states that the turn passed through, in order.
    pub path: Vec<Stop>,
    /// The context that the model received.
    pub context: Option<Context>,
    /// The recorded change of the context.
    pub context_diff: Option<ContextDiff>,
    /// The thoughts of the agents.
    pub thoughts: Vec<Thought>,
    /// The context items that the model reports to have used; null when this isn't recorded.
    pub used_context: Option<Vec<String>>,
    /// The skills that were used; null when this isn't recorded.
    pub used_skills: Option<Vec<String>>,
    /// The proposed action.
    pub proposed: Option<Shown>,
    /// Time of the proposal, in milliseconds since the epoch.
    pub proposed_at: Option<i64>,
    /// The paths that the proposal declares it will change.
    pub declared_changes: Option<Vec<String>>,
    /// The effective risk: the higher one of the recorded risk and the risk that the analysis
    /// found.
    pub judged_risk: Option<RiskLevel>,
    /// The governance decision.
    pub decision: Option<Verdict>,
    /// Whether the turn has a decision that can't be read.
    #[serde(skip)]
    pub decision_broken: bool,
    /// The executed action, if it differs from the proposed one.
    pub ran: Option<Shown>,
    /// The result of the execution.
    pub result: Option<Result>,
    /// The paths that were observed to change.
    pub observed_changes: Option<Vec<String>>,
    /// The observation after the result.
    pub observation: Option<Observation>,
    /// The evaluation by the runtime, with its reason in parentheses.
    pub evaluation: Option<String>,
    /// Frames of a recorded terminal session: typed input and acts of the governor.
    pub frames: Vec<Frame>,
    /// The tool call that this turn represents, in the format of a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<CallEnd>,
}

/// A tool call of a session and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize)]
pub struct CallEnd {
    /// Id of the call.
    pub id: String,
    /// Name of the tool, as the session records it.
    pub tool: Option<String>,
    /// How the call ended.
    pub outcome: CallOutcome,
    /// The decision in its record, even if that has no action. A call that was rejected and
    /// executed has two records, and only the first one contains the action.
    #[serde(skip)]
    pub decided: Option<(Ruling, DecidedBy)>,
    /// Working directory of the command, if recorded and different from the root of the work tree.
    #[serde(skip)]
    pub cwd: Option<String>,
}

/// The start of an execution, or its resumption after a pause.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
)]
#[serde(rename_all = "camelCase")]
pub struct Opening {
    /// Name of the input.
    #[serde(skip)]
    pub file: Arc<str>,
    /// Id of the execution.
    #[serde(skip)]
    pub execution: Arc<str>,
    /// Line of the record in the trace.
    pub line: u64,
    /// Recorded time, in milliseconds since the epoch.
    pub time: Option<i64>,
    /// The task that the agent was given.
    pub intent: Option<Text>,
    /// Name and version of the runtime.
    pub runtime: Option<String>,
    /// Names of the agents.
    pub agents: Vec<String>,
    /// Name of the governor.
    pub governor: Option<String>,
    /// Digest of the policy in force.
    pub policy_digest: Option<String>,
    /// Path of the policy.
    pub policy_path: Option<String>,
    /// Revision of the policy.
    pub policy_revision: Option<String>,
    /// Maximum number of turns.
    pub max_turns: Option<i64>,
    /// Id of the execution that this one resumes or replays.
    pub parent: Option<String>,
    /// Root of the work tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workdir: Option<String>,
    /// The facts that the writer of the trace doesn't record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_recorded: Vec<NotRecorded>,
}
