//! Skips rules that can't match an action, without evaluating their conditions.
//!
//! Most rules of a policy name other programs, hosts and paths than those of one action. Loading a
//! policy computes what each condition requires. A rule is skipped if the action lacks it, which
//! never changes a decision: its condition would be [`Tristate::No`](super::effect::Tristate::No).
//!
//! Without the filter, decisions fall below the target of 800,000 a second. `cargo bench --bench
//! policy`, 23 alternating runs on a busy machine with two cores, decided on up to 754,000 tool
//! calls a second with the filter and 430,000 without it, and on up to 262,000 and 226,000 shell
//! commands.

use super::action::type_bit;
use super::condition::{Condition, Predicate};
use super::facts::Facts;
use super::path::{Edges, PathGlob};
use super::pattern::{letter, number};
use std::array::from_fn;

/// What a condition requires of an action to hold, or possibly hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prefilter {
    /// Its type is in this set.
    types: u8,
    /// It has all of [`PATHS`], [`HOSTS`] and [`STEPS`] in this set, or it hides something.
    parts: u8,
    /// It has one of these effects, or hides something. An empty set requires nothing.
    effects: u32,
    /// The name of its tool begins with one of these letters. An empty set requires nothing.
    tools: u64,
    /// One of its paths has one of these edges. An empty list requires nothing.
    paths: Vec<Edges>,
}

const PATHS: u8 = 1;
const HOSTS: u8 = 2;
const STEPS: u8 = 4;

impl Prefilter {
    /// Requires nothing.
    const OPEN: Self = Self {
        types: 31,
        parts: 0,
        effects: 0,
        tools: 0,
        paths: Vec::new(),
    };

    /// The requirements of a condition; `strict` is the interpretation for rules that allow.
    pub fn from_condition(when: &Condition, strict: bool) -> Self {
        match when {
            Condition::All(list) => list
                .iter()
                .map(|c| Self::from_condition(c, strict))
                .fold(Self::OPEN, Self::and),
            Condition::Any(list) => {
                let none = Self {
                    types: 0,
                    parts: PATHS | HOSTS | STEPS,
                    ..Self::OPEN
                };
                list.iter()
                    .map(|c| Self::from_condition(c, strict))
                    .reduce(Self::or)
                    .unwrap_or(none)
            }
            Condition::Not(_) => Self::OPEN,
            Condition::Is(predicate, _) => Self::from_predicate(predicate, strict),
        }
    }

    fn from_predicate(predicate: &Predicate, strict: bool) -> Self {
        match predicate {
            Predicate::Type(types) => Self {
                types: *types,
                ..Self::OPEN
            },
            Predicate::Tool(names) => {
                let letters = names.iter().map(|name| name.first().map(letter));
                let tools = letters
                    .reduce(|all, one| Some(all? | one?))
                    .flatten()
                    .unwrap_or_default();
                Self {
                    types: 1,
                    tools,
                    ..Self::OPEN
                }
            }
            Predicate::ApprovedBefore => Self {
                types: 1,
                ..Self::OPEN
            },
            Predicate::Path(test) => {
                let paths = test.glob.iter().map(PathGlob::edges).collect();
                Self {
                    parts: PATHS,
                    paths,
                    ..Self::OPEN
                }
            }
            Predicate::Host(_) | Predicate::Network(_) => Self {
                parts: HOSTS,
                ..Self::OPEN
            },
            Predicate::Command(test) if test.covers_programs() => Self {
                parts: STEPS,
                ..Self::OPEN
            },
            // A rule that allows also covers an action without effects.
            Predicate::Effects(effects) if !strict => Self {
                effects: *effects,
                ..Self::OPEN
            },
            _ => Self::OPEN,
        }
    }

    /// The requirements of both. Of two sets, one suffices as a filter.
    fn and(self, other: Self) -> Self {
        let effects = if self.effects == 0 {
            other.effects
        } else {
            self.effects
        };
        let tools = if self.tools == 0 {
            other.tools
        } else {
            self.tools
        };
        let paths = if self.paths.is_empty() {
            other.paths
        } else {
            self.paths
        };
        Self {
            types: self.types & other.types,
            parts: self.parts | other.parts,
            effects,
            tools,
            paths,
        }
    }

