//! `secrets measure`: measures precision and recall of the rules for credentials.

use crate::cli::common::exit::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::file;
use crate::cli::output::{Color, Failure, print};
use crate::report::terminal;
use content_scan::secret::Table;
use content_scan::secret::corpus::{Figures, Judged, Outcome, judge};
use std::io::{self, Write};
use std::path::PathBuf;

/// Maximum number of wrong rows that are listed.
const SHOWN: usize = 20;

/// Measures over corpora.
pub(super) fn run(table: &Table, files: Vec<PathBuf>) -> Result<u8, Failure> {
    let mut judged = Vec::new();
    for file in files {
        let text = file::text(&file)?;
        judged.push((file.display().to_string(), judge(table, &text)));
    }
    print(Color::Auto, |out| figures(&judged, out))?;
    let rows: u64 = judged.iter().map(|(_, j)| j.rows.0 + j.rows.1).sum();
    let wrong = judged.iter().any(|(_, j)| !j.wrong.is_empty());
    Ok(if wrong {
        EXIT_FINDINGS
    } else if rows == 0 {
        EXIT_NOTHING_VERIFIED
    } else {
        EXIT_CLEAN
    })
}

/// Writes a table by rule, the wrong rows, and the sums.
fn figures(judged: &[(String, Judged)], out: &mut dyn Write) -> io::Result<()> {
    let mut rules = std::collections::BTreeMap::<&str, Figures>::new();
    let mut all = Figures::default();
    for (name, figures) in judged.iter().flat_map(|(_, j)| &j.rules) {
        for sum in [rules.entry(name).or_default(), &mut all] {
            sum.found += figures.found;
            sum.missed += figures.missed;
            sum.false_alarms += figures.false_alarms;
        }
    }
    writeln!(
        out,
        "{:<28} {:>6} {:>6} {:>6} {:>9} {:>9}",
        "rule", "found", "missed", "false", "precision", "recall"
    )?;
    for (name, figures) in rules.iter().map(|(n, f)| (*n, *f)).chain([("all", all)]) {
        let percent =
            |tenths: Option<u64>| tenths.map_or("-".into(), |t| format!("{}.{} %", t / 10, t % 10));
        let (precision, recall) = (percent(figures.precision()), percent(figures.recall()));
        writeln!(
            out,
            "{name:<28} {:>6} {:>6} {:>6} {precision:>9} {recall:>9}",
            figures.found, figures.missed, figures.false_alarms
        )?;
    }
    let wrong: Vec<(&str, &(usize, Outcome))> = judged
        .iter()
        .flat_map(|(f, j)| j.wrong.iter().map(|w| (&**f, w)))
        .collect();
    for (file, (line, outcome)) in wrong.iter().take(SHOWN) {
        let what = match outcome {
            Outcome::Right => continue,
            Outcome::Missed => "missed".to_owned(),
            Outcome::FalseAlarm(rules) => format!("no secret by {}", rules.join(", ")),
            Outcome::OtherRule(rules) => format!("found by {} instead", rules.join(", ")),
            Outcome::Unreadable(error) => format!("can't be evaluated: {}", terminal(error)),
        };
        writeln!(out, "{}:{line}: {what}", terminal(file))?;
    }
    if wrong.len() > SHOWN {
        writeln!(out, "and {} more", wrong.len() - SHOWN)?;
    }
    let (with, without) = judged
        .iter()
        .fold((0, 0), |(a, b), (_, j)| (a + j.rows.0, b + j.rows.1));
    writeln!(
        out,
        "{with} lines with a secret, {without} without; {} not as expected",
        wrong.len()
    )
}
