//! Sessions that older versions of Copilot CLI store as one document: messages of the model and the
//! timeline of the window.

use super::messages;
use super::unread::Reading;
use super::{
    Call, CallEnd, CallStatus, EventKind, Events, Lenient, LenientStr, SessionRecord, arguments,
    id, is_word, output, text,
};
use crate::trace::scalar::Timestamp;
use governance::DecidedBy;
use hashbrown::{HashMap, HashSet};
use serde::Deserialize;
use std::borrow::Cow;
use strict_json::Raw;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct History<'a> {
    #[serde(borrow)]
    session_id: LenientStr<'a>,
    #[serde(borrow)]
    chat_messages: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    timeline: Lenient<Vec<Raw<'a>>>,
}

/// A call in the window's timeline.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Shown<'a> {
    #[serde(borrow)]
    call_id: Option<Raw<'a>>,
    timestamp: Lenient<Timestamp>,
    #[serde(borrow)]
    name: LenientStr<'a>,
    #[serde(borrow)]
    arguments: Option<Raw<'a>>,
    #[serde(borrow)]
    result: Lenient<ShownResult<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ShownResult<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    #[serde(borrow)]
    log: Option<Raw<'a>>,
}

impl ShownResult<'_> {
    fn how(&self) -> CallStatus {
        if is_word(self.kind, &["rejected"]) {
            CallStatus::Rejected(DecidedBy::Human)
        } else if is_word(self.kind, &["denied"]) {
            CallStatus::Rejected(DecidedBy::Policy)
        } else if is_word(self.kind, &["failure"]) {
            CallStatus::Error
        } else {
            CallStatus::Ok
        }
    }
}

/// Reads a document. The messages give the order of the calls, the timeline their ends.
pub(super) fn read<'a>(raw: Raw<'a>, whole: &'a str) -> SessionRecord<'a> {
    let mut events = Events::new(whole, None);
    let history = raw.read::<History<'a>>().unwrap_or_default();
    let timeline = history.timeline.0.unwrap_or_default().into_iter();
    let shown = timeline.filter_map(|raw| {
        let shown = raw.read::<Shown<'a>>()?;
        Some((id(shown.call_id)?, raw, shown))
    });
    let shown: Vec<(Cow<'a, str>, Raw<'a>, Shown<'a>)> = shown.collect();
    let ends = shown.iter().filter_map(|(id, _, shown)| {
        let result = shown.result.0.as_ref()?;
        Some((id.clone(), result.how()))
    });
    let ends: HashMap<Cow<'a, str>, CallStatus> = ends.collect();
    let mut told = HashSet::new();
    for raw in history.chat_messages.0.unwrap_or_default() {
        let before = events.len();
        messages::message(&mut events, raw);
        told.extend(events.calls_from(before).filter_map(|call| call.id.clone()));
        if let Some(ended) = events.last_ended()
            && let Some(how) = ended.id.as_ref().and_then(|id| ends.get(id))
        {
            ended.how = *how;
        }
    }
    for (_, raw, _) in &shown {
        events.mark(*raw, Reading::Call);
    }
    events.push_unread_calls(raw, events.len());
    for (id, raw, shown) in shown {
        // The timeline shows a call when it is requested and again when it ends.
        if told.contains(&id) {
            continue;
        }
        events.time = shown.timestamp.0;
        let call = Call {
            id: Some(id.clone()),
            tool: text(shown.name).unwrap_or_default(),
            input: arguments(shown.arguments),
        };
        let what = match shown.result.0 {
            Some(result) => EventKind::Done {
                call,
                decision: None,
                ended: CallEnd {
                    id: Some(id),
                    how: result.how(),
                    output: output(result.log),
                    exit_code: None,
                    change: None,
                },
            },
            None => EventKind::Decided {
                call,
                decision: None,
                late: true,
            },
        };
        events.push(raw, what);
    }
    SessionRecord {
        session: text(history.session_id).filter(|id| !id.is_empty()),
        whole: true,
        events: events.into_list(),
        ..SessionRecord::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::trace::formats::session::cline::COPILOT;
    use crate::trace::formats::session::testing::{fed, told};

    #[test]
    fn known_calls_hide_no_other() {
        let call = |id: &str| {
            format!(
                r#"{{"id":"{id}","function":{{"name":"bash","arguments":"{{\"command\":\"{id}\"}}"}}}}"#
            )
        };
        let text = format!(
            r#"{{"sessionId":"s","chatMessages":[
                {{"role":"assistant","tool_calls":[{}],"toolUses":[{}]}}],
                "timeline":[{{"type":"tool_call_requested","callId":"a","name":"bash",
                    "arguments":{{"command":"a"}}}},
                    {{"type":"new","name":"bash","arguments":{{"command":"c"}}}}],
                "other":[{}]}}"#,
            call("a"),
            call("b"),
            call("d"),
        );
        let expected = [
            r#"call a bash {"command":"a"}"#,
            r#"wanted call b bash {"command":"b"}"#,
            r#"wanted call - bash {"command":"c"}"#,
            r#"wanted call d bash {"command":"d"}"#,
        ];
        assert_eq!(told(&COPILOT, &text), expected);
    }

    #[test]
    fn the_timeline_says_how_calls_ended() {
        let text = include_str!("copilot_history.test.json");
        let all = fed(&COPILOT, &[text]);
        let expected = [
            ("a", "error", ""),
            ("b", "not_executed", "\"human\""),
            ("c", "not_executed", "\"policy\""),
            ("d", "open", ""),
        ];
        assert_eq!(all.len(), 1 + expected.len(), "{all:#?}");
        for (call, (id, outcome, by)) in all.iter().skip(1).zip(expected) {
            let parts = [
                format!(r#""callId":"{id}""#),
                format!(r#""outcome":"{outcome}""#),
                by.to_owned(),
            ];
            assert!(parts.iter().all(|part| call.contains(part)), "{call}");
        }
    }
}
