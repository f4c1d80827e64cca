//! Every example in the documentation runs.
//!
//! A block ` ```sh ` is a list of commands, a block ` ```console ` has `$ ` before its commands and
//! shows their output: `...` is any number of lines, `[..]` any text in a line. A command ends with
//! code 0 unless its line says `# exit code N`. A block marked `file=NAME` is written to that file.
//! A block marked `ignore=WHY` isn't run. The blocks of a page run in order in one shell, in a copy
//! of the parts of this repository that pages speak of.

use super::markdown_pages::{Block, Page, all, root};
use rayon::prelude::*;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Valid reasons for ignoring a block.
const REASONS: &[&str] = &[
    "browser",
    "build",
    "network",
    "nightly",
    "openssl",
    "placeholder",
    "runner",
];

/// Parts of the repository that pages may use.
const PARTS: &[&str] = &[
    "Cargo.toml",
    "README.md",
    "ARCHITECTURE.md",
    "corpora/gate-demo",
    "corpora/manifests",
    "corpora/secrets",
    "corpora/traces/README.md",
    "corpora/traces/demo",
    "corpora/traces/sessions/codex",
    "crates/util",
    "docs",
    "policies",
    "src/rules/authorisation",
];

/// A command of a page, with its output if the page shows it.
struct Example {
    line: usize,
    command: String,
    code: i32,
    output: Option<Vec<String>>,
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}

/// Parses the commands of a block. A trailing `\` and a here-document continue a command.
fn examples(block: &Block) -> Vec<Example> {
    let console = block.language == "console";
    let mut all: Vec<Example> = Vec::new();
    let mut open: Option<String> = None;
    for (line, number) in block.text.lines().zip(block.line + 1..) {
        let text = match line.strip_prefix("$ ").filter(|_| console) {
            Some(text) => text,
            None => match line.strip_prefix("> ").filter(|_| console) {
                Some(text) if open.is_some() => text,
                _ => line,
            },
        };
        let continues = open.is_some();
        let begins = !continues && (!console || line.starts_with("$ "));
        if continues {
            let last = all.last_mut().unwrap();
            last.command.push('\n');
            last.command.push_str(text);
        } else if begins && !text.trim().is_empty() && !text.starts_with('#') {
            let code = text
                .split_once("# exit code ")
                .map_or(0, |(_, rest)| digits(rest));
            all.push(Example {
                line: number,
                command: text.to_owned(),
                code,
                output: console.then(Vec::new),
            });
        } else if console && let Some(last) = all.last_mut() {
            last.output.as_mut().unwrap().push(line.to_owned());
        }
        open = match open {
            Some(end) if end == "\\" => text.ends_with('\\').then_some(end),
            Some(end) => (text != end).then_some(end),
            None if begins && text.ends_with('\\') => Some("\\".to_owned()),
            None if begins => text
                .split_once("<<'")
                .and_then(|(_, rest)| rest.split_once('\''))
                .map(|(end, _)| end.to_owned()),
            None => None,
        };
    }
    all
}

fn digits(text: &str) -> i32 {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().unwrap()
}

/// Whether a line matches the page, with `[..]` for any text.
fn fits(shown: &str, printed: &str) -> bool {
    let mut rest = printed.trim_end();
    let mut parts = shown.trim_end().split("[..]").peekable();
    let first = parts.next().unwrap_or_default();
    let Some(after) = rest.strip_prefix(first) else {
        return false;
    };
    rest = after;
    let mut closed = true;
    while let Some(part) = parts.next() {
        closed = false;
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    closed && rest.is_empty()
}

/// Whether an output matches the page, with `...` for any number of lines.
fn matches(shown: &[String], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first.trim() == "..." => {
            (0..=printed.len()).any(|n| matches(rest, &printed[n..]))
        }
        Some((first, rest)) => printed
            .split_first()
            .is_some_and(|(line, others)| fits(first, line) && matches(rest, others)),
    }
}

