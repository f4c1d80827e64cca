//! An id is used twice.
//!
//! ## What it does
//! An action's `id` may be proposed once in an execution, and an `executionId` may be started once.
//! Exceptions: a rejected action may be proposed again unchanged, and an execution may start again
//! after a `pause` (under version 0, after its end). A whole turn that comes again is YV206, a
//! token that is issued again YV403, a modified action with a taken id YV308.
//!
//! ## Why it matters
//! Decisions, results and tokens refer to actions by id. If two actions share one, an approval of
//! the harmless first is an approval of the second, and the record can't say which of them ran.
//!
//! ## How to mend it
//! Draw ids from a counter or at random for each proposal, and never reuse one after a retry: a
//! changed action is a new action. Start a new execution with a new id and name the old one in
//! `parent`.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise the docs","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"turn","executionId":"exec_1","turnId":1,"startTime":1768800000100,"endTime":1768800000180,"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"},"thought":{"reasoning":"Read it first.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"proposedAction":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Read it first."},"governance":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120},"executionResult":{"success":true,"output":"ok"},"observation":{"summary":"Done.","artifacts":[]},"evaluation":{"kind":"continue","reason":"incomplete"}}
//! {"record":"turn","executionId":"exec_1","turnId":2,"startTime":1768800000300,"endTime":1768800000380,"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"},"thought":{"reasoning":"Then the folder.","done":false,"action":{"type":"tool_call","payload":{"tool":"list_files","parameters":{"path":"docs"}}}},"proposedAction":{"id":"a1","type":"tool_call","payload":{"tool":"list_files","parameters":{"path":"docs"}},"riskLevel":"low","reasoning":"Then the folder."},"governance":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000320},"executionResult":{"success":true,"output":"ok"},"observation":{"summary":"Done.","artifacts":[]},"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise the docs","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"turn","executionId":"exec_1","turnId":1,"startTime":1768800000100,"endTime":1768800000180,"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"},"thought":{"reasoning":"Read it first.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"proposedAction":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Read it first."},"governance":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120},"executionResult":{"success":true,"output":"ok"},"observation":{"summary":"Done.","artifacts":[]},"evaluation":{"kind":"continue","reason":"incomplete"}}
//! {"record":"turn","executionId":"exec_1","turnId":2,"startTime":1768800000300,"endTime":1768800000380,"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"},"thought":{"reasoning":"Then the folder.","done":false,"action":{"type":"tool_call","payload":{"tool":"list_files","parameters":{"path":"docs"}}}},"proposedAction":{"id":"a2","type":"tool_call","payload":{"tool":"list_files","parameters":{"path":"docs"}},"riskLevel":"low","reasoning":"Then the folder."},"governance":{"status":"approved","by":"policy","actionId":"a2","ruleId":"allow-read","timestamp":1768800000320},"executionResult":{"success":true,"output":"ok"},"observation":{"summary":"Done.","artifacts":[]},"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity, subject};
use crate::replay::Aspect;
use crate::replay::Movement;

pub(super) const RULE: Rule = Rule {
    code: Code(209),
    name: "duplicate-identity",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "an id is used twice",
    source: include_str!("yv209.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(reuse) = &scene.judged.anomalies().reuse {
        // A whole turn that comes again brings its ids with it, and is reported as a turn.
        let out_of_place = scene
            .judged
            .movement
            .is_some_and(|m| m.movement != Movement::Legal);
        if reuse.of == "action" && (scene.execution.turn().repeated || out_of_place) {
            return;
        }
        let draft = out
            .report(
                &RULE,
                format!("the {} id `{}` is used a second time", reuse.of, reuse.id),
            )
            .subject(subject([reuse.of, &reuse.id]));
        let draft = if reuse.of == "action" {
            draft.below_if_there("/id")
        } else {
            draft.whole_record("/executionId")
        };
        draft.related(reuse.line, "first used here");
    }
}
