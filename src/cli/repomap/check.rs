//! `repomap check`: checks a map against its tree.

use super::build::unable;
use super::tree::TreeArgs;
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_FINDINGS};
use crate::cli::common::formats::OutputFormat;
use crate::cli::file;
use crate::cli::output::{Color, Failure, print};
use crate::diag::{Code, Finding, Place, assign_fingerprints};
use crate::report::{findings_json, safe_json, terminal, write_findings};
use crate::rules;
use crate::trajectory::words::plural;
use crate::verify::Report;
use clap::Args;
use repo_map::{Settings, build, of_folder};
use serde_json::json;
use similar::{ChangeTag, TextDiff};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Maximum number of lines of the difference that are shown.
const MAX_LINES: usize = 200;

/// Arguments of `repomap check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    tree: TreeArgs,
    /// Check this map.
    #[arg(long, value_name = "FILE", default_value = "REPOMAP.md")]
    map: PathBuf,
    /// Output format.
    #[arg(long, value_parser = OutputFormat::parser("For people", "JSON"), default_value = "text")]
    format: OutputFormat,
}

/// A line of the difference.
struct Line {
    sign: char,
    text: String,
}

impl CheckArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let name = self.map.to_string_lossy().replace('\\', "/");
        let given = file::text(&self.map)?;
        let settings = settings(&given, &name)?;
        let built = build(&self.tree.read_for(&settings)?, &settings).map_err(|e| unable(&e))?;
        // A checkout may have converted the line ends.
        let same = given.replace("\r\n", "\n") == built.text;
        let lines = if same {
            Vec::new()
        } else {
            difference(&given, &built.text)
        };
        let findings = if same {
            Vec::new()
        } else {
            vec![finding(&name, &lines)]
        };
        print(Color::Auto, |out| match self.format {
            OutputFormat::Text => text(&name, &findings, &lines, &built, out),
            OutputFormat::Json => {
                let shown: Vec<String> = lines
                    .iter()
                    .take(MAX_LINES)
                    .map(|l| format!("{}{}", l.sign, l.text))
                    .collect();
                let value = json!({
                    "version": 1, "map": name, "stale": !same, "definitions": built.definitions.1, "files": built.files.1,
                    "diff": shown, "diffLines": lines.len(), "findings": findings_json(&findings),
                });
                writeln!(out, "{}", safe_json(&value))
            }
        })?;
        Ok(match () {
            () if !same => EXIT_FINDINGS,
            () if built.files.1 == 0 => super::tree::nothing("checked"),
            () => EXIT_CLEAN,
        })
    }
}

/// Checks a map against the tree of a directory, for a gate. Also returns whether any file was
/// mapped.
pub(in crate::cli) fn check_map(map: &Path, tree: &Path) -> Result<(Report, bool), Failure> {
    let name = map.to_string_lossy().replace('\\', "/");
    let given = file::text(map)?;
    let settings = settings(&given, &name)?;
    let snapshot = of_folder(tree, None)
        .map_err(|e| Failure::unable(e.to_string(), "a map is in the folder that it maps"))?;
    let built = build(&snapshot, &settings).map_err(|e| unable(&e))?;
    let mut report = Report::default();
    if given.replace("\r\n", "\n") != built.text {
        report
            .findings
            .push(finding(&name, &difference(&given, &built.text)));
        report.counts.errors = 1;
    }
    report.notices.push(format!(
        "the repo map was built again from {} files",
        built.files.1
    ));
    Ok((report, built.files.1 > 0))
}

fn settings(given: &str, name: &str) -> Result<Settings, Failure> {
    let remedy = "write one with `repomap build -o FILE`";
    Settings::of_map(given)
        .map_err(|e| Failure::unable(format!("`{name}` isn't a map: {e}"), remedy))
}

/// Returns the lines that differ, with one line of context.
fn difference(given: &str, built: &str) -> Vec<Line> {
    let diff = TextDiff::configure()
        .algorithm(similar::Algorithm::Patience)
        .diff_lines(given, built);
    let mut out = Vec::new();
    for group in diff.grouped_ops(1) {
        for op in &group {
            for change in diff.iter_changes(op) {
                let sign = match change.tag() {
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                    ChangeTag::Equal => ' ',
                };
                out.push(Line {
                    sign,
                    text: change.value().trim_end_matches(['\n', '\r']).to_owned(),
                });
            }
        }
    }
    out
}

fn finding(name: &str, lines: &[Line]) -> Finding {
    let count = |sign| lines.iter().filter(|l| l.sign == sign).count() as u64;
    let message = format!(
        "the map isn't what the tree gives: {} of it not there any more, {} new",
        plural(count('-'), "line"),
        count('+')
    );
    let place = Place {
        file: name.into(),
        line: 1,
        column: 1,
        ..Place::default()
    };
    let mut findings = [Finding {
        help: Some(format!(
            "build it again with the same settings: `repomap build … -o {name}`"
        )),
        ..rules::finding(Code(904), message, place)
    }];
    assign_fingerprints(&mut findings);
    let [finding] = findings;
    finding
}

fn text(
    name: &str,
    findings: &[Finding],
    lines: &[Line],
    built: &repo_map::Map,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_findings(findings, out)?;
    for line in lines.iter().take(MAX_LINES) {
        writeln!(out, "{}{}", line.sign, terminal(&line.text))?;
    }
    if lines.len() > MAX_LINES {
        writeln!(out, "… and {} lines more", lines.len() - MAX_LINES)?;
    }
    let state = if findings.is_empty() {
        "what the tree gives"
    } else {
        "stale"
    };
    writeln!(
        out,
        "{} is {state}: {} definitions in {} files were read",
        terminal(name),
        built.definitions.1,
        built.files.1
    )
}
