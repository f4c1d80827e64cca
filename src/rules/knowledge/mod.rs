//! YV9xx: manifests, skills, maps and the index of knowledge.

super::family! {
    invalid_manifest,
    dangling_edge,
    unsupported_promotion,
    stale_repo_map,
    stale_index,
    interface_changed,
    skill_not_enabled,
    permission_exceeded,
    trial_mode_broken,
    skill_limit_exceeded,
    unpinned_server,
}
