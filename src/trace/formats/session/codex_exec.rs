//! `codex-exec`: what `codex exec --json` prints.
//!
//! A thread has items; an item of a call begins, and later is complete. The sandbox decides without
//! a person to ask, and only a declined command is marked. Items have neither times nor a working
//! directory.

mod items;

use super::codex::{decliner, rejection, returned};
use super::codex_log::patch_of;
use super::{
    Call, CallEnd, CallStatus, Change, Event, EventKind, ExitCode, LenientStr, Read, SessionFormat,
    SessionRecord, Sessions, given, id, input_text, is_word, lists, offset, output, text,
};
use crate::trace::formats::Unit;
use crate::trace::record::NotRecorded;
use governance::DecidedBy;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use strict_json::Raw;

pub(in crate::trace::formats) const FORMAT: SessionFormat = SessionFormat {
    name: "codex-exec",
    not_recorded: &[
        NotRecorded::Decisions,
        NotRecorded::DecisionDetails,
        NotRecorded::Diffs,
        NotRecorded::Times,
        NotRecorded::Workdir,
    ],
    is_line_oriented: true,
    has_arrays: false,
    // The id of a search is an item's member, too.
    repeats: &["/item/id"],
    names: Sessions::Last,
    is_shape_of,
    lists: &[],
    read: Read::Value(|raw, whole| {
        let line = raw.read::<Line<'_>>().unwrap_or_default();
        line.record(raw, whole)
    }),
};

/// Types of records that contain an item.
const ITEMS: [&str; 3] = ["item.started", "item.updated", "item.completed"];

