//! A success is recorded next to the signs of a failure.
//!
//! ## What it does
//! A result with `success` true must show no sign of failure: no `exitCode` other than 0, no
//! `error` with text in it, no `errorType`. In the native formats also no output that starts with a
//! mark of the early runtimes, such as `[FAILED]` or `POLICY DENIED:`. One finding names the first
//! sign. A failure that calls itself one is fine.
//!
//! ## Why it matters
//! The next thought, the evaluation and every statistic go by `success`. A run that takes its
//! failures for successes says the tests pass when they don't, and ends with `goal_satisfied` over
//! work that was never done.
//!
//! ## How to fix it
//! Derive `success` from the exit code and the error in the executor, in one place. Programs that
//! exit with non-zero codes for a good result (`grep`, `diff`) need to be distinguished there, and
//! the code explained in the observation.
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
    summary: "a success is recorded next to the signs of a failure",
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
        "a kind of error is recorded".to_owned()
    } else if let Some(mark) = mark {
        format!("the output starts with `{mark}`")
    } else {
        return;
    };
    out.report(&RULE, format!("`success` is true, and {sign}"))
        .below_if_there("/success")
        .below_if_there("/result/success");
}
