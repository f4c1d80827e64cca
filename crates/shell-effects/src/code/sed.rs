//! sed scripts: commands that run programs or write files.

use crate::chars::UNKNOWN;
use crate::code;
use crate::effect::Span;
use crate::interpreter::engine::Engine;
use crate::interpreter::expand::Arg;

pub(super) fn sed_code(cx: &mut Engine<'_>, arg: &Arg) {
    let c: Vec<char> = arg.text.chars().collect();
    let at = |i: usize| c.get(i).copied().unwrap_or('\0');
    let span = arg.span;
    let mut i = 0;
    while i < c.len() {
        let from = i;
        // Addresses.
        loop {
            match at(i) {
                x if i < c.len()
                    && (x.is_whitespace()
                        || x.is_ascii_digit()
                        || matches!(
                            x,
                            ';' | ',' | '$' | '!' | '~' | '+' | '{' | '}' | 'I' | 'M'
                        )) =>
                {
                    i += 1;
                }
                '/' => i = sed_part(cx, &c, i + 1, '/', true, span),
                '\\' => i = sed_part(cx, &c, i + 2, at(i + 1), true, span),
                _ => break,
            }
        }
        if i >= c.len() {
            break;
        }
        match at(i) {
            '#' => i = line_end(&c, i),
            's' => {
                let d = at(i + 1);
                let mid = sed_part(cx, &c, i + 2, d, true, span);
                i = sed_part(cx, &c, mid, d, false, span);
                let mut write = false;
                loop {
                    match at(i) {
                        'e' => {
                            cx.dynamic(span, "sed runs the text it has made");
                            i += 1;
                        }
                        'w' => {
                            write = true;
                            i += 1;
                            break;
                        }
                        UNKNOWN if i < c.len() => {
                            cx.dynamic(span, "a flag in the sed script isn't known");
                            i += 1;
                        }
                        x if x.is_ascii_alphanumeric() => i += 1,
                        _ => break,
                    }
                }
                if write {
                    i = sed_file(cx, &c, i, span, true);
                }
            }
            'y' => {
                let d = at(i + 1);
                i = sed_part(cx, &c, i + 2, d, false, span);
                i = sed_part(cx, &c, i, d, false, span);
            }
            'e' => {
                let end = line_end(&c, i);
                let cmd: String = c.get(i + 1..end).unwrap_or_default().iter().collect();
                if cmd.trim().is_empty() {
                    cx.dynamic(span, "sed runs its input as a command");
                } else {
                    code::run_inner_shell(cx, cmd.trim(), span);
                }
                i = end;
            }
            'w' | 'W' => i = sed_file(cx, &c, i + 1, span, true),
            'r' | 'R' => i = sed_file(cx, &c, i + 1, span, false),
            'a' | 'i' | 'c' => i = text_end(&c, i + 1),
            ':' | 'b' | 't' | 'T' => i = label_end(&c, i + 1),
            UNKNOWN => {
                // A line number is followed by a command; any other unknown part may be a
                // command.
                let before = c.get(from..i).unwrap_or_default();
                let number = |x: &char| {
                    x.is_whitespace()
                        || x.is_ascii_digit()
                        || matches!(x, ';' | '{' | '}' | ',' | '$' | '+' | '~')
                };
                let address = before.last() == Some(&',') || before.iter().all(number);
                let after = c.get(i + 1..).unwrap_or_default();
                let next = after.iter().find(|x| !x.is_whitespace() || **x == '\n');
                let followed = next.is_some_and(|x| {
                    x.is_ascii_alphanumeric() || matches!(x, ',' | '!' | '~' | '=' | '{')
                });
                // `$n d`; but in `$n rm -rf src` the end of the unknown part may be a command.
                let mut apart = after.iter().skip_while(|x| **x == ' ').skip(1);
                let ends = apart
                    .next()
                    .is_none_or(|x| matches!(x, ';' | '}' | '\n' | ' '));
                let followed = followed && (after.first() != Some(&' ') || ends);
                if !(address && followed) {
                    cx.dynamic(span, "a command of the sed script isn't known");
                }
                i += 1;
            }
            _ => i += 1,
        }
        cx.burn(1);
    }
}

/// Like [`delimited`]; adds an effect if the end isn't certain, since the part may hide what
/// follows.
fn sed_part(cx: &mut Engine<'_>, c: &[char], i: usize, d: char, regex: bool, span: Span) -> usize {
    let (end, sure) = delimited(c, i, d, regex);
    if !sure {
        cx.dynamic(span, "a sed script that can be read in more than one way");
    }
    end
}

