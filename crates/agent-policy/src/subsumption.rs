//! Checks whether a changed rule may be more permissive, by comparing conditions and the order of
//! rules.
//!
//! This is a sufficient check: it clears a change only if the new condition plainly subsumes the
//! old one.

use super::action::type_bit;
use super::condition::{CommandTest, Condition, PathTest, Predicate};
use super::effect::Effect;
use super::grant_scope::scope_within;
use super::limit::Limit;
use super::model::{Combine, Policy, Rule};
use super::name::Name;
use super::path::PathGlob;
use super::pattern::wildcard;
use governance::ActionType;
use std::collections::HashMap;
use std::mem::discriminant;

/// Maximum number of conjunctions of a condition. One with more isn't cleared.
const MAX_ALTERNATIVES: usize = 64;
/// Maximum number of pairs of rules to compare.
const MAX_SEARCHED: usize = 1_000_000;
/// Maximum number of rules to list before another.
const MAX_REORDERED: usize = 64;

/// Two versions of a policy.
pub(super) struct PolicyRevision<'p> {
    base: &'p Policy,
    head: &'p Policy,
    /// Whether all pairs of rules can be compared quickly. Otherwise rules correspond by name only.
    searchable: bool,
    /// For each rule of the head, the first rule of the base that has its id or grants no less.
    since: Vec<Option<usize>>,
}

impl<'p> PolicyRevision<'p> {
    /// Pairs the rules of two revisions of a policy by their names.
    pub fn new(base: &'p Policy, head: &'p Policy) -> Self {
        let searchable = base.rules.len().saturating_mul(head.rules.len()) <= MAX_SEARCHED;
        let places: HashMap<&str, usize> = base
            .rules
            .iter()
            .enumerate()
            .map(|(index, rule)| (rule.id.as_str(), index))
            .collect();
        let since = |rule: &Rule| {
            let named = places.get(rule.id.as_str()).copied();
            let as_well = |old: &Rule| searchable && grants_no_more(old, rule);
            base.rules
                .iter()
                .take(named.unwrap_or(usize::MAX))
                .position(as_well)
                .or(named)
        };
        Self {
            base,
            head,
            searchable,
            since: head.rules.iter().map(since).collect(),
        }
    }

    /// Whether the change of the rule with this id may make a decision more permissive.
    pub(super) fn may_loosen(&self, id: &str) -> bool {
        let (old, new) = (
            PositionedRule::find(self.base, id),
            PositionedRule::find(self.head, id),
        );
        let restrains_less = old.is_some_and(|old| {
            let holds = |new: PositionedRule<'_>| restricts_no_less(old.rule, new.rule);
            // A rule with another id may restrict the same, if no more permissive rule is before
            // it.
            let first = |other| self.reordered_before(old, other).next().is_none();
            let elsewhere = || {
                self.searchable
                    && PositionedRule::all(self.head).any(|other| holds(other) && first(other))
            };
            // If the rule kept its id, `reordered` checks the rules before it.
            restrains(old.rule) && !new.map_or_else(elsewhere, holds)
        });
        let grants_more = new.is_some_and(|new| {
            let granted = |old: PositionedRule<'_>| grants_no_more(old.rule, new.rule);
            new.loosens_fallback()
                && !old.map_or_else(
                    || self.searchable && PositionedRule::all(self.base).any(granted),
                    granted,
                )
        });
        restrains_less || grants_more
    }

