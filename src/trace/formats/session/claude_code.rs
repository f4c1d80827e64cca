//! `claude-code`: sessions of Claude Code, as it stores them and as `--output-format stream-json`
//! prints them.
//!
//! Every record is on its own line. A message of the model is split over several records; calls and
//! results are blocks of messages. Rejections leave `toolUseResult` or `toolDenialKind`, or in a
//! stream the list `permission_denials` at the end. Decisions of hooks are attachments. Approvals
//! of persons and rules leave nothing.

mod attachments;
mod kept;

use super::{
    Call, CallEnd, CallStatus, Change, Event, EventKind, ExitCode, Lenient, LenientStr, Read,
    SessionFormat, SessionRecord, Sessions, gemini, is_word, lists, offset, output, text,
};
use crate::trace::formats::Unit;
use crate::trace::record::NotRecorded;
use crate::trace::scalar::Timestamp;
use governance::DecidedBy;
use serde::Deserialize;
use std::borrow::Cow;
use std::fmt::Write as _;
use strict_json::{Deserializer, Raw, Str};

pub(in crate::trace::formats) static FORMAT: SessionFormat = SessionFormat {
    name: "claude-code",
    not_recorded: NOT_RECORDED,
    is_line_oriented: true,
    has_arrays: false,
    repeats: &[],
    names: Sessions::OfFile,
    is_shape_of: |unit| (is_session(unit) || is_stream(unit)) && !gemini::is_qwen(unit),
    lists: &[],
    read: Read::AtOnce(|scanner, text| {
        let line = Line::deserialize(&mut Deserializer::new(scanner));
        line.ok().map(|line| line.record(text))
    }),
};

/// Parts that no record of this format contains.
const NOT_RECORDED: &[NotRecorded] = &[
    NotRecorded::Decisions,
    NotRecorded::DecisionDetails,
    NotRecorded::ExitCodes,
];

fn is_session(unit: &Unit<'_>) -> bool {
    // Records about files and queues, which name no session.
    let kinds = [
        "attribution-snapshot",
        "file-history-snapshot",
        "permission-mode",
        "queue-operation",
        "summary",
    ];
    // Settings and titles may come first, and each version adds new kinds of them.
    unit.has(&["type", "sessionId"]) && !unit.has_one(&["role", "executionId"])
        || unit.is_word("type", &kinds)
            && unit.has_one(&[
                "leafUuid",
                "messageId",
                "snapshot",
                "operation",
                "permissionMode",
            ])
}

fn is_stream(unit: &Unit<'_>) -> bool {
    unit.is_word("type", &["system", "result"]) && unit.has(&["subtype", "session_id"])
        || unit.has(&["type", "session_id", "uuid"]) && !unit.has(&["role"])
        || unit.is_word("type", &["assistant", "user"])
            && unit.has(&["message"])
            && unit.has_one(&["session_id", "timestamp", "parent_tool_use_id"])
}

/// Members of a line that concern calls.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    #[serde(borrow)]
    uuid: LenientStr<'a>,
    #[serde(borrow, rename = "sessionId")]
    session: LenientStr<'a>,
    #[serde(borrow)]
    session_id: LenientStr<'a>,
    #[serde(borrow)]
    cwd: LenientStr<'a>,
    timestamp: Lenient<Timestamp>,
    #[serde(borrow, rename = "agentId")]
    agent: LenientStr<'a>,
    #[serde(borrow)]
    parent_tool_use_id: LenientStr<'a>,
    /// The call that started the sub-agent of a progress note.
    #[serde(borrow, rename = "parentToolUseID")]
    parent: LenientStr<'a>,
    #[serde(rename = "isSidechain")]
    sidechain: Lenient<bool>,
    #[serde(rename = "isMeta")]
    meta: Lenient<bool>,
    #[serde(borrow)]
    message: Lenient<Message<'a>>,
    #[serde(borrow, rename = "toolUseResult")]
    stored_result: Option<Raw<'a>>,
    #[serde(borrow)]
    tool_use_result: Option<Raw<'a>>,
    #[serde(borrow, rename = "toolDenialKind")]
    denial: LenientStr<'a>,
    #[serde(borrow)]
    permission_denials: Option<Raw<'a>>,
    #[serde(borrow)]
    data: Lenient<Progress<'a>>,
    #[serde(borrow)]
    attachment: Option<Raw<'a>>,
}

/// A message of a sub-agent, as the session that started it records it.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Progress<'a> {
    #[serde(borrow)]
    message: Option<Raw<'a>>,
    #[serde(borrow, rename = "agentId")]
    agent: LenientStr<'a>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<Raw<'a>>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Denial<'a> {
    #[serde(borrow, rename = "tool_use_id")]
    id: LenientStr<'a>,
    #[serde(borrow, rename = "tool_name")]
    tool: LenientStr<'a>,
    #[serde(borrow, rename = "tool_input")]
    input: Option<Raw<'a>>,
}

