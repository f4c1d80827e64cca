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
    /// Hashes of the ids of recorded calls, and of those that were requested too.
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
            self.requested_calls
                .ids
                .extend(call.id.as_deref().map(keyed_hash));
            self.requested_calls.made.push(RecordedCall {
                id: call.id.as_deref().map(keyed_hash),
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
        let id = call.id.as_deref().map(keyed_hash);
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
            .filter_map(|requested| requested.call.id.as_deref().map(keyed_hash))
            .collect();
        let mut met = HashSet::new();
        let mut by_input: HashMap<(u64, Option<u64>), usize> = HashMap::new();
        for made in &self.requested_calls.made {
            match made.id {
                Some(id) if ids.contains(&id) => {
                    met.insert(id);
                }
                Some(id) if self.requested_calls.matched.contains(&id) => {}
                _ => *by_input.entry((made.tool, made.input)).or_default() += 1,
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
            let id = call.id.as_deref().map(keyed_hash);
            if id.is_some_and(|id| !met.insert(id)) {
                continue;
            }
            let tool = tool_hash(&session, &call.tool);
            // Without an id, a call of the same tool is the same call if its arguments are equal or
            // unknown. Codex events have ids.
            let mut same = [input_hash(&call.input), None].into_iter();
            let taken = ended.is_none()
                && same.any(|input| {
                    let count = by_input.get_mut(&(tool, input));
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
