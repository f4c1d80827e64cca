//! Programs that run others on files or words: `find`, `xargs`, `parallel`.

use super::search::{Search, start_of_find};
use crate::calls::args::{is_single_unknown, is_unknown_word};
use crate::calls::shell_args;
use crate::calls::spec_eval::parse_args;
use crate::chars::{STAR, UNKNOWN, has_unknown};
use crate::effect::{Certainty, EffectKind, RiskLevel, Span, StepOrigin};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::syntax::parse::Base;

/// How xargs splits its input into items.
#[derive(Clone, Copy, PartialEq)]
enum Split {
    /// At blanks; quotes and backslashes protect them.
    Blanks,
    /// At line ends, without the blanks before a line; quotes and backslashes count.
    Lines,
    /// At a character; nothing is special.
    At(char),
}

/// Splits text into items as xargs does.
fn split_items(text: &str, split: Split) -> Vec<String> {
    if let Split::At(delimiter) = split {
        // An unknown part of the text may contain the delimiter.
        let unknown = text.contains(UNKNOWN).then(|| UNKNOWN.to_string());
        // Texts have a replacement character for NUL, and searches print lines.
        let ends = |c| c == delimiter || delimiter == '\0' && matches!(c, '\u{fffd}' | '\n');
        let items = text.split(ends).filter(|item| !item.is_empty());
        return unknown
            .into_iter()
            .chain(items.map(str::to_owned))
            .collect();
    }
    let mut out = Vec::new();
    let mut cur: Option<String> = None;
    let mut quote = None;
    let mut it = text.chars();
    while let Some(c) = it.next() {
        let ends = matches!(c, '\n' | '\u{fffd}') || split == Split::Blanks && c.is_whitespace();
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), c) => cur.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                cur.get_or_insert_default();
            }
            (None, '\\') => cur.get_or_insert_default().extend(it.next()),
            (None, _) if ends => out.extend(cur.take()),
            (None, c) if cur.is_none() && c.is_whitespace() => {}
            (None, c) => cur.get_or_insert_default().push(c),
        }
    }
    out.extend(cur);
    out.retain(|item| !item.is_empty());
    out
}

/// Returns the character that `-d` names: itself or an escape, as in C.
fn delimiter(value: &str) -> Option<char> {
    let mut chars = value.chars();
    match (chars.next()?, chars.as_str()) {
        (UNKNOWN, _) => None,
        (c, "") => Some(c),
        ('\\', "n") => Some('\n'),
        ('\\', "t") => Some('\t'),
        ('\\', "0") => Some('\0'),
        ('\\', "r") => Some('\r'),
        ('\\', "\\") => Some('\\'),
        ('\\', hex) if hex.starts_with('x') => {
            u8::from_str_radix(hex.get(1..)?, 16).ok().map(char::from)
        }
        ('\\', octal) => u8::from_str_radix(octal, 8).ok().map(char::from),
        _ => None,
    }
}

