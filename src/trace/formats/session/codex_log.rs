//! `codex-log`: the log of Codex's terminal interface.
//!
//! It contains the messages to the interface and the person's answers. Most lines are redraws. An
//! answer names a turn, not a call, so it belongs to the oldest open question of its kind.
//! `session_configured` begins another session. What an approval for the whole session covers later
//! isn't recorded.

use super::codex::{decliner, rejection, returned};
use super::{
    Call, CallEnd, CallStatus, Change, Event, EventKind, ExitCode, Lenient, LenientStr, Question,
    Read, SessionFormat, SessionRecord, Sessions, input_text, is_word, lists, one_or_all, output,
    text,
};
use crate::trace::formats::Unit;
use crate::trace::record::NotRecorded;
use crate::trace::scalar::Timestamp;
use governance::DecidedBy;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt::Write as _;
use strict_json::{Raw, Str};
use util::keyed_hash;

pub(in crate::trace::formats) static FORMAT: SessionFormat = SessionFormat {
    name: "codex-log",
    not_recorded: NOT_RECORDED,
    is_line_oriented: true,
    has_arrays: false,
    repeats: &[],
    names: Sessions::Last,
    is_shape_of: |unit| unit.has(&["ts", "dir", "kind"]) || is_event(unit),
    lists: &[],
    read: Read::Value(|line, _| {
        let parts = line.read::<Line<'_>>();
        parts.map(Line::record).unwrap_or_default()
    }),
};

/// Returns whether a unit is an event as `codex proto` prints it, without what the interface adds.
fn is_event(unit: &Unit<'_>) -> bool {
    let message = || one_or_all(unit.get("msg")?).first()?.read::<Message<'_>>();
    unit.has(&["id", "msg"]) && message().is_some_and(|message| message.kind.0.is_some())
}

/// Parts that not every record contains: not every call has a question.
const NOT_RECORDED: &[NotRecorded] = &[NotRecorded::Decisions, NotRecorded::DecisionDetails];

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line<'a> {
    ts: Lenient<Timestamp>,
    #[serde(borrow)]
    dir: LenientStr<'a>,
    #[serde(borrow)]
    kind: LenientStr<'a>,
    #[serde(borrow)]
    cwd: LenientStr<'a>,
    #[serde(borrow)]
    payload: Lenient<Payload<'a>>,
    /// The message of an event that `codex proto` printed.
    #[serde(borrow)]
    msg: Option<Raw<'a>>,
}

/// An event with its message, or an operation.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Payload<'a> {
    #[serde(borrow)]
    msg: Option<Raw<'a>>,
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    #[serde(borrow)]
    id: LenientStr<'a>,
    #[serde(borrow)]
    decision: Option<Raw<'a>>,
    #[serde(borrow)]
    items: Option<Raw<'a>>,
}

/// The message of an event.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    #[serde(borrow)]
    session_id: LenientStr<'a>,
    #[serde(borrow)]
    call_id: LenientStr<'a>,
    /// The id in events of dynamic tools.
    #[serde(borrow, rename = "callId")]
    camel_case_id: LenientStr<'a>,
    #[serde(borrow, rename = "message")]
    said: LenientStr<'a>,
    #[serde(borrow)]
    command: Option<Raw<'a>>,
    #[serde(borrow)]
    cwd: LenientStr<'a>,
    #[serde(borrow)]
    source: LenientStr<'a>,
    #[serde(borrow)]
    changes: Option<Raw<'a>>,
    auto_approved: Lenient<bool>,
    #[serde(borrow)]
    invocation: Lenient<Invocation<'a>>,
    #[serde(borrow)]
    query: Option<Raw<'a>>,
    #[serde(borrow)]
    path: Option<Raw<'a>>,
    #[serde(borrow)]
    tool: LenientStr<'a>,
    #[serde(borrow)]
    arguments: Option<Raw<'a>>,
    /// What was typed into a running process.
    #[serde(borrow)]
    stdin: LenientStr<'a>,
    #[serde(borrow)]
    stdout: LenientStr<'a>,
    #[serde(borrow)]
    stderr: LenientStr<'a>,
    #[serde(borrow)]
    aggregated_output: LenientStr<'a>,
    exit_code: ExitCode,
    success: Lenient<bool>,
    #[serde(borrow)]
    status: LenientStr<'a>,
    #[serde(borrow)]
    result: Option<Raw<'a>>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Invocation<'a> {
    #[serde(borrow)]
    server: LenientStr<'a>,
    #[serde(borrow)]
    tool: LenientStr<'a>,
    #[serde(borrow)]
    arguments: Option<Raw<'a>>,
}

