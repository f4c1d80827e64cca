//! What is kept of an execution for those who want to see it: how it began, its turns, what its
//! terminal said.
//!
//! The types are the shape of the JSON outputs as well, so each of their members is documented
//! there and here at once. Every text in them is hostile; [`each_text`](Turn::each_text) shows it
//! to whoever hides secrets.

use crate::trace::record::{CallOutcome, NotRecorded};
use governance::DecidedBy;
use governance::{RiskLevel, Ruling, State};
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// A text, cut to what a report shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Text {
    /// The text or its beginning. Hostile.
    pub text: String,
    /// How many characters are missing behind it.
    pub cut: usize,
    /// What stands for the whole of a text that was cut, so that two of them can be told apart.
    #[serde(skip)]
    pub whole: Option<[u8; 32]>,
}

impl Text {
    /// Cuts a text to `limit` characters.
    #[must_use]
    pub fn of(text: &str, limit: usize) -> Self {
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Deed {
    /// A command line.
    #[serde(rename = "shell_cmd")]
    Command(Text),
    /// A unified diff.
    #[serde(rename = "code_diff")]
    Diff(Text),
    /// A tool with its parameters.
    #[serde(rename = "tool_call")]
    Tool {
        /// Its name.
        tool: String,
        /// The payload as JSON.
        payload: Text,
    },
    /// An answer.
    Answer(Text),
    /// A type or a payload that can't be told.
    Other {
        /// The word for the type.
        word: String,
        /// The payload as it stands.
        payload: Text,
    },
}

impl Deed {
    /// The word of the type as it stands in records.
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

/// An action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Shown {
    /// Its id.
    pub id: Option<String>,
    /// What it does.
    #[serde(flatten)]
    pub deed: Deed,
    /// The first paths that it names.
    pub paths: Vec<String>,
    /// The risk that was recorded.
    pub risk: Option<RiskLevel>,
    /// The canonical hash of type and payload: equal actions have equal hashes, however they are
    /// cut or written. Not for print, since a short secret in the payload could be guessed from it.
    #[serde(skip)]
    pub hash: Option<String>,
}

/// A thought.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Thought {
    /// Who thought.
    pub agent: Option<String>,
    /// Whether the agent believed itself done.
    pub done: bool,
    /// What it said for itself.
    pub reasoning: Option<Text>,
    /// The model that was asked.
    pub model: Option<String>,
}

/// An item that the model was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Item {
    /// Its path.
    pub path: String,
    /// The hash of its content.
    pub hash: String,
    /// How many tokens it has.
    pub tokens: Option<u64>,
}

/// What the model was shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// The hash of all that it was shown.
    pub input_hash: Option<String>,
    /// The version of the system prompt.
    pub prompt_version: Option<String>,
    /// The version of the set of tools.
    pub tool_set_version: Option<String>,
    /// How many messages are recorded.
    pub messages: Option<usize>,
    /// The first message of a user, which is the intent where a format keeps no other.
    pub asked: Option<Text>,
    /// The items; `None` when they aren't recorded.
    pub items: Option<Vec<Item>>,
    /// Items that are left out here.
    pub items_cut: usize,
}

/// How the context differs from the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ContextDiff {
    /// Paths that came.
    pub added: Vec<String>,
    /// Paths that went.
    pub removed: Vec<String>,
    /// Paths whose content changed.
    pub changed: Vec<String>,
    /// Paths that are left out here.
    pub cut: usize,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Verdict {
    /// What it says.
    pub ruling: Ruling,
    /// Who made it.
    pub by: DecidedBy,
    /// Who signed.
    pub signer: Option<String>,
    /// The rule of the policy.
    pub rule: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// When, in milliseconds since the epoch.
    pub time: Option<i64>,
    /// Whether it carries a signature.
    pub signed: bool,
    /// The action as it was changed.
    pub modified: Option<Shown>,
}

/// A result.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Result {
    /// Whether it is said to have succeeded.
    pub success: bool,
    /// The format marks failures in the output, and this one is marked.
    pub marked_failed: bool,
    /// What it printed.
    pub output: Text,
    /// What went wrong.
    pub error: Option<Text>,
    /// The kind of failure.
    pub error_type: Option<String>,
    /// The exit code.
    pub exit_code: Option<i64>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<f64>,
    /// What it cost, in the unit of the record.
    pub cost: Option<f64>,
}

