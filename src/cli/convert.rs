//! `convert`: writes recorded sessions as `ExecutionRecord` JSONL.

use super::common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use super::common::formats::trace_format;
use super::file::traces;
use super::guard::{self, Exemption};
use super::output::{Failure, print_shared, warn};
use super::progress::{Progress, is_on_terminal};
use super::write::{cannot_write, create_new};
use crate::diag::{Finding, Severity};
use crate::trace::{Format, Record};
use crate::verify::{Options, Report, watch};
use clap::Args;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

/// Arguments of `convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Sessions: files, folders, or `-` for standard input. They are left as they are.
    #[arg(required = true, value_name = "SESSION")]
    sessions: Vec<PathBuf>,
    /// Write the records to this file, which must not exist yet. The default is standard output.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Read every input as this format instead of finding out.
    #[arg(long, value_name = "NAME", value_parser = trace_format)]
    format_in: Option<Format>,
}

/// Counts of converted records.
#[derive(Debug, Default)]
struct ConversionCounts {
    written: u64,
    /// Number of records in formats that can't be converted, and the place of the first one.
    others: u64,
    first_other: Option<String>,
    failed: Option<io::Error>,
    turns: TurnNumbers,
}

/// Numbers of the turns that were written. Each file of a session counts its turns from 1.
#[derive(Debug, Default)]
struct TurnNumbers {
    executions: BTreeMap<Box<str>, ExecutionTurns>,
}

#[derive(Debug, Default)]
struct ExecutionTurns {
    file: Box<str>,
    /// Number of turns in earlier files.
    before: u64,
    last: u64,
}

impl TurnNumbers {
    /// Returns a derived record with a number that no other file's record has.
    fn continued<'t>(&mut self, file: &str, execution: &str, text: &'t str) -> Cow<'t, str> {
        const MEMBER: &str = "\"turnId\":";
        // Inside a string, the quotes would be escaped.
        let Some((head, rest)) = text.split_once(MEMBER) else {
            return text.into();
        };
        let end = rest.find(|c: char| !c.is_ascii_digit());
        let (number, tail) = rest.split_at(end.unwrap_or(rest.len()));
        let Ok(number) = number.parse::<u64>() else {
            return text.into();
        };
        if !self.executions.contains_key(execution) {
            let first = ExecutionTurns {
                file: file.into(),
                ..ExecutionTurns::default()
            };
            self.executions.insert(execution.into(), first);
        }
        let Some(turns) = self.executions.get_mut(execution) else {
            return text.into();
        };
        if *turns.file != *file {
            turns.file = file.into();
            turns.before = turns.last;
        }
        let number = number.saturating_add(turns.before);
        turns.last = turns.last.max(number);
        format!("{head}{MEMBER}{number}{tail}").into()
    }
}

impl ConvertArgs {
    /// Converts the sessions. Missing data stays missing; nothing is invented.
    pub(super) fn run(self) -> Result<u8, Failure> {
        let mut converted = ConversionCounts::default();
        let report = match self.output.as_deref().filter(|out| out.as_os_str() != "-") {
            None => {
                let mut report = Report::default();
                print_shared(|out| {
                    report = self.convert(out, &mut converted);
                    converted.failed.take().map_or(Ok(()), Err)
                })?;
                report
            }
            Some(path) => {
                guard::check(path, Exemption::Nothing)?;
                let file = create_new(path)?;
                let mut out = BufWriter::new(file);
                let report = self.convert(&mut out, &mut converted);
                let end = converted.failed.take().map_or_else(|| out.flush(), Err);
                // A partial trace would look like a truncated one.
                let end = end.inspect_err(|_| drop(std::fs::remove_file(path)));
                end.map_err(|error| cannot_write(path, &error))?;
                report
            }
        };
        let unread = |f: &&Finding| f.severity == Severity::Error && f.code.0 < 200;
        let broken = report.findings.iter().any(|f| unread(&f));
        for finding in report.findings.iter().filter(unread) {
            let place = &finding.place;
            warn(&format!(
                "{}:{}: {}",
                place.file, place.line, finding.message
            ));
        }
        if let Some(place) = &converted.first_other {
            warn(&format!(
                "{} records are of a format that can't be converted; the first is at {place}",
                converted.others
            ));
        }
        Ok(match () {
            () if report.counts.unopened > 0 || converted.others > 0 => EXIT_ERROR,
            () if converted.written == 0 => {
                warn("nothing was converted: no session was found");
                EXIT_NOTHING_VERIFIED
            }
            () if broken => EXIT_FINDINGS,
            () => EXIT_CLEAN,
        })
    }

    fn convert(&self, out: &mut (dyn Write + Send), converted: &mut ConversionCounts) -> Report {
        let inputs = traces(&self.sessions);
        let progress = Progress::of_inputs(&inputs, is_on_terminal(self.output.as_deref()));
        let options = Options {
            format: self.format_in,
            bytes_read: Some(progress.done()),
            ..Options::default()
        };
        watch(&inputs, &options, None, &mut |file, _, entry| {
            if converted.failed.is_some() {
                return;
            }
            match &entry.record {
                Record::V1(_) => {
                    // A record may span several lines. JSON strings contain no raw line breaks, so
                    // replacing them is safe.
                    let text = entry.text.trim().replace(['\n', '\r'], " ");
                    let execution = entry.record.execution_id().filter(|_| entry.derived);
                    let text = match execution {
                        Some(id) => converted.turns.continued(file, &id.decode(), &text),
                        None => Cow::Borrowed(&*text),
                    };
                    let line = writeln!(out, "{text}");
                    converted.failed = line.err();
                    converted.written += 1;
                }
                // A record of a session is covered by the records derived from it.
                Record::Native(record) if record.get().is_fully_derived() => {}
                _ => {
                    converted.others += 1;
                    let place = || format!("{file}:{}", entry.line);
                    converted.first_other.get_or_insert_with(place);
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_turns_of_a_session_are_numbered_through_its_files() {
        let mut turns = TurnNumbers::default();
        let mut number = |file: &str, execution: &str, turn: u64| {
            let text = format!(r#"{{"x":"\"turnId\":","turnId":{turn},"y":1}}"#);
            let found = turns.continued(file, execution, &text);
            let rest = found
                .strip_prefix(r#"{"x":"\"turnId\":","turnId":"#)
                .unwrap();
            let number: u64 = rest.strip_suffix(r#","y":1}"#).unwrap().parse().unwrap();
            number
        };
        assert_eq!(number("a", "s", 1), 1);
        assert_eq!(number("a", "s", 2), 2);
        assert_eq!(number("a", "t", 1), 1);
        assert_eq!(number("b", "s", 1), 3);
        assert_eq!(number("b", "s", 1), 3);
        assert_eq!(number("b", "t", 7), 8);
        assert_eq!(turns.continued("a", "s", "{}"), "{}");
    }
}
