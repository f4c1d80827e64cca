//! `openhands`: events of `OpenHands`, as a list, one per file, or runs on lines (`output.jsonl`).
//!
//! An observation names its action as `cause`. Ids of calls restart in every run and identify
//! nothing across runs. The format doesn't record who confirmed an action, and writes `confirmed`
//! even where nobody was asked.

use super::messages::Message;
use super::{
    Call, CallEnd, CallStatus, EventKind, Events, ExitCode, Lenient, LenientStr, Read,
    SessionFormat, SessionRecord, Sessions, arguments, id, is_word, output, text,
};
use crate::trace::formats::Unit;
use crate::trace::record::NotRecorded;
use crate::trace::scalar::Timestamp;
use governance::DecidedBy;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use strict_json::{Raw, Str};

pub(in crate::trace::formats) const FORMAT: SessionFormat = SessionFormat {
    name: "openhands",
    not_recorded: &[
        NotRecorded::Decisions,
        NotRecorded::DecisionDetails,
        NotRecorded::Diffs,
        NotRecorded::Workdir,
    ],
    is_line_oriented: false,
    has_arrays: false,
    repeats: &[],
    names: Sessions::OfFile,
    is_shape_of: |unit| {
        unit.has(&["id", "source"])
            && (unit.has_one(&["action", "observation", "tool_call_id"])
                || unit.has(&["kind", "timestamp"]))
            || unit.has(&["history"])
                && unit.has_one(&["instance_id", "instruction", "git_patch", "test_result"])
                && !unit.has(&["trajectory"])
            || is_trajectory(unit)
    },
    lists: &["history", "trajectory"],
    read: Read::Value(read),
};

/// Returns whether a document lists the events of a conversation, as the server returns them.
fn is_trajectory(unit: &Unit<'_>) -> bool {
    let events = unit
        .get("trajectory")
        .and_then(|raw| raw.read::<Vec<Raw<'_>>>());
    let first = events.and_then(|events| events.first()?.read::<OpenHandsEvent<'_>>());
    first.is_some_and(|event| {
        let kind = event.action.is_some() || event.observation.is_some() || event.kind.0.is_some();
        event.id.is_some() && event.source.0.is_some() && kind
    })
}

/// Actions that aren't calls of tools.
const NO_TOOLS: &[&str] = &[
    "message",
    "system",
    "recall",
    "change_agent_state",
    "null",
    "pause",
    "resume",
    "start",
    "stop",
    "condensation",
    "condensation_request",
    "loop_recovery",
];

/// A run on a line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Run<'a> {
    #[serde(borrow)]
    instance_id: LenientStr<'a>,
    #[serde(borrow)]
    history: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    trajectory: Lenient<Vec<Raw<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OpenHandsEvent<'a> {
    #[serde(borrow)]
    id: Option<Raw<'a>>,
    #[serde(borrow)]
    cause: Option<Raw<'a>>,
    #[serde(borrow)]
    kind: LenientStr<'a>,
    timestamp: Lenient<Timestamp>,
    #[serde(borrow)]
    source: LenientStr<'a>,
    #[serde(borrow)]
    action: Option<Raw<'a>>,
    #[serde(borrow)]
    observation: Option<Raw<'a>>,
    #[serde(borrow)]
    args: Option<Raw<'a>>,
    #[serde(borrow)]
    content: Option<Raw<'a>>,
    #[serde(borrow)]
    error: Option<Raw<'a>>,
    extras: Lenient<Extras>,
    exit_code: ExitCode,
    #[serde(borrow)]
    tool_name: LenientStr<'a>,
    #[serde(borrow)]
    tool_call_id: Option<Raw<'a>>,
    #[serde(borrow)]
    tool_call: Option<Raw<'a>>,
    #[serde(borrow)]
    rejection_source: LenientStr<'a>,
    #[serde(borrow)]
    rejection_reason: Option<Raw<'a>>,
    #[serde(borrow)]
    title: LenientStr<'a>,
    #[serde(borrow)]
    tool_kind: LenientStr<'a>,
    #[serde(borrow)]
    status: LenientStr<'a>,
    #[serde(borrow)]
    raw_input: Option<Raw<'a>>,
    #[serde(borrow)]
    raw_output: Option<Raw<'a>>,
    is_error: Lenient<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Extras {
    exit_code: ExitCode,
    metadata: Lenient<Metadata>,
    /// The work tree, in what the program recalled at the start.
    working_dir: Lenient<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    exit_code: ExitCode,
    /// The shell's directory after a command.
    working_dir: Lenient<String>,
}

impl Metadata {
    fn directory(self) -> Option<String> {
        self.working_dir.0.filter(|dir| dir.starts_with('/'))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Args<'a> {
    #[serde(borrow)]
    content: LenientStr<'a>,
    #[serde(borrow)]
    thought: LenientStr<'a>,
    #[serde(borrow)]
    confirmation_state: LenientStr<'a>,
    #[serde(borrow)]
    is_input: Option<Raw<'a>>,
}

/// A call without a result, in a run whose events have no ids.
struct OpenCall<'a> {
    action: Cow<'a, str>,
    id: Cow<'a, str>,
}

fn read<'a>(raw: Raw<'a>, whole: &'a str) -> SessionRecord<'a> {
    let mut events = Events::new(whole, None);
    let mut open = Vec::new();
    let run = raw.read::<Run<'a>>().unwrap_or_default();
    let mut record = SessionRecord::default();
    let lists = [run.history.0, run.trajectory.0];
    match lists
        .iter()
        .any(Option::is_some)
        .then(|| lists.into_iter().flatten())
    {
        Some(lists) => {
            record.session = text(run.instance_id).filter(|id| !id.is_empty());
            record.whole = true;
            for raw in lists.flatten() {
                // Some versions store pairs of an action and its observation.
                match raw.read::<Vec<Raw<'a>>>() {
                    Some(pair) => pair
                        .into_iter()
                        .for_each(|raw| event(&mut events, raw, &mut open)),
                    None => event(&mut events, raw, &mut open),
                }
            }
        }
        None => event(&mut events, raw, &mut open),
    }
    record.cwd = events.cwd.take().map(Cow::Owned);
    record.events = events.into_list();
    record
}

fn event<'a>(events: &mut Events<'a>, raw: Raw<'a>, open: &mut Vec<OpenCall<'a>>) {
    let Some(event) = raw.read::<OpenHandsEvent<'a>>() else {
        return;
    };
    events.time = event.timestamp.0;
    if let Some(action) = event
        .action
        .and_then(|a| a.read::<Str<'a>>())
        .map(Str::decode)
    {
        event.action(events, raw, action, open);
    } else if let Some(name) = event.observation.and_then(|o| o.read::<Str<'a>>()) {
        event.observation(events, raw, &name.decode(), open);
    } else {
        event.of_sdk(events, raw);
    }
}

