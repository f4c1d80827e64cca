//! Rejections that come before their calls, and rejections whose calls no other record contains.

use super::{Call, DecidedBy, Pairing, REMEMBERED, RoutedRecord, Timestamp, WAITING};
use hashbrown::{HashMap, HashSet};
use util::keyed_hash;

/// Rejected calls that haven't come so far, by hash of their ids.
#[derive(Debug, Default)]
pub(super) struct PendingRejections {
    all: HashMap<u64, PendingRejection>,
    /// Number of all rejections so far.
    number: u64,
    /// Total bytes of their arguments.
    held: usize,
}

#[derive(Debug)]
struct PendingRejection {
    number: u64,
    session: Box<str>,
    line: u64,
    time: Option<Timestamp>,
    by: DecidedBy,
    call: Call<'static>,
}

impl PendingRejections {
    /// Adds a rejected call.
    pub(super) fn add(
        &mut self,
        (session, line, time): (&str, u64, Option<Timestamp>),
        id: &str,
        by: DecidedBy,
        call: Option<&Call<'_>>,
    ) {
        if self.all.len() >= REMEMBERED {
            return;
        }
        let mut call = call.map_or_else(
            || Call {
                id: Some(id.to_owned().into()),
                tool: "".into(),
                input: "{}".into(),
            },
            Call::to_owned,
        );
        if self.held + call.input.len() > WAITING {
            call.input = "{}".into();
        }
        self.held += call.input.len();
        self.number += 1;
        let number = self.number;
        let key = match id {
            "" => keyed_hash(&format!("#{number}")),
            id => keyed_hash(id),
        };
        self.all.entry(key).or_insert(PendingRejection {
            number,
            session: session.into(),
            line,
            time,
            by,
            call,
        });
    }

    /// Removes a rejected call that has come or whose result has come. Returns who rejected it.
    pub(super) fn remove(&mut self, id: &str) -> Option<DecidedBy> {
        self.all.remove(&keyed_hash(id)).map(|refused| refused.by)
    }
}

impl Pairing {
    /// Emits the rejected calls that no other record contains.
    pub(super) fn emit_rejected(&mut self, on: &mut dyn FnMut(RoutedRecord<'_, '_>)) {
        let all = std::mem::take(&mut self.refused.all);
        if all.is_empty() {
            return;
        }
        let told: HashSet<u64> = self
            .sessions
            .values()
            .flat_map(|s| &s.ids)
            .copied()
            .collect();
        let left = all.into_iter().filter(|(id, _)| !told.contains(id));
        let mut left: Vec<PendingRejection> = left.map(|(_, refused)| refused).collect();
        left.sort_unstable_by_key(|refused| refused.number);
        for refused in left {
            let PendingRejection {
                session,
                line,
                time,
                by,
                call,
                number: _,
            } = refused;
            if let Some(n) = self.call(&session, line, time, &call, on) {
                if let Some(waiting) = self.waiting.get_mut(n) {
                    waiting.decide(Some((false, by)));
                }
                self.emit_call(n, false, on);
            }
        }
    }
}
