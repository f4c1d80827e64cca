//! `otlp`: logs and spans of OpenTelemetry as JSON, as one document or one per line.
//!
//! Events of coding agents contain decisions and results; spans contain finished calls. They may
//! belong to several sessions and are sorted by time first.

use super::otlp_arguments::{PLAIN, call, tool_of_server};
use super::otlp_claude;
use super::otlp_events::{self, SpanEvents};
use super::{
    Call, CallEnd, CallStatus, Event, EventKind, Lenient, LenientStr, Read, SessionFormat,
    SessionRecord, Sessions, given, lists, offset, otlp_models, output, text,
};
use crate::trace::formats::Unit;
use crate::trace::record::NotRecorded;
use crate::trace::scalar::Timestamp;
use governance::DecidedBy;
use hashbrown::{HashMap, HashSet, hash_map};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use strict_json::{Raw, Str, push_quoted};
use util::keyed_hash;

pub(in crate::trace::formats) static FORMAT: SessionFormat = SessionFormat {
    name: "otlp",
    not_recorded: NOT_RECORDED,
    is_line_oriented: false,
    has_arrays: false,
    repeats: &[],
    names: Sessions::OfFile,
    is_shape_of: |unit| unit.has_one(&["resourceLogs", "resourceSpans"]) || is_list_of_spans(unit),
    lists: &[
        "resourceLogs",
        "resourceSpans",
        "scopeLogs",
        "scopeSpans",
        "instrumentationLibraryLogs",
        "instrumentationLibrarySpans",
        "logRecords",
        "spans",
        "events",
    ],
    read: Read::Value(|unit, text| {
        let export = unit.read::<Export<'_>>();
        export.unwrap_or_default().record(text)
    }),
};

/// Parts that not every record of this format contains.
const NOT_RECORDED: &[NotRecorded] = &[
    NotRecorded::Decisions,
    NotRecorded::DecisionDetails,
    NotRecorded::Results,
    NotRecorded::ExitCodes,
    NotRecorded::Arguments,
    NotRecorded::Diffs,
    NotRecorded::Workdir,
];

/// Returns whether a unit is a list of spans in the Python SDK's form.
fn is_list_of_spans(unit: &Unit<'_>) -> bool {
    #[derive(Deserialize)]
    struct Sdk<'a> {
        #[serde(borrow)]
        context: Context<'a>,
    }
    let spans = unit
        .get("spans")
        .and_then(|spans| spans.read::<Vec<Raw<'_>>>());
    let first = spans.and_then(|spans| spans.first()?.read::<Sdk<'_>>());
    first.is_some_and(|span| span.context.trace_id.0.is_some())
}

/// A list whose elements may be of any type.
type List<'a> = Lenient<Vec<Raw<'a>>>;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Export<'a> {
    #[serde(borrow)]
    resource_logs: List<'a>,
    #[serde(borrow)]
    resource_spans: List<'a>,
    /// Spans in the Python SDK's form.
    #[serde(borrow)]
    spans: List<'a>,
}

/// Data of one resource or one of its scopes.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Group<'a> {
    #[serde(borrow)]
    resource: Lenient<Attributed<'a>>,
    #[serde(borrow)]
    scope_logs: List<'a>,
    /// The name of `scopeLogs` in early versions, as are the next two.
    #[serde(borrow)]
    instrumentation_library_logs: List<'a>,
    #[serde(borrow)]
    scope_spans: List<'a>,
    #[serde(borrow)]
    instrumentation_library_spans: List<'a>,
    #[serde(borrow)]
    log_records: List<'a>,
    #[serde(borrow)]
    logs: List<'a>,
    #[serde(borrow)]
    spans: List<'a>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Attributed<'a> {
    #[serde(borrow)]
    attributes: Option<Raw<'a>>,
}

