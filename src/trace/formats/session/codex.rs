//! `codex`: rollouts of Codex, current ones and those from before September 2025.
//!
//! A current record wraps an item of the model's API in `{timestamp, type, payload}`; an old one is
//! the bare item. Events repeat items and are read only for marks of rejections. Neither requests
//! for approval nor answers are recorded: a rejection is the output of the call.

use super::{
    Call, CallEnd, CallStatus, Event, EventKind, ExitCode, Lenient, LenientStr, Read,
    SessionFormat, SessionRecord, Sessions, codex_log, given, input, is_word, output, text,
};
use crate::trace::record::NotRecorded;
use crate::trace::scalar::Timestamp;
use governance::DecidedBy;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use strict_json::{Deserializer, Raw};

pub(in crate::trace::formats) static FORMAT: SessionFormat = SessionFormat {
    name: "codex",
    not_recorded: NOT_RECORDED,
    is_line_oriented: true,
    has_arrays: false,
    repeats: &[],
    names: Sessions::First,
    is_shape_of: |unit| {
        unit.has(&["timestamp", "payload"]) && unit.is_word("type", &RECORDS)
            || unit.has(&["id", "timestamp", "instructions"])
            || unit.is_word("record_type", &["state"])
            || unit.has(&["call_id"]) && unit.is_word("type", &ITEMS)
    },
    lists: &[],
    read: Read::AtOnce(|scanner, text| {
        let line = Line::deserialize(&mut Deserializer::new(scanner));
        line.ok().map(|line| line.record(Raw::trusted(text)))
    }),
};

/// Parts that no record of this format contains.
const NOT_RECORDED: &[NotRecorded] = &[NotRecorded::Decisions, NotRecorded::DecisionDetails];

/// Types of current records.
const RECORDS: [&str; 5] = [
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
];

/// Types of items that only Codex writes on lines of their own. Those of the Responses API are read
/// as messages.
const ITEMS: [&str; 3] = [
    "local_shell_call",
    "custom_tool_call",
    "custom_tool_call_output",
];

/// A line of a rollout.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    timestamp: Lenient<Timestamp>,
    #[serde(borrow)]
    payload: Option<Raw<'a>>,
    #[serde(borrow)]
    id: LenientStr<'a>,
    #[serde(borrow)]
    cwd: LenientStr<'a>,
}

/// An item, or an event that repeats one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Item<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    #[serde(borrow)]
    id: LenientStr<'a>,
    #[serde(borrow)]
    call_id: LenientStr<'a>,
    #[serde(borrow)]
    name: LenientStr<'a>,
    #[serde(borrow)]
    namespace: LenientStr<'a>,
    #[serde(borrow)]
    arguments: Option<Raw<'a>>,
    #[serde(borrow)]
    input: Option<Raw<'a>>,
    #[serde(borrow)]
    action: Option<Raw<'a>>,
    #[serde(borrow)]
    status: LenientStr<'a>,
    #[serde(borrow)]
    output: Option<Raw<'a>>,
    #[serde(borrow)]
    tools: Option<Raw<'a>>,
    #[serde(borrow)]
    role: LenientStr<'a>,
    #[serde(borrow)]
    content: Option<Raw<'a>>,
    #[serde(borrow)]
    cwd: LenientStr<'a>,
    #[serde(borrow)]
    source: LenientStr<'a>,
    #[serde(borrow)]
    stderr: LenientStr<'a>,
    #[serde(borrow)]
    aggregated_output: LenientStr<'a>,
    #[serde(borrow)]
    result: Option<Raw<'a>>,
}

