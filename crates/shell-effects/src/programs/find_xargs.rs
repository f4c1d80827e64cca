//! Programs that run others on files or words: `find`, `xargs`, `parallel`.

use crate::calls::args::{is_single_unknown, is_unknown_word};
use crate::calls::shell_args;
use crate::calls::spec_eval::parse_args;
use crate::chars::{STAR, UNKNOWN, has_unknown};
use crate::effect::{Certainty, EffectKind, RiskLevel, Span, StepOrigin};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::syntax::parse::Base;

/// Splits text into words as xargs does: quotes and backslashes protect blanks.
fn unquoted_words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut cur: Option<String> = None;
    let mut quote = None;
    let mut it = text.chars();
    while let Some(c) = it.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), c) => cur.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                cur.get_or_insert_default();
            }
            (None, '\\') => cur.get_or_insert_default().extend(it.next()),
            (None, c) if c.is_whitespace() => out.extend(cur.take()),
            (None, c) => cur.get_or_insert_default().push(c),
        }
    }
    out.extend(cur);
    out
}

/// Returns the pattern of `-name`, as the last part of a path.
pub(crate) fn find_name(rest: &[Arg]) -> String {
    rest.iter()
        .position(|a| matches!(a.text.as_str(), "-name" | "-iname"))
        .and_then(|i| rest.get(i + 1))
        .map(|a| format!("/{}", a.text.replace('*', "\u{2}").replace('?', "\u{3}")))
        .unwrap_or_default()
}

pub(crate) fn find(cx: &mut Engine<'_>, rest: &[Arg], span: Span) {
    let mut starts: Vec<Arg> = Vec::new();
    let mut i = 0;
    // Options and starting points come first.
    while let Some(a) = rest.get(i) {
        let t = a.text.as_str();
        if matches!(t, "-H" | "-L" | "-P") {
            i += 1;
        } else if t == "-D" {
            i += 2;
        } else if t.starts_with('-') && t.len() > 1 || matches!(t, "(" | "!" | ")" | ",") {
            break;
        } else {
            starts.push(a.clone());
            i += 1;
        }
    }
    if starts.is_empty() {
        starts.push(Arg::literal(".", span));
    }
    if matches!(rest, [a] if matches!(a.text.as_str(), "--help" | "--version" | "-help" | "-version"))
    {
        return;
    }
    let known_start = starts.first().is_some_and(|s| !has_unknown(&s.text));
    for s in &starts {
        cx.path_stat(s);
        // A quoted word after a known starting point.
        if known_start && is_single_unknown(s) {
            cx.emit_raw(
                EffectKind::Dynamic,
                None,
                Certainty::Possible,
                s.span,
                RiskLevel::Medium,
                "a word that isn't known and may be an action",
            );
        }
        if is_unknown_word(s) && i < rest.len() {
            // A starting point in front of an expression.
            cx.emit_raw(
                EffectKind::Dynamic,
                None,
                Certainty::Possible,
                s.span,
                RiskLevel::Medium,
                "words that aren't known and may be an action",
            );
        } else if is_unknown_word(s) {
            cx.dynamic(s.span, "words that aren't known and may be an action");
        }
    }
    // `{}` is some path below the first starting point.
    let name = find_name(rest);
    let below = starts.first().map_or_else(
        || format!("./{STAR}"),
        |s| format!("{}/{STAR}{name}", s.text.trim_end_matches('/')),
    );
    while let Some(a) = rest.get(i) {
        let t = a.text.as_str();
        i += 1;
        match t {
            "-delete" => {
                for s in starts.clone() {
                    let target = Arg { span: a.span, ..s };
                    cx.path_delete(&target, true);
                }
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let from = i;
                while rest
                    .get(i)
                    .is_some_and(|w| w.text != ";" && !(w.text == "+" && i > from))
                {
                    i += 1;
                }
                let words = rest.get(from..i).unwrap_or_default();
                i += 1;
                let (dir, below) = if t.ends_with("dir") {
                    (true, format!("./{STAR}"))
                } else {
                    (false, below.clone())
                };
                let _ = dir;
                // Shell code that gets `{}` as a parameter sees a path. Pasted into the code,
                // it is unknown text.
                let args: Vec<Arg> = words
                    .iter()
                    .map(|w| {
                        if w.text.contains("{}") {
                            Arg {
                                text: w.text.replace("{}", &below),
                                at: None,
                                ..w.clone()
                            }
                        } else {
                            w.clone()
                        }
                    })
                    .collect();
                let whole = args.iter().fold(a.span, |s, w| s.join(w.span));
                if !args.is_empty() {
                    cx.wrapped(&args, &Stream::default(), false, whole);
                }
            }
            "-fprint" | "-fprint0" | "-fls" => {
                if let Some(f) = rest.get(i) {
                    let f = f.clone();
                    cx.path_write(&f);
                }
                i += 1;
            }
            "-fprintf" => {
                if let Some(f) = rest.get(i) {
                    let f = f.clone();
                    cx.path_write(&f);
                }
                i += 2;
            }
            "-files0-from" => i += 1,
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-iwholename" | "-regex"
            | "-iregex" | "-type" | "-xtype" | "-size" | "-mtime" | "-atime" | "-ctime"
            | "-mmin" | "-amin" | "-cmin" | "-newer" | "-anewer" | "-cnewer" | "-perm"
            | "-user" | "-group" | "-uid" | "-gid" | "-maxdepth" | "-mindepth" | "-depth_"
            | "-printf" | "-links" | "-inum" | "-samefile" | "-fstype" | "-lname" | "-ilname"
            | "-used" | "-regextype" | "-context" => i += 1,
            _ if t.starts_with("-newer") => i += 1,
            _ if has_unknown(t) => {
                cx.dynamic(a.span, "a part of the expression that isn't known");
            }
            _ => {}
        }
    }
}

