//! An agent acts that isn't in the start of the execution.
//!
//! ## What it does
//! If `execution_started` contains `agents`, every `agentId` of a thought or a proposal must be
//! among them; the last start with `agents` applies. Ids that differ only in case, surrounding
//! white space or invisible characters are equal; ids that only look alike aren't. The rule fires
//! once per agent. An empty list means that there is no agent. Without `agents`, nothing is
//! checked.
//!
//! ## Why it matters
//! The list names the agents that may think in this execution. Any other agent has whatever rights
//! its runtime gives it, and nobody approved it.
//!
//! ## How to fix it
//! Name all agents in the start. If one joins later, record a pause and a start that names it. If
//! nobody knows the agent, find out who ran it.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(319),
    name: "unknown-agent",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "an agent acts that the start doesn't record",
    source: include_str!("unknown_agent.rs"),
    examples: &[
        include_str!("unknown_agent.fails.jsonl"),
        include_str!("unknown_agent.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(agent) = &cx.step_facts.anomalies().stranger else {
        return;
    };
    let draft = out
        .report(
            &RULE,
            format!("`{agent}` isn't among the agents that the start records"),
        )
        .subject(agent.as_str());
    let own = cx
        .step
        .and_then(|step| cx.entry?.resolve(&step.part.pointer("/agentId")));
    if own.is_some() {
        draft.below("/agentId");
    } else {
        draft.in_record("/agentId");
    }
}