impl<'a> OpenHandsEvent<'a> {
    fn action(
        &self,
        events: &mut Events<'a>,
        raw: Raw<'a>,
        action: Cow<'a, str>,
        open: &mut Vec<OpenCall<'a>>,
    ) {
        // Old versions put the arguments next to the action.
        let given = self.args.unwrap_or(raw);
        let args = given.read::<Args<'a>>().unwrap_or_default();
        let of_user = is_word(self.source, &["user", "environment"]);
        if NO_TOOLS.contains(&&*action) {
            if let Some(said) = text(args.content).filter(|_| action == "message") {
                let first = self.source.0.is_none() && events.is_empty();
                events.push(
                    raw,
                    if of_user || first {
                        EventKind::Prompt(said)
                    } else {
                        EventKind::Said(said)
                    },
                );
            }
            return;
        }
        if of_user {
            return;
        }
        if let Some(thought) = text(args.thought).filter(|thought| !thought.is_empty()) {
            events.push(raw, EventKind::Said(thought));
        }
        let id = id(self.id).unwrap_or_else(|| events.own_id());
        // Input for a running command isn't a command line.
        let typed = args
            .is_input
            .is_some_and(|raw| raw.as_written().trim_matches('"') == "true");
        let tool = match &*action {
            "run" if typed => Cow::Borrowed("run_input"),
            _ => action.clone(),
        };
        let call = Call {
            id: Some(id.clone()),
            tool,
            input: arguments(Some(given)),
        };
        events.push(raw, EventKind::Call(call));
        if is_word(args.confirmation_state, &["rejected"]) {
            let by = DecidedBy::Human;
            events.push(raw, EventKind::Rejected { id: id.clone(), by });
        }
        if action == "finish" {
            // It only ends the run, and gets no observation.
            let done = ended(Some(id), CallStatus::Ok, Cow::Borrowed(""));
            events.push(raw, EventKind::Ended(done));
            return;
        }
        if self.id.is_none() {
            open.push(OpenCall { action, id });
        }
    }

