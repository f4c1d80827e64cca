//! `messages` and `pi`: conversations as lists of messages.
//!
//! Reads the messages of `OpenAI` (chat and Responses) and of Anthropic, and other programs'
//! variants: a list, a document that contains one, a conversation on a line, or a message on a
//! line. `pi` writes a line with the session's id, then a message per line. A claim in an
//! assistant's text isn't a call. Older Cline and Roo write calls as tags into the text, and their
//! results come in texts of the user.

mod calls;
pub(super) mod code;
mod hosted;
mod notes;
mod shapes;
#[cfg(test)]
mod tests;
mod wrapped;

pub(super) use self::shapes::have_roles;

use self::notes::Notes;
use self::shapes::{is_conversation, is_message};
use super::claude_code::server_failed;
use super::text_calls;
use super::unread;
use super::{
    Call, CallEnd, CallStatus, Event, EventKind, Events, Lenient, LenientStr, Read, SessionFormat,
    SessionRecord, Sessions, id, is_word, output, text,
};
use crate::trace::record::NotRecorded;
use crate::trace::scalar::Timestamp;
use governance::DecidedBy;
use serde::Deserialize;
use std::borrow::Cow;
use strict_json::{Raw, Str};

pub(in crate::trace::formats) const FORMAT: SessionFormat = SessionFormat {
    name: "messages",
    not_recorded: &[
        NotRecorded::Decisions,
        NotRecorded::DecisionDetails,
        NotRecorded::ExitCodes,
        NotRecorded::Diffs,
        NotRecorded::Times,
        NotRecorded::Workdir,
    ],
    is_line_oriented: false,
    has_arrays: true,
    repeats: &[],
    names: Sessions::OfFile,
    is_shape_of: |unit| is_message(unit) || is_conversation(unit),
    lists: &[
        "messages",
        "simulations",
        "ticks",
        "traj",
        "choices",
        "tool_calls",
        "toolCalls",
        "agent_tool_calls",
        "user_tool_calls",
    ],
    read: Read::Value(read),
};

pub(in crate::trace::formats) const PI: SessionFormat = SessionFormat {
    name: "pi",
    not_recorded: &[
        NotRecorded::Decisions,
        NotRecorded::DecisionDetails,
        NotRecorded::ExitCodes,
        NotRecorded::Diffs,
    ],
    is_line_oriented: false,
    has_arrays: false,
    repeats: &[],
    names: Sessions::OfFile,
    is_shape_of: |unit| {
        unit.is_word("type", &["session"]) && unit.has(&["id", "cwd"])
            || unit.is_word("type", &["message"])
                && unit.has(&["message", "timestamp"])
                && !unit.has(&["role"])
    },
    lists: &[],
    read: Read::Value(read_pi),
};

const USER: &[&str] = &["user", "human"];
const AGENT: &[&str] = &["assistant", "ai", "AIMessageChunk", "model", "agent"];
const TOOL: &[&str] = &["tool", "function", "toolResult", "tool_result"];
const SYSTEM: &[&str] = &["system", "developer"];
/// `LangChain`'s types of messages, instead of a role.
const LANGCHAIN: &[&str] = &["human", "ai", "tool", "system"];

/// Types of parts and items that are calls whose results come separately.
const CALLS: &[&str] = &[
    "tool_use",
    "server_tool_call",
    "server_tool_use",
    "mcp_tool_use",
    "tool_call",
    "tool-call",
    "toolCall",
    "function_call",
    "functionCall",
    "custom_tool_call",
    "local_shell_call",
    "shell_call",
    "computer_call",
    "apply_patch_call",
];
/// Types of items that contain a call and its result.
const DONE: &[&str] = &[
    "mcp_call",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "hosted_tool_call",
];

fn is_result(kind: &str) -> bool {
    kind == "tool_result"
        || kind.ends_with("_tool_result")
        || kind.ends_with("_call_output")
        || kind.ends_with("_call_result")
        || matches!(
            kind,
            "tool-result" | "toolResult" | "tool_call_response" | "functionResponse"
        )
}

