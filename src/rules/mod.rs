//! The rules, one file each. A rule reads what a replay found out about one step and says what is
//! wrong with it; its doc comment is its page.
//!
//! This list is the registry: `explain`, `rules`, the verdict and the tests go by it and by nothing
//! else.

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

pub use folding::Excuse;
pub use page::Page;
pub use rule_context::{Draft, FindingBuilder, RuleContext, Settings, Signed, Sink, Target};

use crate::diag::{Code, Finding, Place, Severity};
use crate::replay::Aspect;
use std::sync::LazyLock;

/// A rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its number, for ever.
    pub code: Code,
    /// Its name in kebab-case.
    pub name: &'static str,
    /// How bad its findings are, unless told otherwise.
    pub severity: Severity,
    /// The question of the verdict that an error of it answers with no.
    pub aspect: Option<Aspect>,
    /// When it fires, in one clause.
    pub summary: &'static str,
    /// Its source text, whose doc comment is its page.
    pub source: &'static str,
    /// The bodies of the page's fenced blocks that are files of their own, in order.
    pub examples: &'static [&'static str],
    /// Who looks.
    pub check: Check,
}

impl Rule {
    /// The address of its page on the documentation site.
    #[must_use]
    pub fn address(&self) -> String {
        format!("{}/rules/{}.html", env!("CARGO_PKG_HOMEPAGE"), self.code)
    }
}

/// Who finds what a rule is about.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// The reader, before there is anything to replay.
    Reader,
    /// Commands of its own, which look at policies, maps or what else is kept beside traces.
    Policy,
    /// The comparison with a git repository, where one is named.
    Repository,
    /// A function that is shown the scenes of these kinds.
    Step(&'static [Trigger], CheckFn),
}

/// A rule's function.
pub type CheckFn = fn(&RuleContext<'_, '_, '_>, &mut Sink);

/// The kinds of scene. Most steps of most traces are as they should be; a rule that speaks of what
/// isn't is only asked when something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// An execution starts.
    Start,
    /// A decision was made.
    Decision,
    /// Something ran.
    Execution,
    /// The replay found something out of the ordinary.
    Anomaly,
    /// The execution ends, or its input does.
    End,
}

/// Every rule, in the order of the codes.
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

/// The rule of a code.
#[must_use]
pub fn by_code(code: Code) -> Option<&'static Rule> {
    ALL.binary_search_by_key(&code, |r| r.code)
        .ok()
        .and_then(|n| ALL.get(n))
        .copied()
}

/// A finding of a rule, of the rule's own severity. It has no help and no subject yet, and its
/// fingerprint is given to it with those of the others.
#[must_use]
pub fn finding(code: Code, message: impl Into<String>, place: Place) -> Finding {
    let rule = by_code(code);
    debug_assert!(rule.is_some(), "no rule has the code {code}");
    let (name, severity) = rule.map_or(("", Severity::Error), |r| (r.name, r.severity));
    Finding::new(code, name, severity, message, place)
}

/// The functions for each kind of scene, in the order of the codes, each with a bit of its own.
static BY_TRIGGER: LazyLock<[Vec<(u128, CheckFn)>; 5]> = LazyLock::new(|| {
    let asked = |when: Trigger| {
        let shown = ALL
            .iter()
            .filter(|rule| matches!(rule.check, Check::Step(..)));
        let with_bits = shown
            .zip(0u32..)
            .map(|(rule, n)| (1u128 << (n % 128), rule.check));
        with_bits
            .filter_map(|(bit, check)| match check {
                Check::Step(whens, function) if whens.contains(&when) => Some((bit, function)),
                Check::Step(..) | Check::Reader | Check::Policy | Check::Repository => None,
            })
            .collect()
    };
    [
        asked(Trigger::Start),
        asked(Trigger::Decision),
        asked(Trigger::Execution),
        asked(Trigger::Anomaly),
        asked(Trigger::End),
    ]
});

/// Shows a scene to every rule that it concerns, once.
pub fn check_all(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let [start, decision, execution, oddity, end] = &*BY_TRIGGER;
    let kinds = [
        (cx.starts(), start),
        (cx.step_facts.decided.is_some(), decision),
        (cx.step_facts.executed.is_some(), execution),
        (cx.step_facts.has_irregularities(), oddity),
        (cx.close.is_some(), end),
    ];
    let mut asked = 0;
    for (bit, check) in kinds
        .into_iter()
        .filter(|(concerned, _)| *concerned)
        .flat_map(|(_, checks)| checks)
    {
        if asked & bit == 0 {
            asked |= bit;
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
            "`check_all` has a bit for each rule that is shown scenes"
        );
    }
}