    fn observation(
        &self,
        events: &mut Events<'a>,
        raw: Raw<'a>,
        name: &str,
        open: &mut Vec<OpenCall<'a>>,
    ) {
        let extras = self.extras.0.as_ref();
        if name == "recall" && events.cwd.is_none() {
            let recalled = extras.and_then(|extras| extras.working_dir.0.clone());
            events.cwd = recalled.filter(|directory| directory.starts_with('/'));
        }
        // The output of a person's command. The source is that of the action.
        if is_word(self.source, &["user", "environment"]) && !is_failure(name) {
            return;
        }
        let cause = match id(self.cause) {
            Some(cause) => cause,
            None if self.id.is_some() => return,
            None => {
                let same = open.iter().position(|open| open.action == name);
                let at = same.or_else(|| open.len().checked_sub(1).filter(|_| is_failure(name)));
                match at {
                    Some(at) => open.remove(at).id,
                    None => return,
                }
            }
        };
        // Observations of actions that aren't calls.
        if matches!(
            name,
            "recall" | "agent_state_changed" | "null" | "message" | "chat" | "condense"
        ) {
            return;
        }
        let code = self
            .exit_code
            .0
            .or_else(|| extras?.exit_code.0)
            .or_else(|| extras?.metadata.0.as_ref()?.exit_code.0);
        let how = match (name, code) {
            ("user_rejected", _) => CallStatus::Rejected(DecidedBy::Human),
            // The command is still running, or was abandoned.
            (_, Some(-1)) => CallStatus::Interrupted,
            (_, Some(0)) => CallStatus::Ok,
            (_, Some(_)) => CallStatus::Error,
            (name, None) if is_failure(name) => CallStatus::Error,
            (_, None) => CallStatus::Ok,
        };
        let mut ended = ended(Some(cause), how, output(self.content));
        ended.exit_code = code.filter(|code| *code != -1);
        events.push(raw, EventKind::Ended(ended));
        let metadata = extras.and_then(|extras| extras.metadata.0.clone());
        if let Some(directory) = metadata.and_then(Metadata::directory) {
            events.push(raw, EventKind::Moved(directory.into()));
        }
    }

    /// Reads an event of the SDK, whose actions and observations are objects.
    fn of_sdk(&self, events: &mut Events<'a>, raw: Raw<'a>) {
        let id = id(self.tool_call_id);
        let kind = text(self.kind).unwrap_or_default();
        if id.is_none() && self.action.is_none() {
            return;
        }
        if kind == "ACPToolCallEvent" || self.raw_input.is_some() {
            self.of_other_agent(events, raw, id);
        } else if let Some(observed) = self.observation {
            #[derive(Default, Deserialize)]
            #[serde(default)]
            struct Observed<'a> {
                #[serde(borrow)]
                content: Option<Raw<'a>>,
                #[serde(borrow)]
                output: Option<Raw<'a>>,
                exit_code: ExitCode,
                metadata: Lenient<Metadata>,
                is_error: Lenient<bool>,
            }
            let seen = observed.read::<Observed<'a>>().unwrap_or_default();
            let code = seen
                .exit_code
                .0
                .or_else(|| seen.metadata.0.as_ref()?.exit_code.0);
            let how = match code {
                Some(-1) => CallStatus::Interrupted,
                Some(code) if code != 0 => CallStatus::Error,
                _ if seen.is_error.0 == Some(true) => CallStatus::Error,
                _ => CallStatus::Ok,
            };
            let mut ended = ended(
                id,
                how,
                output(seen.content.or(seen.output).or(Some(observed))),
            );
            ended.exit_code = code.filter(|code| *code != -1);
            events.push(raw, EventKind::Ended(ended));
            if let Some(directory) = seen.metadata.0.and_then(Metadata::directory) {
                events.push(raw, EventKind::Moved(directory.into()));
            }
        } else if kind == "UserRejectObservation" || self.rejection_reason.is_some() {
            let by = if is_word(self.rejection_source, &["hook"]) {
                DecidedBy::Policy
            } else {
                DecidedBy::Human
            };
            let reason = output(self.rejection_reason);
            events.push(
                raw,
                EventKind::Ended(ended(id, CallStatus::Rejected(by), reason)),
            );
        } else if self.action.is_some() || kind == "ActionEvent" {
            // If the SDK rejected an action, only the model's original call is recorded.
            let asked = self.tool_call.filter(|_| self.action.is_none());
            let asked = asked.and_then(|raw| raw.read::<Message<'a>>());
            let call = Call {
                id,
                tool: text(self.tool_name).unwrap_or_default(),
                input: asked.map_or_else(|| parameters(self.action), |asked| asked.call().input),
            };
            events.push(raw, EventKind::Call(call));
        } else if let Some(error) = self.error {
            events.push(
                raw,
                EventKind::Ended(ended(id, CallStatus::Error, output(Some(error)))),
            );
        }
    }
}

