//! Compares what skills did with their declarations, trials and budgets.

use crate::skills::{run, write};
use serde_json::{Value, json};
use std::path::Path;

const START: i64 = 1_769_000_000_000;

fn meta(at: &Path, name: &str, more: Value) {
    let mut meta = json!({"name":name,"version":"1.0.0","intent":"make a build","author":"ci","created_at":"2026-01-01"});
    meta.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    write(
        at,
        &format!("skills/production/{name}/meta.json"),
        &meta.to_string(),
    );
}

fn turn(
    execution: &str,
    number: i64,
    skills: &[&str],
    action: (&str, Value),
    more: Value,
) -> String {
    let (kind, payload) = action;
    let mut result = json!({"success":true,"output":"","durationMs":5.0,"cost":0.1});
    result
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let turn = json!({"record":"turn","executionId":execution,"turnId":number,"startTime":START + number,"endTime":START + number,
        "usedSkills":skills,"contextSnapshot":{"inputHash":"i","systemPromptVersion":"p","toolSetVersion":"t"},
        "proposedAction":{"id":format!("{execution}-{number}"),"type":kind,"payload":payload,"riskLevel":"medium","reasoning":"r"},
        "executionResult":result});
    format!("{turn}\n")
}

fn shell(command: &str) -> (&'static str, Value) {
    ("shell_cmd", json!({ "command": command }))
}

fn project(limits: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("[knowledge]\ntraces = ['traces']\nskills = ['skills']\n{limits}");
    write(folder.path(), "yuangs-verify.toml", &text);
    let other = json!({"name":"other","version":"1.0.0","intent":"tag a release","author":"ci","created_at":"2026-01-01"});
    write(
        folder.path(),
        "skills/experimental/other/meta.json",
        &other.to_string(),
    );
    folder
}

/// Returns the exit code and the printed JSON.
fn check(at: &Path, args: &[&str]) -> (i32, Value) {
    let output = run(
        at,
        &[&["skills", "check", "--format", "json"], args].concat(),
    );
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let json =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {error}"));
    (output.status.code().unwrap(), json)
}

fn codes(report: &Value) -> Vec<&str> {
    report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["code"].as_str().unwrap())
        .collect()
}

#[test]
fn rules_without_a_leading_slash_stay_below_the_project() {
    for (rules, action) in [
        (json!(["read:**"]), shell("cat /etc/passwd")),
        (json!(["read:**/*.txt"]), shell("cat /etc/secret.txt")),
        (json!(["read:**/*.txt"]), shell("cat ~/.ssh/x.txt")),
        (json!(["read:**/*.txt"]), shell("cat ../../x.txt")),
        (
            json!(["**"]),
            (
                "tool_call",
                json!({"tool":"write_file","parameters":{"path":"/root/.bashrc","content":"x"}}),
            ),
        ),
    ] {
        let folder = project("");
        let at = folder.path();
        let permissions =
            json!([{"type":"file_system","rules":rules},{"type":"command","rules":["cat"]}]);
        meta(at, "make", json!({ "permissions": permissions }));
        write(
            at,
            "traces/a.jsonl",
            &turn("e", 1, &["make"], action.clone(), json!({})),
        );
        let (code, report) = check(at, &[]);
        assert_eq!(
            (code, codes(&report)),
            (1, vec!["YV912"]),
            "{action:?}: {report:#}"
        );
        let permissions =
            json!([{"type":"file_system","rules":["/**"]},{"type":"command","rules":["cat"]}]);
        meta(at, "make", json!({ "permissions": permissions }));
        assert_eq!(check(at, &[]).0, 0, "{action:?}");
    }
    // The locations of the project and of homes aren't recorded, so only `/**` allows paths there.
    for path in ["~/.ssh/x.txt", "../../x.txt"] {
        let folder = project("");
        let at = folder.path();
        let permissions = json!([{"type":"file_system","rules":["/home/**","/Users/**"]},{"type":"command","rules":["cat"]}]);
        meta(at, "make", json!({ "permissions": permissions }));
        write(
            at,
            "traces/a.jsonl",
            &turn("e", 1, &["make"], shell(&format!("cat {path}")), json!({})),
        );
        let report = check(at, &[]).1;
        assert!(
            report["findings"][0]["message"]
                .as_str()
                .unwrap()
                .contains(path),
            "{report:#}"
        );
    }
    let folder = project("");
    let at = folder.path();
    write(
        at,
        "traces/a.jsonl",
        &turn("e", 1, &[], shell("cat /etc/passwd"), json!({})),
    );
    assert_eq!(
        codes(&check(at, &["--trial", "limited", "--path", "**"]).1),
        ["YV913"]
    );
    assert_eq!(check(at, &["--trial", "limited", "--path", "/etc/*"]).0, 0);
    let action = (
        "code_diff",
        json!({"diff":"--- a/src/a\n+++ b/src/a\n@@ -1 +1 @@\n-a\n+b\n"}),
    );
    let line = turn("e", 1, &[], action, json!({}));
    let mut climbing: Value = serde_json::from_str(&line).unwrap();
    climbing["observedChanges"] = json!(["src/../../etc/passwd"]);
    write(at, "traces/a.jsonl", &format!("{climbing}\n"));
    assert_eq!(
        codes(&check(at, &["--trial", "limited", "--path", "src/**"]).1),
        ["YV913"]
    );
    climbing["observedChanges"] = json!(["./src/x/../a"]);
    write(at, "traces/a.jsonl", &format!("{climbing}\n"));
    assert_eq!(check(at, &["--trial", "limited", "--path", "src/**"]).0, 0);
}

