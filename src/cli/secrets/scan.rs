//! `secrets scan`: scans files for credentials.

use crate::cli::common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::common::formats::OutputFormat;
use crate::cli::file;
use crate::cli::output::{Color, Failure, print, warn};
use crate::report::{safe_json, terminal};
use clap::Args;
use content_scan::secret::{Table, find};
use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Number of bytes at the start of a file in which a NUL shows that it isn't text.
const HEAD: usize = 8 << 10;

/// Arguments of `secrets scan`.
#[derive(Debug, Args)]
pub struct ScanArgs {
    /// Files, directories (walked without `.git`), or `-` for standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output format.
    #[arg(long, value_parser = OutputFormat::parser("A line each", "A JSON object a line"), default_value = "text")]
    format: OutputFormat,
}

/// A credential: its line and column, from 1, and a description.
#[derive(Debug, PartialEq, Eq)]
struct Hit {
    line: usize,
    column: usize,
    message: String,
}

/// Counts of scanned files.
#[derive(Debug, Default)]
struct Count {
    scanned: u64,
    binary: u64,
    unreadable: u64,
    found: u64,
}

impl ScanArgs {
    pub(super) fn run(self, table: &Table) -> Result<u8, Failure> {
        let mut count = Count::default();
        print(Color::Auto, |out| {
            for path in &self.files {
                if path.as_os_str() == "-" || !path.is_dir() {
                    self.scan(table, path, &mut count, out)?;
                    continue;
                }
                let walk = WalkDir::new(path).sort_by_file_name().into_iter();
                for entry in walk.filter_entry(|entry| entry.file_name() != ".git") {
                    match entry {
                        Ok(entry) if entry.file_type().is_file() => {
                            self.scan(table, entry.path(), &mut count, out)?;
                        }
                        Ok(_) => {}
                        Err(error) => {
                            count.unreadable += 1;
                            warn(&format!("can't walk on: {error}"));
                        }
                    }
                }
            }
            if self.format == OutputFormat::Text {
                writeln!(
                    out,
                    "{} scanned, {} not text, {} unreadable: {}",
                    files(count.scanned),
                    count.binary,
                    count.unreadable,
                    match count.found {
                        1 => "1 credential".to_owned(),
                        n => format!("{n} credentials"),
                    }
                )?;
            }
            Ok(())
        })?;
        Ok(match count {
            Count {
                unreadable: 1.., ..
            } => EXIT_ERROR,
            Count { found: 1.., .. } => EXIT_FINDINGS,
            Count { scanned: 0, .. } => EXIT_NOTHING_VERIFIED,
            _ => EXIT_CLEAN,
        })
    }

    fn scan(
        &self,
        table: &Table,
        path: &Path,
        count: &mut Count,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let bytes = match file::bytes_or_input(path) {
            Ok(bytes) => bytes,
            Err(failure) => {
                count.unreadable += 1;
                warn(&failure.to_string());
                return Ok(());
            }
        };
        if bytes.iter().take(HEAD).any(|byte| *byte == 0) {
            count.binary += 1;
            return Ok(());
        }
        count.scanned += 1;
        for hit in hits(table, &String::from_utf8_lossy(&bytes)) {
            count.found += 1;
            let Hit {
                line,
                column,
                message,
            } = hit;
            match self.format {
                OutputFormat::Text => {
                    let path = path.display().to_string();
                    writeln!(
                        out,
                        "{}:{line}:{column}: {}",
                        terminal(&path),
                        terminal(&message)
                    )?;
                }
                OutputFormat::Json => {
                    let value = json!({
                        "path": path.display().to_string(),
                        "line": line,
                        "column": column,
                        "message": message,
                    });
                    writeln!(out, "{}", safe_json(&value))?;
                }
            }
        }
        Ok(())
    }
}

fn files(count: u64) -> String {
    if count == 1 {
        "1 file".to_owned()
    } else {
        format!("{count} files")
    }
}

/// Returns the credentials in a text in order, including those that appear only once the escapes of
/// a line are resolved.
fn hits(table: &Table, text: &str) -> Vec<Hit> {
    let mut places: Vec<(usize, usize, String)> = find(table, text)
        .into_iter()
        .map(|secret| (secret.start, secret.end, secret.describe(text)))
        .collect();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.contains('\\') {
            for remark in content_scan::secrets(line, false).remarks {
                let (at, length) = remark.at;
                let (from, to) = (start + at, start + at + length);
                if !places.iter().any(|(a, b, _)| *a < to && from < *b) {
                    places.push((from, to, remark.message));
                }
            }
        }
        start += line.len();
    }
    places.sort_unstable();
    let (mut line, mut begins, mut seen) = (1, 0, 0);
    let place = |(at, _, message): (usize, usize, String)| {
        let before = text.get(seen..at).unwrap_or_default();
        line += before.matches('\n').count();
        if let Some(end) = before.rfind('\n') {
            begins = seen + end + 1;
        }
        seen = at;
        let column = text.get(begins..at).unwrap_or_default().chars().count() + 1;
        Hit {
            line,
            column,
            message,
        }
    };
    places.into_iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use content_scan::secret::sample::fill;

    #[test]
    fn places_are_counted_in_lines_and_characters() {
        let table = Table::shipped().expect("it loads");
        let token = fill("ghp_⟦crc62:30⟧").expect("it can be made up");
        let text = format!("one\nzwei ü {token}\n\n{token}\n");
        let found: Vec<(usize, usize)> = hits(table, &text)
            .iter()
            .map(|hit| (hit.line, hit.column))
            .collect();
        assert_eq!(found, [(2, 8), (4, 1)]);
        assert_eq!(hits(table, "nothing\nhere"), []);
    }

    #[test]
    fn escapes_hide_nothing_and_nothing_is_told_twice() {
        let table = Table::shipped().expect("it loads");
        let token = fill("ghp_⟦crc62:30⟧").expect("it can be made up");
        let plain = format!("{{\"a\": \"x\\n{token}\"}}\n");
        assert_eq!(hits(table, &plain).len(), 1);
        let rest = token.strip_prefix('g').expect("as all of them");
        let escaped = format!("{{\"a\": \"\\u0067{rest}\"}}\n");
        let found = hits(table, &escaped);
        assert_eq!(found.len(), 1, "{escaped}");
        assert!(!found[0].message.contains(rest));
    }
}