fn is_shape_of(unit: &Unit<'_>) -> bool {
    let item = || unit.get("item").and_then(|raw| raw.read::<Item<'_>>());
    unit.is_word("type", &["thread.started"]) && unit.has(&["thread_id"])
        || unit.is_word("type", &["session.created"]) && unit.has(&["session_id"])
        || unit.is_word("type", &["turn.completed"]) && unit.has(&["usage"])
        || unit.is_word("type", &["turn.failed"]) && unit.has(&["error"])
        || unit.is_word("type", &ITEMS) && item().is_some_and(|item| item.kind().is_some())
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    #[serde(borrow)]
    thread_id: LenientStr<'a>,
    /// The first version's name.
    #[serde(borrow)]
    session_id: LenientStr<'a>,
    #[serde(borrow)]
    item: Option<Raw<'a>>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Item<'a> {
    #[serde(borrow)]
    id: Option<Raw<'a>>,
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    /// The first version's name.
    #[serde(borrow, rename = "item_type")]
    first_kind: LenientStr<'a>,
    #[serde(borrow)]
    status: LenientStr<'a>,
    #[serde(borrow)]
    text: LenientStr<'a>,
    #[serde(borrow)]
    command: Option<Raw<'a>>,
    #[serde(borrow)]
    cwd: LenientStr<'a>,
    #[serde(borrow)]
    aggregated_output: LenientStr<'a>,
    exit_code: ExitCode,
    #[serde(borrow)]
    changes: Option<Raw<'a>>,
    #[serde(borrow)]
    server: LenientStr<'a>,
    #[serde(borrow)]
    tool: LenientStr<'a>,
    #[serde(borrow)]
    arguments: Option<Raw<'a>>,
    #[serde(borrow)]
    result: Option<Raw<'a>>,
    #[serde(borrow)]
    error: Option<Raw<'a>>,
    #[serde(borrow)]
    query: Option<Raw<'a>>,
    #[serde(borrow)]
    action: Option<Raw<'a>>,
    #[serde(borrow)]
    prompt: Option<Raw<'a>>,
    #[serde(borrow)]
    items: Option<Raw<'a>>,
    /// In some versions, the members of a type are in an object of their own.
    #[serde(borrow)]
    details: Option<Raw<'a>>,
}

impl<'a> Line<'a> {
    fn record(self, line: Raw<'a>, whole: &'a str) -> SessionRecord<'a> {
        let mut record = SessionRecord::default();
        let word = text(self.kind).unwrap_or_default();
        record.session = text(self.thread_id).filter(|id| !id.is_empty());
        if matches!(&*word, "thread.started" | "session.created") {
            record.session = record
                .session
                .or_else(|| text(self.session_id).filter(|id| !id.is_empty()));
            record.header = record.session.is_some();
        }
        // Words other than those that are known may be those of later versions.
        if let Some(other) = self.item.filter(|raw| !items::is_readable(*raw)) {
            lists::add(&mut record.malformed, other, "expected an object in `item`");
        }
        for (raw, item) in items::of_record(line, self.item, &mut record.malformed) {
            let events = item.event(&word).into_iter().chain(item.others(&word));
            record.events.extend(events.map(|what| Event {
                at: offset(whole, raw.as_written()).unwrap_or_default(),
                time: None,
                what,
            }));
        }
        record
    }
}

impl<'a> Item<'a> {
    fn kind(&self) -> Option<Cow<'a, str>> {
        text(self.kind).or_else(|| text(self.first_kind))
    }

    /// Returns the event of a record of the type `word`.
    fn event(self, word: &str) -> Option<EventKind<'a>> {
        let kind = self.kind().unwrap_or_default();
        let complete = !word.ends_with(".started") && !word.ends_with(".updated");
        let is_message = matches!(&*kind, "agent_message" | "assistant_message");
        let is_call = [self.command, self.changes, self.arguments];
        if is_message && is_call.iter().all(Option::is_none) {
            return text(self.text).filter(|_| complete).map(EventKind::Said);
        }
        let (tool, mut input) = self.called(&kind)?;
        // What is searched is known at the end.
        if kind == "web_search" && !complete {
            input = Cow::Borrowed("{}");
        }
        let call = Call {
            id: id(self.id).filter(|id| !id.is_empty()),
            tool,
            input,
        };
        // Each record of a list is a call that changed it; the last one repeats the list.
        if kind == "todo_list" {
            let ended = self.ended_as(CallStatus::Ok, Cow::Borrowed(""));
            return Some(if complete {
                EventKind::Wanted {
                    call,
                    ended: Some(ended),
                }
            } else {
                EventKind::Done {
                    call,
                    decision: None,
                    ended,
                }
            });
        }
        Some(match self.ended().filter(|_| complete) {
            Some(ended) => EventKind::Done {
                call,
                decision: self.contradiction(),
                ended,
            },
            None => EventKind::Decided {
                call,
                decision: None,
                late: false,
            },
        })
    }

    /// Returns the calls that an item contains besides the one of its type.
    fn others(self, word: &str) -> impl Iterator<Item = EventKind<'a>> {
        let kind = self.kind().unwrap_or_default();
        let all = [
            ("command_execution", self.command),
            ("file_change", self.changes),
            ("mcp_tool_call", self.arguments),
        ];
        let is_given = |raw: Raw<'_>| !given::is_blank(raw.as_written());
        let all = all.map(|(of, raw)| (of, raw.filter(|raw| is_given(*raw))));
        let own = match &*kind {
            "web_search" | "todo_list" | "collab_tool_call" => Some(""),
            kind if all.iter().any(|(of, _)| *of == kind) => None,
            // The first one is the item's own call.
            _ => all.iter().find(|(_, raw)| raw.is_some()).map(|(of, _)| *of),
        };
        let complete = !word.ends_with(".started") && !word.ends_with(".updated");
        let more = all.into_iter().filter(move |(of, raw)| {
            raw.is_some() && *of != own.unwrap_or(&kind) && (self.id.is_some() || complete)
        });
        more.filter_map(move |(of, _)| {
            let (tool, input) = self.called(of)?;
            // Other records of the item repeat it.
            let id = id(self.id).filter(|id| !id.is_empty());
            let id = id.map(|id| Cow::Owned(format!("{id}#{of}")));
            let call = Call { id, tool, input };
            Some(EventKind::Wanted { call, ended: None })
        })
    }

    /// Returns tool and arguments of a call's item; `None` for other items.
    fn called(&self, kind: &str) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
        let members = |all: &[(&str, Option<Raw<'a>>)]| {
            let given = all.iter().filter_map(|(name, raw)| {
                let written = raw.as_ref()?.as_written();
                (written != "null").then(|| format!("\"{name}\":{written}"))
            });
            Cow::Owned(format!("{{{}}}", given.collect::<Vec<_>>().join(",")))
        };
        let tool = text(self.tool).unwrap_or_default();
        Some(match kind {
            "command_execution" => ("shell".into(), self.command_given()),
            "file_change" => ("apply_patch".into(), self.patch_given()),
            "mcp_tool_call" => {
                let server = text(self.server).unwrap_or_default();
                let name = format!("mcp__{server}__{tool}");
                (name.into(), super::arguments(self.arguments))
            }
            "web_search" => (
                "web_search".into(),
                members(&[("query", self.query), ("action", self.action)]),
            ),
            "todo_list" => ("update_plan".into(), members(&[("plan", self.items)])),
            "collab_tool_call" => (
                if tool.is_empty() {
                    kind.to_owned().into()
                } else {
                    tool
                },
                // Which agents receive it is known only at its end.
                members(&[("message", self.prompt)]),
            ),
            // Items of other types count by what they contain.
            _ if self.command.is_some() => ("shell".into(), self.command_given()),
            _ if self.changes.is_some() => ("apply_patch".into(), self.patch_given()),
            _ if self.arguments.is_some() => (
                if tool.is_empty() {
                    kind.to_owned().into()
                } else {
                    tool
                },
                super::arguments(self.arguments),
            ),
            _ => return None,
        })
    }

    fn command_given(&self) -> Cow<'a, str> {
        let mut given = Map::new();
        if let Some(command) = self.command {
            let command = match text(LenientStr(command.as_str())) {
                Some(line) => unquoted(&line).into(),
                None => serde_json::from_str(command.as_written()).unwrap_or_default(),
            };
            given.insert("command".to_owned(), command);
        }
        if let Some(cwd) = text(self.cwd) {
            given.insert("workdir".to_owned(), json!(cwd));
        }
        Cow::Owned(Value::Object(given).to_string())
    }

    fn patch_given(&self) -> Cow<'a, str> {
        let by_path = self.changes.and_then(changes);
        match by_path.as_ref().and_then(patch_of) {
            Some(patch) => input_text(Cow::Owned(patch), "input"),
            None => match self.changes {
                Some(raw) => Cow::Owned(format!("{{\"changes\":{}}}", raw.as_written())),
                None => Cow::Borrowed("{}"),
            },
        }
    }

    /// Returns the end of a call; `None` while it is in progress.
    fn ended(&self) -> Option<CallEnd<'a>> {
        let exit_code = self.exit_code.0.filter(|code| i32::try_from(*code).is_ok());
        let failure = self.failure();
        let rejected = self.rejected_by(failure.as_deref());
        let returned = self.result.and_then(returned);
        let contradicted = rejected.is_some() && self.was_executed();
        let shown = text(self.aggregated_output).or_else(|| failure.clone());
        let shown = match &returned {
            Some((shown, _)) if contradicted => Cow::Owned(shown.clone().into_owned()),
            _ => shown.unwrap_or_else(|| output(self.result.map(content))),
        };
        let status = text(self.status);
        let how = match (status.as_deref(), exit_code) {
            (_, None) if contradicted => match returned {
                Some((_, true)) => CallStatus::Failed,
                _ => CallStatus::Ok,
            },
            (Some("declined"), _) if !contradicted => {
                CallStatus::Rejected(rejected.unwrap_or(DecidedBy::Policy))
            }
            (Some("in_progress"), None) => return None,
            (_, None) if rejected.is_some() => {
                CallStatus::Rejected(rejected.unwrap_or(DecidedBy::Policy))
            }
            (Some("failed"), _) => CallStatus::Error,
            (_, Some(code)) if code != 0 => CallStatus::Error,
            _ if failure.is_some() => CallStatus::Error,
            (Some("completed"), _) | (_, Some(_)) => CallStatus::Ok,
            // A search is complete when its item is.
            (None, None) if self.query.is_some() => CallStatus::Ok,
            _ => CallStatus::NotRecorded,
        };
        let mut ended = self.ended_as(how, shown);
        ended.exit_code = exit_code.filter(|_| !matches!(how, CallStatus::Rejected(_)));
        ended.change = self.only_change().filter(|_| how == CallStatus::Ok);
        Some(ended)
    }

    /// Returns who rejected the call. `failure` is the text of its error, which the program itself
    /// writes.
    fn rejected_by(&self, failure: Option<&str>) -> Option<DecidedBy> {
        if is_word(self.status, &["declined"]) {
            let by = failure.and_then(rejection);
            return by.or_else(|| Some(decliner(&[self.aggregated_output])));
        }
        failure.and_then(rejection)
    }

    /// Returns whether an exit code or a result shows that the call was executed.
    fn was_executed(&self) -> bool {
        self.exit_code.0.is_some_and(|code| code >= 0) || self.result.and_then(returned).is_some()
    }

    /// Returns the text of the call's error.
    fn failure(&self) -> Option<Cow<'a, str>> {
        let raw = self.error.filter(|raw| raw.as_written() != "null")?;
        let inner = raw.read::<Failure<'a>>();
        let inner = inner.and_then(|error| text(error.message));
        Some(inner.unwrap_or_else(|| output(Some(raw))))
    }

    /// Returns the rejection of a call that was executed all the same.
    fn contradiction(&self) -> Option<(bool, DecidedBy)> {
        let by = self.rejected_by(self.failure().as_deref())?;
        self.was_executed().then_some((false, by))
    }

    fn ended_as(&self, how: CallStatus, output: Cow<'a, str>) -> CallEnd<'a> {
        CallEnd {
            id: id(self.id).filter(|id| !id.is_empty()),
            how,
            output,
            exit_code: None,
            change: None,
        }
    }

    /// Returns the change of a file, if it is the only one and its hunks are recorded.
    fn only_change(&self) -> Option<Change> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct FileChange<'a> {
            #[serde(borrow)]
            path: LenientStr<'a>,
            #[serde(borrow)]
            kind: LenientStr<'a>,
            #[serde(borrow)]
            diff: LenientStr<'a>,
        }
        let all = self.changes?.read::<Vec<FileChange<'_>>>()?;
        let [change] = all.as_slice() else {
            return None;
        };
        let mut hunks = text(change.diff)?.into_owned();
        let plain =
            is_word(change.kind, &["update"]) && hunks.starts_with("@@ ") && !hunks.contains(MOVED);
        if !hunks.ends_with('\n') {
            hunks.push('\n');
        }
        plain.then_some(Change {
            path: text(change.path)?.into_owned(),
            hunks,
        })
    }
}

