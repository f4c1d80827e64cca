//! An agent acts that the start of the execution doesn't record.
//!
//! ## What it does
//! Where `execution_started` records `agents`, every `agentId` of a thought and of a proposal must
//! be among them; the last start that records any counts. Ids that differ only in upper and lower
//! case, in white space around them or in characters that nobody sees are the same; ones that only
//! look alike aren't. The rule fires once for each agent. An empty list says that there is no
//! agent; a start without the member says nothing.
//!
//! ## Why it matters
//! The list says who may think in this execution. An agent beside it has whatever rights its
//! runtime gives it, and nobody has agreed to it; its decisions are compared with no list of agents
//! either.
//!
//! ## How to fix it
//! Name all agents in the start, or record a pause and a start that names them when one joins. If
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
        draft.whole_record("/agentId");
    }
}
