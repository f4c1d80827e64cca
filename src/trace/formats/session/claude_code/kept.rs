//! What the program keeps of a result, apart from the block for the model.
//!
//! It keeps what a tool returned only if the tool was executed; otherwise it keeps a text.

use super::{HOOKS, after_error, begins_like, says_rejected};
use crate::trace::formats::session::{Lenient, LenientStr, given, text};
use governance::DecidedBy;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use strict_json::{Raw, Str, from_text};

/// The text by which the program marks that a person rejected a call.
const REJECTED: &str = "User rejected tool use";

/// Beginnings of texts that old versions kept of a file that was written, and the text that follows
/// on the line.
const WRITTEN: [(&str, &str); 2] = [
    ("File created successfully at: ", ""),
    ("The file ", " has been updated"),
];

/// Returns the text that the program kept. Of two, the one that marks a rejection.
pub(super) fn note<'a>(beside: [Option<Raw<'a>>; 2]) -> Option<Cow<'a, str>> {
    let notes = beside.into_iter().flatten();
    let notes = notes.filter_map(|raw| Some(raw.read::<Str<'a>>()?.decode()));
    notes.max_by_key(|note| note == REJECTED)
}

/// Returns who rejected the call, if the program marked that.
pub(super) fn rejected(beside: [Option<Raw<'_>>; 2]) -> Option<DecidedBy> {
    note(beside)
        .filter(|note| note == REJECTED)
        .map(|_| DecidedBy::Human)
}

/// Returns whether a part of a result shows that the call was executed.
pub(super) fn shows_execution(kept: Raw<'_>) -> bool {
    let Some(text) = kept.read::<Str<'_>>().map(Str::decode) else {
        return is_returned(kept);
    };
    // Some versions keep what a tool returned as a text.
    let inner = text.trim_start().starts_with(['{', '[']);
    inner && from_text::<Raw<'_>>(&text).is_ok_and(is_returned) || begins_like(&text, &WRITTEN)
}

/// Returns whether a value is what a tool returned.
fn is_returned(value: Raw<'_>) -> bool {
    if value.as_written().starts_with('[') {
        return is_message(value);
    }
    let object = value.read::<Returned<'_>>();
    object.is_some_and(|object| object.shows_execution())
}

/// Returns whether a value is a list of blocks, as the tool of a server returns them. A list with
/// nothing but texts about a rejection is none.
fn is_message(list: Raw<'_>) -> bool {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Block<'a> {
        #[serde(borrow, rename = "type")]
        kind: LenientStr<'a>,
        #[serde(borrow)]
        text: LenientStr<'a>,
    }
    let blocks = list.read::<Vec<Raw<'_>>>().unwrap_or_default();
    let objects = blocks.iter().filter(|b| b.as_written().starts_with('{'));
    let mut objects = objects.filter_map(|raw| raw.read::<Block<'_>>());
    objects.any(|block| {
        let said = text(block.text);
        block.kind.0.is_some() && !said.is_some_and(|said| tells_of_denial(&said))
    })
}

/// Returns whether a text tells of a rejection, in the program's words or in another's, or says
/// nothing. It shows no execution, though it is too vague for a rejection.
fn tells_of_denial(text: &str) -> bool {
    const BEGINNINGS: [&str; 6] = [
        "[request interrupted by user",
        "user denied ",
        "user rejected ",
        "the user denied ",
        "the user rejected ",
        "tool use rejected",
    ];
    let text = after_error(text.trim());
    let lower = text.to_lowercase();
    text.is_empty()
        || says_rejected(text).is_some()
        || begins_like(text, &HOOKS)
        || BEGINNINGS.iter().any(|begin| lower.starts_with(begin))
}

/// Members of what the tools return.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Returned<'a> {
    stdout: Option<IgnoredAny>,
    stderr: Option<IgnoredAny>,
    structured_patch: Option<IgnoredAny>,
    file: Option<IgnoredAny>,
    filenames: Option<IgnoredAny>,
    num_files: Option<IgnoredAny>,
    bytes: Option<IgnoredAny>,
    results: Option<IgnoredAny>,
    shell_id: Option<IgnoredAny>,
    #[serde(rename = "shell_id")]
    ended_shell: Option<IgnoredAny>,
    total_tool_use_count: Option<IgnoredAny>,
    new_todos: Option<IgnoredAny>,
    original_file: Option<IgnoredAny>,
    original_file_contents: Option<IgnoredAny>,
    #[serde(rename = "updated_file")]
    updated_file: Option<IgnoredAny>,
    /// `Write` returned no hunks at first.
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    #[serde(borrow)]
    file_path: LenientStr<'a>,
    #[serde(borrow)]
    content: Option<Raw<'a>>,
    #[serde(borrow)]
    structured_content: Option<Raw<'a>>,
    success: Lenient<bool>,
    command_name: Option<IgnoredAny>,
    /// A sub-agent that was started.
    agent_id: Option<IgnoredAny>,
    worktree_path: Option<IgnoredAny>,
    #[serde(rename = "retrieval_status")]
    retrieved: Option<IgnoredAny>,
    #[serde(rename = "new_source")]
    new_source: Option<IgnoredAny>,
    #[serde(borrow)]
    error: Option<Raw<'a>>,
    output: Option<IgnoredAny>,
    #[serde(rename = "exit_code")]
    exited: Option<IgnoredAny>,
    exit_code: Option<IgnoredAny>,
    code: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
}

impl Returned<'_> {
    fn shows_execution(&self) -> bool {
        let any = [
            &self.stdout,
            &self.stderr,
            &self.structured_patch,
            &self.file,
            &self.filenames,
            &self.num_files,
            &self.bytes,
            &self.results,
            &self.shell_id,
            &self.ended_shell,
            &self.total_tool_use_count,
            &self.new_todos,
            &self.original_file,
            &self.original_file_contents,
            &self.updated_file,
            &self.agent_id,
            &self.worktree_path,
            &self.retrieved,
        ];
        // A notebook's cell is returned with an error if it wasn't written.
        let failed = self
            .error
            .is_some_and(|raw| !given::is_blank(raw.as_written()));
        let exited = self.exited.is_some() || self.exit_code.is_some();
        let blocks = self.content.filter(|raw| raw.as_written().starts_with('['));
        let structured = self.structured_content;
        let kind = text(self.kind).unwrap_or_default();
        any.iter().any(|member| member.is_some())
            || self.file_path.0.is_some() && matches!(&*kind, "create" | "update")
            || blocks.is_some_and(is_message)
            || structured.is_some_and(|raw| !given::is_blank(raw.as_written()))
            || self.success.0 == Some(true) && self.command_name.is_some()
            || self.new_source.is_some() && !failed
            || self.output.is_some() && exited
            || self.code.is_some() && self.result.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_returned_shows_that_it_was_executed() {
        for (kept, expected) in [
            (r#"{"stdout":""}"#, true),
            (r#"[{"type":"text","text":"3 rows"}]"#, true),
            (r#"[{"type":"image"}]"#, true),
            (r#"{"type":"create","filePath":"/w/a","content":"x"}"#, true),
            (r#"{"oldTodos":[],"newTodos":[]}"#, true),
            (r#"{"message":"x","shell_id":"s"}"#, true),
            (r#"{"content":[{"type":"text","text":"x"}]}"#, true),
            (r#"{"structuredContent":{"n":1}}"#, true),
            (r#""{\"stdout\":\"x\"}""#, true),
            (r#""[{\"type\":\"text\",\"text\":\"x\"}]""#, true),
            (r#""File created successfully at: /w/a""#, true),
            (r#""The file /w/a has been updated. x""#, true),
            (r#"{"isAsync":true,"agentId":"a1"}"#, true),
            (r#"{"new_source":"x","cell_id":"c","error":""}"#, true),
            (r#"{"new_source":"x","error":"no such cell"}"#, false),
            (r#"{"output":"x","exit_code":1}"#, true),
            (r#"{"output":"x","exitCode":0}"#, true),
            (r#"{"output":"x"}"#, false),
            (r#"{"code":200,"result":"x"}"#, true),
            (r#"{"code":"x"}"#, false),
            (r#"{"retrieval_status":"success","task":{}}"#, true),
            (
                r#"[{"type":"text","text":"User rejected tool use"},{"type":"text","text":"3 rows"}]"#,
                true,
            ),
            (
                r#"{"content":[{"type":"text","text":"Permission to use x has been denied"},{"type":"image"}]}"#,
                true,
            ),
            (
                r#"[{"type":"text","text":"PreToolUse:mcp__a__b hook error: [x]: no"}]"#,
                false,
            ),
            (
                r#"[{"type":"text","text":"Error: Hook PreToolUse:mcp__a__b denied this tool"}]"#,
                false,
            ),
            (
                r#"[{"type":"text","text":"user rejected the call of mcp__a__b"},{"type":"text","text":""}]"#,
                false,
            ),
            ("[]", false),
            ("{}", false),
            (r#"["x"]"#, false),
            (r#""x""#, false),
            (r#""{\"reason\":\"x\"}""#, false),
            (r#""[Request interrupted by user for tool use]""#, false),
            (r#""User rejected tool use""#, false),
            (
                r#"[{"type":"text","text":"User rejected tool use"}]"#,
                false,
            ),
            (
                r#"[{"type":"text","text":"The user doesn't want to proceed with this tool use. x"}]"#,
                false,
            ),
            (r#"{"type":"text"}"#, false),
            (r#"{"plan":"x"}"#, false),
        ] {
            assert_eq!(shows_execution(Raw::trusted(kept)), expected, "{kept}");
        }
    }
}
