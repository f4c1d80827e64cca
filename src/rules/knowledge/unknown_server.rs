//! A call was executed on a server that no configuration defines.
//!
//! ## What it does
//! With `--tools FILE` (or `[tools] files` in the configuration of a gate) and a configuration of
//! servers among the files (`.mcp.json`, or `.ai-stack.json` with `mcp.servers`), each executed
//! call of `mcp__SERVER__TOOL` must name one of these servers. In names of tools, other characters
//! than letters, digits and `-` are written as `_`. The tools by which a client reads resources and
//! prompts name their server in `server`. An `.ai-stack.json` whose `mcp.configPath` names another
//! file needs that file as well.
//!
//! ## Why it matters
//! A server is code that runs on the developer's machine or receives data from it. A server that
//! isn't in the reviewed configuration was added by somebody else, perhaps by the agent.
//!
//! ## How to fix it
//! Find out where the server came from. If it is meant to be there, define it in the configuration
//! and have that change reviewed.
//!
//! ## Fails
//! ```toml gate
//! ```
//! ```json .mcp.json
//! ```
//! ```jsonl trace.jsonl
//! ```
//!
//! ## Passes
//! ```toml gate
//! ```
//! ```json .mcp.json
//! ```
//! ```jsonl trace.jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::replay::ToolFault;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(919),
    name: "unknown-server",
    severity: Severity::Error,
    aspect: None,
    summary: "a call names a server that no configuration defines",
    source: include_str!("unknown_server.rs"),
    examples: &[
        include_str!("unknown_server/fails/yuangs-verify.toml"),
        include_str!("unknown_server/fails/.mcp.json"),
        include_str!("unknown_server/fails/trace.jsonl"),
        include_str!("unknown_server/passes/yuangs-verify.toml"),
        include_str!("unknown_server/passes/.mcp.json"),
        include_str!("unknown_server/passes/trace.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for fault in &cx.step_facts.anomalies().tool_faults {
        if let ToolFault::UnknownServer { tool, server } = fault {
            out.report(
                &RULE,
                format!("`{tool}` uses the server `{server}`, which no configuration defines"),
            )
            .subject(server.as_str());
        }
    }
}
