//! Calls that a model requested. Their execution is recorded elsewhere, if at all.

use super::super::{given, unread};
use super::{
    Call, CallEnd, CallStatus, DEPTH, Pairing, REMEMBERED, RoutedRecord, Timestamp, WAITING,
};
use hashbrown::{HashMap, HashSet, hash_map};
use std::borrow::Cow;
use std::collections::VecDeque;
use strict_json::{Raw, Scanner, canonicalise};
use util::keyed_hash;

/// Formats that record requested calls separately from executed ones.
const FORMATS: [&str; 4] = ["codex", "codex-exec", "langfuse", "otlp"];

/// Those of them in which the arguments of executed calls may be missing.
const MODELS: [&str; 2] = ["langfuse", "otlp"];

/// Maximum number of recorded calls that a request is compared with.
const COMPARED: usize = 64;

/// Calls that a model requested, and recorded calls to match them with.
#[derive(Debug, Default)]
pub(super) struct RequestedCalls {
    asked: Vec<RequestedCall>,
    /// Indices of those with arguments, by their identity and by their tool.
    by_id: HashMap<u64, usize>,
    by_tool: HashMap<u64, VecDeque<usize>>,
    /// Total bytes of the requested calls.
    held: usize,
    made: Vec<RecordedCall>,
    /// Indices of recorded calls by their identities, and identities of those that were requested
    /// too.
    ids: HashMap<u64, usize>,
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
    /// Whether a recorded call was given its arguments.
    used: bool,
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
    /// That text, or nothing.
    text: Box<str>,
}

impl RecordedCall {
    /// Returns whether the arguments of a call are those of a requested one, as far as it is known.
    fn says(&self, requested: &str) -> bool {
        self.input.is_some()
            || input_hash(requested).is_none()
            || given::texts(requested)
                .iter()
                .all(|text| self.text.contains(&**text))
    }
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

    /// Registers a recorded call with the arguments that it was given.
    pub(super) fn register_call(&mut self, session: &str, call: &Call<'_>, given: &str) {
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
            let index = self.requested_calls.made.len();
            self.requested_calls.ids.extend(id.map(|id| (id, index)));
            let input = input_hash(given);
            let text = match input {
                None if MODELS.contains(&self.format) => given::texts(given).concat(),
                _ => String::new(),
            };
            self.requested_calls.made.push(RecordedCall {
                id,
                tool: tool_hash(session, &call.tool),
                input,
                text: text.into(),
            });
        }
    }

    /// Returns the arguments of a recorded call, which may be recorded only with the model's
    /// request: that of the same id or, without one, the oldest of the same tool. Arguments that
    /// can't be read are kept next to them.
    pub(super) fn with_requested<'c>(&mut self, session: &str, call: &'c Call<'c>) -> Cow<'c, str> {
        let mut input = Cow::Borrowed(&*call.input);
        let missing = MODELS.contains(&self.format) && input_hash(&input).is_none();
        if !missing || self.requested_calls.asked.is_empty() {
            return input;
        }
        let id = self.identity(session, call);
        let calls = &mut self.requested_calls;
        let known = id.and_then(|id| calls.by_id.get(&id)).copied();
        let index = known.or_else(|| {
            let queue = calls.by_tool.get_mut(&tool_hash(session, &call.tool))?;
            std::iter::from_fn(|| queue.pop_front())
                .find(|index| calls.asked.get(*index).is_some_and(|asked| !asked.used))
        });
        if let Some(asked) = index.and_then(|index| calls.asked.get_mut(index)) {
            asked.used = true;
            let requested = asked.call.input.to_string();
            // A text that is all that was requested says the same.
            if given::texts(&input) == given::texts(&requested) {
                input = Cow::Owned(requested);
            } else {
                given::add(&mut input, Cow::Owned(requested));
            }
        }
        input
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
        let calls = &mut self.requested_calls;
        let recorded = id.and_then(|id| calls.made.get(*calls.ids.get(&id)?));
        let is_same =
            |made: &RecordedCall| !MODELS.contains(&self.format) || made.says(&call.input);
        if let Some(id) = id.filter(|_| recorded.is_some_and(is_same)) {
            calls.matched.insert(id);
            return;
        }
        if MODELS.contains(&self.format) && input_hash(&call.input).is_some() {
            let index = self.requested_calls.asked.len();
            let tool = tool_hash(session, &call.tool);
            let is_new = id.is_none_or(|id| {
                let known = self.requested_calls.by_id.entry(id);
                let is_new = matches!(known, hash_map::Entry::Vacant(_));
                known.or_insert(index);
                is_new
            });
            if is_new {
                let queue = self.requested_calls.by_tool.entry(tool).or_default();
                queue.push_back(index);
            }
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
            used: false,
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
        self.requested_calls.by_id.clear();
        self.requested_calls.by_tool.clear();
        let ids: HashMap<u64, &str> = asked
            .iter()
            .filter_map(|requested| {
                let id = self.identity(&requested.session, &requested.call)?;
                Some((id, &*requested.call.input))
            })
            .collect();
        // Whatever repeats a request whose arguments a call was given is that call.
        let used = asked.iter().filter(|requested| requested.used);
        let used = used.filter_map(|requested| self.identity(&requested.session, &requested.call));
        let mut met: HashSet<u64> = used.collect();
        let mut by_input: HashMap<(bool, u64, Option<u64>), Vec<usize>> = HashMap::new();
        let is_model = MODELS.contains(&self.format);
        for (index, made) in self.requested_calls.made.iter().enumerate() {
            match made.id.and_then(|id| Some((id, ids.get(&id)?))) {
                Some((id, requested)) => {
                    if !is_model || made.says(requested) {
                        met.insert(id);
                    }
                }
                None if made
                    .id
                    .is_some_and(|id| self.requested_calls.matched.contains(&id)) => {}
                None => {
                    let key = (made.id.is_some(), made.tool, made.input);
                    by_input.entry(key).or_default().push(index);
                }
            }
        }
        drop(ids);
        for RequestedCall {
            session,
            line,
            time,
            call,
            ended,
            used,
        } in asked
        {
            if used {
                continue;
            }
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
            let made = &self.requested_calls.made;
            let is_same = |index: &usize| {
                !is_model || made.get(*index).is_some_and(|made| made.says(&call.input))
            };
            let mut keys = inputs
                .into_iter()
                .flat_map(|input| ids.iter().map(move |has_id| (*has_id, tool, input)));
            let taken = ended.is_none()
                && keys.any(|key| {
                    let same = by_input.get_mut(&key);
                    same.is_some_and(|same| {
                        let at = same.iter().take(COMPARED).position(is_same);
                        at.map(|at| same.remove(at)).is_some()
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
