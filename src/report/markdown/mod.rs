//! Markdown for people on a code forge: a job summary or a comment. The verdict comes first, in one
//! line.
//!
//! Both have a limit, and whole sections are left out to keep it, the least telling first; the
//! report says so and counts what is missing.

mod sections;

use super::Run;
use std::io::{self, Write};

/// Stands at the head of a comment: a later run finds its own comment by it and replaces it.
pub const MARKER: &str = "<!-- yuangs-verify -->";

/// Where the Markdown goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flavour {
    /// Bytes that it may have. Characters are what GitHub counts in a comment, and there are never
    /// more of them.
    limit: usize,
    /// Begins with [`MARKER`].
    marked: bool,
    /// Findings that a rule's section lists.
    per_rule: usize,
    /// Executions that the table lists.
    executions: usize,
}

/// A job summary: 1 MiB a step.
pub(super) const SUMMARY: Flavour = Flavour {
    limit: 1 << 20,
    marked: false,
    per_rule: 50,
    executions: 500,
};

/// A comment on a pull request: 65,536 characters.
pub(super) const COMMENT: Flavour = Flavour {
    limit: 65_536,
    marked: true,
    per_rule: 10,
    executions: 50,
};

/// Bytes kept free for the sentence that says what was cut.
const RESERVE: usize = 400;

/// Writes the report.
pub(super) fn write(run: &Run<'_>, flavour: Flavour, out: &mut dyn Write) -> io::Result<()> {
    let mut text = String::new();
    if flavour.marked {
        text.push_str(MARKER);
        text.push_str("\n\n");
    }
    text.push_str(&sections::verdict(run));
    let foot = sections::foot(run);
    let mut room = flavour
        .limit
        .saturating_sub(text.len() + foot.len() + RESERVE);
    let mut body = vec![sections::executions(run, flavour.executions)];
    body.extend(sections::rules(run, flavour.per_rule));
    let mut cut = 0u64;
    for section in body {
        if section.len() <= room {
            room -= section.len();
            text.push_str(&section);
        } else {
            cut += 1;
        }
    }
    if cut > 0 {
        let lang = run.text.lang;
        let left_out = lang.fill(
            "{0} left out to keep within {1} bytes; the command below shows everything.",
            &[&lang.plural(cut, "section"), &flavour.limit],
        );
        text.push_str(&format!("> {left_out}\n\n"));
    }
    text.push_str(&foot);
    out.write_all(text.as_bytes())
}