    /// The restricting rules of both policies, each with more permissive rules that are before it
    /// only in the head and match first.
    pub(super) fn reordered(&self) -> Vec<(&'p Rule, Vec<&'p Rule>)> {
        let pair = |old: PositionedRule<'p>| {
            let by: Vec<&Rule> = self
                .reordered_before(old, PositionedRule::find(self.head, &old.rule.id)?)
                .take(MAX_REORDERED)
                .collect();
            (restrains(old.rule) && !by.is_empty()).then_some((old.rule, by))
        };
        PositionedRule::all(self.base).filter_map(pair).collect()
    }

    /// The more permissive rules before `new` that have no counterpart before `old`. Rules that
    /// plainly match other actions are left out.
    fn reordered_before<'r>(
        &'r self,
        old: PositionedRule<'r>,
        new: PositionedRule<'r>,
    ) -> impl Iterator<Item = &'p Rule> + 'r {
        // Order only counts under first-match.
        let [asked_in_order, stood_in_order] =
            [self.head, self.base].map(|policy| policy.combine == Combine::FirstMatch);
        let before = if asked_in_order { new.index } else { 0 };
        let comes_first = move |(rule, since): &(&Rule, &Option<usize>)| {
            let before = stood_in_order && since.is_some_and(|since| since < old.index);
            !before && more_permissive(rule, old.rule) && !disjoint(&rule.when, &new.rule.when)
        };
        self.head
            .rules
            .iter()
            .zip(&self.since)
            .take(before)
            .filter(comes_first)
            .map(|(rule, _)| rule)
    }
}

/// A rule with its position in a policy.
#[derive(Clone, Copy)]
struct PositionedRule<'p> {
    policy: &'p Policy,
    index: usize,
    rule: &'p Rule,
}

impl<'p> PositionedRule<'p> {
    fn all(policy: &'p Policy) -> impl Iterator<Item = Self> {
        policy
            .rules
            .iter()
            .enumerate()
            .map(move |(index, rule)| Self {
                policy,
                index,
                rule,
            })
    }

    fn find(policy: &'p Policy, id: &str) -> Option<Self> {
        Self::all(policy).find(|placed| placed.rule.id == id)
    }

    /// The rules after it that it prevents from matching.
    fn behind(self) -> &'p [Rule] {
        let first = self.policy.combine == Combine::FirstMatch;
        self.policy
            .rules
            .get(self.index..)
            .filter(|_| first)
            .and_then(|rest| rest.get(1..))
            .unwrap_or_default()
    }

    /// Whether the decision could be stricter if the rule didn't match.
    fn loosens_fallback(self) -> bool {
        self.policy.default.effect > self.rule.effect
            || self
                .behind()
                .iter()
                .any(|other| more_permissive(self.rule, other))
    }
}

/// Whether a rule restricts anything.
fn restrains(rule: &Rule) -> bool {
    rule.effect != Effect::Allow || !rule.limits.is_empty()
}

/// Whether a rule is more permissive than another for actions that match both.
fn more_permissive(rule: &Rule, other: &Rule) -> bool {
    rule.effect < other.effect
        || rule.effect == other.effect && rule.effect != Effect::Deny && !keeps_limits(other, rule)
}

/// Whether the new rule restricts everything that the old one does.
fn restricts_no_less(old: &Rule, new: &Rule) -> bool {
    new.effect >= old.effect && keeps_limits(old, new) && subsumes(&old.when, &new.when)
}

/// Whether the new rule grants nothing that the old one didn't.
fn grants_no_more(old: &Rule, new: &Rule) -> bool {
    if !keeps_limits(old, new) {
        return false;
    }
    match (old.effect, new.effect) {
        (Effect::Allow, Effect::Allow) => covers_no_less(&old.when, &new.when),
        // Rules that allow are strict and those that ask aren't, so they can't be compared.
        (Effect::RequireApproval, Effect::RequireApproval) => subsumes(&new.when, &old.when),
        _ => false,
    }
}

/// Whether the old condition of a rule that allows covers all that the new one covers. For each
/// alternative of the new one, an alternative of the old one must hold wherever it does and grant
/// no less.
fn covers_no_less(old: &Condition, new: &Condition) -> bool {
    if same(old, new) {
        return true;
    }
    let (Some(old), Some(new)) = (alternatives(old), alternatives(new)) else {
        return false;
    };
    let covered = |new: &Vec<&Condition>| {
        let as_well = |old: &Vec<&Condition>| {
            let holds = old
                .iter()
                .all(|part| new.iter().any(|own| subsumes(own, part)));
            holds && scope_within(new, old)
        };
        old.iter().any(as_well)
    };
    new.iter().all(covered)
}

