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
    assert!(super::Names::new(&file).is_some());
}

/// Returns the rows of a corpus with a class.
fn rows(corpus: &str, class: &str) -> Vec<(String, RiskLevel)> {
    let values = corpus
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    values
        .filter(|row| row["class"] == class)
        .map(|row| {
            let expected = serde_json::from_value(row["expect"].clone()).unwrap();
            (row["cmd"].as_str().unwrap().to_owned(), expected)
        })
        .collect()
}

fn attacks() -> Vec<(String, RiskLevel)> {
    let corpus = include_str!("../../../../../corpora/commands/attacks-wide.jsonl");
    rows(corpus, "powershell")
}

#[test]
fn lines_of_the_corpora_have_their_risk() {
    let corpus = include_str!("../../../../../corpora/commands/session-queries.jsonl");
    let reads = rows(corpus, "powershell-reads");
    let attacks = attacks();
    assert!(attacks.len() >= 60 && reads.len() >= 60);
    let wrong: Vec<String> = attacks
        .iter()
        .chain(&reads)
        .filter(|(line, expected)| risk(line) != *expected)
        .map(|(line, expected)| format!("{:?} instead of {expected:?}: {line}", risk(line)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A word that is replaced by a variable never makes a line harmless, unless the line only reads
/// the file of that name.
#[test]
fn an_unknown_word_never_lowers_the_risk() {
    let mut wrong = Vec::new();
    for (line, _) in attacks() {
        let code = line
            .strip_prefix("pwsh -NoProfile -Command '")
            .and_then(|code| code.strip_suffix('\''))
            .unwrap_or(&line);
        let quoted = format!("pwsh -c '{}'", code.replace('\'', r"'\''"));
        let analysis = analyse(&quoted, &Context::new(&PROGRAMS));
        let is_secret = |e: &crate::Effect| e.kind == crate::EffectKind::Credential;
        let mut high = analysis
            .effects
            .iter()
            .filter(|e| e.risk == RiskLevel::High);
        if high.all(is_secret) {
            continue;
        }
        let words: Vec<&str> = code.split(' ').collect();
        for at in 1..words.len() {
            let is_argument = words[at].starts_with(|c: char| c.is_ascii_alphabetic())
                && !words[at - 1].ends_with([';', '|', '&', '{', '(', '\n']);
            if is_argument {
                let mut replaced = words.clone();
                replaced[at] = "$x";
                let replaced = replaced.join(" ");
                let found = risk_of_code(&replaced);
                if found == RiskLevel::Low {
                    wrong.push(format!("{found:?}: {replaced}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

proptest::proptest! {
    #[test]
    fn no_text_panics(parts in proptest::collection::vec(0_usize..40, 0..40)) {
        const PARTS: [&str; 40] = [
            "Get-ChildItem", " ", " -Path ", "$x", "$(", ")", "(", "@(", "@{", "{", "}", "'", "\"",
            ";", "\n", " | ", "&", "&&", "||", ">", "2>", "$null", "[int]", "[math]::Max(", ",",
            ".Name", "[0]", "=", " = ", "%", "?", "-eq ", "if ", "else", "foreach ", "\\", "#", "ü",
            "1..3", "$env:X",
        ];
        let text: String = parts.iter().filter_map(|k| PARTS.get(*k)).copied().collect();
        for line in [format!("Get-Date;{text}"), text] {
            risk(&line);
            risk_of_code(&line);
        }
    }
}

#[test]
fn the_work_is_bounded() {
    let context = Context::new(&PROGRAMS);
    for part in [
        "(", "$(", "{", "@{a=", "[int]", "!(", "-not ", "1+", ",", "\"$(", "if (1) {", "a|",
        "gc ~ ;", "'a'+", "# x\n", "gc a,", "x\\", "$x.Name", "a -b ",
    ] {
        let line = format!("Get-Date;{}", part.repeat(20_000));
        let (_, work) = crate::measured(&line, &context);
        assert!(work <= line.len() * 60 + 20_000, "{part:?} took {work}");
    }
}
