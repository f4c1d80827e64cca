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

/// What was said, thought, shown or came of an action, which decides nothing.
const DATA: [&str; 13] = [
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
    "output",
    "stdout",
    "stderr",
];

/// The same in an object that says whether something succeeded.
const RESULT: [&str; 4] = ["body", "response", "content", "artifacts"];

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
            // Thoughts are shown much. Beside them a rejection can only be in the metadata.
            Record::V1(v1::Record::ThoughtGenerated(record)) => record.metadata.is_some(),
            // What isn't metadata keeps its schema.
            Record::V1(_) => may_hold_metadata(entry.text.as_bytes()),
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
        if matches!(&entry.record, Record::V1(v1::Record::ExecutionEnded(_))) {
            // The list of decisions is read as what it is.
            members.remove("decisions");
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

static ESCAPE: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(b"\\u00"));

fn has_escaped_letter(text: &[u8]) -> bool {
    ESCAPE.find_iter(text).any(|at| matches!(text.get(at + 4), Some(b'4'..=b'7')))
}

fn may_hold_metadata(text: &[u8]) -> bool {
    static METADATA: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(b"\"metadata\""));
    METADATA.find(text).is_some() || has_escaped_letter(text)
}

/// Whether a rejection may be in a text, in whichever letters; an escape may stand for one of them.
fn may_refuse(text: &[u8]) -> bool {
    static APPROVED: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(b"approved\""));
    // The rarest of its letters.
    memchr::memchr2_iter(b'j', b'J', text).any(|at| text.get(at..at + 6).is_some_and(|w| w.eq_ignore_ascii_case(b"jected")))
        || APPROVED.find_iter(text).any(|at| {
            let behind = text.get(at + 9..).unwrap_or_default().trim_ascii_start();
            behind.strip_prefix(b":").is_some_and(|value| value.trim_ascii_start().starts_with(b"false"))
        })
        || has_escaped_letter(text)
}

/// What an object is, by its name and place: then a word in it may be about a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The record, its metadata or what belongs to an event.
    Record,
    Decision,
    Action,
    Other,
}

impl Place {
    fn of(name: &str, object: &Map<String, Value>, depth: usize) -> Self {
        let lower = name.to_ascii_lowercase();
        if lower == "approval" || lower.contains("decision") || lower == "governance" {
            Self::Decision
        } else if lower == "action" || lower.ends_with("action") {
            Self::Action
        } else if lower == "metadata" || depth == 1 && lower == "data" {
            Self::Record
        } else if object.contains_key("type") && object.contains_key("payload") {
            Self::Action
        } else {
            Self::Other
        }
    }

    /// The rejection that the members of an object say themselves.
    fn refusal(self, object: &Map<String, Value>) -> Option<String> {
        let text = |name: &str| object.get(name).and_then(Value::as_str);
        let says = |name: &str| text(name).is_some_and(is_rejected);
        let known = text("by").is_some_and(|by| matches!(by, "human" | "policy" | "auto-policy"));
        let status = says("status") && (known || self != Self::Other);
        let state = says("state") && self != Self::Other;
        let unapproved = object.get("approved") == Some(&Value::Bool(false)) && (known || self == Self::Decision);
        (status || state || unapproved).then(|| as_decision(object, self))
    }
}

/// The first rejection in an object. No recursion: records may be nested deeply.
fn search(members: &Map<String, Value>) -> Option<String> {
    if let Some(refusal) = Place::Record.refusal(members) {
        return Some(refusal);
    }
    let mut stack: Vec<(&str, &Value, usize)> = members.iter().map(|(name, value)| (name.as_str(), value, 1)).collect();
    while let Some((name, value, depth)) = stack.pop() {
        match value {
            _ if DATA.contains(&name) => {}
            Value::String(word) if is_rejected(word) && Place::of(name, &Map::new(), depth) == Place::Decision => {
                return Some(as_decision(&Map::new(), Place::Decision));
            }
            Value::Object(object) => {
                if let Some(refusal) = Place::of(name, object, depth).refusal(object) {
                    return Some(refusal);
                }
                // What an action is given and what came of it is data.
                let acts = object.contains_key("type") || object.contains_key("isDone");
                let result = object.contains_key("success");
                let below =
                    object.iter().filter(|(name, _)| !(acts && *name == "payload" || result && RESULT.contains(&name.as_str())));
                stack.extend(below.map(|(name, value)| (name.as_str(), value, depth + 1)));
            }
            Value::Array(list) => stack.extend(list.iter().map(|value| (name, value, depth))),
            _ => {}
        }
    }
    None
}

fn is_rejected(word: &str) -> bool {
    word.trim().eq_ignore_ascii_case("rejected")
}

fn as_decision(object: &Map<String, Value>, place: Place) -> String {
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
    if let Some(id @ Value::String(_)) = object.get("id").filter(|_| place == Place::Action) {
        decision.insert("actionId".into(), id.clone());
    }
    // The time of a record is none of a decision.
    let dated = place == Place::Decision || object.contains_key("by");
    if let Some(time) = object.get("timestamp").filter(|_| dated).filter(|t| super::scalar::is_timestamp(t)) {
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