/// A document that contains a conversation.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Document<'a> {
    #[serde(borrow)]
    messages: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    object: LenientStr<'a>,
    #[serde(borrow)]
    output: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    choices: Lenient<Vec<Lenient<Choice<'a>>>>,
    /// Gemini's choices.
    #[serde(borrow)]
    candidates: Lenient<Vec<Lenient<Choice<'a>>>>,
    #[serde(borrow)]
    id: LenientStr<'a>,
    #[serde(borrow)]
    session_id: LenientStr<'a>,
    #[serde(borrow)]
    conversation_id: LenientStr<'a>,
    #[serde(borrow)]
    cwd: LenientStr<'a>,
    #[serde(borrow)]
    task_id: Option<Raw<'a>>,
    #[serde(borrow)]
    trial: Option<Raw<'a>>,
    #[serde(borrow)]
    traj: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    simulations: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    ticks: Lenient<Vec<Lenient<Tick<'a>>>>,
}

/// A time step in a run of tau2-bench, in which both sides may act.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tick<'a> {
    #[serde(borrow)]
    agent_tool_calls: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    user_tool_calls: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    agent_tool_results: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    user_tool_results: Lenient<Vec<Raw<'a>>>,
}

impl<'a> Document<'a> {
    /// Reads the messages of a run of tau-bench or tau2-bench; does nothing for other documents.
    fn run(&mut self, events: &mut Events<'a>, raw: Raw<'a>) {
        let Some(task) = id(self.task_id) else {
            return;
        };
        let mut messages = self.messages.0.take().unwrap_or_default();
        messages.extend(self.traj.0.take().unwrap_or_default());
        let ticks = self.ticks.0.take().unwrap_or_default();
        let ticks = if messages.is_empty() {
            ticks
        } else {
            Vec::new()
        };
        if messages.is_empty() && ticks.is_empty() {
            return;
        }
        let trial = id(self.trial).unwrap_or(Cow::Borrowed("0"));
        events.push(raw, EventKind::Part(format!("{task}#{trial}").into()));
        for raw in messages {
            message(events, raw);
        }
        for tick in ticks.into_iter().filter_map(|tick| tick.0) {
            for raw in [tick.agent_tool_calls, tick.user_tool_calls]
                .into_iter()
                .flat_map(all)
            {
                if let Some(call) = raw.read::<Message<'a>>() {
                    events.push(raw, EventKind::Call(call.call()));
                }
            }
            for raw in [tick.agent_tool_results, tick.user_tool_results]
                .into_iter()
                .flat_map(all)
            {
                message(events, raw);
            }
        }
    }
}

fn all<T>(list: Lenient<Vec<T>>) -> Vec<T> {
    list.0.unwrap_or_default()
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Choice<'a> {
    #[serde(borrow)]
    message: Option<Raw<'a>>,
    /// Gemini's name of it.
    #[serde(borrow)]
    content: Option<Raw<'a>>,
}

fn read<'a>(raw: Raw<'a>, whole: &'a str) -> SessionRecord<'a> {
    let mut events = Events::new(whole, None);
    let mut record = SessionRecord::default();
    if let Some(list) = raw.read::<Vec<Raw<'a>>>() {
        record.whole = true;
        for raw in list {
            message(&mut events, raw);
        }
    } else {
        let mut document = raw.read::<Document<'a>>().unwrap_or_default();
        let of_api = is_word(document.object, &["response", "chat.completion"]);
        for raw in document.simulations.0.take().unwrap_or_default() {
            let mut run = raw.read::<Document<'a>>().unwrap_or_default();
            run.run(&mut events, raw);
        }
        let mut lists = document.messages.0.take().unwrap_or_default();
        record.whole = !lists.is_empty() || of_api;
        if !record.whole {
            document.run(&mut events, raw);
        }
        if of_api {
            lists.extend(document.output.0.unwrap_or_default());
            let choices = document.choices.0.unwrap_or_default();
            lists.extend(choices.into_iter().filter_map(|choice| choice.0?.message));
        }
        if record.whole {
            record.session = text(document.session_id)
                .or_else(|| text(document.conversation_id))
                .or_else(|| text(document.id))
                .filter(|id| !id.is_empty());
            record.cwd = text(document.cwd).or_else(|| wrapped::work_tree(raw));
            for raw in lists {
                message(&mut events, raw);
            }
        } else if events.is_empty() {
            // A document of runs contains expected calls, too.
            message(&mut events, raw);
        }
    }
    record.cwd = record.cwd.or(events.cwd.take().map(Cow::Owned));
    record.events = events.into_list();
    // If a program reads tags as calls, it does so from the beginning of the conversation.
    let in_text = |event: &Event<'_>| matches!(event.what, EventKind::CallsInText);
    if record.whole
        && let Some(at) = record.events.iter().position(in_text)
        && let Some(before) = record.events.get_mut(..=at)
    {
        before.rotate_right(1);
    }
    record
}

