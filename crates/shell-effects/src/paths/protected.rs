//! Protected and start-up paths: `policies/protected.yaml`, embedded and compiled once.
//!
//! The risk of a change, rule YV705 and `path: { protected: … }` in policies share this list.

use super::name_globs::is_specific;
use super::patterns::{Patterns, folded, names};
use crate::chars::{ANY, STAR, has_glob};
use governance::RiskLevel;
use serde::Deserialize;
use std::sync::LazyLock;

/// Maximum number of names in a path; a deeper path counts as protected.
const DEPTH: usize = 256;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[expect(dead_code, reason = "there is one so far")]
    version: u64,
    groups: Vec<RawGroup>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawGroup {
    name: String,
    #[expect(dead_code, reason = "for readers of the file")]
    about: String,
    policy: Policy,
    risk: RiskLevel,
    paths: Vec<String>,
    #[serde(default)]
    #[cfg_attr(not(test), expect(dead_code, reason = "tests"))]
    finds: Vec<String>,
    #[serde(default)]
    #[cfg_attr(not(test), expect(dead_code, reason = "tests"))]
    ignores: Vec<String>,
}

/// The recommended policy for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Policy {
    Ask,
    Deny,
}

/// The protection of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protection {
    /// Risk of a change inside the work tree.
    pub risk: RiskLevel,
}

#[derive(Debug, Default)]
struct Table {
    patterns: Patterns<RiskLevel>,
    ask: Vec<String>,
    deny: Vec<String>,
}

fn file() -> Option<File> {
    serde_saphyr::from_str(include_str!("../../../../policies/protected.yaml")).ok()
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    for group in file().into_iter().flat_map(|file| file.groups) {
        debug_assert!(!group.name.is_empty());
        for path in &group.paths {
            // In a policy, a glob with a slash is relative to the work tree. Here it matches in any
            // directory.
            let inner = path.trim_end_matches('/').contains('/');
            let list = if group.policy == Policy::Ask {
                &mut table.ask
            } else {
                &mut table.deny
            };
            list.push(if inner {
                format!("**/{path}")
            } else {
                path.clone()
            });
            table.patterns.push(path, group.risk);
        }
    }
    table
});

/// Returns the globs for which a policy should ask a user, in policy syntax.
#[must_use]
pub fn ask_globs() -> &'static [String] {
    &TABLE.ask
}

/// Returns the globs that no agent should change, in policy syntax.
#[must_use]
pub fn deny_globs() -> &'static [String] {
    &TABLE.deny
}

/// Returns the protection of a path, compared as on a file system that folds names. If several
/// entries match, the highest risk applies.
#[must_use]
pub fn find(path: &str) -> Option<Protection> {
    // Some programs end a path at a NUL, others drop the NUL.
    let cut = path.split_once('\0').and_then(|(path, _)| find_whole(path));
    cut.into_iter()
        .chain(find_whole(path))
        .max_by_key(|found| found.risk)
}

/// Like [`find`], for a path with shell globs as people write them.
#[must_use]
pub fn find_expanded(path: &str) -> Option<Protection> {
    let marked = |c| match c {
        '*' => STAR,
        '?' => ANY,
        c => c,
    };
    find(&path.chars().map(marked).collect::<String>())
}

fn find_whole(path: &str) -> Option<Protection> {
    // As many names need at least as many bytes.
    if path.len() > DEPTH && names(path).count() > DEPTH {
        return Some(Protection {
            risk: RiskLevel::High,
        });
    }
    let mut found: Option<RiskLevel> = None;
    TABLE.patterns.find(
        path,
        |_| (),
        |pattern, _, _| found = found.max(Some(pattern.value)),
    );
    found.map(|risk| Protection { risk })
}

