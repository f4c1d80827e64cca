//! The format doesn't record what a check needs.
//!
//! ## What it does
//! Formats other than version 1 don't keep everything that the checks need: signers and rule names
//! in most, actions and results in a bare log of transitions, thoughts and evaluations in the
//! editor's turns. Once for each execution this note says what its format lacks. The verdict then
//! reads *not recorded* where a yes would need it. It also tells how many lines of an event log
//! stand more than once and were read once.
//!
//! ## Why it matters
//! An approval must never be inferred from a success. If what a format can't show counted as fine,
//! the weakest format would give the cleanest report, and moving to it would be the way around
//! every rule about signers.
//!
//! ## How to mend it
//! Let the runtime write version 1 records, which have a place for all of it. Until then, take *not
//! recorded* for what it is, and get the missing evidence elsewhere, for instance from the review
//! system's log.
//!
//! ## Fails
//! ```jsonl
//! {"turnId":1,"startTime":1768800000100,"endTime":1768800000180,"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"},"thought":{"isDone":false,"type":"tool_call","payload":{"tool_name":"read_file","parameters":{"path":"README.md"}},"reasoning":"Read it."},"proposedAction":{"id":"a1","type":"tool_call","payload":{"tool_name":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Read it."},"governance":{"status":"approved","by":"auto-policy","timestamp":1768800000120},"executionResult":{"success":true,"output":"# demo"},"observation":{"summary":"Read the file.","artifacts":[]},"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(212),
    name: "evidence-not-recorded",
    severity: Severity::Note,
    aspect: None,
    summary: "the format doesn't record what a check needs",
    source: include_str!("yv212.rs"),
    check: Check::RuleContext(&[Trigger::End], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(close) = scene.close
        && let Some(parts) = close.not_recorded
    {
        let format = scene.execution.format().name();
        let repeats = match close.repeats {
            0 => String::new(),
            1 => "; 1 line stands twice and was read once".to_owned(),
            n => format!("; {n} lines stand more than once and were read once"),
        };
        out.report(
            &RULE,
            format!("the format `{format}` doesn't record: {parts}{repeats}"),
        )
        .at_line(scene.execution.first_line());
    }
}
