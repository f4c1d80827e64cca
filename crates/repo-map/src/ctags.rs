//! Tags in the formats of other tools: the `tags` file of ctags, and JSON Lines.

use super::snapshot::{File, Snapshot};
use super::tags::{Definition, Kind};
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use text_safety::escape::json::harmless;
use text_safety::escape::{line_start, terminal};

/// Writes all definitions and references as JSON Lines, in the order of files and lines.
///
/// # Errors
/// Returns an error if writing fails.
pub fn write_jsonl(snapshot: &Snapshot, out: &mut dyn Write) -> io::Result<()> {
    for file in &snapshot.files {
        for definition in &file.tags.definitions {
            writeln!(
                out,
                "{}",
                harmless(&of_definition(file, definition).to_string())
            )?;
        }
        for reference in &file.tags.references {
            let mut tag = Map::new();
            tag.insert("tag".into(), json!("reference"));
            tag.insert("path".into(), json!(file.path));
            tag.insert("line".into(), json!(reference.line));
            tag.insert("kind".into(), json!(reference.kind));
            tag.insert("name".into(), json!(file.tags.name(reference)));
            if let Some(within) = reference
                .within
                .and_then(|at| file.tags.definitions.get(at as usize))
            {
                tag.insert(
                    "within".into(),
                    json!({ "name": within.name, "kind": within.kind, "line": within.line }),
                );
            }
            writeln!(out, "{}", harmless(&Value::Object(tag).to_string()))?;
        }
    }
    Ok(())
}

fn of_definition(file: &File, definition: &Definition) -> Value {
    let mut tag = Map::new();
    tag.insert("tag".into(), json!("definition"));
    tag.insert("path".into(), json!(file.path));
    tag.insert("line".into(), json!(definition.line));
    tag.insert("end".into(), json!(definition.end));
    tag.insert("language".into(), json!(file.language));
    tag.insert("kind".into(), json!(definition.kind));
    tag.insert("name".into(), json!(definition.name));
    tag.insert("signature".into(), json!(definition.signature));
    tag.insert("private".into(), json!(definition.private));
    if !definition.marks.is_empty() {
        tag.insert("marks".into(), json!(definition.marks.names()));
    }
    if let Some(parent) = file.tags.parent(definition) {
        tag.insert("parent".into(), json!(parent));
    }
    if let Some(doc) = &definition.doc {
        tag.insert("doc".into(), json!(doc));
    }
    Value::Object(tag)
}

/// Writes the definitions as a `tags` file (tags(5), extended format). Its lines are sorted by
/// bytes, as editors expect.
///
/// # Errors
/// Returns an error if writing fails.
pub fn write_ctags(snapshot: &Snapshot, out: &mut dyn Write) -> io::Result<()> {
    let mut lines: Vec<String> = snapshot
        .files
        .iter()
        .flat_map(|file| {
            file.tags
                .definitions
                .iter()
                .filter(|d| d.kind != Kind::Implementation)
                .map(|d| ctag(file, d))
        })
        .collect();
    lines.sort_unstable();
    writeln!(out, "!_TAG_FILE_FORMAT\t2\t/extended format/")?;
    writeln!(out, "!_TAG_FILE_SORTED\t1\t/0=unsorted, 1=sorted/")?;
    writeln!(out, "!_TAG_PROGRAM_NAME\tyuangs-verify\t//")?;
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn ctag(file: &File, definition: &Definition) -> String {
    let parent = file
        .tags
        .parent(definition)
        .map_or(String::new(), |p| format!("\tscope:{}", field(p)));
    format!(
        "{}\t{}\t{};\"\tkind:{}\tline:{}{parent}\tsignature:{}",
        tag_name(&definition.name),
        field(&file.path),
        definition.line,
        definition.kind.name(),
        definition.line,
        field(&definition.signature)
    )
}

/// Returns the first field of a line. A leading exclamation mark is escaped: such a line would be a
/// pseudo-tag, which describes the whole file.
fn tag_name(name: &str) -> String {
    let safe = line_start(&name.replace('\\', "\\\\"));
    safe.strip_prefix('!')
        .map_or(safe.clone(), |rest| format!("\\x21{rest}"))
}

/// Escapes a field: tabs, line breaks and backslashes.
fn field(text: &str) -> String {
    terminal(&text.replace('\\', "\\\\")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, extract};

    #[test]
    fn a_name_makes_no_pseudo_tag() {
        let source = "class A { \"!_TAG_FILE_ENCODING\"() {} \"::error::x\"() {} }\n";
        let tags = extract(Language::TypeScript, source).unwrap();
        assert_eq!(tags.definitions.len(), 3);
        let file = File {
            path: "a.ts".into(),
            language: Some(Language::TypeScript),
            tags,
        };
        let mut out = Vec::new();
        write_ctags(
            &Snapshot {
                files: vec![file],
                ..Snapshot::default()
            },
            &mut out,
        )
        .unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text.lines().filter(|l| l.starts_with('!')).count(),
            3,
            "{text}"
        );
        assert!(
            text.contains("\n\\x21_TAG_FILE_ENCODING\ta.ts\t1"),
            "{text}"
        );
    }

    #[test]
    fn a_hostile_name_stays_in_its_field() {
        let tags = extract(Language::Rust, "pub fn f(a: &str) {}\nstruct B;\n").unwrap();
        let file = File {
            path: "a\tb\n!_TAG.rs".into(),
            language: Some(Language::Rust),
            tags,
        };
        let snapshot = Snapshot {
            files: vec![file],
            ..Snapshot::default()
        };
        let mut out = Vec::new();
        write_ctags(&snapshot, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.lines().count(), 5);
        assert!(
            text.ends_with(
                "f\ta b\\n!_TAG.rs\t1;\"\tkind:function\tline:1\tsignature:pub fn f(a: &str)\n"
            ),
            "{text}"
        );
        let mut out = Vec::new();
        write_jsonl(&snapshot, &mut out).unwrap();
        let lines: Vec<Value> = String::from_utf8(out)
            .unwrap()
            .lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect();
        assert_eq!(lines[0]["name"], "f");
        assert_eq!(lines[0]["path"], "a\tb\n!_TAG.rs");
    }
}