impl<'a> OpenHandsEvent<'a> {
    /// Reads a call of another agent that the program drives by the Agent Client Protocol. There
    /// is an event for each state of the call.
    fn of_other_agent(&self, events: &mut Events<'a>, raw: Raw<'a>, id: Option<Cow<'a, str>>) {
        let title = text(self.title).unwrap_or_default();
        let kind = text(self.tool_kind).unwrap_or_default();
        // The protocol names the kind of a tool, and no tool.
        let tool = match &*kind {
            "execute" => Cow::Borrowed("bash"),
            "" | "other" => title.clone(),
            kind => Cow::Owned(format!("acp_{kind}")),
        };
        let given = self.raw_input.filter(|raw| raw.as_written() != "null");
        let status = text(self.status).unwrap_or_default();
        let is_over = matches!(&*status, "completed" | "failed");
        // A call may begin before its input is complete.
        if given.is_none() && matches!(&*status, "pending" | "in_progress") {
            return;
        }
        let input = match (given, kind == "execute") {
            (Some(given), _) => arguments(Some(given)),
            (None, true) => Cow::Owned(json!({ "command": title }).to_string()),
            (None, false) => {
                let seen = self.content.and_then(|raw| raw.read_all::<Value>());
                Cow::Owned(json!({ "title": title, "content": seen }).to_string())
            }
        };
        let call = Call {
            id: id.clone(),
            tool,
            input,
        };
        events.push(raw, EventKind::Began(call));
        if !is_over {
            return;
        }
        let failed = status == "failed" || self.is_error.0 == Some(true);
        let how = if failed {
            CallStatus::Error
        } else {
            CallStatus::Ok
        };
        let seen = output(self.raw_output.or(self.content));
        events.push(raw, EventKind::Ended(ended(id, how, seen)));
    }
}

