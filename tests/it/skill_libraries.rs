//! A user's library of skills and queue of candidates, compared with traces, bank and decisions.

use super::support::{json_report, write};
use serde_json::{Value, json};
use std::path::Path;

/// A time in milliseconds since the Unix epoch.
const START: i64 = 1_769_040_000_000;

/// A project with two uses of a skill, one of which succeeded, and one item in the bank.
fn project(library: &Value, queue: &Value, changes: &[Value]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let sources = "[knowledge]\ntraces = ['traces']\nbank = ['bank.json']\nskills = ['library.json', 'user']\n";
    write(at, "yuangs-verify.toml", sources);
    let mut trace = vec![
        json!({"record":"execution_started","executionId":"e1","rootIntent":"Fix","timestamp":START,"schemaVersion":"1.0","fsmVersion":"1"}),
    ];
    for (turn, success) in [(1, true), (2, false)] {
        trace.push(json!({"record":"turn","executionId":"e1","turnId":turn,"startTime":START,"endTime":START + turn,
            "proposedAction":{"id":format!("a{turn}"),"type":"shell_cmd","payload":{"command":"ls"},"riskLevel":"low","reasoning":"r"},
            "executionResult":{"success":success,"output":""},"usedSkills":["fix-page"]}));
    }
    write(at, "traces/e1.jsonl", &lines(&trace));
    let item = json!({"id":"c1","path":"docs/page.md","type":"file","content":"x","tokens":1,
        "importance":{"useCount":4,"successCount":3,"failureCount":1,"lastUsed":START,"createdAt":START,"confidence":0.6}});
    write(at, "bank.json", &json!([item]).to_string());
    write(
        at,
        "library.json",
        &serde_json::to_string_pretty(library).unwrap(),
    );
    write(
        at,
        "user/.yuangs_skill_candidates.json",
        &serde_json::to_string_pretty(queue).unwrap(),
    );
    if !changes.is_empty() {
        write(at, "user/promotions.jsonl", &lines(changes));
    }
    folder
}

fn lines(all: &[Value]) -> String {
    all.iter().map(|line| format!("{line}\n")).collect()
}

/// The findings about a file after indexing, as `CODE LINE`.
fn found(folder: &Path, file: &str) -> Vec<String> {
    let args = ["knowledge", "reindex", "--no-vectors"];
    let (_, report) = json_report(folder, &args);
    let findings = report["findings"].as_array().unwrap().iter();
    let of_file = findings.filter(|f| f["file"] == file);
    of_file
        .map(|f| format!("{} {}", f["code"].as_str().unwrap(), f["line"]))
        .collect()
}

/// An entry of a library, with other values for some members.
fn skill(other: Value) -> Value {
    with(
        json!({"id":"s1","name":"fix-page","description":"Fixes a page","whenToUse":"A page is broken","planTemplate":{},
            "sourceContextPaths":["docs/page.md"],"successCount":1,"failureCount":1,"confidence":0.45,"lastUsed":START,
            "createdAt":START,"enabled":true}),
        other,
    )
}

/// An entry of a queue, with other values for some members.
fn candidate(other: Value) -> Value {
    with(
        json!({"id":"q1","source":"context","path":"docs/page.md","suggestedSkillName":"fix-page","description":"d",
            "confidence":0.6,"usageCount":4,"lastUsed":START,"status":"pending","createdAt":START}),
        other,
    )
}

fn with(mut entry: Value, other: Value) -> Value {
    let members = entry.as_object_mut().unwrap();
    members.extend(other.as_object().unwrap().clone());
    entry
}

fn change(new: &str) -> Value {
    json!({"skill_name":"fix-page","new_status":new,"by":"mia","promoted_at":START + 10})
}

