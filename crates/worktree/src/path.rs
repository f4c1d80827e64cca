//! Whether a path stays in the work tree, on every file system that may check it out: those that
//! fold letters' case, those that normalise Unicode, and Windows with its own ideas of names.
//!
//! The forms of `.git` are those that git itself refuses in an index (`verify_path`,
//! `core.protectHFS`, `core.protectNTFS`); the names of devices are those of Microsoft's "Naming
//! Files, Paths, and Namespaces".

pub use text_safety::path_names::fold;
use text_safety::path_names::{ignored_by_hfs, names};
use thiserror::Error;

/// Why a path isn't one inside the work tree.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathFault {
    /// It names nothing.
    #[error("it names no file")]
    Empty,
    /// It starts at the root.
    #[error("it is absolute")]
    Absolute,
    /// It starts at a Windows drive (`C:\x`, and `C:x`, which starts wherever that drive stands).
    #[error("it starts at the drive `{0}:`")]
    Drive(char),
    /// It starts at another host or in the namespace of devices (`\\host\share`, `\\?\`,
    /// `//host/share`).
    #[error("it starts at a network share or a device of Windows")]
    Share,
    /// It climbs out (`..`).
    #[error("`..` leads out of the work tree")]
    Climbs,
    /// It has a part that the name of a file in a tree can't have.
    #[error("`{0}` isn't the name of a file in a tree")]
    Part(String),
    /// It leads into git's own directory, whose hooks and configuration run programs.
    #[error("`{0}` is git's own directory, on one file system or another")]
    GitFolder(String),
    /// It is a device on Windows, in whatever folder it stands.
    #[error("`{0}` is a device on Windows")]
    Device(String),
    /// Windows drops what it ends in: it names another file.
    #[error("Windows drops the dots and spaces at the end of `{0}`: it names another file")]
    Trailing(String),
    /// It names a stream of a file on Windows, not a file.
    #[error("`{0}` names a stream of a file on Windows")]
    Stream(String),
    /// It holds a character that ends names or hides.
    #[error("it holds the character U+{:04X}", u32::from(*.0))]
    Character(char),
}

/// Checks a path of a tree or a diff: relative, with `/`, and no part of it `.` or `..`.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn entry(path: &str) -> Result<(), PathFault> {
    from_outside(path)?;
    for part in names(path, b"/") {
        if matches!(part, "" | "." | "..") {
            return Err(if part == ".." {
                PathFault::Climbs
            } else {
                PathFault::Part(part.to_owned())
            });
        }
        if names(part, b"\\").any(|p| p == "..") {
            return Err(PathFault::Climbs);
        }
    }
    parts(path)
}

/// Checks a path of a parameter or a command, seen from the top of the work tree: it may contain
/// `.` and `..` as long as it stays inside.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn relative(path: &str) -> Result<(), PathFault> {
    from_outside(path)?;
    let mut depth = 0usize;
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => depth = depth.checked_sub(1).ok_or(PathFault::Climbs)?,
            _ => depth += 1,
        }
    }
    parts(path)
}

/// Checks the parts of a path, wherever it starts: disguises of git's directory, and names that are
/// something else on Windows.
///
/// # Errors
/// The first part that isn't what it seems.
pub fn parts(path: &str) -> Result<(), PathFault> {
    for part in names(path, b"/\\").filter(|p| !matches!(*p, "" | "." | "..")) {
        if is_git_folder(part) {
            return Err(PathFault::GitFolder(part.to_owned()));
        }
        if let Some(device) = device(part) {
            return Err(PathFault::Device(device.to_owned()));
        }
        if part.contains(':')
            && part.rsplit_once(":$").is_some_and(|(_, kind)| {
                !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
            })
        {
            return Err(PathFault::Stream(part.to_owned()));
        }
        if part.ends_with(['.', ' ']) && !part.trim_end_matches(['.', ' ']).is_empty() {
            return Err(PathFault::Trailing(part.to_owned()));
        }
    }
    Ok(())
}

/// Checks that a path doesn't start outside by its own words.
fn from_outside(path: &str) -> Result<(), PathFault> {
    if path.is_empty() {
        return Err(PathFault::Empty);
    }
    if let Some(c) = path.chars().find(|c| c.is_control()) {
        return Err(PathFault::Character(c));
    }
    let mut start = path.chars();
    match (start.next(), start.next()) {
        (Some('/' | '\\'), Some('/' | '\\')) => return Err(PathFault::Share),
        (Some('/' | '\\'), _) => return Err(PathFault::Absolute),
        (Some(drive), Some(':')) if drive.is_ascii_alphabetic() => {
            return Err(PathFault::Drive(drive));
        }
        _ => {}
    }
    Ok(())
}

/// Whether a name is git's directory on some file system: `.git` whatever its case, with what
/// Windows drops at its end or behind a colon, with characters that HFS+ ignores, or by the short
/// name `git~1`.
#[must_use]
pub fn is_git_folder(name: &str) -> bool {
    if name.is_ascii() {
        let seen = names(name, b":")
            .next()
            .unwrap_or_default()
            .trim_end_matches(['.', ' ']);
        return seen.eq_ignore_ascii_case(".git") || seen.eq_ignore_ascii_case("git~1");
    }
    let seen: String = name
        .chars()
        .filter(|c| !ignored_by_hfs(*c))
        .flat_map(char::to_lowercase)
        .take(16)
        .collect();
    let seen = seen
        .split(':')
        .next()
        .unwrap_or_default()
        .trim_end_matches(['.', ' ']);
    seen == ".git" || seen == "git~1"
}

