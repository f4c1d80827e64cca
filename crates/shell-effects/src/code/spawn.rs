//! Programs that code starts: their arguments, input and settings.

use super::actions;
use super::actions::CodeCall;
use super::language::Action;
use super::lex::{CallArg, Token};
use crate::calls::shell_args;
use crate::chars::UNKNOWN;
use crate::effect::Span;
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;

/// Runs the program of a call. Unknown parts of its words are `UNKNOWN`.
pub(super) fn code_spawn(cx: &mut Engine<'_>, call: &CodeCall<'_>, action: Action) {
    let before = cx.clone_cwd();
    shell_settings(cx, &call.args, call.code.span);
    let input = input(call, action);
    start(cx, call, action, &input);
    cx.set_cwd(before);
}

fn start(cx: &mut Engine<'_>, call: &CodeCall<'_>, action: Action, input: &Stream) {
    let span = call.code.span;
    let args: Vec<&CallArg> = call
        .args
        .iter()
        .filter(|a| !a.keyword && !a.function)
        .skip(usize::from(action == Action::ModeArgv))
        .skip_while(|a| a.object && a.words.is_empty() && call.code.scope.lang == "ruby")
        .collect();
    let Some((first, more)) = args.split_first() else {
        cx.dynamic(span, "the code runs a command that it computes");
        return;
    };
    let more: Vec<&CallArg> = more.iter().copied().filter(|a| !a.object).collect();
    let options = args
        .iter()
        .find(|a| a.object)
        .and_then(|_| in_options(call));
    let mut words: Vec<String> = match &first.literal {
        Some(program) => vec![program.clone()],
        None if !first.words.is_empty() => first.words.clone(),
        // `Bun.spawn({cmd: […]})`
        None if first.object && options.is_some() => Vec::new(),
        None => {
            cx.dynamic(span, "the code runs a command that it computes");
            return;
        }
    };
    match action {
        // Further arguments are settings.
        Action::Shell => {}
        Action::Piped if call.code.scope.lang == "php" => {}
        // `execv(path, argv)`, `execl(path, arg0, …)`
        Action::Argv | Action::ModeArgv => {
            let rest: Vec<String> = more.iter().flat_map(|a| texts(a)).collect();
            let list = more.first().is_some_and(|a| a.literal.is_none());
            if list && more.first().is_some_and(|a| a.words.is_empty()) {
                words.push(UNKNOWN.to_string());
            } else {
                let only = if list {
                    more.first().map(|a| texts(a)).unwrap_or_default()
                } else {
                    rest
                };
                words.extend(only.into_iter().skip(1));
            }
        }
        _ => words.extend(more.iter().flat_map(|a| texts(a))),
    }
    words.extend(options.into_iter().flatten());
    let line = match words.as_slice() {
        // A single text is a line for a shell.
        [line] if first.words.is_empty() => Some(line.clone()),
        _ => None,
    };
    if let Some(line) = line {
        shell_args::shell_arg(cx, &Arg::literal(line, span), input, false);
        return;
    }
    let words: Vec<Arg> = words.into_iter().map(|w| Arg::literal(w, span)).collect();
    cx.wrapped(&words, input, false, span);
}

/// Applies the keyword arguments of a call that runs a command: directory, environment, another
/// program.
fn shell_settings(cx: &mut Engine<'_>, args: &[CallArg], span: Span) {
    // `{"PATH" => …}` before the words, `{env: {…}}` after them.
    for (name, value) in args.iter().filter(|a| a.object).flat_map(|a| &a.pairs) {
        match name.as_str() {
            "cwd" | "chdir" => cx.change_dir(value.as_deref().unwrap_or("\0")),
            "shell" => other_shell(cx, value.as_deref(), span),
            _ => actions::code_variable(cx, name, value.as_deref(), span),
        }
    }
    for a in args.iter().filter(|a| a.keyword) {
        match a.key.as_str() {
            "cwd" | "chdir" => {
                cx.change_dir(&a.literal.clone().unwrap_or_else(|| UNKNOWN.to_string()));
            }
            "env" => {
                for (name, value) in &a.pairs {
                    actions::code_variable(cx, name, value.as_deref(), span);
                }
            }
            "executable" => {
                let program = a.literal.clone().unwrap_or_else(|| UNKNOWN.to_string());
                let words = [Arg::literal(program, span), Arg::literal(UNKNOWN, span)];
                cx.wrapped(&words, &Stream::default(), false, span);
            }
            _ => {}
        }
    }
}

/// Adds an effect if a shell other than the usual ones runs the line.
fn other_shell(cx: &mut Engine<'_>, value: Option<&str>, span: Span) {
    let usual = value.is_some_and(|v| {
        let known = ["sh", "bash", "zsh", "dash", "true", "false", ""];
        let name = v
            .strip_prefix("/bin/")
            .or_else(|| v.strip_prefix("/usr/bin/"))
            .unwrap_or(v);
        known.contains(&name)
    });
    if !usual {
        cx.dynamic(span, "the code runs a command in another shell");
    }
}

/// Returns the words of an argument.
fn texts(arg: &CallArg) -> Vec<String> {
    match &arg.literal {
        Some(text) => vec![text.clone()],
        None if !arg.words.is_empty() => arg.words.clone(),
        None if arg.partial.is_empty() || arg.spread => vec![UNKNOWN.to_string()],
        None => vec![arg.partial.clone()],
    }
}

/// Returns the words in the options of a call: `{args: […]}`, `{cmd: […]}`.
fn in_options(call: &CodeCall<'_>) -> Option<Vec<String>> {
    let tokens = call.code.tokens.get(call.at..)?;
    let at = tokens.windows(2).position(|w| {
        matches!(w, [Token::Name(n), Token::Punct(':')] if matches!(n.as_str(), "args" | "cmd"))
    })?;
    let value = super::lex::call_args(tokens, at.saturating_add(2));
    value.first().map(texts)
}

/// Returns the program's input: from the code, or the code's own input.
fn input(call: &CodeCall<'_>, action: Action) -> Stream {
    let scope = call.code.scope;
    let options = |key: &str| {
        let tokens = call.code.tokens.get(call.at..).unwrap_or_default();
        call.args.iter().any(|a| a.object)
            && tokens
                .windows(2)
                .any(|w| matches!(w, [Token::Name(n), Token::Punct(':')] if n == key))
    };
    if scope.writes_stdin || action == Action::Piped || options("input") {
        return Stream::unknown();
    }
    for a in call.args.iter().filter(|a| a.keyword) {
        match a.key.as_str() {
            "input" | "stdin_data" => {
                return a
                    .literal
                    .clone()
                    .map_or_else(Stream::unknown, Stream::known);
            }
            "stdin" | "in" => {
                // A pipe stays empty unless something fills it, which isn't tracked.
                let closed = a.partial.is_empty() && a.texts.is_empty() && a.bare;
                let none = call.code.tokens.iter().any(
                    |t| matches!(t, Token::Name(n) if n.rsplit('.').next() == Some("DEVNULL")),
                );
                if !(closed || none) {
                    return Stream::unknown();
                }
            }
            _ => {}
        }
    }
    // `popen("sh", "w")`
    let popen = call.name.rsplit(['.', ':']).next() == Some("popen");
    let mode = call
        .args
        .get(1)
        .filter(|a| popen && !a.keyword && !a.function && !a.object);
    match mode {
        Some(mode)
            if mode
                .literal
                .as_deref()
                .is_none_or(|m| m.contains(['w', '+'])) =>
        {
            Stream::unknown()
        }
        _ => call.code.stdin.clone(),
    }
}
