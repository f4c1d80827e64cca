//! The context bank: stores outside of a configuration, and counts compared with the traces.

use super::skills::{run, said, write};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

fn json_of(folder: &Path, args: &[&str]) -> Value {
    let output = run(folder, &[args, &["--format", "json"]].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {error}"))
}

/// Writes a store as an agent keeps it in the user's directory.
fn store(at: &Path) {
    let item = json!({"id":"ctx_a","path":"src/a.ts","type":"file","content":"export function add() {}",
        "usageStats":{"referencedCount":5,"verifiedUseful":4,"verifiedNotUseful":1}});
    let listed = json!({"version":1,"items":[{"id":"ctx_a","path":"src/a.ts","type":"file"}]});
    let bank = "home/.agent/context-bank";
    write(at, &format!("{bank}/index.json"), &listed.to_string());
    write(at, &format!("{bank}/items/ctx_a.json"), &item.to_string());
    let copy = json!({"items":[{"id":"ctx_a"}]});
    write(
        at,
        &format!("{bank}/snapshots/bank_snapshot.json"),
        &copy.to_string(),
    );
    write(at, &format!("{bank}/stats/usage.log"), "not JSON\n");
    let edge =
        json!({"from":"ctx_a","to":"exec:e1","type":"used_in","timestamp":1_768_867_200_000_i64});
    write(at, "home/.agent/knowledge/graph.jsonl", &edge.to_string());
}

/// Returns a project whose only trace refers to items of `bank.json`, which doesn't exist.
fn project_of_two_turns() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let config = "[knowledge]\ntraces = ['t.jsonl']\nbank = ['bank.json']\n";
    write(at, "yuangs-verify.toml", config);
    let trace = include_str!("../../corpora/traces/legal/context-of-two-turns.jsonl");
    write(at, "t.jsonl", trace);
    folder
}

