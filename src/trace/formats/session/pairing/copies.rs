//! Records that repeat what a sub-agent's own session tells, if that is kept.

use super::super::known::{hash, hash_of};
use super::{Call, Fed, Pairing, REMEMBERED, SessionRecord, What};

impl Pairing {
    /// Reads such a record. A call in it counts unless another input, or another record of this
    /// one, tells of it.
    pub(super) fn copied(
        &mut self,
        key: &str,
        line: u64,
        (record, parent): (&SessionRecord<'_>, Option<&str>),
        on: &mut dyn FnMut(Fed<'_, '_>),
    ) {
        for event in &record.events {
            match &event.what {
                What::Call(call) => {
                    let id = call.id.as_deref().unwrap_or_default();
                    let told = hash_of(call);
                    if self.own_calls.hold(told) {
                        self.told_elsewhere.insert(hash(id));
                    } else if !self.asked.contains(&told) {
                        self.open(key, line, parent, record.cwd.as_deref());
                        self.event(key, line, event, on);
                        self.remember_copy(call);
                    }
                }
                What::Ended(ended) => {
                    let id = ended.id.as_deref().unwrap_or_default();
                    let told = self.told_elsewhere.contains(&hash(id));
                    let is_open = self.waiting.last_open(id).is_some();
                    if !told && (is_open || !self.over.contains_key(&hash(id))) {
                        self.open(key, line, parent, record.cwd.as_deref());
                        self.event(key, line, event, on);
                    }
                }
                _ if self.sessions.contains_key(key) => self.event(key, line, event, on),
                _ => {}
            }
        }
    }

    fn remember_copy(&mut self, call: &Call<'_>) {
        if self.told_elsewhere.len() < REMEMBERED {
            self.told_by_copies.insert(hash_of(call));
            self.told_by_copies.extend(call.id.as_deref().map(hash));
        }
    }

    /// Whether a copy has told of a call before.
    pub(super) fn was_copied(&self, call: &Call<'_>) -> bool {
        !self.told_by_copies.is_empty() && self.told_by_copies.contains(&hash_of(call))
    }

    /// Whether a copy has told of the call of a result, and of its end.
    pub(super) fn end_was_copied(&self, id: Option<&str>) -> bool {
        let told = |id: &str| {
            let is_open = self.waiting.last_open(id).is_some();
            let id = hash(id);
            !is_open && self.told_by_copies.contains(&id) && self.over.contains_key(&id)
        };
        !self.told_by_copies.is_empty() && id.is_some_and(told)
    }
}