fn read_pi<'a>(raw: Raw<'a>, whole: &'a str) -> SessionRecord<'a> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Head<'a> {
        #[serde(borrow, rename = "type")]
        kind: LenientStr<'a>,
        #[serde(borrow)]
        id: LenientStr<'a>,
        #[serde(borrow)]
        cwd: LenientStr<'a>,
    }
    let head = raw.read::<Head<'a>>().unwrap_or_default();
    if is_word(head.kind, &["session"]) {
        return SessionRecord {
            session: text(head.id).filter(|id| !id.is_empty()),
            cwd: text(head.cwd),
            header: true,
            ..SessionRecord::default()
        };
    }
    read(raw, whole)
}

/// A message, an item of a response or a part of a message: they share their members.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) role: LenientStr<'a>,
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) content: Option<Raw<'a>>,
    #[serde(borrow)]
    parts: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    text: LenientStr<'a>,
    #[serde(borrow, rename = "message")]
    inner: Option<Raw<'a>>,
    timestamp: Lenient<Timestamp>,
    #[serde(borrow)]
    tool_calls: Option<Raw<'a>>,
    #[serde(borrow, rename = "toolCalls")]
    other_calls: Option<Raw<'a>>,
    /// The provider's data in `LangChain`.
    #[serde(borrow)]
    additional_kwargs: Option<Raw<'a>>,
    #[serde(borrow)]
    function: Option<Raw<'a>>,
    #[serde(borrow)]
    custom: Option<Raw<'a>>,
    #[serde(borrow)]
    function_call: Option<Raw<'a>>,
    #[serde(borrow, rename = "functionCall")]
    part_call: Option<Raw<'a>>,
    #[serde(borrow, rename = "functionResponse")]
    part_response: Option<Raw<'a>>,
    /// Bedrock's call.
    #[serde(borrow, rename = "toolUse")]
    bedrock_call: Option<Raw<'a>>,
    #[serde(borrow, rename = "toolResult")]
    bedrock_result: Option<Raw<'a>>,
    #[serde(borrow)]
    function_response: Option<Raw<'a>>,
    #[serde(borrow)]
    id: Option<Raw<'a>>,
    #[serde(borrow)]
    call_id: Option<Raw<'a>>,
    #[serde(borrow)]
    tool_call_id: Option<Raw<'a>>,
    #[serde(borrow)]
    tool_call_ids: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    tool_use_id: Option<Raw<'a>>,
    #[serde(borrow, rename = "toolUseId")]
    bedrock_id: Option<Raw<'a>>,
    #[serde(borrow, rename = "toolCallId")]
    ai_sdk_id: Option<Raw<'a>>,
    /// Of `OpenAI`'s Agents SDK.
    #[serde(borrow, rename = "callId")]
    agents_id: Option<Raw<'a>>,
    #[serde(borrow, rename = "toolUseID")]
    amp_id: Option<Raw<'a>>,
    /// How a call of Amp went.
    #[serde(borrow)]
    run: Option<Raw<'a>>,
    /// Messages of several results in tau2-bench.
    #[serde(borrow)]
    tool_messages: Lenient<Vec<Raw<'a>>>,
    /// What Zed's messages of version 0.2 contain.
    #[serde(borrow)]
    segments: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    tool_uses: Option<Raw<'a>>,
    #[serde(borrow)]
    tool_results: Option<Raw<'a>>,
    /// Zed's messages.
    #[serde(borrow, rename = "Agent")]
    zed_agent: Option<Raw<'a>>,
    #[serde(borrow, rename = "User")]
    zed_user: Option<Raw<'a>>,
    /// The message in `LangChain`'s, and the provider's item in the Agents SDK's.
    #[serde(borrow)]
    data: Option<Raw<'a>>,
    #[serde(borrow, rename = "providerData")]
    provider_data: Option<Raw<'a>>,
    #[serde(borrow)]
    name: LenientStr<'a>,
    #[serde(borrow)]
    function_name: LenientStr<'a>,
    #[serde(borrow, rename = "toolName")]
    ai_sdk_name: LenientStr<'a>,
    #[serde(borrow)]
    tool_name: LenientStr<'a>,
    #[serde(borrow)]
    tool: LenientStr<'a>,
    #[serde(borrow)]
    arguments: Option<Raw<'a>>,
    #[serde(borrow)]
    args: Option<Raw<'a>>,
    #[serde(borrow)]
    parameters: Option<Raw<'a>>,
    #[serde(borrow)]
    params: Option<Raw<'a>>,
    #[serde(borrow)]
    kwargs: Option<Raw<'a>>,
    #[serde(borrow)]
    tool_input: Option<Raw<'a>>,
    #[serde(borrow, rename = "toolInput")]
    other_input: Option<Raw<'a>>,
    #[serde(borrow)]
    input: Option<Raw<'a>>,
    #[serde(borrow)]
    action: Option<Raw<'a>>,
    #[serde(borrow)]
    operation: Option<Raw<'a>>,
    #[serde(borrow)]
    code: Option<Raw<'a>>,
    #[serde(borrow)]
    output: Option<Raw<'a>>,
    #[serde(borrow)]
    result: Option<Raw<'a>>,
    #[serde(borrow)]
    response: Option<Raw<'a>>,
    #[serde(borrow)]
    status: LenientStr<'a>,
    #[serde(borrow)]
    error: Option<Raw<'a>>,
    /// Who requested the call of this result, in tau2-bench.
    #[serde(borrow)]
    requestor: Option<Raw<'a>>,
    is_error: Lenient<bool>,
    #[serde(rename = "isError")]
    ai_sdk_error: Lenient<bool>,
}

