//! Classifies the location of a path, from its text alone.

use super::aliases::{below_home_of, follows_process};
use super::name_globs::may_match_file;
use super::private::is_private;
use crate::chars::{SAFE_UNKNOWN, STAR, UNKNOWN, any_byte, any_byte_pair, has_unknown};
use std::borrow::Cow;

/// The class of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathClass {
    /// `/dev/null`, `/dev/stdout`, a terminal: nothing is stored.
    Sink,
    /// Inside the work tree.
    Inside,
    /// `/tmp`, `/var/tmp`, `$TMPDIR`.
    Temporary,
    /// The work tree itself.
    Root,
    /// In git's own directory.
    GitInternal,
    /// In the home directory, outside the work tree.
    Home,
    /// Anywhere else outside.
    Outside,
    /// System directories, devices, `/proc`, `/sys`.
    System,
    Unknown,
}

/// The classification of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathInfo {
    pub class: PathClass,
    /// Whether it holds keys, tokens, histories or stored credentials.
    pub secret: bool,
    /// The absolute, normalised path, with unknown parts kept. Empty if it can't be determined.
    pub absolute: String,
}

/// Makes a path absolute and removes `.`, `..` and `//`, by text alone. Returns `None` for a
/// relative path without `cwd`, or when the path can't be normalised.
#[must_use]
pub fn normalise(path: &str, cwd: Option<&str>) -> Option<String> {
    let base = if path.starts_with('/') { "" } else { cwd? };
    let mut out = String::with_capacity(base.len() + path.len() + 2);
    for path in [base, path] {
        if is_clean(path) {
            if !path.starts_with('/') {
                out.push('/');
            }
            out.push_str(path);
        } else {
            append_normalised(&mut out, path);
        }
    }
    if out.is_empty() {
        out.push('/');
    }
    Some(out)
}

/// Returns whether a path is already normalised, as nearly all are. Conservative: names that begin
/// with a dot count as not normalised.
fn is_clean(path: &str) -> bool {
    let ends = !path.is_empty() && !path.starts_with('.') && !path.ends_with('/');
    ends && !any_byte_pair(path, |one| one == b'/', |next| matches!(next, b'/' | b'.'))
}

/// Appends a path name by name, resolving `.` and `..`.
fn append_normalised(out: &mut String, path: &str) {
    for part in parts(path) {
        match part {
            "" | "." => {}
            ".." => out.truncate(memchr::memrchr(b'/', out.as_bytes()).unwrap_or_default()),
            part => {
                out.push('/');
                out.push_str(part);
            }
        }
    }
}

/// Splits a path at slashes. Names are short, so a search byte by byte is faster than `memchr`.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let here = rest?;
        let end = here.bytes().position(|byte| byte == b'/');
        rest = end.and_then(|end| here.get(end + 1..));
        end.map_or(Some(here), |end| here.get(..end))
    })
}

fn under(path: &str, dir: &str) -> bool {
    dir == "/"
        || path
            .strip_prefix(dir)
            .is_some_and(|r| r.is_empty() || r.starts_with('/'))
}

/// A leading variable that no shell has expanded: `$HOME/x`, `${HOME}/x`, `%USERPROFILE%\\x`,
/// `$env:APPDATA\\x`. The program that uses the path may expand it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable<'p> {
    name: String,
    /// The path after the variable.
    rest: &'p str,
}

/// Variables that name the work tree.
const TREE_VARIABLES: [&str; 14] = [
    "PWD",
    "CD",
    "INIT_CWD",
    "WORKSPACEFOLDER",
    "WORKSPACEROOT",
    "WORKSPACE",
    "WORKDIR",
    "CLAUDE_PROJECT_DIR",
    "GITHUB_WORKSPACE",
    "CI_PROJECT_DIR",
    "PROJECT_ROOT",
    "PROJECT_DIR",
    "REPO_ROOT",
    "CARGO_MANIFEST_DIR",
];

/// Variables that name the home directory, or a directory in it.
const HOME_VARIABLES: [&str; 15] = [
    "HOME",
    "USERHOME",
    "USERPROFILE",
    "HOMEPATH",
    "HOMEDRIVE",
    "APPDATA",
    "LOCALAPPDATA",
    "ONEDRIVE",
    "PUBLIC",
    "ZDOTDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "XDG_BIN_HOME",
];

