//! A context item was used without being declared: the turn is weak.
//!
//! ## What it does
//! A turn declares the items that it uses: in `usedContext`, with `[Reference] TYPE: NAME (PATH)`
//! in the reasoning or the answer, or in a JSON block in the answer (`"used_context": ["PATH"]`).
//! The rule fires if an action repeats at least eight consecutive tokens of an item in the snapshot
//! and the turn doesn't declare the item.
//!
//! A token is a word, a path or a symbol; in scripts without spaces, two characters. White space is
//! ignored. Five of the words must differ, so that brackets and rulers don't count. Text that also
//! appears in the task, in a declared item, or in earlier text of the agent before any item
//! contained it, doesn't count.
//!
//! Snapshots don't contain contents. The text of an item is known if a message of the snapshot
//! contains it (`[Reference] TYPE: NAME (PATH)`, followed by its text), or if an action of the
//! execution has read its file. Other items aren't checked. The first 64 KB of a text are compared,
//! and about a megabyte of texts per execution.
//!
//! `knowledge context references` performs the same check for the items of a context bank, whose
//! contents are available.
//!
//! ## Why it matters
//! Declared use determines the importance of an item, and in the end of a skill. Undeclared use
//! leads to conclusions that nobody can trace to their sources. A weak turn isn't evidence: it
//! raises no score and promotes nothing.
//!
//! ## How to fix it
//! Ask the model to name what it used, and compare before recording the thought.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity, digest, subject};
use crate::replay::ContextBreak;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(602),
    name: "undeclared-context",
    severity: Severity::Warning,
    aspect: None,
    summary: "a context item was used without being declared: the turn is weak",
    source: include_str!("undeclared_context.rs"),
    examples: &[
        include_str!("undeclared_context.fails.jsonl"),
        include_str!("undeclared_context.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

/// Maximum number of characters of the repeated text to quote.
const QUOTED: usize = 60;

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for b in &cx.step_facts.anomalies().context {
        if let ContextBreak::Undeclared { path, text, tokens } = b {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let mut quoted: String = words.chars().take(QUOTED).collect();
            if quoted.len() < words.len() {
                quoted.push('…');
            }
            out.report(
                &RULE,
                format!(
                    "`{path}` is used but not declared: {tokens} consecutive tokens (`{quoted}`)"
                ),
            )
            .subject(subject([path.as_str(), &digest(text)]));
        }
    }
}
