//! The commands of a line: which effects and programs belong to which.

use shell_effects::{Analysis, Effect, EffectKind, Span, StepOrigin};

/// The commands of a line with their redirections, and the effects and programs of each.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// The number of parts. Effects of no command (a redirection of a group) form one more part.
    pub(crate) count: usize,
    /// The span of each command in the line.
    spans: Vec<Span>,
    /// The part of each effect.
    effects: Vec<usize>,
    /// The part of each step of the tree.
    steps: Vec<usize>,
    /// The step that causes each effect.
    owners: Vec<Option<usize>>,
}

impl Parts {
    /// An action that is a single part.
    fn whole(analysis: &Analysis) -> Self {
        let (effects, steps) = (analysis.effects.len(), analysis.tree.len());
        Self {
            count: 1,
            spans: Vec::new(),
            effects: vec![0; effects],
            steps: vec![0; steps],
            owners: vec![steps.checked_sub(1); effects],
        }
    }

    /// Splits the analysis of a command line into its commands.
    pub fn new(analysis: &Analysis, is_line: bool) -> Self {
        if !is_line {
            return Self::whole(analysis);
        }
        let tree = &analysis.tree;
        // Parents stand before their children.
        let mut roots: Vec<usize> = Vec::with_capacity(tree.len());
        for (index, step) in tree.iter().enumerate() {
            roots.push(
                step.parent
                    .and_then(|p| roots.get(p))
                    .copied()
                    .unwrap_or(index),
            );
        }
        let mut spans: Vec<Span> = tree
            .iter()
            .filter(|s| s.parent.is_none())
            .map(|s| s.span)
            .collect();
        spans.sort_by_key(|s| (s.from, std::cmp::Reverse(s.to)));
        // A substitution belongs to the command around it.
        spans.dedup_by(|inner, outer| {
            let within = inner.from < outer.to || *inner == *outer;
            if within {
                *outer = outer.join(*inner);
            }
            within
        });
        let part_of = |span: Span| spans.iter().position(|s| holds(*s, span));
        let steps: Vec<usize> = (roots.iter())
            .map(|root| {
                tree.get(*root)
                    .and_then(|s| part_of(s.span))
                    .unwrap_or_default()
            })
            .collect();
        let owner = |effect: &Effect| {
            let around = tree
                .iter()
                .enumerate()
                .filter(|(_, s)| holds(s.span, effect.span));
            // Of several at one place the innermost.
            around
                .min_by_key(|(index, s)| (s.span.to - s.span.from, std::cmp::Reverse(*index)))
                .map(|(index, _)| index)
        };
        let owners: Vec<Option<usize>> = analysis.effects.iter().map(owner).collect();
        let stray = spans.len();
        let effects: Vec<usize> = owners
            .iter()
            .map(|o| o.and_then(|o| steps.get(o)).copied().unwrap_or(stray))
            .collect();
        let count = stray + usize::from(effects.contains(&stray));
        Self {
            count,
            spans,
            effects,
            steps,
            owners,
        }
    }

    /// The part that an effect belongs to.
    pub(crate) fn of_effect(&self, index: usize) -> usize {
        self.effects.get(index).copied().unwrap_or_default()
    }

    /// The step that causes an effect.
    pub(crate) fn owner(&self, index: usize) -> Option<usize> {
        self.owners.get(index).copied().flatten()
    }

    /// The part that a step belongs to.
    pub(crate) fn of_step(&self, index: usize) -> usize {
        self.steps.get(index).copied().unwrap_or_default()
    }

    /// The text of each part; empty for effects of no command.
    pub(crate) fn texts<'t>(&'t self, line: &'t str) -> impl Iterator<Item = &'t str> {
        let text = |part: usize| {
            self.spans
                .get(part)
                .and_then(|s| line.get(s.from..s.to))
                .unwrap_or_default()
        };
        (0..self.count).map(text)
    }

    /// The first part without any of these.
    pub(crate) fn without(&self, parts: impl Iterator<Item = usize>) -> Option<usize> {
        if self.count < 2 {
            return None;
        }
        let mut found = vec![false; self.count];
        for part in parts {
            if let Some(slot) = found.get_mut(part) {
                *slot = true;
            }
        }
        found.iter().position(|has| !has)
    }
    /// Whether an effect is caused by a step itself, and not by a redirection, which works whatever
    /// the program does.
    pub(crate) fn is_of_step(&self, index: usize, analysis: &Analysis, line: &str) -> bool {
        let Some(Some(owner)) = self.owners.get(index).copied() else {
            return false;
        };
        let Some(effect) = analysis.effects.get(index) else {
            return false;
        };
        // A redirection can only have these effects.
        if !matches!(
            effect.kind,
            EffectKind::Read
                | EffectKind::Write
                | EffectKind::Delete
                | EffectKind::Network
                | EffectKind::System
                | EffectKind::Credential
        ) {
            return true;
        }
        // In decoded or quoted code, all effects may have the span of the whole text. Then
        // redirections can't be distinguished.
        let mut step = analysis.tree.get(owner);
        while let Some(one) = step {
            if one.origin == StepOrigin::Code && one.span == effect.span {
                return false;
            }
            step = one.parent.and_then(|p| analysis.tree.get(p));
        }
        line.get(effect.span.from..effect.span.to)
            .is_some_and(|text| !is_redirection(text))
    }
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.from <= inner.from && inner.to <= outer.to
}

/// Whether a text begins with a redirection: `> x`, `2>> x`, `{fd}< x`, `&> x`.
fn is_redirection(text: &str) -> bool {
    let named = text
        .strip_prefix('{')
        .and_then(|rest| rest.split_once('}'))
        .map(|(_, rest)| rest);
    let rest = named.unwrap_or_else(|| text.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.trim_start_matches('&').starts_with(['<', '>'])
}
