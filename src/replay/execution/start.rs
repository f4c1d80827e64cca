//! The record that starts or resumes an execution.

use super::super::evidence::TurnEvidence;
use super::super::machine::Machine;
use super::super::step_facts::{Breach, Reuse, StepFacts};
use super::Execution;
use crate::trace::step::StartFact;
use governance::{Event, FsmVersion, State};

impl Execution {
    pub(super) fn started(
        &mut self,
        line: u64,
        started: &StartFact<'_, '_>,
        step_facts: &mut StepFacts,
    ) {
        let paused = self.track.machine.state() == State::Idle;
        let goes_on = self.track.started;
        let version = FsmVersion::parse(&started.fsm_version.decode()).unwrap_or(FsmVersion::V1);
        if self.track.started
            && self.track.machine.version() == FsmVersion::V0
            && self.track.machine.state() == State::Terminal
        {
            // The early machine first returns to IDLE. The log has one record for both steps, or
            // one for each.
            self.track.machine.apply(Event::Start);
            self.apply(line, Event::Start, step_facts);
            self.turns.restart(self.turn.id.unwrap_or_default());
            self.turn = TurnEvidence::default();
            self.outcome.reset();
        } else if self.turns.is_second_start() {
        } else if self.track.started
            && (self.is_session() != (version == FsmVersion::Session)
                || !paused && !self.track.machine.may_be(State::Idle) && !self.is_session())
        {
            // The id is taken. The second start isn't applied; later events continue the execution.
            let before = self.track.machine.state();
            step_facts.anomalies_mut().reuse = Some(Reuse {
                of: "execution",
                id: self.origin.id.to_string(),
                line: self.origin.first_line,
            });
            self.track
                .breach(line, Event::Start, before, Breach::Restart, step_facts);
            // If a pause before it was lost, the execution continues from here.
            self.track.machine.apply(Event::Start);
            self.outcome.resume();
            if before == State::Terminal {
                self.track.machine.put(State::Thinking);
                self.turn = TurnEvidence::default();
            }
        } else if self.track.started {
            self.apply(line, Event::Start, step_facts);
        } else {
            self.track.machine = Machine::new(version);
            self.track.started = true;
            self.apply(line, Event::Start, step_facts);
        }
        self.outcome.start();
        if self.is_session() && version == FsmVersion::Session {
            let moved = self.session.start(started);
            if moved {
                step_facts.anomalies_mut().resumed.workdir = true;
            }
        }
        if let Some(decision) = started.refused {
            self.rejected_at_start(decision, step_facts);
        }
        // Differences in an illegal start aren't reported in addition.
        let legal = step_facts.anomalies().reuse.is_none();
        self.apply_names(line, started, goes_on && legal, step_facts);
        self.compare_conditions(started, goes_on && legal && paused, step_facts);
        self.tokens.require(started.capabilities_required);
        self.lines.chain.declare(started.chain.is_some());
    }
}