/// A block of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    #[serde(borrow)]
    text: LenientStr<'a>,
    #[serde(borrow)]
    id: LenientStr<'a>,
    #[serde(borrow)]
    name: LenientStr<'a>,
    #[serde(borrow)]
    input: Option<Raw<'a>>,
    #[serde(borrow)]
    tool_use_id: LenientStr<'a>,
    #[serde(borrow)]
    content: Option<Raw<'a>>,
    is_error: Lenient<bool>,
}

impl Block<'_> {
    /// Returns whether it is a result that is an error.
    fn failed(&self) -> bool {
        self.is_error.0 == Some(true) || server_failed(self.content)
    }

    /// Infers the type of a block without one.
    fn shape(&self) -> Option<&'static str> {
        if self.name.0.is_some() && self.input.is_some() {
            Some("tool_use")
        } else {
            self.tool_use_id.0.map(|_| "tool_result")
        }
    }
}

impl<'a> Line<'a> {
    fn record(self, whole: &'a str) -> SessionRecord<'a> {
        let word = self.kind.0.map(Str::decode).unwrap_or_default();
        if word == "progress"
            && let Some(record) = self.of_sub_agent(whole)
        {
            return record;
        }
        let mut events = Vec::new();
        let mut push = |part: Option<Raw<'_>>, what| {
            let at = part.and_then(|part| offset(whole, part.as_written()));
            events.push(Event {
                at: at.unwrap_or_default(),
                time: self.timestamp.0,
                what,
            });
        };
        let mut malformed = Vec::new();
        for raw in elements(self.permission_denials, &mut malformed) {
            let Some(denial) = raw.read::<Denial<'a>>() else {
                // A text may name the call.
                if raw.as_written().starts_with(['[', '"']) {
                    lists::add(&mut malformed, raw, "expected an object in the list");
                }
                continue;
            };
            if denial.id.0.is_none() && denial.tool.0.is_none() {
                continue;
            }
            let call = Call {
                id: text(denial.id),
                tool: text(denial.tool).unwrap_or_default(),
                input: Cow::Borrowed(denial.input.map_or("{}", Raw::as_written)),
            };
            // A stream is printed without a person to ask.
            let by = DecidedBy::Policy;
            push(None, EventKind::Refused { call, by });
        }
        let attached = self.attachment.filter(|_| word == "attachment");
        for decision in attached.map(attachments::decisions).unwrap_or_default() {
            push(None, decision);
        }
        let content = self.message.0.and_then(|message| message.content);
        // A message may have one block instead of a list of them, or only a text.
        let is_block = |one: Raw<'a>| {
            let block = one.read::<Block<'_>>();
            block.is_some_and(|block| block.kind.0.is_some() || block.shape().is_some())
        };
        let blocks = match content {
            Some(text) if text.as_written().starts_with('"') => Vec::new(),
            Some(one) if one.as_written().starts_with('{') && is_block(one) => vec![one],
            content => elements(content, &mut malformed),
        };
        if let Some(said) = content.and_then(|c| c.read::<Str<'_>>()).map(Str::decode) {
            match &*word {
                "user" if self.meta.0 != Some(true) && !is_machine_text(&said) => {
                    push(content, EventKind::Prompt(said));
                }
                "assistant" => push(content, EventKind::Said(said)),
                _ => {}
            }
        }
        let results = blocks.len();
        for raw in blocks {
            let Some(block) = raw.read::<Block<'_>>() else {
                if raw.as_written().starts_with('[') {
                    lists::add(&mut malformed, raw, "expected an object in `content`");
                }
                continue;
            };
            let kind = block.kind.0.map(Str::decode);
            let kind = kind.as_deref().or_else(|| block.shape());
            match (kind, &*word) {
                (Some("text"), "assistant") => {
                    if let Some(said) = text(block.text) {
                        push(Some(raw), EventKind::Said(said));
                    }
                }
                (Some("text"), _) => {
                    let asked = text(block.text).filter(|said| !is_machine_text(said));
                    if let Some(asked) = asked.filter(|_| self.meta.0 != Some(true)) {
                        push(Some(raw), EventKind::Prompt(asked));
                    }
                }
                // A block of an unknown kind may still be a call.
                (Some(kind), _)
                    if kind.ends_with("tool_use")
                        || kind == "tool_call"
                        || block.shape() == Some("tool_use") && !kind.ends_with("tool_result") =>
                {
                    let call = Call {
                        id: text(block.id),
                        tool: text(block.name).unwrap_or_default(),
                        input: Cow::Borrowed(block.input.map_or("{}", Raw::as_written)),
                    };
                    push(Some(raw), EventKind::Call(call));
                }
                (Some(kind), _) if kind == "tool_result" || kind.ends_with("_tool_result") => {
                    // A structured result and a mark can be assigned only to a single block.
                    let (beside, denial) = if results == 1 {
                        ([self.stored_result, self.tool_use_result], self.denial)
                    } else {
                        ([None, None], LenientStr::default())
                    };
                    let mut ended = ended(&block, beside, denial);
                    let noted = || kept::rejected(beside).filter(|_| block.failed());
                    let by = denier(denial).or_else(noted);
                    if let (true, Some(by), Some(id)) =
                        (ended.shows_execution(), by, ended.id.clone())
                    {
                        push(Some(raw), EventKind::Rejected { id, by });
                    }
                    // The last record of a stream lists rejected calls.
                    if ended.how == CallStatus::Error && self.session_id.0.is_some() {
                        ended.how = CallStatus::ErrorSoFar;
                    }
                    push(Some(raw), EventKind::Ended(ended));
                }
                _ => {}
            }
        }
        let side = self.sidechain.0 == Some(true);
        let agent = text(self.agent)
            .or_else(|| text(self.parent_tool_use_id))
            .or_else(|| side.then_some(Cow::Borrowed("sidechain")));
        SessionRecord {
            session: text(self.session).or_else(|| text(self.session_id)),
            agent,
            id: text(self.uuid),
            cwd: text(self.cwd),
            events,
            malformed,
            ..SessionRecord::default()
        }
    }

    /// Reads the sub-agent's message in a progress note, if there is one.
    fn of_sub_agent(&self, whole: &'a str) -> Option<SessionRecord<'a>> {
        let progress = self.data.0?;
        let inner = progress.message?.read::<Line<'a>>()?;
        inner.message.0?;
        if is_word(inner.kind, &["progress"]) {
            return None;
        }
        let inner = inner.record(whole);
        let agent = text(progress.agent).or_else(|| text(self.agent));
        Some(SessionRecord {
            session: text(self.session).or_else(|| text(self.session_id)),
            agent: agent.or_else(|| text(self.parent)).or(inner.agent),
            cwd: text(self.cwd),
            copy: true,
            ..inner
        })
    }
}

