//! A page for a terminal.

use super::{Kind, Page, Part, Tone};
use crate::report::terminal;
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Width of a page in columns. It is fixed, so that the same trace gives the same bytes everywhere.
pub(super) const WIDTH: usize = 100;
/// Number of columns before the name of a row, and before its value.
const INDENT: usize = 2;
const VALUE: usize = 14;
/// Number of columns before the further lines of a heading or a sentence.
const HANG: usize = 4;

fn style(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Good => AnsiColor::Green.on_default(),
        Tone::Warning => AnsiColor::Yellow.on_default(),
        Tone::Bad => AnsiColor::Red.on_default().bold(),
    }
}

pub(super) fn write(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let bold = Style::new().bold();
    let dim = Style::new().dimmed();
    // A chart repeats the table before it.
    for (n, part) in page
        .parts
        .iter()
        .filter(|part| !matches!(part, Part::Chart(_)))
        .enumerate()
    {
        match part {
            Part::Heading(_, text, tone) => {
                if n > 0 {
                    writeln!(out)?;
                }
                let style = if *tone == Tone::Plain {
                    bold
                } else {
                    style(*tone).bold()
                };
                hanging(text, style, out)?;
            }
            Part::Row(name, value, tone) => {
                let style = style(*tone);
                let room = VALUE - INDENT - 1;
                let pad = room.saturating_sub(name.width());
                let mut name = format!("{name}{}", " ".repeat(pad));
                for line in wrap(&harmless(value), WIDTH - VALUE) {
                    writeln!(
                        out,
                        "{:INDENT$}{dim}{name}{dim:#} {style}{line}{style:#}",
                        ""
                    )?;
                    name = " ".repeat(room);
                }
            }
            Part::Block {
                kind,
                text,
                missing,
            } => {
                for line in text.split('\n') {
                    let style = match (kind, line.as_bytes().first()) {
                        (Kind::Diff, Some(b'+')) => AnsiColor::Green.on_default(),
                        (Kind::Diff, Some(b'-')) => AnsiColor::Red.on_default(),
                        (Kind::Diff, Some(b'@')) => AnsiColor::Cyan.on_default(),
                        _ => Style::new(),
                    };
                    let line = terminal(line.strip_suffix('\r').unwrap_or(line));
                    for piece in pieces(&line, WIDTH - VALUE - 2) {
                        writeln!(out, "{:VALUE$}{dim}|{dim:#} {style}{piece}{style:#}", "")?;
                    }
                }
                if let Some(missing) = missing {
                    writeln!(out, "{:VALUE$}{dim}… {missing}{dim:#}", "")?;
                }
            }
            Part::Table(caption, head, rows) => table(caption, head, rows, out)?,
            Part::Chart(_) => {}
            Part::Say(text, tone) => {
                hanging(text, style(*tone), out)?;
            }
        }
    }
    Ok(())
}

/// Writes text with its further lines indented, so that none of them looks like a heading.
fn hanging(text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for (n, line) in wrap(&harmless(text), WIDTH - HANG).into_iter().enumerate() {
        let indent = if n == 0 { 0 } else { HANG };
        writeln!(out, "{:indent$}{style}{line}{style:#}", "")?;
    }
    Ok(())
}

/// Returns text without control characters.
fn harmless(text: &str) -> String {
    terminal(text.trim_end()).into_owned()
}

/// Maximum number of columns that [`guarded`] adds.
const GUARD: usize = 7;

/// Escapes a piece of text that may begin a line. A CI runner would run a line that begins with
/// `::` after spaces.
fn guarded(piece: String) -> String {
    if piece.trim_start().starts_with("::") {
        piece.replacen(':', "\\u{003a}", 1)
    } else {
        piece
    }
}

/// Wraps a text to lines of at most `width` columns, at spaces if possible. Returns at least one
/// line.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut column = 0;
    for word in text.split(' ').filter(|w| !w.is_empty()) {
        for (n, piece) in pieces(word, width - GUARD)
            .into_iter()
            .map(guarded)
            .enumerate()
        {
            let wide = piece.width();
            let gap = usize::from(column > 0 && n == 0);
            if column + gap + wide > width {
                lines.push(String::new());
                column = 0;
            }
            if let Some(line) = lines.last_mut() {
                if gap == 1 && column > 0 {
                    line.push(' ');
                    column += 1;
                }
                line.push_str(&piece);
                column += wide;
            }
        }
    }
    lines
}

/// Cuts a line into pieces of at most `width` columns. Returns at least one piece.
fn pieces(line: &str, width: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut column = 0;
    for c in line.chars() {
        let wide = c.width().unwrap_or(0);
        if column + wide > width {
            all.push(String::new());
            column = 0;
        }
        if let Some(piece) = all.last_mut() {
            piece.push(c);
        }
        column += wide;
    }
    all
}

fn table(
    caption: &str,
    head: &[&'static str],
    rows: &[Vec<String>],
    out: &mut dyn Write,
) -> io::Result<()> {
    const CELL: usize = 48;
    let dim = Style::new().dimmed();
    let bold = Style::new().bold();
    writeln!(out, "\n{bold}{}{bold:#}", guarded(harmless(caption)))?;
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            row.iter()
                .map(|cell| crate::report::words::clip(&guarded(harmless(cell)), CELL).into_owned())
                .collect()
        })
        .collect();
    let widths: Vec<usize> = head
        .iter()
        .enumerate()
        .map(|(n, name)| {
            rows.iter()
                .filter_map(|row| row.get(n))
                .map(|cell| cell.width())
                .chain([name.width()])
                .max()
                .unwrap_or(0)
        })
        .collect();
    let line = |cells: &mut dyn Iterator<Item = &str>, number: &dyn Fn(usize) -> bool| {
        let mut text = String::new();
        for (n, (cell, width)) in cells.zip(&widths).enumerate() {
            let pad = " ".repeat(width.saturating_sub(cell.width()));
            let (left, right) = if number(n) {
                (pad.as_str(), "")
            } else {
                ("", pad.as_str())
            };
            text.push_str(&format!("  {left}{cell}{right}"));
        }
        text.trim_end().to_owned()
    };
    let numeric = |n: usize| {
        n > 0
            && rows
                .iter()
                .filter_map(|row| row.get(n))
                .all(|c| c.starts_with(|c: char| c.is_ascii_digit()))
    };
    writeln!(
        out,
        "{dim}{}{dim:#}",
        line(&mut head.iter().copied(), &numeric)
    )?;
    for row in &rows {
        writeln!(
            out,
            "{}",
            line(&mut row.iter().map(String::as_str), &numeric)
        )?;
    }
    Ok(())
}
