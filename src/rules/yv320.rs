//! After a pause somebody else governs, or other conditions hold.
//!
//! ## What it does
//! When an execution goes on after a pause (`execution_started` again, with its id), what that
//! start says is compared with what was said before. Another `governor` is an error; from there on
//! the new one counts. Another `policy.digest`, `maxTurns` or `rootIntent` is a note. What the
//! start doesn't say is unchanged, and a governor that only signs otherwise is YV312.
//!
//! ## Why it matters
//! One governor is responsible for an execution. Whoever may put another one in during a pause gets
//! the approvals that the first one refused. A task, a limit or a policy that changed on the way
//! may be right, but whoever reads the record should know.
//!
//! ## How to mend it
//! Resume with the governor that paused. If somebody else has to take over, end the execution and
//! start a new one, with `parent` set. Change limits and policies between executions.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"},"governor":{"id":"alice"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","signer":"alice","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"pause","reason":"await_human_input"}}
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800009000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"},"governor":{"id":"mallory"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":2,"timestamp":1768800009100,"thought":{"reasoning":"Done.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":2,"timestamp":1768800009180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"},"governor":{"id":"alice"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","signer":"alice","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"pause","reason":"await_human_input"}}
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800009000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"},"governor":{"id":"alice"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":2,"timestamp":1768800009100,"thought":{"reasoning":"Done.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":2,"timestamp":1768800009180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity, subject};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(320),
    name: "governor-changed",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "after a pause somebody else governs, or (a note) other conditions hold",
    source: include_str!("yv320.rs"),
    check: Check::RuleContext(&[Trigger::Start], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let resumed = &scene.judged.anomalies().resumed;
    if let Some((before, now)) = &resumed.governor {
        out.report(
            &RULE,
            format!("`{before}` governed before, and now `{now}` does"),
        )
        .below_if_there("/governor")
        .subject(subject(["governor", &**now]));
    }
    let mut note = |message: String, pointer| {
        out.report(&RULE, message)
            .severity(Severity::Note)
            .below_if_there(pointer)
            .subject(pointer);
    };
    if resumed.policy {
        note(
            "the policy isn't the one from before the pause".to_owned(),
            "/policy",
        );
    }
    if let Some((before, now)) = resumed.max_turns {
        note(
            format!("before the pause {before} turns were allowed, and now {now} are"),
            "/maxTurns",
        );
    }
    if resumed.intent {
        note(
            "what is asked for isn't what was asked for before the pause".to_owned(),
            "/rootIntent",
        );
    }
}
