//! `YV5xx`: what a policy says of recorded decisions, and how policies compare.

mod comparison_inconclusive;
mod dead_rule;
mod evadable_rule;
mod governing_policy_changed;
mod newly_allowed;
mod newly_asked;
mod newly_asked_instead_of_allowed;
mod newly_denied;
mod permission_checks_off;
mod policy_not_found;
mod policy_now_allows;
mod policy_now_asks;
mod policy_now_denies;
mod policy_test_failed;
mod property_removed;
mod property_violated;
mod rate_limit_exceeded;
mod rule_without_reason;
mod unsatisfiable_condition;
mod untested_rule;

use super::Rule;

/// The rules of the family, in the order of their codes.
pub(super) const RULES: &[&Rule] = &[
    &policy_now_denies::RULE,
    &policy_now_asks::RULE,
    &policy_now_allows::RULE,
    &policy_not_found::RULE,
    &rate_limit_exceeded::RULE,
    &newly_asked::RULE,
    &newly_asked_instead_of_allowed::RULE,
    &dead_rule::RULE,
    &unsatisfiable_condition::RULE,
    &rule_without_reason::RULE,
    &untested_rule::RULE,
    &policy_test_failed::RULE,
    &property_violated::RULE,
    &newly_allowed::RULE,
    &newly_denied::RULE,
    &evadable_rule::RULE,
    &comparison_inconclusive::RULE,
    &property_removed::RULE,
    &governing_policy_changed::RULE,
    &permission_checks_off::RULE,
];
