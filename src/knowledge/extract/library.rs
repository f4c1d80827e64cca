//! Extracts the files that an agent keeps in a user's directory: the library of skills, and the
//! queue of candidates for skills. Both are a list of objects in one JSON document.

use super::{Extracted, NameKind, skill, text_of, time};
use crate::knowledge::source_config::SourceFile;
use knowledge_index::{Kind, Observation, summarise};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Maximum number of entries that are read. Nobody reviews a longer list.
const ENTRIES: usize = 10_000;
/// The decisions about a candidate.
const DECISIONS: [&str; 4] = ["pending", "approved", "rejected", "deferred"];

/// The form of a member.
#[derive(Debug, Clone, Copy)]
enum Form {
    Text,
    Count,
    /// A number between 0 and 1.
    Share,
    Truth,
    Time,
    Decision,
}

impl Form {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.as_str().is_some_and(|text| !text.trim().is_empty()),
            Self::Count => value.is_u64(),
            Self::Share => value.as_f64().is_some_and(|n| (0.0..=1.0).contains(&n)),
            Self::Truth => value.is_boolean(),
            Self::Time => time(value).is_some_and(|time| time >= 0),
            Self::Decision => value.as_str().is_some_and(|word| DECISIONS.contains(&word)),
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Count => "a whole number that isn't negative",
            Self::Share => "a number between 0 and 1",
            Self::Truth => "true or false",
            Self::Time => "a time",
            Self::Decision => "pending, approved, rejected or deferred",
        }
    }
}

/// The required members of a candidate.
const CANDIDATE: [(&str, Form); 9] = [
    ("id", Form::Text),
    ("source", Form::Text),
    ("path", Form::Text),
    ("suggestedSkillName", Form::Text),
    ("confidence", Form::Share),
    ("usageCount", Form::Count),
    ("lastUsed", Form::Time),
    ("status", Form::Decision),
    ("createdAt", Form::Time),
];

/// The required members of a skill in a library.
const SKILL: [(&str, Form); 9] = [
    ("id", Form::Text),
    ("name", Form::Text),
    ("whenToUse", Form::Text),
    ("successCount", Form::Count),
    ("failureCount", Form::Count),
    ("confidence", Form::Share),
    ("lastUsed", Form::Time),
    ("createdAt", Form::Time),
    ("enabled", Form::Truth),
];

/// Extracts a list of candidates or of skills.
pub(super) fn extract(file: &SourceFile, entries: &[Value], text: &str, out: &mut Extracted) {
    if entries.len() > ENTRIES {
        let message = format!("more than {ENTRIES} entries: from here on they aren't read");
        out.object(107, file, 1, message);
    }
    let entries = entries.get(..ENTRIES).unwrap_or(entries);
    let pointers = (0..entries.len()).map(|n| format!("/{n}")).collect();
    let places = strict_json::resolve_all(text, &pointers);
    let mut ids = BTreeSet::new();
    // Entries are in the order of the text, so that each line is counted once.
    let (mut line, mut counted) = (1, 0);
    for (n, entry) in entries.iter().enumerate() {
        let start = places.get(&format!("/{n}")).map(|p| p.value.start);
        let start = start.unwrap_or(counted).max(counted);
        let between = text.get(counted..start).unwrap_or_default().as_bytes();
        line += memchr::memchr_iter(b'\n', between).count() as u64;
        counted = start;
        let is_candidate = entry.get("suggestedSkillName").is_some();
        let members = if is_candidate { &CANDIDATE } else { &SKILL };
        let mut whole = true;
        for (member, form) in members {
            if !entry.get(member).is_some_and(|value| form.fits(value)) {
                let message = format!("`/{n}/{member}`: expected {}", form.words());
                out.object(901, file, line, message);
                whole = false;
            }
        }
        if !whole {
            continue;
        }
        let id = text_of(entry, &["id"]).unwrap_or_default();
        if !ids.insert(id) {
            let message = format!("`/{n}/id`: an earlier entry has the id `{id}`");
            out.object(901, file, line, message);
        }
        if is_candidate {
            let json = json!({ "candidate": entry, "line": line });
            out.documents.push((id.to_owned(), json.to_string()));
        } else {
            add_skill(id, entry, line, out);
        }
    }
}

fn add_skill(id: &str, entry: &Value, line: u64, out: &mut Extracted) {
    let name = text_of(entry, &["name"]).unwrap_or(id);
    // Edges of the graph name a skill by its id.
    for name in BTreeSet::from([id, name]) {
        out.names.push((NameKind::Skill, name.to_owned()));
    }
    skill::origins(name, entry, line, out);
    if entry.get("enabled").and_then(Value::as_bool) == Some(false) {
        let json = json!({ "disabled": name }).to_string();
        out.documents.push((name.to_owned(), json));
    }
    let mut kept = entry.clone();
    if let Some(members) = kept.as_object_mut() {
        // A plan is text for a model.
        members.remove("planTemplate");
    }
    let json = json!({ "library": kept, "line": line });
    out.documents.push((name.to_owned(), json.to_string()));
    let description = text_of(entry, &["description"]).unwrap_or_default();
    let when = text_of(entry, &["whenToUse"]).unwrap_or_default();
    out.push(
        Observation {
            kind: Kind::Skill,
            task: None,
            time: entry.get("createdAt").and_then(time),
            lines: (line, line),
            summary: summarise(&format!("{name}: {when}")),
            refs: Vec::new(),
            detail: format!("skill {name}\nwhen to use: {when}\n{description}"),
        },
        false,
    );
}
