//! Writes standard output and standard error, and reports failures of commands.

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

/// A failure of a command.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A problem with the command line or with a file that it names.
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
    /// Creates a failure with a remedy.
    pub fn unable(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Unable {
            message: message.into(),
            remedy: Some(remedy.into()),
        }
    }

    /// Creates a failure about an unknown word. The remedy begins with the nearest known one.
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

    /// Prints the mistakes in a file with their lines, and returns a failure that counts them.
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

    /// Prints the failure on standard error. A closed pipe isn't a failure.
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

/// A mistake that makes a file unusable.
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

/// Writes text to standard output. No line of it can be a workflow command of a CI runner, whatever
/// the text quotes. The caller must already have escaped hidden and control characters.
///
/// # Errors
/// When writing fails.
pub fn print(
    color: Color,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    print_fitted(color, None, write)
}

/// Like [`print()`], with prose wrapped to the width of the terminal.
///
/// # Errors
/// When writing fails.
pub(super) fn print_prose(
    color: Color,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    print_fitted(color, wrap::columns(), write)
}

/// Like [`print_prose`] if `is_prose`, otherwise like [`print()`].
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

/// Forwards whole lines, with workflow commands of CI runners disarmed.
struct Lines<'o> {
    out: &'o mut dyn Write,
    line: Vec<u8>,
    wrap: Option<wrap::Wrap>,
}

impl Lines<'_> {
    /// Forwards a line.
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

    /// Forwards the last, incomplete line.
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

/// Disarms a line that a CI runner would take for a workflow command; `None` for other lines.
/// Runners strip colours first, so this does too.
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

/// Writes content that must arrive unchanged to standard output: reports in their formats, traces,
/// tables. A closed pipe ends the output but not the verification, and doesn't change the exit
/// code.
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
            // Discard the buffer, since nobody reads it.
            let _ = out.into_parts();
            Ok(())
        }
        result => Ok(result?),
    }
}

/// Like [`print_as_is`] without colours, for output that several threads write in turn.
///
/// # Errors
/// When writing fails for another reason than a closed pipe.
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
