//! `repomap check`: checks a map against its tree.

use super::build::{no_map, unable};
use super::many;
use super::tree::{TreeArgs, changes};
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::common::formats::OutputFormat;
use crate::cli::common::repositories::RepositoriesArgs;
use crate::cli::file;
use crate::cli::output::{Color, Failure, print};
use crate::diag::{Code, Finding, Place, assign_fingerprints, subject};
use crate::report::{findings_json, safe_json, terminal, write_findings};
use crate::rules;
use crate::trajectory::words::plural;
use crate::verify::Report;
use clap::Args;
use repo_map::{Comparison, Fault, Inputs, LeftOut, Missing, Settings, Wrong, compare, of_folder};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The drift in per cent up to which a map is accepted, unless another one is given.
pub(in crate::cli) const MAX_DRIFT: u8 = 10;

/// Maximum number of lines with findings of their own, and of missing definitions that are listed.
const LISTED: usize = 200;

/// Maximum number of missing definitions that a finding names.
const NAMED: usize = 5;

/// Arguments of `repomap check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub(super) tree: TreeArgs,
    #[command(flatten)]
    several: RepositoriesArgs,
    /// Check this map.
    #[arg(long, value_name = "FILE", default_value = "REPOMAP.md", conflicts_with_all = ["repositories", "root"])]
    map: PathBuf,
    /// Accept a map in which up to N per cent of what a new map would show are missing.
    #[arg(long, value_name = "N", default_value_t = MAX_DRIFT, value_parser = clap::value_parser!(u8).range(0..=100))]
    max_drift: u8,
    /// Output format.
    #[arg(long, value_parser = OutputFormat::parser("For people", "JSON"), default_value = "text")]
    pub(super) format: OutputFormat,
}

impl CheckArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        if let Some(all) = self.several.list()? {
            return many::check(&self, &all);
        }
        let name = self.map.to_string_lossy().replace('\\', "/");
        let checked = self.check(&self.tree, &self.map, &name)?;
        print(Color::Auto, |out| match self.format {
            OutputFormat::Text => self.text(&checked, out),
            OutputFormat::Json => writeln!(out, "{}", safe_json(&self.json(&checked))),
        })?;
        Ok(match checked.code() {
            EXIT_NOTHING_VERIFIED => super::tree::nothing("checked"),
            code => code,
        })
    }

    /// Checks the map in a file. The name is for reports.
    pub(super) fn check(
        &self,
        tree: &TreeArgs,
        map: &Path,
        name: &str,
    ) -> Result<Checked, Failure> {
        let given = file::regular_text(map)?;
        let settings = Settings::of_map(&given).map_err(|e| no_map(name, &e))?;
        let snapshot = tree.read_for(&settings)?;
        let changes = tree.changes(&settings.diff, &snapshot)?;
        let inputs = Inputs {
            changes: changes.as_ref(),
            ..Inputs::default()
        };
        let comparison = compare(&given, &snapshot, &settings, inputs).map_err(|e| unable(&e))?;
        Ok(Checked {
            name: name.to_owned(),
            findings: findings(name, &comparison, self.max_drift),
            comparison,
            left_out: snapshot.left_out,
        })
    }

    pub(super) fn text(&self, checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
        let Checked {
            name,
            findings,
            comparison,
            ..
        } = checked;
        write_findings(findings, out)?;
        let missing = &comparison.missing;
        if !findings.is_empty() && !missing.is_empty() {
            writeln!(out, "A new map would also show:")?;
            for missing in missing.iter().take(LISTED) {
                writeln!(out, "  {}", terminal(&line(missing)))?;
            }
            if missing.len() > LISTED {
                writeln!(out, "  … and {} more", missing.len() - LISTED)?;
            }
        }
        let state = if findings.is_empty() {
            "current"
        } else {
            "stale"
        };
        let wrong = plural(comparison.wrong.len() as u64, "line");
        writeln!(
            out,
            "{} is {state}: wrong {wrong}, drift {} ({} of {} are missing; at most {} %); \
             {} in {} were read",
            terminal(name),
            percent(comparison),
            missing.len(),
            comparison.expected,
            self.max_drift,
            plural(comparison.new.definitions.1 as u64, "definition"),
            plural(comparison.new.files.1 as u64, "file"),
        )?;
        if !comparison.fits {
            writeln!(out, "It takes more tokens than its settings allow.")?;
        }
        Ok(())
    }

    pub(super) fn json(&self, checked: &Checked) -> Value {
        let Checked {
            name,
            findings,
            comparison,
            left_out,
        } = checked;
        let wrong = comparison.wrong.iter().take(LISTED).map(|wrong| {
            let (fault, now) = match &wrong.fault {
                Fault::FileGone(_) => ("file-gone", None),
                Fault::Gone(_) => ("gone", None),
                Fault::Changed(now) => ("changed", Some(now)),
                Fault::Repeated => ("repeated", None),
                Fault::Foreign => ("foreign", None),
            };
            json!({ "line": wrong.line, "path": wrong.path, "text": wrong.text, "fault": fault, "now": now })
        });
        let missing = comparison.missing.iter().take(LISTED);
        let missing = missing.map(|m| json!({ "path": m.path, "text": m.text }));
        let thousandths = u32::try_from(comparison.drift()).unwrap_or(u32::MAX);
        json!({
            "version": 2, "map": name, "stale": !findings.is_empty(),
            "definitions": comparison.new.definitions.1, "files": comparison.new.files.1,
            "shown": comparison.shown, "expected": comparison.expected,
            "drift": f64::from(thousandths) / 10.0, "maxDrift": self.max_drift,
            "fits": comparison.fits, "notParsed": comparison.new.not_parsed,
            "wrong": wrong.collect::<Vec<_>>(), "wrongLines": comparison.wrong.len(),
            "missing": missing.collect::<Vec<_>>(), "missingDefinitions": comparison.missing.len(),
            "findings": findings_json(findings), "leftOut": left_out,
        })
    }
}

