//! `inspect`: logs of Inspect, as JSON or as the documents of an `.eval` archive.
//!
//! Each sample is a session. Its messages and its events contain calls and results; equal ids mean
//! the same call. An approver's decision is an event of its own, or the type of a result's error.

use super::messages::{self, Message};
use super::{
    Call, CallEnd, CallStatus, EventKind, Events, Lenient, LenientStr, Read, SessionFormat,
    SessionRecord, Sessions, arguments, id, is_word, output, text,
};
use crate::trace::record::NotRecorded;
use governance::DecidedBy;
use hashbrown::HashMap;
use serde::Deserialize;
use std::borrow::Cow;
use std::{collections, iter};
use strict_json::{Raw, canonicalise};
use util::keyed_hash;

pub(in crate::trace::formats) const FORMAT: SessionFormat = SessionFormat {
    name: "inspect",
    not_recorded: &[
        NotRecorded::Decisions,
        NotRecorded::DecisionDetails,
        NotRecorded::ExitCodes,
        NotRecorded::Diffs,
        NotRecorded::Times,
        NotRecorded::Workdir,
    ],
    is_line_oriented: false,
    has_arrays: false,
    repeats: &[],
    names: Sessions::OfFile,
    is_shape_of: |unit| {
        unit.has(&["eval", "version"]) && unit.has_one(&["samples", "plan", "status"])
            || unit.has(&["id", "epoch", "input", "target", "messages"])
    },
    lists: &["samples", "messages", "events", "tool_calls"],
    read: Read::Value(read),
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Log<'a> {
    #[serde(borrow)]
    eval: Option<Raw<'a>>,
    #[serde(borrow)]
    samples: Lenient<Vec<Raw<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Sample<'a> {
    #[serde(borrow)]
    id: Option<Raw<'a>>,
    epoch: Lenient<u64>,
    #[serde(borrow)]
    attachments: Lenient<collections::HashMap<Cow<'a, str>, Raw<'a>>>,
    #[serde(borrow)]
    messages: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    events: Lenient<Vec<Raw<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SampleEvent<'a> {
    #[serde(borrow)]
    event: LenientStr<'a>,
    #[serde(borrow)]
    id: Option<Raw<'a>>,
    #[serde(borrow)]
    function: LenientStr<'a>,
    #[serde(borrow)]
    arguments: Option<Raw<'a>>,
    #[serde(borrow)]
    result: Option<Raw<'a>>,
    pending: Lenient<bool>,
    /// Nested events of a tool, in older logs.
    #[serde(borrow)]
    events: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    error: Lenient<ToolError<'a>>,
    #[serde(borrow)]
    call: Lenient<Called<'a>>,
    #[serde(borrow)]
    decision: LenientStr<'a>,
    #[serde(borrow)]
    approver: LenientStr<'a>,
    #[serde(borrow)]
    modified: Option<Raw<'a>>,
    #[serde(borrow)]
    output: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Called<'a> {
    #[serde(borrow)]
    id: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolError<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    #[serde(borrow)]
    message: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Failed<'a> {
    #[serde(borrow)]
    error: Lenient<ToolError<'a>>,
}

/// Approvers' decisions by call: whether the call was approved, and by whom.
type Decisions<'a> = HashMap<Cow<'a, str>, (bool, DecidedBy)>;

/// Maximum bytes of long texts inserted into the calls of one sample.
const ATTACHED: usize = 16 << 20;

/// Long texts of a sample by name. Arguments of events contain the names.
struct Attachments<'a> {
    texts: collections::HashMap<Cow<'a, str>, Raw<'a>>,
    /// Remaining bytes.
    left: usize,
}

