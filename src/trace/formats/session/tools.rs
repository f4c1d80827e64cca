//! Calls of a session as actions of `ExecutionRecord`.

use shell_effects::agent_tools;
use std::borrow::Cow;
use std::collections::BTreeMap;
use strict_json::{Raw, Str, push_quoted};

/// An action: its type, and its payload as JSON.
pub(super) struct SessionAction {
    pub(super) kind: &'static str,
    pub(super) payload: String,
}

/// Returns whether Codex wraps the output of a tool, so that a tool's text is never the whole
/// output.
pub(super) fn wraps_output(tool: &str) -> bool {
    const OWN: [&str; 9] = [
        "apply_patch",
        "container.exec",
        "exec_command",
        "local_shell",
        "shell",
        "shell_command",
        "unified_exec",
        "update_plan",
        "write_stdin",
    ];
    OWN.contains(&tool)
}

/// Converts a call to an action. `cwd` is the agent's directory if it isn't the root of the work
/// tree.
pub(super) fn asked(
    tool: &str,
    input: &str,
    cwd: Option<&str>,
    diff: Option<&str>,
) -> SessionAction {
    // A diff in the output of a command isn't its effect.
    let runs = |tool: &agent_tools::Tool| tool.command().is_some();
    let diff = diff.filter(|_| !agent_tools::tool(tool).is_some_and(runs));
    if let Some(diff) = diff {
        let mut payload = String::with_capacity(input.len() + diff.len() + 64);
        payload.push_str("{\"diff\":");
        push_quoted(&mut payload, diff);
        payload.push_str(",\"tool\":");
        push_quoted(&mut payload, tool);
        payload.push_str(",\"parameters\":");
        payload.push_str(input);
        payload.push('}');
        return SessionAction {
            kind: "code_diff",
            payload,
        };
    }
    if let Some(payload) = command(tool, input, cwd) {
        return SessionAction {
            kind: "shell_cmd",
            payload,
        };
    }
    let placed = cwd.and_then(|cwd| placed(tool, input, cwd));
    let input = placed.as_deref().unwrap_or(input);
    let mut payload = String::with_capacity(input.len() + tool.len() + 40);
    payload.push_str("{\"tool\":");
    push_quoted(&mut payload, tool);
    payload.push_str(",\"parameters\":");
    payload.push_str(input);
    payload.push('}');
    SessionAction {
        kind: "tool_call",
        payload,
    }
}

/// Returns the arguments of a call that applies a patch, with the agent's directory where the call
/// has none of its own.
fn placed(tool: &str, input: &str, cwd: &str) -> Option<String> {
    let tool = agent_tools::tool(tool)?;
    let input: BTreeMap<String, Raw<'_>> = strict_json::from_text(input).ok()?;
    let is_given = |name| {
        input
            .get(name)
            .is_some_and(|raw| raw.as_written() != "null")
    };
    let patches = tool.patch().is_some() || tool.commands().any(is_given);
    let name = tool.directory().filter(|_| patches)?;
    if tool.directories().any(is_given) {
        return None;
    }
    let mut placed = String::from("{");
    push_quoted(&mut placed, name);
    placed.push(':');
    push_quoted(&mut placed, cwd);
    for (member, value) in input.iter().filter(|(member, _)| *member != name) {
        placed.push(',');
        push_quoted(&mut placed, member);
        placed.push(':');
        placed.push_str(value.as_written());
    }
    placed.push('}');
    Some(placed)
}

/// Returns the payload of a call that executes a command line.
fn command(tool: &str, input: &str, cwd: Option<&str>) -> Option<String> {
    let tool = agent_tools::tool(tool)?;
    let mut input: BTreeMap<String, Raw<'_>> = strict_json::from_text(input).ok()?;
    let given = only(&mut input, tool.commands()).ok()??;
    if given.read().is_some_and(|given| tool.applies(&given)) {
        return None;
    }
    let line = if let Some(line) = given.read::<Str<'_>>() {
        line.decode().into_owned()
    } else {
        let words: Vec<Str<'_>> = given.read()?;
        let words: Vec<Cow<'_, str>> = words.into_iter().map(Str::decode).collect();
        shlex::try_join(words.iter().map(|word| &**word)).ok()?
    };
    let own = only(&mut input, tool.directories()).ok()?;
    // If the directory isn't a string, the place of execution is unknown.
    let own = match own {
        Some(own) => Some(own.read::<Str<'_>>()?.decode()),
        None => cwd.map(Cow::Borrowed),
    };
    // A second command or directory would replace the executed one.
    if input.contains_key("command") || input.contains_key("cwd") {
        return None;
    }
    let mut payload = String::from("{\"command\":");
    push_quoted(&mut payload, &line);
    if let Some(own) = own {
        payload.push_str(",\"cwd\":");
        push_quoted(&mut payload, &own);
    }
    for (name, value) in input {
        payload.push(',');
        push_quoted(&mut payload, &name);
        payload.push(':');
        payload.push_str(value.as_written());
    }
    payload.push('}');
    Some(payload)
}

