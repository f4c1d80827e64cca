//! Compares recorded decisions with those of a policy.

use crate::action::Action;
use crate::condition::{Condition, Predicate};
use crate::decide::{Cause, Decision};
use crate::effect::Effect::{Allow, Deny, RequireApproval};
use crate::model::{Policy, Rule};
use crate::name::Name;
use crate::request::{History, Request};
use crate::witness_generation::examples;
use governance::{RiskLevel, Ruling};
use serde_json::Value;
use std::collections::HashSet;

/// Maximum number of modes to try if none is recorded.
const MAX_MODES: usize = 200;

/// A recorded decision.
#[derive(Debug, Clone)]
pub struct RecordedDecision {
    /// The action, with the changes of a human if there are any.
    pub action: Action,
    /// The recorded risk.
    pub risk: Option<RiskLevel>,
    /// The ruling.
    pub ruling: Ruling,
    /// Whether a human decided, not the policy.
    pub by_human: bool,
    /// The agent that proposed the action.
    pub agent: Option<String>,
    /// The turn.
    pub turn: Option<i64>,
    /// The time in milliseconds since the epoch; never earlier than previous decisions of the
    /// execution.
    pub time: Option<i64>,
    /// The digest of the policy that was in force.
    pub digest: Option<String>,
    /// The root of the work tree, where that is recorded: the policy has one of its own.
    pub root: Option<String>,
}

impl RecordedDecision {
    /// The action as it would be in the work tree of the policy, if it was decided on in another.
    pub(crate) fn moved(&self, policy: &Policy) -> Option<Action> {
        let own = policy.surroundings.context().workdir.as_str();
        let root = self.root.as_deref();
        let root = root.filter(|root| *root != own && root.starts_with('/'))?;
        Some(moved_action(&self.action, root.trim_end_matches('/'), own))
    }

    /// The request that was decided.
    #[must_use]
    pub fn request<'a>(&'a self, history: &'a History) -> Request<'a> {
        Request {
            action: &self.action,
            risk: self.risk,
            turn: self.turn.and_then(|turn| u64::try_from(turn).ok()),
            agent: self.agent.as_deref(),
            mode: None,
            production: false,
            time: self.time,
            history,
        }
    }
}

/// The context that policies use and traces don't record: production and mode.
#[derive(Debug, Clone)]
pub struct UnrecordedContext {
    /// The possible combinations: first the default, then those that the policy distinguishes.
    combinations: Vec<(bool, Option<String>)>,
}

/// A recorded decision that differs from the policy's.
#[derive(Debug)]
pub struct DriftedDecision<'p> {
    /// How the two differ.
    pub drift: Drift,
    /// The policy's decision.
    pub decision: Decision<'p>,
    /// The unrecorded context that this assumes, if any.
    pub if_so: Option<String>,
}

impl UnrecordedContext {
    /// Collects the unrecorded context that the policy's rules use.
    #[must_use]
    pub fn new(policy: &Policy, production: Option<bool>, mode: Option<&str>) -> Self {
        let asks = |key: &str| policy.rules.iter().any(|rule| rule.keys().contains(key));
        let productions = match production {
            Some(known) => vec![known],
            None if asks("production") => vec![false, true],
            None => vec![false],
        };
        let mut modes = vec![mode.map(str::to_owned)];
        if mode.is_none() {
            modes.extend(modes_of(policy).into_iter().take(MAX_MODES).map(Some));
        }
        let combinations = modes.iter().flat_map(|mode| {
            productions
                .iter()
                .map(|production| (*production, mode.clone()))
        });
        Self {
            combinations: combinations.collect(),
        }
    }

    /// The possible combinations of production and mode, with what they assume.
    pub(crate) fn combinations(
        &self,
    ) -> impl Iterator<Item = (bool, Option<&str>, Option<String>)> {
        let all = self.combinations.iter().enumerate();
        all.map(|(number, (production, mode))| {
            let named = mode.as_ref().map(|mode| format!("the mode was `{mode}`"));
            let assumed = [production.then(|| "it was production".to_owned()), named];
            let assumed = || assumed.into_iter().flatten().collect::<Vec<_>>();
            let if_so = (number > 0).then(|| assumed().join(" and "));
            (*production, mode.as_deref(), if_so)
        })
    }
}

