//! The command line as text files, with additional tests for what they can't express.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn run(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    output
}

fn code(args: &[&str], input: &[u8]) -> i32 {
    run(args, input).status.code().unwrap()
}

#[test]
fn rows_that_others_read_otherwise_are_refused() {
    let check = ["command", "check", "-", "--format", "jsonl"];
    let mut rows = b"{\"cmd\":\"ls\",\"cmd\":\"rm -rf /\"}\n{\"cmd\":\"\xff\"}\n".to_vec();
    rows.extend(b"{\"cmd\":\"ls\"}\n");
    let output = run(&check, &rows);
    let text = String::from_utf8(output.stdout).unwrap();
    let risks: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .collect();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(risks.len(), 3, "{text}");
    assert_eq!(risks[0]["risk"], "high");
    assert!(risks[0]["error"].as_str().unwrap().contains("twice"));
    assert_eq!(risks[1]["error"], "not UTF-8");
    assert_eq!(risks[2]["risk"], "low");
}

#[test]
fn nothing_to_rate_is_said() {
    let output = run(&["command", "check", "-"], b"\n \n");
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("nothing was rated"), "{said}");
}

#[test]
fn places_and_tables_that_say_nothing_are_refused() {
    for dir in ["", "work", "./work"] {
        for option in ["--workdir", "--cwd"] {
            let args = ["command", "explain", "ls", option, dir];
            assert_eq!(code(&args, b""), 2, "{option} {dir:?}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    for text in [
        "",
        "frob: {}\n",
        "[]\n",
        "- nme: frob\n",
        "x\n- name: a\n  source: b\n",
    ] {
        let table = folder.path().join("table.yaml");
        std::fs::write(&table, text).unwrap();
        let args = [
            "command",
            "explain",
            "ls",
            "--table",
            table.to_str().unwrap(),
        ];
        assert_eq!(code(&args, b""), 2, "{text:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_of_a_tree_lead_where_they_lead() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/etc", folder.path().join("conf")).unwrap();
    std::os::unix::fs::symlink("conf", folder.path().join("again")).unwrap();
    let tree = folder.path().to_str().unwrap();
    let risk = |line: &str, more: &[&str]| {
        let args = [&["command", "explain", line, "--format", "json"], more].concat();
        let output = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
            .args(args)
            .output()
            .unwrap();
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        value["risk"].as_str().unwrap().to_owned()
    };
    assert_eq!(risk("echo x > again/hosts", &[]), "medium");
    assert_eq!(risk("echo x > again/hosts", &["--tree", tree]), "high");
    assert_eq!(risk("cat conf/shadow", &["--tree", tree]), "high");
    assert_eq!(
        risk("echo x > conf/../notes.txt", &["--tree", tree]),
        "high"
    );
    assert_eq!(risk("echo x > notes.txt", &["--tree", tree]), "medium");
}

#[test]
fn text_cases() {
    trycmd::TestCases::new()
        .case("tests/cmd/*.toml")
        .case("tests/cmd/*.trycmd");
}

#[test]
fn exit_codes() {
    let good = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/corpora/traces/demo/react-fix.jsonl"
    ))
    .unwrap();
    assert_eq!(code(&["replay", "-"], &good), 0);
    assert_eq!(code(&["replay", "-"], b""), 3);
    assert_eq!(code(&["replay", "-"], b"\n\n  \n"), 3);
    assert_eq!(code(&["replay", "-"], b"no json\n"), 1);
    assert_eq!(
        code(&["replay", "--fail-on", "never", "-"], b"no json\n"),
        3
    );
    assert_eq!(code(&["replay", "/nonexistent/trace.jsonl"], b""), 2);
    assert_eq!(code(&["replay"], b""), 2);
    assert_eq!(code(&["replay", "--keys", "/nonexistent", "-"], &good), 2);
    assert_eq!(code(&["replay", "--format-in", "nonsense", "-"], &good), 2);
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(code(&["replay", empty.path().to_str().unwrap()], b""), 3);
    assert_eq!(code(&["validate", "-"], &good), 0);
    assert_eq!(code(&["validate", "-"], b"{\"record\":\"turn\"}\n"), 1);
    assert_eq!(code(&["validate", "-"], b""), 3);
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_changes_no_verdict() {
    for format in ["text", "json", "jsonl", "sarif", "html"] {
        let script = "{ \"$0\" replay corpora/traces/hostile --format \"$1\"; echo $? >&2; } | head -c 1 >/dev/null";
        let output = Command::new("sh")
            .args(["-c", script, env!("CARGO_BIN_EXE_yuangs-verify"), format])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            said.lines().last() == Some("1") && !said.contains("pipe"),
            "{format}: {said}"
        );
    }
}

#[test]
fn a_closed_pipe_is_no_failure_and_no_noise() {
    let script = format!(
        "{} rules | head -n 1; {0} replay corpora/traces/demo | head -c 1 >/dev/null",
        env!("CARGO_BIN_EXE_yuangs-verify")
    );
    let output = Command::new("sh")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["-c", &script])
        .output()
        .unwrap();
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn no_text_of_a_trace_acts_on_the_terminal() {
    let hostile = "{\"record\":\"execution_started\",\"executionId\":\"\u{1b}]0;owned\u{7}\u{202e}x\\u001b[2J\",\"a\\nb\u{9b}\":1}\n";
    for args in [
        &["replay", "-"][..],
        &["replay", "-v", "--color", "never", "-"],
        &["validate", "-"],
        &["replay", "--format", "json", "-"],
    ] {
        let output = run(args, hostile.as_bytes());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains('x'));
        assert!(
            !text
                .chars()
                .any(|c| (c.is_control() && c != '\n') || c == '\u{202e}' || c == '\u{9b}'),
            "{args:?}: {text}"
        );
    }
}

