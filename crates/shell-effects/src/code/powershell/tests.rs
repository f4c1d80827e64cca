//! Lines of the table, and lines that must stay high.

use super::file;
use crate::{Context, RiskLevel, Table, analyse};

use std::sync::LazyLock;

static PROGRAMS: LazyLock<Table> = LazyLock::new(Table::builtin);

fn risk(line: &str) -> RiskLevel {
    analyse(line, &Context::new(&PROGRAMS)).risk
}

/// Returns the risk of code that `pwsh` is given.
fn risk_of_code(code: &str) -> RiskLevel {
    risk(&format!(
        "pwsh -NoProfile -Command '{}'",
        code.replace('\'', r"'\''")
    ))
}

fn wrong(lines: &[(&str, RiskLevel)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (line, expected) in lines {
        for (how, found) in [("code", risk_of_code(line)), ("line", risk(line))] {
            if found != *expected {
                wrong.push(format!("{how}: {found:?} instead of {expected:?}: {line}"));
            }
        }
    }
    wrong
}

#[test]
fn every_cmdlet_does_what_its_tests_say() {
    let file = file().expect("the file can be read");
    let mut lines = Vec::new();
    for cmdlet in &file.cmdlets {
        assert!(!cmdlet.tests.is_empty(), "{:?}", cmdlet.names);
        for (line, expected) in &cmdlet.tests {
            lines.push((line.as_str(), *expected));
        }
    }
    let wrong = wrong(&lines);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(super::Names::new(file).is_some());
}

#[test]
#[ignore]
fn probe() {
    for line in std::fs::read_to_string("/tmp/pwsh-lines.txt")
        .unwrap()
        .lines()
    {
        let line = line.replace("\\n", "\n");
        for (how, text) in [
            ("line", line.clone()),
            (
                "code",
                format!("pwsh -NoProfile -Command '{}'", line.replace('\'', r"'\''")),
            ),
        ] {
            let a = analyse(&text, &Context::new(&PROGRAMS));
            println!("{how} {:?} {:?}  {}", a.risk, a.reasons(), line);
        }
    }
}

#[test]
#[ignore]
fn probe_raw() {
    for line in std::fs::read_to_string("/tmp/pwsh-raw.txt")
        .unwrap()
        .lines()
    {
        let a = analyse(line, &Context::new(&PROGRAMS));
        println!("raw {:?} {:?}  {}", a.risk, a.reasons(), line);
    }
}
