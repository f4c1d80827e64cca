//! `export --format parquet`: files have the rows of the JSON lines.

use crate::support::{run, write};
use parquet::basic::Repetition;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

const TABLES: [&str; 4] = ["executions", "turns", "decisions", "findings"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The content of a file: for each column whether it may be empty, and the rows.
struct Content {
    columns: BTreeMap<String, bool>,
    rows: Vec<Value>,
}

fn read(file: &Path) -> Content {
    let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
    let schema = reader.metadata().file_metadata().schema();
    let columns = schema.get_fields().iter().map(|field| {
        let repetition = field.get_basic_info().repetition();
        (field.name().to_owned(), repetition == Repetition::OPTIONAL)
    });
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let members = row.unwrap().into_columns().into_iter();
        let members = members.map(|(name, field)| {
            let value = match field {
                Field::Null => Value::Null,
                Field::Str(text) => text.into(),
                Field::Long(n) => n.into(),
                Field::Double(n) => n.into(),
                other => panic!("{name}: {other:?}"),
            };
            (name, value)
        });
        members.collect::<Map<_, _>>().into()
    });
    Content {
        columns: columns.collect(),
        rows: rows.collect(),
    }
}

/// Exports a table from a path below the directory, as Parquet and as JSON lines.
fn both(directory: &Path, traces: &str, table: &str) -> (Content, Vec<Value>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.parquet");
    let export = ["export", traces, "--table", table, "--max-turns", "1000000"];
    let output = ["--format", "parquet", "-o", file.to_str().unwrap()];
    let parquet = run(directory, &[&export[..], &output].concat());
    assert_eq!(parquet.out, "", "{traces}");
    let lines = run(directory, &[&export[..], &["--format", "jsonl"]].concat());
    assert_eq!((parquet.code, parquet.err), (lines.code, lines.err));
    let lines = lines.out.lines();
    let lines = lines.map(|line| serde_json::from_str(line).unwrap());
    (read(&file), lines.collect())
}

/// Checks that rows are those of the JSON lines, and columns the members of each.
fn check(parquet: &Content, lines: &[Value], of: &str) {
    assert_eq!(parquet.rows.len(), lines.len(), "{of}");
    for (row, line) in parquet.rows.iter().zip(lines) {
        assert_eq!(row, line, "{of}");
        let members = line.as_object().unwrap().keys();
        assert!(members.eq(parquet.columns.keys()), "{of}: {line}");
    }
}

#[test]
fn rows_are_those_of_the_json_lines() {
    // A note says what the format of the session doesn't record.
    for (traces, findings) in [
        ("corpora/traces/demo/react-fix.jsonl", 0),
        ("corpora/traces/sessions/claude-code/legal.jsonl", 1),
        ("corpora/traces/broken/YV301-no-decision-in-turn-4.jsonl", 1),
    ] {
        for table in TABLES {
            let (parquet, lines) = both(root(), traces, table);
            match table {
                "executions" | "turns" => assert!(!lines.is_empty(), "{table} of {traces}"),
                "findings" => assert_eq!(lines.len(), findings, "{traces}"),
                _ => {}
            }
            check(&parquet, &lines, &format!("{table} of {traces}"));
        }
    }
}

/// All traces of the repository: every member that a row can have is a column, and a column is
/// optional only if a row has no value there.
#[test]
fn columns_are_the_members_of_all_rows() {
    let folder = tempfile::tempdir().unwrap();
    for format in ["parquet", "jsonl"] {
        let out = folder.path().to_str().unwrap();
        let args = [
            "export",
            "corpora/traces",
            "--max-turns",
            "1000000",
            "--format",
            format,
            "--out",
            out,
        ];
        assert!(run(root(), &args).out.is_empty());
    }
    for table in TABLES {
        let parquet = read(&folder.path().join(format!("{table}.parquet")));
        let lines = std::fs::read_to_string(folder.path().join(format!("{table}.jsonl"))).unwrap();
        let lines = lines.lines();
        let lines: Vec<Value> = lines.map(|l| serde_json::from_str(l).unwrap()).collect();
        assert!(lines.len() > 1000, "{table}: {}", lines.len());
        check(&parquet, &lines, table);
        for (name, is_optional) in &parquet.columns {
            let is_used = lines.iter().any(|line| line[name].is_null());
            assert_eq!(*is_optional, is_used, "{table}.{name}");
        }
    }
    // Turns that are streamed, of all traces.
    let (parquet, lines) = both(root(), "corpora/traces", "turns");
    assert!(lines.len() > 1000, "{}", lines.len());
    check(&parquet, &lines, "streamed turns");
}