/// A log record or a span.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Item<'a> {
    #[serde(borrow)]
    attributes: Option<Raw<'a>>,
    #[serde(borrow)]
    body: Option<Raw<'a>>,
    #[serde(borrow)]
    event_name: LenientStr<'a>,
    #[serde(borrow)]
    name: LenientStr<'a>,
    #[serde(borrow)]
    trace_id: LenientStr<'a>,
    #[serde(borrow)]
    span_id: LenientStr<'a>,
    #[serde(borrow)]
    parent_span_id: LenientStr<'a>,
    #[serde(borrow)]
    context: Lenient<Context<'a>>,
    #[serde(borrow)]
    time_unix_nano: Option<Raw<'a>>,
    #[serde(borrow)]
    observed_time_unix_nano: Option<Raw<'a>>,
    #[serde(borrow)]
    start_time_unix_nano: Option<Raw<'a>>,
    /// The Python SDK's name.
    #[serde(borrow, rename = "start_time")]
    start_time: Option<Raw<'a>>,
    #[serde(borrow)]
    end_time_unix_nano: Option<Raw<'a>>,
    #[serde(borrow)]
    status: Lenient<Status<'a>>,
    /// Events of a span.
    #[serde(borrow)]
    events: List<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SpanEvent<'a> {
    #[serde(borrow)]
    name: LenientStr<'a>,
    #[serde(borrow)]
    attributes: Option<Raw<'a>>,
}

/// Ids of a span in the Python SDK's form.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Context<'a> {
    #[serde(borrow)]
    trace_id: LenientStr<'a>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Status<'a> {
    #[serde(borrow)]
    code: Option<Raw<'a>>,
    #[serde(borrow)]
    message: LenientStr<'a>,
    /// The Python SDK's names.
    #[serde(borrow, rename = "status_code")]
    number: Option<Raw<'a>>,
    #[serde(borrow)]
    description: LenientStr<'a>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct AnyValue<'a> {
    #[serde(borrow, rename = "stringValue")]
    string: LenientStr<'a>,
    #[serde(borrow, rename = "intValue")]
    int: Option<Raw<'a>>,
    #[serde(borrow, rename = "doubleValue")]
    double: Option<Raw<'a>>,
    #[serde(borrow, rename = "boolValue")]
    boolean: Option<Raw<'a>>,
    #[serde(borrow, rename = "kvlistValue")]
    kvlist: Option<Raw<'a>>,
    #[serde(borrow, rename = "arrayValue")]
    array: Option<Raw<'a>>,
    /// In base64.
    #[serde(borrow, rename = "bytesValue")]
    bytes: LenientStr<'a>,
}

impl<'a> AnyValue<'a> {
    /// Reads a value. Some writers leave its type out. Adds what it can't read to `malformed`.
    fn read_text(raw: Raw<'a>, malformed: &mut Malformed<'a>) -> Option<Cow<'a, str>> {
        let Some(value) = raw.read::<Self>() else {
            return Some(plain(raw));
        };
        let number = value.int.or(value.double).or(value.boolean);
        let mut is_whole = true;
        let read = text(value.string)
            .or_else(|| text(value.bytes))
            .or_else(|| number.map(|raw| output(Some(raw))))
            .or_else(|| {
                value.kvlist.or(value.array)?;
                let mut out = String::new();
                is_whole = value.write(&mut out, NESTED);
                Some(Cow::Owned(out))
            });
        if read.is_none() {
            let members = raw.read::<BTreeMap<String, Raw<'a>>>();
            is_whole = members.is_some_and(|all| all.values().all(is_null));
        }
        if !is_whole {
            lists::add(malformed, raw, "expected a typed value");
        }
        read
    }

    /// Writes the value as JSON. Returns false if a part of it has another type than its name says,
    /// or is nested deeper than `levels`; such a part is written as `null`.
    fn write(self, out: &mut String, levels: u32) -> bool {
        let Some(levels) = levels.checked_sub(1) else {
            out.push_str("null");
            return false;
        };
        let mut is_whole = true;
        if let Some(list) = self.kvlist {
            out.push('{');
            let pairs = Values::of(list);
            is_whole = pairs.is_some();
            let mut first = true;
            for pair in pairs.unwrap_or_default() {
                let Some(pair) = pair.read::<KeyValue<'a>>() else {
                    is_whole = false;
                    continue;
                };
                out.push_str(if first { "" } else { "," });
                first = false;
                push_quoted(out, &pair.key.decode());
                out.push(':');
                is_whole &= Self::write_raw(pair.value, out, levels);
            }
            out.push('}');
        } else if let Some(list) = self.array {
            out.push('[');
            let values = Values::of(list);
            is_whole = values.is_some();
            for (n, value) in values.unwrap_or_default().into_iter().enumerate() {
                out.push_str(if n > 0 { "," } else { "" });
                is_whole &= Self::write_raw(Some(value), out, levels);
            }
            out.push(']');
        } else if let Some(text) = text(self.string).or_else(|| text(self.bytes)) {
            push_quoted(out, &text);
        } else if let Some(number) = self.int.or(self.double).or(self.boolean) {
            // Numbers of 64 bits are written as texts.
            let number = output(Some(number));
            match serde_json::from_str::<serde_json::Value>(&number) {
                Ok(_) => out.push_str(&number),
                Err(_) => push_quoted(out, &number),
            }
        } else {
            out.push_str("null");
        }
        is_whole
    }

    /// Writes a value inside another one.
    fn write_raw(raw: Option<Raw<'a>>, out: &mut String, levels: u32) -> bool {
        let Some(raw) = raw.filter(|raw| !is_null(raw)) else {
            out.push_str("null");
            return true;
        };
        if let Some(value) = raw.read::<Self>() {
            return value.write(out, levels);
        }
        out.push_str(raw.as_written());
        true
    }
}