/// Reads a message.
pub(super) fn message<'a>(events: &mut Events<'a>, raw: Raw<'a>) {
    message_as(events, raw, None);
}

/// Reads a message whose role may be known from elsewhere.
fn message_as<'a>(events: &mut Events<'a>, raw: Raw<'a>, role: Option<LenientStr<'a>>) {
    let Some(mut message) = raw.read::<Message<'a>>() else {
        return;
    };
    message.role = role.unwrap_or(message.role);
    let time = events.time;
    events.time = message.timestamp.0.or(time);
    let before = events.len();
    message.read_into(events, raw);
    events.push_unread_calls(raw, before);
    events.mark(raw, unread::Reading::Whole);
    events.time = time;
}

impl<'a> Message<'a> {
    fn read_into(&self, events: &mut Events<'a>, raw: Raw<'a>) {
        if self.inner(events) {
            return;
        }
        let kind = text(self.kind);
        if kind.as_deref() == Some("message") && self.role.0.is_none() {
            if let Some(inner) = self.inner {
                message(events, inner);
            }
            return;
        }
        if self.item(events, raw) {
            return;
        }
        // A list of parts may be read as one of messages.
        if self.role.0.is_none() && kind.is_none() && code::push(events, raw) {
            return;
        }
        // LangChain stores the role in `type`.
        let role = if self.role.0.is_some() {
            self.role
        } else {
            self.kind
        };
        let parts = self.content.and_then(|c| c.read::<Vec<Raw<'a>>>());
        if is_word(role, TOOL) {
            let several = self.tool_messages.0.as_deref().unwrap_or_default();
            if self.content.is_none() && !several.is_empty() {
                for raw in several {
                    message(events, *raw);
                }
                return;
            }
            let is_item = |raw: &Raw<'a>| {
                raw.read::<Self>()
                    .and_then(|part| text(part.kind))
                    .is_some_and(|kind| {
                        is_result(&kind)
                            || CALLS.contains(&&*kind)
                            || kind == "tool-approval-response"
                    })
            };
            let own = self.parts.0.iter().flatten().copied();
            let all: Vec<_> = parts.into_iter().flatten().chain(own).collect();
            if all.iter().any(is_item) {
                for raw in all {
                    Self::part(events, raw, role);
                }
            } else {
                events.push(raw, self.result());
            }
            return;
        }
        let from = events.len();
        let mut notes = Notes::default();
        if let Some(said) = self.content.and_then(|c| c.read::<Str<'a>>()) {
            notes.text(events, raw, role, said.decode());
        }
        let parts = parts.into_iter().flatten();
        for raw in parts.chain(self.parts.0.iter().flatten().copied()) {
            match Self::text_of(raw).filter(|_| is_word(role, USER)) {
                Some(said) => notes.text(events, raw, role, said),
                None => Self::part(events, raw, role),
            }
        }
        notes.end(events);
        self.segments(events, raw, role);
        self.push_listed_calls(events, from);
        self.segment_results(events);
    }

