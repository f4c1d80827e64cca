//! After a pause, the governor or another condition has changed.
//!
//! ## What it does
//! If an execution continues after a pause (`execution_started` again, with its id), the conditions
//! in that start are compared with those before. Another `governor` is an error; from then on, the
//! new one applies. Another `policy.digest`, `maxTurns` or `rootIntent` is a note. So is another
//! `workdir` of a session, where the first one still applies. What the start doesn't contain is
//! unchanged. Another governor that only signs is YV312.
//!
//! ## Why it matters
//! One governor is responsible for an execution. Anybody who can replace it during a pause gets the
//! approvals that the first one refused. A change of the task, a limit or the policy may be right,
//! but the reader of the record should know.
//!
//! ## How to fix it
//! Resume with the same governor. If somebody else has to take over, end the execution and start a
//! new one, with `parent` set. Change limits and policies between executions.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity, subject};
use crate::replay::Aspect;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(320),
    name: "governor-changed",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "after a pause, the governor or (a note) another condition has changed",
    source: include_str!("governor_changed.rs"),
    examples: &[
        include_str!("governor_changed.fails.jsonl"),
        include_str!("governor_changed.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Start], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let resumed = &cx.step_facts.anomalies().resumed;
    if let Some((before, now)) = &resumed.governor {
        out.report(
            &RULE,
            format!("the governor was `{before}` before the pause, and is `{now}` now"),
        )
        .below_if_present("/governor")
        .subject(subject(["governor", &**now]));
    }
    let mut note = |message: String, pointer| {
        out.report(&RULE, message)
            .severity(Severity::Note)
            .below_if_present(pointer)
            .subject(pointer);
    };
    if resumed.policy {
        note(
            "the policy differs from the one before the pause".to_owned(),
            "/policy",
        );
    }
    if let Some((before, now)) = resumed.max_turns {
        note(
            format!("before the pause {before} turns were allowed, and now {now} are"),
            "/maxTurns",
        );
    }
    if resumed.workdir {
        note(
            "the work tree differs from the one in which the session started, which still applies"
                .to_owned(),
            "/workdir",
        );
    }
    if resumed.intent {
        note(
            "the root intent differs from the one before the pause".to_owned(),
            "/rootIntent",
        );
    }
}