fn sed_file(cx: &mut Engine<'_>, c: &[char], i: usize, span: Span, write: bool) -> usize {
    let end = line_end(c, i);
    let name: String = c.get(i..end).unwrap_or_default().iter().collect();
    let a = Arg::literal(name.trim(), span);
    if write {
        cx.path_write(&a);
    } else {
        cx.path_read(&a);
    }
    end
}

/// Returns whether a script that edits in place empties the file: it deletes every line or, if
/// `quiet`, prints none. Recognises only plain scripts.
pub(crate) fn leaves_nothing(script: &str, quiet: bool) -> bool {
    let commands = script.split([';', '\n', '{', '}']).map(str::trim);
    let (mut clears, mut prints) = (false, false);
    for command in commands.filter(|c| !c.is_empty()) {
        let own = command.trim_start_matches(|c: char| {
            c.is_ascii_digit() || c.is_whitespace() || matches!(c, ',' | '$' | '!' | '~' | '+')
        });
        let address: String = command
            .get(..command.len() - own.len())
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let every = [
            "/^/", "/$/", "/.*/", "/^.*$/", "/^.*/", "/.*$/", "/./", "\\,.*,", "//",
        ];
        let (all, own) = match every.iter().find_map(|e| own.strip_prefix(e)) {
            Some(rest) if address.is_empty() => (true, rest.trim_start()),
            _ => (
                matches!(address.as_str(), "" | "1,$" | "0,$" | "1~1" | "0~1"),
                own,
            ),
        };
        let blanks = own.strip_prefix('s').is_some_and(|rest| {
            let d = rest.chars().next().unwrap_or_default();
            let parts: Vec<&str> = rest.split(d).collect();
            matches!(parts.as_slice(), [_, ".*" | "^.*$" | "^.*" | ".*$" | ".", "", flags]
                if parts.get(1) != Some(&".") || flags.contains('g'))
        });
        clears |= all && (matches!(own, "d" | "D" | "z") || blanks);
        clears |= matches!(own, "Q") && (all || address == "1");
        prints |= own.starts_with(['n', 'p', 'P', 'i', 'a', 'c', 'r', 'R', '=', 'l', 'F', 'e'])
            || own.starts_with(['s', '/', '\\'])
                && own.trim_end_matches(['g', 'I', 'i']).ends_with('p');
        prints |= own.starts_with(['/', '\\']) && own.ends_with(['p', 'P', '=', 'l', 'F'])
            || own.contains(UNKNOWN);
    }
    (clears || quiet) && !prints
}

/// Returns the end of the part of `s`, `y` or an address that begins at `i` (after its delimiter),
/// and whether that is certain. In a regular expression (`regex`) a delimiter between brackets is
/// literal.
fn delimited(c: &[char], mut i: usize, d: char, regex: bool) -> (usize, bool) {
    while let Some(&x) = c.get(i) {
        match x {
            '\\' => i += 2,
            _ if x == d => return (i + 1, true),
            '\n' => return (i, false),
            '[' if regex => match bracket(c, i) {
                // A backslash before the closing bracket is ambiguous.
                Some(end)
                    if c.get(i..end)
                        .is_some_and(|b| b.contains(&d) && b.ends_with(&['\\', ']'])) =>
                {
                    return (end, false);
                }
                Some(end) => i = end,
                None => return (i + 1, false),
            },
            _ => i += 1,
        }
    }
    (c.len(), false)
}

/// Returns the end of the bracket expression that begins at `i`. It must be near, so that the work
/// stays linear.
fn bracket(c: &[char], i: usize) -> Option<usize> {
    const LONGEST: usize = 512;
    let c = c.get(..c.len().min(i + LONGEST))?;
    let at = |i: usize| c.get(i).copied();
    let mut k = i + 1;
    k += usize::from(at(k) == Some('^'));
    k += usize::from(at(k) == Some(']'));
    loop {
        match at(k)? {
            ']' => return Some(k + 1),
            '\n' => return None,
            '[' if matches!(at(k + 1), Some(':' | '.' | '=')) => {
                let mark = at(k + 1);
                // `[:alpha:]`: names are short.
                let close = (k + 2..k + 20).find(|j| at(*j) == mark && at(j + 1) == Some(']'));
                k = close.map_or(k + 1, |j| j + 2);
            }
            _ => k += 1,
        }
    }
}

