//! Hashes by which repeated calls, results and records are recognised.

use super::{Call, CallEnd, EventKind, SessionRecord};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Hashes a call with its arguments.
pub(super) fn hash_of(call: &Call<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&call.id, &call.tool, &call.input).hash(&mut hasher);
    hasher.finish()
}

/// Hashes a record's calls and results, to compare it with another record of the same id.
pub(super) fn told(record: &SessionRecord<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for event in &record.events {
        match &event.what {
            EventKind::Call(call) | EventKind::Began(call) => hash_of(call).hash(&mut hasher),
            EventKind::Ended(ended) => (&ended.id, &ended.output).hash(&mut hasher),
            _ => {}
        }
    }
    hasher.finish()
}

/// Hashes a result.
pub(super) fn hash_of_end(ended: &CallEnd<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (std::mem::discriminant(&ended.how), &ended.output).hash(&mut hasher);
    hasher.finish()
}

pub(super) fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
