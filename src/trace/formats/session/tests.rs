//! Records that are derived from sessions.

use super::atif::LANGFUSE;
use super::claude_code::FORMAT as CLAUDE_CODE;
use super::codex::FORMAT as CODEX;
use super::codex_log::FORMAT as CODEX_LOG;
use super::messages::{FORMAT as MESSAGES, PI};
use super::otlp::FORMAT as OTLP;
use crate::trace::entry::Entry;
use crate::trace::formats::{OwnCalls, TraceFormat};
use proptest::prelude::*;
use serde_json::{Value, json};
use strict_json::Scanner;

/// Returns the records derived from lines.
pub(super) fn records(format: &dyn TraceFormat, lines: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let mut reader = format.reader("file", &OwnCalls::default());
    let mut all = Vec::new();
    let mut take = |fed: crate::trace::formats::RoutedRecord<'_, '_>| {
        assert!(fed.entry.problems.is_empty(), "{}", fed.entry.text);
        all.push(serde_json::from_str(fed.entry.text).unwrap());
    };
    for (line, n) in lines.iter().zip(1..) {
        let mut entry = Entry::unread((n, 0), line, Vec::new(), Vec::new());
        entry.record = format.read(&mut Scanner::new(line, 64), line).unwrap();
        reader.feed(&entry, &mut take);
    }
    reader.finish(&mut take);
    all
}

/// Returns each call on a line: session, id, tool, decision, outcome and exit code.
pub(super) fn calls(format: &dyn TraceFormat, lines: &[Value]) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let records = records(format, lines);
    let calls = records.iter().filter(|r| r["record"] == "call");
    calls
        .map(|call| {
            let decision = &call["decision"];
            let mut out = format!(
                "{} {} {} {} {}/{} {}",
                word(&call["executionId"]),
                word(&call["callId"]),
                word(&call["tool"]),
                word(&call["action"]["type"]),
                word(&decision["status"]),
                word(&decision["by"]),
                word(&call["outcome"]),
            );
            if let Some(code) = call["result"]["exitCode"].as_i64() {
                out += &format!(" {code}");
            }
            if decision["contradicted"] == true {
                out += " contradicted";
            }
            out
        })
        .collect()
}

fn item(payload: &Value) -> Value {
    json!({"timestamp": "2026-02-03T10:00:00Z", "type": "response_item", "payload": payload})
}

fn event(payload: &Value) -> Value {
    json!({"timestamp": "2026-02-03T10:00:00Z", "type": "event_msg", "payload": payload})
}

fn meta(id: &str) -> Value {
    json!({"timestamp": "2026-02-03T10:00:00Z", "type": "session_meta", "payload": {"id": id, "cwd": "/w"}})
}

fn function(id: &str, name: &str, arguments: &Value) -> Value {
    item(
        &json!({"type": "function_call", "name": name, "arguments": arguments.to_string(), "call_id": id}),
    )
}

fn result(id: &str, output: &Value) -> Value {
    item(&json!({"type": "function_call_output", "call_id": id, "output": output}))
}

/// Returns a shell call with a result.
fn shell(id: &str, output: &Value) -> [Value; 2] {
    let call = function(id, "shell", &json!({"command": ["ls", "-l"]}));
    [call, result(id, output)]
}

