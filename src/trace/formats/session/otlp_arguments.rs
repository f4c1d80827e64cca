//! Arguments of a call in attributes. Some contain them as they are; others describe them, wrap
//! them or are those of another layer of the program.

use super::otlp::Attributes;
use super::{Call, given, object_of, otlp_events, python, unread};
use crate::trace::formats::shown::{is_schema, names_action};
use serde::Deserialize;
use shell_effects::agent_tools;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use strict_json::{Raw, Str};

/// Attributes that contain the arguments of a call.
pub(super) const PLAIN: [&str; 6] = [
    "ai.toolCall.args",
    "tool_input",
    "function_args",
    "arguments",
    "gen_ai.tool.call.arguments",
    "tool_arguments",
];
/// Attributes that may describe arguments, or wrap them.
const OTHERS: [&str; 5] = [
    otlp_events::ARGUMENTS,
    "input.value",
    "traceloop.entity.input",
    "tool_parameters",
    "tool.parameters",
];
/// Members about a call that are no arguments of it, as long as they hold nothing but words.
const ABOUT: [&str; 14] = [
    "callbacks",
    "description",
    "id",
    "mcp_server_name",
    "mcp_tool_name",
    "metadata",
    "name",
    "run_id",
    "skill_name",
    "tags",
    "tool",
    "tool_call_id",
    "tool_name",
    "type",
];
/// Names of types, in place of the values of parameters.
const TYPES: [&str; 13] = [
    "any", "array", "bool", "boolean", "dict", "float", "int", "integer", "list", "number",
    "object", "str", "string",
];
/// Maximum depth at which texts of a value are compared.
const DEPTH: u32 = 16;

