//! `inspect`: logs of Inspect as JSON.
//!
//! Each sample is a session. Its messages hold calls and results; what an approver decided is an
//! event of its own, or the type of the error of a result.

use super::messages::{self, Message};
use super::{
    Call, Ended, Events, How, Lenient, SessionFormat, SessionRecord, Sessions, What, arguments, id,
    is_word, output, text,
};
use crate::trace::record::NotRecorded;
use governance::DecidedBy;
use hashbrown::HashMap;
use serde::Deserialize;
use std::borrow::Cow;
use strict_json::{Raw, Str};

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
    names: Sessions::OfFile,
    is_shape_of: |unit| {
        unit.has(&["eval", "version"]) && unit.has_one(&["samples", "plan", "status"])
    },
    read,
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Log<'a> {
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
    messages: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    events: Lenient<Vec<Raw<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SampleEvent<'a> {
    #[serde(borrow)]
    event: Lenient<Str<'a>>,
    #[serde(borrow)]
    id: Option<Raw<'a>>,
    #[serde(borrow)]
    function: Lenient<Str<'a>>,
    #[serde(borrow)]
    arguments: Option<Raw<'a>>,
    #[serde(borrow)]
    result: Option<Raw<'a>>,
    #[serde(borrow)]
    error: Lenient<ToolError<'a>>,
    #[serde(borrow)]
    call: Lenient<Called<'a>>,
    #[serde(borrow)]
    decision: Lenient<Str<'a>>,
    #[serde(borrow)]
    approver: Lenient<Str<'a>>,
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
    kind: Lenient<Str<'a>>,
    #[serde(borrow)]
    message: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Failed<'a> {
    #[serde(borrow)]
    error: Lenient<ToolError<'a>>,
}

/// What approvers decided about calls: whether it was an approval, and who they were.
type Decisions<'a> = HashMap<Cow<'a, str>, (bool, DecidedBy)>;

fn read<'a>(raw: Raw<'a>, whole: &'a str) -> SessionRecord<'a> {
    let mut events = Events::new(whole, None);
    let log = raw.read::<Log<'a>>().unwrap_or_default();
    for (n, raw) in log.samples.0.unwrap_or_default().into_iter().enumerate() {
        let sample = raw.read::<Sample<'a>>().unwrap_or_default();
        let name = id(sample.id).unwrap_or_else(|| format!("sample {}", n + 1).into());
        let name = match sample.epoch.0 {
            Some(epoch) if epoch > 1 => format!("{name}#{epoch}").into(),
            _ => name,
        };
        events.tell(raw, What::Part(name));
        sample.tell(&mut events);
    }
    SessionRecord {
        whole: true,
        events: events.into_list(),
        ..SessionRecord::default()
    }
}

impl<'a> Sample<'a> {
    fn tell(self, events: &mut Events<'a>) {
        let told: Vec<_> = self
            .events
            .0
            .unwrap_or_default()
            .into_iter()
            .filter_map(|raw| Some((raw, raw.read::<SampleEvent<'a>>()?)))
            .collect();
        let decisions: Decisions<'a> = told.iter().filter_map(|(_, e)| e.decision()).collect();
        let messages = self.messages.0.unwrap_or_default();
        for raw in &messages {
            let before = events.len();
            messages::message(events, *raw);
            for id in events.calls_from(before) {
                tell_decision(events, *raw, id, &decisions);
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
        // Without messages, only the events hold the calls.
        for (raw, event) in told.into_iter().filter(|_| messages.is_empty()) {
            if is_word(event.event, &["tool"]) {
                event.tell_call(events, raw, &decisions);
            }
        }
    }
}

impl<'a> SampleEvent<'a> {
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

    fn tell_call(self, events: &mut Events<'a>, raw: Raw<'a>, decisions: &Decisions<'a>) {
        let id = id(self.id).unwrap_or_else(|| events.own_id());
        let call = Call {
            id: Some(id.clone()),
            tool: text(self.function).unwrap_or_default(),
            input: arguments(self.arguments),
        };
        events.tell(raw, What::Call(call));
        tell_decision(events, raw, id.clone(), decisions);
        let failed = self.error.0;
        let message = failed.as_ref().and_then(|error| error.message);
        let mut ended = Ended {
            id: Some(id),
            how: if failed.is_some() {
                How::Error
            } else {
                How::Ok
            },
            output: output(message.or(self.result)),
            exit_code: None,
            change: None,
        };
        if let Some(error) = failed {
            reject(&mut ended, &error, decisions);
        }
        events.tell(raw, What::Ended(ended));
    }
}

fn tell_decision<'a>(
    events: &mut Events<'a>,
    raw: Raw<'a>,
    id: Cow<'a, str>,
    decisions: &Decisions<'a>,
) {
    match decisions.get(&id).copied() {
        Some((true, by)) => events.tell(raw, What::Approved { id, by }),
        Some((false, by)) => events.tell(raw, What::Rejected { id, by }),
        None => {}
    }
}

/// A result that an approver prevented. Who that was may not be recorded: then it was asked for,
/// and a person is who is asked.
fn reject(ended: &mut Ended<'_>, error: &ToolError<'_>, decisions: &Decisions<'_>) {
    if is_word(error.kind, &["approval"]) {
        let decision = ended.id.as_ref().and_then(|id| decisions.get(id));
        let by = decision.map_or(DecidedBy::Human, |(_, by)| *by);
        ended.how = How::Rejected(by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::formats::session::testing::told;

    #[test]
    fn approvers_decide_about_calls() {
        let text = r#"{"version":2,"eval":{},"samples":[{"id":1,"epoch":2,"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":"f","arguments":{}},{"id":"b","function":"f"}]},{"role":"tool","tool_call_id":"a","content":"x"},{"role":"tool","tool_call_id":"b","error":{"type":"approval","message":"no"}}],"events":[{"event":"approval","call":{"id":"a"},"decision":"approve","approver":"human"},{"event":"approval","call":{"id":"b"},"decision":"reject","approver":"auto"}]},{"events":[{"event":"tool","id":"c","function":"g","error":{"type":"timeout"}}]},7]}"#;
        assert_eq!(
            told(&FORMAT, text),
            [
                "session 1#2",
                "call a f {}",
                "call b f {}",
                "approved a Human",
                "rejected b Policy",
                "end a Ok None x",
                r#"end b Rejected(Policy) None {"type":"approval","message":"no"}"#,
                "session sample 2",
                "call c g {}",
                "end c Error None ",
                "session sample 3",
            ]
        );
    }
}
