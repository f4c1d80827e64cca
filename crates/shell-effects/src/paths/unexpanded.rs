//! Paths that another program may expand or read differently: variables, substitutions, templates,
//! drives, look-alike dots and slashes.

use super::path::{self, PathClass, PathInfo, Variable};
use super::private;
use crate::chars::UNKNOWN;
use std::borrow::Cow;
use text_safety::invisible_chars::is_ignorable;

/// The interpretation of a path by other programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Interpretation<'p> {
    /// The path as written.
    Plain,
    /// This path instead.
    Path(Cow<'p, str>),
    /// A path on another drive or machine.
    Elsewhere,
    /// The unknown result of an expansion.
    Anything,
}

/// Returns whether a byte is special. Every path with another interpretation has such a byte.
const fn is_special(byte: u8) -> bool {
    matches!(
        byte,
        b'$' | b'%' | b'!' | b'`' | b'{' | b'#' | b':' | b'~' | b'\\' | b' '
    ) || !byte.is_ascii()
}

/// Returns the interpretation of a path. File names that merely contain a special character
/// (`a$b.ts`, `$lib/x.ts`, `100%.md`) are plain.
pub(super) fn interpret(path: &str) -> Interpretation<'_> {
    if !path.bytes().any(is_special) {
        return Interpretation::Plain;
    }
    if path.starts_with(UNKNOWN)
        || Variable::at_start_of(path)
            .is_some_and(|there| !there.rest().split(['/', '\\']).skip(1).any(expands))
    {
        return Interpretation::Plain;
    }
    if let Some(at) = working_directory(path) {
        return Interpretation::Path(at);
    }
    if let Some(there) = drive(path) {
        return there;
    }
    if path.split(['/', '\\']).any(expands) {
        return Interpretation::Anything;
    }
    match path.strip_prefix('~').map(|rest| rest.as_bytes()) {
        // `~-` and `~+2` are entries of a shell's directory stack.
        Some([b'+' | b'-' | b'0'..=b'9', rest @ ..])
            if rest
                .iter()
                .take_while(|b| **b != b'/')
                .all(u8::is_ascii_digit) =>
        {
            Interpretation::Anything
        }
        _ => interpret_lookalikes(path),
    }
}

/// Resolves a path that begins with an expansion to the current directory.
fn working_directory(path: &str) -> Option<Cow<'_, str>> {
    const HERE: [&str; 5] = [
        "~+",
        "$(pwd)",
        "`pwd`",
        "$(git rev-parse --show-toplevel)",
        "`git rev-parse --show-toplevel`",
    ];
    let rest = HERE
        .iter()
        .find_map(|here| path.strip_prefix(here))
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    Some(Cow::Owned(format!(".{rest}")))
}

/// Recognises a path on a Windows drive, or on another machine.
fn drive(path: &str) -> Option<Interpretation<'_>> {
    if path.starts_with("\\\\") {
        return Some(Interpretation::Elsewhere);
    }
    let rest = path
        .strip_prefix(|c: char| c.is_ascii_alphabetic())?
        .strip_prefix(':')?;
    // `C:secret` is relative to the current directory of that drive.
    Some(if rest.starts_with(['/', '\\']) {
        Interpretation::Path(Cow::Owned(rest.replace('\\', "/")))
    } else {
        Interpretation::Elsewhere
    })
}

/// Returns whether another program may expand a name in a path to anything.
fn expands(name: &str) -> bool {
    let between = |open: &str, close: &str| {
        name.split_once(open).is_some_and(|(_, rest)| {
            rest.split_once(close)
                .is_some_and(|(inner, _)| !inner.is_empty())
        })
    };
    // A slash may split the expression: `${HOME-/x}`, `$(cat a/b)`.
    let opened = name.contains("${") || name.contains("$(") || name.contains("#{");
    opened
        || between("`", "`")
        || name.starts_with("{{") && name.trim_end().ends_with("}}")
        || name.starts_with("{{") && !name.contains("}}")
        || is_parameter(name)
        || enclosed(name, '%', false)
        || enclosed(name, '!', true)
        || name.contains('%') && decodes_to_parent(name)
}

