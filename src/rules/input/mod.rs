//! YV1xx: what can be read, and in which format.

super::family! {
    unreadable_input,
    invalid_json,
    schema_violation,
    truncated_record,
    unsupported_version,
    duplicate_member,
    limit_exceeded,
    unknown_format,
    lone_surrogate,
    unexpected_format,
    unread_file,
}
