//! The recorded risk is lower than the analyser's result.
//!
//! ## What it does
//! The `riskLevel` of a proposed action is compared with the analyser's result. The rule fires if
//! the recorded level is lower, whoever recorded it. The analyser parses commands, reads the
//! headers of diffs and the names and parameters of tools, and takes the worst effect. Anything
//! that it can't analyse is high risk. `yuangs-verify command explain` shows how it determines the
//! level.
//!
//! `--risk v0` is the analyser of the early runtime, which searches a command for seven
//! fragments and treats every `tool_call` as low risk. `--risk off` trusts the record.
//!
//! A diff that can't be parsed and names no file is high risk. It is an error only if it was
//! executed, as for YV701; otherwise the finding is a note.
//!
//! ## Why it matters
//! The level decides whether a human is asked. An agent that calls `sudo` a medium risk gets its
//! command approved by policy alone, and so does an assessor that trusts the agent. The other rules
//! use the higher level, but a runtime that trusted its own level didn't.
//!
//! ## How to fix it
//! Make the runtime assess the risk by rules, from type and payload only, and never take it from
//! the model. Review all decisions that were made at the wrong level, not only this one.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity, subject};
use crate::replay::DiffFate;
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
    check: Check::Step(&[Trigger::Anomaly, Trigger::End], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some((recorded, found)) = cx.step_facts.anomalies().understated {
        out.report(
            &RULE,
            format!("the recorded risk is {recorded}, but the analyser finds {found}"),
        )
        .subject(subject([recorded.name(), found.name()]))
        .below_if_present("/modifiedAction/riskLevel")
        .below_if_present("/riskLevel");
    }
    for diff in cx.unread_diffs() {
        let Some((recorded, found)) = diff.understated else {
            continue;
        };
        let draft = out
            .report(
                &RULE,
                format!("the recorded risk is {recorded}, but the analyser finds {found}"),
            )
            .subject(subject([recorded.name(), found.name()]))
            .severity(diff.severity(Severity::Error));
        match diff.fate {
            DiffFate::Done | DiffFate::Failed => draft.related(diff.line, "the diff"),
            DiffFate::NotRun | DiffFate::Unknown => draft.at_line(diff.line),
        };
    }
}
