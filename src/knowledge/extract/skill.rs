//! Extracts skills: a `meta.json` in each skill's directory, below a directory named after the
//! stage in the skill's life cycle.

use super::{Edge, Extracted, NameKind, REPEATED, is_repeated, library, plain, text_of, time};
use crate::knowledge::source_config::SourceFile;
use crate::manifest::{Kind as ManifestKind, faults};
use knowledge_index::{Kind, Observation, summarise};
use serde_json::{Value, json};

/// Maximum number of contexts from which a skill was derived.
const ORIGINS: usize = 256;

pub(super) fn extract(file: &SourceFile, text: &str, out: &mut Extracted) {
    let meta: Value = match serde_json::from_str(text) {
        Ok(meta @ Value::Object(_)) => meta,
        Ok(_) if is_repeated(text) => return out.object(106, file, 1, REPEATED),
        Ok(Value::Array(entries)) => return library::extract(file, &entries, text, out),
        Ok(_) => return out.object(901, file, 1, "the metadata of a skill are one JSON object"),
        Err(error) => {
            return out.object(
                901,
                file,
                error.line() as u64,
                format!("the file is not JSON: {}", plain(&error)),
            );
        }
    };
    faulty(ManifestKind::Metadata, file, text, out);
    let intent = text_of(&meta, &["intent"]).unwrap_or_default();
    let Some(name) = text_of(&meta, &["name"]) else {
        return;
    };
    out.names.push((NameKind::Skill, name.to_owned()));
    origins(name, &meta, 1, out);
    let version = text_of(&meta, &["version"]).unwrap_or_default();
    let stage = stage(file.name_within());
    out.documents.push((
        name.to_owned(),
        json!({ "stage": stage, "meta": meta }).to_string(),
    ));
    let tags: Vec<&str> = meta
        .get("tags")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let description = text_of(&meta, &["description"]).unwrap_or_default();
    out.push(
        Observation {
            kind: Kind::Skill,
            task: None,
            time: meta.get("created_at").and_then(time),
            lines: (1, text.lines().count().max(1) as u64),
            summary: summarise(&format!("{name} {version} ({stage}): {intent}")),
            refs: tags.iter().map(|t| (*t).to_owned()).collect(),
            detail: format!(
                "skill {name} {version}, {stage}\nintent: {intent}\n{description}\ntags: {}",
                tags.join(", ")
            ),
        },
        false,
    );
}

/// Extracts from `skills.json` which skills are disabled.
pub(super) fn extract_set(file: &SourceFile, text: &str, out: &mut Extracted) {
    faulty(ManifestKind::SkillSet, file, text, out);
    let Ok(set) = serde_json::from_str::<Value>(text) else {
        return out.object(901, file, 1, "the file is not JSON");
    };
    let skills = set.get("skills").and_then(Value::as_object);
    for (name, entry) in skills.into_iter().flatten() {
        out.names.push((NameKind::Skill, name.clone()));
        origins(name, entry, 1, out);
        if entry.get("enabled").and_then(Value::as_bool) == Some(false) {
            out.documents
                .push((name.clone(), json!({ "disabled": name }).to_string()));
        }
    }
}

/// Extracts the contexts from which a skill was derived, as edges of the graph.
pub(super) fn origins(name: &str, skill: &Value, line: u64, out: &mut Extracted) {
    let paths = skill.get("sourceContextPaths").and_then(Value::as_array);
    let paths = paths.into_iter().flatten().filter_map(Value::as_str);
    out.edges.extend(paths.take(ORIGINS).map(|path| Edge {
        line,
        from: format!("skill:{name}"),
        to: format!("context:{path}"),
        kind: "derived_from".to_owned(),
        time: None,
        weight: Some(1.0),
        meta: None,
    }));
}

/// Reports the faults of a manifest with their lines.
fn faulty(kind: ManifestKind, file: &SourceFile, text: &str, out: &mut Extracted) {
    for fault in faults(kind, text)
        .into_iter()
        .filter(|f| matches!(f.code, 106 | 107 | 901))
    {
        let before = text.get(..fault.at.start).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before.as_bytes()).count() as u64 + 1;
        out.object(fault.code, file, line, fault.message);
    }
}

/// Returns the stage in a skill's life cycle, by its directory.
fn stage(path: &str) -> &'static str {
    let mut folders = path.split('/').rev();
    folders
        .find_map(|f| {
            ["experimental", "production", "retired"]
                .into_iter()
                .find(|s| *s == f)
        })
        .unwrap_or("experimental")
}
