//! Standard output and standard error, and failures of the command itself.

use super::common::exit::{EXIT_CLEAN, EXIT_ERROR};
use super::wrap;
use crate::diag::Place;
use crate::features::NotInBuild;
use anstream::AutoStream;
use clap::ValueEnum;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl From<Color> for anstream::ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

/// A failure of the command itself.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Something of the command line or of a file named there doesn't work.
    #[error("{message}")]
    Unable {
        message: String,
        /// What the user can do about it.
        remedy: Option<String>,
    },
    /// Output failed.
    #[error("can't write the output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// A failure with a remedy.
    pub fn unable(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Unable {
            message: message.into(),
            remedy: Some(remedy.into()),
        }
    }

    /// A failure about a word that isn't known: the remedy begins with the nearest that is.
    pub(super) fn unknown<'k>(
        message: impl Into<String>,
        word: &str,
        known: impl Iterator<Item = &'k str>,
        remedy: &str,
    ) -> Self {
        let nearest = crate::config::nearest(word, known);
        let nearest = nearest.map_or_else(String::new, |n| format!("the nearest is `{n}`; "));
        Self::unable(message, format!("{nearest}{remedy}"))
    }

    /// Prints what is wrong with a file, each mistake with its line, and counts them.
    pub(super) fn mistakes(
        file: &str,
        mistakes: impl Iterator<Item = Mistake>,
        remedy: &str,
    ) -> Self {
        let mut stderr = anstream::stderr().lock();
        let mut out = Lines {
            out: &mut stderr,
            line: Vec::new(),
            wrap: wrap::error_columns().map(wrap::Wrap::new),
        };
        let mut count = 0_u64;
        for Mistake {
            message,
            place,
            help,
        } in mistakes
        {
            count += 1;
            let _ = crate::report::write_problem(&message, &place, help.as_deref(), &mut out);
        }
        let _ = out.end();
        let count = match count {
            1 => "1 mistake".to_owned(),
            n => format!("{n} mistakes"),
        };
        Self::unable(format!("`{file}` can't be used: {count}"), remedy)
    }

    /// Prints it on standard error. A closed pipe is no failure.
    pub(super) fn report(&self) -> ExitCode {
        if let Self::Output(error) = self
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            return ExitCode::from(EXIT_CLEAN);
        }
        to_stderr(&format!(
            "error: {}",
            crate::report::terminal(&self.to_string())
        ));
        if let Self::Unable {
            remedy: Some(remedy),
            ..
        } = self
        {
            to_stderr(&format!("  help: {}", crate::report::terminal(remedy)));
        }
        ExitCode::from(EXIT_ERROR)
    }
}

/// A mistake in a file that makes it unusable.
#[derive(Debug)]
pub(super) struct Mistake {
    pub(super) message: String,
    pub(super) place: Place,
    /// What to write instead.
    pub(super) help: Option<String>,
}

impl From<NotInBuild> for Failure {
    fn from(missing: NotInBuild) -> Self {
        Self::unable(missing.to_string(), NotInBuild::REMEDY)
    }
}

/// Prints a sentence on standard error. It may quote names from a configuration or a trace.
pub(super) fn warn(sentence: &str) {
    to_stderr(&crate::report::line_start(sentence));
}

/// Writes a line to standard error.
fn to_stderr(line: &str) {
    let mut stderr = anstream::stderr().lock();
    let line = format!("{line}\n");
    let _ = match wrap::error_columns() {
        Some(columns) => stderr.write_all(wrap::fit(&line, columns).as_bytes()),
        None => stderr.write_all(line.as_bytes()),
    };
}

/// Writes text to standard output. No line of it is a command of a runner of continuous
/// integration, whatever the text quotes; what hides or acts on a terminal, whoever quotes it has
/// taken out.
///
/// # Errors
/// When writing fails.
pub fn print(
    color: Color,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    print_fitted(color, None, write)
}

/// As [`print()`] for prose, which is fitted into the columns of a terminal.
///
/// # Errors
/// When writing fails.
pub(super) fn print_prose(
    color: Color,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    print_fitted(color, wrap::columns(), write)
}

/// As [`print_prose`] if it is prose, else as [`print()`].
pub(super) fn print_prose_if(
    is_prose: bool,
    color: Color,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    print_fitted(color, wrap::columns().filter(|_| is_prose), write)
}

fn print_fitted(
    color: Color,
    columns: Option<usize>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    print_as_is(color, |out| {
        let mut lines = Lines {
            out,
            line: Vec::new(),
            wrap: columns.map(wrap::Wrap::new),
        };
        write(&mut lines)?;
        lines.end()
    })
}

/// Passes whole lines on, and none that a runner takes for a command.
struct Lines<'o> {
    out: &'o mut dyn Write,
    line: Vec<u8>,
    wrap: Option<wrap::Wrap>,
}

impl Lines<'_> {
    /// Passes a line on.
    fn pass(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let Ok(text) = std::str::from_utf8(&line) else {
            return self.out.write_all(&line);
        };
        let safe = without_command(text);
        let text = safe.as_deref().unwrap_or(text);
        match &mut self.wrap {
            Some(wrap) => wrap.line(text, self.out),
            None => self.out.write_all(text.as_bytes()),
        }
    }

    /// Passes on what is left.
    fn end(&mut self) -> io::Result<()> {
        self.pass()?;
        match &mut self.wrap {
            Some(wrap) => wrap.end(self.out),
            None => Ok(()),
        }
    }
}

impl Write for Lines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|b| *b == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.pass()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A line that a runner would take for a command, as one that it doesn't. Colours are taken away
/// before it sees them.
fn without_command(line: &str) -> Option<String> {
    if !line.contains("::") && !line.contains("##") {
        return None;
    }
    let plain = anstream::adapter::strip_str(line).to_string();
    let end = if line.ends_with('\n') { "\n" } else { "" };
    let safe = crate::report::line_start(plain.trim_end_matches('\n'));
    let is_command = plain.trim_start().starts_with("::") || crate::report::holds_command(&plain);
    is_command.then(|| safe + end)
}

/// Writes to standard output what is to arrive byte for byte: reports in their formats, traces,
/// tables. A reader that goes away ends the output, not the verification: the exit code stays what
/// it was.
///
/// # Errors
/// When writing fails for another reason.
pub(super) fn print_as_is(
    color: Color,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let stdout = AutoStream::new(io::stdout().lock(), color.into());
    let mut out = BufWriter::with_capacity(1 << 16, stdout);
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            // What is buffered has nowhere to go.
            let _ = out.into_parts();
            Ok(())
        }
        result => Ok(result?),
    }
}

/// As [`print_as_is`] without colours, for what is written by several threads in turn.
///
/// # Errors
/// When writing fails for another reason than that nobody reads any more.
pub(super) fn print_shared(
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            let _ = out.into_parts();
            Ok(())
        }
        result => Ok(result?),
    }
}
