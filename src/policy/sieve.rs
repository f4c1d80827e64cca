//! What a rule needs an action to have before it is worth asking.
//!
//! A pack of fifty rules is mostly about other programs, hosts and paths than those of one action. What a condition
//! can't do without is found when the policy is read, and a rule is passed over when the action hasn't
//! got it. That never changes a decision: a rule is passed over only where its condition would be [`Holds::No`].
//!
//! [`Holds::No`]: super::effect::Holds::No

use super::condition::{Condition, Predicate, type_bit};
use super::facts::Facts;
use super::path::{Edges, PathGlob};
use super::pattern::letter;

/// What an action must have for a condition to hold, or perhaps hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sieve {
    /// Its type is among these bits.
    types: u8,
    /// It has all of these, as bits of [`PLACES`], [`HOSTS`] and [`STEPS`]; or it hides something.
    things: u8,
    /// It has one of these effects, or hides something; nothing is needed if there are none.
    effects: u32,
    /// The name of its tool begins with one of these letters, as bits; nothing is needed if there are none.
    tools: u64,
    /// One of its paths is as one of these says; nothing is needed if there are none.
    paths: Vec<Edges>,
}

const PLACES: u8 = 1;
const HOSTS: u8 = 2;
const STEPS: u8 = 4;

impl Sieve {
    /// Lets everything pass.
    const OPEN: Self = Self { types: 31, things: 0, effects: 0, tools: 0, paths: Vec::new() };

    /// The sieve of a condition, `strict` being the reading of rules that allow.
    pub(crate) fn of(when: &Condition, strict: bool) -> Self {
        match when {
            Condition::All(list) => list.iter().map(|c| Self::of(c, strict)).fold(Self::OPEN, Self::and),
            Condition::Any(list) => {
                let none = Self { types: 0, things: PLACES | HOSTS | STEPS, ..Self::OPEN };
                list.iter().map(|c| Self::of(c, strict)).reduce(Self::or).unwrap_or(none)
            }
            Condition::Not(_) => Self::OPEN,
            Condition::Is(predicate, _) => Self::one(predicate, strict),
        }
    }

    fn one(predicate: &Predicate, strict: bool) -> Self {
        match predicate {
            Predicate::Type(types) => Self { types: *types, ..Self::OPEN },
            Predicate::Tool(names) => {
                let letters = names.iter().map(|name| name.first().map(letter));
                let tools = letters.reduce(|all, one| Some(all? | one?)).flatten().unwrap_or_default();
                Self { types: 1, tools, ..Self::OPEN }
            }
            Predicate::ApprovedBefore => Self { types: 1, ..Self::OPEN },
            Predicate::Path(test) => {
                let paths = test.glob.iter().map(PathGlob::edges).collect();
                Self { things: PLACES, paths, ..Self::OPEN }
            }
            Predicate::Host(_) => Self { things: HOSTS, ..Self::OPEN },
            Predicate::Command(test) if !(test.program.is_empty() && test.arg.is_empty() && test.args.is_empty()) => {
                Self { things: STEPS, ..Self::OPEN }
            }
            // A rule that allows covers an action without effects too.
            Predicate::Effects(effects) if !strict => Self { effects: *effects, ..Self::OPEN },
            _ => Self::OPEN,
        }
    }

    /// Both hold. Of two sets one is enough to sieve by.
    fn and(self, other: Self) -> Self {
        let effects = if self.effects == 0 { other.effects } else { self.effects };
        let tools = if self.tools == 0 { other.tools } else { self.tools };
        let paths = if self.paths.is_empty() { other.paths } else { self.paths };
        Self { types: self.types & other.types, things: self.things | other.things, effects, tools, paths }
    }

    /// One of them holds.
    fn or(self, other: Self) -> Self {
        let effects = if self.effects == 0 || other.effects == 0 { 0 } else { self.effects | other.effects };
        let tools = if self.tools == 0 || other.tools == 0 { 0 } else { self.tools | other.tools };
        let paths = if self.paths.is_empty() || other.paths.is_empty() { Vec::new() } else { [self.paths, other.paths].concat() };
        Self { types: self.types | other.types, things: self.things & other.things, effects, tools, paths }
    }
}

/// What an action has, found when the first rule needs to know.
pub(crate) struct Held<'f, 'a> {
    facts: &'f Facts<'a>,
    kind: u8,
    /// The bit of the first letter of its tool; all of them where that is nothing to go by.
    tool: u64,
    found: Option<(u8, u32, Edges)>,
}

