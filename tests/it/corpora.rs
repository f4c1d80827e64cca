//! Every trace of the corpora gives exactly the expected result.
//!
//! The traces are verified in this process, so the tables of programs and secrets are read once.
//! One trace in forty also goes through the built binary, which must agree.

use rayon::prelude::*;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use yuangs_verify::corpus::{Expectation, verified};

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

/// The exit code and the JSON report of the built binary.
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
        verified(path, &expectation).unwrap()
    };
    let (executions, findings) = (
        report["executions"].as_array().unwrap(),
        report["findings"].as_array().unwrap(),
    );
    let agree = expectation.agrees(exit, &report);
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
