//! The builtins that print: `echo` and `printf`.

use super::engine::{Engine, Stream};
use super::expand::{Arg, Var};
use crate::chars::{UNKNOWN, has_unknown};
use crate::effect::{Certainty, EffectKind, RiskLevel};

impl Engine<'_> {
    /// Adds an effect for a printed secret (`echo "$DB_PASSWORD"`): it ends in a log or in the
    /// input of another program.
    pub(crate) fn prints_secret(&mut self, args: &[Arg]) {
        if let Some(arg) = args.iter().find(|a| a.secret) {
            self.emit_raw(
                EffectKind::Credential,
                None,
                Certainty::Possible,
                arg.span,
                RiskLevel::High,
                "prints a variable that holds a secret",
            );
        }
    }

    pub(crate) fn echo(rest: &[Arg]) -> Stream {
        let mut escapes = false;
        let mut newline = true;
        let mut i = 0;
        while let Some(a) = rest.get(i) {
            let Some(f) = a.text.strip_prefix('-') else {
                break;
            };
            if f.is_empty() || !f.chars().all(|c| matches!(c, 'n' | 'e' | 'E')) {
                break;
            }
            for c in f.chars() {
                match c {
                    'n' => newline = false,
                    'e' => escapes = true,
                    _ => escapes = false,
                }
            }
            i += 1;
        }
        let words = rest.get(i..).unwrap_or_default();
        let mut text = String::new();
        let mut obfuscated = false;
        for (k, a) in words.iter().enumerate() {
            if k > 0 {
                text.push(' ');
            }
            obfuscated |= a.obfuscated;
            if escapes {
                let (t, hidden) = crate::syntax::escapes::echo(&a.text);
                obfuscated |= hidden;
                text.push_str(&t);
            } else {
                text.push_str(&a.text);
            }
        }
        if newline {
            text.push('\n');
        }
        Stream {
            text: Some(crate::chars::source(&text)),
            present: true,
            obfuscated,
            inline: false,
        }
    }

    pub(crate) fn printf(&mut self, rest: &[Arg]) -> Stream {
        let mut words = rest;
        let variable = match words {
            [flag, var, tail @ ..] if flag.text == "-v" => Some((var.clone(), tail)),
            [flag, tail @ ..] => flag.text.strip_prefix("-v").map(|name| {
                let name = name.to_owned();
                let var = Arg {
                    text: name,
                    ..flag.clone()
                };
                (var, tail)
            }),
            [] => None,
        };
        if let Some((var, tail)) = variable {
            let var = &var;
            self.subscript(var);
            if has_unknown(&var.text) {
                self.dynamic(var.span, "sets a variable whose name isn't known");
            }
            let s = self.printf(tail);
            let text = s.text.unwrap_or_else(|| UNKNOWN.to_string());
            let value = Var {
                text,
                array: None,
                obfuscated: s.obfuscated,
                computed: false,
            };
            self.store(var.text.clone(), value, var.span);
            return Stream::known("");
        }
        if words.first().is_some_and(|a| a.text == "--") {
            words = words.get(1..).unwrap_or_default();
        }
        let Some((format, args)) = words.split_first() else {
            return Stream::known("");
        };
        let mut obfuscated = words.iter().any(|a| a.obfuscated);
        let mut out = String::new();
        let mut args = args.iter();
        let mut used = true;
        // The format is reused while arguments are left.
        while used {
            used = false;
            let mut it = format.text.chars().peekable();
            let mut plain = String::new();
            while let Some(c) = it.next() {
                if c != '%' {
                    plain.push(c);
                    continue;
                }
                if it.peek() == Some(&'%') {
                    it.next();
                    plain.push('%');
                    continue;
                }
                let (t, hidden) = crate::syntax::escapes::echo(&plain);
                obfuscated |= hidden;
                out.push_str(&t);
                plain.clear();
                let mut cut = false;
                while let Some(c) =
                    it.next_if(|c| matches!(c, '-' | '+' | ' ' | '#' | '0'..='9' | '.' | '*'))
                {
                    cut |= c == '.';
                }
                let conv = it.next().unwrap_or('s');
                let arg = args.next();
                used |= arg.is_some();
                let v = arg.map(|a| a.text.as_str()).unwrap_or_default();
                match conv {
                    'b' => {
                        let (t, hidden) = crate::syntax::escapes::echo(v);
                        obfuscated |= hidden;
                        out.push_str(&t);
                    }
                    'd' | 'i' | 'u' if v.is_empty() => out.push('0'),
                    'c' => out.extend(v.chars().next()),
                    'x' | 'X' | 'o' => {
                        out.push(crate::chars::SAFE_UNKNOWN);
                    }
                    '(' => {
                        let format: String = it.by_ref().take_while(|c| *c != ')').collect();
                        it.next();
                        out.push_str(&crate::programs::program_output::time(&format));
                    }
                    // A precision prints only the beginning.
                    's' | 'q' if cut => {
                        obfuscated = true;
                        out.push(UNKNOWN);
                    }
                    'q' => out.push_str(&crate::syntax::quote::quote(v)),
                    _ => out.push_str(v),
                }
            }
            let (t, hidden) = crate::syntax::escapes::echo(&plain);
            obfuscated |= hidden;
            out.push_str(&t);
            if out.len() > 1 << 16 {
                return Stream::unknown();
            }
            if args.len() == 0 {
                break;
            }
        }
        if out.contains('\0') && out.trim_matches('\n') == "\0" {
            return Stream {
                text: Some(out),
                present: true,
                obfuscated,
                inline: false,
            };
        }
        Stream {
            text: Some(crate::chars::source(&out)),
            present: true,
            obfuscated,
            inline: false,
        }
    }
}
