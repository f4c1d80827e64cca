//! `explain`: presents what was attempted, who allowed it, and why it ended. It makes no findings
//! of its own.

mod command;
mod document;
mod execution;
mod turn;

pub use document::{Document, ExecutionView};

use super::graph::Graph;
use super::model::ExecutionSet;
use crate::report::Lang;
use crate::report::page::{Page, Tone};
use std::sync::LazyLock;

/// The command table that commands are analysed with.
static TABLE: LazyLock<shell_effects::Table> = LazyLock::new(shell_effects::Table::builtin);

/// The amount of detail to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detail {
    /// Maximum number of lines shown of a diff, a command or a result.
    pub lines: usize,
    /// Shows only this turn, if set.
    pub turn: Option<i64>,
}

impl Default for Detail {
    fn default() -> Self {
        Self {
            lines: 12,
            turn: None,
        }
    }
}

/// Builds the page that explains a set of executions, in a language.
#[must_use]
pub fn page(set: &ExecutionSet, graph: Option<&Graph>, detail: Detail, lang: Lang) -> Page {
    let title = match (set.executions.as_slice(), set.commands.as_slice()) {
        ([one], []) => lang.fill("Execution {0}", &[&one.execution_id]),
        ([], [one]) => lang.fill("Command {0}", &[&one.id]),
        _ => lang.say("Executions").to_owned(),
    };
    let mut page = Page::in_language(lang, title);
    if set.executions.len() > 1 {
        let count = lang.plural(set.executions.len() as u64, "execution");
        page.heading(1, count, Tone::Plain);
        let inside = set.executions.iter().flat_map(|e| &e.findings);
        execution::found(inside.chain(&set.findings), &mut page);
    }
    for execution in &set.executions {
        execution::write(execution, graph, detail, &mut page);
    }
    for command in &set.commands {
        command::write(command, &mut page);
    }
    if let Some(graph) = graph.filter(|g| g.malformed_count > 0) {
        let lines: Vec<String> = graph.malformed.iter().map(u64::to_string).collect();
        let dots = if graph.malformed_count > graph.malformed.len() as u64 {
            ", …"
        } else {
            ""
        };
        let count = lang.plural(graph.malformed_count, "line");
        let lines = format!("{}{dots}", lines.join(", "));
        page.heading(2, lang.say("The graph"), Tone::Plain);
        page.toned(
            lang.say("skipped"),
            lang.fill("{0} that can't be read: {1}", &[&count, &lines]),
            Tone::Warning,
        );
    }
    if !set.findings.is_empty() {
        page.heading(2, lang.say("Found outside of executions"), Tone::Plain);
        for finding in &set.findings {
            execution::finding(finding, &mut page);
        }
    }
    page
}
