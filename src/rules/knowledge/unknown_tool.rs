//! A call was executed whose tool no manifest declares.
//!
//! ## What it does
//! With `--tools FILE` (or `[tools] files` in the configuration of a gate), each executed
//! `tool_call` is compared with the tools of these manifests: `tools.json`, `skill.json`, and the
//! listings of servers. The names must be equal. A call that names no tool, or two different ones,
//! is reported as well.
//!
//! A tool of a configured server, `mcp__SERVER__TOOL`, is reported only if a listing of that server
//! is among the files. Tools by which a client itself lists and reads the resources and prompts of
//! a server (`ReadMcpResourceTool`, `get_prompt`) need no declaration.
//!
//! ## Why it matters
//! A tool that isn't declared has no schema, no declared risk and no reviewed code. The name may
//! also be one that the model made up, and a runtime that resolves it anyway runs something else.
//!
//! ## How to fix it
//! Declare the tool, or name the manifest that declares it. If there is no such tool, make the
//! runtime refuse the call instead of guessing.
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

use crate::diag::{Code, Severity};
use crate::replay::ToolFault;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(916),
    name: "unknown-tool",
    severity: Severity::Error,
    aspect: None,
    summary: "a call names a tool that no manifest declares",
    source: include_str!("unknown_tool.rs"),
    examples: &[
        include_str!("unknown_tool/fails/yuangs-verify.toml"),
        include_str!("unknown_tool/fails/tools.json"),
        include_str!("unknown_tool/fails/trace.jsonl"),
        include_str!("unknown_tool/passes/yuangs-verify.toml"),
        include_str!("unknown_tool/passes/tools.json"),
        include_str!("unknown_tool/passes/trace.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for fault in &cx.step_facts.anomalies().tool_faults {
        match fault {
            ToolFault::Nameless => {
                out.report(&RULE, "the call doesn't name exactly one tool");
            }
            ToolFault::UnknownTool(tool) => {
                out.report(&RULE, format!("no manifest declares the tool `{tool}`"))
                    .subject(tool.as_str());
            }
            _ => {}
        }
    }
}
