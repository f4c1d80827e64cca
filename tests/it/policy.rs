//! Policies from the command line: output and exit codes, and the limits on hostile policies.

use agent_policy::{
    Action, Effect, Effort, History, Request, SHIPPED, fuzz, load, load_cases, load_corpus,
};
use proptest::prelude::*;
use std::path::Path;
use std::process::{Command, Output};

pub(crate) fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(folder)
        .arg("policy")
        .args(args)
        .output()
        .unwrap()
}

pub(crate) fn code(folder: &Path, args: &[&str]) -> i32 {
    run(folder, args).status.code().unwrap()
}

pub(crate) const POLICY: &str =
    "rules:\n  - { id: no-delete, when: { effects: [delete] }, effect: deny, reason: Deletes }\n";
pub(crate) const CASES: &str = "cases:\n  - { name: deleting, action: { type: shell_cmd, command: rm a }, expect: { effect: deny, rule: no-delete } }\n  - { name: reading, action: { type: shell_cmd, command: cat a }, near_miss: [no-delete], expect: ask }\n";

#[test]
fn exit_codes_tell_what_happened() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("p.yaml"), POLICY).unwrap();
    assert_eq!(
        code(at, &["test", "p.yaml"]),
        3,
        "a policy without a case is not tested"
    );
    std::fs::write(at.join("p.test.yaml"), CASES).unwrap();
    assert_eq!(code(at, &["test", "p.yaml"]), 0);
    assert_eq!(
        code(at, &["test", "."]),
        0,
        "a folder's policies, and not their tests"
    );
    assert_eq!(code(at, &["test"]), 0, "the policies that are built in");
    std::fs::write(
        at.join("c.jsonl"),
        "{\"action\": {\"type\": \"shell_cmd\", \"command\": \"ls\"}, \"expect\": \"allow\"}\n",
    )
    .unwrap();
    assert_eq!(code(at, &["test", "p.yaml", "--corpus", "c.jsonl"]), 1);
    std::fs::write(
        at.join("c.jsonl"),
        "{\"action\": {\"type\": \"shell_cmd\", \"command\": \"ls\"}}\n",
    )
    .unwrap();
    assert_eq!(
        code(at, &["test", "p.yaml", "--corpus", "c.jsonl"]),
        2,
        "a line that expects nothing could not fail"
    );
    assert_eq!(code(at, &["eval", "-p", "p.yaml", "--shell", "rm a"]), 0);
    assert_eq!(
        code(at, &["eval", "-p", "p.yaml", "--check", "--shell", "rm a"]),
        1
    );
    assert_eq!(
        code(at, &["eval", "-p", "nowhere.yaml", "--shell", "rm a"]),
        2
    );
    assert_eq!(
        code(at, &["eval", "-p", "p.yaml", "{\"type\": \"shell_cmd\"}"]),
        2
    );
    assert_eq!(code(at, &["fuzz", "p.yaml", "--property", "no-such"]), 2);
    std::fs::write(at.join("empty.jsonl"), "").unwrap();
    assert_eq!(
        code(at, &["eval", "-p", "p.yaml", "--file", "empty.jsonl"]),
        3
    );
    assert_eq!(
        code(at, &["replay", "empty.jsonl", "--policy", "p.yaml"]),
        3
    );
    assert_eq!(
        code(at, &["replay", "missing.jsonl", "--policy", "p.yaml"]),
        2
    );
}

