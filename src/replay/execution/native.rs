//! Steps of native logs: transitions, annotations and unrecorded parts; and unreadable records.

use super::super::authority;
use super::super::evidence::{
    Evidence, OwnedAction, OwnedActionKind, OwnedThought, PendingDecision, TurnEvidence,
};
use super::super::machine::Legality;
use super::super::path_effects::PathEffects;
use super::super::step_facts::{
    AppliedEvent, Approval, Breach, ExecutedFacts, StepFacts, TurnBreak,
};
use super::super::verdict::Aspect;
use super::authorise::analyse_shown;
use super::proposal::understated;
use super::track::Group;
use super::{Context, EditorLog, Execution};
use crate::trace::action;
use crate::trace::formats::Coverage;
use crate::trace::record::RecordKind;
use crate::trace::step::{
    self, Action, ActionKind, ActionRole, Annotation, Decision, ExecutionFact, Fact, Step,
};
use governance::{ActionType, DecidedBy};
use governance::{EvaluationKind, Event, Ruling, State};
use std::sync::Arc;
use strict_json::{Raw, canonical_eq};

impl Execution {
    /// Handles a state transition of a native log.
    pub(super) fn moved(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        moved: &step::TransitionFact<'_>,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        // Where two records of a decision differ, the more restrictive one applies.
        let beside = self.turn.pending_decision.take();
        let refused = beside
            .as_ref()
            .is_some_and(|b| b.what.ruling == Ruling::Rejected);
        let decision = moved
            .decision
            .map(|decision| stricter(decision, beside.as_ref()));
        let taken_up = self.turn.decision.as_ref().map(|d| d.what.ruling);
        let ruling = if refused {
            Some(Ruling::Rejected)
        } else {
            moved.decision.map(|d| d.ruling).or(taken_up)
        };
        let thought_done = self
            .turn
            .thoughts
            .last()
            .filter(|_| self.turn.is_fresh())
            .map(|t| t.what.done);
        let event = match (moved.from, moved.to) {
            (State::Idle, State::Thinking) | (State::Terminal, State::Idle) => Some(Event::Start),
            (State::Thinking, State::Proposing) => Some(Event::ThoughtGenerated {
                done: thought_done.unwrap_or(false),
            }),
            (State::Thinking, State::Evaluating) => Some(Event::ThoughtGenerated {
                done: thought_done.unwrap_or(true),
            }),
            // Only an agent that is done may skip evaluation.
            (State::Thinking, State::Terminal) => Some(match thought_done {
                Some(false) => Event::ThoughtGenerated { done: false },
                Some(true) => Event::Concluded,
                None => {
                    if self.origin.format.coverage() == (Coverage::Movements { evidence: true }) {
                        // Such a log records the model's responses, but this one is missing.
                        self.verdict.doubt(Aspect::LegalPath);
                    }
                    Event::Concluded
                }
            }),
            (State::Proposing, State::Governing) => Some(Event::ActionProposed),
            (State::Governing, State::Executing) => {
                Some(Event::GovernanceDecided(ruling.unwrap_or(Ruling::Approved)))
            }
            (State::Governing, State::Thinking) => {
                Some(Event::GovernanceDecided(ruling.unwrap_or(Ruling::Rejected)))
            }
            (State::Executing, State::Observing) => Some(Event::ExecutionFinished),
            (State::Observing, State::Evaluating) => Some(Event::ObservationRecorded),
            (State::Evaluating, State::Thinking) => Some(Event::EvaluationMade(
                moved.evaluation.unwrap_or(EvaluationKind::Continue),
            )),
            (State::Evaluating, State::Terminal) => Some(Event::EvaluationMade(
                moved.evaluation.unwrap_or(EvaluationKind::Terminate),
            )),
            (State::Evaluating, State::Idle) => Some(Event::EvaluationMade(
                moved.evaluation.unwrap_or(EvaluationKind::Pause),
            )),
            _ => None,
        };
        let before = self.track.machine.state();
        let Some(event) = event else {
            // No event of any version leads from `from` to `to`.
            self.track
                .breach(line, Event::Concluded, before, Breach::Other, step_facts);
            if let Some(m) = &mut step_facts.movement {
                m.claimed = Some((moved.from, moved.to));
            }
            self.track.machine.break_open(None);
            self.track.started = true;
            // The transition may be wrongly recorded; the decision was still made.
            match decision.filter(|_| matches!(moved.to, State::Executing | State::Thinking)) {
                Some(decision) if taken_up != Some(decision.ruling) => {
                    let nothing = || Evidence {
                        what: OwnedAction::not_recorded(),
                        line,
                        time: step.time,
                    };
                    self.turn.proposal.get_or_insert_with(nothing);
                    self.apply_decision(line, step.time, &decision, context, step_facts);
                }
                _ => self.turn.pending_decision = beside,
            }
            return;
        };
        self.track.started |= event == Event::Start;
        if event == Event::ActionProposed && (!self.turn.begun || !self.turn.executed.is_empty()) {
            // The transition that begins this turn was lost.
            let thoughts = if self.turn.begun {
                Vec::new()
            } else {
                std::mem::take(&mut self.turn.thoughts)
            };
            self.begin_turn(line, None);
            self.turn.thoughts = thoughts;
        }
        if matches!(event, Event::ThoughtGenerated { .. } | Event::Concluded) {
            let pending = std::mem::take(&mut self.turn);
            self.begin_turn(line, None);
            if pending.is_fresh() {
                // A log records the model's response before the transition that it causes.
                self.turn.thoughts = pending.thoughts;
            }
        }
        self.apply(line, event, step_facts);
        if self.track.machine.state() != moved.to
            && step_facts.movement.is_some_and(|m| m.breach.is_none())
            && !self.track.machine.is_broken()
        {
            // The reducer's result differs from the recorded state, or the recorded path had
            // already diverged.
            let rejected_ran = moved.to == State::Executing && ruling == Some(Ruling::Rejected);
            self.track.machine.put(moved.to);
            if rejected_ran {
                self.turn.rejected_ran = true;
                self.track
                    .breach(line, event, before, Breach::ResultOutsideState, step_facts);
                let id = self
                    .turn
                    .proposal
                    .as_ref()
                    .and_then(|p| p.what.id.as_deref())
                    .map(str::to_owned);
                step_facts.executed = Some(ExecutedFacts {
                    decision_line: Some(line),
                    ..ExecutedFacts::bare(id, Approval::Rejected)
                });
            } else {
                self.track
                    .breach(line, event, before, Breach::Other, step_facts);
                if let Some(m) = &mut step_facts.movement {
                    m.claimed = Some((moved.from, moved.to));
                }
            }
        }
        match event {
            Event::GovernanceDecided(_) => match decision {
                // An action was executed before the transition was logged, and has used the
                // decision.
                Some(decision) if taken_up == Some(decision.ruling) && !refused => {}
                None if taken_up.is_some() => {}
                Some(decision) => self.apply_decision(
                    moved.told.unwrap_or(line),
                    step.time,
                    &decision,
                    context,
                    step_facts,
                ),
                None => self.turn.decision_unknown = true,
            },
            Event::ActionProposed => {
                if self.turn.proposal.is_none() {
                    self.turn.proposal = Some(Evidence {
                        what: OwnedAction::not_recorded(),
                        line,
                        time: step.time,
                    });
                }
            }
            Event::ExecutionFinished
                if self.turn.executed.is_empty() && step_facts.executed.is_none() =>
            {
                let nothing = ExecutionFact {
                    action_id: None,
                    capability: None,
                    action: None,
                    observed: None,
                    result: None,
                };
                self.apply_execution(line, step.time, &nothing, context, step_facts);
            }
            Event::EvaluationMade(kind) => self.outcome.evaluate(kind, moved.reason, line),
            Event::Start
            | Event::ThoughtGenerated { .. }
            | Event::Concluded
            | Event::ExecutionFinished
            | Event::ObservationRecorded => {}
        }
    }

