//! An agent signed a decision, or two governors did.
//!
//! ## What it does
//! `signer` of a decision is compared with all agents of the execution: those in `agents` and every
//! `agentId` of a thought or proposal. The rule fires in these cases:
//!
//! - An agent signs a decision.
//! - An agent is the `governor`, whether it signs or not.
//! - There is a second governor. Policy decisions must be signed by the `governor` of the start, or
//!   else by the signer of the first one. Several humans may take turns, unless the recorded
//!   `governor` is one of them and has signed.
//!
//! Ids that differ only in case, surrounding white space or invisible characters are one id (after
//! Unicode NFKC). An id with letters of another script that looks like an agent's id counts as that
//! agent's. A decision without `signer` isn't compared.
//!
//! ## Why it matters
//! The proposer must not decide. An agent that signs its own decisions makes every approval in the
//! trace worthless, and with two governors an agent can ask the one who says yes.
//!
//! ## How to fix it
//! Keep the names and keys of agents and governors apart, and let only the governor's side write
//! decisions. Have each decision that an agent signed made again by a person.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity, subject};
use crate::replay::Aspect;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(312),
    name: "self-governance",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "an agent signed a decision, or two governors did",
    source: include_str!("self_governance.rs"),
    examples: &[
        include_str!("self_governance.fails.jsonl"),
        include_str!("self_governance.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Decision, Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some((agent, line)) = &cx.step_facts.anomalies().late_agent {
        out.report(
            &RULE,
            format!("`{agent}` acts as an agent, but has signed a decision before"),
        )
        .in_record("/agentId")
        .subject(subject(["late agent", &**agent]))
        .related(*line, "the decision");
    }
    if let Some(agent) = &cx.step_facts.anomalies().governing_agent {
        let draft = out
            .report(
                &RULE,
                format!("`{agent}` is an agent, but governs this execution"),
            )
            .subject(subject(["governing agent", &**agent]));
        if cx.starts() {
            draft.below_if_present("/governor");
        } else {
            draft.in_record("/agentId");
        }
    }
    let Some(decided) = &cx.step_facts.decided else {
        return;
    };
    if let Some(agent) = &decided.signed_by_agent {
        out.report(
            &RULE,
            format!("the decision is signed by `{agent}`, which is an agent"),
        )
        .below_if_present("/signer")
        .subject(subject(["signing agent", &**agent]));
    } else if let Some((signer, governor)) = &decided.second_governor {
        out.report(
            &RULE,
            format!(
                "the decision is signed by `{signer}`, but the governor of this execution is `{governor}`"
            ),
        )
        .below_if_present("/signer")
        .subject(subject(["second governor", &**signer]));
    }
}
