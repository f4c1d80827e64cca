//! A record is larger or deeper than the limits.
//!
//! ## What it does
//! A record may have `--max-record-bytes` bytes (16 MiB unless told otherwise) and `--max-depth`
//! levels of nesting (128); a document that isn't one record a line may have
//! `--max-document-bytes`. What is larger or deeper is passed over, never read in part. Events that
//! are illegal only because it is missing are listed with this finding. A run may hold
//! `--max-executions` executions (50,000), and the open executions of an input may hold
//! `--max-open-bytes` of memory; the records of further ones are refused and counted. Of a manifest
//! a thousand tools are looked at, and 64 arguments of a server. The examples set a limit of 400
//! bytes.
//!
//! ## Why it matters
//! Without limits one hostile record could exhaust the memory or the stack of the checker, and a
//! gate that falls over checks nothing. With limits, but without this finding, an oversized record
//! would be a place to hide an action in.
//!
//! ## How to mend it
//! Keep large outputs out of the trace: cut them, say so with `truncated`, and point to the full
//! text with `rawOutputRef`. If such records are legitimate in your setting, verify again with a
//! higher limit.
//!
//! ## Fails
//! ```jsonl --max-record-bytes 400
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"List the sources","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"list_files","parameters":{"path":"src"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"list_files","parameters":{"path":"src"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"total 61\n-rw-r--r-- 1 ci ci 1000 src/module_00.ts\n-rw-r--r-- 1 ci ci 1007 src/module_01.ts\n-rw-r--r-- 1 ci ci 1014 src/module_02.ts\n-rw-r--r-- 1 ci ci 1021 src/module_03.ts\n-rw-r--r-- 1 ci ci 1028 src/module_04.ts\n-rw-r--r-- 1 ci ci 1035 src/module_05.ts\n-rw-r--r-- 1 ci ci 1042 src/module_06.ts\n"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl --max-record-bytes 400
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"List the sources","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"list_files","parameters":{"path":"src"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"list_files","parameters":{"path":"src"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"total 61 ...","truncated":true}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[],"truncated":true,"rawOutputRef":"out/a1.txt"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(107),
    name: "limit-exceeded",
    severity: Severity::Error,
    aspect: None,
    summary: "a record, or a run, is beyond a limit",
    source: include_str!("yv107.rs"),
    check: Check::Reader,
};
