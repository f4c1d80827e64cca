//! A turn uses what the context bank holds and doesn't declare it.
//!
//! ## What it does
//! Looks for the words of each item of the context bank in the actions and answers of the turns: eight words in a row, whatever
//! white space stands between them (eight characters in scripts without spaces). The turn must declare the item: in
//! `usedContext`, in `used_context`, or by `[Reference] TYPE: NAME (PATH)`. Where several items hold the words, one of them is enough.
//! `knowledge context references` runs it; a replay doesn't, since a trace keeps hashes of its context and no content.
//!
//! ## Why it matters
//! Items gain weight by being used with success, and skills grow out of them. A turn that hides what it used can be neither
//! credited nor blamed: it is weak, and nothing may be promoted on its evidence.
//!
//! ## How to mend it
//! Have the runtime refuse thoughts that don't declare their context, or record what was injected.
//!
//! ## Fails
//! ```toml knowledge context references --fail-on warning
//! [knowledge]
//! traces = ['trace.jsonl']
//! bank = ['bank']
//! ```
//! ```json bank/items/release.json
//! {"id":"release","path":"docs/release.md","type":"file","content":"Tag the commit, wait for the pipeline, then publish the notes by hand."}
//! ```
//! ```jsonl trace.jsonl
//! {"record":"execution_started","executionId":"e","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"How is a release made?","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"e","turnId":1,"timestamp":1768800000200,"thought":{"reasoning":"It is known.","done":false}}
//! {"record":"action_proposed","executionId":"e","turnId":1,"timestamp":1768800000300,"action":{"id":"a1","type":"answer","payload":{"content":"Tag the commit, wait for the pipeline, then publish the notes."},"risk":"low"}}
//! ```
//!
//! ## Passes
//! ```toml knowledge context references --fail-on warning
//! [knowledge]
//! traces = ['trace.jsonl']
//! bank = ['bank']
//! ```
//! ```json bank/items/release.json
//! {"id":"release","path":"docs/release.md","type":"file","content":"Tag the commit, wait for the pipeline, then publish the notes by hand."}
//! ```
//! ```jsonl trace.jsonl
//! {"record":"execution_started","executionId":"e","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"How is a release made?","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"e","turnId":1,"timestamp":1768800000200,"thought":{"reasoning":"It is known.","done":false},"usedContext":["docs/release.md"]}
//! {"record":"action_proposed","executionId":"e","turnId":1,"timestamp":1768800000300,"action":{"id":"a1","type":"answer","payload":{"content":"Tag the commit, wait for the pipeline, then publish the notes."},"risk":"low"}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(602),
    name: "undeclared-context",
    severity: Severity::Warning,
    aspect: None,
    summary: "a turn uses what the context bank holds and doesn't declare it: it is weak",
    source: include_str!("yv602.rs"),
    check: Check::Policy,
};
