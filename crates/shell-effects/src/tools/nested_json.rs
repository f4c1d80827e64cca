//! Parameters written as JSON in a string, at any depth.
//!
//! [`Param::inputs`] unwraps the parameters of the call itself. Nested calls, and runtimes with
//! another name for parameters, write theirs in the same way. File contents have other names and
//! stay data.

use super::param::{Param, same_words};
use std::borrow::Cow;

/// Names of members with parameters, without separators between their words.
const PARAMETER_MEMBERS: [&str; 23] = [
    "action",
    "args",
    "argsjson",
    "argument",
    "arguments",
    "argumentsjson",
    "call",
    "functionargs",
    "functionarguments",
    "input",
    "inputjson",
    "inputs",
    "kwargs",
    "options",
    "parameters",
    "parametersjson",
    "params",
    "payload",
    "rawarguments",
    "rawinput",
    "request",
    "toolargs",
    "toolinput",
];

/// Maximum nesting of strings with JSON.
const MAX_DEPTH: usize = 6;

impl Param<'_> {
    /// Returns the call with its parameters in strings parsed. The flag is true if some are nested
    /// too deeply.
    pub(super) fn with_parsed_strings(&self) -> (Cow<'_, Param<'_>>, bool) {
        let written = |value: &Self| match value {
            Self::Text(text) => may_be_json(text),
            Self::List(list) => list.iter().any(|one| one.as_str().is_some_and(may_be_json)),
            _ => false,
        };
        let closed = |one: &Self| {
            one.members()
                .into_iter()
                .flatten()
                .any(|(name, value)| written(value) && holds_parameters(name))
        };
        let bare = matches!(self, Self::List(_)) && written(self);
        if !bare && !self.self_and_descendants().any(closed) {
            return (Cow::Borrowed(self), false);
        }
        let mut more = false;
        let opened = parse_strings(self, bare, 0, &mut more);
        (Cow::Owned(opened), more)
    }
}

/// Returns whether a member of this name contains parameters.
fn holds_parameters(name: &str) -> bool {
    PARAMETER_MEMBERS
        .iter()
        .any(|known| same_words(name, known))
}

fn trimmed(text: &str) -> &str {
    text.trim_start_matches('\u{feff}').trim()
}

fn may_be_json(text: &str) -> bool {
    trimmed(text).starts_with(['{', '[', '"'])
}

/// Copies a value and parses JSON in it. With `given`, a text may be JSON.
fn parse_strings(value: &Param<'_>, given: bool, level: usize, more: &mut bool) -> Param<'static> {
    match value {
        Param::Text(text) => {
            let read = Some(text).filter(|_| given).and_then(|text| read(text));
            match read {
                Some(_) if level == MAX_DEPTH => {
                    *more = true;
                    Param::Nothing
                }
                Some(read) => parse_strings(&read, true, level + 1, more),
                None => Param::Text(Cow::Owned(text.to_string())),
            }
        }
        Param::List(list) => Param::List(
            list.iter()
                .map(|one| parse_strings(one, given, level, more))
                .collect(),
        ),
        Param::Members(members) => Param::Members(
            members
                .iter()
                .map(|(name, value)| {
                    let value = parse_strings(value, holds_parameters(name), level, more);
                    (Cow::Owned(name.to_string()), value)
                })
                .collect(),
        ),
        Param::Flag(on) => Param::Flag(*on),
        Param::Number { zero } => Param::Number { zero: *zero },
        Param::Nothing => Param::Nothing,
    }
}

/// Parses a text as an object, a list or a string with further JSON.
fn read(text: &str) -> Option<Param<'_>> {
    let text = trimmed(text);
    if !may_be_json(text) || !strict_json::has_few_values(text) {
        return None;
    }
    let read: Param<'_> = serde_json::from_str(text).ok()?;
    match &read {
        Param::Text(inner) => may_be_json(inner),
        read => matches!(read, Param::Members(_) | Param::List(_)),
    }
    .then_some(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, RiskLevel, Table, effects_of_answer, effects_of_call};
    use serde_json::{Value, json};

    fn risk(call: &Value) -> RiskLevel {
        let table = Table::builtin();
        effects_of_call("view", &Param::from(call), &Context::new(&table)).risk
    }

    #[test]
    fn parameters_in_strings_are_read_at_any_depth() {
        let inner = json!({"command": "rm -rf /"});
        let once = inner.to_string();
        let twice = json!(once).to_string();
        let thrice = json!(twice).to_string();
        for call in [
            json!({"tool": "view", "parameters": twice}),
            json!({"tool": "view", "parameters": thrice}),
            json!({"tool": "view", "parameters": [once]}),
            json!({"tool": "view", "parameters": {"arguments": once}}),
            json!({"tool": "view", "parameters": json!({"params": once}).to_string()}),
            json!({"tool": "view", "parameters": {"request": {"toolInput": twice}}}),
            json!({
                "tool": "view",
                "parameters": {"calls": [{"function": {"name": "bash", "arguments": once}}]}
            }),
            json!({"tool": "view", "path": "a", "input": once}),
            json!({"tool": "view", "path": "a", "raw_arguments": format!("\u{feff} {once}")}),
            json!([once]),
        ] {
            assert_eq!(risk(&call), RiskLevel::High, "{call}");
        }
        let mut deep = once.clone();
        for _ in 0..MAX_DEPTH {
            deep = json!({"args": deep}).to_string();
        }
        assert_eq!(risk(&json!({"args": deep})), RiskLevel::High);
        let table = Table::builtin();
        let answer = json!({"content": "Done.", "calls": [{"name": "bash", "input": once}]});
        let found = effects_of_answer(&Param::from(&answer), &Context::new(&table));
        assert_eq!(found.risk, RiskLevel::High);
    }

    #[test]
    fn other_texts_stay_data() {
        for call in [
            json!({"tool": "view", "parameters": {"path": "a", "query": "{\"command\":\"rm -rf /\"}"}}),
            json!({"tool": "view", "parameters": {"path": "a", "args": "[a-z]+"}}),
            json!({"tool": "view", "parameters": {"path": "a", "input": "\"quoted\""}}),
            json!({"tool": "view", "parameters": {"path": "a", "options": "{\"depth\":2}"}}),
        ] {
            assert_eq!(risk(&call), RiskLevel::Low, "{call}");
        }
    }
}
