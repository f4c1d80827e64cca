//! A result is recorded as a success but shows a failure.
//!
//! ## What it does
//! A result with `success` true must not contain an `exitCode` other than 0, an `error` with text,
//! or an `errorType`. In native formats, its output must not start with a failure mark of the early
//! runtimes, such as `[FAILED]` or `POLICY DENIED:`. The finding names the first sign of failure. A
//! recorded failure is fine.
//!
//! ## Why it matters
//! The next thought, the evaluation and all statistics depend on `success`. A run that treats
//! failures as successes claims that the tests pass when they don't, and ends with `goal_satisfied`
//! although the work wasn't done.
//!
//! ## How to fix it
//! Derive `success` from the exit code and the error in the executor, in one place. Distinguish
//! programs there that exit with non-zero codes for a good result (`grep`, `diff`), and explain the
//! code in the observation.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(316),
    name: "success-contradicted",
    severity: Severity::Warning,
    aspect: None,
    summary: "a result is recorded as a success but shows a failure",
    source: include_str!("success_contradicted.rs"),
    examples: &[
        include_str!("success_contradicted.fails.jsonl"),
        include_str!("success_contradicted.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Execution], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(result) = cx.result().filter(|r| r.success) else {
        return;
    };
    let mark = result.marks.iter().find(|m| result.output.starts_with(m));
    let sign = if let Some(code) = result.exit_code.filter(|c| *c != 0) {
        format!("the exit code is {code}")
    } else if result.error.is_some_and(|e| !e.decode().trim().is_empty()) {
        "an error is recorded".to_owned()
    } else if result.error_type {
        "an error type is recorded".to_owned()
    } else if let Some(mark) = mark {
        format!("the output starts with `{mark}`")
    } else {
        return;
    };
    out.report(&RULE, format!("`success` is true, but {sign}"))
        .below_if_present("/success")
        .below_if_present("/result/success");
}
