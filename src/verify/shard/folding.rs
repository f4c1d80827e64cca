//! Folds findings that are only consequences of an earlier finding under that one. They appear on
//! their own as soon as the earlier one is suppressed.

use super::{OpenExecution, RootCause, Shard, drafts_of};
use crate::diag::{Finding, Related, subject};
use crate::replay::{AppliedEvent, Aspect, Breach, Legality, StepFacts};
use crate::rules::{self, Draft, FoldReason, RuleContext, Settings, Sink, codes};
use crate::trace::Step;
use crate::trace::entry::Entry;
use crate::verify::kept_text::shorten_finding;
use governance::Event;

impl Shard {
    /// Runs the rules on a step and folds what is a consequence of an earlier break.
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
            .map(|draft| (draft.rule.fold_reason(step_facts), draft))
            .partition(|(excuse, _)| excuse.is_some());
        let drafts: Vec<Draft> = drafts.into_iter().map(|(_, draft)| draft).collect();
        let root = live.root;
        self.apply_movement(live, (entry, step), step_facts, drafts, lost_between);
        for (excuse, draft) in excused {
            let root = match excuse {
                Some(FoldReason::Lost) => live.lost,
                Some(FoldReason::TokenLost) => live.token_lost,
                Some(FoldReason::Unproposed) | None => root.or(live.root),
            };
            if root.is_none() && excuse == Some(FoldReason::Unproposed) {
                self.report(live, &[draft], Some(entry), Some(step));
            } else {
                self.fold_drafts(live, root, &[draft], (Some(entry), Some(step)));
            }
        }
    }

    /// Folds findings under the one that explains them. The answers that they would deny become
    /// "not recorded".
    pub(super) fn fold_drafts(
        &mut self,
        live: &mut OpenExecution,
        root: Option<RootCause>,
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

    /// Reports the findings of a step, depending on whether its transition was legal.
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
                // An earlier break already answered "no". After an unreadable record, the answer is
                // unknown.
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
                if lost_between || matches!(live.root, Some(RootCause::Line(_))) {
                    // The unreadable line may be the missing one.
                    let root = live.root.unwrap_or(RootCause::Line(self.last_lost));
                    if moved.breach == Some(Breach::NoStart) {
                        self.start_excused = self.last_lost;
                    }
                    live.root = Some(root);
                    live.execution.lose_track_at(moved.event);
                    let (folded, others): (Vec<Draft>, Vec<Draft>) =
                        drafts.into_iter().partition(|d| d.rule.folds_on_gap());
                    // The event has one follow-up line, which contains everything that is wrong
                    // with it.
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
                        // An action was executed before the observation, but isn't recorded.
                        live.execution.verdict_mut().doubt(Aspect::Authorised);
                    }
                    for aspect in folded.iter().filter_map(|d| d.rule.aspect) {
                        live.execution.verdict_mut().doubt(aspect);
                    }
                    self.report(live, &others, Some(entry), Some(step));
                } else {
                    live.execution.verdict_mut().deny(Aspect::LegalPath);
                    let reported = self.report(live, &drafts, Some(entry), Some(step));
                    live.root = reported
                        .first()
                        .copied()
                        .map(RootCause::Finding)
                        .or(live.root);
                }
            }
        }
    }

    /// Returns the finding for an event that an earlier break explains. It appears if that break is
    /// suppressed.
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

    /// Lists findings under the one that explains them. They are kept, because they become findings
    /// of their own if that one is suppressed.
    pub(super) fn fold(
        &mut self,
        root: Option<RootCause>,
        message: String,
        mut findings: Vec<Finding>,
    ) {
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
            // `None` if the finding was removed to make room for a more severe one.
            Some(RootCause::Finding(index)) => self.findings.get_mut(index),
            Some(RootCause::Line(lost)) if has_place => {
                self.folded += findings.len();
                return self.follow_ups.push((
                    lost,
                    Related {
                        folded: findings,
                        ..related
                    },
                ));
            }
            Some(RootCause::Line(_)) | None => None,
        };
        let Some(root) = root else {
            // The finding that explains them isn't kept.
            return findings
                .iter()
                .for_each(|f| self.leave_out(f.code, f.severity, f.execution.as_ref()));
        };
        // An unauthorised execution covers all findings that follow from it.
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

    /// Handles a break of the hash chain. Breaks on consecutive records have one cause; a break
    /// after an unreadable line is caused by that line.
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
            Some(RootCause::Line(self.last_lost))
        } else if previous != 0 && live.chain_broken_at == previous {
            live.chain_root.map(RootCause::Finding)
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
