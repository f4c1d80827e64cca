//! The catalogue of schemas by name.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

/// A schema with its name.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Name in `schema print NAME`. The file is `schemas/NAME.schema.json`.
    pub name: String,
    /// One-line description of the schema.
    pub about: &'static str,
    pub schema: Value,
}

/// A list of schemas, to which each module that defines a format adds its own.
#[derive(Debug, Default)]
pub struct Catalogue {
    entries: Vec<Entry>,
}

impl Catalogue {
    /// Creates an empty catalogue.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the schema of `T`, after `adjust` has changed its members.
    pub fn add<T: schemars::JsonSchema>(
        &mut self,
        name: &str,
        about: &'static str,
        adjust: impl FnOnce(&mut Map<String, Value>),
    ) {
        let mut schema = SchemaGenerator::new(SchemaSettings::draft2020_12())
            .into_root_schema_for::<T>()
            .to_value();
        if let Some(members) = schema.as_object_mut() {
            members.insert("$id".into(), json!(address(name)));
            members.insert("title".into(), json!(name));
            members.insert("description".into(), json!(about));
            adjust(members);
        }
        self.entries.push(Entry {
            name: name.to_owned(),
            about,
            schema,
        });
    }

    /// Adds a schema that is already assembled, for example from other schemas.
    pub fn add_value(&mut self, name: &str, about: &'static str, mut schema: Value) {
        if let Some(members) = schema.as_object_mut() {
            members.insert("$id".into(), json!(address(name)));
        }
        self.entries.push(Entry {
            name: name.to_owned(),
            about,
            schema,
        });
    }

    /// Returns all schemas.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the schema with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|e| e.name == name)
    }
}

/// Returns the `$id` of a schema: its URL on the documentation site.
fn address(name: &str) -> String {
    format!("{}/schemas/{name}.schema.json", env!("CARGO_PKG_HOMEPAGE"))
}

/// Adds the schema of `T` to the definitions that `schema` can refer to.
pub fn define<T: schemars::JsonSchema>(schema: &mut Map<String, Value>, name: &str) {
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
