//! Shells that a line starts: their options, and where their code comes from.

use super::effect::{Certainty, EffectKind, How, RiskLevel, Span};
use super::engine::{Engine, Stream};
use super::expand::Arg;
use super::parse::Base;

impl Engine<'_> {
    pub(super) fn shell(
        &mut self,
        name: &str,
        rest: &[Arg],
        stdin: &Stream,
        want: bool,
        span: Span,
    ) -> Stream {
        // `exec < file` gave every later command its input.
        let inherited = self.exec_stdin.clone();
        let stdin = if stdin.present {
            stdin
        } else {
            inherited.as_ref().unwrap_or(stdin)
        };
        let mut i = 0;
        let mut command = false;
        let mut from_stdin = false;
        let mut dry = false;
        while let Some(a) = rest.get(i) {
            let t = a.text.as_str();
            if t == "--" || t == "-" {
                i += 1;
                break;
            }
            if let Some(long) = t.strip_prefix("--") {
                i += 1;
                match long {
                    "rcfile" | "init-file" => {
                        if let Some(f) = rest.get(i) {
                            let f = f.clone();
                            self.script(&f, "sh", &Stream::default());
                        }
                        i += 1;
                    }
                    "command" => command = true,
                    "help" | "version" => return Stream::unknown(),
                    _ => {
                        if let Some(f) = long
                            .strip_prefix("rcfile=")
                            .or_else(|| long.strip_prefix("init-file="))
                        {
                            let f = Arg {
                                text: f.to_owned(),
                                ..a.clone()
                            };
                            self.script(&f, "sh", &Stream::default());
                        }
                    }
                }
                continue;
            }
            if t.len() > 1 && t.starts_with(['-', '+']) {
                let minus = t.starts_with('-');
                i += 1;
                for c in t.chars().skip(1) {
                    match c {
                        'c' if minus => command = true,
                        // What fish runs first.
                        'C' if minus && name == "fish" => {
                            if let Some(code) = rest.get(i).cloned() {
                                self.shell_arg(&code, &Stream::default(), false);
                            }
                            i += 1;
                        }
                        's' if minus => from_stdin = true,
                        'n' if minus => dry = true,
                        'o' | 'O' => i += 1,
                        _ => {}
                    }
                }
                continue;
            }
            break;
        }
        let words = rest.get(i..).unwrap_or_default();
        if command {
            let Some((code, params)) = words.split_first() else {
                return Stream::unknown();
            };
            if dry {
                return Stream::unknown();
            }
            let list = params.iter().skip(1).map(|a| a.text.clone()).collect();
            self.params.push(list);
            let functions = std::mem::take(&mut self.functions);
            let saved = self.enter_subshell();
            if let Some(zero) = params.first() {
                self.vars.insert(
                    "0".to_owned(),
                    super::expand::Var {
                        text: zero.text.clone(),
                        array: None,
                        obfuscated: zero.obfuscated,
                    },
                );
            }
            let s = self.shell_arg(code, stdin, want);
            self.leave_subshell(saved);
            self.vars.remove("0");
            self.functions = functions;
            self.params.pop();
            return s;
        }
        match words.first() {
            Some(file) if !from_stdin => {
                if dry {
                    self.path_read(file);
                    return Stream::unknown();
                }
                self.params
                    .push(words.iter().skip(1).map(|a| a.text.clone()).collect());
                self.script(&file.clone(), name, stdin);
                self.params.pop();
            }
            _ => {
                if dry {
                    return Stream::unknown();
                }
                if stdin.present {
                    match &stdin.text {
                        Some(t) if t.trim() != "\0" => {
                            if stdin.obfuscated {
                                self.dynamic(span, "decoded text is piped into a shell");
                            }
                            let text = t.clone();
                            self.params
                                .push(words.iter().map(|a| a.text.clone()).collect());
                            let s = self.run_text(
                                &text,
                                Base::Fixed(span),
                                How::Code,
                                &Stream::default(),
                                want,
                            );
                            self.params.pop();
                            return s;
                        }
                        _ => self.dynamic(span, "text that isn't known is piped into a shell"),
                    }
                } else {
                    self.emit_raw(
                        EffectKind::Execute,
                        Some(name.to_owned()),
                        Certainty::Possible,
                        span,
                        RiskLevel::Medium,
                        "starts a shell",
                    );
                }
            }
        }
        Stream::unknown()
    }
}