impl<'p> Variable<'p> {
    pub(super) fn at_start_of(path: &'p str) -> Option<Self> {
        let (name, rest, shell) = if let Some(after) = path.strip_prefix('%') {
            let (name, rest) = after.split_once('%')?;
            (name, rest, false)
        } else if let Some(after) = path.strip_prefix('!') {
            let (name, rest) = after.split_once('!')?;
            (name, rest, true)
        } else {
            let after = path.strip_prefix('$')?;
            let (braced, after) = after
                .strip_prefix('{')
                .map_or((false, after), |after| (true, after));
            let windows = after
                .get(..4)
                .is_some_and(|word| word.eq_ignore_ascii_case("env:") || braced && word == "env.");
            let after = after.get(if windows { 4 } else { 0 }..)?;
            let end = after
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .unwrap_or(after.len());
            let (name, rest) = after.split_at_checked(end)?;
            (
                name,
                if braced {
                    rest.strip_prefix('}')?
                } else {
                    rest
                },
                !windows,
            )
        };
        let upper = name.to_ascii_uppercase();
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '(' | ')' | '-');
        let known =
            TREE_VARIABLES.contains(&upper.as_str()) || HOME_VARIABLES.contains(&upper.as_str());
        // `$lib/x` is a tool's alias, and `50%/x%` is a file name.
        let is_one =
            !name.is_empty() && name.chars().all(word) && (known || !shell || name == upper);
        let ends = rest.is_empty() || rest.starts_with(['/', '\\', '%']);
        (is_one && ends).then_some(Self { name: upper, rest })
    }

    /// Returns the path after the variable.
    pub(super) const fn rest(&self) -> &'p str {
        self.rest
    }

    fn classify(&self, cwd: Option<&str>, workdir: &str, home: &str, secret: bool) -> PathInfo {
        let at = match self.name.as_str() {
            name if TREE_VARIABLES.contains(&name) => workdir,
            name if HOME_VARIABLES.contains(&name) => home,
            "TMPDIR" | "TEMP" | "TMP" | "RUNNER_TEMP" => "/tmp",
            name if name.starts_with("PROGRAM")
                || matches!(
                    name,
                    "SYSTEMROOT" | "WINDIR" | "SYSTEMDRIVE" | "ALLUSERSPROFILE"
                ) =>
            {
                "/System"
            }
            _ => {
                return PathInfo {
                    class: PathClass::Unknown,
                    secret,
                    absolute: String::new(),
                };
            }
        };
        // `%HOMEDRIVE%%HOMEPATH%` is one directory.
        let rest = self.rest.strip_prefix('%').map_or(self.rest, |more| {
            more.split_once('%').map_or(more, |(_, rest)| rest)
        });
        let rest = if rest.contains('\\') {
            Cow::Owned(rest.replace('\\', "/"))
        } else {
            Cow::Borrowed(rest)
        };
        let mut info = classify(
            &format!("{at}/{}", rest.trim_start_matches('/')),
            cwd,
            workdir,
            home,
        );
        info.secret |= secret;
        info
    }
}

/// Returns the path without a leading variable that names the work tree.
#[must_use]
pub fn strip_tree_variable(path: &str) -> &str {
    match Variable::at_start_of(path) {
        Some(variable) if TREE_VARIABLES.contains(&variable.name.as_str()) => {
            variable.rest.trim_start_matches(['/', '\\'])
        }
        _ => path,
    }
}

/// Returns whether a path names its user's home directory or another's, by a tilde or a variable.
#[must_use]
pub fn names_home(path: &str) -> bool {
    if let Some(after) = path.strip_prefix('~') {
        let (user, rest) = after.split_at(after.find(['/', '\\']).unwrap_or(after.len()));
        let letter =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
        // `~backup.txt` is a file.
        return user.chars().all(letter)
            && (!rest.is_empty() || !user.starts_with(|c: char| c.is_ascii_digit()));
    }
    Variable::at_start_of(path).is_some_and(|v| HOME_VARIABLES.contains(&v.name.as_str()))
}

/// Classifies a path in an expanded word. Other programs may expand it further.
#[must_use]
pub fn classify(path: &str, cwd: Option<&str>, workdir: &str, home: &str) -> PathInfo {
    super::unexpanded::classify(path, cwd, (workdir, home))
        .unwrap_or_else(|| classify_as_written(path, cwd, workdir, home))
}

