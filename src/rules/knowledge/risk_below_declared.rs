//! The recorded risk of a call is lower than the `riskLevel` in the manifest of its tool.
//!
//! ## What it does
//! With `--tools FILE` (or `[tools] files` in the configuration of a gate), the `riskLevel` of a
//! proposed `tool_call` is compared with the one that the tool's manifest declares. If several
//! manifests declare the tool, the highest level applies. All other rules use the highest of the
//! recorded, the declared and the analysed level, so a call that its manifest calls high also needs
//! a human (YV302). A manifest never lowers the level. YV310 compares the recorded level with the
//! analyser's.
//!
//! ## Why it matters
//! The level decides whether a human is asked. Whoever wrote the manifest knows what the tool does,
//! and a runtime that records a lower level gets the call approved by policy alone.
//!
//! ## How to fix it
//! Make the runtime take the level from the manifest, never from the model. Review the decisions
//! that were made at the wrong level.
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
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(918),
    name: "risk-below-declared",
    severity: Severity::Error,
    aspect: None,
    summary: "the recorded risk is below the one that the tool's manifest declares",
    source: include_str!("risk_below_declared.rs"),
    examples: &[
        include_str!("risk_below_declared/fails/yuangs-verify.toml"),
        include_str!("risk_below_declared/fails/tools.json"),
        include_str!("risk_below_declared/fails/trace.jsonl"),
        include_str!("risk_below_declared/passes/yuangs-verify.toml"),
        include_str!("risk_below_declared/passes/tools.json"),
        include_str!("risk_below_declared/passes/trace.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some((tool, recorded, declared)) = &cx.step_facts.anomalies().below_declared {
        out.report(
            &RULE,
            format!(
                "the recorded risk is {recorded}, but the manifest of `{tool}` says {declared}"
            ),
        )
        .subject(subject([recorded.name(), declared.name()]))
        .below_if_present("/modifiedAction/riskLevel")
        .below_if_present("/riskLevel");
    }
}