impl<'a> Line<'a> {
    fn record(self, whole: Raw<'a>) -> SessionRecord<'a> {
        let word = text(self.kind).unwrap_or_default();
        let wrapped = self.payload.filter(|_| RECORDS.contains(&&*word));
        let item: Option<Item<'a>> = wrapped.unwrap_or(whole).read();
        let item = item.unwrap_or_default();
        let mut record = SessionRecord::default();
        let what = match (wrapped.is_some(), &*word) {
            (true, "session_meta" | "turn_context") => {
                record.cwd = text(item.cwd);
                if word == "session_meta" {
                    record.session = text(item.id);
                }
                None
            }
            (true, "event_msg") => rejected_in_event(&item),
            (true, "compacted") => None,
            // The first record of an old rollout.
            (false, "") if self.timestamp.0.is_some() && item.role.0.is_none() => {
                record.session = text(self.id);
                record.cwd = text(self.cwd);
                None
            }
            _ => item.what(),
        };
        // Events repeat items. An event without an item is the only record of its call.
        let event = wrapped.filter(|_| word == "event_msg");
        let repeated = event.and_then(codex_log::ended_call);
        let repeated = repeated.map(|(call, ended)| EventKind::Wanted {
            call,
            ended: Some(ended),
        });
        record
            .events
            .extend(what.into_iter().chain(repeated).map(|what| Event {
                at: 0,
                time: self.timestamp.0,
                what,
            }));
        record
    }
}

impl<'a> Item<'a> {
    /// Returns the event of an item.
    fn what(self) -> Option<EventKind<'a>> {
        let kind = text(self.kind).unwrap_or_default();
        if kind == "message" || kind.is_empty() && self.role.0.is_some() {
            return said(self.role, self.content);
        }
        let id = text(self.call_id).or_else(|| text(self.id));
        if kind.ends_with("_output") {
            let raw = self.output.or(self.content).or(self.tools);
            return Some(EventKind::Ended(ended(id, raw)));
        }
        if !kind.ends_with("_call") {
            return None;
        }
        let own_name = text(self.name).unwrap_or_default();
        let tool = match (&*kind, text(self.namespace)) {
            ("function_call" | "custom_tool_call", Some(space)) => {
                Cow::Owned(format!("{space}{own_name}"))
            }
            ("function_call" | "custom_tool_call", None) => own_name,
            ("local_shell_call", _) => Cow::Borrowed("shell"),
            _ if !own_name.is_empty() => own_name,
            (kind, _) => Cow::Owned(kind.trim_end_matches("_call").to_owned()),
        };
        let given = match &*kind {
            "custom_tool_call" => input(self.input, "input"),
            "local_shell_call" => local_command(self.action),
            _ => given::of_members(&[
                ("arguments", self.arguments),
                ("action", self.action),
                ("input", self.input),
            ]),
        };
        let call = Call {
            id,
            tool,
            input: given,
        };
        // Calls executed by the model's servers have no separate output.
        let remote = !matches!(
            &*kind,
            "function_call" | "custom_tool_call" | "local_shell_call"
        ) && self.call_id.0.is_none();
        let how = match text(self.status).as_deref() {
            Some("completed") => CallStatus::Ok,
            Some("failed" | "incomplete") => CallStatus::Error,
            _ => return Some(EventKind::Call(call)),
        };
        if !remote {
            return Some(EventKind::Call(call));
        }
        Some(EventKind::Done {
            ended: CallEnd {
                id: call.id.clone(),
                how,
                output: output(self.output.or(self.result)),
                exit_code: None,
                change: None,
            },
            call,
            decision: None,
        })
    }
}

