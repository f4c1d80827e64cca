//! The knowledge graph: edges one a line, or nodes and edges in files of their own. A line that
//! can't be read is reported and passed over, never mended.

use super::{Edge, Extracted, Node, objects, text_of, time};
use crate::knowledge::source_config::SourceFile;
use serde_json::Value;

/// Types of edge, in either form.
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
    objects(file, text, out, |out, line, _, record| {
        if record.get("from").is_some() || record.get("to").is_some() {
            edge(file, line, &record, out);
        } else {
            node(file, line, &record, out);
        }
    });
}

fn edge(file: &SourceFile, line: u64, record: &Value, out: &mut Extracted) {
    let text = |member| text_of(record, &[member]);
    let (Some(from), Some(to), Some(word)) = (text("from"), text("to"), text("type")) else {
        return out.object(
            103,
            file,
            line,
            "an edge needs `from`, `to` and `type`, each a text",
        );
    };
    // The split form writes its types in capitals.
    let kind = word.to_ascii_lowercase();
    if !TYPES.contains(&kind.as_str()) {
        return out.object(
            103,
            file,
            line,
            format!(
                "`{word}` is no type of edge; known are {}",
                TYPES.join(", ")
            ),
        );
    }
    let Some(when) = record.get("timestamp") else {
        return out.object(
            103,
            file,
            line,
            "an edge needs `timestamp`: evidence counts from its time on",
        );
    };
    let Some(parsed) = time(when).filter(|time| (0..=LAST).contains(time)) else {
        return out.object(103, file, line, "`timestamp` is no time");
    };
    let meta = ["meta", "metadata"]
        .iter()
        .find_map(|m| record.get(m))
        .filter(|m| !m.is_null());
    if meta.is_some_and(|m| !m.is_object()) {
        return out.object(103, file, line, "`meta` is no object");
    }
    out.edges.push(Edge {
        line,
        from: from.to_owned(),
        to: to.to_owned(),
        kind,
        time: Some(parsed),
        meta: meta.map(Value::to_string),
    });
}

fn node(file: &SourceFile, line: u64, record: &Value, out: &mut Extracted) {
    let (Some(id), Some(kind)) = (text_of(record, &["id"]), text_of(record, &["type"])) else {
        return out.object(
            103,
            file,
            line,
            "the line is neither an edge (`from`, `to`, `type`) nor a node (`id`, `type`)",
        );
    };
    out.nodes.push(Node {
        line,
        id: id.to_owned(),
        kind: kind.to_ascii_lowercase(),
        time: record.get("timestamp").and_then(time),
        payload: record
            .get("payload")
            .filter(|p| !p.is_null())
            .map(Value::to_string),
    });
}