/// Values in place of others, with what was expected.
type Malformed<'a> = Vec<(&'a str, String)>;

fn is_null(raw: &Raw<'_>) -> bool {
    raw.as_written() == "null"
}

/// The form of a list and of an object.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Values<'a> {
    #[serde(borrow)]
    values: Option<Raw<'a>>,
}

impl<'a> Values<'a> {
    /// Returns the elements. A list without elements may leave them out.
    fn of(list: Raw<'a>) -> Option<Vec<Raw<'a>>> {
        let values = list.read::<Self>()?.values.filter(|raw| !is_null(raw));
        values.map_or(Some(Vec::new()), Raw::read)
    }
}

/// Maximum depth of lists and objects in a value.
const NESTED: u32 = 32;

#[derive(Debug, Deserialize)]
struct KeyValue<'a> {
    #[serde(borrow)]
    key: Str<'a>,
    #[serde(borrow, default)]
    value: Option<Raw<'a>>,
}

/// Attributes by name. Of several with the same name, the first one that isn't blank is kept.
pub(super) struct Attributes<'a>(pub(super) HashMap<Cow<'a, str>, Cow<'a, str>>);

impl<'a> Attributes<'a> {
    /// Reads a list of pairs, or the object that the Python SDK writes. Adds to `malformed` what
    /// may hold attributes of a call and can't be read.
    fn of(raw: Option<Raw<'a>>, malformed: &mut Malformed<'a>) -> Self {
        let mut all = HashMap::new();
        let Some(raw) = raw.filter(|raw| !is_null(raw)) else {
            return Self(all);
        };
        let Some(list) = raw.read::<Vec<Raw<'a>>>() else {
            match raw.read::<BTreeMap<String, Raw<'a>>>() {
                Some(members) => {
                    let members = members.into_iter();
                    all.extend(members.map(|(key, value)| (Cow::Owned(key), plain(value))));
                }
                None => lists::add(malformed, raw, "expected a list in `attributes`"),
            }
            return Self(all);
        };
        for raw in list {
            let Some(pair) = raw.read::<KeyValue<'a>>() else {
                let expected = "expected an object with a `key` in `attributes`";
                lists::add(malformed, raw, expected);
                continue;
            };
            let value = pair.value.filter(|raw| !is_null(raw));
            let Some(read) = value.and_then(|raw| AnyValue::read_text(raw, malformed)) else {
                continue;
            };
            match all.entry(pair.key.decode()) {
                hash_map::Entry::Vacant(place) => {
                    place.insert(read);
                }
                hash_map::Entry::Occupied(mut before) if given::is_blank(before.get()) => {
                    before.insert(read);
                }
                hash_map::Entry::Occupied(before) => {
                    if *before.get() != read && !given::is_blank(&read) {
                        lists::add(malformed, raw, "expected each key once in `attributes`");
                    }
                }
            }
        }
        Self(all)
    }

    /// Returns the first of some attributes that is present and not empty.
    pub(super) fn first(&self, names: &[&str]) -> Option<Cow<'a, str>> {
        let mut all = names.iter().filter_map(|name| self.0.get(*name));
        all.find(|value| !value.is_empty()).cloned()
    }

    fn session(&self) -> Option<Cow<'a, str>> {
        self.first(&[
            "session.id",
            "conversation.id",
            "gen_ai.conversation.id",
            "session_id",
        ])
    }

    pub(super) fn id(&self) -> Option<Cow<'a, str>> {
        self.first(&[
            "tool_use_id",
            "call_id",
            "gen_ai.tool.call.id",
            "gen_ai.tool.call_id",
            "ai.toolCall.id",
            "tool_call.id",
            "tool_call_id",
        ])
    }
}