#[test]
fn outputs_of_codex_say_how_a_call_ended() {
    let wrapped = |output: &str, code: i32| {
        json!(json!({"output": output, "metadata": {"exit_code": code}}).to_string())
    };
    let cases = [
        (wrapped("a", 0), "-/- ok 0"),
        (wrapped("exec command rejected by user", 0), "-/- ok 0"),
        (wrapped("a", 2), "-/- error 2"),
        (
            json!("Exit code: 3\nWall time: 1 seconds\nOutput:\nExit code: 0"),
            "-/- error 3",
        ),
        (
            json!("Chunk ID: 1\nWall time: 1 seconds\nProcess exited with code 0\nOutput:\n"),
            "-/- ok 0",
        ),
        (
            json!("Wall time: 1 seconds\nProcess running with session ID 4\nOutput:\nExit code: 1"),
            "-/- ok",
        ),
        (json!({"content": "a", "success": false}), "-/- error"),
        (
            json!({"content": [{"text": "a"}], "success": true}),
            "-/- ok",
        ),
        (json!([{"type": "input_text", "text": "a"}]), "-/- ok"),
        (
            json!("exec command rejected by user"),
            "rejected/human not_executed",
        ),
        (
            json!({"content": "exec command rejected by user", "success": false}),
            "rejected/human not_executed",
        ),
        (
            json!("approval policy is Never; reject command"),
            "rejected/policy not_executed",
        ),
        (
            json!("Command blocked by PreToolUse hook: no"),
            "rejected/policy not_executed",
        ),
        (
            json!("exec_command failed for `ls`: Rejected(\"rejected by user\")"),
            "rejected/human not_executed",
        ),
        (
            json!(
                "exec_command failed for `rejected by user`: CreateProcess { message: \
                 \"Rejected(\\\"`rm a` rejected: no\\\")\" }"
            ),
            "rejected/policy not_executed",
        ),
        (
            json!("`bash -lc 'rm a'` rejected: policy forbids commands starting with `rm`"),
            "rejected/policy not_executed",
        ),
        (
            json!("This action was rejected due to unacceptable risk.\nReason: x"),
            "rejected/policy not_executed",
        ),
        (json!("`a` was rejected"), "-/- ok"),
        (json!("aborted by user after 2.0s"), "-/- interrupted"),
        (
            json!("failed in sandbox Seccomp with execution error"),
            "-/- error",
        ),
        (json!(null), "-/- ok"),
        (json!(7), "-/- ok"),
    ];
    for (output, expected) in cases {
        assert_eq!(
            calls(&CODEX, &shell("c", &output)),
            [format!("file c shell shell_cmd {expected}")],
            "{output}"
        );
    }
}

#[test]
fn what_a_server_prints_is_no_rejection_of_codex() {
    let lines = [
        function("c", "notes__read", &json!({})),
        result("c", &json!("exec command rejected by user")),
        function("d", "mcp__notes__read", &json!({})),
        result("d", &json!("user rejected MCP tool call")),
        function("e", "notes__read", &json!({})),
        event(&json!({"type": "mcp_tool_call_end", "call_id": "e",
                "result": {"Err": "user rejected MCP tool call"}})),
        result("e", &json!("user rejected MCP tool call")),
    ];
    let mut calls = calls(&CODEX, &lines);
    calls.sort();
    assert_eq!(
        calls,
        [
            "file c notes__read tool_call -/- rejected_by_text",
            "file d mcp__notes__read tool_call -/- rejected_by_text",
            "file e notes__read tool_call rejected/human not_executed",
        ]
    );
}

#[test]
fn every_call_of_codex_is_counted_once() {
    let lines = [
        meta("s"),
        json!({"type": "turn_context", "timestamp": "2026-02-03T10:00:00Z",
            "payload": {"cwd": "/w", "approval_policy": "never"}}),
        item(&json!({"type": "message", "role": "user", "content": [{"text": "do it"}]})),
        event(&json!({"type": "user_message", "message": "do it"})),
        item(
            &json!({"type": "custom_tool_call", "status": "completed", "name": "apply_patch",
                "input": "*** Begin Patch", "call_id": "a"}),
        ),
        event(
            &json!({"type": "patch_apply_end", "call_id": "a", "success": true, "status": "completed"}),
        ),
        item(&json!({"type": "custom_tool_call_output", "call_id": "a",
                "output": "Exit code: 0\nOutput:\nok"})),
        item(
            &json!({"type": "local_shell_call", "call_id": null, "id": "b", "status": "completed",
                "action": {"type": "exec", "command": ["ls"]}}),
        ),
        item(&json!({"type": "web_search_call", "status": "completed", "action": {"query": "q"}})),
        item(&json!({"type": "web_search_call", "status": "failed"})),
        item(&json!({"type": "function_call", "name": 7, "arguments": "{broken", "call_id": "d"})),
        item(&json!({"type": "function_call", "name": "f"})),
        item(&json!({"type": "message"})),
        item(&json!(7)),
        json!({"timestamp": 1, "type": "compacted",
            "payload": {"replacement_history": [{"type": "function_call", "call_id": "a"}]}}),
        meta("another"),
        function("e", "shell", &json!({"command": "ls"})),
        result("e", &json!("Exit code: 0\nOutput:\na")),
        result("e", &json!("Exit code: 0\nOutput:\nb")),
        result("f", &json!("nobody asked")),
    ];
    assert_eq!(
        calls(&CODEX, &lines),
        [
            "s a apply_patch tool_call -/- ok 0",
            "s 2 web_search tool_call -/- ok",
            "s 3 web_search tool_call -/- error",
            "s e shell shell_cmd -/- ok 0",
            "s e - - -/- ok 0",
            "s f - - -/- ok",
            "s b shell shell_cmd -/- open",
            "s d  tool_call -/- open",
            "s 9 f tool_call -/- open",
        ]
    );
}