impl<'a> Line<'a> {
    fn record(self) -> SessionRecord<'a> {
        let mut record = SessionRecord {
            cwd: text(self.cwd),
            ..SessionRecord::default()
        };
        let payload = self.payload.0.unwrap_or_default();
        let is_event = |dir: &str, kind: &str| (dir, kind) == ("to_tui", "codex_event");
        let mut events = Vec::new();
        match (text(self.dir).as_deref(), text(self.kind).as_deref()) {
            (Some("from_tui"), Some("op")) => events.extend(operation(payload)),
            (dir, kind)
                if dir
                    .zip(kind)
                    .map_or(self.msg.is_some(), |(d, k)| is_event(d, k)) =>
            {
                let turn = text(payload.id).map(|id| keyed_hash(&*id));
                for raw in payload.msg.or(self.msg).into_iter().flat_map(one_or_all) {
                    match raw.read::<Message<'_>>() {
                        Some(message) => message.read_into(&mut record, &mut events, turn),
                        // A number contains no calls.
                        None if !raw.as_written().starts_with(['[', '"']) => {}
                        None => {
                            let expected = "expected an object in `msg`";
                            lists::add(&mut record.malformed, raw, expected);
                        }
                    }
                }
            }
            _ => {}
        }
        record.events.extend(events.into_iter().map(|what| Event {
            at: 0,
            time: self.ts.0,
            what,
        }));
        record
    }
}

/// Returns the call whose end an event of a rollout records.
pub(super) fn ended_call(event: Raw<'_>) -> Option<(Call<'_>, CallEnd<'_>)> {
    let message = event.read::<Message<'_>>()?;
    let kind = text(message.kind)?;
    message.call_id.0?;
    // A command typed by the person isn't a call.
    if text(message.source).as_deref() == Some("user_shell") {
        return None;
    }
    let call = match &*kind {
        "view_image_tool_call" => message.other_call("view_image"),
        // Other ends repeat items that have no id.
        "exec_command_end" | "patch_apply_end" | "mcp_tool_call_end" => {
            message.call_of_end(&kind)?
        }
        _ => return None,
    };
    Some((call, message.ended()))
}

