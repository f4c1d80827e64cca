//! Rejections that come before their calls, and those of calls that nothing else tells of.

use super::super::known::hash;
use super::{Call, DecidedBy, Fed, Pairing, REMEMBERED, Timestamp, WAITING};
use hashbrown::{HashMap, HashSet};

/// Rejected calls that aren't on record so far, by hashes of their ids.
#[derive(Debug, Default)]
pub(super) struct Refused {
    all: HashMap<u64, RefusedCall>,
    /// How many there were.
    number: u64,
    /// Bytes of what they are given.
    held: usize,
}

#[derive(Debug)]
struct RefusedCall {
    number: u64,
    session: Box<str>,
    line: u64,
    time: Option<Timestamp>,
    by: DecidedBy,
    call: Call<'static>,
}

impl Refused {
    /// Takes note of one.
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
            "" => hash(&format!("#{number}")),
            id => hash(id),
        };
        self.all.entry(key).or_insert(RefusedCall {
            number,
            session: session.into(),
            line,
            time,
            by,
            call,
        });
    }

    /// Who rejected a call that is on record now, or whose result is.
    pub(super) fn remove(&mut self, id: &str) -> Option<DecidedBy> {
        self.all.remove(&hash(id)).map(|refused| refused.by)
    }
}

impl Pairing {
    /// Hands on the rejected calls that nothing else tells of.
    pub(super) fn hand_on_refused(&mut self, on: &mut dyn FnMut(Fed<'_, '_>)) {
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
        let mut left: Vec<RefusedCall> = left.map(|(_, refused)| refused).collect();
        left.sort_unstable_by_key(|refused| refused.number);
        for refused in left {
            let RefusedCall {
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
                self.hand_on(n, false, on);
            }
        }
    }
}
