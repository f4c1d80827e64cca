//! One execution while it is open: its state machine, current turn and records.

mod artifacts;
mod authorise;
mod capabilities;
mod clock;
mod close;
mod conditions;
mod end;
mod ids;
mod known;
mod native;
mod outcome;
mod proposal;
mod records;
mod reexecution;
mod separation_of_duties;
mod session;
mod start;
mod terminal;
mod tool_calls;
mod track;
mod turn;
mod turn_numbers;
mod unread_diff;
mod weight;

pub use close::{Close, ClosedState};

use super::authority::Context;
use super::context::ContextTracker;
use super::evidence::{Evidence, OwnedAction, OwnedThought, Token, TurnEvidence};
use super::machine::Legality;
use super::step_facts::{AppliedEvent, Breach, StepFacts, TurnBreak};
use super::verdict::{PathViolation, Verdict};
use crate::trace::formats::{Coverage, Format};
use crate::trace::record::RecordKind;
use crate::trace::step::{Fact, Step, Thought};
use governance::{Event, FsmVersion, Ledger, State};
use std::sync::Arc;

/// Maximum number of kept thoughts per turn. Beyond it, a proposal can't be attributed to a
/// thought.
const THOUGHTS: usize = 256;

/// An open execution.
#[derive(Debug)]
pub struct Execution {
    origin: Origin,
    track: track::Track,
    turn: TurnEvidence,
    turns: turn_numbers::TurnNumbers,
    known: known::KnownActions,
    tokens: capabilities::Capabilities,
    participants: separation_of_duties::Participants,
    conditions: conditions::Conditions,
    lines: records::Lines,
    times: clock::Times,
    outcome: outcome::Outcome,
    editor: EditorLog,
    terminal: terminal::Terminal,
    counts: Counts,
    /// Files and changes that its actions left.
    leftovers: artifacts::Leftovers,
    verdict: Verdict,
    shown: ContextTracker,
    session: session::Session,
    /// Boxed because hardly any execution has one.
    unread_diff: Option<Box<unread_diff::Pending>>,
}

/// Source of an execution.
#[derive(Debug)]
struct Origin {
    id: Arc<str>,
    file: Arc<str>,
    format: Format,
    first_line: u64,
}

/// Numbers of events in an execution.
#[derive(Debug, Default)]
struct Counts {
    actions: u64,
    decisions: u64,
    rejections: u64,
    /// Unchecked signatures.
    signatures: u64,
}

/// State of an editor's log, which records neither start nor evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EditorLog {
    No,
    /// The last request to the model has no response yet.
    Asked,
    /// The model's last response has been recorded.
    Answered,
}

impl Execution {
    /// Opens an execution at its first record.
    #[must_use]
    pub fn new(id: Arc<str>, file: Arc<str>, format: Format, line: u64) -> Self {
        let version = format.machine();
        // The native turn format keeps no start: a file of turns is an execution that has begun.
        let started = matches!(format.coverage(), Coverage::Turns | Coverage::Terminal);
        let state = if started {
            State::Thinking
        } else {
            State::Idle
        };
        Self {
            origin: Origin {
                id,
                file,
                format,
                first_line: line,
            },
            track: track::Track::at(version, state, started),
            turn: TurnEvidence::default(),
            turns: turn_numbers::TurnNumbers::default(),
            known: known::KnownActions::default(),
            tokens: capabilities::Capabilities::new(),
            participants: separation_of_duties::Participants::default(),
            conditions: conditions::Conditions::default(),
            lines: records::Lines::default(),
            times: clock::Times::default(),
            outcome: outcome::Outcome::default(),
            editor: EditorLog::No,
            terminal: terminal::Terminal::default(),
            counts: Counts::default(),
            leftovers: artifacts::Leftovers::default(),
            verdict: Verdict::CLEAN,
            shown: ContextTracker::default(),
            session: session::Session::default(),
            unread_diff: None,
        }
    }

    /// Returns the execution's id.
    #[must_use]
    pub fn id(&self) -> &Arc<str> {
        &self.origin.id
    }

    /// Returns the name of the input.
    #[must_use]
    pub fn file(&self) -> &Arc<str> {
        &self.origin.file
    }

