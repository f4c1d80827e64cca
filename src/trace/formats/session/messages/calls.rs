//! Calls of a message: the lists that contain them and the members of each.

use super::{Call, EventKind, Events, Message, Raw, Str, text, unread};
use crate::trace::formats::session::{given, object_of};
use crate::trace::formats::shown::is_schema;
use std::borrow::Cow;
use strict_json::canonical_eq;

/// Largest number of pairs of calls that are compared in one message. If there are more, the calls
/// of each list count.
const MAX_PAIRS: usize = 1_000_000;

impl<'a> Message<'a> {
    /// Adds the calls that a message lists to those of its blocks, which begin at `from`, each
    /// once. Several members may contain the same calls; where they differ about one, all of
    /// its arguments count.
    pub(super) fn push_listed_calls(&self, events: &mut Events<'a>, from: usize) {
        let provided = self.additional_kwargs.and_then(|raw| raw.read::<Self>());
        let provided = provided.unwrap_or_default();
        for list in [
            self.tool_calls,
            self.other_calls,
            self.function_call,
            provided.tool_calls,
            provided.other_calls,
            provided.function_call,
        ] {
            let list = list.map(elements).unwrap_or_default();
            // A call of one list is at most one call of another.
            let mut left: Vec<&mut Call<'a>> = events.calls_from(from).collect();
            if left.len().saturating_mul(list.len()) > MAX_PAIRS {
                left.clear();
            }
            let mut new = Vec::new();
            let mut read = Vec::new();
            for raw in list {
                let Some(call) = raw.read::<Self>().map(|call| call.call()) else {
                    continue;
                };
                read.push(raw);
                let Some(at) = left.iter().position(|one| same(one, &call)) else {
                    new.push((raw, call));
                    continue;
                };
                let known = left.swap_remove(at);
                given::add(&mut known.input, call.input);
            }
            for raw in read {
                events.mark(raw, unread::Reading::Call);
            }
            for (raw, call) in new {
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

/// Returns the elements of a list of calls, or the single call that a member contains instead.
fn elements(raw: Raw<'_>) -> Vec<Raw<'_>> {
    match raw.read() {
        Some(list) => list,
        None if raw.as_written().starts_with('{') => vec![raw],
        None => Vec::new(),
    }
}

/// Returns whether two lists contain the same call. Without an id in both, it must be equal.
fn same(one: &Call<'_>, other: &Call<'_>) -> bool {
    let (a, b) = (Raw::trusted(&one.input), Raw::trusted(&other.input));
    one.tool == other.tool
        && match (&one.id, &other.id) {
            (Some(one), Some(other)) => one == other,
            _ => canonical_eq(a, b),
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
        assert_eq!(listed(&many, "toolCalls", &many).len(), 2_002);
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
