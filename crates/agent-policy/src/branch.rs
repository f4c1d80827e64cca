//! Finds the alternatives of a condition that an action meets.

use super::condition::{CommandTest, Condition, PathTest, Predicate};
use super::effect::Tristate;
use super::facts::Facts;
use super::request::Request;

/// Maximum number of alternatives of one key to evaluate separately. A longer list is one branch.
const MAX_ALTERNATIVES: usize = 64;

impl Condition {
    /// Identifies the branch of the condition that an action meets. Actions that meet different
    /// alternatives get different texts.
    pub(super) fn branch(&self, facts: &Facts<'_>, request: &Request<'_>, strict: bool) -> String {
        let met = |condition: &&Self| condition.holds(facts, request, strict) != Tristate::No;
        match self {
            Self::All(all) => all
                .iter()
                .map(|c| c.branch(facts, request, strict))
                .collect::<Vec<_>>()
                .join("&"),
            Self::Any(any) => match any.iter().enumerate().find(|(_, c)| met(c)) {
                Some((n, condition)) => {
                    format!("{n}({})", condition.branch(facts, request, strict))
                }
                None => String::new(),
            },
            Self::Not(_) => String::new(),
            Self::Is(predicate, text) => {
                let alternatives = predicate
                    .alternatives()
                    .into_iter()
                    .map(|one| Self::Is(one, text.clone()));
                let first = alternatives
                    .enumerate()
                    .find(|(_, c)| met(&c))
                    .map(|(n, _)| n);
                first.map_or_else(String::new, |n| n.to_string())
            }
        }
    }
}

impl Predicate {
    /// One predicate for each alternative in the list.
    fn alternatives(&self) -> Vec<Self> {
        fn each<T: Clone>(list: &[T], one: impl Fn(Vec<T>) -> Predicate) -> Vec<Predicate> {
            if list.len() < 2 || list.len() > MAX_ALTERNATIVES {
                return Vec::new();
            }
            list.iter()
                .map(|alternative| one(vec![alternative.clone()]))
                .collect()
        }
        match self {
            Self::Tool(names) => each(names, Self::Tool),
            Self::Agent(names) => each(names, Self::Agent),
            Self::Host(names) => each(names, Self::Host),
            Self::Turn(ranges) => each(ranges, Self::Turn),
            Self::Pattern(regexes) => each(regexes, Self::Pattern),
            Self::Granted(grants) => each(grants, Self::Granted),
            Self::Path(test) => each(&test.glob, |glob| {
                Self::Path(PathTest {
                    glob,
                    ..test.clone()
                })
            }),
            Self::Command(test) if !test.program.is_empty() => each(&test.program, |program| {
                Self::Command(CommandTest {
                    program,
                    ..test.clone()
                })
            }),
            Self::Command(test) => each(&test.raw, |raw| {
                Self::Command(CommandTest {
                    raw,
                    ..test.clone()
                })
            }),
            _ => Vec::new(),
        }
    }
}
