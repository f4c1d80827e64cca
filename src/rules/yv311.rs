//! A result or an observation stands outside its state.
//!
//! ## What it does
//! An observation that names an action (`actionId`) must name the one that ran in its turn, by the
//! id that it ran under. `execution_finished` belongs to `EXECUTING` and `observation_recorded` to
//! `OBSERVING`. The rule fires for a result or an observation in any other state; what follows from
//! it is listed with it. A result that ran without leave or a second time is told as that (YV301,
//! YV309, YV313, YV404), and one after the end as YV204.
//!
//! ## Why it matters
//! An observation without a result is a claim about something that, for all the record shows, never
//! ran. The next thought builds on it: this is how made-up test results and invented file contents
//! get into a run.
//!
//! ## How to mend it
//! Record the result when the executor returns, before anything is observed, and derive the
//! observation from it. If the result's record was lost, mend the writer, and don't rely on what
//! the observation says.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
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
use crate::diag::{Code, Severity, subject};
use crate::replay::Aspect;
use crate::replay::{Approval, Breach};
use governance::Event;

pub(super) const RULE: Rule = Rule {
    code: Code(311),
    name: "result-without-execution",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "a result or an observation stands outside its state, or is of another action",
    source: include_str!("yv311.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some((named, ran)) = &scene.judged.anomalies().observed_other {
        let own = scene
            .step
            .and_then(|step| scene.entry?.resolve(&step.part.pointer("/actionId")));
        let draft = out.report(
            &RULE,
            format!("the observation is of action `{named}`, and `{ran}` ran"),
        );
        if own.is_some() {
            draft.below("/actionId");
        } else {
            draft.whole_record("/actionId");
        }
    }
    let Some(moved) = &scene.judged.movement else {
        return;
    };
    if moved.breach != Some(Breach::ResultOutsideState) {
        return;
    }
    // Something that ran without leave, or twice, is told as that.
    let told = scene.judged.executed.as_ref().is_some_and(|r| {
        matches!(r.approval, Approval::Missing | Approval::Rejected) || r.repeat.is_some()
    });
    if !told {
        let what = if moved.event == Event::ExecutionFinished {
            "a result"
        } else {
            "an observation"
        };
        out.report(&RULE, format!("{what} stands in {}", moved.before))
            .path(scene)
            .subject(subject([&*moved.event.to_string(), moved.before.name()]));
    }
}
