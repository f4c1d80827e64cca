//! Two policies beside each other: which actions does the newer one treat milder, which stricter?
//!
//! A search, and no proof: what is asked are given questions, ones that are aimed at the rules that
//! changed, and ones made from the words of both. A change that may make something milder and for
//! which nothing was found is said to be one.

use super::action::Action;
use super::condition::{Condition, Predicate};
use super::effect::Effect;
use super::facts::Facts;
use super::fuzz::{Effort, strategy, test_runner};
use super::limit::Limit;
use super::model::{Combine, Policy, Property, Rule};
use super::question::Question;
use super::subsumption::{Revised, wider};
use super::witness_generation::{self, Target};
use proptest::strategy::{Strategy, ValueTree};
use serde::Serialize;
use std::collections::BTreeMap;

/// Kinds of difference that are kept; each is shrunk, which takes time.
const MAX_KINDS: usize = 100;
/// Kinds that are told apart while policies are compared; questions of further ones are counted.
const MAX_MET: usize = 20_000;
/// Classes that are kept of one pair of rules, and of all together, once there is one of each
/// branch.
const MAX_CLASSES: (usize, usize) = (20, 300);
/// Rules that are asked when questions are aimed, so often as all questions together ask them: a
/// policy may have so many rules that asking about each of them would never end. What nothing was
/// asked about isn't shown.
const MAX_ASKED: usize = 20_000_000;
/// What asking takes beside the rules, as so many of them.
const MIN_RULES: usize = 100;
/// What aiming at a rule takes though no question comes of it.
const LEAST_AIMED: usize = 200;
/// Pairs of rules whose order is asked about; it takes up to a tenth of a second for each. The
/// others are said not to be shown.
const MAX_PAIRS: usize = 64;
/// Questions about one of them.
const MAX_OF_PAIR: usize = 1_000;
/// Rules that are named as those which now come first.
const MAX_NAMED: usize = 5;
/// Steps of shrinking for one difference.
const MAX_STEPS: usize = 400;

/// A kind of difference: what one rule of each policy says of the same actions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Kind {
    /// What the base says.
    pub base: Effect,
    /// What the head says.
    pub head: Effect,
    /// The rule of the base; `default` when none matched.
    pub base_rule: String,
    /// The rule of the head.
    pub head_rule: String,
    /// What is newly allowed, as type, tool or program, and worst effect: one rule may let in much
    /// that differs. Empty where nothing is allowed that wasn't.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub class: String,
}

impl Kind {
    /// Whether the head is milder.
    #[must_use]
    pub fn is_milder(&self) -> bool {
        self.head < self.base
    }

    fn pair(&self) -> PairOfRules {
        (
            self.base,
            self.head,
            self.base_rule.clone(),
            self.head_rule.clone(),
        )
    }
}

/// The questions of one kind of difference.
#[derive(Debug, Clone)]
pub struct Difference {
    /// How many of those that were asked.
    pub count: u64,
    /// The smallest of them that was found.
    pub witness: Question,
    /// What the head says of it, and why.
    pub reason: String,
    /// The branch of the rules, and what kind of action it is in broad terms: of each there is one
    /// that is kept.
    branch: String,
}

/// How a rule changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Only the head has it.
    Added,
    /// Only the base has it.
    Removed,
    /// Both have it, and these parts differ.
    Changed(Vec<&'static str>),
}

/// A change that may make something milder, and for which the search has found nothing that it
/// does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unproved {
    /// The rule, or the key of the policy.
    pub what: String,
    /// What was done to it.
    pub change: String,
}

