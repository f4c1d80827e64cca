//! Headings of Markdown.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A heading of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heading {
    /// Byte offset of its first line.
    pub(super) start: usize,
    /// Byte offset of the line after it.
    pub(super) end: usize,
    /// 1 is the highest level.
    pub(super) level: usize,
    pub(super) words: String,
}

impl Heading {
    /// Returns a heading without words, as the end of a document.
    pub(super) fn at(start: usize) -> Self {
        Self {
            start,
            end: start,
            level: 1,
            words: String::new(),
        }
    }
}

/// Returns the headings outside of quotations and lists.
pub(super) fn headings(text: &str) -> Vec<Heading> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut all = Vec::new();
    let mut open: Option<Heading> = None;
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                let line = text.get(..range.start).and_then(|t| t.rfind('\n'));
                open = Some(Heading {
                    // A heading may be indented.
                    start: line.map_or(0, |at| at + 1),
                    end: range.end,
                    level: level as usize,
                    words: String::new(),
                });
            }
            Event::End(TagEnd::Heading(_)) => all.extend(open.take()),
            Event::Start(Tag::BlockQuote(_) | Tag::Item) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::Item) => depth = depth.saturating_sub(1),
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut open {
                    heading.words.push_str(&part);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut open {
                    heading.words.push(' ');
                }
            }
            _ => {}
        }
    }
    for heading in &mut all {
        heading.words = heading.words.trim().to_owned();
    }
    all
}

/// Visits the lines of a document.
pub(super) fn each_line<'t>(text: &'t str, mut visit: impl FnMut(Line<'t>)) {
    let headings = headings(text);
    let mut next = headings.iter().peekable();
    let mut start = 0;
    let mut heading_end = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let heading = next.next_if(|heading| heading.start <= start);
        heading_end = heading.map_or(heading_end, |heading| heading.end);
        if heading.is_some() || start >= heading_end {
            let text = line.strip_suffix('\n').unwrap_or(line);
            visit(Line {
                number,
                text: text.strip_suffix('\r').unwrap_or(text),
                heading: heading.map(|heading| heading.words.clone()),
            });
        }
        start += line.len();
    }
}

/// A line of a document.
pub(super) struct Line<'t> {
    /// The line number, from 1.
    pub(super) number: u64,
    pub(super) text: &'t str,
    /// The words, if the line is the first one of a heading.
    pub(super) heading: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_both_kinds_are_found() {
        let text = "---\ntitle: x\n---\n# One `f` [link](u)\ntext\n\nTwo\nlines\n---\n```\n# no\n```\n   ### Three ###\n\n    # code\n> # quoted\n\n- # listed\n";
        let found: Vec<_> = headings(text)
            .into_iter()
            .map(|h| {
                (
                    h.level,
                    h.words,
                    text.get(h.start..h.end).unwrap().to_owned(),
                )
            })
            .collect();
        let expected = [
            (1, "One f link", "# One `f` [link](u)\n"),
            (2, "Two lines", "Two\nlines\n---\n"),
            (3, "Three", "   ### Three ###\n"),
        ];
        assert_eq!(
            found,
            expected.map(|(level, words, whole)| (level, words.to_owned(), whole.to_owned()))
        );
    }

    #[test]
    fn lines_below_the_words_of_a_heading_are_not_visited() {
        let mut seen = Vec::new();
        each_line("a\n\nOne\n===\n- b\r\n", |line| {
            seen.push((line.number, line.text.to_owned(), line.heading));
        });
        let expected = [
            (1, "a".to_owned(), None),
            (2, String::new(), None),
            (3, "One".to_owned(), Some("One".to_owned())),
            (5, "- b".to_owned(), None),
        ];
        assert_eq!(seen, expected);
    }
}
