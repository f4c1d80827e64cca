//! Patterns of paths as the lists in `policies/` write them, and an index of them by last name.
//!
//! `.env` matches that name in any directory, `.ssh/` a directory with everything below it, and
//! `gh/hosts.yml` counts from any directory. `*` stays within a name.

use super::name_globs::{glob, globbed_extension, is_specific, may_overlap};
use crate::chars::{has_glob, is_placeholder, source};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use text_safety::path_names::{self, fold};

/// Directories in which most files are neither private nor protected: `etc/*` matches too many of
/// them to be about those.
const GENERAL: [&str; 6] = ["etc", "lib", "proc", "run", "var", ".config"];

/// A name of a pattern.
#[derive(Debug)]
enum Name {
    Plain(String),
    /// With wildcards.
    Glob(String),
}

impl Name {
    fn new(name: &str) -> Self {
        if name.contains('*') {
            Self::Glob(name.to_owned())
        } else {
            Self::Plain(name.to_owned())
        }
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Plain(plain) => plain == name,
            Self::Glob(pattern) => glob(pattern, name),
        }
    }

    /// Returns whether this and a name with globs can match the same name.
    fn overlaps(&self, name: &str) -> bool {
        match self {
            Self::Plain(own) | Self::Glob(own) => ends_alike(name, own) && may_overlap(name, own),
        }
    }

    /// Returns whether a name with globs may be meant for this name. `sure` means that the
    /// directories above it are specific enough.
    fn may_match(&self, name: &str, sure: bool) -> bool {
        match self {
            // All files with an extension: the glob has to contain the extension.
            Self::Glob(pattern) if pattern.starts_with('*') && !sure => {
                let own = pattern.rsplit_once('.').map_or("", |(_, own)| own);
                globbed_extension(name).is_some_and(|extension| may_overlap(extension, own))
            }
            // Both can be continued by anything, so `*readme*` would match `krb5cc_*`.
            Self::Glob(_) if name.starts_with(is_placeholder) && !sure => false,
            _ => (sure || is_specific(name)) && self.overlaps(name),
        }
    }
}

/// Returns whether a name with globs and a pattern have the same first and last characters, as far
/// as these are fixed. Most differ here.
fn ends_alike(name: &str, own: &str) -> bool {
    let same = |one: Option<u8>, other: Option<u8>| match (one, other) {
        (Some(one), Some(other)) => {
            is_placeholder(char::from(one)) || other == b'*' || one == other
        }
        _ => true,
    };
    same(name.bytes().next(), own.bytes().next())
        && same(name.bytes().next_back(), own.bytes().next_back())
}

/// A pattern, split into names.
#[derive(Debug)]
pub(super) struct Pattern<T> {
    /// Names of the directories before the last name.
    above: Vec<Name>,
    last: Name,
    folder: bool,
    /// What the list says about the paths that match.
    pub(super) value: T,
}

impl<T> Pattern<T> {
    /// Returns whether the pattern matches the name and the last ones above it, as far as they
    /// contain no globs.
    fn matches(&self, above: &[&str], name: &str) -> bool {
        let Some(above) = self.nearest(above) else {
            return false;
        };
        self.last.matches(name)
            && above
                .iter()
                .zip(&self.above)
                .all(|(name, own)| own.matches(name))
    }

    /// Returns whether the pattern may match `name` below `above`, if at least one of these names
    /// has globs.
    fn may_match(&self, above: &[&str], name: &str) -> bool {
        let Some(above) = self.nearest(above) else {
            return false;
        };
        let pairs = || above.iter().zip(&self.above);
        // Most patterns differ here.
        if !pairs().all(|(name, own)| own.matches(name) || has_glob(name) && own.overlaps(name)) {
            return false;
        }
        let sure = pairs().any(|(name, own)| {
            if has_glob(name) {
                is_specific(name)
            } else {
                !GENERAL.contains(name) && own.matches(name)
            }
        });
        if has_glob(name) {
            self.last.may_match(name, sure)
        } else {
            sure && self.last.matches(name)
        }
    }

