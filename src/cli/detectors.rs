//! `detectors`: measures the quality of each detector.

use super::common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use super::common::secrets::secret_rules;
use super::output::{Color, Failure, print};
use crate::detectors::{Measured, Wrong, measure, rule_of};
use crate::report::terminal;
use crate::rules::{Rule, by_code};
use clap::Subcommand;
use content_scan::secret::corpus::{Outcome, judge};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Maximum number of wrong rows of one corpus that are listed.
const SHOWN: usize = 20;

/// Subcommands of `detectors`.
#[derive(Debug, Subcommand)]
pub enum DetectorsCommand {
    /// Print precision and recall of each detector over rows of which it is known what they hold.
    ///
    /// Read are DIR/detectors/CODE-NAME.jsonl, one row a line, each verified as a trace of one
    /// turn, and, for credentials, DIR/secrets/*.jsonl. docs/detectors.md describes the rows.
    Measure {
        /// The folder of the corpora.
        #[arg(default_value = "corpora", value_name = "DIR")]
        folder: PathBuf,
        /// Fail (exit 1) when the precision or the recall of a detector is lower.
        #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u64).range(0..=100))]
        floor: Option<u64>,
        /// List the rows that went wrong.
        #[arg(short, long)]
        verbose: bool,
    },
}

/// The results for one corpus.
struct Line {
    rule: &'static Rule,
    files: String,
    measured: Measured,
}

impl DetectorsCommand {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let Self::Measure {
            folder,
            floor,
            verbose,
        } = self;
        let table = secret_rules()?;
        let mut lines = Vec::new();
        for file in corpora(&folder.join("detectors"))? {
            let stem = file
                .file_stem()
                .map(|s| s.to_string_lossy().into_owned())
                .unwrap_or_default();
            let remedy = "a corpus is called CODE-NAME.jsonl, such as YV604-cut-outputs.jsonl";
            let rule = rule_of(&stem)
                .ok_or_else(|| Failure::unable(format!("no rule belongs to `{stem}`"), remedy))?;
            lines.push(Line {
                rule,
                files: stem,
                measured: measure(rule, &super::file::text(&file)?),
            });
        }
        let secrets = corpora(&folder.join("secrets"))?;
        if let (false, Some(rule)) = (secrets.is_empty(), by_code(crate::diag::Code(803))) {
            let mut measured = Measured::default();
            for file in &secrets {
                add(&mut measured, &judge(table, &super::file::text(file)?));
            }
            lines.push(Line {
                rule,
                files: "secrets".to_owned(),
                measured,
            });
        }
        lines.sort_by_key(|line| line.rule.code);
        if lines.is_empty() {
            let message = format!("there is no corpus in `{}`", folder.display());
            return Err(Failure::unable(
                message,
                "name a folder that holds detectors/CODE-NAME.jsonl",
            ));
        }
        print(Color::Auto, |out| figures(&lines, verbose, out))?;
        let low = |share: Option<u64>| {
            share.is_none_or(|tenths| floor.is_some_and(|floor| tenths < floor * 10))
        };
        Ok(match () {
            () if lines.iter().any(|l| l.measured.has_unreadable()) => EXIT_ERROR,
            () if lines.iter().all(|l| {
                l.measured.found + l.measured.missed + l.measured.quiet + l.measured.false_alarms
                    == 0
            }) =>
            {
                EXIT_NOTHING_VERIFIED
            }
            () if floor.is_some()
                && lines
                    .iter()
                    .any(|l| low(l.measured.precision()) || low(l.measured.recall())) =>
            {
                EXIT_FINDINGS
            }
            () => EXIT_CLEAN,
        })
    }
}

/// Returns the corpora in a directory, by name. A missing directory has none.
fn corpora(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let cannot = |e: io::Error| {
        Failure::unable(
            format!("can't read `{}`: {e}", folder.display()),
            "name a folder of corpora",
        )
    };
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        files.extend(
            path.extension()
                .is_some_and(|e| e == "jsonl")
                .then(|| path.clone()),
        );
    }
    files.sort();
    Ok(files)
}

/// Adds the results for a corpus of credentials. That corpus counts by rule; here each line counts
/// once.
fn add(measured: &mut Measured, judged: &content_scan::secret::corpus::Judged) {
    let (mut missed, mut alarms) = (0, 0);
    for (line, outcome) in &judged.wrong {
        let wrong = match outcome {
            Outcome::Right => continue,
            Outcome::Missed => {
                missed += 1;
                Wrong::Missed
            }
            Outcome::FalseAlarm(rules) => {
                alarms += 1;
                Wrong::FalseAlarm(format!("by {}", rules.join(", ")))
            }
            // Found under another name. It counts as found, and `secrets measure` reports the name.
            Outcome::OtherRule(_) => continue,
            Outcome::Unreadable(error) => Wrong::Unreadable(error.clone()),
        };
        measured.wrong.push((*line, wrong));
    }
    let (with, without) = judged.rows;
    measured.missed += missed;
    measured.found += with.saturating_sub(missed);
    measured.false_alarms += alarms;
    measured.quiet += without.saturating_sub(alarms);
}

fn figures(lines: &[Line], verbose: bool, out: &mut dyn Write) -> io::Result<()> {
    let percent =
        |tenths: Option<u64>| tenths.map_or("-".to_owned(), |t| format!("{}.{} %", t / 10, t % 10));
    writeln!(
        out,
        "{:<28} {:>8} {:>8} {:>6} {:>6} {:>9} {:>9}",
        "detector", "positive", "negative", "missed", "false", "precision", "recall"
    )?;
    for Line { rule, measured, .. } in lines {
        writeln!(
            out,
            "{:<28} {:>8} {:>8} {:>6} {:>6} {:>9} {:>9}",
            format!("{} {}", rule.code, rule.name),
            measured.found + measured.missed,
            measured.quiet + measured.false_alarms,
            measured.missed,
            measured.false_alarms,
            percent(measured.precision()),
            percent(measured.recall())
        )?;
    }
    for Line {
        files, measured, ..
    } in lines
    {
        let listed = |wrong: &Wrong| verbose || matches!(wrong, Wrong::Unreadable(_));
        let wrong: Vec<_> = measured
            .wrong
            .iter()
            .filter(|(_, wrong)| listed(wrong))
            .collect();
        for (line, wrong) in wrong.iter().take(SHOWN) {
            let what = match wrong {
                Wrong::Missed => "missed".to_owned(),
                Wrong::FalseAlarm(message) => format!("false alarm: {}", terminal(message)),
                Wrong::Unreadable(error) => format!("can't be evaluated: {}", terminal(error)),
            };
            writeln!(out, "{}:{line}: {what}", terminal(files))?;
        }
        if wrong.len() > SHOWN {
            writeln!(out, "{}: and {} more", terminal(files), wrong.len() - SHOWN)?;
        }
    }
    Ok(())
}
