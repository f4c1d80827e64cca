//! Limits over several executions, and policies that an execution changes.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fs::{create_dir_all, write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const HOUR: i64 = 3_600_000;
/// Midnight of a day of UTC.
const DAY: i64 = 20_472 * 24 * HOUR;

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap()
}

fn replay(folder: &Path, more: &[&str]) -> (Option<i32>, Value) {
    let args = ["policy", "replay", "--format", "json", "--policy", "p.yaml"];
    let output = run(folder, &[&args, more].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    (output.status.code(), value)
}

/// An execution of one approved command, with its cost. Without a time nothing of it has one.
fn execution(id: &str, command: &str, time: Option<i64>, cost: f64) -> String {
    let action = json!({"id": "a1", "type": "shell_cmd", "payload": {"command": command}, "riskLevel": "low", "reasoning": "r"});
    let decision = json!({"status": "approved", "by": "policy", "actionId": "a1"});
    let mut lines = vec![
        json!({"record": "execution_started", "schemaVersion": "1.0", "rootIntent": "Look", "fsmVersion": "1", "governor": {"id": "g"}}),
        json!({"record": "action_proposed", "turnId": 1, "action": action}),
        json!({"record": "governance_decided", "turnId": 1, "decision": decision}),
        json!({"record": "execution_finished", "turnId": 1, "actionId": "a1", "result": {"success": true, "output": "", "cost": cost}}),
    ];
    for (number, line) in (0i64..).zip(&mut lines) {
        line["executionId"] = id.into();
        if let Some(time) = time {
            line["timestamp"] = (time + number).into();
        }
        if line.get("decision").is_some()
            && let Some(time) = time
        {
            line["decision"]["timestamp"] = (time + number).into();
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The lines of the findings over a limit, as `file:line`.
fn over_limit(report: &Value) -> Vec<String> {
    let groups = report["groups"].as_array().unwrap().iter();
    let groups = groups.filter(|group| group["code"] == "YV505");
    let actions = groups.flat_map(|group| group["actions"].as_array().unwrap());
    let mut all: Vec<String> = actions
        .map(|action| action["file"].as_str().unwrap().to_owned())
        .collect();
    all.sort();
    all
}

#[test]
fn limits_per_hour_count_over_files_in_the_order_of_time() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at.join("p.yaml"),
        "version: 1\nid: p\ndefault: deny\nrules:\n  - { id: some, when: { type: shell_cmd, max_per_hour: 2 }, effect: allow, reason: r }\n",
    )
    .unwrap();
    // The names of the files have another order than the times.
    for (file, time) in [("d", 0), ("c", 10), ("b", 20), ("a", HOUR + 15)] {
        let text = execution(file, "ls", Some(DAY + time), 0.0);
        write(at.join(format!("{file}.jsonl")), text).unwrap();
    }
    let files = ["a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"];
    let (code, report) = replay(at, &files);
    assert_eq!(over_limit(&report), ["b.jsonl"], "{report}");
    assert_eq!(code, Some(1));
    let (_, same) = replay(at, &["d.jsonl", "b.jsonl", "c.jsonl", "a.jsonl"]);
    assert_eq!(over_limit(&same), ["b.jsonl"]);
    let (code, two) = replay(at, &["a.jsonl", "d.jsonl"]);
    assert_eq!((code, over_limit(&two).len()), (Some(0), 0));
    // Two executions in one file are two.
    let both = ["b", "c", "d"]
        .map(|file| std::fs::read_to_string(at.join(format!("{file}.jsonl"))).unwrap());
    write(at.join("all.jsonl"), both.concat()).unwrap();
    assert_eq!(over_limit(&replay(at, &["all.jsonl"]).1), ["all.jsonl"]);
}

#[test]
fn costs_count_by_days_of_utc() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let policy = "limits: {max_cost_per_day: 50}\ndangerous_commands: [{pattern: rm, severity: high, action: block}]\n";
    write(at.join("p.yaml"), policy).unwrap();
    for (file, time, cost) in [
        ("a", DAY - 10 * HOUR, 60.0),
        ("b", DAY + HOUR, 30.0),
        ("c", DAY + 2 * HOUR, 30.0),
        ("d", DAY + 3 * HOUR, 1.0),
    ] {
        let text = execution(file, "ls", Some(time), cost);
        write(at.join(format!("{file}.jsonl")), text).unwrap();
    }
    let files = ["a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"];
    let (_, report) = replay(at, &files);
    assert_eq!(over_limit(&report), ["d.jsonl"], "{report}");
}

#[test]
fn executions_without_times_are_said_to_be_uncounted() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let policy = "limits: {max_executions_per_hour: 1}\ndangerous_commands: [{pattern: rm, severity: high, action: block}]\n";
    write(at.join("p.yaml"), policy).unwrap();
    for file in ["a", "b"] {
        let text = execution(file, "ls", None, 1.0);
        write(at.join(format!("{file}.jsonl")), text).unwrap();
    }
    let (_, report) = replay(at, &["a.jsonl", "b.jsonl"]);
    assert_eq!(over_limit(&report).len(), 0);
    assert_eq!(report["undatedExecutions"], 2);
    let output = run(
        at,
        &[
            "policy", "replay", "a.jsonl", "b.jsonl", "--policy", "p.yaml",
        ],
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let said = "limits per hour and day: 2 executions record no time of an approval or cost";
    assert!(text.contains(said), "{text}");
}

#[test]
fn standard_input_counts_like_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at.join("p.yaml"), "version: 1\nid: p\ndefault: allow\nrules:\n  - { id: some, when: { type: shell_cmd, max_per_hour: 1 }, effect: allow, reason: r }\n").unwrap();
    let executions = [("late", 2), ("early", 1)];
    let text = executions.map(|(id, time)| execution(id, "ls", Some(DAY + time), 0.0));
    write(at.join("a.jsonl"), text.concat()).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(at)
        .args(["policy", "replay", "-", "--policy", "p.yaml"])
        .stdin(Stdio::from(
            std::fs::File::open(at.join("a.jsonl")).unwrap(),
        ))
        .output()
        .unwrap();
    let text = String::from_utf8(child.stdout).unwrap();
    assert!(
        text.contains("[late]") && !text.contains("[early]"),
        "{text}"
    );
    assert_eq!(child.status.code(), Some(1));
}

