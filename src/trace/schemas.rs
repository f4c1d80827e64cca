//! The schemas of every format that is read, and their compiled validators.

use super::format::Format;
use super::native::cast::{CastFrame, CastHeader};
use super::native::command::CommandRecord;
use super::native::events::Event;
use super::native::transitions::Transition;
use super::native::turns::NativeTurn;
use super::native::{NativeDecision, NativeResult};
use super::record as v1;
use super::record::RecordKind;
use crate::schema::{Catalogue, Validator, Violation};
use governance::EvaluationKind;
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The name of a kind's schema.
fn name(kind: RecordKind) -> String {
    kind.name().replace('_', "-")
}

/// Adds the schemas of all formats.
pub fn add_to(catalogue: &mut Catalogue) {
    fn is(kind: RecordKind) -> impl FnOnce(&mut Map<String, Value>) {
        move |schema| {
            if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
                properties.insert("record".into(), json!({ "const": kind.name() }));
            }
            if kind == RecordKind::Turn
                && let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut)
            {
                // Inside an execution a turn goes without; on a line of its own it doesn't.
                required.extend([json!("record"), json!("executionId")]);
                if let Some(properties) =
                    schema.get_mut("properties").and_then(Value::as_object_mut)
                {
                    properties.insert("executionId".into(), json!({ "type": "string" }));
                }
            }
        }
    }
    use RecordKind as K;
    for kind in K::ALL {
        let n = name(kind);
        match kind {
            K::ExecutionStarted => {
                catalogue.add::<v1::ExecutionStarted<'_>>(
                    &n,
                    "An execution begins, or goes on after a pause.",
                    is(kind),
                );
            }
            K::ThoughtGenerated => {
                catalogue.add::<v1::ThoughtGenerated<'_>>(&n, "An agent has thought.", is(kind));
            }
            K::ActionProposed => {
                catalogue.add::<v1::ActionProposed<'_>>(&n, "The governor's candidate.", is(kind));
            }
            K::GovernanceDecided => catalogue.add::<v1::GovernanceDecided<'_>>(
                &n,
                "The governor has decided.",
                is(kind),
            ),
            K::ExecutionFinished => {
                catalogue.add::<v1::ExecutionFinished<'_>>(
                    &n,
                    "The action ran, with success or without.",
                    is(kind),
                );
            }
            K::ObservationRecorded => catalogue.add::<v1::ObservationRecorded<'_>>(
                &n,
                "The result was observed.",
                is(kind),
            ),
            K::EvaluationMade => catalogue.add::<v1::EvaluationMade<'_>>(
                &n,
                "The runtime has ruled how to go on.",
                is(kind),
            ),
            K::ExecutionEnded => {
                catalogue.add::<v1::ExecutionEnded<'_>>(&n, "The execution is over.", is(kind));
            }
            K::CapabilityIssued => catalogue.add::<v1::CapabilityIssued<'_>>(
                &n,
                "A capability token was issued.",
                is(kind),
            ),
            K::CapabilityRevoked => {
                catalogue.add::<v1::CapabilityRevoked<'_>>(
                    &n,
                    "A capability token was revoked, for good.",
                    is(kind),
                );
            }
            K::ContextChanged => catalogue.add::<v1::ContextChanged<'_>>(
                &n,
                "What the model is shown has changed.",
                is(kind),
            ),
            K::Turn => catalogue.add::<v1::Turn<'_>>(
                &n,
                "One whole turn: it stands for the events in their order.",
                is(kind),
            ),
            K::Execution => {
                catalogue.add::<v1::Execution<'_>>(&n, "One whole execution.", is(kind));
            }
        }
    }
    catalogue.add_value(
        Format::ExecutionRecord.name(),
        "Any record of ExecutionRecord JSONL, version 1: its kind must be known; the schema of the kind says the rest.",
        any_record(),
    );
    let keep = |_: &mut Map<String, Value>| {};
    catalogue.add::<Event<'_>>(
        "yuangs-events",
        "A line of the command-line runtime's event log.",
        parts_by_type,
    );
    catalogue.add::<Transition<'_>>("yuangs-transitions", "A line of the command-line runtime's transition log.", |schema| {
        define::<NativeDecision<'_>>(schema, "NativeDecision");
        let beside = |meant: Value| json!({ "required": ["payload"], "properties": { "payload": meant } });
        let decided = json!({ "properties": { "payload": { "$ref": "#/$defs/NativeDecision" } } });
        let ruled = json!({ "properties": { "payload": evaluation() } });
        let all = json!([
            { "if": { "allOf": [governing(), beside(meant_as_decision())] }, "then": decided },
            { "if": { "allOf": [evaluating(), beside(meant_as_evaluation())] }, "then": ruled },
        ]);
        schema.insert("allOf".into(), all);
    });
    catalogue.add::<NativeTurn<'_>>(
        "yuangs-turns",
        "A turn as the early runtimes write it.",
        keep,
    );
    catalogue.add::<CommandRecord<'_>>("yuangs-record", "The record of one command.", keep);
    catalogue.add::<CastHeader<'_>>(
        "yuangs-cast-header",
        "The first line of a terminal recording.",
        keep,
    );
    catalogue.add::<CastFrame<'_>>(
        "yuangs-cast-frame",
        "A frame of a terminal recording.",
        keep,
    );
}