/// What a comparison came to.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Questions that were made by chance.
    pub made: u64,
    /// Questions that were aimed at the rules that changed.
    pub aimed: u64,
    /// Questions that were given.
    pub given: u64,
    /// The differences, by kind.
    pub differences: BTreeMap<Kind, Difference>,
    /// Questions that differ in kinds beyond those that are kept.
    pub left_out: u64,
    /// Those kinds.
    pub kinds_left_out: u64,
    /// The rules that changed, by id: those of the head in its order, then the removed ones.
    pub rules: Vec<(String, Change)>,
    /// Changes that may make something milder, though nothing was found: a search is no proof.
    pub unproved: Vec<Unproved>,
    /// Properties that the base held, and that nothing of the head holds.
    pub lost: Vec<Unproved>,
    /// The head only reports, and the base enforces: whatever it says, everything runs.
    pub disarmed: bool,
}

impl Comparison {
    /// Keeps the differences that are worth a reader's time: one of each branch of each pair of
    /// rules, then further ones as long as there is room. The others are counted.
    fn select(&mut self) {
        let mut branches: BTreeMap<(PairOfRules, String), Vec<(Kind, Difference)>> =
            BTreeMap::new();
        for (kind, difference) in std::mem::take(&mut self.differences) {
            let branch = (kind.pair(), difference.branch.clone());
            branches.entry(branch).or_default().push((kind, difference));
        }
        let (of_pair, of_all) = MAX_CLASSES;
        let mut kept: BTreeMap<PairOfRules, usize> = BTreeMap::new();
        let mut rounds: Vec<_> = branches
            .into_iter()
            .map(|((pair, _), kinds)| (pair, kinds.into_iter()))
            .collect();
        let mut first = true;
        while !rounds.is_empty() {
            rounds.retain_mut(|(pair, kinds)| {
                let Some((kind, difference)) = kinds.next() else {
                    return false;
                };
                let (of_this, all) = (
                    kept.entry(pair.clone()).or_default(),
                    self.differences.len(),
                );
                if if first {
                    all < of_all + MAX_KINDS
                } else {
                    *of_this < of_pair && all < of_all
                } {
                    *of_this += 1;
                    self.differences.insert(kind, difference);
                } else {
                    self.kinds_left_out += 1;
                    self.left_out += difference.count;
                }
                true
            });
            first = false;
        }
    }
}

struct Search<'p> {
    base: &'p Policy,
    head: &'p Policy,
    found: Comparison,
    /// Questions that may still be aimed at what changed.
    left: usize,
    /// How many kinds there are of each pair of rules, by branch.
    met: BTreeMap<PairOfRules, BTreeMap<String, usize>>,
}

/// What both rules say, and their ids.
type PairOfRules = (Effect, Effect, String, String);

/// Compares two policies on the given questions, on ones aimed at what changed, and on made ones.
#[must_use]
pub fn compare(base: &Policy, head: &Policy, given: &[Question], effort: &Effort) -> Comparison {
    let found = Comparison {
        made: 0,
        aimed: 0,
        given: 0,
        differences: BTreeMap::new(),
        left_out: 0,
        kinds_left_out: 0,
        rules: changes(base, head),
        unproved: Vec::new(),
        lost: lost(base, head),
        disarmed: head.monitor && !base.monitor,
    };
    let left = MAX_ASKED / (base.rules.len() + head.rules.len()).max(MIN_RULES);
    let mut search = Search {
        base,
        head,
        found,
        left,
        met: BTreeMap::new(),
    };
    for question in given {
        search.found.given += 1;
        search.ask(question);
    }
    for (id, _) in search.found.rules.clone() {
        search.aim_at(&id);
    }
    search.aim_at_order();
    let seeds: Vec<Action> = given.iter().map(|q| q.action.clone()).collect();
    for (number, words) in [head, base].into_iter().enumerate() {
        let mut runner = test_runner(effort.seed, number as u64, effort.cases);
        let strategy = strategy::questions(words, &seeds);
        for _ in 0..effort.cases / 2 {
            let Ok(mut tree) = strategy.new_tree(&mut runner) else {
                continue;
            };
            search.found.made += 1;
            let question = tree.current();
            let Some(kind) = search.differ(&question) else {
                continue;
            };
            let new = !search.found.differences.contains_key(&kind)
                && search.is_worth_shrinking(&kind, &question);
            let witness = if new {
                search.shrink(&mut tree, &kind)
            } else {
                tree.current()
            };
            search.keep(kind, &witness);
        }
    }
    search.found.unproved = search.unproved();
    search.found.select();
    search.found
}