/// Returns the arguments of the model's own shell tool in the form of the tool `shell`.
fn local_command(action: Option<Raw<'_>>) -> Cow<'_, str> {
    let read = action.and_then(|raw| raw.read::<Map<String, Value>>());
    let Some(mut given) = read else {
        return input(action, "action");
    };
    if let Some(directory) = given.remove("working_directory").filter(|d| !d.is_null()) {
        given.insert("workdir".to_owned(), directory);
    }
    Cow::Owned(Value::Object(given).to_string())
}

/// Returns the text of a message.
fn said<'a>(role: LenientStr<'a>, content: Option<Raw<'a>>) -> Option<EventKind<'a>> {
    let said = output(content);
    match text(role).as_deref() {
        // The program writes context in the role of the person.
        Some("user") if !said.starts_with('<') && !said.starts_with("# AGENTS.md") => {
            Some(EventKind::Prompt(said))
        }
        Some("assistant") => Some(EventKind::Said(said)),
        _ => None,
    }
}

/// Returns a rejection that an event marks.
fn rejected_in_event<'a>(event: &Item<'a>) -> Option<EventKind<'a>> {
    #[derive(Deserialize)]
    struct Failed<'a> {
        #[serde(borrow, rename = "Err")]
        error: LenientStr<'a>,
    }
    let id = text(event.call_id)?;
    let kind = text(event.kind)?;
    // A command typed by the person isn't a call.
    if is_word(event.source, &["user_shell"]) {
        return None;
    }
    let by = match &*kind {
        "exec_command_end" | "patch_apply_end" => {
            if text(event.status)? != "declined" {
                return None;
            }
            decliner(&[event.stderr, event.aggregated_output])
        }
        "mcp_tool_call_end" => {
            let failed = event.result?.read::<Failed<'_>>()?;
            rejection(&text(failed.error)?)?
        }
        _ => return None,
    };
    Some(EventKind::Rejected { id, by })
}

/// Returns who declined, from the first text that says so. The default is the policy.
pub(super) fn decliner(texts: &[LenientStr<'_>]) -> DecidedBy {
    let mut texts = texts.iter().filter_map(|said| text(*said));
    texts
        .find_map(|said| rejection(&said))
        .unwrap_or(DecidedBy::Policy)
}

/// Output of a call as an object.
#[derive(Debug, Deserialize)]
struct Structured<'a> {
    #[serde(borrow)]
    output: Option<Raw<'a>>,
    #[serde(borrow)]
    content: Option<Raw<'a>>,
    #[serde(default)]
    success: Lenient<bool>,
    #[serde(default)]
    metadata: Lenient<Metadata>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    exit_code: ExitCode,
}

/// Determines the end of a call from its output.
fn ended<'a>(id: Option<Cow<'a, str>>, raw: Option<Raw<'a>>) -> CallEnd<'a> {
    let mut shown = output(raw);
    let mut success = None;
    let mut exit_code = None;
    let mut bare = true;
    let object = raw.filter(|raw| raw.as_written().starts_with('{'));
    if let Some(object) = object.and_then(|raw| raw.read::<Structured<'_>>()) {
        success = object.success.0;
        exit_code = object.metadata.0.and_then(|m| m.exit_code.0);
        bare = exit_code.is_none() && success.is_none_or(|s| !s);
        shown = output(object.content.or(object.output));
    }
    let wrapped = Some(&*shown).filter(|text| text.starts_with("{\"") || text.starts_with("{ "));
    if let Some((code, inner)) = wrapped.and_then(unwrapped) {
        (exit_code, shown, bare) = (code, Cow::Owned(inner), false);
    } else if let Some(mut lines) = header(&shown) {
        (exit_code, bare) = (lines.find_map(code_of).or(exit_code), false);
    }
    let exit_code = exit_code.filter(|code| i32::try_from(*code).is_ok());
    let how = match (exit_code, success) {
        (Some(0), _) | (None, Some(true)) => CallStatus::Ok,
        (Some(_), _) => CallStatus::Error,
        _ if !bare => CallStatus::Ok,
        _ if shown.starts_with("aborted") => CallStatus::Interrupted,
        _ => match rejection(&shown) {
            Some(by) => CallStatus::RejectedInOutput(by),
            None if success == Some(false) || is_failure(&shown) => CallStatus::Error,
            None => CallStatus::NoSign,
        },
    };
    CallEnd {
        id,
        how,
        output: shown,
        exit_code,
        change: None,
    }
}

