//! Parses file names and modes in the headers of a diff.

use super::Mode;
use crate::name::to_text;
use std::borrow::Cow;

/// The prefixes that git writes before old and new names: the defaults, and those of
/// `diff.mnemonicPrefix`.
const PREFIXES: [(&str, &str); 8] = [
    ("a/", "b/"),
    ("i/", "w/"),
    ("c/", "i/"),
    ("c/", "w/"),
    ("o/", "w/"),
    ("w/", "i/"),
    ("w/", "c/"),
    ("i/", "c/"),
];

/// The name in a `---` or `+++` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Name {
    /// `/dev/null`: the file doesn't exist on this side.
    Null,
    /// A name, with its prefix.
    File(String),
}

/// Removes the line ending.
pub(super) fn bare(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Parses the name after `--- ` or `+++ `. It is quoted as in C, or ends at a tab, after which a
/// timestamp may follow.
pub(super) fn name(rest: &[u8]) -> Option<Name> {
    let rest = bare(rest);
    let name = if rest.first() == Some(&b'"') {
        let (name, behind) = unquote(rest)?;
        if !(behind.is_empty() || behind.first() == Some(&b'\t')) {
            return None;
        }
        name
    } else {
        Cow::Borrowed(rest.split(|b| *b == b'\t').next().unwrap_or_default())
    };
    if name.is_empty() || name.contains(&0) {
        return None;
    }
    Some(if *name == *b"/dev/null" {
        Name::Null
    } else {
        Name::File(to_text(&name))
    })
}

/// Parses a name that extends to the end of the line (`rename from`, `copy to`). It has no prefix.
pub(super) fn whole_name(rest: &[u8]) -> Option<String> {
    let rest = bare(rest);
    let name = if rest.first() == Some(&b'"') {
        let (name, behind) = unquote(rest)?;
        behind.is_empty().then_some(name)?
    } else {
        Cow::Borrowed(rest)
    };
    (!name.is_empty() && !name.contains(&0)).then(|| to_text(&name))
}

/// Parses a name quoted by git (`core.quotePath`), a C string in `"`. Returns it and the rest of
/// the line.
pub(super) fn unquote(quoted: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let mut rest = quoted.strip_prefix(b"\"")?;
    let mut out = Vec::new();
    loop {
        let (&byte, behind) = rest.split_first()?;
        rest = behind;
        match byte {
            b'"' => return Some((Cow::Owned(out), rest)),
            b'\\' => {
                let (&escaped, behind) = rest.split_first()?;
                rest = behind;
                out.push(match escaped {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'"' | b'\\' => escaped,
                    b'0'..=b'3' => {
                        let (&[high, low], behind) = rest.split_first_chunk::<2>()?;
                        rest = behind;
                        let digit = |b: u8| matches!(b, b'0'..=b'7').then(|| b - b'0');
                        (escaped - b'0') << 6 | digit(high)? << 3 | digit(low)?
                    }
                    _ => return None,
                });
            }
            byte => out.push(byte),
        }
    }
}

/// Parses the two names of a `diff --git` line, with their prefixes. Returns `None` if the line is
/// ambiguous; then other lines of the header must name them.
pub(super) fn git_names(rest: &[u8]) -> Option<(String, String)> {
    let rest = bare(rest);
    if rest.first() == Some(&b'"') {
        let (old, behind) = unquote(rest)?;
        let behind = behind.strip_prefix(b" ")?;
        return Some((to_text(&old), whole_name(behind)?));
    }
    if let Some(at) = memchr::memmem::find(rest, b" \"")
        && rest.last() == Some(&b'"')
    {
        let (old, new) = rest.split_at_checked(at)?;
        return Some((to_text(old), whole_name(new.get(1..)?)?));
    }
    // Unquoted names may contain spaces. The line is unambiguous if both names are the same except
    // for the prefix.
    let middle = (rest.len() - usize::from(!rest.is_empty())) / 2;
    let (old, new) = rest.split_at_checked(middle)?;
    let (old, new) = (to_text(old), to_text(new.strip_prefix(b" ")?));
    let (short_old, short_new) = strip(&old, &new);
    (short_old == short_new).then_some((old, new))
}

/// Removes git's prefixes from both names, if both have them.
pub(super) fn strip<'n>(old: &'n str, new: &'n str) -> (&'n str, &'n str) {
    let pair = |(a, b): &(&str, &str)| Some((old.strip_prefix(*a)?, new.strip_prefix(*b)?));
    PREFIXES.iter().find_map(pair).unwrap_or((old, new))
}

/// Removes the prefix from one name, if the other side is `/dev/null`.
pub(super) fn strip_one(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_owned()
}

/// Parses a mode. Git uses six, and records of files only whether they are executable. `100664` is
/// an old form.
pub(super) fn mode(rest: &[u8]) -> Option<Mode> {
    match bare(rest) {
        b"100644" | b"100664" => Some(Mode::File),
        b"100755" => Some(Mode::Executable),
        b"120000" => Some(Mode::Link),
        b"160000" => Some(Mode::Submodule),
        _ => None,
    }
}
