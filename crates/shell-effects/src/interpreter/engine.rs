//! The interpreter: its state, and the methods through which other modules use it.
//!
//! The interpretation is abstract: it follows variables, functions, aliases, the current directory
//! and files written by the line, as far as they are known. All work is paid from `fuel`. When it
//! is spent, the line counts as not understood.

use super::expand::{Arg, Var};
use super::history::History;
use super::location::{Location, Machine};
use super::shell_state::{Shell, ShellSnapshot};
use super::sink::Sink;
use super::work::Work;
use crate::Context;
use crate::chars::show;
use crate::effect::{Analysis, Certainty, Effect, EffectKind, RiskLevel, Span};
use crate::paths::path::{self, PathInfo};
use std::borrow::Cow;

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

/// Interprets a line. Other modules see its state only through methods.
pub(crate) struct Engine<'a> {
    pub(super) ctx: &'a Context<'a>,
    pub(super) sink: Sink,
    pub(super) work: Work,
    pub(super) shell: Shell<'a>,
    pub(super) history: History,
    pub(super) location: Location<'a>,
}

impl<'a> Engine<'a> {
    pub(crate) fn new(ctx: &'a Context<'a>, fuel: usize) -> Self {
        Self {
            ctx,
            sink: Sink::with_capacity(0, 0),
            work: Work::new(fuel),
            shell: Shell::new(&ctx.cwd),
            history: History::default(),
            location: Location::new(&ctx.links, false),
        }
    }

    /// Creates an engine for the parameters of a tool call. Most calls have one step and one
    /// effect.
    pub(crate) fn for_call(ctx: &'a Context<'a>) -> Self {
        Self {
            sink: Sink::with_capacity(1, 2),
            ..Self::new(ctx, 200_000)
        }
    }

    /// Creates an engine for a diff, whose paths no shell expands.
    pub(crate) fn for_diff(ctx: &'a Context<'a>, fuel: usize) -> Self {
        Self {
            location: Location::new(&ctx.links, true),
            ..Self::new(ctx, fuel)
        }
    }

