//! A `code_diff` is no valid unified diff.
//!
//! ## What it does
//! The diff of each proposed action, and of each modified one, is read strictly: headers that agree
//! with each other, hunks with exactly the lines that their `@@` line counts, names that can be
//! read, nothing behind a hunk that belongs to none. Unified diffs and git's form with its
//! creations, removals, renames, copies, modes and binary marks count alike. The message names the
//! line of the diff, the hunk, and expected and found counts.
//!
//! ## Why it matters
//! Programs that apply diffs skip what they don't understand, each in its own way. What a reviewer
//! reads as part of a change may then not be applied, and what is applied may not be what the
//! approval was given for.
//!
//! ## How to mend it
//! Let a program write the diff (`git diff`, `diff -u`) in place of the model, or count the lines
//! of each hunk again before it is proposed. `yuangs-verify patch check` says the same of a file.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Fix add()","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Needed.","done":false,"action":{"type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1,2 +1,2 @@\n-return a - b\n+return a + b\n"}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1,2 +1,2 @@\n-return a - b\n+return a + b\n"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","timestamp":1768800002510,"signer":"alice"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Fix add()","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Needed.","done":false,"action":{"type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1 +1 @@\n-return a - b\n+return a + b\n"}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1 +1 @@\n-return a - b\n+return a + b\n"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","timestamp":1768800002510,"signer":"alice"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(701),
    name: "malformed-diff",
    severity: Severity::Error,
    aspect: None,
    summary: "a `code_diff` is no valid unified diff",
    source: include_str!("yv701.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(why) = &scene.judged.anomalies().malformed_diff {
        out.report(&RULE, format!("the diff can't be read: {why}"))
            .below_if_there("/modifiedAction/payload/diff")
            .below_if_there("/payload/diff")
            .below_if_there("/payload");
    }
}
