//! A thought refers to a context item that isn't in its snapshot.
//!
//! ## What it does
//! What `usedContext` names, and what references in the reasoning or the answer name
//! (`[Reference] TYPE: NAME (PATH)`), is looked up among the items of the snapshot that the thought
//! was shown: its own, or the last one that was recorded. A leading `./` and doubled slashes don't
//! count. Where no record lists items, nothing can be said and nothing is.
//!
//! ## Why it matters
//! A reference is evidence: it says which facts a conclusion rests on, and items that are used gain
//! weight. One to something that the model was never shown is made up, or the snapshot doesn't say
//! all that was shown.
//!
//! ## How to fix it
//! Record every item that is put before the model. Check references in the model's output against
//! the snapshot before the thought becomes a record, and ask again where they don't hold.
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
                format!("`{path}` is referred to, and isn't in the snapshot"),
            )
            .subject(path.as_str());
        if *declared {
            handle.whole_record("/usedContext");
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
