//! The open turn: its number and thoughts.

use super::super::evidence::{Evidence, OwnedThought, TurnEvidence};
use super::super::step_facts::{Breach, StepFacts, TurnBreak};
use super::super::verdict::Aspect;
use super::{Execution, THOUGHTS};
use crate::trace::step::{Fact, Step};
use governance::State;

impl Execution {
    /// Compares the step's turn number with the open turn, and begins a turn if necessary.
    pub(super) fn check_turn(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        begins: bool,
        step_facts: &mut StepFacts,
    ) {
        let Some(found) = step.turn else {
            return;
        };
        if self.is_session() {
            // Each call is a turn, whatever its number.
            if matches!(step.fact, Fact::Proposed(_)) || self.turn.id != Some(found) {
                self.begin_turn(line, Some(found));
            }
            return;
        }
        let after_end = step_facts
            .movement
            .is_some_and(|m| m.breach == Some(Breach::AfterTerminal));
        if after_end
            || self.outcome.is_reopened()
            || self.track.machine.candidates().single() == Some(State::Terminal)
        {
            // An event after the end has its own finding; its turn number isn't reported.
            if begins && !self.outcome.is_reopened() {
                self.begin_turn(line, Some(found));
            }
            return;
        }
        match self.turn.id {
            Some(current) if current == found => {}
            Some(current) if !begins && found != current.saturating_add(1) => {
                step_facts.anomalies_mut().order = Some(TurnBreak::Interleaved { current, found });
            }
            open => {
                let expected = open.map_or(1, |n| n.saturating_add(1));
                let missed = self.turns.are_missed() && found > expected;
                // The early machine may continue the numbers or start at one again.
                let counts_on = self.turns.counts_on(found);
                let jump = found != expected && !missed && !counts_on;
                if missed {
                    self.verdict.doubt(Aspect::LegalPath);
                    let anomalies = step_facts.anomalies_mut();
                    (anomalies.order, anomalies.turns_lost) =
                        (Some(TurnBreak::Jump { expected, found }), true);
                } else if jump {
                    step_facts.anomalies_mut().order = Some(TurnBreak::Jump { expected, found });
                } else if !begins
                    && open.is_some()
                    && !self.track.machine.is_broken()
                    && !self.turn_is_over()
                {
                    step_facts.anomalies_mut().order = Some(TurnBreak::Interleaved {
                        current: open.unwrap_or_default(),
                        found,
                    });
                    return;
                }
                self.begin_turn(line, Some(found));
                self.turn.repeated = found < expected;
            }
        }
    }

    pub(super) fn turn_is_over(&self) -> bool {
        self.is_session()
            || self.track.machine.may_be(State::Thinking)
            || self.track.machine.may_be(State::Idle)
    }

    pub(super) fn begin_turn(&mut self, line: u64, id: Option<i64>) {
        self.turn = TurnEvidence {
            id,
            line,
            begun: true,
            ..TurnEvidence::default()
        };
        self.turns.begin(line);
    }

    /// Returns whether a thought belongs to the turn of the current group.
    pub(super) fn continues_thoughts(&self, step: &Step<'_, '_>) -> bool {
        self.track.group.is_some() && (step.turn.is_none() || step.turn == self.turn.id)
    }

    pub(super) fn keep_thought(&mut self, thought: Evidence<OwnedThought>) {
        if self.turn.thoughts.len() < THOUGHTS {
            self.turn.thoughts.push(thought);
        } else {
            self.turn.thoughts_unknown = true;
            self.verdict.doubt(Aspect::LegalPath);
        }
    }
}