/// Removes the members with some names. Returns the only one of them that isn't null, or an error
/// if there are several.
fn only<'a, 'n>(
    members: &mut BTreeMap<String, Raw<'a>>,
    names: impl Iterator<Item = &'n str>,
) -> Result<Option<Raw<'a>>, ()> {
    let given = names.filter_map(|name| members.remove(name));
    let mut given = given.filter(|value| value.as_written() != "null");
    let first = given.next();
    match given.next() {
        Some(_) => Err(()),
        None => Ok(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_applied_in_the_directory_of_the_agent() {
        let patch = r"*** Begin Patch\n*** Delete File: a\n*** End Patch\n";
        let line = format!(r#""command":["bash","-lc","apply_patch <<'E'\n{patch}E\n"]"#);
        let input = format!(r#""input":"{patch}""#);
        for (tool, given) in [("shell", &line), ("apply_patch", &input)] {
            for (own, cwd, expected) in [
                ("", None, String::new()),
                ("", Some("/w/b"), r#","workdir":"/w/b""#.to_owned()),
                (
                    r#","workdir":null"#,
                    Some("/w/b"),
                    r#","workdir":"/w/b""#.to_owned(),
                ),
                (
                    r#","workdir":"/c""#,
                    Some("/w/b"),
                    r#","workdir":"/c""#.to_owned(),
                ),
            ] {
                let action = asked(tool, &format!("{{{given}{own}}}"), cwd, None);
                let placed = format!(r#"{{"tool":"{tool}","parameters":{{{given}{expected}}}}}"#);
                assert_eq!(action.kind, "tool_call", "{placed}");
                let payload: serde_json::Value = serde_json::from_str(&action.payload).unwrap();
                let placed: serde_json::Value = serde_json::from_str(&placed).unwrap();
                assert_eq!(payload, placed);
            }
        }
        let after = line.replace("E\\n\"]", "E\\nrm -r b\"]");
        assert_ne!(after, line);
        assert_eq!(
            asked("shell", &format!("{{{after}}}"), None, None).kind,
            "shell_cmd"
        );
        assert_eq!(
            asked("bash", &format!("{{{line}}}"), None, None).kind,
            "shell_cmd"
        );
    }

    #[test]
    fn a_shell_tool_executes_a_command_whatever_its_parameter_is_called() {
        for (tool, input, payload) in [
            ("bash", r#"{"command":"ls"}"#, Some(r#"{"command":"ls"}"#)),
            ("bash", r#"{"cmd":"ls"}"#, Some(r#"{"command":"ls"}"#)),
            (
                "bash",
                r#"{"cmd":"ls","command":null}"#,
                Some(r#"{"command":"ls"}"#),
            ),
            // Either may be executed.
            ("bash", r#"{"cmd":"ls","command":"rm a"}"#, None),
            (
                "shell",
                r#"{"command":["ls","a b"],"workdir":"/r"}"#,
                Some(r#"{"command":"ls 'a b'","cwd":"/r"}"#),
            ),
            (
                "run",
                r#"{"command":"ls","cwd":null,"hidden":false}"#,
                Some(r#"{"command":"ls","hidden":false}"#),
            ),
            ("run", r#"{"command":"ls","cwd":7}"#, None),
        ] {
            let action = asked(tool, input, None, None);
            let expected = payload.map_or("tool_call", |_| "shell_cmd");
            assert_eq!(action.kind, expected, "{tool} {input}");
            if let Some(payload) = payload {
                assert_eq!(action.payload, payload, "{tool} {input}");
            }
        }
    }
}
