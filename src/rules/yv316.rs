//! A success stands beside the signs of a failure.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(316),
    name: "success-contradicted",
    severity: Severity::Warning,
    aspect: None,
    summary: "a success stands beside the signs of a failure",
    source: include_str!("yv316.rs"),
    check: Check::Scene(check),
};

/// How the early runtimes mark what failed, refused or didn't run.
const MARKS: [&str; 3] = ["[FAILED]", "POLICY DENIED:", "GOVERNANCE REJECTED:"];

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    let Some(result) = scene.result().filter(|r| r.success) else {
        return;
    };
    let mark = MARKS.iter().find(|m| result.marks_failures && result.output.starts_with(m));
    let sign = if let Some(code) = result.exit_code.filter(|c| *c != 0) {
        format!("the exit code is {code}")
    } else if result.error.is_some_and(|e| !e.decode().trim().is_empty()) {
        "an error is recorded".to_owned()
    } else if result.error_type {
        "a kind of error is recorded".to_owned()
    } else if let Some(mark) = mark {
        format!("the output starts with `{mark}`")
    } else {
        return;
    };
    out.report(&RULE, format!("`success` is true, and {sign}")).below_if_there("/success").below_if_there("/result/success");
}