    /// The requirements of one of them.
    fn or(self, other: Self) -> Self {
        let effects = if self.effects == 0 || other.effects == 0 {
            0
        } else {
            self.effects | other.effects
        };
        let tools = if self.tools == 0 || other.tools == 0 {
            0
        } else {
            self.tools | other.tools
        };
        let paths = if self.paths.is_empty() || other.paths.is_empty() {
            Vec::new()
        } else {
            [self.paths, other.paths].concat()
        };
        Self {
            types: self.types | other.types,
            parts: self.parts & other.parts,
            effects,
            tools,
            paths,
        }
    }
}

/// An inverted index of all rules of a policy.
///
/// It maps each property of an action to the rules that may match, as bits, so that it filters many
/// rules at once.
#[derive(Debug, Clone)]
pub(crate) struct PrefilterIndex {
    groups: Vec<Group>,
    /// The required edges of paths, by rule.
    paths: Vec<Vec<Edges>>,
}

/// Up to 64 rules, a bit for each.
#[derive(Debug, Clone)]
struct Group {
    /// By the type of the action.
    types: [u64; TYPES],
    /// By the first letter of the tool's name.
    tools: [u64; 64],
    /// By the set of [`PATHS`], [`HOSTS`] and [`STEPS`] of the action.
    parts: [u64; 8],
    /// By its effects.
    effects: [u64; 32],
    /// Rules that require no effect.
    any_effect: u64,
    /// Rules whose requirements need the facts of the action.
    needs_facts: u64,
    /// Those that require edges of paths.
    paths: u64,
}

const TYPES: usize = 5;

impl PrefilterIndex {
    /// Builds the index of conditions, each with whether it is `strict`.
    pub fn new<'c>(rules: impl Iterator<Item = (&'c Condition, bool)>) -> Self {
        let filters: Vec<Prefilter> = rules
            .map(|(when, strict)| Prefilter::from_condition(when, strict))
            .collect();
        let groups = filters.chunks(64).map(Group::new).collect();
        Self {
            groups,
            paths: filters.into_iter().map(|s| s.paths).collect(),
        }
    }

    /// The rules that may match an action, in their order.
    pub(crate) fn candidates<'s, 'f, 'a>(&'s self, facts: &'f Facts<'a>) -> Candidates<'s, 'f, 'a> {
        let tool = facts
            .action
            .one_tool()
            .and_then(|name| name.bytes().next())
            .map(number);
        let kind = type_bit(facts.action.kind).trailing_zeros();
        let mut all = Candidates {
            index: self,
            facts,
            kind,
            tool,
            has: None,
            group: 0,
            left: 0,
            checked: false,
        };
        all.left = all.by_name();
        all
    }
}

impl Group {
    fn new(filters: &[Prefilter]) -> Self {
        let which = |test: &dyn Fn(&Prefilter) -> bool| {
            filters
                .iter()
                .zip(0..)
                .fold(0, |bits, (filter, n)| bits | u64::from(test(filter)) << n)
        };
        Self {
            types: from_fn(|n| which(&|s| s.types >> n & 1 == 1)),
            tools: from_fn(|n| which(&|s| s.tools == 0 || s.tools >> n & 1 == 1)),
            parts: from_fn(|n| which(&|s| usize::from(s.parts) & !n == 0)),
            effects: from_fn(|n| which(&|s| s.effects >> n & 1 == 1)),
            any_effect: which(&|s| s.effects == 0),
            needs_facts: which(&|s| s.parts != 0 || s.effects != 0 || !s.paths.is_empty()),
            paths: which(&|s| !s.paths.is_empty()),
        }
    }

    /// The rules that may match an action with these parts and effects.
    fn admits(&self, parts: u8, effects: u32) -> u64 {
        let by_parts = self
            .parts
            .get(usize::from(parts & (PATHS | HOSTS | STEPS)))
            .copied()
            .unwrap_or(u64::MAX);
        let (mut admitted, mut left) = (self.any_effect, effects);
        while left != 0 {
            admitted |= self
                .effects
                .get(left.trailing_zeros() as usize)
                .copied()
                .unwrap_or_default();
            left &= left - 1;
        }
        by_parts & admitted
    }
}

