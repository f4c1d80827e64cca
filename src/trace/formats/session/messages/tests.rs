//! Messages in the notations of several programs.

use super::*;
use crate::trace::formats::session::testing::{fed, told};

#[test]
fn calls_and_results_of_every_spelling_are_read() {
    let cases: [(&str, &[&str]); 18] = [
        (
            concat!(
                r#"{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","#,
                r#""arguments":"{\"a\":1}"}}]}"#,
            ),
            &[r#"call c f {"a":1}"#],
        ),
        (
            r#"{"role":"assistant","tool_calls":[{"id":"c","function":"f","arguments":{"a":1}}]}"#,
            &[r#"call c f {"a":1}"#],
        ),
        (
            r#"{"role":"assistant","function_call":{"name":"f","arguments":"no object"}}"#,
            &[r#"call - f {"arguments":"no object"}"#],
        ),
        (
            concat!(
                r#"{"role":"assistant","content":[{"type":"text","text":"x"},"#,
                r#"{"type":"tool_use","id":"t","name":"g","input":{}}]}"#,
            ),
            &["call t g {}"],
        ),
        (
            r#"{"type":"function_call","call_id":"c","id":"fc","name":"f","arguments":""}"#,
            &["call c f {}"],
        ),
        (
            r#"{"type":"shell_call","call_id":"c","action":{"commands":["ls","pwd"]}}"#,
            &[r#"call c bash {"command":"ls\npwd"}"#],
        ),
        (
            r#"{"type":"mcp_call","id":"m","name":"f","arguments":"{}","error":"gone"}"#,
            &["call m f {}", "end m Error None gone"],
        ),
        (
            r#"{"role":"tool","id":"own","tool_call_id":"c","content":"Error executing tool: x"}"#,
            &["end c Error None Error executing tool: x"],
        ),
        (
            concat!(
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","#,
                r#""is_error":true,"content":[{"type":"text","text":"no"}]}]}"#,
            ),
            &["end t Error None no"],
        ),
        (
            r#"{"type":"tool-result","toolCallId":"c","output":{"type":"execution-denied","reason":"no"}}"#,
            &[r#"end c Rejected(Human) None {"type":"execution-denied","reason":"no"}"#],
        ),
        (
            r#"{"type":"tool-result","toolCallId":"c","output":{"type":"error-text","value":"no"}}"#,
            &[r#"end c Error None {"type":"error-text","value":"no"}"#],
        ),
        (
            concat!(
                r#"[{"type":"mcp_approval_request","id":"r","name":"g","arguments":"{}"},"#,
                r#"{"type":"mcp_approval_response","approval_request_id":"r","approve":false}]"#,
            ),
            &["call r g {}", "rejected r Human"],
        ),
        (
            concat!(
                r#"{"type":"mcp_call","id":"m","approval_request_id":"r","name":"g","#,
                r#""arguments":"{}","output":"x"}"#,
            ),
            &["call r g {}", "end r Ok None x"],
        ),
        (
            concat!(
                r#"{"type":"shell_call_output","call_id":"c","output":[{"stdout":"a","#,
                r#""outcome":{"type":"exit","exit_code":2}},{"outcome":{"exit_code":0}}]}"#,
            ),
            &[
                r#"end c Error Some(2) {"stdout":"a","outcome":{"type":"exit","exit_code":2}}
{"outcome":{"exit_code":0}}"#,
            ],
        ),
        (
            concat!(
                r#"{"role":"assistant","parts":[{"type":"tool-edit","toolCallId":"c","#,
                r#""state":"output-denied","input":{}}]}"#,
            ),
            &["call c edit {}", "end c Rejected(Human) None "],
        ),
        (
            concat!(
                r#"{"role":"assistant","parts":[{"type":"dynamic-tool","toolName":"g","#,
                r#""toolCallId":"c","state":"input-available","input":{},"#,
                r#""approval":{"approved":true}}]}"#,
            ),
            &["call c g {}", "approved c Human"],
        ),
        (
            concat!(
                r#"{"role":"assistant","parts":[{"type":"tool-invocation","#,
                r#""toolInvocation":{"state":"result","toolCallId":"c","toolName":"h","#,
                r#""args":{},"result":"r"}}]}"#,
            ),
            &["call c h {}", "end c Ok None r"],
        ),
        (
            r#"{"role":"tool","id":"c","requestor":"assistant","content":"","error":false}"#,
            &["end c Ok None "],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(told(&FORMAT, text), expected, "{text}");
    }
}

#[test]
fn a_text_rejects_nothing_and_claims_are_no_calls() {
    let said = r#"{"role":"assistant","content":"I called f({})"}"#;
    assert!(told(&FORMAT, said).is_empty());
    let denied = r#"{"role":"tool","tool_call_id":"c","content":"The user rejected this call"}"#;
    assert_eq!(
        told(&FORMAT, denied),
        ["end c Ok None The user rejected this call"]
    );
}

#[test]
fn results_of_cline_are_texts_of_the_user() {
    let result = "[read_file for 'a'] Result:";
    let cases: [(&str, &[&str]); 5] = [
        (r#"["<environment_details>"]"#, &["CallsInText"]),
        (
            r#"["R", "x", {"type":"text","text":"y"}, "<environment_details>"]"#,
            &["CallsInText", "end - Ok None x\ny", "CallsInText"],
        ),
        (
            concat!(
                r#"["R The user denied this operation.","#,
                r#" "Skipping tool [b] due to user rejecting a previous tool."]"#,
            ),
            &[
                "CallsInText",
                "end - RejectedByText None The user denied this operation.",
                "end - RejectedByText None Skipping tool [b] due to user rejecting a previous tool.",
            ],
        ),
        (
            r#""R\n\nThe tool execution failed with the following error: x""#,
            &[
                "CallsInText",
                "end - Error None The tool execution failed with the following error: x",
            ],
        ),
        (
            r#"["Skipping tool [b] due to user rejecting a previous tool."]"#,
            &[],
        ),
    ];
    for (content, expected) in cases {
        let content = content.replace('R', result);
        let text = format!(r#"{{"role":"user","content":{content}}}"#);
        assert_eq!(told(&FORMAT, &text), expected, "{text}");
        let other = text.replace(r#""user""#, r#""assistant""#);
        assert!(told(&FORMAT, &other).is_empty(), "{other}");
    }
    let task = "<task>x</task>\\n<environment_details>";
    let task = format!(r#"{{"role":"user","content":"{task}"}}"#);
    let call = r#"{"role":"assistant","content":"Now <read_file><path>a</path></read_file>"}"#;
    let end = format!(r#"{{"role":"user","content":"{result} x"}}"#);
    let next = r#"{"role":"user","content":"Go on."}"#;
    let all = fed(&FORMAT, &[&task, call, next, call, &end]);
    assert_eq!(all.len(), 3, "{all:?}");
    assert!(all[1].contains(r#""reasoning":"Now""#) && all[1].contains("unmatched"));
    assert!(all[2].contains(r#""outcome":"ok""#) && all[2].contains(r#""output":"x""#));
    // Two texts of one message.
    let all = fed(&FORMAT, &[&task, call, call, &end, &end]);
    let ended = |text: &&String| text.contains(r#""outcome":"ok""#);
    assert_eq!(all.iter().filter(ended).count(), 2, "{all:?}");
    // Without a sign of Cline, the markup is a claim.
    let all = fed(&FORMAT, &[call]);
    assert!(
        all[1].contains(r#""tool":"read_file","outcome":"not_executed""#),
        "{all:?}"
    );
}

#[test]
fn a_sign_of_cline_counts_for_the_whole_conversation() {
    let messages = [
        r#"{"role":"user","content":"<task>x</task>"}"#,
        r#"{"role":"assistant","content":"<list_files><path>a</path></list_files>"}"#,
        r#"{"role":"user","content":"[list_files for 'a'] Result: b"}"#,
    ];
    let whole = format!("[{}]", messages.join(","));
    assert_eq!(told(&FORMAT, &whole), ["CallsInText", "end - Ok None b"]);
    let all = fed(&FORMAT, &[&whole]);
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[1].contains(r#""tool":"list_files""#) && all[1].contains(r#""outcome":"ok""#));
}

#[test]
fn ids_that_repeat_are_two_calls_and_the_last_calls_are_open() {
    let call = r#"{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f"}}]}"#;
    let result = r#"{"role":"tool","tool_call_id":"c","content":"x"}"#;
    let all = fed(&FORMAT, &[call, result, call, result, call]);
    assert_eq!(all.len(), 4, "{all:?}");
    assert!(all[1].contains(r#""callId":"c""#) && all[1].contains(r#""outcome":"ok""#));
    assert!(all[2].contains(r#""callId":"c#2""#) && all[2].contains(r#""outcome":"ok""#));
    assert!(all[3].contains(r#""outcome":"open""#));
}

#[test]
fn conversations_on_lines_are_sessions_of_their_own() {
    let line = concat!(
        r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f"}},"#,
        r#"{"id":"d","function":{"name":"f"}}]}]}"#,
    );
    let all = fed(&FORMAT, &[line, line]);
    assert_eq!(all.len(), 6);
    assert!(all[3].contains(r#""executionId":"stem:2""#), "{all:?}");
    assert!(
        all.iter()
            .filter(|text| text.contains(r#""outcome":"open""#))
            .count()
            == 4
    );
}

#[test]
fn the_first_line_of_pi_names_the_session() {
    let all = fed(
        &PI,
        &[
            r#"{"type":"session","id":"s","cwd":"/home/dev/app"}"#,
            concat!(
                r#"{"type":"message","timestamp":"2026-01-05T08:00:00Z","#,
                r#""message":{"role":"assistant","content":[{"type":"toolCall","id":"k","#,
                r#""name":"read","arguments":{}}]}}"#,
            ),
            concat!(
                r#"{"type":"message","message":{"role":"toolResult","toolCallId":"k","#,
                r#""content":[],"isError":true}}"#,
            ),
        ],
    );
    assert!(all[0].contains(r#""executionId":"s""#) && all[0].contains("/home/dev/app"));
    assert!(all[1].contains(r#""outcome":"error""#), "{all:?}");
}

#[test]
fn expected_calls_of_a_document_of_runs_are_not_made() {
    let expected = r#"{"name":"g","arguments":{"a":1},"info":null}"#;
    let text = format!(
        r#"{{"info":{{}},"tasks":[{{"evaluation_criteria":{{"actions":[{expected}]}}}}],
            "simulations":[{{"id":"s","task_id":"0","trial":0,
                "reward_info":{{"action_checks":[{{"action":{expected}}}]}},
                "messages":[{{"role":"assistant","content":null,
                    "tool_calls":[{{"id":"c","name":"f","arguments":{{}}}}],
                    "raw_data":{{"message":{{"tool_calls":[{{"id":"c","name":"f"}}]}}}}}}]}}]}}"#
    );
    let all = told(&FORMAT, &text);
    assert_eq!(all, ["session 0#0", "call c f {}"]);
}

/// A call of an unknown kind, with its id.
const UNKNOWN: &str = r#"{"type":"new_tool_call","id":"z","name":"bash","args":{"command":"x"}}"#;
const WANTED: &str = r#"wanted call z bash {"command":"x"}"#;

#[test]
fn a_known_call_hides_no_call_of_an_unknown_kind() {
    let known = r#"{"type":"tool_use","id":"k","name":"f","input":{"a":1}}"#;
    let call = r#"call k f {"a":1}"#;
    let listed = r#"{"id":"k","name":"f","args":{"a":1}}"#;
    let openai = r#"{"id":"z","function":{"name":"bash","arguments":"{\"command\":\"x\"}"}}"#;
    let result = r#"{"type":"tool_result","tool_use_id":"k","content":"y"}"#;
    let end = "end k Ok None y";
    let cases = [
        (format!(r#""content":[{known},{UNKNOWN}]"#), call),
        (format!(r#""content":[{UNKNOWN},{known}]"#), call),
        (format!(r#""content":[{known},[{{"x":{UNKNOWN}}}]]"#), call),
        (
            format!(r#""parts":[{known},{{"type":"x","tool_call":{openai}}}]"#),
            call,
        ),
        (
            format!(r#""content":[{UNKNOWN}],"tool_calls":[{listed}]"#),
            call,
        ),
        (
            format!(r#""content":[{known}],"tool_calls":[{listed}],"toolUses":[{UNKNOWN}]"#),
            call,
        ),
        (
            format!(r#""tool_calls":[{listed}],"invalid_tool_calls":[{openai}]"#),
            call,
        ),
        (
            format!(r#""tool_calls":[{listed}],"extra":{{"x":[{UNKNOWN}]}}"#),
            call,
        ),
        (format!(r#""content":[{result},{UNKNOWN}]"#), end),
    ];
    for (members, known) in cases {
        for message in [
            format!(r#"{{"role":"assistant",{members}}}"#),
            format!(r#"{{"type":"message","message":{{"role":"assistant",{members}}}}}"#),
        ] {
            for format in [&FORMAT, &PI] {
                assert_eq!(told(format, &message), [known, WANTED], "{message}");
            }
        }
    }
    let inside = [
        // Next to the members of a known call, and of a result.
        format!(
            r#"{{"role":"assistant","content":[{},"x":{UNKNOWN}}}]}}"#,
            known.trim_end_matches('}').to_owned() + r"}"
        ),
        format!(
            r#"{{"role":"assistant","parts":[{{"functionCall":{{"id":"k","name":"f","args":{{"a":1}}}},
                "functionCalls":{UNKNOWN}}}]}}"#
        ),
        format!(
            r#"{{"type":"function_call","call_id":"k","name":"f","arguments":"{{\"a\":1}}","x":{UNKNOWN}}}"#
        ),
    ];
    for message in inside {
        assert_eq!(told(&FORMAT, &message), [call, WANTED], "{message}");
    }
    let message =
        format!(r#"{{"role":"tool","tool_call_id":"k","content":"y","tool_calls":[{UNKNOWN}]}}"#);
    assert_eq!(told(&FORMAT, &message), [end, WANTED], "{message}");
}

#[test]
fn an_unknown_copy_of_a_call_is_not_counted_again() {
    let listed = r#"{"id":"k","name":"f","args":{"a":1}}"#;
    let copies = [
        format!(r#""raw":{{"tool_calls":[{listed}]}}"#),
        r#""tool_call_chunks":[{"id":"k","name":"f","args":"{\"a\": 1}","index":0}]"#.to_owned(),
        r#""raw":{"tool_calls":[{"id":"k","function":{"name":"F","arguments":"{\"a\":1}"}}]}"#
            .to_owned(),
        r#""content":[{"toolUse":{"toolUseId":"k","name":"f","input":{"a":1}}}]"#.to_owned(),
    ];
    for copy in copies {
        let message = format!(r#"{{"role":"assistant","tool_calls":[{listed}],{copy}}}"#);
        assert_eq!(
            told(&FORMAT, &message),
            [r#"call k f {"a":1}"#],
            "{message}"
        );
    }
    // Without an id, one of two equal calls is a copy.
    let unnamed = r#"{"name":"f","args":{"a":1}}"#;
    let message = |copies: &str| {
        format!(
            r#"{{"role":"assistant","tool_calls":[{listed}],"raw":{{"tool_calls":[{copies}]}}}}"#
        )
    };
    assert_eq!(fed(&FORMAT, &[&message(unnamed)]).len(), 2);
    let two = message(&[unnamed, unnamed].join(","));
    assert_eq!(fed(&FORMAT, &[&two]).len(), 3);
    // The same id with other arguments: all of them count. With another tool it is another call.
    let other = message(r#"{"id":"k","name":"f","args":{"a":2}}"#);
    let both = r#"call k f {"arguments":{"a":1},"other_arguments":{"a":2}}"#;
    assert_eq!(told(&FORMAT, &other), [both]);
    let other = message(r#"{"id":"k","name":"bash","args":{"command":"x"}}"#);
    let two = [
        r#"call k f {"a":1}"#,
        r#"wanted call - bash {"command":"x"}"#,
    ];
    assert_eq!(told(&FORMAT, &other), two);
}

#[test]
fn what_is_next_to_a_known_call_may_be_no_call() {
    let nested = r#"{"tool":"bash","arguments":{"command":"x"}}"#;
    let cases = [
        format!(r#""content":[{{"type":"tool_use","id":"k","name":"f","input":{nested}}}]"#),
        format!(r#""tool_calls":[{{"id":"k","name":"f","args":{nested}}}]"#),
        format!(r#""parts":[{{"functionCall":{{"id":"k","name":"f","args":{nested}}}}}]"#),
        format!(
            r#""parts":[{{"type":"dynamic-tool","toolName":"f","toolCallId":"k",
                "state":"input-available","input":{nested}}}]"#
        ),
        format!(
            r#""content":[{{"type":"tool_use","id":"k","name":"f","input":{nested}}}],
                "tool_calls":[{{"id":"k","name":"f","args":{nested}}}],
                "additional_kwargs":{{"tool_calls":[{{"id":"k","name":"f","args":{nested}}}]}}"#
        ),
        format!(
            r#""content":[{{"type":"tool_use","id":"k","name":"f","input":{nested}}},
                {{"type":"thinking","thinking":"x","signature":"tool"}},
                {{"type":"image","source":{{"type":"base64","data":"x"}}}},
                {{"type":"document","title":"a","source":{{"type":"url","url":"tool"}}}},
                {{"type":"tool_reference","tool_name":"g"}},
                {{"text":"x","annotations":[{{"type":"url_citation","url":"x"}}]}}],
                "tools":[{nested}],"usage":{{"server_tool_use":{{"web_search_requests":1}}}}"#
        ),
    ];
    for members in cases {
        let message = format!(r#"{{"role":"assistant",{members}}}"#);
        assert_eq!(
            told(&FORMAT, &message),
            [format!("call k f {nested}")],
            "{message}"
        );
    }
    let result = format!(
        r#"{{"role":"tool","tool_call_id":"k","content":[{nested}],"details":{{"calls":[{nested}]}},
            "artifact":{nested}}}"#
    );
    assert_eq!(told(&FORMAT, &result), [format!("end k Ok None {nested}")]);
}

#[test]
fn a_call_of_a_server_has_its_result() {
    let text = concat!(
        r#"{"role":"assistant","content":[{"type":"server_tool_call","id":"s","name":"f","#,
        r#""args":{"a":1}},{"type":"server_tool_result","tool_call_id":"s","status":"error","#,
        r#""output":"no"}]}"#,
    );
    assert_eq!(
        told(&FORMAT, text),
        [r#"call s f {"a":1}"#, "end s Error None no"]
    );
}

#[test]
fn code_that_gemini_executes_is_a_call() {
    let call = r#"call - code_interpreter {"language":"PYTHON","code":"x"}"#;
    for (code, result) in [
        ("executableCode", "codeExecutionResult"),
        ("executable_code", "code_execution_result"),
    ] {
        let code = format!(r#"{{"{code}":{{"language":"PYTHON","code":"x"}}}}"#);
        let known = r#"{"functionCall":{"name":"f","args":{}}}"#;
        let result = |outcome: &str| {
            format!(r#"{{"{result}":{{"outcome":"OUTCOME_{outcome}","output":"y"}}}}"#)
        };
        let parts = |all: &[&str]| format!(r#"{{"role":"model","parts":[{}]}}"#, all.join(","));
        assert_eq!(told(&FORMAT, &parts(&[&code])), [call]);
        assert_eq!(
            told(&FORMAT, &parts(&[known, &code])),
            ["call - f {}", call]
        );
        for (outcome, how) in [
            ("OK", "Ok"),
            ("FAILED", "Error"),
            ("DEADLINE_EXCEEDED", "Interrupted"),
            ("UNSPECIFIED", "NotRecorded"),
        ] {
            let text = parts(&[&code, &result(outcome)]);
            assert_eq!(
                told(&FORMAT, &text),
                [call.to_owned(), format!("end - {how} None y")]
            );
            let all = fed(&FORMAT, &[&text]);
            assert_eq!(all.len(), 2, "{all:?}");
        }
    }
    let both = concat!(
        r#"{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"#,
        r#""executableCode":{"id":"e","code":"x"},"function_call":{"name":"g","args":{}}}]}"#,
    );
    let expected = [
        "call - f {}",
        "call - g {}",
        r#"call e code_interpreter {"id":"e","code":"x"}"#,
    ];
    assert_eq!(told(&FORMAT, both), expected);
    let none = r#"{"role":"model","parts":[{"text":"executableCode","executableCode":null}]}"#;
    assert!(told(&FORMAT, none).is_empty());
}

#[test]
fn calls_in_candidates_are_asked_for() {
    let parts = r#"{"function_call":{"name":"f","args":{"a":1}}},{"executable_code":{"code":"x"}}"#;
    for text in [
        format!(r#"{{"candidates":[{{"content":{{"parts":[{parts}]}}}}]}}"#),
        format!(
            r#"{{"candidates":[{{"message":null,"content":{{"role":"model","parts":[{parts}]}}}}]}}"#
        ),
        format!(r#"[{{"role":"model","parts":[{parts}]}}]"#),
        format!("[{parts}]"),
    ] {
        let calls = asked(Raw::trusted(&text));
        let mut tools: Vec<_> = calls.iter().map(|call| &*call.tool).collect();
        tools.sort_unstable();
        assert_eq!(tools, ["code_interpreter", "f"], "{text}");
    }
}

#[test]
fn an_unknown_call_in_a_response_is_asked_for_once() {
    let known = r#"{"id":"k","function":{"name":"f","arguments":"{}"}}"#;
    let text = format!(
        r#"{{"choices":[{{"message":{{"role":"assistant","content":[{UNKNOWN}],
            "tool_calls":[{known}]}}}}]}}"#
    );
    for text in [text.clone(), format!("[{text}]")] {
        let calls = asked(Raw::trusted(&text));
        let mut ids: Vec<_> = calls.iter().filter_map(|call| call.id.as_deref()).collect();
        ids.sort_unstable();
        assert_eq!(ids, ["k", "z"], "{text}");
    }
}

#[test]
fn calls_and_results_of_bedrock_are_joined() {
    let call = r#"{"role":"assistant","content":[{"text":"y"},
        {"toolUse":{"toolUseId":"c","name":"f","input":{"a":1}}}]}"#;
    let result = |status: &str, content: &str| {
        format!(
            r#"{{"role":"user","content":[{{"toolResult":{{"toolUseId":"c","status":"{status}",
                "content":[{content}]}}}}]}}"#
        )
    };
    for (status, content, expected) in [
        ("success", r#"{"text":"x"}"#, "end c Ok None x"),
        (
            "success",
            r#"{"json":{"b":2}}"#,
            r#"end c Ok None {"json":{"b":2}}"#,
        ),
        ("error", r#"{"text":"x"}"#, "end c Error None x"),
    ] {
        let told = told(&FORMAT, &format!("[{call},{}]", result(status, content)));
        assert_eq!(told, [r#"call c f {"a":1}"#, expected]);
    }
}

#[test]
fn approvals_of_the_ai_sdk_are_decisions() {
    let call = |id: &str, approval: &str| {
        format!(
            r#"{{"type":"tool-call","toolCallId":"{id}","toolName":"f","input":{{}}}},
                {{"type":"tool-approval-request","approvalId":"{approval}","toolCallId":"{id}"}}"#
        )
    };
    let answer = |approval: &str, approved: bool| {
        format!(
            r#"{{"type":"tool-approval-response","approvalId":"{approval}","approved":{approved}}}"#
        )
    };
    let conversation = format!(
        r#"[{{"role":"assistant","content":[{},{}]}},{{"role":"tool","content":[{},{},{}]}},
            {{"role":"tool","content":[{{"type":"tool-result","toolCallId":"d","output":"x"}}]}}]"#,
        call("c", "p"),
        call("d", "q"),
        answer("p", false),
        answer("q", true),
        answer("unknown", true),
    );
    let records = fed(&FORMAT, &[&conversation]);
    let calls: Vec<&String> = records.iter().skip(1).collect();
    assert_eq!(calls.len(), 2, "{records:?}");
    assert!(
        calls.iter().any(|call| call.contains(r#""callId":"c""#)
            && call.contains(r#""status":"rejected""#)
            && call.contains(r#""outcome":"not_executed""#)),
        "{calls:?}"
    );
    assert!(
        calls.iter().any(|call| call.contains(r#""callId":"d""#)
            && call.contains(r#""status":"approved""#)
            && call.contains(r#""outcome":"ok""#)),
        "{calls:?}"
    );
}

#[test]
fn a_block_of_inspect_contains_its_result() {
    for (result, how) in [
        (r#""result":"x","error":null"#, "end c Ok None x"),
        (r#""result":"x","error":"e""#, "end c Error None x"),
    ] {
        let block = format!(
            r#"{{"type":"tool_use","tool_type":"web_search","id":"c","name":"f","arguments":"{{}}",{result}}}"#
        );
        let message = format!(r#"{{"role":"assistant","content":[{block}]}}"#);
        assert_eq!(told(&FORMAT, &message), ["call c f {}", how]);
    }
}

#[test]
fn results_of_tau2_belong_to_the_calls_of_their_ids() {
    let result = |id: &str, members: &str| {
        format!(r#"{{"id":"{id}","role":"tool","content":"{id}"{members}}}"#)
    };
    let calls = |ids: &[&str]| {
        let calls = ids
            .iter()
            .map(|id| format!(r#"{{"id":"{id}","name":"f"}}"#));
        let calls = calls.collect::<Vec<_>>().join(",");
        format!(r#"{{"role":"assistant","tool_calls":[{calls}]}}"#)
    };
    for members in ["", r#","requestor":"assistant","error":false"#] {
        let several = [result("b", members), result("a", members)].join(",");
        let several = format!(r#"{{"role":"tool","tool_messages":[{several}]}}"#);
        let all = fed(
            &FORMAT,
            &[
                &calls(&["a", "b"]),
                &several,
                &calls(&["c"]),
                &result("c", members),
            ],
        );
        assert_eq!(all.len(), 4, "{all:#?}");
        for id in ["a", "b", "c"] {
            let joined = |record: &&String| {
                record.contains(&format!(r#""callId":"{id}""#))
                    && record.contains(&format!(r#""output":"{id}""#))
            };
            assert_eq!(all.iter().filter(joined).count(), 1, "{id} {all:#?}");
        }
    }
    // The message's own id isn't the call's.
    let unnamed = r#"{"role":"assistant","tool_calls":[{"name":"f"},{"name":"g"}]}"#;
    let all = fed(&FORMAT, &[unnamed, &result("x", ""), &result("y", "")]);
    assert_eq!(all.len(), 3, "{all:#?}");
    assert!(all[1].contains(r#""output":"x""#) && all[1].contains(r#""tool":"f""#));
    // A result of no call stays one.
    let all = fed(&FORMAT, &[&calls(&["a"]), &result("x", "")]);
    assert!(
        all[1].contains(r#""callId":"x""#) && !all[1].contains(r#""tool""#),
        "{all:#?}"
    );
}

#[test]
fn calls_in_a_text_are_read() {
    let list =
        r#"[{"id":"c","function":{"name":"f","arguments":"{\"a\":1}"}},{"id":"d","name":"g"}]"#;
    let text = serde_json::to_string(list).unwrap();
    let message =
        |calls: &str| format!(r#"{{"role":"assistant","content":"","tool_calls":{calls}}}"#);
    let expected = [r#"call c f {"a":1}"#, "call d g {}"];
    assert_eq!(told(&FORMAT, &message(list)), expected);
    assert_eq!(told(&FORMAT, &message(&text)), expected);
    // `fed` requires that there is no problem.
    assert_eq!(fed(&FORMAT, &[&message(&text)]).len(), 3);
}
