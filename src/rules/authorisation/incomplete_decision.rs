//! A decision lacks a required member.
//!
//! ## What it does
//! A decision requires:
//!
//! - `timestamp`, always
//! - `signer`, if a human made it
//! - `ruleId`, if policy permits an action of medium risk or more
//! - `reason`, if it rejects
//! - `originalActionId`, `modifiedAction` and `modificationReason`, if it modifies; only a human
//!   may modify
//!
//! A text of only white space or invisible characters counts as missing. Everything that a decision
//! lacks is one finding. Formats that don't record signers and rules needn't have them.
//!
//! ## Why it matters
//! An anonymous approval can't be questioned: there is no person to ask and no rule to correct. "A
//! human said yes" without a name is what a runtime writes that creates the approval itself.
//!
//! ## How to fix it
//! Make the approval dialog report who answered and when, and the policy engine return the rule
//! that matched. Don't fill the gaps afterwards: have the decision made again by a named person.
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
use crate::trace::formats::Coverage;
use crate::trace::record::NotRecorded;
use governance::DecidedBy;
use governance::{RiskLevel, Ruling};
use strict_json::Str;

pub(super) const RULE: Rule = Rule {
    code: Code(303),
    name: "incomplete-decision",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "a decision lacks a required member",
    source: include_str!("incomplete_decision.rs"),
    examples: &[
        include_str!("incomplete_decision.fails.jsonl"),
        include_str!("incomplete_decision.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Decision], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let (Some(decided), Some(decision)) = (&cx.step_facts.decided, cx.decision()) else {
        return;
    };
    if !cx.execution.records(NotRecorded::DecisionDetails) {
        return;
    }
    let ours = cx.execution.format().coverage() == Coverage::Complete;
    let blank = |text: Option<Str<'_>>| text.is_none_or(|t| t.decode().chars().all(shows_nothing));
    let mut missing = Vec::new();
    if ours && decision.by == DecidedBy::Human && blank(decision.signer) {
        missing.push(("signer", "the signer of a human decision"));
    }
    let permitted_by_policy = decision.by == DecidedBy::Policy && decision.ruling.permits();
    if ours
        && permitted_by_policy
        && decided.risk.is_some_and(|r| r >= RiskLevel::Medium)
        && blank(decision.rule)
    {
        missing.push(("rule", "the rule that policy used"));
    }
    if decision.ruling == Ruling::Rejected && blank(decision.reason) {
        missing.push(("reason", "the reason of a rejection"));
    }
    // The pre-flight check of the early runtime records no decision, only a result that mentions
    // it.
    let has_time =
        decision.time.is_some() || cx.step.is_some_and(|s| s.part.member == "executionResult");
    if !has_time {
        missing.push(("time", "the timestamp"));
    }
    if decision.ruling == Ruling::Modified {
        if decision.original.is_none() {
            missing.push(("original", "the id of the original action"));
        }
        if decision.modified.is_none() {
            missing.push(("modified", "the modified action"));
        }
        if blank(decision.modification_reason) {
            missing.push(("modification reason", "the reason of the modification"));
        }
        if decision.by == DecidedBy::Policy {
            missing.push(("human", "a human, who alone may modify an action"));
        }
    }
    if !missing.is_empty() {
        let words: Vec<&str> = missing.iter().map(|(_, words)| *words).collect();
        out.report(&RULE, format!("the decision lacks {}", words.join(", ")))
            .subject(subject(missing.iter().map(|(member, _)| *member)));
    }
}

/// Returns whether a character is invisible. The Braille pattern without dots counts.
fn shows_nothing(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || c == '\u{2800}'
        || text_safety::invisible_chars::is_ignorable(c)
}