#[test]
fn a_declined_call_of_codex_did_not_run() {
    let mut lines = shell("c", &json!("the reviewer says no")).to_vec();
    let end =
        json!({"type": "exec_command_end", "call_id": "c", "status": "declined", "stderr": "no"});
    lines.insert(1, event(&end));
    assert_eq!(
        calls(&CODEX, &lines),
        ["file c shell shell_cmd rejected/policy not_executed"]
    );
    // Its exit code shows that the call was executed.
    let last = lines.len() - 1;
    lines[last] = result("c", &json!("Exit code: 0\nOutput:\n"));
    assert_eq!(
        calls(&CODEX, &lines),
        ["file c shell shell_cmd rejected/policy ok 0"]
    );
}

#[test]
fn an_old_rollout_is_a_session() {
    let lines = [
        json!({"id": "o", "timestamp": "2025-06-02T10:00:00Z", "instructions": null}),
        json!({"record_type": "state"}),
        json!({"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\"]}",
            "call_id": "a"}),
        json!({"type": "function_call_output", "call_id": "a",
            "output": "{\"output\":\"\",\"metadata\":{\"exit_code\":1}}"}),
    ];
    assert_eq!(calls(&CODEX, &lines), ["o a shell shell_cmd -/- error 1"]);
}

fn log(message: &Value) -> Value {
    json!({"ts": "2026-02-03T10:00:00Z", "dir": "to_tui", "kind": "codex_event",
        "payload": {"id": "1", "msg": message}})
}

fn answer(kind: &str, decision: &Value) -> Value {
    json!({"ts": "2026-02-03T10:00:00Z", "dir": "from_tui", "kind": "op", "payload": {"type": kind,
        "id": "1", "decision": decision}})
}

fn asked(id: &str) -> Value {
    log(&json!({"type": "exec_approval_request", "call_id": id, "command": ["ls"], "cwd": "/w"}))
}

fn begins(id: &str) -> Value {
    log(&json!({"type": "exec_command_begin", "call_id": id, "command": ["ls"], "cwd": "/w"}))
}

fn ends(id: &str, code: i32) -> Value {
    log(
        &json!({"type": "exec_command_end", "call_id": id, "stdout": "a", "stderr": "", "exit_code": code}),
    )
}

fn configured(id: &str) -> Value {
    log(&json!({"type": "session_configured", "session_id": id}))
}

