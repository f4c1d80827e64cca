//! Which definitions get a mark in every language, and which don't.

use repo_map::{Language, Mark, extract};
use std::collections::BTreeSet;

/// A text, and the marks of its definitions; `.` is the file itself. Other definitions have none.
struct Case {
    language: Language,
    text: &'static str,
    marks: &'static [(&'static str, &'static str)],
}

const CASES: &[Case] = &[
    Case {
        language: Language::Rust,
        text: include_str!("repomap_marks/rust.rs"),
        marks: &[
            ("COUNT", "global"),
            ("LOCK", "global, concurrency"),
            ("main", "entry"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("threads", "concurrency"),
            ("inner", "concurrency"),
            ("later", "concurrency"),
            ("count", "global"),
        ],
    },
    Case {
        language: Language::Python,
        text: include_str!("repomap_marks/python.py"),
        marks: &[
            (".", "entry"),
            ("CACHE", "global"),
            ("keep", "global"),
            ("count", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
        ],
    },
    Case {
        language: Language::JavaScript,
        text: include_str!("repomap_marks/javascript.js"),
        marks: &[
            ("count", "global"),
            ("next", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
            ("serve", "entry, network"),
        ],
    },
    Case {
        language: Language::TypeScript,
        text: include_str!("repomap_marks/typescript.ts"),
        marks: &[
            (".", "entry, network"),
            ("count", "global"),
            ("next", "global"),
            ("load", "file"),
            ("later", "concurrency"),
            ("start", "process"),
            ("dial", "network"),
        ],
    },
    Case {
        language: Language::Tsx,
        text: include_str!("repomap_marks/tsx.tsx"),
        marks: &[
            (".", "entry"),
            ("shown", "global"),
            ("show", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
        ],
    },
    Case {
        language: Language::Go,
        text: include_str!("repomap_marks/go.go"),
        marks: &[
            ("count", "global"),
            ("main", "entry"),
            ("next", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
        ],
    },
    Case {
        language: Language::Java,
        text: include_str!("repomap_marks/java.java"),
        marks: &[
            ("count", "global"),
            ("main", "entry"),
            ("next", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
            ("page", "entry"),
        ],
    },
    Case {
        language: Language::CSharp,
        text: include_str!("repomap_marks/csharp.cs"),
        marks: &[
            ("count", "global"),
            ("Main", "entry"),
            ("Next", "global"),
            ("Load", "file"),
            ("Start", "process"),
            ("Dial", "network"),
            ("Later", "concurrency"),
            ("Page", "entry"),
        ],
    },
    Case {
        language: Language::C,
        text: include_str!("repomap_marks/c.c"),
        marks: &[
            ("count", "global"),
            ("main", "entry"),
            ("next", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
        ],
    },
    Case {
        language: Language::Cpp,
        text: include_str!("repomap_marks/cpp.cpp"),
        marks: &[
            ("count", "global"),
            ("main", "entry"),
            ("next", "global"),
            ("load", "file"),
            ("later", "concurrency"),
            ("start", "process"),
            ("dial", "network"),
        ],
    },
    Case {
        language: Language::Php,
        text: include_str!("repomap_marks/php.php"),
        marks: &[
            ("next_one", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
            ("page", "entry"),
        ],
    },
    Case {
        language: Language::Ruby,
        text: include_str!("repomap_marks/ruby.rb"),
        marks: &[
            (".", "entry"),
            ("TABLE", "global"),
            ("next_one", "global"),
            ("keep", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
        ],
    },
    Case {
        language: Language::Bash,
        text: include_str!("repomap_marks/bash.sh"),
        marks: &[
            (".", "network"),
            ("count", "global"),
            ("main", "entry"),
            ("next", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
        ],
    },
];

#[test]
fn every_language_has_every_mark() {
    let mut wrong = Vec::new();
    for case in CASES {
        let tags = extract(case.language, case.text).unwrap();
        assert!(!tags.has_errors, "{}: {tags:#?}", case.language.name());
        let mut found: Vec<(&str, String)> = tags
            .definitions
            .iter()
            .map(|d| (d.name.as_str(), d.marks.names().join(", ")))
            .filter(|(_, m)| !m.is_empty())
            .collect();
        if !tags.marks.is_empty() {
            found.insert(0, (".", tags.marks.names().join(", ")));
        }
        let expected: Vec<(&str, String)> = case
            .marks
            .iter()
            .map(|(name, marks)| (*name, (*marks).to_owned()))
            .collect();
        if found != expected {
            wrong.push(format!(
                "{}: {found:?}\n    expected {expected:?}",
                case.language.name()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let languages: BTreeSet<Language> = CASES.iter().map(|c| c.language).collect();
    // The marks of these are a part of the samples. Some of them describe data and have none.
    let others = [
        Language::Svelte,
        Language::Vue,
        Language::Dart,
        Language::Elixir,
        Language::Hcl,
        Language::Kotlin,
        Language::Lua,
        Language::PowerShell,
        Language::Protobuf,
        Language::R,
        Language::Sql,
        Language::Zig,
    ];
    let missing: Vec<Language> = Language::ALL
        .into_iter()
        .filter(|l| !languages.contains(l) && !others.contains(l))
        .collect();
    assert_eq!(missing, []);
    for case in CASES {
        for mark in [
            Mark::Entry,
            Mark::Global,
            Mark::File,
            Mark::Process,
            Mark::Network,
            Mark::Concurrency,
        ] {
            let has = case
                .marks
                .iter()
                .any(|(_, marks)| marks.split(", ").any(|m| m == mark.name()));
            assert!(
                has,
                "{}: nothing is expected to have {}",
                case.language.name(),
                mark.name()
            );
        }
    }
}

#[test]
fn names_that_only_look_alike_have_no_mark() {
    let none = |language, text: &str| {
        let tags = extract(language, text).unwrap();
        assert!(
            tags.marks.is_empty() && tags.definitions.iter().all(|d| d.marks.is_empty()),
            "{text}"
        );
    };
    none(
        Language::Rust,
        "fn f() { my_fs::read(x); reopen(y); Recommand::new(z); }\n",
    );
    none(
        Language::Python,
        "def f():\n    reopen(x)\n    self.opened(y)\nMAX = 1\ndef g():\n    OTHER = 2\n",
    );
    none(
        Language::Go,
        "package a\nfunc f(count int) { count++; reos.Open(x) }\n",
    );
    none(
        Language::C,
        "int f(int count) { count++; return my_fopen(count); }\n",
    );
}