/// Returns whether a name begins with a shell parameter: `$X`, `$1`, `$@`, `$env:X`. Lower-case
/// names are aliases of tools' directories.
fn is_parameter(name: &str) -> bool {
    let Some(rest) = name.strip_prefix('$') else {
        return false;
    };
    if matches!(rest, "$" | "@" | "*" | "#" | "?" | "-" | "!") || rest.starts_with(['\'', '"']) {
        return true;
    }
    if rest
        .get(..4)
        .is_some_and(|word| word.eq_ignore_ascii_case("env:"))
    {
        return true;
    }
    let end = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(rest.len());
    let word = rest.get(..end).unwrap_or_default();
    !word.is_empty() && !word.bytes().any(|b| b.is_ascii_lowercase())
}

/// Returns whether a name contains a variable between two signs: `%X%`, `%X:~0,3%`. With `first`,
/// the name must begin with it.
fn enclosed(name: &str, sign: char, first: bool) -> bool {
    let is_variable = |part: &str, after: &str| {
        let word = part.split_once(':').map_or(part, |(word, _)| word);
        let starts = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let is_name = starts
            && word
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_()-.".contains(&b));
        let is_byte = word.len() == 2 && word.bytes().all(|b| b.is_ascii_hexdigit());
        let small = word.bytes().any(|b| b.is_ascii_lowercase());
        is_name
            && if first {
                after.is_empty() || !small
            } else {
                !is_byte
            }
    };
    let parts: Vec<&str> = name.split(sign).collect();
    let pairs = parts.windows(3).take(if first { 1 } else { parts.len() });
    pairs.into_iter().any(|around| match around {
        [before, part, after] => (!first || before.is_empty()) && is_variable(part, after),
        _ => false,
    })
}

/// Returns whether a name contains `..` after percent-decoding.
fn decodes_to_parent(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let decoded = lower
        .replace("%2e", ".")
        .replace("%2f", "/")
        .replace("%5c", "/");
    decoded != lower && decoded.split('/').any(|part| part == "..")
}

/// Interprets a path with look-alike dots and slashes, or with invisible characters, as a system
/// that normalises them would.
fn interpret_lookalikes(path: &str) -> Interpretation<'_> {
    let like = |c: char| match c {
        '\u{ff0e}' | '\u{2024}' | '\u{fe52}' | '\u{3002}' | '\u{ff61}' => Some("."),
        '\u{2025}' => Some(".."),
        '\u{ff0f}' | '\u{2215}' | '\u{2044}' | '\u{29f8}' | '\u{ff3c}' | '\u{fe68}'
        | '\u{2216}' | '\u{29f5}' => Some("/"),
        '\u{ff5e}' => Some("~"),
        '\u{ff04}' => Some("$"),
        '\u{ff05}' => Some("%"),
        '\u{ff1a}' => Some(":"),
        c if is_ignorable(c) => Some(""),
        _ => None,
    };
    let spaced = || {
        path.split(['/', '\\'])
            .any(|name| name.trim_end_matches(' ') == ".." && name != "..")
    };
    if path.is_ascii() || !path.chars().any(|c| like(c).is_some()) {
        return if spaced() {
            Interpretation::Anything
        } else {
            Interpretation::Plain
        };
    }
    let mut seen = String::with_capacity(path.len());
    for c in path.chars() {
        match like(c) {
            Some(text) => seen.push_str(text),
            None => seen.push(c),
        }
    }
    // Without climbing, the characters are part of a name: `Ａ社／x` stays where it is.
    let climbs = seen
        .split(['/', '\\'])
        .any(|name| name.trim_end_matches(' ') == "..");
    let expanded = || {
        Variable::at_start_of(&seen).is_some() || !matches!(interpret(&seen), Interpretation::Plain)
    };
    if climbs || seen.starts_with(['/', '~']) && !path.starts_with(['/', '~']) || expanded() {
        Interpretation::Anything
    } else {
        Interpretation::Plain
    }
}