/// A map that was checked.
pub(super) struct Checked {
    /// The name of the map in reports.
    name: String,
    pub(super) findings: Vec<Finding>,
    comparison: Comparison,
    left_out: BTreeMap<LeftOut, usize>,
}

impl Checked {
    /// Returns the exit code.
    pub(super) fn code(&self) -> u8 {
        match () {
            () if !self.findings.is_empty() => EXIT_FINDINGS,
            () if self.comparison.new.files.1 == 0 => EXIT_NOTHING_VERIFIED,
            () => EXIT_CLEAN,
        }
    }
}

/// Checks a map against the tree of a directory, for a gate. Also returns whether any file was
/// mapped.
pub(in crate::cli) fn check_map(
    map: &Path,
    tree: &Path,
    max_drift: u8,
) -> Result<(Report, bool), Failure> {
    let name = map.to_string_lossy().replace('\\', "/");
    let given = file::regular_text(map)?;
    let settings = Settings::of_map(&given).map_err(|e| no_map(&name, &e))?;
    let snapshot = of_folder(tree, None)
        .map_err(|e| Failure::unable(e.to_string(), "a map is in the folder that it maps"))?;
    let changes = changes(tree, None, &settings.diff, &snapshot)?;
    let inputs = Inputs {
        changes: changes.as_ref(),
        ..Inputs::default()
    };
    let comparison = compare(&given, &snapshot, &settings, inputs).map_err(|e| unable(&e))?;
    let mut report = Report {
        findings: findings(&name, &comparison, max_drift),
        ..Report::default()
    };
    report.counts.errors = report.findings.len() as u64;
    report.notices.push(format!(
        "the repo map was compared with {}: drift {}, at most {max_drift} %",
        plural(comparison.new.files.1 as u64, "file"),
        percent(&comparison)
    ));
    Ok((report, comparison.new.files.1 > 0))
}

