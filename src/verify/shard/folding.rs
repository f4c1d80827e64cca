//! What only follows from an earlier finding, and is folded under it. It appears on its own as soon
//! as that is suppressed.

use super::{OpenExecution, Root, Shard, drafts_of};
use crate::diag::{Finding, Related, subject};
use crate::replay::{AppliedEvent, Aspect, Breach, Legality, StepFacts};
use crate::rules::{self, Draft, Excuse, RuleContext, Settings, Sink, codes};
use crate::trace::Step;
use crate::trace::entry::Entry;
use crate::verify::kept_text::shorten_finding;
use governance::Event;

impl Shard {
    /// Shows a step to the rules and folds what only follows from an earlier break.
    pub(super) fn check_step(
        &mut self,
        live: &mut OpenExecution,
        entry: &Entry<'_>,
        step: &Step<'_, '_>,
        step_facts: &StepFacts,
        lost_between: bool,
        settings: &Settings,
    ) {
        let cx = RuleContext {
            execution: &live.execution,
            step: Some(step),
            entry: Some(entry),
            step_facts,
            close: None,
            settings,
        };
        let drafts = drafts_of(&cx);
        if let Some(decision) = cx.decision().filter(|d| d.signature.is_some()) {
            self.signed
                .note(&live.execution, step.turn, &decision, entry.line);
            if settings.keys.is_none() {
                live.execution.unchecked_signature();
            }
        }
        let movement = step_facts.movement.as_ref().map(|moved| moved.movement);
        if drafts.is_empty() && matches!(movement, None | Some(Legality::Legal)) {
            // Most steps of most traces: nothing to report, and nothing to fold.
            if movement.is_some() && !live.execution.is_broken() {
                live.root = None;
            }
            return;
        }
        let (excused, drafts): (Vec<_>, Vec<_>) = drafts
            .into_iter()
            .map(|draft| (draft.rule.excuse(step_facts), draft))
            .partition(|(excuse, _)| excuse.is_some());
        let drafts: Vec<Draft> = drafts.into_iter().map(|(_, draft)| draft).collect();
        let root = live.root;
        self.apply_movement(live, (entry, step), step_facts, drafts, lost_between);
        for (excuse, draft) in excused {
            let root = match excuse {
                Some(Excuse::Lost) => live.lost,
                Some(Excuse::TokenLost) => live.token_lost,
                Some(Excuse::Unproposed) | None => root.or(live.root),
            };
            if root.is_none() && excuse == Some(Excuse::Unproposed) {
                self.report(live, &[draft], Some(entry), Some(step));
            } else {
                self.fold_drafts(live, root, &[draft], (Some(entry), Some(step)));
            }
        }
    }

