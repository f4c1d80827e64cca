//! Repeated executions and decisions of one action, and the action that an observation is about.

use super::super::authority;
use super::super::evidence::OwnedAction;
use super::super::step_facts::{Repeat, StepFacts};
use super::Execution;
use crate::trace::step::{Decision, ExecutionFact, ObservationFact};
use governance::Ruling;
use strict_json::Str;

impl Execution {
    /// Finds an earlier execution of the same action. Also returns whether the action is the one
    /// that this turn's decision allows.
    ///
    /// An id identifies the action anywhere in the execution. A native log may leave the id out;
    /// then an action that equals the allowed one is that action, and uses up its approval.
    pub(super) fn run_before(
        &self,
        id: Option<&str>,
        executed: &ExecutionFact<'_, '_>,
    ) -> (Option<Repeat>, bool) {
        // An action proposed again under a used id is a new action; the reused id is reported.
        let is_new = self.turn.id_reused && !self.turn.executed.iter().any(|e| e.as_deref() == id);
        let by_id = id
            .filter(|_| !is_new)
            .and_then(|id| self.known.by_id.get(id)?.ran);
        let is_it = |approved: &OwnedAction| match id {
            Some(_) => approved.id.as_deref() == id,
            None => executed
                .action
                .is_some_and(|action| approved.same_as(&action) == Some(true)),
        };
        let allowed = authority::approved(&self.turn).is_some_and(is_it);
        let before = by_id.or(self.turn.allowed_ran.filter(|_| allowed));
        (
            before.map(|(line, succeeded)| Repeat { succeeded, line }),
            allowed,
        )
    }

    /// Applies a second decision that rejects what the first one allowed. Until the action is
    /// executed, the more restrictive decision applies, whoever made the first one.
    pub(super) fn overrule(&mut self, line: u64, named: Option<Str<'_>>, decision: &Decision<'_>) {
        let allowed = authority::approved(&self.turn).and_then(|a| a.id.clone());
        let proposed = self
            .turn
            .proposal
            .as_ref()
            .and_then(|p| p.what.id.as_deref());
        let known = [allowed.as_deref(), proposed];
        let about_another = named.is_some_and(|named| {
            known.iter().any(Option::is_some)
                && known.iter().all(|id| id.is_none_or(|id| named != *id))
        });
        if decision.ruling != Ruling::Rejected || about_another || !self.turn.executed.is_empty() {
            return;
        }
        let Some(first) = self
            .turn
            .decision
            .as_mut()
            .filter(|d| d.what.ruling != Ruling::Rejected)
        else {
            return;
        };
        first.what.ruling = Ruling::Rejected;
        first.what.by = decision.by;
        first.line = line;
        if let Some(known) = allowed.and_then(|id| self.known.by_id.get_mut(&id)) {
            (known.rejected, known.refused) = (true, true);
        }
    }

    /// Checks that an observation names an action executed in its turn. Reports nothing when the
    /// executed actions have no ids, or when another action than the expected one was executed:
    /// that has been reported.
    pub(super) fn bind_observation(
        &self,
        observed: &ObservationFact<'_>,
        step_facts: &mut StepFacts,
    ) {
        let Some(named) = observed.action else {
            return;
        };
        let due = authority::approved(&self.turn)
            .or(self.turn.proposal.as_ref().map(|p| &p.what))
            .and_then(|a| a.id.as_ref());
        let mut ran = self.turn.executed.iter();
        if let Some(Some(last)) = self.turn.executed.last()
            && due == Some(last)
            && ran.all(|id| id.as_deref().is_some_and(|id| named != *id))
        {
            step_facts.anomalies_mut().observed_other =
                Some((named.decode().into_owned(), last.to_string()));
        }
    }
}
