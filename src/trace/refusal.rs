//! Rejections in parts of a record where its format has no decisions. They count wherever they are.

use super::entry::{Entry, Record};
use super::formats::DECISION_MEMBERS;
use super::step::{Annotation, Decision, DecisionLine, Fact, Step};
use super::v1;
use governance::DecidedBy;
use governance::{Ruling, State};
use memchr::memmem;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;
use strict_json::{self, DEFAULT_MAX_DEPTH, Raw, Scanner};

/// Members that contain texts, data or results, which decide nothing.
const DATA: [&str; 12] = [
    "result",
    "executionResult",
    "observation",
    "thought",
    "thoughts",
    "parsedPlan",
    "contextSnapshot",
    "parameters",
    "error",
    "output",
    "stdout",
    "stderr",
];

/// Further such members, in an object that says whether something succeeded.
const RESULT: [&str; 4] = ["body", "response", "content", "artifacts"];

/// Rejections in one record.
#[derive(Debug, Default)]
pub struct Refusals {
    /// Decisions as JSON, with the turn's index in a record of a whole execution.
    found: Vec<(Option<u32>, String)>,
}

impl Refusals {
    /// Searches a record for rejections.
    #[must_use]
    pub fn of(entry: &Entry<'_>) -> Self {
        let decides = match &entry.record {
            // Thoughts contain large texts; only their metadata may contain a rejection.
            Record::V1(v1::Record::ThoughtGenerated(record)) => record.metadata.is_some(),
            // Everything but metadata is valid under the schema.
            Record::V1(_) => entry.open,
            Record::Recovered(_) => true,
            Record::Native(record) => record.get().may_refuse(),
            Record::Broken(_) | Record::Foreign | Record::Unreadable => false,
        };
        if !decides || !may_refuse(entry.text.as_bytes()) {
            return Self::default();
        }
        let whole = matches!(
            &entry.record,
            Record::Recovered(_) | Record::V1(v1::Record::Execution(_))
        );
        let ended = matches!(&entry.record, Record::V1(v1::Record::ExecutionEnded(_)));
        let mut found = Vec::new();
        let search = RecordSearch {
            turns: whole.then_some(&mut found),
            ended,
        };
        let of_record = read_some(search, Raw::trusted(entry.text)).flatten();
        found.extend(of_record.map(|refusal| (None, refusal)));
        Self { found }
    }

    /// Returns the rejection in the record or in one of its turns, as a decision in JSON.
    #[must_use]
    pub fn at(&self, turn: Option<u32>) -> Option<&str> {
        self.found
            .iter()
            .find(|(n, _)| *n == turn)
            .map(|(_, text)| text.as_str())
    }
}

static ESCAPE: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(b"\\u00"));

fn has_escaped_letter(text: &[u8]) -> bool {
    ESCAPE
        .find_iter(text)
        .any(|at| matches!(text.get(at + 4), Some(b'4'..=b'7')))
}

/// Returns quickly whether a text may contain a rejection, in any case; an escape may be one of its
/// letters.
fn may_refuse(text: &[u8]) -> bool {
    static APPROVED: LazyLock<memmem::Finder<'static>> =
        LazyLock::new(|| memmem::Finder::new(b"pproved\""));
    // `j` is the rarest letter of the word.
    memchr::memchr2_iter(b'j', b'J', text).any(|at| {
        text.get(at..at + 6)
            .is_some_and(|w| w.eq_ignore_ascii_case(b"jected"))
    }) || APPROVED.find_iter(text).any(|at| {
        let behind = text.get(at + 8..).unwrap_or_default().trim_ascii_start();
        behind.strip_prefix(b":").is_some_and(|value| {
            let value = value.trim_ascii_start();
            value
                .strip_prefix(b"\"")
                .unwrap_or(value)
                .starts_with(b"false")
        })
    }) || has_escaped_letter(text)
}