    /// Folds findings under the one that explains them, and leaves the answers that they would deny
    /// open.
    pub(super) fn fold_drafts(
        &mut self,
        live: &mut OpenExecution,
        root: Option<Root>,
        drafts: &[Draft],
        (entry, step): (Option<&Entry<'_>>, Option<&Step<'_, '_>>),
    ) {
        for draft in drafts {
            if let Some(aspect) = draft.rule.aspect {
                live.execution.verdict_mut().doubt(aspect);
            }
            let found = self.finding_of(live, draft, entry, step);
            self.fold(
                root,
                format!("{} {} follows from it", draft.rule.code, draft.rule.name),
                vec![found],
            );
        }
    }

    /// Reports what the rules say of a step, by how the machine took it.
    pub(super) fn apply_movement(
        &mut self,
        live: &mut OpenExecution,
        (entry, step): (&Entry<'_>, &Step<'_, '_>),
        step_facts: &StepFacts,
        drafts: Vec<Draft>,
        lost_between: bool,
    ) {
        let Some(moved) = &step_facts.movement else {
            self.report(live, &drafts, Some(entry), Some(step));
            return;
        };
        match moved.movement {
            Legality::Legal => {
                self.report(live, &drafts, Some(entry), Some(step));
                if !live.execution.is_broken() {
                    live.root = None;
                }
            }
            Legality::FollowUp => {
                // A break has denied it; behind a record that can't be read it isn't known.
                live.execution.verdict_mut().doubt(Aspect::LegalPath);
                self.report(live, &drafts, Some(entry), Some(step));
                let found = self
                    .displaced(live, *moved, entry, step)
                    .into_iter()
                    .collect();
                self.fold(
                    live.root,
                    format!("{} is out of place because of it", moved.event),
                    found,
                );
            }
            Legality::Illegal => {
                if lost_between || matches!(live.root, Some(Root::Line(_))) {
                    // The line that nobody could read may be the one that is missing.
                    let root = live.root.unwrap_or(Root::Line(self.last_lost));
                    if moved.breach == Some(Breach::NoStart) {
                        self.start_excused = self.last_lost;
                    }
                    live.root = Some(root);
                    live.execution.lose_track_at(moved.event);
                    let (folded, others): (Vec<Draft>, Vec<Draft>) =
                        drafts.into_iter().partition(|d| d.rule.folds_on_gap());
                    // One line for the event, whatever is wrong with it; what else is, is kept as
                    // well.
                    let mut found: Vec<Finding> = folded
                        .iter()
                        .map(|draft| self.finding_of(live, draft, Some(entry), Some(step)))
                        .collect();
                    if found.is_empty() {
                        found.extend(self.displaced(live, *moved, entry, step));
                    }
                    self.fold(
                        Some(root),
                        format!("{} is illegal in {}", moved.event, moved.before),
                        found,
                    );
                    live.execution.verdict_mut().doubt(Aspect::LegalPath);
                    if moved.event == Event::ObservationRecorded {
                        // What is missing before an observation is something that ran.
                        live.execution.verdict_mut().doubt(Aspect::Authorised);
                    }
                    for aspect in folded.iter().filter_map(|d| d.rule.aspect) {
                        live.execution.verdict_mut().doubt(aspect);
                    }
                    self.report(live, &others, Some(entry), Some(step));
                } else {
                    live.execution.verdict_mut().deny(Aspect::LegalPath);
                    let reported = self.report(live, &drafts, Some(entry), Some(step));
                    live.root = reported.first().copied().map(Root::Finding).or(live.root);
                }
            }
        }
    }

    /// What is to be said of an event that only an earlier break explains, should nobody hear of
    /// that.
    pub(super) fn displaced(
        &self,
        live: &OpenExecution,
        moved: AppliedEvent,
        entry: &Entry<'_>,
        step: &Step<'_, '_>,
    ) -> Option<Finding> {
        let mut out = Sink::default();
        let is_result = matches!(
            moved.event,
            Event::ExecutionFinished | Event::ObservationRecorded
        );
        out.report(
            rules::by_code(if is_result {
                codes::RESULT_WITHOUT_EXECUTION
            } else {
                codes::ILLEGAL_TRANSITION
            })?,
            format!("{} is illegal in {}", moved.event, moved.before),
        )
        .subject(subject([&moved.event.to_string(), moved.before.name()]));
        out.drafts
            .first()
            .map(|draft| self.finding_of(live, draft, Some(entry), Some(step)))
    }

    /// Lists findings under the one that explains them. They are kept: they stand on their own as
    /// soon as it is let pass.
    pub(super) fn fold(&mut self, root: Option<Root>, message: String, mut findings: Vec<Finding>) {
        findings.iter_mut().for_each(shorten_finding);
        let Some(first) = findings.first() else {
            return;
        };
        let related = Related {
            folded: Vec::new(),
            ..Related::new(&self.file, first.place.line, message)
        };
        let has_place = self.folded < self.bounds.folded;
        let root = match root {
            // Nothing where it has made room for a worse one.
            Some(Root::Finding(index)) => self.findings.get_mut(index),
            Some(Root::Line(lost)) if has_place => {
                self.folded += findings.len();
                return self.follow_ups.push((
                    lost,
                    Related {
                        folded: findings,
                        ..related
                    },
                ));
            }
            Some(Root::Line(_)) | None => None,
        };
        let Some(root) = root else {
            // What explains them isn't kept.
            return findings
                .iter()
                .for_each(|f| self.leave_out(f.code, f.severity, f.execution.as_ref()));
        };
        // That something ran without leave is all that there is to say of what comes of it.
        let by_leave =
            rules::by_code(root.code).is_some_and(|rule| rule.aspect == Some(Aspect::Authorised));
        let mut folded: Vec<Finding> = findings
            .into_iter()
            .filter(|f| {
                !by_leave || !rules::by_code(f.code).is_some_and(rules::Rule::repeats_unauthorised)
            })
            .collect();
        if !has_place {
            for finding in folded.drain(..) {
                *root
                    .unlisted
                    .entry((finding.code, finding.severity))
                    .or_default() += 1;
            }
        }
        let before = root.folded().count();
        root.relate(Related { folded, ..related });
        self.folded += root.folded().count() - before;
    }

    /// A break of the chain. Breaks in a row go back to one change; a break behind a line that
    /// can't be read goes back to that line.
    pub(super) fn chain(
        &mut self,
        live: &mut OpenExecution,
        entry: &Entry<'_>,
        step_facts: &StepFacts,
        lost_between: bool,
        settings: &Settings,
    ) {
        let previous = step_facts
            .anomalies()
            .chain
            .as_ref()
            .map_or(0, |c| c.previous_line);
        live.execution
            .verdict_mut()
            .deny(Aspect::GovernanceComplete);
        let cx = RuleContext {
            execution: &live.execution,
            step: None,
            entry: Some(entry),
            step_facts,
            close: None,
            settings,
        };
        let drafts = drafts_of(&cx);
        let root = if lost_between {
            Some(Root::Line(self.last_lost))
        } else if previous != 0 && live.chain_broken_at == previous {
            live.chain_root.map(Root::Finding)
        } else {
            live.chain_root = self
                .report(live, &drafts, Some(entry), None)
                .first()
                .copied();
            live.chain_broken_at = entry.line;
            return;
        };
        let found = drafts
            .iter()
            .map(|draft| self.finding_of(live, draft, Some(entry), None))
            .collect();
        self.fold(root, "YV801 broken-chain follows from it".into(), found);
        live.chain_broken_at = entry.line;
    }
}
