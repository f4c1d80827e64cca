//! `repomap diff`: compares the definitions of two revisions.

use super::interface::findings;
use super::map_format;
use super::tree::{revision, unread};
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_FINDINGS};
use crate::cli::output::{Color, Failure, print};
use crate::report::{code_span, findings_json, safe_json, terminal};
use clap::Args;
use repo_map::{Change, Difference, Format, Snapshot, diff, of_folder};
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;

/// Arguments of `repomap diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The earlier revision.
    #[arg(value_name = "REV")]
    base: String,
    /// The later revision. The default is the work tree.
    #[arg(value_name = "REV")]
    head: Option<String>,
    /// Compare this folder of a repository with the revisions.
    #[arg(long, value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// List private definitions too.
    #[arg(long)]
    private: bool,
    /// Exit with 1 when a definition that isn't private is removed or changed (YV906).
    #[arg(long)]
    fail: bool,
    /// Output format.
    #[arg(long, value_parser = map_format("For people", "For a pull request", "JSON"), default_value = "text")]
    format: Format,
}

/// The comparison of two trees.
struct Comparison {
    head: String,
    /// Number of definitions before and after.
    definitions: (usize, usize),
    /// Number of files that weren't read completely, before and after.
    unread: (usize, usize),
    shown: Vec<Difference>,
    hidden: usize,
}

fn definitions(snapshot: &Snapshot) -> usize {
    snapshot
        .files
        .iter()
        .map(|f| f.tags.definitions.len())
        .sum()
}

impl DiffArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let before = revision(&self.path, &self.base, None)?;
        let after = match &self.head {
            Some(head) => revision(&self.path, head, None)?,
            None => of_folder(&self.path, None)
                .map_err(|e| Failure::unable(e.to_string(), "--path takes a folder"))?,
        };
        let all = diff(&before, &after);
        let findings = findings(&all);
        let (shown, hidden): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|d| self.private || !d.private);
        let comparison = Comparison {
            head: self.head.clone().unwrap_or_else(|| "the work tree".into()),
            definitions: (definitions(&before), definitions(&after)),
            unread: (unread(&before), unread(&after)),
            shown,
            hidden: hidden.len(),
        };
        print(Color::Auto, |out| match self.format {
            Format::Text => self.text(&comparison, out),
            Format::Markdown => self.markdown(&comparison, out),
            Format::Json => {
                let value = json!({
                    "version": 1, "base": self.base, "head": self.head,
                    "definitions": { "base": comparison.definitions.0, "head": comparison.definitions.1 },
                    "notWhollyParsed": { "base": comparison.unread.0, "head": comparison.unread.1 },
                    "differences": comparison.shown, "private": comparison.hidden, "findings": findings_json(&findings),
                });
                writeln!(out, "{}", safe_json(&value))
            }
        })?;
        Ok(match () {
            () if comparison.definitions == (0, 0) => super::tree::nothing("compared"),
            () if self.fail && !findings.is_empty() => EXIT_FINDINGS,
            () => EXIT_CLEAN,
        })
    }

    /// Summarises what was compared, and how much of it differs.
    fn summary(comparison: &Comparison) -> String {
        let count =
            |test: fn(&Change) -> bool| comparison.shown.iter().filter(|d| test(&d.change)).count();
        let mut out = format!(
            "{} added, {} removed, {} changed of {} definitions before and {} after",
            count(|c| matches!(c, Change::Added { .. })),
            count(|c| matches!(c, Change::Removed { .. })),
            count(|c| matches!(c, Change::Changed { .. })),
            comparison.definitions.0,
            comparison.definitions.1
        );
        if comparison.hidden > 0 {
            out.push_str(&format!(
                "; {} private ones differ and aren't listed",
                comparison.hidden
            ));
        }
        if comparison.unread != (0, 0) {
            out.push_str(&format!(
                "; in parts not parsed: {} files before, {} after",
                comparison.unread.0, comparison.unread.1
            ));
        }
        out
    }

    fn text(&self, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{} → {}",
            terminal(&self.base),
            terminal(&comparison.head)
        )?;
        let mut path = "";
        for difference in &comparison.shown {
            if difference.path != path {
                path = &difference.path;
                writeln!(out, "{}", terminal(path))?;
            }
            for (sign, line) in lines(difference) {
                writeln!(out, "  {sign} {}", terminal(&line))?;
            }
        }
        writeln!(out, "{}", Self::summary(comparison))
    }

    fn markdown(&self, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "### Interfaces from {} to {}\n",
            code_span(&self.base),
            code_span(&comparison.head)
        )?;
        writeln!(out, "{}.", Self::summary(comparison))?;
        let mut path = "";
        for difference in &comparison.shown {
            if difference.path != path {
                path = &difference.path;
                writeln!(out, "\n{}\n", code_span(path))?;
            }
            for (sign, line) in lines(difference) {
                let word = if sign == '+' { "added" } else { "removed" };
                let word = if matches!(difference.change, Change::Changed { .. }) {
                    if sign == '+' { "now" } else { "was" }
                } else {
                    word
                };
                writeln!(out, "- {word}: {}", code_span(&line))?;
            }
        }
        Ok(())
    }
}

/// Formats a difference as lines of a diff: the container, then the signature.
fn lines(difference: &Difference) -> Vec<(char, String)> {
    let outer = difference
        .name
        .rsplit_once('.')
        .map_or(String::new(), |(outer, _)| format!("{outer}: "));
    let line = |signature: &str| format!("{outer}{signature}");
    match &difference.change {
        Change::Added { signature } => vec![('+', line(signature))],
        Change::Removed { signature } => vec![('-', line(signature))],
        Change::Changed { before, after } => vec![('-', line(before)), ('+', line(after))],
    }
}