pub(crate) fn xargs(cx: &mut Engine<'_>, rest: &[Arg], stdin: &Stream, span: Span) -> Stream {
    let ctx = cx.ctx();
    let Some(spec) = ctx.table.get("xargs") else {
        cx.dynamic(span, "the table has no entry for xargs");
        return Stream::unknown();
    };
    let (call, _) = parse_args(spec, rest);
    if call.help {
        return Stream::unknown();
    }
    let value = |names: &[&str]| {
        call.flags
            .iter()
            .rev()
            .find(|f| names.contains(&f.name.as_str()))
            .map(|f| {
                f.values
                    .first()
                    .map_or_else(|| "{}".to_owned(), |v| v.text.clone())
            })
    };
    let replace = value(&["-I", "-i", "--replace", "-J"]);
    if let Some(file) = call
        .flags
        .iter()
        .find(|f| matches!(f.name.as_str(), "-a" | "--arg-file"))
        .and_then(|f| f.values.first())
    {
        let f = file.clone();
        cx.path_read(&f);
    }
    let mut words = call.operands.clone();
    if words.is_empty() {
        words.push(Arg::literal("echo", span));
    }
    let text = stdin.text.clone().filter(|t| t.len() < 4096);
    let items: Vec<String> = match &text {
        Some(t) if replace.is_some() => t
            .lines()
            .map(|l| l.trim().to_owned())
            .filter(|l| !l.is_empty())
            .collect(),
        Some(t) => {
            let null = call.has("-0") || call.has("--null");
            let unq: Vec<String> = if null {
                // A NUL in the text may also be an unknown part.
                let unknown = t.contains(UNKNOWN).then(|| UNKNOWN.to_string());
                unknown
                    .into_iter()
                    .chain(t.split('\0').map(str::to_owned))
                    .collect()
            } else {
                unquoted_words(t)
            };
            unq.into_iter().filter(|w| !w.is_empty()).collect()
        }
        None => vec![UNKNOWN.to_string()],
    };
    let items: Vec<String> = items
        .into_iter()
        .map(|w| w.replace("./*", &format!("./{STAR}")))
        .collect();
    match replace {
        Some(mark) if !mark.is_empty() => {
            for item in items {
                let args: Vec<Arg> = words
                    .iter()
                    .map(|w| {
                        if w.text.contains(&mark) {
                            Arg {
                                text: w.text.replace(&mark, &item),
                                at: None,
                                obfuscated: w.obfuscated || stdin.obfuscated,
                                ..w.clone()
                            }
                        } else {
                            w.clone()
                        }
                    })
                    .collect();
                cx.wrapped(&args, &Stream::default(), false, span);
                if cx.is_spent(span) {
                    break;
                }
            }
        }
        _ => {
            for item in items {
                words.push(Arg {
                    text: item,
                    span,
                    obfuscated: stdin.obfuscated,
                    ..Arg::default()
                });
            }
            xargs_shell(cx, &words, span);
            cx.wrapped(&words, &Stream::default(), false, span);
        }
    }
    Stream::unknown()
}

