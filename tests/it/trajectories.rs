//! Commands about whole executions: explain, compare, count, export.

use content_scan::mask::Mask;
use std::path::Path;
use std::process::Command;
use yuangs_verify::report::Lang;
use yuangs_verify::report::page::Format;
use yuangs_verify::source::discover;
use yuangs_verify::trajectory::ExecutionSet;
use yuangs_verify::trajectory::compare::{self, Aspect, Sameness, compare};
use yuangs_verify::trajectory::explain::{self, Detail};
use yuangs_verify::trajectory::export;
use yuangs_verify::trajectory::graph::Graph;
use yuangs_verify::trajectory::stats;
use yuangs_verify::verify::{Options, verify, verify_reader};

const MAX_TURNS: usize = 20_000;

pub(super) fn book(paths: &[&str]) -> ExecutionSet {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths: Vec<_> = paths
        .iter()
        .map(|p| root.join("corpora/traces").join(p))
        .collect();
    let mut report = verify(
        &discover(&paths),
        &Options {
            max_turns: MAX_TURNS,
            ..Options::default()
        },
    );
    // The directory depends on the machine.
    let root = format!("{}/", root.display());
    for summary in &mut report.summaries {
        summary.file = summary.file.replace(&root, "").into();
    }
    for turn in &mut report.timeline.turns {
        turn.file = turn.file.replace(&root, "").into();
    }
    for opening in &mut report.timeline.openings {
        opening.file = opening.file.replace(&root, "").into();
    }
    for command in &mut report.timeline.commands {
        command.file = command.file.replace(&root, "").into();
    }
    for finding in &mut report.findings {
        finding.place.file = finding.place.file.replace(&root, "").into();
    }
    ExecutionSet::of(report)
}

pub(super) fn of_text(name: &str, text: &str) -> ExecutionSet {
    ExecutionSet::of(verify_reader(
        name,
        text.as_bytes(),
        &Options {
            max_turns: MAX_TURNS,
            ..Options::default()
        },
    ))
}

fn explained(book: &ExecutionSet, graph: Option<&Graph>, format: Format) -> String {
    let mut plain = anstream::StripStream::new(Vec::new());
    explain::page(book, graph, Detail::default(), Lang::En)
        .write(format, &mut plain)
        .unwrap();
    String::from_utf8(plain.into_inner()).unwrap()
}

fn corpus(folder: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpora/traces")
        .join(folder);
    let mut all: Vec<String> = std::fs::read_dir(root)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| !n.ends_with(".expect") && !n.ends_with(".trust"))
        .map(|n| format!("{folder}/{n}"))
        .collect();
    all.sort();
    assert!(all.len() > 5);
    all
}

const GRAPH: &str = r#"{"from":"a.md","to":"context","type":"used_in","timestamp":1}
{"from":"context","to":"skill-1","type":"validated_by","timestamp":2,"meta":{"success":true}}
{"from":"skill-1","to":"b.md","type":"derived_from","timestamp":2}
{"from":"skill-2","to":"a.md","type":"derived_from","timestamp":2}
"#;

#[test]
fn a_repair_is_told() {
    insta::assert_snapshot!(
        "explain_diff_fix",
        explained(&book(&["demo/diff-fix.jsonl"]), None, Format::Text)
    );
    insta::assert_snapshot!(
        "explain_diff_fix_markdown",
        explained(&book(&["demo/diff-fix.jsonl"]), None, Format::Markdown)
    );
}

#[test]
fn the_context_of_a_turn_is_compared_with_the_one_before() {
    let of = book(&["legal/context-of-two-turns.jsonl"]);
    let text = explained(&of, None, Format::Text);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "README.md (300 tokens), src/add.ts (100 tokens)",
        "+ package.json (80 tokens); - README.md (300 tokens); ~ src/add.ts (100 → 120 tokens)",
        "3 items, 1 added, 1 removed, 1 changed",
        "good: 2 of 2 references",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
}