    /// Handles evidence that a native log records apart from its transitions.
    pub(super) fn annotation(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        beside: &Annotation<'_, '_>,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        match beside {
            Annotation::Thought(thought) => {
                let action = thought.action.as_ref().map(OwnedAction::of);
                if !self.turn.is_fresh() {
                    self.turn = TurnEvidence {
                        id: self.turn.id,
                        line,
                        ..TurnEvidence::default()
                    };
                }
                let what = OwnedThought {
                    agent: None,
                    action,
                    done: thought.done,
                };
                self.keep_thought(Evidence {
                    what,
                    line,
                    time: step.time,
                });
            }
            Annotation::Decided(action, told) => {
                let id = action
                    .and_then(|a| a.id)
                    .or(told.and_then(|t| t.decision.action));
                let ran = match id {
                    Some(id) => self
                        .known
                        .by_id
                        .get(&*id.decode())
                        .and_then(|known| known.ran)
                        .is_some_and(|(at, _)| at >= self.turn.line),
                    // A rejection that names no action applies to what this turn executed.
                    None => {
                        told.is_some_and(|t| t.decision.ruling == Ruling::Rejected)
                            && !self.turn.executed.is_empty()
                    }
                };
                if let Some(told) = told {
                    self.overrule(line, id, &told.decision);
                    if !ran && told.decision.ruling == Ruling::Rejected {
                        self.rejected_later(id, step_facts);
                    }
                }
                if let Some(action) = action {
                    if self.matches_no_thought(None, action) {
                        step_facts.anomalies_mut().not_thought = true;
                    }
                    let (found, reach) = authority::analyse_cached(context, action);
                    let risks = understated(context, action, found, step_facts);
                    self.propose_analysed(line, reach.as_deref(), risks, step_facts);
                    let before = self
                        .turn
                        .proposal
                        .as_ref()
                        .filter(|_| self.turn.executed.is_empty())
                        .map(|p| &p.what);
                    let shown = before.filter(|p| {
                        p.id.as_deref()
                            .is_some_and(|id| action.id.is_some_and(|a| a == *id))
                    });
                    let shown = self.turn.proposal_shown
                        && shown.is_some_and(|p| p.same_as(action) == Some(true));
                    if self.turn.proposal_shown
                        && before.is_some_and(|p| p.same_as(action) == Some(false))
                    {
                        // Two different proposals for one decision.
                        self.verdict.doubt(Aspect::Authorised);
                    }
                    // The id of an action that was executed or shown in this turn is already
                    // registered.
                    if let Some(id) = action.id.filter(|_| !ran && !shown) {
                        self.register_id(line, &id.decode(), action, step_facts);
                    }
                    let time = self.turn.proposal.as_ref().and_then(|p| p.time);
                    let at = self.turn.proposal.as_ref().map_or(line, |p| p.line);
                    self.turn.proposal = Some(Evidence {
                        what: OwnedAction::proposed(action, found, &self.turn.thoughts)
                            .reaching(reach),
                        line: at,
                        time,
                    });
                }
                match told {
                    Some(told) if ran => {
                        self.decided_afterwards(line, step, &told.decision, context, step_facts);
                    }
                    Some(told) => {
                        let decision = &told.decision;
                        // A line that names no other action can't override a rejection.
                        let refused = self
                            .turn
                            .pending_decision
                            .as_ref()
                            .is_some_and(|b| b.what.ruling == Ruling::Rejected);
                        if !(refused && action.is_none()) {
                            let written = told.written.as_written().into();
                            let what = PendingDecision {
                                ruling: decision.ruling,
                                by: decision.by,
                                written,
                            };
                            self.turn.pending_decision = Some(Evidence {
                                what,
                                line,
                                time: decision.time.or(step.time),
                            });
                        }
                    }
                    None => {}
                }
            }
            Annotation::Executed(executed, told) => {
                if let Some((told_at, decision)) = told {
                    // The decision's transition was lost or follows later.
                    self.turn.pending_decision = None;
                    self.apply_decision(*told_at, step.time, decision, context, step_facts);
                }
                self.apply_execution(line, step.time, executed, context, step_facts);
            }
            Annotation::Observed(observed) => self.observe(observed, step_facts),
            Annotation::Agent(agent) => self.add_agent(line, &agent.decode(), step_facts),
            Annotation::Declared(paths) => {
                self.declared_without_proposal(line, step, *paths, step_facts);
            }
            Annotation::Changed(changed) => {
                self.changed(line, step, changed, context, step_facts);
            }
            Annotation::Shown(action, showing) => {
                self.shown(line, step, action, *showing, context, step_facts);
            }
            Annotation::FinalArtifacts(artifacts) => {
                self.check_final_artifacts(*artifacts, step_facts);
            }
            Annotation::ListedRejection(decision, nth) => {
                self.rejected_at_end(decision, *nth, step_facts);
            }
            Annotation::Call(mark) => self.call_mark(line, step, *mark, step_facts),
            // A turn without any events is still a turn.
            Annotation::Other => self.check_turn(line, step, true, step_facts),
        }
    }