/// What comes between a diff and the new path of a moved file.
const MOVED: &str = "\n\nMoved to: ";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Failure<'a> {
    #[serde(borrow)]
    message: LenientStr<'a>,
}

/// Returns what a server's tool returned.
fn content(result: Raw<'_>) -> Raw<'_> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Returned<'a> {
        #[serde(borrow)]
        content: Option<Raw<'a>>,
    }
    let inner = result.read::<Returned<'_>>().and_then(|r| r.content);
    inner.unwrap_or(result)
}

/// Returns the changes by path in the form that events of Codex have; `None` if a path occurs twice
/// or a change can't be read.
fn changes(list: Raw<'_>) -> Option<Value> {
    let list: Vec<Value> = strict_json::from_text_clamped(list.as_written()).ok()?;
    let mut all = Map::new();
    for change in list {
        let member = |name: &str| change.get(name).and_then(Value::as_str);
        let (path, kind) = (member("path")?, member("kind")?);
        let diff = member("diff").unwrap_or_default();
        let (diff, to) = match diff.rsplit_once(MOVED) {
            Some((diff, to)) => (diff, Some(to)),
            None => (diff, None),
        };
        let change = json!({"type": kind, "content": diff, "unified_diff": diff, "move_path": to});
        if all.insert(path.to_owned(), change).is_some() {
            return None;
        }
    }
    (!all.is_empty()).then_some(Value::Object(all))
}

/// Returns a command line as a shell would execute it. The first version joined the words of a
/// command without quotes, so that a script of several words looks like its first word.
fn unquoted(line: &str) -> String {
    let words = shlex::split(line).unwrap_or_default();
    let mut flags = [" -c ", " -lc ", " -ic "].into_iter();
    let second = words.get(1).map_or("", String::as_str);
    let flag = flags.find(|flag| flag.trim() == second && words.len() > 3);
    match flag.and_then(|flag| line.split_once(flag)) {
        Some((_, script)) => format!("{line}\n{script}"),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
