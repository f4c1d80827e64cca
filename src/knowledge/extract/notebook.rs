//! Sections of Jupyter notebooks: cells of text by their headings, and cells of code.
//!
//! Outputs are not read. Source: "The Notebook file format", nbformat 4.

use super::document::Outline;
use super::{Extracted, markdown};
use serde::Deserialize;
use strict_json::{Raw, Str};

#[derive(Debug, Deserialize)]
struct Notebook<'a> {
    #[serde(borrow)]
    cells: Vec<Raw<'a>>,
}

#[derive(Debug, Deserialize)]
struct Cell<'a> {
    #[serde(borrow)]
    cell_type: Str<'a>,
    #[serde(borrow)]
    source: Raw<'a>,
}

/// Adds the sections of a notebook. The error says why it can't be read.
pub(super) fn extract(
    text: &str,
    outline: &mut Outline<'_>,
    out: &mut Extracted,
) -> Result<(), String> {
    let notebook: Notebook<'_> = strict_json::from_text(text)
        .map_err(|error| format!("the source is no notebook of version 4: {error}"))?;
    let newlines = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
    let mut unread = 0;
    // An offset and its line.
    let (mut at, mut line) = (0, 1);
    for raw in notebook.cells {
        let begins = (raw.as_written().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        line += newlines(text.get(at..begins).unwrap_or_default());
        at = begins;
        let Some((cell, source)) = raw.read::<Cell<'_>>().and_then(|cell| {
            let source = lines(cell.source)?;
            Some((cell, source))
        }) else {
            unread += 1;
            continue;
        };
        let lines = (line, line + newlines(raw.as_written()));
        out.seen.read(&source);
        let headings = match &*cell.cell_type.decode() {
            "markdown" => markdown::headings(&source),
            _ => Vec::new(),
        };
        outline.sections(&source, headings, Some(lines), out);
    }
    match unread {
        0 => Ok(()),
        n => Err(format!("{n} cells of the notebook can't be read")),
    }
}

/// Returns the text of a cell, which is a string or a list of lines.
fn lines(source: Raw<'_>) -> Option<String> {
    if let Some(text) = source.as_str() {
        return Some(text.decode().into_owned());
    }
    let lines = source.read::<Vec<Str<'_>>>()?;
    Some(lines.iter().map(|line| line.decode()).collect())
}
