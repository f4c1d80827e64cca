//! Markdown for a code forge: a job summary or a comment. The verdict comes first, on one line.
//!
//! Both have a size limit. Sections that don't fit are left out as a whole, and the report counts
//! them.

mod sections;

use super::Run;
use std::io::{self, Write};

/// First line of a comment. A later run finds its own comment by it and replaces it.
pub const MARKER: &str = "<!-- yuangs-verify -->";

/// The destination of the Markdown, with its limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flavour {
    /// Maximum number of bytes. GitHub counts the characters of a comment, of which there are never
    /// more.
    limit: usize,
    /// Whether the text begins with [`MARKER`].
    marked: bool,
    /// Maximum number of findings in the section of a rule.
    per_rule: usize,
    /// Maximum number of executions in the table.
    executions: usize,
}

/// A job summary, limited to 1 MiB per step.
pub(super) const SUMMARY: Flavour = Flavour {
    limit: 1 << 20,
    marked: false,
    per_rule: 50,
    executions: 500,
};

/// A comment on a pull request, limited to 65,536 characters.
pub(super) const COMMENT: Flavour = Flavour {
    limit: 65_536,
    marked: true,
    per_rule: 10,
    executions: 50,
};

/// Number of bytes reserved for the sentence about omitted sections.
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
