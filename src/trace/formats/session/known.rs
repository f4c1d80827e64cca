//! Hashes by which repeated records and results are recognised.

use super::{CallEnd, SessionRecord};
use util::keyed_hash;

/// Hashes the events of a record, to compare it with another record of the same id.
pub(super) fn hash_of_record(record: &SessionRecord<'_>) -> u64 {
    let what: Vec<_> = record.events.iter().map(|event| &event.what).collect();
    keyed_hash(&what)
}

/// Hashes a result.
pub(super) fn hash_of_end(ended: &CallEnd<'_>) -> u64 {
    keyed_hash(&(std::mem::discriminant(&ended.how), &ended.output))
}
