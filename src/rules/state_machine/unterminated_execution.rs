//! The input ends before the execution reached a final state.
//!
//! ## What it does
//! At the end of the input, each execution must be in `TERMINAL`, or have ended with
//! `execution_ended`. The rule fires in any other state, including waiting for a human after a
//! `pause`. It doesn't fire if the path broke before, since the end may be lost, or for answers
//! that the editor runtime gives without an evaluation.
//!
//! ## Why it matters
//! An execution without an end may have crashed, may still be running, or may have continued
//! without its recorder. In the example, an approved write was in progress: the record can't show
//! whether it happened, in part or in full.
//!
//! ## How to fix it
//! Find out how the process ended and what its last action left behind. Resume the execution under
//! the same id, or let the runtime end it (`terminate`, `user_abort`), and flush the recorder at
//! every exit. If the execution is still running, verify its trace later.
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
    summary: "the input ends before the execution reached a final state",
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
        "the input ends, but no record shows that the execution ended".to_owned()
    } else {
        format!("the input ends while the execution is in {}", close.state)
    };
    out.report(&RULE, message);
}
