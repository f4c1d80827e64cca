//! Rejections that stand somewhere else in a record than its format keeps decisions. Whoever writes "no" anywhere means it.

use super::entry::{Entry, Record};
use super::native::events::EventType;
use super::step::{Beside, Decision, Fact, Step, Told};
use super::v1;
use crate::governance::{Ruling, State};
use crate::json::{Raw, from_text};
use crate::trace::record::DecidedBy;
use memchr::memmem;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// What was said, thought or shown, which decides nothing.
const DATA: [&str; 10] = [
    "result",
    "executionResult",
    "observation",
    "thought",
    "thoughts",
    "parsedPlan",
    "contextSnapshot",
    "contextDiff",
    "parameters",
    "error",
];

/// The rejections of one record.
#[derive(Debug, Default)]
pub struct Refusals {
    /// As decisions of a native log; of a record of a whole execution, by turn.
    found: Vec<(Option<u32>, String)>,
}

impl Refusals {
    /// Looks for them.
    #[must_use]
    pub fn of(entry: &Entry<'_>) -> Self {
        let decides = match &entry.record {
            Record::V1(record) => matches!(
                record,
                v1::Record::GovernanceDecided(_)
                    | v1::Record::ExecutionFinished(_)
                    | v1::Record::Turn(_)
                    | v1::Record::Execution(_)
            ),
            Record::Event(event) => event.kind != EventType::LlmCall,
            Record::Mended(_) | Record::Transition(_) | Record::Turn(_) => true,
            Record::Broken(_)
            | Record::Command(_)
            | Record::CastHeader(_)
            | Record::CastFrame(_)
            | Record::Foreign
            | Record::Unreadable => false,
        };
        if !decides || !may_refuse(entry.text.as_bytes()) {
            return Self::default();
        }
        let Some(Value::Object(mut members)) = from_text(entry.text).ok() else {
            return Self::default();
        };
        let mut found = Vec::new();
        let whole = matches!(&entry.record, Record::Mended(_) | Record::V1(v1::Record::Execution(_)));
        if whole && let Some(Value::Array(turns)) = members.remove("turns") {
            let each = turns.iter().zip(0u32..).filter_map(|(turn, n)| Some((Some(n), search(turn.as_object()?)?)));
            found.extend(each);
        }
        found.extend(search(&members).map(|refusal| (None, refusal)));
        Self { found }
    }

    /// The rejection in the record, or in one of its turns, as the text of a decision.
    #[must_use]
    pub fn at(&self, turn: Option<u32>) -> Option<&str> {
        self.found.iter().find(|(n, _)| *n == turn).map(|(_, text)| text.as_str())
    }
}

/// Whether the word may stand in a text, in whichever letters; an escape may stand for one of them.
fn may_refuse(text: &[u8]) -> bool {
    static ESCAPE: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(b"\\u00"));
    // The rarest of its letters.
    memchr::memchr2_iter(b'j', b'J', text).any(|at| text.get(at..at + 6).is_some_and(|w| w.eq_ignore_ascii_case(b"jected")))
        || ESCAPE.find_iter(text).any(|at| matches!(text.get(at + 4), Some(b'4'..=b'7')))
}

/// The first rejection below an object. No recursion: records may be nested deeply.
fn search(members: &Map<String, Value>) -> Option<String> {
    let mut stack: Vec<(&str, &Value)> = members.iter().map(|(name, value)| (name.as_str(), value)).collect();
    while let Some((name, value)) = stack.pop() {
        let decides = name == "approval" || name.to_ascii_lowercase().contains("decision") || name == "governance";
        match value {
            _ if DATA.contains(&name) => {}
            Value::String(word) if decides && is_rejected(word) => return Some(as_decision(&Map::new())),
            Value::Object(object) => {
                let text = |name: &str| object.get(name).and_then(Value::as_str);
                let known = text("by").is_some_and(|by| matches!(by, "human" | "policy" | "auto-policy"));
                if text("status").is_some_and(is_rejected) && (known || decides) {
                    return Some(as_decision(object));
                }
                // What an action is given and what came of it is data.
                let acts = object.contains_key("type") || object.contains_key("isDone");
                let below = object.iter().filter(|(name, _)| !(acts && *name == "payload"));
                if !object.contains_key("success") {
                    stack.extend(below.map(|(name, value)| (name.as_str(), value)));
                }
            }
            Value::Array(list) => stack.extend(list.iter().map(|value| (name, value))),
            _ => {}
        }
    }
    None
}

fn is_rejected(word: &str) -> bool {
    word.trim().eq_ignore_ascii_case("rejected")
}

fn as_decision(object: &Map<String, Value>) -> String {
    let by = match object.get("by").and_then(Value::as_str) {
        Some("human") => "human",
        _ => "policy",
    };
    let mut decision = Map::new();
    decision.insert("status".into(), "rejected".into());
    decision.insert("by".into(), by.into());
    for name in ["reason", "actionId", "signer"] {
        if let Some(value @ Value::String(_)) = object.get(name) {
            decision.insert(name.into(), value.clone());
        }
    }
    if let Some(time) = object.get("timestamp").filter(|t| super::scalar::is_timestamp(t)) {
        decision.insert("timestamp".into(), time.clone());
    }
    Value::Object(decision).to_string()
}

impl<'a> Step<'_, 'a> {
    /// The same with a rejection that stands beside its decision: the stricter of the two counts. Nothing where the step holds
    /// no decision.
    #[must_use]
    pub fn refused(mut self, refusal: &Decision<'a>, written: Raw<'a>) -> Option<Self> {
        match &mut self.fact {
            Fact::Decided(decision) => refuse(decision, refusal),
            Fact::Moved(moved) if moved.from == State::Governing => match &mut moved.decision {
                Some(decision) => refuse(decision, refusal),
                none => *none = Some(*refusal),
            },
            Fact::Beside(Beside::Decided(_, told)) => match told {
                Some(told) if told.decision.ruling == Ruling::Rejected => {}
                Some(told) => {
                    refuse(&mut told.decision, refusal);
                    told.written = written;
                }
                none => *none = Some(Told { decision: *refusal, written }),
            },
            _ => return None,
        }
        Some(self)
    }
}

fn refuse<'a>(decision: &mut Decision<'a>, refusal: &Decision<'a>) {
    if decision.ruling == Ruling::Rejected {
        return;
    }
    decision.ruling = Ruling::Rejected;
    if refusal.by == DecidedBy::Policy {
        decision.by = DecidedBy::Policy;
    }
    decision.reason = refusal.reason.or(decision.reason);
    (decision.modified, decision.original, decision.signature) = (None, None, None);
}
