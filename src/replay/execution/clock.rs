//! The times of steps, and of decisions, which have their own.

use super::super::judged::{Clock, Judged, Reversal};
use super::Execution;
use crate::trace::record::DecidedBy;
use crate::trace::step::{Fact, Step};

impl Execution {
    /// Compares the times of a step with that of the step before.
    pub(super) fn check_time(&mut self, line: u64, step: &Step<'_, '_>, judged: &mut Judged) {
        // A decision has a time of its own as well.
        let decided = if let Fact::Decided(decision) = &step.fact { decision.time.map(|t| (t, decision.by)) } else { None };
        let Some(now) = step.time.or(decided.map(|(own, _)| own)) else {
            return;
        };
        let before = self.last_time;
        // That a human was too quick has a rule of its own, where the time of the proposal is known.
        let too_quick = |by| by == DecidedBy::Human && self.turn.proposal.as_ref().is_some_and(|p| p.time.is_some());
        let told = step.time.is_none() && decided.is_some_and(|(_, by)| too_quick(by));
        if let Some((previous, previous_line)) = before
            && now < previous
            && !told
        {
            let of = if step.time.is_none() { Clock::Decision } else { Clock::Step };
            judged.reversal = Some(Reversal { previous, line: previous_line, now, of });
        }
        self.last_time = Some((now, line));
        // It comes after what it is about, and before what comes of it.
        if let Some((own, by)) = decided.filter(|(own, _)| *own != now) {
            match before {
                Some((previous, previous_line)) if own < previous && !too_quick(by) => {
                    judged.reversal = Some(Reversal { previous, line: previous_line, now: own, of: Clock::Decision });
                }
                _ if own > now => self.last_time = Some((own, line)),
                _ => {}
            }
        }
    }
}
