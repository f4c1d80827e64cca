//! The index matches its sources, however either of them is changed.

use rusqlite::Connection;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const CONFIG: &str = "[knowledge]\ndocuments = ['docs']\ngraph = ['graph.jsonl']\nskills = ['skills']\ntraces = ['traces']\nbank = ['bank']\n";
const DAY: i64 = 86_400_000;
/// 2026-01-20.
const START: i64 = 1_768_867_200_000;

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(folder)
        .arg("knowledge")
        .args(args)
        .output()
        .unwrap()
}

fn json_of(folder: &Path, args: &[&str]) -> Value {
    let output = run(folder, &[args, &["--format", "json"]].concat());
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn said(folder: &Path, args: &[&str]) -> String {
    let output = run(folder, args);
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn code(folder: &Path, args: &[&str]) -> Option<i32> {
    run(folder, args).status.code()
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Creates a project with an index.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "yuangs-verify.toml", CONFIG);
    write(
        at,
        "docs/store.md",
        "# Store\n\nEverything lies in one file, and releases are signed by two people.\n",
    );
    write(
        at,
        "docs/search.md",
        "# Search\n\nWords are found by full text.\n",
    );
    write(
        at,
        "graph.jsonl",
        "{\"from\":\"context:docs/store.md\",\"to\":\"exec:e\",\"type\":\"used_in\",\"timestamp\":1768867200000}\n",
    );
    write(
        at,
        "skills/production/tidy/meta.json",
        &json!({"name":"tidy","version":"1.0.0","description":"tidy up"}).to_string(),
    );
    write(
        at,
        "bank/items/a.json",
        &json!({"id":"a","path":"docs/store.md","content":"releases are signed"}).to_string(),
    );
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/traces/demo/react-fix.jsonl");
    let demo = fs::read_to_string(demo).unwrap().replacen(
        "\"thought\":{",
        "\"usedSkills\":[\"tidy\"],\"thought\":{",
        1,
    );
    write(at, "traces/react-fix.jsonl", &demo);
    let output = run(at, &["reindex"]);
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    folder
}

#[test]
fn a_row_that_was_changed_in_the_index_is_found() {
    let folder = project();
    let at = folder.path();
    let index = at.join(".yuangs/index.db");
    let told = json_of(at, &["reindex", "--check"]);
    assert!(
        told["findings"]
            .as_array()
            .unwrap()
            .iter()
            .all(|f| f["code"] != "YV905"),
        "{told:#}"
    );
    let whole = fs::read(&index).unwrap();
    let count = |table: &str| -> i64 {
        let db = Connection::open(&index).unwrap();
        db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
            row.get(0)
        })
        .unwrap()
    };
    assert!(count("vector") > 0 && count("skill_stats") > 0);
    let changes = [
        "UPDATE observation SET detail = replace(detail, 'two people', 'nobody')",
        "UPDATE observation SET summary = 'x' WHERE id = (SELECT min(id) FROM observation)",
        "UPDATE observation SET time = 0 WHERE time IS NOT NULL",
        "UPDATE observation SET last_line = last_line + 1",
        "UPDATE observation SET kind = 'log' WHERE kind = 'document'",
        "DELETE FROM observation WHERE id = (SELECT max(id) FROM observation)",
        "INSERT INTO observation (key, source, kind, first_line, last_line, summary, refs, detail)
         SELECT 'aaaaaaaaaaaa', min(id), 'document', 1, 1, 'planted', '', 'releases need no signature' FROM source",
        // The digest is changed along with the text, but the source determines it.
        "UPDATE observation SET detail = replace(detail, 'two people', 'nobody');
         UPDATE source SET digest = zeroblob(32) WHERE path = 'docs/store.md'",
        "UPDATE source SET digest = zeroblob(32) WHERE path = 'docs/store.md'",
        "UPDATE source SET hidden = 7 WHERE path = 'docs/store.md'",
        "UPDATE edge SET to_node = 'exec:other'",
        "UPDATE name SET name = 'other' WHERE kind = 'skill'",
        "UPDATE document SET json = '{}'",
        "UPDATE execution_log SET success = 1 - coalesce(success, 0)",
        "UPDATE execution_log SET weak = 1 - weak",
        // Words lead to texts: without them, or with those of another text, a text isn't found.
        "DELETE FROM words WHERE rowid = (SELECT min(id) FROM observation)",
        "INSERT INTO words (rowid, head, body) VALUES (99999, 'planted', 'release')",
        "UPDATE words SET head = 'other', body = 'other'
         WHERE rowid = (SELECT min(id) FROM observation)",
        "DELETE FROM words_data WHERE id > 1000",
        "UPDATE words_data SET block = zeroblob(length(block)) WHERE id = 1",
        "UPDATE words_docsize SET sz = x'0101' WHERE id = (SELECT min(id) FROM observation)",
        "DELETE FROM words_docsize",
        "UPDATE words_config SET v = 1 WHERE k = 'version'",
        // The vectors, and the model that embeds queries.
        "UPDATE vector SET data = zeroblob(length(data))",
        "UPDATE vector SET data = CAST(substr(data, 2) || x'00' AS BLOB)",
        "UPDATE vector SET data = substr(data, 1, length(data) - 1)",
        "DELETE FROM vector",
        "INSERT INTO vector SELECT max(observation) + 1, data FROM vector",
        "DELETE FROM vector; DELETE FROM meta WHERE key LIKE 'lsa%'",
        "DELETE FROM meta WHERE key = 'lsa'",
        "DELETE FROM meta WHERE key = 'lsa_sample'",
        "UPDATE meta SET value = zeroblob(10) WHERE key = 'lsa'",
        "UPDATE meta SET value = CAST(substr(value, 1, length(value) - 400) || hex(zeroblob(200)) AS BLOB) WHERE key = 'lsa'",
        "UPDATE meta SET value = CAST(substr(value, 1, length(value) - 400) || hex(zeroblob(200)) AS BLOB) WHERE key = 'lsa';
         UPDATE vector SET data = zeroblob(length(data))",
        "INSERT INTO meta VALUES ('given_model', 'x')",
        // Statistics of skills.
        "UPDATE skill_stats SET success_count = success_count + 100",
        "UPDATE skill_stats SET current_score = 0.99",
        "DELETE FROM skill_stats",
        "CREATE TEMP TABLE planted AS SELECT * FROM skill_stats;
         UPDATE planted SET skill_name = 'planted', id = NULL;
         INSERT INTO skill_stats SELECT * FROM planted",
    ];
    for change in changes {
        fs::write(&index, &whole).unwrap();
        let db = Connection::open(&index).unwrap();
        db.execute_batch(&format!("PRAGMA foreign_keys = off; {change}"))
            .unwrap();
        drop(db);
        let told = json_of(at, &["reindex", "--check"]);
        let found = told["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|f| f["code"] == "YV905");
        assert!(found.count() > 0, "{change}: {told:#}");
        assert_eq!(code(at, &["reindex", "--check"]), Some(1), "{change}");
    }
    // Removed vectors are derived again.
    fs::write(&index, &whole).unwrap();
    Connection::open(&index)
        .unwrap()
        .execute_batch("PRAGMA foreign_keys = off; DELETE FROM vector")
        .unwrap();
    run(at, &["reindex"]);
    assert!(count("vector") > 0);
    assert!(!said(at, &["reindex", "--check", "--fail-on", "never"]).contains("YV905"));
    // Rows without a source.
    fs::write(&index, &whole).unwrap();
    Connection::open(&index)
        .unwrap()
        .execute_batch("PRAGMA foreign_keys = off; DELETE FROM source WHERE path = 'docs/store.md'")
        .unwrap();
    let told = json_of(at, &["reindex", "--check"]).to_string();
    assert!(
        told.contains("isn't in the index") && told.contains("rows of `observation`"),
        "{told}"
    );
    // A rebuilt index matches.
    fs::remove_file(&index).unwrap();
    run(at, &["reindex"]);
    assert!(!said(at, &["reindex", "--check", "--fail-on", "never"]).contains("YV905"));
}

