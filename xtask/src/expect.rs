//! Compares the expectations in the corpora of traces with the results of the verifier.

use rayon::prelude::*;
use serde_json::{Value, json};
use similar::TextDiff;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use yuangs_verify::corpus::{self, Expectation};

/// The arguments of `cargo xtask expect`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files `NAME.expect`, traces, or directories of them.
    #[arg(default_value = "corpora/traces")]
    paths: Vec<PathBuf>,
    /// Write the expectations that differ. Their `why` and `args` stay. Read the difference first:
    /// an expectation is written from the specification, not from a run.
    #[arg(long)]
    write: bool,
}

/// Compares expectations and returns how many differ.
///
/// # Errors
/// Fails if a file can't be read or written, or isn't an expectation.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> io::Result<usize> {
    let all: Vec<PathBuf> = args.paths.iter().flat_map(|path| gather(path)).collect();
    if all.is_empty() {
        return Err(io::Error::other(
            "no expectation was found under the given paths",
        ));
    }
    let compared: Vec<io::Result<Option<(PathBuf, String, String)>>> =
        all.par_iter().map(|path| compare(path)).collect();
    let mut differing = 0;
    for result in compared {
        let Some((path, before, after)) = result? else {
            continue;
        };
        differing += 1;
        let name = path.to_string_lossy();
        let diff = TextDiff::from_lines(&before, &after);
        write!(out, "{}", diff.unified_diff().header(&name, &name))?;
        if args.write {
            std::fs::write(&path, after)?;
        }
    }
    let done = if args.write { "written" } else { "differ" };
    writeln!(out, "{} expectations, {differing} {done}", all.len())?;
    Ok(if args.write { 0 } else { differing })
}

/// Returns the expectations under a path. For a trace, it is the one next to it, even if it doesn't
/// exist.
fn gather(path: &Path) -> Vec<PathBuf> {
    let is_expectation = |path: &Path| path.extension().is_some_and(|e| e == "expect");
    if path.is_file() && !is_expectation(path) {
        let mut name = path.as_os_str().to_owned();
        name.push(".expect");
        return vec![name.into()];
    }
    walkdir::WalkDir::new(path)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.is_file() && is_expectation(path))
        .collect()
}

/// Returns the path of an expectation, its text and the updated text; `None` if it matches the
/// results.
fn compare(path: &Path) -> io::Result<Option<(PathBuf, String, String)>> {
    let before = match std::fs::read_to_string(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
        text => text?,
    };
    let expectation = if before.is_empty() {
        Expectation::default()
    } else {
        serde_json::from_str(&before)
            .map_err(|e| io::Error::other(format!("{}: {e}", path.display())))?
    };
    let (exit, report) = corpus::verified(path, &expectation).map_err(io::Error::other)?;
    if !before.is_empty() && expectation.agrees(exit, &report) {
        return Ok(None);
    }
    let after = written(&expectation, exit, &report);
    Ok(Some((path.to_owned(), before, after)))
}

/// Formats an expectation like those in the corpora, with one line for each execution and finding.
fn written(expectation: &Expectation, exit: i32, report: &Value) -> String {
    const EXECUTION: [&str; 5] = ["executionId", "verdict", "turns", "finalState", "outcome"];
    const FINDING: [&str; 3] = ["code", "line", "column"];
    let rows = |name: &str, members: &[&str]| {
        let rows: Vec<String> = report
            .get(name)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|row| {
                let cells: Vec<String> = members
                    .iter()
                    .map(|m| {
                        format!(
                            "{}: {}",
                            json!(m),
                            spaced(row.get(m).unwrap_or(&Value::Null))
                        )
                    })
                    .collect();
                format!("  {{{}}}", cells.join(", "))
            })
            .collect();
        if rows.is_empty() {
            "[]".to_owned()
        } else {
            format!("[\n{}\n ]", rows.join(",\n"))
        }
    };
    let mut text = "{\n".to_owned();
    if !expectation.args.is_empty() {
        text.push_str(&format!(
            " \"args\": {},\n",
            spaced(&json!(expectation.args))
        ));
    }
    text.push_str(&format!(
        " \"why\": {},\n \"exit\": {exit},\n",
        json!(expectation.why)
    ));
    text.push_str(&format!(
        " \"executions\": {},\n",
        rows("executions", &EXECUTION)
    ));
    text.push_str(&format!(
        " \"findings\": {}\n}}\n",
        rows("findings", &FINDING)
    ));
    text
}

/// Formats a value on one line, with a space after each comma and colon.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let cells: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{}: {}", json!(name), spaced(value)))
                .collect();
            format!("{{{}}}", cells.join(", "))
        }
        Value::Array(values) => {
            let cells: Vec<String> = values.iter().map(spaced).collect();
            format!("[{}]", cells.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = r#"{"record":"execution_started","executionId":"e","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"x","fsmVersion":"1"}"#;

    fn args(path: &Path, write: bool) -> Args {
        Args {
            paths: vec![path.to_owned()],
            write,
        }
    }

    #[test]
    fn nothing_is_written_unless_told() {
        let directory = tempfile::tempdir().unwrap();
        let trace = directory.path().join("a.jsonl");
        let expectation = directory.path().join("a.jsonl.expect");
        std::fs::write(&trace, format!("{TRACE}\n")).unwrap();
        let mut out = Vec::new();
        assert_eq!(run(&args(&trace, false), &mut out).unwrap(), 1);
        assert!(!expectation.exists());
        assert!(String::from_utf8(out).unwrap().contains("+ \"exit\""));
        assert_eq!(run(&args(&trace, true), &mut Vec::new()).unwrap(), 0);
        assert_eq!(run(&args(&trace, false), &mut Vec::new()).unwrap(), 0);
        let text = std::fs::read_to_string(&expectation).unwrap();
        std::fs::write(&expectation, text.replace("\"exit\": ", "\"exit\": 1")).unwrap();
        assert_eq!(
            run(&args(directory.path(), false), &mut Vec::new()).unwrap(),
            1
        );
    }

    #[test]
    fn no_expectation_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        assert!(run(&args(directory.path(), false), &mut Vec::new()).is_err());
    }
}
