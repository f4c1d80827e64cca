//! Every rule's page is complete, and its examples give the described results.

use super::support::codes;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use yuangs_verify::rules::{ALL, Check, Page, Rule};

const SECTIONS: [&str; 5] = [
    "## What it does",
    "## Why it matters",
    "## How to fix it",
    "## Fails",
    "## Passes",
];

/// An example of a page as bytes, with its options.
struct Example {
    bytes: Vec<u8>,
    options: Vec<String>,
}

/// Runs an example about policies or maps: the command, the policy or code, and its cases, a trace,
/// or the map.
fn run_policy(folder: &Path, page: &str, heading: &str) -> (i32, Value) {
    let section = page.split_once(&format!("\n{heading}\n")).unwrap().1;
    let section = section
        .split_once("\n## ")
        .map_or(section, |(here, _)| here);
    let blocks: Vec<&str> = section.split("```").skip(1).step_by(2).collect();
    let [policy, rest @ ..] = blocks.as_slice() else {
        panic!("{heading} needs a block")
    };
    let (info, policy) = policy.split_once('\n').unwrap();
    std::fs::write(folder.join("policy.yaml"), policy).unwrap();
    let mut arguments: Vec<&str> = info.split_whitespace().skip(1).collect();
    let command = arguments.remove(0);
    let is_compared = arguments.starts_with(&["diff"]);
    let is_alone = is_compared || arguments.starts_with(&["check"]);
    let (language, beside) = match rest {
        [beside] => beside.split_once('\n').unwrap(),
        _ if rest.is_empty() && is_alone => ("", ""),
        _ => panic!("{heading} needs two blocks"),
    };
    if is_compared {
        // The page's repository contains the earlier code.
        std::fs::remove_file(folder.join("policy.yaml")).unwrap();
        std::fs::write(folder.join("code.py"), policy).unwrap();
    } else if command == "replay" {
        std::fs::rename(folder.join("policy.yaml"), folder.join("audit.jsonl")).unwrap();
        std::fs::write(folder.join("trace.jsonl"), beside).unwrap();
        arguments.push("trace.jsonl");
    } else if command == "repomap" {
        std::fs::remove_file(folder.join("policy.yaml")).unwrap();
        std::fs::write(folder.join("code.py"), policy).unwrap();
        std::fs::write(folder.join(arguments.last().unwrap()), beside).unwrap();
    } else if let Some(name) = language.strip_prefix("yaml ") {
        std::fs::write(folder.join(name), beside).unwrap();
    } else if language == "jsonl" {
        std::fs::write(folder.join("trace.jsonl"), beside).unwrap();
        arguments.push("trace.jsonl");
    } else if !is_alone {
        std::fs::write(folder.join("policy.test.yaml"), beside).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(folder)
        .arg(command)
        .args(&arguments)
        .args(["--format", "json"])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    (
        output.status.code().unwrap(),
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {error}")),
    )
}

/// Runs an example about knowledge: the command and the configuration, then files. A file marked
/// `later` is written after a first run.
fn run_knowledge(folder: &Path, page: &str, heading: &str) -> (i32, Value) {
    let folder = folder.join(heading.trim_start_matches("## "));
    std::fs::create_dir(&folder).unwrap();
    let section = page.split_once(&format!("\n{heading}\n")).unwrap().1;
    let section = section
        .split_once("\n## ")
        .map_or(section, |(here, _)| here);
    let blocks: Vec<(&str, &str)> = section
        .split("```")
        .skip(1)
        .step_by(2)
        .map(|b| b.split_once('\n').unwrap())
        .collect();
    let (info, config) = blocks[0];
    std::fs::write(folder.join("yuangs-verify.toml"), config).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"));
        command
            .current_dir(&folder)
            .args(arguments)
            .args(["--format", "json"])
            .output()
            .unwrap()
    };
    let write = |later: bool| {
        for (info, body) in &blocks[1..] {
            let words: Vec<&str> = info.split_whitespace().collect();
            if words.contains(&"later") == later {
                let path = folder.join(words.last().unwrap());
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, body).unwrap();
            }
        }
    };
    write(false);
    if info.contains("--check") {
        assert!(run(&["knowledge", "reindex"]).status.success());
        write(true);
    }
    let output = run(&info.split_whitespace().skip(1).collect::<Vec<_>>());
    let error = String::from_utf8_lossy(&output.stderr);
    (
        output.status.code().unwrap(),
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {error}")),
    )
}