/// The rows of an index that has grown and shrunk match its sources too.
#[test]
fn an_index_with_a_history_agrees_with_its_sources() {
    let folder = project();
    let at = folder.path();
    for round in 0..12 {
        write(
            at,
            &format!("docs/{}.md", round % 5),
            &format!("# Page {round}\n\nWhat round {round} says, and nothing else.\n"),
        );
        if round % 3 == 2 {
            fs::remove_file(at.join(format!("docs/{}.md", round % 5))).unwrap();
        }
        run(at, &["reindex", "--no-vectors"]);
        let told = json_of(at, &["reindex", "--check", "--no-vectors"]);
        assert!(
            told["findings"]
                .as_array()
                .unwrap()
                .iter()
                .all(|f| f["code"] != "YV905"),
            "{round}: {told:#}"
        );
    }
}

#[test]
fn a_source_that_is_missing_leaves_the_index_as_it_is() {
    for (missing, aside) in [
        ("docs", "elsewhere"),
        ("graph.jsonl", "graph.old"),
        ("skills", "kept"),
        ("bank", "vault"),
    ] {
        let folder = project();
        let at = folder.path();
        let digest = json_of(at, &["reindex", "--check"])["digest"].clone();
        fs::rename(at.join(missing), at.join(aside)).unwrap();
        let output = run(at, &["reindex"]);
        assert_eq!(output.status.code(), Some(2), "{missing}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            error.contains(missing) && error.contains("the index is as it was"),
            "{error}"
        );
        assert_eq!(
            json_of(at, &["reindex", "--check"])["digest"],
            digest,
            "{missing}"
        );
        assert_eq!(code(at, &["reindex", "--check"]), Some(2), "{missing}");
        if missing == "bank" || missing == "skills" {
            // The decisions and their subjects are unknown too.
            assert_eq!(code(at, &["skills", "candidates"]), Some(2), "{missing}");
        }
        assert!(
            said(
                at,
                &["search", "--query", "releases signed", "--no-vectors"]
            )
            .contains("two people")
        );
        fs::rename(at.join(aside), at.join(missing)).unwrap();
        assert_eq!(json_of(at, &["reindex"])["digest"], digest);
    }
    // No empty index is created.
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "yuangs-verify.toml",
        "[knowledge]\ndocuments = ['docs']\n",
    );
    assert_eq!(code(folder.path(), &["reindex"]), Some(2));
    assert!(!folder.path().join(".yuangs").exists());
}