#[test]
fn an_unauthorised_step_is_told_in_its_place() {
    let text = explained(
        &book(&["broken/YV301-no-decision-in-turn-4.jsonl"]),
        None,
        Format::Text,
    );
    insta::assert_snapshot!("explain_no_decision", text);
    let turn = text
        .split("\n\n")
        .find(|part| part.starts_with("Turn 4"))
        .unwrap();
    assert!(
        turn.contains("none is recorded") && turn.contains("error YV301"),
        "{turn}"
    );
}

#[test]
fn other_writers_are_told() {
    insta::assert_snapshot!(
        "explain_record",
        explained(&book(&["native/record.json"]), None, Format::Text)
    );
    insta::assert_snapshot!(
        "explain_events",
        explained(&book(&["native/events-rejected.jsonl"]), None, Format::Text)
    );
    insta::assert_snapshot!(
        "explain_cast",
        explained(
            &book(&["native/cast-elevation-failed.cast"]),
            None,
            Format::Text
        )
    );
}

#[test]
fn a_graph_gives_evidence_with_lines() {
    let graph = Graph::parse(GRAPH, &mut Mask::default());
    let text = explained(
        &book(&["legal/context-changed.jsonl"]),
        Some(&graph),
        Format::Text,
    );
    insta::assert_snapshot!("explain_evidence", text);
    for part in [
        "used a.md (line 1)",
        "skill-1 did well (line 2)",
        "skill-2 comes from a.md, used here (line 4)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn every_trace_is_told_the_same_twice_and_nothing_acts() {
    for file in corpus("native")
        .into_iter()
        .chain(corpus("hostile"))
        .chain(corpus("broken"))
    {
        let all = || {
            let book = book(&[&file]);
            let json = serde_json::to_string(&explain::Document::of(&book, None)).unwrap();
            (
                explained(&book, None, Format::Text),
                explained(&book, None, Format::Markdown),
                json,
            )
        };
        let (text, markdown, json) = all();
        assert_eq!((text.clone(), markdown.clone(), json), all(), "{file}");
        assert!(
            !text
                .chars()
                .chain(markdown.chars())
                .any(|c| c.is_control() && c != '\n'),
            "{file}"
        );
        assert!(
            text.lines()
                .all(|l| !l.starts_with("::") && !l.contains("##[")),
            "{file}"
        );
        let wide = text
            .lines()
            .find(|l| unicode_width::UnicodeWidthStr::width(*l) > 100);
        assert!(wide.is_none(), "{file}: {wide:?}");
    }
}

#[test]
fn the_layouts_of_a_trace_differ_in_nothing() {
    for demo in ["diff-fix", "react-fix"] {
        let one = book(&[&format!("demo/{demo}.jsonl")]);
        for other in ["turns", "execution"] {
            let document = compare(
                &one,
                &book(&[&format!("demo/{demo}-{other}.jsonl")]),
                Lang::En,
            );
            assert!(
                document.is_empty() && document.pairs.len() == 1,
                "{demo} {other}: {document:?}"
            );
        }
    }
}

#[test]
fn nothing_differs_from_itself_whatever_the_order_of_files() {
    let mut compared = 0;
    for folder in ["legal", "broken", "native", "hostile"] {
        let files = corpus(folder);
        for file in &files {
            let one = book(&[file]);
            let document = compare(&one, &one, Lang::En);
            // An unreadable trace isn't equal to anything, not even to itself.
            let same = document.is_empty() && document.same == Sameness::ALL;
            assert_eq!(same, document.unread == 0, "{file}: {document:?}");
            assert!(
                document
                    .pairs
                    .iter()
                    .all(|pair| pair.differences.is_empty()),
                "{file}"
            );
            compared += document.pairs.len();
        }
        let forth: Vec<&str> = files.iter().map(String::as_str).collect();
        let back: Vec<&str> = files.iter().rev().map(String::as_str).collect();
        let (a, b) = (
            compare(&book(&forth), &book(&back), Lang::En),
            compare(&book(&back), &book(&forth), Lang::En),
        );
        assert_eq!(a.same, b.same, "{folder}");
        assert_eq!(a.pairs.len(), b.pairs.len());
    }
    assert!(compared > 150);
}

#[test]
fn what_changed_is_found_where_it_is() {
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/traces/demo/diff-fix.jsonl"),
    )
    .unwrap();
    let base = of_text("base.jsonl", &text);
    let aspects = |new: &str| {
        let document = compare(&base, &of_text("new.jsonl", new), Lang::En);
        let aspects: Vec<Aspect> = document
            .pairs
            .iter()
            .flat_map(|p| &p.differences)
            .map(|d| d.aspect)
            .collect();
        (aspects, document.same)
    };
    let all = Sameness::ALL;
    let (found, same) = aspects(&text.replace(
        "\"signer\":\"erika\",\"timestamp\":1769050018778",
        "\"signer\":\"otto\",\"timestamp\":1769050018778",
    ));
    assert!(
        found.contains(&Aspect::Decision)
            && same
                == Sameness {
                    decisions: false,
                    ..all
                },
        "{found:?}"
    );
    let (found, same) =
        aspects(&text.replace("\"outcome\":\"goal_satisfied\"", "\"outcome\":\"done\""));
    assert!(
        found.contains(&Aspect::Outcome)
            && same
                == Sameness {
                    outcome: false,
                    ..all
                },
        "{found:?}"
    );
    let (found, same) = aspects(&text.replace("src/add.ts patched", "patched"));
    assert_eq!((found, same), (vec![Aspect::Result], all));
    let (found, same) = aspects(&text.replace("\"revision\":\"r17\"", "\"revision\":\"r18\""));
    assert_eq!((found, same), (vec![Aspect::Policy], all));
    // The previous turn was removed: the second one is still recognised under another number.
    let second: Vec<String> = text
        .lines()
        .filter(|l| !l.contains("\"turnId\":1,"))
        .map(|l| l.replace("\"turnId\":2", "\"turnId\":1"))
        .collect();
    let document = compare(&base, &of_text("new.jsonl", &second.join("\n")), Lang::En);
    let differences = &document.pairs[0].differences;
    assert!(differences.iter().any(|d| d.aspect == Aspect::Action
        && d.base_at.unwrap().turn == Some(1)
        && d.new_at.is_none()));
    assert_eq!(document.pairs[0].aligned, 1);
    assert!(!document.same.path && !document.same.decisions && document.same.outcome);
    let mut plain = anstream::StripStream::new(Vec::new());
    compare::page(&document, Lang::En)
        .write(Format::Text, &mut plain)
        .unwrap();
    insta::assert_snapshot!(
        "compare_turn_gone",
        String::from_utf8(plain.into_inner()).unwrap()
    );
}

