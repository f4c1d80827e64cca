//! Protected and start-up paths: `policies/protected.yaml`, embedded and compiled once.
//!
//! The risk of a change, rule YV705 and `path: { protected: … }` in policies share this list.

use super::name_globs::{globbed_extension, is_specific, may_overlap};
use crate::chars::{ANY, STAR, has_glob, is_placeholder};
use governance::RiskLevel;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::borrow::Cow;
use std::sync::LazyLock;
use text_safety::path_names::{fold, names};

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

/// An entry, split into names.
#[derive(Debug)]
struct Entry {
    /// Names of the directories before the last name.
    above: Vec<String>,
    last: Name,
    folder: bool,
    risk: RiskLevel,
}

#[derive(Debug)]
enum Name {
    Plain(String),
    /// The texts before and after its only wildcard.
    Glob(String, String),
}

impl Name {
    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Plain(plain) => plain == name,
            Self::Glob(start, end) => name
                .strip_prefix(start.as_str())
                .is_some_and(|rest| rest.ends_with(end.as_str())),
        }
    }

    /// Returns whether a name with globs may match. `sure` means that the directories above it are
    /// specific enough.
    fn may_match(&self, name: &str, sure: bool) -> bool {
        let is_specific = sure || is_specific(name);
        match self {
            Self::Plain(plain) => is_specific && may_overlap(name, plain),
            // All files with an extension: the glob has to contain the extension.
            Self::Glob(start, end) if start.is_empty() && !sure => globbed_extension(name)
                .is_some_and(|extension| may_overlap(extension, end.trim_start_matches('.'))),
            Self::Glob(start, end) => is_specific && may_overlap(name, &format!("{start}*{end}")),
        }
    }
}

impl Entry {
    /// Returns whether the entry may protect `name` below `above`, if at least one of these names
    /// has globs.
    fn may_protect(&self, above: &[&str], name: &str) -> bool {
        let Some(above) = above
            .len()
            .checked_sub(self.above.len())
            .and_then(|from| above.get(from..))
        else {
            return false;
        };
        let pairs = || above.iter().zip(&self.above);
        let sure = pairs().any(|(name, own)| name == own || is_specific(name));
        let last = if has_glob(name) {
            self.last.may_match(name, sure)
        } else {
            sure && self.last.matches(name)
        };
        last && pairs().all(|(name, own)| name == own || has_glob(name) && may_overlap(name, own))
    }

    /// Returns whether a directory of this name alone indicates protected files: it is hidden, or
    /// all files of one extension in it are protected. `hooks` and `fish` contain other files too.
    fn fills(&self, directory: &str) -> bool {
        directory.starts_with('.') || matches!(self.last, Name::Glob(..))
    }
}

