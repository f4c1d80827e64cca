//! Conditions of an execution: recorded versions of policy, prompts and tools, and the intent.

use super::super::step_facts::StepFacts;
use super::Execution;
use crate::replay::PolicyFiles;
use crate::replay::path_effects::{is_change_of, is_same_path};
use crate::trace::action::plain_path;
use crate::trace::step::{Fact, StartFact};
use sha2::{Digest as _, Sha256};

/// Policy digest and intent of the last start, and conditions that aren't recorded.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    /// Paths of the policies that govern the execution.
    policies: Vec<Box<str>>,
    policy_digest: Option<Box<str>>,
    intent: Option<[u8; 32]>,
    prompt_missing: bool,
    policy_missing: bool,
}

/// Maximum number of policies to know of one execution.
const MOST: usize = 32;

impl Conditions {
    /// Records the path of a policy that governs the execution.
    pub(super) fn govern(&mut self, path: &str) {
        let path = plain_path(path);
        let new = !path.is_empty() && !self.policies.iter().any(|known| **known == *path);
        if new && self.policies.len() < MOST {
            self.policies.push(path.into());
        }
    }

    /// Records the policies that govern the execution, given a step of it.
    pub(super) fn govern_by(&mut self, policies: &PolicyFiles, fact: &Fact<'_, '_>) {
        for path in &policies.all {
            self.govern(path);
        }
        if let Fact::Started(started) = fact
            && let Some(digest) = started.policy_digest
        {
            for path in policies.with_digest(&digest.decode()) {
                self.govern(path);
            }
        }
    }

    /// Returns an estimate of the bytes that it owns.
    pub(super) fn weight(&self) -> usize {
        let paths = self.policies.iter();
        paths.map(|path| size_of::<Box<str>>() + path.len()).sum()
    }

    /// Records that a thought lacks the versions of its prompt and tools.
    pub(super) const fn miss_prompt(&mut self) {
        self.prompt_missing = true;
    }

    /// Names the conditions that aren't recorded. `items` says that a context change lacks its
    /// items.
    pub(super) const fn missing(&self, items: bool) -> Option<&'static str> {
        match (self.prompt_missing, self.policy_missing, items) {
            (true, true, false) => Some("prompt, tool-set and policy version"),
            (true, false, false) => Some("prompt and tool-set version"),
            (false, true, false) => Some("policy version"),
            (true, true, true) => {
                Some("prompt, tool-set and policy version, and items of the context")
            }
            (true, false, true) => Some("prompt and tool-set version, and items of the context"),
            (false, true, true) => Some("policy version and items of the context"),
            (false, false, true) => Some("items of the context that changed"),
            (false, false, false) => None,
        }
    }
}

impl Execution {
    /// Returns the policies that govern the execution and that a change of these paths changes.
    pub(super) fn changed_policies(&self, changed: &[String]) -> Vec<String> {
        let tree = self.tree();
        let mut found: Vec<String> = Vec::new();
        for policy in &self.conditions.policies {
            let policy = tree.relative(policy);
            let is_changed = |path: &String| is_change_of(tree.relative(path), policy, tree);
            let known = |other: &String| is_same_path(other, policy, tree);
            if changed.iter().any(is_changed) && !found.iter().any(known) {
                found.push(policy.to_owned());
            }
        }
        found
    }

    /// Applies the conditions of a start. After a pause, compares them with those before.
    pub(super) fn compare_conditions(
        &mut self,
        started: &StartFact<'_, '_>,
        resumes: bool,
        step_facts: &mut StepFacts,
    ) {
        let conditions = &mut self.conditions;
        let intent: Option<[u8; 32]> = started
            .intent
            .map(|intent| Sha256::digest(&*intent.decode()).into());
        let digest = started.policy_digest.map(|d| d.decode());
        if resumes {
            let changed = &mut step_facts.anomalies_mut().resumed;
            changed.policy = digest
                .as_deref()
                .zip(conditions.policy_digest.as_deref())
                .is_some_and(|(now, then)| now != then);
            changed.max_turns = self
                .turns
                .max()
                .zip(started.max_turns)
                .filter(|(then, now)| then != now);
            changed.intent = conditions
                .intent
                .zip(intent)
                .is_some_and(|(then, now)| then != now);
        }
        if let Some(path) = started.policy_path {
            self.conditions.govern(&path.decode());
        }
        let conditions = &mut self.conditions;
        self.turns.limit(started.max_turns);
        conditions.policy_digest = digest.map(Into::into).or(conditions.policy_digest.take());
        conditions.intent = intent.or(conditions.intent);
        conditions.policy_missing |= !started.policy;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let mut conditions = Conditions::default();
        assert_eq!(conditions.missing(false), None);
        let items = Some("items of the context that changed");
        assert_eq!(conditions.missing(true), items);
        conditions.policy_missing = true;
        assert_eq!(conditions.missing(false), Some("policy version"));
        conditions.miss_prompt();
        let both = Some("prompt, tool-set and policy version");
        assert_eq!(conditions.missing(false), both);
    }
}
