//! A thought refers to a context item that isn't in its snapshot.
//!
//! ## What it does
//! The rule compares the items in `usedContext`, and in references in the reasoning or the answer
//! (`[Reference] TYPE: NAME (PATH)`), with the items of the snapshot shown for the thought: its
//! own, or the last recorded one. A leading `./` and doubled slashes are ignored. References may be
//! written as people type them: `@src/a.ts`, `@src/a.ts:10-30`, `#src/engine` (a directory) and
//! `@!check.sh` (what a script printed). If no record lists items, nothing is checked.
//!
//! ## Why it matters
//! A reference is evidence: it names the facts on which a conclusion depends, and items that are
//! used gain weight. A reference to something that the model was never shown is made up, or the
//! snapshot is incomplete.
//!
//! ## How to fix it
//! Record every item that is given to the model. Check references in the model's output against the
//! snapshot before recording the thought, and ask again if they are wrong.
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
    code: Code(601),
    name: "unknown-reference",
    severity: Severity::Error,
    aspect: None,
    summary: "a thought refers to a context item that isn't in the snapshot",
    source: include_str!("unknown_reference.rs"),
    examples: &[
        include_str!("unknown_reference.fails.jsonl"),
        include_str!("unknown_reference.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

/// Maximum number of findings listed for one record; the rest is counted.
const MOST: usize = 10;

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let unknown = cx
        .step_facts
        .anomalies()
        .context
        .iter()
        .filter_map(|b| match b {
            ContextBreak::UnknownReference { path, declared } => Some((path, *declared)),
            _ => None,
        });
    let unknown: Vec<(&String, bool)> = unknown.collect();
    for (path, declared) in unknown.iter().take(MOST) {
        let handle = out
            .report(
                &RULE,
                format!("`{path}` is referred to, but isn't in the snapshot"),
            )
            .subject(path.as_str());
        if *declared {
            handle.in_record("/usedContext");
        }
    }
    if unknown.len() > MOST {
        out.report(
            &RULE,
            format!(
                "{} more references aren't in the snapshot",
                unknown.len() - MOST
            ),
        )
        .subject(subject(
            unknown.iter().skip(MOST).map(|(path, _)| path.as_str()),
        ));
    }
}
