//! Extracts rows of timelines and logs in Markdown: rows of tables and items of lists.
//!
//! A row has the time in its text, or else that of the nearest heading above with one. In a
//! timeline (`PROGRESS.md`), only rows with a time are events. In a log (`SUMMARY.md`), every item
//! is one.

use super::markdown::{Line, each_line};
use super::{Extracted, date};
use knowledge_index::{Kind, Observation, summarise};

pub(super) fn extract(text: &str, kind: Kind, out: &mut Extracted) {
    let mut above: Option<i64> = None;
    let mut task: Option<String> = None;
    let mut item: Option<Observation> = None;
    each_line(
        text,
        |Line {
             number,
             text: line,
             heading,
             ..
         }| {
            if let Some(words) = heading {
                out.observations.extend(item.take());
                above = date::first(&words).map(|(time, _)| time).or(above);
                task = Some(words).filter(|w| date::first(w).is_none() && !w.is_empty());
                return;
            }
            let Some(row) = row(line) else {
                match &mut item {
                    // An indented line belongs to the item above.
                    Some(open) if line.starts_with([' ', '\t']) && !line.trim().is_empty() => {
                        open.detail.push('\n');
                        open.detail.push_str(line.trim());
                        open.lines.1 = number;
                    }
                    _ => out.observations.extend(item.take()),
                }
                return;
            };
            out.observations.extend(item.take());
            let own = date::first(&row).map(|(time, _)| time);
            if own.is_none() && kind == Kind::Progress || row.is_empty() {
                return;
            }
            item = Some(Observation {
                kind,
                task: task.clone(),
                time: own.or(above),
                lines: (number, number),
                summary: summarise(&row),
                refs: Vec::new(),
                detail: row,
            });
        },
    );
    out.observations.extend(item.take());
    let long = std::mem::take(&mut out.observations);
    for observation in long {
        out.push(observation, true);
    }
}

/// Returns the text of a table row or list item. `None` for any other line, empty for the separator
/// of a table.
fn row(line: &str) -> Option<String> {
    let line = line.trim();
    if let Some(cells) = line.strip_prefix('|') {
        let cells: Vec<&str> = cells
            .trim_end_matches('|')
            .split('|')
            .map(str::trim)
            .collect();
        let rule = cells
            .iter()
            .all(|c| !c.is_empty() && c.chars().all(|c| matches!(c, '-' | ':' | ' ')));
        return Some(if rule {
            String::new()
        } else {
            cells.join(" | ")
        });
    }
    let bullet = ["- ", "* ", "+ "].iter().find_map(|b| line.strip_prefix(b));
    let numbered = || {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        line.get(digits..)
            .filter(|_| digits > 0 && digits < 10)
            .and_then(|r| r.strip_prefix(". ").or_else(|| r.strip_prefix(") ")))
    };
    let item = bullet.or_else(numbered)?;
    let done = ["[x] ", "[X] ", "[ ] "]
        .iter()
        .find_map(|b| item.strip_prefix(b));
    Some(done.unwrap_or(item).trim().to_owned())
}
