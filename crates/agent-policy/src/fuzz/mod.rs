//! Searches for counterexamples to properties, with random actions from the policy's vocabulary.
//!
//! A random search finds bugs and proves nothing. The same seed tries the same actions.

mod properties;
pub(super) mod strategy;

pub(crate) use properties::breaks_custom;
pub use properties::{PropertyKind, Violation};

use super::action::Action;
use super::effect::Effect;
use super::model::{Policy, Property};
use super::request::{History, Request};
use super::witness_generation::{self, Target};
use properties::{CheckResult, TestInput};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use serde::Serialize;
use std::cell::RefCell;

/// Read-only commands, one `{"cmd": …}` a line.
const READ_ONLY: &str = include_str!("../../../../corpora/commands/read-only-daily.jsonl");

/// Maximum number of questions that target a custom property.
const MAX_AIMED: usize = 5_000;

/// The effort of a search.
#[derive(Debug, Clone)]
pub struct Effort {
    /// The seed; the same seed gives the same search.
    pub seed: u64,
    /// Number of actions to try for each property.
    pub cases: u32,
    /// Only these properties, by id; all if empty.
    pub only: Vec<String>,
}

/// The ids of a policy's properties: the built-in ones, then the custom ones.
#[must_use]
pub fn property_ids(policy: &Policy) -> Vec<String> {
    let built_in = PropertyKind::ALL
        .iter()
        .filter(|kind| kind.concerns(policy))
        .map(|kind| kind.id().to_owned());
    built_in
        .chain(policy.properties.iter().map(|p| p.id.clone()))
        .collect()
}

/// The result of the search for one property.
#[derive(Debug, Clone)]
pub struct PropertyResult {
    /// The id of the property.
    pub id: String,
    /// Whether it is a custom property.
    pub own: bool,
    /// Number of actions tried.
    pub tried: u32,
    /// Number of actions among them that the property applies to.
    pub concerned: u32,
    /// The smallest counterexample found.
    pub violation: Option<Violation>,
}

/// How many read-only commands a policy allows.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ReadOnlyAllowance {
    /// Number of allowed commands.
    pub allowed: u64,
    /// Number of all commands.
    pub of: u64,
}

/// Searches for counterexamples to the built-in and the custom properties. `seeds` are further
/// actions to try, such as those of cases and corpora.
#[must_use]
pub fn fuzz(policy: &Policy, seeds: &[Action], effort: &Effort) -> Vec<PropertyResult> {
    let built_in = PropertyKind::ALL
        .iter()
        .filter(|kind| kind.concerns(policy))
        .map(|kind| (kind.id().to_owned(), *kind, None));
    let own = policy
        .properties
        .iter()
        .map(|p| (p.id.clone(), PropertyKind::Custom, Some(p)));
    let wanted = |id: &String| effort.only.is_empty() || effort.only.contains(id);
    // Numbered before the selection, so that the selection doesn't change the search.
    built_in
        .chain(own)
        .enumerate()
        .filter(|(_, (id, ..))| wanted(id))
        .map(|(n, (id, kind, own))| search(policy, seeds, effort, n as u64, id, kind, own))
        .collect()
}

fn search(
    policy: &Policy,
    seeds: &[Action],
    effort: &Effort,
    number: u64,
    id: String,
    kind: PropertyKind,
    own: Option<&Property>,
) -> PropertyResult {
    let mut targeted = (0, 0);
    if let Some(own) = own {
        // Targeted questions first: random ones would hardly match.
        for question in
            witness_generation::questions(policy, &[Target::from_property(&own.for_all)], &[])
                .take(MAX_AIMED)
        {
            targeted.0 += 1;
            match properties::check_custom(own, policy, &question) {
                CheckResult::NotApplicable => {}
                CheckResult::Holds => targeted.1 += 1,
                CheckResult::Violated(violation) => {
                    let (tried, concerned) = (targeted.0, targeted.1 + 1);
                    return PropertyResult {
                        id,
                        own: true,
                        tried,
                        concerned,
                        violation: Some(*violation),
                    };
                }
            }
        }
    }
    let mut runner = test_runner(effort.seed, number, effort.cases);
    let strategy = strategy::inputs(policy, seeds);
    let counts = RefCell::new(targeted);
    let result = runner.run(&strategy, |input: TestInput| {
        let found = kind.check(policy, own, &input);
        let mut counts = counts.borrow_mut();
        counts.0 += 1;
        match found {
            CheckResult::NotApplicable => Ok(()),
            CheckResult::Holds => {
                counts.1 += 1;
                Ok(())
            }
            CheckResult::Violated(_) => Err(TestCaseError::fail("broken")),
        }
    });
    let violation = match result {
        Err(TestError::Fail(_, input)) => match kind.check(policy, own, &input) {
            CheckResult::Violated(violation) => Some(*violation),
            CheckResult::NotApplicable | CheckResult::Holds => None,
        },
        Err(TestError::Abort(_)) | Ok(()) => None,
    };
    let (tried, concerned) = counts.into_inner();
    PropertyResult {
        id,
        own: own.is_some(),
        tried,
        concerned,
        violation,
    }
}

/// A runner that depends only on a seed and the number of the search.
pub(super) fn test_runner(seed: u64, number: u64, cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..Config::default()
    };
    let mut bytes = [0u8; 32];
    for (slot, byte) in bytes
        .iter_mut()
        .zip(seed.to_le_bytes().into_iter().chain(number.to_le_bytes()))
    {
        *slot = byte;
    }
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

/// Counts how many everyday read-only commands the policy allows.
#[must_use]
pub fn read_only_allowance(policy: &Policy) -> ReadOnlyAllowance {
    let history = History::default();
    let mut usable = ReadOnlyAllowance { allowed: 0, of: 0 };
    for line in READ_ONLY.lines() {
        let row: Option<serde_json::Value> = strict_json::from_text(line).ok();
        let Some(command) = row
            .as_ref()
            .and_then(|r| r.get("cmd"))
            .and_then(|c| c.as_str())
        else {
            continue;
        };
        let action = Action::shell(command);
        usable.of += 1;
        usable.allowed +=
            u64::from(policy.decide(&Request::new(&action, &history)).effect == Effect::Allow);
    }
    usable
}
