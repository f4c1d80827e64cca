//! `patch`: determines what diffs would do without changing a file.

use super::common::exit::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use super::common::formats::OutputFormat;
use super::common::git::git_failure;
use super::output::{Color, Failure, print};
use crate::report::{harmless_json, terminal};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use worktree::diff::apply::{FileOutcome, HunkOutcome, Outcome, Place, apply};
use worktree::diff::tree::{Folder, Overlay, Revision, Tree};
use worktree::diff::{DiffError, Limits, Nearest, Obstacle, parse};
use worktree::git::Repository;

/// Subcommands of `patch`.
#[derive(Debug, Subcommand)]
pub enum PatchCommand {
    /// Say whether diffs apply, one after the other, and where; nothing is written.
    Check(CheckArgs),
}

/// Arguments of `patch check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Unified or git diffs, or `-` for standard input. Each is applied to what the ones before it
    /// gave.
    #[arg(required = true, value_name = "DIFF")]
    diffs: Vec<PathBuf>,
    /// Apply the diffs to this folder; with `--at`, to a folder of the git repository.
    #[arg(long, value_name = "DIR", default_value = ".")]
    repo: PathBuf,
    /// Apply the diffs to this revision (`HEAD`, `main~2`, a tag, a hash), which is read without a
    /// checkout.
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    /// Output format.
    #[arg(long, value_parser = OutputFormat::parser("", ""), default_value = "text")]
    format: OutputFormat,
}

/// The result for one of the named diffs.
struct DiffResult {
    name: String,
    outcome: Result<Outcome, DiffError>,
}

impl DiffResult {
    fn status(&self) -> &'static str {
        match &self.outcome {
            Err(_) => "malformed",
            Ok(outcome) if outcome.applies() => "applies",
            Ok(outcome) if outcome.is_unjudged() => "unjudged",
            Ok(_) => "conflicts",
        }
    }
}

impl PatchCommand {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self {
            Self::Check(args) => args.run(),
        }
    }
}

impl CheckArgs {
    fn run(&self) -> Result<u8, Failure> {
        let checked = match &self.at {
            Some(revision) => {
                let repository = Repository::discover(&self.repo).map_err(|e| git_failure(&e))?;
                let commit = repository.commit(revision).map_err(|e| git_failure(&e))?;
                self.check(&Revision::new(&repository, commit).map_err(|e| git_failure(&e))?)?
            }
            None if self.repo.is_dir() => self.check(&Folder::new(&self.repo))?,
            None => {
                let message = format!("`{}` isn't a directory", self.repo.display());
                return Err(Failure::unable(
                    message,
                    "--repo names the folder that the diffs are applied to",
                ));
            }
        };
        print(Color::Auto, |out| match self.format {
            OutputFormat::Text => text(&checked, out),
            OutputFormat::Json => {
                let all: Vec<Value> = checked.iter().map(as_json).collect();
                writeln!(
                    out,
                    "{}",
                    harmless_json(&format!("{:#}", json!({ "version": 1, "diffs": all })))
                )
            }
        })?;
        let any = |status: &str| checked.iter().any(|c| c.status() == status);
        Ok(if any("malformed") || any("conflicts") {
            EXIT_FINDINGS
        } else if any("unjudged") {
            EXIT_NOTHING_VERIFIED
        } else {
            EXIT_CLEAN
        })
    }

    fn check(&self, tree: &dyn Tree) -> Result<Vec<DiffResult>, Failure> {
        let limits = Limits::default();
        let mut overlay = Overlay::new(tree);
        let mut checked = Vec::new();
        for path in &self.diffs {
            let bytes = read(path, limits.bytes)?;
            let outcome = parse(&bytes, &limits).map(|diff| apply(&diff, &mut overlay, &limits));
            checked.push(DiffResult {
                name: path.display().to_string(),
                outcome,
            });
        }
        Ok(checked)
    }
}

/// Reads a diff up to one byte over the limit, so that the parser rejects an oversized one.
fn read(path: &Path, limit: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let most = limit as u64 + 1;
    let read = if path == Path::new("-") {
        io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|e| {
        Failure::unable(
            format!("can't read `{}`: {e}", path.display()),
            "a diff is a file, or `-`",
        )
    })?;
    Ok(bytes)
}

