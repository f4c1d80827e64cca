//! How well a source of a kind answers questions in general, whatever they are about.

use super::question::Question;
use crate::store::Texts;

/// The factor for the text of a definition, unless the question is one identifier. Code repeats the
/// words of what describes it, and answers a question less well.
const BODY: f64 = 0.8;
/// The factor for tests. They name what they test, and don't explain it.
const TEST: f64 = 0.8;
/// The factor for lists of changes. They name everything once.
const CHANGES: f64 = 0.9;

/// Words of a question that ask for tests and for lists of changes, as they are indexed.
const TEST_WORDS: [&str; 3] = ["test", "benchmark", "fixtur"];
const CHANGES_WORDS: [&str; 5] = ["chang", "changelog", "releas", "version", "new"];

/// Returns the factor for the score of an observation.
pub(super) fn factor(texts: &Texts, question: &Question) -> f64 {
    let asks_for = |words: &[&str]| {
        let mut terms = question.terms.iter();
        terms.any(|term| words.contains(&term.word.as_str()))
    };
    let mut factor = 1.0;
    if texts.is_body && !question.is_identifier {
        factor *= BODY;
    }
    // The text of a module of tests is named so in the references.
    let is_test_body = texts.is_body && texts.refs.lines().nth(1) == Some("tests");
    if (is_test_body || is_test(&texts.path)) && !asks_for(&TEST_WORDS) {
        factor *= TEST;
    }
    if is_changes(&texts.path) && !asks_for(&CHANGES_WORDS) {
        factor *= CHANGES;
    }
    factor
}

/// Whether a path is that of a test: by a directory, or by the name of the file.
fn is_test(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let is_named = |part: &str| matches!(part, "test" | "tests" | "testing" | "__tests__" | "spec");
    let is_suffixed = |suffix: &str| name.contains(suffix);
    parts.any(|part| is_named(part) || part == "benches")
        || is_named(stem)
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || is_suffixed(".test.")
        || is_suffixed(".spec.")
}

/// Whether a path is that of a list of changes.
fn is_changes(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let names = [
        "changelog",
        "changes",
        "history",
        "news",
        "release-notes",
        "releases",
    ];
    names.iter().any(|name| stem.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_changes_are_known_by_their_paths() {
        for path in [
            "tests/it/main.rs",
            "src/tests.rs",
            "pkg/a_test.go",
            "web/a.spec.ts",
            "test_a.py",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in ["src/attest.rs", "docs/testing-guide.md", "src/latest/a.rs"] {
            assert!(!is_test(path), "{path}");
        }
        assert!(is_changes("CHANGELOG.md") && is_changes("a/Releases.rst"));
        assert!(!is_changes("docs/changelog-format.md"));
    }
}
