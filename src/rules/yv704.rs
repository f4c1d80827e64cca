//! Observed changes differ from declared ones.
//!
//! ## What it does
//! `declaredChanges` of the proposal is compared with `observedChanges` of the result, as sets of
//! paths; a leading `./` and doubled slashes don't count. Changed without being declared is a
//! finding; declared and not changed is one too, unless the action failed. If changes were observed
//! and none were declared, all of them are undeclared. Without `observedChanges` nothing is
//! compared.
//!
//! With `--repo`, what the diffs that ran change is held against the same lists, and with `--head`
//! against that commit: a file that only one of both changes, or that they leave with different
//! content, is a finding. Content that a tool call records counts as a diff does; naming a file
//! accounts for none. So is a commit that can't have come about as recorded because a diff doesn't
//! apply, also where YV702 is but a warning.
//!
//! ## Why it matters
//! The approval was given for the declared files. A change besides, here to the build pipeline, is
//! what a reviewer of the diff would never see: a hook, a workflow, a lock file that brings its own
//! code along.
//!
//! ## How to mend it
//! Declare all paths that an action is to change, generated ones too. In a review look at the extra
//! files first; revert what nobody asked for, and propose it as an action of its own.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Fix add()","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Wrong sign.","done":false,"action":{"type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1 +1 @@\n-return a - b\n+return a + b\n"}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1 +1 @@\n-return a - b\n+return a + b\n"},"riskLevel":"medium","reasoning":"Needed."},"declaredChanges":["src/add.ts"]}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"ok"},"observedChanges":["src/add.ts",".github/workflows/ci.yml"]}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Fix add()","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Wrong sign.","done":false,"action":{"type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1 +1 @@\n-return a - b\n+return a + b\n"}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1 +1 @@\n-return a - b\n+return a + b\n"},"riskLevel":"medium","reasoning":"Needed."},"declaredChanges":["src/add.ts"]}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"ok"},"observedChanges":["src/add.ts"]}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity, subject};

pub(super) const RULE: Rule = Rule {
    code: Code(704),
    name: "undeclared-change",
    severity: Severity::Error,
    aspect: None,
    summary: "observed changes differ from declared ones",
    source: include_str!("yv704.rs"),
    check: Check::RuleContext(&[Trigger::Execution], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some((extra, absent)) = scene
        .judged
        .executed
        .as_ref()
        .and_then(|r| r.undeclared.as_ref())
    else {
        return;
    };
    let mut parts = Vec::new();
    if !extra.is_empty() {
        parts.push(format!("changed without being declared: {}", list(extra)));
    }
    if !absent.is_empty() {
        parts.push(format!("declared and not changed: {}", list(absent)));
    }
    let about = [
        subject(extra.iter().map(String::as_str)),
        subject(absent.iter().map(String::as_str)),
    ];
    out.report(&RULE, parts.join("; "))
        .below_if_there("/observedChanges")
        .subject(subject(about.iter().map(|paths| &**paths)));
}

/// The first few paths in backticks.
fn list(paths: &[String]) -> String {
    const MOST: usize = 5;
    let mut shown: Vec<String> = paths.iter().take(MOST).map(|p| format!("`{p}`")).collect();
    if paths.len() > MOST {
        shown.push(format!("{} more", paths.len() - MOST));
    }
    shown.join(", ")
}
