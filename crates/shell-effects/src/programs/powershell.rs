//! `pwsh` and `powershell`: their options, and the source of their code.

use super::{Family, Invocation};
use crate::chars::has_unknown;
use crate::code;
use crate::effect::{EffectKind, RiskLevel};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;

pub(super) const PROGRAMS: Family = &[(&["pwsh", "powershell", "pwsh-preview"], powershell)];

/// What an option means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Nothing,
    /// Takes a value without an effect.
    Value,
    Directory,
    Code,
    File,
    /// Hidden code, other configuration: not followed.
    Unknown,
}

/// Options in lower case with the shortest prefix that both programs accept.
const OPTIONS: [(&str, usize, Meaning); 20] = [
    ("noprofile", 3, Meaning::Nothing),
    ("noexit", 3, Meaning::Nothing),
    ("noninteractive", 4, Meaning::Nothing),
    ("nologo", 3, Meaning::Nothing),
    ("noprofileloadtime", 10, Meaning::Nothing),
    ("mta", 3, Meaning::Nothing),
    ("sta", 3, Meaning::Nothing),
    ("login", 1, Meaning::Nothing),
    ("executionpolicy", 2, Meaning::Value),
    ("ep", 2, Meaning::Value),
    ("inputformat", 2, Meaning::Value),
    ("if", 2, Meaning::Value),
    ("outputformat", 1, Meaning::Value),
    ("of", 2, Meaning::Value),
    ("windowstyle", 1, Meaning::Value),
    ("workingdirectory", 4, Meaning::Directory),
    ("wd", 2, Meaning::Directory),
    ("command", 1, Meaning::Code),
    ("file", 1, Meaning::File),
    ("", 0, Meaning::Unknown),
];

fn meaning(option: &str) -> Meaning {
    let name = option.to_ascii_lowercase();
    OPTIONS
        .iter()
        .find(|(full, least, _)| full.starts_with(&name) && name.len() >= *least)
        .map_or(Meaning::Unknown, |(_, _, meaning)| *meaning)
}

fn powershell(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation {
        name, rest, stdin, ..
    } = *call;
    let mut words = rest.iter().enumerate();
    let before = cx.clone_cwd();
    while let Some((at, word)) = words.next() {
        let after = rest.get(at + 1..).unwrap_or_default();
        let option = word.text.strip_prefix("--").or(word.text.strip_prefix('-'));
        let Some(option) = option.filter(|_| !has_unknown(&word.text)) else {
            // `powershell` takes a command, `pwsh` a file.
            let from = rest.get(at..).unwrap_or_default();
            if name == "powershell" {
                run_code(cx, from, stdin);
            } else if !word.text.is_empty() {
                run_file(cx, word, stdin);
            }
            cx.set_cwd(before);
            return Some(Stream::unknown());
        };
        match meaning(option) {
            Meaning::Nothing => {}
            Meaning::Value if !after.is_empty() => {
                words.next();
            }
            Meaning::Directory if !after.is_empty() => {
                words.next();
                if let Some(to) = after.first() {
                    cx.change_dir(&to.text);
                }
            }
            Meaning::Code if !after.is_empty() => {
                run_code(cx, after, stdin);
                cx.set_cwd(before);
                return Some(Stream::unknown());
            }
            Meaning::File if !after.is_empty() => {
                if let Some(file) = after.first() {
                    run_file(cx, file, stdin);
                }
                cx.set_cwd(before);
                return Some(Stream::unknown());
            }
            _ => {
                cx.set_cwd(before);
                // Its version and help, if nothing else is asked.
                return (rest.len() > 1).then(|| refuse(call, cx));
            }
        }
    }
    cx.set_cwd(before);
    if stdin.present {
        run_input(cx, call, stdin);
        return Some(Stream::unknown());
    }
    None
}

fn refuse(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Stream {
    cx.emit_raw(
        EffectKind::Unknown,
        Some(call.name.to_owned()),
        crate::effect::Certainty::Possible,
        call.span,
        RiskLevel::High,
        "options of PowerShell that aren't followed",
    );
    Stream::unknown()
}

fn run_input(cx: &mut Engine<'_>, call: &Invocation<'_>, stdin: &Stream) {
    let Some(text) = &stdin.text else {
        cx.dynamic(call.span, "text that isn't known is piped into PowerShell");
        return;
    };
    let code = Arg {
        obfuscated: stdin.obfuscated,
        ..Arg::literal(text.as_str(), call.span)
    };
    code::code(cx, "powershell", &code, &Stream::default());
}

/// Runs words as one command.
fn run_code(cx: &mut Engine<'_>, words: &[Arg], stdin: &Stream) {
    let Some(first) = words.first() else { return };
    let span = words
        .iter()
        .fold(first.span, |span, word| span.join(word.span));
    if first.text == "-" {
        if let Some(text) = stdin.text.clone().filter(|_| stdin.present) {
            let code = Arg {
                obfuscated: stdin.obfuscated,
                ..Arg::literal(text, span)
            };
            code::code(cx, "powershell", &code, &Stream::default());
        } else {
            cx.dynamic(span, "text that isn't known is piped into PowerShell");
        }
        return;
    }
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let code = Arg {
        obfuscated: words.iter().any(|word| word.obfuscated),
        ..Arg::literal(texts.join(" "), span)
    };
    code::code(cx, "powershell", &code, stdin);
}

fn run_file(cx: &mut Engine<'_>, file: &Arg, stdin: &Stream) {
    cx.script(file, "powershell", stdin);
}
