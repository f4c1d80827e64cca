//! `export --table turns` as JSON lines or Parquet: exports any number of turns.
//!
//! A secret is masked in every row of its input, but may be detected only in the last line. So rows
//! are spooled to a temporary file until their input ends.

use super::{ExportArgs, ExportCounts, ExportFormat, write_file};
use crate::cli::executions::refused;
use crate::cli::file::traces;
use crate::cli::output::Failure;
use crate::cli::progress::Progress;
use crate::report::safe_json;
use crate::source::{Found, Missing};
use crate::trajectory::export::{ParquetWriter, TurnRow};
use crate::verify::{Options, SubAgentCalls, verify_turns};
use content_scan::mask::Mask;
use std::io::{self, BufRead as _, BufReader, BufWriter, Seek as _, Write};
use tempfile::SpooledTempFile;

/// Bytes of rows that are kept in memory before they are spooled to a file.
const IN_MEMORY: usize = 4 << 20;

impl ExportArgs {
    /// Exports the turns of one input after the other.
    pub(super) fn turns(&self) -> Result<u8, Failure> {
        let inputs = traces(&self.traces);
        let progress = Progress::of_inputs(&inputs, self.is_on_terminal());
        let options = Options {
            bytes_read: Some(progress.done()),
            // Findings and turns aren't exported from the report.
            max_findings: 1,
            max_turns: 1,
            ..self.read.options()?
        };
        let mut exported = ExportCounts::default();
        let mut rows = Rows {
            room: self.read.max_turns,
            spool_error: None,
        };
        let mut own_calls = SubAgentCalls::new(&inputs);
        let mut export = |out: &mut (dyn Write + Send)| {
            let mut out = RowSink::new(self.format, out)?;
            inputs.iter().try_for_each(|input| {
                rows.export(input, &mut own_calls, &options, &mut exported, &mut out)
            })?;
            out.finish()
        };
        let written = match &self.out {
            None => self.write_one(&mut export),
            Some(folder) => {
                let path = folder.join(format!("{}.{}", TurnRow::TABLE, self.format.extension()));
                self.check_outputs(std::slice::from_ref(&path))?;
                write_file(&path, &mut export)
            }
        };
        if let Some(error) = rows.spool_error {
            return Err(Failure::unable(
                format!("can't keep rows in a temporary file: {error}"),
                "make room in the directory for temporary files, or name another one in TMPDIR",
            ));
        }
        written?;
        Ok(exported.exit())
    }
}

/// Where rows are written.
enum RowSink<'o> {
    Lines(&'o mut (dyn Write + Send)),
    Parquet(Box<ParquetWriter<'o>>),
}

impl<'o> RowSink<'o> {
    fn new(format: ExportFormat, out: &'o mut (dyn Write + Send)) -> io::Result<Self> {
        Ok(if format == ExportFormat::Parquet {
            let file = ParquetWriter::new(out, TurnRow::TABLE, TurnRow::COLUMNS)?;
            Self::Parquet(Box::new(file))
        } else {
            Self::Lines(out)
        })
    }

    /// Writes a row with `secrets` masked.
    fn write(&mut self, row: TurnRow, secrets: &Mask) -> io::Result<()> {
        match self {
            Self::Lines(out) => writeln!(out, "{}", safe_json(&row.object(secrets))),
            Self::Parquet(file) => file.write(&row.masked(secrets)),
        }
    }

    /// Ends the output.
    fn finish(self) -> io::Result<()> {
        match self {
            Self::Lines(_) => Ok(()),
            Self::Parquet(file) => file.finish(),
        }
    }
}

struct Rows {
    /// Number of rows that may still be written; `None` is unlimited.
    room: Option<usize>,
    /// The error of the temporary file.
    spool_error: Option<io::Error>,
}

impl Rows {
    fn export(
        &mut self,
        input: &Result<Found, Missing>,
        own_calls: &mut SubAgentCalls<'_>,
        options: &Options,
        exported: &mut ExportCounts,
        out: &mut RowSink<'_>,
    ) -> io::Result<()> {
        let mut spool = BufWriter::new(SpooledTempFile::new(IN_MEMORY));
        let mut kept = Ok(());
        let report = verify_turns(input, own_calls, options, &mut |turn| {
            match &mut self.room {
                Some(0) => return exported.left_out += u64::from(turn.number.is_some()),
                Some(room) => *room -= 1,
                None => {}
            }
            if kept.is_ok() {
                kept = serde_json::to_writer(&mut spool, &TurnRow::new(&turn))
                    .map_err(io::Error::from)
                    .and_then(|()| spool.write_all(b"\n"));
            }
        });
        exported.executions += report.summaries.len();
        exported.unopened += report.counts.unopened;
        exported.refused += refused(&report);
        exported.commands += report.timeline.commands.len();
        let mut spool = kept
            .and_then(|()| spool.into_inner().map_err(io::IntoInnerError::into_error))
            .and_then(|mut spool| spool.rewind().map(|()| BufReader::new(spool)))
            .map_err(|error| self.give_up(error))?;
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = spool.read_until(b'\n', &mut line);
            if read.map_err(|error| self.give_up(error))? == 0 {
                return Ok(());
            }
            let row: TurnRow =
                serde_json::from_slice(&line).map_err(|error| self.give_up(error.into()))?;
            out.write(row, &report.secrets)?;
        }
    }

    /// Records an error of the temporary file. The returned error ends the output.
    fn give_up(&mut self, error: io::Error) -> io::Error {
        let kind = error.kind();
        self.spool_error = Some(error);
        kind.into()
    }
}
