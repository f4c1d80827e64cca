//! YV7xx: what changed in the work tree.

super::family! {
    malformed_diff,
    diff_does_not_apply,
    path_escapes_workdir,
    undeclared_change,
    protected_path,
}
