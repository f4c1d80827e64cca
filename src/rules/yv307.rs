//! A modified action has a higher risk than the proposed one.
//!
//! ## What it does
//! The risk of `modifiedAction` is compared with that of the proposal; for each it is the worse of
//! the recorded `riskLevel` and what the analyser finds (see YV310). Higher than before is a
//! finding, also when a human made the change. If neither is known, nothing is compared.
//!
//! ## Why it matters
//! The consent was asked for a listing, and a deletion runs. Whoever clicks through a dialog with
//! an edit field sees the first risk only; a runtime that edits commands "for the human" could
//! raise any harmless proposal to any level.
//!
//! ## How to mend it
//! Let a modification only narrow an action: fewer paths, fewer flags, a dry run. What is riskier
//! must be rejected and proposed anew, so that it is assessed and decided as what it is.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"See what the build left","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Look first.","done":false,"action":{"type":"shell_cmd","payload":{"command":"ls build"}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"shell_cmd","payload":{"command":"ls build"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"modified","by":"human","signer":"alice","originalActionId":"a1","modifiedAction":{"id":"a1m","type":"shell_cmd","payload":{"command":"rm -rf build"},"riskLevel":"high"},"modificationReason":"And clean it up.","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1m","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"See what the build left","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Look first.","done":false,"action":{"type":"shell_cmd","payload":{"command":"ls build"}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"shell_cmd","payload":{"command":"ls build"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"modified","by":"human","signer":"alice","originalActionId":"a1","modifiedAction":{"id":"a1m","type":"shell_cmd","payload":{"command":"ls build/js"},"riskLevel":"medium"},"modificationReason":"Only the scripts matter.","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1m","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity, subject};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(307),
    name: "modification-raises-risk",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a modified action has a higher risk than the proposed one",
    source: include_str!("yv307.rs"),
    check: Check::RuleContext(&[Trigger::Decision], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some((before, after)) = scene.judged.decided.as_ref().and_then(|d| d.raised_risk) {
        out.report(
            &RULE,
            format!("the modified action has risk {after}, the proposed one {before}"),
        )
        .below_if_there("/modifiedAction")
        .subject(subject([before.name(), after.name()]));
    }
}
