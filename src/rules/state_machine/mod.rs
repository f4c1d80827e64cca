//! YV2xx: whether each state was reached legally.

super::family! {
    illegal_transition,
    no_start,
    unterminated_execution,
    event_after_terminal,
    terminal_shortcut,
    turn_out_of_order,
    max_turns_exceeded,
    time_reversal,
    duplicate_identity,
    contract_violation,
    outcome_mismatch,
    evidence_not_recorded,
}
