//! `YV4xx`: capability tokens, and what was executed twice.

mod capability_not_issued;
mod capability_out_of_scope;
mod capability_reissued;
mod double_execution;
mod no_capability;
mod revoked_capability;
mod self_issued_capability;

use super::Rule;

/// The rules of the family, in the order of their codes.
pub(super) const RULES: &[&Rule] = &[
    &no_capability::RULE,
    &revoked_capability::RULE,
    &capability_reissued::RULE,
    &double_execution::RULE,
    &capability_out_of_scope::RULE,
    &self_issued_capability::RULE,
    &capability_not_issued::RULE,
];
