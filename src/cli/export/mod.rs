//! `export`: writes spans and tables for other tools.

mod turns;

use super::common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_NOTHING_VERIFIED};
use super::common::inputs::Inputs;
use super::executions::ReadArgs;
use super::guard;
use super::output::{Color, Failure, print_as_is, warn};
use super::write;
use crate::report::safe_json;
use crate::source::discover;
use crate::trajectory::export::{spans, tables};
use crate::trajectory::words::plural;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Formats of other tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// Spans in the JSON form of the OpenTelemetry protocol.
    Otlp,
    /// Tables as CSV.
    Csv,
    /// The rows of all tables as JSON, one a line.
    Jsonl,
}

/// The tables that can be exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Table {
    Executions,
    Turns,
    Decisions,
    Findings,
}

impl Table {
    const fn name(self) -> &'static str {
        match self {
            Self::Executions => "executions",
            Self::Turns => "turns",
            Self::Decisions => "decisions",
            Self::Findings => "findings",
        }
    }
}

/// Arguments of `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Traces: files, folders, or `-` for standard input.
    #[arg(required = true, value_name = "TRACES")]
    traces: Vec<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: ExportFormat,
    /// Export only this table. CSV on standard output needs one.
    #[arg(long, value_enum, value_name = "NAME")]
    table: Option<Table>,
    /// Write to this folder: a file for each table, or `spans.json`. The default is standard
    /// output.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    read: ReadArgs,
}

impl ExportArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        if self.format == ExportFormat::Jsonl && self.table == Some(Table::Turns) {
            return self.turns();
        }
        let reading = self.read.read(&self.traces)?;
        let mut files: Vec<(String, String)> = Vec::new();
        if self.format == ExportFormat::Otlp {
            if self.table.is_some() {
                return Err(Failure::unable(
                    "spans aren't tables",
                    "leave --table out, or take csv or jsonl",
                ));
            }
            files.push((
                "spans.json".to_owned(),
                format!("{}\n", safe_json(&spans(&reading.book))),
            ));
        } else {
            for table in tables(&reading.book) {
                if self.table.is_none_or(|t| t.name() == table.name) {
                    files.push(if self.format == ExportFormat::Csv {
                        (format!("{}.csv", table.name), table.csv())
                    } else {
                        let lines: String = table
                            .objects()
                            .map(|row| format!("{}\n", safe_json(&row)))
                            .collect();
                        (format!("{}.jsonl", table.name), lines)
                    });
                }
            }
        }
        if let Some(folder) = &self.out {
            let paths: Vec<PathBuf> = files.iter().map(|(name, _)| folder.join(name)).collect();
            self.check_outputs(&paths)?;
            for (name, text) in &files {
                write::write(&folder.join(name), text)?;
            }
        } else if self.format == ExportFormat::Csv && files.len() > 1 {
            return Err(Failure::unable(
                "four tables don't fit one CSV",
                "name one with --table, or a folder with --out",
            ));
        } else {
            print_as_is(Color::Never, |out| {
                files
                    .iter()
                    .try_for_each(|(_, text)| out.write_all(text.as_bytes()))
            })?;
        }
        let left_out: u64 = reading
            .book
            .executions
            .iter()
            .map(|e| e.turns_left_out)
            .sum();
        Ok(ExportCounts {
            executions: reading.book.executions.len(),
            unopened: reading.unopened,
            left_out,
            commands: reading.book.commands.len(),
        }
        .exit())
    }

    /// Checks that no output overwrites an input or a file of the gate.
    fn check_outputs(&self, paths: &[PathBuf]) -> Result<(), Failure> {
        let mut inputs = Inputs::default();
        inputs.add_found(&discover(&self.traces));
        inputs.keep_apart(paths.iter().map(PathBuf::as_path))?;
        paths
            .iter()
            .try_for_each(|path| guard::check(path, guard::Exemption::Nothing))
    }
}

/// Counts for the exit code and the warnings.
#[derive(Debug, Default)]
struct ExportCounts {
    executions: usize,
    /// Number of inputs that couldn't be opened.
    unopened: u64,
    /// Number of turns beyond the limit.
    left_out: u64,
    /// Number of command records.
    commands: usize,
}

impl ExportCounts {
    /// Warns about what isn't exported, and returns the exit code.
    fn exit(&self) -> u8 {
        if self.left_out > 0 {
            let turns = plural(self.left_out, "turn");
            let are = if self.left_out == 1 { "is" } else { "are" };
            warn(&format!(
                "{turns} {are} left out: there are more than --max-turns"
            ));
        }
        if self.commands > 0 {
            warn("records of commands are left out: they have no turns");
        }
        match () {
            () if self.unopened > 0 => EXIT_ERROR,
            () if self.executions == 0 => {
                warn("nothing was exported: no execution was found");
                EXIT_NOTHING_VERIFIED
            }
            () => EXIT_CLEAN,
        }
    }
}
