//! `docs/coverage.md` names commands, rules, tests and corpora that exist.

use super::markdown_pages::root;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use yuangs_verify::rules;

const PAGE: &str = "docs/coverage.md";

/// A row of a table, with the section that it is in.
struct Row {
    line: usize,
    section: String,
    cells: Vec<String>,
}

/// Returns the rows of all tables, without their heads.
fn rows(text: &str) -> Vec<Row> {
    let mut section = String::new();
    let mut all = Vec::new();
    let mut is_in_table = false;
    for (line, content) in (1..).zip(text.lines()) {
        if let Some(title) = content.strip_prefix("## ") {
            title.clone_into(&mut section);
        }
        let Some(row) = content
            .strip_prefix("| ")
            .and_then(|row| row.strip_suffix(" |"))
        else {
            is_in_table = false;
            continue;
        };
        let cells: Vec<String> = row.split(" | ").map(str::to_owned).collect();
        let is_separator = cells.iter().all(|cell| cell == "---");
        if is_in_table && !is_separator {
            all.push(Row {
                line,
                section: section.clone(),
                cells,
            });
        }
        is_in_table = true;
    }
    all
}

/// Returns the parts of a cell that are code.
fn code(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Returns what a cell contains besides code, words joined by commas.
fn bare(cell: &str) -> Vec<&str> {
    cell.split('`')
        .step_by(2)
        .flat_map(|part| part.split(','))
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .collect()
}

/// Returns the manual pages of all commands, by the words of the command.
fn manual() -> BTreeMap<String, String> {
    let directory = tempfile::tempdir().unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .args(["man", "--output"])
        .arg(directory.path())
        .status()
        .unwrap();
    assert!(status.success());
    let pages = std::fs::read_dir(directory.path()).unwrap();
    pages
        .map(|page| {
            let path = page.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let name = name.trim_start_matches("yuangs-verify");
            let text = std::fs::read_to_string(&path).unwrap();
            (name.replace('-', " ").trim().to_owned(), text)
        })
        .collect()
}

/// Returns what is wrong with a command and its options. A value is not checked.
fn unknown_command(manual: &BTreeMap<String, String>, command: &str) -> Option<String> {
    let words: Vec<&str> = command.split(' ').collect();
    let name: Vec<&str> = words
        .iter()
        .copied()
        .take_while(|word| !word.starts_with('-'))
        .collect();
    let Some(page) = manual.get(&name.join(" ")).filter(|_| !name.is_empty()) else {
        return Some(format!("no command `{command}`"));
    };
    words
        .iter()
        .filter(|word| word.starts_with("--"))
        .find(|option| !page.contains(&option.replace('-', "\\-")))
        .map(|option| format!("`{}` has no `{option}`", name.join(" ")))
}

/// Returns what is wrong with a test or corpus.
fn unknown_holder(holder: &str) -> Option<String> {
    if let Some((file, test)) = holder.split_once("::") {
        let path = root().join(format!("{file}.rs"));
        let Ok(source) = std::fs::read_to_string(&path) else {
            return Some(format!("no file {file}.rs"));
        };
        let is_there = source
            .lines()
            .any(|line| line.trim_start().starts_with(&format!("fn {test}(")));
        return (!is_there).then(|| format!("{file}.rs has no test `{test}`"));
    }
    if !holder.starts_with("corpora/") {
        return Some(format!("`{holder}` is neither a test nor a corpus"));
    }
    let Some(beginning) = holder.strip_suffix('*') else {
        let is_there = root().join(holder).exists();
        return (!is_there).then(|| format!("no corpus {holder}"));
    };
    let (directory, name) = beginning.rsplit_once('/').unwrap();
    let is_there = std::fs::read_dir(root().join(directory)).is_ok_and(|mut entries| {
        entries.any(|entry| {
            let entry = entry.unwrap().file_name();
            entry.to_str().unwrap().starts_with(name)
        })
    });
    (!is_there).then(|| format!("no corpus {holder}"))
}

/// Returns what is wrong with a row about something that is verified.
fn faults(manual: &BTreeMap<String, String>, codes: &BTreeSet<String>, row: &Row) -> Vec<String> {
    let [_, verified, held] = row.cells.as_slice() else {
        return vec![format!("{} cells", row.cells.len())];
    };
    let mut all: Vec<String> = code(verified)
        .filter_map(|command| unknown_command(manual, command))
        .collect();
    let named = bare(verified);
    all.extend(
        named
            .iter()
            .filter(|word| !codes.contains(**word))
            .map(|word| format!("`{word}` is no rule")),
    );
    if named.is_empty() && code(verified).next().is_none() {
        all.push("nothing verifies it".to_owned());
    }
    all.extend(code(held).filter_map(unknown_holder));
    all.extend(
        bare(held)
            .iter()
            .map(|word| format!("`{word}` is neither a test nor a corpus")),
    );
    if code(held).next().is_none() {
        all.push("nothing holds it".to_owned());
    }
    all
}

#[test]
fn every_row_names_what_exists() {
    let text = std::fs::read_to_string(root().join(PAGE)).unwrap();
    let codes: BTreeSet<String> = rules::ALL.iter().map(|r| r.code.to_string()).collect();
    let manual = manual();
    let rows = rows(&text);
    assert!(rows.len() >= 120, "{} rows", rows.len());
    let mut wrong = Vec::new();
    for row in &rows {
        let is_reason = matches!(
            row.section.as_str(),
            "Not verified" | "Files that aren't read"
        );
        let faults: Vec<String> = if is_reason {
            let is_complete = row.cells.len() == 2 && row.cells.iter().all(|c| !c.is_empty());
            (!is_complete)
                .then(|| "a concept and a reason".to_owned())
                .into_iter()
                .collect()
        } else {
            faults(&manual, &codes, row)
        };
        wrong.extend(
            faults
                .iter()
                .map(|fault| format!("{PAGE}:{}: {fault}", row.line)),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Broken rows are noticed.
    for broken in [
        "| a | `nonsense` | `tests/it/coverage::every_row_names_what_exists` |",
        "| a | `replay --nonsense` | `tests/it/coverage::every_row_names_what_exists` |",
        "| a | YV999 | `tests/it/coverage::every_row_names_what_exists` |",
        "| a | `replay` | `tests/it/coverage::nonsense` |",
        "| a | `replay` | `tests/it/nonsense::nonsense` |",
        "| a | `replay` | `corpora/traces/nonsense*` |",
        "| a | `replay` | `corpora/nonsense` |",
        "| a | `replay` | TODO |",
        "| a | `replay` |",
    ] {
        let table = format!("| a | b | c |\n| --- | --- | --- |\n{broken}\n");
        let parsed = self::rows(&table);
        let [row] = parsed.as_slice() else {
            panic!("{broken} is one row")
        };
        assert!(!faults(&manual, &codes, row).is_empty(), "{broken}");
    }
}

/// Every rule for the described systems' own files is on the page.
#[test]
fn no_rule_about_knowledge_is_missing() {
    let text = std::fs::read_to_string(root().join(PAGE)).unwrap();
    let missing: Vec<String> = rules::ALL
        .iter()
        .map(|rule| rule.code.to_string())
        .filter(|code| code.starts_with("YV9") && !text.contains(code.as_str()))
        .collect();
    // YV906 is about the code of a repository.
    assert_eq!(missing, ["YV906"]);
}
