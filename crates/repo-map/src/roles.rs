//! Roles of code in a map: what exercises other code, and what is too trivial for an entry.
//!
//! Tests, examples and benchmarks are recognised by the conventions of their ecosystems. They say
//! what is important by what they use, but a reader of a map wants to see that first.

use super::language::Language;
use super::tags::{Definition, Kind, Tags};

/// Directories of tests, examples, benchmarks and their data, in any language.
const DIRECTORIES: &[&str] = &[
    "__fixtures__",
    "__mocks__",
    "__snapshots__",
    "__tests__",
    "androidTest",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "corpora",
    "corpus",
    "cypress",
    "demo",
    "demos",
    "e2e",
    "example",
    "examples",
    "fixtures",
    "integrationTest",
    "sample",
    "samples",
    "testdata",
    "test_data",
    "test-data",
    "tests",
    "unittests",
];

/// The last words of file names: `queue_test.go`, `queue-spec.js`, `queue.test.ts`.
const LAST: &[&str] = &[
    "bench",
    "benchmark",
    "e2e",
    "example",
    "spec",
    "specs",
    "stories",
    "test",
    "tests",
    "testcase",
    "testsuite",
    "unittest",
    "unittests",
];

/// Whole file names without their ending.
const STEMS: &[&str] = &[
    "conftest",
    "rails_helper",
    "spec_helper",
    "test",
    "testharness",
    "tests",
    "testutil",
    "testutils",
];

/// Returns whether a file is a test, an example or a benchmark, by its path.
pub(super) fn is_supporting_file(path: &str, language: Option<Language>) -> bool {
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    // Below `src/main`, directories are packages, such as `org.example`.
    let directories = directories
        .split_once("src/main/")
        .map_or(directories, |(before, _)| before);
    let mut all = directories.split('/').enumerate();
    if all.any(|(at, directory)| is_supporting_directory(at, directory, language)) {
        return true;
    }
    language.is_some() && is_supporting_name(name, language)
}

fn is_supporting_directory(at: usize, directory: &str, language: Option<Language>) -> bool {
    match directory {
        // In Python, a package `test` inside of another one is often a part of the product, such as
        // `django.test`.
        "test" => language != Some(Language::Python) || at == 0,
        // Elsewhere it may as well be a specification.
        "spec" | "specs" => matches!(
            language,
            None | Some(
                Language::Ruby
                    | Language::JavaScript
                    | Language::TypeScript
                    | Language::Tsx
                    | Language::Php
            )
        ),
        _ => {
            DIRECTORIES.contains(&directory)
                || [
                    ".Tests",
                    ".Test",
                    ".UnitTests",
                    ".IntegrationTests",
                    ".Benchmarks",
                ]
                .iter()
                .any(|end| directory.ends_with(end))
        }
    }
}

fn is_supporting_name(name: &str, language: Option<Language>) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if STEMS.contains(&stem) {
        return true;
    }
    if stem.starts_with("test_") || (stem.starts_with("test-") && language != Some(Language::Go)) {
        return true;
    }
    // `queue_test`, `queue-test`, `queue.test`; a bare `spec` is a name like any other.
    let last = stem.rsplit_once(['_', '-', '.']).map(|(_, last)| last);
    if last.is_some_and(|last| LAST.contains(&last)) {
        return true;
    }
    // `QueueTest`, `QueueTests`; not `Latest`.
    let camel = ["Test", "Tests", "TestCase", "Spec", "Benchmark"];
    camel.iter().any(|end| {
        stem.strip_suffix(end)
            .is_some_and(|before| before.ends_with(|c: char| c.is_lowercase() || c.is_numeric()))
    })
}

/// Returns for each definition of a file whether it is a part of a test by marks inside of the
/// file: in Rust a module `tests`, in Python what is named `test_…`.
pub(super) fn supporting_definitions(tags: &Tags, language: Option<Language>) -> Vec<bool> {
    let mut out: Vec<bool> = Vec::with_capacity(tags.definitions.len());
    for definition in &tags.definitions {
        let inherited = definition
            .within
            .and_then(|at| out.get(at as usize).copied())
            .unwrap_or(false);
        let own = match language {
            Some(Language::Rust) => {
                definition.kind == Kind::Module
                    && matches!(definition.name.as_str(), "tests" | "test" | "benches")
            }
            Some(Language::Python) => {
                definition.kind.is_callable() && definition.name.starts_with("test_")
            }
            _ => false,
        };
        out.push(inherited || own);
    }
    out
}

/// Returns whether a definition is a namespace that only repeats where a file belongs. Such a line
/// would be in each file of a map, so none is shown.
pub(super) fn is_namespace(definition: &Definition, language: Option<Language>) -> bool {
    definition.kind == Kind::Module
        && matches!(
            language,
            Some(Language::Cpp | Language::CSharp | Language::Php)
        )
}

