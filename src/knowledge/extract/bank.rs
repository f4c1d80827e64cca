//! Extracts a context bank on disk: `index.json` with the list of items, `items/ID.json` with each
//! item.

use super::{Extracted, Name, NameKind, REPEATED, cut, is_repeated, plain, text_of, time};
use crate::knowledge::context::item_faults;
use crate::knowledge::source_config::SourceFile;
use knowledge_index::{Kind, Observation, summarise};
use serde_json::Value;

pub(super) fn extract(file: &SourceFile, text: &str, out: &mut Extracted) {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            return out.object(
                901,
                file,
                error.line() as u64,
                format!("the file is not JSON: {}", plain(&error)),
            );
        }
    };
    if is_repeated(text) {
        return out.object(106, file, 1, REPEATED);
    }
    match &value {
        // The bare form is a list of complete items.
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(n, v)| item(file, v, &format!("/{n}"), text, out)),
        Value::Object(members) if members.contains_key("items") => match members.get("items") {
            Some(Value::Array(items)) => items
                .iter()
                .enumerate()
                .for_each(|(n, v)| listed(file, v, n, out)),
            _ => out.object(901, file, 1, "`items` isn't a list"),
        },
        Value::Object(_) => item(file, &value, "", text, out),
        _ => out.object(
            901,
            file,
            1,
            "the file is neither an index nor an item of a context bank",
        ),
    }
}

/// Records the names of an item in an index, so that edges to it can be resolved.
fn listed(file: &SourceFile, entry: &Value, n: usize, out: &mut Extracted) {
    match (text_of(entry, &["id"]), text_of(entry, &["path"])) {
        (Some(id), Some(path)) => {
            out.names.extend([id, path].map(name_of));
            for fault in item_faults(entry) {
                out.object(103, file, 1, format!("`/items/{n}`: {fault}"));
            }
        }
        _ => out.object(901, file, 1, format!("`/items/{n}` needs `id` and `path`")),
    }
}

fn name_of(name: &str) -> Name {
    (NameKind::Context, name.to_owned())
}

fn item(file: &SourceFile, value: &Value, pointer: &str, text: &str, out: &mut Extracted) {
    let Some(path) = text_of(value, &["path"]) else {
        return out.object(
            901,
            file,
            1,
            format!("the item {pointer} needs `path`").replace("  ", " "),
        );
    };
    let id = text_of(value, &["id"]).unwrap_or(path);
    for fault in item_faults(value) {
        out.object(
            103,
            file,
            1,
            format!("the item {pointer}: {fault}").replace(" :", ":"),
        );
    }
    out.names.extend([name_of(id), name_of(path)]);
    let alias = text_of(value, &["alias"]);
    out.names.extend(alias.map(name_of));
    let mut stored = value.clone();
    if let Some(members) = stored.as_object_mut() {
        // The content is found through the observation. The document only needs the members that
        // decide about the item.
        members.remove("content");
        members.remove("summary");
    }
    out.documents.push((id.to_owned(), stored.to_string()));
    let tags: Vec<&str> = value
        .get("tags")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let kind = [text_of(value, &["type"]), text_of(value, &["semantic"])]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ");
    let mut detail = format!("{path} ({kind})");
    if !tags.is_empty() {
        detail.push_str(&format!("\ntags: {}", tags.join(", ")));
    }
    let said = text_of(value, &["summary"]);
    for text in [said, text_of(value, &["content"])].into_iter().flatten() {
        detail.push('\n');
        detail.push_str(&cut(text));
    }
    let importance = value.get("importance");
    let used = importance
        .and_then(|i| i.get("lastUsed"))
        .or_else(|| value.get("lastUsedAt"))
        .or_else(|| value.get("lastUsed"));
    out.push(
        Observation {
            kind: Kind::Context,
            task: None,
            time: used.and_then(time),
            lines: (1, text.lines().count().max(1) as u64),
            summary: summarise(&format!(
                "{}: {}",
                alias.unwrap_or(path),
                said.unwrap_or(&kind)
            )),
            refs: [path.to_owned()]
                .into_iter()
                .chain(tags.iter().map(|t| (*t).to_owned()))
                .collect(),
            detail,
        },
        false,
    );
}
