//! Calls that a model requested. Their execution is recorded elsewhere, if at all.

use super::super::unread;
use super::{
    Call, CallEnd, CallStatus, DEPTH, Pairing, REMEMBERED, RoutedRecord, Timestamp, WAITING,
};
use hashbrown::{HashMap, HashSet};
use strict_json::{Raw, Scanner, canonicalise};
use util::keyed_hash;

/// Formats that record requested calls separately from executed ones.
const FORMATS: [&str; 4] = ["codex", "codex-exec", "langfuse", "otlp"];

/// Calls that a model requested, and recorded calls to match them with.
#[derive(Debug, Default)]
pub(super) struct RequestedCalls {
    asked: Vec<RequestedCall>,
    /// Total bytes of the requested calls.
    held: usize,
    made: Vec<RecordedCall>,
    /// Identities of recorded calls, and of those that were requested too.
    ids: HashSet<u64>,
    matched: HashSet<u64>,
}

#[derive(Debug)]
struct RequestedCall {
    session: Box<str>,
    line: u64,
    time: Option<Timestamp>,
    call: Call<'static>,
    /// The end, if recorded with the request.
    ended: Option<CallEnd<'static>>,
}

/// A recorded call.
#[derive(Debug)]
struct RecordedCall {
    /// See [`Pairing::identity`].
    id: Option<u64>,
    /// Hash of session and tool.
    tool: u64,
    /// Hash of the arguments; `None` if they aren't recorded or are plain text.
    input: Option<u64>,
}

/// Hashes a tool's name, independent of case and punctuation.
fn tool_hash(session: &str, tool: &str) -> u64 {
    let letters = tool.chars().filter(|c| c.is_alphanumeric());
    let plain: String = letters.flat_map(char::to_lowercase).collect();
    keyed_hash(&(session, plain))
}

fn input_hash(input: &str) -> Option<u64> {
    let is_text = input.starts_with("{\"input\":\"") || input.starts_with("{\"arguments\":\"");
    let is_json = || Scanner::new(input, DEPTH).skip().is_ok();
    (input != "{}" && !is_text && is_json()).then(|| keyed_hash(&canonicalise(Raw::trusted(input))))
}

impl Pairing {
    /// Returns a hash of a call's id. Where known and unknown records stand next to each other, the
    /// same id with another tool is another call; elsewhere the tool may be named differently.
    fn identity(&self, session: &str, call: &Call<'_>) -> Option<u64> {
        let id = call.id.as_deref()?;
        Some(if FORMATS.contains(&self.format) {
            keyed_hash(id)
        } else {
            keyed_hash(&(id, tool_hash(session, &call.tool)))
        })
    }

    /// Registers a recorded call.
    pub(super) fn register_call(&mut self, session: &str, call: &Call<'_>) {
        let most = if FORMATS.contains(&self.format) {
            REMEMBERED
        } else if unread::may_grow(self.format) {
            // Beyond the limit, a repeated call is counted twice.
            REMEMBERED / 8
        } else {
            0
        };
        if self.requested_calls.made.len() < most {
            let id = self.identity(session, call);
            self.requested_calls.ids.extend(id);
            self.requested_calls.made.push(RecordedCall {
                id,
                tool: tool_hash(session, &call.tool),
                input: input_hash(&call.input),
            });
        }
    }

    /// Registers a call that a model requested.
    pub(super) fn wanted(
        &mut self,
        session: &str,
        line: u64,
        time: Option<Timestamp>,
        (call, ended): (&Call<'_>, Option<&CallEnd<'_>>),
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) {
        let id = self.identity(session, call);
        if let Some(id) = id.filter(|id| self.requested_calls.ids.contains(id)) {
            self.requested_calls.matched.insert(id);
            return;
        }
        let call = call.to_owned();
        let ended = ended.map(CallEnd::to_owned);
        let output = ended.as_ref().map_or(0, |ended| ended.output.len());
        self.requested_calls.held += size_of::<RequestedCall>()
            + session.len()
            + call.tool.len()
            + call.input.len()
            + output;
        self.requested_calls.asked.push(RequestedCall {
            session: session.into(),
            line,
            time,
            call,
            ended,
        });
        let most = if FORMATS.contains(&self.format) {
            WAITING
        } else {
            WAITING / 8
        };
        if self.requested_calls.held > most {
            self.emit_unmatched(on);
        }
    }

    /// Emits the requested calls that no other record contains.
    pub(super) fn emit_unmatched(&mut self, on: &mut dyn FnMut(RoutedRecord<'_, '_>)) {
        let asked = std::mem::take(&mut self.requested_calls.asked);
        if asked.is_empty() {
            return;
        }
        self.requested_calls.held = 0;
        let ids: HashSet<u64> = asked
            .iter()
            .filter_map(|requested| self.identity(&requested.session, &requested.call))
            .collect();
        let mut met = HashSet::new();
        let mut by_input: HashMap<(bool, u64, Option<u64>), usize> = HashMap::new();
        for made in &self.requested_calls.made {
            match made.id {
                Some(id) if ids.contains(&id) => {
                    met.insert(id);
                }
                Some(id) if self.requested_calls.matched.contains(&id) => {}
                id => {
                    let key = (id.is_some(), made.tool, made.input);
                    *by_input.entry(key).or_default() += 1;
                }
            }
        }
        for RequestedCall {
            session,
            line,
            time,
            call,
            ended,
        } in asked
        {
            let id = self.identity(&session, &call);
            if id.is_some_and(|id| !met.insert(id)) {
                continue;
            }
            let tool = tool_hash(&session, &call.tool);
            // Without an id, a call of the same tool is the same call if its arguments are equal or
            // unknown. So it is with another id where another program assigns the ids of recorded
            // calls. Codex events have ids.
            let ids: &[bool] = if id.is_none() || FORMATS.contains(&self.format) {
                &[true, false]
            } else {
                &[false]
            };
            let inputs = [input_hash(&call.input), None];
            let mut same = inputs
                .into_iter()
                .flat_map(|input| ids.iter().map(move |has_id| (*has_id, tool, input)));
            let taken = ended.is_none()
                && same.any(|key| {
                    let count = by_input.get_mut(&key);
                    count.is_some_and(|count| {
                        let is_left = *count > 0;
                        *count = count.saturating_sub(1);
                        is_left
                    })
                });
            if taken {
                continue;
            }
            if let Some(n) = self.call(&session, line, time, &call, on) {
                let ended = ended.unwrap_or_else(|| CallEnd {
                    id: call.id.clone(),
                    how: CallStatus::NotRecorded,
                    output: "".into(),
                    exit_code: None,
                    change: None,
                });
                self.result(n, time, &ended, on);
            }
        }
    }
}