/// An execution with a policy and one approved action by a human.
fn governed(policy: &Value, action: &Value, observed: &[&str]) -> String {
    let mut proposed = action.clone();
    proposed["id"] = "a1".into();
    proposed["riskLevel"] = "high".into();
    proposed["reasoning"] = "r".into();
    let mut finished = json!({"record": "execution_finished", "turnId": 1, "actionId": "a1", "result": {"success": true, "output": ""}});
    if !observed.is_empty() {
        finished["observedChanges"] = observed.into();
    }
    let decision = json!({"status": "approved", "by": "human", "signer": "alice", "actionId": "a1", "timestamp": DAY + 2});
    let mut lines = vec![
        json!({"record": "execution_started", "schemaVersion": "1.0", "rootIntent": "Look", "fsmVersion": "1", "governor": {"id": "g"}, "policy": policy}),
        json!({"record": "action_proposed", "turnId": 1, "action": proposed}),
        json!({"record": "governance_decided", "turnId": 1, "decision": decision}),
        finished,
    ];
    for (number, line) in (0i64..).zip(&mut lines) {
        line["executionId"] = "e".into();
        line["timestamp"] = (DAY + number).into();
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn shell(command: &str) -> Value {
    json!({"type": "shell_cmd", "payload": {"command": command}})
}

#[test]
fn a_change_of_the_governing_policy_is_found_whatever_approved_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let policy = json!({"digest": "sha256:7d1a", "path": "agent/config/team.yaml"});
    let tool = |path: &str| json!({"type": "tool_call", "payload": {"tool": "write_file", "parameters": {"path": path, "content": "x"}}});
    let diff = "--- a/agent/config/team.yaml\n+++ b/agent/config/team.yaml\n@@ -1 +1 @@\n-a\n+b\n";
    let gone = "--- a/agent/config/team.yaml\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    for (action, observed, found) in [
        (shell("echo x > agent/config/team.yaml"), &[][..], true),
        (shell("echo x > ./agent/./config/team.yaml"), &[], true),
        (
            shell("cd agent && sed -i s/a/b/ config/team.yaml"),
            &[],
            true,
        ),
        (shell("rm -r agent"), &[], true),
        (shell("mv agent old"), &[], true),
        (shell("rm agent/config/*.yaml"), &[], true),
        (shell("echo x > /srv/app/agent/config/team.yaml"), &[], true),
        (tool("agent/config/team.yaml"), &[], true),
        (tool("Agent/Config/Team.yaml"), &[], true),
        (
            json!({"type": "code_diff", "payload": {"diff": diff}}),
            &[],
            true,
        ),
        (
            json!({"type": "code_diff", "payload": {"diff": gone}}),
            &[],
            true,
        ),
        (shell("make"), &["agent/config/team.yaml"], true),
        (shell("cat agent/config/team.yaml"), &[], false),
        (shell("mkdir -p agent/config"), &[], false),
        (shell("echo x > agent/config/other.yaml"), &[], false),
        (shell("echo x > team.yaml"), &[], false),
        (shell("rm -r agents"), &[], false),
        (shell("make"), &["src/a.rs"], false),
    ] {
        write(at.join("t.jsonl"), governed(&policy, &action, observed)).unwrap();
        let output = run(at, &["replay", "t.jsonl"]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.contains("YV521"), found, "{action}: {text}");
    }
}

