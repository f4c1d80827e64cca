//! Calls in the text of a message, as markup.
//!
//! Older Cline and Roo have no other calls: the model writes a tag for each, and the results come
//! back as text. In formats with structured calls, markup in the agent's text is a call that was
//! never made.

use super::{Call, CallStatus, input_text};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Tags that are calls.
const TOOLS: &[&str] = &[
    "access_mcp_resource",
    "act_mode_respond",
    "append_to_file",
    "apply_diff",
    "apply_patch",
    "ask_followup_question",
    "attempt_completion",
    "browser_action",
    "codebase_search",
    "condense",
    "edit_file",
    "execute_command",
    "fetch_instructions",
    "generate_image",
    "insert_content",
    "list_code_definition_names",
    "list_files",
    "load_mcp_documentation",
    "new_rule",
    "new_task",
    "plan_mode_respond",
    "read_file",
    "replace_in_file",
    "report_bug",
    "run_slash_command",
    "search_and_replace",
    "search_files",
    "summarize_task",
    "switch_mode",
    "update_todo_list",
    "use_mcp_tool",
    "use_skill",
    "web_fetch",
    "web_search",
    "write_to_file",
];

/// Tags inside a call that are its parameters.
const PARAMETERS: &[&str] = &[
    "action",
    "args",
    "arguments",
    "command",
    "content",
    "context",
    "coordinate",
    "cwd",
    "diff",
    "end_line",
    "file_path",
    "file_pattern",
    "follow_up",
    "ignore_case",
    "input",
    "line",
    "line_count",
    "message",
    "mode",
    "mode_slug",
    "needs_more_exploration",
    "new_string",
    "old_string",
    "operations",
    "options",
    "patch",
    "path",
    "prompt",
    "query",
    "question",
    "reason",
    "recursive",
    "regex",
    "replace",
    "requires_approval",
    "response",
    "result",
    "search",
    "server_name",
    "size",
    "skill_name",
    "start_line",
    "task",
    "task_progress",
    "text",
    "timeout",
    "todos",
    "tool_name",
    "uri",
    "url",
    "use_regex",
];

/// Maximum bytes of a name of a tool or a parameter.
const NAME: usize = 40;

/// Parses one of these tags at the beginning of a text. Returns its name and the rest.
fn tag<'t>(text: &'t str, names: &[&'static str]) -> Option<(&'static str, &'t str)> {
    let inner = text.strip_prefix('<')?;
    let end = memchr::memchr(b'>', inner.as_bytes().get(..NAME.min(inner.len()))?)?;
    let (name, rest) = inner.split_at_checked(end)?;
    let name = names.iter().find(|known| **known == name)?;
    Some((*name, rest.strip_prefix('>')?))
}

/// Beginning of a call with the tool as an attribute, which some versions of Cline accept.
const INVOKE: &str = "<invoke name=\"";
const PARAMETER: &str = "<parameter name=\"";

/// Parses a tag with a name at the beginning of a text. Returns the name and the rest.
fn named_tag<'t>(text: &'t str, begin: &str) -> Option<(&'t str, &'t str)> {
    let (name, rest) = text.strip_prefix(begin)?.split_once('"')?;
    let rest = rest.trim_start().strip_prefix('>')?;
    (name.len() < NAME && !name.contains(['<', '\n'])).then_some((name, rest))
}

/// Parses the parameters of such a call. Returns them and the text after the call.
fn named_parameters(body: &str) -> (Map<String, Value>, &str) {
    let mut all = Map::new();
    let mut rest = body;
    while let Some((_, at)) = split_at_tag(rest) {
        if let Some(after) = at.strip_prefix("</invoke>") {
            return (all, after);
        }
        let Some((name, inside)) = named_tag(at, PARAMETER) else {
            rest = at.get(1..).unwrap_or_default();
            continue;
        };
        let (value, after) = inside.split_once("</parameter>").unwrap_or((inside, ""));
        all.insert(name.to_owned(), json!(value.trim_matches('\n')));
        rest = after;
    }
    (all, "")
}

