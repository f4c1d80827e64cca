//! Order of the times of steps, and of decisions, which have times of their own.

use super::super::step_facts::{Approval, Clock, LateDecision, Reversal, StepFacts};
use super::Execution;
use crate::trace::formats::Coverage;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{Annotation, Decision, Fact, Step};
use governance::DecidedBy;

/// An action executed without a recorded time, and the time of its decision.
#[derive(Debug)]
struct UndatedExecution {
    id: Option<String>,
    line: u64,
    decided: Timestamp,
}

/// Times of an execution so far.
#[derive(Debug, Default)]
pub(super) struct Times {
    /// The latest time and its line.
    last: Option<(Timestamp, u64)>,
    undated: Option<UndatedExecution>,
    /// Earliest and latest time of all steps, in milliseconds since the epoch.
    span: Option<(i64, i64)>,
}

impl Times {
    fn widen(&mut self, time: Timestamp) {
        let now = time.millis();
        let (from, to) = self.span.unwrap_or((now, now));
        self.span = Some((from.min(now), to.max(now)));
    }

    /// Returns the milliseconds between the earliest and the latest step.
    pub(super) fn duration(&self) -> Option<u64> {
        self.span.map(|(from, to)| to.abs_diff(from))
    }
}

impl Execution {
    /// Compares the times of a step with those of earlier steps.
    pub(super) fn check_time(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        step_facts: &mut StepFacts,
    ) {
        if let Some(time) = step.time {
            self.times.widen(time);
        }
        // Calls of a session run in parallel and are recorded as they end.
        if self.is_session() {
            return;
        }
        if let Some(now) = step.time
            && let Some(run) = self.times.undated.take()
            && now.is_before(run.decided)
        {
            step_facts.anomalies_mut().late_decision = Some(LateDecision {
                id: run.id,
                ran: run.line,
            });
        }
        // A decision may have a time of its own.
        let decided = self
            .decided_here(step)
            .and_then(|d| d.time.map(|t| (t, d.by)));
        let Some(now) = step.time.or(decided.map(|(own, _)| own)) else {
            return;
        };
        let before = self.times.last;
        // A human who decided too quickly is reported by another rule, if the time of the proposal
        // is known.
        let too_quick = |by| {
            by == DecidedBy::Human
                && self
                    .turn
                    .proposal
                    .as_ref()
                    .is_some_and(|p| p.time.is_some())
        };
        let told = step.time.is_none() && decided.is_some_and(|(_, by)| too_quick(by));
        // A coarser time that may be equal contains no new information.
        let mut vague = false;
        if let Some((previous, previous_line)) = before {
            let reversed = now.is_before(previous);
            if reversed && !told {
                let of = if step.time.is_none() {
                    Clock::Decision
                } else {
                    Clock::Step
                };
                step_facts.anomalies_mut().reversal = Some(Reversal {
                    previous: previous.millis(),
                    line: previous_line,
                    now: now.millis(),
                    of,
                });
            }
            vague = !reversed && now.is_coarser_than(previous) && now.millis() < previous.millis();
        }
        if !vague {
            self.times.last = Some((now, line));
        }
        // A decision comes after its proposal and before its consequences.
        if let Some((own, by)) = decided.filter(|(own, _)| *own != now) {
            match self.decided_about(step).or(before) {
                Some((previous, previous_line)) if own.is_before(previous) && !too_quick(by) => {
                    let (previous, now) = (previous.millis(), own.millis());
                    step_facts.anomalies_mut().reversal = Some(Reversal {
                        previous,
                        line: previous_line,
                        now,
                        of: Clock::Decision,
                    });
                }
                _ if now.is_before(own) => self.times.last = Some((own, line)),
                _ => {}
            }
        }
    }

    /// Returns the step's decision, unless an earlier line of an event log already recorded it with
    /// its time.
    fn decided_here<'a>(&self, step: &Step<'_, 'a>) -> Option<Decision<'a>> {
        match &step.fact {
            Fact::Decided(decision) => Some(*decision),
            Fact::Moved(moved) => {
                let beside = self.turn.pending_decision.as_ref().and_then(|b| b.time);
                moved
                    .decision
                    .filter(|d| moved.told.is_none() && (beside.is_none() || d.time != beside))
            }
            Fact::Annotation(Annotation::Decided(_, told)) => {
                let taken_up = self.turn.decision.as_ref().and_then(|d| d.what.own_time);
                told.map(|t| t.decision)
                    .filter(|d| taken_up.is_none() || d.time != taken_up)
            }
            _ => None,
        }
    }

    /// Returns time and line of the proposal that an event log's decision is about. The lines of
    /// such a log aren't in strict order, so only the proposal is known to come before the
    /// decision.
    fn decided_about(&self, step: &Step<'_, '_>) -> Option<(Timestamp, u64)> {
        let native = matches!(step.fact, Fact::Moved(_) | Fact::Annotation(_));
        let proposal = self.turn.proposal.as_ref().filter(|_| native)?;
        proposal.time.map(|time| (time, proposal.line))
    }

    /// Returns [`Approval::Late`] if an action was executed before the date of its decision. In a
    /// native log, neither the order of lines nor their times prove much, so only the decision's
    /// own time is used.
    pub(super) fn if_too_late(
        &mut self,
        approval: Approval,
        id: Option<&str>,
        line: u64,
        time: Option<Timestamp>,
    ) -> Approval {
        let log = matches!(self.origin.format.coverage(), Coverage::Movements { .. });
        let decision = self
            .turn
            .decision
            .as_ref()
            .filter(|_| approval == Approval::Given);
        let Some(decided) = decision.and_then(|d| if log { d.what.own_time } else { d.time })
        else {
            return approval;
        };
        match time {
            Some(ran) if ran.is_before(decided) => Approval::Late(line),
            Some(_) => approval,
            None => {
                // The next recorded time decides: the action was executed before it.
                self.times.undated = Some(UndatedExecution {
                    id: id.map(str::to_owned),
                    line,
                    decided,
                });
                approval
            }
        }
    }
}
