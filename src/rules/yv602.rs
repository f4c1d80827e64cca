//! Content of a context item was used and not declared: the turn is weak.
//!
//! ## What it does
//! A turn that uses an item declares it: in `usedContext`, with `[Reference] TYPE: NAME (PATH)` in
//! the reasoning or the answer, or in a block of JSON in the answer (`"used_context": ["PATH"]`).
//! Where an action repeats at least eight tokens in a row of an item that is in the snapshot, and
//! its turn doesn't declare the item, this fires. White space doesn't count; a token is a word, a
//! path, or a sign (of scripts without spaces, two characters), and five of the words must differ,
//! so that brackets and rulers are no use. What the task said, what a declared item says as well,
//! and what the agent wrote before any item said it, is no use either.
//!
//! Snapshots hold no contents. What an item says is known where a message of the snapshot carries
//! it (`[Reference] TYPE: NAME (PATH)` and its text behind), and where an action of the execution
//! has read its file; of others nothing is said. The first 64 KB of a text count, and about a
//! megabyte of texts of one execution.
//!
//! `knowledge context references` asks the same of the items of a context bank, whose contents are
//! at hand.
//!
//! ## Why it matters
//! Declared use is what the importance of an item, and in the end a skill, rests on; undeclared use
//! makes conclusions that nobody can trace to what they rest on. A weak turn is no evidence:
//! nothing gains by it and nothing is promoted.
//!
//! ## How to mend it
//! Ask the model to name what it used, and compare before the thought becomes a record.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Say when the deploy key changes","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000200,"thought":{"reasoning":"The notes say it.","done":false,"action":{"type":"answer","payload":{"content":"The deploy key rotates every ninety days on a Monday."}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7","recentMessages":[{"role":"system","content":"## Background Knowledge (High Confidence)\n[Reference] FILE: ops (docs/ops.md)\nThe deploy key rotates every ninety days on a Monday. Whoever is on call does it.\n","timestamp":1768800000100}],"items":[{"path":"docs/ops.md","hash":"9c1e","tokens":19}]}}
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
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000200,"thought":{"reasoning":"The notes say it.","done":false,"action":{"type":"answer","payload":{"content":"The deploy key rotates every ninety days on a Monday."}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7","recentMessages":[{"role":"system","content":"## Background Knowledge (High Confidence)\n[Reference] FILE: ops (docs/ops.md)\nThe deploy key rotates every ninety days on a Monday. Whoever is on call does it.\n","timestamp":1768800000100}],"items":[{"path":"docs/ops.md","hash":"9c1e","tokens":19}]},"usedContext":["docs/ops.md"]}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000210,"action":{"id":"a1","type":"answer","payload":{"content":"The deploy key rotates every ninety days on a Monday."},"riskLevel":"low","reasoning":"Asked."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000220,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-answer","timestamp":1768800000220}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000230,"actionId":"a1","result":{"success":true,"output":""}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000240,"observation":{"summary":"Answered.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000250,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity, digest, subject};
use crate::replay::ContextBreak;

pub(super) const RULE: Rule = Rule {
    code: Code(602),
    name: "undeclared-context",
    severity: Severity::Warning,
    aspect: None,
    summary: "content of a context item was used and not declared: the turn is weak",
    source: include_str!("yv602.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

/// Characters of the repeated text that are quoted.
const QUOTED: usize = 60;

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for b in &scene.judged.anomalies().context {
        if let ContextBreak::Undeclared { path, text, tokens } = b {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let mut quoted: String = words.chars().take(QUOTED).collect();
            if quoted.len() < words.len() {
                quoted.push('…');
            }
            out.report(
                &RULE,
                format!("`{path}` is used and not declared: {tokens} tokens in a row (`{quoted}`)"),
            )
            .subject(subject([path.as_str(), &digest(text)]));
        }
    }
}