/// Those of some rules whose globs can't match any path of the action.
fn excluded(globs: &[Vec<Edges>], mut rules: u64, edges: Edges) -> u64 {
    let mut excluded = 0;
    while rules != 0 {
        let rule = rules & rules.wrapping_neg();
        rules ^= rule;
        let admits = |globs: &Vec<Edges>| globs.iter().any(|glob| edges.admit(*glob));
        if !globs
            .get(rule.trailing_zeros() as usize)
            .is_some_and(admits)
        {
            excluded |= rule;
        }
    }
    excluded
}

/// Iterates over the rules that may match.
///
/// The facts of the action are computed only when a rule needs them.
pub(crate) struct Candidates<'s, 'f, 'a> {
    index: &'s PrefilterIndex,
    facts: &'f Facts<'a>,
    kind: u32,
    /// The first letter of its tool; `None` if it isn't exactly one tool.
    tool: Option<u32>,
    has: Option<(u8, u32, Edges)>,
    group: usize,
    /// Remaining rules of the group.
    left: u64,
    /// Whether the facts have been applied to the group.
    checked: bool,
}

impl Candidates<'_, '_, '_> {
    /// Rules of the group that may match the type and the tool's name.
    fn by_name(&self) -> u64 {
        let bits = |masks: &[u64], n: u32| masks.get(n as usize).copied().unwrap_or_default();
        self.index.groups.get(self.group).map_or(0, |group| {
            bits(&group.types, self.kind)
                & self
                    .tool
                    .map_or(u64::MAX, |letter| bits(&group.tools, letter))
        })
    }

    /// The parts, effects and path edges of the action.
    fn action_has(&mut self) -> (u8, u32, Edges) {
        let facts = self.facts;
        *self.has.get_or_insert_with(|| {
            if facts.hides() {
                return (u8::MAX, u32::MAX, Edges::OPEN);
            }
            let bit = |has: bool, bit| if has { bit } else { 0 };
            let paths = facts
                .touched_paths()
                .map(|place| place.facts.edges())
                .reduce(Edges::and);
            let parts = bit(paths.is_some(), PATHS)
                | bit(facts.hosts().next().is_some(), HOSTS)
                | bit(!facts.steps().is_empty(), STEPS);
            (parts, facts.effects(), paths.unwrap_or_default())
        })
    }
}

