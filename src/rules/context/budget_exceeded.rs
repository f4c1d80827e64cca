//! An injected context exceeds its token budget.
//!
//! ## What it does
//! A snapshot states its budget in `metadata` (`"tokenBudget": 8000`, and `"tokenizer"` if the
//! encoding isn't `o200k_base`). It applies to later snapshots too, until another one is stated.
//! `replay --context-budget N` sets a budget for traces that state none, or a lower one.
//!
//! The budget limits the sum of the tokens recorded for the items. If messages of the snapshot
//! contain the injected text, it also limits the tokens of that text, counted with the tokenizer
//! that the finding names. The text begins at the first of the sections `Background Knowledge`,
//! `Supporting Information`, `Archived References` or at the first `[Reference]`. The larger number
//! counts.
//!
//! ## Why it matters
//! What exceeds the budget is silently cut from the end by another component, or displaces the task
//! itself from the window. Recorded counts that are estimated from characters are too low for code
//! and for most languages.
//!
//! ## How to fix it
//! Summarise the least important items, then leave out the least important ones, and record the
//! rest. Count with the model's tokenizer.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::replay::ContextBreak;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(605),
    name: "budget-exceeded",
    severity: Severity::Error,
    aspect: None,
    summary: "an injected context exceeds its token budget",
    source: include_str!("budget_exceeded.rs"),
    examples: &[
        include_str!("budget_exceeded.fails.jsonl"),
        include_str!("budget_exceeded.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for b in &cx.step_facts.anomalies().context {
        if let ContextBreak::OverBudget {
            recorded,
            counted,
            limit,
            tokenizer,
        } = b
        {
            let counted = match counted {
                Some(n) => format!("{n} tokens in its messages by {tokenizer}, "),
                None => String::new(),
            };
            out.report(
                &RULE,
                format!(
                    "the context is over its budget of {limit} tokens: \
                     {counted}{recorded} recorded for its items"
                ),
            )
            .in_record("/contextSnapshot");
        }
    }
}
