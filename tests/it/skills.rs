//! Skills, memory and references, from the command line.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn tool(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"));
    command.current_dir(folder).arg("knowledge");
    command
}

pub(crate) fn run(folder: &Path, args: &[&str]) -> Output {
    tool(folder)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn json_of(folder: &Path, args: &[&str]) -> Value {
    let output = run(folder, &[args, &["--format", "json"]].concat());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {error}"))
}

fn code(folder: &Path, args: &[&str]) -> i32 {
    run(folder, args).status.code().unwrap()
}

pub(crate) fn said(folder: &Path, args: &[&str]) -> String {
    let output = run(folder, args);
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

pub(crate) fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const START: i64 = 1_769_000_000_000;
/// The day of the newest record.
const NOW: &str = "2026-01-21T12:53:20Z";
const DAY: i64 = 86_400_000;

/// Builds a trace of one execution with uses of skills: name, success, cost, rolled back.
fn trace(id: &str, at: i64, uses: &[(&str, bool, f64, bool)]) -> String {
    let mut lines = vec![
        json!({"record":"execution_started","executionId":id,"timestamp":at,"schemaVersion":"1.0","rootIntent":"Make it","fsmVersion":"1"}),
    ];
    for (n, (skill, success, cost, rolled_back)) in (0_i64..).zip(uses) {
        let time = at + n * 1000;
        let action = json!({"id":format!("{id}-{n}"),"type":"shell_cmd","payload":{"command":"cargo test"},
            "riskLevel":"medium","reasoning":"it is red"});
        lines.push(json!({"record":"turn","executionId":id,"turnId":n + 1,"startTime":time,"endTime":time + 500,"usedSkills":[skill],
            "contextSnapshot":{"inputHash":"i","systemPromptVersion":"p","toolSetVersion":"t"},"proposedAction":action,
            "executionResult":{"success":success,"output":"","cost":cost,"durationMs":600.0,"metadata":{"rolledBack":rolled_back}}}));
    }
    lines.iter().map(|l| format!("{l}\n")).collect()
}

fn meta(name: &str, version: &str, intent: &str) -> String {
    json!({"name":name,"version":version,"intent":intent,"author":"ci","created_at":"2026-01-01T00:00:00Z"}).to_string()
}

fn item(id: &str, ends: (u64, u64), confidence: f64, last: i64, stats: (u64, u64, u64)) -> Value {
    json!({"id":id,"path":format!("docs/{id}.md"),"type":"file","content":format!("what {id} says"),
        "importance":{"useCount":ends.0 + ends.1,"successCount":ends.0,"failureCount":ends.1,"confidence":confidence,"lastUsed":last},
        "usageStats":{"referencedCount":stats.0,"verifiedUseful":stats.1,"verifiedNotUseful":stats.2}})
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\ntraces = ['traces']\nbank = ['bank']\nskills = ['skills']\n",
    );
    write(
        at,
        "traces/good.jsonl",
        &trace("good", START, &[("make", true, 0.1, false); 12]),
    );
    write(
        at,
        "traces/poor.jsonl",
        &trace("poor", START, &[("guess", false, 2.0, true); 20]),
    );
    write(
        at,
        "skills/experimental/make/meta.json",
        &meta("make", "1.0.0", "make a build"),
    );
    write(
        at,
        "skills/production/guess/meta.json",
        &meta("guess", "2.0.0", "make a build"),
    );
    write(
        at,
        "bank/items/ready.json",
        &item("ready", (9, 0), 0.9, START, (6, 6, 1)).to_string(),
    );
    write(
        at,
        "bank/items/early.json",
        &item("early", (9, 0), 0.9, START - 8 * DAY, (6, 4, 1)).to_string(),
    );
    write(
        at,
        "bank/items/bad.json",
        &item("bad", (0, 9), 0.1, START - 60 * DAY, (4, 0, 3)).to_string(),
    );
    write(
        at,
        "bank/index.json",
        &json!({"version":1,"items":[{"id":"bad","path":"docs/bad.md"},{"id":"ready","path":"docs/ready.md"}]}).to_string(),
    );
    folder
}

#[test]
fn figures_decide_what_is_promoted_and_retired() {
    let folder = project();
    let at = folder.path();
    assert_eq!(code(at, &["reindex"]), 0, "{}", said(at, &["reindex"]));
    let report = json_of(at, &["skills", "evaluate"]);
    let skills = report["skills"].as_array().unwrap();
    let reported: Vec<_> = skills
        .iter()
        .map(|s| {
            (
                &s["skill_name"],
                &s["skill_version"],
                &s["execution_count"],
                &s["suggestion"],
            )
        })
        .collect();
    assert_eq!(
        json!(reported),
        json!([
            ["guess", "2.0.0", 20, "retire"],
            ["make", "1.0.0", 12, "promote"]
        ])
    );
    let score = 0.4 + 0.2 * 0.9 + 0.15 * 0.99 + 0.15 + 0.1;
    assert!(
        (skills[1]["current_score"].as_f64().unwrap() - score).abs() < 1e-9,
        "{report:#}"
    );
    let aggressive = json_of(
        at,
        &[
            "skills",
            "evaluate",
            "--weights",
            "aggressive",
            "--skill",
            "make",
        ],
    );
    assert!(
        (aggressive["skills"][0]["current_score"].as_f64().unwrap() - (0.6 + 0.09 + 0.099 + 0.2))
            .abs()
            < 1e-9
    );
    assert_eq!(
        report["selected"][0]["skill_name"], "guess",
        "only production is chosen from"
    );
    let text = said(at, &["skills", "evaluate"]);
    for words in [
        "read its errors",
        "cheaper model",
        "add tests",
        "rollback 1.000, more than 0.3",
        "12 executions, needs 10",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // Before that time nothing had been used. The same query gives the same bytes.
    let before = json_of(at, &["skills", "evaluate", "--now", "2026-01-01"]);
    assert_eq!(before["skills"][1]["execution_count"], 0);
    assert_eq!(text, said(at, &["skills", "evaluate"]));
    // The table in the store has the same values.
    let db = rusqlite::Connection::open(at.join(".yuangs/index.db")).unwrap();
    let stored: (i64, f64) = db
        .query_row(
            "SELECT execution_count, current_score FROM skill_stats WHERE skill_name = 'make'",
            [],
            |r| Ok((r.get(0)?, r.get(1)?)),
        )
        .unwrap();
    assert_eq!((stored.0, (stored.1 - score).abs() < 1e-9), (12, true));
    // The configured limits apply.
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\ntraces = ['traces']\nskills = ['skills']\n[knowledge.limits]\nmax-cost = 0.1\n",
    );
    assert_eq!(
        json_of(at, &["skills", "evaluate", "--skill", "make"])["skills"][0]["suggestion"],
        "stay"
    );
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\ntraces = ['traces']\n[knowledge.limits]\nmax-cost = nan\n",
    );
    assert_eq!(code(at, &["skills", "evaluate"]), 2);
}

