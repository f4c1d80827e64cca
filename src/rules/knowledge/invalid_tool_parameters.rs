//! A call was executed with parameters that the schema of its tool refuses.
//!
//! ## What it does
//! With `--tools FILE` (or `[tools] files` in the configuration of a gate), the parameters of each
//! executed `tool_call` are validated with the JSON Schema in the tool's manifest: `parameters`, or
//! `inputSchema` in the listing of a server. The parameters are the member `parameters` or
//! `arguments` of the payload, also as a text that contains JSON; without these, all members but
//! the tool's name. If both are present, both must be valid. At most five violations of a call are
//! listed.
//!
//! Schemas are applied within bounds. References must lead to a part of the schema that doesn't
//! refer to itself, patterns are matched in linear time (without look-around and back references),
//! and formats aren't checked. Parameters that are too long for their schema are reported.
//!
//! ## Why it matters
//! The schema is what the authors of the tool reviewed and tested. What a tool does with a wrong
//! type, an unknown member or a missing one is often not what was approved.
//!
//! ## How to fix it
//! Make the runtime validate calls before it asks for a decision, and return the violation to the
//! model. If the call was right, correct the manifest.
//!
//! ## Fails
//! ```toml gate
//! ```
//! ```json tools.json
//! ```
//! ```jsonl trace.jsonl
//! ```
//!
//! ## Passes
//! ```toml gate
//! ```
//! ```json tools.json
//! ```
//! ```jsonl trace.jsonl
//! ```

use crate::diag::{Code, Severity, subject};
use crate::replay::ToolFault;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(917),
    name: "invalid-tool-parameters",
    severity: Severity::Error,
    aspect: None,
    summary: "the parameters of a call break the schema of its tool",
    source: include_str!("invalid_tool_parameters.rs"),
    examples: &[
        include_str!("invalid_tool_parameters/fails/yuangs-verify.toml"),
        include_str!("invalid_tool_parameters/fails/tools.json"),
        include_str!("invalid_tool_parameters/fails/trace.jsonl"),
        include_str!("invalid_tool_parameters/passes/yuangs-verify.toml"),
        include_str!("invalid_tool_parameters/passes/tools.json"),
        include_str!("invalid_tool_parameters/passes/trace.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for fault in &cx.step_facts.anomalies().tool_faults {
        if let ToolFault::Parameters {
            tool,
            pointer,
            message,
        } = fault
        {
            let at = if pointer.is_empty() {
                String::new()
            } else {
                format!(" at `{pointer}`")
            };
            out.report(
                &RULE,
                format!("the parameters of `{tool}` break its schema{at}: {message}"),
            )
            .subject(subject([tool.as_str(), pointer.as_str()]));
        }
    }
}
