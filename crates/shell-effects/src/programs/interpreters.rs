//! Editors and interpreters that take code in their arguments.

use super::{Family, Invocation};
use super::{downloads, project_code};
use crate::calls::shell_args;
use crate::calls::spec_eval::parse_args;
use crate::code;
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;

pub(super) const PROGRAMS: Family = &[
    (
        &["vim", "vi", "nvim", "view", "gvim", "ex", "vimdiff"],
        editor,
    ),
    (&["ed", "red"], ed),
    (&["psql", "pgcli", "usql"], psql),
    (&["perl"], perl),
    (&["ruby"], ruby),
    (&["ipython", "ipython3"], ipython),
    (
        &["python", "python3", "python2", "pypy", "pypy3", "php"],
        python,
    ),
];

fn editor(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    // `-V9FILE` logs to a file.
    for a in rest {
        if let Some(level) = a.text.strip_prefix("-V") {
            let file = level.trim_start_matches(|c: char| c.is_ascii_digit());
            if !file.is_empty() {
                cx.path_write(&Arg::literal(file, a.span));
            }
        }
    }
    // `-Nesc CODE`: in Ex mode `-s` has no value, so the next letter may be an option.
    for (a, next) in rest.iter().zip(rest.iter().skip(1)) {
        let letters = a.text.strip_prefix('-').unwrap_or_default();
        if letters.ends_with('c') && letters.bytes().all(|c| c.is_ascii_alphabetic()) {
            code::code(cx, "vim", next, &Stream::default());
        }
    }
    for a in rest
        .iter()
        .filter(|a| a.text.starts_with('+') && a.text.len() > 1)
    {
        let code = Arg {
            text: a.text.get(1..).unwrap_or_default().to_owned(),
            at: None,
            ..a.clone()
        };
        code::code(cx, "vim", &code, &Stream::default());
    }
    None
}

fn ed(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    for a in rest {
        if let Some(cmd) = a.text.strip_prefix('!') {
            shell_args::shell_arg(cx, &Arg::literal(cmd, a.span), &Stream::default(), false);
        }
    }
    None
}

fn psql(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    for (i, a) in rest.iter().enumerate() {
        let to = match a.text.as_str() {
            "-o" | "--output" => rest.get(i + 1).map(|v| v.text.clone()),
            t => t
                .strip_prefix("--output=")
                .or_else(|| t.strip_prefix("-o"))
                .map(str::to_owned),
        };
        if let Some(cmd) = to.as_deref().and_then(|t| t.trim_start().strip_prefix('|')) {
            shell_args::shell_arg(cx, &Arg::literal(cmd, a.span), &Stream::unknown(), false);
        }
    }
    None
}

fn perl(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    if let Some(code) = rest.iter().find(|a| a.text.contains("$^I")) {
        cx.dynamic(code.span, "edits every file that it reads in place");
    }
    perl_operands(cx, rest);
    empties(cx, "perl", rest);
    for a in rest {
        if let Some(m) = a
            .text
            .strip_prefix("-M")
            .or_else(|| a.text.strip_prefix("-m"))
            && m.contains([';', '(', '`', '{'])
        {
            let code = Arg {
                text: m.to_owned(),
                at: None,
                ..a.clone()
            };
            code::code(cx, "perl", &code, &Stream::default());
        }
    }
    None
}

fn ruby(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    empties(cx, "ruby", call.rest);
    None
}

/// Adds effects of `-n -i`, which leaves of each file only what the code prints, if it prints
/// nothing.
fn empties(cx: &mut Engine<'_>, name: &str, rest: &[Arg]) {
    let ctx = cx.ctx();
    let Some(spec) = ctx.table.get(name) else {
        return;
    };
    let (call, _) = parse_args(spec, rest);
    if !call.has("-n") || !call.has("-i") || call.has("-p") {
        return;
    }
    let code = call
        .flags
        .iter()
        .filter(|f| matches!(f.name.as_str(), "-e" | "-E"));
    let mut texts = code.flat_map(|f| &f.values);
    let prints = |text: &Arg| {
        ["print", "say", "put", "write", "<<", "p ", "\0"]
            .iter()
            .any(|name| text.text.contains(name))
    };
    if texts.clone().next().is_some() && !texts.any(prints) {
        for file in &call.operands {
            cx.path_empty(file);
        }
    }
}

