//! Collects the effects and the steps of an analysis.

use super::expand::Arg;
use crate::chars::show;
use crate::effect::{Analysis, Effect, EffectKind, RiskLevel, Span, Step, StepOrigin};

/// Maximum number of effects and of steps. The risk includes those beyond it.
const MAX_ENTRIES: usize = 512;

/// Collects what programs do.
pub(crate) struct Sink {
    effects: Vec<Effect>,
    steps: Vec<Step>,
    /// The step that new steps belong to.
    parent: Option<usize>,
    /// How new steps are invoked.
    origin: StepOrigin,
    /// Whether effects that change something are dropped (`--dry-run`).
    dry: bool,
    unparsed: bool,
    /// Whether effects or steps were left out.
    truncated: bool,
}

impl Sink {
    pub(crate) fn with_capacity(steps: usize, effects: usize) -> Self {
        Self {
            steps: Vec::with_capacity(steps),
            effects: Vec::with_capacity(effects),
            parent: None,
            origin: StepOrigin::Direct,
            dry: false,
            unparsed: false,
            truncated: false,
        }
    }

    /// Adds an effect, or merges it with an equal one.
    pub(crate) fn add(&mut self, effect: Effect) {
        use EffectKind::{Delete, Execute, GitRewrite, GitWrite, Install, Process, System, Write};
        if self.dry
            && matches!(
                effect.kind,
                Write | Delete | Install | Process | GitWrite | GitRewrite | Execute | System
            )
        {
            return;
        }
        let same = |e: &Effect| {
            e.kind == effect.kind
                && e.span == effect.span
                && e.target == effect.target
                && e.path_info == effect.path_info
                && e.changes == effect.changes
        };
        if let Some(e) = self.effects.iter_mut().rev().take(32).find(|e| same(e)) {
            e.certainty = e.certainty.min(effect.certainty);
            if effect.risk > e.risk {
                e.risk = effect.risk;
                e.why = effect.why;
            }
            return;
        }
        if self.effects.len() < MAX_ENTRIES {
            self.effects.push(effect);
            return;
        }
        self.truncated = true;
        // Never lose the highest risk.
        if let Some(last) = self
            .effects
            .last_mut()
            .filter(|last| effect.risk > last.risk)
        {
            *last = effect;
        }
    }

    /// Adds a step to the tree; returns its index.
    pub(crate) fn add_step(&mut self, program: &str, args: &[Arg], span: Span) -> usize {
        let i = self.steps.len();
        self.truncated |= i >= MAX_ENTRIES || args.len() > 64;
        if i < MAX_ENTRIES {
            self.steps.push(Step {
                parent: self.parent,
                origin: self.origin,
                program: show(program),
                args: args.iter().take(64).map(|a| show(&a.text)).collect(),
                span,
            });
        }
        i.min(MAX_ENTRIES.saturating_sub(1))
    }

    /// Makes new steps children of this one. Returns the value to pass to [`Sink::leave_step`].
    pub(crate) fn enter_step(&mut self, step: usize) -> Option<usize> {
        self.parent.replace(step)
    }

    pub(crate) fn leave_step(&mut self, parent: Option<usize>) {
        self.parent = parent;
    }

    pub(crate) fn origin(&self) -> StepOrigin {
        self.origin
    }

    /// Sets how new steps are invoked; returns the previous value.
    pub(crate) fn set_origin(&mut self, origin: StepOrigin) -> StepOrigin {
        std::mem::replace(&mut self.origin, origin)
    }

    /// Drops changes from now on if `dry`. Returns the value to pass to [`Sink::restore_changes`].
    pub(crate) fn drop_changes(&mut self, dry: bool) -> bool {
        let before = self.dry;
        self.dry |= dry;
        before
    }

    /// Keeps changes from now on: code that is loaded runs even in a dry run. Returns the previous
    /// value.
    pub(crate) fn keep_changes(&mut self) -> bool {
        std::mem::take(&mut self.dry)
    }

    /// Returns whether changes are dropped, because the program only prints what it would do.
    pub(crate) fn drops_changes(&self) -> bool {
        self.dry
    }

    pub(crate) fn restore_changes(&mut self, dry: bool) {
        self.dry = dry;
    }

    pub(crate) fn has(&self, kind: EffectKind) -> bool {
        self.effects.iter().any(|e| e.kind == kind)
    }

    pub(crate) fn len(&self) -> usize {
        self.effects.len()
    }

    /// Raises the effects since `first` to `floor`. Returns false if there are none to raise.
    /// Returns whether SQL has changed something since an effect.
    pub(crate) fn has_changed_data(&self, first: usize) -> bool {
        let mut effects = self.effects.get(first..).unwrap_or_default().iter();
        effects.any(|e| {
            matches!(e.kind, EffectKind::Write | EffectKind::Delete) && e.why.starts_with("SQL")
        })
    }

    pub(crate) fn raise(
        &mut self,
        first: usize,
        floor: RiskLevel,
        why: impl FnOnce() -> String,
    ) -> bool {
        let effects = self.effects.get_mut(first..).unwrap_or_default();
        if effects.iter().any(|e| e.risk >= floor) {
            return true;
        }
        let target = effects
            .iter_mut()
            .max_by_key(|e| (e.kind.base_risk(), std::cmp::Reverse(e.span)));
        let Some(e) = target else { return false };
        e.risk = floor;
        e.why = why().into();
        true
    }

    /// Marks the text as not understood. Returns false if it was marked before.
    pub(crate) fn mark_unparsed(&mut self) -> bool {
        !std::mem::replace(&mut self.unparsed, true)
    }

    /// Records that effects or steps were left out.
    pub(crate) fn mark_truncated(&mut self) {
        self.truncated = true;
    }

    /// Returns the analysis of the collected effects and steps.
    pub(crate) fn finish(self) -> Analysis {
        let mut effects = self.effects;
        effects.sort_by_key(|e| (e.span, e.kind));
        let risk = effects.iter().map(|e| e.risk).max().unwrap_or_default();
        let risk = if self.unparsed { RiskLevel::High } else { risk };
        Analysis {
            risk,
            effects,
            unparsed: self.unparsed,
            tree: self.steps,
            truncated: self.truncated,
        }
    }
}