/// The condition as alternatives of conjunctions (disjunctive normal form); `None` if there are too
/// many.
fn alternatives(when: &Condition) -> Option<Vec<Vec<&Condition>>> {
    let all = match when {
        Condition::Is(..) | Condition::Not(_) => vec![vec![when]],
        Condition::Any(list) => list
            .iter()
            .map(alternatives)
            .collect::<Option<Vec<_>>>()?
            .concat(),
        Condition::All(list) => {
            let mut all = vec![Vec::new()];
            for part in list {
                let parts = alternatives(part)?;
                if all.len().saturating_mul(parts.len()) > MAX_ALTERNATIVES {
                    return None;
                }
                let with = |one: &Vec<_>| {
                    parts
                        .iter()
                        .map(|part| [one.as_slice(), part].concat())
                        .collect::<Vec<_>>()
                };
                all = all.iter().flat_map(with).collect();
            }
            all
        }
    };
    (all.len() <= MAX_ALTERNATIVES).then_some(all)
}

/// Whether plainly no action meets both conditions.
fn disjoint(one: &Condition, other: &Condition) -> bool {
    match (one, other) {
        (Condition::Any(alternatives), other) | (other, Condition::Any(alternatives)) => {
            alternatives.iter().all(|choice| disjoint(choice, other))
        }
        (Condition::All(parts), other) | (other, Condition::All(parts)) => {
            parts.iter().any(|part| disjoint(part, other))
        }
        (Condition::Is(one, _), Condition::Is(other, _)) => disjoint_keys(one, other),
        (Condition::Not(_), _) | (_, Condition::Not(_)) => false,
    }
}

fn disjoint_keys(one: &Predicate, other: &Predicate) -> bool {
    match (one, other) {
        (Predicate::Type(a), Predicate::Type(b)) | (Predicate::Risk(a), Predicate::Risk(b)) => {
            a & b == 0
        }
        (Predicate::Tool(_), Predicate::Type(bits))
        | (Predicate::Type(bits), Predicate::Tool(_)) => {
            bits & type_bit(Some(ActionType::ToolCall)) == 0
        }
        (Predicate::Tool(a), Predicate::Tool(b))
        | (Predicate::Agent(a), Predicate::Agent(b))
        | (Predicate::Mode(a), Predicate::Mode(b)) => {
            a.iter().all(|a| b.iter().all(|b| disjoint_names(a, b)))
        }
        (Predicate::Production(a), Predicate::Production(b)) => a != b,
        _ => false,
    }
}

/// Whether plainly no text matches both names, ignoring case.
fn disjoint_names(one: &Name, other: &Name) -> bool {
    match (one, other) {
        (Name::Exact(a), Name::Exact(b)) => !a.eq_ignore_ascii_case(b),
        (Name::Exact(text), Name::Star(pattern)) | (Name::Star(pattern), Name::Exact(text)) => {
            !wildcard(pattern, text, true)
        }
        (Name::Star(a), Name::Star(b)) => {
            let start = |pattern: &str| {
                pattern
                    .split('*')
                    .next()
                    .unwrap_or_default()
                    .to_ascii_lowercase()
            };
            let (a, b) = (start(a), start(b));
            !a.starts_with(&b) && !b.starts_with(&a)
        }
        (Name::Regex(..), _) | (_, Name::Regex(..)) => false,
    }
}

fn keeps_limits(old: &Rule, new: &Rule) -> bool {
    old.limits
        .iter()
        .all(|limit| new.limits.iter().any(|other| no_looser(limit, other)))
}

fn no_looser(old: &Limit, new: &Limit) -> bool {
    match (old, new) {
        (Limit::PerMinute(a), Limit::PerMinute(b) | Limit::PerHour(b) | Limit::PerExecution(b))
        | (Limit::PerHour(a), Limit::PerHour(b) | Limit::PerExecution(b))
        | (Limit::PerExecution(a), Limit::PerExecution(b))
        | (Limit::AllPerHour(a), Limit::AllPerHour(b))
        | (Limit::Busy(a), Limit::Busy(b)) => b <= a,
        (Limit::Cost(a), Limit::Cost(b)) => b <= a,
        _ => false,
    }
}

fn same<T: std::fmt::Debug>(one: &T, other: &T) -> bool {
    format!("{one:?}") == format!("{other:?}")
}

