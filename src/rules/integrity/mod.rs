//! `YV8xx`: hashes, signatures, secrets and hidden text.

mod bad_signature;
mod broken_chain;
mod control_characters;
mod secret_in_trace;

use super::Rule;

/// The rules of the family, in the order of their codes.
pub(super) const RULES: &[&Rule] = &[
    &broken_chain::RULE,
    &bad_signature::RULE,
    &secret_in_trace::RULE,
    &control_characters::RULE,
];
