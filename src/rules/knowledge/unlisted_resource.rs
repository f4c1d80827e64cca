//! A call used a resource or a prompt that its server doesn't list.
//!
//! ## What it does
//! With `--tools FILE` (or `[tools] files` in the configuration of a gate) and the listing of a
//! server among the files (`mcp-listing.json`, or a name that ends in `.mcp-listing.json`), the
//! rule checks the executed calls by which a client reads resources and prompts of that server:
//! tools like `ReadMcpResourceTool` and `read_resource` with `server` and `uri`, and `get_prompt`
//! with `server` and `name`. The URI must be one of the listed `resources` or match one of the
//! `resourceTemplates`; the name must be one of the listed `prompts`, and its required arguments
//! must be given. A listing without `resources` or `prompts` says nothing about them.
//!
//! ## Why it matters
//! The listing is what was reviewed. A resource outside of it can hold anything, and its content
//! goes to the model.
//!
//! ## How to fix it
//! Find out where the URI or name came from. If the server now offers more, write its listing again
//! and have the change reviewed.
//!
//! ## Fails
//! ```toml gate
//! ```
//! ```json mcp-listing.json
//! ```
//! ```jsonl trace.jsonl
//! ```
//!
//! ## Passes
//! ```toml gate
//! ```
//! ```json mcp-listing.json
//! ```
//! ```jsonl trace.jsonl
//! ```

use crate::diag::{Code, Severity, subject};
use crate::replay::ToolFault;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(921),
    name: "unlisted-resource",
    severity: Severity::Error,
    aspect: None,
    summary: "a call uses a resource or prompt that its server doesn't list",
    source: include_str!("unlisted_resource.rs"),
    examples: &[
        include_str!("unlisted_resource/fails/yuangs-verify.toml"),
        include_str!("unlisted_resource/fails/mcp-listing.json"),
        include_str!("unlisted_resource/fails/trace.jsonl"),
        include_str!("unlisted_resource/passes/yuangs-verify.toml"),
        include_str!("unlisted_resource/passes/mcp-listing.json"),
        include_str!("unlisted_resource/passes/trace.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for fault in &cx.step_facts.anomalies().tool_faults {
        if let ToolFault::Unlisted { server, message } = fault {
            out.report(
                &RULE,
                format!("the listing of the server `{server}` doesn't cover {message}"),
            )
            .subject(subject([server.as_str(), message.as_str()]));
        }
    }
}
