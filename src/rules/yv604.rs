//! An output was cut, and nothing says so.
//!
//! ## What it does
//! An output of 256 bytes or more that ends in half a character (U+FFFD), or one that ends in the
//! middle of a line at a length that is a usual limit (a power of two or a round thousand, from
//! 2,000 on; in bytes, characters or UTF-16 units), looks cut. It is a finding unless `truncated`
//! of the result or of its observation is true, or the output itself ends in words that say so.
//! Only `ExecutionRecord` traces are judged; the native formats have no such mark on results. The
//! finding stands at the observation, which is the last that could have said it.
//!
//! ## Why it matters
//! What was cut away isn't known to be missing: the next thought takes half a file for the file,
//! half a list of failures for all of them, and so does whoever reads the record.
//!
//! ## How to mend it
//! Set `truncated` wherever output is cut, and say in the output how much is missing. Cut at
//! characters, best at line ends.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Read the notes","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read them.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"notes.txt"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"notes.txt"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Then at the caf�"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Read.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Read the notes","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read them.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"notes.txt"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"notes.txt"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Meeting at the café on Monday. Then at the caf�","truncated":true}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Read.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::ContextBreak;

pub(super) const RULE: Rule = Rule {
    code: Code(604),
    name: "silent-truncation",
    severity: Severity::Error,
    aspect: None,
    summary: "output was cut and nothing says so",
    source: include_str!("yv604.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for b in &scene.judged.anomalies().context {
        if let ContextBreak::SilentCut { why } = b {
            out.report(
                &RULE,
                format!("the output was cut and nothing says so: {why}"),
            );
        }
    }
}
