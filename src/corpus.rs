//! The expected results of a corpus of traces, and their comparison with a replay.
//!
//! An expectation is a file `NAME.EXT.expect` next to a trace `NAME.EXT`; corpora/traces/README.md
//! describes it. The tests and `cargo xtask expect` use the same functions.

use crate::diag::Severity;
use crate::replay::Assessor;
use crate::report::{Outcome, write_json};
use crate::rules::SignatureRequirement;
use crate::source::discover;
use crate::trace::Format;
use crate::trace::keys::TrustStore;
use crate::verify::{Options, verify};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// The expected result of replaying a trace.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expectation {
    /// Further arguments of `replay`. Paths are relative to the directory of the trace.
    #[serde(default)]
    pub args: Vec<String>,
    /// What the trace demonstrates, in one sentence.
    pub why: String,
    /// Exit code of the replay.
    pub exit: i32,
    /// Expected members of each execution in the report, in order.
    pub executions: Vec<Value>,
    /// Expected members of each finding in the report, in order.
    pub findings: Vec<Value>,
}

impl Expectation {
    /// Returns true if a report contains everything that is expected, and no further execution or
    /// finding.
    #[must_use]
    pub fn agrees(&self, exit: i32, report: &Value) -> bool {
        let rows_agree = |name: &str, expected: &[Value]| {
            report
                .get(name)
                .and_then(Value::as_array)
                .is_some_and(|rows| {
                    rows.len() == expected.len()
                        && expected.iter().zip(rows).all(|(e, row)| contains(row, e))
                })
        };
        exit == self.exit
            && rows_agree("executions", &self.executions)
            && rows_agree("findings", &self.findings)
    }

    /// Converts the arguments to options of a verification.
    fn options(&self, directory: &Path) -> Result<Options, String> {
        let mut options = Options {
            threads: 1,
            ..Options::default()
        };
        for pair in self.args.chunks(2) {
            let [name, value] = pair else {
                return Err(format!("`{}` has no value", pair.join(" ")));
            };
            match (name.as_str(), value.as_str()) {
                ("--risk", "off") => options.settings.assessor = Assessor::Off,
                ("--risk", "v0") => options.settings.assessor = Assessor::V0,
                ("--require-signatures", "human") => {
                    options.settings.signed = Some(SignatureRequirement::Human);
                }
                ("--require-signatures", "all") => {
                    options.settings.signed = Some(SignatureRequirement::All);
                }
                ("--keys", file) => {
                    let path = directory.join(file);
                    let text = std::fs::read_to_string(&path)
                        .map_err(|e| format!("{}: {e}", path.display()))?;
                    let store = TrustStore::parse(&text).map_err(|e| format!("`{file}`: {e}"))?;
                    options.settings.keys = Some(store);
                }
                ("--context-budget", _) => {
                    options.settings.context_budget = Some(parsed(value)?);
                }
                ("--approval-timeout", _) => {
                    options.settings.approval_timeout = Some(parsed(value)?);
                }
                ("--max-record-bytes", _) => options.limits.record_bytes = parsed(value)?,
                ("--format-in", name) => {
                    options.format =
                        Some(Format::parse(name).ok_or_else(|| format!("no format `{name}`"))?);
                }
                _ => {
                    return Err(format!(
                        "`{name} {value}` isn't an option of an expectation"
                    ));
                }
            }
        }
        Ok(options)
    }
}

fn parsed<T: std::str::FromStr>(number: &str) -> Result<T, String> {
    number
        .parse()
        .map_err(|_| format!("`{number}` is not a number"))
}

/// Returns true if a value contains the expected one. Objects may have further members.
fn contains(found: &Value, expected: &Value) -> bool {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => expected
            .iter()
            .all(|(name, value)| found.get(name).is_some_and(|f| contains(f, value))),
        _ => expected == found,
    }
}

/// Replays the trace next to an expectation. Returns the exit code and the JSON report.
///
/// # Errors
/// When an argument of the expectation isn't supported, or its trust file can't be read.
pub fn verified(path: &Path, expectation: &Expectation) -> Result<(i32, Value), String> {
    let options = expectation.options(path.parent().unwrap_or(Path::new(".")))?;
    let report = verify(&discover(&[path.with_extension("")]), &options);
    let exit = match Outcome::of(&report, Some(Severity::Error), false) {
        Outcome::Clean | Outcome::Unenforced(_) => 0,
        Outcome::Findings => 1,
        Outcome::Unable(_) => 2,
        Outcome::Empty(_) => 3,
    };
    let mut json = Vec::new();
    write_json(&report, &mut json).map_err(|e| e.to_string())?;
    let report = serde_json::from_slice(&json).map_err(|e| e.to_string())?;
    Ok((exit, report))
}