#[test]
fn answers_belong_to_the_oldest_question() {
    let changes = json!({"/w/a": {"update": {"unified_diff": "@@ -1 +1 @@\n-a\n+b\n"}}});
    let lines = [
        json!({"ts": "2026-02-03T10:00:00Z", "dir": "meta", "kind": "session_start", "cwd": "/w"}),
        configured("s"),
        asked("a"),
        asked("b"),
        log(&json!({"type": "apply_patch_approval_request", "call_id": "p", "changes": changes})),
        answer("exec_approval", &json!("approved_for_session")),
        answer("patch_approval", &json!("approved")),
        answer("exec_approval", &json!("denied")),
        begins("a"),
        ends("a", 0),
        log(
            &json!({"type": "patch_apply_begin", "call_id": "p", "auto_approved": false, "changes": changes}),
        ),
        log(&json!({"type": "patch_apply_end", "call_id": "p", "success": true})),
        // What the approval for the session covers isn't recorded.
        begins("c"),
        ends("c", -1),
        log(
            &json!({"type": "patch_apply_begin", "call_id": "q", "auto_approved": true, "changes": changes}),
        ),
        log(&json!({"type": "patch_apply_end", "call_id": "q", "success": false})),
        asked("d"),
        answer("exec_approval", &json!("timed_out")),
        answer("exec_approval", &json!("approved")),
        asked("e"),
        answer(
            "exec_approval",
            &json!({"approved_with_amendment": {"prefix": []}}),
        ),
        begins("e"),
        configured("t"),
        begins("a"),
        ends("a", 1),
    ];
    assert_eq!(
        calls(&CODEX_LOG, &lines),
        [
            "s a shell shell_cmd approved/human ok 0",
            "s p apply_patch code_diff approved/human ok",
            "s b shell shell_cmd rejected/human not_executed",
            "s c shell shell_cmd -/- error -1",
            "s q apply_patch code_diff approved/policy error",
            "t a shell shell_cmd -/- error 1",
            "s d shell shell_cmd -/- open",
            "s e shell shell_cmd approved/human open",
        ]
    );
}

#[test]
fn what_was_denied_in_the_log_and_ran_is_both() {
    let declined = log(
        &json!({"type": "exec_command_end", "call_id": "b", "exit_code": -1, "status": "declined",
            "stderr": "exec command rejected by user"}),
    );
    let lines = [
        configured("s"),
        asked("a"),
        answer("exec_approval", &json!("abort")),
        begins("a"),
        ends("a", 0),
        // Later versions begin a call before they ask.
        begins("b"),
        asked("b"),
        answer("exec_approval", &json!("denied")),
        declined.clone(),
        asked("c"),
        answer("exec_approval", &json!("denied")),
        asked("d"),
        begins("c"),
        ends("c", 0),
        ends("x", 0),
        log(
            &json!({"type": "exec_command_begin", "source": "user_shell", "call_id": "u", "command": ["ls"]}),
        ),
        log(
            &json!({"type": "mcp_tool_call_begin", "call_id": "m", "invocation": {"server": "s",
                "tool": "t", "arguments": {}}}),
        ),
        log(
            &json!({"type": "mcp_tool_call_end", "call_id": "m", "result": {"Ok": {"content": [],
                "is_error": true}}}),
        ),
    ];
    assert_eq!(
        calls(&CODEX_LOG, &lines),
        [
            "s a shell shell_cmd rejected/human ok 0",
            "s b shell shell_cmd rejected/human not_executed",
            "s c shell shell_cmd rejected/human not_executed",
            "s c#4 shell shell_cmd rejected/human ok 0",
            "s x - - -/- ok 0",
            "s m mcp__s__t tool_call -/- error",
            "s d shell shell_cmd -/- open",
        ]
    );
}

