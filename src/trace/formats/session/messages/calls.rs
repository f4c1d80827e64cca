//! Calls of a message: the lists that contain them and the members of each.

use super::{Call, EventKind, Events, Message, Raw, Str, text, unread};
use crate::trace::formats::session::{given, object_of};
use crate::trace::formats::shown::is_schema;
use hashbrown::HashMap;
use std::borrow::Cow;
use std::collections::VecDeque;
use strict_json::{canonicalise, from_text};
use util::keyed_hash;

impl<'a> Message<'a> {
    /// Adds the calls that a message lists to those of its blocks, which begin at `from`, each
    /// once. Several members may contain the same calls; where they differ about one, all of
    /// its arguments count.
    pub(super) fn push_listed_calls(&self, events: &mut Events<'a>, from: usize) {
        let provided = self.additional_kwargs.and_then(|raw| raw.read::<Self>());
        let provided = provided.unwrap_or_default();
        let lists = [
            self.tool_calls,
            self.other_calls,
            self.function_call,
            self.tool_uses,
            provided.tool_calls,
            provided.other_calls,
            provided.function_call,
        ];
        let mut keys: Option<Vec<CallKey>> = None;
        for list in lists.into_iter().flatten().map(elements) {
            if list.is_empty() {
                continue;
            }
            let keys = keys.get_or_insert_with(|| {
                events
                    .calls_from(from)
                    .map(|call| (&*call).into())
                    .collect()
            });
            // A call of one list is at most one call of another.
            let mut left = CallIndex::new(keys);
            let mut same = HashMap::new();
            let mut new = Vec::new();
            for (raw, call) in list {
                events.mark(raw, unread::Reading::Call);
                let key = CallKey::from(&call);
                match left.take(&key) {
                    Some(n) => drop(same.insert(n, call.input)),
                    None => new.push((raw, call, key)),
                }
            }
            let known = events.calls_from(from).zip(keys.iter_mut());
            for (n, (known, key)) in known.enumerate() {
                if let Some(input) = same.remove(&n) {
                    given::add(&mut known.input, input);
                    *key = CallKey::from(&*known);
                }
            }
            for (raw, call, key) in new {
                keys.push(key);
                events.push(raw, EventKind::Call(call));
            }
        }
    }

    pub(in crate::trace::formats::session) fn call(&self) -> Call<'a> {
        let inner = self
            .function
            .or(self.custom)
            .and_then(|raw| raw.read::<Self>());
        let named = self
            .function
            .and_then(|raw| raw.read::<Str<'a>>())
            .map(Str::decode);
        let kind = text(self.kind);
        let tool = text(self.name)
            .or_else(|| text(self.function_name))
            .or_else(|| text(self.ai_sdk_name))
            .or_else(|| text(self.tool_name))
            .or_else(|| text(self.tool))
            .or_else(|| inner.as_ref().and_then(|inner| text(inner.name)))
            .or(named)
            .or_else(|| Some(Cow::Owned(kind?.strip_suffix("_call")?.to_owned())));
        let others = [
            ("action", self.action),
            ("operation", self.operation),
            ("code", self.code),
        ];
        let own: Vec<_> = self.arguments().into_iter().chain(others).collect();
        let of_function = inner.unwrap_or_default().arguments();
        let input = given::of_texts(&[
            ("arguments", Some(given::of_members(&own))),
            ("function", Some(given::of_members(&of_function))),
        ]);
        let mut call = Call {
            id: self.call_id(),
            tool: tool.unwrap_or_default(),
            input,
        };
        if let Some(lines) = self.action.and_then(commands) {
            call.tool = Cow::Borrowed("bash");
            call.input = object_of("command", &lines);
        }
        call
    }

    /// Returns the members that may contain a call's arguments. `parameters` and `params` may
    /// contain the schema of a tool instead.
    fn arguments(&self) -> [(&'static str, Option<Raw<'a>>); 8] {
        let is_given = |raw: &Raw<'_>| !is_schema(*raw);
        [
            ("arguments", self.arguments),
            ("args", self.args),
            ("parameters", self.parameters.filter(is_given)),
            ("params", self.params.filter(is_given)),
            ("kwargs", self.kwargs),
            ("tool_input", self.tool_input),
            ("toolInput", self.other_input),
            ("input", self.input),
        ]
    }
}

