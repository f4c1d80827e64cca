//! Diffs that can't be parsed, until it is known whether they were applied.

use super::super::evidence::OwnedAction;
use super::super::path_effects::PathEffects;
use super::super::step_facts::{Approval, DiffFate, StepFacts, UnreadDiff};
use super::Execution;
use crate::trace::step::ExecutionFact;
use governance::{RiskLevel, Ruling};

/// A diff that can't be parsed and wasn't executed so far.
#[derive(Debug)]
pub(super) struct Pending {
    diff: UnreadDiff,
    /// First line of its turn.
    turn: u64,
}

impl Pending {
    pub(super) fn weight(&self) -> usize {
        size_of::<Self>() + self.diff.why.len()
    }
}

impl Execution {
    /// Handles the analysis of an action that is proposed, or that replaces a proposed one.
    /// `understated` contains its recorded risk and the higher one that was found.
    pub(super) fn propose_analysed(
        &mut self,
        line: u64,
        reach: Option<&PathEffects>,
        understated: Option<(RiskLevel, RiskLevel)>,
        step_facts: &mut StepFacts,
    ) {
        let unreadable = reach.is_some_and(|r| r.unreadable);
        if !unreadable {
            step_facts.record_understated_risk(understated);
        }
        let diff = reach
            .and_then(|r| r.malformed.as_deref())
            .map(|why| UnreadDiff {
                why: why.into(),
                line,
                fate: DiffFate::NotRun,
                understated: understated.filter(|_| unreadable),
            });
        let turn = self.turn.line;
        // Some logs show the same proposal twice.
        let again = |pending: &Pending| {
            pending.turn == turn && diff.as_ref().is_some_and(|d| d.why == pending.diff.why)
        };
        if self.unread_diff.as_deref().is_some_and(again) {
            return;
        }
        if let Some(earlier) = self.unread_diff.take() {
            step_facts.anomalies_mut().unread_diffs.push(earlier.diff);
        }
        self.unread_diff = diff.map(|diff| Box::new(Pending { diff, turn }));
    }

    /// Handles a decision. An approved diff was applied, unless a result denies it.
    pub(super) fn decide_diff(&mut self, ruling: Ruling) {
        if let Some(pending) = self
            .unread_diff
            .as_mut()
            .filter(|pending| pending.turn == self.turn.line && ruling != Ruling::Rejected)
        {
            pending.diff.fate = DiffFate::Unknown;
        }
    }

    /// Returns the diff that can't be parsed, if the executed action is one. `ran` is the action
    /// that was executed, if it isn't the approved one.
    pub(super) fn executed_diff(
        &self,
        executed: &ExecutionFact<'_, '_>,
        ran: Option<&OwnedAction>,
        approved: Option<&OwnedAction>,
        approval: Approval,
    ) -> Option<UnreadDiff> {
        let proposal = self.turn.proposal.as_ref();
        let shown = || {
            proposal
                .map(|p| &p.what)
                .filter(|_| approval != Approval::Given)
        };
        let action = ran.or(approved).or_else(shown)?;
        let reach = action.reach.as_deref()?;
        let why = reach.malformed.as_deref()?;
        // What changed, or ended well, wasn't without effect, whatever the record calls it.
        let done = executed.observed.is_some_and(|paths| !paths.is_empty())
            || executed.result.is_none_or(|result| {
                result.success
                    || result.perhaps
                    || result.exit_code == Some(0)
                    || result
                        .artifacts
                        .is_some_and(|artifacts| artifacts.count > 0)
            });
        let understated = action
            .risk
            .zip(action.found)
            .filter(|(recorded, found)| reach.unreadable && found > recorded);
        Some(UnreadDiff {
            why: why.into(),
            line: proposal.map_or(0, |p| p.line),
            fate: if done {
                DiffFate::Done
            } else {
                DiffFate::Failed
            },
            understated,
        })
    }

    /// Records what became of an executed diff.
    pub(super) fn run_diff(&mut self, diff: Option<UnreadDiff>, step_facts: &mut StepFacts) {
        if let Some(diff) = diff {
            self.unread_diff = None;
            step_facts.anomalies_mut().unread_diffs.push(diff);
        }
    }

    /// Takes the diff that nothing shows to have been executed, at the end of the input.
    pub(super) fn take_unread_diff(&mut self) -> Option<UnreadDiff> {
        self.unread_diff.take().map(|pending| pending.diff)
    }
}