fn ipython(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    for line in rest
        .iter()
        .flat_map(|a| a.text.split(['\n', ';']).map(move |l| (l.trim(), a.span)))
    {
        if let (Some(cmd), span) = (line.0.strip_prefix('!'), line.1) {
            shell_args::shell_arg(
                cx,
                &Arg::literal(cmd.trim_start_matches('!'), span),
                &Stream::default(),
                false,
            );
        } else if line.0.starts_with('%') || line.0.contains("=!") || line.0.contains("= !") {
            cx.dynamic(line.1, "magic of IPython, which may run commands");
        }
    }
    None
}

fn python(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    if let Some(i) = rest.iter().position(|a| a.text == "timeit").filter(|i| {
        i.checked_sub(1)
            .and_then(|k| rest.get(k))
            .is_some_and(|p| p.text == "-m")
    }) {
        for a in rest.iter().skip(i + 1).filter(|a| !a.text.starts_with('-')) {
            code::code(cx, "python", a, &Stream::default());
        }
    }
    if rest.iter().any(|a| a.text == "pdb") {
        if let Some(unknown_word) = rest.iter().find(|a| crate::calls::args::is_unknown_word(a)) {
            cx.dynamic(
                unknown_word.span,
                "a word that isn't known and may be an option",
            );
        }
        for (i, a) in rest
            .iter()
            .enumerate()
            .filter(|(_, a)| a.text.starts_with("-c"))
        {
            let code = if a.text == "-c" {
                rest.get(i + 1).cloned()
            } else {
                Some(Arg {
                    text: a.text.get(2..).unwrap_or_default().to_owned(),
                    at: None,
                    ..a.clone()
                })
            };
            if let Some(c) = code {
                code::code(
                    cx,
                    "python",
                    &Arg {
                        text: c.text.trim_start_matches('!').to_owned(),
                        at: None,
                        ..c
                    },
                    &Stream::default(),
                );
            }
        }
    }
    if let Some(module) = rest.iter().find(|a| a.text == "-m") {
        // A module of the work tree comes before those of the library.
        project_code::changed_modules(cx, "python", module.span);
    }
    if let Some((script, words)) = rest.split_first() {
        downloads::framework(cx, script, words);
    }
    None
}

/// Handles operands that `perl -n`, `-p` and `<>` open with two-argument `open`: `>file` is
/// written, `cmd|` is run.
fn perl_operands(cx: &mut Engine<'_>, rest: &[Arg]) {
    let ctx = cx.ctx();
    let Some(spec) = ctx.table.get("perl") else {
        return;
    };
    let (call, _) = parse_args(spec, rest);
    let code = |f: &crate::calls::spec_eval::FlagUse<'_>| matches!(f.name.as_str(), "-e" | "-E");
    let opens = call.has("-n")
        || call.has("-p")
        || call.flags.iter().filter(|f| code(f)).any(|f| {
            f.values
                .iter()
                .any(|v| v.text.contains("<>") || v.text.contains("<ARGV>"))
        });
    if !opens || !call.flags.iter().any(code) {
        return;
    }
    for a in &call.operands {
        let t = a.text.trim();
        if let Some(file) = t.strip_prefix('>') {
            cx.path_write(&Arg::literal(file.trim_start_matches(['>', ' ']), a.span));
            cx.path_empty(&Arg::literal(file.trim_start_matches(['>', ' ']), a.span));
        } else if t.starts_with('|') || t.ends_with('|') {
            shell_args::shell_arg(
                cx,
                &Arg::literal(t.trim_matches('|'), a.span),
                &Stream::unknown(),
                false,
            );
        }
    }
}