#[test]
fn promotions_need_evidence_from_before() {
    let folder = project();
    let at = folder.path();
    let promoted = |time: i64| {
        let line = |name: &str| json!({"skill_name":name,"old_status":"experimental","new_status":"production","score":0.99,"promoted_at":time});
        write(
            at,
            "skills/promotions.jsonl",
            &format!("{}\n{}\n", line("make"), line("guess")),
        );
        let report = json_of(at, &["reindex"]);
        let all = report["findings"].as_array().unwrap();
        // Both lie where they were before.
        let (recorded, displaced): (Vec<_>, Vec<_>) = all
            .iter()
            .partition(|f| f["file"] == "skills/promotions.jsonl");
        assert!(
            displaced.iter().all(|f| f["code"] == "YV903"),
            "{displaced:?}"
        );
        assert!(!displaced.is_empty());
        recorded
            .iter()
            .map(|f| {
                (
                    f["code"].as_str().unwrap().to_owned(),
                    f["line"].as_u64().unwrap(),
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(
        promoted(START + DAY),
        [("YV903".to_owned(), 2)],
        "one of them never worked"
    );
    assert_eq!(
        promoted(START + 5_000),
        [("YV903".to_owned(), 1), ("YV903".to_owned(), 2)],
        "half of the uses came later"
    );
    assert_eq!(code(at, &["reindex"]), 1);
    let history = said(at, &["skills", "history"]);
    assert!(
        history.contains("not supported: score") && history.contains("5 executions, needs 10"),
        "{history}"
    );
    assert_eq!(code(at, &["skills", "history"]), 1);
    assert_eq!(code(at, &["skills", "history", "--fail-on", "never"]), 0);
    assert_eq!(
        json_of(at, &["skills", "history", "--skill", "make"])["changes"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    write(
        at,
        "skills/promotions.jsonl",
        "{\"skill_name\":\"make\",\"new_status\":\"best\",\"promoted_at\":1}\nno json\n",
    );
    let broken: Vec<String> = json_of(at, &["reindex"])["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["code"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(broken, ["YV103", "YV102"]);
}

#[test]
fn no_promotion_rests_on_weak_turns() {
    let folder = project();
    let at = folder.path();
    let turns = |declared: Value| -> String {
        let turn = |n: i64| {
            let action = json!({"id":format!("w-{n}"),"type":"answer","payload":{"content":"as we know one two three four five six seven eight"},
                "riskLevel":"low","reasoning":"so"});
            let time = START + n * 1000;
            json!({"record":"turn","executionId":"weak","turnId":n + 1,"startTime":time,"endTime":time + 500,"usedSkills":["quoter"],
                "usedContext":declared,"contextSnapshot":{"inputHash":"i","systemPromptVersion":"p","toolSetVersion":"t"},
                "proposedAction":action,"executionResult":{"success":true,"output":"","cost":0.1,"durationMs":600.0}})
        };
        (0..12).map(|n| format!("{}\n", turn(n))).collect()
    };
    write(at, "traces/weak.jsonl", &turns(json!([])));
    let line = json!({"skill_name":"quoter","old_status":"experimental","new_status":"production","promoted_at":START + DAY});
    write(at, "skills/promotions.jsonl", &format!("{line}\n"));
    let found = || {
        let report = json_of(at, &["reindex"]);
        let of =
            |f: &&Value| f["code"] == "YV903" && f["message"].as_str().unwrap().contains("quoter");
        report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(of)
            .count()
    };
    let counts = || {
        let report = json_of(at, &["skills", "evaluate", "--skill", "quoter"]);
        (
            report["skills"][0]["execution_count"].clone(),
            report["skills"][0]["weak"].clone(),
        )
    };
    assert_eq!((found(), counts()), (0, (json!(12), json!(0))));
    // The traces are unchanged, but the text that they quote without declaration is known now.
    write(
        at,
        "bank/items/q.json",
        &json!({"id":"q","path":"q.md","content":"one two three four five six seven eight nine"})
            .to_string(),
    );
    assert_eq!((found(), counts()), (1, (json!(0), json!(12))));
    assert!(said(at, &["skills", "evaluate"]).contains("count for nothing"));
    write(at, "traces/weak.jsonl", &turns(json!(["q.md"])));
    assert_eq!((found(), counts()), (0, (json!(12), json!(0))));
}

#[test]
fn candidates_are_decided_about_by_somebody() {
    let folder = project();
    let at = folder.path();
    let list = || json_of(at, &["skills", "candidates"])["candidates"].clone();
    let reported = |list: &Value| {
        list.as_array()
            .unwrap()
            .iter()
            .map(|c| {
                format!(
                    "{} {}",
                    c["id"].as_str().unwrap(),
                    c["status"].as_str().unwrap()
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(reported(&list()), ["early pending", "ready pending"]);
    assert!(
        list()[0]["lacks"]
            .to_string()
            .contains("verified useful 4 times, needs 5")
    );
    let now = "2026-01-22";
    for (args, words) in [
        (
            &["skills", "approve", "nobody", "--by", "maria"][..],
            "isn't a candidate",
        ),
        (
            &["skills", "approve", "early", "--by", "maria", "--now", now],
            "can't be approved",
        ),
        (
            &["skills", "approve", "ready", "--by", " ", "--now", now],
            "nobody decides",
        ),
        (&["skills", "approve", "ready"], "--by"),
    ] {
        let output = run(at, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains(words),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    assert!(
        !at.join("skills/promotions.jsonl").exists(),
        "nothing was written"
    );
    let text = said(
        at,
        &[
            "skills", "approve", "ready", "--by", "maria", "--reason", "it holds", "--now", now,
        ],
    );
    assert!(
        text.contains("ready: pending -> approved")
            && text.contains("wrote into skills/promotions.jsonl"),
        "{text}"
    );
    assert_eq!(
        code(
            at,
            &["skills", "defer", "early", "--by", "maria", "--now", now]
        ),
        0
    );
    assert_eq!(
        code(
            at,
            &[
                "skills",
                "reject",
                "early",
                "--by",
                "maria",
                "--now",
                "2026-01-23"
            ]
        ),
        0
    );
    assert_eq!(
        code(
            at,
            &[
                "skills",
                "reject",
                "early",
                "--by",
                "maria",
                "--now",
                "2026-01-24"
            ]
        ),
        2,
        "it is so already"
    );
    assert_eq!(reported(&list()), ["early rejected", "ready approved"]);
    assert_eq!(
        fs::read_to_string(at.join("skills/promotions.jsonl"))
            .unwrap()
            .lines()
            .count(),
        3
    );
    // The approval is supported by its context; the skill in production has no evidence.
    let report = json_of(at, &["reindex"]);
    let found: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["message"].as_str().unwrap())
        .collect();
    assert_eq!(found.len(), 1, "{report:#}");
    assert!(
        found[0].contains("guess 2.0.0") && found[0].contains("no promotion of it is recorded")
    );
    fs::write(
        at.join("bank/items/ready.json"),
        item("ready", (9, 0), 0.9, START, (6, 3, 1)).to_string(),
    )
    .unwrap();
    assert_eq!(
        json_of(at, &["reindex"])["findings"]
            .as_array()
            .unwrap()
            .len(),
        2,
        "the evidence is gone"
    );
    #[cfg(unix)]
    {
        fs::rename(at.join("skills/promotions.jsonl"), at.join("kept")).unwrap();
        std::os::unix::fs::symlink(at.join("kept"), at.join("skills/promotions.jsonl")).unwrap();
        assert_eq!(
            code(at, &["skills", "defer", "early", "--by", "maria"]),
            2,
            "no link is written through"
        );
    }
}

#[test]
fn a_store_of_the_earlier_generation_counts_beside_the_index() {
    let folder = project();
    let at = folder.path();
    assert_eq!(code(at, &["reindex"]), 0);
    let db = rusqlite::Connection::open(at.join("old.db")).unwrap();
    db.execute_batch(
        "CREATE TABLE agent_log (skill_name, success, cost, latency); INSERT INTO agent_log VALUES ('make', 0, 0.5, 10);
         CREATE TABLE agent_log_v2 (skill_name, success); INSERT INTO agent_log_v2 VALUES ('make', 1)",
    )
    .unwrap();
    let report = json_of(
        at,
        &[
            "skills", "evaluate", "--beside", "old.db", "--skill", "make",
        ],
    );
    assert_eq!(
        (
            &report["skills"][0]["execution_count"],
            &report["beside"][1]["uses"]
        ),
        (&14.into(), &1.into())
    );
    assert_eq!(
        code(
            at,
            &["skills", "evaluate", "--beside", "yuangs-verify.toml"]
        ),
        2
    );
    assert_eq!(
        code(at, &["skills", "evaluate", "--beside", "missing.db"]),
        2
    );
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let walk = walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap);
    let files = walk.filter(|e| e.file_type().is_file());
    files
        .map(|e| {
            (
                e.path().to_string_lossy().into_owned(),
                fs::read(e.path()).unwrap(),
            )
        })
        .collect()
}

#[test]
fn memory_is_shown_done_and_taken_back() {
    let folder = project();
    let at = folder.path();
    let before = files(&at.join("bank"));
    let status = json_of(at, &["memory", "status"]);
    let reported: Vec<String> = status["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| {
            format!(
                "{} {}",
                d["id"].as_str().unwrap(),
                d["action"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        reported,
        [
            "bad forget",
            "early promote_to_skill",
            "ready promote_to_skill"
        ],
        "{status:#}"
    );
    assert_eq!(
        status["files"],
        json!([
            "bank/candidates.jsonl",
            "bank/index.json",
            "bank/items/bad.json"
        ])
    );
    assert_eq!(files(&at.join("bank")), before, "a dry run writes nothing");
    let unasked = run(at, &["memory", "apply", "--now", NOW]);
    assert_eq!(unasked.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unasked.stderr).contains("--yes"));
    assert_eq!(files(&at.join("bank")), before);
    let done = said(at, &["memory", "apply", "--now", NOW, "--yes"]);
    assert!(
        done.contains("changed bank/items/bad.json") && done.contains("run 1: 3 changes"),
        "{done}"
    );
    assert!(!at.join("bank/items/bad.json").exists());
    assert!(
        said(at, &["memory", "apply", "--now", NOW, "--yes"]).contains("nothing is to be changed")
    );
    let back = said(at, &["memory", "undo", "--yes"]);
    assert!(back.contains("run 2 took run 1 back"), "{back}");
    assert_eq!(files(&at.join("bank")), before);
    assert_eq!(code(at, &["memory", "undo", "--yes"]), 2);
    // A damaged file isn't changed.
    write(at, "bank/items/broken.json", "{");
    assert_eq!(code(at, &["memory", "status"]), 2);
    assert_eq!(code(at, &["memory", "apply", "--now", NOW, "--yes"]), 2);
}

/// After a kill at any moment, the next command finds the old bank or completes the new one.
#[test]
fn a_killed_apply_is_finished_or_never_began() {
    for round in 0..25_u32 {
        let folder = project();
        let at = folder.path();
        for n in 0..20 {
            let bad = item(&format!("bad{n}"), (0, 9), 0.1, START - 60 * DAY, (4, 0, 3));
            write(at, &format!("bank/items/bad{n}.json"), &bad.to_string());
        }
        let before = files(&at.join("bank"));
        let mut child = tool(at)
            .args(["memory", "apply", "--now", NOW, "--yes"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(u64::from(round * 7 % 60)));
        child.kill().unwrap();
        child.wait().unwrap();
        let output = run(at, &["memory", "apply", "--now", NOW, "--yes"]);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(!at.join("bank/items/bad7.json").exists());
        assert_eq!(code(at, &["memory", "undo", "--yes"]), 0);
        let left = |all: Vec<(String, Vec<u8>)>| {
            all.into_iter()
                .filter(|(name, _)| !name.ends_with(".tmp~"))
                .collect::<Vec<_>>()
        };
        assert_eq!(left(files(&at.join("bank"))), left(before), "round {round}");
    }
}

#[test]
fn stages_and_references_are_told() {
    let folder = project();
    let at = folder.path();
    let stages = json_of(at, &["context", "stages"]);
    let reported: Vec<String> = stages["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| {
            format!(
                "{} {}",
                i["id"].as_str().unwrap(),
                i["stage"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        reported,
        [
            "ready skill_candidate",
            "early skill_candidate",
            "bad archived"
        ]
    );
    assert_eq!(code(at, &["context", "stages", "--now", "2026-01-22"]), 0);
    assert_eq!(
        code(at, &["context", "references"]),
        0,
        "{}",
        said(at, &["context", "references"])
    );
    write(
        at,
        "bank/items/quoted.json",
        &json!({"id":"q","path":"q.md","content":"one two three four five six seven eight nine"})
            .to_string(),
    );
    let long = "padding ".repeat(5000);
    let text = format!("{long} two three\tfour five\nsix seven eight nine {long}");
    let action = json!({"id":"x","type":"answer","payload":{"content":text},"riskLevel":"low","reasoning":"so"});
    let line = json!({"record":"turn","executionId":"hidden","turnId":1,"startTime":START,"endTime":START,"proposedAction":action,
        "contextSnapshot":{"inputHash":"i","systemPromptVersion":"p","toolSetVersion":"t"}});
    write(at, "traces/hidden.jsonl", &format!("{line}\n"));
    let report = json_of(at, &["context", "references"]);
    let weak = |report: &Value| {
        let findings = report["findings"].as_array().unwrap().iter();
        findings.filter(|f| f["code"] == "YV602").count()
    };
    assert_eq!(weak(&report), 1, "far behind the beginning: {report:#}");
    assert_eq!(
        code(at, &["context", "references", "--fail-on", "warning"]),
        1
    );
    let report = json_of(at, &["context", "references", "traces/good.jsonl"]);
    assert_eq!(weak(&report), 0, "{report:#}");
    assert_eq!(code(at, &["context", "references", "missing.jsonl"]), 2);
    write(at, "cut.jsonl", "{\"record\":\"turn\"\n{}\n");
    assert_eq!(
        code(at, &["context", "references", "cut.jsonl"]),
        1,
        "what can't be read may hold what is looked for"
    );
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\ndocuments = ['docs']\n",
    );
    for args in [
        &["context", "stages"][..],
        &["memory", "status"],
        &["context", "references"],
        &["skills", "candidates"],
    ] {
        assert_eq!(code(at, args), 2, "{args:?}");
    }
}

#[test]
fn nothing_hostile_and_nothing_secret_is_shown() {
    let folder = project();
    let at = folder.path();
    let key = format!("AKIA{}", "IOSFODNN7ABCDEFG");
    let mut evil = item("evil", (9, 0), 0.9, START, (6, 6, 1));
    evil["path"] = json!(format!("a\u{1b}[2J\u{202e}\n::error::x {key}"));
    write(at, "bank/items/evil.json", &evil.to_string());
    write(
        at,
        "skills/experimental/evil/meta.json",
        &meta("e\u{1b}[2J\u{202e}\n::error::x", "1", "i\n::warning::y"),
    );
    let mut uses = [("e\u{1b}[2J\n::error::z", true, 0.1, false); 2];
    uses[1].0 = "make";
    write(
        at,
        "traces/evil.jsonl",
        &trace("evil\n::error::", START, &uses),
    );
    let mut all = said(at, &["reindex"]);
    for args in [
        &["skills", "evaluate"][..],
        &["skills", "evaluate", "--format", "json"],
        &["skills", "candidates"],
        &["skills", "candidates", "--format", "json"],
        &["skills", "history"],
        &["memory", "status"],
        &["memory", "status", "--format", "json"],
        &["context", "stages"],
        &["context", "references"],
        &["memory", "apply", "--now", NOW, "--yes"],
        &["memory", "undo", "--yes"],
    ] {
        all.push_str(&said(at, args));
    }
    assert!(all.contains("error"));
    assert!(
        !all.chars()
            .any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'),
        "{all}"
    );
    assert!(
        !all.lines().any(|l| l.trim_start().starts_with("::")),
        "{all}"
    );
    assert!(!all.contains(&key), "{all}");
}