/// Returns the end of the text of `a`, `i` and `c`: the line, with lines continued by a backslash.
fn text_end(c: &[char], mut i: usize) -> usize {
    loop {
        match c.get(i) {
            None => return c.len(),
            Some('\n') => return i,
            Some('\\') => i += 2,
            Some(_) => i += 1,
        }
    }
}

fn line_end(c: &[char], i: usize) -> usize {
    c.iter()
        .enumerate()
        .skip(i)
        .find(|(_, x)| **x == '\n')
        .map_or(c.len(), |(k, _)| k)
}

/// Returns the end of a label. Scripts often have `:a;N;$!ba` on one line, and GNU sed accepts it.
fn label_end(c: &[char], i: usize) -> usize {
    c.iter()
        .enumerate()
        .skip(i)
        .find(|(_, x)| matches!(**x, '\n' | ';' | '}'))
        .map_or(c.len(), |(k, _)| k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RiskLevel, risk_of as risk};

    fn delimited_at(text: &str, regex: bool) -> (usize, bool) {
        delimited(&text.chars().collect::<Vec<_>>(), 0, '/', regex)
    }

    #[test]
    fn parts_end_where_sed_ends_them() {
        assert_eq!(delimited_at("a/b", true), (2, true));
        assert_eq!(delimited_at("a\\/b/", true), (5, true));
        assert_eq!(delimited_at("[/]/x", true), (4, true));
        assert_eq!(
            delimited_at("[/]/x", false),
            (2, true),
            "no brackets in a replacement"
        );
        assert_eq!(delimited_at("[]/]/x", true), (5, true));
        assert_eq!(delimited_at("[^]/]/x", true), (6, true));
        assert_eq!(delimited_at("[[:alpha:]/]/x", true), (13, true));
        assert_eq!(delimited_at("[\\/]/x", true), (5, true));
        assert!(!delimited_at("a[/x", true).1, "never closed");
        assert_eq!(delimited_at("a\ne/", true), (1, false));
        assert_eq!(delimited_at("a\\\n/", true), (4, true));
        assert!(!delimited_at("[\\/\\]/x", true).1);
    }

    #[test]
    fn emptied_files_are_detected() {
        for cmd in [
            "sed -i d src/main.c",
            "sed --in-place= -e d src/main.c",
            "sed -i~ 'd' src/main.c",
            "sed -i -e '1,$ d' src/main.c",
            "sed -i '/^/ d;' src/main.c",
            "sed -n -i 's/a/b/' src/main.c",
            "sed -ni '' src/main.c",
            "sed -i 's/.*//' src/main.c",
            "sed -i --expression=d src/main.c",
            "sed -i 1Q src/main.c",
            "sed -ie d src/main.c",
        ] {
            assert_eq!(risk(cmd), RiskLevel::High, "{cmd}");
        }
        for cmd in [
            "sed -i 5d src/main.c",
            "sed -i '$!d' src/main.c",
            "sed -i '/^#/d' src/main.c",
            "sed -n -i '/x/p' src/main.c",
            "sed -n -i 's/x/y/gp' src/main.c",
            "sed -i -e 's/a/b/' -e '/x/d' src/main.c",
            "sed -i -n '1,5p' src/main.c",
            "sed -i 's/ *$//' src/main.c",
        ] {
            assert_eq!(risk(cmd), RiskLevel::Medium, "{cmd}");
        }
    }

    #[test]
    fn unknown_parts_may_be_commands() {
        for cmd in [
            "sed \"s/a/b/$x\" f",
            "sed \"/x/$x\" f",
            "sed \"p;$x\" f",
            "sed \"s/a/b/;$x\" f",
            "sed 'r .env' f",
            "sed 'R /home/dev/.ssh/id_rsa' f",
            "sed 's/a/b/w /etc/x' f",
        ] {
            assert_eq!(risk(cmd), RiskLevel::High, "{cmd}");
        }
        for cmd in [
            "sed -n \"${a}p\" f",
            "sed -n \"${a},${b}p\" f",
            "sed -n \"1,${b}p;q\" f",
            "sed \"s/a/$x/g\" f",
            "sed \"${n}d\" f",
            "sed -n \"/a/,${n}p\" f",
            "sed -n \"$n p\" f",
        ] {
            assert_eq!(risk(cmd), RiskLevel::Low, "{cmd}");
        }
    }

    #[test]
    fn text_continues_after_a_backslash() {
        let end = |text: &str| text_end(&text.chars().collect::<Vec<_>>(), 0);
        assert_eq!(end("x\np"), 1);
        assert_eq!(end("\\\ns/x\np"), 5);
        assert_eq!(end("x\\\ny\\"), 5);
    }
}