/// Classifies a path with another interpretation than its text; `None` for a plain path.
pub(super) fn classify(
    path: &str,
    cwd: Option<&str>,
    (workdir, home): (&str, &str),
) -> Option<PathInfo> {
    let tail = |path: &str| private::is_private(&path.replace(['\\', ':'], "/"), home);
    match interpret(path) {
        Interpretation::Plain => None,
        Interpretation::Path(there) => {
            let info = path::classify(&there, cwd, workdir, home);
            Some(PathInfo {
                secret: info.secret || tail(path),
                ..info
            })
        }
        Interpretation::Elsewhere => Some(PathInfo {
            class: PathClass::Outside,
            secret: tail(path),
            absolute: path.to_owned(),
        }),
        Interpretation::Anything => {
            // If the path as written leaves the work tree, so do its interpretations.
            let info = path::classify_as_written(path, cwd, workdir, home);
            let secret = info.secret || tail(path);
            let stays = matches!(
                info.class,
                PathClass::Inside | PathClass::Root | PathClass::Temporary | PathClass::Sink
            );
            let (class, absolute) = if stays {
                (PathClass::Unknown, String::new())
            } else {
                (info.class, info.absolute)
            };
            Some(PathInfo {
                class,
                secret,
                absolute,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(path: &str) -> PathClass {
        path::classify(path, Some("/w"), "/w", "/h").class
    }

    #[test]
    fn expandable_paths_are_not_inside() {
        for path in [
            "${HOME-/x}/y",
            "${HOME%/}/y",
            "${X}/../y",
            "src/${X}/../y",
            "src/${X}.ts",
            "$(cat a)/y",
            "$(pwd",
            "`cat a`/y",
            "~-/x",
            "~+1/x",
            "$X/y",
            "src/$X/../y",
            "$PWD$X/../y",
            "$HOME.bak/x",
            "!HOME!x/y",
            "$1/x",
            "$@/x",
            "$$/x",
            "%X%/y",
            "src\\%X:~0,3%\\y",
            "a%TEMP%b/y",
            "!X!/y",
            "{{x}}/y",
            "{{env.HOME}}/y",
            "{{ env",
            "#{x}/y",
            "${env.X}/y",
            "${{ github.workspace }}/y",
            "$OLDPWD/x",
            "$env:X/y",
            "\u{ff0e}\u{ff0e}/x",
            "..\u{ff0f}etc",
            "\u{2025}/x",
            "\u{ff0f}etc/x",
            ".\u{200b}./x",
            "\u{ff04}X/y",
            "%2e%2e/x",
            "..%2fx",
            ".. /x",
        ] {
            assert_eq!(class(path), PathClass::Unknown, "{path:?}");
        }
        for path in [
            "C:secret",
            "C:",
            "z:a/b",
            "\\\\host\\share\\x",
            "C:/x",
            "C:\\x",
            "$PWD/../x",
            "~+/../x",
            "$(pwd)/../x",
            "src/$X/../../../y",
        ] {
            assert_eq!(class(path), PathClass::Outside, "{path:?}");
        }
        for path in [
            "!HOME!/x",
            "!USERPROFILE!\\x",
            "$HOME/x",
            "${env:HOME}/x",
            "${env.HOME}/x",
            "${userHome}/x",
        ] {
            assert_eq!(class(path), PathClass::Home, "{path:?}");
        }
        for path in [
            "a$b.ts",
            "$lib/x.ts",
            "routes/$.tsx",
            "routes/$userId.tsx",
            "[id].tsx",
            "100%.md",
            "50%/x%",
            "{{name}}.hbs",
            "{id}.ts",
            "a~b",
            "src/~tmp.txt",
            "Outer$Inner.class",
            "A$B.class",
            "@types%2fnode/x",
            "wow!.md",
            "a!b!c",
            "#x",
            "資料/Ａ社.xlsx",
            "資料／x",
            "foo…md",
            "über/naïve.txt",
            "src/a:b.ts",
            "~+/x",
            "$(pwd)/x",
            "`pwd`/x",
            "$PWD/x",
        ] {
            assert_eq!(class(path), PathClass::Inside, "{path:?}");
        }
    }
}
