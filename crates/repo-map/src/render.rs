//! Renders maps as text, Markdown and JSON.
//!
//! Names, signatures and comments are untrusted text. In every format they are escaped and on one
//! line, and in Markdown inside code. Every definition has a line of its own, and no line holds a
//! number that changes with other lines, so that maps can be merged.

use super::annotations::Marks;
use super::entries::RenderInput;
use super::header;
use super::json::{JsonDefinition, JsonFile, KIND};
use super::outline::{Slot, slots};
use super::settings::{Format, Settings, VERSION};
use super::snapshot::File;
use super::tags::Definition;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use text_safety::escape::json::harmless;
use text_safety::escape::markdown::code as code_span;
use text_safety::escape::{line_start, terminal};

/// The text between a path or a signature and its documentation.
pub(super) const DASH: &str = " — ";

/// A file in a map with its chosen definitions in source order.
pub(super) type Section = (usize, BTreeSet<u32>);

/// Returns the files of the first `entries` entries, in the order of the map.
pub(super) fn sections(input: &RenderInput<'_>, entries: usize) -> Vec<Section> {
    let mut files: BTreeMap<usize, Section> = BTreeMap::new();
    for entry in input.entries.iter().take(entries) {
        let position = input.order.get(entry.file).copied().unwrap_or(usize::MAX);
        let (_, chosen) = files
            .entry(position)
            .or_insert_with(|| (entry.file, BTreeSet::new()));
        chosen.extend(entry.definition);
    }
    files.into_values().collect()
}

/// Renders the map of the first `entries` entries.
pub(super) fn write(input: &RenderInput<'_>, entries: usize) -> String {
    let files = sections(input, entries);
    let shown = files.iter().map(|(_, chosen)| chosen.len()).sum();
    match input.settings.format {
        Format::Text => text(input, &files, shown),
        Format::Markdown => markdown(input, &files, shown),
        Format::Json => as_json(input, &files, shown),
    }
}

/// Returns the lines about what the map leaves out.
fn omissions(input: &RenderInput<'_>, files: usize, definitions: usize) -> Vec<String> {
    let (all, of_files) = input.total;
    let lower = (all > definitions, of_files > files);
    header::omissions(input.snapshot, &input.not_parsed, lower)
}

/// Returns the chosen definitions of a file and those that contain them, with their places.
pub(super) fn with_parents(file: &File, chosen: &BTreeSet<u32>) -> Vec<(u32, Slot)> {
    let places = slots(file);
    let mut all: BTreeMap<u32, Slot> = BTreeMap::new();
    for at in chosen {
        let mut around = Some(*at);
        while let Some(here) = around {
            let Some(slot) = places.get(here as usize).copied().flatten() else {
                break;
            };
            if all.insert(here, slot).is_some() {
                break;
            }
            around = slot.parent;
        }
    }
    all.into_iter().collect()
}

/// Formats the marks of a definition.
fn column(marks: Marks) -> String {
    if marks.is_empty() {
        String::new()
    } else {
        format!(" [{}]", marks.names().join(", "))
    }
}

/// Renders a path so that no text behind it can be taken for a part of it, and so that it can't be
/// taken for a definition.
fn heading_path(path: &str) -> String {
    let safe = line_start(path).replace(DASH, " \\u{2014} ");
    match safe.strip_prefix(' ') {
        Some(rest) => format!("\\u{{0020}}{rest}"),
        None => safe,
    }
}

/// Renders a path as a map of a format writes it.
pub(super) fn written_path(format: Format, path: &str) -> String {
    match format {
        Format::Text => heading_path(path),
        Format::Markdown => code_span(path),
        Format::Json => path.to_owned(),
    }
}

/// Renders the line of a file: in text with its documentation.
pub(super) fn heading(settings: &Settings, file: &File) -> String {
    let marks = if settings.marks {
        column(file.tags.marks)
    } else {
        String::new()
    };
    match settings.format {
        Format::Markdown => format!("## {}{marks}", code_span(&file.path)),
        Format::Text | Format::Json => {
            let path = heading_path(&file.path);
            match &file.tags.doc {
                Some(doc) => format!("{path}{DASH}{}{marks}", terminal(doc)),
                None => format!("{path}{marks}"),
            }
        }
    }
}

/// Renders the documentation of a file in Markdown.
pub(super) fn file_doc(file: &File) -> Option<String> {
    file.tags.doc.as_deref().map(code_span)
}

/// Renders the reason for the rank of a file.
pub(super) fn reason_line(settings: &Settings, reason: &str) -> String {
    match settings.format {
        Format::Markdown => code_span(reason),
        Format::Text => format!("  ({})", terminal(reason)),
        Format::Json => reason.to_owned(),
    }
}