/// Runs a command with a limit on file sizes, as on a full disk.
#[cfg(unix)]
fn run_limited(folder: &Path, blocks: u32, args: &str) -> Output {
    let script = format!(
        "trap '' XFSZ; ulimit -f {blocks}; exec '{}' knowledge {args}",
        env!("CARGO_BIN_EXE_yuangs-verify")
    );
    Command::new("sh")
        .current_dir(folder)
        .args(["-c", &script])
        .output()
        .unwrap()
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_index_readable_and_advises_no_deletion() {
    let folder = project();
    let at = folder.path();
    let digest = json_of(at, &["reindex", "--check"])["digest"].clone();
    for n in 0..12 {
        let text: String = (0..300)
            .map(|line| format!("Line {line} of page {n} says word{line} and page{n}x{line}.\n\n"))
            .collect();
        write(
            at,
            &format!("docs/more{n}.md"),
            &format!("# More {n}\n\n{text}"),
        );
    }
    for blocks in [0, 8, 64, 200] {
        let output = run_limited(at, blocks, "reindex --no-vectors");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{blocks}: {error}");
        assert!(
            !error.contains("delete")
                && !error.contains("move the file")
                && !error.contains("damaged"),
            "{blocks}: {error}"
        );
        assert!(error.contains("free space"), "{blocks}: {error}");
        // Read on the same full disk, and later.
        for output in [
            run_limited(at, blocks, "search --query releases --no-vectors"),
            run(at, &["search", "--query", "releases", "--no-vectors"]),
        ] {
            let error = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{blocks}: {error}");
            assert!(String::from_utf8_lossy(&output.stdout).contains("two people"));
        }
        assert_eq!(
            json_of(at, &["reindex", "--check"])["digest"],
            digest,
            "{blocks}"
        );
    }
    assert_ne!(json_of(at, &["reindex", "--no-vectors"])["digest"], digest);
}

/// Builds an item that the memory policy would forget.
fn forgotten(id: &str, more: Value) -> String {
    let mut item = json!({"id":id,"path":format!("{id}.md"),
        "importance":{"useCount":9,"successCount":0,"failureCount":9,"confidence":0.1,"lastUsed":START - 60 * DAY},
        "usageStats":{"referencedCount":4,"verifiedUseful":0,"verifiedNotUseful":3}});
    item.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    item.to_string()
}

#[test]
fn memory_never_takes_the_configuration_of_production_away() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "yuangs-verify.toml", "[knowledge]\nbank = ['bank']\n");
    let kept = [
        json!({"path":"deploy/production.yaml"}),
        json!({"path":"k8s/overlays/prod/kustomization.yaml"}),
        json!({"path":".env.production"}),
        json!({"path":"config/prod.ts"}),
        json!({"path":"appsettings.Production.json"}),
        json!({"path":"infra/PROD/main.tf"}),
        json!({"path":"docker-compose.prod.yml", "frozen": false}),
        json!({"path":"values.yaml", "tags":["production"]}),
        json!({"path":"service", "tags":["config", "prod"]}),
        json!({"path":"service", "semantic":"Config", "tags":["Production"]}),
        json!({"path":"deploy/prod", "semantic":"config", "frozen": false}),
        json!({"path":"settings.toml", "environment":"production"}),
    ];
    for (n, more) in kept.iter().enumerate() {
        write(
            at,
            &format!("bank/items/kept{n}.json"),
            &forgotten(&format!("kept{n}"), more.clone()),
        );
    }
    // The index of the bank freezes it, its own file doesn't.
    write(
        at,
        "bank/items/listed.json",
        &forgotten("listed", json!({"path":"service"})),
    );
    write(
        at,
        "bank/index.json",
        &json!({"version":1,"items":[{"id":"listed","path":"service","tags":["production","config"]}]}).to_string(),
    );
    let gone = [
        json!({"path":"docs/production.md"}),
        json!({"path":"deploy/dev.yaml"}),
        json!({"path":"src/product.rs"}),
    ];
    for (n, more) in gone.iter().enumerate() {
        write(
            at,
            &format!("bank/items/gone{n}.json"),
            &forgotten(&format!("gone{n}"), more.clone()),
        );
    }
    let told = said(at, &["memory", "apply", "--yes", "--now", "2026-01-21"]);
    for (n, more) in kept.iter().enumerate() {
        assert!(
            at.join(format!("bank/items/kept{n}.json")).exists(),
            "{more}: {told}"
        );
    }
    assert!(at.join("bank/items/listed.json").exists(), "{told}");
    for (n, more) in gone.iter().enumerate() {
        assert!(
            !at.join(format!("bank/items/gone{n}.json")).exists(),
            "{more}: {told}"
        );
    }
}

/// `apply` does what `status` shows.
#[test]
fn status_and_apply_go_by_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "yuangs-verify.toml", "[knowledge]\nbank = ['bank']\n");
    let item = |id: &str, used: i64| {
        let item = json!({"lastUsed":used,"useCount":9,"successCount":4,"failureCount":5,"confidence":0.5});
        write(
            at,
            &format!("bank/items/{id}.json"),
            &forgotten(id, json!({"importance":item})),
        );
    };
    item("new", START);
    item("older", START - 10 * DAY);
    let now = |text: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix("as of ")?.split_once(" UTC"))
            .unwrap()
            .0
            .to_owned()
    };
    let table = |text: &str| text.lines().take(2).map(str::to_owned).collect::<Vec<_>>();
    let status = said(at, &["memory", "status"]);
    let done = said(at, &["memory", "apply", "--yes"]);
    assert_eq!(
        (now(&status), table(&status)),
        (now(&done), table(&done)),
        "{status}{done}"
    );
}