/// Returns the call that attributes describe.
pub(super) fn call<'a>(attributes: &Attributes<'a>, tool: Cow<'a, str>) -> Call<'a> {
    let of = |names: &[&'static str]| {
        let texts = names.iter().map(|name| (*name, attributes.first(&[name])));
        given::of_texts(&texts.collect::<Vec<_>>())
    };
    let mut given = of(&PLAIN);
    let mut others: Vec<(&str, Cow<'a, str>)> = Vec::new();
    for name in OTHERS {
        let other = of(&[name]);
        if name == "tool_parameters" && is_name(&other) {
            continue;
        }
        if given::is_blank(&given) {
            given = other;
        } else {
            others.push((name, other));
        }
    }
    // It may be the call itself.
    if let Some(asked) = attributes.first(&["gen_ai.input.messages"])
        && strict_json::from_text::<Raw<'_>>(&asked).is_ok()
    {
        let asked = format!("{{\"tool_call\":{asked}}}");
        let calls = unread::calls(&asked).into_iter();
        others.extend(calls.map(|(_, call)| ("request", Cow::Owned(call.input.into_owned()))));
    }
    if let Some(path) = attributes.first(&["file_path"]) {
        others.push(("span", object_of("file_path", &path)));
    }
    let line = attributes.first(&["full_command"]);
    let shell = agent_tools::tool(&tool);
    let command = shell.and_then(agent_tools::Tool::command);
    let parameters = || attributes.first(&["tool_parameters", "tool.parameters"]);
    let full = command.and_then(|_| {
        line.map(Cow::into_owned)
            .or_else(|| full_command(&given))
            .or_else(|| full_command(&parameters()?))
    });
    others.retain(|(_, other)| says_more(other, &given, full.as_deref()));
    let full = command.zip(full).map(|(command, full)| {
        let line = match command_in(&given, shell) {
            // Both are recorded, and it is unknown which of them was executed.
            Some(other) if !is_shortened(&other, &full) => format!("{other}\n{full}"),
            _ => full,
        };
        object_of(command, &line)
    });
    let given = full.unwrap_or(given);
    let input = if given::is_blank(&given) && others.len() == 1 {
        others.pop().map_or(given, |(_, only)| only)
    } else if others.is_empty() {
        given
    } else {
        let named = std::iter::once(("arguments", given)).chain(others);
        let members = named.map(|(name, input)| format!("\"{name}\":{input}"));
        Cow::Owned(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
    };
    Call {
        id: attributes.id(),
        tool,
        input,
    }
}

/// Returns whether parameters that Claude Code records only name the call.
fn is_name(parameters: &str) -> bool {
    const NAMES: [&str; 4] = [
        "mcp_server_name",
        "mcp_tool_name",
        "skill_name",
        "subagent_type",
    ];
    let members = strict_json::from_text::<BTreeMap<String, Raw<'_>>>(parameters);
    members
        .is_ok_and(|all| !all.is_empty() && all.keys().all(|name| NAMES.contains(&name.as_str())))
}

/// Returns the tool of an MCP server that Claude Code calls `mcp_tool`.
pub(super) fn tool_of_server(attributes: &Attributes<'_>) -> Option<String> {
    #[derive(Deserialize)]
    struct Names<'a> {
        #[serde(borrow, rename = "mcp_server_name")]
        server: Str<'a>,
        #[serde(borrow, rename = "mcp_tool_name")]
        tool: Str<'a>,
    }
    let parameters = attributes.first(&["tool_parameters"])?;
    let names: Names<'_> = strict_json::from_text(&parameters).ok()?;
    Some(format!(
        "mcp__{}__{}",
        names.server.decode(),
        names.tool.decode()
    ))
}

/// Returns whether a value contains a text that the arguments don't contain, apart from the whole
/// command. It is then unknown which of both was used.
fn says_more(other: &str, given: &str, full: Option<&str>) -> bool {
    let mut known = Texts::default();
    known.values.extend(full.map(|full| full.trim().to_owned()));
    known.add(Raw::trusted(given), DEPTH);
    let mut new = Texts::default();
    new.add(Raw::trusted(other), DEPTH);
    !new.values.iter().all(|text| known.has(text))
}

/// Texts of a value.
#[derive(Debug, Default)]
struct Texts {
    values: BTreeSet<String>,
    names: HashSet<String>,
    /// Numbers, as they are written.
    numbers: HashSet<String>,
}

impl Texts {
    fn add(&mut self, value: Raw<'_>, left: u32) {
        let written = value.as_written();
        let Some(left) = left.checked_sub(1) else {
            self.values.insert(written.to_owned());
            return;
        };
        if let Some(text) = value.read::<Str<'_>>().map(Str::decode) {
            let is_json = text.trim_start().starts_with(['{', '[']);
            match strict_json::from_text::<Raw<'_>>(&text) {
                Ok(inner) if is_json => self.add(inner, left),
                _ if let Some(json) = python::to_json(&text) => {
                    self.add(Raw::trusted(&json), left);
                }
                _ if text.trim().is_empty() => {}
                _ => drop(self.values.insert(text.trim().to_owned())),
            }
        } else if let Some(list) = value.read::<Vec<Raw<'_>>>() {
            for one in list {
                self.add(one, left);
            }
        } else if written.starts_with('{') && !is_schema(value) {
            let members = value.read::<BTreeMap<String, Raw<'_>>>();
            for (name, value) in members.unwrap_or_default() {
                if !ABOUT.contains(&&*name) || !is_about(&name, value, left) {
                    self.add(value, left);
                }
                self.names.insert(name);
            }
        } else {
            self.numbers.insert(written.to_owned());
        }
    }

    /// Returns whether it contains a text, or one whose first word it is, as `ls -l` begins with
    /// `ls`. More words may do more than the whole: `git push` does, `git push --dry-run` doesn't.
    fn has(&self, text: &str) -> bool {
        // Those that begin with it and a blank are next to each other.
        let begins = |blank: &char| {
            let begin = format!("{text}{blank}");
            let next = self.values.range(begin.clone()..).next();
            next.is_some_and(|value| value.starts_with(&begin))
        };
        let has = |all: &HashSet<String>| all.contains(text);
        let is_about = ABOUT.contains(&text) || TYPES.contains(&text);
        is_about
            || self.values.contains(text)
            || [&self.names, &self.numbers].into_iter().any(has)
            || !text.contains(char::is_whitespace) && [' ', '\t', '\n', '\r'].iter().any(begins)
    }
}

