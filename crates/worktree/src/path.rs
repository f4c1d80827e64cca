//! Checks that a path stays in the work tree on every file system: those that fold case, those that
//! normalise Unicode, and Windows with its special names.
//!
//! The forms of `.git` are those that git itself refuses in an index (`verify_path`,
//! `core.protectHFS`, `core.protectNTFS`). The device names are from Microsoft's "Naming Files,
//! Paths, and Namespaces".

pub use text_safety::path_names::fold;
use text_safety::path_names::{ignored_by_hfs, names};
use thiserror::Error;

/// Why a path isn't a safe path inside the work tree.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathFault {
    #[error("it names no file")]
    Empty,
    /// The path starts at the root.
    #[error("it is absolute")]
    Absolute,
    /// The path starts at a Windows drive: `C:\x`, or `C:x`, which starts at the current directory
    /// of that drive.
    #[error("it starts at the drive `{0}:`")]
    Drive(char),
    /// The path starts at another host or in the Windows device namespace (`\\host\share`, `\\?\`,
    /// `//host/share`).
    #[error("it starts at a network share or a device of Windows")]
    Share,
    /// The path leaves the work tree by `..`.
    #[error("`..` leads out of the work tree")]
    Climbs,
    /// A part of the path can't be the name of a file in a tree.
    #[error("`{0}` isn't the name of a file in a tree")]
    Part(String),
    /// The path leads into git's own directory, whose hooks and configuration run programs.
    #[error("`{0}` is git's own directory, on one file system or another")]
    GitFolder(String),
    /// The path is a device on Windows, whatever its directory.
    #[error("`{0}` is a device on Windows")]
    Device(String),
    /// The path ends in characters that Windows drops, so that it names another file.
    #[error("Windows drops the dots and spaces at the end of `{0}`: it names another file")]
    Trailing(String),
    /// The path names a stream of a file on Windows, not a file.
    #[error("`{0}` names a stream of a file on Windows")]
    Stream(String),
    /// The path contains a control character.
    #[error("it holds the character U+{:04X}", u32::from(*.0))]
    Character(char),
}

/// Checks a path of a tree or a diff: relative, with `/`, and without `.` or `..` as a part.
///
/// # Errors
/// Returns the first fault of the path.
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

/// Checks a path of a parameter or a command, relative to the root of the work tree. It may contain
/// `.` and `..` as long as it stays inside.
///
/// # Errors
/// Returns the first fault of the path.
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

/// Checks the parts of a path, wherever it starts, for disguises of git's directory and for names
/// with a special meaning on Windows.
///
/// # Errors
/// Returns the fault of the first unsafe part.
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

/// Checks that a path doesn't start outside of the work tree.
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

/// Returns whether some file system takes a name for git's directory. That is `.git` in any case,
/// followed by characters that Windows drops or by a colon, with characters that HFS+ ignores, or
/// as the short name `git~1`.
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

/// Returns the Windows device that a name refers to, whatever its extension.
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

/// Returns the directories above a path, from the top.
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