/// Adds the schema of `T` to those that a schema can refer to.
fn define<T: JsonSchema>(schema: &mut Map<String, Value>, name: &str) {
    let mut root = SchemaGenerator::new(SchemaSettings::draft2020_12())
        .into_root_schema_for::<T>()
        .to_value();
    let Some(members) = root.as_object_mut() else {
        return;
    };
    let parts = members.remove("$defs");
    members.retain(|name, _| !matches!(name.as_str(), "$schema" | "title"));
    let defs = schema.entry("$defs").or_insert_with(|| json!({}));
    if let Some(defs) = defs.as_object_mut() {
        if let Some(Value::Object(parts)) = parts {
            defs.extend(parts);
        }
        defs.insert(name.to_owned(), root);
    }
}

/// A movement that a decision leads to.
fn governing() -> Value {
    json!({
        "required": ["from", "to"],
        "properties": { "from": { "const": "GOVERNING" }, "to": { "enum": ["EXECUTING", "THINKING"] } }
    })
}

/// What has a member of a decision is meant as one.
fn meant_as_decision() -> Value {
    json!({ "type": "object", "anyOf": [{ "required": ["status"] }, { "required": ["by"] }] })
}

/// A movement that an evaluation leads to.
fn evaluating() -> Value {
    json!({ "required": ["from", "to"], "properties": { "from": { "const": "EVALUATING" } } })
}

/// What has the member of an evaluation is meant as one.
fn meant_as_evaluation() -> Value {
    json!({ "type": "object", "required": ["kind"] })
}

fn evaluation() -> Value {
    let kinds = [
        EvaluationKind::Continue,
        EvaluationKind::Terminate,
        EvaluationKind::Pause,
    ]
    .map(|kind| json!(kind.name()));
    let values: Vec<Value> = kinds.into_iter().chain([Value::Null]).collect();
    json!({ "properties": { "kind": { "enum": values } } })
}

/// The parts of an event that only its type makes what they are.
fn parts_by_type(schema: &mut Map<String, Value>) {
    define::<NativeDecision<'_>>(schema, "NativeDecision");
    define::<NativeResult<'_>>(schema, "NativeResult");
    let is =
        |kind: &str| json!({ "required": ["type"], "properties": { "type": { "const": kind } } });
    let part = |member: &str, of: &str| {
        let value = json!({ "anyOf": [{ "$ref": format!("#/$defs/{of}") }, { "type": "null" }] });
        json!({ "properties": { "data": { "properties": { member: value } } } })
    };
    let moved = |data: Value, meant: Value| {
        json!({
            "required": ["data", "metadata"],
            "properties": {
                "data": data,
                "metadata": { "type": "object", "required": ["payload"], "properties": { "payload": meant } }
            }
        })
    };
    let decided = moved(governing(), meant_as_decision());
    let ruled = moved(evaluating(), meant_as_evaluation());
    let payload = |value: Value| json!({ "properties": { "metadata": { "properties": { "payload": value } } } });
    schema.insert(
        "allOf".into(),
        json!([
            { "if": is("governance_decision"), "then": part("decision", "NativeDecision") },
            { "if": is("tool_execution"), "then": part("result", "NativeResult") },
            { "if": { "allOf": [is("state_transition"), decided] }, "then": payload(json!({ "$ref": "#/$defs/NativeDecision" })) },
            { "if": { "allOf": [is("state_transition"), ruled] }, "then": payload(evaluation()) },
        ]),
    );
}

/// The least that a record of any kind has.
fn any_record() -> Value {
    let kinds: Vec<&str> = RecordKind::ALL.iter().map(|k| k.name()).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": Format::ExecutionRecord.name(),
        "description": "Any record of ExecutionRecord JSONL, version 1: its kind must be known; the schema of the kind says the rest.",
        "type": "object",
        "required": ["record", "executionId"],
        "properties": { "record": { "type": "string", "enum": kinds }, "executionId": { "type": "string" } }
    })
}

static VALIDATORS: LazyLock<BTreeMap<String, Validator>> = LazyLock::new(|| {
    let mut catalogue = Catalogue::new();
    add_to(&mut catalogue);
    // A schema that doesn't compile would be a bug that the tests find; here the record is refused
    // without a place.
    catalogue
        .entries()
        .iter()
        .filter_map(|e| Validator::new(&e.schema).ok().map(|v| (e.name.clone(), v)))
        .collect()
});

/// The name of the schema that a record of a format has to keep.
#[must_use]
pub fn schema_of(format: Format, kind: Option<RecordKind>, text: &str) -> String {
    match (format, kind) {
        (Format::ExecutionRecord, Some(kind)) => name(kind),
        (Format::YuangsCast, _) if text.trim_start().starts_with('[') => "yuangs-cast-frame".into(),
        (Format::YuangsCast, _) => "yuangs-cast-header".into(),
        (format, _) => format.name().into(),
    }
}

/// Where a record breaks the schema of its format and kind.
#[must_use]
pub fn violations(format: Format, kind: Option<RecordKind>, text: &str) -> Vec<Violation> {
    VALIDATORS
        .get(&schema_of(format, kind, text))
        .map(|v| v.violations(text))
        .unwrap_or_default()
}

/// Whether the general validator accepts a record.
#[must_use]
pub fn accepts(format: Format, kind: Option<RecordKind>, text: &str) -> bool {
    VALIDATORS
        .get(&schema_of(format, kind, text))
        .is_some_and(|v| v.accepts(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_compiles() {
        let mut catalogue = Catalogue::new();
        add_to(&mut catalogue);
        assert_eq!(VALIDATORS.len(), catalogue.entries().len());
        assert_eq!(catalogue.entries().len(), RecordKind::ALL.len() + 7);
    }
}