#[test]
fn what_the_log_says_otherwise_under_the_same_id_is_another_call() {
    let event = |kind: &str, id: &str, command: &[&str]| {
        log(&json!({"type": kind, "call_id": id, "command": command, "cwd": "/w", "exit_code": 0}))
    };
    let (begins, ends) = ("exec_command_begin", "exec_command_end");
    let lines = [
        configured("s"),
        // Two commands begin under one id.
        event(begins, "a", &["ls"]),
        event(begins, "a", &["rm", "-rf", "/"]),
        event(ends, "a", &["ls"]),
        // Another command ends than began.
        event(begins, "b", &["ls"]),
        event(ends, "b", &["rm", "x"]),
        // The end alone is recorded, and again.
        event(ends, "c", &["rm", "y"]),
        event(ends, "c", &["rm", "y"]),
        // Another command is executed than was approved.
        event("exec_approval_request", "d", &["ls"]),
        answer("exec_approval", &json!("approved")),
        event(begins, "d", &["rm", "z"]),
        event(ends, "d", &["rm", "z"]),
        log(&json!({"type": "terminal_interaction", "call_id": "d", "stdin": "rm w\n"})),
        log(
            &json!({"type": "dynamic_tool_call_request", "callId": "e", "tool": "deploy",
            "arguments": {"to": "here"}}),
        ),
        log(&json!({"type": "dynamic_tool_call_response", "call_id": "e", "success": true})),
        // One more id hides nothing.
        log(&json!({"type": begins, "call_id": "f", "callId": "g", "command": ["rm", "v"]})),
    ];
    assert_eq!(
        calls(&CODEX_LOG, &lines),
        [
            "s a shell shell_cmd -/- ok 0",
            "s b shell shell_cmd -/- ok 0",
            "s c shell shell_cmd -/- ok 0",
            "s d shell shell_cmd -/- ok 0",
            "s 5 write_stdin tool_call -/- ok",
            "s e deploy tool_call -/- ok",
            "s a#7 shell shell_cmd -/- unmatched",
            "s b#8 shell shell_cmd -/- unmatched",
            "s d#9 shell shell_cmd approved/human unmatched",
            "s f shell shell_cmd -/- open",
        ]
    );
}

/// Generates JSON from the members and words that the formats know.
fn shaped() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "type",
        "payload",
        "timestamp",
        "ts",
        "dir",
        "kind",
        "to_tui",
        "from_tui",
        "op",
        "msg",
        "codex_event",
        "session_meta",
        "response_item",
        "event_msg",
        "function_call",
        "call_id",
        "function_call_output",
        "output",
        "arguments",
        "custom_tool_call",
        "local_shell_call",
        "action",
        "exec_approval_request",
        "exec_approval",
        "decision",
        "approved",
        "denied",
        "exec_command_begin",
        "exec_command_end",
        "exit_code",
        "changes",
        "patch_apply_begin",
        "session_configured",
        "session_id",
        "id",
        "status",
        "declined",
        "role",
        "content",
        "resourceLogs",
        "scopeLogs",
        "logRecords",
        "resourceSpans",
        "scopeSpans",
        "spans",
        "attributes",
        "key",
        "value",
        "stringValue",
        "tool_name",
        "event.name",
        "tool_decision",
        "tool_result",
        "body",
        "{\"output\":\"\",\"metadata\":{}}",
        "Exit code: 1",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        words.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((words.clone(), inner), 0..6).prop_map(|pairs| {
                let pairs = pairs
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value));
                Value::Object(pairs.collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_read_and_never_lost_to_a_panic(lines in prop::collection::vec(shaped(), 0..6)) {
        for format in [&CODEX as &dyn TraceFormat, &CODEX_LOG, &OTLP] {
            let _ = records(format, &lines);
        }
    }
}

#[test]
fn a_stream_is_handed_on_in_order_however_long_it_is() {
    let call = |id: &str| {
        json!({"type": "assistant", "session_id": "s", "message": {"content": [
            {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": id}},
        ]}})
    };
    let result = |id: &str, failed: bool, output: &str| {
        json!({"type": "user", "session_id": "s", "message": {"content": [
            {"type": "tool_result", "tool_use_id": id, "is_error": failed, "content": output},
        ]}})
    };
    let end = json!({"type": "result", "subtype": "success", "session_id": "s",
        "permission_denials": [{"tool_use_id": "b"}]});
    // More calls than may wait are still in order; a call that was denied by then is an error.
    let long = "x".repeat(6 << 20);
    for (output, how) in [("x", "rejected/policy not_executed"), (&long, "-/- error")] {
        let mut lines = Vec::new();
        for id in ["a", "b", "c", "d"] {
            lines.push(call(id));
            lines.push(result(id, id < "c", output));
        }
        lines.push(end.clone());
        let calls = calls(&CLAUDE_CODE, &lines);
        let ids: Vec<&str> = calls.iter().filter_map(|c| c.split(' ').nth(1)).collect();
        assert_eq!(ids, ["a", "b", "c", "d"]);
        assert!(calls[1].ends_with(how), "{}", calls[1]);
    }
}

/// Returns a call of Claude Code, an attachment about it and its result.
fn hooked(id: &str, attachment: &Value, failed: bool, note: &str) -> [Value; 3] {
    let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "make"}});
    let result = json!({
        "type": "tool_result", "tool_use_id": id, "content": note, "is_error": failed
    });
    [
        json!({"type": "assistant", "sessionId": "s", "message": {"content": [call]}}),
        json!({"type": "attachment", "sessionId": "s", "attachment": attachment}),
        json!({
            "type": "user", "sessionId": "s", "message": {"content": [result]},
            "toolUseResult": format!("Error: {note}")
        }),
    ]
}

