//! `execution-record`: `ExecutionRecord` JSONL, version 1, the project's own format.

use super::{Certainty, Coverage, Peek, Routing, TraceFormat, Unit};
use crate::schema::Catalogue;
use crate::trace::cut::CutMembers;
use crate::trace::entry::{Record, data};
use crate::trace::record as v1;
use crate::trace::record::RecordKind;
use crate::trace::recover::{Recovered, recover};
use crate::trace::v1 as typed;
use governance::FsmVersion;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use strict_json::{Deserializer, Error, Scanner, Str};

const ANY_RECORD: &str =
    "Any record of ExecutionRecord JSONL, version 1; the schema of its kind defines the rest.";

pub(super) struct ExecutionRecord;

impl TraceFormat for ExecutionRecord {
    fn name(&self) -> &'static str {
        "execution-record"
    }

    fn coverage(&self) -> Coverage {
        Coverage::Complete
    }

    fn routing(&self) -> Routing {
        Routing::ByRecord
    }

    fn is_divisible(&self) -> bool {
        true
    }

    fn machine(&self) -> FsmVersion {
        FsmVersion::V1
    }

    fn is_shape_of(&self, unit: &Unit<'_>) -> bool {
        unit.has(&["record"])
    }

    fn read<'a>(&self, scanner: &mut Scanner<'a>, text: &'a str) -> Result<Record<'a>, Error> {
        let kind = record_kind(scanner, text)?;
        typed::read(kind, scanner).map(Record::V1)
    }

    fn recover<'a>(&self, kind: RecordKind, text: &'a str) -> Option<Recovered<'a>> {
        match kind {
            RecordKind::Turn | RecordKind::Execution => recover(kind, text),
            _ => None,
        }
    }

    fn cut_action(&self, cut: &CutMembers<'_>) -> Option<Certainty> {
        // The kind may be in the missing part; then the record may be of any kind.
        let kind = cut.record.and_then(|value| {
            let word = value.read::<Str<'_>>()?;
            RecordKind::parse(&word.decode())
        });
        // A result belongs to an executed action.
        if cut.acts || cut.result {
            return Some(Certainty::Certain);
        }
        match kind {
            Some(
                RecordKind::ExecutionFinished
                | RecordKind::Turn
                | RecordKind::Execution
                | RecordKind::Call,
            ) => Some(Certainty::Certain),
            Some(_) => None,
            None => Some(Certainty::Possible),
        }
    }

    fn not_recorded(&self, _: bool) -> Option<&'static str> {
        None
    }

    fn schema_of(&self, kind: Option<RecordKind>, _: &str) -> Cow<'static, str> {
        kind.map_or_else(|| self.name().into(), |kind| schema_name(kind).into())
    }

    fn add_schemas(&self, catalogue: &mut Catalogue) {
        fn is(kind: RecordKind) -> impl FnOnce(&mut Map<String, Value>) {
            move |schema| {
                if let Some(properties) =
                    schema.get_mut("properties").and_then(Value::as_object_mut)
                {
                    properties.insert("record".into(), json!({ "const": kind.name() }));
                }
                if kind == RecordKind::Turn
                    && let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut)
                {
                    // Inside an execution a turn doesn't need these members; on a line of its own
                    // it does.
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
            let n = schema_name(kind);
            match kind {
                K::ExecutionStarted => {
                    catalogue.add::<v1::ExecutionStarted<'_>>(
                        &n,
                        "The start of an execution, or its continuation after a pause.",
                        is(kind),
                    );
                }
                K::ThoughtGenerated => {
                    catalogue.add::<v1::ThoughtGenerated<'_>>(
                        &n,
                        "A thought of an agent.",
                        is(kind),
                    );
                }
                K::ActionProposed => {
                    catalogue.add::<v1::ActionProposed<'_>>(
                        &n,
                        "The action that is proposed to the governor.",
                        is(kind),
                    );
                }
                K::GovernanceDecided => catalogue.add::<v1::GovernanceDecided<'_>>(
                    &n,
                    "A decision of the governor.",
                    is(kind),
                ),
                K::ExecutionFinished => {
                    catalogue.add::<v1::ExecutionFinished<'_>>(
                        &n,
                        "The end of an action, with its result.",
                        is(kind),
                    );
                }
                K::ObservationRecorded => catalogue.add::<v1::ObservationRecorded<'_>>(
                    &n,
                    "An observation of a result.",
                    is(kind),
                ),
                K::EvaluationMade => catalogue.add::<v1::EvaluationMade<'_>>(
                    &n,
                    "The runtime's decision whether the execution continues.",
                    is(kind),
                ),
                K::ExecutionEnded => {
                    catalogue.add::<v1::ExecutionEnded<'_>>(
                        &n,
                        "The end of an execution.",
                        is(kind),
                    );
                }
                K::CapabilityIssued => catalogue.add::<v1::CapabilityIssued<'_>>(
                    &n,
                    "The issue of a capability token.",
                    is(kind),
                ),
                K::CapabilityRevoked => {
                    catalogue.add::<v1::CapabilityRevoked<'_>>(
                        &n,
                        "The permanent revocation of a capability token.",
                        is(kind),
                    );
                }
                K::ContextChanged => catalogue.add::<v1::ContextChanged<'_>>(
                    &n,
                    "A change of the model's context.",
                    is(kind),
                ),
                K::Turn => catalogue.add::<v1::Turn<'_>>(
                    &n,
                    "A whole turn, which represents the events in their order.",
                    is(kind),
                ),
                K::Call => catalogue.add::<v1::Call<'_>>(
                    &n,
                    "A tool call of a session, with its recorded decision and result.",
                    is(kind),
                ),
                K::Execution => {
                    catalogue.add::<v1::Execution<'_>>(&n, "A whole execution.", is(kind));
                }
            }
        }
        catalogue.add_value(self.name(), ANY_RECORD, any_record());
    }
}

/// Returns the name of a kind's schema.
fn schema_name(kind: RecordKind) -> String {
    kind.name().replace('_', "-")
}

/// Returns the schema that records of all kinds satisfy.
fn any_record() -> Value {
    let kinds: Vec<&str> = RecordKind::ALL.iter().map(|k| k.name()).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": ExecutionRecord.name(),
        "description": ANY_RECORD,
        "type": "object",
        "required": ["record", "executionId"],
        "properties": {
            "record": { "type": "string", "enum": kinds },
            "executionId": { "type": "string" }
        }
    })
}

/// Reads the kind of a record of version 1. Writers put it first, so the fast path tries that.
fn record_kind<'a>(scanner: &mut Scanner<'a>, text: &'a str) -> Result<RecordKind, Error> {
    let first = text
        .strip_prefix(r#"{"record":""#)
        .and_then(|rest| rest.get(..rest.bytes().position(|b| b == b'"')?));
    if let Some(kind) = first.and_then(RecordKind::parse) {
        return Ok(kind);
    }
    let peek = Peek::deserialize(&mut Deserializer::new(scanner))?;
    scanner.reset(text);
    let word = peek
        .record
        .and_then(|r| r.read::<Str<'_>>())
        .ok_or_else(no_kind)?;
    RecordKind::parse(&word.decode()).ok_or_else(no_kind)
}

fn no_kind() -> Error {
    data("no known kind of record")
}
