//! An injected context is over its token budget.
//!
//! ## What it does
//! A snapshot states its budget in `metadata` (`"tokenBudget": 8000`, and `"tokenizer"` if the
//! encoding isn't `o200k_base`); it holds for the following ones too, until another is stated.
//! `replay --context-budget N` sets one for traces that state none, or a lower one. It limits the
//! tokens that the items are recorded with, all together, and, where messages of the
//! snapshot carry the injected text (from the first of the sections `Background Knowledge`,
//! `Supporting Information`, `Archived References` or the first `[Reference]` on), the tokens of
//! that text, counted with the tokenizer that the finding names. Whichever are more count.
//!
//! ## Why it matters
//! What is over the budget is cut by somebody else, from the end and in silence, or pushes the task
//! itself out of the window. Recorded counts that are guessed from characters are too small for
//! code and for most languages.
//!
//! ## How to fix it
//! Summarise the least important items, then leave out the least important ones, and record what is
//! left. Count with the tokenizer of the model.
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
    summary: "an injected context is over its token budget",
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
                format!("the context is over its budget of {limit} tokens: {counted}{recorded} recorded for its items"),
            )
            .whole_record("/contextSnapshot");
        }
    }
}