/// JSON that parsers read differently is rejected everywhere.
#[test]
fn a_member_that_stands_twice_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("p.yaml"), POLICY).unwrap();
    std::fs::write(at.join("p.test.yaml"), CASES).unwrap();
    for action in [
        r#"{"type":"shell_cmd","payload":{"command":"ls","command":"rm -rf /"}}"#,
        r#"{"type":"answer","type":"shell_cmd","payload":{"command":"rm -rf /"}}"#,
        r#"{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"a","path":".env"}}}"#,
        r#"{"type":"tool_call","payload":{"tool":"read_file","to\u006fl":"delete_file","parameters":{}}}"#,
        r#"{"type":"shell_cmd","payload":{"command":"ls"},"command":"rm -rf /"}"#,
    ] {
        assert_eq!(code(at, &["eval", action]), 2, "{action}");
        std::fs::write(at.join("a.jsonl"), format!("{action}\n")).unwrap();
        assert_eq!(code(at, &["eval", "--file", "a.jsonl"]), 2, "{action}");
        std::fs::write(
            at.join("c.jsonl"),
            format!("{{\"action\": {action}, \"expect\": \"allow\"}}\n"),
        )
        .unwrap();
        assert_eq!(
            code(at, &["test", "p.yaml", "--corpus", "c.jsonl"]),
            2,
            "{action}"
        );
        std::fs::write(
            at.join("p.test.yaml"),
            format!("cases: [{{ name: a, action: {action}, expect: deny }}]\n"),
        )
        .unwrap();
        assert_eq!(code(at, &["test", "p.yaml"]), 2, "{action}");
    }
    let context = r#"{"production": false, "production": true}"#;
    assert_eq!(
        code(at, &["eval", "--context", context, "--shell", "ls"]),
        2
    );
    let said = run(at, &["eval", "--context", "[]", "--shell", "ls"]);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(
        said.contains("the context isn't an object") && !said.contains("an action is"),
        "{said}"
    );
}

#[test]
fn rows_bring_their_circumstances_and_history() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(
        at.join("p.yaml"),
        "rules:\n  - { id: few, when: { type: shell_cmd, max_per_minute: 2 }, effect: allow, reason: r }\n",
    )
    .unwrap();
    let action = r#""action": {"type": "shell_cmd", "command": "ls"}"#;
    let past = r#""context": {"time": 60000}, "history": [{"type": "shell_cmd", "time": 59000, "count": 2}]"#;
    let said = |row: &str| {
        std::fs::write(at.join("a.jsonl"), format!("{row}\n")).unwrap();
        let from_file = run(at, &["eval", "-p", "p.yaml", "--file", "a.jsonl"]);
        let given = run(at, &["eval", "-p", "p.yaml", row]);
        assert_eq!(
            from_file.status.code(),
            given.status.code(),
            "a row and an ACTION are the same: {row}"
        );
        (
            given.status.code().unwrap(),
            String::from_utf8(given.stdout).unwrap(),
        )
    };
    assert!(
        said(&format!("{{{action}}}"))
            .1
            .starts_with("allow by rule few")
    );
    assert!(
        said(&format!("{{{action}, {past}}}"))
            .1
            .starts_with("deny by rule few")
    );
    for wrong in [
        r#""contxt": {}"#,
        r#""history": {}"#,
        r#""history": [{"tipe": "shell_cmd"}]"#,
        r#""context": {"tme": 1}"#,
    ] {
        assert_eq!(said(&format!("{{{action}, {wrong}}}")).0, 2, "{wrong}");
    }
    std::fs::write(
        at.join("c.jsonl"),
        format!("{{{action}, {past}, \"expect\": \"deny\"}}\n"),
    )
    .unwrap();
    std::fs::write(
        at.join("p.test.yaml"),
        "cases: [{ name: a, action: { type: shell_cmd, command: ls }, expect: allow }]\n",
    )
    .unwrap();
    assert_eq!(code(at, &["test", "p.yaml", "--corpus", "c.jsonl"]), 0);
}

#[test]
fn a_policy_that_only_monitors_fails_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let policy = |mode: &str| {
        format!(
            "meta: {{ mode: {mode} }}\nscopes: [{{ id: a, allow: ['src/**'] }}]\nrules: [{{ id: stay, scope: a, action: block, reason: Leaves }}]\n"
        )
    };
    std::fs::write(at.join("m.yaml"), policy("monitor")).unwrap();
    std::fs::write(at.join("e.yaml"), policy("enforce")).unwrap();
    assert_eq!(
        code(
            at,
            &["eval", "-p", "e.yaml", "--check", "--shell", "touch x"]
        ),
        1
    );
    let output = run(
        at,
        &["eval", "-p", "m.yaml", "--check", "--shell", "touch x"],
    );
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("the policy only monitors"));
    assert_eq!(
        code(at, &["compare", "e.yaml", "m.yaml", "--cases", "50"]),
        1,
        "what stopped something stops nothing now"
    );
    assert_eq!(
        code(at, &["compare", "m.yaml", "e.yaml", "--cases", "50"]),
        0
    );
}