fn text(checked: &[DiffResult], out: &mut dyn Write) -> io::Result<()> {
    for diff in checked {
        let name = terminal(&diff.name).into_owned();
        match &diff.outcome {
            Err(error) => writeln!(out, "{name}: malformed\n  {}", terminal(&error.to_string()))?,
            Ok(outcome) => {
                writeln!(out, "{name}: {}", diff.status())?;
                for file in &outcome.files {
                    file_text(file, out)?;
                }
            }
        }
    }
    let count = |status| checked.iter().filter(|c| c.status() == status).count();
    writeln!(
        out,
        "{} {}, {} with conflicts, {} malformed, {} unjudged",
        count("applies"),
        if count("applies") == 1 {
            "diff applies"
        } else {
            "diffs apply"
        },
        count("conflicts"),
        count("malformed"),
        count("unjudged")
    )
}

fn file_text(file: &FileOutcome, out: &mut dyn Write) -> io::Result<()> {
    let verdict = if file.applies() { "ok" } else { "no" };
    writeln!(
        out,
        "  {verdict} {} {}",
        file.change.name(),
        terminal(&file.path)
    )?;
    if let Some(refusal) = &file.refusal {
        writeln!(out, "     {}", terminal(&refusal.to_string()))?;
    }
    for (hunk, n) in file.hunks.iter().zip(1..) {
        match &hunk.place {
            Place::At(line) => match hunk.stated {
                Some(stated) if stated == *line => {}
                Some(stated) => writeln!(
                    out,
                    "     hunk {n}: says line {stated}, applies at line {line}"
                )?,
                None => writeln!(out, "     hunk {n}: says no line, applies at line {line}")?,
            },
            Place::Conflict(nearest) => {
                writeln!(
                    out,
                    "     hunk {n} (line {} of the diff) conflicts: {}",
                    hunk.line,
                    conflict(nearest.as_ref())
                )?;
            }
        }
    }
    Ok(())
}

/// Describes what keeps a hunk from applying, as a clause.
fn conflict(nearest: Option<&Nearest>) -> String {
    let Some(nearest) = nearest else {
        return "nothing of it is in the file".into();
    };
    let line = nearest.line;
    match &nearest.obstacle {
        Obstacle::Elsewhere => {
            format!(
                "its old lines are at line {line}, and it says that it begins or ends the file, or overlaps an earlier hunk"
            )
        }
        Obstacle::Ambiguous { places } => {
            format!("it says no line, and it fits at {places} places")
        }
        Obstacle::Applied => format!("it seems to be applied already, at line {line}"),
        Obstacle::WhiteSpace => format!("it would apply at line {line} but for white space"),
        Obstacle::Differs {
            equal,
            of,
            diff_line,
            expected,
            found,
        } => {
            let found = found.as_ref().map_or("the file's end".into(), |text| {
                format!("`{}`", terminal(text))
            });
            format!(
                "{equal} of its {of} old lines are at line {line}; line {diff_line} of the diff expects `{}`, found {found}",
                terminal(expected)
            )
        }
    }
}

fn as_json(checked: &DiffResult) -> Value {
    match &checked.outcome {
        Err(error) => {
            json!({ "diff": checked.name, "status": checked.status(), "line": error.line, "error": error.fault.to_string() })
        }
        Ok(outcome) => {
            let files: Vec<Value> = outcome.files.iter().map(file_json).collect();
            json!({ "diff": checked.name, "status": checked.status(), "files": files })
        }
    }
}

fn file_json(file: &FileOutcome) -> Value {
    let hunks: Vec<Value> = file.hunks.iter().map(hunk_json).collect();
    let refusal = file.refusal.as_ref().map(ToString::to_string);
    json!({
        "path": file.path, "change": file.change.name(), "line": file.line, "applies": file.applies(),
        "refusal": refusal, "hunks": hunks,
    })
}

fn hunk_json(hunk: &HunkOutcome) -> Value {
    match &hunk.place {
        Place::At(line) => {
            json!({ "line": hunk.line, "stated": hunk.stated, "applies": true, "at": line })
        }
        Place::Conflict(nearest) => json!({
            "line": hunk.line, "stated": hunk.stated, "applies": false,
            "nearest": nearest.as_ref().map(|n| n.line), "why": conflict(nearest.as_ref()),
        }),
    }
}
