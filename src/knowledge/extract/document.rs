//! Extracts documents: one observation per section, with the headings above it.
//!
//! Each format says where its headings are. Plain text has none.

use super::markdown::Heading;
use super::{Extracted, asciidoc, html, markdown, notebook, restructured};
use crate::knowledge::source_config::SourceFile;
use knowledge_index::{Kind, Observation, summarise};
use std::borrow::Cow;

/// The format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// Also MDX. Its components are text.
    Markdown,
    /// reStructuredText.
    Restructured,
    AsciiDoc,
    Html,
    /// Jupyter notebook.
    Notebook,
    Text,
}

/// The endings of file names that are read as documents, with their formats.
const ENDINGS: [(&str, Format); 11] = [
    (".md", Format::Markdown),
    (".markdown", Format::Markdown),
    (".mdx", Format::Markdown),
    (".rst", Format::Restructured),
    (".adoc", Format::AsciiDoc),
    (".asciidoc", Format::AsciiDoc),
    (".html", Format::Html),
    (".htm", Format::Html),
    (".xhtml", Format::Html),
    (".ipynb", Format::Notebook),
    (".txt", Format::Text),
];

fn format(name: &str) -> Option<Format> {
    let name = name.to_lowercase();
    let mut known = ENDINGS.iter();
    known.find_map(|(ending, format)| name.ends_with(ending).then_some(*format))
}

/// Returns whether a file found in a directory is a document, by its name.
pub(in crate::knowledge) fn is_document(name: &str) -> bool {
    format(name).is_some()
}

/// Extracts a document. A file without a known ending, which was configured by its name, is read as
/// Markdown.
pub(super) fn extract(file: &SourceFile, text: &str, out: &mut Extracted) {
    let format = format(&file.name).unwrap_or(Format::Markdown);
    // Sections are cut at line ends, so these have to be uniform.
    let text = if memchr::memchr(b'\r', text.as_bytes()).is_some() {
        Cow::Owned(text.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(text)
    };
    let mut outline = Outline::new(&file.name);
    match format {
        Format::Markdown => outline.sections(&text, markdown::headings(&text), None, out),
        Format::Restructured => outline.sections(&text, restructured::headings(&text), None, out),
        Format::AsciiDoc => outline.sections(&text, asciidoc::headings(&text), None, out),
        Format::Text => outline.sections(&text, Vec::new(), None, out),
        Format::Html => html::extract(&text, &mut outline, out),
        Format::Notebook => {
            if let Err(message) = notebook::extract(&text, &mut outline, out) {
                out.object(102, file, 0, message);
            }
        }
    }
}

/// The headings above a section of a document.
pub(super) struct Outline<'f> {
    file: &'f str,
    path: Vec<(usize, String)>,
}

/// A section of a document.
pub(super) struct Section {
    /// The first and last line, from 1.
    pub(super) lines: (u64, u64),
    /// The first line with text below the heading.
    pub(super) says: Option<String>,
    pub(super) detail: String,
    /// Whether the detail matches the source line by line.
    pub(super) is_verbatim: bool,
}

impl<'f> Outline<'f> {
    fn new(file: &'f str) -> Self {
        Self {
            file,
            path: Vec::new(),
        }
    }

    /// Enters the section below a heading.
    pub(super) fn enter(&mut self, level: usize, words: String) {
        self.path.retain(|(other, _)| *other < level);
        self.path.push((level, words));
    }

    /// Adds the sections between headings. `lines` are those of the source, if the text isn't the
    /// whole source as it is written.
    pub(super) fn sections(
        &mut self,
        text: &str,
        headings: Vec<Heading>,
        lines: Option<(u64, u64)>,
        out: &mut Extracted,
    ) {
        let mut line = 1;
        let mut start = 0;
        // Where the text below the heading begins.
        let mut below = 0;
        let end = Heading::at(text.len());
        for heading in headings.into_iter().chain([end]) {
            let part = text.get(start..heading.start).unwrap_or_default();
            let body = text.get(below..heading.start).unwrap_or_default();
            let newlines = memchr::memchr_iter(b'\n', part.as_bytes()).count() as u64;
            let inside = memchr::memchr_iter(b'\n', part.trim_end().as_bytes()).count() as u64;
            let mut says = body.lines().map(str::trim);
            let mut detail = part.to_owned();
            if !detail.ends_with('\n') {
                detail.push('\n');
            }
            let section = Section {
                lines: lines.unwrap_or((line, line + inside)),
                says: says.find(|line| !line.is_empty()).map(str::to_owned),
                detail,
                is_verbatim: lines.is_none(),
            };
            self.add(section, out);
            line += newlines;
            (start, below) = (heading.start, heading.end);
            if start < text.len() {
                self.enter(heading.level, heading.words);
            }
        }
    }

    /// Adds a section, unless it has no text.
    pub(super) fn add(&self, section: Section, out: &mut Extracted) {
        let Some(says) = section.says else {
            return;
        };
        let headings = self.path.iter().map(|(_, words)| words.as_str());
        let headings: Vec<&str> = headings.filter(|words| !words.is_empty()).collect();
        let summary = match headings.last() {
            Some(heading) => summarise(&format!("{heading}: {says}")),
            None => summarise(&says),
        };
        // The topic of the section may only be named in a heading further up.
        let above = headings
            .split_last()
            .map(|(_, above)| above.join(" › "))
            .unwrap_or_default();
        let refs = [self.file.to_owned()]
            .into_iter()
            .chain(Some(above).filter(|a| !a.is_empty()))
            .collect();
        out.push(
            Observation {
                kind: Kind::Document,
                task: None,
                time: None,
                lines: section.lines,
                summary,
                refs,
                detail: section.detail,
            },
            section.is_verbatim,
        );
    }
}
