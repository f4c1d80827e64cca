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
//! {"record":"turn","executionId":"e","turnId":1,"startTime":1768800000000,"endTime":1768800000900,"contextSnapshot":{"inputHash":"i","systemPromptVersion":"p","toolSetVersion":"t"},"proposedAction":{"id":"a1","type":"answer","payload":{"content":"Tag the commit, wait for the pipeline, then publish the notes."},"riskLevel":"low","reasoning":"It is known."}}
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
//! {"record":"turn","executionId":"e","turnId":1,"startTime":1768800000000,"endTime":1768800000900,"contextSnapshot":{"inputHash":"i","systemPromptVersion":"p","toolSetVersion":"t"},"usedContext":["docs/release.md"],"proposedAction":{"id":"a1","type":"answer","payload":{"content":"Tag the commit, wait for the pipeline, then publish the notes."},"riskLevel":"low","reasoning":"It is known."}}
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