#[test]
fn programs_of_tool_calls_need_a_rule() {
    let call =
        |tool: &str, parameters: Value| ("tool_call", json!({"tool":tool,"parameters":parameters}));
    for (commands, action, found) in [
        (
            vec!["ls"],
            call("bash_execute", json!({"command":"npm test"})),
            true,
        ),
        (
            vec!["npm"],
            call("bash_execute", json!({"command":"npm test"})),
            false,
        ),
        (vec!["ls"], call("run_tests", json!({})), true),
        (vec!["run_tests"], call("run_tests", json!({})), false),
        (vec!["*"], call("run_tests", json!({})), false),
        (
            vec![],
            call("bash_execute", json!({"command":"date"})),
            true,
        ),
        (
            vec!["date"],
            call("bash_execute", json!({"command":"date"})),
            false,
        ),
        (vec![], call("read_file", json!({"path":"src/a.rs"})), false),
        (vec!["cargo"], shell("cargo test"), false),
        (vec!["ls"], shell("cargo test"), true),
    ] {
        let folder = project("");
        let at = folder.path();
        let permissions = json!([{"type":"file_system","rules":["**"]},{"type":"network","rules":["*"]},{"type":"command","rules":commands}]);
        meta(at, "make", json!({ "permissions": permissions }));
        write(
            at,
            "traces/a.jsonl",
            &turn("e", 1, &["make"], action.clone(), json!({})),
        );
        let (code, report) = check(at, &[]);
        assert_eq!(
            code,
            i32::from(found),
            "{commands:?} {action:?}: {report:#}"
        );
        assert!(codes(&report).iter().all(|c| *c == "YV912"), "{report:#}");
    }
}

/// Builds state changes, alone or in an event log.
fn movements(events: bool, states: &[&str]) -> String {
    let one = |(n, pair): (i64, &[&str])| {
        let (from, to) = (pair[0], pair[1]);
        if events {
            json!({"id":format!("i{n}"),"timestamp":START + n,"executionId":"x","type":"state_transition","data":{"from":from,"to":to}})
        } else {
            json!({"from":from,"to":to,"timestamp":START + n})
        }
    };
    (0..)
        .zip(states.windows(2))
        .map(one)
        .map(|l| format!("{l}\n"))
        .collect()
}