/// Reads a value of the Python SDK: a text or JSON.
fn plain(value: Raw<'_>) -> Cow<'_, str> {
    match (value.read::<Str<'_>>(), value.as_written()) {
        (Some(text), _) => text.decode(),
        (None, "null") => Cow::Borrowed(""),
        (None, written) => Cow::Borrowed(written),
    }
}

/// A log record or a span, with its context.
struct TimedItem<'a> {
    at: usize,
    time: Option<Timestamp>,
    session: Option<Cow<'a, str>>,
    trace: Option<Cow<'a, str>>,
    what: Vec<EventKind<'a>>,
    /// Calls in the history that a model was given.
    past: Vec<Call<'static>>,
}

impl<'a> Export<'a> {
    fn record(self, whole: &'a str) -> SessionRecord<'a> {
        let mut items = Vec::new();
        let mut parts = otlp_claude::Parts::default();
        let mut malformed = Vec::new();
        let groups = |list: List<'a>| {
            let list = list.0.unwrap_or_default().into_iter();
            list.filter_map(|raw| raw.read::<Group<'a>>())
        };
        for group in groups(self.resource_logs).chain(groups(self.resource_spans)) {
            let resource = group.resource.0.and_then(|resource| resource.attributes);
            let around = Attributes::of(resource, &mut malformed).session();
            let scopes = [
                group.scope_logs,
                group.instrumentation_library_logs,
                group.scope_spans,
                group.instrumentation_library_spans,
            ];
            for scope in scopes.into_iter().flat_map(groups) {
                for (list, is_span) in [
                    (scope.log_records, false),
                    (scope.logs, false),
                    (scope.spans, true),
                ] {
                    for raw in list.0.unwrap_or_default() {
                        let Some(item) = raw.read::<Item<'a>>() else {
                            continue;
                        };
                        item.add_part(&mut parts);
                        items.push((item, raw, around.clone(), is_span));
                    }
                }
            }
        }
        for raw in self.spans.0.unwrap_or_default() {
            if let Some(item) = raw.read::<Item<'a>>() {
                item.add_part(&mut parts);
                items.push((item, raw, None, true));
            }
        }
        let items = items.into_iter().map(|(item, raw, around, is_span)| {
            let at = offset(whole, raw.as_written()).unwrap_or_default();
            item.found(at, around.as_ref(), is_span, &parts, &mut malformed)
        });
        let mut found: Vec<TimedItem<'a>> = items.collect();
        // The session of a trace may be recorded on only one of its spans.
        let mut traces = HashMap::new();
        for one in &found {
            if let (Some(trace), Some(session)) = (&one.trace, &one.session) {
                traces
                    .entry(trace.clone())
                    .or_insert_with(|| session.clone());
            }
        }
        found.retain(|one| !one.what.is_empty() || !one.past.is_empty());
        let timed = found.iter().all(|one| one.time.is_some());
        found.sort_by_key(|one| {
            // A call comes after its request.
            let is_request = |what: &EventKind<'_>| matches!(what, EventKind::Wanted { .. });
            let time = one.time.filter(|_| timed);
            (
                time.map(Timestamp::millis),
                !one.what.iter().any(is_request),
            )
        });
        let mut events = Vec::with_capacity(2 * found.len());
        // A history is repeated with each request. Calls with ids are compared later.
        let mut unnamed = HashSet::new();
        for one in &found {
            unnamed.extend(one.what.iter().filter_map(|what| match what {
                EventKind::Wanted { call, .. } => Some(keyed_hash(&(&call.tool, &call.input))),
                _ => None,
            }));
        }
        for mut one in found {
            for call in std::mem::take(&mut one.past) {
                if call.id.is_some() || unnamed.insert(keyed_hash(&(&call.tool, &call.input))) {
                    one.what.push(EventKind::Wanted { call, ended: None });
                }
            }
            let of_trace = || {
                one.trace
                    .map(|trace| traces.get(&trace).cloned().unwrap_or(trace))
            };
            let (at, time) = (one.at, one.time);
            let session = one.session.or_else(of_trace);
            let session = session.map_or(EventKind::File, EventKind::Session);
            let told = std::iter::once(session).chain(one.what);
            events.extend(told.map(|what| Event { at, time, what }));
        }
        SessionRecord {
            events,
            malformed,
            ..SessionRecord::default()
        }
    }
}

