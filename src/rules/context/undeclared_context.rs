//! Content of a context item was used and not declared: the turn is weak.
//!
//! ## What it does
//! A turn that uses an item declares it: in `usedContext`, with `[Reference] TYPE: NAME (PATH)` in
//! the reasoning or the answer, or in a block of JSON in the answer (`"used_context": ["PATH"]`).
//! Where an action repeats at least eight tokens in a row of an item that is in the snapshot, and
//! its turn doesn't declare the item, this fires. White space doesn't count; a token is a word, a
//! path, or a sign (of scripts without spaces, two characters), and five of the words must differ,
//! so that brackets and rulers are no use. What the task said, what a declared item says as well,
//! and what the agent wrote before any item said it, is no use either.
//!
//! Snapshots hold no contents. What an item says is known where a message of the snapshot carries
//! it (`[Reference] TYPE: NAME (PATH)` and its text behind), and where an action of the execution
//! has read its file; of others nothing is said. The first 64 KB of a text count, and about a
//! megabyte of texts of one execution.
//!
//! `knowledge context references` asks the same of the items of a context bank, whose contents are
//! at hand.
//!
//! ## Why it matters
//! Declared use is what the importance of an item, and in the end a skill, rests on; undeclared use
//! makes conclusions that nobody can trace to what they rest on. A weak turn is no evidence:
//! nothing gains by it and nothing is promoted.
//!
//! ## How to fix it
//! Ask the model to name what it used, and compare before the thought becomes a record.
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
    summary: "content of a context item was used and not declared: the turn is weak",
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
                format!("`{path}` is used and not declared: {tokens} tokens in a row (`{quoted}`)"),
            )
            .subject(subject([path.as_str(), &digest(text)]));
        }
    }
}
