//! A page as Markdown for a code forge.

use super::{Kind, Page, Part, Tone};
use crate::report::Lang;
use std::io::{self, Write};
use text_safety::escape::markdown::{cell, fenced, message};

pub(super) fn write(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let (lang, mut in_list) = (page.lang, false);
    // A chart repeats the table before it.
    for (n, part) in page
        .parts
        .iter()
        .filter(|part| !matches!(part, Part::Chart(_)))
        .enumerate()
    {
        let row = matches!(part, Part::Row(..));
        if n > 0 && !(row && in_list) {
            writeln!(out)?;
        }
        in_list = row;
        match part {
            Part::Heading(level, text, _) => {
                writeln!(
                    out,
                    "{} {}",
                    "#".repeat(usize::from(*level).clamp(1, 6)),
                    one_line(text, lang)
                )?;
            }
            Part::Row(name, value, tone) => {
                let (open, close) = if *tone == Tone::Bad {
                    ("**", "** ❌")
                } else {
                    ("**", "**")
                };
                writeln!(out, "- {open}{name}{close} {}", one_line(value, lang))?;
            }
            Part::Block {
                kind,
                text,
                missing,
            } => {
                write!(
                    out,
                    "{}",
                    fenced(text, if *kind == Kind::Diff { "diff" } else { "text" })
                )?;
                if let Some(missing) = missing {
                    writeln!(out, "\n… {missing}")?;
                }
            }
            Part::Table(caption, head, rows) => {
                writeln!(out, "{}\n", one_line(caption, lang))?;
                writeln!(out, "| {} |", head.join(" | "))?;
                writeln!(out, "|{}", " --- |".repeat(head.len()))?;
                for row in rows {
                    let cells: Vec<String> = row.iter().map(|c| cell(c)).collect();
                    writeln!(out, "| {} |", cells.join(" | "))?;
                }
            }
            Part::Chart(_) => {}
            Part::Say(text, _) => writeln!(out, "{}", one_line(text, lang))?,
        }
    }
    Ok(())
}

/// Formats a text as one line that is never empty, because Markdown reads an empty list item or
/// heading differently. The line begins no list, rule or heading.
fn one_line(text: &str, lang: Lang) -> String {
    if text.trim().is_empty() {
        return lang.say("(nothing)").into();
    }
    let line = message(text.trim());
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let marks =
        line.starts_with(['-', '=']) || number.len() < line.len() && number.starts_with(['.', ')']);
    let mut rest = line.chars();
    match rest.next().filter(|_| marks) {
        Some(first) => format!("&#{};{}", u32::from(first), rest.as_str()),
        None => line,
    }
}