#[test]
fn the_policy_of_the_command_line_and_of_the_gate_govern_too() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    create_dir_all(at.join("policies")).unwrap();
    create_dir_all(at.join("traces")).unwrap();
    let policy = "version: 1\nid: team\ndefault: allow\nrules:\n  - { id: keys, when: { path: { glob: '*.pem' } }, effect: deny, reason: Keys }\n";
    write(at.join("policies/team.yaml"), policy).unwrap();
    let change = shell("echo x > policies/team.yaml");
    let trace = governed(&json!({"digest": "sha256:7d1a"}), &change, &[]);
    write(at.join("traces/t.jsonl"), trace).unwrap();
    let args = [
        "policy",
        "replay",
        "traces",
        "--policy",
        "policies/team.yaml",
    ];
    let output = run(at, &args);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("YV521"), "{text}");
    assert_eq!(output.status.code(), Some(1));
    let other = run(at, &["policy", "replay", "traces", "--policy", "default"]);
    assert!(!String::from_utf8(other.stdout).unwrap().contains("YV521"));
    let config = "[traces]\npaths = [\"traces\"]\n[policy]\nfile = \"policies/team.yaml\"\nuntested = \"a test\"\n";
    write(at.join("yuangs-verify.toml"), config).unwrap();
    let gate = run(at, &["gate"]);
    let text = String::from_utf8(gate.stdout).unwrap();
    assert!(
        text.contains("YV521"),
        "{text} {}",
        String::from_utf8_lossy(&gate.stderr)
    );
}

/// Runs the program with a file as standard input; returns exit code and output.
fn piped(folder: &Path, args: &[&str], input: &str) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(folder)
        .args(args)
        .stdin(Stdio::from(
            std::fs::File::open(folder.join(input)).unwrap(),
        ))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.code(), text)
}