/// Returns whether a member about a call says nothing that a tool could execute: its texts are
/// single words, and none has the name of an action. A description may be any text.
fn is_about(name: &str, value: Raw<'_>, left: u32) -> bool {
    let is_word = |text: &str| {
        let of_word = |c: char| c.is_alphanumeric() || "_-.:|@#".contains(c);
        text.trim().chars().all(of_word)
    };
    let Some(left) = left.checked_sub(1) else {
        return false;
    };
    if let Some(text) = value.read::<Str<'_>>().map(Str::decode) {
        name == "description" || is_word(&text)
    } else if let Some(list) = value.read::<Vec<Raw<'_>>>() {
        list.into_iter().all(|one| is_about("", one, left))
    } else if value.as_written().starts_with('{') {
        let members = value.read::<BTreeMap<String, Raw<'_>>>();
        members.is_some_and(|all| {
            let mut all = all.into_iter();
            all.all(|(name, one)| !names_action(&name) && is_about(&name, one, left))
        })
    } else {
        true
    }
}

/// Returns the whole command, which Claude Code records in addition to its first word.
fn full_command(given: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Parameters<'a> {
        #[serde(borrow)]
        full_command: Str<'a>,
    }
    let parameters: Parameters<'_> = strict_json::from_text(given).ok()?;
    Some(parameters.full_command.decode().into_owned())
}

/// Returns the command among the arguments of a call.
fn command_in(given: &str, tool: Option<&agent_tools::Tool>) -> Option<String> {
    let members: BTreeMap<String, Raw<'_>> = strict_json::from_text(given).ok()?;
    let line = tool?.commands().find_map(|name| members.get(name))?;
    Some(line.read::<Str<'_>>()?.decode().into_owned())
}

/// Returns whether a text is another one, or the beginning of another one that Claude Code
/// shortened. It writes a mark behind the beginning, which runs nothing.
fn is_shortened(text: &str, full: &str) -> bool {
    /// Characters that Claude Code keeps of an argument.
    const KEPT: usize = 512;
    let pairs = text.chars().zip(full.chars());
    let same = pairs.take_while(|(a, b)| a == b).count();
    let mark: String = text.chars().skip(same).collect();
    let is_of_mark = |c: char| c.is_ascii_alphanumeric() || " .…,[]".contains(c);
    let is_mark = mark.trim_start().starts_with(['…', '[']) || mark.starts_with("...");
    text == full || same >= KEPT && (mark.is_empty() || is_mark && mark.chars().all(is_of_mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_other_texts_say_more() {
        let given = r#"{"command":"ls -l /w","n":5}"#;
        for (other, expected) in [
            (r#"{"command":"ls -l /w"}"#, false),
            (r#"{"kwargs":{"command":"ls -l /w"},"tags":["x"]}"#, false),
            (r#"{"input":"{\"command\":\"ls -l /w\"}"}"#, false),
            (r#"{"input":"{'command': 'ls -l /w', 'n': 5}"}"#, false),
            (r#"{"bash_command":"ls"}"#, false),
            (r#"{"n":"5","timeout":9}"#, false),
            (r#"{"command":"string"}"#, false),
            (
                r#"{"x":{"type":"object","properties":{"command":{"title":"a"}}}}"#,
                false,
            ),
            ("{}", false),
            (r#"{"full_command":"rm full"}"#, false),
            (
                r#"{"name":"Bash","run_id":"0b-1","description":"Lists it"}"#,
                false,
            ),
            (
                r#"{"metadata":{"ls_provider":"x","n":[1,"a:b"]},"callbacks":null}"#,
                false,
            ),
            (r#"{"name":"rm -r /w"}"#, true),
            (r#"{"tool":{"x":["rm -r /w"]}}"#, true),
            (r#"{"metadata":{"x":"/etc/shadow"}}"#, true),
            (r#"{"metadata":{"command":"reboot"}}"#, true),
            (r#"{"callbacks":"{\"command\":\"rm a\"}"}"#, true),
            (r#"{"tags":["rm a"]}"#, true),
            (r#"{"description":{"command":"rm a"}}"#, true),
            (r#"{"command":"ls"}"#, false),
            (r#"{"command":"ls -l"}"#, true),
            (r#"{"command":"ls -l /w; rm a"}"#, true),
            (r#"{"command":"rm a"}"#, true),
            (r#"{"command":"l"}"#, true),
            (r#"{"command":"/w"}"#, true),
            (r#"{"input":"{'command': 'rm a'}"}"#, true),
            (r#"{"input":"{'command': 'ls -l /w"}"#, true),
            (r#"{"input":["{\"command\":\"rm a\"}"]}"#, true),
        ] {
            assert_eq!(
                says_more(other, given, Some("rm full")),
                expected,
                "{other}"
            );
        }
    }
}