impl Search<'_> {
    /// Asks what both versions of a rule are about.
    fn aim_at(&mut self, id: &str) {
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
            self.left = self.left.saturating_sub(LEAST_AIMED);
            for question in
                witness_generation::questions(policy, &[Target::of(rule)], &limits).take(self.left)
            {
                self.left -= 1;
                self.found.aimed += 1;
                self.ask(&question);
            }
        }
    }

    /// Asks what a rule is about together with each milder one that now comes first.
    fn aim_at_order(&mut self) {
        let pairs = Revised::of(self.base, self.head).overtaken();
        let pairs = pairs
            .iter()
            .flat_map(|(rule, by)| by.iter().map(move |first| (*rule, *first)));
        for (rule, first) in pairs.take(MAX_PAIRS) {
            let (targets, limits) = ([Target::of(rule), Target::of(first)], limits_of(rule));
            for question in
                witness_generation::questions(self.head, &targets, &limits).take(MAX_OF_PAIR)
            {
                if self.has_shown(rule, first) {
                    break;
                }
                self.found.aimed += 1;
                self.ask(&question);
            }
        }
    }

    /// Whether a difference shows what it does that a milder rule comes before another.
    fn has_shown(&self, rule: &Rule, first: &Rule) -> bool {
        self.found
            .differences
            .keys()
            .any(|k| k.is_milder() && k.base_rule == rule.id && k.head_rule == first.id)
    }

    fn ask(&mut self, question: &Question) {
        if let Some(kind) = self.differ(question) {
            self.keep(kind, question);
        }
    }

    fn differ(&mut self, question: &Question) -> Option<Kind> {
        let history = question.history();
        let request = question.context.request(&question.action, &history);
        let (base, head) = (self.base.decide(&request), self.head.decide(&request));
        (base.effect != head.effect).then(|| Kind {
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

    /// Whether a new kind of difference is likely to be kept.
    fn is_worth_shrinking(&self, kind: &Kind, question: &Question) -> bool {
        let Some(branches) = self.met.get(&kind.pair()) else {
            return true;
        };
        let kinds: usize = branches.values().sum();
        kinds < MAX_CLASSES.0 || !branches.contains_key(&self.branch(question))
    }

    /// The branches of both rules that a question meets, and what kind of action it is.
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

    /// The smallest question of the same kind that simplifying leads to.
    fn shrink(&mut self, tree: &mut impl ValueTree<Value = Question>, kind: &Kind) -> Question {
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

    fn keep(&mut self, kind: Kind, question: &Question) {
        let reason = || {
            let history = question.history();
            self.head
                .decide(&question.context.request(&question.action, &history))
                .reason()
                .into_owned()
        };
        if let Some(known) = self.found.differences.get_mut(&kind) {
            known.count += 1;
            if question.size() < known.witness.size() {
                known.witness = question.clone();
                known.reason = reason();
            }
        } else if self.found.differences.len() < MAX_MET {
            let branch = self.branch(question);
            *self
                .met
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
            self.found.differences.insert(kind, difference);
        } else {
            self.found.left_out += 1;
        }
    }

    /// What may have become milder, and isn't behind any difference that was found.
    fn unproved(&self) -> Vec<Unproved> {
        // That a rule is stricter in one place says nothing of another place.
        let shown = |id: &str| {
            self.found
                .differences
                .keys()
                .any(|k| k.is_milder() && (k.base_rule == id || k.head_rule == id))
        };
        let revised = Revised::of(self.base, self.head);
        let mut all = Vec::new();
        for (id, change) in &self.found.rules {
            if revised.may_loosen(id) && !shown(id) {
                let change = match change {
                    Change::Added => "added".to_owned(),
                    Change::Removed => "removed".to_owned(),
                    Change::Changed(parts) => format!("changed ({})", parts.join(", ")),
                };
                all.push(Unproved {
                    what: format!("rule `{id}`"),
                    change,
                });
            }
        }
        for (rule, by) in revised.overtaken() {
            let hidden: Vec<String> = by
                .into_iter()
                .filter(|first| !self.has_shown(rule, first))
                .map(|first| format!("`{}`", first.id))
                .collect();
            if !hidden.is_empty() {
                let more = hidden.len().saturating_sub(MAX_NAMED);
                let named = hidden.get(..MAX_NAMED).unwrap_or(&hidden).join(", ");
                let rest = if more > 0 {
                    format!(" and {more} more")
                } else {
                    String::new()
                };
                all.push(Unproved {
                    what: format!("rule `{}`", rule.id),
                    change: format!("put behind {named}{rest}"),
                });
            }
        }
        let any_milder = self.found.differences.keys().any(Kind::is_milder);
        let mut whole = |what: &str, changed: bool, change: String| {
            if changed && !any_milder {
                all.push(Unproved {
                    what: what.to_owned(),
                    change,
                });
            }
        };
        let (old, new) = (&self.base.default.effect, &self.head.default.effect);
        whole("default", new < old, format!("{new} instead of {old}"));
        let overridden =
            self.base.combine == Combine::DenyOverrides && self.head.combine == Combine::FirstMatch;
        whole(
            "combine",
            overridden,
            "first-match instead of deny-overrides".to_owned(),
        );
        whole(
            "workdir",
            self.base.surroundings.context().workdir != self.head.surroundings.context().workdir,
            "changed".to_owned(),
        );
        all
    }
}

/// What kind of action it is, for a reader who asks what else a rule lets in.
fn class(question: &Question, policy: &Policy) -> String {
    let action = &question.action;
    let facts = Facts::new(action, question.context.risk, &policy.surroundings);
    let worst = facts
        .analysis()
        .effects
        .iter()
        .max_by_key(|e| (e.risk, e.kind));
    let program = || facts.steps().first().map(|step| step.program.as_str());
    // Of a diff, the folder at the top.
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

/// The properties of the base that no property of the head holds: none that asks as much of at
/// least the same actions.
fn lost(base: &Policy, head: &Policy) -> Vec<Unproved> {
    let kept = |old: &&Property| {
        head.properties
            .iter()
            .any(|new| new.effect >= old.effect && wider(&old.for_all, &new.for_all))
    };
    let gone = base.properties.iter().filter(|old| !kept(old));
    gone.map(|old| {
        let named = head.properties.iter().find(|new| new.id == old.id);
        let change = match named {
            None => "removed".to_owned(),
            Some(new) if new.effect < old.effect => {
                format!("{} instead of {}", new.effect, old.effect)
            }
            Some(_) => {
                "changed: it isn't plainly about all the actions that it was about".to_owned()
            }
        };
        Unproved {
            what: old.id.clone(),
            change,
        }
    })
    .collect()
}

fn limits_of(rule: &Rule) -> Vec<Limit> {
    let own = match &rule.when {
        Condition::Is(Predicate::UsedUp(limit), _) => Some(*limit),
        _ => None,
    };
    rule.limits.iter().copied().chain(own).collect()
}

/// The rules that changed, without asking what that does.
fn changes(base: &Policy, head: &Policy) -> Vec<(String, Change)> {
    let mut all = Vec::new();
    for (index, rule) in head.rules.iter().enumerate() {
        match base.rules.iter().position(|r| r.id == rule.id) {
            None => all.push((rule.id.clone(), Change::Added)),
            Some(before) => {
                let parts = base
                    .rules
                    .get(before)
                    .map(|old| parts(old, rule))
                    .unwrap_or_default();
                let moved = base.combine == Combine::FirstMatch
                    && before_of(base, before) != before_of(head, index);
                let parts: Vec<&'static str> =
                    parts.into_iter().chain(moved.then_some("order")).collect();
                if !parts.is_empty() {
                    all.push((rule.id.clone(), Change::Changed(parts)));
                }
            }
        }
    }
    let gone = base.rules.iter().filter(|r| head.rule(&r.id).is_none());
    all.extend(gone.map(|r| (r.id.clone(), Change::Removed)));
    all
}

/// The rule before one: when that is another, the rule has moved.
fn before_of(policy: &Policy, index: usize) -> Option<&str> {
    index
        .checked_sub(1)
        .and_then(|i| policy.rules.get(i))
        .map(|r| r.id.as_str())
}

fn parts(old: &Rule, new: &Rule) -> Vec<&'static str> {
    let same_when = format!("{:?}", old.when) == format!("{:?}", new.when);
    [
        ("when", !same_when),
        ("limits", old.limits != new.limits),
        ("effect", old.effect != new.effect),
        ("reason", old.reason != new.reason),
        ("description", old.description != new.description),
    ]
    .into_iter()
    .filter_map(|(part, differs)| differs.then_some(part))
    .collect()
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
                .filter(|k| k.is_milder() && k.base_rule == "gone")
                .collect();
            assert!(
                !kinds.is_empty() && found.unproved.is_empty(),
                "{when}: {:?}",
                found.unproved
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
                found.differences.keys().any(Kind::is_milder),
                "{old} → {new}: {:?}",
                found.unproved
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
                found.differences.keys().any(Kind::is_milder),
                "{old} → {new}"
            );
            assert!(
                !compared(&rule(new), &rule(old))
                    .differences
                    .keys()
                    .any(Kind::is_milder),
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
            let shown =
                |k: &Kind| k.is_milder() && k.base_rule == "stops" && k.head_rule == "allows";
            assert!(
                found.differences.keys().any(shown),
                "{stops}; {allows}: {:?}",
                found.unproved
            );
            assert!(found.unproved.is_empty(), "{:?}", found.unproved);
        }
        let found = order("pattern: 'aa', not: { pattern: 'a' }", "tool: x");
        assert_eq!(
            found.unproved,
            [Unproved {
                what: "rule `stops`".into(),
                change: "put behind `allows`".into()
            }]
        );
        assert!(
            order("type: shell_cmd", "tool: x").unproved.is_empty(),
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
            found.differences.keys().any(Kind::is_milder),
            "{:?}",
            found.unproved
        );
        let found = compared(
            &pack(
                "deny-overrides",
                &[&old("pattern: aa, not: { pattern: a }")],
            ),
            &new,
        );
        assert!(found.differences.keys().all(|k| !k.is_milder()) && !found.differences.is_empty());
        assert_eq!(
            found.unproved,
            [Unproved {
                what: "rule `d`".into(),
                change: "changed (when)".into()
            }]
        );
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
            found.unproved.iter().any(|one| one.what == "rule `a`")
                || found.differences.keys().any(Kind::is_milder)
        );
    }

    #[test]
    fn what_was_not_shown_is_said() {
        // Nothing that could be made up hides a program's name in a way that only this finds.
        let odd = "id: odd, when: { pattern: 'aa', not: { pattern: 'a' } }, effect: deny";
        let found = compared(
            &pack("deny-overrides", &[odd, REST]),
            &pack("deny-overrides", &[REST]),
        );
        assert_eq!(
            found.unproved,
            [Unproved {
                what: "rule `odd`".into(),
                change: "removed".into()
            }]
        );
        // Under another name nothing is lost, and a stricter rule is none that was weakened.
        let one = pack(
            "deny-overrides",
            &["id: a, when: { tool: x }, effect: ask", REST],
        );
        let other = pack(
            "deny-overrides",
            &["id: b, when: { tool: [x, y] }, effect: deny", REST],
        );
        assert!(compared(&one, &other).unproved.is_empty());
        let same = compared(&one, &one);
        assert!(same.unproved.is_empty() && same.differences.is_empty() && same.aimed == 0);
    }
}