#[test]
fn a_changed_reason_is_found_by_its_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("p.yaml"), POLICY).unwrap();
    std::fs::write(at.join("p.test.yaml"), CASES).unwrap();
    assert_eq!(code(at, &["test", "--update", "p.yaml"]), 0);
    let snapshot = std::fs::read_to_string(at.join("p.reasons.yaml")).unwrap();
    assert!(
        snapshot.ends_with("\"deleting\": \"Deletes\"\n") && !snapshot.contains("reading"),
        "{snapshot}"
    );
    std::fs::write(at.join("p.yaml"), POLICY.replace("Deletes", "Removes")).unwrap();
    let output = run(at, &["test", "p.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&output.stdout)
            .contains("the reason is `Removes` and not `Deletes`")
    );
    assert_eq!(
        code(at, &["test", "--update", "p.yaml"]),
        1,
        "it was wrong until it was written"
    );
    assert_eq!(code(at, &["test", "p.yaml"]), 0);
}

#[test]
#[cfg_attr(not(feature = "policy-fuzz"), ignore = "needs policy-fuzz")]
fn a_counterexample_is_kept_as_a_case() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(
        at.join("p.yaml"),
        "rules:\n  - { id: all, effect: allow, reason: r }\n",
    )
    .unwrap();
    let args = [
        "fuzz",
        "p.yaml",
        "--property",
        "human-for-high",
        "--cases",
        "200",
        "--save",
    ];
    assert_eq!(code(at, &args), 1);
    let first = std::fs::read_to_string(at.join("p.regressions.yaml")).unwrap();
    assert_eq!(code(at, &args), 1);
    assert_eq!(
        std::fs::read_to_string(at.join("p.regressions.yaml")).unwrap(),
        first,
        "the same seed finds the same"
    );
    assert_eq!(load_cases(&first).unwrap().len(), 1);
    assert_eq!(
        code(at, &["test", "p.yaml"]),
        1,
        "the regression fails until the policy is fixed"
    );
}

/// A check that evaluated nothing hasn't passed.
#[test]
#[cfg_attr(not(feature = "policy-fuzz"), ignore = "needs policy-fuzz")]
fn a_property_that_nothing_was_found_for_is_not_passed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let fuzz = |for_all: &str| {
        let rules = "  - { id: reads, when: { effects: [read] }, effect: allow, reason: r }\n";
        let property = format!("  - {{ id: own, for_all: {{ {for_all} }}, effect: deny }}\n");
        std::fs::write(
            at.join("p.yaml"),
            format!("version: 1\ndefault: allow\nrules:\n{rules}properties:\n{property}"),
        )
        .unwrap();
        let output = run(
            at,
            &[
                "fuzz",
                "p.yaml",
                "--property",
                "own",
                "--property",
                "deterministic",
                "--cases",
                "50",
                "--save",
            ],
        );
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (code, text) = fuzz("tool: 'mcp__crm__get_*', pattern: 'tenant-4711', mode: night");
    assert!(code == Some(1) && text.contains("FAIL own"), "{text}");
    let saved = std::fs::read_to_string(at.join("p.regressions.yaml")).unwrap();
    assert!(
        saved.contains("tenant-4711")
            && load_cases(&saved).unwrap()[0].context.mode.as_deref() == Some("night"),
        "{saved}"
    );
    let (code, text) = fuzz("pattern: 'aa', not: { pattern: 'a' }");
    assert!(
        code == Some(3) && text.contains("none own") && text.contains("pass deterministic"),
        "{text}"
    );
}

/// A corpus over the limit is rejected, not truncated.
#[test]
fn a_corpus_that_is_too_long_is_refused() {
    let line = "{\"action\":{\"type\":\"x\"},\"expect\":\"deny\"}\n";
    assert_eq!(load_corpus(&line.repeat(100_000)).unwrap().len(), 100_000);
    let problems = load_corpus(&format!("{}no json", line.repeat(100_000))).unwrap_err();
    assert!(
        problems.len() == 1
            && problems[0].at.line == 100_001
            && problems[0].message.contains("100000"),
        "{problems:?}"
    );
}