#[test]
fn that_something_ran_follows_from_the_movement() {
    let whole = [
        "IDLE",
        "THINKING",
        "PROPOSING",
        "GOVERNING",
        "EXECUTING",
        "OBSERVING",
        "EVALUATING",
        "TERMINAL",
    ];
    for events in [false, true] {
        let folder = project("");
        let at = folder.path();
        for states in [
            &whole[..],
            &["GOVERNING", "EXECUTING"],
            &["EXECUTING", "OBSERVING", "EVALUATING"],
        ] {
            write(at, "traces/a.jsonl", &movements(events, states));
            for mode in [
                &["dry-run"][..],
                &["read-only"],
                &["limited", "--path", "src/**"],
            ] {
                let (code, report) = check(at, &[&["--trial"], mode].concat());
                assert_eq!(
                    (code, codes(&report)),
                    (1, vec!["YV913"]),
                    "{events} {mode:?}: {report:#}"
                );
            }
        }
        write(
            at,
            "traces/a.jsonl",
            &movements(events, &["IDLE", "THINKING", "EVALUATING", "TERMINAL"]),
        );
        assert_eq!(check(at, &["--trial", "dry-run"]).0, 0);
    }
    // If executed actions are recorded, they are complete.
    let folder = project("");
    let at = folder.path();
    let action = json!({"id":"a1","type":"tool_call","payload":{"tool_name":"read_file","parameters":{"path":"a"}},"riskLevel":"low","reasoning":"r"});
    let text = movements(true, &whole);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let ran = json!({"id":"r","timestamp":START + 4,"executionId":"x","type":"tool_execution",
        "data":{"action":action,"result":{"success":true,"output":"done"}}});
    lines.insert(4, ran.to_string());
    write(at, "traces/a.jsonl", &(lines.join("\n") + "\n"));
    assert_eq!(check(at, &["--trial", "read-only"]).0, 0);
    assert_eq!(codes(&check(at, &["--trial", "dry-run"]).1), ["YV913"]);
}

#[test]
fn a_limit_counts_everything_that_a_turn_and_an_execution_did() {
    let head = json!({"record":"execution_started","executionId":"e","timestamp":START,"schemaVersion":"1.0","rootIntent":"i","fsmVersion":"1"});
    let finished = |n: i64, cost: f64, took: f64| {
        json!({"record":"execution_finished","executionId":"e","turnId":1,"timestamp":START + n,"actionId":"a",
            "result":{"success":true,"output":"","cost":cost,"durationMs":took}})
    };
    let thought = json!({"record":"thought_generated","executionId":"e","turnId":1,"timestamp":START,"usedSkills":["make"],
        "thought":{"done":false,"reasoning":"r","action":{"type":"shell_cmd","payload":{"command":"ls"}}}});
    let text = |all: &[Value]| all.iter().map(|l| format!("{l}\n")).collect::<String>();
    let folder = project("[knowledge.limits]\ncost-per-task = 1\nlatency-ms = 100\n");
    let at = folder.path();
    write(
        at,
        "traces/a.jsonl",
        &text(&[
            head.clone(),
            thought.clone(),
            finished(1, 0.9, 90.0),
            finished(2, 0.2, 20.0),
        ]),
    );
    assert_eq!(
        codes(&check(at, &[]).1),
        ["YV914", "YV914"],
        "{:#}",
        check(at, &[]).1
    );
    write(
        at,
        "traces/a.jsonl",
        &text(&[
            head,
            thought,
            finished(1, 0.9, 90.0),
            finished(2, -0.9, -90.0),
        ]),
    );
    let (code, report) = check(at, &[]);
    assert_eq!(
        (code, &report["withoutCost"], &report["withoutDuration"]),
        (0, &json!(1), &json!(1)),
        "{report:#}"
    );

    let folder = project("[knowledge.limits]\ncost-per-task = 1\n");
    let at = folder.path();
    for (n, file) in (1..).zip(["a", "b"]) {
        write(
            at,
            &format!("traces/{file}.jsonl"),
            &turn("e", n, &["make"], shell("ls"), json!({"cost":0.9})),
        );
    }
    assert_eq!(
        codes(&check(at, &[]).1),
        ["YV914"],
        "one execution in two files"
    );
    write(
        at,
        "traces/b.jsonl",
        &turn("f", 1, &["make"], shell("ls"), json!({"cost":0.9})),
    );
    assert_eq!(check(at, &[]).0, 0);

    let folder = project("[knowledge.limits]\nlatency-ms = 1\n");
    let at = folder.path();
    for took in [json!({"durationMs":null}), json!({"durationMs":-5.0})] {
        write(
            at,
            "traces/a.jsonl",
            &turn("e", 1, &["make"], shell("ls"), took),
        );
        assert_eq!(check(at, &[]).1["withoutDuration"], 1);
    }
}

#[test]
fn uses_that_nothing_declares_are_named_and_clear_nothing() {
    let folder = project("");
    let at = folder.path();
    meta(
        at,
        "make",
        json!({"permissions":[{"type":"command","rules":["ls"]},{"type":"file_system","rules":["**"]}]}),
    );
    write(
        at,
        "traces/a.jsonl",
        &turn("e", 1, &["make"], shell("ls"), json!({})),
    );
    assert_eq!(check(at, &[]).0, 0);
    write(
        at,
        "traces/a.jsonl",
        &turn("e", 1, &["make", "Make"], shell("ls"), json!({})),
    );
    let (code, report) = check(at, &[]);
    assert_eq!(
        (code, &report["undeclared"]),
        (3, &json!([{"skill":"Make","uses":1}])),
        "{report:#}"
    );
    let reported = crate::skills::said(at, &["skills", "check"]);
    assert!(reported.contains("declared nowhere: `Make`"), "{reported}");
}

