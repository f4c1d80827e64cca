//! The recorded risk is below what the analyser finds.
//!
//! ## What it does
//! `riskLevel` of a proposed action is compared with what the analyser finds. A recorded level
//! below it is a finding, whoever wrote it; one above is not. The analyser parses commands, reads
//! the headers of diffs and the names and parameters of tools, and takes the worst effect; what it
//! can't tell is high (`yuangs-verify command explain` shows how it comes to its level).
//! `--risk v0` is the analyser of the early runtime, which searches a command for six fragments and
//! takes every `tool_call` for low; `--risk off` believes the record.
//!
//! ## Why it matters
//! The level decides whether a human is asked. An agent, or an assessor fed by one, that calls
//! `sudo` medium gets its command past the people by policy alone. The other rules rely on the
//! worse level, but a runtime that believes its own didn't.
//!
//! ## How to fix it
//! Let the runtime assess the risk by rules, from type and payload only, and never take it from the
//! model. Review all decisions that were made at the wrong level, not only at this one.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity, subject};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(310),
    name: "risk-understated",
    severity: Severity::Error,
    aspect: None,
    summary: "the recorded risk is below what the analyser finds",
    source: include_str!("risk_understated.rs"),
    examples: &[
        include_str!("risk_understated.fails.jsonl"),
        include_str!("risk_understated.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some((recorded, found)) = cx.step_facts.anomalies().understated {
        out.report(
            &RULE,
            format!("the recorded risk is {recorded}, and the analyser finds {found}"),
        )
        .subject(subject([recorded.name(), found.name()]))
        .below_if_there("/modifiedAction/riskLevel")
        .below_if_there("/riskLevel");
    }
}
