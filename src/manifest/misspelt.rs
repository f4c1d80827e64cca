//! Finds members that a reader takes for ones of the schema, and that are spelled otherwise.
//!
//! Manifests may have members of their own. One like `Permissions` isn't meant as such a member:
//! the program would read a skill without permissions, and a reader sees some.

use super::fault::{Fault, step};
use crate::trace::identity::misspelling;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Maximum depth of references that are followed.
const DEPTH: usize = 32;
/// Keywords of JSON Schema that restrict a value.
const KEYWORDS: [&str; 45] = [
    "$ref",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "required",
    "then",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "$defs",
    "title",
    "description",
];
/// Keywords whose members are names with a schema each.
const NAMED: [&str; 6] = [
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
];
/// Keywords whose values are data, not schemas.
const DATA: [&str; 2] = ["const", "enum"];

/// Adds the misspelled members of a value of a schema.
pub(super) fn members(schema: &Value, value: &Value, pointer: &str, all: &mut Vec<Fault>) {
    walk(schema, &[schema], value, pointer, all);
}

/// Returns the schemas that a schema consists of: itself and its alternatives, with references
/// followed.
fn parts<'s>(root: &'s Value, schema: &'s Value, left: usize, to: &mut Vec<&'s Value>) {
    let Some(left) = left.checked_sub(1) else {
        return;
    };
    to.push(schema);
    let reference = schema.get("$ref").and_then(Value::as_str);
    let target = reference.and_then(|r| root.pointer(r.strip_prefix('#')?));
    let alternatives = ["anyOf", "oneOf", "allOf"].into_iter();
    let alternatives = alternatives.filter_map(|name| schema.get(name)?.as_array());
    for part in target.into_iter().chain(alternatives.flatten()) {
        parts(root, part, left, to);
    }
}

fn walk(root: &Value, schemas: &[&Value], value: &Value, pointer: &str, all: &mut Vec<Fault>) {
    let mut of = Vec::new();
    for schema in schemas {
        parts(root, schema, DEPTH, &mut of);
    }
    match value {
        Value::Array(list) => {
            let items: Vec<&Value> = of.iter().filter_map(|s| s.get("items")).collect();
            if !items.is_empty() {
                for (n, element) in list.iter().enumerate() {
                    walk(root, &items, element, &format!("{pointer}/{n}"), all);
                }
            }
        }
        Value::Object(members) => {
            let mut known: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
            let properties = of.iter().filter_map(|s| s.get("properties")?.as_object());
            for (name, schema) in properties.flatten() {
                known.entry(name).or_default().push(schema);
            }
            let others: Vec<&Value> = of
                .iter()
                .filter_map(|s| s.get("additionalProperties"))
                .filter(|s| s.is_object())
                .collect();
            // An unknown member of a closed object is a fault already.
            let closed = |s: &&Value| s.get("additionalProperties") == Some(&Value::Bool(false));
            let is_closed = of.iter().any(closed);
            let names: Vec<&str> = known.keys().copied().collect();
            for (name, value) in members {
                let inner = format!("{pointer}/{}", step(name));
                match known.get(name.as_str()) {
                    Some(schemas) => walk(root, schemas, value, &inner, all),
                    None if !others.is_empty() => walk(root, &others, value, &inner, all),
                    None if is_closed => {}
                    None => all.extend(fault(name, &names, &inner)),
                }
            }
        }
        _ => {}
    }
}

/// Adds the misspelled keywords of a JSON Schema.
pub(super) fn keywords(schema: &Value, pointer: &str, all: &mut Vec<Fault>) {
    match schema {
        Value::Array(list) => {
            for (n, schema) in list.iter().enumerate() {
                keywords(schema, &format!("{pointer}/{n}"), all);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                let inner = format!("{pointer}/{}", step(name));
                all.extend(fault(name, &KEYWORDS, &inner));
                if NAMED.contains(&name.as_str()) {
                    let named: Option<&Map<String, Value>> = value.as_object();
                    for (name, schema) in named.into_iter().flatten() {
                        keywords(schema, &format!("{inner}/{}", step(name)), all);
                    }
                } else if KEYWORDS.contains(&name.as_str()) && !DATA.contains(&name.as_str()) {
                    keywords(value, &inner, all);
                }
            }
        }
        _ => {}
    }
}

fn fault(name: &str, known: &[&str], pointer: &str) -> Option<Fault> {
    let meant = misspelling(name, known)?;
    let message = format!("`{name}` is spelled `{meant}`: as it is, it has no effect");
    Some(Fault::manifest(pointer, message))
}