#[test]
fn hooks_of_claude_code_decide() {
    let attached = |kind: &str, event: &str, decision: &str| json!({"type": kind, "toolUseID": "a", "hookEvent": event, "decision": decision});
    let none = json!({});
    for (attachment, failed, note, expected) in [
        (
            attached("hook_blocking_error", "PreToolUse", ""),
            true,
            "no",
            "rejected/policy not_executed",
        ),
        (
            attached("hook_blocking_error", "PostToolUse", ""),
            false,
            "done",
            "-/- ok",
        ),
        (
            attached("hook_permission_decision", "PermissionRequest", "allow"),
            false,
            "done",
            "approved/policy ok",
        ),
        (
            attached("hook_permission_decision", "PreToolUse", "allow"),
            false,
            "done",
            "-/- ok",
        ),
        (
            attached("hook_permission_decision", "PermissionRequest", "deny"),
            true,
            "no",
            "rejected/policy not_executed",
        ),
        (
            none.clone(),
            true,
            "PreToolUse:Bash hook error: [x]: no",
            "-/- rejected_by_text",
        ),
        (
            none.clone(),
            true,
            "Hook PreToolUse:Bash denied this tool",
            "-/- rejected_by_text",
        ),
        (none.clone(), true, "PreToolUse:Bash is slow", "-/- error"),
    ] {
        let lines = hooked("a", &attachment, failed, note);
        let expected = format!("s a Bash shell_cmd {expected}");
        assert_eq!(
            calls(&CLAUDE_CODE, &lines),
            [expected],
            "{attachment} {note}"
        );
    }
    // A rejected call that was executed all the same is both.
    let denied = attached("hook_permission_decision", "PermissionRequest", "deny");
    let lines = hooked("a", &denied, false, "done");
    assert_eq!(
        calls(&CLAUDE_CODE, &lines),
        ["s a Bash shell_cmd rejected/policy ok"]
    );
}

#[test]
fn failures_of_the_servers_own_tools_are_errors() {
    let result = |content: &Value| {
        let call = json!({"type": "server_tool_use", "id": "a", "name": "web_fetch", "input": {}});
        let part = json!({"type": "web_fetch_tool_result", "tool_use_id": "a", "content": content});
        json!({"role": "assistant", "content": [call, part]})
    };
    let failed = |kind: &str| json!({"type": kind, "error_code": "unavailable"});
    let code = |code: i32| json!({"type": "code_execution_result", "return_code": code});
    for (content, outcome) in [
        (failed("web_fetch_tool_result_error"), "error"),
        (failed("web_fetch_tool_error"), "error"),
        (code(1), "error"),
        (code(0), "ok"),
        (json!([{"type": "web_search_result"}]), "ok"),
    ] {
        let found = calls(&MESSAGES, &[result(&content)]);
        assert_eq!(
            found,
            [format!("file a web_fetch tool_call -/- {outcome}")],
            "{content}"
        );
    }
}

