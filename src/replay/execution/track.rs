//! Events of an execution, applied to its machine, and breaks of its path.

use super::super::machine::{Legality, Machine};
use super::super::step_facts::{AppliedEvent, Breach, StepFacts};
use super::super::verdict::{Aspect, PathViolation};
use super::Execution;
use governance::{Event, FsmVersion, State};

/// Number of movements kept to show how a path broke.
const PATH: usize = 5;

/// Path of an execution through its machine.
#[derive(Debug)]
pub(super) struct Track {
    pub(super) machine: Machine,
    /// Consecutive thoughts that haven't been applied to the machine yet.
    pub(super) group: Option<Group>,
    pub(super) started: bool,
    /// Number of events so far.
    pub(super) events: u64,
    /// The last of them: line, event, state reached.
    path: Vec<(u64, Event, State)>,
    /// The first illegal event.
    pub(super) violation: Option<PathViolation>,
    /// Line of the thought that ended the execution without an evaluation.
    pub(super) shortcut: Option<u64>,
}

/// Consecutive thoughts, which the machine receives as one event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    pub(super) all_done: bool,
    /// One of them can't be read.
    pub(super) unknown: bool,
    pub(super) line: u64,
}

impl Track {
    pub(super) fn at(version: FsmVersion, state: State, started: bool) -> Self {
        Self {
            machine: Machine::at(version, state),
            group: None,
            started,
            events: 0,
            path: Vec::with_capacity(PATH),
            violation: None,
            shortcut: None,
        }
    }

    /// Applies the group of thoughts to the machine. At an end, the early machine treats a `done`
    /// group as the conclusion.
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
            // One readable thought that isn't done determines the group.
            let settled = both.get(..1).filter(|_| !group.all_done);
            self.machine.apply_one_of(settled.unwrap_or(&both));
            return;
        }
        self.machine.apply(event);
        self.remember(group.line, event);
    }

    /// Returns the line of the last event, if it is a thought that says the agents are done.
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

    pub(super) fn breach(
        &mut self,
        line: u64,
        event: Event,
        before: State,
        breach: Breach,
        step_facts: &mut StepFacts,
    ) {
        step_facts.movement = Some(AppliedEvent {
            event,
            before,
            movement: Legality::Illegal,
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

impl Execution {
    /// Applies an event to the machine and records an illegal one.
    pub(super) fn apply(&mut self, line: u64, event: Event, step_facts: &mut StepFacts) {
        let before = self.track.machine.state();
        if !self.track.started && event != Event::Start {
            // Without a start no other answer is possible; the execution counts as started from
            // here.
            self.track.started = true;
            self.track.machine.put(State::Thinking);
            self.track.machine.apply(event);
            self.track
                .breach(line, event, before, Breach::NoStart, step_facts);
            self.track.machine.break_open(Some(event));
            return;
        }
        if self.is_foreign(line, event) {
            self.verdict.doubt(Aspect::Authorised);
            if !self.track.machine.is_broken() {
                self.track
                    .breach(line, event, before, Breach::Other, step_facts);
            }
            self.track.machine.break_open(None);
            return;
        }
        let after_end = self.track.machine.candidates().single() == Some(State::Terminal);
        let movement = self.track.machine.apply(event);
        let breach = (movement == Legality::Illegal).then_some(match event {
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
            self.track.breach(line, event, before, breach, step_facts);
        } else {
            step_facts.movement = Some(AppliedEvent {
                event,
                before,
                movement,
                breach: None,
                claimed: None,
            });
            self.track.remember(line, event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thought(track: &mut Track, line: u64, done: bool) {
        track.group = Some(Group {
            all_done: done,
            unknown: false,
            line,
        });
    }

    #[test]
    fn only_the_early_machine_takes_a_last_thought_for_the_end() {
        for (version, shortcut) in [(FsmVersion::V0, Some(3)), (FsmVersion::V1, None)] {
            let mut track = Track::at(version, State::Thinking, true);
            thought(&mut track, 3, true);
            track.flush_group(true);
            assert_eq!(track.shortcut, shortcut, "{version:?}");
            assert_eq!(track.stopped_at_done(), Some(3), "{version:?}");
        }
    }

    #[test]
    fn the_first_breach_is_kept_with_the_path_to_it() {
        let mut track = Track::at(FsmVersion::V1, State::Thinking, true);
        thought(&mut track, 2, false);
        track.flush_group(false);
        let mut facts = StepFacts::default();
        let state = track.machine.state();
        for line in [3, 4] {
            track.breach(line, Event::Start, state, Breach::Restart, &mut facts);
        }
        let violation = track.violation.expect("kept");
        assert_eq!((violation.line, violation.prefix), (3, 2));
        assert_eq!(violation.path.len(), 1);
    }
}
