//! A policy, loaded and compiled.

use super::condition::{Condition, Predicate};
use super::effect::Effect;
use super::limit::Limit;
use super::prefilter::PrefilterIndex;
use super::surroundings::Surroundings;
use super::yaml::Position;
use std::collections::BTreeSet;
use std::ops::Deref;

/// How the rules of a policy are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combine {
    /// The first rule that matches decides.
    FirstMatch,
    /// The strictest of all rules that match decides.
    DenyOverrides,
}

/// The form of a policy file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A policy pack, or the older rule file, which is a subset of it.
    Pack,
    /// Permission rules over tools.
    Permissions,
    /// Dangerous commands, templates and limits.
    Dangerous,
    /// Scopes of paths.
    Scopes,
}

impl Form {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pack => "pack",
            Self::Permissions => "permission rules",
            Self::Dangerous => "dangerous commands",
            Self::Scopes => "scopes",
        }
    }
}

/// The decision if no rule matches.
#[derive(Debug, Clone)]
pub struct Fallback {
    pub effect: Effect,
    pub reason: String,
    /// The position in a pack that sets it.
    pub at: Option<Position>,
}

/// A custom property: every action that meets a condition gets at least this effect.
#[derive(Debug, Clone)]
pub struct Property {
    pub id: String,
    /// The position in the file.
    pub at: Position,
    /// The least restrictive effect that is accepted.
    pub effect: Effect,
    pub(crate) for_all: Condition,
}

/// A compiled policy.
#[derive(Debug, Clone)]
pub struct Policy {
    pub id: String,
    pub form: Form,
    /// How its rules are combined.
    pub combine: Combine,
    /// The decision if no rule matches.
    pub default: Fallback,
    /// Whether the policy only monitors and enforces nothing.
    pub monitor: bool,
    /// The position that switches off permission checks, so that nothing is asked.
    pub disabled: Option<Position>,
    /// The rules, in the order of the file.
    pub rules: Rules,
    /// The custom properties.
    pub properties: Vec<Property>,
    pub(crate) surroundings: Surroundings,
}

/// A rule.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The id, unique in the policy.
    pub id: String,
    /// The position in the file.
    pub at: Position,
    pub description: Option<String>,
    /// The effect on actions that match.
    pub effect: Effect,
    pub reason: Option<String>,
    pub limits: Vec<Limit>,
    /// Whether the form implies the rule (the default of a category, a limit).
    pub generated: bool,
    pub(crate) when: Condition,
}

/// The rules of a policy, with their prefilter.
#[derive(Debug, Clone)]
pub struct Rules {
    all: Vec<Rule>,
    prefilter: PrefilterIndex,
}

impl Rules {
    pub(crate) fn new(all: Vec<Rule>) -> Self {
        let prefilter = PrefilterIndex::new(
            all.iter()
                .map(|rule| (&rule.when, rule.effect == Effect::Allow)),
        );
        Self { all, prefilter }
    }

    pub(crate) const fn prefilter(&self) -> &PrefilterIndex {
        &self.prefilter
    }

    /// A changed copy.
    pub(crate) fn with(&self, change: impl FnOnce(&mut Vec<Rule>)) -> Self {
        let mut all = self.all.clone();
        change(&mut all);
        Self::new(all)
    }
}

impl Deref for Rules {
    type Target = [Rule];

    fn deref(&self) -> &[Rule] {
        &self.all
    }
}

impl Rule {
    /// Whether the rule only enforces a limit of the whole policy.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        matches!(&self.when, Condition::Is(Predicate::UsedUp(_), _))
    }

    /// The keys of its `when`, limits included.
    #[must_use]
    pub fn keys(&self) -> BTreeSet<&'static str> {
        let mut keys: BTreeSet<&'static str> = self.limits.iter().map(Limit::key).collect();
        self.when.walk(true, &mut |condition, _| {
            keys.insert(match condition {
                Condition::Is(predicate, _) => predicate.key(),
                Condition::Not(_) => "not",
                Condition::Any(_) => "any",
                Condition::All(_) => return,
            });
        });
        keys
    }
}

impl Policy {
    /// The rule with this id.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|r| r.id == id)
    }

    /// Whether some limit is about an hour or a day, whatever executions are in it.
    #[must_use]
    pub fn counts_across_executions(&self) -> bool {
        self.rules.iter().any(Rule::counts_across_executions)
    }

    /// Whether some rule depends on the history of approvals.
    #[must_use]
    pub fn uses_history(&self) -> bool {
        self.rules
            .iter()
            .any(|r| !r.limits.is_empty() || r.keys().contains("approved_before"))
    }
}