/// Reads output and exit code from the JSON text that an older shell tool returns.
fn unwrapped(shown: &str) -> Option<(Option<i64>, String)> {
    let object: Structured<'_> = strict_json::from_text(shown).ok()?;
    let code = object.metadata.0?.exit_code.0;
    Some((code, output(object.output).into_owned()))
}

/// Returns the header lines that a shell tool puts before its output; `None` for other texts.
fn header(shown: &str) -> Option<impl Iterator<Item = &str>> {
    let begins = ["Exit code: ", "Chunk ID: ", "Wall time: ", "Process "];
    let lines = shown.lines().take(8);
    let before = lines.take_while(|line| !line.starts_with("Output:"));
    let is_header = begins.iter().any(|word| shown.starts_with(word));
    is_header.then_some(before)
}

/// Returns the exit code in a header line.
fn code_of(line: &str) -> Option<i64> {
    let code = line
        .strip_prefix("Exit code: ")
        .or_else(|| line.strip_prefix("Process exited with code "))?;
    code.trim().parse().ok()
}

/// Returns who rejected a call according to its whole output.
pub(super) fn rejection(shown: &str) -> Option<DecidedBy> {
    let by_human = [
        "exec command rejected by user",
        "patch rejected by user",
        "rejected by user",
        "user rejected MCP tool call",
    ];
    let by_policy = [
        "rejected: ",
        "exec command rejected: ",
        "exec command rejected by policy",
        "patch rejected: ",
        "approval required by policy",
        "Command blocked by PreToolUse hook",
        "Tool call blocked by PreToolUse hook",
        "This action was rejected due to unacceptable risk",
        "The automatic permission approval review did not finish",
    ];
    // The program prefixes the reason with the command that failed.
    let failed = shown.strip_prefix("exec_command failed");
    if let Some((_, reason)) = failed.and_then(|text| text.rsplit_once("Rejected(")) {
        let reason = reason.trim_start_matches(['\\', '"']);
        return rejection(reason).or(Some(DecidedBy::Policy));
    }
    let starts = |words: &[&str]| words.iter().any(|word| shown.starts_with(word));
    if starts(&by_human) {
        Some(DecidedBy::Human)
    } else if starts(&by_policy)
        || shown.starts_with("approval policy is ") && shown.contains("reject command")
        || shown.starts_with('`') && shown.contains("` rejected: ")
    {
        Some(DecidedBy::Policy)
    } else {
        None
    }
}

/// Returns what a server's tool returned, and whether it is an error. Returns `None` if there is
/// nothing, or only the sentence of a rejection: then the tool wasn't called.
pub(super) fn returned(result: Raw<'_>) -> Option<(Cow<'_, str>, bool)> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Returned<'a> {
        #[serde(borrow)]
        content: Option<Raw<'a>>,
        #[serde(borrow)]
        structured_content: Option<Raw<'a>>,
        #[serde(borrow, rename = "structuredContent")]
        structured: Option<Raw<'a>>,
        is_error: Lenient<bool>,
        #[serde(rename = "isError")]
        failed: Lenient<bool>,
    }
    let parts = result.read::<Returned<'_>>().unwrap_or_default();
    let named = [parts.content, parts.structured_content, parts.structured];
    let mut present = named.iter().flatten().copied();
    let is_kept = |raw: &Raw<'_>| !given::is_blank(raw.as_written());
    let first = if named.iter().any(Option::is_some) {
        present.find(is_kept)?
    } else {
        Some(result).filter(is_kept)?
    };
    let shown = output(Some(first));
    let failed = [parts.is_error.0, parts.failed.0].contains(&Some(true));
    rejection(&shown).is_none().then_some((shown, failed))
}

/// Returns whether the program reports a failed call.
fn is_failure(shown: &str) -> bool {
    let begins = [
        "failed ",
        "execution error",
        "unsupported ",
        "tool call error",
        "err: ",
        "exec_command failed",
        "write_stdin failed",
        "apply_patch verification failed",
    ];
    begins.iter().any(|word| shown.starts_with(word))
}
