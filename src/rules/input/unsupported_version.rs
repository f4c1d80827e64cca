//! A trace has an unknown version.
//!
//! ## What it does
//! `schemaVersion` in the start of an execution must be `1.0`, and `fsmVersion` must be `0` or `1`.
//! Any other value is a finding. The replay continues with version 1 of the state machine, so that
//! other findings appear, but the trace wasn't written for its rules. Formats without a version are
//! checked as version 0.
//!
//! ## Why it matters
//! The version determines which transitions are legal. If unknown versions were accepted, a writer
//! could name its own state machine, in which executing needs no decision, and the verdict would
//! still be a yes.
//!
//! ## How to fix it
//! Make the runtime write a version that this tool supports, or use a release of the tool that
//! supports the trace's version. Don't edit the number in the trace: that changes the claim, not
//! how the trace was written.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};
use crate::trace::Fact;
use governance::FsmVersion;

pub(super) const RULE: Rule = Rule {
    code: Code(105),
    name: "unsupported-version",
    severity: Severity::Error,
    aspect: None,
    summary: "a trace has an unknown version",
    source: include_str!("unsupported_version.rs"),
    examples: &[
        include_str!("unsupported_version.fails.jsonl"),
        include_str!("unsupported_version.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Start], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(Fact::Started(started)) = cx.step.map(|s| s.fact) else {
        return;
    };
    let schema = started.schema_version.decode();
    if schema != SCHEMA_VERSION {
        out.report(
            &RULE,
            format!("the schema version is `{schema}`; only `{SCHEMA_VERSION}` is supported"),
        )
        .in_record("/schemaVersion")
        .subject(format!("schema {schema}"));
    }
    let fsm = started.fsm_version.decode();
    if FsmVersion::parse(&fsm).is_none() {
        out.report(
            &RULE,
            format!("the FSM version is `{fsm}`; only `0`, `1` and `session` are supported"),
        )
        .in_record("/fsmVersion")
        .subject(format!("fsm {fsm}"));
    }
}

/// The supported version of the record format.
const SCHEMA_VERSION: &str = "1.0";
