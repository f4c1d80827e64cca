//! A policy, loaded and compiled.

use super::condition::{Condition, Predicate};
use super::effect::Effect;
use super::limit::Limit;
use super::prefilter::Sieves;
use super::surroundings::Surroundings;
use super::yaml::At;
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

/// The forms that a policy may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A policy pack, or the older rule file, which is a pack that says less.
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

/// What holds when no rule matches.
#[derive(Debug, Clone)]
pub struct Fallback {
    /// The effect.
    pub effect: Effect,
    /// Why.
    pub reason: String,
}

/// A property of a team's own: for every action that the condition takes, at least this effect.
#[derive(Debug, Clone)]
pub struct Property {
    /// Its id.
    pub id: String,
    /// The place in the file.
    pub at: At,
    /// What must hold.
    pub effect: Effect,
    pub(crate) for_all: Condition,
}

/// A policy: pure, compiled once, asked often.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Its id.
    pub id: String,
    /// The form that it was written in.
    pub form: Form,
    /// How its rules are combined.
    pub combine: Combine,
    /// What holds when no rule matches.
    pub default: Fallback,
    /// It only reports: what it forbids runs all the same.
    pub monitor: bool,
    /// Its rules, in the order of the file.
    pub rules: Rules,
    /// The team's own properties.
    pub properties: Vec<Property>,
    pub(crate) surroundings: Surroundings,
}

/// A rule.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its id, unique in the policy.
    pub id: String,
    /// Where it stands.
    pub at: At,
    /// What it is for.
    pub description: Option<String>,
    /// What it says of the actions that it matches.
    pub effect: Effect,
    /// Why.
    pub reason: Option<String>,
    /// How often it may be used.
    pub limits: Vec<Limit>,
    /// It was made by the form, not written by a person (a default of a category, a limit).
    pub built: bool,
    pub(crate) when: Condition,
}

/// The rules of a policy, with what tells which of them are worth asking.
#[derive(Debug, Clone)]
pub struct Rules {
    all: Vec<Rule>,
    sieves: Sieves,
}

impl Rules {
    pub(crate) fn new(all: Vec<Rule>) -> Self {
        let sieves = Sieves::of(
            all.iter()
                .map(|rule| (&rule.when, rule.effect == Effect::Allow)),
        );
        Self { all, sieves }
    }

    pub(crate) const fn sieves(&self) -> &Sieves {
        &self.sieves
    }

    /// The same with a change.
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
    /// Whether the rule is nothing but a limit of the whole policy.
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

    /// Whether some rule limits how often something may happen, or remembers what was approved.
    #[must_use]
    pub fn uses_history(&self) -> bool {
        self.rules
            .iter()
            .any(|r| !r.limits.is_empty() || r.keys().contains("approved_before"))
    }
}