    /// Handles an action shown in a place where the format records none. It must match what was
    /// thought, proposed, allowed and executed. If it can't be compared, no answer is given.
    fn shown(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        action: &Action<'_>,
        showing: ActionRole,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        let same = |known: &OwnedAction| known.same_as(action) == Some(true);
        let thought = self
            .turn
            .thoughts
            .iter()
            .filter_map(|t| t.what.action.as_ref())
            .any(same);
        let proposal = self.turn.proposal.as_ref().map(|p| &p.what);
        let approved = authority::approved(&self.turn);
        let decided = proposal.is_some_and(same) || approved.is_some_and(same);
        let given = approved.map(|known| known.same_as(action));
        match showing {
            // An id without a payload can't be compared.
            _ if action.payload.is_none() => {
                let kind = OwnedActionKind::of(action.kind);
                if proposal
                    .and_then(|p| p.kind.as_ref())
                    .is_some_and(|known| *known != kind)
                {
                    self.doubt_all();
                }
            }
            ActionRole::Thought if self.turn.thoughts.is_empty() && self.turn.is_fresh() => {
                let what = OwnedThought {
                    agent: None,
                    action: Some(OwnedAction::of(action)),
                    done: false,
                };
                self.keep_thought(Evidence {
                    what,
                    line,
                    time: step.time,
                });
            }
            ActionRole::Proposal
                if proposal.and_then(|p| p.payload.as_ref()).is_none() && !decided =>
            {
                self.annotation(
                    line,
                    step,
                    &Annotation::Decided(Some(*action), None),
                    context,
                    step_facts,
                );
                self.turn.proposal_shown = true;
            }
            ActionRole::Execution if given == Some(Some(true)) => {}
            ActionRole::Execution if given == Some(Some(false)) => {
                let decision_line = self.turn.decision.as_ref().map(|d| d.line);
                step_facts.executed = Some(ExecutedFacts {
                    differs: true,
                    decision_line,
                    ..ExecutedFacts::bare(None, Approval::Given)
                });
            }
            ActionRole::Execution
                if given == Some(None)
                    || self.turn.decision_unknown
                        && !decided
                        && proposal.is_none_or(|p| !p.is_recorded()) =>
            {
                self.check_shown(line, step, action, context, step_facts);
            }
            ActionRole::Thought if thought => {}
            ActionRole::Proposal | ActionRole::Execution if decided => {}
            ActionRole::Unknown
                if thought || decided || does_nothing(action) || self.is_spelled_out(action) => {}
            _ => self.doubt_all(),
        }
    }

