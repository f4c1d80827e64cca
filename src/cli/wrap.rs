//! Fits lines to a terminal: prose is wrapped at spaces, excerpts are cut around their carets.

use anstream::adapter::strip_str;
use std::io::{self, IsTerminal as _, Write};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Minimum number of columns for wrapping.
const LEAST: usize = 40;
/// Indentation of continuation lines.
const INDENT: usize = 4;

/// Returns the width of standard output; `None` unless it is a terminal.
pub(super) fn columns() -> Option<usize> {
    let terminal = Some(io::stdout()).filter(|stdout| stdout.is_terminal());
    wide_enough(terminal.and_then(terminal_size::terminal_size_of))
}

/// Returns the width of standard error; `None` unless it is a terminal.
pub(super) fn error_columns() -> Option<usize> {
    let terminal = Some(io::stderr()).filter(|stderr| stderr.is_terminal());
    wide_enough(terminal.and_then(terminal_size::terminal_size_of))
}

fn wide_enough(size: Option<(terminal_size::Width, terminal_size::Height)>) -> Option<usize> {
    size.map(|(width, _)| usize::from(width.0))
        .filter(|width| *width >= LEAST)
}

/// Fits lines to a number of columns.
#[derive(Debug)]
pub(super) struct Wrap {
    columns: usize,
    /// An excerpt that is too wide, kept until the line with its carets is known.
    excerpt: Option<String>,
}

impl Wrap {
    pub(super) fn new(columns: usize) -> Self {
        Self {
            columns,
            excerpt: None,
        }
    }

    /// Writes a line.
    pub(super) fn line(&mut self, line: &str, out: &mut dyn Write) -> io::Result<()> {
        let plain = strip_str(line.trim_end_matches('\n')).to_string();
        let frame = frame(&plain);
        if let Some(excerpt) = self.excerpt.take() {
            let (excerpt, line) = cut(&excerpt, Some(line), self.columns);
            out.write_all(excerpt.as_bytes())?;
            if let Some(line) = line {
                return out.write_all(line.as_bytes());
            }
        }
        // Records are shown to be copied, so they aren't wrapped.
        if plain.width() <= self.columns || plain.trim_start().starts_with('{') {
            return out.write_all(line.as_bytes());
        }
        if frame.is_some() {
            self.excerpt = Some(line.to_owned());
            return Ok(());
        }
        out.write_all(wrapped(line, self.columns).as_bytes())
    }

    /// Writes the pending excerpt.
    pub(super) fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.excerpt.take() {
            Some(excerpt) => out.write_all(cut(&excerpt, None, self.columns).0.as_bytes()),
            None => Ok(()),
        }
    }
}

/// Wraps a line of prose if it is too wide.
pub(super) fn fit(line: &str, columns: usize) -> String {
    if strip_str(line.trim_end_matches('\n')).to_string().width() <= columns {
        line.to_owned()
    } else {
        wrapped(line, columns)
    }
}

/// Splits a line into unbreakable parts, each with whether a space precedes it. Chinese text may
/// also be broken after punctuation, but not between a number and its unit.
pub(super) fn parts(line: &str) -> Vec<(bool, String)> {
    let is_wide = |c: char| c.width() == Some(2);
    let mut parts: Vec<(bool, String)> = Vec::new();
    for (n, word) in line.split(' ').enumerate() {
        let counts = parts
            .last()
            .is_some_and(|(_, before)| before.ends_with(|c: char| c.is_ascii_digit()));
        for (m, part) in word
            .split_inclusive(['，', '。', '；', '：', '、', '）'])
            .enumerate()
        {
            let follows = n > 0 && m == 0 && counts && part.starts_with(is_wide);
            let mark = m > 0 && part.chars().count() == 1 && part.starts_with(is_wide);
            match parts.last_mut().filter(|_| follows || mark) {
                Some((_, before)) if follows => before.extend([" ", part]),
                Some((_, before)) => before.push_str(part),
                None => parts.push((n > 0 && m == 0, part.to_owned())),
            }
        }
        if word.is_empty() {
            parts.push((n > 0, String::new()));
        }
    }
    parts
}

