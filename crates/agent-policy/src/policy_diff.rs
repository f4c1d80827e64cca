//! What differs between two policies by their text: rules that changed and properties that are
//! gone.

use super::model::{Combine, Policy, Property, Rule};
use super::symbolic::implies;
use serde::Serialize;

/// How a rule changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleChange {
    /// Only the head has it.
    Added,
    /// Only the base has it.
    Removed,
    /// Both have it, and these parts differ.
    Changed(Vec<&'static str>),
}

/// A change that may make a decision more permissive, though no such action is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnprovenChange {
    /// The rule, or the key of the policy.
    pub what: String,
    /// How it was changed.
    pub change: String,
}

/// Properties of the base that no property of the head implies.
///
/// A property implies another if it requires at least the same effect for at least the same
/// actions.
pub(super) fn lost_properties(base: &Policy, head: &Policy) -> Vec<UnprovenChange> {
    let [workdir, other] = [base, head].map(|p| p.surroundings.context().workdir.as_str());
    // Each policy classifies paths by its own directory. The root is right for both.
    let workdir = if workdir == other { workdir } else { "/" };
    let kept = |old: &&Property| {
        head.properties
            .iter()
            .any(|new| new.effect >= old.effect && implies(&old.for_all, &new.for_all, workdir))
    };
    let gone = base.properties.iter().filter(|old| !kept(old));
    gone.map(|old| {
        let named = head.properties.iter().find(|new| new.id == old.id);
        let change = match named {
            None => "removed".to_owned(),
            Some(new) if new.effect < old.effect => {
                format!("{} instead of {}", new.effect, old.effect)
            }
            Some(_) => "changed: it isn't about all the actions that it was about".to_owned(),
        };
        UnprovenChange {
            what: old.id.clone(),
            change,
        }
    })
    .collect()
}

/// The rules that differ between two policies: those of the head in its order, then removed ones.
pub(super) fn changed_rules(base: &Policy, head: &Policy) -> Vec<(String, RuleChange)> {
    let mut all = Vec::new();
    for (index, rule) in head.rules.iter().enumerate() {
        match base.rules.iter().position(|r| r.id == rule.id) {
            None => all.push((rule.id.clone(), RuleChange::Added)),
            Some(before) => {
                let parts = base
                    .rules
                    .get(before)
                    .map(|old| changed_parts(old, rule))
                    .unwrap_or_default();
                let moved = base.combine == Combine::FirstMatch
                    && previous_rule(base, before) != previous_rule(head, index);
                let parts: Vec<&'static str> =
                    parts.into_iter().chain(moved.then_some("order")).collect();
                if !parts.is_empty() {
                    all.push((rule.id.clone(), RuleChange::Changed(parts)));
                }
            }
        }
    }
    let gone = base.rules.iter().filter(|r| head.rule(&r.id).is_none());
    all.extend(gone.map(|r| (r.id.clone(), RuleChange::Removed)));
    all
}

/// The id of the rule before one. If it differs between two policies, the rule has moved.
fn previous_rule(policy: &Policy, index: usize) -> Option<&str> {
    index
        .checked_sub(1)
        .and_then(|i| policy.rules.get(i))
        .map(|r| r.id.as_str())
}

fn changed_parts(old: &Rule, new: &Rule) -> Vec<&'static str> {
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
