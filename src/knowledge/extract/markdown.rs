//! Documents: each section under its headings.

use super::Extracted;
use crate::knowledge::observation::{Kind, Observation, summarise};
use crate::knowledge::sources::SourceFile;

/// A heading: its level and its words. A `#` inside a fence is none.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let rest = line.get(level..)?;
    ((1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t'])))
        .then(|| (level, rest.trim().trim_end_matches('#').trim()))
}

/// The fence that a line opens or closes: three or more of the same sign.
fn fence(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == sign).count();
    (length >= 3).then_some((sign, length))
}

/// The lines of a document with what they are, outside fences.
pub(super) fn each_line<'t>(text: &'t str, mut visit: impl FnMut(u64, &'t str, Option<(usize, &'t str)>)) {
    let mut open: Option<(char, usize)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        match (open, fence(line)) {
            (None, Some(opens)) => open = Some(opens),
            (Some((sign, length)), Some((s, n))) if s == sign && n >= length => open = None,
            _ => {}
        }
        visit(number, line, if open.is_none() { heading(line) } else { None });
    }
}

pub(super) fn extract(file: &SourceFile, text: &str, out: &mut Extracted) {
    let mut path: Vec<(usize, &str)> = Vec::new();
    let mut section = Section::default();
    each_line(text, |number, line, heading| {
        if let Some((level, words)) = heading {
            section.end(file, &path, out);
            path.retain(|(l, _)| *l < level);
            path.push((level, words));
            section = Section { first: number, text: String::new(), says: false };
        } else if section.first == 0 {
            section.first = number;
        } else {
            section.says |= !line.trim().is_empty();
        }
        section.says |= heading.is_none() && !line.trim().is_empty();
        section.text.push_str(line);
        section.text.push('\n');
    });
    section.end(file, &path, out);
}

#[derive(Default)]
struct Section {
    first: u64,
    text: String,
    /// There is more than a heading.
    says: bool,
}

impl Section {
    fn end(&self, file: &SourceFile, path: &[(usize, &str)], out: &mut Extracted) {
        if !self.says {
            return;
        }
        let headings: Vec<&str> = path.iter().map(|(_, words)| *words).filter(|w| !w.is_empty()).collect();
        let body = self.text.lines().filter(|l| !l.trim().is_empty()).nth(usize::from(self.text.starts_with('#')));
        let summary = [headings.last().copied().unwrap_or_default(), body.unwrap_or_default()];
        let summary = summary.iter().filter(|s| !s.is_empty()).copied().collect::<Vec<_>>().join(": ");
        // What the section is about may only be said further up.
        let above = headings.split_last().map(|(_, above)| above.join(" › ")).unwrap_or_default();
        let refs = [file.name.clone()].into_iter().chain(Some(above).filter(|a| !a.is_empty())).collect();
        out.push(
            Observation {
                kind: Kind::Document,
                task: None,
                time: None,
                lines: (self.first, self.first + self.text.trim_end().lines().count().saturating_sub(1) as u64),
                summary: summarise(&summary),
                refs,
                detail: self.text.clone(),
            },
            true,
        );
    }
}
