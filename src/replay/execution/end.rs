//! The record that declares an execution over.

use super::super::step_facts::{Breach, OutcomeMismatch, StepFacts};
use super::Execution;
use crate::trace::record::EvaluationReason;
use governance::Event;
use strict_json::Str;

impl Execution {
    pub(super) fn declared_over(
        &mut self,
        line: u64,
        outcome: Str<'_>,
        step_facts: &mut StepFacts,
    ) {
        let word = outcome.decode().into_owned();
        if self.outcome.is_ended() {
            let before = self.track.machine.state();
            self.track.breach(
                line,
                Event::Concluded,
                before,
                Breach::AfterTerminal,
                step_facts,
            );
            return;
        }
        self.assign_start_rejection(step_facts);
        // A `done` thought directly before the end is the shortcut, which is reported as such.
        let shortcut = self.track.stopped_at_done();
        self.track.shortcut = self.track.shortcut.or(shortcut);
        if !self.track.started {
            self.track.started = true;
            let before = self.track.machine.state();
            self.track
                .breach(line, Event::Concluded, before, Breach::NoStart, step_facts);
        } else if shortcut.is_none() && !self.track.machine.is_broken() && !self.outcome.fits(&word)
        {
            step_facts.anomalies_mut().outcome = Some(OutcomeMismatch {
                outcome: word.clone(),
                evaluated: self
                    .outcome
                    .evaluation()
                    .map(|(kind, reason, _)| reason.map_or(kind.name(), EvaluationReason::name)),
                line: self.outcome.evaluation().map_or(0, |(.., line)| line),
            });
        }
        self.outcome.declare(word);
    }
}
