//! Two ids of one execution look alike.
//!
//! ## What it does
//! Ids of agents, of the governor, of signers and of issuers of tokens are compared with each
//! other. The rule fires where two of them differ and look the same to a person: `1`, `l` and `I`,
//! `0` and `O`, `rn` and `m`, letters of another script. Ids that differ only in upper and lower
//! case, in white space around them or in characters that nobody sees are one id and no finding. An
//! agent that signs under an id that passes for its own is YV312. Of one execution 1,024 ids are
//! compared.
//!
//! ## Why it matters
//! A reviewer reads names, not bytes. Where `agent-l` may sign what `agent-1` proposes, the record
//! says that nobody governs himself, and everybody who reads it believes the wrong thing.
//!
//! ## How to fix it
//! Give agents and people ids that differ in a word, not in a letter. If one of the two was never
//! meant to be there, find out who added it.
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
                    "`{}` looks like `{}` and is another id",
                    pair.id, pair.other
                ),
            )
            .subject(subject([&*pair.id, &*pair.other]))
            .related(pair.line, "the other id");
        }
    }
}
