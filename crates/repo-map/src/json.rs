//! The members of a JSON map. Maps are written and read with the same types, so that a member
//! which isn't known, or is there twice, is found.

use super::classify::LeftOut;
use super::header;
use super::language::Language;
use super::settings::{Settings, VERSION};
use super::snapshot::File;
use super::tags::{Definition, Kind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use text_safety::escape::json::harmless;

/// The value of `kind`.
pub(super) const KIND: &str = "repomap";

/// How many of all are shown.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shown {
    pub(super) shown: usize,
    pub(super) all: usize,
}

/// A whole map.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct JsonMap {
    pub(super) kind: String,
    pub(super) version: u32,
    pub(super) settings: Settings,
    pub(super) definitions: Shown,
    pub(super) files: Shown,
    pub(super) left_out: BTreeMap<LeftOut, usize>,
    pub(super) not_parsed: BTreeMap<String, usize>,
    pub(super) not_wholly_parsed: usize,
    pub(super) map: Vec<JsonFile>,
}

impl JsonMap {
    /// Returns a text that can't be in a map.
    pub(super) fn odd(&self) -> Option<String> {
        let extension = self.not_parsed.keys().find(|k| !header::is_counted(k));
        let is_kind = self.kind == KIND && self.version == VERSION;
        extension
            .cloned()
            .or_else(|| (!is_kind).then(|| self.kind.clone()))
    }
}

/// A file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JsonFile {
    pub(super) path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    language: Option<Language>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    doc: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    marks: Option<Vec<String>>,
    pub(super) definitions: Vec<JsonDefinition>,
}

impl JsonFile {
    /// Describes a file, without its definitions.
    pub(super) fn new(settings: &Settings, file: &File, reason: Option<&String>) -> JsonFile {
        let marks = file.tags.marks.names().into_iter().map(str::to_owned);
        JsonFile {
            path: file.path.clone(),
            language: file.language,
            doc: file.tags.doc.clone(),
            reason: reason.cloned(),
            marks: settings.marks.then(|| marks.collect()),
            definitions: Vec::new(),
        }
    }

    /// Returns the object on one line.
    pub(super) fn line(&self) -> String {
        harmless(&serde_json::to_string(self).unwrap_or_default()).into_owned()
    }
}

/// A definition.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JsonDefinition {
    name: String,
    kind: Kind,
    pub(super) signature: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    doc: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    marks: Option<Vec<String>>,
}

impl JsonDefinition {
    pub(super) fn new(settings: &Settings, file: &File, definition: &Definition) -> JsonDefinition {
        let marks = definition.marks.names().into_iter().map(str::to_owned);
        JsonDefinition {
            name: definition.name.clone(),
            kind: definition.kind,
            signature: definition.signature.clone(),
            parent: file.tags.parent(definition).map(str::to_owned),
            doc: definition.doc.clone(),
            line: settings.lines.then_some(definition.line),
            marks: settings.marks.then(|| marks.collect()),
        }
    }

    /// Returns the object on one line.
    pub(super) fn line(&self) -> String {
        harmless(&serde_json::to_string(self).unwrap_or_default()).into_owned()
    }
}