#[test]
fn a_library_agrees_with_traces_and_changes() {
    let of = |entries: Value, changes: &[Value]| {
        found(
            project(&entries, &json!([]), changes).path(),
            "library.json",
        )
    };
    assert_eq!(of(json!([skill(json!({}))]), &[]), Vec::<String>::new());
    // Uses are recorded under the name or the id.
    let by_id = skill(json!({"id":"fix-page","name":"Fix a page"}));
    assert_eq!(of(json!([by_id]), &[]), Vec::<String>::new());
    let boasts = skill(json!({"successCount":8}));
    assert_eq!(of(json!([boasts]), &[]), ["YV922 2"]);
    let other = skill(json!({"id":"s2","name":"other","failureCount":0}));
    assert_eq!(of(json!([skill(json!({})), other]), &[]), ["YV922 18"]);
    assert_eq!(
        of(json!([skill(json!({}))]), &[change("retired")]),
        ["YV903 2"]
    );
    assert_eq!(
        of(
            json!([skill(json!({"enabled":false}))]),
            &[change("retired")]
        ),
        Vec::<String>::new()
    );
    for broken in [
        json!({"confidence":1.5}),
        json!({"successCount":-1}),
        json!({"failureCount":"2"}),
        json!({"enabled":"yes"}),
        json!({"whenToUse":""}),
        json!({"lastUsed":null}),
    ] {
        assert_eq!(
            of(json!([skill(broken.clone())]), &[]),
            ["YV901 2"],
            "{broken}"
        );
    }
    assert_eq!(
        of(json!([skill(json!({})), skill(json!({}))]), &[]),
        ["YV901 18"]
    );
    assert_eq!(of(json!([1]), &[]).len(), 9);
    // What the library disables wasn't to be used.
    let disabled = json!([skill(json!({"enabled":false}))]);
    let folder = project(&disabled, &json!([]), &[]);
    assert!(found(folder.path(), "traces/e1.jsonl").contains(&"YV911 2".to_owned()));
    // The library names the contexts of its skills.
    let (_, provenance) = json_report(
        folder.path(),
        &["knowledge", "graph", "provenance", "fix-page"],
    );
    assert!(
        provenance.to_string().contains("docs/page.md"),
        "{provenance}"
    );
    // It declares no permissions, so that nothing of it is missing.
    let (_, checked) = json_report(folder.path(), &["knowledge", "skills", "check"]);
    assert_eq!(checked["unreadableManifests"], json!([]), "{checked}");
}

#[test]
fn a_queue_agrees_with_decisions_and_the_bank() {
    const QUEUE: &str = "user/.yuangs_skill_candidates.json";
    let of = |entries: Value, changes: &[Value]| {
        found(project(&json!([]), &entries, changes).path(), QUEUE)
    };
    let decided = |new: &str, candidate: &str| with(change(new), json!({"candidate":candidate}));
    assert_eq!(of(json!([candidate(json!({}))]), &[]), Vec::<String>::new());
    let approved = json!([candidate(json!({"status":"approved"}))]);
    assert_eq!(of(approved.clone(), &[]), ["YV903 2"]);
    // The context goes by its id or path, and the candidate by its own id.
    for name in ["c1", "docs/page.md", "q1"] {
        assert_eq!(
            of(approved.clone(), &[decided("approved", name)]),
            Vec::<String>::new(),
            "{name}"
        );
    }
    assert_eq!(
        of(approved.clone(), &[decided("approved", "c2")]),
        ["YV903 2"]
    );
    assert_eq!(of(approved.clone(), &[change("approved")]), ["YV903 2"]);
    assert_eq!(of(approved, &[decided("rejected", "c1")]), ["YV903 2"]);
    assert_eq!(
        of(json!([candidate(json!({}))]), &[decided("rejected", "c1")]),
        ["YV903 2"]
    );
    assert_eq!(
        of(json!([candidate(json!({"usageCount":5}))]), &[]),
        ["YV922 2"]
    );
    for broken in [
        json!({"status":"done"}),
        json!({"confidence":-0.1}),
        json!({"usageCount":1.5}),
        json!({"createdAt":"soon"}),
        json!({"path":7}),
    ] {
        assert_eq!(
            of(json!([candidate(broken.clone())]), &[]),
            ["YV901 2"],
            "{broken}"
        );
    }
}
