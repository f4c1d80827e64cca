//! Interprets the syntax tree and collects the effects of each command.
//!
//! The interpretation is abstract: it follows variables, functions, aliases, the current directory
//! and files written by the line, as far as they are known. All work is paid from `fuel`. When it
//! is spent, the line counts as not understood.

use super::expand::{Arg, Var};
use super::shell_state::{Shell, ShellSnapshot};
use super::sink::Sink;
use super::work::Work;
use crate::Context;
use crate::chars::{UNKNOWN, has_unknown, show};
use crate::effect::{Analysis, Certainty, Effect, EffectKind, RiskLevel, Span, StepOrigin};
use crate::paths::links::Links;
use crate::syntax::ast::{Assign, Command, Kind, List, Pipeline, Redir, RedirOp};
use crate::syntax::parse::{self, Base};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Maximum length in bytes of one text. Systems pass no longer one to a shell (Linux: 128 KiB), and
/// its tree takes many times as much memory.
const MAX_TEXT_BYTES: usize = 256 << 10;

/// The content of a pipe or of standard input.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stream {
    /// The text, if it is known.
    pub text: Option<String>,
    /// Whether there is input at all (a pipe, a file, a here-document).
    pub present: bool,
    /// Whether the text went through a decoder.
    pub obfuscated: bool,
    /// Whether it is only data written in the line: a here-document or here-string.
    pub inline: bool,
}

impl Stream {
    pub(crate) fn unknown() -> Self {
        Self {
            present: true,
            ..Self::default()
        }
    }

    pub(crate) fn known(text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            present: true,
            ..Self::default()
        }
    }
}

pub(crate) struct Engine<'a> {
    pub ctx: &'a Context<'a>,
    pub sink: Sink,
    pub work: Work,
    pub shell: Shell<'a>,
    /// Files that the line itself writes, with their text where it is known.
    pub files: HashMap<String, Option<String>>,
    /// Whether paths are on another machine.
    pub remote: bool,
    /// Whether paths are names in a diff, to which no shell expansion applies.
    pub literal_paths: bool,
    /// Whether the other machine is a container on this one.
    pub container: bool,
    /// Whether the line has downloaded files.
    pub downloaded: bool,
    /// Files of the work tree that the line has edited in place.
    pub edited: HashSet<String>,
    /// Files edited exactly once, with a script whose text contains no acting name.
    pub edited_once: HashSet<String>,
    /// The script of the `sed` call that is being interpreted.
    pub edit_script: Option<String>,
    /// Links of the work tree, and those that the line creates.
    pub links: Cow<'a, Links>,
    /// Whether the line has added a remote repository to git.
    pub remote_added: bool,
    /// Whether the current pipeline has printed all variables.
    pub printed_all: bool,
}

impl<'a> Engine<'a> {
    pub(crate) fn new(ctx: &'a Context<'a>, fuel: usize) -> Self {
        Self {
            ctx,
            sink: Sink::with_capacity(0, 0),
            work: Work::new(fuel),
            shell: Shell::new(&ctx.cwd),
            files: HashMap::default(),
            remote: false,
            literal_paths: false,
            container: false,
            downloaded: false,
            edited: HashSet::new(),
            edited_once: HashSet::new(),
            edit_script: None,
            links: Cow::Borrowed(&ctx.links),
            remote_added: false,
            printed_all: false,
        }
    }

    /// Returns whether the work limit is reached. The caller stops then.
    pub(crate) fn is_spent(&mut self, span: Span) -> bool {
        if self.work.is_spent() {
            if self.sink.mark_unparsed() {
                self.emit_raw(
                    EffectKind::Unknown,
                    None,
                    Certainty::Possible,
                    span,
                    RiskLevel::High,
                    "too complicated to follow",
                );
            }
            return true;
        }
        false
    }

    /// Adds an effect without adjusting its risk.
    pub(crate) fn emit_raw(
        &mut self,
        kind: EffectKind,
        target: Option<String>,
        certainty: Certainty,
        span: Span,
        risk: RiskLevel,
        why: impl Into<Cow<'static, str>>,
    ) {
        let path_info = self.classify_target(kind, target.as_deref());
        let changes = matches!(kind, EffectKind::Write | EffectKind::Delete);
        self.sink.add(Effect {
            kind,
            target,
            certainty,
            span,
            risk,
            why: why.into(),
            path_info,
            changes,
        });
    }

