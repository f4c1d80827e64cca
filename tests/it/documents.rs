//! Documents in YAML: manifests, policies and tests of policies, and schemas of the user.

use super::support::{json_report, write};
use serde_json::Value;
use std::path::Path;

const META: &str = "\
# Written by hand.
name: fix-page
version: 1.0.0
intent: fix a page
author: mia
created_at: 2026-01-31
permissions:
  - type: network
    rules: ['GET:https://api.example.com/v1/*']
";
const POLICY: &str = "\
dangerous_commands:
  - pattern: rm -rf
    severity: critical
    action: block
permissions:
  looking:
    network: ['GET:https://api.example.com/*']
limits:
  max_cost_per_day: 50
";
const TOOL: &str = "\
name: look
description: Looks at a file
parameters:
  type: object
  properties:
    path: {type: string}
";

/// Validates a file; returns the exit code and the findings as `CODE LINE`.
fn validate(folder: &Path, args: &[&str]) -> (i32, Vec<String>, Value) {
    let (code, report) = json_report(folder, &[&["validate"][..], args].concat());
    let findings = report["findings"].as_array().unwrap().iter();
    let found = findings.map(|f| format!("{} {}", f["code"].as_str().unwrap(), f["line"]));
    (code, found.collect(), report.clone())
}

#[test]
fn documents_are_detected_and_their_faults_have_lines() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let cases = "cases:\n  - {name: a, action: {type: shell_cmd, command: ls}, expect: deny}\n";
    let set = "skills:\n  fix-page: {package: fix-page}\n";
    let servers = "mcpServers:\n  a: {type: http, url: 'https://a.example.com/'}\n";
    let agent = "systemPrompt: Work\nskill: {}\n";
    let pack = "version: 1\nid: p\ndefault: deny\nrules:\n  - { id: a, when: { type: answer }, effect: allow, reason: r }\n";
    for (name, text) in [
        ("any.yaml", META),
        ("any.yml", POLICY),
        ("any.YAML", TOOL),
        ("any.yaml", cases),
        ("any.yaml", set),
        ("any.yaml", servers),
        ("any.yaml", agent),
        ("any.yaml", pack),
        ("any.yaml", "permission:\n  defaultLevel: confirm\n"),
        (
            "any.yaml",
            &format!(
                "-\n{}",
                TOOL.replace('\n', "\n  ")
                    .replacen("name", "  name", 1)
                    .trim_end()
            ),
        ),
        ("meta.yaml", META),
        ("policy.yaml", POLICY),
    ] {
        write(at, name, text);
        let (code, found, report) = validate(at, &[name]);
        assert_eq!((code, found.len()), (0, 0), "{name}: {text}\n{report:#}");
    }
    for (name, text, expected) in [
        ("a.yaml", META.replace("1.0.0", "one"), "YV901 3"),
        ("a.yaml", META.replace("fix a page", "anything"), "YV901 4"),
        ("a.yaml", META.replace("GET:", "GE T:"), "YV901 9"),
        ("meta.yaml", META.replace("author: mia\n", ""), "YV901 2"),
        ("a.yaml", META.replace("author", "name"), "YV102 5"),
        ("a.yaml", META.replace("intent:", "? [a]\n:"), "YV102 4"),
        ("a.yaml", META.replace("mia", "[mia"), "YV102 6"),
        (
            "skill.yaml",
            "name: a\nversion: 1.0.0\ndescription: b\ntools:\n  - 1\n".into(),
            "YV901 5",
        ),
        (
            "a.yaml",
            TOOL.replace("type: object", "type: list"),
            "YV901 4",
        ),
        ("a.yml", POLICY.replace("block", "bloc"), "YV901 4"),
        (
            "a.yml",
            POLICY.replace("max_cost_per_day", "max_cost_per_week"),
            "YV901 9",
        ),
        ("policy.yaml", "rule: []\n".into(), "YV901 1"),
        (
            "a.yaml",
            cases.replace("expect: deny", "expect: no"),
            "YV901 2",
        ),
        (
            "a.yaml",
            cases.replace("shell_cmd, command", "shell_cmd, comand"),
            "YV901 2",
        ),
        (
            "a.yaml",
            "skills:\n  a:\n    package: b\n    path: c\n".into(),
            "YV901 3",
        ),
    ] {
        write(at, name, &text);
        let (code, found, report) = validate(at, &[name]);
        assert!(
            code == 1 && found.iter().any(|f| f == expected),
            "{expected}: {text}\n{report:#}"
        );
    }
}

#[test]
fn an_unknown_document_needs_a_schema() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at,
        "weights.yaml",
        "weights:\n  success: 0.4\n  cost: a lot\n",
    );
    let (code, found, report) = validate(at, &["weights.yaml"]);
    assert_eq!(
        (code, &found[..]),
        (3, &["YV108 1".to_owned()][..]),
        "{report:#}"
    );
    let schema = r#"{"type":"object","additionalProperties":false,"properties":
        {"weights":{"type":"object","additionalProperties":{"type":"number"}}}}"#;
    write(at, "s.json", schema);
    let (code, found, report) = validate(at, &["weights.yaml", "--schema", "s.json"]);
    assert_eq!(
        (code, &found[..]),
        (1, &["YV103 3".to_owned()][..]),
        "{report:#}"
    );
    write(
        at,
        "weights.yaml",
        "# How much\nweights:\n  cost: 0.4\nmore: 1\n",
    );
    let (code, found, report) = validate(at, &["weights.yaml", "--schema", "s.json"]);
    assert_eq!(
        (code, &found[..]),
        (1, &["YV103 4".to_owned()][..]),
        "{report:#}"
    );
    write(at, "weights.yaml", "weights:\n  cost: 0.4\n");
    assert_eq!(validate(at, &["weights.yaml", "--schema", "s.json"]).0, 0);
    // A JSON file next to it is still read record by record.
    write(at, "records.jsonl", "{\"weights\":{}}\n{\"weights\":1}\n");
    let args = ["weights.yaml", "records.jsonl", "--schema", "s.json"];
    let (_, found, report) = validate(at, &args);
    assert_eq!(found, ["YV103 2"], "{report:#}");
}

#[test]
fn a_document_shows_no_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let token = format!("AKIA{}", "IOSFODNN7ABCDEFG");
    let comment = format!("{META}# the token is {token}\n");
    let value = META.replace("fix a page", &token);
    for (text, line) in [(comment, 10), (value, 4)] {
        write(at, "a.yaml", &text);
        let (code, found, report) = validate(at, &["a.yaml"]);
        assert!(found.contains(&format!("YV803 {line}")), "{report:#}");
        assert_eq!(
            found.iter().filter(|f| f.starts_with("YV803")).count(),
            1,
            "{report:#}"
        );
        assert!(
            code == 1 && !report.to_string().contains(&token),
            "{report:#}"
        );
    }
}

#[test]
fn a_hostile_document_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let aliases: String = (1..40)
        .map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}, *a{0}, *a{0}]\n", n - 1))
        .collect();
    for text in [
        format!("a0: &a0 [x]\n{aliases}"),
        "[".repeat(100_000),
        "a: !!python/object:os.system x\nb: \u{1b}[2J\n".to_owned(),
        "a: 1\n---\nb: 2\n".to_owned(),
        String::new(),
    ] {
        write(at, "a.yaml", &text);
        let (code, found, report) = validate(at, &["a.yaml"]);
        assert!(code != 0 && !found.is_empty(), "{report:#}");
        assert!(!report.to_string().contains('\u{1b}'));
    }
}
