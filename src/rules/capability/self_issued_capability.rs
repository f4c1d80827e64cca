//! An agent issued a capability token.
//!
//! ## What it does
//! The `issuer` of a `capability_issued` is compared with all agents of the execution: those in
//! `agents` and every `agentId` of a thought or proposal, including later ones. No agent may issue
//! tokens, neither for its own actions nor for those of others. Ids are compared as for YV312:
//! without case, surrounding white space and invisible characters, and with letters of other
//! scripts as the letters that they look like.
//!
//! ## Why it matters
//! Tokens are issued by the governor's side. An agent that writes its own has any right it likes,
//! and revoking doesn't help: it writes another one.
//!
//! ## How to fix it
//! Let only the governor's side issue tokens, with a name of its own. Review actions executed with
//! the agent's tokens as actions that nobody allowed.
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
    code: Code(406),
    name: "self-issued-capability",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "an agent issued a token",
    source: include_str!("self_issued_capability.rs"),
    examples: &[
        include_str!("self_issued_capability.fails.jsonl"),
        include_str!("self_issued_capability.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(agent) = &cx.step_facts.anomalies().issued_by_agent {
        out.report(
            &RULE,
            format!("the token is issued by `{agent}`, which is an agent"),
        )
        .below_if_present("/issuer")
        .subject(subject(["issuer", &**agent]));
    }
    if let Some((agent, line)) = &cx.step_facts.anomalies().late_issuer {
        out.report(
            &RULE,
            format!("`{agent}` acts as an agent, but has issued a token before"),
        )
        .in_record("/agentId")
        .subject(subject(["late", &**agent]))
        .related(*line, "the token");
    }
}