impl<'a> Item<'a> {
    /// Adds the span to those that are parts of calls, if it is one.
    fn add_part(&self, parts: &mut otlp_claude::Parts<'a>) {
        if let (Some(parent), Some(name)) = (text(self.parent_span_id), text(self.name))
            && name.starts_with(otlp_claude::TOOL)
        {
            let attributes = Attributes::of(self.attributes, &mut Vec::new());
            parts.add(parent, &name, &attributes);
        }
    }

    fn found(
        self,
        at: usize,
        around: Option<&Cow<'a, str>>,
        is_span: bool,
        parts: &otlp_claude::Parts<'a>,
        malformed: &mut Malformed<'a>,
    ) -> TimedItem<'a> {
        let mut attributes = Attributes::of(self.attributes, malformed);
        let times = [
            self.start_time_unix_nano,
            self.start_time,
            self.time_unix_nano,
            self.observed_time_unix_nano,
            self.end_time_unix_nano,
        ];
        let session = attributes.session().or_else(|| around.cloned());
        let (what, past) = if is_span {
            let events = self.span_events(malformed);
            self.span(&mut attributes, events, parts)
        } else {
            self.log(&attributes, malformed)
        };
        TimedItem {
            at,
            time: times.into_iter().flatten().find_map(nanos),
            session,
            trace: text(self.trace_id)
                .or_else(|| text(self.context.0?.trace_id))
                .filter(|id| !id.is_empty()),
            what,
            past,
        }
    }

    fn span_events(&self, malformed: &mut Malformed<'a>) -> SpanEvents<'a> {
        let events = self.events.0.iter().flatten();
        let events = events.filter_map(|raw| raw.read::<SpanEvent<'a>>());
        let events = events.map(|event| {
            let attributes = Attributes::of(event.attributes, malformed);
            (text(event.name).unwrap_or_default(), attributes)
        });
        SpanEvents(events.collect())
    }

    /// Reads an event of a coding agent, or of a model that requests calls.
    fn log(
        &self,
        attributes: &Attributes<'a>,
        malformed: &mut Malformed<'a>,
    ) -> (Vec<EventKind<'a>>, Vec<Call<'static>>) {
        let body = self.body.filter(|raw| !is_null(raw));
        let body = body.and_then(|raw| AnyValue::read_text(raw, malformed));
        let name = attributes
            .first(&["event.name"])
            .or_else(|| text(self.event_name))
            .or_else(|| body.clone());
        let Some(name) = name else {
            return Default::default();
        };
        let calls = match &*name {
            "gen_ai.choice" => otlp_models::chosen(&body.unwrap_or_default()),
            "gen_ai.client.inference.operation.details" => {
                otlp_models::asked(&attributes.0).collect()
            }
            "gen_ai.assistant.message" => {
                return (Vec::new(), otlp_models::chosen(&body.unwrap_or_default()));
            }
            _ => {
                let event = Self::agent_event(&name, attributes);
                return (event.into_iter().collect(), Vec::new());
            }
        };
        (calls.into_iter().map(wanted).collect(), Vec::new())
    }

    /// Reads an event of a coding agent.
    fn agent_event(name: &str, attributes: &Attributes<'a>) -> Option<EventKind<'a>> {
        let agents = ["claude_code.", "codex.", "gemini_cli.", "qwen-code."];
        let mut short = agents.iter().filter_map(|agent| name.strip_prefix(agent));
        let short = short.next().unwrap_or(name);
        let tool = attributes.first(&["tool_name", "function_name", "gen_ai.tool.name"]);
        let tool = match tool.as_deref() {
            Some("mcp_tool") => tool_of_server(attributes).map(Cow::Owned).or(tool),
            _ => tool,
        };
        match short {
            "tool_decision" => Some(EventKind::Decided {
                call: call(attributes, tool.unwrap_or_default()),
                decision: decision(attributes, &["decision"], &["source"]),
                late: true,
            }),
            "tool_result" => {
                let decision = decision(
                    attributes,
                    &["decision_type"],
                    &["decision_source", "source"],
                );
                Some(done(attributes, tool.unwrap_or_default(), decision, None))
            }
            "tool_call" => {
                let word = attributes.first(&["decision"]);
                let decision = match word.as_deref() {
                    Some("accept" | "modify") => Some((true, DecidedBy::Human)),
                    Some("auto_accept") => Some((true, DecidedBy::Policy)),
                    Some("reject") => Some((false, DecidedBy::Human)),
                    _ => None,
                };
                Some(done(attributes, tool.unwrap_or_default(), decision, None))
            }
            "user_prompt" => attributes
                .first(&["prompt"])
                .filter(|said| said != "<REDACTED>" && said != "[REDACTED]")
                .map(EventKind::Prompt),
            _ => None,
        }
    }

    /// Reads the span of a call, or of a model that requests calls.
    fn span(
        &self,
        attributes: &mut Attributes<'a>,
        events: SpanEvents<'a>,
        parts: &otlp_claude::Parts<'a>,
    ) -> (Vec<EventKind<'a>>, Vec<Call<'static>>) {
        let name = text(self.name).unwrap_or_default();
        let operation = attributes.first(&["gen_ai.operation.name"]);
        let kind = attributes.first(&["openinference.span.kind", "traceloop.span.kind"]);
        let is_tool = match (operation.as_deref(), kind.as_deref()) {
            (Some(operation), _) => {
                operation == "execute_tool"
                    || attributes.first(&TOOL_NAMES).is_some()
                        && !otlp_models::OPERATIONS.contains(&operation)
            }
            (None, Some(kind)) => kind.eq_ignore_ascii_case("tool"),
            (None, None) => {
                attributes.first(&TOOL_NAMES).is_some()
                    || name.starts_with("execute_tool ")
                    || name == otlp_claude::TOOL
            }
        };
        if !is_tool {
            let (new, past) = events.asked();
            let all = otlp_models::asked(&attributes.0).chain(new);
            return (all.map(wanted).collect(), past);
        }
        events.add_to(attributes, &PLAIN, &RESULTS);
        let tool = attributes
            .first(&[
                "gen_ai.tool.name",
                "ai.toolCall.name",
                "tool.name",
                "tool_name",
                "traceloop.entity.name",
            ])
            .unwrap_or_else(|| match name.strip_prefix("execute_tool ") {
                Some(tool) => Cow::Owned(tool.to_owned()),
                None => name,
            });
        let status = self.status.0.unwrap_or_default();
        let code = output(status.code.or(status.number));
        let failed = matches!(&*code, "2" | "STATUS_CODE_ERROR" | "ERROR");
        let failure = failed.then(|| {
            text(status.message)
                .or_else(|| text(status.description))
                .unwrap_or_default()
        });
        let part = text(self.span_id).map(|id| parts.of(&id));
        let part = part.unwrap_or_default();
        let failure = failure.or_else(|| part.failed.then_some(Cow::Borrowed("")));
        let mut done = done(attributes, tool, part.decision, failure);
        if let (Some(by), EventKind::Done { ended, .. }) = (part.rejected(), &mut done) {
            ended.how = CallStatus::Rejected(by);
        }
        (vec![done], Vec::new())
    }
}

/// Attributes that only spans of calls have.
const TOOL_NAMES: [&str; 2] = ["gen_ai.tool.name", "ai.toolCall.name"];
/// Attributes that contain the result of a call.
const RESULTS: [&str; 6] = [
    "ai.toolCall.result",
    "output",
    "gen_ai.tool.call.result",
    "tool_response",
    "output.value",
    "traceloop.entity.output",
];

fn wanted<'a>(call: Call<'static>) -> EventKind<'a> {
    EventKind::Wanted { call, ended: None }
}

