//! What `knowledge` doesn't answer, leaves out, or shows in part.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(folder)
        .arg("knowledge")
        .args(args)
        .output()
        .unwrap()
}

fn json_of(folder: &Path, args: &[&str]) -> (Option<i32>, Value) {
    let output = run(folder, &[args, &["--format", "json"]].concat());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let json =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {error}"));
    (output.status.code(), json)
}

fn text(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = run(folder, args);
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

fn project(config: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let write = |name: &str, text: &str| {
        fs::create_dir_all(at.join(name).parent().unwrap()).unwrap();
        fs::write(at.join(name), text).unwrap();
    };
    write(
        "yuangs-verify.toml",
        &format!(
            "[knowledge]\ndocuments = ['docs']\ntranscripts = ['talk']\nprogress = ['PROGRESS.md']\n{config}"
        ),
    );
    let message = |day: u32, role: &str, text: &str| {
        format!(
            "{{\"type\":\"message\",\"sessionId\":\"s1\",\"timestamp\":\"2026-01-{day:02}T10:00:00Z\",\"message\":{{\"role\":\"{role}\",\"content\":\"{text}\"}}}}\n"
        )
    };
    write(
        "talk/s1.jsonl",
        &[
            message(
                3,
                "user",
                "Please make the lexer of the parser faster, it is slow.",
            ),
            message(
                4,
                "assistant",
                "The lexer copies each token; I reuse a buffer now.",
            ),
            message(
                5,
                "tool",
                "bench lexer: 120 ms before, 40 ms after the change",
            ),
        ]
        .concat(),
    );
    write(
        "PROGRESS.md",
        "# Progress\n\n## 2026-01-06\n\n- 2026-01-06 11:00 T-12: lexer merged\n- 2026-01-06 12:00 T-123: notes written\n",
    );
    let sections = [
        (
            "Store",
            "The index is one file of SQLite in WAL mode, and one writer changes it.",
        ),
        (
            "Backups",
            "Backups run at two in the morning to a bucket in another region.",
        ),
        (
            "Releases",
            "A release is cut on Tuesdays by the release manager.",
        ),
        ("Flags", "Feature flags live for ninety days at most."),
        (
            "Reviews",
            "Changes below payments need two approvals of reviewers.",
        ),
        (
            "Passwords",
            "Passwords are hashed with Argon2id and three passes.",
        ),
        (
            "Sessions",
            "Sessions expire after thirty minutes without a request.",
        ),
    ];
    for (name, says) in sections {
        write(
            &format!("docs/{}.md", name.to_lowercase()),
            &format!("# {name}\n\n{says}\n"),
        );
    }
    let indexed = run(at, &["reindex"]);
    assert!(
        indexed.status.success(),
        "{}",
        String::from_utf8_lossy(&indexed.stderr)
    );
    folder
}

#[test]
fn a_question_without_an_answer_is_refused() {
    let folder = project("");
    let at = folder.path();
    for layer in ["search", "index"] {
        let (code, said) = text(at, &[layer, "--query", "When do backups run?"]);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.lines().next().unwrap().contains("Backups"), "{said}");
        for question in [
            "zzzqqqxxx",
            "How is the Kubernetes autoscaler of the release configured?",
        ] {
            let (code, said) = text(at, &[layer, "--query", question]);
            assert_eq!(code, Some(3), "{question}: {said}");
            assert!(
                said.starts_with("(no answer; the nearest observations:)\n")
                    || said == "(nothing found)\n",
                "{said}"
            );
            let (code, json) = json_of(at, &[layer, "--query", question]);
            assert_eq!((code, &json["answered"]), (Some(3), &Value::Bool(false)));
            assert!(json["items"].as_array().unwrap().len() <= 3);
        }
    }
}

#[test]
fn weights_and_minimal_scores_are_configured() {
    let folder =
        project("[knowledge.ranking]\nanswer = 0\nminimum = 0\nfull-text = 1\nvectors = 0\n");
    let question = "How is the Kubernetes autoscaler of the release configured?";
    let (code, json) = json_of(folder.path(), &["search", "--query", question, "--explain"]);
    assert_eq!(code, Some(0), "{json:#}");
    assert!(json.get("answered").is_none());
    for item in json["items"].as_array().unwrap() {
        assert_eq!(item["scores"]["merged"], item["scores"]["fullText"]);
    }
    fs::write(
        folder.path().join("yuangs-verify.toml"),
        "[knowledge]\ndocuments = ['docs']\n[knowledge.ranking]\nvectors = -1\n",
    )
    .unwrap();
    assert_eq!(
        run(folder.path(), &["search", "--query", "store"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn filters_restrict_what_is_found() {
    let folder = project("");
    let at = folder.path();
    let found = |args: &[&str]| -> Vec<String> {
        let (_, json) = json_of(at, args);
        let items = json["items"].as_array().unwrap().iter();
        let mut all: Vec<String> = items
            .map(|item| item["summary"].as_str().unwrap().to_owned())
            .collect();
        all.sort();
        all
    };
    let (_, one) = json_of(at, &["search", "--query", "lexer", "--role", "user"]);
    assert_eq!(one["items"].as_array().unwrap().len(), 1, "{one:#}");
    assert_eq!(
        found(&["index", "--role", "assistant,tool"]).len(),
        2,
        "both messages that the user didn't write"
    );
    assert_eq!(
        found(&["index", "--since", "2026-01-04", "--until", "2026-01-05"]).len(),
        2
    );
    assert_eq!(
        found(&["search", "--query", "lexer", "--until", "2026-01-03"]).len(),
        1
    );
    // Rows that name the task, but not those of another task.
    assert_eq!(
        found(&["index", "--task", "T-12"]),
        ["2026-01-06 11:00 T-12: lexer merged"]
    );
    let (code, said) = text(at, &["timeline", "--task", "T-123"]);
    assert!(code == Some(0) && said.contains("notes written"), "{said}");
    assert_eq!(found(&["index", "--task", "T-1*"]).len(), 0);
    assert_eq!(found(&["index", "--task", "s1"]).len(), 3);
}

#[test]
fn what_the_budget_takes_is_said() {
    let folder = project(
        "[knowledge.profiles.small]\nindex-tokens = 100\nbudget-tokens = 160\ndetail-tokens = 100\n",
    );
    let at = folder.path();
    let (_, said) = text(at, &["index", "--profile", "small"]);
    assert!(
        said.contains(" over the budget of 100 tokens, in all "),
        "{said}"
    );
    let (_, all) = json_of(at, &["index"]);
    let items = all["items"].as_array().unwrap();
    assert!(
        items.iter().any(|item| item["refs"][0] == "docs/store.md"),
        "{all:#}"
    );
    let ids: Vec<&str> = items.iter().map(|i| i["id"].as_str().unwrap()).collect();
    let three = ids.get(..4).unwrap().join(",");
    let (_, said) = text(at, &["detail", "--ids", &three, "--profile", "small"]);
    assert!(
        said.contains("(to fit the budget: ") || said.contains(" over the budget of 160 tokens"),
        "{said}"
    );
}