/// Splits a text before its first `<`.
fn split_at_tag(text: &str) -> Option<(&str, &str)> {
    text.split_at_checked(memchr::memchr(b'<', text.as_bytes())?)
}

/// Returns the text before the first call, and the calls in a text of the agent. Reads it as Cline
/// does: fences are ignored, the value of a parameter contains no calls, and a call needs no end
/// tag.
pub(super) fn calls(text: &str) -> (&str, Vec<Call<'static>>) {
    let mut calls = Vec::new();
    let mut said = text;
    let mut rest = text;
    while let Some((_, at)) = split_at_tag(rest) {
        let (call, after) = if let Some((tool, body)) = tag(at, TOOLS) {
            let (parameters, after) = parameters(tool, body);
            (call(tool, parameters), after)
        } else if let Some((tool, body)) = named_tag(at, INVOKE) {
            let (parameters, after) = named_parameters(body);
            (call(tool, parameters), after)
        } else {
            rest = at.get(1..).unwrap_or_default();
            continue;
        };
        if calls.is_empty() {
            let before = text.len().saturating_sub(at.len());
            said = text.get(..before).unwrap_or_default();
        }
        calls.push(call);
        rest = after;
    }
    (said.trim(), calls)
}

/// Parses the parameters of a call. Returns them and the text after the call.
fn parameters<'t>(tool: &str, body: &'t str) -> (Map<String, Value>, &'t str) {
    let end = format!("</{tool}>");
    let mut all = Map::new();
    // The content of a file may contain its own end tag; the last one applies.
    let is_file = matches!(tool, "write_to_file" | "new_rule");
    let mut file: Option<&str> = None;
    let mut file_end = None;
    let mut rest = body;
    let after = loop {
        let Some((_, at)) = split_at_tag(rest) else {
            break "";
        };
        if let Some(after) = at.strip_prefix(&end) {
            break after;
        }
        if let Some(content) = file.filter(|_| is_file)
            && at.starts_with("</content>")
        {
            file_end = Some(content.len().saturating_sub(at.len()));
        }
        let Some((name, inside)) = tag(at, PARAMETERS) else {
            rest = at.get(1..).unwrap_or_default();
            continue;
        };
        let close = format!("</{name}>");
        let (value, after) = inside.split_once(&close).unwrap_or((inside, ""));
        if name == "content" {
            file = file.or(Some(inside));
            file_end = None;
        }
        let value = match name {
            "content" | "diff" | "search" | "replace" => value.trim_matches('\n'),
            _ => value.trim(),
        };
        all.insert(name.to_owned(), json!(value));
        rest = after;
    };
    if let Some(content) = file.zip(file_end).and_then(|(file, end)| file.get(..end)) {
        all.insert("content".to_owned(), json!(content.trim_matches('\n')));
    }
    (all, after)
}

fn call(tool: &str, mut given: Map<String, Value>) -> Call<'static> {
    let take = |given: &mut Map<String, Value>, name: &str| match given.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let mut tool = tool.to_owned();
    if tool == "use_mcp_tool"
        && let Some(name) = take(&mut given, "tool_name")
    {
        let server = take(&mut given, "server_name").unwrap_or_default();
        tool = format!("mcp__{server}__{name}");
        let arguments = take(&mut given, "arguments").unwrap_or_else(|| "{}".to_owned());
        return Call {
            id: None,
            tool: tool.into(),
            input: input_text(arguments.into(), "arguments"),
        };
    }
    // Roo names several files in one parameter.
    if let Some(list) = take(&mut given, "args") {
        let paths = list.split("<path>").skip(1);
        let paths = paths.filter_map(|path| Some(path.split_once("</path>")?.0.trim()));
        let files: Vec<Value> = paths.map(|path| json!({ "path": path })).collect();
        if tool != "read_file" || files.is_empty() {
            given.insert("args".to_owned(), json!(list));
        }
        if !files.is_empty() {
            given.insert("files".to_owned(), files.into());
        }
    }
    Call {
        id: None,
        tool: tool.into(),
        input: Value::Object(given).to_string().into(),
    }
}

