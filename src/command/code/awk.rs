//! awk programs: `system`, pipes and files written.

use crate::command::chars::{HOLE, has_hole};
use crate::command::effect::{Certainty, EffectKind, Risk};
use crate::command::engine::Engine;
use crate::command::expand::Arg;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Tok {
    Word(String),
    Str(String),
    Regex,
    Num,
    Op(char),
    /// `>>`
    Append,
    /// `||`, `>=` and other doubles that mean nothing here.
    Other,
    End,
}

fn lex(text: &str) -> Vec<Tok> {
    let c: Vec<char> = text.chars().collect();
    let at = |i: usize| c.get(i).copied().unwrap_or('\n');
    let mut out: Vec<Tok> = Vec::new();
    let mut i = 0;
    while i < c.len() {
        let ch = at(i);
        match ch {
            '#' => {
                while i < c.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            '\n' | ';' | '{' | '}' => {
                out.push(Tok::End);
                i += 1;
            }
            _ if ch.is_whitespace() => i += 1,
            '"' => {
                let mut s = String::new();
                i += 1;
                while i < c.len() && at(i) != '"' {
                    if at(i) == '\\' {
                        s.push('\\');
                        i += 1;
                    }
                    s.push(at(i));
                    i += 1;
                }
                i += 1;
                out.push(Tok::Str(crate::command::escapes::ansi_c(&s).0));
            }
            '/' if !matches!(out.last(), Some(Tok::Word(_) | Tok::Num | Tok::Op(')' | ']'))) => {
                i += 1;
                while i < c.len() && at(i) != '/' {
                    if at(i) == '\\' {
                        i += 1;
                    }
                    i += 1;
                }
                i += 1;
                out.push(Tok::Regex);
            }
            _ if ch.is_ascii_digit() => {
                while i < c.len() && (at(i).is_ascii_alphanumeric() || at(i) == '.') {
                    i += 1;
                }
                out.push(Tok::Num);
            }
            _ if ch.is_alphabetic() || ch == '_' || ch == '@' => {
                let from = i;
                i += 1;
                while i < c.len() && (at(i).is_alphanumeric() || at(i) == '_') {
                    i += 1;
                }
                out.push(Tok::Word(c.get(from..i).unwrap_or_default().iter().collect()));
            }
            '>' if at(i + 1) == '>' => {
                out.push(Tok::Append);
                i += 2;
            }
            '|' if at(i + 1) == '|' => {
                out.push(Tok::Other);
                i += 2;
            }
            '>' | '<' | '=' | '!' if at(i + 1) == '=' => {
                out.push(Tok::Other);
                i += 2;
            }
            _ => {
                out.push(Tok::Op(ch));
                i += 1;
            }
        }
    }
    out
}

impl Engine<'_> {
    pub(super) fn awk_code(&mut self, arg: &Arg) {
        let toks = lex(&arg.text);
        self.burn(toks.len());
        let span = arg.span;
        let mut printing = false;
        let mut depth = 0usize;
        for (i, t) in toks.iter().enumerate() {
            match t {
                Tok::End => {
                    printing = false;
                    depth = 0;
                }
                Tok::Op('(') => depth += 1,
                Tok::Op(')') => depth = depth.saturating_sub(1),
                Tok::Word(w) if matches!(w.as_str(), "print" | "printf") => {
                    printing = true;
                    depth = 0;
                }
                Tok::Word(w) if w == "system" => match (toks.get(i + 1), toks.get(i + 2), toks.get(i + 3)) {
                    (Some(Tok::Op('(')), Some(Tok::Str(s)), Some(Tok::Op(')'))) if !has_hole(s) => self.run_inner_shell(s, span),
                    (Some(Tok::Op('(')), Some(Tok::Str(s)), Some(_)) => {
                        // A command with fields appended: what is known of it, and a hole.
                        self.run_inner_shell(&format!("{s}{HOLE}"), span);
                        self.dynamic(span, "awk runs a command that it builds from its input");
                    }
                    (Some(Tok::Op('(')), ..) => self.dynamic(span, "awk runs a command that it computes"),
                    _ => {}
                },
                Tok::Word(w) if w == "getline" => {
                    if matches!(i.checked_sub(1).and_then(|k| toks.get(k)), Some(Tok::Op('|' | '&'))) {
                        match i.checked_sub(2).and_then(|k| toks.get(k)) {
                            Some(Tok::Str(s)) if !has_hole(s) => self.run_inner_shell(s, span),
                            _ => self.dynamic(span, "awk reads from a command that it computes"),
                        }
                    } else if matches!(toks.get(i + 1), Some(Tok::Op('<'))) || matches!(toks.get(i + 2), Some(Tok::Op('<'))) {
                        let file =
                            toks.iter().skip(i).take(4).find_map(|t| if let Tok::Str(s) = t { Some(s.clone()) } else { None });
                        let a = Arg::literal(file.unwrap_or_else(|| HOLE.to_string()), span);
                        self.path_read(&a);
                    }
                }
                Tok::Op('|') if printing || !matches!(toks.get(i + 1), Some(Tok::Word(w)) if w == "getline") => {
                    if matches!(toks.get(i + 1), Some(Tok::Word(w)) if w == "getline")
                        || matches!(toks.get(i + 1), Some(Tok::Op('&')))
                    {
                        continue;
                    }
                    match toks.get(i + 1) {
                        Some(Tok::Str(s)) if !has_hole(s) => {
                            let code = matches!(
                                s.split_ascii_whitespace().next().map(|w| w.rsplit('/').next().unwrap_or(w)),
                                Some("sh" | "bash" | "dash" | "zsh" | "ksh" | "python" | "python3" | "perl")
                            );
                            if code {
                                self.dynamic(span, "awk prints into a shell");
                            } else {
                                self.run_inner_shell(s, span);
                            }
                        }
                        _ => self.dynamic(span, "awk prints into a command that it computes"),
                    }
                }
                Tok::Op('>') | Tok::Append if printing && depth == 0 => {
                    // Only a string, name, field or bracket can be a file; `$3 > 5` compares.
                    match toks.get(i + 1) {
                        Some(Tok::Str(s)) => {
                            let partial = !matches!(toks.get(i + 2), None | Some(Tok::End));
                            let name = if partial { format!("{s}{HOLE}") } else { s.clone() };
                            self.code_write(&Arg::literal(name, span));
                        }
                        _ => {
                            self.emit_raw(
                                EffectKind::Write,
                                None,
                                Certainty::Possible,
                                span,
                                Risk::High,
                                "awk writes to a file whose name it computes",
                            );
                        }
                    }
                }
                Tok::Word(w) if w == "@load" || w == "@include" => self.dynamic(span, "awk loads other code"),
                Tok::Op('@') => {}
                _ => {}
            }
        }
    }
}
