//! YV5xx: what a policy says of recorded decisions, and how policies compare.

super::family! {
    policy_now_denies,
    policy_now_asks,
    policy_now_allows,
    policy_not_found,
    rate_limit_exceeded,
    rule_without_reason,
    untested_rule,
    policy_test_failed,
    property_violated,
    newly_allowed,
    newly_denied,
    evadable_rule,
    property_removed,
}
