//! The recorded risk is below what the analyser finds.
//!
//! ## What it does
//! `riskLevel` of a proposed action is compared with what the analyser finds. A recorded level
//! below it is a finding, whoever wrote it; one above is not. The analyser parses commands, reads
//! the headers of diffs and the names and parameters of tools, and takes the worst effect; what it
//! can't tell is high (`yuangs-verify command explain` shows how it comes to its level).
//! `--risk v0` is the analyser of the early runtime, which searches a command for six fragments and
//! takes every `tool_call` for low; `--risk off` believes the record.
//!
//! ## Why it matters
//! The level decides whether a human is asked. An agent, or an assessor fed by one, that calls
//! `sudo` medium gets its command past the people by policy alone. The other rules judge by the
//! worse level, but a runtime that believes its own didn't.
//!
//! ## How to mend it
//! Let the runtime assess the risk by rules, from type and payload only, and never take it from the
//! model. Look at all decisions that were made at the wrong level, not only at this one.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Restart the web server","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"It hangs.","done":false,"action":{"type":"shell_cmd","payload":{"command":"sudo systemctl restart nginx"}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"shell_cmd","payload":{"command":"sudo systemctl restart nginx"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":""}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Restart the web server","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"It hangs.","done":false,"action":{"type":"shell_cmd","payload":{"command":"sudo systemctl restart nginx"}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"shell_cmd","payload":{"command":"sudo systemctl restart nginx"},"riskLevel":"high","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":""}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity, subject};

pub(super) const RULE: Rule = Rule {
    code: Code(310),
    name: "risk-understated",
    severity: Severity::Error,
    aspect: None,
    summary: "the recorded risk is below what the analyser finds",
    source: include_str!("yv310.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some((recorded, found)) = scene.judged.anomalies().understated {
        out.report(
            &RULE,
            format!("the recorded risk is {recorded}, and the analyser finds {found}"),
        )
        .subject(subject([recorded.name(), found.name()]))
        .below_if_there("/modifiedAction/riskLevel")
        .below_if_there("/riskLevel");
    }
}
