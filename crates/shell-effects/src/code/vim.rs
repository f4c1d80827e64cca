//! Commands of the editor vim.

use super::super::chars::show;
use super::super::effect::{Certainty, EffectKind, RiskLevel, Span};
use super::super::engine::{Engine, Stream};
use super::super::expand::Arg;

impl Engine<'_> {
    pub(super) fn vim_code(&mut self, arg: &Arg) {
        let t = arg.text.trim_start_matches([':', '+', ' ', '%']);
        let reads = t.strip_prefix("r!").or_else(|| t.strip_prefix("r !"));
        let filters = t.strip_prefix('!').or_else(|| t.strip_prefix("w !"));
        if let Some(cmd) = reads.or(filters) {
            // With a range, and behind `w`, the lines of the file are what the command gets.
            let before = arg.text.split('!').next().unwrap_or_default();
            let fed = reads.is_none() && before.contains(['%', 'w']);
            let stdin = if fed {
                Stream::unknown()
            } else {
                Stream::default()
            };
            self.shell_arg(&Arg::literal(cmd, arg.span), &stdin, false);
            return;
        }
        for command in arg.text.split(['|', '\n']) {
            self.vim_file(command, arg.span);
        }
        // Every line gone: the file is as good as deleted once it is saved.
        if arg.text.split(['|', '\n']).any(|c| {
            matches!(
                c.trim_start_matches([':', ' ']).trim_end(),
                "%d" | "%d _" | "%delete" | "1,$d" | ",d" | "g/^/d" | "%!true"
            )
        }) {
            self.emit_raw(
                EffectKind::Delete,
                None,
                Certainty::Possible,
                arg.span,
                RiskLevel::High,
                "the editor empties the file",
            );
        }
        let risky = [
            "system(",
            "!",
            "call ",
            "source",
            "py",
            "lua",
            "ruby",
            "perl",
            "exe",
            "term",
            "delete(",
            "writefile",
            "job_start",
        ];
        if risky.iter().any(|r| t.contains(r)) && !matches!(t, "q!" | "qa!" | "wq!" | "wqa!" | "x!")
        {
            self.emit_raw(
                EffectKind::Dynamic,
                Some(show(t)),
                Certainty::Possible,
                arg.span,
                RiskLevel::High,
                "the editor runs commands",
            );
        }
    }

    /// Commands of the editor that take a file: written, opened, or run.
    fn vim_file(&mut self, command: &str, span: Span) {
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
            "w" | "write" | "wq" | "x" | "xit" | "sav" | "saveas" | "up" | "update" | "f"
            | "file" => self.path_write(&target),
            "e" | "edit" | "r" | "read" | "sp" | "split" | "vs" | "vsplit" | "new" | "tabe"
            | "tabedit" | "tabnew" | "view" | "vie" => {
                self.path_read(&target);
            }
            "so" | "source" | "ru" | "runtime" | "luafile" | "luaf" | "pyfile" | "pyf"
            | "py3file" => {
                self.script(&target, "vim", &Stream::default());
                self.dynamic(span, "the editor runs a file of commands");
            }
            _ => {}
        }
    }
}