    /// Returns the format that it is recorded in.
    #[must_use]
    pub fn format(&self) -> Format {
        self.origin.format
    }

    /// Returns the version of the state machine that evaluates it.
    #[must_use]
    pub fn version(&self) -> FsmVersion {
        self.track.machine.version()
    }

    /// Returns the state of the strict track.
    #[must_use]
    pub fn state(&self) -> State {
        self.track.machine.state()
    }

    /// Returns the evidence of the current turn.
    #[must_use]
    pub fn turn(&self) -> &TurnEvidence {
        &self.turn
    }

    /// Returns the ledger of capability tokens.
    #[must_use]
    pub fn ledger(&self) -> &Ledger<Token> {
        self.tokens.ledger()
    }

    /// Returns the line of its last known event.
    #[must_use]
    pub fn last_line(&self) -> u64 {
        self.lines.last
    }

    /// Returns its first line.
    #[must_use]
    pub fn first_line(&self) -> u64 {
        self.origin.first_line
    }

    /// Returns the verdict, so that rules can change it.
    pub fn verdict_mut(&mut self) -> &mut Verdict {
        &mut self.verdict
    }

    /// Returns the first illegal event of its path.
    #[must_use]
    pub fn violation(&self) -> Option<&PathViolation> {
        self.track.violation.as_ref()
    }