/// Meaning of an object, by its name and position; it determines whether words in it are decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ObjectRole {
    /// The record, its metadata or an event's data.
    Record,
    Decision,
    Action,
    Other,
}

impl ObjectRole {
    /// Determines the meaning of an object from its name, its members and its parent. Everything in
    /// a decision is part of it.
    fn of(name: &str, object: &Map<String, Value>, depth: usize, parent: Self) -> Self {
        let lower = name.to_ascii_lowercase();
        let decides = parent == Self::Decision && !is_earlier(&lower);
        if lower == "approval" || lower.contains("decision") || lower == "governance" {
            Self::Decision
        } else if lower.ends_with("action")
            || object.contains_key("type") && object.contains_key("payload")
        {
            Self::Action
        } else if decides {
            Self::Decision
        } else if lower == "metadata" || depth == 1 && lower == "data" {
            Self::Record
        } else {
            Self::Other
        }
    }

    /// Returns the rejection that the object's own members express.
    fn refusal(self, object: &Map<String, Value>) -> Option<String> {
        let text = |name: &str| object.get(name).and_then(Value::as_str);
        let says = |name: &str| text(name).is_some_and(is_rejected);
        let known = text("by").is_some_and(|by| matches!(by, "human" | "policy" | "auto-policy"))
            || text("signer").is_some()
            || text("reason").is_some();
        let status = says("status") && (known || self != Self::Other);
        let state = says("state") && self != Self::Other;
        let unapproved =
            object.get("approved").is_some_and(is_no) && (known || self == Self::Decision);
        (status || state || unapproved).then(|| as_decision(object, self))
    }
}

/// Members that determine what an object is, and what it decides.
const RELEVANT_MEMBERS: [&str; 13] = [
    "actionId",
    "approved",
    "by",
    "id",
    "isDone",
    "payload",
    "reason",
    "signer",
    "state",
    "status",
    "success",
    "timestamp",
    "type",
];

/// Returns the member of [`RELEVANT_MEMBERS`] that a name means.
fn relevant_member(name: &str) -> Option<&'static str> {
    const ALSO: [&str; 2] = ["isApproved", "is_approved"];
    if ALSO.iter().any(|also| name.eq_ignore_ascii_case(also)) {
        return Some("approved");
    }
    let rules = |known: &str| matches!(known, "approved" | "state" | "status");
    RELEVANT_MEMBERS
        .into_iter()
        .find(|known| *known == name || rules(known) && name.eq_ignore_ascii_case(known))
}

/// Returns whether a name in lower case means an earlier decision.
fn is_earlier(name: &str) -> bool {
    ["previous", "prior", "former", "earlier"]
        .iter()
        .any(|word| name.starts_with(word))
}

/// Result of searching a value: the value itself if its member is in [`RELEVANT_MEMBERS`], and the
/// first rejection in it.
#[derive(Debug, Default)]
struct SearchResult {
    value: Value,
    refusal: Option<String>,
}

/// Searches a value for rejections without building it, since records may be long.
struct Search<'n> {
    name: &'n str,
    depth: usize,
    /// Meaning of the parent.
    parent: ObjectRole,
}

impl<'de> DeserializeSeed<'de> for Search<'_> {
    type Value = SearchResult;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<SearchResult, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Search<'_> {
    fn place(&self, object: &Map<String, Value>) -> ObjectRole {
        ObjectRole::of(self.name, object, self.depth, self.parent)
    }

    fn relevant_member(&self, value: impl FnOnce() -> Value) -> SearchResult {
        let value = if relevant_member(self.name).is_some() {
            value()
        } else {
            Value::Null
        };
        SearchResult {
            value,
            refusal: None,
        }
    }
}

