//! `YV1xx`: what can be read, and in which format.

mod duplicate_member;
mod invalid_json;
mod limit_exceeded;
mod lone_surrogate;
mod schema_violation;
mod truncated_record;
mod unexpected_format;
mod unknown_format;
mod unread_file;
mod unreadable_input;
mod unsupported_version;

use super::Rule;

/// The rules of the family, in the order of their codes.
pub(super) const RULES: &[&Rule] = &[
    &unreadable_input::RULE,
    &invalid_json::RULE,
    &schema_violation::RULE,
    &truncated_record::RULE,
    &unsupported_version::RULE,
    &duplicate_member::RULE,
    &limit_exceeded::RULE,
    &unknown_format::RULE,
    &lone_surrogate::RULE,
    &unexpected_format::RULE,
    &unread_file::RULE,
];
