//! Commands of the vim editor.

use crate::calls::shell_args;
use crate::chars::show;
use crate::effect::{Certainty, EffectKind, RiskLevel, Span};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;

pub(super) fn vim_code(cx: &mut Engine<'_>, arg: &Arg) {
    let t = arg.text.trim_start_matches([':', '+', ' ', '%']);
    let reads = t.strip_prefix("r!").or_else(|| t.strip_prefix("r !"));
    let filters = t.strip_prefix('!').or_else(|| t.strip_prefix("w !"));
    if let Some(cmd) = reads.or(filters) {
        // With a range, and after `w`, the command gets the lines of the file as input.
        let before = arg.text.split('!').next().unwrap_or_default();
        let fed = reads.is_none() && before.contains(['%', 'w']);
        let stdin = if fed {
            Stream::unknown()
        } else {
            Stream::default()
        };
        shell_args::shell_arg(cx, &Arg::literal(cmd, arg.span), &stdin, false);
        return;
    }
    for command in arg.text.split(['|', '\n']) {
        vim_file(cx, command, arg.span);
    }
    // Deleting every line empties the file once it is saved.
    if arg.text.split(['|', '\n']).any(|c| {
        matches!(
            c.trim_start_matches([':', ' ']).trim_end(),
            "%d" | "%d _" | "%delete" | "1,$d" | ",d" | "g/^/d" | "%!true"
        )
    }) {
        cx.emit_raw(
            EffectKind::Delete,
            None,
            Certainty::Possible,
            arg.span,
            RiskLevel::High,
            "the editor empties the file",
        );
    }
    if !arg.text.split(['|', '\n']).all(only_edits) {
        cx.emit_raw(
            EffectKind::Dynamic,
            Some(show(t)),
            Certainty::Possible,
            arg.span,
            RiskLevel::High,
            "the editor runs commands",
        );
    }
}

/// Handles commands that write, open or run a file.
fn vim_file(cx: &mut Engine<'_>, command: &str, span: Span) {
    let command = command.trim_start_matches([':', '+', ' ', '%', '$', ',', '.', '1']);
    let Some((verb, file)) = command.split_once(' ') else {
        return;
    };
    let file = file.trim_start_matches(['>', ' ']).trim();
    if file.is_empty() || file.starts_with(['!', '+']) {
        return;
    }
    let target = Arg::literal(file, span);
    match verb.trim_end_matches('!') {
        "w" | "write" | "wq" | "x" | "xit" | "sav" | "saveas" | "up" | "update" | "f" | "file" => {
            cx.path_write(&target);
        }
        "e" | "edit" | "r" | "read" | "sp" | "split" | "vs" | "vsplit" | "new" | "tabe"
        | "tabedit" | "tabnew" | "view" | "vie" => {
            cx.path_read(&target);
        }
        "so" | "source" | "ru" | "runtime" | "luafile" | "luaf" | "pyfile" | "pyf" | "py3file" => {
            cx.script(&target, "vim", &Stream::default());
            cx.dynamic(span, "the editor runs a file of commands");
        }
        _ => {}
    }
}

/// Returns whether a command only shows or changes text.
fn only_edits(command: &str) -> bool {
    let command = command.trim();
    let bare = command
        .trim_start_matches([':', '+', ' ', '%', '$', ',', '.', '\'', '<', '>'])
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start_matches([',', '$', '.'])
        .trim_start_matches(|c: char| c.is_ascii_digit());
    let end = bare
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(bare.len());
    let (verb, rest) = bare.split_at(end);
    let calls = rest.contains(['!', '`', '(', '=']);
    match verb {
        // A search, or a line number.
        "" => rest.is_empty() || rest.starts_with(['/', '?']),
        "q" | "qa" | "quit" | "qall" | "wq" | "wqa" | "x" | "xa" | "w" | "wa" | "write" | "up"
        | "update" | "e" | "edit" | "r" | "read" | "sp" | "vs" | "split" | "vsplit" | "new"
        | "p" | "print" | "nu" | "number" | "l" | "list" | "d" | "delete" | "y" | "yank" | "j"
        | "join" | "m" | "move" | "t" | "co" | "copy" | "ret" | "retab" | "sort" | "noh"
        | "nohlsearch" | "u" | "undo" | "f" | "file" | "saveas" | "sav" | "bn" | "bp" | "view"
        | "wqall" | "xit" | "xall" | "tabe" | "tabedit" | "tabnew" => {
            !rest.trim_start_matches('!').contains(['!', '`'])
        }
        "s" | "substitute" => !rest.contains("\\=") && !rest.contains('!'),
        "g" | "global" | "v" | "vglobal" => {
            let mut parts = rest.splitn(3, rest.chars().next().unwrap_or('/'));
            parts
                .nth(2)
                .is_some_and(|then| then.trim().is_empty() || only_edits(then))
        }
        "set" | "se" | "setlocal" | "setl" => {
            const DISPLAY_COMMANDS: [&str; 27] = [
                "nu",
                "number",
                "rnu",
                "list",
                "ff",
                "fileformat",
                "fenc",
                "fileencoding",
                "et",
                "expandtab",
                "ts",
                "tabstop",
                "sw",
                "shiftwidth",
                "sts",
                "wrap",
                "ic",
                "hls",
                "ft",
                "filetype",
                "tw",
                "textwidth",
                "more",
                "swapfile",
                "bomb",
                "eol",
                "paste",
            ];
            rest.split_whitespace().all(|option| {
                let name = option.split(['=', '?', '&']).next().unwrap_or_default();
                DISPLAY_COMMANDS.contains(&name)
                    || DISPLAY_COMMANDS.contains(&name.strip_prefix("no").unwrap_or("-"))
            })
        }
        "syntax" | "syn" => matches!(rest.trim(), "on" | "off"),
        "echo" | "echom" => !calls,
        _ => false,
    }
}