impl<'de> Visitor<'de> for Search<'_> {
    type Value = SearchResult;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_unit<E>(self) -> Result<SearchResult, E> {
        Ok(SearchResult::default())
    }
    fn visit_bool<E>(self, value: bool) -> Result<SearchResult, E> {
        Ok(self.relevant_member(|| value.into()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<SearchResult, E> {
        Ok(self.relevant_member(|| value.into()))
    }
    fn visit_i64<E>(self, value: i64) -> Result<SearchResult, E> {
        Ok(self.relevant_member(|| value.into()))
    }
    fn visit_f64<E>(self, value: f64) -> Result<SearchResult, E> {
        Ok(self.relevant_member(|| value.into()))
    }
    fn visit_str<E>(self, word: &str) -> Result<SearchResult, E> {
        let decides = is_rejected(word)
            && self.place(&Map::new()) == ObjectRole::Decision
            && !DECISION_MEMBERS.contains(&self.name)
            && relevant_member(self.name).is_none();
        let refusal = decides.then(|| as_decision(&Map::new(), ObjectRole::Decision));
        Ok(SearchResult {
            refusal,
            ..self.relevant_member(|| word.into())
        })
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<SearchResult, A::Error> {
        let mut refusal = None;
        while let Some(said) = list.next_element_seed(Search { ..self })? {
            refusal = refusal.or(said.refusal);
        }
        Ok(SearchResult {
            value: Value::Null,
            refusal,
        })
    }
    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<SearchResult, A::Error> {
        let Members {
            object,
            anywhere,
            in_payload,
            in_result,
        } = search(members, self.depth, self.place(&Map::new()), |_, _| {
            Ok(false)
        })?;
        let own = self.place(&object).refusal(&object);
        // Arguments and results of an action are data.
        let acts = object.contains_key("type") || object.contains_key("isDone");
        let result = object.contains_key("success");
        let refusal = own
            .or(anywhere)
            .or(in_payload.filter(|_| !acts))
            .or(in_result.filter(|_| !result));
        Ok(SearchResult {
            value: Value::Null,
            refusal,
        })
    }
}

/// Result of searching an object's members.
#[derive(Debug, Default)]
struct Members {
    /// The members in [`RELEVANT_MEMBERS`].
    object: Map<String, Value>,
    /// The first rejection in members other than `payload` and those of a result.
    anywhere: Option<String>,
    in_payload: Option<String>,
    in_result: Option<String>,
}

/// Searches an object's members at this depth and place. `passes` reads the members that are
/// searched differently.
fn search<'de, A: MapAccess<'de>>(
    mut members: A,
    depth: usize,
    place: ObjectRole,
    mut passes: impl FnMut(&str, &mut A) -> Result<bool, A::Error>,
) -> Result<Members, A::Error> {
    let mut found = Members::default();
    while let Some(name) = members.next_key::<Cow<'de, str>>()? {
        if passes(&name, &mut members)? {
            continue;
        }
        // The result of a decision is part of the decision.
        let decides = place == ObjectRole::Decision && name == "result";
        if DATA.contains(&&*name) && !decides {
            members.next_value::<IgnoredAny>()?;
            continue;
        }
        let said = members.next_value_seed(Search {
            name: &name,
            depth: depth + 1,
            parent: place,
        })?;
        let refusal = match &*name {
            "payload" => &mut found.in_payload,
            name if RESULT.contains(&name) => &mut found.in_result,
            _ => &mut found.anywhere,
        };
        *refusal = refusal.take().or(said.refusal);
        // Of two notations of one member, the rejecting one applies.
        if let Some(known) = relevant_member(&name)
            && !found.object.get(known).is_some_and(rejects)
        {
            found.object.insert(known.into(), said.value);
        }
    }
    Ok(found)
}

/// Searches a record, or a turn in one.
struct RecordSearch<'f> {
    /// Receives the rejections in the record's turns; `None` if it has no turns.
    turns: Option<&'f mut Vec<(Option<u32>, String)>>,
    /// It ends an execution, so its list of decisions is read elsewhere.
    ended: bool,
}

impl<'de> DeserializeSeed<'de> for RecordSearch<'_> {
    type Value = Option<String>;
    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Option<String>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RecordSearch<'_> {
    type Value = Option<String>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Option<String>, A::Error> {
        let Self { mut turns, ended } = self;
        let found = search(members, 0, ObjectRole::Record, |name, members| {
            match (name, &mut turns) {
                ("turns", Some(of_turns)) => {
                    read_some(Turns(of_turns), members.next_value()?);
                    Ok(true)
                }
                ("decisions", _) if ended => members.next_value::<IgnoredAny>().map(|_| true),
                _ => Ok(false),
            }
        })?;
        Ok(ObjectRole::Record
            .refusal(&found.object)
            .or(found.anywhere)
            .or(found.in_payload)
            .or(found.in_result))
    }
}

