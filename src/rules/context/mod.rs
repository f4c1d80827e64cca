//! YV6xx: what the agent was shown.

super::family! {
    unknown_reference,
    undeclared_context,
    context_diff_mismatch,
    silent_truncation,
    budget_exceeded,
    replay_condition_missing,
    input_hash_mismatch,
}
