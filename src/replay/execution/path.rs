//! The movements of an execution: the events of its machine, and where its path breaks.

use super::super::machine::Movement;
use super::super::step_facts::{Breach, Moved, StepFacts};
use super::super::verdict::{Aspect, PathViolation};
use super::{Execution, PATH};
use governance::{Event, FsmVersion, State};

impl Execution {
    /// Tells the machine of the thoughts that stood in a row. At an end, the early machine takes a
    /// `done` thought for the conclusion.
    pub(super) fn flush_group(&mut self, at_end: bool) {
        let Some(group) = self.group.take() else {
            return;
        };
        let concludes = at_end
            && group.all_done
            && self.machine.version() == FsmVersion::V0
            && self.machine.allows(Event::Concluded);
        let event = if concludes {
            Event::Concluded
        } else {
            Event::ThoughtGenerated {
                done: group.all_done,
            }
        };
        if concludes {
            self.shortcut = Some(group.line);
        }
        if group.unknown {
            let both = [
                Event::ThoughtGenerated { done: false },
                Event::ThoughtGenerated { done: true },
            ];
            // Who isn't done among those who can be read settles it.
            let settled = both.get(..1).filter(|_| !group.all_done);
            self.machine.apply_one_of(settled.unwrap_or(&both));
            return;
        }
        self.machine.apply(event);
        self.remember(group.line, event);
    }

    /// The line of the last thing that happened, if that is that the agents said they were done.
    pub(super) fn stopped_at_done(&self) -> Option<u64> {
        if self.machine.is_broken() {
            return None;
        }
        match self.path.last() {
            Some((line, Event::ThoughtGenerated { done: true } | Event::Concluded, _)) => {
                Some(*line)
            }
            _ => None,
        }
    }

    pub(super) fn remember(&mut self, line: u64, event: Event) {
        self.events += 1;
        if self.path.len() == PATH {
            self.path.remove(0);
        }
        self.path.push((line, event, self.machine.state()));
    }

    pub(super) fn apply(&mut self, line: u64, event: Event, step_facts: &mut StepFacts) {
        let before = self.machine.state();
        if !self.started && event != Event::Start {
            // Nothing else can be said of an execution without a start: take it as started.
            self.started = true;
            self.machine.put(State::Thinking);
            self.machine.apply(event);
            self.breach(line, event, before, Breach::NoStart, step_facts);
            self.machine.break_open(Some(event));
            return;
        }
        if self.is_foreign(line, event) {
            self.verdict.doubt(Aspect::Authorised);
            if !self.machine.is_broken() {
                self.breach(line, event, before, Breach::Other, step_facts);
            }
            self.machine.break_open(None);
            return;
        }
        let after_end = self.machine.candidates().single() == Some(State::Terminal);
        let movement = self.machine.apply(event);
        let breach = (movement == Movement::Illegal).then_some(match event {
            _ if after_end => Breach::AfterTerminal,
            Event::ExecutionFinished | Event::ObservationRecorded => Breach::ResultOutsideState,
            Event::Start
            | Event::ThoughtGenerated { .. }
            | Event::Concluded
            | Event::ActionProposed
            | Event::GovernanceDecided(_)
            | Event::EvaluationMade(_) => Breach::Other,
        });
        if let Some(breach) = breach {
            self.breach(line, event, before, breach, step_facts);
        } else {
            step_facts.movement = Some(Moved {
                event,
                before,
                movement,
                breach: None,
                claimed: None,
            });
            self.remember(line, event);
        }
    }

    pub(super) fn breach(
        &mut self,
        line: u64,
        event: Event,
        before: State,
        breach: Breach,
        step_facts: &mut StepFacts,
    ) {
        step_facts.movement = Some(Moved {
            event,
            before,
            movement: Movement::Illegal,
            breach: Some(breach),
            claimed: None,
        });
        if self.violation.is_none() {
            self.violation = Some(PathViolation {
                line,
                event,
                state: before,
                prefix: self.events + 1,
                path: self.path.as_slice().into(),
            });
        }
    }
}