#[test]
fn a_tail_that_is_cut_from_the_page_still_differs() {
    let long = "x".repeat(9_000);
    let line = |end: &str| {
        format!(
            r#"{{"record":"action_proposed","executionId":"e","turnId":1,"timestamp":1,"action":{{"id":"a","type":"shell_cmd","payload":{{"command":"echo {long}{end}"}},"riskLevel":"low","reasoning":"r"}}}}"#
        )
    };
    let document = compare(
        &of_text("a", &line("1")),
        &of_text("b", &line("2")),
        Lang::En,
    );
    assert!(!document.same.path, "{document:?}");
}

fn run(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(args)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn the_commands_end_as_they_should() {
    let (green, red) = (
        "corpora/gate-demo/green/traces",
        "corpora/traces/demo/react-fix.jsonl",
    );
    let diff = "corpora/traces/demo/diff-fix.jsonl";
    assert_eq!(run(&["explain", "YV301"]).0, 0);
    assert_eq!(run(&["explain", diff, "--turn", "9"]).0, 2);
    assert_eq!(run(&["explain", diff, "--execution", "none"]).0, 2);
    assert_eq!(run(&["explain", "corpora/traces/hostile/empty.jsonl"]).0, 3);
    assert!(
        run(&["explain", diff, "--turn", "2"]).1.contains("Turn 2")
            && !run(&["explain", diff, "--turn", "2"]).1.contains("Turn 1")
    );
    let policy = ["--mode", "re-evaluate", "--policy"];
    assert_eq!(
        run(&[&["replay", diff][..], &policy, &["default"]].concat()).0,
        0
    );
    assert_eq!(run(&["replay", diff, "--mode", "re-evaluate"]).0, 2);
    assert_eq!(run(&["replay", diff, "--policy", "default"]).0, 2);
    assert_eq!(
        run(&[
            &["replay", "corpora/traces/native/record.json"][..],
            &policy,
            &["default"]
        ]
        .concat())
        .0,
        3
    );
    let (code, out, _) = run(&["replay", diff, "--mode", "compatible"]);
    assert!(
        code == 0 && out.contains("prompt `v2.1.0`; tools `v1.4.0`"),
        "{out}"
    );
    assert_eq!(run(&["compare", diff]).0, 2);
    assert_eq!(
        run(&["compare", diff, diff, "--fail-on", "path,decisions,outcome"]).0,
        0
    );
    assert_eq!(run(&["compare", diff, red, "--fail-on", "path"]).0, 1);
    assert_eq!(run(&["compare", diff, red]).0, 0);
    assert_eq!(run(&["compare", "--golden", green, green]).0, 0);
    assert_eq!(
        run(&["compare", "--golden", green, diff]).0,
        1,
        "one golden trace has no answer"
    );
    // Unreadable input may contain anything.
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.jsonl");
    std::fs::write(
        &broken,
        std::fs::read_to_string(diff).unwrap() + "{\"record\":\"execution_finished\" rm -rf /\n",
    )
    .unwrap();
    let (code, out, _) = run(&["compare", "--golden", diff, broken.to_str().unwrap()]);
    assert!(code == 1 && out.contains("same path: no"), "{out}");
    assert_eq!(run(&["compare", diff, broken.to_str().unwrap()]).0, 3);
    assert_eq!(
        run(&["compare", diff, "corpora/traces/hostile/empty.jsonl"]).0,
        3
    );
    assert_eq!(run(&["compare", diff, "corpora/no-such-file"]).0, 2);
}

#[test]
fn numbers_are_those_of_the_traces() {
    let all = [
        "demo/diff-fix.jsonl",
        "demo/react-fix.jsonl",
        "native/record.json",
        "native/events-rejected.jsonl",
    ];
    let document = stats::stats(&book(&all));
    assert_eq!(
        (document.executions, document.turns, document.commands),
        (3, 9, 1)
    );
    assert_eq!(
        (
            document.actions["code_diff"],
            document.signers["erika"],
            document.failures["conflict"]
        ),
        (2, 2, 1)
    );
    assert_eq!(document.human_latency.unwrap().count, 2);
    assert!(
        document.time_per_state["GOVERNING"].max > 8_000.0,
        "{:?}",
        document.time_per_state
    );
    let back: Vec<&str> = all.iter().rev().copied().collect();
    assert_eq!(
        document,
        stats::stats(&book(&back)),
        "the order of files plays no part"
    );
    let mut plain = anstream::StripStream::new(Vec::new());
    stats::page(&document, Lang::En)
        .write(Format::Text, &mut plain)
        .unwrap();
    insta::assert_snapshot!("stats", String::from_utf8(plain.into_inner()).unwrap());
    let schemas = yuangs_verify::cli::schemas();
    let validator = jsonschema::validator_for(&schemas.get("stats").unwrap().schema).unwrap();
    assert!(validator.is_valid(&serde_json::to_value(&document).unwrap()));
}

#[test]
fn spans_are_those_of_the_protocol() {
    let one = book(&["demo/diff-fix.jsonl", "demo/react-fix.jsonl"]);
    let value = export::spans(&one);
    assert_eq!(value, export::spans(&one), "ids follow from the input");
    let spans = value["resourceSpans"][0]["scopeSpans"][0]["spans"]
        .as_array()
        .unwrap()
        .clone();
    // One root per execution; turns have 2 + 4 thoughts (one agent) and 2 + 3 actions; diff-fix
    // ends in its second turn.
    let named = |name: &str| {
        spans
            .iter()
            .filter(|s| s["name"].as_str().unwrap().starts_with(name))
            .count()
    };
    assert_eq!((named("invoke_agent"), named("execute_tool")), (2, 5));
    assert_eq!(
        named("chat"),
        one.executions
            .iter()
            .flat_map(|e| &e.turns)
            .map(|t| t.thoughts.len())
            .sum::<usize>()
    );
    let ids: std::collections::BTreeSet<&str> = spans
        .iter()
        .map(|s| s["spanId"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), spans.len());
    for span in &spans {
        assert_eq!(
            (
                span["traceId"].as_str().unwrap().len(),
                span["spanId"].as_str().unwrap().len()
            ),
            (32, 16)
        );
        let nanos = |member: &str| span[member].as_str().unwrap().parse::<u64>().unwrap();
        assert!(
            nanos("startTimeUnixNano") <= nanos("endTimeUnixNano")
                && nanos("startTimeUnixNano") > 0
        );
        let parent = span.get("parentSpanId").map(|p| p.as_str().unwrap());
        assert!(parent.is_none_or(|p| ids.contains(p)));
        let attributes = span["attributes"].as_array().unwrap();
        assert!(
            attributes
                .iter()
                .any(|a| a["key"] == "gen_ai.operation.name")
        );
    }
    let failed: Vec<_> = spans.iter().filter(|s| s["status"]["code"] == 2).collect();
    assert_eq!(
        failed.len(),
        2,
        "the first diff, and the file that isn't there"
    );
}

#[test]
fn tables_have_a_row_for_each_and_no_formula() {
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/traces/demo/diff-fix.jsonl"),
    )
    .unwrap();
    let one = of_text("t.jsonl", &text.replace("reads right", "=HYPERLINK(1)"));
    let [executions, turns, decisions, findings] = export::tables(&one);
    assert_eq!(
        (
            executions.rows.len(),
            turns.rows.len(),
            decisions.rows.len(),
            findings.rows.len()
        ),
        (1, 2, 2, 0)
    );
    for table in [&executions, &turns, &decisions, &findings] {
        assert!(
            table.rows.iter().all(|r| r.len() == table.columns.len()),
            "{}",
            table.name
        );
        assert_eq!(table.csv().matches("\r\n").count(), table.rows.len() + 1);
    }
    assert!(decisions.csv().contains("\"'=HYPERLINK(1)\"") && !decisions.csv().contains("\"="));
    assert_eq!(
        decisions.objects().next().unwrap()["reason"],
        "=HYPERLINK(1)"
    );
    let diff = "corpora/traces/demo/diff-fix.jsonl";
    assert_eq!(run(&["export", diff, "--format", "csv"]).0, 2);
    assert_eq!(
        run(&["export", diff, "--format", "otlp", "--table", "turns"]).0,
        2
    );
    assert_eq!(
        run(&[
            "export",
            "corpora/traces/native/record.json",
            "--format",
            "jsonl"
        ])
        .0,
        3
    );
    let (code, out, _) = run(&["export", diff, "--format", "csv", "--table", "turns"]);
    assert!(code == 0 && out.lines().count() == 3, "{out}");
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        run(&[
            "export",
            diff,
            "--format",
            "csv",
            "--out",
            folder.path().to_str().unwrap()
        ])
        .0,
        0
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
}