/// Parses the fenced block under a heading. Its info string may contain options, `hex` or
/// `unended`.
fn example(page: &str, heading: &str) -> Example {
    let section = page
        .split_once(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("no section {heading}"))
        .1;
    let fence = section.split_once("```").unwrap().1;
    let (info, rest) = fence.split_once('\n').unwrap();
    let body = rest.split_once("```").unwrap().0;
    let mut words: Vec<String> = info.split_whitespace().skip(1).map(str::to_owned).collect();
    let bytes = match words.first().map(String::as_str) {
        Some("hex") => {
            words.remove(0);
            let digits: Vec<u8> = body.bytes().filter(u8::is_ascii_hexdigit).collect();
            digits
                .chunks(2)
                .map(|p| u8::from_str_radix(std::str::from_utf8(p).unwrap(), 16).unwrap())
                .collect()
        }
        Some("unended") => {
            words.remove(0);
            body.trim_end_matches('\n').as_bytes().to_vec()
        }
        _ => body.as_bytes().to_vec(),
    };
    Example {
        bytes,
        options: words,
    }
}

fn run(folder: &Path, example: &Example) -> (i32, Value) {
    std::fs::write(folder.join("trace.jsonl"), &example.bytes).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(folder)
        .args(["replay", "--format", "json"])
        .args(&example.options)
        .arg("trace.jsonl")
        .output()
        .unwrap();
    (
        output.status.code().unwrap(),
        serde_json::from_slice(&output.stdout).unwrap(),
    )
}

fn check(rule: &Rule) {
    let page = Page::from_rule(rule).markdown;
    let mut last = 0;
    for section in SECTIONS {
        let at = page
            .find(&format!("\n{section}\n"))
            .unwrap_or_else(|| panic!("{}: no section {section}", rule.code));
        assert!(at > last, "{}: {section} is out of order", rule.code);
        last = at;
    }
    assert!(
        page.starts_with(|c: char| c.is_uppercase()),
        "{}: the page begins with a sentence",
        rule.code
    );
    let folder = tempfile::tempdir().unwrap();
    if let Some((_, rest)) = page.split_once("\n## Trust file\n") {
        let body = rest
            .split_once("```json\n")
            .unwrap()
            .1
            .split_once("```")
            .unwrap()
            .0;
        std::fs::create_dir(folder.path().join("keys")).unwrap();
        std::fs::write(folder.path().join("keys/example.json"), body).unwrap();
    }
    if let Some((_, rest)) = page.split_once("\n## Repository\n") {
        let (path, rest) = rest
            .split_once("```text ")
            .unwrap()
            .1
            .split_once('\n')
            .unwrap();
        std::fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
        std::fs::write(folder.path().join(path), rest.split_once("```").unwrap().0).unwrap();
        let git = |arguments: &[&str]| {
            let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
            let status = Command::new("git")
                .current_dir(folder.path())
                .args(identity)
                .args(arguments)
                .status()
                .unwrap();
            assert!(status.success(), "git {arguments:?}");
        };
        git(&["init", "-q"]);
        git(&["add", path]);
        git(&["commit", "-q", "-m", "base"]);
    }
    let about_policies = matches!(rule.check, Check::Policy);
    let about_knowledge = ["knowledge ", "validate ", "gate\n"]
        .iter()
        .any(|command| page.contains(&format!("```toml {command}")));
    let run = |heading: &str| {
        if about_knowledge {
            run_knowledge(folder.path(), &page, heading)
        } else if about_policies {
            run_policy(folder.path(), &page, heading)
        } else {
            run(folder.path(), &example(&page, heading))
        }
    };
    let (failed, failing) = run("## Fails");
    let code = rule.code.to_string();
    // A native format always reports what it doesn't record; that note is allowed too.
    let mut found: Vec<&str> = codes(&failing)
        .into_iter()
        .filter(|c| *c != "YV212" || code == "YV212")
        .collect();
    // A comparison of policies reports each kind of action.
    found.dedup();
    assert_eq!(
        found,
        [code.as_str()],
        "{code}: the failing example gives {:#}",
        failing["findings"]
    );
    let severity = failing["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["code"] == *code)
        .unwrap()["severity"]
        .clone();
    assert_eq!(severity, rule.severity.name(), "{code}");
    // What is inconclusive has an exit code of its own.
    let expected = if code == "YV519" { 3 } else { 1 };
    assert!(
        !about_policies || failed == expected,
        "{code}: the failing example exits with {failed}"
    );
    let (exit, passing) = run("## Passes");
    assert!(
        codes(&passing).is_empty(),
        "{code}: the passing example gives {:#}",
        passing["findings"]
    );
    assert_eq!(exit, 0, "{code}: the passing example verifies nothing");
}

#[test]
#[cfg_attr(
    not(all(feature = "knowledge", feature = "repomap")),
    ignore = "needs knowledge and repomap"
)]
fn every_page_is_complete_and_its_examples_hold() {
    assert!(ALL.len() > 40);
    for rule in ALL.iter() {
        check(rule);
    }
}