/// Wraps a line. A word that is too long isn't broken, so that it can be copied.
fn wrapped(line: &str, columns: usize) -> String {
    let plain = strip_str(line).to_string();
    let leading = plain.len() - plain.trim_start_matches(' ').len();
    let indent = (leading + INDENT).min(columns / 2);
    let mut out = String::with_capacity(line.len() + 16);
    let mut column = 0;
    for (n, (spaced, word)) in parts(line).into_iter().enumerate() {
        let shown = strip_str(word.trim_end_matches('\n')).to_string();
        let width = shown.width();
        let gap = usize::from(spaced);
        // No line may begin like a workflow command of a CI runner.
        let may_begin = !shown.is_empty() && !shown.starts_with("::") && !shown.starts_with("##");
        if n > 0 && may_begin && column > indent && column + gap + width > columns {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if spaced {
            out.push(' ');
            column += 1;
        }
        out.push_str(&word);
        column += width;
    }
    out
}

/// Returns where the text of an excerpt begins, after `12 | `.
fn frame(plain: &str) -> Option<usize> {
    let behind = plain.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
    let margin = plain.len() - behind.len();
    (margin > 1 && behind.starts_with("| ")).then_some(margin + 2)
}

/// Cuts an excerpt and its carets to the width around the carets. A following line without carets
/// is returned unchanged.
fn cut(excerpt: &str, carets: Option<&str>, columns: usize) -> (String, Option<String>) {
    let plain = strip_str(excerpt.trim_end_matches('\n')).to_string();
    let below = carets.map(|line| strip_str(line.trim_end_matches('\n')).to_string());
    let behind = |plain: &str| Some(plain.get(frame(plain)?..)?.to_owned());
    let marks = below.as_deref().and_then(behind).filter(|marks| {
        marks.ends_with('^') && marks.trim_start_matches(' ').trim_matches('^').is_empty()
    });
    let Some(text) = behind(&plain) else {
        return (excerpt.to_owned(), None);
    };
    let room = columns.saturating_sub(plain.width() - text.width()).max(3);
    let (start, length) = marks.as_deref().map_or((0, 0), |marks| {
        let length = marks.trim_start_matches(' ').len();
        (marks.len() - length, length.min(room - 2))
    });
    let total = text.width();
    // The window starts so that the carets and a quarter of context after them fit.
    let from = (start + length + room / 4)
        .min(total)
        .saturating_sub(room)
        .min(start.saturating_sub(1));
    let to = (from + room).min(total);
    let text_shown = window(&text, from, to, total);
    let excerpt = excerpt.replacen(&text, &text_shown, 1);
    let carets = marks.zip(carets).map(|(marks, line)| {
        let shown = format!("{}{}", " ".repeat(start - from), "^".repeat(length));
        line.replacen(&marks, &shown, 1)
    });
    (excerpt, carets)
}

/// Returns the columns `from..to` of a text, with a mark where it is cut.
fn window(text: &str, from: usize, to: usize, total: usize) -> String {
    let (first, last) = (
        from + usize::from(from > 0),
        to - usize::from(to < total && to > from),
    );
    let mut out = String::new();
    if from > 0 {
        out.push('…');
    }
    let mut column = 0;
    for c in text.chars() {
        let end = column + c.width().unwrap_or(0);
        if column >= first && end <= last {
            out.push(c);
        } else if column < first && end > first {
            // Half of a wide character.
            out.push(' ');
        }
        column = end;
    }
    if to < total {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fitted(text: &str, columns: usize) -> String {
        let (mut wrap, mut out) = (Wrap::new(columns), Vec::new());
        for line in text.split_inclusive('\n') {
            wrap.line(line, &mut out).unwrap();
        }
        wrap.end(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn prose_is_wrapped_at_spaces() {
        assert_eq!(fitted("one two three\n", 40), "one two three\n");
        assert_eq!(
            fitted("\x1b[1mone two\x1b[0m three four five\n", 16),
            "\x1b[1mone two\x1b[0m three\n    four five\n"
        );
        assert_eq!(
            fitted("  = help: 中文 中文 中文 中文\n", 20),
            "  = help: 中文 中文\n      中文 中文\n"
        );
        assert_eq!(
            fitted("共检查 1 个文件，22 条记录，（3 轮）。\n", 25),
            "共检查 1 个文件，\n    22 条记录，（3 轮）。\n"
        );
        let long = format!("a {}\n", "x".repeat(50));
        assert_eq!(fitted(&long, 40), long, "a word stays whole");
        let record = format!("  {{\"a\": \"{}\"}}\n", "b ".repeat(40));
        assert_eq!(fitted(&record, 40), record);
        assert!(!fitted("0123456789 ::error::x\n", 12).contains("\n    ::"));
        assert!(fitted("0123456789 ::error::x\n", 12).starts_with("0123456789 ::error"));
    }

    #[test]
    fn an_excerpt_is_cut_around_its_carets() {
        let excerpt = format!("12 | {}中文{}\n", "a".repeat(40), "b".repeat(40));
        let carets = format!("   | \x1b[1m{}^^^^\x1b[0m\n", " ".repeat(40));
        assert_eq!(
            fitted(&format!("{excerpt}{carets}"), 40),
            "12 | …aaaaaaaaaaaaaaaaaaaaaa中文bbbbbbb…\n   | \x1b[1m                       ^^^^\x1b[0m\n"
        );
        let far = format!("1 | {}\n  | ^{}\n", "a".repeat(90), "^".repeat(80));
        let shown = fitted(&far, 40);
        assert!(shown.lines().all(|line| line.width() <= 40), "{shown}");
        assert!(shown.starts_with("1 | aaa") && shown.contains("…\n  | ^^^"));
        let alone = format!("1 | {}\nnext\n", "a b ".repeat(20));
        assert!(fitted(&alone, 40).ends_with("…\nnext\n"));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_carets_stay_under_their_text(
            before in "[a-z中 ]{0,90}", marked in "[A-Z文]{1,9}", after in "[a-z中 ]{0,90}",
            columns in 40_usize..120,
        ) {
            let line = format!("{before}{marked}{after}");
            let unbroken = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(unbroken(&fitted(&line, columns)), unbroken(&line));
            let marks = format!("{}{}", " ".repeat(before.width()), "^".repeat(marked.width()));
            let shown = fitted(&format!("7 | {line}\n  | {marks}\n"), columns);
            let (excerpt, carets) = shown.split_once('\n').unwrap();
            prop_assert!(excerpt.width() <= columns && carets.trim_end().width() <= columns);
            let at = carets.find('^').unwrap();
            let shown_before: String = excerpt.split(marked.as_str()).next().unwrap().into();
            prop_assert_eq!(shown_before.width(), at);
        }
    }
}