/// Returns the event of a person's operation.
fn operation(payload: Payload<'_>) -> Option<EventKind<'_>> {
    let to = match &*text(payload.kind)? {
        "exec_approval" => Question::Command,
        "patch_approval" => Question::Patch,
        "user_input" | "user_turn" => {
            let said = output(payload.items);
            return (!said.is_empty()).then_some(EventKind::Prompt(said));
        }
        _ => return None,
    };
    let decision = payload.decision?;
    let word = decision.read::<Str<'_>>().map(Str::decode);
    // A decision with details is an object with one member, named after the decision.
    let word = word.unwrap_or_else(|| {
        let written = decision.as_written();
        Cow::Borrowed(written.split('"').nth(1).unwrap_or_default())
    });
    let allowed = match &*word {
        "denied" | "abort" => Some(false),
        word if word.starts_with("approved") => Some(true),
        _ => None,
    };
    Some(EventKind::Answered {
        id: text(payload.id),
        to,
        allowed,
    })
}

impl<'a> Message<'a> {
    /// Adds its events, or the session that it begins. `turn` is the hash of the turn's id.
    fn read_into(
        self,
        record: &mut SessionRecord<'a>,
        events: &mut Vec<EventKind<'a>>,
        turn: Option<u64>,
    ) {
        if text(self.kind).as_deref() == Some("session_configured") {
            record.session = text(self.session_id);
            record.cwd = text(self.cwd).or(record.cwd.take());
            return;
        }
        let change = self.change();
        events.extend(self.contradiction());
        events.extend(match self.what() {
            Some(EventKind::Asked(call, to, _)) => Some(EventKind::Asked(call, to, turn)),
            what => what,
        });
        events.extend(change);
    }

    /// Returns the change of a patch that changes a single file.
    fn change(&self) -> Option<EventKind<'a>> {
        Some(EventKind::Change {
            id: text(self.call_id)?,
            change: only_change(self.changes)?,
        })
    }

    fn what(self) -> Option<EventKind<'a>> {
        let kind = text(self.kind)?;
        if text(self.source).as_deref() == Some("user_shell") {
            return None;
        }
        match &*kind {
            "agent_message" => return text(self.said).map(EventKind::Said),
            "user_message" => return text(self.said).map(EventKind::Prompt),
            "exec_approval_request" => {
                return Some(EventKind::Asked(
                    self.command_call(),
                    Question::Command,
                    None,
                ));
            }
            "apply_patch_approval_request" => {
                return Some(EventKind::Asked(self.patch_call(), Question::Patch, None));
            }
            "exec_command_begin" => return Some(began(self.command_call())),
            "patch_apply_begin" => {
                let auto = self.auto_approved.0 == Some(true);
                return Some(EventKind::Decided {
                    call: self.patch_call(),
                    decision: auto.then_some((true, DecidedBy::Policy)),
                    late: false,
                });
            }
            "view_image_tool_call" => return Some(only_record(self.other_call("view_image"))),
            // Its id is that of the command that reads it.
            "terminal_interaction" => {
                let typed = text(self.stdin).filter(|typed| !typed.is_empty())?;
                return Some(only_record(Call {
                    id: None,
                    tool: Cow::Borrowed("write_stdin"),
                    input: Cow::Owned(json!({"chars": typed}).to_string()),
                }));
            }
            "dynamic_tool_call_request" => {
                let call = self.other_call("dynamic");
                let id = call.id.or_else(|| text(self.camel_case_id));
                return Some(began(Call { id, ..call }));
            }
            "dynamic_tool_call_response" => {
                let id = text(self.call_id).or_else(|| text(self.camel_case_id));
                return Some(EventKind::Ended(CallEnd { id, ..self.ended() }));
            }
            _ => {}
        }
        if let Some(tool) = kind.strip_suffix("_begin") {
            // Steps of the program aren't calls.
            self.call_id.0?;
            return Some(began(self.other_call(tool)));
        }
        kind.strip_suffix("_end")?;
        self.call_id.0?;
        let says = [self.command, self.changes, self.query, self.path];
        let says_what = says.into_iter().any(|raw| raw.is_some()) || self.invocation.0.is_some();
        match self.call_of_end(&kind).filter(|_| says_what) {
            Some(call) => Some(EventKind::Done {
                call,
                decision: None,
                ended: self.ended(),
            }),
            None => Some(EventKind::Ended(self.ended())),
        }
    }

    /// Returns the call of an end, as far as the end says what it was.
    fn call_of_end(&self, kind: &str) -> Option<Call<'a>> {
        Some(match kind {
            "exec_command_end" => self.command_call(),
            "patch_apply_end" => self.patch_call(),
            _ => self.other_call(kind.strip_suffix("_end")?),
        })
    }

    fn command_call(&self) -> Call<'a> {
        let mut given = Map::new();
        let command = self.command.and_then(tree);
        given.insert("command".to_owned(), command.unwrap_or_default());
        if let Some(cwd) = text(self.cwd) {
            given.insert("workdir".to_owned(), json!(cwd));
        }
        Call {
            id: text(self.call_id),
            tool: Cow::Borrowed("shell"),
            input: Cow::Owned(Value::Object(given).to_string()),
        }
    }

    fn patch_call(&self) -> Call<'a> {
        Call {
            id: text(self.call_id),
            tool: Cow::Borrowed("apply_patch"),
            input: match patch(self.changes) {
                Some(patch) => input_text(Cow::Owned(patch), "input"),
                None => member("changes", self.changes).unwrap_or(Cow::Borrowed("{}")),
            },
        }
    }

    fn other_call(&self, kind: &str) -> Call<'a> {
        let invocation = self.invocation.0.unwrap_or_default();
        let (server, tool) = (text(invocation.server), text(invocation.tool));
        let tool = match (server, tool) {
            (Some(server), Some(tool)) => format!("mcp__{server}__{tool}"),
            (None, Some(tool)) => format!("mcp__{tool}"),
            _ => text(self.tool).map_or_else(|| kind.to_owned(), Cow::into_owned),
        };
        let arguments = invocation.arguments.or(self.arguments);
        let given = arguments
            .map(|raw| super::input(Some(raw), "arguments"))
            .or_else(|| member("query", self.query))
            .or_else(|| member("path", self.path));
        Call {
            id: text(self.call_id),
            tool: Cow::Owned(tool),
            input: given.unwrap_or(Cow::Borrowed("{}")),
        }
    }

    fn declined(&self) -> bool {
        is_word(self.status, &["declined"])
    }

    /// Returns whether its end shows that the call was executed.
    fn was_executed(&self) -> bool {
        self.exit_code.0.is_some_and(|code| code >= 0) || self.success.0 == Some(true)
    }

    /// Returns the rejection of a call whose end shows that it was executed all the same.
    fn contradiction(&self) -> Option<EventKind<'a>> {
        let id = text(self.call_id)?;
        if !text(self.kind)?.ends_with("_end") {
            return None;
        }
        if self.declined() && self.was_executed() {
            let by = decliner(&[self.stderr, self.aggregated_output]);
            return Some(EventKind::Rejected { id, by });
        }
        let outcome = self.result?.read::<Outcome<'a>>()?;
        outcome.returned_though_rejected()?;
        let by = rejection(&output(outcome.error))?;
        Some(EventKind::Rejected { id, by })
    }

    fn ended(self) -> CallEnd<'a> {
        #[derive(Deserialize)]
        struct Shown<'a> {
            #[serde(borrow, default)]
            content: Option<Raw<'a>>,
            #[serde(default)]
            is_error: Lenient<bool>,
            #[serde(default, rename = "isError")]
            failed: Lenient<bool>,
        }
        let exit_code = self.exit_code.0.filter(|code| i32::try_from(*code).is_ok());
        let printed = || {
            let both = [text(self.stdout), text(self.stderr)];
            both.into_iter().flatten().collect::<Vec<_>>().join("")
        };
        let mut shown = text(self.aggregated_output)
            .filter(|all| !all.is_empty())
            .unwrap_or_else(|| Cow::Owned(printed()));
        let mut how = match (self.exit_code.0, self.success.0) {
            (Some(0), _) | (None, Some(true) | None) => CallStatus::Ok,
            _ => CallStatus::Error,
        };
        if let Some(outcome) = self.result.and_then(|raw| raw.read::<Outcome<'_>>()) {
            let ok = outcome.ok.and_then(|raw| raw.read::<Shown<'_>>());
            if let Some((text, failed)) = outcome.returned_though_rejected() {
                shown = text;
                how = if failed {
                    CallStatus::Failed
                } else {
                    CallStatus::Ok
                };
            } else if let Some(error) = outcome.error {
                shown = output(Some(error));
                how = rejection(&shown).map_or(CallStatus::Error, CallStatus::Rejected);
            } else if let Some(ok) = ok {
                shown = output(ok.content);
                if [ok.is_error.0, ok.failed.0].contains(&Some(true)) {
                    how = CallStatus::Error;
                }
            }
        }
        let declined = self.declined() && !self.was_executed();
        if declined {
            how = CallStatus::Rejected(decliner(&[self.stderr, self.aggregated_output]));
        }
        CallEnd {
            id: text(self.call_id),
            how,
            output: shown,
            exit_code: exit_code.filter(|_| !declined),
            change: None,
        }
    }
}

