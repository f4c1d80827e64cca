//! Which definitions get a mark in every language, and which don't.

use repo_map::{Language, Mark, extract};

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
    Case {
        language: Language::Dart,
        text: include_str!("repomap_marks/dart.dart"),
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
        language: Language::Elixir,
        text: include_str!("repomap_marks/elixir.ex"),
        marks: &[
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
        ],
    },
    Case {
        language: Language::Hcl,
        text: include_str!("repomap_marks/hcl.tf"),
        marks: &[("load", "file"), ("start", "process")],
    },
    Case {
        language: Language::Kotlin,
        text: include_str!("repomap_marks/kotlin.kt"),
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
        language: Language::Lua,
        text: include_str!("repomap_marks/lua.lua"),
        marks: &[
            ("count", "global"),
            ("next_one", "global"),
            ("share", "global"),
            ("load_it", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
        ],
    },
    Case {
        language: Language::PowerShell,
        text: include_str!("repomap_marks/powershell.ps1"),
        marks: &[
            ("Step-Count", "global"),
            ("Read-It", "file"),
            ("Start-It", "process"),
            ("Connect-It", "network"),
            ("Start-Later", "concurrency"),
        ],
    },
    Case {
        language: Language::R,
        text: include_str!("repomap_marks/r.R"),
        marks: &[
            ("step", "global"),
            ("load_it", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
        ],
    },
    Case {
        language: Language::Zig,
        text: include_str!("repomap_marks/zig.zig"),
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
];

/// All marks.
const MARKS: [Mark; 6] = [
    Mark::Entry,
    Mark::Global,
    Mark::File,
    Mark::Process,
    Mark::Network,
    Mark::Concurrency,
];

/// Returns whether definitions of a language can have a mark. Some languages describe data.
fn can_have(language: Language, mark: Mark) -> bool {
    use Mark::{Concurrency, Entry, File, Network, Process};
    match language {
        Language::Elixir => matches!(mark, File | Process | Network | Concurrency),
        Language::Hcl => matches!(mark, File | Process),
        Language::Lua | Language::PowerShell | Language::R => mark != Entry,
        Language::Protobuf | Language::Sql => false,
        _ => true,
    }
}

/// Returns whether the expectations of a language include a mark. The scripts of Svelte and Vue
/// components are TypeScript.
fn is_expected(language: Language, mark: Mark) -> bool {
    let language = match language {
        Language::Svelte | Language::Vue => Language::TypeScript,
        other => other,
    };
    CASES
        .iter()
        .filter(|case| case.language == language)
        .flat_map(|case| case.marks)
        .any(|(_, marks)| marks.split(", ").any(|name| name == mark.name()))
}

#[test]
fn every_language_has_every_mark() {
    let mut wrong = Vec::new();
    for case in CASES.iter().filter(|case| case.language.is_available()) {
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
    // Languages are listed in `Language::ALL` alone. A new one needs a case, or an exception.
    for language in Language::ALL {
        for mark in MARKS {
            assert_eq!(
                is_expected(language, mark),
                can_have(language, mark),
                "{}: {}",
                language.name(),
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