/// Returns the elements of a list of blocks or rejections. An object or a text in its place may
/// hold some, so it is noted.
fn elements<'a>(list: Option<Raw<'a>>, malformed: &mut Vec<(&'a str, String)>) -> Vec<Raw<'a>> {
    let Some(list) = list else {
        return Vec::new();
    };
    list.read().unwrap_or_else(|| {
        if list.as_written().starts_with(['{', '"']) {
            lists::add(malformed, list, "expected a list");
        }
        Vec::new()
    })
}

/// Returns whether the program wrote a text in place of the person.
fn is_machine_text(text: &str) -> bool {
    text.starts_with("<local-command")
        || text.starts_with("<bash-")
        || text.starts_with("<command-")
        || text.starts_with("[Request interrupted")
        || text.starts_with("Caveat: ")
}

/// Beginnings of texts by which the program reports a person's rejection. Any tool can print them.
const REJECTED: [&str; 4] = [
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
    // The text that a sub-agent receives.
    "Permission for this tool use was denied. The tool use was rejected",
    "The agent proposed a plan that was rejected by the user.",
];

/// Beginnings of texts about rules, and the text that follows on the line.
const DENIED: [(&str, &str); 4] = [
    ("cd to ", " was blocked"),
    ("Permission to use ", " has been denied"),
    ("Permission for this action has been denied", ""),
    (
        "Claude requested permissions to ",
        "but you haven't granted it yet",
    ),
];
/// What the program writes where a hook rejects a call. A tool can write it too, and the program
/// keeps no more than its error, so it is no mark.
const HOOKS: [(&str, &str); 2] = [
    ("PreToolUse:", " hook error: "),
    ("Hook PreToolUse:", " denied this tool"),
];

/// Returns who rejected a call according to a text of the program.
fn says_rejected(text: &str) -> Option<DecidedBy> {
    if REJECTED.iter().any(|mark| text.starts_with(mark)) {
        return Some(DecidedBy::Human);
    }
    begins_like(text, &DENIED).then_some(DecidedBy::Policy)
}

/// Returns whether the first line begins and goes on like one of some texts.
fn begins_like(text: &str, known: &[(&str, &str)]) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let is_like = |(begin, rest): &(&str, &str)| {
        line.strip_prefix(begin)
            .is_some_and(|behind| behind.contains(rest))
    };
    known.iter().any(is_like)
}

