//! The rules, one file each. A rule reads the facts that a replay determined about one step, and
//! reports what is wrong with it. Its doc comment is its page.
//!
//! This list is the registry: `explain`, `rules`, the verdict and the tests use nothing else.

#![allow(
    rustdoc::invalid_codeblock_attributes,
    reason = "the fences of a page name the files and the command that its examples are run with"
)]

mod authorisation;
mod capability;
pub mod codes;
mod context;
mod folding;
mod input;
mod integrity;
mod knowledge;
mod page;
mod policy;
mod rule_context;
mod state_machine;
mod workspace;

pub use folding::FoldReason;
pub use page::Page;
pub use rule_context::{
    Draft, FindingBuilder, RuleContext, Settings, SignatureRequirement, Sink, Target,
};

use crate::diag::{Code, Finding, Place, Severity};
use crate::replay::Aspect;
use std::sync::LazyLock;

/// The static description of a rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The number, which never changes.
    pub code: Code,
    /// The name in kebab-case.
    pub name: &'static str,
    /// The severity of its findings, unless the rule or the configuration overrides it.
    pub severity: Severity,
    /// The question of the verdict that is answered "no" by an error of this rule.
    pub aspect: Option<Aspect>,
    /// One clause that says when the rule fires.
    pub summary: &'static str,
    /// The source text, whose doc comment is the rule's page.
    pub source: &'static str,
    /// The files for the empty fenced blocks of the page, in order.
    pub examples: &'static [&'static str],
    /// The component that checks it.
    pub check: Check,
}

impl Rule {
    /// Returns the URL of the rule's page on the documentation site.
    #[must_use]
    pub fn address(&self) -> String {
        format!("{}/rules/{}.html", env!("CARGO_PKG_HOMEPAGE"), self.code)
    }
}

/// The component that checks a rule.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// The reader, before the replay.
    Reader,
    /// Separate commands that check policies, maps, or other files besides traces.
    Policy,
    /// The comparison with a git repository, if one is given.
    Repository,
    /// A function that is called for steps with one of these triggers.
    Step(&'static [Trigger], CheckFn),
}

/// The check function of a rule.
pub type CheckFn = fn(&RuleContext<'_, '_, '_>, &mut Sink);

/// What makes a rule run on a step. Most steps are regular, so rules about irregularities only run
/// when there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// The start of an execution.
    Start,
    /// A decision.
    Decision,
    /// An executed action.
    Execution,
    /// Something irregular that the replay found.
    Anomaly,
    /// The end of an execution or of its input.
    End,
}

/// All rules, in the order of their codes.
pub static ALL: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    [
        input::RULES,
        state_machine::RULES,
        authorisation::RULES,
        capability::RULES,
        policy::RULES,
        context::RULES,
        workspace::RULES,
        integrity::RULES,
        knowledge::RULES,
    ]
    .concat()
});

/// Returns the rule with a code.
#[must_use]
pub fn by_code(code: Code) -> Option<&'static Rule> {
    ALL.binary_search_by_key(&code, |r| r.code)
        .ok()
        .and_then(|n| ALL.get(n))
        .copied()
}

/// Creates a finding with the rule's own severity. It has no help and no subject yet; fingerprints
/// are assigned to all findings together.
#[must_use]
pub fn finding(code: Code, message: impl Into<String>, place: Place) -> Finding {
    let rule = by_code(code);
    debug_assert!(rule.is_some(), "no rule has the code {code}");
    let (name, severity) = rule.map_or(("", Severity::Error), |r| (r.name, r.severity));
    Finding::new(code, name, severity, message, place)
}

/// The check functions for each trigger, in the order of the codes. Each rule has its own bit.
static BY_TRIGGER: LazyLock<[Vec<(u128, CheckFn)>; 5]> = LazyLock::new(|| {
    let checks_for = |trigger: Trigger| {
        let shown = ALL
            .iter()
            .filter(|rule| matches!(rule.check, Check::Step(..)));
        let with_bits = shown
            .zip(0u32..)
            .map(|(rule, n)| (1u128 << (n % 128), rule.check));
        with_bits
            .filter_map(|(bit, check)| match check {
                Check::Step(triggers, function) if triggers.contains(&trigger) => {
                    Some((bit, function))
                }
                Check::Step(..) | Check::Reader | Check::Policy | Check::Repository => None,
            })
            .collect()
    };
    [
        checks_for(Trigger::Start),
        checks_for(Trigger::Decision),
        checks_for(Trigger::Execution),
        checks_for(Trigger::Anomaly),
        checks_for(Trigger::End),
    ]
});

/// Runs each rule that the step triggers, once.
pub fn check_all(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let [start, decision, execution, anomaly, end] = &*BY_TRIGGER;
    let triggered = [
        (cx.starts(), start),
        (cx.step_facts.decided.is_some(), decision),
        (cx.step_facts.executed.is_some(), execution),
        (cx.step_facts.has_irregularities(), anomaly),
        (cx.close.is_some(), end),
    ];
    let mut called = 0;
    for (bit, check) in triggered
        .into_iter()
        .filter(|(applies, _)| *applies)
        .flat_map(|(_, checks)| checks)
    {
        if called & bit == 0 {
            called |= bit;
            check(cx, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_sorted_and_named_by_their_file() {
        for pair in ALL.windows(2) {
            assert!(
                pair[0].code < pair[1].code,
                "{} {}",
                pair[0].code,
                pair[1].code
            );
        }
        for rule in ALL.iter() {
            assert_eq!(by_code(rule.code).unwrap().name, rule.name);
            assert!(
                rule.name
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c == '-'),
                "{}",
                rule.name
            );
        }
        for (name, code) in codes::NAMED {
            let rule = by_code(*code).unwrap().name;
            assert_eq!(rule.to_uppercase().replace('-', "_"), *name);
        }
        let names: std::collections::BTreeSet<_> = ALL.iter().map(|r| r.name).collect();
        assert_eq!(names.len(), ALL.len());
        let shown = ALL
            .iter()
            .filter(|rule| matches!(rule.check, Check::Step(..)))
            .count();
        assert!(
            shown <= 128,
            "`check_all` has a bit for each rule with triggers"
        );
    }
}
