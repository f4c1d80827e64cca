//! The schemas by name.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

/// A schema with its name.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The name in `schema print NAME`; the file is `schemas/NAME.schema.json`.
    pub name: String,
    /// What it describes, in one line.
    pub about: &'static str,
    /// The schema.
    pub schema: Value,
}

/// A list of schemas that grows from the top of the house: each format adds its own.
#[derive(Debug, Default)]
pub struct Catalogue {
    entries: Vec<Entry>,
}

impl Catalogue {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the schema of `T`.
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

    /// Adds a schema that others make up.
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

    /// All schemas.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The schema of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|e| e.name == name)
    }
}

/// The `$id` of a schema: where the documentation site serves it.
fn address(name: &str) -> String {
    format!("{}/schemas/{name}.schema.json", env!("CARGO_PKG_HOMEPAGE"))
}

/// Adds the schema of `T` to those that a schema can refer to.
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