/// Formats the drift.
fn percent(comparison: &Comparison) -> String {
    let thousandths = comparison.drift();
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

/// Formats what is missing in one line.
fn line(missing: &Missing) -> String {
    match &missing.text {
        Some(text) => format!("{}: {text}", missing.path),
        None => missing.path.clone(),
    }
}

/// Returns a finding for each line that isn't true, and one for the drift.
fn findings(name: &str, comparison: &Comparison, max_drift: u8) -> Vec<Finding> {
    let mut out: Vec<Finding> = comparison
        .wrong
        .iter()
        .take(LISTED)
        .map(|wrong| finding(name, wrong.line, message(wrong), &parts(wrong)))
        .collect();
    let more = comparison.wrong.len().saturating_sub(LISTED);
    if more > 0 {
        let at = comparison.wrong.get(LISTED).map_or(1, |wrong| wrong.line);
        let message = format!(
            "{} more of the map aren't true",
            plural(more as u64, "line")
        );
        out.push(finding(name, at, message, &["more"]));
    }
    if comparison.has_drifted(max_drift) {
        let message = drift_message(comparison, max_drift);
        out.push(finding(name, 1, message, &["drift"]));
    }
    assign_fingerprints(&mut out);
    out
}

/// Says how much is missing, and names the first definitions.
fn drift_message(comparison: &Comparison, max_drift: u8) -> String {
    let missing = &comparison.missing;
    let mut out = if comparison.shown == 0 {
        "the map shows nothing that the tree has".to_owned()
    } else {
        format!(
            "{} of {} that a new map would show are missing",
            missing.len(),
            plural(comparison.expected as u64, "definition")
        )
    };
    out.push_str(&format!(
        ": drift {}, at most {max_drift} %",
        percent(comparison)
    ));
    let named: Vec<String> = missing
        .iter()
        .take(NAMED)
        .map(|m| format!("`{}`", line(m)))
        .collect();
    if !named.is_empty() {
        out.push_str(&format!("; the first: {}", named.join(", ")));
    }
    out
}

/// Says what is wrong with a line.
fn message(wrong: &Wrong) -> String {
    let text = &wrong.text;
    let of = wrong.path.as_ref().map_or(String::new(), |path| {
        if wrong.text == *path {
            String::new()
        } else {
            format!(" of `{path}`")
        }
    });
    let below = |lines: usize| match lines {
        0 => String::new(),
        _ => format!(", with {} below it", plural(lines as u64, "line")),
    };
    match &wrong.fault {
        Fault::FileGone(lines) => format!("the file `{text}` is gone{}", below(*lines)),
        Fault::Gone(lines) => format!("`{text}`{of} is gone{}", below(*lines)),
        Fault::Changed(now) => format!("`{text}`{of} has changed: it is now `{now}`"),
        Fault::Repeated => format!("`{text}`{of} is in the map more often than in the tree"),
        Fault::Foreign => format!("`{text}`{of} has no place in a repo map"),
    }
}

/// Returns what identifies a wrong line, wherever it is in the map.
fn parts(wrong: &Wrong) -> [&str; 4] {
    let path = wrong.path.as_deref().unwrap_or_default();
    let (fault, now) = match &wrong.fault {
        Fault::FileGone(_) => ("file-gone", ""),
        Fault::Gone(_) => ("gone", ""),
        Fault::Changed(now) => ("changed", now.as_str()),
        Fault::Repeated => ("repeated", ""),
        Fault::Foreign => ("foreign", ""),
    };
    [path, &wrong.text, fault, now]
}

fn finding(name: &str, line: usize, message: String, parts: &[&str]) -> Finding {
    let place = Place {
        file: name.into(),
        line: line as u64,
        column: 1,
        ..Place::default()
    };
    Finding {
        help: Some(format!(
            "write it again: `repomap build --update {name} -o {name}`"
        )),
        subject: Some(subject(parts.iter().copied())),
        ..rules::finding(Code(904), message, place)
    }
}
