//! What native logs tell: movements, evidence beside them, parts that aren't kept, terminal sessions;
//! and records that can't be read.

use super::super::authority;
use super::super::evidence::{Kept, KeptAction, KeptDecision, KeptThought, TurnEvidence};
use super::super::judged::{Approval, Breach, Judged, Moved, Ran, TokenUse};
use super::super::machine::Movement;
use super::super::verdict::Aspect;
use super::{Context, Elevation, Execution, understated};
use crate::governance::{EvaluationKind, Event, Ruling, State};
use crate::trace::native::cast::Frame;
use crate::trace::record::RecordKind;
use crate::trace::step::{self, Beside, Executed, Step};

impl Execution {
    /// A native log says that the state moved.
    pub(super) fn moved(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        moved: &step::Moved<'_>,
        context: Context<'_>,
        judged: &mut Judged,
    ) {
        self.started = true;
        let beside = self.turn.decision_beside.take();
        let ruling = moved.decision.map(|d| d.ruling).or(beside.as_ref().map(|b| b.what.ruling));
        // Where two accounts of a decision differ, the stricter one counts.
        let ruling = match (ruling, &beside) {
            (Some(_), Some(b)) if b.what.ruling == Ruling::Rejected => Some(Ruling::Rejected),
            (ruling, _) => ruling,
        };
        let event = match (moved.from, moved.to) {
            (State::Idle, State::Thinking) | (State::Terminal, State::Idle) => Some(Event::Start),
            (State::Thinking, State::Proposing) => Some(Event::ThoughtGenerated { done: false }),
            (State::Thinking, State::Evaluating) => Some(Event::ThoughtGenerated { done: true }),
            (State::Thinking, State::Terminal) => Some(Event::Concluded),
            (State::Proposing, State::Governing) => Some(Event::ActionProposed),
            (State::Governing, State::Executing) => Some(Event::GovernanceDecided(ruling.unwrap_or(Ruling::Approved))),
            (State::Governing, State::Thinking) => Some(Event::GovernanceDecided(ruling.unwrap_or(Ruling::Rejected))),
            (State::Executing, State::Observing) => Some(Event::ExecutionFinished),
            (State::Observing, State::Evaluating) => Some(Event::ObservationRecorded),
            (State::Evaluating, State::Thinking) => {
                Some(Event::EvaluationMade(moved.evaluation.unwrap_or(EvaluationKind::Continue)))
            }
            (State::Evaluating, State::Terminal) => {
                Some(Event::EvaluationMade(moved.evaluation.unwrap_or(EvaluationKind::Terminate)))
            }
            (State::Evaluating, State::Idle) => Some(Event::EvaluationMade(moved.evaluation.unwrap_or(EvaluationKind::Pause))),
            _ => None,
        };
        let before = self.machine.state();
        let Some(event) = event else {
            // No event of any version leads from here to there.
            self.breach(line, Event::Concluded, before, Breach::Other, judged);
            if let Some(m) = &mut judged.movement {
                m.claimed = Some(moved.to);
            }
            self.machine.break_open(None);
            return;
        };
        if event == Event::ActionProposed && (!self.turn.begun || !self.turn.executed.is_empty()) {
            // The movement that begins this turn was lost.
            let thoughts = if self.turn.begun { Vec::new() } else { std::mem::take(&mut self.turn.thoughts) };
            self.begin_turn(line, None);
            self.turn.thoughts = thoughts;
        }
        if event == (Event::ThoughtGenerated { done: false }) || event == Event::Concluded {
            let pending = std::mem::take(&mut self.turn);
            self.begin_turn(line, None);
            if pending.executed.is_empty() && pending.proposal.is_none() {
                // What the model said stands before the movement that it causes.
                self.turn.thoughts = pending.thoughts;
            }
        }
        self.apply(line, event, judged);
        if self.machine.state() != moved.to && judged.movement.is_some_and(|m| m.breach.is_none()) && !self.machine.is_broken() {
            // The reducer comes out elsewhere than the log says, or the log had been elsewhere before.
            let rejected_ran = moved.to == State::Executing && ruling == Some(Ruling::Rejected);
            self.machine.put(moved.to);
            if rejected_ran {
                self.turn.rejected_ran = true;
                self.breach(line, event, before, Breach::ResultOutsideState, judged);
                judged.executed = Some(Ran {
                    id: self.turn.proposal.as_ref().and_then(|p| p.what.id.as_deref()).map(str::to_owned),
                    approval: Approval::Rejected,
                    repeat: None,
                    differs: false,
                    token: TokenUse::Fine,
                    undeclared: None,
                    leaves: Vec::new(),
                    protected: Vec::new(),
                    decision_line: Some(line),
                });
            } else {
                self.breach(line, event, before, Breach::Other, judged);
                if let Some(m) = &mut judged.movement {
                    m.claimed = Some(moved.to);
                }
            }
        }
        match event {
            Event::GovernanceDecided(_) => match (moved.decision, beside) {
                (Some(mut decision), beside) => {
                    if beside.is_some_and(|b| b.what.ruling == Ruling::Rejected) {
                        decision.ruling = Ruling::Rejected;
                    }
                    self.rule(line, step.time, &decision, context, judged);
                }
                (None, Some(beside)) => self.turn.decision = Some(beside),
                (None, None) => self.turn.decision_unknown = true,
            },
            Event::ActionProposed => {
                if self.turn.proposal.is_none() {
                    self.turn.proposal = Some(Kept { what: KeptAction::not_recorded(), line, time: step.time });
                }
            }
            Event::ExecutionFinished if self.turn.executed.is_empty() && judged.executed.is_none() => {
                let nothing = Executed { action_id: None, capability: None, action: None, observed: None, result: None };
                self.run(line, &nothing, context, judged);
            }
            Event::EvaluationMade(kind) => self.last_evaluation = Some((kind, moved.reason, line)),
            Event::Start
            | Event::ThoughtGenerated { .. }
            | Event::Concluded
            | Event::ExecutionFinished
            | Event::ObservationRecorded => {}
        }
    }

