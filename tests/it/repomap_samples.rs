//! Definitions and references of a sample in every language, compared with hand-written
//! expectations.

use repo_map::{Language, Tags, extract};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/repomap/samples")
}

/// Formats tags: definitions with all attributes, then the references of each.
fn written(tags: &Tags) -> String {
    let mut out = String::new();
    if let Some(doc) = &tags.doc {
        writeln!(out, "file | {doc}").unwrap();
    }
    for d in &tags.definitions {
        let parent = tags
            .parent(d)
            .map(|p| format!("{p} . "))
            .unwrap_or_default();
        let private = if d.private { " (private)" } else { "" };
        let marks = if d.marks.is_empty() {
            String::new()
        } else {
            format!(" [{}]", d.marks.names().join(", "))
        };
        let doc = d
            .doc
            .as_ref()
            .map(|d| format!(" | {d}"))
            .unwrap_or_default();
        writeln!(
            out,
            "{}-{} {} {parent}{}{private}{marks} | {}{doc}",
            d.line,
            d.end,
            d.kind.name(),
            d.name,
            d.signature
        )
        .unwrap();
    }
    for r in &tags.references {
        let within = r
            .within
            .map_or("", |w| tags.definitions[w as usize].name.as_str());
        writeln!(
            out,
            "{} {} {} < {within}",
            r.line,
            r.kind.name(),
            tags.name(r)
        )
        .unwrap();
    }
    if tags.has_errors {
        out.push_str("has errors\n");
    }
    out
}

#[test]
fn samples_of_all_languages() {
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "expect") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let language = Language::detect(&path.to_string_lossy(), text.as_bytes()).unwrap();
        if !language.is_available() {
            continue;
        }
        seen.insert(language);
        let found = written(&extract(language, &text).unwrap());
        let expect = path.with_file_name(format!(
            "{}.expect",
            path.file_name().unwrap().to_string_lossy()
        ));
        if std::env::var_os("UPDATE_SAMPLES").is_some() {
            std::fs::write(&expect, &found).unwrap();
        }
        let expected = std::fs::read_to_string(&expect).unwrap_or_default();
        if expected != found {
            wrong.push(format!(
                "{}:\n{}",
                path.display(),
                similar::TextDiff::from_lines(&expected, &found).unified_diff()
            ));
        }
    }
    assert_eq!(
        seen.len(),
        Language::ALL.len(),
        "a sample for every language"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
