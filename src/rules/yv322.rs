//! The signature of one decision stands in another one.
//!
//! ## What it does
//! The values of all signatures of a run are compared, whether they are checked or not, and however
//! they are spelled. A signature covers execution, turn and action; the rule fires where the same
//! one stands in a record that differs from the first in one of these, be it in another file. The
//! same record twice, as in a copy of a trace, is no finding. Of one run 262,144 signed decisions
//! are compared, and 32,768 of each of the sixteen workers that an input is dealt out to; one more
//! is YV107.
//!
//! ## Why it matters
//! A person has signed once, for one action. Whoever copies the signature shows it for something
//! else, and without the keys at hand nobody sees that it doesn't fit.
//!
//! ## How to mend it
//! Find out which of the two records is the one that was signed (`replay --keys` tells), and have
//! the other action decided anew. Draw a fresh signature for each decision.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Create src/add.ts","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510,"signature":{"keyId":"TEST-KEY-alice","alg":"ed25519","value":"Nxei3iMe8qdT2FmcWvsE/2Yipj8pm1xSiBL0RjmWFZ5XufIUWdFDvdEX1xXhlo5LcSjZDrcq0PE1IUHY/ZCWAw=="}}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"continue","reason":"incomplete"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":2,"timestamp":1768800003000,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":2,"timestamp":1768800003010,"action":{"id":"a2","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":2,"timestamp":1768800006000,"decision":{"status":"approved","by":"human","actionId":"a2","signer":"alice","timestamp":1768800006000,"signature":{"keyId":"TEST-KEY-alice","alg":"ed25519","value":"Nxei3iMe8qdT2FmcWvsE/2Yipj8pm1xSiBL0RjmWFZ5XufIUWdFDvdEX1xXhlo5LcSjZDrcq0PE1IUHY/ZCWAw=="}}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":2,"timestamp":1768800006100,"actionId":"a2","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":2,"timestamp":1768800006110,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":2,"timestamp":1768800006120,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Create src/add.ts","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510,"signature":{"keyId":"TEST-KEY-alice","alg":"ed25519","value":"Nxei3iMe8qdT2FmcWvsE/2Yipj8pm1xSiBL0RjmWFZ5XufIUWdFDvdEX1xXhlo5LcSjZDrcq0PE1IUHY/ZCWAw=="}}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"continue","reason":"incomplete"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":2,"timestamp":1768800003000,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":2,"timestamp":1768800003010,"action":{"id":"a2","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":2,"timestamp":1768800006000,"decision":{"status":"approved","by":"human","actionId":"a2","signer":"alice","timestamp":1768800006000}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":2,"timestamp":1768800006100,"actionId":"a2","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":2,"timestamp":1768800006110,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":2,"timestamp":1768800006120,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(322),
    name: "reused-decision",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "the signature of one decision stands in another one",
    source: include_str!("yv322.rs"),
    check: Check::Reader,
};