/// Returns whether a definition has nothing of its own to show: an import that is written as a
/// variable, another name for a member, or what C++ deletes or generates.
pub(super) fn is_trivial(definition: &Definition, language: Option<Language>) -> bool {
    let signature = definition.signature.as_str();
    match language {
        Some(Language::JavaScript | Language::TypeScript | Language::Tsx) => {
            let imports = ["= require(", "= await import(", "= import("];
            definition.kind.is_value()
                && (imports.iter().any(|import| signature.contains(import)) || is_alias(signature))
        }
        Some(Language::Cpp) => signature.ends_with("= delete") || signature.ends_with("= default"),
        _ => false,
    }
}

/// Returns whether a signature only names a member of something else: `var join = path.join`.
fn is_alias(signature: &str) -> bool {
    signature.split_once(" = ").is_some_and(|(_, value)| {
        value.contains('.')
            && value
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
            && value.starts_with(|c: char| !c.is_numeric())
    })
}

/// Returns the factor for the rank of a definition among the entries of a map. What JavaScript
/// calls a variable is seldom more than a step of a script.
pub(super) fn weight(definition: &Definition, language: Option<Language>) -> f64 {
    let is_script = matches!(
        language,
        Some(Language::JavaScript | Language::TypeScript | Language::Tsx)
    );
    if is_script && definition.kind == Kind::Variable {
        0.1
    } else {
        1.0
    }
}

/// Returns whether definitions of this kind say little when many files have one of the same name.
pub(super) const fn is_repeatable(kind: Kind) -> bool {
    matches!(kind, Kind::Variable | Kind::Constant | Kind::Module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conventions_of_ecosystems() {
        let cases = [
            ("tests/it/main.rs", Language::Rust, true),
            ("src/queue/tests.rs", Language::Rust, true),
            ("src/table/spec.rs", Language::Rust, false),
            ("benches/speed.rs", Language::Rust, true),
            ("src/attest.rs", Language::Rust, false),
            ("src/latest.rs", Language::Rust, false),
            ("pkg/queue_test.go", Language::Go, true),
            ("pkg/testing.go", Language::Go, false),
            ("django/test/testcases.py", Language::Python, false),
            ("test/support.py", Language::Python, true),
            ("tests/model_fields/models.py", Language::Python, true),
            ("app/tests.py", Language::Python, true),
            ("app/conftest.py", Language::Python, true),
            ("app/contest.py", Language::Python, false),
            ("test/app.router.js", Language::JavaScript, true),
            ("src/a.test.ts", Language::TypeScript, true),
            ("src/__tests__/a.tsx", Language::Tsx, true),
            ("packages/x/test/a.js", Language::JavaScript, true),
            ("src/main/java/org/example/App.java", Language::Java, false),
            (
                "src/test/java/org/example/AppTest.java",
                Language::Java,
                true,
            ),
            ("src/main/java/org/x/QueueTest.java", Language::Java, true),
            ("src/main/java/org/x/Contest.java", Language::Java, false),
            ("Shop.Tests/Cart.cs", Language::CSharp, true),
            ("src/QueueTests.cs", Language::CSharp, true),
            ("db/skiplist_test.cc", Language::Cpp, true),
            ("benchmarks/db_bench.cc", Language::Cpp, true),
            ("util/testutil.cc", Language::Cpp, true),
            ("tests/unit/UserTest.php", Language::Php, true),
            ("spec/models/user_spec.rb", Language::Ruby, true),
            ("test/user_test.rb", Language::Ruby, true),
            ("lib/spec.rb", Language::Ruby, false),
            ("examples/run.sh", Language::Bash, true),
        ];
        for (path, language, expected) in cases {
            assert_eq!(is_supporting_file(path, Some(language)), expected, "{path}");
        }
        assert!(is_supporting_file("tests/data/a.txt", None));
        assert!(!is_supporting_file("test.txt", None));
    }

    #[test]
    fn marks_inside_of_a_file() {
        let text = "fn f() {}\nmod tests {\n    fn g() {}\n}\nmod other {}\n";
        let tags = crate::extract(Language::Rust, text).unwrap();
        let found = supporting_definitions(&tags, Some(Language::Rust));
        assert_eq!(found, [false, true, true, false]);
        let text = "class A:\n    def test_a(self): pass\n    def a(self): pass\n";
        let tags = crate::extract(Language::Python, text).unwrap();
        let found = supporting_definitions(&tags, Some(Language::Python));
        assert_eq!(found, [false, true, false]);
    }
}
