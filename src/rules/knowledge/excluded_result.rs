//! A successful call had a result of a kind that the manifest of its tool excludes.
//!
//! ## What it does
//! With `--tools FILE` (or `[tools] files` in the configuration of a gate), the result of each
//! successful call is compared with `resultKinds` in the tool's manifest, a list of these kinds:
//!
//! - `empty`: no output, or only white space.
//! - `json`: a JSON object or array.
//! - `text`: any other output.
//! - `files`: the result names files in `artifacts`. Without output, that is its only kind.
//!
//! Every kind of the result must be in the list. Without `resultKinds`, all are allowed. Results of
//! failed calls aren't compared: any tool may fail with a text.
//!
//! ## Why it matters
//! The result goes back to the model. A tool that was approved to return figures and returns prose,
//! or leaves files, can carry instructions or data that nobody expected.
//!
//! ## How to fix it
//! Find out what the tool returned. If the kind is right, add it to the manifest; otherwise make
//! the runtime refuse such results.
//!
//! ## Fails
//! ```toml gate
//! ```
//! ```json tools.json
//! ```
//! ```jsonl trace.jsonl
//! ```
//!
//! ## Passes
//! ```toml gate
//! ```
//! ```json tools.json
//! ```
//! ```jsonl trace.jsonl
//! ```

use crate::diag::{Code, Severity, subject};
use crate::replay::ToolFault;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(920),
    name: "excluded-result",
    severity: Severity::Error,
    aspect: None,
    summary: "a result is of a kind that the tool's manifest excludes",
    source: include_str!("excluded_result.rs"),
    examples: &[
        include_str!("excluded_result/fails/yuangs-verify.toml"),
        include_str!("excluded_result/fails/tools.json"),
        include_str!("excluded_result/fails/trace.jsonl"),
        include_str!("excluded_result/passes/yuangs-verify.toml"),
        include_str!("excluded_result/passes/tools.json"),
        include_str!("excluded_result/passes/trace.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for fault in &cx.step_facts.anomalies().tool_faults {
        if let ToolFault::Result { tool, kind } = fault {
            out.report(
                &RULE,
                format!(
                    "the result of `{tool}` is `{}`, which its manifest excludes",
                    kind.name()
                ),
            )
            .subject(subject([tool.as_str(), kind.name()]));
        }
    }
}