#[test]
#[cfg_attr(not(feature = "policy-fuzz"), ignore = "needs policy-fuzz")]
fn changes_that_no_case_notices_are_listed_with_a_case_that_would() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("p.yaml"), POLICY).unwrap();
    let args = ["mutate", "p.yaml", "--cases", "300"];
    assert_eq!(
        code(at, &args),
        2,
        "without a case there is nothing to notice by"
    );
    std::fs::write(
        at.join("p.test.yaml"),
        "cases:\n  - { name: reading, action: { type: shell_cmd, command: cat a }, expect: ask }\n",
    )
    .unwrap();
    let output = run(at, &args);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("untested: no-delete: dropped\n    deny would become require_approval: "),
        "{text}"
    );
    // The printed test cases are valid, and kill the mutant.
    let printed: Vec<String> = text
        .lines()
        .filter_map(|l| l.trim().strip_prefix("as a test case: "))
        .map(|c| format!("  - {c}\n"))
        .collect();
    std::fs::write(
        at.join("p.test.yaml"),
        format!("cases:\n  - {{ name: reading, action: {{ type: shell_cmd, command: cat a }}, expect: ask }}\n{}", printed[0]),
    )
    .unwrap();
    assert_eq!(code(at, &["test", "p.yaml"]), 0);
    let output = run(at, &args);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    std::fs::write(
        at.join("p.test.yaml"),
        "cases:\n  - { name: reading, action: { type: shell_cmd, command: cat a }, expect: deny }\n",
    )
    .unwrap();
    assert_eq!(
        code(at, &args),
        2,
        "a case that fails already would notice everything"
    );
}

#[test]
fn mistakes_are_drawn_where_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("p.yaml"),
        "rules:\n  - id: a\n    effect: forbid\n    wehn: {}\n",
    )
    .unwrap();
    let output = run(folder.path(), &["eval", "-p", "p.yaml", "--shell", "ls"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("--> p.yaml:3:13\n"), "{text}");
    assert!(
        text.contains("3 |     effect: forbid\n  |             ^^^^^^\n"),
        "{text}"
    );
    assert!(
        text.contains("a rule has no key `wehn`") && text.contains("help: did you mean `when`?"),
        "{text}"
    );
}

#[test]
fn nothing_of_a_policy_or_an_action_acts_on_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let evil = "\\e]0;x\\a\\n::error::x \\u202e";
    let policy = format!(
        "rules:\n  - {{ id: \"{evil}\", when: {{ effects: [delete], tool: \"{evil}\" }}, effect: deny, reason: \"{evil}\" }}\n  - {{ id: b, when: {{ effects: [delete] }}, effect: deny, reason: \"{evil}\" }}\n"
    );
    std::fs::write(at.join("p.yaml"), policy).unwrap();
    std::fs::write(
        at.join("bad.yaml"),
        format!("rules:\n  - {{ id: a, \"{evil}\": 1, effect: \"{evil}\" }}\n"),
    )
    .unwrap();
    std::fs::write(
        at.join("p.test.yaml"),
        format!("cases:\n  - {{ name: \"{evil}\", action: {{ type: shell_cmd, command: \"rm {evil}\" }}, expect: allow }}\n"),
    )
    .unwrap();
    for args in [
        &[
            "eval",
            "-p",
            "p.yaml",
            "--trace",
            "--shell",
            "rm \u{1b}[2J\u{202e}",
        ][..],
        &[
            "eval",
            "-p",
            "p.yaml",
            "--trace",
            "--format",
            "json",
            "--shell",
            "rm \u{1b}[2J\u{202e}",
        ],
        &["eval", "-p", "bad.yaml", "--shell", "ls"],
        &["test", "-v", "p.yaml"],
        &["test", "--format", "json", "p.yaml"],
        &["fuzz", "--cases", "50", "p.yaml"],
    ] {
        let output = run(at, args);
        for text in [&output.stdout, &output.stderr] {
            let text = String::from_utf8(text.clone()).unwrap();
            assert!(
                !text.contains(['\u{1b}', '\u{7}', '\u{202e}']),
                "{args:?}: {text:?}"
            );
            assert!(
                !text.lines().any(|l| l.starts_with("::")),
                "{args:?}: {text:?}"
            );
        }
    }
}