/// Texts by which Cline reports the end of a call. Any tool can print them.
const DENIED: &str = "The user denied this operation";
const FAILED: &str = "The tool execution failed with the following error";
/// The same texts for structured calls: Roo writes such results as JSON.
/// Roo's message of a failed structured call.
const FAILED_AS_JSON: &str = "The tool execution failed";

/// A structured result of Roo.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RooResult {
    status: String,
    message: String,
}

/// Determines how a call ended from the text of its result.
pub(super) fn how(output: &str) -> CallStatus {
    if output.starts_with(DENIED) {
        CallStatus::RejectedByText
    } else if output.starts_with(FAILED) {
        CallStatus::Error
    } else {
        CallStatus::Ok
    }
}

/// Like [`how`], for structured calls; `None` if the text doesn't say.
pub(super) fn structured(output: &str) -> Option<CallStatus> {
    if is_skipped(output) {
        return Some(CallStatus::RejectedByText);
    }
    if output.starts_with('{') {
        let result = serde_json::from_str::<RooResult>(output).unwrap_or_default();
        let says = |message| result.message.starts_with(message);
        return match result.status.as_str() {
            "denied" if says(DENIED) => Some(CallStatus::RejectedByText),
            "error" if says(FAILED_AS_JSON) => Some(CallStatus::Error),
            _ => None,
        };
    }
    // Cline writes the call before the result here too.
    let result = match note(output) {
        Some(Note::Result(result)) => result,
        _ => output,
    };
    Some(how(result)).filter(|how| *how != CallStatus::Ok)
}

/// Returns whether a call was skipped because another one was rejected or came first.
fn is_skipped(text: &str) -> bool {
    text.starts_with("Skipping tool [") && text.contains("] due to user rejecting")
        || text.starts_with("Tool [") && text.contains("] was ") && text.contains("not executed")
}

/// A text in a message of the user that Cline's program wrote.
pub(super) enum Note<'t> {
    /// Data about the editor.
    Environment,
    /// The beginning of a call's result.
    Result(&'t str),
    /// A call was skipped because another one was rejected or came first.
    Skipped,
}

/// Recognises a text of Cline's program; `None` for any other text.
pub(super) fn note(text: &str) -> Option<Note<'_>> {
    let text = text.trim_start();
    if text.starts_with("<environment_details>") {
        return Some(Note::Environment);
    }
    if is_skipped(text) {
        return Some(Note::Skipped);
    }
    let inner = text.strip_prefix('[')?;
    let end = inner.find(|c: char| c != '_' && !c.is_ascii_lowercase())?;
    let (name, rest) = inner.split_at_checked(end)?;
    if !TOOLS.contains(&name) || !rest.starts_with([']', ' ']) {
        return None;
    }
    let (_, output) = rest.split_once("] Result:")?;
    Some(Note::Result(output.trim_start_matches([' ', '\n'])))
}

/// Returns Cline's working directory from its data about the editor, which follow the task or are a
/// text of their own.
pub(super) fn work_tree(text: &str) -> Option<&str> {
    const DETAILS: &str = "<environment_details>";
    let text = text.trim_start();
    let details = match text.strip_prefix(DETAILS) {
        None if text.starts_with("<task>") => text.rsplit_once(DETAILS)?.1,
        details => details?,
    };
    let path = details.lines().find_map(|line| {
        let path = line
            .strip_prefix("# Current Working Directory (")
            .or_else(|| line.strip_prefix("# Current Workspace Directory ("))?;
        path.strip_suffix(") Files")
            .or_else(|| path.strip_suffix(')'))
    })?;
    path.starts_with('/').then_some(path)
}

