//! Compares two policies: for which actions is the newer one more permissive or more restrictive?
//!
//! The exact analysis proves which kinds of abstract actions become more permissive. A real action
//! is built for each and confirmed by the engine; a kind without one is reported as unproven. A
//! search over given, targeted and random questions finds smaller and more familiar actions.

use super::action::Action;
use super::condition::{Condition, Predicate};
use super::difference::{Comparison, Difference, DifferenceKind, MAX_CLASSES, RulePair};
use super::effect::Effect;
use super::facts::Facts;
use super::fuzz::{Effort, strategy, test_runner};
use super::limit::Limit;
use super::model::{Policy, Rule};
use super::policy_diff::{UnprovenChange, changed_rules, lost_properties};
use super::question::Question;
use super::symbolic::{AbstractDifference, prove};
use super::witness_generation::{self, Target};
use proptest::strategy::{Strategy, ValueTree};
use std::collections::BTreeMap;

/// Maximum number of kinds to distinguish during the search. Questions of further kinds are
/// counted.
const MAX_SEEN_KINDS: usize = 20_000;
/// Budget of rule evaluations for targeted questions, so that very large policies terminate. A
/// change without a question is reported as unproven.
const MAX_RULE_EVALUATIONS: usize = 20_000_000;
/// Cost of a question apart from its rules, in rule evaluations.
const MIN_RULES: usize = 100;
/// Cost of targeting a rule even if that yields no question, in questions.
const MIN_TARGETED: usize = 200;
/// Maximum number of questions about one kind of abstract action.
const MAX_OF_KIND: usize = 150;
/// Maximum number of kinds without a real action to describe.
const MAX_UNPROVEN: usize = 20;
/// Maximum number of shrinking steps for one difference.
const MAX_STEPS: usize = 400;

struct Search<'p> {
    base: &'p Policy,
    head: &'p Policy,
    result: Comparison,
    /// Number of targeted questions that the budget still allows.
    budget: usize,
    /// Number of kinds for each pair of rules, by branch.
    seen: BTreeMap<RulePair, BTreeMap<String, usize>>,
}

/// Compares two policies on given questions, questions targeted at changed rules, and random ones.
#[must_use]
pub fn compare(base: &Policy, head: &Policy, given: &[Question], effort: &Effort) -> Comparison {
    let result = Comparison {
        made: 0,
        targeted: 0,
        given: 0,
        differences: BTreeMap::new(),
        left_out: 0,
        kinds_left_out: 0,
        rules: changed_rules(base, head),
        unproven: Vec::new(),
        equivalent: false,
        lost: lost_properties(base, head),
        disarmed: head.monitor && !base.monitor,
    };
    let budget = MAX_RULE_EVALUATIONS / (base.rules.len() + head.rules.len()).max(MIN_RULES);
    let mut search = Search {
        base,
        head,
        result,
        budget,
        seen: BTreeMap::new(),
    };
    for question in given {
        search.result.given += 1;
        search.evaluate(question);
    }
    for (id, _) in search.result.rules.clone() {
        search.search_rule(&id);
    }
    let proof = prove(base, head);
    let unbuilt = search.search_kinds(&proof.permissive);
    search.search_kinds(&proof.restrictive);
    let seeds: Vec<Action> = given.iter().map(|q| q.action.clone()).collect();
    for (number, words) in [head, base].into_iter().enumerate() {
        let mut runner = test_runner(effort.seed, number as u64, effort.cases);
        let strategy = strategy::questions(words, &seeds);
        for _ in 0..effort.cases / 2 {
            let Ok(mut tree) = strategy.new_tree(&mut runner) else {
                continue;
            };
            search.result.made += 1;
            let question = tree.current();
            let Some(kind) = search.differ(&question) else {
                continue;
            };
            let new = !search.result.differences.contains_key(&kind)
                && search.is_worth_shrinking(&kind, &question);
            let witness = if new {
                search.shrink(&mut tree, &kind)
            } else {
                tree.current()
            };
            search.keep(kind, &witness);
        }
    }
    search.result.unproven = search.unproven(&unbuilt, &proof.opaque);
    if !proof.complete {
        search.result.unproven.push(UnprovenChange {
            what: "analysis".to_owned(),
            change: if base.surroundings.context().workdir == head.surroundings.context().workdir {
                "too large for its bounds on work".to_owned()
            } else {
                "the policies have different work trees".to_owned()
            },
        });
    }
    search.result.equivalent =
        proof.complete && proof.permissive.is_empty() && proof.restrictive.is_empty();
    search.result.select();
    search.result
}