/// Whether the new condition plainly holds wherever the old one does.
pub(super) fn subsumes(old: &Condition, new: &Condition) -> bool {
    match (old, new) {
        (_, Condition::All(parts)) => parts.iter().all(|part| subsumes(old, part)),
        (Condition::Any(parts), _) => {
            !parts.is_empty() && parts.iter().all(|part| subsumes(part, new))
        }
        (Condition::All(parts), Condition::Any(alternatives)) => {
            parts.iter().any(|part| subsumes(part, new))
                || alternatives.iter().any(|choice| subsumes(old, choice))
        }
        (_, Condition::Any(alternatives)) => {
            alternatives.iter().any(|choice| subsumes(old, choice))
        }
        (Condition::All(parts), _) => parts.iter().any(|part| subsumes(part, new)),
        (Condition::Not(old), Condition::Not(new)) => subsumes(new, old),
        (Condition::Is(old, _), Condition::Is(new, _)) => subsumes_key(old, new),
        (Condition::Not(_), Condition::Is(..)) | (Condition::Is(..), Condition::Not(_)) => false,
    }
}

fn subsumes_key(old: &Predicate, new: &Predicate) -> bool {
    match (old, new) {
        (Predicate::Type(a), Predicate::Type(b)) | (Predicate::Risk(a), Predicate::Risk(b)) => {
            a & !b == 0
        }
        (Predicate::Category(a), Predicate::Category(b))
        | (Predicate::Effects(a), Predicate::Effects(b)) => a & !b == 0,
        (Predicate::Tool(a), Predicate::Tool(b))
        | (Predicate::Agent(a), Predicate::Agent(b))
        | (Predicate::Mode(a), Predicate::Mode(b))
        | (Predicate::Host(a), Predicate::Host(b)) => named_among(a, b),
        (Predicate::Pattern(a), Predicate::Pattern(b)) => among(a, b),
        (Predicate::Command(a), Predicate::Command(b)) => subsumes_command(a, b),
        (Predicate::Path(a), Predicate::Path(b)) => subsumes_path(a, b),
        (Predicate::UsedUp(a), Predicate::UsedUp(b)) => no_looser(a, b),
        _ => discriminant(old) == discriminant(new) && same(old, new),
    }
}

/// Whether the new list contains each element of the old one.
fn among<T: std::fmt::Debug>(old: &[T], new: &[T]) -> bool {
    old.iter()
        .all(|one| new.iter().any(|other| same(one, other)))
}

/// Whether each text that matches an old name matches a new one, strictly or not.
fn named_among(old: &[Name], new: &[Name]) -> bool {
    let within = |one: &Name, other: &Name| match (one, other) {
        (Name::Exact(text), Name::Star(pattern)) => wildcard(pattern, text, false),
        _ => same(one, other),
    };
    old.iter()
        .all(|one| new.iter().any(|other| within(one, other)))
}

/// Like `among`, for lists that require nothing if empty.
fn asks_no_more<T: std::fmt::Debug>(old: &[T], new: &[T]) -> bool {
    new.is_empty() || !old.is_empty() && among(old, new)
}

fn subsumes_command(old: &CommandTest, new: &CommandTest) -> bool {
    let names =
        |old: &[Name], new: &[Name]| new.is_empty() || !old.is_empty() && named_among(old, new);
    names(&old.program, &new.program)
        && names(&old.arg, &new.arg)
        && among(&new.args, &old.args)
        && asks_no_more(&old.raw, &new.raw)
}