#[test]
fn input_without_executions_gives_a_file_without_rows() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "empty.jsonl", "");
    let (full, _) = both(root(), "corpora/traces/demo", "turns");
    let (empty, lines) = both(folder.path(), "empty.jsonl", "turns");
    assert!(lines.is_empty() && empty.rows.is_empty());
    assert_eq!(empty.columns, full.columns);
    let args = [
        "export",
        "empty.jsonl",
        "--format",
        "parquet",
        "--table",
        "turns",
        "-o",
        "t",
    ];
    assert_eq!(run(folder.path(), &args).code, 3);
}

#[test]
fn a_folder_gets_a_file_for_each_table() {
    let folder = tempfile::tempdir().unwrap();
    let demo = root().join("corpora/traces/demo");
    let args = ["export", demo.to_str().unwrap(), "--format", "parquet"];
    let to_folder = run(folder.path(), &[&args[..], &["--out", "."]].concat());
    assert_eq!(to_folder.code, 0, "{}", to_folder.err);
    for table in TABLES {
        let content = read(&folder.path().join(format!("{table}.parquet")));
        assert!(content.rows.iter().all(|row| row["table"] == table));
    }
    let to_stdout = run(folder.path(), &args);
    assert_eq!((to_stdout.code, to_stdout.out.as_str()), (2, ""));
    assert!(to_stdout.err.contains("--table"), "{}", to_stdout.err);
}

#[test]
fn standard_output_gets_the_bytes_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let demo = root().join("corpora/traces/demo");
    let args = [
        "export",
        demo.to_str().unwrap(),
        "--format",
        "parquet",
        "--table",
        "turns",
    ];
    let to_file = run(folder.path(), &[&args[..], &["-o", "t.parquet"]].concat());
    assert_eq!(to_file.code, 0, "{}", to_file.err);
    let to_stdout = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .args(args)
        .output()
        .unwrap();
    let file = std::fs::read(folder.path().join("t.parquet")).unwrap();
    assert!(to_stdout.status.success() && file.starts_with(b"PAR1"));
    assert_eq!(to_stdout.stdout, file);
}

#[test]
fn an_input_and_a_file_of_the_gate_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(root().join("corpora/traces/demo/react-fix.jsonl")).unwrap();
    write(folder.path(), "t.jsonl", &text);
    write(folder.path(), "yuangs-verify.toml", "");
    for file in ["t.jsonl", "yuangs-verify.toml", ".git/t"] {
        let args = [
            "export", "t.jsonl", "--format", "parquet", "--table", "turns", "-o", file,
        ];
        assert_eq!(run(folder.path(), &args).code, 2, "{file}");
    }
    let after = std::fs::read_to_string(folder.path().join("t.jsonl")).unwrap();
    assert_eq!(after, text);
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(root())
        .args(["export", "corpora/traces/demo/react-fix.jsonl"])
        .args(["--format", "parquet", "--table", "turns"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.as_str()), (Some(0), ""));
}

#[test]
fn a_secret_of_the_last_line_is_hidden_in_the_first_row() {
    let folder = tempfile::tempdir().unwrap();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let bare = &secret[4..];
    let mut text = String::new();
    for (n, (command, output)) in [
        (format!("echo {bare}"), String::new()),
        ("cat .env".to_owned(), format!("TOKEN={secret}")),
    ]
    .iter()
    .enumerate()
    {
        let id = format!("call-{n}");
        let input = json!({"command": command});
        for (kind, content) in [
            (
                "assistant",
                json!({"type": "tool_use", "id": id, "name": "Bash", "input": input}),
            ),
            (
                "user",
                json!({"type": "tool_result", "tool_use_id": id, "content": output}),
            ),
        ] {
            let record = json!({
                "type": kind, "uuid": format!("{n}-{kind}"), "sessionId": "s", "cwd": "/home/eve/app",
                "timestamp": format!("2026-03-01T10:00:{n:02}Z"),
                "message": {"role": kind, "content": [content]},
            });
            text += &format!("{record}\n");
        }
    }
    write(folder.path(), "s.jsonl", &text);
    let (parquet, lines) = both(folder.path(), "s.jsonl", "turns");
    assert_eq!((parquet.rows.len(), &parquet.rows), (2, &lines));
    let args = [
        "export", "s.jsonl", "--format", "parquet", "--table", "turns", "-o", "t",
    ];
    assert_eq!(run(folder.path(), &args).code, 0);
    // The smallest and the greatest value of a column aren't compressed.
    let bytes = std::fs::read(folder.path().join("t")).unwrap();
    for length in 8..bare.len() {
        let part = &bare[..length];
        assert!(
            !parquet
                .rows
                .iter()
                .any(|row| row.to_string().contains(part))
        );
        assert!(!bytes.windows(length).any(|w| w == part.as_bytes()));
    }
}