/// Returns whether a text of the system or the user shows that calls are written into texts.
pub(super) fn is_sign(text: &str) -> bool {
    text.contains("formatted using XML-style tags")
        || text.starts_with('<') && text.contains("\n<environment_details>")
}

/// Maximum bytes after a token in which a call is searched, and of inline code.
const WINDOW: usize = 400;

/// Returns the tool of the first call in a text as markup, outside of code; an empty name if the
/// markup contains none.
pub(super) fn claimed(text: &str) -> Option<&str> {
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let mark = line.trim_start();
        let ticks = mark.len() - mark.trim_start_matches(['`', '~']).len();
        let mark = mark.get(..ticks).filter(|mark| mark.len() >= 3);
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if mark.starts_with(open) => fence = None,
            _ => {}
        }
        if fence.is_some() || mark.is_some() {
            continue;
        }
        if let Some(name) = claimed_in(line, text.get(start..).unwrap_or_default()) {
            return Some(name);
        }
    }
    None
}

/// Like [`claimed`], for a line and the text that begins with it.
fn claimed_in<'t>(line: &str, text: &'t str) -> Option<&'t str> {
    let mut at = 0;
    while let Some(next) = memchr::memchr3(b'<', b'[', b'`', line.as_bytes().get(at..)?) {
        at += next;
        let here = text.get(at..)?;
        if let Some(code) = here.strip_prefix('`') {
            let ticks = 1 + code.len() - code.trim_start_matches('`').len();
            at += ticks + code_length(line.get(at + ticks..)?, ticks);
            continue;
        }
        if let Some(name) = markup(here) {
            return Some(name);
        }
        at += 1;
    }
    None
}

/// Returns the bytes of inline code up to and including its closing ticks; 0 if it isn't closed.
fn code_length(line: &str, ticks: usize) -> usize {
    let end = "`".repeat(ticks.min(WINDOW));
    let near = line
        .as_bytes()
        .get(..WINDOW.min(line.len()))
        .unwrap_or_default();
    memchr::memmem::find(near, end.as_bytes()).map_or(0, |length| length + ticks)
}

/// Tokens with which models begin a call, and which nobody writes otherwise.
const TOKENS: [&str; 7] = [
    "<|tool_call|>",
    "<|tool_call_begin|>",
    "<|tool_calls_begin|>",
    "<|tool_calls_section_begin|>",
    "<|python_tag|>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁calls▁begin｜>",
];

/// Returns the tool that the markup at the beginning of a text calls.
fn markup(text: &str) -> Option<&str> {
    let mut end = WINDOW.min(text.len());
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    let text = text.get(..end)?;
    for begin in ["<tool_call>", "<function_call>", "[TOOL_CALLS]"] {
        let body = text.strip_prefix(begin).map(str::trim_start);
        if let Some(name) = body.filter(|b| b.starts_with(['{', '['])).and_then(named) {
            return Some(name);
        }
    }
    if TOKENS.iter().any(|token| text.starts_with(token)) {
        return Some(named(text).unwrap_or_default());
    }
    let inner = text.strip_prefix('<')?;
    if let Some(name) = inner.strip_prefix("function=") {
        return Some(name.split_once('>')?.0);
    }
    // The tag may have a namespace.
    let is_space = |space: &str| space.bytes().all(|b| b.is_ascii_lowercase());
    let local = inner.split_once(':').filter(|(space, _)| is_space(space));
    let local = local.map_or(inner, |(_, local)| local);
    if let Some(name) = local.strip_prefix("invoke name=\"") {
        return Some(name.split_once('"')?.0);
    }
    let (tool, body) = tag(text, TOOLS)?;
    tag(body.trim_start(), PARAMETERS)?;
    Some(tool)
}