impl<'f, 'a> Held<'f, 'a> {
    pub(crate) fn new(facts: &'f Facts<'a>) -> Self {
        let tool = facts.action.tool.as_ref().and_then(|name| name.bytes().next()).map_or(u64::MAX, letter);
        Self { facts, kind: type_bit(facts.action.kind), tool, found: None }
    }

    /// Whether a rule with this sieve is worth asking.
    #[inline]
    pub(crate) fn passes(&mut self, sieve: &Sieve) -> bool {
        sieve.types & self.kind != 0
            && (sieve.tools == 0 || sieve.tools & self.tool != 0)
            && (sieve.things == 0 && sieve.effects == 0 || self.has(sieve))
    }

    /// Whether the action has what the sieve asks of its effects.
    fn has(&mut self, sieve: &Sieve) -> bool {
        let facts = self.facts;
        let (things, effects, paths) = *self.found.get_or_insert_with(|| {
            if facts.hides() {
                return (u8::MAX, u32::MAX, Edges::OPEN);
            }
            let bit = |has: bool, bit| if has { bit } else { 0 };
            let paths = facts.places().map(|place| place.site.edges()).reduce(Edges::and);
            let things =
                bit(paths.is_some(), PLACES) | bit(facts.hosts().next().is_some(), HOSTS) | bit(!facts.steps().is_empty(), STEPS);
            (things, facts.effects(), paths.unwrap_or_default())
        });
        sieve.things & !things == 0
            && (sieve.effects == 0 || sieve.effects & effects != 0)
            && (sieve.paths.is_empty() || sieve.paths.iter().any(|glob| paths.admit(*glob)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Action, Effect, History, Holds, Policy, Request, SHIPPED, load};
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
            proptest::collection::vec(proptest::sample::select(LINES), 1..3).prop_map(|l| Action::shell(&l.join("; "))),
            ("(read|write|bash_execute|mcp__x__get|odd)", "[a-z./]{0,8}")
                .prop_map(|(tool, text)| Action::call(&tool, json!({ "path": text, "command": text }))),
            Just(Action::diff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")),
            Just(Action::recorded("answer", json!("done"))),
            Just(Action::recorded("dance", json!({}))),
        ]
    }

    static POLICIES: LazyLock<Vec<Policy>> =
        LazyLock::new(|| SHIPPED.iter().map(|shipped| load(shipped.name, shipped.text).unwrap()).collect());

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
            if !Held::new(&facts).passes(&rule.sieve) {
                let holds = rule.when.holds(&facts, &Request::new(&action, &history), rule.effect == Effect::Allow);
                prop_assert_eq!(holds, Holds::No, "{:?}", paths);
            }
        }

        #[test]
        fn what_is_passed_over_would_not_have_held(action in actions()) {
            let history = History::default();
            let request = Request::new(&action, &history);
            for policy in &*POLICIES {
                let facts = Facts::new(&action, None, &policy.surroundings);
                for rule in &policy.rules {
                    let strict = rule.effect == Effect::Allow;
                    if !Held::new(&facts).passes(&Sieve::of(&rule.when, strict)) {
                        prop_assert_eq!(rule.when.holds(&facts, &request, strict), Holds::No, "{} {}", policy.id, rule.id);
                    }
                }
            }
        }
    }

    #[test]
    fn conditions_need_what_they_ask_about() {
        let policy = load("p", "version: 1\nid: p\ncombine: first-match\ndefault: { effect: deny, reason: r }\nrules:\n  - { id: a, when: { type: shell_cmd, host: ['*'], effects: [delete] }, effect: deny, reason: r }\n  - { id: b, when: { any: [ { path: { glob: x } }, { tool: y } ] }, effect: deny, reason: r }\n  - { id: c, when: { not: { host: ['*'] } }, effect: deny, reason: r }\n").unwrap();
        let sieves: Vec<Sieve> = policy.rules.iter().map(|r| Sieve::of(&r.when, false)).collect();
        let delete = crate::policy::facts::bit(crate::command::EffectKind::Delete);
        assert_eq!(
            sieves,
            [Sieve { types: 2, things: HOSTS, effects: delete, tools: 0, paths: Vec::new() }, Sieve::OPEN, Sieve::OPEN]
        );
    }
}