impl Result {
    /// Whether it failed, by its flag or by the mark that some formats leave in the output instead.
    #[must_use]
    pub fn failed(&self) -> bool {
        !self.success || self.marked_failed
    }
}

/// What was seen of a result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Observation {
    /// In a few words.
    pub summary: Text,
    /// The files that came of it.
    pub artifacts: Vec<String>,
    /// The writer says that it was cut.
    pub truncated: bool,
}

/// A state on the way through a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Stop {
    /// The state.
    pub state: State,
    /// When it was reached, in milliseconds since the epoch.
    pub at: Option<i64>,
    /// The event that was illegal here, if one was.
    pub illegal: Option<String>,
}

/// A frame of a recorded terminal session that somebody typed or the governor made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Frame {
    /// Its line.
    pub line: u64,
    /// Milliseconds since the recording began.
    pub time: Option<i64>,
    /// `typed`, or the word of the governor.
    pub what: String,
    /// What was typed, or what goes with the word.
    pub text: Text,
}

/// One turn of one execution.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// The input.
    #[serde(skip)]
    pub file: Arc<str>,
    /// The execution.
    #[serde(skip)]
    pub execution: Arc<str>,
    /// Its number, where one is known.
    pub number: Option<i64>,
    /// The format numbers no turns; they were counted as they passed.
    pub counted: bool,
    /// The line that it begins on.
    pub line: u64,
    /// The line that it ends on.
    pub last_line: u64,
    /// Its first time in milliseconds since the epoch.
    pub start: Option<i64>,
    /// Its last time.
    pub end: Option<i64>,
    /// The states that it went through.
    pub path: Vec<Stop>,
    /// What the model was shown.
    pub context: Option<Context>,
    /// How the context changed.
    pub context_diff: Option<ContextDiff>,
    /// The thoughts, of each agent one.
    pub thoughts: Vec<Thought>,
    /// The items that the model says it has used; `None` when it isn't recorded.
    pub used_context: Option<Vec<String>>,
    /// The skills that were used; `None` when it isn't recorded.
    pub used_skills: Option<Vec<String>>,
    /// What was proposed.
    pub proposed: Option<Shown>,
    /// When it was proposed.
    pub proposed_at: Option<i64>,
    /// The paths that the action says it will change.
    pub declared_changes: Option<Vec<String>>,
    /// The risk to judge by: the worse of what was recorded and what the analyser finds.
    pub judged_risk: Option<RiskLevel>,
    /// What was decided.
    pub decision: Option<Verdict>,
    /// A decision stands there that can't be read.
    #[serde(skip)]
    pub decision_broken: bool,
    /// What ran, where it isn't what was proposed.
    pub ran: Option<Shown>,
    /// What came of it.
    pub result: Option<Result>,
    /// The paths that were seen to change.
    pub observed_changes: Option<Vec<String>>,
    /// What was seen of it.
    pub observation: Option<Observation>,
    /// How the runtime ruled.
    pub evaluation: Option<String>,
    /// What was typed and what the governor did, in a recorded terminal session.
    pub frames: Vec<Frame>,
    /// The call of a session that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<CallEnd>,
}

/// A call of a session, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallEnd {
    /// Its id.
    pub id: String,
    /// The tool, as the session names it.
    pub tool: Option<String>,
    /// What became of it.
    pub outcome: CallOutcome,
    /// Where its command ran, if that is recorded and isn't the root of the work tree.
    #[serde(skip)]
    pub cwd: Option<String>,
}

/// How an execution began, or began again after a pause.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Opening {
    /// The input.
    #[serde(skip)]
    pub file: Arc<str>,
    /// The execution.
    #[serde(skip)]
    pub execution: Arc<str>,
    /// Its line.
    pub line: u64,
    /// When, in milliseconds since the epoch.
    pub time: Option<i64>,
    /// What the agent was asked for.
    pub intent: Option<Text>,
    /// The runtime, with its version.
    pub runtime: Option<String>,
    /// The agents.
    pub agents: Vec<String>,
    /// Who governs.
    pub governor: Option<String>,
    /// The digest of the policy in force.
    pub policy_digest: Option<String>,
    /// Where that policy stands.
    pub policy_path: Option<String>,
    /// Its revision.
    pub policy_revision: Option<String>,
    /// The most turns that the execution may take.
    pub max_turns: Option<i64>,
    /// The execution that this one resumes or replays.
    pub parent: Option<String>,
    /// The root of the work tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workdir: Option<String>,
    /// What its writer doesn't keep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_recorded: Vec<NotRecorded>,
}