/// Returns whether a directory's name indicates protected files of high risk, so that replacing or
/// moving it changes them.
///
/// Such a directory is hidden, or all files of one extension in it are protected. `hooks` and
/// `fish` contain other files too.
#[must_use]
pub fn is_protected_directory(path: &str) -> bool {
    let seen = folded(path);
    let names: Vec<&str> = names(&seen).collect();
    let Some(last) = names.last().filter(|_| names.len() <= DEPTH) else {
        return false;
    };
    if has_glob(last) && !is_specific(last) {
        return false;
    }
    TABLE
        .patterns
        .iter()
        .filter(|pattern| pattern.value == RiskLevel::High)
        .any(|pattern| {
            pattern.is_below(&names, |directory| {
                directory.starts_with('.') || pattern.is_glob()
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_matches_its_examples() {
        let file = file().expect("the list can be read");
        for group in file.groups {
            for path in &group.paths {
                assert!(!path.starts_with('/') && !path.contains("**"), "{path}");
                // The list's entries have at most one wildcard, in the last name.
                let (above, last) = path
                    .trim_end_matches('/')
                    .rsplit_once('/')
                    .unwrap_or(("", path));
                assert!(
                    last.matches('*').count() <= 1
                        && !above.contains('*')
                        && !path.contains(['?', '[', '{']),
                    "{path}"
                );
            }
            for path in &group.finds {
                let risk = find(path).map(|p| p.risk);
                assert!(risk >= Some(group.risk), "{}: {path}: {risk:?}", group.name);
            }
            for path in &group.ignores {
                assert_eq!(find(path), None, "{}: {path}", group.name);
            }
        }
        assert!(
            ask_globs()
                .iter()
                .any(|glob| glob == "**/.github/workflows/")
        );
        assert!(deny_globs().iter().any(|glob| glob == ".env"));
    }

    #[test]
    fn disguised_names_match() {
        for path in [
            ".ENVRC",
            ".envrc.",
            ".npmrc ",
            ".envrc::$DATA",
            "a\\.npmrc",
            ".\u{200c}envrc",
            " .github/workflows/ci.yml",
            "\t.npmrc\n",
            ".npmrc\0.txt",
            ".npmrc\0/x.txt",
            "a/ .vscode/tasks.json",
            "\u{a0}.envrc\u{2003}",
            "./.vscode/./tasks.json",
        ] {
            assert!(find(path).is_some(), "{path:?}");
        }
        for path in ["", "/", "src/a.rs", "workflows/ci.yml", ".github"] {
            assert_eq!(find(path), None, "{path:?}");
        }
        assert!(find(&"a/".repeat(1000)).is_some());
    }

    #[test]
    fn globs_that_may_match_protected_paths_are_protected() {
        let marked = |path: &str| path.replace('*', "\u{2}").replace('?', "\u{3}");
        for path in [
            ".g?thub/workflows/ci.yml",
            ".github/w*/a.yml",
            ".github/*",
            ".github/*/*.yml",
            ".G?thub/*/x",
            ".e?vrc",
            ".*",
            "a/.vs*/tasks.json",
            "J?nkinsfile",
            "k/x.trus?",
            "policies/*",
            ".gi?/hooks/x",
            ".circleci/*",
        ] {
            let risk = find(&marked(path)).map(|found| found.risk);
            assert_eq!(risk, Some(RiskLevel::High), "{path}");
        }
        for path in [
            "*",
            "src/*",
            "*.yml",
            "*.py",
            "docs/*",
            "*/*",
            "*/ci.yml",
            "test*",
            "c*",
            "?.json",
            "*/workflows/x.yml",
            "[a-z]*",
            "src/*.?s",
        ] {
            let risk = find(&marked(path)).map(|found| found.risk);
            assert!(risk < Some(RiskLevel::High), "{path}");
        }
    }

    #[test]
    fn directories_above_protected_files_are_known() {
        for path in [
            ".github",
            "x/.GitHub/",
            ".cargo",
            ".gitlab",
            "policies",
            ".g\u{3}thub",
        ] {
            assert!(is_protected_directory(path), "{path}");
        }
        for path in [
            "",
            ".",
            "src",
            "hooks",
            "fish",
            "github",
            "systemd",
            "\u{2}",
            ".github/x",
        ] {
            assert!(!is_protected_directory(path), "{path}");
        }
    }
}