    /// Returns whether an action is the proposed call in another notation: the call itself, or only
    /// the text of its command, tool or id.
    fn is_spelled_out(&self, action: &Action<'_>) -> bool {
        let known = [
            self.turn.proposal.as_ref().map(|p| &p.what),
            authority::approved(&self.turn),
        ];
        if let Some((tool, given)) = action.payload.and_then(action::call) {
            return known.into_iter().flatten().any(|known| {
                let is_tool_call = known.kind == Some(OwnedActionKind::Known(ActionType::ToolCall));
                let payload = known.payload.as_deref().filter(|_| is_tool_call);
                payload
                    .map(Raw::trusted)
                    .and_then(action::call)
                    .is_some_and(|(known, theirs)| known == tool && canonical_eq(given, theirs))
            });
        }
        let payload = action
            .payload
            .filter(|payload| !action::has_more_than(&["command"], *payload));
        let Some(text) = payload
            .and_then(action::command)
            .filter(|text| !text.contains(char::REPLACEMENT_CHARACTER))
        else {
            return false;
        };
        known.into_iter().flatten().any(|known| {
            let Some(payload) = known.payload.as_deref().map(Raw::trusted) else {
                return false;
            };
            let command = match known.kind {
                Some(OwnedActionKind::Known(ActionType::ShellCmd)) => action::command(payload),
                Some(OwnedActionKind::Known(ActionType::ToolCall)) => action::tool(payload),
                _ => None,
            };
            command.is_some_and(|command| command == text) || known.id.as_deref() == Some(&*text)
        })
    }