#[test]
fn a_decision_that_says_two_things_decides_nothing() {
    let folder = project("bank = ['bank']\n");
    let at = folder.path();
    let item = json!({"id":"a","path":"a.md","importance":{"confidence":0.9},"usageStats":{"referencedCount":9,"verifiedUseful":9}});
    write(at, "bank/items/a.json", &item.to_string());
    let change = |more: &str| {
        format!(
            r#"{{"skill_name":"a","candidate":"a","new_status":"rejected",{more}"by":"m","promoted_at":{START}}}"#
        )
    };
    let candidates = |at: &Path| -> Value {
        let output = run(
            at,
            &[
                "skills",
                "candidates",
                "--now",
                "2026-01-21",
                "--format",
                "json",
            ],
        );
        serde_json::from_slice(&output.stdout).unwrap()
    };
    write(at, "skills/promotions.jsonl", &change(""));
    let reported = candidates(at);
    assert_eq!(
        (
            &reported["candidates"][0]["status"],
            &reported["brokenDecisions"]
        ),
        (&json!("rejected"), &json!(0)),
        "{reported:#}"
    );
    write(
        at,
        "skills/promotions.jsonl",
        &change(r#""new_status":"approved","#),
    );
    let reported = candidates(at);
    assert_eq!(
        (
            &reported["candidates"][0]["status"],
            &reported["brokenDecisions"]
        ),
        (&json!("pending"), &json!(1)),
        "{reported:#}"
    );
}

#[test]
fn a_use_that_is_told_twice_is_one() {
    let folder = project("");
    let at = folder.path();
    meta(at, "make", json!({}));
    let change = json!({"skill_name":"make","old_status":"experimental","new_status":"production","promoted_at":START + 100,"score":0.9});
    write(at, "skills/promotions.jsonl", &format!("{change}\n"));
    let three: String = (1..4)
        .map(|n| turn("e", n, &["make"], shell("ls"), json!({})))
        .collect();
    for file in ["a", "b", "c", "d"] {
        write(at, &format!("traces/{file}.jsonl"), &three);
    }
    let evaluated = |at: &Path| -> Value {
        assert!(run(at, &["reindex"]).status.code().unwrap() < 2);
        let output = run(at, &["skills", "evaluate", "--format", "json"]);
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let report = evaluated(at);
    assert_eq!(
        (&report["skills"][0]["execution_count"], codes(&report)),
        (&json!(3), vec!["YV903"]),
        "{report:#}"
    );
    for file in ["b", "c", "d"] {
        std::fs::remove_file(at.join(format!("traces/{file}.jsonl"))).unwrap();
    }
    let six: String = (1..7)
        .map(|n| turn("e", n, &["make", "make@1.0.0"], shell("ls"), json!({})))
        .collect();
    write(at, "traces/a.jsonl", &six);
    let report = evaluated(at);
    assert_eq!(
        (&report["skills"][0]["execution_count"], codes(&report)),
        (&json!(6), vec!["YV903"]),
        "{report:#}"
    );
    let twelve: String = (1..13)
        .map(|n| turn("e", n, &["make"], shell("ls"), json!({})))
        .collect();
    write(at, "traces/a.jsonl", &twelve);
    let report = evaluated(at);
    assert_eq!(
        (&report["skills"][0]["execution_count"], codes(&report)),
        (&json!(12), vec![]),
        "{report:#}"
    );
}

#[test]
fn a_number_out_of_range_or_half_a_character_hides_no_use() {
    let folder = project("");
    let at = folder.path();
    let permissions = json!([{"type":"command","rules":["cargo"]}]);
    meta(at, "make", json!({ "permissions": permissions }));
    let plain = turn(
        "e",
        1,
        &["make"],
        shell("curl https://a.example"),
        json!({}),
    );
    for (from, to) in [
        ("\"command\":", "\"level\":1e999,\"command\":"),
        ("\"output\":\"\"", "\"output\":\"\\ud800\""),
        (
            "\"output\":\"\"",
            "\"output\":\"\",\"metadata\":{\"n\":-1e999}",
        ),
    ] {
        let torn = plain.replace(from, to);
        assert_ne!(torn, plain);
        write(at, "traces/a.jsonl", &torn);
        let (code, report) = check(at, &[]);
        assert_eq!(code, 1, "{to}: {report:#}");
        assert_eq!(report["uses"], 1, "{to}");
        assert!(codes(&report).contains(&"YV912"), "{to}: {report:#}");
    }
}

#[test]
fn a_misspelled_member_is_no_missing_one() {
    for (name, value) in [
        ("Permissions", json!([])),
        ("permission", json!([])),
        ("p\u{435}rmissions", json!([])),
        ("trial ", json!({"mode":"read-only"})),
        ("costEstimate", json!(0.01)),
    ] {
        let folder = project("");
        let at = folder.path();
        meta(at, "make", json!({ name: value }));
        meta(at, "tidy", json!({ "permissions": [] }));
        let fine = turn(
            "e",
            2,
            &["tidy"],
            ("answer", json!({"content":"x"})),
            json!({}),
        );
        let use_of = turn(
            "e",
            1,
            &["make"],
            shell("curl https://a.example"),
            json!({}),
        );
        write(at, "traces/a.jsonl", &format!("{use_of}{fine}"));
        let (code, report) = check(at, &[]);
        let unread = report["unreadableManifests"].as_array().unwrap();
        assert_eq!((code, unread.len()), (2, 1), "{name}: {report:#}");
    }
}

/// Returns a turn of an agent that used some tokens, at an hour or at no recorded time.
fn of_agent(number: i64, agent: &str, hour: Option<i64>, tokens: &Value) -> String {
    let action = ("answer", json!({"content":"x"}));
    let more = json!({"metadata":{"tokensUsed":tokens}});
    let mut value: Value = serde_json::from_str(&turn("e", number, &[], action, more)).unwrap();
    let members = value.as_object_mut().unwrap();
    members.insert("agentId".into(), json!(agent));
    members.remove("endTime");
    members.insert("startTime".into(), json!(START));
    let Some(hour) = hour else {
        // An event whose time isn't recorded.
        let event = json!({"record":"thought_generated","executionId":format!("untimed-{number}"),"turnId":1,"agentId":agent,
            "thought":{"reasoning":"r","done":false,"action":{"type":"answer","payload":{"content":"x"}}}});
        return format!("{event}\n");
    };
    members.insert("startTime".into(), json!(START + hour * 3_600_000));
    format!("{value}\n")
}

#[test]
fn budgets_of_agents_are_not_split_by_spelling_or_missing_times() {
    let limits = "[knowledge.agent-limits]\nturns-per-hour = 2\n";
    let folder = project(limits);
    let at = folder.path();
    let none = Value::Null;
    let hour = Some(0);
    for turns in [
        [("Bot", hour), ("bot ", hour), ("BOT", hour)],
        [("Bot", hour), ("B\u{43e}t", hour), ("Bot\u{200b}", hour)],
        [("Bot", hour), ("Bot", hour), ("Bot", None)],
    ] {
        let lines = (1..).zip(turns);
        let lines = lines.map(|(n, (agent, hour))| of_agent(n, agent, hour, &none));
        write(at, "traces/a.jsonl", &lines.collect::<String>());
        let (code, report) = check(at, &[]);
        assert_eq!(
            (code, codes(&report)),
            (1, vec!["YV914"]),
            "{turns:?}: {report:#}"
        );
    }
    let apart: String = (1..=3)
        .map(|n| of_agent(n, "Bot", Some(n), &none))
        .collect();
    write(at, "traces/a.jsonl", &apart);
    assert_eq!(check(at, &[]).0, 0);
}

#[test]
fn a_limit_that_nothing_is_recorded_for_is_not_held() {
    let folder = project("[knowledge.agent-limits]\ntokens-per-day = 10\n");
    let at = folder.path();
    for (tokens, code) in [
        (json!(9), 0),
        (json!(11), 1),
        (json!(11.0), 1),
        (json!("11"), 3),
        (Value::Null, 3),
    ] {
        write(at, "traces/a.jsonl", &of_agent(1, "Bot", Some(0), &tokens));
        let (found, report) = check(at, &[]);
        assert_eq!(found, code, "{tokens}: {report:#}");
        assert_eq!(report["withoutTokens"], u64::from(code == 3), "{tokens}");
    }
}
