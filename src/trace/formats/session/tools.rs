//! Calls of a session as actions of `ExecutionRecord`.

use serde::Deserialize;
use shell_effects::agent_tools;
use shell_effects::command_line::is_harmless;
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
/// tree, `diff` what the call changed, and `elsewhere` a file that it changed without naming it.
pub(super) fn asked(
    tool: &str,
    input: &str,
    cwd: Option<&str>,
    diff: Option<&str>,
    elsewhere: Option<&str>,
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
    let whole = whole(tool, input);
    let input = whole.as_deref().unwrap_or(input);
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
    if let Some(path) = elsewhere {
        payload.push_str(",\"path\":");
        push_quoted(&mut payload, path);
    }
    payload.push('}');
    SessionAction {
        kind: "tool_call",
        payload,
    }
}

/// Returns the arguments of a call that consists of a patch alone, with the name of the tool's
/// parameter.
fn whole(tool: &str, input: &str) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wrapped<'a> {
        #[serde(borrow)]
        arguments: Str<'a>,
    }
    // Most calls have other members, which needn't be read here.
    let named = input.starts_with('{') && input.contains("\"arguments\"");
    if !named && !input.starts_with('"') {
        return None;
    }
    let text = match strict_json::from_text::<Wrapped<'_>>(input) {
        Ok(wrapped) => wrapped.arguments.decode(),
        Err(_) => strict_json::from_text::<Str<'_>>(input).ok()?.decode(),
    };
    let name = agent_tools::tool(tool)?.patch()?;
    Some(format!("{{{}:{}}}", quoted(name), quoted(&text)))
}

/// Returns the arguments of a call with relative paths completed by the agent's directory, and with
/// that directory where the call applies a patch and has none of its own.
fn placed(tool: &str, input: &str, cwd: &str) -> Option<String> {
    let tool = agent_tools::tool(tool)?;
    let members: BTreeMap<String, Raw<'_>> = strict_json::from_text(input).ok()?;
    let mut input: BTreeMap<String, Cow<'_, str>> = members
        .into_iter()
        .map(|(name, raw)| (name, Cow::Borrowed(raw.as_written())))
        .collect();
    let mut is_changed = false;
    for name in tool.located() {
        let Some(value) = input.get_mut(name) else {
            continue;
        };
        if let Some(full) = completed(value, cwd) {
            *value = Cow::Owned(full);
            is_changed = true;
        }
    }
    let is_given = |name| input.get(name).is_some_and(|value| value != "null");
    let patches = tool.patch().is_some() || tool.commands().any(is_given);
    if let Some(name) = tool.directory().filter(|_| patches)
        && !tool.directories().any(is_given)
    {
        input.insert(name.to_owned(), Cow::Owned(quoted(cwd)));
        is_changed = true;
    }
    if !is_changed {
        return None;
    }
    let mut placed = String::new();
    for (member, value) in input {
        placed.push(if placed.is_empty() { '{' } else { ',' });
        push_quoted(&mut placed, &member);
        placed.push(':');
        placed.push_str(&value);
    }
    placed.push('}');
    Some(placed)
}

/// Returns the JSON of a path, or of a list of paths, with the relative ones completed. `None` if
/// none of them is relative.
fn completed(json: &str, cwd: &str) -> Option<String> {
    if let Ok(path) = strict_json::from_text::<Str<'_>>(json) {
        return below(cwd, &path.decode()).map(|path| quoted(&path));
    }
    let paths: Vec<Str<'_>> = strict_json::from_text(json).ok()?;
    let mut is_changed = false;
    let paths: Vec<String> = paths
        .into_iter()
        .map(|path| {
            let path = path.decode();
            let full = below(cwd, &path);
            is_changed |= full.is_some();
            quoted(&full.map_or(path, Cow::Owned))
        })
        .collect();
    is_changed.then(|| format!("[{}]", paths.join(",")))
}

/// Returns a relative path below a directory.
fn below(cwd: &str, path: &str) -> Option<String> {
    let absolute = path.starts_with(['/', '\\', '~', '$', '%']) || path.contains(':');
    (!absolute && !path.is_empty()).then(|| format!("{cwd}/{path}"))
}

fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    push_quoted(&mut json, text);
    json
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
        Some(own) => {
            let own = own.read::<Str<'_>>()?.decode();
            let full = cwd.and_then(|cwd| below(cwd, &own));
            Some(full.map_or(own, Cow::Owned))
        }
        None => cwd.map(Cow::Borrowed),
    };
    // A second command or directory would replace the executed one.
    if input.contains_key("command") || input.contains_key("cwd") {
        return None;
    }
    // What the tool doesn't execute by. The names that all tools have in common stay.
    input.retain(|name, value| {
        value
            .read()
            .is_none_or(|value| is_harmless(name, &value) || !tool.ignores(name, &value))
    });
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
                let action = asked(tool, &format!("{{{given}{own}}}"), cwd, None, None);
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
            asked("shell", &format!("{{{after}}}"), None, None, None).kind,
            "shell_cmd"
        );
        assert_eq!(
            asked("bash", &format!("{{{line}}}"), None, None, None).kind,
            "shell_cmd"
        );
    }

    #[test]
    fn relative_paths_are_relative_to_the_directory_of_the_agent() {
        for (tool, input, placed) in [
            (
                "create",
                r#"{"filename":"x.py"}"#,
                r#"{"filename":"/o/x.py"}"#,
            ),
            ("read_file", r#"{"path":"/a"}"#, r#"{"path":"/a"}"#),
            ("read_file", r#"{"path":"~/a"}"#, r#"{"path":"~/a"}"#),
            (
                "read_many_files",
                r#"{"paths":["src/*.rs","/b"]}"#,
                r#"{"paths":["/o/src/*.rs","/b"]}"#,
            ),
            (
                "apply_patch",
                r#""*** Begin Patch""#,
                r#"{"input":"*** Begin Patch","workdir":"/o"}"#,
            ),
            (
                "apply_patch",
                r#"{"arguments":"*** Begin Patch"}"#,
                r#"{"input":"*** Begin Patch","workdir":"/o"}"#,
            ),
        ] {
            let action = asked(tool, input, Some("/o"), None, None);
            let expected = format!(r#"{{"tool":"{tool}","parameters":{placed}}}"#);
            assert_eq!(action.payload, expected);
        }
        let action = asked(
            "shell",
            r#"{"command":"ls","workdir":"s"}"#,
            Some("/o"),
            None,
            None,
        );
        assert_eq!(action.payload, r#"{"command":"ls","cwd":"/o/s"}"#);
    }

    #[test]
    fn a_command_is_rated_without_what_changes_nothing_about_it() {
        for (tool, more, kept) in [
            ("bash", r#""mode":"sync","shellId":"a","detach":false"#, ""),
            ("Bash", r#""dangerouslyDisableSandbox":false"#, ""),
            (
                "Bash",
                r#""dangerouslyDisableSandbox":true"#,
                r#","dangerouslyDisableSandbox":true"#,
            ),
            ("shell", r#""sandbox_permissions":"use_default""#, ""),
            ("shell", r#""prefix_rule":["git","log"]"#, ""),
            (
                "shell",
                r#""sandbox_permissions":"require_escalated""#,
                r#","sandbox_permissions":"require_escalated""#,
            ),
            ("bash", r#""mode":["rm","a"]"#, ""),
            ("bash", r#""stdin":"rm a""#, r#","stdin":"rm a""#),
            ("bash", r#""description":"x""#, r#","description":"x""#),
            ("run_shell_command", r#""wait_for_previous":true"#, ""),
            (
                "run_in_terminal",
                r#""explanation":"x","goal":"y","isBackground":false"#,
                r#","explanation":"x""#,
            ),
        ] {
            let action = asked(
                tool,
                &format!(r#"{{"command":"ls",{more}}}"#),
                None,
                None,
                None,
            );
            assert_eq!(action.kind, "shell_cmd", "{tool} {more}");
            assert_eq!(action.payload, format!(r#"{{"command":"ls"{kept}}}"#));
        }
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
            let action = asked(tool, input, None, None, None);
            let expected = payload.map_or("tool_call", |_| "shell_cmd");
            assert_eq!(action.kind, expected, "{tool} {input}");
            if let Some(payload) = payload {
                assert_eq!(action.payload, payload, "{tool} {input}");
            }
        }
    }
}