/// What a server's tool returned.
#[derive(Deserialize)]
struct Outcome<'a> {
    #[serde(borrow, default, rename = "Ok")]
    ok: Option<Raw<'a>>,
    #[serde(borrow, default, rename = "Err")]
    error: Option<Raw<'a>>,
}

impl<'a> Outcome<'a> {
    /// Returns what the tool returned if a rejection says that it wasn't called.
    fn returned_though_rejected(&self) -> Option<(Cow<'a, str>, bool)> {
        rejection(&output(Some(self.error?)))?;
        returned(self.ok?)
    }
}

fn began(call: Call<'_>) -> EventKind<'_> {
    EventKind::Decided {
        call,
        decision: None,
        late: false,
    }
}

/// Returns the event of a call that only one record mentions.
fn only_record(call: Call<'_>) -> EventKind<'_> {
    let ended = CallEnd {
        id: call.id.clone(),
        how: CallStatus::Ok,
        output: Cow::Borrowed(""),
        exit_code: None,
        change: None,
    };
    EventKind::Done {
        call,
        decision: None,
        ended,
    }
}

/// Reads a value as a tree. A number out of range mustn't hide the rest of it.
fn tree(raw: Raw<'_>) -> Option<Value> {
    strict_json::from_text_clamped(raw.as_written()).ok()
}

/// Returns an input with one member.
fn member<'a>(name: &str, raw: Option<Raw<'_>>) -> Option<Cow<'a, str>> {
    raw.map(|raw| Cow::Owned(format!("{{\"{name}\":{}}}", raw.as_written())))
}

fn patch(changes: Option<Raw<'_>>) -> Option<String> {
    patch_of(&tree(changes?)?)
}

