//! What a rule needs an action to have before it is worth asking.
//!
//! A pack of fifty rules is mostly about other programs, hosts and paths than those of one action.
//! What a condition can't do without is found when the policy is read, and a rule is passed over
//! when the action hasn't got it. That never changes a decision: a rule is passed over only where
//! its condition would be [`Tristate::No`].
//!
//! [`Tristate::No`]: super::effect::Holds::No

use super::action::type_bit;
use super::condition::{Condition, Predicate};
use super::facts::Facts;
use super::path::{Edges, PathGlob};
use super::pattern::{letter, number};
use std::array::from_fn;

/// What an action must have for a condition to hold, or perhaps hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prefilter {
    /// Its type is among these bits.
    types: u8,
    /// It has all of these, as bits of [`PLACES`], [`HOSTS`] and [`STEPS`]; or it hides something.
    things: u8,
    /// It has one of these effects, or hides something; nothing is needed if there are none.
    effects: u32,
    /// The name of its tool begins with one of these letters, as bits; nothing is needed if there
    /// are none.
    tools: u64,
    /// One of its paths is as one of these says; nothing is needed if there are none.
    paths: Vec<Edges>,
}

const PLACES: u8 = 1;
const HOSTS: u8 = 2;
const STEPS: u8 = 4;

impl Prefilter {
    /// Lets everything pass.
    const OPEN: Self = Self {
        types: 31,
        things: 0,
        effects: 0,
        tools: 0,
        paths: Vec::new(),
    };

    /// The sieve of a condition, `strict` being the reading of rules that allow.
    pub fn of(when: &Condition, strict: bool) -> Self {
        match when {
            Condition::All(list) => list
                .iter()
                .map(|c| Self::of(c, strict))
                .fold(Self::OPEN, Self::and),
            Condition::Any(list) => {
                let none = Self {
                    types: 0,
                    things: PLACES | HOSTS | STEPS,
                    ..Self::OPEN
                };
                list.iter()
                    .map(|c| Self::of(c, strict))
                    .reduce(Self::or)
                    .unwrap_or(none)
            }
            Condition::Not(_) => Self::OPEN,
            Condition::Is(predicate, _) => Self::one(predicate, strict),
        }
    }

    fn one(predicate: &Predicate, strict: bool) -> Self {
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
                    things: PLACES,
                    paths,
                    ..Self::OPEN
                }
            }
            Predicate::Host(_) => Self {
                things: HOSTS,
                ..Self::OPEN
            },
            Predicate::Command(test)
                if !(test.program.is_empty() && test.arg.is_empty() && test.args.is_empty()) =>
            {
                Self {
                    things: STEPS,
                    ..Self::OPEN
                }
            }
            // A rule that allows covers an action without effects too.
            Predicate::Effects(effects) if !strict => Self {
                effects: *effects,
                ..Self::OPEN
            },
            _ => Self::OPEN,
        }
    }

    /// Both hold. Of two sets one is enough to sieve by.
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
            things: self.things | other.things,
            effects,
            tools,
            paths,
        }
    }

    /// One of them holds.
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
            things: self.things & other.things,
            effects,
            tools,
            paths,
        }
    }
}

/// The sieves of all rules of a policy, turned round: for each thing that an action may have the
/// rules that are worth asking then, so that fifty rules are told apart at once.
#[derive(Debug, Clone)]
pub(crate) struct Sieves {
    groups: Vec<Group>,
    /// What each rule needs of paths.
    paths: Vec<Vec<Edges>>,
}

/// Up to 64 rules, a bit for each.
#[derive(Debug, Clone)]
struct Group {
    /// By the type of the action.
    types: [u64; TYPES],
    /// By the first letter of the tool's name.
    tools: [u64; 64],
    /// By which of [`PLACES`], [`HOSTS`] and [`STEPS`] the action has.
    things: [u64; 8],
    /// By its effects.
    effects: [u64; 32],
    /// Those that need no effect.
    any_effect: u64,
    /// Those that need to know what the action does.
    asking: u64,
    /// Those of them that need a path which begins and ends as their globs do.
    paths: u64,
}

