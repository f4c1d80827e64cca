//! The sections of the injected context are out of order.
//!
//! ## What it does
//! A message that carries context groups its items under three headings: *Background Knowledge
//! (High Confidence)*, *Supporting Information (Medium Confidence)* and *Archived References (Low
//! Confidence)*. The rule fires if one of them comes after a less certain one. A section may be
//! missing. Only messages with a marked item (`[Reference] TYPE: NAME (PATH)`) are checked.
//!
//! ## Why it matters
//! The prompt says that the first section holds facts. What comes first is also what the model
//! trusts most, and what remains when the context is shortened. Archived text ahead of facts turns
//! an old guess into the basis of an action.
//!
//! ## How to fix it
//! Sort items by section before the message is composed, and never merge two sections.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity, subject};
use crate::replay::ContextBreak;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(608),
    name: "section-out-of-order",
    severity: Severity::Error,
    aspect: None,
    summary: "a section of the injected context follows a less certain one",
    source: include_str!("section_out_of_order.rs"),
    examples: &[
        include_str!("section_out_of_order.fails.jsonl"),
        include_str!("section_out_of_order.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for broken in &cx.step_facts.anomalies().context {
        if let ContextBreak::SectionOrder { section, before } = broken {
            out.report(
                &RULE,
                format!("the section `{section}` comes after `{before}`"),
            )
            .subject(subject([*section, *before]));
        }
    }
}