/// Renders one definition as one line, or as one object on a line.
pub(super) fn definition_line(
    settings: &Settings,
    file: &File,
    definition: &Definition,
    depth: usize,
) -> String {
    let levels = match settings.format {
        Format::Text => depth + 1,
        Format::Markdown => depth,
        Format::Json => return JsonDefinition::new(settings, file, definition).line(),
    };
    let mut out = "  ".repeat(levels);
    if settings.lines {
        let _ = write!(out, "{}: ", definition.line);
    }
    out.push_str(&definition.signature);
    if let Some(doc) = &definition.doc {
        let _ = write!(out, "{DASH}{doc}");
    }
    if settings.marks {
        out.push_str(&column(definition.marks));
    }
    // Some CI runners interpret a line that starts with `::` as a command, and a signature may
    // start so.
    line_start(&out)
}

/// Renders the lines of the chosen definitions of a file and of their parents.
fn lines(settings: &Settings, file: &File, chosen: &BTreeSet<u32>) -> Vec<String> {
    with_parents(file, chosen)
        .into_iter()
        .filter_map(|(at, slot)| {
            let definition = file.tags.definitions.get(at as usize)?;
            Some(definition_line(settings, file, definition, slot.depth))
        })
        .collect()
}

fn text(input: &RenderInput<'_>, files: &[Section], definitions: usize) -> String {
    let mut out = format!("# {}\n", header::title(input.settings));
    for line in omissions(input, files.len(), definitions) {
        let _ = writeln!(out, "# {line}");
    }
    let _ = writeln!(out, "# {}", input.settings.line());
    for (file, chosen) in files {
        let Some(content) = input.snapshot.files.get(*file) else {
            continue;
        };
        let _ = write!(out, "\n{}\n", heading(input.settings, content));
        if let Some(reason) = input.reasons.get(file) {
            let _ = writeln!(out, "{}", reason_line(input.settings, reason));
        }
        for line in lines(input.settings, content, chosen) {
            let _ = writeln!(out, "{line}");
        }
    }
    out
}

fn markdown(input: &RenderInput<'_>, files: &[Section], definitions: usize) -> String {
    let mut out = format!(
        "<!-- {} -->\n\n{}.\n",
        input.settings.line(),
        header::title(input.settings)
    );
    for line in omissions(input, files.len(), definitions) {
        let _ = write!(out, "\n{line}.\n");
    }
    for (file, chosen) in files {
        let Some(content) = input.snapshot.files.get(*file) else {
            continue;
        };
        let _ = write!(out, "\n{}\n", heading(input.settings, content));
        if let Some(doc) = file_doc(content) {
            let _ = write!(out, "\n{doc}\n");
        }
        if let Some(reason) = input.reasons.get(file) {
            let _ = write!(out, "\n{}\n", reason_line(input.settings, reason));
        }
        let lines = lines(input.settings, content, chosen);
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

/// Renders a JSON map: every member, file and definition on a line of its own.
fn as_json(input: &RenderInput<'_>, files: &[Section], definitions: usize) -> String {
    let (all, of_files) = input.total;
    let broken = input.snapshot.files.iter().filter(|f| f.tags.has_errors);
    let members = [
        ("kind", json!(KIND)),
        ("version", json!(VERSION)),
        ("settings", json!(input.settings)),
        ("definitions", json!({ "shown": definitions, "all": all })),
        ("files", json!({ "shown": files.len(), "all": of_files })),
        ("leftOut", json!(input.snapshot.left_out)),
        ("notParsed", json!(input.not_parsed)),
        ("notWhollyParsed", json!(broken.count())),
    ];
    let mut out = "{\n".to_owned();
    for (name, value) in members {
        let _ = writeln!(out, "  \"{name}\": {},", harmless(&value.to_string()));
    }
    out.push_str("  \"map\": [");
    let mut is_first = true;
    for (at, chosen) in files {
        let Some(file) = input.snapshot.files.get(*at) else {
            continue;
        };
        let head = JsonFile::new(input.settings, file, input.reasons.get(at)).line();
        let lines: Vec<String> = chosen
            .iter()
            .filter_map(|d| file.tags.definitions.get(*d as usize))
            .map(|d| format!("\n      {}", definition_line(input.settings, file, d, 0)))
            .collect();
        let end = if lines.is_empty() { "" } else { "\n    " };
        let _ = write!(
            out,
            "{}\n    {}{}{end}]}}",
            if is_first { "" } else { "," },
            head.strip_suffix("]}").unwrap_or(&head),
            lines.join(","),
        );
        is_first = false;
    }
    out.push_str(if is_first { "]\n}\n" } else { "\n  ]\n}\n" });
    out
}
