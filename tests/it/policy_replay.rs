//! What a policy would have decided about recorded actions.

use super::policy::run;
use std::path::Path;

#[test]
fn replay_groups_what_would_change() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = run(
        root,
        &[
            "replay",
            "corpora/traces/legal",
            "--policy",
            "read-only",
            "--format",
            "json",
        ],
    );
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(report["decisions"].as_u64().unwrap() > 50);
    let grouped: u64 = report["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|g| g["count"].as_u64().unwrap())
        .sum();
    assert_eq!(report["changed"].as_u64().unwrap(), grouped);
    assert!(grouped > 0 && report["unjudged"] == 0);
}

/// Builds a trace of one execution: its actions, each approved at a time, by policy or a human.
fn approved(actions: &[(serde_json::Value, i64, &str)]) -> String {
    let mut lines = vec![
        serde_json::json!({"record": "execution_started", "executionId": "e1", "timestamp": 1_768_800_000_000i64, "schemaVersion": "1.0", "rootIntent": "Look", "fsmVersion": "1", "governor": {"id": "governor"}}),
    ];
    for (n, (action, time, by)) in (1..).zip(actions) {
        let mut proposed = action.clone();
        proposed["id"] = format!("a{n}").into();
        proposed["riskLevel"] = "low".into();
        proposed["reasoning"] = "l".into();
        let at = |record: &str, mut more: serde_json::Value| {
            more["record"] = record.into();
            more["executionId"] = "e1".into();
            more["turnId"] = n.into();
            more["timestamp"] = (1_768_800_000_000i64 + 10 * n).into();
            more
        };
        lines.push(at(
            "action_proposed",
            serde_json::json!({ "action": proposed }),
        ));
        let decision = serde_json::json!({"status": "approved", "by": by, "signer": "alice", "actionId": format!("a{n}"), "timestamp": time});
        lines.push(at(
            "governance_decided",
            serde_json::json!({ "decision": decision }),
        ));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A context that traces don't record is reported as an assumption.
#[test]
fn a_replay_says_what_it_cannot_know() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let rule = |id: &str, key: &str| {
        format!(
            "  - {{ id: {id}, when: {{ {key}, effects: [write, delete] }}, effect: deny, reason: r }}\n"
        )
    };
    let rules = [
        rule("no-prod", "production: true"),
        rule("no-auto", "mode: 'auto*'"),
    ]
    .concat();
    std::fs::write(
        at.join("p.yaml"),
        format!("version: 1\ncombine: deny-overrides\ndefault: allow\nrules:\n{rules}"),
    )
    .unwrap();
    let call = |tool: &str| {
        let payload = serde_json::json!({"tool": tool, "parameters": {"path": "src"}});
        (
            serde_json::json!({"type": "tool_call", "payload": payload}),
            1_768_800_000_010,
            "human",
        )
    };
    let replay = |tool: &str, more: &[&str]| {
        std::fs::write(at.join("t.jsonl"), approved(&[call(tool)])).unwrap();
        let output = run(
            at,
            &[&["replay", "t.jsonl", "--policy", "p.yaml"], more].concat(),
        );
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (code, text) = replay("delete_file", &[]);
    assert!(
        code == Some(3)
            && text.contains(
                "1 decision would be another by `no-prod` if it was production, which no"
            ),
        "{text}"
    );
    let (code, text) = replay("delete_file", &["--production", "false"]);
    assert!(
        code == Some(3) && text.contains("`no-auto` if the mode was `auto"),
        "{text}"
    );
    assert_eq!(
        replay("delete_file", &["--production=false", "--mode", "review"]).0,
        Some(0)
    );
    let (code, text) = replay("delete_file", &["--production", "true"]);
    assert!(
        code == Some(1) && text.contains("1 of 1 decisions would change"),
        "{text}"
    );
    assert_eq!(
        replay("read_file", &[]).0,
        Some(0),
        "the rules aren't about it, wherever it was"
    );
    assert_eq!(replay("delete_file", &["--fail-on", "never"]).0, Some(0));
    let report: serde_json::Value =
        serde_json::from_str(&replay("delete_file", &["--format", "json"]).1).unwrap();
    assert!(
        report["inconclusive"][0]["rule"] == "no-prod" && report["inconclusive"][0]["count"] == 1,
        "{report}"
    );
}

/// Approvals with earlier times than the previous ones count too.
#[test]
fn a_limit_holds_though_times_run_backwards() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let rule = "rules: [{ id: few, when: { type: shell_cmd, max_per_minute: 2 }, effect: allow, reason: r }]\n";
    std::fs::write(at.join("p.yaml"), rule).unwrap();
    for step in [1, -1, 0] {
        let action = serde_json::json!({"type": "shell_cmd", "payload": {"command": "ls"}});
        let all: Vec<_> = (0..8)
            .map(|n| (action.clone(), 1_768_800_008_000 + n * step, "policy"))
            .collect();
        std::fs::write(at.join("t.jsonl"), approved(&all)).unwrap();
        let output = run(at, &["replay", "t.jsonl", "--policy", "p.yaml"]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.code() == Some(1) && text.contains("6 of 8 decisions would change"),
            "{step}: {text}"
        );
    }
}