impl<'a> Attachments<'a> {
    /// Replaces names by texts in the arguments of a call.
    fn put_into(&mut self, input: Cow<'a, str>) -> Cow<'a, str> {
        const MARK: &str = "\"attachment://";
        if self.texts.is_empty() || !input.contains(MARK) {
            return input;
        }
        let mut out = String::new();
        let mut rest = &*input;
        while let Some((before, after)) = rest.split_once(MARK) {
            let (name, behind) = after.split_once('"').unwrap_or((after, ""));
            let text = self.texts.get(name).map(|raw| raw.as_written());
            let text = text.filter(|text| text.starts_with('"') && !before.ends_with('\\'));
            let left = text.and_then(|text| self.left.checked_sub(text.len()));
            out.push_str(before);
            if let (Some(text), Some(left)) = (text, left) {
                self.left = left;
                out.push_str(text);
            } else {
                out.extend([MARK, name, "\""]);
            }
            rest = behind;
        }
        out.push_str(rest);
        Cow::Owned(out)
    }
}

fn read<'a>(raw: Raw<'a>, whole: &'a str) -> SessionRecord<'a> {
    let mut events = Events::new(whole, None);
    let log = raw.read::<Log<'a>>().unwrap_or_default();
    let alone = log.eval.is_none() && log.samples.0.is_none();
    // The record itself may be a sample. Most entries of an archive only describe samples.
    let samples = iter::once(raw).chain(log.samples.0.unwrap_or_default());
    for (n, raw) in samples.enumerate() {
        let sample = raw.read::<Sample<'a>>().unwrap_or_default();
        if n == 0 && sample.messages.0.is_none() && sample.events.0.is_none() {
            continue;
        }
        let name = id(sample.id).unwrap_or_else(|| format!("sample {}", n.max(1)).into());
        let name = match sample.epoch.0 {
            Some(epoch) if epoch > 1 => format!("{name}#{epoch}").into(),
            _ => name,
        };
        events.push(raw, EventKind::Part(name));
        sample.read_into(&mut events);
    }
    SessionRecord {
        // An archive contains single samples; the file is the log.
        whole: !alone,
        events: events.into_list(),
        ..SessionRecord::default()
    }
}

impl<'a> Sample<'a> {
    fn read_into(self, events: &mut Events<'a>) {
        let mut told = Vec::new();
        read_events(self.events.0.unwrap_or_default(), &mut told);
        let mut decisions = Decisions::new();
        let mut modified = HashMap::new();
        for (_, event) in &told {
            if let Some((id, (approved, by))) = event.decision() {
                // Of two decisions about a call, a rejection applies.
                let known = decisions.entry(id).or_insert((approved, by));
                if !approved || known.0 {
                    *known = (approved, by);
                }
            }
            modified.extend(event.modified());
        }
        let mut calls = Calls {
            modified,
            by_id: HashMap::new(),
            attachments: Attachments {
                texts: self.attachments.0.unwrap_or_default(),
                left: ATTACHED,
            },
        };
        for raw in &self.messages.0.unwrap_or_default() {
            let before = events.len();
            messages::message(events, *raw);
            let mut ids = Vec::new();
            for call in events.calls_from(before) {
                calls.complete(call);
                calls.add(call);
                ids.extend(call.id.clone());
            }
            for id in ids {
                push_decision(events, *raw, id, &decisions);
            }
            for ended in events.ends_from(before) {
                calls.end(ended.id.as_ref());
            }
            let failed = raw.read::<Failed<'a>>().unwrap_or_default().error.0;
            let is_tool = raw
                .read::<Message<'a>>()
                .is_some_and(|message| is_word(message.role, &["tool"]));
            if is_tool
                && let Some(ended) = events.last_ended()
                && let Some(error) = failed
            {
                reject(ended, &error, &decisions);
            }
        }
        // Calls that only the events contain: the conversation may be truncated or another agent's.
        for (raw, event) in told {
            if is_word(event.event, &["model"]) {
                for mut call in event.output.map(messages::asked).unwrap_or_default() {
                    let known = call.id.as_ref().is_some_and(|id| calls.knows(id));
                    if !known {
                        calls.complete(&mut call);
                        calls.add(&call);
                        let id = call.id.clone();
                        events.push(raw, EventKind::Call(call));
                        if let Some(id) = id {
                            push_decision(events, raw, id, &decisions);
                        }
                    }
                }
            } else if is_word(event.event, &["tool"]) {
                let id = id(event.id).unwrap_or_else(|| events.own_id());
                let mut call = Call {
                    id: Some(id.clone()),
                    tool: text(event.function).unwrap_or_default(),
                    input: arguments(event.arguments),
                };
                calls.complete(&mut call);
                let is_bare = event.arguments.is_none();
                let has_ended = calls.find(&call, is_bare).map(|told| told.has_ended);
                if has_ended.is_none() {
                    calls.add(&call);
                    events.push(raw, EventKind::Call(call));
                    push_decision(events, raw, id.clone(), &decisions);
                }
                if event.pending.0 != Some(true) && has_ended != Some(true) {
                    calls.end(Some(&id));
                    event.push_end(events, raw, id, &decisions);
                }
            }
        }
    }
}

/// A call that has been emitted.
struct EmittedCall {
    /// Hash of the tool and its arguments.
    hash: u64,
    has_ended: bool,
}

/// Calls of a sample that have been emitted.
struct Calls<'a> {
    by_id: HashMap<Cow<'a, str>, Vec<EmittedCall>>,
    /// Arguments that approvers modified.
    modified: HashMap<Cow<'a, str>, Cow<'a, str>>,
    attachments: Attachments<'a>,
}