    /// Checks an action that is shown as executed when the record doesn't contain what was decided
    /// about. It is taken for the allowed action.
    fn check_shown(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        action: &Action<'_>,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        let approval = if authority::approved(&self.turn).is_some() {
            Approval::Given
        } else {
            Approval::Unknown
        };
        let known = analyse_shown(context, action, step_facts);
        if let Some(tools) = context.tools {
            step_facts.add_tool_faults(tools.faults(action));
        }
        let high_by_policy =
            approval == Approval::Given && self.is_high_by_policy(Some(&known), None);
        let declared: Vec<String> = self
            .turn
            .declared
            .iter()
            .flatten()
            .map(|path| path.to_string())
            .collect();
        let declared = PathEffects::default().with_observed(&declared, self.tree());
        let shown = ExecutionFact {
            action_id: None,
            capability: None,
            action: None,
            observed: None,
            result: None,
        };
        let diff = self.executed_diff(&shown, Some(&known), None, approval);
        self.run_diff(diff, step_facts);
        let (leaves, protected, policies) =
            self.reach(Some(*action), None, (approval, true), declared, context);
        let decision_line = self.turn.decision.as_ref().map(|d| d.line);
        self.turn.proposal = Some(Evidence {
            what: known,
            line,
            time: step.time,
        });
        self.verdict.doubt(Aspect::Authorised);
        step_facts.executed = Some(ExecutedFacts {
            leaves,
            protected,
            policies,
            high_by_policy,
            decision_line,
            ..ExecutedFacts::bare(None, approval)
        });
    }

    /// Returns line and text of the decision from an earlier line, if this step is the one that
    /// follows from it.
    #[must_use]
    pub fn pending_decision_for(&self, step: &Step<'_, '_>) -> Option<(u64, Arc<str>)> {
        let due = match &step.fact {
            Fact::Moved(moved) => moved.from == State::Governing && moved.decision.is_none(),
            Fact::Annotation(Annotation::Executed(..)) => true,
            _ => false,
        };
        let beside = self
            .turn
            .pending_decision
            .as_ref()
            .filter(|_| due && self.turn.decision.is_none())?;
        Some((beside.line, Arc::clone(&beside.what.written)))
    }

    /// Handles a decision that is recorded after its action was executed. The order of lines proves
    /// little, since the runtime doesn't wait for its log. The decision's own time or a rejection
    /// does.
    fn decided_afterwards(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        decision: &Decision<'_>,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        let (ran_at, ran_time) = self.turn.ran.unwrap_or_default();
        let late = decision
            .time
            .or(step.time)
            .zip(ran_time)
            .is_some_and(|(decided, ran)| ran.is_before(decided));
        let undecided = self.turn.decision.is_none();
        if undecided {
            self.apply_decision(line, step.time, decision, context, step_facts);
        }
        let approval = match decision.ruling {
            Ruling::Rejected => Approval::Rejected,
            _ if undecided && late => Approval::Late(ran_at),
            _ => return,
        };
        let id = self
            .turn
            .executed
            .last()
            .and_then(|id| id.as_deref())
            .map(str::to_owned);
        step_facts.executed = Some(ExecutedFacts {
            decision_line: Some(line),
            ..ExecutedFacts::bare(id, approval)
        });
    }

    /// Handles an event that the format doesn't record.
    pub(super) fn not_recorded(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        event: Event,
        step_facts: &mut StepFacts,
    ) {
        self.verdict.doubt(Aspect::LegalPath);
        if self.editor == EditorLog::No {
            self.editor = EditorLog::Asked;
        }
        match event {
            Event::ThoughtGenerated { .. } => {
                self.check_turn(line, step, true, step_facts);
                self.turn.thoughts_unknown = true;
                self.editor = EditorLog::Asked;
                // Nothing before it is recorded either, so a turn begins.
                self.track.machine.put(State::Thinking);
            }
            Event::GovernanceDecided(_) => self.turn.decision_unknown = true,
            Event::EvaluationMade(EvaluationKind::Terminate) => {
                self.editor = EditorLog::Answered;
                self.track.machine.put(State::Thinking);
                return;
            }
            _ => {}
        }
        self.track.machine.apply(event);
        self.track.remember(line, event);
    }

    /// Handles an unreadable record of this execution. It may have been any event, of any turn up
    /// to the one that it names.
    pub fn lose_track(&mut self, line: u64, turn: Option<i64>, step_facts: &mut StepFacts) {
        // It may have been the start; a terminal session has none.
        if !self.track.started && self.origin.format.coverage() != Coverage::Terminal {
            self.track.started = true;
            let (event, before) = (Event::Concluded, self.track.machine.state());
            let breach = Some(Breach::NoStart);
            step_facts.movement = Some(AppliedEvent {
                event,
                before,
                movement: Legality::Illegal,
                breach,
                claimed: None,
            });
        }
        self.track.machine.lose_track();
        self.doubt_all();
        match turn {
            Some(_) if turn != self.turn.id => self.skip_to(line, turn, step_facts),
            Some(_) => {}
            None => self.miss_turns(),
        }
        (self.turn.decision_unknown, self.turn.decision_lost) = (true, true);
        self.lines.last = line;
    }

    /// Begins the turn of an unreadable record. The record may explain missing turns before it.
    pub(super) fn skip_to(&mut self, line: u64, turn: Option<i64>, step_facts: &mut StepFacts) {
        let expected = self.turn.id.map_or(1, |n| n.saturating_add(1));
        if let Some(found) = turn.filter(|found| *found > expected && !self.turns.are_missed()) {
            let anomalies = step_facts.anomalies_mut();
            (anomalies.order, anomalies.turns_lost) =
                (Some(TurnBreak::Jump { expected, found }), true);
        }
        self.begin_turn(line, turn);
    }

    /// Handles an unreadable record of a known kind: the event happened, but its content is
    /// unknown.
    pub(super) fn unreadable(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        kind: RecordKind,
        step_facts: &mut StepFacts,
    ) {
        use EvaluationKind as K;
        self.verdict.doubt(Aspect::LegalPath);
        // Only the answers that depend on the record's content become unknown.
        match kind {
            RecordKind::ExecutionStarted
            | RecordKind::ActionProposed
            | RecordKind::GovernanceDecided
            | RecordKind::Turn
            | RecordKind::Execution
            | RecordKind::Call => self.doubt_all(),
            RecordKind::ExecutionFinished
            | RecordKind::CapabilityIssued
            | RecordKind::CapabilityRevoked => {
                self.verdict.doubt(Aspect::Authorised);
            }
            RecordKind::ThoughtGenerated
            | RecordKind::ObservationRecorded
            | RecordKind::EvaluationMade
            | RecordKind::ExecutionEnded
            | RecordKind::ContextChanged => {}
        }
        let begins = matches!(
            kind,
            RecordKind::ThoughtGenerated | RecordKind::Turn | RecordKind::Call
        );
        if begins && step.turn.is_none() {
            self.miss_turns();
        } else if begins && step.turn != self.turn.id {
            self.skip_to(line, step.turn, step_facts);
        }
        match kind {
            RecordKind::ExecutionStarted => {
                self.track.started = true;
                self.track.machine.put(State::Thinking);
                self.track.machine.lose_track();
            }
            RecordKind::ThoughtGenerated => {
                self.turn.thoughts_unknown = true;
                self.track
                    .group
                    .get_or_insert(Group {
                        all_done: true,
                        unknown: true,
                        line,
                    })
                    .unknown = true;
            }
            RecordKind::ActionProposed => {
                self.turn.proposal = None;
                self.turn.proposal_unknown = true;
                self.track.machine.apply_one_of(&[Event::ActionProposed]);
            }
            RecordKind::GovernanceDecided => {
                let proposal = self.turn.proposal.as_ref().map(|p| &p.what);
                if let Some(known) = proposal
                    .and_then(|p| p.id.as_deref())
                    .and_then(|id| self.known.by_id.get_mut(id))
                {
                    known.rejected_perhaps = true;
                    known.frozen = proposal.cloned();
                }
                (self.turn.decision_unknown, self.turn.decision_lost) = (true, true);
                self.track.machine.apply_one_of(&[
                    Event::GovernanceDecided(Ruling::Approved),
                    Event::GovernanceDecided(Ruling::Rejected),
                ]);
            }
            RecordKind::ExecutionFinished => {
                self.track.machine.apply_one_of(&[Event::ExecutionFinished]);
            }
            RecordKind::ObservationRecorded => {
                self.track
                    .machine
                    .apply_one_of(&[Event::ObservationRecorded]);
            }
            RecordKind::EvaluationMade => {
                self.outcome.lose_evaluation();
                self.track.machine.apply_one_of(&[
                    Event::EvaluationMade(K::Continue),
                    Event::EvaluationMade(K::Terminate),
                    Event::EvaluationMade(K::Pause),
                ]);
            }
            RecordKind::ExecutionEnded => self.outcome.end(),
            RecordKind::Turn | RecordKind::Execution | RecordKind::Call => {
                self.track.started = true;
                self.track.machine.lose_track();
            }
            RecordKind::CapabilityIssued => self.tokens.lose_token(),
            RecordKind::CapabilityRevoked | RecordKind::ContextChanged => {}
        }
    }
}

/// Returns whether an action is an answer, which has no effect.
fn does_nothing(action: &Action<'_>) -> bool {
    action.kind == ActionKind::Known(ActionType::Answer) && authority::only_reads(action)
}

/// Merges a transition's decision with the same decision from its own line. Where the two differ, a
/// rejection applies, and policy takes precedence over a human.
pub(super) fn stricter<'a>(
    mut decision: Decision<'a>,
    beside: Option<&Evidence<PendingDecision>>,
) -> Decision<'a> {
    if beside.is_some_and(|b| b.what.ruling == Ruling::Rejected) {
        decision.ruling = Ruling::Rejected;
    }
    if beside.is_some_and(|b| b.what.by == DecidedBy::Policy) {
        decision.by = DecidedBy::Policy;
    }
    decision
}