const TYPES: usize = 5;

impl Sieves {
    /// `rules` are conditions, each with whether it is read strictly.
    pub fn of<'c>(rules: impl Iterator<Item = (&'c Condition, bool)>) -> Self {
        let sieves: Vec<Prefilter> = rules
            .map(|(when, strict)| Prefilter::of(when, strict))
            .collect();
        let groups = sieves.chunks(64).map(Group::of).collect();
        Self {
            groups,
            paths: sieves.into_iter().map(|s| s.paths).collect(),
        }
    }

    /// The rules that are worth asking about an action, in their order.
    pub(crate) fn candidates<'s, 'f, 'a>(&'s self, facts: &'f Facts<'a>) -> Candidates<'s, 'f, 'a> {
        let tool = facts
            .action
            .one_tool()
            .and_then(|name| name.bytes().next())
            .map(number);
        let kind = type_bit(facts.action.kind).trailing_zeros();
        let mut all = Candidates {
            sieves: self,
            facts,
            kind,
            tool,
            found: None,
            group: 0,
            left: 0,
            asked: false,
        };
        all.left = all.by_name();
        all
    }
}

impl Group {
    fn of(sieves: &[Prefilter]) -> Self {
        let which = |test: &dyn Fn(&Prefilter) -> bool| {
            sieves
                .iter()
                .zip(0..)
                .fold(0, |bits, (sieve, n)| bits | u64::from(test(sieve)) << n)
        };
        Self {
            types: from_fn(|n| which(&|s| s.types >> n & 1 == 1)),
            tools: from_fn(|n| which(&|s| s.tools == 0 || s.tools >> n & 1 == 1)),
            things: from_fn(|n| which(&|s| usize::from(s.things) & !n == 0)),
            effects: from_fn(|n| which(&|s| s.effects >> n & 1 == 1)),
            any_effect: which(&|s| s.effects == 0),
            asking: which(&|s| s.things != 0 || s.effects != 0 || !s.paths.is_empty()),
            paths: which(&|s| !s.paths.is_empty()),
        }
    }

    /// The rules that an action with these things and effects is worth asking.
    fn admits(&self, things: u8, effects: u32) -> u64 {
        let by_things = self
            .things
            .get(usize::from(things & (PLACES | HOSTS | STEPS)))
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
        by_things & admitted
    }
}

/// Those of some rules, as bits, none of whose globs an action's paths may fit.
fn unfit(globs: &[Vec<Edges>], mut rules: u64, edges: Edges) -> u64 {
    let mut unfit = 0;
    while rules != 0 {
        let rule = rules & rules.wrapping_neg();
        rules ^= rule;
        let admits = |globs: &Vec<Edges>| globs.iter().any(|glob| edges.admit(*glob));
        if !globs
            .get(rule.trailing_zeros() as usize)
            .is_some_and(admits)
        {
            unfit |= rule;
        }
    }
    unfit
}

/// The rules that are worth asking, found one after the other: what the action does is only looked
/// for when the first rule needs to know.
pub(crate) struct Candidates<'s, 'f, 'a> {
    sieves: &'s Sieves,
    facts: &'f Facts<'a>,
    kind: u32,
    /// The first letter of its tool; none where that is nothing to go by.
    tool: Option<u32>,
    found: Option<(u8, u32, Edges)>,
    group: usize,
    /// Rules of the group that may come yet.
    left: u64,
    /// What the group's rules need to know has been looked at.
    asked: bool,
}

