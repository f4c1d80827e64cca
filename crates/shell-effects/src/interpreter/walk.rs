//! Walks the syntax tree of a line: lists, pipelines, compound and simple commands.

use super::engine::{Engine, Stream};
use super::expand::{Arg, Var};
use crate::chars::{SAFE_UNKNOWN, UNKNOWN, has_unknown};
use crate::effect::{Certainty, EffectKind, RiskLevel, Span, StepOrigin};
use crate::paths::path::PathClass;
use crate::syntax::ast::{Assign, Command, Kind, List, Pipeline, Redir, RedirOp, Word};
use crate::syntax::parse::{self, Base};
use std::rc::Rc;

/// Maximum length in bytes of one text. Systems pass no longer one to a shell (Linux: 128 KiB), and
/// its tree takes many times as much memory.
const MAX_TEXT_BYTES: usize = 256 << 10;

/// Maximum number of input lines of a loop that are followed one by one.
const MAX_LINES: usize = 24;

impl Engine<'_> {
    /// Parses text as shell code and interprets it. `span` is the outer text that causes it.
    pub(crate) fn run_text(
        &mut self,
        text: &str,
        base: Base,
        origin: StepOrigin,
        stdin: &Stream,
        want: bool,
    ) -> Stream {
        let span = base.span(0, text.len());
        if self.work.is_too_deep() {
            self.dynamic(span, "code nested too deeply");
            return Stream::unknown();
        }
        if text.len() > MAX_TEXT_BYTES {
            self.sink.mark_truncated();
            self.refuse(span, "code of more than 256 KiB: it isn't analysed");
            return Stream::unknown();
        }
        self.burn(text.len() / 4 + 8);
        if self.is_spent(span) {
            return Stream::unknown();
        }
        self.work.enter();
        let mut fuel = self
            .work
            .fuel()
            .min(text.len().saturating_mul(40).saturating_add(400));
        let before = fuel;
        let parsed = parse::parse(text, base, 0, &mut fuel);
        self.burn((before - fuel) / 4);
        let out = match parsed {
            Ok(list) => {
                let saved = self.sink.set_origin(origin);
                let s = self.run_list(&list, stdin, want, None);
                self.sink.set_origin(saved);
                s
            }
            Err(e) => {
                if self.work.is_outermost() || matches!(base, Base::Offset(_)) {
                    self.sink.mark_unparsed();
                }
                let why = match e {
                    parse::ParseError::Refused(why) => why.to_owned(),
                    e => format!("not understood as a command line: {e}"),
                };
                self.emit_unknown(None, span, why);
                Stream::unknown()
            }
        };
        self.work.leave();
        out
    }

    /// Interprets a list. Returns its output if `want` is set and the output is known.
    pub(crate) fn run_list(
        &mut self,
        list: &List,
        stdin: &Stream,
        want: bool,
        sub: Option<Span>,
    ) -> Stream {
        let origin = self.sink.origin();
        if sub.is_some() {
            self.sink.set_origin(StepOrigin::Substitution);
        }
        let mut out = Stream {
            text: Some(String::new()),
            ..Stream::default()
        };
        for p in &list.items {
            if p.conditional {
                self.shell.enter_branch();
            }
            let s = self.run_pipeline(p, stdin, want);
            if p.conditional {
                self.shell.leave_branch();
            }
            if want {
                out.obfuscated |= s.obfuscated;
                match (&mut out.text, s.text) {
                    (Some(t), Some(u)) if t.len() + u.len() < 1 << 16 => t.push_str(&u),
                    _ => out.text = None,
                }
                out.present |= s.present;
            }
            if self.is_spent(p.span) {
                break;
            }
        }
        self.sink.set_origin(origin);
        if want { out } else { Stream::unknown() }
    }

    fn run_pipeline(&mut self, p: &Pipeline, stdin: &Stream, want: bool) -> Stream {
        if let [one] = p.commands.as_slice() {
            return self.run_command(one, stdin, want);
        }
        let mut input = stdin.clone();
        self.history.enter_pipeline();
        let last = p.commands.len().saturating_sub(1);
        for (i, c) in p.commands.iter().enumerate() {
            let saved = self.enter_subshell();
            let mut s = self.run_command(c, &input, want || i < last);
            self.leave_subshell(saved);
            s.present = true;
            if i < last {
                s.inline = false;
            }
            input = s;
        }
        input
    }

    pub(crate) fn run_command(&mut self, c: &Command, stdin: &Stream, want: bool) -> Stream {
        self.burn(4);
        if self.is_spent(c.span) {
            return Stream::unknown();
        }
        if let Kind::Simple { assigns, words } = &c.kind {
            return self.run_simple(assigns, words, &c.redirs, c.span, stdin, want);
        }
        let (input, output) = if c.redirs.is_empty() {
            (None, None)
        } else {
            self.redirections(&c.redirs, stdin, true)
        };
        let input = input.as_ref().unwrap_or(stdin);
        let want_inner = want || output.is_some();
        let s = self.run_compound(&c.kind, input, want_inner, c.span);
        if let Some(path) = output {
            self.history.write(path, s.text.clone());
        }
        s
    }

    fn run_compound(&mut self, kind: &Kind, input: &Stream, want: bool, span: Span) -> Stream {
        match kind {
            Kind::Simple { .. } => Stream::unknown(),
            Kind::Subshell(l) => {
                let saved = self.enter_subshell();
                let s = self.run_list(l, input, want, None);
                self.leave_subshell(saved);
                s
            }
            Kind::Group(l) => self.run_list(l, input, want, None),
            Kind::If(lists) => {
                self.shell.enter_branch();
                for l in lists {
                    self.run_list(l, input, false, None);
                }
                self.shell.leave_branch();
                Stream::unknown()
            }
            Kind::While(a, b) => {
                self.shell.enter_branch();
                // Assignments in the body make values unknown when the condition is evaluated
                // again. Each iteration reads a line; of many lines, any.
                let text = input.text.as_deref().unwrap_or_default();
                let lines = text.trim_end_matches('\n').matches('\n').count();
                let any = Stream::unknown();
                let mut rest = Some(text);
                let mut input = if lines > MAX_LINES { &any } else { input };
                let mut later;
                loop {
                    self.run_list(a, input, false, None);
                    self.run_list(b, input, false, None);
                    rest = rest.and_then(|text| Some(text.split_once('\n')?.1));
                    let Some(text) = rest.filter(|t| lines <= MAX_LINES && !t.is_empty()) else {
                        break;
                    };
                    later = Stream {
                        text: Some(text.to_owned()),
                        ..input.clone()
                    };
                    input = &later;
                }
                self.shell.leave_branch();
                Stream::unknown()
            }
            Kind::For { var, words, body } => {
                self.run_for(var, words.as_deref(), body, input, want)
            }
            Kind::ForArith(head, body) => {
                let (text, _) = self.text(head);
                self.arithmetic(&text, head.span);
                self.shell.enter_branch();
                // The counter is an unknown number.
                let name: String = text
                    .trim()
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                    .collect();
                if !name.is_empty() {
                    self.shell.set_var(
                        name,
                        Var {
                            text: SAFE_UNKNOWN.to_string(),
                            ..Var::default()
                        },
                    );
                }
                self.run_list(body, input, false, None);
                self.shell.leave_branch();
                Stream::unknown()
            }
            Kind::Case { word, arms } => {
                let _ = self.text(word);
                self.shell.enter_branch();
                for (pats, l) in arms {
                    for p in pats {
                        let _ = self.text(p);
                    }
                    self.run_list(l, input, false, None);
                }
                self.shell.leave_branch();
                Stream::unknown()
            }
            Kind::Function { name, body } => {
                self.shell.define(name.clone(), Rc::clone(body));
                // A function that is never called does nothing. But one that shadows a program is
                // called sooner or later, and the shell itself calls some names.
                if matches!(name.as_str(), "command_not_found_handle" | ":") || name == "cd" {
                    self.call_function(name, &[], input, false, span);
                }
                Stream::known("")
            }
            Kind::Cond(words) => {
                let texts: Vec<(String, Span)> =
                    words.iter().map(|w| (self.text(w).0, w.span)).collect();
                self.arithmetic_test(&texts);
                for pair in texts.windows(2) {
                    if let [(op, _), (name, span)] = pair
                        && op == "-v"
                    {
                        self.subscript(&Arg::literal(name.as_str(), *span));
                    }
                }
                Stream::known("")
            }
            Kind::Arith(w) => {
                let _ = self.arith_value(w);
                Stream::known("")
            }
            Kind::Coproc(c) => {
                self.run_command(c, &Stream::unknown(), false);
                Stream::unknown()
            }
        }
    }

    fn run_for(
        &mut self,
        var: &str,
        words: Option<&[Word]>,
        body: &List,
        input: &Stream,
        want: bool,
    ) -> Stream {
        let mut items = Vec::new();
        match words {
            Some(ws) => {
                for w in ws {
                    self.fields(w, &mut items);
                }
            }
            None => items.push(Arg::literal(UNKNOWN.to_string(), Span::default())),
        }
        let mut out = Stream {
            text: Some(String::new()),
            ..Stream::default()
        };
        // Few values are followed one by one; more are replaced by one unknown value.
        let many = items.len() > 24;
        if many {
            let safe = items.iter().all(|a| {
                !has_unknown(&a.text) && !a.text.contains('/') && !a.text.starts_with('-')
            });
            let mark = if safe { SAFE_UNKNOWN } else { UNKNOWN };
            items.truncate(1);
            if let Some(a) = items.first_mut() {
                a.text = mark.to_string();
            }
            out.text = None;
        }
        for item in items {
            let value = Var {
                text: item.text,
                array: None,
                obfuscated: item.obfuscated,
                computed: false,
            };
            self.store(var.to_owned(), value, item.span);
            let s = self.run_list(body, input, want, None);
            out.obfuscated |= s.obfuscated;
            match (&mut out.text, s.text) {
                (Some(t), Some(u)) if t.len() + u.len() < 1 << 16 => t.push_str(&u),
                _ => out.text = None,
            }
            if self.is_spent(item.span) {
                break;
            }
        }
        out
    }

    pub(crate) fn call_function(
        &mut self,
        name: &str,
        args: &[Arg],
        stdin: &Stream,
        want: bool,
        span: Span,
    ) -> Stream {
        let Some(body) = self.shell.function(name) else {
            return Stream::unknown();
        };
        if self.work.is_too_deep() {
            // Endless recursion, as in a fork bomb.
            self.emit_raw(
                EffectKind::Process,
                None,
                Certainty::Possible,
                span,
                RiskLevel::High,
                "the function calls itself without end",
            );
            return Stream::unknown();
        }
        self.work.enter();
        self.shell
            .push_params(args.iter().map(|a| a.text.clone()).collect());
        let origin = self.sink.set_origin(StepOrigin::Function);
        let s = self.run_command(&body, stdin, want);
        self.sink.set_origin(origin);
        self.shell.pop_params();
        self.work.leave();
        s
    }

    fn run_simple(
        &mut self,
        assigns: &[Assign],
        words: &[Word],
        redirs: &[Redir],
        span: Span,
        stdin: &Stream,
        want: bool,
    ) -> Stream {
        let mut args: Vec<Arg> = Vec::with_capacity(words.len() + 2);
        for w in words {
            self.fields(w, &mut args);
        }
        let program_assigns = !words.is_empty() && assigns.first().is_some_and(|a| !a.declared);
        let mut shadow = Vec::new();
        let refers = assigns.iter().any(|a| a.declared) && self.declare_assignments(&args, assigns);
        for a in assigns.iter().filter(|a| !(refers && a.declared)) {
            if program_assigns && !a.declared {
                shadow.push((a.name.clone(), self.shell.var(&a.name).cloned()));
            }
            self.assign(a, program_assigns && !a.declared);
        }
        let silent = args.is_empty() && words.is_empty();
        let (input, output) = if redirs.is_empty() {
            (None, None)
        } else {
            self.redirections(redirs, stdin, !silent)
        };
        if let (Some(i), [only]) = (&input, args.as_slice())
            && only.text == "exec"
        {
            self.shell.set_input(i.clone());
        }
        let input = input.as_ref().unwrap_or(stdin);
        let out = if args.is_empty() {
            if silent && redirs.iter().any(|r| r.op == RedirOp::Read) {
                // `$(< file)`
                Stream::unknown()
            } else {
                Stream {
                    text: Some(String::new()),
                    ..Stream::default()
                }
            }
        } else {
            self.run_args(&args, input, want || output.is_some(), span)
        };
        for (name, old) in shadow {
            match old {
                Some(v) => self.shell.set_var(name, v),
                None => self.shell.remove_var(&name),
            };
        }
        if let Some(path) = output {
            self.note_emptied(&path, &out, redirs, span);
            let append = redirs.iter().any(|r| r.op == RedirOp::Append);
            let text = match (append, self.history.text_of(&path), &out.text) {
                (true, Some(old), Some(new)) => Some(format!("{old}{new}")),
                // The previous content isn't known; in the work tree it is code of the project.
                (true, None, _) if !self.history.has_written(&path) && !self.is_inside(&path) => {
                    None
                }
                (_, _, new) => new.clone(),
            };
            self.history.write(path, text);
            return Stream {
                text: Some(String::new()),
                present: true,
                ..Stream::default()
            };
        }
        out
    }

    fn is_inside(&self, path: &str) -> bool {
        self.classify(path).class == PathClass::Inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Table, analyse};

    #[test]
    fn code_that_is_too_long_is_of_high_risk() {
        let table = Table::builtin();
        let context = Context::new(&table);
        let lines = |bytes: usize| "ls\n".repeat(bytes / 3);
        let short = analyse(&lines(MAX_TEXT_BYTES), &context);
        assert_eq!((short.risk, short.unparsed), (RiskLevel::Low, false));
        for text in [
            lines(MAX_TEXT_BYTES + 3),
            format!("bash -c '{}'", lines(MAX_TEXT_BYTES)),
            format!("ls {}", "a".repeat(MAX_TEXT_BYTES)),
        ] {
            let long = analyse(&text, &context);
            assert_eq!(
                (long.risk, long.unparsed, long.truncated),
                (RiskLevel::High, true, true),
                "{}",
                text.len()
            );
        }
    }
}
