//! YV8xx: hashes, signatures, secrets and hidden text.

super::family! {
    broken_chain,
    bad_signature,
    secret_in_trace,
    control_characters,
}