/// Applies a search to a value; `None` if the value has another type.
fn read_some<'de, S: DeserializeSeed<'de>>(search: S, value: Raw<'de>) -> Option<S::Value> {
    let mut scanner = Scanner::new(value.as_written(), DEFAULT_MAX_DEPTH);
    search
        .deserialize(&mut strict_json::Deserializer::new(&mut scanner))
        .ok()
}

/// Searches each turn of a record.
struct Turns<'f>(&'f mut Vec<(Option<u32>, String)>);

impl<'de> DeserializeSeed<'de> for Turns<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Turns<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("turns")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut turns: A) -> Result<(), A::Error> {
        let mut n = 0u32;
        while let Some(turn) = turns.next_element::<Raw<'de>>()? {
            let refusal = read_some(
                RecordSearch {
                    turns: None,
                    ended: false,
                },
                turn,
            )
            .flatten();
            self.0.extend(refusal.map(|refusal| (Some(n), refusal)));
            n += 1;
        }
        Ok(())
    }
}

/// Returns whether a value says that something isn't approved.
fn is_no(value: &Value) -> bool {
    match value {
        Value::Bool(yes) => !yes,
        Value::String(word) => word.trim().eq_ignore_ascii_case("false"),
        _ => false,
    }
}

/// Returns whether the value of a member in [`RELEVANT_MEMBERS`] rejects.
fn rejects(value: &Value) -> bool {
    is_no(value) || value.as_str().is_some_and(is_rejected)
}

fn is_rejected(word: &str) -> bool {
    word.trim().eq_ignore_ascii_case("rejected")
}

fn as_decision(object: &Map<String, Value>, place: ObjectRole) -> String {
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
    if let Some(id @ Value::String(_)) = object.get("id").filter(|_| place == ObjectRole::Action) {
        decision.insert("actionId".into(), id.clone());
    }
    // The time of a record isn't the time of its decision.
    let dated = place == ObjectRole::Decision || object.contains_key("by");
    if let Some(time) = object
        .get("timestamp")
        .filter(|_| dated)
        .filter(|t| super::scalar::is_timestamp(t))
    {
        decision.insert("timestamp".into(), time.clone());
    }
    Value::Object(decision).to_string()
}

