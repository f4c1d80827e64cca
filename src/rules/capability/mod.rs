//! YV4xx: capability tokens, and what was executed twice.

super::family! {
    no_capability,
    revoked_capability,
    capability_reissued,
    double_execution,
    capability_out_of_scope,
    self_issued_capability,
    capability_not_issued,
}