#[test]
fn a_change_of_the_governing_policy_is_found_in_every_way_of_reading() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    create_dir_all(at.join("policies")).unwrap();
    let policy = "version: 1\nid: team\ndefault: allow\nrules:\n  - { id: keys, when: { path: { glob: '*.pem' } }, effect: deny, reason: Keys }\n";
    write(at.join("policies/team.yaml"), policy).unwrap();
    write(
        at.join("policies/other.yaml"),
        policy.replace("team", "other"),
    )
    .unwrap();
    let digest = Sha256::digest(policy);
    let digest: String = digest.iter().map(|byte| format!("{byte:02X}")).collect();
    let digest = format!("sha256:{digest}");
    let recorded = json!({"digest": digest});
    let named = json!({"digest": digest, "path": "policies/team.yaml"});
    let change = shell("echo x > policies/team.yaml");
    write(at.join("t.jsonl"), governed(&recorded, &change, &[])).unwrap();
    write(at.join("named.jsonl"), governed(&named, &change, &[])).unwrap();
    let harmless = governed(&named, &shell("echo x > policies/other.yaml"), &[]);
    write(at.join("harmless.jsonl"), harmless).unwrap();
    let given = ["--policy", "policies/team.yaml"];
    let mode = ["--mode", "re-evaluate"];
    let by_digest = ["--policy-path", "policies"];
    for (command, more, trace) in [
        (&["replay"][..], [&given[..], &mode].concat(), "t.jsonl"),
        (&["policy", "replay"], given.to_vec(), "t.jsonl"),
        (&["policy", "replay"], by_digest.to_vec(), "t.jsonl"),
        (
            &["policy", "replay"],
            vec!["--policy", "default"],
            "named.jsonl",
        ),
        (&["replay"], vec![], "named.jsonl"),
        (
            &["replay"],
            [&["--policy", "default"][..], &mode].concat(),
            "named.jsonl",
        ),
    ] {
        let from_file = [command, &[trace], &more].concat();
        let from_input = [command, &["-"], &more].concat();
        let output = run(at, &from_file);
        let text = String::from_utf8(output.stdout).unwrap();
        for (args, (code, text)) in [
            (&from_file, (output.status.code(), text)),
            (&from_input, piped(at, &from_input, trace)),
        ] {
            assert!(text.contains("YV521"), "{args:?}: {text}");
            assert_eq!(code, Some(1), "{args:?}: {text}");
        }
        let harmless = [command, &["harmless.jsonl"], &more].concat();
        let text = String::from_utf8(run(at, &harmless).stdout).unwrap();
        assert!(!text.contains("YV521"), "{harmless:?}: {text}");
    }
    let json = [&["replay", "-", "--format", "json"][..], &given, &mode].concat();
    let (_, text) = piped(at, &json, "t.jsonl");
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&document["policyChanged"], &document["unreadable"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(document["executions"][0]["findings"][0]["line"], 4);
    // The execution records another digest.
    let other = governed(&json!({"digest": "sha256:00"}), &change, &[]);
    write(at.join("other.jsonl"), other).unwrap();
    let args = [
        "policy",
        "replay",
        "other.jsonl",
        "--policy-path",
        "policies",
    ];
    let text = String::from_utf8(run(at, &args).stdout).unwrap();
    assert!(!text.contains("YV521"), "{text}");
}

#[test]
fn other_findings_take_no_room_from_a_change_of_the_policy() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let policy = json!({"digest": "sha256:00", "path": "p.yaml"});
    let execution = governed(&policy, &shell("rm -rf /"), &[]);
    // Without a decision, each is unauthorised.
    let lines = execution
        .lines()
        .filter(|line| !line.contains("governance_decided"));
    let unauthorised = lines.collect::<Vec<_>>().join("\n") + "\n";
    let all: String = (0..1200)
        .map(|n| unauthorised.replace(r#""executionId":"e""#, &format!(r#""executionId":"e{n}""#)))
        .collect();
    let last = governed(&policy, &shell("echo x > p.yaml"), &[]);
    write(at.join("t.jsonl"), all + &last).unwrap();
    let (_, text) = piped(
        at,
        &["policy", "replay", "-", "--policy", "default"],
        "t.jsonl",
    );
    assert!(text.contains("YV521"), "{text}");
}

#[test]
fn a_switched_off_block_is_said_loudly() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let block = "{\"permission\": {\"enabled\": false, \"defaultLevel\": \"confirm\"}}";
    write(at.join("agent.json"), block).unwrap();
    let output = run(at, &["policy", "check", "agent.json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("YV522") && text.contains("FAIL"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}
