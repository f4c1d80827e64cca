//! Every trace of the corpora gives exactly what its expectation says.
//!
//! The traces are verified in this process, so the tables of programs and secrets are read once. One
//! trace in forty also goes through the built binary, which must agree.

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use yuangs_verify::diag::Severity;
use yuangs_verify::replay::Assessor;
use yuangs_verify::report::{Outcome, write_json};
use yuangs_verify::rules::Signed;
use yuangs_verify::source::discover;
use yuangs_verify::trace::Format;
use yuangs_verify::trace::keys::TrustStore;
use yuangs_verify::verify::{Options, verify};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Expectation {
    #[serde(default)]
    args: Vec<String>,
    why: String,
    exit: i32,
    executions: Vec<Value>,
    findings: Vec<Value>,
}

fn expectations() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/traces");
    let mut all: Vec<PathBuf> = walkdir::WalkDir::new(root)
        .into_iter()
        .map(|e| e.unwrap().into_path())
        .filter(|p| p.extension().is_some_and(|e| e == "expect"))
        .collect();
    all.sort();
    all
}

/// Whether everything that `expected` says is in `found`.
fn holds(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => expected
            .iter()
            .all(|(name, value)| found.get(name).is_some_and(|f| holds(value, f))),
        _ => expected == found,
    }
}

/// The options that the arguments of an expectation name.
fn options(arguments: &[String], directory: &Path) -> Options {
    let mut options = Options {
        threads: 1,
        ..Options::default()
    };
    for pair in arguments.chunks(2) {
        let [name, value] = pair else {
            panic!("{arguments:?}: an option without a value")
        };
        let settings = &mut options.settings;
        match name.as_str() {
            "--risk" => {
                settings.assessor = match value.as_str() {
                    "off" => Assessor::Off,
                    "v0" => Assessor::V0,
                    other => panic!("no risk profile `{other}`"),
                }
            }
            "--keys" => {
                let text = std::fs::read_to_string(directory.join(value)).unwrap();
                settings.keys = Some(TrustStore::parse(&text).unwrap());
            }
            "--require-signatures" => {
                settings.signed = Some(match value.as_str() {
                    "human" => Signed::Human,
                    "all" => Signed::All,
                    other => panic!("no signers `{other}`"),
                });
            }
            "--context-budget" => settings.context_budget = Some(value.parse().unwrap()),
            "--max-record-bytes" => options.limits.record_bytes = value.parse().unwrap(),
            "--format-in" => options.format = Some(Format::parse(value).unwrap()),
            other => panic!("the option `{other}` is not known here"),
        }
    }
    options
}

/// The exit code and the JSON report of a trace.
fn verified(path: &Path, expectation: &Expectation) -> (i32, Value) {
    let directory = path.parent().unwrap();
    let options = options(&expectation.args, directory);
    let report = verify(&discover(&[path.with_extension("")]), &options);
    let exit = match Outcome::of(&report, Some(Severity::Error), false) {
        Outcome::Clean | Outcome::Unenforced(_) => 0,
        Outcome::Findings => 1,
        Outcome::Unable(_) => 2,
        Outcome::Empty(_) => 3,
    };
    let mut json = Vec::new();
    write_json(&report, &mut json).unwrap();
    (exit, serde_json::from_slice(&json).unwrap())
}

/// The same from the built binary.
fn verified_by_the_command(path: &Path, expectation: &Expectation) -> (i32, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(path.parent().unwrap())
        .args(["replay", "--format", "json"])
        .args(&expectation.args)
        .arg(path.file_stem().unwrap())
        .output()
        .unwrap();
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    (output.status.code().unwrap(), report)
}

fn disagreement(path: &Path, by_command: bool) -> Option<String> {
    let expectation: Expectation = serde_json::from_str(&std::fs::read_to_string(path).unwrap())
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert!(!expectation.why.is_empty(), "{}: says why", path.display());
    let (exit, report) = if by_command {
        verified_by_the_command(path, &expectation)
    } else {
        verified(path, &expectation)
    };
    let (executions, findings) = (
        report["executions"].as_array().unwrap(),
        report["findings"].as_array().unwrap(),
    );
    let agree = exit == expectation.exit
        && executions.len() == expectation.executions.len()
        && expectation
            .executions
            .iter()
            .zip(executions)
            .all(|(e, f)| holds(e, f))
        && findings.len() == expectation.findings.len()
        && expectation
            .findings
            .iter()
            .zip(findings)
            .all(|(e, f)| holds(e, f));
    (!agree).then(|| {
        let brief: Vec<String> = findings
            .iter()
            .map(|f| {
                format!(
                    "{} {}:{} {}",
                    f["code"], f["line"], f["column"], f["message"]
                )
            })
            .collect();
        let verdicts: Vec<String> = executions
            .iter()
            .map(|e| {
                format!(
                    "{} {} {} {}",
                    e["executionId"], e["verdict"], e["turns"], e["finalState"]
                )
            })
            .collect();
        format!(
            "{}\n  exit {} (expected {})\n  {}\n  {}",
            path.display(),
            exit,
            expectation.exit,
            verdicts.join("\n  "),
            brief.join("\n  ")
        )
    })
}

fn check(all: &[PathBuf], by_command: bool) {
    let wrong: Vec<String> = all
        .par_iter()
        .filter_map(|path| disagreement(path, by_command))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {} disagree:\n{}",
        wrong.len(),
        all.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_trace_gives_what_is_expected_of_it() {
    let all = expectations();
    assert!(all.len() > 700, "the corpora are there");
    check(&all, false);
}

#[test]
fn the_command_agrees() {
    let some: Vec<PathBuf> = expectations().into_iter().step_by(40).collect();
    check(&some, true);
}
