//! `atif` and `langfuse`: trajectories that programs exchange.

use super::messages;
use super::{
    Call, CallEnd, CallStatus, EventKind, Events, Lenient, LenientStr, Read, SessionFormat,
    SessionRecord, Sessions, arguments, id, is_word, output, text,
};
use crate::trace::formats::Unit;
use crate::trace::record::NotRecorded;
use crate::trace::scalar::Timestamp;
use serde::Deserialize;
use std::borrow::Cow;
use strict_json::{Raw, Str};

/// Parts that neither format contains.
const NOT_RECORDED: &[NotRecorded] = &[
    NotRecorded::Decisions,
    NotRecorded::DecisionDetails,
    NotRecorded::ExitCodes,
    NotRecorded::Diffs,
    NotRecorded::Workdir,
];

pub(in crate::trace::formats) const FORMAT: SessionFormat = SessionFormat {
    name: "atif",
    not_recorded: NOT_RECORDED,
    is_line_oriented: false,
    has_arrays: false,
    repeats: &[],
    names: Sessions::OfFile,
    is_shape_of: |unit| {
        unit.has(&["steps"])
            && unit
                .get("schema_version")
                .and_then(|raw| raw.read::<Str<'_>>())
                .is_some_and(|version| version.decode().starts_with("ATIF"))
    },
    lists: &["steps", "subagent_trajectories", "tool_calls"],
    read: Read::Value(read),
};

pub(in crate::trace::formats) const LANGFUSE: SessionFormat = SessionFormat {
    name: "langfuse",
    // The result of a call that only a model's response contains isn't recorded.
    not_recorded: &[
        NotRecorded::Decisions,
        NotRecorded::DecisionDetails,
        NotRecorded::Results,
        NotRecorded::ExitCodes,
        NotRecorded::Diffs,
        NotRecorded::Workdir,
    ],
    is_line_oriented: false,
    has_arrays: false,
    repeats: &[],
    names: Sessions::OfFile,
    is_shape_of: |unit| {
        unit.has(&["trace", "observations"])
            || unit.has(&["traceId", "type", "startTime"]) && unit.has(&["id", "name"])
            || lists_observations(unit)
    },
    lists: &["observations"],
    read: Read::Value(read_langfuse),
};

/// Returns whether a document is a trace that contains its observations.
fn lists_observations(unit: &Unit<'_>) -> bool {
    let list = unit
        .get("observations")
        .and_then(|raw| raw.read::<Vec<Raw<'_>>>());
    let first = list.and_then(|list| list.first()?.read::<LangfuseObservation<'_>>());
    first.is_some_and(|first| first.trace.0.is_some() && first.kind.0.is_some())
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Trajectory<'a> {
    #[serde(borrow)]
    session_id: LenientStr<'a>,
    #[serde(borrow, rename = "trajectory_id")]
    id: LenientStr<'a>,
    #[serde(borrow)]
    steps: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    subagent_trajectories: Lenient<Vec<Raw<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AtifStep<'a> {
    timestamp: Lenient<Timestamp>,
    #[serde(borrow)]
    source: LenientStr<'a>,
    #[serde(borrow)]
    message: Option<Raw<'a>>,
    #[serde(borrow)]
    tool_calls: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    observation: Lenient<StepObservation<'a>>,
    is_copied_context: Lenient<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StepObservation<'a> {
    #[serde(borrow)]
    results: Lenient<Vec<Raw<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StepResult<'a> {
    #[serde(borrow)]
    source_call_id: Option<Raw<'a>>,
    #[serde(borrow)]
    content: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StepCall<'a> {
    #[serde(borrow)]
    tool_call_id: Option<Raw<'a>>,
    #[serde(borrow)]
    function_name: LenientStr<'a>,
    #[serde(borrow)]
    arguments: Option<Raw<'a>>,
}

fn read<'a>(raw: Raw<'a>, whole: &'a str) -> SessionRecord<'a> {
    let mut events = Events::new(whole, None);
    let mut document = raw.read::<Trajectory<'a>>().unwrap_or_default();
    document.read_into(&mut events);
    // Trajectories of sub-agents, which may contain others.
    let mut left = document.subagent_trajectories.0.take().unwrap_or_default();
    left.reverse();
    let mut number = 0;
    while let Some(raw) = left.pop() {
        let mut part = raw.read::<Trajectory<'a>>().unwrap_or_default();
        number += 1;
        let name = text(part.id).or_else(|| text(part.session_id));
        let name = name.unwrap_or_else(|| format!("sub-agent {number}").into());
        events.push(raw, EventKind::Part(name));
        part.read_into(&mut events);
        let inner = part.subagent_trajectories.0.take().unwrap_or_default();
        left.extend(inner.into_iter().rev());
    }
    SessionRecord {
        session: text(document.session_id).filter(|id| !id.is_empty()),
        whole: true,
        events: events.into_list(),
        ..SessionRecord::default()
    }
}

impl<'a> Trajectory<'a> {
    fn read_into(&mut self, events: &mut Events<'a>) {
        for raw in self.steps.0.take().unwrap_or_default() {
            let step = raw.read::<AtifStep<'a>>().unwrap_or_default();
            // These steps are copied from an earlier trajectory.
            if step.is_copied_context.0 != Some(true) {
                step.read_into(events, raw);
            }
        }
    }
}

impl<'a> AtifStep<'a> {
    fn read_into(self, events: &mut Events<'a>, raw: Raw<'a>) {
        events.time = self.timestamp.0;
        let said = output(self.message);
        if is_word(self.source, &["user"]) {
            events.push(raw, EventKind::Prompt(said));
        } else if is_word(self.source, &["agent"]) {
            events.push(raw, EventKind::Said(said));
        }
        // Calls without a result so far; a result may name no call.
        let mut open: Vec<Cow<'a, str>> = Vec::new();
        for raw in self.tool_calls.0.unwrap_or_default() {
            let Some(call) = raw.read::<StepCall<'a>>() else {
                continue;
            };
            let id = id(call.tool_call_id).unwrap_or_else(|| events.own_id());
            open.push(id.clone());
            let call = Call {
                id: Some(id),
                tool: text(call.function_name).unwrap_or_default(),
                input: arguments(call.arguments),
            };
            events.push(raw, EventKind::Call(call));
        }
        let observation = self.observation.0.unwrap_or_default();
        for raw in observation.results.0.unwrap_or_default() {
            let result = raw.read::<StepResult<'a>>().unwrap_or_default();
            let named = id(result.source_call_id);
            let at = match &named {
                Some(named) => open.iter().position(|id| id == named),
                None => (!open.is_empty()).then_some(0),
            };
            let answered = at.map(|at| open.remove(at));
            // An observation in a step without calls isn't a call's result.
            if let Some(id) = named.or(answered) {
                let ended = CallEnd {
                    id: Some(id),
                    how: CallStatus::Ok,
                    output: output(result.content),
                    exit_code: None,
                    change: None,
                };
                events.push(raw, EventKind::Ended(ended));
            }
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Export<'a> {
    /// Id and session of the trace, if the document is the trace itself.
    #[serde(borrow)]
    id: LenientStr<'a>,
    #[serde(borrow, rename = "sessionId")]
    session: LenientStr<'a>,
    /// Trace of a single observation.
    #[serde(borrow, rename = "traceId")]
    trace_id: LenientStr<'a>,
    #[serde(borrow)]
    trace: Lenient<Trace<'a>>,
    #[serde(borrow)]
    observations: Lenient<Vec<Raw<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Trace<'a> {
    #[serde(borrow)]
    id: LenientStr<'a>,
    #[serde(borrow, rename = "sessionId")]
    session: LenientStr<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct LangfuseObservation<'a> {
    #[serde(borrow)]
    id: Option<Raw<'a>>,
    #[serde(borrow, rename = "traceId")]
    trace: LenientStr<'a>,
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    #[serde(borrow)]
    name: LenientStr<'a>,
    start_time: Lenient<Timestamp>,
    end_time: Lenient<Timestamp>,
    #[serde(borrow)]
    level: LenientStr<'a>,
    #[serde(borrow)]
    status_message: Option<Raw<'a>>,
    #[serde(borrow)]
    input: Option<Raw<'a>>,
    #[serde(borrow)]
    output: Option<Raw<'a>>,
    #[serde(borrow)]
    metadata: Lenient<Metadata<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Metadata<'a> {
    #[serde(borrow)]
    attributes: Lenient<Attributes<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Attributes<'a> {
    #[serde(borrow, rename = "gen_ai.tool.name")]
    tool: LenientStr<'a>,
    #[serde(borrow, rename = "gen_ai.tool.call.id")]
    call: LenientStr<'a>,
    #[serde(borrow, rename = "gen_ai.operation.name")]
    operation: LenientStr<'a>,
    #[serde(borrow, rename = "openinference.span.kind")]
    span_kind: LenientStr<'a>,
}

/// A tool's message in `LangChain`'s form.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolMessage<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    #[serde(borrow)]
    name: LenientStr<'a>,
    #[serde(borrow)]
    tool_call_id: Option<Raw<'a>>,
    #[serde(borrow)]
    status: LenientStr<'a>,
    #[serde(borrow)]
    content: Option<Raw<'a>>,
}

fn read_langfuse<'a>(raw: Raw<'a>, whole: &'a str) -> SessionRecord<'a> {
    let mut events = Events::new(whole, None);
    let export = raw.read::<Export<'a>>().unwrap_or_default();
    let whole = export.observations.0.is_some();
    // An observation may be a record of its own.
    let alone = (!whole).then_some(raw);
    for raw in export
        .observations
        .0
        .unwrap_or_default()
        .into_iter()
        .chain(alone)
    {
        let observation = raw.read::<LangfuseObservation<'a>>().unwrap_or_default();
        observation.read_into(&mut events, raw);
    }
    // Observations are listed in any order.
    events.sort();
    let trace = export.trace.0.unwrap_or_default();
    SessionRecord {
        session: text(trace.session)
            .or_else(|| text(trace.id))
            .or_else(|| text(export.session))
            .or_else(|| text(if whole { export.id } else { export.trace_id }))
            .filter(|id| !id.is_empty()),
        whole,
        events: events.into_list(),
        ..SessionRecord::default()
    }
}

impl<'a> LangfuseObservation<'a> {
    fn read_into(self, events: &mut Events<'a>, raw: Raw<'a>) {
        let attributes = self
            .metadata
            .0
            .unwrap_or_default()
            .attributes
            .0
            .unwrap_or_default();
        let message = self
            .output
            .and_then(|raw| raw.read::<ToolMessage<'a>>())
            .filter(|m| is_word(m.kind, &["tool"]) && m.tool_call_id.is_some());
        let is_call = is_word(self.kind, &["TOOL", "tool"])
            || is_word(attributes.operation, &["execute_tool"])
            || is_word(attributes.span_kind, &["TOOL"])
            || attributes.tool.0.is_some()
                && attributes.operation.0.is_none()
                && attributes.span_kind.0.is_none()
            || message.is_some() && is_word(self.kind, &["SPAN"]);
        if is_word(self.kind, &["GENERATION"]) && !is_call {
            events.time = self.end_time.0.or(self.start_time.0);
            for call in self.output.map(messages::asked).unwrap_or_default() {
                events.push(raw, EventKind::Wanted { call, ended: None });
            }
        }
        if !is_call {
            return;
        }
        let message = message.unwrap_or_default();
        let id = text(attributes.call)
            .or_else(|| id(message.tool_call_id))
            .or_else(|| id(self.id))
            .unwrap_or_else(|| events.own_id());
        let tool = text(attributes.tool)
            .or_else(|| text(message.name))
            .or_else(|| text(self.name));
        let call = Call {
            id: Some(id.clone()),
            tool: tool.unwrap_or_default(),
            input: arguments(self.input),
        };
        events.time = self.start_time.0;
        events.push(raw, EventKind::Call(call));
        let is_null = |raw: &Raw<'_>| raw.as_written() == "null";
        let given = self.output.filter(|raw| !is_null(raw));
        if given.is_none() && self.end_time.0.is_none() {
            return;
        }
        let failed = is_word(self.level, &["ERROR"]) || is_word(message.status, &["error"]);
        let shown = message.content.or(given).or(self.status_message);
        events.time = self.end_time.0.or(self.start_time.0);
        let ended = CallEnd {
            id: Some(id),
            how: if failed {
                CallStatus::Error
            } else {
                CallStatus::Ok
            },
            output: output(shown),
            exit_code: None,
            change: None,
        };
        events.push(raw, EventKind::Ended(ended));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::formats::session::testing::{fed, told};

    #[test]
    fn copied_steps_are_skipped_and_results_find_their_calls() {
        let text = include_str!("atif.paired.test.json");
        assert_eq!(
            told(&FORMAT, text),
            [
                "call a f {}",
                "call b  {}",
                "end b Ok None 1",
                "end a Ok None 2"
            ]
        );
    }

    #[test]
    fn the_calls_of_sub_agents_count() {
        let step = |id: &str| format!(r#"{{"tool_calls":[{{"tool_call_id":"{id}"}}]}}"#);
        let inner = format!(r#"{{"trajectory_id":"u","steps":[{}]}}"#, step("c"));
        let text = format!(
            r#"{{"steps":[{}],"subagent_trajectories":[
                {{"session_id":"s","steps":[{}],"subagent_trajectories":[{inner}]}},
                {{"steps":[{}]}},
                7]}}"#,
            step("a"),
            step("b"),
            step("d")
        );
        let expected = [
            "call a  {}",
            "session s",
            "call b  {}",
            "session u",
            "call c  {}",
            "session sub-agent 3",
            "call d  {}",
            "session sub-agent 4",
        ];
        assert_eq!(told(&FORMAT, &text), expected);
    }

    #[test]
    fn a_call_that_only_a_model_tells_of_is_counted_once() {
        let export = |tools: &str| {
            let asked = [
                concat!(
                    r#"{"role":"assistant","additional_kwargs":{"tool_calls":[{"id":"a","#,
                    r#""function":{"name":"Web-Search","arguments":{"q":"x"}}}]}}"#,
                ),
                concat!(
                    r#"[{"role":"assistant","parts":[{"type":"tool_call","id":"b","#,
                    r#""name":"bash","arguments":"{\"cmd\":\"ls\"}"}]}]"#,
                ),
                concat!(
                    r#"{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"b","#,
                    r#""function":{"name":"bash"}}]}}]}"#,
                ),
            ];
            let models =
                asked.map(|output| format!(r#"{{"type":"GENERATION","output":{output}}}"#));
            let all = [tools, &models.join(",")].join(",");
            format!(
                r#"{{"trace":{{"id":"t"}},"observations":[{}]}}"#,
                all.trim_matches(',')
            )
        };
        let cases = [
            ("", vec![("a", "not_recorded"), ("b", "not_recorded")]),
            (
                r#"{"type":"TOOL","id":"1","name":"web_search","input":{"q":"x"},"output":"y"}"#,
                vec![("1", "ok"), ("b", "not_recorded")],
            ),
            (
                r#"{"type":"TOOL","id":"1","name":"bash","input":"ls","output":"y"}"#,
                vec![("1", "ok"), ("a", "not_recorded")],
            ),
            (
                r#"{"type":"TOOL","id":"1","name":"bash","input":{"cmd":"rm"},"output":"y"}"#,
                vec![("1", "ok"), ("a", "not_recorded"), ("b", "not_recorded")],
            ),
            (
                concat!(
                    r#"{"type":"TOOL","name":"run","#,
                    r#""metadata":{"attributes":{"gen_ai.tool.call.id":"b"}},"output":"y"}"#,
                ),
                vec![("b", "ok"), ("a", "not_recorded")],
            ),
        ];
        for (tools, expected) in cases {
            let all = fed(&LANGFUSE, &[&export(tools)]);
            assert_eq!(all.len(), 1 + expected.len(), "{tools} {all:#?}");
            for (record, (id, outcome)) in all.iter().skip(1).zip(expected) {
                assert!(
                    record.contains(&format!(r#""callId":"{id}""#)),
                    "{tools} {record}"
                );
                assert!(
                    record.contains(&format!(r#""outcome":"{outcome}""#)),
                    "{tools} {record}"
                );
            }
        }
    }

    #[test]
    fn calls_of_gemini_in_a_generation_are_read() {
        let parts = concat!(
            r#"{"function_call":{"name":"f","args":{"a":1}}},"#,
            r#"{"executable_code":{"language":"PYTHON","code":"x"}}"#,
        );
        let text = format!(
            r#"{{"trace":{{}},"observations":[{{"type":"GENERATION","id":"g","output":
                {{"candidates":[{{"content":{{"parts":[{parts}]}}}}]}}}}]}}"#
        );
        let expected = [
            r#"wanted call - f {"a":1}"#,
            r#"wanted call - code_interpreter {"language":"PYTHON","code":"x"}"#,
        ];
        assert_eq!(told(&LANGFUSE, &text), expected);
    }

    #[test]
    fn an_input_that_is_a_text_is_that_of_the_request() {
        let export = |input: &str| {
            format!(
                r#"{{"trace":{{"id":"t"}},"observations":[{{"type":"GENERATION","output":
                    {{"role":"assistant","tool_calls":[{{"id":"b","name":"bash","args":
                    {{"command":"ls"}}}}]}}}},{{"type":"TOOL","name":"bash","input":"{input}"}}]}}"#
            )
        };
        let call = |input: &str| fed(&LANGFUSE, &[&export(input)]).pop().unwrap();
        assert!(call("ls").contains(r#"{"command":"ls"}"#), "{}", call("ls"));
        let both = call("ls; rm -rf /");
        assert!(
            both.contains("rm -rf /") && both.contains(r#""ls""#),
            "{both}"
        );
    }

    #[test]
    fn tools_are_sorted_by_time() {
        let text = concat!(
            r#"{"trace":{},"observations":[{"id":"b","type":"TOOL","name":"g","#,
            r#""startTime":"2026-01-05T08:00:02Z","endTime":"2026-01-05T08:00:03Z","#,
            r#""level":"ERROR"},{"type":"SPAN","name":"s"},{"id":"a","type":"TOOL","name":"f","#,
            r#""startTime":"2026-01-05T08:00:00Z"}]}"#,
        );
        assert_eq!(
            told(&LANGFUSE, text),
            ["call a f {}", "call b g {}", "end b Error None "]
        );
    }
}
