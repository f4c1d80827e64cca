//! A context diff contradicts its two snapshots.
//!
//! ## What it does
//! `added`, `removed` and `changed` of a `context_changed` record, or of `contextDiff` in a turn,
//! are compared with the snapshot next to them and with the previous one. They must name exactly
//! the paths that were added, were removed, or have another hash.
//!
//! Without a previous snapshot, only contradictions to the current one are findings. Without any
//! snapshot, a diff is compared with itself and with earlier diffs: it may not add what exists, and
//! not remove or change what was removed. Such a diff is also listed as not recorded (YV606,
//! YV212).
//!
//! ## Why it matters
//! People read the diff to see on what new facts a conclusion depends. An item that changes without
//! being named was replaced after the conclusion was drawn from the old one.
//!
//! ## How to fix it
//! Derive the diff from the two snapshots instead of maintaining it manually, and record each
//! change of the context.
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
use crate::trace::step::Fact;

pub(super) const RULE: Rule = Rule {
    code: Code(603),
    name: "context-diff-mismatch",
    severity: Severity::Error,
    aspect: None,
    summary: "a context diff contradicts its two snapshots",
    source: include_str!("context_diff_mismatch.rs"),
    examples: &[
        include_str!("context_diff_mismatch.fails.jsonl"),
        include_str!("context_diff_mismatch.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

/// Maximum number of findings listed for one record; the rest is counted.
const MOST: usize = 10;

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let wrong = cx
        .step_facts
        .anomalies()
        .context
        .iter()
        .filter_map(|b| match b {
            ContextBreak::DiffMismatch { what, about } => Some((what, about)),
            _ => None,
        });
    let wrong: Vec<(&String, &String)> = wrong.collect();
    let of_turn = cx
        .step
        .is_none_or(|step| !matches!(step.fact, Fact::Context));
    let diff = if of_turn { "/contextDiff" } else { "/diff" };
    for (what, about) in wrong.iter().take(MOST) {
        out.report(&RULE, what.as_str())
            .in_record(diff)
            .subject(about.as_str());
    }
    if wrong.len() > MOST {
        out.report(
            &RULE,
            format!("{} more differences from the snapshots", wrong.len() - MOST),
        )
        .subject(subject(
            wrong.iter().skip(MOST).map(|(_, about)| about.as_str()),
        ));
    }
}