    fn nearest<'n, 'p>(&self, above: &'n [&'p str]) -> Option<&'n [&'p str]> {
        above.get(above.len().checked_sub(self.above.len())?..)
    }

    /// Returns whether the last of these names is a directory above what the pattern matches:
    /// `names` ends with the first of the pattern's directories. `is_enough` gets the last of them.
    pub(super) fn is_below(&self, names: &[&str], is_enough: impl Fn(&str) -> bool) -> bool {
        (1..=self.above.len()).any(|count| {
            let own = self.above.get(..count).unwrap_or_default();
            let tail = names.len().checked_sub(count);
            let tail = tail.and_then(|from| names.get(from..)).unwrap_or_default();
            let enough = match own.last() {
                Some(Name::Plain(own)) => is_enough(own),
                _ => false,
            };
            enough
                && tail.len() == count
                && tail
                    .iter()
                    .zip(own)
                    .all(|(name, own)| own.matches(name) || has_glob(name) && own.overlaps(name))
        })
    }

    /// Returns whether the pattern's first names are these, below `root` if it begins with that.
    /// A pattern of anything but a hidden directory has to begin with a name that is found in home
    /// directories only.
    pub(super) fn begins_with(&self, root: &str, names: &[&str]) -> bool {
        let own = match self.above.split_first() {
            Some((Name::Plain(first), rest)) if first == root => rest,
            Some((Name::Plain(first), _))
                if first.starts_with('.') || matches!(first.as_str(), "library" | "appdata") =>
            {
                &self.above
            }
            _ => return false,
        };
        names.len() <= own.len() && names.iter().zip(own).all(|(name, own)| own.matches(name))
    }

    /// Returns whether the pattern may match a path that ends with this name, which may have globs.
    pub(super) fn may_end_with(&self, name: &str) -> bool {
        match &self.last {
            _ if !has_glob(name) => self.last.matches(name),
            Name::Plain(_) => self.last.overlaps(name),
            // Whatever a name matches that the pattern matches as text, the pattern matches too.
            Name::Glob(pattern) => glob(pattern, &source(name)) || self.last.may_match(name, false),
        }
    }

    /// Returns whether the pattern is of a directory with everything below it.
    pub(super) const fn is_folder(&self) -> bool {
        self.folder
    }

    /// Returns whether the pattern's last name has a wildcard.
    pub(super) const fn is_glob(&self) -> bool {
        matches!(self.last, Name::Glob(_))
    }
}

/// Patterns, to be found by their last names.
#[derive(Debug)]
pub(super) struct Patterns<T> {
    all: Vec<Pattern<T>>,
    /// Indices of patterns by their last name, for names without wildcard.
    plain: FxHashMap<String, Vec<usize>>,
    /// Indices of patterns whose last name has a wildcard, with the last byte of matching names if
    /// it is fixed.
    globs: Vec<(Option<u8>, usize)>,
    /// Those of them that match directories.
    folder_globs: Vec<(Option<u8>, usize)>,
    /// Lengths of the names in `plain` by their first byte, one bit each.
    lengths: Vec<u64>,
}

/// Returns the bit of a name's length. The last bit is of all greater lengths.
fn length_bit(name: &str) -> u64 {
    1 << name.len().min(63)
}

impl<T> Default for Patterns<T> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            plain: FxHashMap::default(),
            globs: Vec::new(),
            folder_globs: Vec::new(),
            lengths: vec![0; 256],
        }
    }
}

impl<T> Patterns<T> {
    pub(super) fn push(&mut self, pattern: &str, value: T) {
        let folded = fold(pattern);
        let mut names: Vec<&str> = folded.trim_end_matches('/').split('/').collect();
        let Some(last) = names.pop() else { return };
        let index = self.all.len();
        if last.contains('*') {
            let end = last.bytes().next_back().filter(|byte| *byte != b'*');
            self.globs.push((end, index));
            if folded.ends_with('/') {
                self.folder_globs.push((end, index));
            }
        } else {
            self.plain.entry(last.to_owned()).or_default().push(index);
            let first = last.bytes().next().unwrap_or_default();
            if let Some(lengths) = self.lengths.get_mut(usize::from(first)) {
                *lengths |= length_bit(last);
            }
        }
        self.all.push(Pattern {
            above: names.into_iter().map(Name::new).collect(),
            last: Name::new(last),
            folder: folded.ends_with('/'),
            value,
        });
    }

