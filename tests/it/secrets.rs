//! Credentials: the corpora, and that no report contains one.

use content_scan::secret::corpus::{Figures, judge};
use content_scan::secret::{Table, sample};
use std::path::Path;
use std::process::{Command, Output};

/// Records with `{q}` for a quoted text, and `{text}` for the text itself.
const EVERY_PLACE: &str = include_str!("secrets/every_place.jsonl");

fn run(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap()
}

#[test]
fn the_corpora_are_judged_well() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/secrets");
    let mut all = Figures::default();
    let mut rows = (0, 0);
    for file in ["positive.jsonl", "negative.jsonl"] {
        let judged = judge(
            Table::shipped().unwrap(),
            &std::fs::read_to_string(root.join(file)).unwrap(),
        );
        rows = (rows.0 + judged.rows.0, rows.1 + judged.rows.1);
        for figures in judged.rules.values() {
            all.found += figures.found;
            all.missed += figures.missed;
            all.false_alarms += figures.false_alarms;
        }
    }
    assert!(rows.0 >= 300 && rows.1 >= 1000, "{rows:?}");
    assert!(all.recall().unwrap() >= 980, "{all:?}");
    assert!(all.precision().unwrap() >= 995, "{all:?}");
}

/// Every secret of the rules' own tests, in every place of a trace that a finding may quote.
#[test]
fn no_report_repeats_a_secret() {
    let table = Table::shipped().unwrap();
    let (mut trace, mut secrets) = (String::new(), Vec::new());
    for template in table.rules.iter().flat_map(|r| &r.finds) {
        let text = sample::fill(template).unwrap();
        secrets.extend(
            content_scan::secret::find(table, &text)
                .iter()
                .map(|s| text[s.start..s.end].to_owned()),
        );
        let q = serde_json::to_string(&text).unwrap();
        trace.push_str(&EVERY_PLACE.replace("{q}", &q).replace("{text}", &text));
    }
    assert!(secrets.len() > 70);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.jsonl"), trace).unwrap();
    for args in [
        &["replay", "--max-findings", "0", "t.jsonl"][..],
        &["replay", "-v", "--max-findings", "0", "t.jsonl"],
        &[
            "replay",
            "--format",
            "json",
            "--max-findings",
            "0",
            "t.jsonl",
        ],
        &[
            "replay",
            "--report",
            "html=-",
            "--format",
            "json",
            "--max-findings",
            "0",
            "t.jsonl",
        ],
        &[
            "replay",
            "--report",
            "sarif=-",
            "--max-findings",
            "0",
            "t.jsonl",
        ],
        &[
            "replay",
            "--report",
            "junit=-",
            "--max-findings",
            "0",
            "t.jsonl",
        ],
        &[
            "replay",
            "--report",
            "markdown=-",
            "--max-findings",
            "0",
            "t.jsonl",
        ],
        &[
            "replay",
            "--report",
            "github=-",
            "--max-findings",
            "0",
            "t.jsonl",
        ],
        &[
            "replay",
            "--report",
            "gitlab=-",
            "--max-findings",
            "0",
            "t.jsonl",
        ],
        &[
            "replay",
            "--report",
            "rdjsonl=-",
            "--max-findings",
            "0",
            "t.jsonl",
        ],
        &["validate", "-v", "--max-findings", "0", "t.jsonl"],
        &[
            "validate",
            "--format",
            "json",
            "--max-findings",
            "0",
            "t.jsonl",
        ],
    ] {
        let output = run(args, folder.path());
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        // A report for a forge shows only a few findings.
        assert!(
            said.contains("YV803") == (args[0] == "replay") || args.contains(&"--report"),
            "{args:?}"
        );
        // Ten consecutive characters from the middle count as a leak.
        for part in secrets
            .iter()
            .flat_map(|s| s.lines())
            .filter(|l| l.len() >= 12 && !l.starts_with("-----"))
        {
            let middle = &part[part.len() / 2 - 5..part.len() / 2 + 5];
            assert!(
                !said.contains(middle),
                "{args:?} shows `{middle}` of `{part}`"
            );
        }
    }
}