    /// Returns the end of a call from a tool's message. Its own id may be the call's; otherwise, it
    /// belongs to the oldest call without one.
    fn result(&self) -> EventKind<'a> {
        let mut ended = self.ended();
        let own = id(self.id).filter(|id| !id.is_empty());
        match own.filter(|_| ended.id.is_none()) {
            Some(own) => {
                ended.id = Some(own);
                let tool = Cow::Borrowed("");
                EventKind::Responded { tool, ended }
            }
            None => EventKind::Ended(ended),
        }
    }

    /// Returns the text of a part that is nothing but text.
    fn text_of(raw: Raw<'a>) -> Option<Cow<'a, str>> {
        if let Some(said) = raw.read::<Str<'a>>() {
            return Some(said.decode());
        }
        let part = raw.read::<Self>()?;
        text(part.text).filter(|_| is_word(part.kind, &["text", "input_text"]))
    }

    fn part(events: &mut Events<'a>, raw: Raw<'a>, role: LenientStr<'a>) {
        if let Some(said) = raw.read::<Str<'a>>() {
            push_text(events, raw, role, said.decode());
            return;
        }
        let Some(part) = raw.read::<Self>() else {
            return;
        };
        if part.item(events, raw) {
            return;
        }
        if part.nested(events, raw) {
            return;
        }
        if is_word(part.kind, &["text", "input_text", "output_text"]) || part.kind.0.is_none() {
            let said = text(part.text);
            let said = said.or_else(|| {
                part.content
                    .and_then(|c| c.read::<Str<'a>>().map(Str::decode))
            });
            if let Some(said) = said {
                push_text(events, raw, role, said);
            }
        }
    }

    /// Reads the calls and the results that a part of Gemini's or Bedrock's form contains. Returns
    /// whether there are some.
    fn nested(&self, events: &mut Events<'a>, raw: Raw<'a>) -> bool {
        let before = events.len();
        let calls = [self.part_call, self.function_call, self.bedrock_call];
        let calls = calls.into_iter().flatten();
        for (inner, call) in calls.filter_map(|inner| Some((inner, inner.read::<Self>()?))) {
            events.push(raw, EventKind::Call(call.call()));
            events.mark(inner, unread::Reading::Call);
        }
        let results = [self.part_response, self.function_response];
        for result in results.into_iter().flatten() {
            if let Some(result) = result.read::<Self>() {
                let (tool, ended) = (text(result.name).unwrap_or_default(), result.ended());
                events.push(raw, EventKind::Responded { tool, ended });
            }
        }
        if let Some(result) = self.bedrock_result.and_then(|raw| raw.read::<Self>()) {
            events.push(raw, EventKind::Ended(result.ended()));
        }
        code::push(events, raw);
        events.len() > before
    }

    /// Reads a call or a result. Returns whether it is one.
    fn item(&self, events: &mut Events<'a>, raw: Raw<'a>) -> bool {
        let Some(kind) = text(self.kind) else {
            return false;
        };
        if hosted::item(events, raw, &kind, self) {
            return true;
        }
        // Inspect's block of a server's tool contains the result.
        let is_done = kind == "tool_use" && self.arguments.is_some() && self.result.is_some();
        if CALLS.contains(&&*kind) && !is_done {
            events.push(raw, EventKind::Call(self.call()));
        } else if DONE.contains(&&*kind) || is_done {
            let ended = Some(self.ended()).filter(|_| !self.is_open());
            hosted::push_done(events, raw, self.call(), ended);
        } else if is_result(&kind) {
            let run = self.run.filter(|_| self.content.is_none());
            let ended = match run {
                Some(run) => wrapped::amp_end(run, self.call_id()),
                None => Some(self.ended()),
            };
            if let Some(ended) = ended {
                events.push(raw, EventKind::Ended(ended));
            }
        } else {
            return false;
        }
        true
    }

    fn call_id(&self) -> Option<Cow<'a, str>> {
        [
            self.call_id,
            self.tool_call_id,
            self.tool_use_id,
            self.bedrock_id,
            self.ai_sdk_id,
            self.agents_id,
            self.amp_id,
            self.tool_call_ids
                .0
                .as_ref()
                .and_then(|ids| ids.first().copied()),
            self.id,
        ]
        .into_iter()
        .find_map(id)
        .filter(|id| !id.is_empty())
    }

    /// Returns it as the result of a call. A tool's message has an id of its own, which isn't the
    /// call's.
    pub(super) fn ended(&self) -> CallEnd<'a> {
        let is_part = text(self.kind).is_some_and(|kind| is_result(&kind));
        let named = Self {
            id: self
                .id
                .filter(|_| is_part || self.part_of_response() || self.requestor.is_some()),
            call_id: self.call_id,
            tool_call_id: self.tool_call_id,
            tool_use_id: self.tool_use_id,
            bedrock_id: self.bedrock_id,
            ai_sdk_id: self.ai_sdk_id,
            agents_id: self.agents_id,
            amp_id: self.amp_id,
            tool_call_ids: Lenient(self.tool_call_ids.0.clone()),
            ..Self::default()
        };
        let inner = self.output.and_then(|raw| raw.read::<Self>());
        let inner = inner.unwrap_or_default();
        let output_kind = inner.kind;
        let given = [self.output, self.result, self.response, self.content];
        let shown = text(inner.text)
            .filter(|_| is_word(output_kind, &["text"]))
            .unwrap_or_else(|| output(given.into_iter().flatten().next()));
        let failed = self.is_error.0 == Some(true)
            || is_word(output_kind, &["error-text", "error-json"])
            || self.ai_sdk_error.0 == Some(true)
            || is_word(self.status, &["error", "failed"])
            || server_failed(self.content)
            || self
                .error
                .is_some_and(|error| !matches!(error.as_written(), "null" | "false" | "\"\""))
            || shown.starts_with("Error executing tool:");
        let aborted = self.ai_sdk_error.0 == Some(true) && ends_in_abort(&shown);
        let how = if aborted || is_abort(&shown) {
            CallStatus::Interrupted
        } else if failed {
            CallStatus::Error
        } else if is_word(output_kind, &["execution-denied"]) {
            CallStatus::Rejected(DecidedBy::Human)
        } else if let Some(how) = text_calls::structured(&shown) {
            how
        } else if is_word(self.status, &["incomplete", "cancelled"]) {
            CallStatus::Interrupted
        } else {
            CallStatus::Ok
        };
        let is_shell = is_word(self.kind, &["shell_call_output"]);
        let shell = self.output.filter(|_| is_shell && how == CallStatus::Ok);
        let (how, exit_code) = hosted::shell_end(shell).unwrap_or((how, None));
        CallEnd {
            id: named.call_id(),
            how,
            output: match self.error {
                Some(error) if shown.is_empty() && failed => output(Some(error)),
                _ => shown,
            },
            exit_code,
            change: None,
        }
    }

    fn part_of_response(&self) -> bool {
        self.response.is_some() && self.role.0.is_none()
    }
}