/// Returns the first `name` of an object in a text.
fn named(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("\"name\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    Some(rest.strip_prefix('"')?.split_once('"')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::{Duration, Instant};

    fn written(text: &str) -> Vec<String> {
        let calls = calls(text).1.into_iter();
        calls.map(|c| format!("{} {}", c.tool, c.input)).collect()
    }

    #[test]
    fn a_tag_is_a_call_and_what_it_holds_is_none() {
        let cases: [(&str, &[&str]); 11] = [
            (
                "<function_calls><invoke name=\"Bash\"><parameter name=\"command\">\nls <b>\n\
                 </parameter></invoke><invoke name=\"f\"></invoke>",
                &[r#"Bash {"command":"ls <b>"}"#, "f {}"],
            ),
            ("<invoke name=\"a\nb\"> <invoke name=x> <invoke", &[]),
            (
                "Run.\n<execute_command>\n<command>npm test</command>\n\
                 <requires_approval>false</requires_approval>\n</execute_command>",
                &[r#"execute_command {"command":"npm test","requires_approval":"false"}"#],
            ),
            (
                "<write_to_file><path>a.md</path><content>\n\
                 <execute_command><command>rm b</command></execute_command>\n\
                 </content></write_to_file>",
                &[concat!(
                    r#"write_to_file {"content":"<execute_command><command>rm b</command>"#,
                    r#"</execute_command>","path":"a.md"}"#,
                )],
            ),
            (
                "<write_to_file><path>a</path><content>x</content>y</content></write_to_file>",
                &[r#"write_to_file {"content":"x</content>y","path":"a"}"#],
            ),
            (
                "```\n<read_file><path>a</path></read_file>\n```",
                &[r#"read_file {"path":"a"}"#],
            ),
            (
                "<read_file><args><file><path>a</path></file>\
                 <file><path>/etc/b</path></file></args></read_file>",
                &[r#"read_file {"files":[{"path":"a"},{"path":"/etc/b"}]}"#],
            ),
            (
                "<use_mcp_tool><server_name>s</server_name><tool_name>t</tool_name>\
                 <arguments>{\"a\":1}</arguments></use_mcp_tool>\
                 <list_files><path>.</path></list_files>",
                &[r#"mcp__s__t {"a":1}"#, r#"list_files {"path":"."}"#],
            ),
            (
                "<execute_command><command>rm -r b",
                &[r#"execute_command {"command":"rm -r b"}"#],
            ),
            (
                "<read_file><path>a</path><path>b</path></read_file>",
                &[r#"read_file {"path":"b"}"#],
            ),
            ("I would use <execute> or </execute_command> here.", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(written(text), expected, "{text}");
        }
        assert_eq!(calls("Now.\n\n<list_files></list_files>").0, "Now.");
    }

    #[test]
    fn a_note_of_the_program_is_known_by_its_beginning() {
        let result = |text| match note(text) {
            Some(Note::Result(output)) => Some(output.to_owned()),
            _ => None,
        };
        assert_eq!(
            result("[execute_command for 'a\nb'] Result:\n\nc").as_deref(),
            Some("c")
        );
        assert_eq!(result("[attempt_completion] Result:").as_deref(), Some(""));
        for other in [
            "[x for 'a'] Result:",
            "[read_files] Result:",
            "[read_file for",
            "read",
        ] {
            assert!(note(other).is_none(), "{other}");
        }
    }

    #[test]
    fn the_work_tree_is_what_the_program_says() {
        let details =
            "<environment_details>\n# VSCode\n# Current Working Directory (/w) Files\na\n";
        let task = format!("<task>\n# Current Working Directory (/x)\n</task>\n{details}");
        for (text, expected) in [
            (details, Some("/w")),
            (&task, Some("/w")),
            (
                &details
                    .replace("Working", "Workspace")
                    .replace(" Files", ""),
                Some("/w"),
            ),
            (&details.replace("/w", "c:/w"), None),
            (&format!("[read_file for 'a'] Result: {details}"), None),
            ("<environment_details>", None),
            ("<task>", None),
        ] {
            assert_eq!(work_tree(text), expected, "{text}");
        }
    }

    #[test]
    fn markup_in_a_text_is_a_claim_and_code_is_none() {
        for (text, expected) in [
            (
                "Done. <tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>",
                Some("f"),
            ),
            ("<tool_call>\n<function=g>\n</function>", Some("g")),
            ("<function_calls>\n<invoke name=\"h\">", Some("h")),
            ("<x:function_calls><x:invoke name=\"h\">", Some("h")),
            ("[TOOL_CALLS] [{\"name\": \"i\"}]", Some("i")),
            ("x<|tool_call|>", Some("")),
            (
                "<execute_command>\n<command>ls</command>",
                Some("execute_command"),
            ),
            ("`<` <tool_call>{\"name\":\"f\"}", Some("f")),
            ("```\na\n```\n<tool_call>{\"name\":\"f\"}", Some("f")),
            (
                "Write `<tool_call>{\"name\":\"f\"}</tool_call>` for that.",
                None,
            ),
            ("Like so:\n```xml\n<tool_call>{\"name\":\"f\"}\n```\n", None),
            ("~~~~\n~~~\n<invoke name=\"h\">\n~~~~", None),
            (
                "The tag <tool_call> holds JSON, <execute_command> a command.",
                None,
            ),
            ("I called f({}).", None),
            ("a < b [x] <b> <T: invoke>", None),
        ] {
            assert_eq!(claimed(text), expected, "{text}");
        }
    }

    #[test]
    fn long_texts_are_read_in_one_pass() {
        for part in [
            "<read_file>",
            "<path>",
            "<write_to_file><content>",
            "</content>",
            "<",
            "`",
            "``` ",
            "<tool_call>{",
            "[TOOL_CALLS][",
            "[",
            "\n",
            "\n```",
            "<a:",
            "<path></path>",
            "<invoke name=\"",
            "<invoke name=\"x\"><parameter name=\"",
        ] {
            let text = part.repeat((1 << 17) / part.len());
            let start = Instant::now();
            let _ = (calls(&text), claimed(&text), note(&text), is_sign(&text));
            assert!(start.elapsed() < Duration::from_secs(10), "{part}");
        }
        let ends = "</content>".repeat(1 << 18);
        let text = format!("<write_to_file><content>{ends}");
        let start = Instant::now();
        assert_eq!(calls(&text).1.len(), 1);
        assert!(start.elapsed() < Duration::from_secs(10), "ends of a file");
    }

    proptest! {
        #[test]
        fn any_text_is_read(parts in prop::collection::vec(
            prop::sample::select(vec![
                "<write_to_file>", "</write_to_file>", "<content>", "</content>", "<path>", "</path>",
                "<args>", "</args>", "é", "｜", "`", "```", "\n", "<tool_call>", "{\"name\":", "\"x\"",
                "<invoke name=\"", "[read_file for '", "] Result:", "<|tool_call|>", "<", "[",
            ]), 0..40)
        ) {
            let text = parts.concat();
            let _ = (calls(&text), claimed(&text), note(&text), is_sign(&text));
        }
    }

    #[test]
    fn structured_results_of_roo_and_cline_say_what_became_of_calls() {
        let cases = [
            (
                r#"{"status":"denied","message":"The user denied this operation."}"#,
                Some(CallStatus::RejectedByText),
            ),
            (
                "The user denied this operation.",
                Some(CallStatus::RejectedByText),
            ),
            (
                "Skipping tool [a] due to user rejecting a previous tool.",
                Some(CallStatus::RejectedByText),
            ),
            (
                r#"{"status":"error","message":"The tool execution failed","error":"x"}"#,
                Some(CallStatus::Error),
            ),
            (
                r#"{"status": "denied", "feedback": "no", "message": "The user denied this operation and provided the following feedback"}"#,
                Some(CallStatus::RejectedByText),
            ),
            (r#"{"status":"denied","message":"x"}"#, None),
            ("{", None),
            ("fine", None),
        ];
        for (text, how) in cases {
            assert_eq!(structured(text), how, "{text}");
        }
    }
}
