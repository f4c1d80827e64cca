//! After a pause somebody else governs, or other conditions hold.
//!
//! ## What it does
//! When an execution goes on after a pause (`execution_started` again, with its id), what that
//! start says is compared with what was said before. Another `governor` is an error; from there on
//! the new one counts. Another `policy.digest`, `maxTurns` or `rootIntent` is a note, and so is
//! another `workdir` of a session, where the first one still applies. What the start doesn't say is
//! unchanged, and a governor that only signs otherwise is YV312.
//!
//! ## Why it matters
//! One governor is responsible for an execution. Whoever may put another one in during a pause gets
//! the approvals that the first one refused. A task, a limit or a policy that changed on the way
//! may be right, but whoever reads the record should know.
//!
//! ## How to fix it
//! Resume with the governor that paused. If somebody else has to take over, end the execution and
//! start a new one, with `parent` set. Change limits and policies between executions.
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
    summary: "after a pause somebody else governs, or (a note) other conditions hold",
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
            format!("`{before}` governed before, and now `{now}` does"),
        )
        .below_if_there("/governor")
        .subject(subject(["governor", &**now]));
    }
    let mut note = |message: String, pointer| {
        out.report(&RULE, message)
            .severity(Severity::Note)
            .below_if_there(pointer)
            .subject(pointer);
    };
    if resumed.policy {
        note(
            "the policy isn't the one from before the pause".to_owned(),
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
            "the work tree isn't the one that the session started in, which still applies"
                .to_owned(),
            "/workdir",
        );
    }
    if resumed.intent {
        note(
            "what is asked for isn't what was asked for before the pause".to_owned(),
            "/rootIntent",
        );
    }
}