/// The device that a name is on Windows, whatever extension it has.
fn device(name: &str) -> Option<&'static str> {
    const PLAIN: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
    let base = names(name, b".:")
        .next()
        .unwrap_or_default()
        .trim_end_matches(' ');
    if let Some(device) = PLAIN.iter().find(|d| base.eq_ignore_ascii_case(d)) {
        return Some(device);
    }
    let mut chars = base.chars();
    let number = chars.next_back()?;
    let numbered = matches!(number, '1'..='9' | '¹' | '²' | '³');
    let port = chars.as_str();
    ["COM", "LPT"]
        .into_iter()
        .find(|d| numbered && port.eq_ignore_ascii_case(d))
}

/// The folders above a path, from the top.
pub fn above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(|(n, _)| path.get(..n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_stays_inside_is_left_alone() {
        for path in [
            "a",
            "src/main.rs",
            "a b/c",
            ".gitignore",
            ".github/workflows/ci.yml",
            "..a/b..c",
            "Foo::Bar.3pm",
            "x/콘.txt",
        ] {
            assert_eq!(entry(path), Ok(()), "{path}");
            assert_eq!(relative(path), Ok(()), "{path}");
        }
        assert_eq!(relative("a/../b"), Ok(()));
        assert_eq!(relative("./a//b/"), Ok(()));
        assert_eq!(relative("src\\add.ts"), Ok(()));
        assert_eq!(entry("digits~1.txt"), Ok(()));
        assert_eq!(entry("comma1/auxiliary.c"), Ok(()));
    }

    #[test]
    fn what_leaves_is_named() {
        use PathFault as F;
        assert_eq!(entry(""), Err(F::Empty));
        assert_eq!(entry("/etc/passwd"), Err(F::Absolute));
        assert_eq!(entry("\\x"), Err(F::Absolute));
        assert_eq!(entry("c:x"), Err(F::Drive('c')));
        assert_eq!(entry("C:\\x"), Err(F::Drive('C')));
        for share in ["\\\\host\\share", "//host/share", "\\\\?\\C:\\x", "\\/x"] {
            assert_eq!(entry(share), Err(F::Share), "{share}");
        }
        for climbing in ["../x", "a/../../b", "a\\..\\..\\b", "..", "a/..\\../b"] {
            assert_eq!(relative(climbing), Err(F::Climbs), "{climbing}");
            assert_eq!(entry(climbing), Err(F::Climbs), "{climbing}");
        }
        assert_eq!(entry("a/../b"), Err(F::Climbs));
        assert_eq!(entry("a/./b"), Err(F::Part(".".into())));
        assert_eq!(entry("a//b"), Err(F::Part(String::new())));
        assert_eq!(entry("a\0b"), Err(F::Character('\0')));
        assert_eq!(entry("docs/aux.c"), Err(F::Device("AUX".into())));
        assert_eq!(entry("com1"), Err(F::Device("COM".into())));
        assert_eq!(entry("LPT².log"), Err(F::Device("LPT".into())));
        assert_eq!(entry("a./b"), Err(F::Trailing("a.".into())));
        assert_eq!(entry("a "), Err(F::Trailing("a ".into())));
        assert_eq!(entry("a.txt::$DATA"), Err(F::Stream("a.txt::$DATA".into())));
    }

    #[test]
    fn git_is_known_in_every_disguise() {
        let forms = [
            ".git",
            ".GIT",
            ".Git",
            ".git ",
            ".git.",
            ".git . .",
            "git~1",
            "GIT~1",
            ".g\u{200c}it",
            ".git\u{feff}",
            ".git::$INDEX_ALLOCATION",
            ".git:x",
        ];
        for form in forms {
            assert_eq!(
                entry(&format!("a/{form}/hooks/x")),
                Err(PathFault::GitFolder(form.into())),
                "{form:?}"
            );
        }
        for other in [".gitignore", "git", "x.git", "git~2", ".gitx", ".g it"] {
            assert!(!is_git_folder(other), "{other}");
        }
    }

    #[test]
    fn twins_fold_to_the_same() {
        assert_eq!(fold("Src/Main.RS"), fold("src/main.rs"));
        assert_eq!(fold("caf\u{e9}"), fold("CAFE\u{301}"));
        assert_eq!(fold("\u{212a}elvin"), fold("kelvin"));
        assert_ne!(fold("a"), fold("b"));
    }

    proptest! {
        #[test]
        fn what_an_entry_may_be_stays_inside(path in "[a.:/\\\\ cC~]{0,12}") {
            if entry(&path).is_ok() {
                prop_assert_eq!(relative(&path), Ok(()));
                let mut depth = 0i32;
                for part in path.split(['/', '\\']) {
                    depth += match part { ".." => -1, "." | "" => 0, _ => 1 };
                    prop_assert!(depth >= 0);
                }
            }
        }

        #[test]
        fn folding_twice_changes_nothing(path in "\\PC{0,20}") {
            prop_assert_eq!(fold(&fold(&path)), fold(&path));
        }
    }
}