fn script(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Copies and commits parts of the repository, and puts programs first in the search path.
fn prepare(at: &Path) {
    let repository = at.join("repository");
    for part in PARTS {
        copy(&root().join(part), &repository.join(part));
    }
    fs::create_dir_all(at.join("home")).unwrap();
    fs::create_dir_all(at.join("out")).unwrap();
    let bin = at.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let tool = env!("CARGO_BIN_EXE_yuangs-verify");
    std::os::unix::fs::symlink(tool, bin.join("yuangs-verify")).unwrap();
    let cargo = "#!/bin/sh\n[ \"$1 $2 $3\" = 'run -q --' ] || exit 97\nshift 3\nexec yuangs-verify \"$@\"\n";
    script(&bin.join("cargo"), cargo);
    let git = git2::Repository::init(&repository).unwrap();
    let mut index = git.index().unwrap();
    index
        .add_all(["*"], git2::IndexAddOption::DEFAULT, None)
        .unwrap();
    index.write().unwrap();
    let tree = git.find_tree(index.write_tree().unwrap()).unwrap();
    let who = git2::Signature::new("a", "a@example.org", &git2::Time::new(0, 0)).unwrap();
    let commit = git
        .commit(
            Some("refs/remotes/origin/main"),
            &who,
            &who,
            "all",
            &tree,
            &[],
        )
        .unwrap();
    git.reference("refs/heads/main", commit, true, "").unwrap();
    git.set_head("refs/heads/main").unwrap();
}

/// Runs the examples of a page and returns the failures.
fn run(page: &Page) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut all = Vec::new();
    let mut script = String::new();
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for block in &page.blocks {
        if let Some(reason) = block.mark("ignore") {
            if !REASONS.contains(&reason) {
                wrong.push(format!(
                    "{}:{}: `ignore={reason}`: one of {REASONS:?}",
                    page.path, block.line
                ));
            }
            continue;
        }
        if let Some(file) = block.mark("file") {
            let to = at.join(format!("out/file{}", block.line));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::write(&to, &block.text).unwrap();
            script.push_str(&format!(
                "mkdir -p \"$(dirname '{file}')\" && cp '{}' '{file}'\n",
                to.display()
            ));
        }
        if ["sh", "console"].contains(&block.language.as_str()) {
            for example in examples(block) {
                let out = at.join(format!("out/{}", all.len()));
                script.push_str(&format!(
                    "{{\n{}\n}} > '{out}' 2>&1 < /dev/null\necho $? > '{out}.code'\n",
                    example.command,
                    out = out.display()
                ));
                all.push(example);
            }
        }
    }
    if all.is_empty() {
        return wrong;
    }
    prepare(at);
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", at.join("bin").display());
    let status = Command::new("bash")
        .args(["--norc", "-c", &script])
        .current_dir(at.join("repository"))
        .env_clear()
        .env("PATH", path)
        .env("HOME", at.join("home"))
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .status()
        .unwrap();
    for (n, example) in all.iter().enumerate() {
        let place = format!("{}:{}: {}", page.path, example.line, example.command);
        let printed = fs::read_to_string(at.join(format!("out/{n}"))).unwrap_or_default();
        let code = fs::read_to_string(at.join(format!("out/{n}.code"))).unwrap_or_default();
        if code.trim() != example.code.to_string() {
            wrong.push(format!("{place}\n  ends with {}\n{printed}", code.trim()));
        } else if let Some(shown) = &example.output {
            let blank = |line: &&String| line.trim().is_empty();
            let end = shown.len() - shown.iter().rev().take_while(blank).count();
            let lines: Vec<&str> = printed.trim_end().lines().collect();
            if !matches(&shown[..end], &lines) {
                wrong.push(format!(
                    "{place}\n  prints\n{printed}\n  and the page shows\n{}",
                    shown.join("\n")
                ));
            }
        }
    }
    if !status.success() && wrong.is_empty() {
        wrong.push(format!("{}: the shell gave up", page.path));
    }
    wrong
}

#[test]
fn every_example_of_the_documentation_runs() {
    if cfg!(not(all(
        feature = "knowledge",
        feature = "repomap",
        feature = "policy-fuzz"
    ))) {
        return; // A smaller build refuses some of the commands.
    }
    let pages: Vec<Page> = all().iter().map(|path| Page::read(path)).collect();
    let counted = pages.iter().flat_map(|page| &page.blocks);
    let run_blocks = counted.filter(|block| {
        ["sh", "console"].contains(&block.language.as_str()) && block.mark("ignore").is_none()
    });
    assert!(run_blocks.count() >= 20, "most examples can run");
    let wrong: Vec<String> = pages.par_iter().flat_map_iter(run).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn an_example_that_does_something_else_is_noticed() {
    let page = |text: &str| run(&Page::of("x.md", text));
    assert!(page("```console\n$ echo a b\na [..]\n```").is_empty());
    assert!(page("```console\n$ printf 'a\\nb\\nc\\n'\n...\nc\n```").is_empty());
    assert!(page("```sh\nfalse # exit code 1\ncd docs\ntest -f gate.md\n```").is_empty());
    assert!(page("```toml file=a/b.toml\nx = 1\n```\n```sh\ngrep -q x a/b.toml\n```").is_empty());
    assert!(page("```sh\ncat <<'E'\na\nE\ntest \\\n  1 = 1\n```").is_empty());
    for wrong in [
        "```console\n$ echo a\nb\n```",
        "```console\n$ echo a\n```",
        "```console\n$ printf 'a\\nb\\n'\na\n```",
        "```sh\nfalse\n```",
        "```sh\ntrue # exit code 1\n```",
        "```sh ignore=laziness\ntrue\n```",
        "```sh\nexit 0\n```",
    ] {
        assert_eq!(page(wrong).len(), 1, "{wrong}");
    }
}
