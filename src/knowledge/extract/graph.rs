//! Extracts the knowledge graph: one edge per line, or nodes and edges in separate files. An
//! unreadable line is reported and skipped, never repaired.

use super::{Edge, Extracted, Node, objects, time};
use crate::knowledge::source_config::SourceFile;
use crate::trace::graph_line::{EdgeEnds, GraphLine};
use serde_json::Value;
use strict_json::Raw;

/// Edge types in lower case.
const TYPES: [&str; 9] = [
    "used_in",
    "validated_by",
    "promoted_to",
    "derived_from",
    "references",
    "supports",
    "reinforces",
    "caused_by",
    "acknowledged_by",
];

/// The last millisecond of the year 9999.
const LAST: i64 = 253_402_300_799_999;

pub(super) fn extract(file: &SourceFile, text: &str, out: &mut Extracted) {
    objects(file, text, out, |out, line, text, _| {
        let Some(read) = GraphLine::parse(text) else {
            return out.object(102, file, line, "the line is JSON, but no object");
        };
        if read.is_edge() {
            edge(file, line, &read, out);
        } else {
            node(file, line, &read, out);
        }
    });
}

fn edge(file: &SourceFile, line: u64, read: &GraphLine<'_>, out: &mut Extracted) {
    let says = |ends: &EdgeEnds<'_>| {
        [&*ends.from, &*ends.to, &*ends.kind]
            .iter()
            .all(|text| !text.trim().is_empty())
    };
    let Some(EdgeEnds {
        from,
        to,
        kind: word,
    }) = read.ends().filter(says)
    else {
        return out.object(
            103,
            file,
            line,
            "an edge needs `from`, `to` and `type`, each a text",
        );
    };
    // The form with separate files has types in capitals.
    let kind = word.to_lowercase();
    if !TYPES.contains(&kind.as_str()) {
        return out.object(
            103,
            file,
            line,
            format!(
                "`{word}` isn't a type of edge; expected {}",
                TYPES.join(", ")
            ),
        );
    }
    let Some(when) = read.timestamp else {
        return out.object(
            103,
            file,
            line,
            "an edge needs `timestamp`: evidence counts from its time on",
        );
    };
    let Some(parsed) = value(when)
        .as_ref()
        .and_then(time)
        .filter(|time| (0..=LAST).contains(time))
    else {
        return out.object(103, file, line, "`timestamp` isn't a time");
    };
    let meta = read.meta().and_then(value).filter(|m| !m.is_null());
    if meta.as_ref().is_some_and(|m| !m.is_object()) {
        return out.object(103, file, line, "`meta` isn't an object");
    }
    let weight = read.weight.and_then(value).filter(|w| !w.is_null());
    let number = weight.as_ref().and_then(Value::as_f64);
    if weight.is_some() && !number.is_some_and(|number| number >= 0.0) {
        return out.object(103, file, line, "`weight` isn't a number from 0 on");
    }
    out.edges.push(Edge {
        line,
        from: from.into_owned(),
        to: to.into_owned(),
        kind,
        time: Some(parsed),
        weight: number,
        meta: meta.as_ref().map(Value::to_string),
    });
}

fn node(file: &SourceFile, line: u64, read: &GraphLine<'_>, out: &mut Extracted) {
    let id = read.id().filter(|id| !id.trim().is_empty());
    let kind = read.kind().filter(|kind| !kind.trim().is_empty());
    let (Some(id), Some(kind)) = (id, kind) else {
        return out.object(
            103,
            file,
            line,
            "the line is neither an edge (`from`, `to`, `type`) nor a node (`id`, `type`)",
        );
    };
    out.nodes.push(Node {
        line,
        id: id.into_owned(),
        kind,
        time: read.timestamp.and_then(value).as_ref().and_then(time),
        payload: read
            .payload
            .and_then(value)
            .filter(|p| !p.is_null())
            .as_ref()
            .map(Value::to_string),
    });
}

fn value(raw: Raw<'_>) -> Option<Value> {
    strict_json::from_text_clamped(raw.as_written()).ok()
}