/// `… | xargs sh -c`: the input is the code.
fn xargs_shell(cx: &mut Engine<'_>, words: &[Arg], span: Span) {
    if let [a, b, c, ..] = words
        && b.text == "-c"
        && c.text == "\0"
        && cx.table_name(&a.text).is_some()
    {
        cx.dynamic(span, "runs its input as code");
    }
}

pub(crate) fn parallel(cx: &mut Engine<'_>, rest: &[Arg], stdin: &Stream, span: Span) -> Stream {
    let ctx = cx.ctx();
    let Some(spec) = ctx.table.get("parallel") else {
        cx.dynamic(span, "the table has no entry for parallel");
        return Stream::unknown();
    };
    let (call, _) = parse_args(spec, rest);
    if call.help || call.is_dry() {
        return Stream::unknown();
    }
    let mut words: Vec<Arg> = Vec::new();
    let mut inputs: Vec<String> = Vec::new();
    let mut after = false;
    let mut files = false;
    for a in &call.operands {
        if matches!(a.text.as_str(), ":::" | ":::+" | "::::" | "::::+") {
            after = true;
            files = a.text.starts_with("::::");
            continue;
        }
        if files {
            cx.path_read(a);
            inputs.push(UNKNOWN.to_string());
        } else if after {
            inputs.push(a.text.clone());
        } else {
            words.push(a.clone());
        }
    }
    if let (false, Some(t)) = (after, &stdin.text) {
        inputs.extend(t.lines().map(str::to_owned));
    }
    if inputs.is_empty() {
        inputs.push(UNKNOWN.to_string());
    }
    if words.is_empty() {
        // The inputs are the commands.
        for line in inputs {
            shell_args::joined_shell(
                cx,
                &[Arg {
                    text: line,
                    span,
                    obfuscated: stdin.obfuscated,
                    ..Arg::default()
                }],
                &Stream::default(),
                false,
            );
        }
        return Stream::unknown();
    }
    let elsewhere = [
        "-S",
        "--sshlogin",
        "--slf",
        "--sshloginfile",
        "--ssh",
        "--onall",
        "--nonall",
    ];
    if elsewhere.iter().any(|flag| call.has(flag)) {
        cx.dynamic(span, "runs on other machines, or by a program of its own");
    }
    if words.iter().any(|w| w.text.contains("{=")) {
        cx.dynamic(span, "a replacement that is Perl code");
    }
    if words.iter().any(|w| w.text.contains(UNKNOWN)) {
        cx.emit_raw(
            EffectKind::Dynamic,
            None,
            Certainty::Possible,
            span,
            RiskLevel::Medium,
            "a word that isn't known and may be an expression of Perl",
        );
    }
    let placeholder = words.iter().any(|w| {
        w.text.contains("{}")
            || w.text.contains("{.}")
            || w.text.contains("{/}")
            || w.text.contains("{1}")
    });
    for item in inputs {
        if cx.is_spent(span) {
            break;
        }
        // An input is one word of the command. With `-q`, or with `{= =}`, it may become
        // several.
        let quoted = crate::syntax::quote::quote(&item);
        let mut readings = vec![&quoted];
        if quoted != item {
            readings.push(&item);
        }
        for item in readings {
            let mut text: Vec<String> = words
                .iter()
                .map(|w| {
                    let mut t = crate::chars::source(&w.text);
                    for mark in ["{}", "{.}", "{/}", "{//}", "{1}", "{2}"] {
                        t = t.replace(mark, item);
                    }
                    t
                })
                .collect();
            if !placeholder {
                text.push(item.clone());
            }
            cx.run_text(
                &text.join(" "),
                Base::Fixed(span),
                StepOrigin::Wrapper,
                &Stream::default(),
                false,
            );
        }
    }
    Stream::unknown()
}