/// Parses a time in nanoseconds, written as a text or as a number.
fn nanos(raw: Raw<'_>) -> Option<Timestamp> {
    let nanos: i64 = output(Some(raw)).parse().ok()?;
    (nanos > 0).then(|| Timestamp::of_millis(nanos / 1_000_000))
}

/// Returns whether a call was allowed, and by whom. An approval of an unknown source is ignored.
pub(super) fn decision(
    attributes: &Attributes<'_>,
    words: &[&str],
    sources: &[&str],
) -> Option<(bool, DecidedBy)> {
    let word = attributes.first(words)?.to_ascii_lowercase();
    let source = attributes.first(sources).unwrap_or_default();
    let source = source.to_ascii_lowercase();
    let allowed = match &*word {
        "reject" | "rejected" | "denied" | "deny" | "abort" => false,
        "accept" | "accepted" | "allow" => true,
        word if word.starts_with("approve") => true,
        _ => return None,
    };
    match &*source {
        // Aborting the agent is neither an approval nor a rejection.
        "user_abort" => None,
        source if source.starts_with("user") => Some((allowed, DecidedBy::Human)),
        source if source.starts_with("automated") => Some((allowed, DecidedBy::Policy)),
        "config" | "hook" | "policy" => Some((allowed, DecidedBy::Policy)),
        _ => (!allowed).then_some((false, DecidedBy::Policy)),
    }
}

/// Returns a finished call. `failure` is the message in its span's status.
fn done<'a>(
    attributes: &Attributes<'a>,
    tool: Cow<'a, str>,
    decision: Option<(bool, DecidedBy)>,
    failure: Option<Cow<'a, str>>,
) -> EventKind<'a> {
    let call = call(attributes, tool);
    let others = [otlp_events::RESULT, "error", "error.message"];
    let shown = attributes.first(&RESULTS);
    let shown = shown.or_else(|| attributes.first(&others));
    let success = attributes.first(&["success"]);
    let failed = failure.is_some()
        || success.is_some_and(|word| word.eq_ignore_ascii_case("false"))
        || attributes.first(&["error.type"]).is_some()
        || attributes.first(&["gen_ai.tool.status"]).as_deref() == Some("error");
    EventKind::Done {
        ended: CallEnd {
            id: call.id.clone(),
            how: if failed {
                CallStatus::Error
            } else {
                CallStatus::Ok
            },
            output: shown.or(failure).unwrap_or_default(),
            exit_code: None,
            change: None,
        },
        call,
        decision,
    }
}