    /// Returns whether it was declared over in a final state, so that nothing more of it needs
    /// memory.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        // A paused execution can be resumed after its declared end, and one of the early machine
        // can be started again.
        self.outcome.is_ended()
            && self.track.machine.candidates().single() != Some(State::Idle)
            && self.track.machine.version() != FsmVersion::V0
    }

    /// Returns whether an earlier break may explain further violations.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.track.machine.is_broken()
    }

    /// Returns the tracker of the context that thoughts were based on. Its contradictions become
    /// facts of the next step.
    pub(crate) const fn context(&mut self) -> &mut ContextTracker {
        &mut self.shown
    }

    /// Turns every yes of the verdict into "not recorded": a line of the execution was lost.
    pub fn doubt_all(&mut self) {
        self.verdict.doubt_all();
    }

    /// Records that a lost line may have contained turns, which explains the next gap in turn
    /// numbers.
    pub fn miss_turns(&mut self) {
        self.turns.miss();
    }

    /// Handles an event that a lost record may explain: the machine moves to the event's target
    /// state.
    pub fn lose_track_at(&mut self, event: Event) {
        let target = governance::reducer::natural_target(event);
        self.track.machine.put(target);
    }

    /// Applies one step of the record and writes what it shows to `step_facts`.
    pub fn step(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        if let Some(policies) = context.policies {
            self.conditions.govern_by(policies, &step.fact);
        }
        let tree = self.session.tree();
        let context = Context {
            tree: tree.as_deref().unwrap_or(context.tree),
            ..context
        };
        self.check_time(line, step, step_facts);
        self.check_ids(step);
        self.end_group_before(step);
        match &step.fact {
            Fact::Started(started) => self.started(line, started, step_facts),
            Fact::Thought(thought) => self.thought(line, step, thought, step_facts),
            Fact::Proposed(proposal) => self.proposed(line, step, proposal, context, step_facts),
            Fact::Decided(decision) => self.decided(line, step, decision, context, step_facts),
            Fact::Executed(executed) => self.executed(line, step, executed, context, step_facts),
            Fact::Observed(observed) => self.observed(line, step, observed, step_facts),
            Fact::Evaluated(kind, reason) => {
                self.check_turn(line, step, false, step_facts);
                self.apply(line, Event::EvaluationMade(*kind), step_facts);
                self.outcome.evaluate(*kind, *reason, line);
            }
            Fact::Ended(outcome) => self.declared_over(line, *outcome, step_facts),
            Fact::Issued(capability) => self.issued(line, step.time, capability, step_facts),
            Fact::Revoked(id) => self.tokens.revoke(step.time, &id.decode(), step_facts),
            Fact::Context => {}
            Fact::Moved(moved) => self.moved(line, step, moved, context, step_facts),
            Fact::Annotation(beside) => self.annotation(line, step, beside, context, step_facts),
            Fact::NotRecorded(event) => self.not_recorded(line, step, *event, step_facts),
            Fact::Terminal(frame) => self.frame(line, *frame, step_facts),
            Fact::Unreadable(kind) => self.unreadable(line, step, *kind, step_facts),
        }
        if !matches!(step.fact, Fact::Started(_)) {
            self.turns.go_on();
        }
        self.lines.last = line;
    }

    /// Ends a group of consecutive thoughts, unless the step belongs to it.
    fn end_group_before(&mut self, step: &Step<'_, '_>) {
        match &step.fact {
            Fact::Thought(_) | Fact::NotRecorded(Event::ThoughtGenerated { .. }) => {}
            Fact::Unreadable(RecordKind::ThoughtGenerated) if self.continues_thoughts(step) => {}
            Fact::Ended(_) => self.track.flush_group(true),
            Fact::Started(_) => self.track.flush_group(true),
            Fact::Issued(_)
            | Fact::Revoked(_)
            | Fact::Context
            | Fact::Annotation(_)
            | Fact::Terminal(_) => {}
            _ => self.track.flush_group(false),
        }
    }

    /// Counts a signature that wasn't checked.
    pub fn unchecked_signature(&mut self) {
        self.counts.signatures += 1;
    }

    fn thought(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        thought: &Thought<'_>,
        step_facts: &mut StepFacts,
    ) {
        if self.origin.format.coverage() == Coverage::Turns
            && self.track.machine.candidates().single() == Some(State::Idle)
        {
            // The format records no start, and so no end of a pause either.
            self.track.machine.put(State::Thinking);
        }
        let agent: Option<Box<str>> = thought.agent.map(|a| a.decode().into());
        let goes_on = self.continues_thoughts(step);
        let theirs = |t: &Evidence<OwnedThought>| match (t.what.agent.as_deref(), agent.as_deref())
        {
            (Some(one), Some(other)) => separation_of_duties::alike(one, other),
            (one, other) => one == other,
        };
        let second = goes_on && self.turn.thoughts.iter().any(theirs);
        if goes_on && !second {
            if let Some(group) = &mut self.track.group {
                group.all_done &= thought.done;
            }
        } else if second {
            let before = self.track.machine.state();
            let event = Event::ThoughtGenerated { done: thought.done };
            self.track
                .breach(line, event, before, Breach::SecondThought, step_facts);
        } else {
            self.track.flush_group(false);
            let event = Event::ThoughtGenerated { done: thought.done };
            let fresh = self.track.started && self.track.machine.allows(event);
            if fresh {
                // Legal whatever the turn's other agents think. The event is applied once they all
                // have.
                let movement = if self.track.machine.state() == State::Thinking {
                    Legality::Legal
                } else {
                    Legality::FollowUp
                };
                step_facts.movement = Some(AppliedEvent {
                    event,
                    before: self.track.machine.state(),
                    movement,
                    breach: None,
                    claimed: None,
                });
                self.track.group = Some(track::Group {
                    all_done: thought.done,
                    unknown: false,
                    line,
                });
            } else {
                self.apply(line, event, step_facts);
            }
            match step.turn {
                Some(_) => self.check_turn(line, step, true, step_facts),
                None => self.begin_turn(line, None),
            }
            let legal = step_facts
                .movement
                .is_some_and(|m| m.movement == Legality::Legal);
            if step.turn.is_some() && !self.turn.thoughts.is_empty() && legal {
                // The same number again: the turn was begun a second time.
                let id = self.turn.id;
                self.begin_turn(line, id);
                if step_facts.anomalies().order.is_none() {
                    let current = id.unwrap_or_default();
                    step_facts.anomalies_mut().order = Some(TurnBreak::Jump {
                        expected: current.saturating_add(1),
                        found: current,
                    });
                    self.turn.repeated = true;
                }
            }
        }
        if let Some(agent) = &agent {
            self.add_agent(line, agent, step_facts);
        }
        if !thought.conditions {
            self.conditions.miss_prompt();
        }
        let action = thought.action.as_ref().map(OwnedAction::of);
        self.keep_thought(Evidence {
            what: OwnedThought {
                agent,
                action,
                done: thought.done,
            },
            line,
            time: step.time,
        });
    }
}