    /// Classifies the path of an effect, resolved against the current directory of the command.
    fn classify_target(
        &self,
        kind: EffectKind,
        target: Option<&str>,
    ) -> Option<crate::paths::path::PathInfo> {
        use EffectKind::{Credential, Delete, Read, System, Write};
        let text =
            target.filter(|_| matches!(kind, Read | Write | Delete | Credential | System))?;
        // Unknown parts are shown as `$…`; classification needs them as unknown again.
        Some(if text.contains("$…") {
            self.classify(&text.replace("$…", "\0"))
        } else {
            self.classify(text)
        })
    }

    /// Adds a certain effect with the risk of its kind.
    pub(crate) fn emit(
        &mut self,
        kind: EffectKind,
        target: Option<&str>,
        span: Span,
        why: impl Into<Cow<'static, str>>,
    ) {
        self.emit_raw(
            kind,
            target.map(show),
            Certainty::Certain,
            span,
            kind.base_risk(),
            why,
        );
    }

    /// Adds the effect of running unknown code.
    pub(crate) fn dynamic(&mut self, span: Span, why: impl Into<Cow<'static, str>>) {
        self.emit_raw(
            EffectKind::Dynamic,
            None,
            Certainty::Certain,
            span,
            RiskLevel::High,
            why,
        );
    }

    pub(crate) fn enter_subshell(&mut self) -> ShellSnapshot<'a> {
        self.burn(1 + self.shell.var_count());
        self.shell.save()
    }

    pub(crate) fn leave_subshell(&mut self, saved: ShellSnapshot<'a>) {
        self.shell.restore(saved);
    }

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
            self.sink.mark_unparsed();
            let why = "code of more than 256 KiB: it isn't analysed";
            self.emit_raw(
                EffectKind::Unknown,
                None,
                Certainty::Possible,
                span,
                RiskLevel::High,
                why,
            );
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
                self.emit_raw(
                    EffectKind::Unknown,
                    None,
                    Certainty::Possible,
                    span,
                    RiskLevel::High,
                    why,
                );
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
        self.printed_all = false;
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
            self.files.insert(path, s.text.clone());
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
                // again.
                self.run_list(a, input, false, None);
                self.run_list(b, input, false, None);
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
                            text: crate::chars::SAFE_UNKNOWN.to_string(),
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
        words: Option<&[crate::syntax::ast::Word]>,
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
            let mark = if safe {
                crate::chars::SAFE_UNKNOWN
            } else {
                UNKNOWN
            };
            items.truncate(1);
            if let Some(a) = items.first_mut() {
                a.text = mark.to_string();
            }
            out.text = None;
        }
        for item in items {
            self.shell.set_var(
                var.to_owned(),
                Var {
                    text: item.text,
                    array: None,
                    obfuscated: item.obfuscated,
                    computed: false,
                },
            );
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
        words: &[crate::syntax::ast::Word],
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
        if assigns.iter().any(|a| a.declared) {
            self.declare_assignments(&args, assigns);
        }
        for a in assigns {
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
            let text = match (append, self.files.get(&path), &out.text) {
                (true, Some(Some(old)), Some(new)) => Some(format!("{old}{new}")),
                // The previous content isn't known; in the work tree it is code of the project.
                (true, None, _) if !self.is_inside(&path) => None,
                (_, _, new) => new.clone(),
            };
            self.files.insert(path, text);
            return Stream {
                text: Some(String::new()),
                present: true,
                ..Stream::default()
            };
        }
        out
    }

    fn is_inside(&self, path: &str) -> bool {
        self.classify(path).class == crate::paths::path::PathClass::Inside
    }

    /// Returns the text of a file that the line itself wrote.
    pub(crate) fn file_text(&self, path: &str) -> Option<String> {
        if let Some(n) = path
            .strip_prefix("/dev/fd/proc")
            .and_then(|n| n.parse::<usize>().ok())
        {
            return self.shell.stream(n).and_then(|s| s.text.clone());
        }
        let abs = crate::paths::path::normalise(path, self.shell.cwd())?;
        self.files.get(&abs).cloned().flatten()
    }

    /// Adds a step to the tree; returns its index.
    pub(crate) fn step(&mut self, program: &str, args: &[Arg], span: Span) -> usize {
        self.sink.add_step(program, args, span)
    }

    /// Spends `n` units of work.
    pub(crate) fn burn(&mut self, n: usize) {
        self.work.burn(n);
    }

    /// Returns the analysis of the interpreted text.
    pub(crate) fn finish(self) -> Analysis {
        self.sink.finish()
    }

    /// Returns whether the line itself wrote this file.
    pub(crate) fn has_written(&self, file: &str) -> bool {
        !self.files.is_empty()
            && crate::paths::path::normalise(file, self.shell.cwd())
                .is_some_and(|p| self.files.contains_key(&p))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Table, analyse};

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
