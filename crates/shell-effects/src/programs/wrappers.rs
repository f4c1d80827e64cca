//! Programs that run another command.

use super::search::Search;
use super::{Family, Invocation};
use super::{filters, find_xargs};
use crate::calls::shell_args;
use crate::calls::spec_eval::{is_assignment, parse_args};
use crate::chars::UNKNOWN;
use crate::effect::StepOrigin;
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::syntax::parse::Base;

pub(super) const PROGRAMS: Family = &[
    (&["busybox", "toybox"], behind_options),
    (&["find", "gfind"], find),
    (&["fd", "fdfind"], fd),
    (&["xargs", "gxargs"], xargs),
    (&["parallel"], parallel),
    (&["env"], env),
    (&["hyperfine"], hyperfine),
    (&["strace", "ltrace"], strace),
];

/// Runs the command after the options.
fn behind_options(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let mut words: Vec<Arg> = call
        .rest
        .iter()
        .skip_while(|a| a.text.starts_with('-'))
        .cloned()
        .collect();
    let Some(applet) = words.first_mut() else {
        return Some(Stream::unknown());
    };
    // Some applets differ from the programs of the same name.
    let own = format!("busybox {}", applet.text);
    if cx.ctx().table.contains(&own) {
        applet.text = own;
    }
    Some(cx.wrapped(&words, call.stdin, call.want, call.span))
}

fn find(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation {
        rest,
        stdin,
        want,
        span,
        ..
    } = *call;
    find_xargs::find(cx, rest, span);
    if want {
        return Some(filters::filter_output(
            cx,
            "find",
            rest,
            stdin,
            Stream::unknown(),
        ));
    }
    Some(Stream::unknown())
}

fn fd(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, span, .. } = *call;
    let i = rest
        .iter()
        .position(|a| matches!(a.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"))?;
    let words: Vec<Arg> = rest
        .iter()
        .skip(i + 1)
        .take_while(|a| a.text != ";")
        .cloned()
        .collect();
    let searched = Search::of_fd(cx, rest);
    let placed = words
        .iter()
        .any(|w| w.text.contains("{}") || w.text.contains("{/}") || w.text.contains("{.}"));
    for result in searched.results(cx) {
        let place = |w: &Arg| {
            if !w.text.contains('{') {
                return w.clone();
            }
            let marks = ["{}", "{/}", "{//}", "{.}", "{/.}"];
            let text = w.text.clone();
            Arg {
                text: marks.iter().fold(text, |t, mark| t.replace(mark, &result)),
                at: None,
                ..w.clone()
            }
        };
        let mut args: Vec<Arg> = words.iter().map(place).collect();
        if !placed {
            args.push(Arg::literal(&*result, span));
        }
        cx.wrapped(&args, &Stream::default(), false, span);
        if cx.is_spent(span) {
            break;
        }
    }
    Some(Stream::unknown())
}

fn xargs(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation {
        rest, stdin, span, ..
    } = *call;
    Some(find_xargs::xargs(cx, rest, stdin, span))
}

fn parallel(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation {
        rest, stdin, span, ..
    } = *call;
    // The files for its results and its log.
    for (i, a) in rest.iter().take_while(|a| a.text != ":::").enumerate() {
        let file = match a.text.split_once('=') {
            Some(("--results" | "--res" | "--joblog", file)) => Some(Arg::literal(file, a.span)),
            _ if matches!(a.text.as_str(), "--results" | "--res" | "--joblog") => {
                rest.get(i + 1).cloned()
            }
            _ => None,
        };
        if let Some(file) = file {
            cx.path_write(&file);
        }
    }
    Some(find_xargs::parallel(cx, rest, stdin, span))
}

fn env(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, stdin, .. } = *call;
    env_split(cx, rest, stdin);
    None
}

fn hyperfine(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    for (i, a) in rest
        .iter()
        .enumerate()
        .filter(|(_, a)| matches!(a.text.as_str(), "-L" | "--parameter-list"))
    {
        if rest
            .get(i + 2)
            .is_some_and(|v| v.text.contains([';', '|', '&', '`', '$', UNKNOWN, '\n']))
        {
            cx.dynamic(a.span, "a parameter that may add commands");
        }
    }
    None
}

fn strace(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    for (i, a) in rest.iter().enumerate() {
        let set = match a.text.as_str() {
            "-E" | "--env" => rest.get(i + 1).map(|v| v.text.as_str()),
            t => t.strip_prefix("--env=").or_else(|| t.strip_prefix("-E")),
        };
        if let Some((name, value)) = set.and_then(is_assignment) {
            let (name, value) = (name.to_owned(), value.to_owned());
            cx.env_effect(&name, &value, a.span);
        }
        let target = if matches!(a.text.as_str(), "-o" | "--output") {
            rest.get(i + 1).map(|v| v.text.clone())
        } else {
            a.text
                .strip_prefix("-o")
                .or_else(|| a.text.strip_prefix("--output="))
                .map(str::to_owned)
        };
        if let Some(cmd) = target.as_deref().and_then(|t| t.strip_prefix(['|', '!'])) {
            let c = Arg {
                text: cmd.to_owned(),
                at: None,
                ..a.clone()
            };
            shell_args::shell_arg(cx, &c, &Stream::default(), false);
        }
    }
    None
}

/// Handles `env -S 'cmd args'`: the words behind it are further arguments.
fn env_split(cx: &mut Engine<'_>, rest: &[Arg], stdin: &Stream) {
    let Some(spec) = cx.ctx().table.get("env") else {
        return;
    };
    let (call, _) = parse_args(spec, rest);
    let option = call
        .flags
        .iter()
        .find(|f| matches!(&*f.name, "-S" | "--split-string"));
    let Some(code) = option.and_then(|option| option.values.first()) else {
        return;
    };
    let further = call
        .rest
        .iter()
        .map(|a| crate::syntax::quote::quote(&a.text));
    let words: Vec<_> = ["env".to_owned(), code.text.clone()]
        .into_iter()
        .chain(further)
        .collect();
    let origin = StepOrigin::Wrapper;
    cx.run_text(
        &words.join(" "),
        Base::Fixed(code.span),
        origin,
        stdin,
        false,
    );
}
