//! The page of a comparison for people.

use super::{At, Comparison, Difference, Document, Sameness, Side};
use crate::report::page::{Page, Tone};
use crate::trajectory::words::plural;

/// Maximum number of differences shown for a pair; the rest is counted.
const TOLD: usize = 200;
/// Maximum number of unpaired executions to name.
const NAMED: usize = 50;

/// Builds the page of a comparison.
#[must_use]
pub fn page(document: &Document) -> Page {
    let title = match document.pairs.as_slice() {
        [one] => format!("Comparison of {}", title(one)),
        all => format!("Comparison of {}", plural(all.len() as u64, "execution")),
    };
    let mut page = Page::new(title.clone());
    page.heading(1, title, Tone::Plain);
    if document.unread > 0 {
        let text = format!(
            "{} can't be read, and may hold anything",
            plural(document.unread as u64, "record or input")
        );
        page.toned("unread", text, Tone::Bad);
    }
    verdict(document.same, &mut page);
    for pair in &document.pairs {
        write_pair(pair, &mut page);
    }
    for (name, sides) in [
        ("Only in the base", &document.only_in_base),
        ("Only in the new ones", &document.only_in_new),
    ] {
        if !sides.is_empty() {
            page.heading(
                2,
                format!("{name}: {}", plural(sides.len() as u64, "execution")),
                Tone::Warning,
            );
            sides
                .iter()
                .take(NAMED)
                .for_each(|side| page.row("execution", named(side)));
            if sides.len() > NAMED {
                page.row("and", format!("{} more", sides.len() - NAMED));
            }
        }
    }
    page
}

fn named(side: &Side) -> String {
    format!("{} ({}:{})", side.execution_id, side.file, side.line)
}

fn verdict(same: Sameness, page: &mut Page) {
    let word = |yes: bool| if yes { "yes" } else { "no" };
    let text = format!(
        "same path: {}; same decisions: {}; same outcome: {}",
        word(same.path),
        word(same.decisions),
        word(same.outcome)
    );
    page.toned(
        "verdict",
        text,
        if same == Sameness::ALL {
            Tone::Good
        } else {
            Tone::Bad
        },
    );
}

fn place(difference: &Difference) -> String {
    let turn = |at: At| {
        at.turn
            .map_or(format!("line {}", at.line), |t| format!("turn {t}"))
    };
    match (difference.base_at, difference.new_at) {
        (Some(a), Some(b)) if a.turn.is_none() && b.turn.is_none() => String::new(),
        (Some(a), Some(b)) if a.turn == b.turn => format!("{}: ", turn(a)),
        (Some(a), Some(b)) => format!("{} and now {}: ", turn(a), turn(b)),
        (Some(a), None) => format!("{}, now gone: ", turn(a)),
        (None, Some(b)) => format!("{}, new: ", turn(b)),
        (None, None) => String::new(),
    }
}

fn title(pair: &Comparison) -> String {
    if pair.base.execution_id == pair.new.execution_id {
        pair.base.execution_id.clone()
    } else {
        format!(
            "{} and now {}",
            pair.base.execution_id, pair.new.execution_id
        )
    }
}

fn write_pair(pair: &Comparison, page: &mut Page) {
    page.heading(2, title(pair), Tone::Plain);
    page.row("base", named(&pair.base));
    page.row("new", named(&pair.new));
    if pair.differences.is_empty() {
        page.toned("differs", "nothing", Tone::Good);
    }
    for difference in pair.differences.iter().take(TOLD) {
        let at = place(difference);
        let text = match (&difference.base, &difference.new) {
            (Some(a), Some(b)) => format!("{at}{a} → {b}"),
            (Some(a), None) if difference.new_at.is_none() => format!("{at}{a}"),
            (None, Some(b)) if difference.base_at.is_none() => format!("{at}{b}"),
            (a, b) => {
                let said = |side: &Option<String>| {
                    side.clone().unwrap_or_else(|| "not recorded".to_owned())
                };
                format!("{at}{} → {}", said(a), said(b))
            }
        };
        page.toned(difference.aspect.name(), text, Tone::Warning);
    }
    if pair.differences.len() > TOLD {
        page.row(
            "and",
            format!(
                "{} more",
                plural((pair.differences.len() - TOLD) as u64, "difference")
            ),
        );
    }
    if !pair.aligned_by_actions {
        page.toned(
            "note",
            "too long to be aligned by actions: what lies between equal ends was paired by its position",
            Tone::Warning,
        );
    }
    if pair.left_out > 0 {
        page.toned(
            "note",
            format!(
                "{} beyond the limit: not compared",
                plural(pair.left_out, "turn")
            ),
            Tone::Warning,
        );
    }
    verdict(pair.same, page);
}
