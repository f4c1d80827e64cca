//! Shells started by a line: their options, and the source of their code.

use super::{Family, Invocation};
use crate::calls::args::{is_single_unknown, is_unknown_word};
use crate::calls::shell_args;
use crate::chars::{UNKNOWN, has_unknown};
use crate::effect::{Certainty, EffectKind, RiskLevel, Span, StepOrigin};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::syntax::parse::Base;

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
    let before = cx.set_fish(name == "fish");
    let output = run_shell(cx, name, rest, stdin, want, span);
    cx.set_fish(before);
    Some(output)
}

/// Runs code that a shell runs before its main code.
fn first_code(cx: &mut Engine<'_>, code: Option<&Arg>) {
    if let Some(code) = code.cloned() {
        shell_args::shell_arg(cx, &code, &Stream::default(), false);
    }
}

fn run_shell(
    cx: &mut Engine<'_>,
    name: &str,
    rest: &[Arg],
    stdin: &Stream,
    want: bool,
    span: Span,
) -> Stream {
    // `exec < file` set the input of every later command.
    let inherited = cx.input().cloned();
    let stdin = if stdin.present {
        stdin
    } else {
        inherited.as_ref().unwrap_or(stdin)
    };
    let mut i = 0;
    let mut command = false;
    let mut from_stdin = false;
    let mut dry = false;
    let mut interactive = false;
    // Whether fish has already run its code.
    let mut ran = false;
    let fish = name == "fish";
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
                "init-command" if fish => {
                    first_code(cx, rest.get(i));
                    i += 1;
                }
                "no-execute" if fish => dry = true,
                _ => {
                    let attached = long
                        .split_once('=')
                        .filter(|(name, _)| fish && matches!(*name, "command" | "init-command"));
                    if let Some((name, code)) = attached {
                        let code = Arg::literal(code, a.span);
                        first_code(cx, Some(&code));
                        ran |= name == "command";
                    }
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
            for (at, c) in t.char_indices().skip(1) {
                let after = t.get(at + c.len_utf8()..).unwrap_or_default();
                match c {
                    // fish takes the text after the letter.
                    'c' | 'C' if minus && fish && !after.is_empty() => {
                        first_code(cx, Some(&Arg::literal(after, a.span)));
                        ran |= c == 'c';
                        break;
                    }
                    'c' if minus => command = true,
                    // Code that fish runs first.
                    'C' if minus && fish => {
                        first_code(cx, rest.get(i));
                        i += 1;
                    }
                    's' if minus => from_stdin = true,
                    'n' => dry = minus,
                    // An interactive shell ignores `-n`.
                    'i' if minus => interactive = true,
                    'o' | 'O' => {
                        dry &= rest.get(i).is_some_and(|o| minus && !has_unknown(&o.text));
                        i += 1;
                    }
                    _ => {}
                }
            }
            continue;
        }
        break;
    }
    // An unknown word may be `+n`.
    let first = rest.split_last().map_or(rest, |(_, first)| first);
    dry &= !interactive && !rest.iter().any(is_unknown_word);
    dry &= !first.iter().any(is_single_unknown);
    let words = rest.get(i..).unwrap_or_default();
    if ran {
        return Stream::unknown();
    }
    if command {
        let Some((code, params)) = words.split_first() else {
            return Stream::unknown();
        };
        if dry {
            return Stream::unknown();
        }
        if code.text.contains(UNKNOWN) {
            cx.dynamic(code.span, "evaluates text that isn't known");
        }
        let list = params.iter().skip(1).map(|a| a.text.clone()).collect();
        return cx.in_new_shell(params.first(), list, |cx| {
            shell_args::shell_arg(cx, code, stdin, want)
        });
    }
    match words.first() {
        Some(file) if !from_stdin => {
            if dry {
                cx.path_read(file);
                return Stream::unknown();
            }
            let params = words.iter().skip(1).map(|a| a.text.clone()).collect();
            cx.with_params(params, |cx| cx.script(&file.clone(), name, stdin));
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
                        let params = words.iter().map(|a| a.text.clone()).collect();
                        let (base, input) = (Base::Fixed(span), Stream::default());
                        return cx.with_params(params, |cx| {
                            cx.run_text(&text, base, StepOrigin::Code, &input, want)
                        });
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
