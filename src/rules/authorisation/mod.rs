//! `YV3xx`: who allowed what was executed.

mod broken_lineage;
mod confusable_identity;
mod decision_after_execution;
mod decision_for_other_action;
mod effect_beyond_risk;
mod executed_after_rejection;
mod executed_other_than_approved;
mod governor_changed;
mod high_risk_without_human;
mod implausible_approval;
mod incomplete_decision;
mod modification_beyond_parameters;
mod modification_raises_risk;
mod proposal_not_thought;
mod result_without_execution;
mod reused_decision;
mod risk_understated;
mod self_governance;
mod silent_retry;
mod success_contradicted;
mod unauthorised_execution;
mod unknown_agent;
mod unsigned_decision;

use super::Rule;

/// The rules of the family, in the order of their codes.
pub(super) const RULES: &[&Rule] = &[
    &unauthorised_execution::RULE,
    &high_risk_without_human::RULE,
    &incomplete_decision::RULE,
    &decision_for_other_action::RULE,
    &executed_other_than_approved::RULE,
    &modification_beyond_parameters::RULE,
    &modification_raises_risk::RULE,
    &broken_lineage::RULE,
    &executed_after_rejection::RULE,
    &risk_understated::RULE,
    &result_without_execution::RULE,
    &self_governance::RULE,
    &silent_retry::RULE,
    &proposal_not_thought::RULE,
    &implausible_approval::RULE,
    &success_contradicted::RULE,
    &decision_after_execution::RULE,
    &confusable_identity::RULE,
    &unknown_agent::RULE,
    &governor_changed::RULE,
    &unsigned_decision::RULE,
    &reused_decision::RULE,
    &effect_beyond_risk::RULE,
];