impl<'r, 'a> Step<'r, 'a> {
    /// Adds a rejection from elsewhere in the record: the more restrictive decision applies.
    /// Returns `None` if the step has no decision.
    #[must_use]
    pub fn refused(mut self, refusal: &'r Decision<'a>, written: Raw<'a>) -> Option<Self> {
        match &mut self.fact {
            Fact::Decided(decision) => refuse(decision, refusal),
            Fact::Started(started) if started.alone => started.refused = Some(refusal),
            Fact::Moved(moved) if moved.from == State::Governing => match &mut moved.decision {
                Some(decision) => refuse(decision, refusal),
                none => *none = Some(*refusal),
            },
            Fact::Annotation(Annotation::Decided(_, told)) => match told {
                Some(told) if told.decision.ruling == Ruling::Rejected => {}
                Some(told) => {
                    refuse(&mut told.decision, refusal);
                    told.written = written;
                }
                none => {
                    *none = Some(DecisionLine {
                        decision: *refusal,
                        written,
                    });
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Format;
    use crate::trace::entry::{Grammar, read};

    fn refusals(text: &str) -> Vec<(Option<u32>, String)> {
        let mut scanner = Scanner::new(text, DEFAULT_MAX_DEPTH);
        let entry = read(
            Grammar::Format(Format::parse("execution-record").unwrap()),
            &mut scanner,
            text,
            (1, 0),
            false,
        );
        assert!(entry.problems.is_empty(), "{:?}", entry.problems);
        Refusals::of(&entry).found
    }

    #[test]
    fn metadata_is_searched_wherever_it_is() {
        let refusal = r#""decision":{"status":"rejected","by":"human","reason":"no"}"#;
        let placed = |at: &str, name: &str| {
            let mut text = include_str!("refusal.turn.test.json").to_owned();
            for place in ["MESSAGE", "SNAPSHOT", "ACTION", "TURN"] {
                let here = if place == at {
                    format!(r#","{name}":{{{refusal}}}"#)
                } else {
                    String::new()
                };
                text = text.replace(&format!(r#", "{place}": 0"#), &here);
            }
            refusals(&text)
        };
        for name in ["metadata", r"metadat\u0061"] {
            for at in ["ACTION", "TURN"] {
                let found = placed(at, name);
                let [(None, text)] = &found[..] else {
                    panic!("{at}: {found:?}")
                };
                let decision: Value = serde_json::from_str(text).unwrap();
                assert_eq!(
                    decision,
                    serde_json::json!({"status": "rejected", "by": "human", "reason": "no"}),
                    "{at}"
                );
            }
            // The context of a model is data.
            assert_eq!(placed("MESSAGE", name), [], "{name}");
            assert_eq!(placed("SNAPSHOT", name), [], "{name}");
        }
        assert_eq!(placed("nowhere", "metadata"), []);
    }

    #[test]
    fn turns_of_an_execution_are_searched_one_by_one() {
        let text = concat!(
            r#"{"turns":[{"governance":{"status":"approved"}},3,{"x":{"decision":"rejected"}}],"#,
            r#""metadata":{"approval":{"approved":false}}}"#,
        );
        let mut found = Vec::new();
        let of_record = read_some(
            RecordSearch {
                turns: Some(&mut found),
                ended: false,
            },
            Raw::trusted(text),
        )
        .flatten();
        let plain = r#"{"by":"policy","status":"rejected"}"#;
        assert_eq!(of_record.as_deref(), Some(plain));
        assert_eq!(found, [(Some(2), plain.to_owned())]);
    }

    #[test]
    fn what_an_action_is_given_and_what_came_of_it_is_data() {
        let search = |text: &str| {
            read_some(
                RecordSearch {
                    turns: None,
                    ended: false,
                },
                Raw::trusted(text),
            )
            .flatten()
        };
        let decision = r#"{"decision":{"status":"rejected"}}"#;
        for data in [
            format!(r#"{{"x":{{"type":"tool_call","payload":{decision}}}}}"#),
            format!(r#"{{"x":{{"payload":{decision},"isDone":true}}}}"#),
            format!(r#"{{"x":{{"success":true,"body":{decision}}}}}"#),
            format!(r#"{{"x":{{"parameters":[{decision}]}}}}"#),
        ] {
            assert_eq!(search(&data), None, "{data}");
        }
        for said in [
            format!(r#"{{"x":{{"payload":{decision}}}}}"#),
            format!(r#"{{"x":{{"body":[{decision}]}}}}"#),
            r#"{"status":"Rejected ","by":"nobody"}"#.to_owned(),
            r#"{"x":{"type":"a","payload":1,"status":"rejected"}}"#.to_owned(),
        ] {
            assert!(search(&said).is_some(), "{said}");
        }
    }
}