impl Candidates<'_, '_, '_> {
    /// Rules of the group that an action of this type, with a tool of this name, is worth asking.
    fn by_name(&self) -> u64 {
        let bits = |masks: &[u64], n: u32| masks.get(n as usize).copied().unwrap_or_default();
        self.sieves.groups.get(self.group).map_or(0, |group| {
            bits(&group.types, self.kind)
                & self
                    .tool
                    .map_or(u64::MAX, |letter| bits(&group.tools, letter))
        })
    }

    /// What the action has.
    fn found(&mut self) -> (u8, u32, Edges) {
        let facts = self.facts;
        *self.found.get_or_insert_with(|| {
            if facts.hides() {
                return (u8::MAX, u32::MAX, Edges::OPEN);
            }
            let bit = |has: bool, bit| if has { bit } else { 0 };
            let paths = facts
                .touched_paths()
                .map(|place| place.facts.edges())
                .reduce(Edges::and);
            let things = bit(paths.is_some(), PLACES)
                | bit(facts.hosts().next().is_some(), HOSTS)
                | bit(!facts.steps().is_empty(), STEPS);
            (things, facts.effects(), paths.unwrap_or_default())
        })
    }
}

impl Iterator for Candidates<'_, '_, '_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            while self.left == 0 {
                self.group += 1;
                self.sieves.groups.get(self.group)?;
                self.left = self.by_name();
                self.asked = false;
            }
            let group = self.sieves.groups.get(self.group)?;
            let first = self.left & self.left.wrapping_neg();
            if group.asking & first != 0 && !self.asked {
                self.asked = true;
                let (things, effects, edges) = self.found();
                self.left &= !group.asking | group.admits(things, effects);
                let paths = self.sieves.paths.get(self.group * 64..).unwrap_or_default();
                self.left &= !unfit(paths, self.left & group.paths, edges);
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

    /// The policies that come with the program, and one that fills several groups.
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
                "version: 1\nid: x\ncombine: deny-overrides\ndefault: {{ effect: require_approval, reason: x }}\nrules:\n  - {{ id: a, \
                 when: {{ any: [{{ path: {{ glob: [{list}] }} }}, {{ path: {{ glob: [zz], access: [delete] }} }}] }}, effect: {effect}, reason: x }}\n",
            );
            let Ok(policy) = load("x", &text) else { return Ok(()) };
            let rule = &policy.rules[0];
            let mut parameters = serde_json::Map::new();
            for (n, path) in paths.iter().enumerate() {
                parameters.insert(format!("path{n}"), json!(path));
            }
            let action = Action::call(&tool, parameters.into());
            let (history, facts) = (History::default(), Facts::new(&action, None, &policy.surroundings));
            if policy.rules.sieves().candidates(&facts).next().is_none() {
                let holds = rule.when.holds(&facts, &Request::new(&action, &history), rule.effect == Effect::Allow);
                prop_assert_eq!(holds, Tristate::No, "{:?}", paths);
            }
        }

        #[test]
        fn what_is_passed_over_would_not_have_held(action in actions()) {
            let history = History::default();
            let request = Request::new(&action, &history);
            for policy in &*POLICIES {
                let facts = Facts::new(&action, None, &policy.surroundings);
                let asked: Vec<usize> = policy.rules.sieves().candidates(&facts).collect();
                prop_assert!(asked.is_sorted());
                for (index, rule) in policy.rules.iter().enumerate() {
                    let strict = rule.effect == Effect::Allow;
                    if !asked.contains(&index) {
                        prop_assert_eq!(rule.when.holds(&facts, &request, strict), Tristate::No, "{} {}", policy.id, rule.id);
                    }
                }
            }
        }
    }

    #[test]
    fn conditions_need_what_they_ask_about() {
        let policy = load("p", "version: 1\nid: p\ncombine: first-match\ndefault: { effect: deny, reason: r }\nrules:\n  - { id: a, when: { type: shell_cmd, host: ['*'], effects: [delete] }, effect: deny, reason: r }\n  - { id: b, when: { any: [ { path: { glob: x } }, { tool: y } ] }, effect: deny, reason: r }\n  - { id: c, when: { not: { host: ['*'] } }, effect: deny, reason: r }\n").unwrap();
        let sieves: Vec<Prefilter> = policy
            .rules
            .iter()
            .map(|r| Prefilter::of(&r.when, false))
            .collect();
        let delete = crate::facts::bit(shell_effects::EffectKind::Delete);
        assert_eq!(
            sieves,
            [
                Prefilter {
                    types: 2,
                    things: HOSTS,
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
