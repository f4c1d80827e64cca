//! Shells that a line starts: their options, and where their code comes from.

use super::{Family, Invocation};
use crate::effect::{Certainty, EffectKind, How, RiskLevel, Span};
use crate::engine::{Engine, Stream};
use crate::expand::Arg;
use crate::parse::Base;

pub(super) const PROGRAMS: Family = &[(
    &[
        "sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "yash", "fish", "csh", "tcsh",
    ],
    shell,
)];

fn shell(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation {
        name,
        rest,
        stdin,
        want,
        span,
    } = *call;
    Some(run_shell(cx, name, rest, stdin, want, span))
}

fn run_shell(
    cx: &mut Engine<'_>,
    name: &str,
    rest: &[Arg],
    stdin: &Stream,
    want: bool,
    span: Span,
) -> Stream {
    // `exec < file` gave every later command its input.
    let inherited = cx.shell.input().cloned();
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
                        cx.script(&f, "sh", &Stream::default());
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
                        cx.script(&f, "sh", &Stream::default());
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
                            cx.shell_arg(&code, &Stream::default(), false);
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
        cx.shell.push_params(list);
        let functions = cx.shell.take_functions();
        let saved = cx.enter_subshell();
        if let Some(zero) = params.first() {
            cx.shell.set_var(
                "0".to_owned(),
                crate::expand::Var {
                    text: zero.text.clone(),
                    array: None,
                    obfuscated: zero.obfuscated,
                },
            );
        }
        let s = cx.shell_arg(code, stdin, want);
        cx.leave_subshell(saved);
        cx.shell.remove_var("0");
        cx.shell.restore_functions(functions);
        cx.shell.pop_params();
        return s;
    }
    match words.first() {
        Some(file) if !from_stdin => {
            if dry {
                cx.path_read(file);
                return Stream::unknown();
            }
            cx.shell
                .push_params(words.iter().skip(1).map(|a| a.text.clone()).collect());
            cx.script(&file.clone(), name, stdin);
            cx.shell.pop_params();
        }
        _ => {
            if dry {
                return Stream::unknown();
            }
            if stdin.present {
                match &stdin.text {
                    Some(t) if t.trim() != "\0" => {
                        if stdin.obfuscated {
                            cx.dynamic(span, "decoded text is piped into a shell");
                        }
                        let text = t.clone();
                        cx.shell
                            .push_params(words.iter().map(|a| a.text.clone()).collect());
                        let s = cx.run_text(
                            &text,
                            Base::Fixed(span),
                            How::Code,
                            &Stream::default(),
                            want,
                        );
                        cx.shell.pop_params();
                        return s;
                    }
                    _ => cx.dynamic(span, "text that isn't known is piped into a shell"),
                }
            } else {
                cx.emit_raw(
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
