//! Calls of tools are compared with the manifests that `--tools` and `[tools]` name.

use super::support::{codes, json_report, write};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// Returns a trace with one call, which a human approved or rejected.
fn trace(payload: &Value, risk: &str, status: &str, result: &Value) -> String {
    let at = 1_769_000_000_000_u64;
    let ids = |record: &str, turn: bool, n: u64, more: Value| {
        let mut all = json!({"record": record, "executionId": "e", "timestamp": at + n});
        let members = all.as_object_mut().unwrap();
        if turn {
            members.insert("turnId".into(), 1.into());
        }
        members.extend(more.as_object().unwrap().clone());
        format!("{all}\n")
    };
    let action = json!({"type": "tool_call", "payload": payload});
    let mut lines = vec![
        ids(
            "execution_started",
            false,
            0,
            json!({"schemaVersion": "1.0", "rootIntent": "Plan a trip", "fsmVersion": "1", "policy": {"digest": "sha256:7d1a"}}),
        ),
        ids(
            "thought_generated",
            true,
            10,
            json!({"thought": {"reasoning": "Next.", "done": false, "action": action},
            "contextSnapshot": {"inputHash": "1", "systemPromptVersion": "1", "toolSetVersion": "1"}}),
        ),
        ids(
            "action_proposed",
            true,
            20,
            json!({"action": {"id": "a1", "type": "tool_call", "payload": payload, "riskLevel": risk, "reasoning": "Next."}}),
        ),
        ids(
            "governance_decided",
            true,
            5_000,
            json!({"decision": {"status": status, "by": "human", "actionId": "a1", "signer": "ann", "reason": "It is fine so.", "timestamp": at + 5_000}}),
        ),
    ];
    if status == "approved" {
        lines.push(ids(
            "execution_finished",
            true,
            5_100,
            json!({"actionId": "a1", "result": result}),
        ));
        lines.push(ids(
            "observation_recorded",
            true,
            5_110,
            json!({"observation": {"summary": "Done.", "artifacts": []}}),
        ));
    }
    lines.push(ids(
        "evaluation_made",
        true,
        5_200,
        json!({"evaluation": {"kind": "terminate", "reason": "goal_satisfied"}}),
    ));
    lines.concat()
}

fn tools(more: &Value) -> String {
    let mut tool = json!({"name": "read_file", "description": "Reads a file.", "riskLevel": "medium",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer", "maximum": 100}},
            "required": ["path"], "additionalProperties": false}});
    tool.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    json!([tool]).to_string()
}

/// Returns the codes of the findings about one call, and their messages.
fn found(at: &Path, args: &[&str]) -> Vec<(String, String)> {
    let (_, report) = json_report(at, &[&["replay", "t.jsonl"], args].concat());
    let all = report["findings"].as_array().unwrap().iter();
    all.map(|f| {
        let text = |name: &str| f[name].as_str().unwrap().to_owned();
        (text("code"), text("message"))
    })
    .collect()
}

#[test]
fn executed_calls_conform_to_their_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "tools.json", &tools(&json!({"resultKinds": ["json"]})));
    let of = |payload: Value, risk: &str, status: &str, result: Value| {
        write(at, "t.jsonl", &trace(&payload, risk, status, &result));
        let found = found(at, &["--tools", "tools.json"]);
        found.into_iter().map(|(code, _)| code).collect::<Vec<_>>()
    };
    let call = |given: Value| json!({"tool": "read_file", "parameters": given});
    let good = || call(json!({"path": "src/a.rs"}));
    let json = || json!({"success": true, "output": "{\"lines\": 3}"});
    assert_eq!(of(good(), "medium", "approved", json()), [""; 0]);
    assert_eq!(of(good(), "low", "approved", json()), ["YV918"]);
    for wrong in [
        json!({"path": "src/a.rs", "limit": 101}),
        json!({"path": "src/a.rs", "limit": "3"}),
        json!({"path": "src/a.rs", "colour": "red"}),
        json!({}),
    ] {
        assert_eq!(
            of(call(wrong.clone()), "high", "approved", json()),
            ["YV917"],
            "{wrong}"
        );
        // A call that was rejected did nothing.
        let rejected = of(call(wrong.clone()), "high", "rejected", json());
        assert!(!rejected.contains(&"YV917".to_owned()), "{wrong}");
    }
    // A runtime may take either of them.
    let both =
        json!({"tool": "read_file", "parameters": {"path": "src/a.rs"}, "input": {"path": 7}});
    assert_eq!(of(both, "high", "approved", json()), ["YV917"]);
    let other = json!({"tool": "read_files", "parameters": {"path": "src/a.rs"}});
    assert_eq!(of(other, "high", "approved", json()), ["YV916"]);
    for output in ["lines: 3", "", "{\"lines\""] {
        let result = json!({"success": true, "output": output});
        assert_eq!(
            of(good(), "medium", "approved", result),
            ["YV920"],
            "{output}"
        );
    }
    let failed =
        json!({"success": false, "output": "", "error": {"type": "runtime", "message": "gone"}});
    assert!(!of(good(), "medium", "approved", failed).contains(&"YV920".to_owned()));
    // A high level that only the manifest knows needs a human as well.
    write(at, "tools.json", &tools(&json!({"riskLevel": "high"})));
    let by_policy = trace(&good(), "low", "approved", &json())
        .replace("\"by\":\"human\"", "\"by\":\"policy\",\"ruleId\":\"r\"");
    write(at, "t.jsonl", &by_policy);
    let of_policy = found(at, &["--tools", "tools.json"]);
    let codes: Vec<&str> = of_policy.iter().map(|(code, _)| code.as_str()).collect();
    assert_eq!(codes, ["YV918", "YV302"]);
    assert_eq!(found(at, &[]), [], "nothing is compared without a manifest");
}