#[test]
fn a_response_finds_a_call_without_an_id_by_its_tool() {
    let part = |part: &Value| json!({"role": "model", "parts": [part]});
    let called = |name: &str| part(&json!({"functionCall": {"name": name, "args": {}}}));
    let response = |id: &str, name: &str| {
        let response = json!({"output": "x"});
        part(&json!({"functionResponse": {"id": id, "name": name, "response": response}}))
    };
    let lines = [
        called("glob"),
        called("read_file"),
        response("read_file-1", "read_file"),
        response("glob-1", "glob"),
        response("glob-2", "glob"),
    ];
    assert_eq!(
        calls(&MESSAGES, &lines),
        [
            "file 1 read_file tool_call -/- ok",
            "file 2 glob tool_call -/- ok",
            // No call is left for it.
            "file glob-2 - - -/- ok",
        ]
    );
}

#[test]
fn a_call_of_pi_that_was_stopped_was_interrupted() {
    let message = |message: &Value| json!({"type": "message", "message": message});
    let ended = |text: &str, failed: bool| {
        let call = json!({"type": "toolCall", "id": "a", "name": "bash", "arguments": {}});
        let lines = [
            message(&json!({"role": "assistant", "content": [call]})),
            message(&json!({
                "role": "toolResult", "toolCallId": "a", "toolName": "bash", "isError": failed,
                "content": [{"type": "text", "text": text}]
            })),
        ];
        calls(&PI, &lines).concat()
    };
    for (text, failed, outcome) in [
        ("half\n\nCommand aborted", true, "interrupted"),
        ("Operation aborted", true, "interrupted"),
        ("Command aborted by X", true, "error"),
        ("Command aborted", false, "ok"),
    ] {
        let expected = format!("file a bash tool_call -/- {outcome}");
        assert_eq!(ended(text, failed), expected, "{text}");
    }
}

#[test]
fn a_denial_behind_the_name_of_its_call_is_a_text() {
    let call = json!({"type": "tool_use", "id": "a", "name": "read_file", "input": {"path": "b"}});
    let result = |text: &str| {
        let part = json!({"type": "tool_result", "tool_use_id": "a", "content": text});
        let lines = [
            json!({"role": "assistant", "content": [call]}),
            json!({"role": "user", "content": [part]}),
        ];
        calls(&MESSAGES, &lines).concat()
    };
    for (text, outcome) in [
        (
            "[read_file for 'b'] Result:\nThe user denied this operation.",
            "rejected_by_text",
        ),
        ("[read_file for 'b'] Result:\nx", "ok"),
        (
            "[other for 'b'] Result:\nThe user denied this operation.",
            "ok",
        ),
    ] {
        let expected = format!("file a read_file tool_call -/- {outcome}");
        assert_eq!(result(text), expected, "{text}");
    }
}

#[test]
fn the_name_of_a_tool_makes_a_span_a_call() {
    let observation = |attributes: &Value| {
        json!({
            "id": "o", "traceId": "t", "type": "SPAN", "name": "running", "input": {"x": 1},
            "output": "y", "endTime": "2026-01-05T09:00:00Z",
            "metadata": {"attributes": attributes}
        })
    };
    let named = json!({"gen_ai.tool.name": "sum", "gen_ai.tool.call.id": "a"});
    assert_eq!(
        calls(&LANGFUSE, &[observation(&named)]),
        ["t a sum tool_call -/- ok"]
    );
    let of_agent = json!({"gen_ai.tool.name": "sum", "gen_ai.operation.name": "invoke_agent"});
    assert!(calls(&LANGFUSE, &[observation(&of_agent)]).is_empty());

    let attribute = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let span = json!({
        "traceId": "t", "spanId": "s", "name": "running tool", "attributes": [
            attribute("gen_ai.tool.name", "sum"),
            attribute("tool_arguments", "{\"x\":1}"),
            attribute("tool_response", "y"),
        ]
    });
    let document = json!({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]});
    let found = records(&OTLP, &[document]);
    let call = found
        .iter()
        .find(|record| record["record"] == "call")
        .unwrap();
    assert_eq!(call["action"]["payload"]["parameters"], json!({"x": 1}));
    assert_eq!(call["result"]["output"], "y");
}
