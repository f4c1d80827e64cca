//! Every trace of the corpora gives exactly what its expectation says, through the built binary.

use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

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

fn disagreement(path: &Path) -> Option<String> {
    let expectation: Expectation = serde_json::from_str(&std::fs::read_to_string(path).unwrap())
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert!(!expectation.why.is_empty(), "{}: says why", path.display());
    let trace = path.file_stem().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(path.parent().unwrap())
        .args(["replay", "--format", "json"])
        .args(&expectation.args)
        .arg(trace)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (executions, findings) = (
        report["executions"].as_array().unwrap(),
        report["findings"].as_array().unwrap(),
    );
    let agree = output.status.code() == Some(expectation.exit)
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
            "{}\n  exit {:?} (expected {})\n  {}\n  {}",
            path.display(),
            output.status.code(),
            expectation.exit,
            verdicts.join("\n  "),
            brief.join("\n  ")
        )
    })
}

#[test]
fn every_trace_gives_what_is_expected_of_it() {
    let all = expectations();
    assert!(all.len() > 100, "the corpora are there");
    let wrong: Vec<String> = all.iter().filter_map(|p| disagreement(p)).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} disagree:\n{}",
        wrong.len(),
        all.len(),
        wrong.join("\n")
    );
}