#[test]
fn secrets_are_told_nowhere() {
    let key = format!("AKIA{}", "Q7ZK2VX5PLM4WSTU");
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/traces/demo/diff-fix.jsonl"),
    )
    .unwrap();
    for place in [
        "The sign is wrong",
        "reads right",
        "add returns a + b.",
        "src/add.ts patched",
        "add must return the sum",
        "v2.1.0",
    ] {
        let text = text.replace(place, &format!("{place} {key}"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        std::fs::write(&path, &text).unwrap();
        let path = path.to_str().unwrap();
        for format in ["text", "markdown", "json", "html"] {
            let (code, out, _) = run(&["explain", path, "--format", format]);
            let hidden = out.contains("[secret]") || out.contains("&#91;secret&#93;");
            assert!(
                code == 0 && hidden && !out.contains(&key[4..]),
                "{place} {format}: {out}"
            );
            let (_, out, _) = run(&["stats", path, "--format", format]);
            assert!(!out.contains(&key[4..]), "{place} {format}: {out}");
            let (_, out, _) = run(&[
                "compare",
                "corpora/traces/demo/diff-fix.jsonl",
                path,
                "--format",
                format,
            ]);
            assert!(!out.contains(&key[4..]), "{place} {format}: {out}");
        }
    }
}

#[test]
fn the_json_keeps_its_schemas() {
    let schemas = yuangs_verify::cli::schemas();
    let validator =
        |name: &str| jsonschema::validator_for(&schemas.get(name).unwrap().schema).unwrap();
    let (explain, compared) = (validator("explain"), validator("compare"));
    for file in [
        "demo/diff-fix.jsonl",
        "native/record-lines.jsonl",
        "legal/modified-command.jsonl",
        "native/cast-elevation-failed.cast",
    ] {
        let one = book(&[file]);
        let graph = Graph::parse(GRAPH, &mut Mask::default());
        let value = serde_json::to_value(explain::Document::of(&one, Some(&graph))).unwrap();
        let errors: Vec<String> = explain
            .iter_errors(&value)
            .map(|e| format!("{}: {e}", e.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{file}: {errors:?}");
        let value = serde_json::to_value(compare(&one, &book(&["demo/react-fix.jsonl"]), Lang::En))
            .unwrap();
        assert!(compared.is_valid(&value), "{file}");
    }
}

/// Evidence from an index is shown with its lines; a missing index is an error.
#[test]
#[cfg_attr(not(feature = "knowledge"), ignore = "needs knowledge")]
fn an_index_gives_evidence_with_files_and_lines() {
    let folder = tempfile::tempdir().unwrap();
    let trace = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/corpora/traces/demo/diff-fix.jsonl"
    ))
    .unwrap();
    std::fs::write(folder.path().join("t.jsonl"), trace).unwrap();
    let graph = concat!(
        "{\"from\":\"context:src/add.ts\",\"to\":\"execution:diff-fix\",\"type\":\"used_in\",\"timestamp\":1}\n",
        "{\"from\":\"execution:diff-fix\",\"to\":\"skill:fix\",\"type\":\"validated_by\",\"timestamp\":2,\"meta\":{\"success\":true}}\n",
        "{\"from\":\"skill:fix\",\"to\":\"context:src/add.ts\",\"type\":\"derived_from\",\"timestamp\":3}\n",
    );
    std::fs::write(folder.path().join("graph.jsonl"), graph).unwrap();
    let config = "[knowledge]\ntraces = ['t.jsonl']\ngraph = ['graph.jsonl']\n";
    std::fs::write(folder.path().join("yuangs-verify.toml"), config).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"));
        command
            .current_dir(folder.path())
            .args(arguments)
            .output()
            .unwrap()
    };
    assert!(run(&["knowledge", "reindex"]).status.success());
    let output = run(&["explain", "t.jsonl", "--index", ".yuangs/index.db"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for said in [
        "used context:src/add.ts (graph.jsonl:1)",
        "skill:fix: succeeded (graph.jsonl:2)",
        "derived from context:src/add.ts (graph.jsonl:3)",
        "(t.jsonl:1)",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    let json = run(&[
        "explain",
        "t.jsonl",
        "--index",
        ".yuangs/index.db",
        "--format",
        "json",
    ]);
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(
        value["executions"][0]["known"][1]["lines"][0],
        "graph.jsonl:1"
    );
    let missing = run(&["explain", "t.jsonl", "--index", "nowhere.db"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("no index at `nowhere.db`"));
    let foreign = run(&["explain", "t.jsonl", "--index", "graph.jsonl"]);
    assert_eq!(foreign.status.code(), Some(2));
}

#[test]
fn references_to_what_was_not_in_the_context_are_counted() {
    let unknown = book(&["broken/YV601-used-after-its-removal.jsonl"]);
    let text = explained(&unknown, None, Format::Text);
    assert!(text.contains("poor: 0 of 1 reference"), "{text}");
}