impl Search<'_> {
    /// Evaluates questions that target both versions of a rule.
    fn search_rule(&mut self, id: &str) {
        let versions = [
            (self.base, self.base.rule(id)),
            (self.head, self.head.rule(id)),
        ];
        let limits: Vec<Limit> = versions
            .iter()
            .filter_map(|(_, rule)| *rule)
            .flat_map(limits_of)
            .collect();
        for (policy, rule) in versions {
            let Some(rule) = rule else { continue };
            self.budget = self.budget.saturating_sub(MIN_TARGETED);
            for question in
                witness_generation::questions(policy, &[Target::from_rule(rule)], &limits)
                    .take(self.budget)
            {
                self.budget -= 1;
                self.result.targeted += 1;
                self.evaluate(&question);
            }
        }
    }

    /// Builds real actions of each kind, and evaluates them. Returns the kinds without one.
    fn search_kinds<'k>(&mut self, kinds: &'k [AbstractDifference]) -> Vec<&'k AbstractDifference> {
        let mut unbuilt = Vec::new();
        for kind in kinds {
            let rule = |policy: &'_ Policy, index: Option<usize>| {
                index.and_then(|index| policy.rules.get(index)).cloned()
            };
            let rules = [
                rule(self.base, kind.base_rule),
                rule(self.head, kind.head_rule),
            ];
            let limits: Vec<Limit> = rules.iter().flatten().flat_map(limits_of).collect();
            let [old, new] = rules.map(|rule| rule.map_or("default".to_owned(), |rule| rule.id));
            let mut built = false;
            let questions = witness_generation::questions_of(&kind.sketch, &limits);
            for question in questions.into_iter().take(MAX_OF_KIND) {
                self.result.targeted += 1;
                let found = self.differ(&question);
                let meets = found.as_ref().is_some_and(|found| {
                    found.base_rule == old
                        && found.head_rule == new
                        && (found.base, found.head) == (kind.base, kind.head)
                });
                if let Some(found) = found {
                    self.keep(found, &question);
                }
                if meets {
                    built = true;
                    break;
                }
            }
            if !built {
                unbuilt.push(kind);
            }
        }
        unbuilt
    }

    fn evaluate(&mut self, question: &Question) {
        if let Some(kind) = self.differ(question) {
            self.keep(kind, question);
        }
    }

    fn differ(&mut self, question: &Question) -> Option<DifferenceKind> {
        let history = question.history();
        let request = question.context.request(&question.action, &history);
        let (base, head) = (self.base.decide(&request), self.head.decide(&request));
        (base.effect != head.effect).then(|| DifferenceKind {
            base: base.effect,
            head: head.effect,
            base_rule: base.rule_id().to_owned(),
            head_rule: head.rule_id().to_owned(),
            class: if head.effect == Effect::Allow {
                class(question, self.head)
            } else {
                String::new()
            },
        })
    }

    /// Whether a new kind of difference is likely to be reported.
    fn is_worth_shrinking(&self, kind: &DifferenceKind, question: &Question) -> bool {
        let Some(branches) = self.seen.get(&kind.pair()) else {
            return true;
        };
        let kinds: usize = branches.values().sum();
        kinds < MAX_CLASSES.0 || !branches.contains_key(&self.branch(question))
    }

    /// The branches of both rules that a question meets, and the kind of action.
    fn branch(&self, question: &Question) -> String {
        let history = question.history();
        let request = question.context.request(&question.action, &history);
        let of = |policy: &Policy| {
            let facts = Facts::new(request.action, request.risk, &policy.surroundings);
            let rule = policy.decide_on(&facts, &request).rule;
            rule.map_or_else(String::new, |rule| {
                rule.when
                    .branch(&facts, &request, rule.effect == Effect::Allow)
            })
        };
        let facts = Facts::new(request.action, request.risk, &self.head.surroundings);
        let worst = facts
            .analysis()
            .effects
            .iter()
            .max_by_key(|e| (e.risk, e.kind))
            .map_or("", |e| e.kind.as_str());
        [
            &*of(self.base),
            &*of(self.head),
            &*question.action.kind_name,
            worst,
        ]
        .join(" ")
    }

    /// Simplifies a question as far as it stays of the same kind.
    fn shrink(
        &mut self,
        tree: &mut impl ValueTree<Value = Question>,
        kind: &DifferenceKind,
    ) -> Question {
        let mut best = tree.current();
        for _ in 0..MAX_STEPS {
            if !tree.simplify() {
                break;
            }
            let smaller = tree.current();
            if self.differ(&smaller).as_ref() == Some(kind) {
                best = smaller;
            } else if !tree.complicate() {
                break;
            }
        }
        best
    }

    fn keep(&mut self, kind: DifferenceKind, question: &Question) {
        let reason = || {
            let history = question.history();
            self.head
                .decide(&question.context.request(&question.action, &history))
                .reason()
                .into_owned()
        };
        if let Some(known) = self.result.differences.get_mut(&kind) {
            known.count += 1;
            if question.size() < known.witness.size() {
                known.witness = question.clone();
                known.reason = reason();
            }
        } else if self.result.differences.len() < MAX_SEEN_KINDS {
            let branch = self.branch(question);
            *self
                .seen
                .entry(kind.pair())
                .or_default()
                .entry(branch.clone())
                .or_default() += 1;
            let difference = Difference {
                count: 1,
                witness: question.clone(),
                reason: reason(),
                branch,
            };
            self.result.differences.insert(kind, difference);
        } else {
            self.result.left_out += 1;
        }
    }

    /// Pairs of rules by which an abstract action becomes more permissive, and no real one is
    /// known.
    fn unproven(&self, unbuilt: &[&AbstractDifference], opaque: &[String]) -> Vec<UnprovenChange> {
        let id = |policy: &Policy, index: Option<usize>| {
            let rule = index.and_then(|index| policy.rules.get(index));
            rule.map_or("default".to_owned(), |rule| rule.id.clone())
        };
        let mut all: Vec<UnprovenChange> = Vec::new();
        let mut more = 0;
        for kind in unbuilt {
            let (old, new) = (id(self.base, kind.base_rule), id(self.head, kind.head_rule));
            let shown = self.result.differences.keys().any(|k| {
                (k.base, k.head) == (kind.base, kind.head)
                    && k.base_rule == old
                    && k.head_rule == new
            });
            let what = if old == new {
                format!("rule `{old}`")
            } else {
                format!("rules `{old}` and `{new}`")
            };
            if shown || all.iter().any(|one| one.what == what) {
                continue;
            }
            if all.len() >= MAX_UNPROVEN {
                more += 1;
                continue;
            }
            let mut change = format!(
                "{} instead of {} for {} ({}), if such an action exists",
                kind.head, kind.base, kind.class, kind.sketch
            );
            if !opaque.is_empty() {
                change.push_str(&format!("; not analysed: `{}`", opaque.join("`, `")));
            }
            all.push(UnprovenChange { what, change });
        }
        if more > 0 {
            all.push(UnprovenChange {
                what: format!("{more} more kinds"),
                change: "no action of these kinds is known".to_owned(),
            });
        }
        all
    }
}