#[test]
fn hostile_sizes_are_findings() {
    let mut deep = b"{\"record\":\"turn\",\"metadata\":".to_vec();
    deep.extend(std::iter::repeat_n(b'[', 100_000));
    deep.push(b'\n');
    let mut long = b"{\"record\":\"turn\",\"x\":\"".to_vec();
    long.extend(std::iter::repeat_n(b'a', 50_000_000));
    long.extend_from_slice(b"\"}\n");
    for (bytes, code) in [
        (deep, "YV107"),
        (long, "YV107"),
        (b"{\"a\":\0}\n".to_vec(), "YV102"),
        (b"{\"a\":\"\xff\"}\n".to_vec(), "YV101"),
    ] {
        let mut input = std::fs::read(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/corpora/traces/demo/react-fix.jsonl"
        ))
        .unwrap();
        input.extend_from_slice(&bytes);
        let output = run(&["replay", "-"], &input);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.contains(code) && text.contains("1 error, 0 warnings"),
            "{text}"
        );
        assert!(text.contains("PASS"), "the rest is still read: {text}");
    }
}

#[test]
fn several_reports_in_one_run() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let bad = "corpora/traces/broken/YV301-no-decision-in-turn-4.jsonl";
    let (sarif, text) = (
        format!("sarif={}", path("a.sarif")),
        format!("text={}", path("a.txt")),
    );
    let output = run(
        &[
            "replay", bad, "--report", &sarif, "--report", &text, "--report", "jsonl=-", "--color",
            "always",
        ],
        b"",
    );
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(value["kind"].is_string());
    }
    let sarif_text = std::fs::read_to_string(path("a.sarif")).unwrap();
    assert!(sarif_text.contains("\"YV301\""));
    let text_file = std::fs::read_to_string(path("a.txt")).unwrap();
    assert!(
        text_file.starts_with("FAIL") && !text_file.contains('\u{1b}'),
        "a file holds no colours: {text_file}"
    );
    for wrong in [
        &["replay", bad, "--report", "json=-", "--report", "sarif=-"][..],
        &["replay", bad, "--report", "json=-", "--format", "text"],
        &["replay", bad, "--report", &sarif, "--report", &sarif],
        &["replay", bad, "--report", "nonsense=-"],
        &["replay", bad, "--report", "json=/nonexistent/folder/x"],
        &["replay", bad, "--report", "json"],
    ] {
        assert_eq!(code(wrong, b""), 2, "{wrong:?}");
    }
}

#[test]
fn shells_and_the_manual_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = run(&["completions", shell], b"");
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.contains("replay") && text.contains("--fail-on".trim_start_matches('-')),
            "{shell}"
        );
    }
    let page = String::from_utf8(run(&["man", "fsm", "prove"], b"").stdout).unwrap();
    assert!(
        page.starts_with(".ie") && page.contains(".TH") && page.contains("prove"),
        "{page}"
    );
    assert_eq!(code(&["man", "nonsense"], b""), 2);
    let directory = tempfile::tempdir().unwrap();
    let to = directory.path().to_str().unwrap();
    assert_eq!(code(&["man", "--output", to], b""), 0);
    let written = std::fs::read_to_string(directory.path().join("yuangs-verify-fsm-prove.1"));
    assert_eq!(written.unwrap(), page);
    assert!(directory.path().join("yuangs-verify.1").exists());
    assert_eq!(code(&["man", "--output", "/nowhere/at/all"], b""), 2);
}