/// Returns whether a result says that the request was aborted, so that its call may have been
/// executed in part.
fn is_abort(shown: &str) -> bool {
    let text = shown.trim();
    let text = text.strip_prefix("Error executing tool: ").unwrap_or(text);
    text.strip_prefix("Error: ").unwrap_or(text) == "Request aborted"
}

/// Returns whether pi's output of a failed call ends with its note that the person stopped it.
fn ends_in_abort(shown: &str) -> bool {
    let shown = shown.trim_end();
    shown.ends_with("Command aborted") || shown == "Operation aborted"
}

/// Returns the calls in a model's output: a message, a list of messages or parts, or a response.
pub(super) fn asked<'a>(raw: Raw<'a>) -> Vec<Call<'a>> {
    let mut events = Events::new(raw.as_written(), None);
    if let Some(list) = raw.read::<Vec<Raw<'a>>>() {
        for raw in list {
            message(&mut events, raw);
        }
    } else {
        let document = raw.read::<Document<'a>>().unwrap_or_default();
        let choices = [document.choices, document.candidates].into_iter();
        let choices = choices.filter_map(|list| list.0).flatten();
        let choices = choices.filter_map(|choice| choice.0);
        let messages = choices.flat_map(|choice| [choice.message, choice.content]);
        let messages = messages.flatten();
        let lists = [document.messages.0, document.output.0];
        for raw in lists.into_iter().flatten().flatten().chain(messages) {
            message(&mut events, raw);
        }
        message(&mut events, raw);
    }
    events.into_calls()
}

/// Returns the calls in a model's choice: a message or an object that contains one.
pub(super) fn choice<'a>(raw: Raw<'a>) -> Vec<Call<'a>> {
    #[derive(Deserialize)]
    struct Choice<'a> {
        #[serde(borrow)]
        message: Raw<'a>,
    }
    let inner = raw.read::<Choice<'a>>().map(|choice| choice.message);
    asked(inner.unwrap_or(raw))
}

fn push_text<'a>(events: &mut Events<'a>, raw: Raw<'a>, role: LenientStr<'a>, said: Cow<'a, str>) {
    if is_word(role, AGENT) {
        events.push(raw, EventKind::Said(said));
    } else if is_word(role, USER) {
        events.push(raw, EventKind::Prompt(said));
    }
}