pub(crate) fn find(cx: &mut Engine<'_>, rest: &[Arg], span: Span) {
    let search = Search::of_find(rest);
    let (mut starts, mut i) = start_of_find(rest);
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
                // Shell code that gets `{}` as a parameter sees a path. Pasted into the code,
                // it is unknown text.
                for result in search.results(cx) {
                    let args: Vec<Arg> = words
                        .iter()
                        .map(|w| {
                            if w.text.contains("{}") {
                                Arg {
                                    text: w.text.replace("{}", &result),
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
                    if cx.is_spent(span) {
                        break;
                    }
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
                    cx.path_write(f);
                }
                i += 2;
            }
            "-files0-from" => {
                if let Some(f) = rest.get(i) {
                    cx.path_read(f);
                }
                i += 1;
            }
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
    let from_file = call.has("-a") || call.has("--arg-file");
    let text = stdin.text.clone().filter(|t| t.len() < 4096 && !from_file);
    let split = if call.has("-0") || call.has("--null") {
        Some(Split::At('\0'))
    } else if let Some(named) = value(&["-d", "--delimiter"]) {
        delimiter(&named).map(Split::At)
    } else if replace.is_some() {
        Some(Split::Lines)
    } else {
        Some(Split::Blanks)
    };
    let items: Vec<String> = match (&text, split) {
        (Some(t), Some(split)) => split_items(t, split),
        _ => vec![UNKNOWN.to_string()],
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
            // Each run gets so many items. By lines, a run may get any number of them.
            let count = value(&["-n", "--max-args"]).and_then(|n| n.trim().parse().ok());
            let by_lines = ["-L", "-l", "--max-lines"].iter().any(|f| call.has(f));
            let most = count.unwrap_or(usize::MAX).max(1);
            let most = if by_lines || value(&["-n", "--max-args"]).is_some() && count.is_none() {
                1
            } else {
                most
            };
            let mut runs: Vec<&[String]> = items.chunks(most.min(items.len().max(1))).collect();
            if runs.is_empty() || by_lines && items.len() > 1 {
                runs.push(&items);
            }
            for run in runs {
                let mut args = words.clone();
                args.extend(run.iter().map(|item| Arg {
                    text: item.clone(),
                    span,
                    obfuscated: stdin.obfuscated,
                    ..Arg::default()
                }));
                xargs_shell(cx, &args, span);
                cx.wrapped(&args, &Stream::default(), false, span);
                if cx.is_spent(span) {
                    break;
                }
            }
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

/// The separator of columns that `parallel --colsep` names.
enum Columns {
    At(char),
    Blanks,
    Unknown,
}

impl Columns {
    /// Reads the separator, a regular expression of Perl.
    fn new(pattern: &str) -> Self {
        let mut chars = pattern.chars();
        match (chars.next(), chars.as_str()) {
            (Some(c), "") if !".^$*+?()[]{}|\\".contains(c) && c != UNKNOWN => Self::At(c),
            (Some('\\'), "t") => Self::At('\t'),
            (Some('\\'), "|" | "." | "+" | "*" | "?" | "^" | "$") => {
                pattern.chars().last().map_or(Self::Unknown, Self::At)
            }
            (Some('\\'), "s" | "s+") | (Some(' '), "+") => Self::Blanks,
            _ => Self::Unknown,
        }
    }

    fn split(&self, item: &str) -> Vec<String> {
        match self {
            Self::At(c) => item.split(*c).map(str::to_owned).collect(),
            Self::Blanks => item.split_whitespace().map(str::to_owned).collect(),
            Self::Unknown => vec![UNKNOWN.to_string(); 16],
        }
    }
}

/// Replaces `{1}`, `{2.}`, `{3/}` by what `of` returns for the number; says whether there was one.
fn with_positions(text: &str, of: impl Fn(usize) -> String) -> (String, bool) {
    let (mut out, mut rest, mut found) = (String::new(), text, false);
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let inside = after.split_once('}');
        let number = inside.and_then(|(inside, _)| {
            let digits = inside.trim_start_matches('-').trim_end_matches(['.', '/']);
            digits.parse::<usize>().ok()
        });
        rest = if let (Some((_, behind)), Some(number)) = (inside, number) {
            out.push_str(&of(number));
            found = true;
            behind
        } else {
            out.push('{');
            after
        };
    }
    out.push_str(rest);
    (out, found)
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
    let value = |names: &[&str]| {
        let flag = call.flags.iter().rev();
        let mut flag = flag.filter(|f| names.contains(&f.name.as_str()));
        flag.next()
            .map(|f| f.values.first().map_or("", |v| v.text.as_str()))
    };
    if call.has("-a") || call.has("--arg-file") {
        inputs.push(UNKNOWN.to_string());
    } else if let (false, Some(t)) = (after, &stdin.text) {
        match value(&["-d", "--delimiter"]).map(delimiter) {
            Some(Some(c)) => inputs.extend(split_items(t, Split::At(c))),
            Some(None) => inputs.push(UNKNOWN.to_string()),
            None => inputs.extend(t.lines().map(str::to_owned)),
        }
    }
    if inputs.is_empty() {
        inputs.push(UNKNOWN.to_string());
    }
    let pipes = ["--pipe", "--pipepart", "--spreadstdin", "--pipe-part"];
    if !words.is_empty() && pipes.iter().any(|flag| call.has(flag)) {
        // The command reads the input.
        let input = if stdin.present && !call.has("-a") {
            stdin.clone()
        } else {
            Stream::unknown()
        };
        shell_args::joined_shell(cx, &words, &input, false);
        return Stream::unknown();
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
    let marks: Vec<&str> = ["{}", "{.}", "{/}", "{//}", "{/.}"]
        .into_iter()
        .chain(value(&["-I"]).filter(|mark| !mark.is_empty()))
        .collect();
    let per_run = value(&["-N", "-n", "--max-args", "--max-replace-args"]);
    let per_run = per_run.map(|n| n.trim().parse::<usize>().unwrap_or(1).max(1));
    let columns = value(&["-C", "--colsep"]).map(Columns::new);
    for run in inputs.chunks(per_run.unwrap_or(1)) {
        if cx.is_spent(span) {
            break;
        }
        let item = run.join(" ");
        let numbered = match (&columns, per_run) {
            (Some(columns), _) => Some(columns.split(&item)),
            (None, Some(_)) => Some(run.to_vec()),
            (None, None) => None,
        };
        // An input is one word of the command. With `-q`, or with `{= =}`, it may become
        // several.
        for quoted in [true, false] {
            let word = |text: &str| {
                if quoted {
                    crate::syntax::quote::quote(text)
                } else {
                    text.to_owned()
                }
            };
            let mut placed = false;
            let mut text: Vec<String> = words
                .iter()
                .map(|w| {
                    let (mut t, found) =
                        with_positions(&crate::chars::source(&w.text), |position| {
                            word(match &numbered {
                                Some(columns) => position
                                    .checked_sub(1)
                                    .and_then(|p| columns.get(p))
                                    .map_or("", String::as_str),
                                None => &item,
                            })
                        });
                    placed |= found;
                    for mark in &marks {
                        placed |= t.contains(mark);
                        t = t.replace(mark, &word(&item));
                    }
                    t
                })
                .collect();
            if !placed {
                text.extend(run.iter().map(|item| word(item)));
            }
            cx.run_text(
                &text.join(" "),
                Base::Fixed(span),
                StepOrigin::Wrapper,
                &Stream::default(),
                false,
            );
            if !quoted || word(&item) == item {
                break;
            }
        }
    }
    Stream::unknown()
}