    /// Returns whether the work limit is reached. The caller stops then.
    pub(crate) fn is_spent(&mut self, span: Span) -> bool {
        if self.work.is_spent() {
            if self.sink.mark_unparsed() {
                self.emit_unknown(None, span, "too complicated to follow");
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
    fn classify_target(&self, kind: EffectKind, target: Option<&str>) -> Option<PathInfo> {
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

    /// Adds what may do anything, for a reason.
    pub(crate) fn emit_unknown(
        &mut self,
        target: Option<String>,
        span: Span,
        why: impl Into<Cow<'static, str>>,
    ) {
        self.emit_raw(
            EffectKind::Unknown,
            target,
            Certainty::Possible,
            span,
            RiskLevel::High,
            why,
        );
    }

    /// Marks the text as not understood, for a reason.
    pub(crate) fn refuse(&mut self, span: Span, why: impl Into<Cow<'static, str>>) {
        self.sink.mark_unparsed();
        self.emit_unknown(None, span, why);
    }

    /// Adds an effect of another analysis.
    pub(crate) fn emit_found(&mut self, effect: Effect) {
        self.sink.add(effect);
    }

    pub(crate) fn has_effect(&self, kind: EffectKind) -> bool {
        self.sink.has(kind)
    }

    pub(crate) fn effect_count(&self) -> usize {
        self.sink.len()
    }

    /// Raises the effects since `first` to `floor`. Returns false if there are none to raise.
    pub(crate) fn raise_effects(
        &mut self,
        first: usize,
        floor: RiskLevel,
        why: impl FnOnce() -> String,
    ) -> bool {
        self.sink.raise(first, floor, why)
    }

    /// See [`Sink::drop_changes`].
    pub(crate) fn drop_changes(&mut self, dry: bool) -> bool {
        self.sink.drop_changes(dry)
    }

    /// See [`Sink::keep_changes`].
    pub(crate) fn keep_changes(&mut self) -> bool {
        self.sink.keep_changes()
    }

    pub(crate) fn restore_changes(&mut self, dry: bool) {
        self.sink.restore_changes(dry);
    }

    pub(crate) fn drops_changes(&self) -> bool {
        self.sink.drops_changes()
    }

    pub(crate) fn ctx(&self) -> &'a Context<'a> {
        self.ctx
    }

    pub(crate) fn fuel(&self) -> usize {
        self.work.fuel()
    }

    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    pub(crate) fn history_mut(&mut self) -> &mut History {
        &mut self.history
    }

    /// Classifies a path, resolved against the current directory.
    pub(crate) fn classify(&self, text: &str) -> PathInfo {
        self.location.classify(text, self.shell.cwd(), self.ctx)
    }

    /// Returns the absolute form of a path, if it is known.
    pub(crate) fn resolve(&self, path: &str) -> Option<String> {
        path::normalise(path, self.shell.cwd())
    }

    /// Records a link that the line creates.
    pub(crate) fn add_link(&mut self, link: String, target: &str) {
        self.location.add_link(link, target);
    }

    pub(crate) fn machine(&self) -> Machine {
        self.location.machine
    }

    /// Enters the machine on which a program starts commands, if that is another one. Returns the
    /// value to pass to [`Self::leave_machine`].
    pub(crate) fn enter_machine(&mut self, other: bool, runs_containers: bool) -> Machine {
        let before = self.location.machine;
        if other {
            self.location.machine = before.started_by(runs_containers);
        }
        before
    }

    pub(crate) fn leave_machine(&mut self, before: Machine) {
        self.location.machine = before;
    }

    pub(crate) fn cwd(&self) -> Option<&str> {
        self.shell.cwd()
    }

    pub(crate) fn clone_cwd(&self) -> Option<Cow<'a, str>> {
        self.shell.clone_cwd()
    }

    pub(crate) fn set_cwd(&mut self, cwd: Option<Cow<'a, str>>) {
        self.shell.set_cwd(cwd);
    }

    /// Returns the value of a variable, if the line has set it.
    pub(crate) fn value_of(&self, variable: &str) -> Option<&str> {
        self.shell.var(variable).map(|v| v.text.as_str())
    }

    /// Sets whether the shell is fish. Returns the value to restore.
    pub(crate) fn set_fish(&mut self, is_fish: bool) -> bool {
        self.shell.set_fish(is_fish)
    }

    /// Returns the input that `exec` set for every later command.
    pub(crate) fn input(&self) -> Option<&Stream> {
        self.shell.input()
    }

    /// Runs `run` with positional parameters.
    pub(crate) fn with_params<T>(
        &mut self,
        params: Vec<String>,
        run: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.shell.push_params(params);
        let result = run(self);
        self.shell.pop_params();
        result
    }

    /// Runs `run` in a shell that the line starts. It inherits only exported functions; `zero` is
    /// its `$0`.
    pub(crate) fn in_new_shell(
        &mut self,
        zero: Option<&Arg>,
        params: Vec<String>,
        run: impl FnOnce(&mut Self) -> Stream,
    ) -> Stream {
        self.shell.push_params(params);
        let exported = self.shell.exports_functions();
        let functions = (!exported).then(|| self.shell.take_functions());
        let saved = self.enter_subshell();
        if let Some(zero) = zero {
            self.shell.set_var(
                "0".to_owned(),
                Var {
                    text: zero.text.clone(),
                    array: None,
                    obfuscated: zero.obfuscated,
                    computed: false,
                },
            );
        }
        let output = run(self);
        self.leave_subshell(saved);
        self.shell.remove_var("0");
        if let Some(functions) = functions {
            self.shell.restore_functions(functions);
        }
        self.shell.pop_params();
        output
    }

    /// Returns the text of a file that the line itself wrote.
    pub(crate) fn file_text(&self, path: &str) -> Option<String> {
        if let Some(n) = path
            .strip_prefix("/dev/fd/proc")
            .and_then(|n| n.parse::<usize>().ok())
        {
            return self.shell.stream(n).and_then(|s| s.text.clone());
        }
        let abs = self.resolve(path)?;
        self.history.text_of(&abs).map(str::to_owned)
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
        self.history.has_written_any()
            && self
                .resolve(file)
                .is_some_and(|p| self.history.has_written(&p))
    }
}