/// Removes the prefix of a failure note.
fn after_error(note: &str) -> &str {
    note.strip_prefix("Error: ").unwrap_or(note)
}

/// Returns who rejected a call according to the program's mark.
fn denier(denial: LenientStr<'_>) -> Option<DecidedBy> {
    match &*text(denial)? {
        "user-rejected" => Some(DecidedBy::Human),
        "" | "interrupted" | "cancelled" => None,
        _ => Some(DecidedBy::Policy),
    }
}

/// Reads the end of a call. `beside` is the part of the result that the program keeps apart from
/// the model's block.
fn ended<'a>(
    block: &Block<'a>,
    beside: [Option<Raw<'a>>; 2],
    denial: LenientStr<'a>,
) -> CallEnd<'a> {
    let shown = output(block.content);
    let failed = block.failed();
    let all = || beside.iter().flatten();
    let kept = all().find_map(|raw| raw.read::<ToolUseResult<'_>>());
    let note = kept::note(beside);
    let interrupted = kept.as_ref().is_some_and(|k| k.interrupted.0 == Some(true));
    let ran = all().any(|raw| kept::shows_execution(*raw));
    let how = match (denial.0.map(Str::decode).as_deref(), note.as_deref()) {
        (denial, _) if ran && (interrupted || failed) => {
            let stopped = matches!(denial, Some("interrupted" | "cancelled"));
            if interrupted || stopped {
                CallStatus::Stopped
            } else {
                CallStatus::Failed
            }
        }
        // A result that isn't an error shows that the call was executed.
        (Some("user-rejected"), _) if failed => CallStatus::Rejected(DecidedBy::Human),
        (Some("interrupted"), _) => CallStatus::Interrupted,
        (Some("cancelled"), _) if failed => CallStatus::Cancelled,
        (Some(_), _) if failed => CallStatus::Rejected(DecidedBy::Policy),
        (None, Some("User rejected tool use")) if failed => CallStatus::Rejected(DecidedBy::Human),
        (None, _) if interrupted => CallStatus::Interrupted,
        _ if !failed => CallStatus::Ok,
        (None, _) if shown.starts_with("[Request interrupted by user") => CallStatus::Interrupted,
        (None, _) if shown.starts_with("Permission prompt was aborted") => CallStatus::Interrupted,
        (None, note) => {
            let noted = note.and_then(|note| says_rejected(after_error(note)));
            match noted.or_else(|| says_rejected(&shown)) {
                Some(by) if noted.is_some() => CallStatus::RejectedInNote(by),
                Some(_) => CallStatus::RejectedByText,
                None if begins_like(&shown, &HOOKS) => CallStatus::RejectedByText,
                None => CallStatus::Error,
            }
        }
        _ => CallStatus::Error,
    };
    CallEnd {
        id: text(block.tool_use_id),
        how,
        output: shown,
        exit_code: None,
        change: kept
            .filter(|_| how == CallStatus::Ok)
            .and_then(ToolUseResult::change),
    }
}

/// Returns whether a tool of the model's servers failed.
pub(super) fn server_failed(content: Option<Raw<'_>>) -> bool {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Served<'a> {
        #[serde(borrow, rename = "type")]
        kind: LenientStr<'a>,
        return_code: ExitCode,
    }
    let object = content.filter(|raw| raw.as_written().starts_with('{'));
    let served = object.and_then(|raw| raw.read::<Served<'_>>());
    served.is_some_and(|served| {
        let kind = text(served.kind);
        kind.is_some_and(|kind| {
            kind.ends_with("_tool_result_error") || kind.ends_with("_tool_error")
        }) || served.return_code.0.is_some_and(|code| code != 0)
    })
}

/// The part of a result that the program keeps apart.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolUseResult<'a> {
    interrupted: Lenient<bool>,
    #[serde(borrow, rename = "filePath")]
    path: LenientStr<'a>,
    #[serde(borrow, rename = "structuredPatch")]
    patch: Lenient<Vec<Hunk<'a>>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hunk<'a> {
    old_start: u64,
    old_lines: u64,
    new_start: u64,
    new_lines: u64,
    #[serde(borrow)]
    lines: Vec<Str<'a>>,
}

impl ToolUseResult<'_> {
    /// Returns the change of a file.
    fn change(self) -> Option<Change> {
        let path = text(self.path)?.into_owned();
        let parts = self.patch.0.filter(|hunks| !hunks.is_empty())?;
        let mut hunks = String::new();
        for hunk in parts {
            let _ = writeln!(
                hunks,
                "@@ -{},{} +{},{} @@",
                hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines
            );
            for line in hunk.lines {
                let _ = writeln!(hunks, "{}", line.decode());
            }
        }
        Some(Change { path, hunks })
    }
}