/// Maximum number of calls with one id that are compared with another call.
const COMPARED: usize = 64;

impl<'a> Calls<'a> {
    /// Sets the arguments with which a call is actually executed.
    fn complete(&mut self, call: &mut Call<'a>) {
        let changed = call.id.as_ref().and_then(|id| self.modified.get(id));
        let given = changed.unwrap_or(&call.input).clone();
        call.input = self.attachments.put_into(given);
    }

    fn add(&mut self, call: &Call<'a>) {
        let told = EmittedCall {
            hash: hash_of(call),
            has_ended: false,
        };
        let id = call.id.clone().unwrap_or_default();
        self.by_id.entry(id).or_default().push(told);
    }

    /// Marks a call as ended.
    fn end(&mut self, id: Option<&Cow<'a, str>>) {
        let told = id.and_then(|id| self.by_id.get_mut(id));
        let mut open = told.into_iter().flatten().filter(|told| !told.has_ended);
        if let Some(told) = open.next() {
            told.has_ended = true;
        }
    }

    fn knows(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// Returns the same call, if it was emitted. A call with another tool or other arguments is a
    /// different one, even with the same id. `is_bare` means that the arguments aren't recorded.
    fn find(&self, call: &Call<'a>, is_bare: bool) -> Option<&EmittedCall> {
        let told = self.by_id.get(call.id.as_ref()?)?;
        let hash = hash_of(call);
        let near = || told.iter().rev().take(COMPARED);
        let same = |told: &&EmittedCall| is_bare || told.hash == hash;
        near()
            .find(|told| same(told) && !told.has_ended)
            .or_else(|| near().find(same))
    }
}

/// Hashes a call, independent of the notation of its arguments.
fn hash_of(call: &Call<'_>) -> u64 {
    let given = canonicalise(Raw::trusted(&call.input));
    keyed_hash(&(&call.tool, given))
}

/// Collects events and those nested in them.
fn read_events<'a>(raw: Vec<Raw<'a>>, all: &mut Vec<(Raw<'a>, SampleEvent<'a>)>) {
    for raw in raw {
        if let Some(mut event) = raw.read::<SampleEvent<'a>>() {
            let inner = event.events.0.take().unwrap_or_default();
            all.push((raw, event));
            read_events(inner, all);
        }
    }
}

impl<'a> SampleEvent<'a> {
    /// Returns the arguments that an approver set instead of the original ones.
    fn modified(&self) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
        #[derive(Deserialize)]
        struct Modified<'a> {
            #[serde(borrow)]
            arguments: Raw<'a>,
        }
        if !is_word(self.event, &["approval"]) || !is_word(self.decision, &["modify"]) {
            return None;
        }
        let modified = self.modified?.read::<Modified<'a>>()?;
        Some((
            id(self.call.0.as_ref()?.id)?,
            arguments(Some(modified.arguments)),
        ))
    }

    fn decision(&self) -> Option<(Cow<'a, str>, (bool, DecidedBy))> {
        if !is_word(self.event, &["approval"]) {
            return None;
        }
        let approved = match &*text(self.decision)? {
            "approve" | "modify" => true,
            "reject" | "terminate" => false,
            _ => return None,
        };
        let by = if is_word(self.approver, &["human"]) {
            DecidedBy::Human
        } else {
            DecidedBy::Policy
        };
        Some((id(self.call.0.as_ref()?.id)?, (approved, by)))
    }

    fn push_end(
        self,
        events: &mut Events<'a>,
        raw: Raw<'a>,
        id: Cow<'a, str>,
        decisions: &Decisions<'a>,
    ) {
        let failed = self.error.0;
        let message = failed.as_ref().and_then(|error| error.message);
        let mut ended = CallEnd {
            id: Some(id),
            how: if failed.is_some() {
                CallStatus::Error
            } else {
                CallStatus::Ok
            },
            output: output(message.or(self.result)),
            exit_code: None,
            change: None,
        };
        if let Some(error) = failed {
            reject(&mut ended, &error, decisions);
        }
        events.push(raw, EventKind::Ended(ended));
    }
}