/// Returns the calls of a list with what contains each. A member may contain a single call instead,
/// or the list as JSON in a text.
fn elements(raw: Raw<'_>) -> Vec<(Raw<'_>, Call<'_>)> {
    if let Some(text) = raw.read::<Str<'_>>().map(Str::decode) {
        let inner = from_text::<Raw<'_>>(&text).map(elements);
        let calls = inner.unwrap_or_default().into_iter();
        return calls.map(|(_, call)| (raw, call.to_owned())).collect();
    }
    let list = match raw.read() {
        Some(list) => list,
        None if raw.as_written().starts_with('{') => vec![raw],
        None => Vec::new(),
    };
    let calls = list.into_iter();
    calls
        .filter_map(|raw: Raw<'_>| Some((raw, raw.read::<Message<'_>>()?.call())))
        .collect()
}

/// Hashes by which two lists contain the same call.
#[derive(Debug, Clone, Copy)]
struct CallKey {
    /// Of tool and id.
    id: Option<u64>,
    /// Of tool and arguments.
    input: u64,
}

impl From<&Call<'_>> for CallKey {
    fn from(call: &Call<'_>) -> Self {
        let input = canonicalise(Raw::trusted(&call.input));
        Self {
            id: call.id.as_deref().map(|id| keyed_hash(&(&*call.tool, id))),
            input: keyed_hash(&(&*call.tool, input)),
        }
    }
}

/// Calls that aren't the same as one of the list that is read.
struct CallIndex {
    by_id: HashMap<u64, VecDeque<usize>>,
    /// By arguments, those with an id.
    named: HashMap<u64, VecDeque<usize>>,
    /// By arguments, those without one.
    unnamed: HashMap<u64, VecDeque<usize>>,
    taken: Vec<bool>,
}

impl CallIndex {
    fn new(keys: &[CallKey]) -> Self {
        let mut index = Self {
            by_id: HashMap::new(),
            named: HashMap::new(),
            unnamed: HashMap::new(),
            taken: vec![false; keys.len()],
        };
        for (n, key) in keys.iter().enumerate() {
            let by_input = match key.id {
                Some(id) => {
                    index.by_id.entry(id).or_default().push_back(n);
                    &mut index.named
                }
                None => &mut index.unnamed,
            };
            by_input.entry(key.input).or_default().push_back(n);
        }
        index
    }

    /// Takes the first call that is the same. Without an id in both, arguments must be equal.
    fn take(&mut self, key: &CallKey) -> Option<usize> {
        let taken = &self.taken;
        let first = |lists: &mut HashMap<u64, VecDeque<usize>>, hash: u64| {
            let list = lists.get_mut(&hash)?;
            while list.front().is_some_and(|n| taken.get(*n) == Some(&true)) {
                list.pop_front();
            }
            list.front().copied()
        };
        let unnamed = first(&mut self.unnamed, key.input);
        let n = if let Some(id) = key.id {
            first(&mut self.by_id, id).or(unnamed)
        } else {
            let named = first(&mut self.named, key.input);
            named.into_iter().chain(unnamed).min()
        }?;
        *self.taken.get_mut(n)? = true;
        Some(n)
    }
}