#[test]
fn a_gate_compares_calls_with_the_manifests_that_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let peek = json!({"tool": "mcp__ghost__peek", "parameters": {}});
    write(
        at,
        "t.jsonl",
        &trace(
            &peek,
            "high",
            "approved",
            &json!({"success": true, "output": "ok"}),
        ),
    );
    write(at, "tools.json", &tools(&json!({})));
    write(
        at,
        ".ai-stack.json",
        r#"{"mcp":{"configPath":"./.mcp.json","servers":{"maps":{"type":"sse","url":"https://maps.example.com"}}}}"#,
    );
    write(
        at,
        ".mcp.json",
        r#"{"mcpServers":{"tides":{"type":"http","url":"https://tides.example.com"}}}"#,
    );
    let gate = |files: &str| {
        write(
            at,
            "yuangs-verify.toml",
            &format!("[traces]\npaths = ['t.jsonl']\n[tools]\nfiles = [{files}]\n"),
        );
        let run = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
            .current_dir(at)
            .args(["gate", "--format", "json"])
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&run.stdout).unwrap_or_default();
        let found: Vec<String> = report["findings"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|f| f["code"].as_str().unwrap().to_owned())
            .collect();
        (run.status.code().unwrap(), found)
    };
    let one = |code: &str| (1, vec![code.to_owned()]);
    assert_eq!(gate("'tools.json'"), one("YV916"));
    assert_eq!(gate("'.mcp.json'"), one("YV919"));
    assert_eq!(
        gate("'tools.json', '.ai-stack.json', '.mcp.json'"),
        one("YV919")
    );
    // The servers of another file count only if it is named too.
    assert_eq!(gate("'.ai-stack.json'").0, 2);
    for unusable in [
        "",
        "'missing.json'",
        "'t.jsonl'",
        "'tools.json', 'yuangs-verify.toml'",
    ] {
        assert_eq!(gate(unusable).0, 2, "{unusable}");
    }
    // A manifest with a fault is compared with nothing.
    write(
        at,
        "tools.json",
        r#"[{"name":"a","description":"d","parameters":{"$ref":"https://example.com/s.json"}}]"#,
    );
    assert_eq!(gate("'tools.json'").0, 2);
    // A manifest isn't read merely because it is there.
    write(at, "yuangs-verify.toml", "[traces]\npaths = ['t.jsonl']\n");
    let (code, report) = json_report(at, &["gate"]);
    assert_eq!((code, codes(&report)), (0, vec![]));
}

#[test]
fn nothing_hostile_and_nothing_secret_of_a_call_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let key = format!("AKIA{}", "IOSFODNN7ABCDEFG");
    write(at, "tools.json", &tools(&json!({})));
    let hostile = "\u{1b}[2J\u{202e}\n::error::x";
    let payload = json!({"tool": "read_file", "parameters": {"path": [key], format!("{hostile}{key}"): 1, "limit": format!("{hostile} {key}")}});
    write(
        at,
        "t.jsonl",
        &trace(
            &payload,
            "high",
            "approved",
            &json!({"success": true, "output": "ok"}),
        ),
    );
    for format in ["text", "json", "markdown", "github", "sarif", "html"] {
        let run = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
            .current_dir(at)
            .args([
                "replay",
                "--tools",
                "tools.json",
                "t.jsonl",
                "--format",
                format,
            ])
            .output()
            .unwrap();
        let text = String::from_utf8(run.stdout).unwrap();
        assert!(text.contains("YV917"), "{format}: {text}");
        assert!(!text.contains(&key), "{format}: {text}");
        assert!(
            !text
                .chars()
                .any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'),
            "{format}: {text}"
        );
    }
}

#[test]
fn calls_of_sessions_are_compared_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "tools.json", &tools(&json!({"riskLevel": null})));
    let messages = json!([
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\":\"src/a.rs\"}"}},
            {"id": "c2", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\":17}"}},
            {"id": "c3", "type": "function", "function": {"name": "search_web", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "fn main() {}"},
        {"role": "tool", "tool_call_id": "c2", "content": "ok"},
        {"role": "tool", "tool_call_id": "c3", "content": "ok"}
    ]);
    write(at, "t.json", &messages.to_string());
    let (_, report) = json_report(at, &["replay", "t.json", "--tools", "tools.json"]);
    let mut found = codes(&report);
    found.retain(|code| code.starts_with("YV9"));
    found.sort_unstable();
    assert_eq!(found, ["YV916", "YV917"], "{report:#}");
}

#[test]
fn a_number_out_of_range_is_compared_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "tools.json", &tools(&json!({"riskLevel": "high"})));
    let call = json!({"tool": "read_file", "parameters": {"path": "src/a.rs", "limit": 7}});
    let result = json!({"success": true, "output": "x"});
    let fine = trace(&call, "high", "approved", &result);
    for (from, to) in [
        ("\"limit\":7", "\"limit\":1e999"),
        ("\"limit\":7", "\"n\":-1e999"),
    ] {
        let torn = fine.replace(from, to);
        assert_ne!(torn, fine);
        write(at, "t.jsonl", &torn);
        let found = found(at, &["--tools", "tools.json"]);
        assert!(
            found.iter().any(|(code, _)| code == "YV917"),
            "{to}: {found:?}"
        );
    }
}
