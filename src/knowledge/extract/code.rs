//! Extracts the definitions of each source file with their texts, for searching and for the map.

use super::{Extracted, finding};
use crate::knowledge::source_config::SourceFile;
use knowledge_index::{Kind, Observation, summarise};
use repo_map::{self, LeftOut, MAX_BYTES, Tags};
use std::io::Read as _;

pub(super) fn extract(file: &SourceFile, out: &mut Extracted) {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(&file.path)
        .and_then(|f| f.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes));
    if let Err(error) = read {
        return out.findings.push(finding(
            101,
            &file.name,
            0,
            format!("the source can't be read: {error}"),
        ));
    }
    let found = match repo_map::of_file(&file.name, &bytes) {
        Ok(Some(found)) => found,
        // Not code, or not written by people: a map omits it as well.
        Ok(None)
        | Err(LeftOut::Binary | LeftOut::Generated | LeftOut::Vendored | LeftOut::NotUtf8) => {
            return;
        }
        Err(why) => {
            return out.findings.push(finding(
                101,
                &file.name,
                1,
                format!("the source isn't mapped: {}", why.name()),
            ));
        }
    };
    let Some(language) = found.language else {
        return;
    };
    // Signatures and comments are taken from the bytes, so secrets have to be found there first.
    out.seen.read(&String::from_utf8_lossy(&bytes));
    let names: Vec<&str> = found
        .tags
        .definitions
        .iter()
        .filter(|d| d.within.is_none())
        .map(|d| d.name.as_str())
        .collect();
    let about = found.tags.doc.clone().unwrap_or_else(|| names.join(", "));
    out.push(
        Observation {
            kind: Kind::Code,
            task: None,
            time: None,
            lines: (1, bytes.split(|b| *b == b'\n').count().max(1) as u64),
            summary: summarise(&format!("{}: {about}", file.name)),
            refs: vec![file.name.clone()],
            detail: skeleton(&file.name, &found.tags),
        },
        false,
    );
    bodies(
        &file.name,
        &String::from_utf8_lossy(&bytes),
        &found.tags,
        out,
    );
    if let Ok(json) = serde_json::to_string(&(language, &found.tags)) {
        out.documents.push((file.name.clone(), json));
    }
}

/// Lines below which the skeleton says enough of a definition.
const SHORT: usize = 3;

/// Adds the text of each definition that is inside no other one.
fn bodies(path: &str, text: &str, tags: &Tags, out: &mut Extracted) {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1))
        .collect();
    let mut last = 0;
    for definition in tags.definitions.iter().filter(|d| d.within.is_none()) {
        let (first, end) = (definition.line as usize, definition.end as usize);
        // Two definitions may be on the same lines, and have one text.
        if end.saturating_sub(first) + 1 < SHORT || first <= last {
            continue;
        }
        last = end;
        let begin = starts.get(first.saturating_sub(1)).copied();
        let behind = starts.get(end).copied().unwrap_or(text.len());
        let Some(body) = begin.and_then(|begin| text.get(begin..behind)) else {
            continue;
        };
        out.push(
            Observation {
                kind: Kind::Code,
                task: None,
                time: None,
                lines: (first as u64, end as u64),
                summary: summarise(&format!("{path}: {}", definition.signature)),
                refs: vec![path.to_owned(), definition.name.clone()],
                detail: body.to_owned(),
            },
            true,
        );
    }
}

/// Lists the definitions with their signatures and the first line of their documentation.
fn skeleton(path: &str, tags: &Tags) -> String {
    let mut text = format!("{path}\n");
    text.extend(tags.doc.iter().map(|doc| format!("{doc}\n")));
    for definition in &tags.definitions {
        let indent = if definition.within.is_some() {
            "  "
        } else {
            ""
        };
        text.push_str(&format!(
            "{}: {indent}{}",
            definition.line, definition.signature
        ));
        text.extend(definition.doc.iter().map(|doc| format!(" // {doc}")));
        text.push('\n');
    }
    text
}