#[test]
fn a_store_outside_of_a_configuration_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    store(at);
    let place = ["--store", "home/.agent"];
    let stages = json_of(at, &[&["context", "stages"][..], &place].concat());
    let items = stages["items"].as_array().unwrap();
    assert_eq!(items.len(), 1, "a snapshot is a copy: {stages:#}");
    assert_eq!(items[0]["id"], "ctx_a");
    let found = said(
        at,
        &["context", "find", "@src/a.ts", "--store", "home/.agent"],
    );
    assert!(found.contains("src/a.ts"), "{found}");
    let report = json_of(at, &[&["reindex", "--no-vectors"][..], &place].concat());
    let broken = report["findings"].as_array().unwrap();
    // Nothing is known of the execution.
    assert!(broken.iter().all(|f| f["code"] == "YV902"), "{report:#}");
    assert!(at.join("home/.agent/index.db").is_file());
    std::fs::create_dir(at.join("empty")).unwrap();
    for wrong in [
        &["--store", "empty"][..],
        &["--store", "missing"],
        &["--store", "home/.agent", "--config", "yuangs-verify.toml"],
    ] {
        let output = run(at, &[&["context", "stages"][..], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn a_use_of_a_skill_counts_for_its_contexts() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let config = "[knowledge]\ntraces = ['traces']\nbank = ['bank.json']\nskills = ['skills']\n";
    write(at, "yuangs-verify.toml", config);
    let item = json!([{"id":"page","path":"docs/page.md","type":"file",
        "usageStats":{"referencedCount":1,"verifiedUseful":1,"verifiedNotUseful":0}}]);
    write(at, "bank.json", &item.to_string());
    let start = 1_769_040_000_000_i64;
    let turn = json!({
        "record":"turn","executionId":"e1","turnId":1,"startTime":start,"endTime":start + 400,
        "contextSnapshot":{"inputHash":"0","systemPromptVersion":"1","toolSetVersion":"1","recentMessages":[]},
        "proposedAction":{"id":"a1","type":"shell_cmd","payload":{"command":"npm test"},"riskLevel":"medium","reasoning":"r"},
        "executionResult":{"success":true,"output":"12 passed"},
        "usedSkills":["fix-page@1.0.0"],
    });
    write(at, "traces/e1.jsonl", &turn.to_string());
    let overstated = |origins: Value| {
        let meta = json!({"name":"fix-page","version":"1.0.0","intent":"fix a page","author":"mia",
            "created_at":"2026-01-01","sourceContextPaths":origins});
        write(
            at,
            "skills/production/fix-page/meta.json",
            &meta.to_string(),
        );
        let report = json_of(at, &["context", "references"]);
        let codes = report["findings"].as_array().unwrap().iter();
        codes.filter(|f| f["code"] == "YV922").count()
    };
    assert_eq!(overstated(json!(["docs/page.md"])), 0);
    assert_eq!(overstated(json!(["docs/other.md"])), 1);
}

#[test]
fn an_execution_is_told_what_the_bank_says_of_its_items() {
    let folder = project_of_two_turns();
    let at = folder.path();
    let item = |path: &str, referenced: u32| {
        json!({"id":path,"path":path,"importance":{"useCount":6,"successCount":5,"failureCount":1,
            "confidence":0.8,"lastUsed":1_768_800_000_000_i64},
            "usageStats":{"referencedCount":referenced,"verifiedUseful":4,"verifiedNotUseful":1}})
    };
    let bank = json!([
        item("src/add.ts", 6),
        item("README.md", 3),
        item("elsewhere.md", 6)
    ]);
    write(at, "bank.json", &bank.to_string());
    let indexed = run(at, &["reindex", "--no-vectors"]);
    assert!(indexed.status.success(), "{indexed:?}");
    let output = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(at)
        .args(["explain", "t.jsonl", "--index", ".yuangs/index.db"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for told in [
        "from the bank README.md: context → bank; for a skill: referenced 3 of 5 (bank.json:1)",
        "from the bank src/add.ts: context → bank → candidate for a skill; referenced 6",
        "suggestion src/add.ts: could become a skill (bank.json:1)",
    ] {
        assert!(text.contains(told), "{told}\n{text}");
    }
    assert!(!text.contains("elsewhere.md"), "{text}");
}

#[test]
fn what_is_wrong_with_an_item_is_found_where_its_claims_are_checked() {
    let folder = project_of_two_turns();
    let at = folder.path();
    let references = |item: Value| {
        write(at, "bank.json", &json!([item]).to_string());
        let args = ["context", "references", "--fail-on", "warning"];
        (run(at, &args).status.code().unwrap(), json_of(at, &args))
    };
    let (code, report) = references(json!({"path":"elsewhere.md"}));
    assert_eq!((code, report["findings"].as_array().unwrap().len()), (0, 0));
    for item in [
        json!({"path":"a.md","usageStats":{"referencedCount":"99"}}),
        json!({"path":"a.md","usageStats":[{"referencedCount":99}]}),
        json!({"path":"a.md","usageStats":{"referenced_count":99}}),
        json!({"path":"a.md","UsageStats":{"referencedCount":99}}),
        json!({"path":"a.md","usageStats":{"ref\u{435}rencedCount":99}}),
        json!({"path":"a.md","importance":{"useCount":99,"confidence":"0.9"}}),
        json!({"path":["a.md"],"usageStats":{"referencedCount":99}}),
        json!({"path":"a.md","importance":{"useCount":99}}),
    ] {
        let (code, report) = references(item.clone());
        assert_eq!(code, 1, "{item}: {report:#}");
    }
    // Nothing is compared with an empty bank.
    write(at, "bank.json", "[]");
    let output = run(at, &["context", "references"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

#[test]
fn an_input_that_can_be_read_once_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\nbank = ['bank.json']\n",
    );
    write(at, "bank.json", r#"[{"path":"a.md"}]"#);
    let mut once = vec!["-"];
    if cfg!(unix) {
        let made = Command::new("mkfifo").arg(at.join("pipe")).status();
        assert!(made.unwrap().success());
        once.push("pipe");
    }
    for input in once {
        let output = run(at, &["context", "references", input]);
        assert_eq!(output.status.code(), Some(2), "{input}: {output:?}");
    }
}

#[cfg(unix)]
#[test]
fn the_index_of_a_store_is_not_written_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    store(at);
    let link = at.join("home/.agent/index.db");
    for target in ["../../outside.db", "context-bank/new.db"] {
        std::os::unix::fs::symlink(target, &link).unwrap();
        let output = run(at, &["reindex", "--no-vectors", "--store", "home/.agent"]);
        assert_eq!(output.status.code(), Some(2), "{target}: {output:?}");
        assert!(!at.join("outside.db").exists(), "{target}");
        std::fs::remove_file(&link).unwrap();
    }
}
