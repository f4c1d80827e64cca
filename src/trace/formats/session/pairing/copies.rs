//! Records that repeat a sub-agent's own session, if that is kept.

use super::{
    Call, CallEnd, CallStatus, EventKind, Pairing, REMEMBERED, RoutedRecord, SessionRecord,
};
use util::keyed_hash;

impl Pairing {
    /// Reads such a record. A call in it is new unless another input or another record of this one
    /// contains it.
    pub(super) fn copied(
        &mut self,
        key: &str,
        line: u64,
        (record, parent): (&SessionRecord<'_>, Option<&str>),
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) {
        for event in &record.events {
            let tells = match &event.what {
                EventKind::Call(call) => {
                    let told = keyed_hash(call);
                    let elsewhere = self.own_calls.hold(told);
                    if elsewhere && self.known_elsewhere.len() < REMEMBERED {
                        let id = call.id.as_deref().unwrap_or_default();
                        self.known_elsewhere.insert(keyed_hash(id));
                    }
                    !elsewhere && !self.asked.contains(&told)
                }
                EventKind::Ended(ended) => self.is_new_end(ended),
                // A sub-agent whose calls come from another input has no session here.
                _ => parent.is_none() || self.sessions.contains_key(key),
            };
            if tells {
                self.open(key, line, parent, record.cwd.as_deref());
                self.event(key, line, event, on);
            }
            if let EventKind::Call(call) = &event.what
                && tells
            {
                self.remember_copy(call);
            }
        }
    }

    /// Returns whether a result that may be a copy adds something. A copy may contain less of the
    /// output.
    fn is_new_end(&self, ended: &CallEnd<'_>) -> bool {
        let id = ended.id.as_deref().unwrap_or_default();
        let (hash, is_open) = (keyed_hash(id), self.waiting.last_open(id).is_some());
        let contradicts = match ended.how {
            CallStatus::Rejected(_) => self.ran.contains(&hash),
            _ => ended.shows_execution() && self.rejected.contains_key(&hash),
        };
        !self.known_elsewhere.contains(&hash)
            && (is_open || contradicts || !self.over.contains_key(&hash))
    }

    /// Returns whether a call belongs to another input or to a person, not to this session.
    pub(super) fn is_known_elsewhere(&self, id: Option<&str>) -> bool {
        let told = |id: &str| self.known_elsewhere.contains(&keyed_hash(id));
        !self.known_elsewhere.is_empty() && id.is_some_and(told)
    }

    fn remember_copy(&mut self, call: &Call<'_>) {
        if self.known_from_copies.len() < REMEMBERED {
            self.known_from_copies.insert(keyed_hash(call));
            self.known_from_copies
                .extend(call.id.as_deref().map(keyed_hash));
        }
    }

    /// Returns whether a copy has already contained a call.
    pub(super) fn was_copied(&self, call: &Call<'_>) -> bool {
        !self.known_from_copies.is_empty() && self.known_from_copies.contains(&keyed_hash(call))
    }

    /// Returns whether a copy has already contained a result and its call.
    pub(super) fn end_was_copied(&self, id: Option<&str>) -> bool {
        let told = |id: &str| {
            let is_open = self.waiting.last_open(id).is_some();
            let id = keyed_hash(id);
            !is_open && self.known_from_copies.contains(&id) && self.over.contains_key(&id)
        };
        !self.known_from_copies.is_empty() && id.is_some_and(told)
    }
}