#[test]
fn a_search_is_repeatable_and_the_careful_policies_hold() {
    let effort = Effort {
        seed: 7,
        cases: 120,
        only: Vec::new(),
    };
    for name in ["default", "strict", "read-only"] {
        let shipped = SHIPPED.iter().find(|s| s.name == name).unwrap();
        let policy = load(name, shipped.text).unwrap();
        let outcomes = fuzz(&policy, &[], &effort);
        for outcome in &outcomes {
            assert!(outcome.violation.is_none(), "{name}: {outcome:#?}");
            assert!(
                outcome.tried == 120 || outcome.own && outcome.tried > 120,
                "{name}: {}",
                outcome.id
            );
        }
        assert!(
            outcomes.iter().filter(|o| o.concerned > 0).count() >= 8,
            "{name}"
        );
    }
    let older = SHIPPED.iter().find(|s| s.name == "yuangs").unwrap();
    let policy = load("yuangs", older.text).unwrap();
    let effort = Effort {
        cases: 2000,
        only: vec!["rewrite-stable".into()],
        ..effort
    };
    let found = |policy| {
        fuzz(policy, &[], &effort)
            .pop()
            .and_then(|o| o.violation)
            .map(|v| v.action.to_json().to_string())
    };
    assert!(
        found(&policy).is_some(),
        "a policy that searches text can be evaded"
    );
    assert_eq!(found(&policy), found(&policy));
}