    /// Returns the names without wildcard that patterns match in every directory.
    pub(super) fn names_everywhere(&self) -> impl Iterator<Item = &str> {
        self.all.iter().filter_map(|pattern| match &pattern.last {
            Name::Plain(name) if pattern.above.is_empty() => Some(name.as_str()),
            _ => None,
        })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Pattern<T>> {
        self.all.iter()
    }

    /// Returns whether a look at all names of a path can find something.
    fn may_find(&self, path: &str) -> bool {
        let mut names = names(path).peekable();
        while let Some(name) = names.next() {
            let is_last = names.peek().is_none();
            let mut globs = self.with_globs(name, is_last);
            if self.has_plain(name) || globs.any(|one| one.last.matches(name)) {
                return true;
            }
        }
        has_glob(path)
    }

    fn has_plain(&self, name: &str) -> bool {
        // Fast path: no last name of a pattern begins like most names and is as long.
        let first = name
            .bytes()
            .next()
            .and_then(|b| self.lengths.get(usize::from(b)));
        first.is_some_and(|lengths| lengths & length_bit(name) != 0)
            && self.plain.contains_key(name)
    }

    /// Returns the patterns with a wildcard that can match a name which ends like this one.
    fn with_globs(&self, name: &str, is_last: bool) -> impl Iterator<Item = &Pattern<T>> {
        let last = name.bytes().next_back();
        let globs = if is_last {
            &self.globs
        } else {
            &self.folder_globs
        };
        globs
            .iter()
            .filter(move |(end, _)| end.is_none() || *end == last)
            .filter_map(|(_, index)| self.all.get(*index))
    }

    /// Calls `found` with each pattern that matches or, if there are globs in the path, may match;
    /// with the name that it matches and the names below that. `prepare` may change the names
    /// before.
    pub(super) fn find(
        &self,
        path: &str,
        prepare: impl FnOnce(&mut Vec<&str>),
        mut found: impl FnMut(&Pattern<T>, &str, &[&str]),
    ) {
        let seen = folded(path);
        if !self.may_find(&seen) {
            return;
        }
        let mut names: Vec<&str> = names(&seen).collect();
        prepare(&mut names);
        let mut globs_above = false;
        for (at, name) in names.iter().enumerate() {
            let is_last = at + 1 == names.len();
            let above = names.get(..at).unwrap_or_default();
            let below = names.get(at + 1..).unwrap_or_default();
            let plain = self.plain.get(*name).into_iter().flatten();
            let plain = plain.filter_map(|index| self.all.get(*index));
            for one in plain.chain(self.with_globs(name, is_last)) {
                if (is_last || one.folder) && one.matches(above, name) {
                    found(one, name, below);
                }
            }
            globs_above |= has_glob(name);
            if globs_above {
                for one in &self.all {
                    if (is_last || one.folder) && one.may_match(above, name) {
                        found(one, name, below);
                    }
                }
            }
        }
    }
}

/// Folds a path as file systems do that ignore case.
pub(super) fn folded(path: &str) -> Cow<'_, str> {
    if path.bytes().any(|b| b.is_ascii_uppercase()) || !path.is_ascii() {
        Cow::Owned(fold(path))
    } else {
        Cow::Borrowed(path)
    }
}

/// Returns the names of a folded path, normalised, without `.` and `..`.
pub(super) fn names(path: &str) -> impl Iterator<Item = &str> {
    path_names::names(path, b"/\\")
        .filter(|name| !matches!(*name, "" | "." | ".."))
        .map(plain)
}

/// Normalises a name: removes endings and stream names that Windows ignores, and surrounding white
/// space and control characters, which programs may trim. Also resolves the short name of git's
/// directory.
fn plain(name: &str) -> &str {
    // Fast path: most names begin and end with a letter, a digit or the dot of a hidden file.
    let bytes = name.as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric();
    if bytes.last().is_some_and(is_plain)
        && bytes
            .first()
            .is_some_and(|byte| is_plain(byte) || *byte == b'.')
        && !bytes.iter().any(|byte| matches!(byte, b':' | b'~'))
    {
        return name;
    }
    let ignored = |c: char| c.is_whitespace() || c.is_control() && !is_placeholder(c);
    let name = path_names::names(name, b":")
        .next()
        .unwrap_or_default()
        .trim_matches(ignored)
        .trim_end_matches(|c| c == '.' || ignored(c));
    if name == "git~1" { ".git" } else { name }
}
