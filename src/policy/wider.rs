//! Whether a changed rule can have become milder, by the look of it.
//!
//! It errs on the side of "it can": only what is plainly the same or stricter is cleared.

use super::condition::{CommandTest, Condition, Name, PathTest, Predicate};
use super::effect::Effect;
use super::model::{Limit, Policy, Rule};
use super::path::PathGlob;

/// Whether the policy may treat something milder because one of its rules is now as it is.
pub(super) fn may_loosen(old: Option<&Rule>, new: Option<&Rule>, head: &Policy) -> bool {
    match (old, new) {
        (None, None) => false,
        (None, Some(new)) => new.effect == Effect::Allow,
        // Under another name it still holds.
        (Some(old), None) => restrains(old) && !head.rules.iter().any(|rule| holds_as_well(old, rule)),
        (Some(old), Some(new)) => {
            if old.effect == Effect::Allow {
                new.effect == Effect::Allow && !(limited_as_well(old, new) && wider(&new.when, &old.when))
            } else {
                !holds_as_well(old, new)
            }
        }
    }
}

/// Whether a rule stops anything.
fn restrains(rule: &Rule) -> bool {
    rule.effect != Effect::Allow || !rule.limits.is_empty()
}

/// Whether the new rule stops everything that the old one does.
fn holds_as_well(old: &Rule, new: &Rule) -> bool {
    new.effect >= old.effect && limited_as_well(old, new) && wider(&old.when, &new.when)
}

fn limited_as_well(old: &Rule, new: &Rule) -> bool {
    old.limits.iter().all(|limit| new.limits.iter().any(|other| no_looser(limit, other)))
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
fn wider(old: &Condition, new: &Condition) -> bool {
    match (old, new) {
        (_, Condition::All(parts)) => parts.iter().all(|part| wider(old, part)),
        (Condition::Any(parts), _) => !parts.is_empty() && parts.iter().all(|part| wider(part, new)),
        (Condition::All(parts), Condition::Any(choices)) => {
            parts.iter().any(|part| wider(part, new)) || choices.iter().any(|choice| wider(old, choice))
        }
        (_, Condition::Any(choices)) => choices.iter().any(|choice| wider(old, choice)),
        (Condition::All(parts), _) => parts.iter().any(|part| wider(part, new)),
        (Condition::Not(old), Condition::Not(new)) => wider(new, old),
        (Condition::Is(old, _), Condition::Is(new, _)) => wider_key(old, new),
        (Condition::Not(_), Condition::Is(..)) | (Condition::Is(..), Condition::Not(_)) => false,
    }
}

fn wider_key(old: &Predicate, new: &Predicate) -> bool {
    match (old, new) {
        (Predicate::Type(a), Predicate::Type(b)) | (Predicate::Risk(a), Predicate::Risk(b)) => a & !b == 0,
        (Predicate::Category(a), Predicate::Category(b)) | (Predicate::Effects(a), Predicate::Effects(b)) => a & !b == 0,
        (Predicate::Tool(a), Predicate::Tool(b))
        | (Predicate::Agent(a), Predicate::Agent(b))
        | (Predicate::Mode(a), Predicate::Mode(b))
        | (Predicate::Host(a), Predicate::Host(b)) => among(a, b),
        (Predicate::Pattern(a), Predicate::Pattern(b)) => among(a, b),
        (Predicate::Command(a), Predicate::Command(b)) => wider_command(a, b),
        (Predicate::Path(a), Predicate::Path(b)) => wider_path(a, b),
        (Predicate::UsedUp(a), Predicate::UsedUp(b)) => no_looser(a, b),
        _ => same(old, new),
    }
}

/// Whether each of the old list is among the new one.
fn among<T: std::fmt::Debug>(old: &[T], new: &[T]) -> bool {
    old.iter().all(|one| new.iter().any(|other| same(one, other)))
}

/// The same of lists that ask for nothing where they are empty.
fn asks_no_more<T: std::fmt::Debug>(old: &[T], new: &[T]) -> bool {
    new.is_empty() || !old.is_empty() && among(old, new)
}

fn wider_command(old: &CommandTest, new: &CommandTest) -> bool {
    let names = |old: &[Name], new: &[Name]| asks_no_more(old, new);
    names(&old.program, &new.program)
        && names(&old.arg, &new.arg)
        && among(&new.args, &old.args)
        && asks_no_more(&old.raw, &new.raw)
}

fn wider_path(old: &PathTest, new: &PathTest) -> bool {
    let texts = |globs: &[PathGlob]| globs.iter().map(|g| g.text().to_owned()).collect::<Vec<_>>();
    asks_no_more(&texts(&old.glob), &texts(&new.glob))
        && among(&texts(&new.except), &texts(&old.except))
        && asks_no_more(&old.access, &new.access)
        && (new.outside.is_none() || new.outside == old.outside)
        && (new.protected.is_none() || same(&old.protected, &new.protected))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::load;

    fn rule(when: &str, effect: &str) -> Policy {
        load("p", &format!("rules: [{{ id: a, when: {{ {when} }}, effect: {effect}, reason: r }}]")).unwrap()
    }

    fn loosens(old: (&str, &str), new: (&str, &str)) -> bool {
        let (old, new) = (rule(old.0, old.1), rule(new.0, new.1));
        may_loosen(old.rules.first(), new.rules.first(), &new)
    }

    #[test]
    fn only_what_is_plainly_no_milder_is_cleared() {
        let deny = |when| (when, "deny");
        for (old, new) in [
            ("tool: a", "tool: [a, b]"),
            ("effects: [write], tool: a", "effects: [write, delete]"),
            ("path: { glob: [x], except: [y] }", "path: { glob: [x, z] }"),
            ("tool: a, max_per_minute: 3", "tool: a, max_per_minute: 2"),
            ("tool: a", "any: [{ tool: a }, { tool: b }]"),
            ("not: { tool: [a, b] }", "not: { tool: a }"),
        ] {
            assert!(!loosens(deny(old), deny(new)), "{old} → {new}");
            assert!(loosens(deny(new), deny(old)), "{new} → {old}");
        }
        assert!(loosens(deny("tool: a"), ("tool: a", "ask")));
        assert!(!loosens(("tool: a", "ask"), deny("tool: a")));
        assert!(loosens(("tool: a", "allow"), ("tool: [a, b]", "allow")));
        assert!(!loosens(("tool: [a, b]", "allow"), ("tool: a", "allow")));
        assert!(loosens(("tool: a, max_per_hour: 60", "allow"), ("tool: a, max_per_minute: 60", "allow")));
    }
}
