//! What a call of a session asks for, as an action of `ExecutionRecord`.

use super::write;
use serde_json::{Map, Value, json};
use shell_effects::vocabulary;

/// An action: its type and its payload as JSON.
pub(super) struct Asked {
    pub(super) kind: &'static str,
    pub(super) payload: String,
}

/// Whether Codex wraps the output of a tool, so that what it prints never is the whole text.
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

/// What a call asks for. `cwd`: where the agent stands, where that isn't the root of its work
/// tree.
pub(super) fn asked(tool: &str, input: &str, cwd: Option<&str>, diff: Option<&str>) -> Asked {
    // What a command printed of a diff isn't what it did.
    let runs = |tool: &vocabulary::Tool| tool.command().is_some();
    let diff = diff.filter(|_| !vocabulary::tool(tool).is_some_and(runs));
    if let Some(diff) = diff {
        let mut payload = String::with_capacity(input.len() + diff.len() + 64);
        payload.push_str("{\"diff\":");
        write::string(&mut payload, diff);
        payload.push_str(",\"tool\":");
        write::string(&mut payload, tool);
        payload.push_str(",\"parameters\":");
        payload.push_str(input);
        payload.push('}');
        return Asked {
            kind: "code_diff",
            payload,
        };
    }
    if let Some(payload) = command(tool, input, cwd) {
        return Asked {
            kind: "shell_cmd",
            payload,
        };
    }
    let mut payload = String::with_capacity(input.len() + tool.len() + 40);
    payload.push_str("{\"tool\":");
    write::string(&mut payload, tool);
    payload.push_str(",\"parameters\":");
    payload.push_str(input);
    payload.push('}');
    Asked {
        kind: "tool_call",
        payload,
    }
}

/// The payload of a call that runs a command line.
fn command(tool: &str, input: &str, cwd: Option<&str>) -> Option<String> {
    let tool = vocabulary::tool(tool)?;
    let mut input: Map<String, Value> = serde_json::from_str(input).ok()?;
    let line = match input.remove(tool.command()?)? {
        Value::String(line) => line,
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            shlex::try_join(words?).ok()?
        }
        _ => return None,
    };
    let mut payload = Map::new();
    payload.insert("command".to_owned(), json!(line));
    let own = tool.directory().and_then(|folder| input.remove(folder));
    match own.as_ref().map(Value::as_str) {
        Some(Some(own)) => payload.insert("cwd".to_owned(), json!(own)),
        None => cwd.and_then(|cwd| payload.insert("cwd".to_owned(), json!(cwd))),
        // A folder that is no text: nobody knows where it runs.
        Some(None) => return None,
    };
    // A second command or folder would take the place of the one that runs.
    if input.contains_key("command") || input.contains_key("cwd") {
        return None;
    }
    payload.extend(input);
    serde_json::to_string(&payload).ok()
}
