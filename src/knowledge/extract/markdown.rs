//! Extracts documents: one observation per section, with the headings above it.

use super::Extracted;
use crate::knowledge::observation::{Kind, Observation, summarise};
use crate::knowledge::source_config::SourceFile;
use std::borrow::Cow;

/// Parses the level and text of a heading. The caller has to exclude fenced code.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let rest = line.get(level..)?;
    ((1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t'])))
        .then(|| (level, rest.trim().trim_end_matches('#').trim()))
}

/// Parses a code fence: three or more of the same character.
fn fence(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == sign).count();
    (length >= 3).then_some((sign, length))
}

/// Visits the lines of a document outside of code fences.
pub(super) fn each_line<'t>(text: &'t str, mut visit: impl FnMut(Line<'t>)) {
    let mut open: Option<(char, usize)> = None;
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain(Some(text.len()));
    for (number, end) in (1..).zip(ends) {
        let Some(line) = text.get(start..end).filter(|_| start < text.len()) else {
            break;
        };
        let line = if end < text.len() {
            line.strip_suffix('\r').unwrap_or(line)
        } else {
            line
        };
        match (open, fence(line)) {
            (None, Some(opens)) => open = Some(opens),
            (Some((sign, length)), Some((s, n))) if s == sign && n >= length => open = None,
            _ => {}
        }
        visit(Line {
            number,
            start,
            text: line,
            heading: if open.is_none() { heading(line) } else { None },
        });
        start = end + 1;
    }
}

/// A line of a document.
pub(super) struct Line<'t> {
    /// The line number, from 1.
    pub(super) number: u64,
    /// Byte offset of its first character.
    start: usize,
    pub(super) text: &'t str,
    /// The level and text, if the line is a heading.
    pub(super) heading: Option<(usize, &'t str)>,
}

pub(super) fn extract(file: &SourceFile, text: &str, out: &mut Extracted) {
    // Sections are cut at line ends, so these have to be uniform.
    let text = if memchr::memchr(b'\r', text.as_bytes()).is_some() {
        Cow::Owned(text.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(text)
    };
    let mut path: Vec<(usize, &str)> = Vec::new();
    let mut section = Section {
        first: 1,
        start: 0,
        says: None,
    };
    each_line(&text, |line| {
        if let Some((level, words)) = line.heading {
            section.end(file, &path, text.get(section.start..line.start), out);
            path.retain(|(l, _)| *l < level);
            path.push((level, words));
            section = Section {
                first: line.number,
                start: line.start,
                says: None,
            };
        } else if section.says.is_none() {
            section.says = Some(line.text.trim()).filter(|says| !says.is_empty());
        }
    });
    section.end(file, &path, text.get(section.start..), out);
}

struct Section<'t> {
    /// The line number of its first line.
    first: u64,
    start: usize,
    /// The first line with text below the heading.
    says: Option<&'t str>,
}

impl Section<'_> {
    fn end(
        &self,
        file: &SourceFile,
        path: &[(usize, &str)],
        text: Option<&str>,
        out: &mut Extracted,
    ) {
        let (Some(text), Some(says)) = (text, self.says) else {
            return;
        };
        let mut detail = text.to_owned();
        if !detail.ends_with('\n') {
            detail.push('\n');
        }
        let headings: Vec<&str> = path
            .iter()
            .map(|(_, words)| *words)
            .filter(|w| !w.is_empty())
            .collect();
        let summary = match headings.last() {
            Some(heading) => summarise(&format!("{heading}: {says}")),
            None => summarise(says),
        };
        // The topic of the section may only be named in a heading further up.
        let above = headings
            .split_last()
            .map(|(_, above)| above.join(" › "))
            .unwrap_or_default();
        let refs = [file.name.clone()]
            .into_iter()
            .chain(Some(above).filter(|a| !a.is_empty()))
            .collect();
        out.push(
            Observation {
                kind: Kind::Document,
                task: None,
                time: None,
                lines: (
                    self.first,
                    self.first
                        + memchr::memchr_iter(b'\n', text.trim_end().as_bytes()).count() as u64,
                ),
                summary,
                refs,
                detail,
            },
            true,
        );
    }
}
