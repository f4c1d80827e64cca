//! The input ends and the execution is in no final state.
//!
//! ## What it does
//! At the end of the input each execution must be in `TERMINAL`, or have been declared over by
//! `execution_ended`. The rule fires when it is anywhere else, also when it waits for a human
//! after a `pause`. It is silent about a path that broke before, since the break may have lost the
//! end, and about answers that the editor runtime hands out without an evaluation.
//!
//! ## Why it matters
//! An execution without an end may have crashed, may still be running, or may have gone on without
//! its recorder. In the example an approved write is under way: whether it happened, in part or in
//! full, nobody can tell from the record.
//!
//! ## How to fix it
//! Find out how the process ended and at what its last action left behind. Resume the execution
//! under the same id or let the runtime rule on it (`terminate`, `user_abort`), and flush the
//! recorder at every exit. A trace of a running execution is complete later; verify it then.
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
use crate::trace::formats::Coverage;

pub(super) const RULE: Rule = Rule {
    code: Code(203),
    name: "unterminated-execution",
    severity: Severity::Warning,
    aspect: None,
    summary: "the input ends and the execution is in no final state",
    source: include_str!("unterminated_execution.rs"),
    examples: &[
        include_str!("unterminated_execution.fails.jsonl"),
        include_str!("unterminated_execution.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::End], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(close) = cx.close.filter(|c| c.unterminated) else {
        return;
    };
    let message = if close.paused {
        "the input ends while the execution waits for a human".to_owned()
    } else if cx.execution.format().coverage() == Coverage::Turns {
        "the input ends, and nothing shows that the execution did".to_owned()
    } else {
        format!("the input ends while the execution is in {}", close.state)
    };
    out.report(&RULE, message);
}