/// Generates slightly changed lines of a shipped policy.
fn bent() -> impl Strategy<Value = String> {
    (
        0..SHIPPED.len(),
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        r"[ -~]{0,6}",
    )
        .prop_map(|(n, from, length, new)| {
            let text = SHIPPED[n].text;
            let from = from.index(text.len());
            let to = (from + length.index(12)).min(text.len());
            let mut bent = text.to_owned();
            bent.replace_range(from..to, &new);
            bent
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn bent_policies_answer_or_say_where_they_are_broken(text in bent(), command in "[ -~]{0,30}") {
        match load("bent", &text) {
            Ok(policy) => {
                let history = History::default();
                let action = Action::shell(&command);
                let request = Request::new(&action, &history);
                let decision = policy.decide(&request);
                prop_assert_eq!(policy.explain(&request).len(), policy.rules.len());
                prop_assert!(decision.effect == Effect::Allow || !decision.reason().is_empty());
            }
            Err(problems) => {
                let lines = u32::try_from(text.lines().count()).unwrap();
                prop_assert!(!problems.is_empty());
                prop_assert!(problems.iter().all(|p| p.at.line <= lines + 1), "{:?}", problems);
            }
        }
    }

    #[test]
    fn cases_and_corpora_are_read_or_refused(text in "(cases:\n  - |[ -~\n]){0,6}[ -~\n]{0,80}") {
        let _ = load_cases(&text);
        let _ = load_corpus(&text);
    }
}

/// Under deny-overrides, an additional deny rule makes nothing more permissive.
#[test]
fn a_further_denial_makes_nothing_milder() {
    let rules = [
        "effects: [delete]",
        "risk: high",
        "path: { glob: '*.pem' }",
        "command: { program: git }",
        "not: { effects: [read] }",
    ];
    let commands = ["ls", "rm -rf x", "cat a.pem", "git push", "$X", "cat *"];
    let shipped = SHIPPED.iter().find(|s| s.name == "default").unwrap();
    let without = load("without", shipped.text).unwrap();
    let history = History::default();
    for rule in rules {
        let more = format!(
            "\n  - {{ id: further, when: {{ {rule} }}, effect: deny, reason: r }}\n\nproperties:"
        );
        let text = shipped.text.replacen("\nproperties:", &more, 1);
        let with = load("with", &text).unwrap();
        assert_eq!(with.rules.len(), without.rules.len() + 1);
        for command in commands {
            let action = Action::shell(command);
            let request = Request::new(&action, &history);
            let (before, after) = (without.decide(&request), with.decide(&request));
            assert!(after.effect >= before.effect, "{rule}: {command}");
        }
    }
}

const SETTINGS: &str = "{\n  \"permissions\": {\n    \"deny\": [\"Bash(curl *)\"],\n    \"allow\": [\"Bash(npm test:*)\"]\n  }\n}\n";

#[test]
fn settings_of_agents_are_policies() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("settings.json"), SETTINGS).unwrap();
    let ask = |policy: &str, line: &str| {
        code(at, &["eval", "--exit-code", "-p", policy, "--shell", line])
    };
    for policy in ["settings.json", "claude:settings.json"] {
        assert_eq!(ask(policy, "npm test a"), 0);
        assert_eq!(ask(policy, "npm test; curl x"), 1);
        assert_eq!(ask(policy, "npm install"), 3);
        assert_eq!(code(at, &["check", policy]), 0, "{policy}");
    }
    std::fs::write(
        at.join("settings.test.yaml"),
        "cases:\n  - { name: c, action: { type: shell_cmd, command: curl x }, expect: { effect: deny, rule: 'deny Bash(curl *)' } }\n",
    )
    .unwrap();
    for policy in ["settings.json", "claude:settings.json"] {
        assert_eq!(code(at, &["test", policy]), 0, "{policy}");
    }
    std::fs::write(
        at.join("default.rules"),
        "prefix_rule(pattern = [\"ls\"])\n",
    )
    .unwrap();
    assert_eq!(ask("default.rules", "ls"), 0);
    let rule = "[[rule]]\ntoolName = \"*\"\ndecision = \"deny\"\npriority = 1\n";
    std::fs::write(at.join("deny.toml"), rule).unwrap();
    assert_eq!(ask("gemini:deny.toml", "ls"), 1);
    for (name, text, place) in [
        (
            "settings.json",
            SETTINGS.replace("Bash(npm test:*)", "Bash("),
            "settings.json:4:15",
        ),
        (
            "a.rules",
            "prefix_rule(pattern = 7)".to_owned(),
            "a.rules:1:23",
        ),
        ("a.toml", rule.replace("deny", "no"), "a.toml:3:12"),
    ] {
        std::fs::write(at.join(name), text).unwrap();
        let output = run(at, &["eval", "-p", name, "--shell", "ls"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(place), "{said}");
    }
    std::fs::write(at.join("settings.json"), b"{\"permissions\": \"\xff\"}").unwrap();
    assert_eq!(ask("claude:settings.json", "ls"), 2, "not UTF-8");
    assert_eq!(ask("claude:missing.json", "ls"), 2);
}

#[test]
fn an_imported_pack_decides_as_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("settings.json"), SETTINGS).unwrap();
    assert_eq!(
        code(at, &["import", "claude", "settings.json", "-o", "p.yaml"]),
        0
    );
    assert_eq!(
        code(
            at,
            &[
                "compare",
                "claude:settings.json",
                "p.yaml",
                "--cases",
                "100"
            ]
        ),
        0
    );
    let shown = run(at, &["import", "claude", "settings.json"]);
    assert_eq!(shown.stdout, std::fs::read(at.join("p.yaml")).unwrap());
    std::fs::write(at.join("a.rules"), "prefix_rule(pattern = [\"ls\"])\n").unwrap();
    std::fs::write(
        at.join("b.rules"),
        "prefix_rule(pattern = [\"ls\", \"-l\"])\n",
    )
    .unwrap();
    let compare = |base, head| code(at, &["compare", base, head, "--cases", "100"]);
    assert_eq!(compare("codex:b.rules", "codex:a.rules"), 1);
    assert_eq!(compare("a.rules", "b.rules"), 0);
    assert_eq!(code(at, &["import", "other", "settings.json"]), 2);
    assert_eq!(code(at, &["import", "codex", "settings.json"]), 2);
}