/// Classifies a path to which no expansion applies except a leading tilde or variable: a name in a
/// diff, a word that a shell has expanded.
#[must_use]
pub fn classify_as_written(path: &str, cwd: Option<&str>, workdir: &str, home: &str) -> PathInfo {
    let unknown = |secret| PathInfo {
        class: PathClass::Unknown,
        secret,
        absolute: String::new(),
    };
    // A path that begins with an unknown part can be any path, but its tail may still name a
    // secret. For a plain path, checking its absolute form suffices.
    let plain = cwd.is_some()
        && !path.starts_with(['~', UNKNOWN])
        && !any_byte_pair(path, |one| one == b'.', |next| next == b'.');
    let tail_secret = !plain && is_private(path, home);
    if path.starts_with(UNKNOWN) {
        return unknown(tail_secret);
    }
    if let Some(there) = Variable::at_start_of(path) {
        return there.classify(cwd, workdir, home, tail_secret);
    }
    if path == "~" || path.starts_with("~/") {
        // The shell doesn't expand every program's tilde; assume the more restrictive case, that it
        // is expanded.
        let full = format!("{home}{}", path.get(1..).unwrap_or_default());
        let mut info = classify(&full, cwd, workdir, home);
        info.secret |= tail_secret;
        return info;
    }
    if let Some(named) = path.strip_prefix('~')
        && !named.starts_with(['/', '+', '-'])
    {
        let Some(full) = below_home_of(named, home) else {
            return unknown(tail_secret);
        };
        let mut info = classify(&full, cwd, workdir, home);
        if matches!(info.class, PathClass::Outside | PathClass::System) {
            info.class = PathClass::Home;
        }
        info.secret |= tail_secret;
        return info;
    }
    let Some(abs) = normalise(path, cwd) else {
        return unknown(tail_secret);
    };
    if follows_process(&abs) {
        return unknown(is_private(path, home));
    }
    // An unknown part may contain `..`, unless it can't contain a slash.
    let climbs = any_byte(&abs, |byte| byte == 0);
    let secret = tail_secret || is_private(&abs, home);
    let class = if climbs && !under(&abs, "/dev") && !under(&abs, "/tmp") {
        if is_system(&abs) {
            PathClass::System
        } else {
            PathClass::Unknown
        }
    } else {
        class_of(&abs, workdir, home)
    };
    PathInfo {
        class,
        secret,
        absolute: abs,
    }
}

fn class_of(abs: &str, workdir: &str, home: &str) -> PathClass {
    if matches!(
        abs,
        "/dev/null"
            | "/dev/stdout"
            | "/dev/stderr"
            | "/dev/stdin"
            | "/dev/tty"
            | "/dev/zero"
            | "/dev/full"
            | "/dev/random"
            | "/dev/urandom"
    ) || abs.starts_with("/dev/fd/")
        || abs.starts_with("/proc/self/fd/")
    {
        return PathClass::Sink;
    }
    if under(abs, workdir) {
        if abs.len() == workdir.len() {
            return PathClass::Root;
        }
        let inner = abs.get(workdir.len()..).unwrap_or_default();
        let dotted = any_byte_pair(inner, |one| one == b'/', |next| next == b'.');
        let internal = |part| {
            [".git", ".hg", ".svn"]
                .into_iter()
                .any(|name| part == name || may_match_file(part, name))
        };
        if dotted && parts(inner).any(internal) {
            return PathClass::GitInternal;
        }
        return PathClass::Inside;
    }
    if under(workdir, abs) {
        return PathClass::Outside;
    }
    for t in TEMPORARY {
        if under(abs, t) {
            return if abs.len() == t.len() {
                PathClass::Outside
            } else {
                PathClass::Temporary
            };
        }
    }
    if under(abs, home)
        || abs.starts_with("/root")
        || abs.starts_with("/home/")
        || abs.starts_with("/Users/")
    {
        return PathClass::Home;
    }
    if is_system(abs) {
        PathClass::System
    } else {
        PathClass::Outside
    }
}

/// Directories for temporary files.
const TEMPORARY: [&str; 5] = [
    "/tmp",
    "/var/tmp",
    "/private/tmp",
    "/dev/shm",
    "/var/folders",
];

/// Returns whether a path is a directory shared by all programs for temporary files.
pub(crate) fn is_temporary(abs: &str) -> bool {
    TEMPORARY.contains(&abs) && abs != "/var/folders"
}

fn is_system(abs: &str) -> bool {
    let top = abs
        .trim_start_matches('/')
        .split('/')
        .next()
        .unwrap_or_default();
    matches!(
        top,
        "bin"
            | "boot"
            | "dev"
            | "etc"
            | "lib"
            | "lib32"
            | "lib64"
            | "proc"
            | "run"
            | "sbin"
            | "sys"
            | "usr"
            | "var"
            | "opt"
            | "System"
            | "Library"
    )
}

/// Returns whether a deletion of this path removes more than one file: a lone `*`, the work tree
/// itself.
#[must_use]
pub fn is_sweeping(path: &str) -> bool {
    let name = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path);
    let only_globs = !name.is_empty() && name.chars().all(|c| matches!(c, STAR | '\u{3}' | '.'));
    only_globs
        || (has_unknown(name) && !name.contains(SAFE_UNKNOWN))
        || path.split('/').rev().skip(1).any(|p| p.contains(STAR))
}

#[cfg(test)]
mod tests;
