//! Large ordinary files are read in every language. Text that would make a lexer read it again and
//! again is refused, whatever its size.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use repo_map::{Language, Unread, extract};
use std::path::Path;

/// Returns the texts of the samples of each language.
fn samples() -> Vec<(String, Language, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/repomap/samples");
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        if let Some(language) = Language::of(&name, text.as_bytes()) {
            out.push((name, language, text));
        }
    }
    out
}

/// Returns a text without the lines that may appear once only: they would be syntax errors.
fn repeatable(text: &str) -> String {
    let is_unique = |line: &&str| {
        ["package ", "import ", "return Stack", "syntax "]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let lines: Vec<&str> = text.lines().filter(|line| !is_unique(line)).collect();
    lines.join("\n") + "\n"
}

fn is_script(language: Language) -> bool {
    matches!(
        language,
        Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Svelte
            | Language::Vue
    )
}

#[test]
fn large_files_are_read() {
    let mut read: Vec<Language> = Vec::new();
    for (name, language, text) in samples() {
        let one = repeatable(&text);
        let few = extract(language, &one).unwrap().definitions.len();
        let times = 500_000 / one.len() + 1;
        let tags = extract(language, &one.repeat(times));
        let tags = tags.unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(few > 0, "{name}");
        // A script defines a name once.
        let times = if is_script(language) { 1 } else { times };
        assert!(tags.definitions.len() >= few * times, "{name}");
        read.push(language);
    }
    for language in Language::ALL {
        assert!(
            read.contains(&language),
            "{} has no sample",
            language.name()
        );
    }
}

/// Texts that are hostile if they are repeated: each of them made the time grow with the square of
/// the length.
#[cfg(feature = "languages-extra")]
const EXTRA: &[(Language, &str, &str)] = &[
    (Language::Dart, "", "/*"),
    (Language::Dart, "", "++select select ^^]]where "),
    (Language::Kotlin, "", "\n."),
    (Language::Kotlin, "", "]]return case do "),
    (Language::Lua, "", "/**/"),
    (Language::Lua, "", "[["),
    (Language::Lua, "", "[="),
    (Language::Protobuf, "", "else /*"),
    (Language::PowerShell, "", "\n->"),
    (Language::PowerShell, "", "<<-"),
    (Language::R, "\r\ndef ", "&$!"),
    (Language::Sql, "", "::\r\n/*}"),
    (Language::Sql, ",select ", "#>"),
    (Language::Zig, "", "/*"),
];

#[cfg(not(feature = "languages-extra"))]
const EXTRA: &[(Language, &str, &str)] = &[];

const BASIC: &[(Language, &str, &str)] = &[
    (Language::Bash, "", "case "),
    (Language::C, "", "-,"),
    (Language::C, "", "else "),
    (Language::Cpp, "", "-,"),
    (Language::CSharp, "", "]&"),
    (Language::Go, "", "->"),
    (Language::Go, "", "|+"),
    (Language::Java, "", ":~"),
    (Language::JavaScript, "", "->"),
    (Language::JavaScript, "a", "/**/"),
    (Language::Php, "<?php ", "-,"),
    (Language::Python, "", ":~"),
    (Language::Python, "", "|+"),
    (Language::Ruby, "", "`"),
    (Language::Ruby, "", "%{%"),
    (Language::Rust, "", "|+"),
    (Language::Rust, "[[", "return &1r#\""),
    (Language::Tsx, "", "->"),
    (Language::TypeScript, "", "->"),
];

#[test]
fn hostile_files_are_refused() {
    let mut wrong = Vec::new();
    for (language, prefix, pattern) in BASIC.iter().chain(EXTRA) {
        for length in [60_000, 120_000] {
            let text = format!("{prefix}{}", pattern.repeat(length / pattern.len()));
            if !matches!(extract(*language, &text), Err(Unread::TooMuchWork)) {
                wrong.push(format!("{} {pattern:?} {length}", language.name()));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// Valid text, but each of thousands of reductions takes all comments from the parser's stack.
#[test]
fn comments_behind_many_reductions_are_refused() {
    let mut wrong = Vec::new();
    for (language, prefix, operator, suffix) in [
        (Language::C, "int f() { ", "a=", "; }"),
        (Language::Cpp, "int f() { ", "a=", "; }"),
        (Language::CSharp, "class A { void f() { ", "a=", "; } }"),
        (Language::Go, "package a\nfunc f() { b := ", "-", "\n}\n"),
        (Language::Java, "class A { void f() { ", "a=", "; } }"),
        (Language::JavaScript, "", "a=", ";"),
        (Language::Rust, "fn f() { ", "-", "; }"),
    ] {
        let text = |operators: usize, comments: usize| {
            let operators = operator.repeat(operators / operator.len());
            format!(
                "{prefix}{operators}a{}{suffix}",
                "/**/".repeat(comments / 4)
            )
        };
        for half in [30_000, 60_000] {
            if !matches!(
                extract(language, &text(half, half)),
                Err(Unread::TooMuchWork)
            ) {
                wrong.push(format!("{} {half}", language.name()));
            }
        }
        // Many comments alone, or behind a few operators, are fine.
        for (operators, comments) in [(8, 800), (400, 400)] {
            match extract(language, &text(operators, comments)) {
                Ok(tags) if !tags.has_errors => {}
                other => wrong.push(format!("{} {other:?}", language.name())),
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}
