//! Tests of `codex-exec`.

use super::*;
use crate::trace::formats::session::testing::{fed, told};

fn item(word: &str, members: &str) -> String {
    format!(r#"{{"type":"item.{word}","item":{{"id":"item_1",{members}}}}}"#)
}

#[test]
fn items_are_calls() {
    let command = |status: &str, code: &str| {
        item(
            "completed",
            &format!(
                concat!(
                    r#""type":"command_execution","command":"ls","aggregated_output":"o","#,
                    r#""exit_code":{},"status":"{}""#
                ),
                code, status
            ),
        )
    };
    let call = r#"call item_1 shell {"command":"ls"}"#;
    for (text, expected) in [
        (command("completed", "0"), "end item_1 Ok Some(0) o"),
        (command("failed", "2"), "end item_1 Error Some(2) o"),
        (command("completed", "2"), "end item_1 Error Some(2) o"),
        (command("failed", "null"), "end item_1 Error None o"),
        (
            command("declined", "-1"),
            "end item_1 Rejected(Policy) None o",
        ),
        (command("declined", "0"), "end item_1 Ok Some(0) o"),
        (command("completed", "\"2\""), "end item_1 Error Some(2) o"),
        (command("completed", "2.0"), "end item_1 Error Some(2) o"),
        (command("completed", "\"x\""), "end item_1 Ok None o"),
        (command("declined", "\"0\""), "end item_1 Ok Some(0) o"),
        (command("new", "null"), "end item_1 NotRecorded None o"),
        // It was still running when the turn ended.
        (command("in_progress", "null"), ""),
        (
            item("started", r#""type":"command_execution","command":"ls""#),
            "",
        ),
        (
            item(
                "updated",
                r#""item_type":"command_execution","command":"ls""#,
            ),
            "",
        ),
    ] {
        let mut all = told(&FORMAT, &text);
        assert_eq!(all.remove(0), call, "{text}");
        assert_eq!(all.concat(), expected, "{text}");
    }
}

#[test]
fn other_items_name_their_tools() {
    for (members, expected) in [
        (
            concat!(
                r#""type":"mcp_tool_call","server":"db","tool":"find","arguments":{"q":1},"#,
                r#""result":{"content":[{"type":"text","text":"r"}]},"#,
                r#""error":null,"status":"completed""#
            ),
            vec![
                r#"call item_1 mcp__db__find {"q":1}"#,
                "end item_1 Ok None r",
            ],
        ),
        (
            concat!(
                r#""type":"mcp_tool_call","server":"db","tool":"find","arguments":null,"#,
                r#""error":{"message":"user rejected MCP tool call"},"status":"failed""#
            ),
            vec![
                "call item_1 mcp__db__find {}",
                "end item_1 Rejected(Human) None user rejected MCP tool call",
            ],
        ),
        (
            concat!(
                r#""type":"mcp_tool_call","server":"db","tool":"find","#,
                r#""error":{"message":"no"},"status":"failed""#
            ),
            vec!["call item_1 mcp__db__find {}", "end item_1 Error None no"],
        ),
        (
            r#""type":"web_search","id":"ws_1","query":"q","action":{"type":"search"}"#,
            vec![
                r#"call item_1 web_search {"query":"q","action":{"type":"search"}}"#,
                "end item_1 Ok None ",
            ],
        ),
        (
            concat!(
                r#""type":"file_change","changes":[{"path":"/w/a","kind":"update"},"#,
                r#"{"path":"/w/b","kind":"delete"}],"status":"completed""#
            ),
            vec![
                concat!(
                    r#"call item_1 apply_patch {"input":"*** Begin Patch\n"#,
                    r#"*** Update File: /w/a\n*** Delete File: /w/b\n*** End Patch\n"}"#
                ),
                "end item_1 Ok None ",
            ],
        ),
        (
            r#""type":"file_change","changes":[{"path":"a\n*** End Patch","kind":"add"}],"status":"failed""#,
            vec![
                r#"call item_1 apply_patch {"changes":[{"path":"a\n*** End Patch","kind":"add"}]}"#,
                "end item_1 Error None ",
            ],
        ),
        (
            concat!(
                r#""type":"collab_tool_call","tool":"spawn_agent","prompt":"x","#,
                r#""receiver_thread_ids":["t"],"status":"completed""#
            ),
            vec![
                r#"call item_1 spawn_agent {"message":"x"}"#,
                "end item_1 Ok None ",
            ],
        ),
        (r#""type":"agent_message","text":"x""#, vec![]),
        (r#""type":"reasoning","text":"x""#, vec![]),
        (r#""type":"error","message":"x""#, vec![]),
    ] {
        assert_eq!(
            told(&FORMAT, &item("completed", members)),
            expected,
            "{members}"
        );
    }
}

#[test]
fn a_thread_is_a_session_and_a_plan_is_a_call_each_time() {
    let plan = |word: &str, done: bool| {
        item(
            word,
            &format!(r#""type":"todo_list","items":[{{"text":"x","completed":{done}}}]"#),
        )
    };
    let all = fed(
        &FORMAT,
        &[
            r#"{"type":"thread.started","thread_id":"t"}"#,
            r#"{"type":"turn.started"}"#,
            &plan("started", false),
            &plan("updated", true),
            &plan("completed", true),
            &item(
                "started",
                r#""type":"command_execution","command":"ls","status":"in_progress""#,
            ),
            r#"{"type":"turn.failed","error":{"message":"x"}}"#,
            r#"{"type":"thread.started","thread_id":"u"}"#,
            &item(
                "completed",
                r#""type":"command_execution","command":"ls","exit_code":0,"status":"completed""#,
            ),
        ],
    );
    let of = |id: &str| {
        let session = format!(r#""record":"call","executionId":"{id}""#);
        all.iter()
            .filter(|record| record.contains(&session))
            .count()
    };
    assert_eq!((of("t"), of("u")), (3, 1), "{all:#?}");
}

#[test]
fn the_first_line_of_a_thread_may_hold_items() {
    let line = concat!(
        r#"{"type":"thread.started","thread_id":"t","item":{"id":"item_1","#,
        r#""type":"command_execution","command":"ls","exit_code":0,"status":"completed"}}"#
    );
    let all = told(&FORMAT, line);
    assert!(
        all.iter().any(|line| line.starts_with("call item_1 shell")),
        "{all:?}"
    );
}

#[test]
fn words_that_were_joined_without_quotes_may_be_a_script() {
    for (line, expected) in [
        ("bash -lc 'rm -rf a'", "bash -lc 'rm -rf a'"),
        ("bash -lc rm -rf a", "bash -lc rm -rf a\nrm -rf a"),
        ("bash -lc ls", "bash -lc ls"),
        ("ls -l a b", "ls -l a b"),
    ] {
        assert_eq!(unquoted(line), expected);
    }
}

#[test]
fn a_call_that_a_resumed_thread_cut_off_is_kept() {
    let thread = r#"{"type":"thread.started","thread_id":"t"}"#;
    let command = |word: &str, line: &str, more: &str| {
        item(
            word,
            &format!(r#""type":"command_execution","command":"{line}"{more}"#),
        )
    };
    let done = r#","exit_code":0,"status":"completed""#;
    let search = item("completed", r#""type":"web_search","query":"q""#);
    let asked = item("started", r#""type":"web_search","query":"""#);
    for (lines, expected) in [
        (
            vec![
                thread.to_owned(),
                command("started", "rm a", ""),
                thread.to_owned(),
                command("started", "ls", ""),
                command("completed", "ls", done),
            ],
            2,
        ),
        (
            vec![
                command("started", "rm a", ""),
                command("completed", "ls", done),
            ],
            2,
        ),
        (vec![command("started", "rm a", ""), search.clone()], 2),
        (
            vec![
                command("started", "ls", ""),
                command("updated", "ls", ""),
                command("completed", "ls", done),
            ],
            1,
        ),
        (vec![asked, search], 1),
    ] {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut all = fed(&FORMAT, &lines);
        all.retain(|record| record.contains(r#""record":"call""#));
        assert_eq!(all.len(), expected, "{lines:#?} {all:#?}");
    }
}

#[test]
fn items_of_unknown_types_and_records_count_by_what_they_contain() {
    let ran = r#""command":"rm a","exit_code":0,"status":"completed""#;
    let call = r#"call item_1 shell {"command":"rm a"}"#;
    for text in [
        item("completed", &format!(r#""type":"new_execution",{ran}"#)),
        item("completed", &format!(r#""type":7,{ran}"#)),
        item("completed", ran),
        item("failed", &format!(r#""type":"command_execution",{ran}"#)),
    ] {
        assert_eq!(told(&FORMAT, &text)[0], call, "{text}");
    }
    let patch = item(
        "completed",
        r#""type":"new","changes":[{"path":"/w/a","kind":"delete"}]"#,
    );
    assert!(told(&FORMAT, &patch)[0].contains("Delete File: /w/a"));
    let other = item(
        "completed",
        r#""type":"new","tool":"x","arguments":{"a":1}"#,
    );
    assert_eq!(told(&FORMAT, &other)[0], r#"call item_1 x {"a":1}"#);
}

#[test]
fn a_rejected_call_with_a_result_was_executed() {
    let call = |more: &str| {
        item(
            "completed",
            &format!(r#""type":"mcp_tool_call","server":"db","tool":"drop",{more}"#),
        )
    };
    let error = r#""error":{"message":"user rejected MCP tool call"}"#;
    let told_end = |more: &str| told(&FORMAT, &call(more)).pop().unwrap_or_default();
    for (more, expected) in [
        (
            r#""result":{"content":[{"type":"text","text":"r"}]}"#,
            "end item_1 Ok None r",
        ),
        (
            r#""result":{"structured_content":{"n":1}}"#,
            r#"end item_1 Ok None {"n":1}"#,
        ),
        (
            r#""result":{"content":[{"type":"text","text":"r"}],"isError":true}"#,
            "end item_1 Failed None r",
        ),
        (r#""result":"r""#, "end item_1 Ok None r"),
    ] {
        for rest in [
            format!(r#"{more},"status":"failed",{error}"#),
            format!(r#"{more},"status":"declined""#),
        ] {
            assert_eq!(told_end(&rest), expected, "{rest}");
            let all = fed(&FORMAT, &[&call(&rest)]);
            let rejected = r#""decision":{"status":"rejected""#;
            assert!(all[1].contains(rejected), "{all:#?}");
        }
    }
    for more in [
        r#""result":null"#,
        r#""result":{"content":[],"structured_content":null}"#,
        r#""result":{"content":[{"type":"text","text":"user rejected MCP tool call"}]}"#,
    ] {
        let rest = format!(r#"{more},"status":"failed",{error}"#);
        assert!(told_end(&rest).contains("Rejected(Human)"), "{rest}");
    }
}

#[test]
fn items_are_found_wherever_a_record_has_them() {
    let ran = r#""command":"rm a","exit_code":0,"status":"completed""#;
    let whole = format!(r#"{{"id":"i","type":"command_execution",{ran}}}"#);
    let call = r#"call i shell {"command":"rm a"}"#;
    let end = "end i Ok Some(0) ";
    for text in [
        format!(r#"{{"type":"items.completed","items":[{whole}]}}"#),
        format!(r#"{{"type":"item.completed","item":[{whole}]}}"#),
        format!(r#"{{"type":"item.completed","details":{whole}}}"#),
        format!(r#"{{"type":"item.completed","id":"i",{ran}}}"#),
        format!(r#"{{"type":"turn.completed","usage":{{}},"turn":{{"items":[[{whole}]]}}}}"#),
        format!(
            r#"{{"type":"item.completed","item":{{"id":"i",
                "details":{{"item_type":"command_execution",{ran}}}}}}}"#
        ),
        format!(
            r#"{{"type":"item.completed","item":{{"id":"i","type":"command_execution",
                "details":{{{ran}}}}}}}"#
        ),
        r#"{"type":"item.completed","item":{"id":"i","type":"command_execution",
            "status":"completed","details":{"command":"rm a","exit_code":0}}}"#
            .to_owned(),
        format!(
            r#"{{"type":"item.completed","item":{{"id":"i","type":"group","items":[{whole}]}}}}"#
        ),
    ] {
        assert_eq!(told(&FORMAT, &text), [call, end], "{text}");
    }
    let both = format!(
        r#"{{"type":"item.completed","item":{{"id":"o","type":"command_execution",
            "command":"ls","details":{whole}}}}}"#
    );
    assert_eq!(told(&FORMAT, &both).len(), 4, "{both}");
    for data in ["result", "arguments"] {
        let text = item(
            "completed",
            &format!(
                r#""type":"mcp_tool_call","server":"s","tool":"t","{data}":{{"x":[{whole}]}}"#
            ),
        );
        assert_eq!(told(&FORMAT, &text).len(), 2, "{text}");
    }
    let plan = item(
        "completed",
        r#""type":"todo_list","items":[{"text":"x","status":"done","command":"x"}]"#,
    );
    assert_eq!(told(&FORMAT, &plan).len(), 1, "{plan}");
}

#[test]
fn items_of_mixed_threads_find_their_calls() {
    let thread = |id: &str| format!(r#"{{"type":"thread.started","thread_id":"{id}"}}"#);
    let begun = |line: &str| {
        item(
            "started",
            &format!(r#""type":"command_execution","command":"{line}""#),
        )
    };
    let done = |line: &str| {
        let more = r#""exit_code":0,"status":"completed""#;
        item(
            "completed",
            &format!(r#""type":"command_execution","command":"{line}",{more}"#),
        )
    };
    let of = |text: String, id: &str| text.replacen('{', &format!(r#"{{"thread_id":"{id}","#), 1);
    let (t, u) = (thread("t"), thread("u"));
    for lines in [
        // The lines name their threads.
        vec![
            t.clone(),
            u.clone(),
            of(begun("ls"), "t"),
            of(begun("rm a"), "u"),
            of(done("ls"), "t"),
            of(done("rm a"), "u"),
        ],
        vec![
            t.clone(),
            begun("ls"),
            u.clone(),
            begun("rm a"),
            done("ls"),
            done("rm a"),
        ],
        vec![t, begun("ls"), u, begun("rm a"), done("rm a"), done("ls")],
    ] {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let all = fed(&FORMAT, &lines);
        let found = |id: &str, command: &str| {
            let session = format!(r#""record":"call","executionId":"{id}""#);
            let calls = all.iter().filter(|record| record.contains(&session));
            let calls: Vec<_> = calls.collect();
            calls.len() == 1 && calls[0].contains(command) && calls[0].contains(r#""outcome":"ok""#)
        };
        assert!(
            found("t", r#""command":"ls""#) && found("u", r#""command":"rm a""#),
            "{all:#?}"
        );
    }
}

#[test]
fn a_call_of_agents_is_one_whoever_receives_it() {
    let item = |state: &str, members: &str| {
        format!(
            r#"{{"type":"item.{state}","item":{{"id":"i","type":"collab_tool_call",
                "tool":"wait",{members}}}}}"#
        )
    };
    let begun = item(
        "started",
        r#""receiver_thread_ids":["b","c"],"status":"in_progress""#,
    );
    let ended = item(
        "completed",
        r#""receiver_thread_ids":["b"],"status":"completed""#,
    );
    let records = fed(&FORMAT, &[&begun, &ended]);
    let calls = records
        .iter()
        .filter(|record| record.contains(r#""record":"call""#));
    assert_eq!(calls.count(), 1, "{records:?}");
}

#[test]
fn an_item_of_a_known_type_hides_no_other_call() {
    let both = |members: &str| {
        let item = |word: &str, status: &str| {
            format!(r#"{{"type":"item.{word}","item":{{"id":"i","status":"{status}",{members}}}}}"#)
        };
        let lines = [
            item("started", "in_progress"),
            item("completed", "completed"),
        ];
        fed(&FORMAT, &[&lines[0], &lines[1]])
    };
    let command = r#""command":"rm a""#;
    let changes = r#""changes":[{"path":"b","kind":"add"}]"#;
    for (members, calls) in [
        (format!(r#""type":"file_change",{changes},{command}"#), 2),
        (format!(r#""type":"web_search","query":"x",{command}"#), 2),
        (format!(r#""type":"todo_list","items":[],{command}"#), 2),
        (
            format!(r#""type":"mcp_tool_call","server":"s","tool":"t","arguments":{{}},{command}"#),
            2,
        ),
        (
            format!(r#""type":"command_execution",{command},{changes}"#),
            2,
        ),
        (format!(r#""type":"new_type",{command},{changes}"#), 2),
        (
            format!(r#""type":"agent_message","text":"x",{command},{changes}"#),
            2,
        ),
        (
            format!(r#""type":"file_change",{changes},"command":null"#),
            1,
        ),
        (
            format!(r#""type":"command_execution",{command},"arguments":{{}}"#),
            1,
        ),
    ] {
        let all = both(&members);
        let made = all
            .iter()
            .filter(|record| record.contains(r#""record":"call""#));
        assert_eq!(made.count(), calls, "{members}: {all:#?}");
        if calls > 1 {
            assert!(all.iter().any(|record| record.contains("rm a")), "{all:#?}");
        }
    }
}
