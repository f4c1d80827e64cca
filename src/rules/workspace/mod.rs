//! `YV7xx`: what changed in the work tree.

mod diff_does_not_apply;
mod malformed_diff;
mod path_escapes_workdir;
mod protected_path;
mod undeclared_change;

use super::Rule;

/// The rules of the family, in the order of their codes.
pub(super) const RULES: &[&Rule] = &[
    &malformed_diff::RULE,
    &diff_does_not_apply::RULE,
    &path_escapes_workdir::RULE,
    &undeclared_change::RULE,
    &protected_path::RULE,
];