fn subsumes_path(old: &PathTest, new: &PathTest) -> bool {
    let texts = |globs: &[PathGlob]| {
        globs
            .iter()
            .map(|g| g.text().to_owned())
            .collect::<Vec<_>>()
    };
    asks_no_more(&texts(&old.glob), &texts(&new.glob))
        && among(&texts(&new.except), &texts(&old.except))
        && asks_no_more(&old.access, &new.access)
        && (new.outside.is_none() || new.outside == old.outside)
        && (new.protected.is_none() || same(&old.protected, &new.protected))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;

    fn pack(combine: &str, default: &str, rules: &[(&str, &str)]) -> Policy {
        let one = |(id, rule): &(&str, &str)| {
            let (when, effect) = rule.split_once(" → ").unwrap();
            format!("  - {{ id: {id}, when: {{ {when} }}, effect: {effect}, reason: r }}\n")
        };
        let rules: String = rules.iter().map(one).collect();
        load(
            "p",
            &format!("version: 1\ncombine: {combine}\ndefault: {default}\nrules:\n{rules}"),
        )
        .unwrap()
    }

    fn loosens(old: &str, new: &str) -> bool {
        let one = |rule| pack("deny-overrides", "ask", &[("a", rule)]);
        PolicyRevision::new(&one(old), &one(new)).may_loosen("a")
    }

    #[test]
    fn only_what_is_plainly_no_milder_is_cleared() {
        for (old, new) in [
            ("tool: a", "tool: [a, b]"),
            ("effects: [write], tool: a", "effects: [write, delete]"),
            ("path: { glob: [x], except: [y] }", "path: { glob: [x, z] }"),
            ("tool: a, max_per_minute: 3", "tool: a, max_per_minute: 2"),
            ("tool: a", "any: [{ tool: a }, { tool: b }]"),
            ("not: { tool: [a, b] }", "not: { tool: a }"),
        ] {
            let (old, new) = (format!("{old} → deny"), format!("{new} → deny"));
            assert!(!loosens(&old, &new), "{old} → {new}");
            assert!(loosens(&new, &old), "{new} → {old}");
        }
        assert!(
            loosens("tool: a → deny", "tool: a → ask")
                && !loosens("tool: a → ask", "tool: a → deny")
        );
        assert!(
            loosens("tool: a → allow", "tool: [a, b] → allow")
                && !loosens("tool: [a, b] → allow", "tool: a → allow")
        );
        assert!(loosens(
            "tool: a, max_per_hour: 60 → allow",
            "tool: a, max_per_minute: 60 → allow"
        ));
        assert!(
            loosens("tool: a, max_per_hour: 60 → allow", "tool: a → ask"),
            "what was denied in the end is asked about"
        );
    }

    #[test]
    fn who_allows_must_not_speak_of_more_than_before() {
        for (old, new) in [
            (
                "host: a, command: { raw: x }",
                "host: a, command: { raw: x }, path: { glob: '/**' }",
            ),
            (
                "host: a, command: { raw: x }",
                "host: a, command: { raw: x, program: curl }",
            ),
            (
                "host: a, pattern: x",
                "host: a, pattern: x, category: [network, write]",
            ),
            (
                "host: a, pattern: x",
                "host: a, not: { not: { pattern: x, path: { glob: y } } }",
            ),
            // For another tool only the second alternative holds, and it only grants hosts.
            (
                "any: [{ host: a, path: { glob: y }, tool: b }, { host: a }]",
                "host: a, path: { glob: y }",
            ),
        ] {
            assert!(
                loosens(&format!("{old} → allow"), &format!("{new} → allow")),
                "{old} → {new}"
            );
        }
        for (old, new) in [
            ("host: a", "host: a, pattern: x"),
            (
                "path: { glob: [x, y] }, host: a",
                "path: { glob: x }, host: a, risk: low",
            ),
            (
                "any: [{ host: a }, { tool: [b, c] }]",
                "any: [{ tool: b }, { host: a, mode: m }]",
            ),
            ("type: shell_cmd", "type: shell_cmd, path: { glob: x }"),
        ] {
            assert!(
                !loosens(&format!("{old} → allow"), &format!("{new} → allow")),
                "{old} → {new}"
            );
        }
    }

    #[test]
    fn what_asks_may_be_milder_than_what_else_would_hold() {
        let loosens = |default, old: &[_], new: &[_]| {
            let of = |rules| pack("deny-overrides", default, rules);
            PolicyRevision::new(&of(old), &of(new)).may_loosen("a")
        };
        let rest = ("rest", "tool: never → deny");
        assert!(
            loosens("deny", &[rest], &[rest, ("a", "tool: x → ask")])
                && !loosens("ask", &[rest], &[("a", "tool: x → ask")])
        );
        assert!(loosens(
            "deny",
            &[("a", "tool: x → ask")],
            &[("a", "tool: [x, y] → ask")]
        ));
        assert!(
            loosens(
                "deny",
                &[("a", "path: { glob: x } → allow")],
                &[("a", "path: { glob: x } → ask")]
            ),
            "read otherwise"
        );
        assert!(
            !loosens(
                "ask",
                &[("b", "tool: [x, y] → allow")],
                &[("a", "tool: x → allow")]
            ),
            "only its name is new"
        );
    }

    #[test]
    fn under_first_match_the_order_counts() {
        const FIRST: [&str; 2] = ["first-match"; 2];
        fn by(combine: [&str; 2], old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<String> {
            let (base, head) = (pack(combine[0], "ask", old), pack(combine[1], "ask", new));
            let told = |(rule, by): (&Rule, Vec<&Rule>)| {
                by.iter()
                    .map(|m| format!("{} {}", rule.id, m.id))
                    .collect::<Vec<_>>()
            };
            PolicyRevision::new(&base, &head)
                .reordered()
                .into_iter()
                .flat_map(told)
                .collect()
        }
        let (deny, ask, allow) = (
            ("d", "pattern: p → deny"),
            ("q", "pattern: q → ask"),
            ("a", "tool: 'x*' → allow"),
        );
        assert_eq!(
            by(FIRST, &[deny, ask, allow], &[allow, deny, ask]),
            ["d a", "q a"]
        );
        assert_eq!(by(FIRST, &[deny, ask, allow], &[ask, deny, allow]), ["d q"]);
        assert_eq!(
            by(FIRST, &[allow, deny], &[deny, allow]),
            [""; 0],
            "the other way round is stricter"
        );
        assert_eq!(
            by(FIRST, &[deny], &[("new", "tool: xy → allow"), deny]),
            ["d new"]
        );
        assert_eq!(
            by(FIRST, &[allow, deny], &[("new", "tool: xy → allow"), deny]),
            [""; 0],
            "it was granted before"
        );
        assert_eq!(
            by(
                ["deny-overrides", "first-match"],
                &[allow, deny],
                &[allow, deny]
            ),
            ["d a"]
        );
        assert_eq!(
            by(
                ["first-match", "deny-overrides"],
                &[deny, allow],
                &[allow, deny]
            ),
            [""; 0]
        );
        // A limit is passed by as well.
        let limited = ("l", "tool: 'x*', max_per_hour: 5 → allow");
        assert_eq!(by(FIRST, &[limited, allow], &[allow, limited]), ["l a"]);
        // What plainly no action meets both of is left alone.
        for (stops, allows) in [
            ("type: shell_cmd", "tool: x"),
            ("tool: 'a*'", "tool: [b, 'c*']"),
            ("mode: m", "mode: n, path: { glob: x }"),
            (
                "any: [{ production: true }, { risk: high }]",
                "production: false, risk: low",
            ),
        ] {
            let (stops, allows) = (format!("{stops} → deny"), format!("{allows} → allow"));
            let (d, a) = (("d", stops.as_str()), ("a", allows.as_str()));
            assert_eq!(by(FIRST, &[d, a], &[a, d]), [""; 0], "{stops}, {allows}");
        }
        assert_eq!(
            by(
                FIRST,
                &[deny, ("a", "tool: '^x' → allow")],
                &[("a", "tool: '^x' → allow"), deny]
            ),
            ["d a"]
        );
    }

    #[test]
    fn a_rule_of_another_name_must_come_as_early() {
        let loosens = |new: &[_]| {
            let base = pack(
                "first-match",
                "ask",
                &[("d", "tool: x → deny"), ("a", "pattern: p → allow")],
            );
            PolicyRevision::new(&base, &pack("first-match", "ask", new)).may_loosen("d")
        };
        let (again, allow) = (("e", "tool: [x, y] → deny"), ("a", "pattern: p → allow"));
        assert!(!loosens(&[again, allow]) && loosens(&[allow, again]) && loosens(&[allow]));
    }
}
