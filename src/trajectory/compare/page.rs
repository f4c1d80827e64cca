//! The page of a comparison for people.

use super::{At, Comparison, Difference, Document, Sameness, Side};
use crate::report::Lang;
use crate::report::page::{Page, Tone};

/// Maximum number of differences shown for a pair; the rest is counted.
const TOLD: usize = 200;
/// Maximum number of unpaired executions to name.
const NAMED: usize = 50;

/// Builds the page of a comparison that was made in this language.
#[must_use]
pub fn page(document: &Document, lang: Lang) -> Page {
    let compared = match document.pairs.as_slice() {
        [one] => title(one, lang),
        all => lang.plural(all.len() as u64, "execution"),
    };
    let title = lang.fill("Comparison of {0}", &[&compared]);
    let mut page = Page::in_language(lang, title.clone());
    page.heading(1, title, Tone::Plain);
    if document.unread > 0 {
        let text = lang.fill(
            "{0} can't be read, and may hold anything",
            &[&lang.plural(document.unread as u64, "record or input")],
        );
        page.toned(lang.say("unread"), text, Tone::Bad);
    }
    verdict(document.same, &mut page);
    for pair in &document.pairs {
        write_pair(pair, &mut page);
    }
    for (name, sides) in [
        (lang.say("Only in the base"), &document.only_in_base),
        (lang.say("Only in the new ones"), &document.only_in_new),
    ] {
        if !sides.is_empty() {
            page.heading(
                2,
                lang.fill(
                    "{0}: {1}",
                    &[&name, &lang.plural(sides.len() as u64, "execution")],
                ),
                Tone::Warning,
            );
            sides
                .iter()
                .take(NAMED)
                .for_each(|side| page.row(lang.say("execution"), named(side)));
            if sides.len() > NAMED {
                let more = lang.plural((sides.len() - NAMED) as u64, "more execution");
                page.row(lang.say("and"), more);
            }
        }
    }
    page
}

fn named(side: &Side) -> String {
    format!("{} ({}:{})", side.execution_id, side.file, side.line)
}

fn verdict(same: Sameness, page: &mut Page) {
    let lang = page.lang;
    let word = |yes: bool| lang.say(if yes { "yes" } else { "no" });
    let text = lang.fill(
        "same path: {0}; same decisions: {1}; same outcome: {2}",
        &[&word(same.path), &word(same.decisions), &word(same.outcome)],
    );
    page.toned(
        lang.say("verdict"),
        text,
        if same == Sameness::ALL {
            Tone::Good
        } else {
            Tone::Bad
        },
    );
}

fn place(difference: &Difference, lang: Lang) -> String {
    let turn = |at: At| {
        at.turn.map_or_else(
            || lang.fill("line {0}", &[&at.line]),
            |turn| lang.fill("turn {0}", &[&turn]),
        )
    };
    match (difference.base_at, difference.new_at) {
        (Some(a), Some(b)) if a.turn.is_none() && b.turn.is_none() => String::new(),
        (Some(a), Some(b)) if a.turn == b.turn => lang.fill("{0}: ", &[&turn(a)]),
        (Some(a), Some(b)) => lang.fill("{0} and now {1}: ", &[&turn(a), &turn(b)]),
        (Some(a), None) => lang.fill("{0}, now gone: ", &[&turn(a)]),
        (None, Some(b)) => lang.fill("{0}, new: ", &[&turn(b)]),
        (None, None) => String::new(),
    }
}

fn title(pair: &Comparison, lang: Lang) -> String {
    if pair.base.execution_id == pair.new.execution_id {
        pair.base.execution_id.clone()
    } else {
        lang.fill(
            "{0} and now {1}",
            &[&pair.base.execution_id, &pair.new.execution_id],
        )
    }
}

fn write_pair(pair: &Comparison, page: &mut Page) {
    let lang = page.lang;
    page.heading(2, title(pair, lang), Tone::Plain);
    page.row(lang.say("base"), named(&pair.base));
    page.row(lang.say("new"), named(&pair.new));
    if pair.differences.is_empty() {
        page.toned(lang.say("differs"), lang.say("nothing"), Tone::Good);
    }
    for difference in pair.differences.iter().take(TOLD) {
        let at = place(difference, lang);
        let text = match (&difference.base, &difference.new) {
            (Some(a), Some(b)) => format!("{at}{a} → {b}"),
            (Some(a), None) if difference.new_at.is_none() => format!("{at}{a}"),
            (None, Some(b)) if difference.base_at.is_none() => format!("{at}{b}"),
            (a, b) => {
                let said = |side: &Option<String>| {
                    side.clone()
                        .unwrap_or_else(|| lang.say("not recorded").to_owned())
                };
                format!("{at}{} → {}", said(a), said(b))
            }
        };
        page.toned(lang.say(difference.aspect.name()), text, Tone::Warning);
    }
    if pair.differences.len() > TOLD {
        let more = (pair.differences.len() - TOLD) as u64;
        page.row(lang.say("and"), lang.plural(more, "more difference"));
    }
    if !pair.aligned_by_actions {
        page.toned(
            lang.say("note"),
            lang.say("too long to be aligned by actions: what lies between equal ends was paired by its position"),
            Tone::Warning,
        );
    }
    if pair.left_out > 0 {
        page.toned(
            lang.say("note"),
            lang.fill(
                "{0} beyond the limit: not compared",
                &[&lang.plural(pair.left_out, "turn")],
            ),
            Tone::Warning,
        );
    }
    verdict(pair.same, page);
}
