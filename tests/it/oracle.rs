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

/// Whether bash accepts a text, without executing any of it.
fn bash_accepts(text: &str) -> bool {
    let mut bash = Command::new("bash")
        .args(["--norc", "--noprofile", "-n", "-O", "extglob"])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("these tests need bash");
    // bash stops reading at an error, so a closed pipe is fine.
    let _ = bash.stdin.take().unwrap().write_all(text.as_bytes());
    let output = bash.wait_with_output().unwrap();
    // A here-document without an end gives only a warning, and extends to the end of the text.
    output.status.success()
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
        ["jshell", "LESSOPEN=", "tcc -run -"]
            .iter()
            .any(|program| cmd.starts_with(program))
    };
    let strange: Vec<&String> = all
        .par_iter()
        .step_by(3)
        .filter(|cmd| !foreign(cmd))
        .filter(|cmd| {
            let ours = analyse(cmd, &context);
            // A line that never ends, such as a fork bomb, reaches a limit without being
            // misunderstood.
            let understood = !ours
                .effects
                .iter()
                .any(|e| e.why.starts_with("not understood"));
            understood != bash_accepts(cmd)
        })
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
    // in 24, or in 8 with `PROPTEST_CASES` in the environment, since each starts a bash.
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
    let refused: Vec<&String> = broken.par_iter().filter(|cmd| !bash_accepts(cmd)).collect();
    assert!(refused.len() > 500, "{}", refused.len());
    let cleared: Vec<&&String> = refused
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
    let wrong: Vec<String> = all
        .par_iter()
        .step_by(40)
        .filter(|cmd| bash_accepts(cmd))
        .flat_map_iter(|cmd| {
            rewritings(cmd, 7, 4)
                .into_iter()
                .map(|w| w.text)
                .collect::<Vec<_>>()
        })
        .filter(|text| !bash_accepts(text))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
