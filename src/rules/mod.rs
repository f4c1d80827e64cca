//! The rules, one file each. A rule reads what a replay found out about one step and says what is
//! wrong with it; its doc comment is its page.
//!
//! This list is the registry: `explain`, `rules`, the verdict and the tests go by it and by nothing
//! else.

#![allow(
    rustdoc::invalid_codeblock_attributes,
    reason = "the fences of a page name the files and the command that its examples are run with"
)]

mod context;
mod page;
mod yv101;
mod yv102;
mod yv103;
mod yv104;
mod yv105;
mod yv106;
mod yv107;
mod yv108;
mod yv109;
mod yv110;
mod yv111;
mod yv201;
mod yv202;
mod yv203;
mod yv204;
mod yv205;
mod yv206;
mod yv207;
mod yv208;
mod yv209;
mod yv210;
mod yv211;
mod yv212;
mod yv301;
mod yv302;
mod yv303;
mod yv304;
mod yv305;
mod yv306;
mod yv307;
mod yv308;
mod yv309;
mod yv310;
mod yv311;
mod yv312;
mod yv313;
mod yv314;
mod yv315;
mod yv316;
mod yv317;
mod yv318;
mod yv319;
mod yv320;
mod yv321;
mod yv322;
mod yv323;
mod yv401;
mod yv402;
mod yv403;
mod yv404;
mod yv405;
mod yv406;
mod yv407;
mod yv501;
mod yv502;
mod yv503;
mod yv504;
mod yv505;
mod yv512;
mod yv513;
mod yv514;
mod yv515;
mod yv516;
mod yv517;
mod yv518;
mod yv520;
mod yv601;
mod yv602;
mod yv603;
mod yv604;
mod yv605;
mod yv606;
mod yv607;
mod yv701;
mod yv702;
mod yv703;
mod yv704;
mod yv705;
mod yv801;
mod yv802;
mod yv803;
mod yv804;
mod yv901;
mod yv902;
mod yv903;
mod yv904;
mod yv905;
mod yv906;
mod yv911;
mod yv912;
mod yv913;
mod yv914;
mod yv915;

pub use context::{Draft, FindingBuilder, RuleContext, Settings, Signed, Sink, Target};
pub use page::Page;

use crate::diag::{Code, Severity};
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
    /// Who looks.
    pub check: Check,
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
    RuleContext(&'static [Trigger], CheckFn),
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
pub const ALL: &[&Rule] = &[
    &yv101::RULE,
    &yv102::RULE,
    &yv103::RULE,
    &yv104::RULE,
    &yv105::RULE,
    &yv106::RULE,
    &yv107::RULE,
    &yv108::RULE,
    &yv109::RULE,
    &yv110::RULE,
    &yv111::RULE,
    &yv201::RULE,
    &yv202::RULE,
    &yv203::RULE,
    &yv204::RULE,
    &yv205::RULE,
    &yv206::RULE,
    &yv207::RULE,
    &yv208::RULE,
    &yv209::RULE,
    &yv210::RULE,
    &yv211::RULE,
    &yv212::RULE,
    &yv301::RULE,
    &yv302::RULE,
    &yv303::RULE,
    &yv304::RULE,
    &yv305::RULE,
    &yv306::RULE,
    &yv307::RULE,
    &yv308::RULE,
    &yv309::RULE,
    &yv310::RULE,
    &yv311::RULE,
    &yv312::RULE,
    &yv313::RULE,
    &yv314::RULE,
    &yv315::RULE,
    &yv316::RULE,
    &yv317::RULE,
    &yv318::RULE,
    &yv319::RULE,
    &yv320::RULE,
    &yv321::RULE,
    &yv322::RULE,
    &yv323::RULE,
    &yv401::RULE,
    &yv402::RULE,
    &yv403::RULE,
    &yv404::RULE,
    &yv405::RULE,
    &yv406::RULE,
    &yv407::RULE,
    &yv501::RULE,
    &yv502::RULE,
    &yv503::RULE,
    &yv504::RULE,
    &yv505::RULE,
    &yv512::RULE,
    &yv513::RULE,
    &yv514::RULE,
    &yv515::RULE,
    &yv516::RULE,
    &yv517::RULE,
    &yv518::RULE,
    &yv520::RULE,
    &yv601::RULE,
    &yv602::RULE,
    &yv603::RULE,
    &yv604::RULE,
    &yv605::RULE,
    &yv606::RULE,
    &yv607::RULE,
    &yv701::RULE,
    &yv702::RULE,
    &yv703::RULE,
    &yv704::RULE,
    &yv705::RULE,
    &yv801::RULE,
    &yv802::RULE,
    &yv803::RULE,
    &yv804::RULE,
    &yv901::RULE,
    &yv902::RULE,
    &yv903::RULE,
    &yv904::RULE,
    &yv905::RULE,
    &yv906::RULE,
    &yv911::RULE,
    &yv912::RULE,
    &yv913::RULE,
    &yv914::RULE,
    &yv915::RULE,
];

/// The rule of a code.
#[must_use]
pub fn by_code(code: Code) -> Option<&'static Rule> {
    ALL.binary_search_by_key(&code, |r| r.code)
        .ok()
        .and_then(|n| ALL.get(n))
        .copied()
}

/// The functions for each kind of scene, in the order of the codes, each with a bit of its own.
static BY_WHEN: LazyLock<[Vec<(u128, CheckFn)>; 5]> = LazyLock::new(|| {
    let asked = |when: Trigger| {
        let shown = ALL
            .iter()
            .filter(|rule| matches!(rule.check, Check::RuleContext(..)));
        let with_bits = shown
            .zip(0u32..)
            .map(|(rule, n)| (1u128 << (n % 128), rule.check));
        with_bits
            .filter_map(|(bit, check)| match check {
                Check::RuleContext(whens, function) if whens.contains(&when) => {
                    Some((bit, function))
                }
                Check::RuleContext(..) | Check::Reader | Check::Policy | Check::Repository => None,
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
pub fn check_all(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let [start, decision, execution, oddity, end] = &*BY_WHEN;
    let kinds = [
        (scene.starts(), start),
        (scene.judged.decided.is_some(), decision),
        (scene.judged.executed.is_some(), execution),
        (scene.judged.is_odd(), oddity),
        (scene.close.is_some(), end),
    ];
    let mut asked = 0;
    for (bit, check) in kinds
        .into_iter()
        .filter(|(concerned, _)| *concerned)
        .flat_map(|(_, checks)| checks)
    {
        if asked & bit == 0 {
            asked |= bit;
            check(scene, out);
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
        for rule in ALL {
            assert_eq!(by_code(rule.code).unwrap().name, rule.name);
            assert!(
                rule.name
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c == '-'),
                "{}",
                rule.name
            );
        }
        let names: std::collections::BTreeSet<_> = ALL.iter().map(|r| r.name).collect();
        assert_eq!(names.len(), ALL.len());
        let shown = ALL
            .iter()
            .filter(|rule| matches!(rule.check, Check::RuleContext(..)))
            .count();
        assert!(
            shown <= 128,
            "`check_all` has a bit for each rule that is shown scenes"
        );
    }
}
