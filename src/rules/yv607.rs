//! The recorded hash of the context doesn't fit the recorded messages.
//!
//! ## What it does
//! In the turns of the early runtimes, `inputHash` is the SHA-256 of all messages that the model
//! was shown, as compact JSON; `recentMessages` holds the last of them. While that list is shorter
//! than what the runtime keeps (10, in the editor 5), it is complete: then the hash is computed
//! again and must be the same. A longer list can't be checked, unless the hash happens to fit.
//!
//! ## Why it matters
//! The messages are why the model acted as it did. If the hash doesn't fit them, they aren't what
//! it was shown: a prompt injection was taken out of the record afterwards, or a harmless request
//! was put in.
//!
//! ## How to mend it
//! Compute the hash over exactly what is sent, and write the messages down at the same moment, in
//! the order `role`, `content`, `timestamp`, `metadata`. If the record was edited, get the
//! original.
//!
//! ## Fails
//! ```jsonl
//! {"turnId":1,"startTime":1768800000100,"endTime":1768800000110,"contextSnapshot":{"inputHash":"f41f3fa625ff120ddca7ef456bf66371ecea23c129f4e4c32367101edb516cf8","systemPromptVersion":"p3","toolSetVersion":"t7","recentMessages":[{"role":"user","content":"Is README.md there?","timestamp":1768800000000}]},"thought":{"isDone":true,"reasoning":"It is."},"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Is README.md there?","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"It is.","done":true},"contextSnapshot":{"inputHash":"e1b21fb05f66bbee6334f0702ff8f3018582fa58ca7750ca06c4e45fb06c95f9","systemPromptVersion":"p3","toolSetVersion":"t7","recentMessages":[{"role":"user","content":"Is README.md there?","timestamp":1768800000000}]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(607),
    name: "input-hash-mismatch",
    severity: Severity::Error,
    aspect: None,
    summary: "the recorded hash of the context doesn't fit the recorded messages",
    source: include_str!("yv607.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if scene.judged.anomalies().input_hash_wrong {
        out.report(
            &RULE,
            "`inputHash` is not the hash of the recorded messages",
        )
        .whole_record("/contextSnapshot/inputHash");
    }
}