/// Classifies an action by type, tool or program, and worst effect.
fn class(question: &Question, policy: &Policy) -> String {
    let action = &question.action;
    let facts = Facts::new(action, question.context.risk, &policy.surroundings);
    let worst = facts
        .analysis()
        .effects
        .iter()
        .max_by_key(|e| (e.risk, e.kind));
    let program = || facts.steps().first().map(|step| step.program.as_str());
    // For a diff, the top directory.
    let place = || {
        worst
            .and_then(|e| e.target.as_deref())
            .and_then(|path| path.split_once('/'))
            .map(|(top, _)| top)
    };
    let what = action
        .tool
        .as_deref()
        .or_else(program)
        .or_else(place)
        .unwrap_or_default();
    [
        &*action.kind_name,
        what,
        worst.map_or("", |e| e.kind.as_str()),
    ]
    .join(" ")
}

fn limits_of(rule: &Rule) -> Vec<Limit> {
    let own = match &rule.when {
        Condition::Is(Predicate::UsedUp(limit), _) => Some(*limit),
        _ => None,
    };
    rule.limits.iter().copied().chain(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;

    fn pack(combine: &str, rules: &[&str]) -> Policy {
        let rules: String = rules
            .iter()
            .map(|rule| format!("  - {{ {rule}, reason: r }}\n"))
            .collect();
        let text = format!(
            "version: 1\nid: p\ncombine: {combine}\ndefault: {{ effect: allow, reason: d }}\nrules:\n{rules}"
        );
        load("p", &text).unwrap_or_else(|p| panic!("{text}: {p:#?}"))
    }

    fn compared(base: &Policy, head: &Policy) -> Comparison {
        compare(
            base,
            head,
            &[],
            &Effort {
                seed: 0,
                cases: 40,
                only: Vec::new(),
            },
        )
    }

    const REST: &str = "id: rest, when: { tool: never_called }, effect: deny";

    #[test]
    fn a_rule_that_is_gone_is_missed_whatever_it_is_about() {
        for when in [
            "production: true, not: { category: [read] }",
            "agent: 'intern-*'",
            "mode: autonomous",
            "risk: high",
            "tool: '^mcp__(github|jira)__delete_.*$'",
            "pattern: 'xyzzy-[0-9]{4}-plugh'",
            "command: { raw: 'frob(ni|nu)cate --[a-z]+-now' }",
            "type: answer, pattern: 'confidential'",
            "type: code_diff, path: { glob: 'migrations/**', access: delete }",
            "type: tool_call, agent: [nightly, 'ci-*'], path: { glob: 'infra/**/prod.tf' }",
            "type: shell_cmd, host: '*.internal.example', path: { glob: 'out/**' }, production: true",
            "effects: [git_rewrite], mode: review, agent: bot",
            "any: [{ tool: Deploy }, { command: { program: deployctl, arg: '--now' } }]",
            "all: [{ type: shell_cmd }, { any: [{ host: a.example }, { host: b.example }] }, { pattern: 'wget' }]",
        ] {
            let base = pack(
                "deny-overrides",
                &[&format!("id: gone, when: {{ {when} }}, effect: deny"), REST],
            );
            let found = compared(&base, &pack("deny-overrides", &[REST]));
            let kinds: Vec<_> = found
                .differences
                .keys()
                .filter(|k| k.is_more_permissive() && k.base_rule == "gone")
                .collect();
            assert!(
                !kinds.is_empty() && found.unproven.is_empty(),
                "{when}: {:?}",
                found.unproven
            );
            for (kind, difference) in &found.differences {
                let question = &difference.witness;
                let case = format!("cases: [{}]", question.case(&kind.base.name().into()));
                let read = crate::load_cases(&case).unwrap_or_else(|p| panic!("{case}: {p:#?}"));
                assert!(
                    read[0].run(&base).is_none(),
                    "the witness is a case that passes before: {case}"
                );
            }
        }
    }

    #[test]
    fn alternatives_that_are_gone_are_missed() {
        for (old, new) in [
            (
                "tool: ['mcp__a__*', '^mcp__(b|c)__drop_[a-z]+$']",
                "tool: ['mcp__a__*', '^mcp__b__drop_[a-z]+$']",
            ),
            (
                "command: { raw: 'rm -(r|f)+ /data|mkfs' }",
                "command: { raw: 'mkfs' }",
            ),
            (
                "path: { glob: ['src/**', 'migrations/**'] }",
                "path: { glob: 'src/**' }",
            ),
            ("agent: [a, b]", "agent: [a]"),
            ("risk: { at_least: medium }", "risk: high"),
        ] {
            let rule = |when: &str| {
                pack(
                    "deny-overrides",
                    &[&format!("id: a, when: {{ {when} }}, effect: deny"), REST],
                )
            };
            let found = compared(&rule(old), &rule(new));
            assert!(
                found
                    .differences
                    .keys()
                    .any(DifferenceKind::is_more_permissive),
                "{old} → {new}: {:?}",
                found.unproven
            );
        }
    }

    #[test]
    fn limits_are_asked_about_at_and_around_them() {
        for (old, new) in [
            ("max_per_minute: 30", "max_per_minute: 30000"),
            ("max_per_hour: 60", "max_per_minute: 60"),
            ("max_per_minute: 7, max_per_hour: 70", "max_per_minute: 7"),
            ("max_per_execution: 3", "max_per_hour: 3"),
            ("max_per_execution: 2000", "max_per_execution: 2001"),
        ] {
            let rule = |limit: &str| {
                pack(
                    "deny-overrides",
                    &[&format!(
                        "id: a, when: {{ type: shell_cmd, {limit} }}, effect: allow"
                    )],
                )
            };
            let found = compared(&rule(old), &rule(new));
            assert!(
                found
                    .differences
                    .keys()
                    .any(DifferenceKind::is_more_permissive),
                "{old} → {new}"
            );
            assert!(
                !compared(&rule(new), &rule(old))
                    .differences
                    .keys()
                    .any(DifferenceKind::is_more_permissive),
                "{new} → {old}"
            );
        }
    }

    #[test]
    fn a_milder_rule_that_comes_first_is_found() {
        let order = |stops: &str, allows: &str| {
            let (stops, allows) = (
                format!("id: stops, when: {{ {stops} }}, effect: deny"),
                format!("id: allows, when: {{ {allows} }}, effect: allow"),
            );
            compared(
                &pack("first-match", &[&stops, &allows]),
                &pack("first-match", &[&allows, &stops]),
            )
        };
        for (stops, allows) in [
            ("pattern: 'tenant-4711'", "tool: 'mcp__crm__get_*'"),
            ("path: { glob: '*.pem' }", "path: { glob: 'src/**' }"),
            ("path: { glob: '/etc/**' }", "command: { program: cat }"),
            (
                "host: '*.evil.example'",
                "command: { program: curl }, effects: [network]",
            ),
            (
                "pattern: 'aa-[0-9]{5}'",
                "type: tool_call, pattern: 'bb-[a-z]{5}'",
            ),
            (
                "agent: 'intern-*', tool: 'mcp__db__*'",
                "tool: 'mcp__db__read', mode: quick",
            ),
        ] {
            let found = order(stops, allows);
            let shown = |k: &DifferenceKind| {
                k.is_more_permissive() && k.base_rule == "stops" && k.head_rule == "allows"
            };
            assert!(
                found.differences.keys().any(shown),
                "{stops}; {allows}: {:?}",
                found.unproven
            );
            assert!(found.unproven.is_empty(), "{:?}", found.unproven);
        }
        let none = "pattern: 'aa', not: { pattern: 'a' }";
        assert!(
            order(none, "tool: x").unproven.is_empty(),
            "no action is both"
        );
        assert!(
            order("type: shell_cmd", "tool: x").unproven.is_empty(),
            "no action is both"
        );
    }

    #[test]
    fn a_stricter_place_clears_no_milder_one() {
        let raw = "command: { raw: 'curl [^;|&]*--tag=[0-9]{4}( |$)' }";
        let old = |odd: &str| {
            format!("id: d, when: {{ any: [{{ {odd} }}, {{ tool: send }}] }}, effect: deny")
        };
        let new = pack(
            "deny-overrides",
            &["id: d, when: { tool: [send, forward] }, effect: deny"],
        );
        let found = compared(
            &pack(
                "deny-overrides",
                &[&old(&format!("host: evil.example, {raw}"))],
            ),
            &new,
        );
        assert!(
            found
                .differences
                .keys()
                .any(DifferenceKind::is_more_permissive),
            "{:?}",
            found.unproven
        );
        let found = compared(
            &pack(
                "deny-overrides",
                &[&old("command: { program: rm, raw: '^ls$' }")],
            ),
            &new,
        );
        assert!(
            found.differences.keys().all(|k| !k.is_more_permissive())
                && !found.differences.is_empty()
        );
        let doubts: Vec<&str> = found.unproven.iter().map(|one| one.what.as_str()).collect();
        assert_eq!(doubts, ["rules `d` and `default`"]);
        // Allowing more than before has to show too.
        let allow = |also: &str| {
            let when = format!(
                "host: good.example, not: {{ command: {{ program: [curl, ssh, scp] }} }}{also}"
            );
            pack(
                "first-match",
                &[
                    &format!("id: a, when: {{ {when} }}, effect: allow"),
                    "id: rest, effect: ask",
                ],
            )
        };
        let found = compared(&allow(""), &allow(", path: { glob: '/**' }"));
        assert!(
            !found.unproven.is_empty()
                || found
                    .differences
                    .keys()
                    .any(DifferenceKind::is_more_permissive)
        );
    }

    #[test]
    fn what_was_not_shown_is_said() {
        // The analysis doesn't know that a line with `rm` isn't `ls`.
        let odd = "id: odd, when: { command: { program: rm, raw: '^ls$' } }, effect: deny";
        let found = compared(
            &pack("deny-overrides", &[odd, REST]),
            &pack("deny-overrides", &[REST]),
        );
        let doubts: Vec<&str> = found.unproven.iter().map(|one| one.what.as_str()).collect();
        assert_eq!(doubts, ["rules `odd` and `default`"]);
        assert!(!found.is_proven());
        // Under another name nothing is lost, and a stricter rule is none that was weakened.
        let one = pack(
            "deny-overrides",
            &["id: a, when: { tool: x }, effect: ask", REST],
        );
        let other = pack(
            "deny-overrides",
            &["id: b, when: { tool: [x, y] }, effect: deny", REST],
        );
        assert!(compared(&one, &other).unproven.is_empty());
        let same = compared(&one, &one);
        assert!(same.unproven.is_empty() && same.differences.is_empty() && same.targeted == 0);
    }
}