impl Iterator for Candidates<'_, '_, '_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            while self.left == 0 {
                self.group += 1;
                self.index.groups.get(self.group)?;
                self.left = self.by_name();
                self.checked = false;
            }
            let group = self.index.groups.get(self.group)?;
            let first = self.left & self.left.wrapping_neg();
            if group.needs_facts & first != 0 && !self.checked {
                self.checked = true;
                let (parts, effects, edges) = self.action_has();
                self.left &= !group.needs_facts | group.admits(parts, effects);
                let paths = self.index.paths.get(self.group * 64..).unwrap_or_default();
                self.left &= !excluded(paths, self.left & group.paths, edges);
                continue;
            }
            self.left ^= first;
            return Some(self.group * 64 + first.trailing_zeros() as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Effect, History, Policy, Request, SHIPPED, Tristate, load};
    use proptest::prelude::*;
    use serde_json::json;
    use std::sync::LazyLock;

    fn actions() -> impl Strategy<Value = Action> {
        const LINES: &[&str] = &[
            "ls src",
            "rm -rf /",
            "curl https://a.example",
            "$X",
            "git push",
            "cat .env > b",
            "true",
            "sudo make",
            "eval \"$Y\"",
        ];
        prop_oneof![
            proptest::collection::vec(proptest::sample::select(LINES), 1..3)
                .prop_map(|l| Action::shell(&l.join("; "))),
            ("(read|write|bash_execute|mcp__x__get|odd)", "[a-z./]{0,8}").prop_map(
                |(tool, text)| Action::call(&tool, json!({ "path": text, "command": text }))
            ),
            Just(Action::diff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")),
            Just(Action::recorded("answer", json!("done"))),
            Just(Action::recorded("dance", json!({}))),
        ]
    }

    /// The built-in policies, and one that fills several groups.
    static POLICIES: LazyLock<Vec<Policy>> = LazyLock::new(|| {
        let mut all: Vec<Policy> = SHIPPED
            .iter()
            .map(|shipped| load(shipped.name, shipped.text).unwrap())
            .collect();
        let rules = all[0].rules.clone();
        let many = rules.with(|list| (0..9).for_each(|_| list.extend(rules.iter().cloned())));
        assert!(many.len() > 128);
        all.push(Policy {
            rules: many,
            ..all[0].clone()
        });
        all
    });

    proptest! {
        #[test]
        fn globs_are_passed_over_only_where_they_fit_nothing(
            globs in proptest::collection::vec("(/|~/|\\*\\*/)?[aBé*?.{},/!\\[\\]-]{1,6}", 1..3),
            paths in proptest::collection::vec("(/|~/|\\.\\./|/home/dev/project/)?[abBé*./]{1,6}", 1..3),
            tool in "(read|write|delete)_file",
            effect in "(allow|deny)",
        ) {
            let list = globs.iter().map(|g| format!("'{g}'")).collect::<Vec<_>>().join(", ");
            let text = format!(
                "version: 1\nid: x\ncombine: deny-overrides\n\
                 default: {{ effect: require_approval, reason: x }}\nrules:\n  - {{ id: a, \
                 when: {{ any: [{{ path: {{ glob: [{list}] }} }}, \
                 {{ path: {{ glob: [zz], access: [delete] }} }}] }}, \
                 effect: {effect}, reason: x }}\n",
            );
            let Ok(policy) = load("x", &text) else { return Ok(()) };
            let rule = &policy.rules[0];
            let mut parameters = serde_json::Map::new();
            for (n, path) in paths.iter().enumerate() {
                parameters.insert(format!("path{n}"), json!(path));
            }
            let action = Action::call(&tool, parameters.into());
            let (history, facts) = (History::default(), Facts::new(&action, None, &policy.surroundings));
            if policy.rules.prefilter().candidates(&facts).next().is_none() {
                let request = Request::new(&action, &history);
                let holds = rule.when.holds(&facts, &request, rule.effect == Effect::Allow);
                prop_assert_eq!(holds, Tristate::No, "{:?}", paths);
            }
        }

        #[test]
        fn what_is_passed_over_would_not_have_held(action in actions()) {
            let history = History::default();
            let request = Request::new(&action, &history);
            for policy in &*POLICIES {
                let facts = Facts::new(&action, None, &policy.surroundings);
                let asked: Vec<usize> = policy.rules.prefilter().candidates(&facts).collect();
                prop_assert!(asked.is_sorted());
                for (index, rule) in policy.rules.iter().enumerate() {
                    let strict = rule.effect == Effect::Allow;
                    if !asked.contains(&index) {
                        let holds = rule.when.holds(&facts, &request, strict);
                        prop_assert_eq!(holds, Tristate::No, "{} {}", policy.id, rule.id);
                    }
                }
            }
        }
    }

    #[test]
    fn conditions_need_what_they_ask_about() {
        let text = "\
version: 1
id: p
combine: first-match
default: { effect: deny, reason: r }
rules:
  - id: a
    when: { type: shell_cmd, host: ['*'], effects: [delete] }
    effect: deny
    reason: r
  - id: b
    when: { any: [ { path: { glob: x } }, { tool: y } ] }
    effect: deny
    reason: r
  - id: c
    when: { not: { host: ['*'] } }
    effect: deny
    reason: r
";
        let policy = load("p", text).unwrap();
        let filters: Vec<Prefilter> = policy
            .rules
            .iter()
            .map(|r| Prefilter::from_condition(&r.when, false))
            .collect();
        let delete = crate::facts::bit(shell_effects::EffectKind::Delete);
        assert_eq!(
            filters,
            [
                Prefilter {
                    types: 2,
                    parts: HOSTS,
                    effects: delete,
                    tools: 0,
                    paths: Vec::new()
                },
                Prefilter::OPEN,
                Prefilter::OPEN
            ]
        );
    }
}