/// Returns the parameters of an action of the SDK, without the name of its class.
fn parameters(action: Option<Raw<'_>>) -> Cow<'_, str> {
    let Some(mut given) = action.and_then(|raw| raw.read_all::<Map<String, Value>>()) else {
        return arguments(action);
    };
    if given.get("kind").is_some_and(Value::is_string) {
        given.remove("kind");
        return Cow::Owned(Value::Object(given).to_string());
    }
    arguments(action)
}

fn is_failure(observation: &str) -> bool {
    matches!(observation, "error" | "user_rejected")
}

fn ended<'a>(id: Option<Cow<'a, str>>, how: CallStatus, output: Cow<'a, str>) -> CallEnd<'a> {
    CallEnd {
        id,
        how,
        output,
        exit_code: None,
        change: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::formats::session::testing::told;

    #[test]
    fn calls_of_another_agent_are_read() {
        let event = |status: &str, more: &str| {
            format!(
                r#"{{"id":"e{status}","source":"agent","kind":"ACPToolCallEvent","tool_call_id":"c","title":"Run","status":"{status}","tool_kind":"execute"{more}}}"#
            )
        };
        let input = r#","raw_input":{"command":"rm -rf a"}"#;
        let done = r#","raw_input":{"command":"rm -rf a"},"raw_output":"x","is_error":false"#;
        let text = format!(
            r#"{{"history":[{},{},{},{}]}}"#,
            event("pending", ""),
            event("pending", input),
            event("in_progress", input),
            event("completed", done)
        );
        let all = told(&FORMAT, &text);
        let call = r#"call c bash {"command":"rm -rf a"}"#;
        assert_eq!(all, [call, call, call, "end c Ok None x"]);
        let failed = told(&FORMAT, &event("failed", ""));
        assert_eq!(failed[0], r#"call c bash {"command":"Run"}"#);
        assert!(failed[1].starts_with("end c Error"), "{failed:?}");
    }

    #[test]
    fn what_a_person_ran_is_no_call_of_the_agent() {
        let run = |source: &str| {
            format!(r#"{{"id":1,"source":"{source}","action":"run","args":{{"command":"ls"}}}}"#)
        };
        let seen = |source: &str, observation: &str| {
            format!(
                r#"{{"id":2,"source":"{source}","cause":1,"observation":"{observation}","content":"x"}}"#
            )
        };
        for source in ["user", "environment"] {
            assert!(told(&FORMAT, &run(source)).is_empty());
            assert!(told(&FORMAT, &seen(source, "run")).is_empty());
            assert_eq!(
                told(&FORMAT, &seen(source, "user_rejected")),
                ["end 1 Rejected(Human) None x"]
            );
        }
        assert_eq!(told(&FORMAT, &seen("agent", "run")), ["end 1 Ok None x"]);
    }

    #[test]
    fn a_call_that_the_sdk_refused_is_one() {
        let text = concat!(
            r#"{"id":"e","source":"agent","kind":"ActionEvent","action":null,"#,
            r#""tool_name":"terminal","tool_call_id":"c","tool_call":{"id":"c","#,
            r#""name":"terminal","arguments":"{\"command\":\"ls\"}"}}"#,
        );
        assert_eq!(told(&FORMAT, text), [r#"call c terminal {"command":"ls"}"#]);
    }

    #[test]
    fn observations_name_their_actions() {
        let action = concat!(
            r#"{"id":3,"source":"agent","action":"run","args":{"command":"ls","#,
            r#""confirmation_state":"confirmed"}}"#,
        );
        assert!(told(&FORMAT, action)[0].starts_with("call 3 run "));
        assert_eq!(told(&FORMAT, action).len(), 1, "a default is no approval");
        let cases = [
            (
                r#""run","content":"x","extras":{"metadata":{"exit_code":2}}"#,
                "end 3 Error Some(2) x",
            ),
            (
                r#""run","content":"x","extras":{"metadata":{"exit_code":-1}}"#,
                "end 3 Interrupted None x",
            ),
            (
                r#""user_rejected","content":"no""#,
                "end 3 Rejected(Human) None no",
            ),
            (
                r#""read","content":"user_rejected""#,
                "end 3 Ok None user_rejected",
            ),
            (r#""error","content":7"#, "end 3 Error None 7"),
        ];
        for (members, expected) in cases {
            let text = format!(r#"{{"id":4,"source":"agent","cause":3,"observation":{members}}}"#);
            assert_eq!(told(&FORMAT, &text), [expected], "{text}");
        }
    }

    #[test]
    fn a_run_without_ids_is_paired_by_kind() {
        let text = concat!(
            r#"{"instance_id":"i","history":[{"action":"run","command":"ls"},"#,
            r#"{"observation":"run","exit_code":0,"content":"x"},{"action":"finish"},"#,
            r#"[{"source":"agent","action":"run","args":{"command":"ls","is_input":"true"}},"#,
            r#"{"observation":"error","content":"y"}]]}"#,
        );
        let all = told(&FORMAT, text);
        assert_eq!(all.len(), 6, "{all:?}");
        assert!(all[1].starts_with("end #1 Ok Some(0)"));
        assert!(all[3].ends_with(" Ok None "));
        assert!(all[4].contains(" run_input "));
        assert!(all[5].contains("Error"));
    }

    #[test]
    fn events_of_the_sdk_are_read() {
        let action = concat!(
            r#"{"id":"e","source":"agent","kind":"ActionEvent","tool_name":"terminal","#,
            r#""tool_call_id":"c","action":{"command":"ls"}}"#,
        );
        assert_eq!(
            told(&FORMAT, action),
            [r#"call c terminal {"command":"ls"}"#]
        );
        let rejected = concat!(
            r#"{"id":"f","source":"environment","kind":"UserRejectObservation","#,
            r#""tool_call_id":"c","rejection_reason":"no","rejection_source":"hook"}"#,
        );
        assert_eq!(told(&FORMAT, rejected), ["end c Rejected(Policy) None no"]);
    }

    #[test]
    fn the_class_of_an_action_is_no_parameter() {
        let action = concat!(
            r#"{"id":"e","source":"agent","tool_name":"terminal","tool_call_id":"c","#,
            r#""action":{"command":"ls","kind":"TerminalAction"},"kind":"ActionEvent"}"#,
        );
        assert_eq!(
            told(&FORMAT, action),
            [r#"call c terminal {"command":"ls"}"#]
        );
    }

    #[test]
    fn what_was_recalled_tells_the_work_tree() {
        let recalled = |directory: &str| {
            format!(
                concat!(
                    r#"{{"id":1,"source":"user","cause":0,"observation":"recall","#,
                    r#""content":"","extras":{{"working_dir":"{}"}}}}"#
                ),
                directory
            )
        };
        let root = |directory: &str| {
            let text = recalled(directory);
            read(Raw::trusted(&text), &text)
                .cwd
                .map(|cwd| cwd.to_string())
        };
        assert_eq!(root("/workspace").as_deref(), Some("/workspace"));
        assert_eq!(root("workspace"), None);
    }
}
