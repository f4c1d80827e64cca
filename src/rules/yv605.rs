//! An injected context is over its token budget.
//!
//! ## What it does
//! A snapshot states its budget in `metadata` (`"tokenBudget": 8000`, and `"tokenizer"` if the
//! encoding isn't `o200k_base`); it holds for the following ones too, until another is stated.
//! `replay --context-budget N` sets one for traces that state none, or a lower one. Held against it
//! are the tokens that the items are recorded with, all together, and, where messages of the
//! snapshot carry the injected text (from the first of the sections `Background Knowledge`,
//! `Supporting Information`, `Archived References` or the first `[Reference]` on), the tokens of
//! that text, counted with the tokenizer that the finding names. Whichever are more count.
//!
//! ## Why it matters
//! What is over the budget is cut by somebody else, from the end and in silence, or pushes the task
//! itself out of the window. Recorded counts that are guessed from characters are too small for
//! code and for most languages.
//!
//! ## How to mend it
//! Summarise the least important items, then leave out the least important ones, and record what is
//! left. Count with the tokenizer of the model.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Say when the deploy key changes","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000200,"thought":{"reasoning":"The notes say it.","done":false,"action":{"type":"answer","payload":{"content":"The deploy key rotates every ninety days on a Monday."}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7","items":[{"path":"docs/ops.md","hash":"9c1e","tokens":2900},{"path":"docs/history.md","hash":"10ab","tokens":5500}],"metadata":{"tokenBudget":8000}},"usedContext":["docs/ops.md"]}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000210,"action":{"id":"a1","type":"answer","payload":{"content":"The deploy key rotates every ninety days on a Monday."},"riskLevel":"low","reasoning":"Asked."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000220,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-answer","timestamp":1768800000220}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000230,"actionId":"a1","result":{"success":true,"output":""}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000240,"observation":{"summary":"Answered.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000250,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Say when the deploy key changes","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000200,"thought":{"reasoning":"The notes say it.","done":false,"action":{"type":"answer","payload":{"content":"The deploy key rotates every ninety days on a Monday."}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7","items":[{"path":"docs/ops.md","hash":"9c1e","tokens":2900}],"metadata":{"tokenBudget":8000}},"usedContext":["docs/ops.md"]}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000210,"action":{"id":"a1","type":"answer","payload":{"content":"The deploy key rotates every ninety days on a Monday."},"riskLevel":"low","reasoning":"Asked."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000220,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-answer","timestamp":1768800000220}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000230,"actionId":"a1","result":{"success":true,"output":""}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000240,"observation":{"summary":"Answered.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000250,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::ContextBreak;

pub(super) const RULE: Rule = Rule {
    code: Code(605),
    name: "budget-exceeded",
    severity: Severity::Error,
    aspect: None,
    summary: "an injected context is over its token budget",
    source: include_str!("yv605.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for b in &scene.judged.anomalies().context {
        if let ContextBreak::OverBudget {
            recorded,
            counted,
            limit,
            tokenizer,
        } = b
        {
            let counted = match counted {
                Some(n) => format!("{n} tokens in its messages by {tokenizer}, "),
                None => String::new(),
            };
            out.report(
                &RULE,
                format!("the context is over its budget of {limit} tokens: {counted}{recorded} recorded for its items"),
            )
            .whole_record("/contextSnapshot");
        }
    }
}
