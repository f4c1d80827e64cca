//! Large traces, which shares divide.

use super::{merge_of, root, shares};
use crate::support::{run, write};
use serde_json::Value;
use std::fs;
use std::path::Path;
use yuangs_verify::verify::partial::inputs_of;

/// Size in bytes from which a trace is divided.
const LARGE: usize = 1 << 20;

const POLICY: &str = "version: 1
id: p
default: deny
rules:
  - { id: shell, when: { type: shell_cmd, max_per_hour: 9 }, effect: allow, reason: r }
  - { id: rest, when: { max_per_execution: 3 }, effect: allow, reason: r }
";

/// The commands that divide traces.
const COMMANDS: [&[&str]; 4] = [
    &["replay", "t.jsonl", "--max-turns", "40"],
    &["stats", "t.jsonl"],
    &["audit", "t.jsonl", "--since", "all"],
    &["policy", "replay", "t.jsonl", "--policy", "p.yaml"],
];

/// Returns the lines of an execution, each at a time of its own. A few don't end.
fn execution(number: usize) -> Vec<String> {
    let name = ["failed-then-corrected", "payload-spellings", "metadata"][number % 3];
    let path = format!("corpora/traces/legal/{name}.jsonl");
    let text = fs::read_to_string(root().join(path)).unwrap();
    let lines = text.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        record["executionId"] = format!("execution-{number}").into();
        let time = &mut record["timestamp"];
        *time = (time.as_u64().unwrap() + number as u64 * 250_000).into();
        record.to_string() + "\n"
    });
    let mut lines: Vec<String> = lines.collect();
    if number % 50 == 7 {
        lines.pop();
    }
    lines
}

/// Returns a large trace of executions one after the other, or each beginning this number of lines
/// after the one before.
fn large_trace(apart: Option<usize>) -> String {
    let mut lines = Vec::new();
    let mut size = 0;
    for number in 0.. {
        for (at, line) in execution(number).into_iter().enumerate() {
            size += line.len();
            lines.push((
                apart.map_or(0, |apart| number * apart + at),
                number,
                at,
                line,
            ));
        }
        if size > LARGE {
            break;
        }
    }
    lines.sort();
    lines.into_iter().map(|(.., line)| line).collect()
}

/// Compares a run over a trace with its shares, of which `change` changes the trace before they are
/// merged.
fn assert_shares_give_the_whole(
    (folder, trace): (&Path, &str),
    commands: &[&[&str]],
    change: impl Fn(&[&str], usize),
) {
    write(folder, "p.yaml", POLICY);
    for command in commands {
        for (of, format) in [(2, "text"), (5, "json")] {
            write(folder, "t.jsonl", trace);
            let mut partials = shares(folder, command, of);
            let whole = run(folder, &[*command, &["--format", format]].concat());
            change(command, of);
            partials.rotate_left(1);
            let merged = merge_of(folder, &partials, &["--format", format]);
            assert!(whole.out.len() > 300, "{}", whole.out);
            let mut lines = merged.out.lines().zip(whole.out.lines());
            let other = lines.find(|(merged, whole)| merged != whole);
            assert_eq!(other, None, "{command:?} {}", merged.err);
            assert_eq!(merged.out.len(), whole.out.len());
            assert_eq!((merged.code, merged.err), (whole.code, whole.err));
        }
    }
}

#[test]
fn whole_executions_are_not_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert_shares_give_the_whole((folder, &large_trace(None)), &COMMANDS, |_, of| {
        let partial = fs::File::open(folder.join(format!("{of}-2.partial"))).unwrap();
        assert_eq!(inputs_of(partial).unwrap(), ["t.jsonl"]);
        fs::remove_file(folder.join("t.jsonl")).unwrap();
    });
}

/// What lies between the cuts isn't read again, whatever it says now. Only `policy replay` needs
/// the whole.
#[test]
fn only_the_seams_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let trace = large_trace(Some(3));
    assert_shares_give_the_whole((folder, &trace), &COMMANDS, |command, _| {
        if command[0] != "policy" {
            let mut bytes = trace.clone().into_bytes();
            let size = bytes.len();
            for begin in [0, size - 1000] {
                bytes[begin..begin + 1000].fill(b'{');
            }
            fs::write(folder.join("t.jsonl"), bytes).unwrap();
        }
    });
}

#[test]
fn what_concerns_a_whole_trace_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let token = format!("ghp_{}", "aB3dE6gH9kL2nP5rS8uV1xY4zA7cF0iJ2lQ6");
    let trace = large_trace(None).replacen("npm test", &format!("npm test {token}"), 1);
    assert!(trace.contains(&token));
    assert_shares_give_the_whole((folder, &trace), &COMMANDS, |_, of| {
        let mut sizes = Vec::new();
        for number in 1..=of {
            let partial = fs::read(folder.join(format!("{of}-{number}.partial"))).unwrap();
            sizes.push(partial.len());
            let mut parts = partial.windows(token.len());
            assert!(!parts.any(|part| part == token.as_bytes()), "{number}");
        }
        // The piece with the secret keeps nothing, since it is read again.
        assert!(sizes.iter().any(|size| *size < 1000), "{sizes:?}");
    });
    let broken = large_trace(None) + "{\n";
    assert_shares_give_the_whole((folder, &broken), &COMMANDS[2..], |_, _| {});
    fs::rename(folder.join("t.jsonl"), folder.join("u.jsonl")).unwrap();
    let partials: Vec<String> = (1..=5).map(|n| format!("5-{n}.partial")).collect();
    let merged = merge_of(folder, &partials, &[]);
    assert_eq!(merged.code, 2);
    let said = merged.err.replace("\n  ", " ");
    assert!(said.contains("must be read again"), "{said}");
}

/// A password is recognised by the name of its member, which the other piece doesn't contain.
#[test]
fn merge_hides_secrets_that_only_another_piece_shows() {
    const PASSWORD: &str = "Zq7vLm2Xp9Rt4Kb8";
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let trace = large_trace(None).replace("\"execution-3\"", &format!("\"{PASSWORD}\""));
    let payload = trace.rfind("\"payload\":{").unwrap() + "\"payload\":{".len();
    let (before, after) = trace.split_at(payload);
    let trace = format!("{before}\"password\":\"{PASSWORD}\",{after}");
    let shows = |bytes: &[u8]| {
        let mut parts = bytes.windows(PASSWORD.len());
        parts.any(|part| part == PASSWORD.as_bytes())
    };
    assert_shares_give_the_whole((folder, &trace), &COMMANDS[..1], |_, of| {
        let partial = fs::read(folder.join(format!("{of}-1.partial"))).unwrap();
        assert!(shows(&partial), "docs/scale.md says that it is readable");
    });
    let partials = ["2-1.partial", "2-2.partial"].map(str::to_owned);
    let merged = merge_of(folder, &partials, &["--format", "json"]);
    assert!(!shows(merged.out.as_bytes()));
    assert!(merged.out.contains(r#""executionId": "[secret]""#));
}

/// Without the name of the file, nothing leads back to it.
#[cfg(unix)]
#[test]
fn a_file_with_another_name_is_not_divided() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "x\\y.jsonl", &large_trace(None));
    let partials = shares(folder, &["replay", "x\\y.jsonl"], 2);
    let second = fs::File::open(folder.join(&partials[1])).unwrap();
    let inputs = inputs_of(second).unwrap();
    assert!(inputs.is_empty(), "the first share reads it");
}