fn push_decision<'a>(
    events: &mut Events<'a>,
    raw: Raw<'a>,
    id: Cow<'a, str>,
    decisions: &Decisions<'a>,
) {
    match decisions.get(&id).copied() {
        Some((true, by)) => events.push(raw, EventKind::Approved { id, by }),
        Some((false, by)) => events.push(raw, EventKind::Rejected { id, by }),
        None => {}
    }
}

/// Marks a result as rejected by an approver. If no approver is recorded, someone was asked, so it
/// was a human.
fn reject(ended: &mut CallEnd<'_>, error: &ToolError<'_>, decisions: &Decisions<'_>) {
    if is_word(error.kind, &["approval"]) {
        let decision = ended.id.as_ref().and_then(|id| decisions.get(id));
        let by = decision.map_or(DecidedBy::Human, |(_, by)| *by);
        ended.how = CallStatus::Rejected(by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::formats::session::testing::told;

    #[test]
    fn approvers_decide_about_calls() {
        let text = include_str!("inspect.samples.test.json");
        assert_eq!(
            told(&FORMAT, text),
            [
                "session 1#2",
                "call a f {}",
                "call b f {}",
                "approved a Human",
                "rejected b Policy",
                "end a Ok None x",
                r#"end b Rejected(Policy) None {"type": "approval", "message": "no"}"#,
                "session sample 2",
                "call c g {}",
                "end c Error None ",
                "session sample 3",
            ]
        );
    }

    #[test]
    fn every_decision_of_an_approver_is_read() {
        for (events, expected) in [
            (
                r#"{"decision":"approve","approver":"auto"}"#,
                Some("approved a Policy"),
            ),
            (
                r#"{"decision":"modify","approver":"human"}"#,
                Some("approved a Human"),
            ),
            (
                r#"{"decision":"reject","approver":"human"}"#,
                Some("rejected a Human"),
            ),
            (
                r#"{"decision":"terminate","approver":"auto"}"#,
                Some("rejected a Policy"),
            ),
            (r#"{"decision":"escalate","approver":"auto"}"#, None),
            (
                r#"{"decision":"escalate","approver":"auto"},{"decision":"approve","approver":"human"}"#,
                Some("approved a Human"),
            ),
            (
                r#"{"decision":"reject","approver":"human"},{"decision":"approve","approver":"auto"}"#,
                Some("rejected a Human"),
            ),
            (
                r#"{"decision":"approve","approver":"auto"},{"decision":"reject","approver":"human"}"#,
                Some("rejected a Human"),
            ),
        ] {
            let approvals = events.replace(
                "{\"decision",
                r#"{"event":"approval","call":{"id":"a"},"decision"#,
            );
            let text = format!(
                r#"{{"version":2,"eval":{{}},"samples":[{{"id":1,
                    "messages":[{{"role":"assistant","tool_calls":[{{"id":"a","function":"f"}}]}}],
                    "events":[{approvals}]}}]}}"#
            );
            let all = told(&FORMAT, &text);
            let decided = all.iter().map(String::as_str).skip(2);
            assert_eq!(
                decided.collect::<Vec<_>>(),
                expected.into_iter().collect::<Vec<_>>(),
                "{events}"
            );
        }
    }

    #[test]
    fn calls_of_events_and_messages_are_joined_by_their_ids() {
        let text = include_str!("inspect.events.test.json");
        assert_eq!(
            told(&FORMAT, text),
            [
                "session s",
                "call a f {}",
                "call b f {}",
                "end a Ok None x",
                "end b Ok None late",
                r#"call c bash {"cmd":"ls\n","o":["attachment://o","\"attachment://k\""]}"#,
                "end c Ok None in",
                "call d g {}",
                "call #9 h {}",
                "end #9 Ok None no id",
            ]
        );
    }

    #[test]
    fn another_call_under_a_known_id_is_another_call() {
        let log = |attachments: &str, messages: &str, events: &str| {
            format!(
                r#"{{"version":2,"eval":{{}},"samples":[{{"id":"s","attachments":{{{attachments}}},
                    "messages":[{messages}],"events":[{events}]}}]}}"#
            )
        };
        let asked = concat!(
            r#"{"role":"assistant","tool_calls":[{"id":"a","function":"bash","#,
            r#""arguments":{"cmd":"ls"}}]},{"role":"tool","tool_call_id":"a","content":"x"}"#,
        );
        let ran = |command: &str| {
            format!(
                r#"{{"event":"tool","id":"a","function":"bash",
                    "arguments":{{"cmd":"{command}"}},"result":"y"}}"#
            )
        };
        let modified = concat!(
            r#"{"event":"approval","call":{"id":"a"},"decision":"modify","approver":"human","#,
            r#""modified":{"id":"a","arguments":{"cmd":"rm b"}}}"#,
        );
        let model = |id: &str| {
            format!(
                r#"{{"event":"model","output":{{"choices":[{{"message":{{"role":"assistant",
                    "tool_calls":[{{"id":"{id}","function":"bash",
                    "arguments":{{"cmd":"attachment://k"}}}}]}}}},7]}}}}"#
            )
        };
        let first = [r#"call a bash {"cmd":"ls"}"#, "end a Ok None x"];
        let other = [r#"call a bash {"cmd":"rm b"}"#, "end a Ok None y"];
        let cases: [(String, Vec<&str>); 7] = [
            (log("", asked, &ran("ls")), first.to_vec()),
            (log("", asked, &ran("rm b")), [first, other].concat()),
            (
                log("", "", &[ran("rm b"), ran("rm b"), ran("ls")].join(",")),
                vec![other[0], other[1], first[0], "end a Ok None y"],
            ),
            (
                log("", asked, r#"{"event":"tool","id":"a","result":"again"}"#),
                first.to_vec(),
            ),
            (
                log("", asked, &[modified, &ran("ls"), &ran("rm b")].join(",")),
                vec![other[0], "approved a Human", first[1]],
            ),
            (
                log(
                    r#""k":"rm b""#,
                    &asked.replace(r#""ls""#, r#""attachment://k""#),
                    &ran("rm b"),
                ),
                vec![other[0], first[1]],
            ),
            (
                log(r#""k":"rm b""#, asked, &[model("a"), model("m")].join(",")),
                vec![first[0], first[1], r#"call m bash {"cmd":"rm b"}"#],
            ),
        ];
        for (text, expected) in cases {
            let all = told(&FORMAT, &text);
            assert_eq!(all.iter().skip(1).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn a_sample_is_one_whatever_is_beside_it() {
        for more in [r#""eval":{},"#, r#""samples":[],"#, ""] {
            let text = format!(
                r#"{{{more}"id":"s","events":[{{"event":"tool","id":"a","function":"f","pending":true}}]}}"#
            );
            assert_eq!(told(&FORMAT, &text), ["session s", "call a f {}"], "{text}");
        }
    }

    #[test]
    fn attachments_are_put_in_within_bounds() {
        let long = format!("\"{}\"", "x".repeat(1 << 20));
        let raw = strict_json::from_text::<Raw<'_>>(&long).unwrap();
        let mut attachments = Attachments {
            texts: [(Cow::Borrowed("k"), raw)].into(),
            left: ATTACHED,
        };
        let input = "[".to_owned() + &r#""attachment://k","#.repeat(100) + "1]";
        let put = attachments.put_into(Cow::Owned(input));
        assert!(put.len() <= ATTACHED + 3_000 && put.len() > ATTACHED / 2);
        assert_eq!(put.matches("attachment://k").count(), 85);
    }

    #[test]
    fn what_describes_samples_is_none() {
        for text in [
            r#"{"id":1,"epoch":1,"input":"","target":"","scores":{}}"#,
            r#"{"version":2,"status":"success","eval":{}}"#,
            r#"[{"id":1,"epoch":1}]"#,
            "7",
        ] {
            assert_eq!(told(&FORMAT, text), [""; 0], "{text}");
        }
    }
}