/// An action as it would be in a work tree that stands elsewhere: every mention of the root is one
/// of the other.
fn moved_action(action: &Action, root: &str, other: &str) -> Action {
    let mut moved = action.clone();
    if root.len() > 1 {
        move_texts(&mut moved.payload, root, other);
    }
    moved
}

fn move_texts(value: &mut Value, root: &str, other: &str) {
    match value {
        Value::String(text) => {
            if text.contains(root) {
                *text = moved_text(text, root, other);
            }
        }
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| move_texts(value, root, other)),
        Value::Object(members) => members
            .iter_mut()
            .for_each(|(_, value)| move_texts(value, root, other)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn moved_text(text: &str, root: &str, other: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(root) {
        out.push_str(before);
        // A longer name is another folder, and so is one further down that has the same name.
        let of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '~');
        let whole = !behind.starts_with(of_name) && !out.ends_with(of_name);
        out.push_str(if whole { other } else { root });
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// An example for each mode that the policy distinguishes, and for each alternative of a regular
/// expression.
fn modes_of(policy: &Policy) -> Vec<String> {
    let mut modes = Vec::new();
    for rule in policy.rules.iter() {
        rule.when.walk(true, &mut |condition, _| {
            let Condition::Is(Predicate::Mode(names), _) = condition else {
                return;
            };
            for name in names {
                let choices = if matches!(name, Name::Regex(..)) {
                    usize::MAX
                } else {
                    1
                };
                let examples = examples(std::slice::from_ref(name))
                    .into_iter()
                    .take(choices);
                modes.extend(examples.filter(|mode| !mode.is_empty()));
            }
        });
    }
    let mut seen = HashSet::new();
    modes.retain(|mode| seen.insert(mode.clone()));
    modes
}

/// How a recorded decision differs from the policy's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Drift {
    /// Approved, and the policy denies.
    NowDenies,
    /// Approved by policy, and the policy asks.
    NowAsks,
    /// Rejected by policy, and the policy allows.
    NowAllows,
    /// Approved beyond a limit of the policy.
    OverLimit,
}

impl Drift {
    /// The code of the finding.
    #[must_use]
    pub const fn code(self) -> u16 {
        match self {
            Self::NowDenies => 501,
            Self::NowAsks => 502,
            Self::NowAllows => 503,
            Self::OverLimit => 505,
        }
    }

    /// Compares a recorded decision with one of a policy. `None` if they agree, or if a human
    /// decided and the policy asks for a human.
    #[must_use]
    pub fn between(ruling: Ruling, by_human: bool, now: &Decision<'_>) -> Option<Self> {
        let limited = match &now.cause {
            Cause::Limit(..) => true,
            Cause::Matches => now.rule.is_some_and(Rule::is_limit),
            Cause::MayMatch | Cause::Default(_) => false,
        };
        match (ruling.permits(), now.effect) {
            (true, Deny) if limited => Some(Self::OverLimit),
            (true, Deny) => Some(Self::NowDenies),
            (true, RequireApproval) if !by_human => Some(Self::NowAsks),
            (false, Allow) if !by_human => Some(Self::NowAllows),
            _ => None,
        }
    }
}

#[cfg(test)]
mod moved_tests {
    use super::*;

    #[test]
    fn only_the_root_itself_is_moved() {
        let moved = |text: &str| moved_text(text, "/tmp/app", "/w");
        assert_eq!(moved("cat /tmp/app/a '/tmp/app'"), "cat /w/a '/w'");
        assert_eq!(
            moved("/tmp/app2/x /tmp/app-old"),
            "/tmp/app2/x /tmp/app-old"
        );
        assert_eq!(moved("/srv/tmp/app/x"), "/srv/tmp/app/x");
        assert_eq!(moved("plain"), "plain");
    }
}
