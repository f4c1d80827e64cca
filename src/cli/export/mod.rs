//! `export`: writes spans and tables for other tools.

mod turns;

use super::common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_NOTHING_VERIFIED};
use super::common::inputs::Inputs;
use super::executions::ReadArgs;
use super::guard;
use super::output::{Failure, print_shared, warn};
use super::progress::is_on_terminal;
use super::write;
use crate::features::Feature;
use crate::report::safe_json;
use crate::source::discover;
use crate::trajectory::export::{self, ParquetWriter, spans, tables};
use crate::trajectory::words::plural;
use clap::{Args, ValueEnum};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Formats of other tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// Spans in the JSON form of the OpenTelemetry protocol.
    Otlp,
    /// Tables as CSV.
    Csv,
    /// The rows of all tables as JSON, one a line.
    Jsonl,
    /// Tables as Apache Parquet, for tools that read Arrow. Needs the feature `parquet`.
    Parquet,
}

impl ExportFormat {
    /// Returns the extension of a table's file.
    const fn extension(self) -> &'static str {
        match self {
            Self::Otlp => "json",
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
        }
    }
}

/// A file to write.
enum Document {
    Text { name: String, text: String },
    Parquet(export::Table),
}

impl Document {
    fn new(format: ExportFormat, table: export::Table) -> Self {
        let text = match format {
            ExportFormat::Parquet => return Self::Parquet(table),
            ExportFormat::Csv => table.csv(),
            ExportFormat::Jsonl | ExportFormat::Otlp => table
                .objects()
                .map(|row| format!("{}\n", safe_json(&row)))
                .collect(),
        };
        let name = format!("{}.{}", table.name, format.extension());
        Self::Text { name, text }
    }

    fn name(&self) -> String {
        match self {
            Self::Text { name, .. } => name.clone(),
            Self::Parquet(table) => {
                format!("{}.{}", table.name, ExportFormat::Parquet.extension())
            }
        }
    }

    fn write(&self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        match self {
            Self::Text { text, .. } => out.write_all(text.as_bytes()),
            Self::Parquet(table) => {
                let mut file = ParquetWriter::new(out, table.name, table.columns)?;
                table.rows.iter().try_for_each(|row| file.write(row))?;
                file.finish()
            }
        }
    }
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
    /// Export only this table. CSV and Parquet need one unless `--out` is given.
    #[arg(long, value_enum, value_name = "NAME")]
    table: Option<Table>,
    /// Write to this folder: a file for each table, or `spans.json`. The default is standard
    /// output.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write to this file; `-` is standard output.
    #[arg(short, long, value_name = "FILE", conflicts_with = "out")]
    output: Option<PathBuf>,
    #[command(flatten)]
    read: ReadArgs,
}

impl ExportArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        self.check(self.is_on_terminal())?;
        if self.table == Some(Table::Turns)
            && matches!(self.format, ExportFormat::Jsonl | ExportFormat::Parquet)
        {
            return self.turns();
        }
        let reading = self.read.read(&self.traces)?;
        let documents: Vec<Document> = if self.format == ExportFormat::Otlp {
            vec![Document::Text {
                name: "spans.json".to_owned(),
                text: format!("{}\n", safe_json(&spans(&reading.book))),
            }]
        } else {
            tables(&reading.book)
                .into_iter()
                .filter(|table| self.table.is_none_or(|t| t.name() == table.name))
                .map(|table| Document::new(self.format, table))
                .collect()
        };
        if let Some(folder) = &self.out {
            let paths: Vec<PathBuf> = documents.iter().map(|d| folder.join(d.name())).collect();
            self.check_outputs(&paths)?;
            for (document, path) in documents.iter().zip(&paths) {
                write_file(path, &mut |out| document.write(out))?;
            }
        } else {
            self.write_one(&mut |out| documents.iter().try_for_each(|d| d.write(out)))?;
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
            refused: reading.refused,
            left_out,
            commands: reading.book.commands.len(),
        }
        .exit())
    }

    /// Checks the combination of options before anything is read.
    fn check(&self, is_on_terminal: bool) -> Result<(), Failure> {
        match self.format {
            ExportFormat::Otlp if self.table.is_some() => {
                return Err(Failure::unable(
                    "spans aren't tables",
                    "leave --table out, or take csv, jsonl or parquet",
                ));
            }
            ExportFormat::Parquet => Feature::Parquet.require()?,
            ExportFormat::Otlp | ExportFormat::Csv | ExportFormat::Jsonl => {}
        }
        let takes_one_table = match self.format {
            ExportFormat::Csv => Some("CSV"),
            ExportFormat::Parquet => Some("Parquet file"),
            ExportFormat::Otlp | ExportFormat::Jsonl => None,
        };
        if let Some(file) = takes_one_table
            && self.table.is_none()
            && self.out.is_none()
        {
            return Err(Failure::unable(
                format!("four tables don't fit one {file}"),
                "name one with --table, or a folder with --out",
            ));
        }
        if self.format == ExportFormat::Parquet && is_on_terminal {
            return Err(Failure::unable(
                "Parquet is binary and isn't written to a terminal",
                "name a file with --output, or redirect standard output",
            ));
        }
        self.output_file()
            .map_or(Ok(()), |file| self.check_outputs(&[file.to_path_buf()]))
    }

    fn is_on_terminal(&self) -> bool {
        is_on_terminal(self.out.as_deref().or(self.output.as_deref()))
    }

    /// Returns the file to write, unless the output is a folder or standard output.
    fn output_file(&self) -> Option<&Path> {
        self.output
            .as_deref()
            .filter(|file| file.as_os_str() != "-")
    }

    /// Writes to the file of `--output` or to standard output.
    fn write_one(&self, fill: &mut Fill<'_>) -> Result<(), Failure> {
        match self.output_file() {
            None => print_shared(fill),
            Some(path) => write_file(path, fill),
        }
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

/// Writes the content of an output.
type Fill<'f> = dyn FnMut(&mut (dyn Write + Send)) -> io::Result<()> + 'f;

fn write_file(path: &Path, fill: &mut Fill<'_>) -> Result<(), Failure> {
    write::write_with(path, &mut |file| {
        let mut out = BufWriter::new(file);
        fill(&mut out)?;
        out.flush()
    })
}

/// Counts for the exit code and the warnings.
#[derive(Debug, Default)]
struct ExportCounts {
    executions: usize,
    /// Number of inputs that couldn't be opened.
    unopened: u64,
    /// Number of records that weren't read, or weren't replayed.
    refused: u64,
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
        if self.refused > 0 {
            let records = plural(self.refused, "record");
            let are = if self.refused == 1 { "is" } else { "are" };
            warn(&format!(
                "{records} {are} left out, because of a limit, an error or an unknown format: \
                 `replay` reports them"
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        export: ExportArgs,
    }

    #[test]
    fn parquet_is_not_written_to_a_terminal() {
        for (format, is_refused) in [("jsonl", false), ("parquet", true)] {
            let args = ["export", "t.jsonl", "--table", "turns", "--format", format];
            let export = Command::try_parse_from(args).unwrap().export;
            assert_eq!(export.check(true).is_err(), is_refused, "{format}");
            let is_built = !is_refused || Feature::Parquet.is_built();
            assert_eq!(export.check(false).is_ok(), is_built, "{format}");
        }
    }
}
