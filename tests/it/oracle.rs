//! Compares the parser with bash itself.
//!
//! `bash -n` parses without executing. A text that it rejects must never be rated as understood and
//! harmless; a text that it accepts should be understood.

use rayon::prelude::*;
use serde_json::Value;
use shell_effects::rewrite::rewritings;
use shell_effects::{Context, RiskLevel, Table, analyse};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Prints for each of the texts on standard input, which end with NUL, the exit code that
/// `bash -n` would have. A subshell for each text takes a tenth of the time of a process.
///
/// The first line that `eval` reads keeps the subshell from executing anything after it. The first
/// command shows that it does: otherwise it prints an additional line.
const READER: &str = r#"
( eval $'set -n\necho executed' )
while IFS= read -r -d '' text; do
    ( eval "set -n
$text" ) >/dev/null 2>&1
    echo $?
done
"#;

/// Number of texts that one bash reads. Its answers fit into the buffer of a pipe, so it doesn't
/// wait for a reader before it has read all texts.
const TEXTS: usize = 200;

fn bash() -> Command {
    let mut bash = Command::new("bash");
    bash.args(["--norc", "--noprofile", "-O", "extglob"])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    bash
}

/// Runs bash over an input. Returns its output and whether it succeeded.
fn read_by(mut bash: Command, input: &[u8]) -> (String, bool) {
    let mut bash = bash.spawn().expect("these tests need bash");
    // bash stops reading at an error, so a closed pipe is fine.
    let _ = bash.stdin.take().unwrap().write_all(input);
    let output = bash.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (text, output.status.success())
}

/// Whether bash accepts each text, without executing any of it. A here-document without an end
/// gives only a warning, and extends to the end of the text.
fn accepted_by_bash(texts: &[&str]) -> Vec<bool> {
    let printed = read_by(reader(), b"").0;
    assert_eq!(printed, "", "this bash executes what follows `set -n`");
    let parts = texts.par_chunks(TEXTS);
    parts.flat_map_iter(accepted_by_one_bash).collect()
}

fn reader() -> Command {
    let mut reader = bash();
    reader.args(["-c", READER]);
    reader
}

fn accepted_by_one_bash(texts: &[&str]) -> Vec<bool> {
    // No variable contains NUL: such a text has a bash of its own.
    let (own, shared): (Vec<&str>, Vec<&str>) = texts.iter().partition(|t| t.contains('\0'));
    let input: String = shared.iter().flat_map(|text| [text, "\0"]).collect();
    let (output, _) = read_by(reader(), input.as_bytes());
    assert_eq!(output.lines().count(), shared.len(), "{output}");
    let mut shared = output.lines().map(|code| code == "0");
    let mut own = own.into_iter().map(|text| {
        let mut bash = bash();
        bash.arg("-n");
        read_by(bash, text.as_bytes()).1
    });
    let mut accepted = |text: &&str| {
        let answers: &mut dyn Iterator<Item = bool> = if text.contains('\0') {
            &mut own
        } else {
            &mut shared
        };
        answers.next().unwrap()
    };
    texts.iter().map(&mut accepted).collect()
}

fn strs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

fn commands() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/commands");
    let mut all = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let path = entry.unwrap().into_path();
        if path.extension().is_some_and(|e| e == "jsonl") {
            let text = std::fs::read_to_string(path).unwrap();
            all.extend(text.lines().map(|l| {
                serde_json::from_str::<Value>(l).unwrap()["cmd"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            }));
        }
    }
    all
}

#[test]
fn what_bash_accepts_is_understood() {
    let table = Table::builtin();
    let context = Context::new(&table);
    let all = commands();
    assert!(all.len() > 3000);
    // These pass text in other languages to a program.
    let foreign = |cmd: &str| {
        [
            "jshell",
            "LESSOPEN=",
            "tcc -run -",
            "jshell -s -",
            "swift -",
        ]
        .iter()
        .any(|program| cmd.starts_with(program) || cmd.ends_with(program))
    };
    let asked: Vec<&str> = strs(&all).into_iter().filter(|cmd| !foreign(cmd)).collect();
    let accepted = accepted_by_bash(&asked);
    let strange: Vec<&&str> = asked
        .par_iter()
        .zip(accepted)
        .filter(|(cmd, accepted)| {
            let ours = analyse(cmd, &context);
            // A line that never ends, such as a fork bomb, reaches a limit without being
            // misunderstood.
            let understood = !ours
                .effects
                .iter()
                .any(|e| e.why.starts_with("not understood"));
            understood != *accepted
        })
        .map(|(cmd, _)| cmd)
        .collect();
    assert!(
        strange.is_empty(),
        "{} of {}: {strange:#?}",
        strange.len(),
        all.len()
    );
}

#[test]
fn what_bash_refuses_is_high() {
    let table = Table::builtin();
    let context = Context::new(&table);
    // Commands of the corpora, cut in the middle and doubled, so that much of it is invalid: one
    // in 24, or in 8 with `PROPTEST_CASES` in the environment.
    let step = if std::env::var_os("PROPTEST_CASES").is_some() {
        8
    } else {
        24
    };
    let broken: Vec<String> = commands()
        .iter()
        .step_by(step)
        .flat_map(|cmd| {
            let half = (0..=cmd.len() / 2)
                .rev()
                .find(|n| cmd.is_char_boundary(*n))
                .unwrap();
            [
                cmd[..half].to_owned(),
                format!("{cmd} )"),
                format!("if {cmd}"),
                format!("{cmd} | | ls"),
                format!("echo 'a {cmd}"),
            ]
        })
        .collect();
    let broken = strs(&broken);
    let accepted = accepted_by_bash(&broken);
    let refused: Vec<&str> = broken
        .into_iter()
        .zip(accepted)
        .filter_map(|(cmd, accepted)| (!accepted).then_some(cmd))
        .collect();
    assert!(refused.len() > 500, "{}", refused.len());
    let cleared: Vec<&&str> = refused
        .par_iter()
        .filter(|cmd| analyse(cmd, &context).risk != RiskLevel::High)
        .collect();
    assert!(
        cleared.is_empty(),
        "{} of {}: {cleared:#?}",
        cleared.len(),
        refused.len()
    );
}

#[test]
fn rewritings_are_still_bash() {
    let all = commands();
    let asked: Vec<&str> = strs(&all).into_iter().step_by(40).collect();
    let accepted = accepted_by_bash(&asked);
    let rewritten: Vec<String> = asked
        .par_iter()
        .zip(accepted)
        .filter(|(_, accepted)| *accepted)
        .flat_map_iter(|(cmd, _)| rewritings(cmd, 7, 4).into_iter().map(|w| w.text))
        .collect();
    let accepted = accepted_by_bash(&strs(&rewritten));
    let wrong: Vec<&String> = rewritten
        .iter()
        .zip(accepted)
        .filter_map(|(text, accepted)| (!accepted).then_some(text))
        .collect();
    assert!(!rewritten.is_empty());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
