//! sed scripts: commands that run programs or write files.

use crate::chars::UNKNOWN;
use crate::effect::Span;
use crate::engine::Engine;
use crate::expand::Arg;

impl Engine<'_> {
    pub(super) fn sed_code(&mut self, arg: &Arg) {
        let c: Vec<char> = arg.text.chars().collect();
        let at = |i: usize| c.get(i).copied().unwrap_or('\0');
        let span = arg.span;
        let mut i = 0;
        while i < c.len() {
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
                    '/' => i = self.sed_part(&c, i + 1, '/', true, span),
                    '\\' => i = self.sed_part(&c, i + 2, at(i + 1), true, span),
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
                    let mid = self.sed_part(&c, i + 2, d, true, span);
                    i = self.sed_part(&c, mid, d, false, span);
                    let mut write = false;
                    loop {
                        match at(i) {
                            'e' => {
                                self.dynamic(span, "sed runs the text it has made");
                                i += 1;
                            }
                            'w' => {
                                write = true;
                                i += 1;
                                break;
                            }
                            x if x.is_ascii_alphanumeric() => i += 1,
                            _ => break,
                        }
                    }
                    if write {
                        i = self.sed_file(&c, i, span, true);
                    }
                }
                'y' => {
                    let d = at(i + 1);
                    i = self.sed_part(&c, i + 2, d, false, span);
                    i = self.sed_part(&c, i, d, false, span);
                }
                'e' => {
                    let end = line_end(&c, i);
                    let cmd: String = c.get(i + 1..end).unwrap_or_default().iter().collect();
                    if cmd.trim().is_empty() {
                        self.dynamic(span, "sed runs its input as a command");
                    } else {
                        self.run_inner_shell(cmd.trim(), span);
                    }
                    i = end;
                }
                'w' | 'W' => i = self.sed_file(&c, i + 1, span, true),
                'r' | 'R' => i = self.sed_file(&c, i + 1, span, false),
                'a' | 'i' | 'c' => i = text_end(&c, i + 1),
                ':' | 'b' | 't' | 'T' => i = label_end(&c, i + 1),
                UNKNOWN => {
                    // An unknown script may hold any command, but a lone value hardly does.
                    if c.len() == 1 {
                        self.dynamic(span, "the sed script isn't known");
                    }
                    i += 1;
                }
                _ => i += 1,
            }
            self.burn(1);
        }
    }

    /// As [`delimited`]; a part whose end isn't sure could hide what follows.
    fn sed_part(&mut self, c: &[char], i: usize, d: char, regex: bool, span: Span) -> usize {
        let (end, sure) = delimited(c, i, d, regex);
        if !sure {
            self.dynamic(span, "a sed script that can be read in more than one way");
        }
        end
    }

    fn sed_file(&mut self, c: &[char], i: usize, span: Span, write: bool) -> usize {
        let end = line_end(c, i);
        let name: String = c.get(i..end).unwrap_or_default().iter().collect();
        let a = Arg::literal(name.trim(), span);
        if write {
            self.path_write(&a);
        } else {
            self.path_read(&a);
        }
        end
    }
}

/// Where the part of `s`, `y` or an address that begins at `i` ends (behind its delimiter), and
/// whether that is sure. In a regular expression (`regex`) a delimiter between brackets is an
/// ordinary character.
fn delimited(c: &[char], mut i: usize, d: char, regex: bool) -> (usize, bool) {
    while let Some(&x) = c.get(i) {
        match x {
            '\\' => i += 2,
            _ if x == d => return (i + 1, true),
            '\n' => return (i, false),
            '[' if regex => match bracket(c, i) {
                // A backslash in front of the bracket that closes is read in two ways.
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

/// Where the bracket expression that begins at `i` ends, if it does soon: the work stays linear.
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

/// The end of the text of `a`, `i` and `c`: of its line, and of those that a backslash adds.
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

/// Shells write `:a;N;$!ba` on one line, and GNU sed takes it.
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
    fn text_goes_on_behind_a_backslash() {
        let end = |text: &str| text_end(&text.chars().collect::<Vec<_>>(), 0);
        assert_eq!(end("x\np"), 1);
        assert_eq!(end("\\\ns/x\np"), 5);
        assert_eq!(end("x\\\ny\\"), 5);
    }
}