/// Returns the changes in the form of the patch tool's input; `None` when one of them can't be
/// read.
pub(super) fn patch_of(changes: &Value) -> Option<String> {
    let mut out = String::from("*** Begin Patch\n");
    for (path, change) in changes.as_object()? {
        let (kind, inner) = kind_of(change)?;
        let target = inner.get("move_path").and_then(Value::as_str);
        // A line of a patch can't contain such a path.
        if path.contains(['\n', '\r']) || target.is_some_and(|to| to.contains(['\n', '\r'])) {
            return None;
        }
        let (word, body) = match kind {
            "add" => ("Add", inner.get("content")?.as_str()?),
            "delete" => ("Delete", ""),
            "update" => ("Update", inner.get("unified_diff")?.as_str()?),
            _ => return None,
        };
        let _ = writeln!(out, "*** {word} File: {path}");
        if let Some(to) = target {
            let _ = writeln!(out, "*** Move to: {to}");
        }
        for line in body.lines() {
            let sign = if kind == "add" { "+" } else { "" };
            let _ = writeln!(out, "{sign}{line}");
        }
    }
    out.push_str("*** End Patch\n");
    Some(out)
}

/// Returns the change of a file, if it is the only one.
fn only_change(changes: Option<Raw<'_>>) -> Option<Change> {
    let changes = tree(changes?)?;
    let changes = changes.as_object().filter(|all| all.len() == 1)?;
    let (path, change) = changes.iter().next()?;
    Some(Change {
        path: path.clone(),
        hunks: hunks(change)?,
    })
}

/// Returns the kind of a change and its data.
fn kind_of(change: &Value) -> Option<(&str, &Value)> {
    if let Some(kind) = change.get("type").and_then(Value::as_str) {
        return Some((kind, change));
    }
    let (kind, inner) = change.as_object()?.iter().next()?;
    Some((kind, inner))
}

/// Returns the hunks of a change: `{"add":{"content"}}`, `{"delete":{"content"}}` or
/// `{"update":{"unified_diff","move_path"}}`, or the same with the kind in `type`.
fn hunks(change: &Value) -> Option<String> {
    let (kind, inner) = kind_of(change)?;
    let member = |name: &str| inner.get(name).and_then(Value::as_str);
    match kind {
        // The target of a move isn't in the hunks.
        "update" if member("move_path").is_none() => {
            let mut diff = member("unified_diff")?.to_owned();
            if !diff.ends_with('\n') {
                diff.push('\n');
            }
            Some(diff)
        }
        "add" => Some(whole(member("content")?, '+')),
        "delete" => Some(whole(member("content")?, '-')),
        _ => None,
    }
}

/// Returns the hunk of a created or deleted file.
fn whole(content: &str, sign: char) -> String {
    let lines = content.lines().count();
    let mut out = match sign {
        '+' => format!("@@ -0,0 +1,{lines} @@\n"),
        _ => format!("@@ -1,{lines} +0,0 @@\n"),
    };
    if lines == 0 {
        out.clear();
    }
    for line in content.split_inclusive('\n') {
        out.push(sign);
        out.push_str(line);
    }
    if lines > 0 && !content.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::FORMAT;
    use crate::trace::entry::Record;
    use crate::trace::formats::session::testing::{fed, told};
    use crate::trace::formats::{Format, NativeRecord, TraceFormat};
    use strict_json::Scanner;

    #[test]
    fn messages_in_a_list_are_read() {
        let begun = |id: &str, command: &str| {
            format!(r#"{{"type":"exec_command_begin","call_id":"{id}","command":["{command}"]}}"#)
        };
        let list = format!("[{},{}]", begun("a", "ls"), begun("b", "rm"));
        let log = format!(
            r#"{{"ts":"2026-01-05T08:00:00Z","dir":"to_tui","kind":"codex_event",
                "payload":{{"id":"t","msg":{list}}}}}"#
        );
        let printed = format!(r#"{{"id":"t","msg":{list}}}"#);
        for line in [log, printed] {
            let format = Format::of_record(&line, 32).map(Format::name);
            assert_eq!(format, Some("codex-log"), "{line}");
            let expected = [
                r#"call a shell {"command":["ls"]}"#,
                r#"call b shell {"command":["rm"]}"#,
            ];
            assert_eq!(told(&FORMAT, &line), expected, "{line}");
            assert_eq!(fed(&FORMAT, &[&line]).len(), 3);
        }
        for (message, count) in [
            ("7", 0),
            ("null", 0),
            ("[7]", 0),
            ("\"x\"", 1),
            ("[[{}]]", 1),
        ] {
            let line = format!(
                r#"{{"ts":"t","dir":"to_tui","kind":"codex_event","payload":{{"msg":{message}}}}}"#
            );
            let mut scanner = Scanner::new(&line, 64);
            let record = FORMAT.read(&mut scanner, &line).unwrap();
            let Record::Native(NativeRecord::Session(record)) = record else {
                panic!("{line}");
            };
            assert_eq!(record.malformed.len(), count, "{line}");
        }
    }
}