#[derive(Debug, Default)]
struct Table {
    entries: Vec<Entry>,
    /// Indices of entries by their last name, for names without wildcard.
    plain: FxHashMap<String, Vec<usize>>,
    /// Indices of entries whose last name has a wildcard, with the last byte of matching names if
    /// it is fixed.
    globs: Vec<(Option<u8>, usize)>,
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
            let folded = fold(path);
            let folder = folded.ends_with('/');
            let mut names: Vec<String> = folded
                .trim_end_matches('/')
                .split('/')
                .map(str::to_owned)
                .collect();
            let Some(last) = names.pop() else { continue };
            let index = table.entries.len();
            let last = if let Some((start, end)) = last.split_once('*') {
                table.globs.push((end.bytes().next_back(), index));
                Name::Glob(start.to_owned(), end.to_owned())
            } else {
                table.plain.entry(last.clone()).or_default().push(index);
                Name::Plain(last)
            };
            table.entries.push(Entry {
                above: names,
                last,
                folder,
                risk: group.risk,
            });
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
    let table = &*TABLE;
    let seen = if path.bytes().any(|b| b.is_ascii_uppercase()) || !path.is_ascii() {
        Cow::Owned(fold(path))
    } else {
        Cow::Borrowed(path)
    };
    let names = || {
        names(&seen, b"/\\")
            .filter(|p| !matches!(*p, "" | "." | ".."))
            .map(plain)
    };
    let globs = |name: &str| {
        let last = name.bytes().next_back();
        table
            .globs
            .iter()
            .filter(move |(end, _)| end.is_none() || *end == last)
            .map(|(_, index)| *index)
    };
    let fits = |index: usize, name: &str| {
        table
            .entries
            .get(index)
            .is_some_and(|entry| entry.last.matches(name))
    };
    let mut depth = 0;
    let mut last = None;
    let mut known = has_glob(&seen);
    for name in names() {
        depth += 1;
        known = known || table.plain.contains_key(name);
        last = Some(name);
    }
    if depth > DEPTH {
        return Some(Protection {
            risk: RiskLevel::High,
        });
    }
    if !known && !last.is_some_and(|name| globs(name).any(|index| fits(index, name))) {
        return None;
    }
    let names: Vec<&str> = names().collect();
    let mut found: Option<RiskLevel> = None;
    for (at, name) in names.iter().enumerate() {
        let is_last = at + 1 == names.len();
        let named = table
            .plain
            .get(*name)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let globs = is_last.then(|| globs(name)).into_iter().flatten();
        for entry in named
            .iter()
            .copied()
            .chain(globs)
            .filter_map(|index| table.entries.get(index))
        {
            let above = at
                .checked_sub(entry.above.len())
                .and_then(|from| names.get(from..at));
            let fits = (is_last || entry.folder)
                && entry.last.matches(name)
                && above.is_some_and(|above| {
                    above
                        .iter()
                        .zip(&entry.above)
                        .all(|(one, other)| one == other)
                });
            if fits {
                found = found.max(Some(entry.risk));
            }
        }
        let above = names.get(..at).unwrap_or_default();
        if has_glob(name) || above.iter().any(|name| has_glob(name)) {
            let met = table
                .entries
                .iter()
                .filter(|entry| (is_last || entry.folder) && entry.may_protect(above, name));
            found = found.max(met.map(|entry| entry.risk).max());
        }
    }
    found.map(|risk| Protection { risk })
}

/// Returns whether a directory's name indicates protected files of high risk, so that replacing or
/// moving it changes them.
#[must_use]
pub fn is_protected_directory(path: &str) -> bool {
    let seen = fold(path);
    let names: Vec<&str> = names(&seen, b"/\\")
        .filter(|name| !matches!(*name, "" | "." | ".."))
        .map(plain)
        .collect();
    let Some(last) = names.last().filter(|_| names.len() <= DEPTH) else {
        return false;
    };
    let above = |entry: &&Entry| {
        (1..=entry.above.len()).any(|count| {
            let own = entry.above.get(..count).unwrap_or_default();
            let tail = names.len().checked_sub(count);
            let tail = tail.and_then(|from| names.get(from..)).unwrap_or_default();
            tail.len() == count
                && own.last().is_some_and(|own| entry.fills(own))
                && (!has_glob(last) || is_specific(last))
                && tail.iter().zip(own).all(|(name, own)| {
                    *name == own.as_str() || has_glob(name) && may_overlap(name, own)
                })
        })
    };
    TABLE
        .entries
        .iter()
        .filter(|entry| entry.risk == RiskLevel::High)
        .any(|entry| above(&entry))
}

/// Normalises a name: removes endings and stream names that Windows ignores, and surrounding white
/// space and control characters, which programs may trim. Also resolves the short name of git's
/// directory.
fn plain(name: &str) -> &str {
    let ignored = |c: char| c.is_whitespace() || c.is_control() && !is_placeholder(c);
    let name = names(name, b":")
        .next()
        .unwrap_or_default()
        .trim_matches(ignored)
        .trim_end_matches(|c| c == '.' || ignored(c));
    if name == "git~1" { ".git" } else { name }
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