#[test]
fn what_a_policy_says_of_an_action_is_free_of_its_secrets() {
    let token = sample::fill("ghp_⟦crc62:30⟧").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/traces/demo/react-fix.jsonl");
    let trace = std::fs::read_to_string(demo)
        .unwrap()
        .replace("README.md", &format!("notes/{token}"));
    assert!(trace.contains(&token));
    std::fs::write(folder.path().join("t.jsonl"), trace).unwrap();
    let policy = "version: 1\nid: p\ncombine: first-match\ndefault: { effect: deny, reason: Nothing is allowed }\nrules:\n  - { id: calls, when: { type: tool_call }, effect: deny, reason: No calls }\n";
    std::fs::write(folder.path().join("p.yaml"), policy).unwrap();
    std::fs::write(
        folder.path().join("yuangs-verify.toml"),
        "[traces]\npaths = ['t.jsonl']\n[policy]\nfile = 'p.yaml'\nuntested = 'a test of masks'\n",
    )
    .unwrap();
    for args in [
        &["policy", "replay", "t.jsonl", "--policy", "p.yaml"][..],
        &["policy", "replay", "t.jsonl", "--policy", "p.yaml", "-v"],
        &[
            "policy", "replay", "t.jsonl", "--policy", "p.yaml", "--format", "json",
        ],
        &[
            "policy", "compare", "p.yaml", "default", "--traces", "t.jsonl", "--cases", "2",
        ],
        &[
            "policy", "compare", "p.yaml", "default", "--traces", "t.jsonl", "--cases", "2",
            "--format", "json",
        ],
        &["gate", "-v"],
        &["gate", "--format", "json"],
        &["gate", "--format", "html"],
    ] {
        let output = run(args, folder.path());
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(
            said.contains("YV50") || said.contains("YV51"),
            "{args:?}: {said}"
        );
        assert!(!said.contains(&token[12..24]), "{args:?}: {said}");
    }
}

#[test]
fn a_secret_is_one_finding_wherever_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let token = sample::fill("ghp_⟦crc62:30⟧").unwrap();
    let demo = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/corpora/traces/demo/react-fix.jsonl"
    );
    let trace = std::fs::read_to_string(demo)
        .unwrap()
        .replace("\"reasoning\":\"", &format!("\"reasoning\":\"{token} "));
    std::fs::write(folder.path().join("t.jsonl"), trace).unwrap();
    let output = run(&["replay", "t.jsonl"], folder.path());
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(said.matches("error[YV803]").count(), 1, "{said}");
    assert!(
        said.contains("a GitHub token is here: `ghp_…`, 40 characters")
            && said.contains("the same is here"),
        "{said}"
    );
}

#[test]
fn the_command_prints_the_figures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = run(
        &["secrets", "check", "corpora/secrets/negative.jsonl"],
        root,
    );
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains("0 lines with a secret, 1084 without; 0 not as expected"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(0));
    let folder = tempfile::tempdir().unwrap();
    for (text, code) in [
        ("", 3),
        ("{\"text\":\"⟦nonsense⟧\"}\n", 1),
        ("{\"text\":\"x\",\"finds\":\"nobody\"}\n", 1),
        ("{\"text\":\"x\",\"finds\":\"npm-token\"}\n", 1),
        ("{\"text\":\"x\"}\n", 0),
    ] {
        std::fs::write(folder.path().join("c.jsonl"), text).unwrap();
        assert_eq!(
            run(&["secrets", "check", "c.jsonl"], folder.path())
                .status
                .code(),
            Some(code),
            "{text}"
        );
    }
    assert_eq!(
        run(&["secrets", "check", "none"], folder.path())
            .status
            .code(),
        Some(2)
    );
}