    /// Evidence that a native log keeps beside its movements.
    pub(super) fn beside(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        beside: &Beside<'_, '_>,
        context: Context<'_>,
        judged: &mut Judged,
    ) {
        match beside {
            Beside::Thought(thought) => {
                let action = thought.action.as_ref().map(KeptAction::of);
                if self.turn.proposal.is_some() || !self.turn.executed.is_empty() {
                    self.turn = TurnEvidence { id: self.turn.id, ..TurnEvidence::default() };
                }
                self.turn.thoughts.push(Kept { what: KeptThought { agent: None, action }, line, time: step.time });
            }
            Beside::Decided(action, decision) => {
                if let Some(action) = action {
                    judged.not_thought = self.is_nobodys_thought(None, action);
                    let (found, reach) = authority::look(context, action);
                    judged.malformed_diff = reach.as_ref().and_then(|r| r.malformed.clone());
                    judged.understated = understated(context, action, found);
                    if let Some(id) = action.id {
                        self.enter(line, &id.decode(), action, judged);
                    }
                    let time = self.turn.proposal.as_ref().and_then(|p| p.time);
                    let at = self.turn.proposal.as_ref().map_or(line, |p| p.line);
                    self.turn.proposal = Some(Kept {
                        what: KeptAction::proposed(action, found, &self.turn.thoughts).reaching(reach),
                        line: at,
                        time,
                    });
                }
                if let Some(decision) = decision {
                    self.turn.decision_beside = Some(Kept {
                        what: KeptDecision {
                            ruling: decision.ruling,
                            by: decision.by,
                            action: decision.action.map(|a| a.decode().into()),
                            modified: decision.modified.as_ref().map(KeptAction::of),
                            misdirected: false,
                        },
                        line,
                        time: decision.time.or(step.time),
                    });
                }
            }
            Beside::Executed(executed) => self.run(line, executed, context, judged),
            Beside::Other => {}
        }
    }

    /// Something happened that the format keeps no record of.
    pub(super) fn not_recorded(&mut self, line: u64, step: &Step<'_, '_>, event: Event, judged: &mut Judged) {
        self.verdict.doubt(Aspect::LegalPath);
        self.editor = true;
        match event {
            Event::ThoughtGenerated { .. } => {
                self.check_turn(line, step, true, judged);
                self.turn.thoughts_unknown = true;
                self.answered = false;
                // Whatever went before isn't recorded either: the turn begins.
                self.machine.put(State::Thinking);
            }
            Event::GovernanceDecided(_) => self.turn.decision_unknown = true,
            Event::EvaluationMade(EvaluationKind::Terminate) => {
                self.answered = true;
                self.machine.put(State::Thinking);
                return;
            }
            _ => {}
        }
        self.machine.apply(event);
        self.remember(line, event);
    }