/// Returns the command lines of a hosted shell's call.
fn commands(action: Raw<'_>) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Action<'a> {
        #[serde(borrow)]
        commands: Vec<Str<'a>>,
    }
    let action = action.read::<Action<'_>>()?;
    let lines: Vec<_> = action.commands.into_iter().map(Str::decode).collect();
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use crate::trace::formats::session::messages::FORMAT;
    use crate::trace::formats::session::testing::told;

    #[test]
    fn arguments_of_every_name_are_read() {
        for name in ["kwargs", "tool_input", "toolInput", "params"] {
            for call in [
                format!(r#"{{"id":"c","name":"f","{name}":{{"a":1}}}}"#),
                format!(r#"{{"id":"c","tool_name":"f","{name}":{{"a":1}}}}"#),
                format!(r#"{{"id":"c","function":{{"name":"f","{name}":{{"a":1}}}}}}"#),
            ] {
                let text = format!(r#"{{"role":"assistant","tool_calls":[{call}]}}"#);
                assert_eq!(told(&FORMAT, &text), [r#"call c f {"a":1}"#], "{text}");
            }
            let call = format!(r#"{{"id":"c","name":"f","args":{{"a":2}},"{name}":{{"a":1}}}}"#);
            let text = format!(r#"{{"role":"assistant","tool_calls":[{call}]}}"#);
            let both = format!(r#"call c f {{"args":{{"a":2}},"{name}":{{"a":1}}}}"#);
            assert_eq!(told(&FORMAT, &text), [both], "{text}");
        }
    }

    #[test]
    fn calls_of_every_list_are_counted_once() {
        let call = |id: &str, n: u8| format!(r#"{{"id":"{id}","name":"f","args":{{"a":{n}}}}}"#);
        let listed = |first: &str, name: &str, second: &str| {
            let second = match name {
                "toolCalls" => format!(r#""toolCalls":[{second}]"#),
                name => format!(r#""additional_kwargs":{{"{name}":[{second}]}}"#),
            };
            let text = format!(r#"{{"role":"assistant","tool_calls":[{first}],{second}}}"#);
            told(&FORMAT, &text)
        };
        let (one, two) = (r#"call c f {"a":1}"#, r#"call d f {"a":2}"#);
        let both = r#"call c f {"arguments":{"a":1},"other_arguments":{"a":2}}"#;
        let (c, d) = (call("c", 1), call("d", 2));
        let unnamed = c.replace(r#""id":"c","#, "");
        for name in ["toolCalls", "tool_calls", "function_call"] {
            assert_eq!(listed(&c, name, &c), [one], "{name}");
            assert_eq!(listed(&c, name, &unnamed), [one], "{name}");
            assert_eq!(listed(&c, name, &d), [one, two], "{name}");
            assert_eq!(listed(&c, name, &format!("{c},{d}")), [one, two], "{name}");
            assert_eq!(listed(&c, name, &call("c", 2)), [both], "{name}");
            assert_eq!(listed("", name, &d), [two], "{name}");
        }
        let twice = format!("{unnamed},{unnamed}");
        assert_eq!(listed(&unnamed, "toolCalls", &twice).len(), 2);
        let many = vec![c.clone(); 1_001].join(",");
        assert_eq!(listed(&many, "toolCalls", &many).len(), 1_001);
        // Each has the id or the arguments of another one.
        let (first, second) = (format!("{c},{d}"), format!("{unnamed},{c}"));
        assert_eq!(listed(&first, "toolCalls", &second).len(), 3);
    }

    #[test]
    fn many_calls_of_two_lists_are_compared_quickly() {
        // Comparing each with each would take minutes.
        let calls = |from: usize, call: &dyn Fn(usize) -> String| {
            let calls: Vec<String> = (from..from + 20_000).map(call).collect();
            calls.join(",")
        };
        let named = calls(0, &|n| {
            format!(r#"{{"id":"c{n}","name":"f","args":{{"b":1,"a":{n}}}}}"#)
        });
        let unnamed = |n| format!(r#"{{"name":"f","args":{{"a":{n},"b":1}}}}"#);
        for (from, expected) in [(0, 20_000), (5_000, 25_000), (20_000, 40_000)] {
            let other = calls(from, &unnamed);
            let text = format!(
                r#"{{"type":"ai","content":"","tool_calls":[{named}],
                    "additional_kwargs":{{"tool_calls":[{other}]}}}}"#
            );
            assert_eq!(told(&FORMAT, &text).len(), expected);
        }
    }

    #[test]
    fn a_block_and_a_list_contain_the_same_call() {
        let told_of = |block: &str| {
            let block = format!(r#"{{"type":"tool_use","id":"c","name":"f",{block}}}"#);
            let list = r#"[{"id":"c","name":"f","args":{"a":1}},{"id":"d","name":"f","args":{}}]"#;
            let both = format!(r#""content":[{block}],"tool_calls":{list}"#);
            told(&FORMAT, &format!(r#"{{"role":"assistant",{both}}}"#))
        };
        let second = "call d f {}".to_owned();
        let first = r#"call c f {"a":1}"#.to_owned();
        assert_eq!(
            told_of(r#""input":{"a":1}"#),
            [first.clone(), second.clone()]
        );
        assert_eq!(told_of(r#""input":{}"#), [first, second.clone()]);
        let other = r#"call c f {"arguments":{"a":2},"other_arguments":{"a":1}}"#.to_owned();
        assert_eq!(told_of(r#""input":{"a":2}"#), [other, second]);
    }
}
