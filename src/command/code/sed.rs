//! sed scripts: commands that run programs or write files.

use crate::command::chars::HOLE;
use crate::command::engine::Engine;
use crate::command::expand::Arg;

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
                            || matches!(x, ';' | ',' | '$' | '!' | '~' | '+' | '{' | '}' | 'I' | 'M')) =>
                    {
                        i += 1;
                    }
                    '/' => i = delimited(&c, i + 1, '/'),
                    '\\' => i = delimited(&c, i + 2, at(i + 1)),
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
                    let mid = delimited(&c, i + 2, d);
                    let from = mid;
                    i = delimited(&c, mid, d);
                    let _ = from;
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
                    i = delimited(&c, i + 2, d);
                    i = delimited(&c, i, d);
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
                'a' | 'i' | 'c' | ':' | 'b' | 't' | 'T' => {
                    // Text or a label up to the end of the line.
                    i = if matches!(at(i), 'b' | 't' | 'T') { label_end(&c, i) } else { line_end(&c, i) };
                }
                HOLE => {
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

    fn sed_file(&mut self, c: &[char], i: usize, span: crate::command::effect::Span, write: bool) -> usize {
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

fn delimited(c: &[char], mut i: usize, d: char) -> usize {
    let mut bracket = false;
    while let Some(&x) = c.get(i) {
        if x == '\\' {
            i += 2;
            continue;
        }
        if x == '['
            && !bracket
            && d != '['
            && c.get(i..(i + 64).min(c.len())).is_some_and(|r| r.iter().skip(2).any(|y| *y == ']'))
        {
            bracket = false;
        }
        if x == d {
            return i + 1;
        }
        i += 1;
    }
    i
}

fn line_end(c: &[char], i: usize) -> usize {
    c.iter().enumerate().skip(i).find(|(_, x)| **x == '\n').map_or(c.len(), |(k, _)| k)
}

fn label_end(c: &[char], i: usize) -> usize {
    c.iter().enumerate().skip(i).find(|(_, x)| matches!(**x, '\n' | ';' | '}')).map_or(c.len(), |(k, _)| k)
}
