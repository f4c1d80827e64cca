//! Renders maps as text, Markdown and JSON.
//!
//! Names, signatures and comments are untrusted text. In every format they are escaped and on one
//! line, and in Markdown inside code.

use super::annotations::Marks;
use super::map::RenderInput;
use super::settings::{Format, VERSION};
use super::tags::{Definition, Tags};
use serde_json::{Map as Object, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use text_safety::escape::json::harmless;
use text_safety::escape::markdown::code as code_span;
use text_safety::escape::{line_start, terminal};

/// Indices of the chosen definitions of a file, in source order.
type Chosen = BTreeSet<u32>;

/// Renders the map of the first `entries` entries.
pub(super) fn write(input: &RenderInput<'_>, entries: usize) -> String {
    let mut files: BTreeMap<usize, (usize, Chosen)> = BTreeMap::new();
    let mut definitions = 0;
    for entry in input.entries.iter().take(entries) {
        let position = input.order.get(entry.file).copied().unwrap_or(usize::MAX);
        let (_, chosen) = files
            .entry(position)
            .or_insert_with(|| (entry.file, Chosen::new()));
        chosen.extend(entry.definition);
        definitions += usize::from(entry.definition.is_some());
    }
    let files: Vec<(usize, Chosen)> = files.into_values().collect();
    match input.settings.format {
        Format::Text => text(input, &files, definitions),
        Format::Markdown => markdown(input, &files, definitions),
        Format::Json => as_json(input, &files, definitions),
    }
}

/// Describes in two sentences what the map contains and what it omits.
fn summary(input: &RenderInput<'_>, files: usize, definitions: usize) -> [String; 2] {
    let (all, of_files) = input.total;
    let settings = input.settings;
    let holds = format!(
        "Repo map: {definitions} of {all} definitions in {files} of {of_files} files, for at most {} tokens ({})",
        settings.tokens, settings.encoding
    );
    let mut left = Vec::new();
    if all > definitions {
        left.push(format!("{} definitions that rank lower", all - definitions));
    }
    if of_files > files {
        left.push(format!("{} files that rank lower", of_files - files));
    }
    left.extend(
        input
            .snapshot
            .left_out
            .iter()
            .map(|(why, count)| format!("{count} {}", why.name())),
    );
    let broken = input
        .snapshot
        .files
        .iter()
        .filter(|f| f.tags.has_errors)
        .count();
    let mut said = if left.is_empty() {
        "Left out: nothing".to_owned()
    } else {
        format!("Left out: {}", left.join(", "))
    };
    if broken > 0 {
        let _ = write!(said, ". In parts not parsed: {broken} files");
    }
    [holds, said]
}

/// Returns the chosen definitions of a file and their parents, each with its depth.
fn with_parents(tags: &Tags, chosen: &Chosen) -> Vec<(usize, u32)> {
    let mut all: BTreeMap<u32, usize> = BTreeMap::new();
    for at in chosen {
        let mut around = Some(*at);
        while let Some(here) = around {
            if all.insert(here, 0).is_some() {
                break;
            }
            around = tags.definitions.get(here as usize).and_then(|d| d.within);
        }
    }
    let places: Vec<u32> = all.keys().copied().collect();
    for at in places {
        let around = tags.definitions.get(at as usize).and_then(|d| d.within);
        let depth = around.and_then(|a| all.get(&a)).map_or(0, |d| d + 1);
        all.insert(at, depth);
    }
    all.into_iter().map(|(at, depth)| (depth, at)).collect()
}

/// Formats the marks of a definition.
fn column(marks: Marks) -> String {
    if marks.is_empty() {
        String::new()
    } else {
        format!(" [{}]", marks.names().join(", "))
    }
}

/// Renders one definition as one line.
fn line(input: &RenderInput<'_>, tags: &Tags, at: u32, depth: usize) -> Option<String> {
    let definition = tags.definitions.get(at as usize)?;
    let mut out = "  ".repeat(depth.min(20));
    if input.settings.lines {
        let _ = write!(out, "{}: ", definition.line);
    }
    out.push_str(&definition.signature);
    if let Some(doc) = &definition.doc {
        let _ = write!(out, " — {doc}");
    }
    if input.settings.marks {
        out.push_str(&column(definition.marks));
    }
    // Some CI runners interpret a line that starts with `::` as a command, and a signature may
    // start so.
    Some(line_start(&out))
}

fn text(input: &RenderInput<'_>, files: &[(usize, Chosen)], definitions: usize) -> String {
    let [holds, left] = summary(input, files.len(), definitions);
    let mut out = format!("# {holds}\n# {left}\n# {}\n", input.settings.line());
    for (file, chosen) in files {
        let Some(content) = input.snapshot.files.get(*file) else {
            continue;
        };
        let _ = write!(out, "\n{}", line_start(&content.path));
        if let Some(doc) = &content.tags.doc {
            let _ = write!(out, " — {}", terminal(doc));
        }
        if input.settings.marks {
            out.push_str(&column(content.tags.marks));
        }
        out.push('\n');
        if let Some(reason) = input.reasons.get(file) {
            let _ = writeln!(out, "  ({})", terminal(reason));
        }
        for (depth, at) in with_parents(&content.tags, chosen) {
            let _ = writeln!(
                out,
                "{}",
                line(input, &content.tags, at, depth + 1).unwrap_or_default()
            );
        }
    }
    out
}

fn markdown(input: &RenderInput<'_>, files: &[(usize, Chosen)], definitions: usize) -> String {
    let [holds, left] = summary(input, files.len(), definitions);
    let mut out = format!(
        "<!-- {} -->\n\n{holds}.\n\n{left}.\n",
        input.settings.line()
    );
    for (file, chosen) in files {
        let Some(content) = input.snapshot.files.get(*file) else {
            continue;
        };
        let marks = if input.settings.marks {
            column(content.tags.marks)
        } else {
            String::new()
        };
        let _ = write!(out, "\n## {}{marks}\n", code_span(&content.path));
        if let Some(doc) = &content.tags.doc {
            let _ = write!(out, "\n{}\n", code_span(doc));
        }
        if let Some(reason) = input.reasons.get(file) {
            let _ = write!(out, "\n{}\n", code_span(reason));
        }
        let lines: Vec<String> = with_parents(&content.tags, chosen)
            .into_iter()
            .filter_map(|(depth, at)| line(input, &content.tags, at, depth))
            .collect();
        if lines.is_empty() {
            continue;
        }
        // The fence must be longer than any run of backticks inside.
        let longest = lines
            .iter()
            .flat_map(|l| l.split(|c| c != '`'))
            .map(str::len)
            .max()
            .unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        let language = content.language.map_or("", |l| l.name());
        let _ = write!(out, "\n{fence}{language}\n{}\n{fence}\n", lines.join("\n"));
    }
    out
}

/// Renders a definition as an object of a JSON map.
fn value(input: &RenderInput<'_>, tags: &Tags, definition: &Definition) -> Value {
    let mut out = Object::new();
    out.insert("name".into(), json!(definition.name));
    out.insert("kind".into(), json!(definition.kind));
    out.insert("signature".into(), json!(definition.signature));
    if let Some(parent) = tags.parent(definition) {
        out.insert("parent".into(), json!(parent));
    }
    if let Some(doc) = &definition.doc {
        out.insert("doc".into(), json!(doc));
    }
    if input.settings.lines {
        out.insert("line".into(), json!(definition.line));
    }
    if input.settings.marks {
        out.insert("marks".into(), json!(definition.marks.names()));
    }
    Value::Object(out)
}

fn as_json(input: &RenderInput<'_>, files: &[(usize, Chosen)], definitions: usize) -> String {
    let listed: Vec<Value> = files
        .iter()
        .filter_map(|(file, chosen)| {
            let content = input.snapshot.files.get(*file)?;
            let mut out = Object::new();
            out.insert("path".into(), json!(content.path));
            if let Some(language) = content.language {
                out.insert("language".into(), json!(language));
            }
            if let Some(doc) = &content.tags.doc {
                out.insert("doc".into(), json!(doc));
            }
            if let Some(reason) = input.reasons.get(file) {
                out.insert("reason".into(), json!(reason));
            }
            if input.settings.marks {
                out.insert("marks".into(), json!(content.tags.marks.names()));
            }
            let of = |at: &u32| {
                Some(value(
                    input,
                    &content.tags,
                    content.tags.definitions.get(*at as usize)?,
                ))
            };
            out.insert("definitions".into(), chosen.iter().filter_map(of).collect());
            Some(Value::Object(out))
        })
        .collect();
    let (all, of_files) = input.total;
    let whole = json!({
        "kind": "repomap",
        "version": VERSION,
        "settings": input.settings,
        "definitions": { "shown": definitions, "all": all },
        "files": { "shown": files.len(), "all": of_files },
        "leftOut": input.snapshot.left_out,
        "notWhollyParsed": input.snapshot.files.iter().filter(|f| f.tags.has_errors).count(),
        "map": listed,
    });
    let text = serde_json::to_string_pretty(&whole).unwrap_or_default();
    let mut text = harmless(&text);
    text.push('\n');
    text
}