    /// A frame of a terminal session. A line that is typed while an elevation waits for its password
    /// has passed no governor; a root shell that nobody asked for is one that was claimed.
    pub(super) fn terminal(&mut self, frame: Frame, judged: &mut Judged) {
        match (frame, self.elevation) {
            (Frame::Typed, Elevation::Pending) => {
                self.actions += 1;
                judged.executed = Some(Ran {
                    id: None,
                    approval: Approval::Missing,
                    repeat: None,
                    differs: false,
                    token: TokenUse::Fine,
                    undeclared: None,
                    leaves: Vec::new(),
                    protected: Vec::new(),
                    decision_line: None,
                });
            }
            (Frame::Typed, Elevation::User | Elevation::Root) => self.actions += 1,
            (Frame::ElevationStarted, _) => self.elevation = Elevation::Pending,
            (Frame::ElevationFailed, _) => self.elevation = Elevation::User,
            (Frame::ElevationSucceeded, from) => {
                if from == Elevation::User {
                    judged.movement = Some(Moved {
                        event: Event::ExecutionFinished,
                        before: self.machine.state(),
                        movement: Movement::Illegal,
                        breach: Some(Breach::Other),
                        claimed: None,
                    });
                }
                self.elevation = Elevation::Root;
            }
            (Frame::Other, _) => {}
        }
    }

    /// A record that belongs here and can't be read: something happened, and what it shows is unknown.
    pub(super) fn unreadable(&mut self, step: &Step<'_, '_>, kind: RecordKind) {
        use EvaluationKind as K;
        self.verdict.doubt(Aspect::LegalPath);
        let begins = matches!(kind, RecordKind::ThoughtGenerated | RecordKind::Turn);
        if begins && step.turn.is_some() && step.turn != self.turn.id {
            self.begin_turn(0, step.turn);
        }
        match kind {
            RecordKind::ExecutionStarted => {
                self.started = true;
                self.machine.put(State::Thinking);
                self.machine.lose_track();
            }
            RecordKind::ThoughtGenerated => {
                self.turn.thoughts_unknown = true;
                self.machine.apply_one_of(&[Event::ThoughtGenerated { done: false }, Event::ThoughtGenerated { done: true }]);
            }
            RecordKind::ActionProposed => {
                self.turn.proposal = None;
                self.turn.proposal_unknown = true;
                self.machine.apply_one_of(&[Event::ActionProposed]);
            }
            RecordKind::GovernanceDecided => {
                self.verdict.doubt(Aspect::Authorised);
                self.verdict.doubt(Aspect::GovernanceComplete);
                self.turn.decision_unknown = true;
                self.machine
                    .apply_one_of(&[Event::GovernanceDecided(Ruling::Approved), Event::GovernanceDecided(Ruling::Rejected)]);
            }
            RecordKind::ExecutionFinished => {
                self.verdict.doubt(Aspect::Authorised);
                self.machine.apply_one_of(&[Event::ExecutionFinished]);
            }
            RecordKind::ObservationRecorded => self.machine.apply_one_of(&[Event::ObservationRecorded]),
            RecordKind::EvaluationMade => {
                self.last_evaluation = None;
                self.machine.apply_one_of(&[
                    Event::EvaluationMade(K::Continue),
                    Event::EvaluationMade(K::Terminate),
                    Event::EvaluationMade(K::Pause),
                ]);
            }
            RecordKind::ExecutionEnded => self.ended = true,
            RecordKind::Turn | RecordKind::Execution => {
                self.verdict.doubt(Aspect::Authorised);
                self.verdict.doubt(Aspect::GovernanceComplete);
                self.started = true;
                self.machine.lose_track();
            }
            RecordKind::CapabilityIssued | RecordKind::CapabilityRevoked => self.verdict.doubt(Aspect::Authorised),
            RecordKind::ContextChanged => {}
        }
    }
}
