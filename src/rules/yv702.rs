//! A diff that is said to have succeeded doesn't apply to the base revision.
//!
//! ## What it does
//! With `--repo`, the diffs that ran and succeeded are applied in memory, in the order of the
//! input, to the tree of `--base` (or `HEAD`), each to what the ones before it gave. Context must
//! match byte for byte; line numbers may be off. A diff to a file that a recorded command or tool
//! has written before can't be judged and isn't reported, nor can a part about a binary file; the
//! other parts of such a diff are taken over. After a command of which nobody recorded what it
//! changed the finding is a warning. The message never repeats lines of files.
//!
//! ## Why it matters
//! A record that claims success for a change which can't have been made wasn't written by what made
//! the change, or the work began on another revision than the review assumes. Either way it doesn't
//! account for the pull request.
//!
//! ## How to mend it
//! Name the revision that the work began on (`--base`). If that is right, see what the runtime
//! records as success, and have it record the error when a diff doesn't apply.
//!
//! ## Repository
//! ```text src/add.ts
//! export function add(a, b) {
//!   return a - b
//! }
//! ```
//!
//! ## Fails
//! ```jsonl --repo .
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Fix add()","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Wrong sign.","done":false,"action":{"type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1,3 +1,3 @@\n export function add(a, b) {\n-  return a * b\n+  return a + b\n }\n"}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1,3 +1,3 @@\n export function add(a, b) {\n-  return a * b\n+  return a + b\n }\n"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl --repo .
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Fix add()","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Wrong sign.","done":false,"action":{"type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1,3 +1,3 @@\n export function add(a, b) {\n-  return a - b\n+  return a + b\n }\n"}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1,3 +1,3 @@\n export function add(a, b) {\n-  return a - b\n+  return a + b\n }\n"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(702),
    name: "diff-does-not-apply",
    severity: Severity::Error,
    aspect: None,
    summary: "an executed, successful diff doesn't apply to the base revision",
    source: include_str!("yv702.rs"),
    check: Check::Repository,
};
