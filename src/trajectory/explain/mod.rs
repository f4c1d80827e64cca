//! `explain`: what was tried, who allowed what, and why it ended. Read-only: nothing is judged
//! here.

mod command;
mod document;
mod execution;
mod turn;

pub use document::{Document, ExecutionView};

use super::graph::Graph;
use super::model::ExecutionSet;
use crate::report::page::{Page, Tone};
use std::sync::LazyLock;

/// The programs that commands are taken apart with.
static TABLE: LazyLock<shell_effects::Table> = LazyLock::new(shell_effects::Table::builtin);

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detail {
    /// Lines of a diff, a command or a result.
    pub lines: usize,
    /// Only this turn.
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

/// The page that explains a set of executions.
#[must_use]
pub fn page(book: &ExecutionSet, graph: Option<&Graph>, detail: Detail) -> Page {
    let title = match (book.executions.as_slice(), book.commands.as_slice()) {
        ([one], []) => format!("Execution {}", one.execution_id),
        ([], [one]) => format!("Command {}", one.id),
        _ => "Executions".to_owned(),
    };
    let mut page = Page::new(title);
    if book.executions.len() > 1 {
        let count = super::words::plural(book.executions.len() as u64, "execution");
        page.heading(1, count, Tone::Plain);
        let inside = book.executions.iter().flat_map(|e| &e.findings);
        execution::found(inside.chain(&book.findings), &mut page);
    }
    for execution in &book.executions {
        execution::write(execution, graph, detail, &mut page);
    }
    for command in &book.commands {
        command::write(command, &mut page);
    }
    if let Some(graph) = graph.filter(|g| g.malformed_count > 0) {
        let lines: Vec<String> = graph.malformed.iter().map(u64::to_string).collect();
        let dots = if graph.malformed_count > graph.malformed.len() as u64 {
            ", …"
        } else {
            ""
        };
        let count = super::words::plural(graph.malformed_count, "line");
        page.heading(2, "The graph", Tone::Plain);
        page.toned(
            "skipped",
            format!("{count} that can't be read: {}{dots}", lines.join(", ")),
            Tone::Warning,
        );
    }
    if !book.findings.is_empty() {
        page.heading(2, "Found outside of executions", Tone::Plain);
        for finding in &book.findings {
            execution::finding(finding, &mut page);
        }
    }
    page
}
