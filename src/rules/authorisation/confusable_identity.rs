//! Two ids of one execution look alike.
//!
//! ## What it does
//! The ids of agents, governors, signers and token issuers are compared with each other. The rule
//! fires if two different ids look the same to a person: `1`, `l` and `I`, `0` and `O`, `rn` and
//! `m`, or letters of another script. Ids that differ only in case, surrounding white space or
//! invisible characters count as one id and aren't reported. An agent that signs under an id that
//! looks like its own is YV312. At most 1,024 ids of an execution are compared.
//!
//! ## Why it matters
//! Reviewers read names, not bytes. If `agent-l` may sign what `agent-1` proposes, the record seems
//! to show independent governance, and everybody who reads it is misled.
//!
//! ## How to fix it
//! Give agents and people ids that differ in a word, not in a letter. If one of the two shouldn't
//! exist, find out who added it.
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
    code: Code(318),
    name: "confusable-identity",
    severity: Severity::Warning,
    aspect: None,
    summary: "two ids of one execution look alike",
    source: include_str!("confusable_identity.rs"),
    examples: &[
        include_str!("confusable_identity.fails.jsonl"),
        include_str!("confusable_identity.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Decision, Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for pair in &cx.step_facts.anomalies().confusable {
        // A signer whose name looks like an agent's is reported by YV312.
        let told = [
            &cx.step_facts.anomalies().late_agent,
            &cx.step_facts.anomalies().late_issuer,
        ]
        .into_iter()
        .flatten()
        .any(|(id, _)| *id == pair.id);
        if !told && cx.step_facts.anomalies().governing_agent.as_ref() != Some(&pair.id) {
            out.report(
                &RULE,
                format!(
                    "`{}` looks like `{}`, but is another id",
                    pair.id, pair.other
                ),
            )
            .subject(subject([&*pair.id, &*pair.other]))
            .related(pair.line, "the other id");
        }
    }
}
