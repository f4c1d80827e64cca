//! One execution while it is open: its machine, its turn, its books.

mod artifacts;
mod authorise;
mod capabilities;
mod clock;
mod close;
mod conditions;
mod end;
mod ids;
mod native;
mod outcome;
mod path;
mod proposal;
mod records;
mod reexecution;
mod separation_of_duties;
mod session;
mod start;
mod terminal;
mod turn;
mod turn_numbers;
mod weight;

pub use close::{Close, ClosedState};

use super::authority::Context;
use super::changes::RecordedChange;
use super::context::ContextTracker;
use super::evidence::{Kept, KeptAction, KeptThought, Token, TurnEvidence};
use super::machine::{Machine, Movement};
use super::step_facts::{Breach, Moved, StepFacts, TurnBreak};
use super::verdict::{PathViolation, Verdict};
use crate::trace::formats::{Coverage, Format};
use crate::trace::record::RecordKind;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{Fact, Step, Thought};
use governance::{Event, FsmVersion, Ledger, State};
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

/// Movements that are kept to show how a broken path began.
const PATH: usize = 5;
/// Thoughts of one turn that are kept. With more agents than that, nobody can say any more whose
/// thought a proposal is.
const THOUGHTS: usize = 256;

/// What is known of an action over the whole execution.
#[derive(Debug, Clone)]
struct Known {
    line: u64,
    rejected: bool,
    /// It was rejected at some time.
    refused: bool,
    /// The decision about it can't be read: it may have been rejected.
    rejected_perhaps: bool,
    /// How often it ran: line and success of the last time.
    ran: Option<(u64, bool)>,
    /// Type and payload of a rejected action: it may be proposed again as it was.
    frozen: Option<KeptAction>,
}

impl Known {
    const fn new(line: u64) -> Self {
        Self {
            line,
            rejected: false,
            refused: false,
            rejected_perhaps: false,
            ran: None,
            frozen: None,
        }
    }
}

/// An open execution.
#[derive(Debug)]
pub struct Execution {
    id: Arc<str>,
    file: Arc<str>,
    format: Format,
    first_line: u64,
    machine: Machine,
    /// A thought stands alone, or is the first of several: the machine hasn't been told yet.
    group: Option<Group>,
    started: bool,
    turn: TurnEvidence,
    turns: turn_numbers::TurnNumbers,
    known: HashMap<Box<str>, Known>,
    tokens: capabilities::Capabilities,
    people: separation_of_duties::People,
    conditions: conditions::Conditions,
    chain: records::HashChain,
    last_line: u64,
    last_time: Option<(Timestamp, u64)>,
    undated: Option<clock::Undated>,
    outcome: outcome::Outcome,
    /// What had run when its end was declared, if it goes on behind that: a Bloom filter of ids.
    ran_before: u64,
    answered: bool,
    editor: bool,
    terminal: terminal::Terminal,
    seen_lines: records::SeenLines,
    shortcut: Option<u64>,
    actions: u64,
    decisions: u64,
    rejections: u64,
    /// What its actions have left behind.
    left: artifacts::Left,
    signatures: u64,
    events: u64,
    path: Vec<(u64, Event, State)>,
    violation: Option<PathViolation>,
    verdict: Verdict,
    changes: Vec<RecordedChange>,
    shown: ContextTracker,
    refused: StartRefusals,
    session: session::Session,
}

/// Rejections in the record that starts an execution, of what runs behind it.
#[derive(Debug, Default)]
struct StartRefusals {
    /// The actions that they name.
    ids: HashSet<Box<str>>,
    /// One names none.
    unnamed: bool,
}

/// Thoughts in a row: the machine gets one event for them.
#[derive(Debug, Clone, Copy)]
struct Group {
    all_done: bool,
    /// One of them can't be read.
    unknown: bool,
    line: u64,
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
            id,
            file,
            format,
            first_line: line,
            machine: Machine::at(version, state),
            group: None,
            started,
            turn: TurnEvidence::default(),
            turns: turn_numbers::TurnNumbers::default(),
            known: HashMap::new(),
            tokens: capabilities::Capabilities::new(),
            people: separation_of_duties::People::default(),
            conditions: conditions::Conditions::default(),
            chain: records::HashChain::default(),
            last_line: 0,
            last_time: None,
            undated: None,
            outcome: outcome::Outcome::default(),
            ran_before: 0,
            answered: false,
            editor: false,
            terminal: terminal::Terminal::default(),
            seen_lines: records::SeenLines::default(),
            shortcut: None,
            actions: 0,
            decisions: 0,
            rejections: 0,
            left: artifacts::Left::default(),
            signatures: 0,
            events: 0,
            path: Vec::with_capacity(PATH),
            violation: None,
            verdict: Verdict::CLEAN,
            changes: Vec::new(),
            shown: ContextTracker::default(),
            refused: StartRefusals::default(),
            session: session::Session::default(),
        }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// The input.
    #[must_use]
    pub fn file(&self) -> &Arc<str> {
        &self.file
    }

    /// The format that it is recorded in.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// The version that judges it.
    #[must_use]
    pub fn version(&self) -> FsmVersion {
        self.machine.version()
    }

    /// The state of the strict track.
    #[must_use]
    pub fn state(&self) -> State {
        self.machine.state()
    }

    /// The turn.
    #[must_use]
    pub fn turn(&self) -> &TurnEvidence {
        &self.turn
    }

    /// The tokens.
    #[must_use]
    pub fn ledger(&self) -> &Ledger<Token> {
        self.tokens.ledger()
    }

    /// Where the last event that is known of it stands.
    #[must_use]
    pub fn last_line(&self) -> u64 {
        self.last_line
    }

    /// Where it begins.
    #[must_use]
    pub fn first_line(&self) -> u64 {
        self.first_line
    }

    /// The verdict, for rules to deny.
    pub fn verdict_mut(&mut self) -> &mut Verdict {
        &mut self.verdict
    }

    /// The first bad event of its path.
    #[must_use]
    pub fn violation(&self) -> Option<&PathViolation> {
        self.violation.as_ref()
    }

    /// Whether it was declared over in a final state: then nothing more is to be kept of it.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        // A paused execution may be resumed even after its end was declared, and one of the early
        // machine started again.
        self.outcome.is_ended()
            && self.machine.candidates().single() != Some(State::Idle)
            && self.machine.version() != FsmVersion::V0
    }

    /// Whether an earlier break explains what comes now.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.machine.is_broken()
    }

    /// What records say of the context that thoughts were shown; what can't be is for the first
    /// step's facts.
    pub(crate) const fn context(&mut self) -> &mut ContextTracker {
        &mut self.shown
    }

    /// A line of this execution's was lost: nobody can say any more that nothing else happened.
    pub fn doubt_all(&mut self) {
        self.verdict.doubt_all();
    }

    /// A line was lost that may have held turns: the next number that is too high says no more than
    /// that.
    pub fn miss_turns(&mut self) {
        self.turns.miss();
    }

    /// An event that a lost record may explain: the execution may stand where the event leads.
    pub fn lose_track_at(&mut self, event: Event) {
        let target = governance::reducer::natural_target(event);
        self.machine.put(target);
    }

    /// Applies one step.
    pub fn step(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        let tree = self.session.tree();
        let context = Context {
            tree: tree.as_deref().unwrap_or(context.tree),
            ..context
        };
        self.check_time(line, step, step_facts);
        self.check_ids(step);
        match &step.fact {
            Fact::Thought(_) | Fact::NotRecorded(Event::ThoughtGenerated { .. }) => {}
            Fact::Unreadable(RecordKind::ThoughtGenerated) if self.thinks_on(step) => {}
            Fact::Ended(_) => self.flush_group(true),
            Fact::Started(_) => self.flush_group(true),
            Fact::Issued(_)
            | Fact::Revoked(_)
            | Fact::Context
            | Fact::Annotation(_)
            | Fact::Terminal(_) => {}
            _ => self.flush_group(false),
        }
        match &step.fact {
            Fact::Started(started) => self.started(line, started, step_facts),
            Fact::Thought(thought) => self.thought(line, step, thought, step_facts),
            Fact::Proposed(proposal) => self.proposed(line, step, proposal, context, step_facts),
            Fact::Decided(decision) => self.decided(line, step, decision, context, step_facts),
            Fact::Executed(executed) => self.executed(line, step, executed, context, step_facts),
            Fact::Observed(observed) => {
                self.check_turn(line, step, false, step_facts);
                self.apply(line, Event::ObservationRecorded, step_facts);
                if step_facts.movement.is_none_or(|m| m.breach.is_none()) {
                    self.observe(observed, step_facts);
                }
            }
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
            Fact::Annotation(beside) => self.beside(line, step, beside, context, step_facts),
            Fact::NotRecorded(event) => self.not_recorded(line, step, *event, step_facts),
            Fact::Terminal(frame) => self.frame(line, *frame, step_facts),
            Fact::Unreadable(kind) => self.unreadable(line, step, *kind, step_facts),
        }
        if !matches!(step.fact, Fact::Started(_)) {
            self.turns.go_on();
        }
        self.last_line = line;
    }

    /// Takes note of a signature that nobody has checked.
    pub fn unchecked_signature(&mut self) {
        self.signatures += 1;
    }

    fn thought(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        thought: &Thought<'_>,
        step_facts: &mut StepFacts,
    ) {
        if self.format.coverage() == Coverage::Turns
            && self.machine.candidates().single() == Some(State::Idle)
        {
            // The format keeps no start, not even the one that ends a pause.
            self.machine.put(State::Thinking);
        }
        let agent: Option<Box<str>> = thought.agent.map(|a| a.decode().into());
        let goes_on = self.thinks_on(step);
        let theirs = |t: &Kept<KeptThought>| match (t.what.agent.as_deref(), agent.as_deref()) {
            (Some(one), Some(other)) => separation_of_duties::alike(one, other),
            (one, other) => one == other,
        };
        let second = goes_on && self.turn.thoughts.iter().any(theirs);
        if goes_on && !second {
            if let Some(group) = &mut self.group {
                group.all_done &= thought.done;
            }
        } else if second {
            let before = self.machine.state();
            let event = Event::ThoughtGenerated { done: thought.done };
            self.breach(line, event, before, Breach::SecondThought, step_facts);
        } else {
            self.flush_group(false);
            let event = Event::ThoughtGenerated { done: thought.done };
            let fresh = self.started && self.machine.allows(event);
            if fresh {
                // Legal, whatever the other agents of the turn will say: told when they have.
                let movement = if self.machine.state() == State::Thinking {
                    Movement::Legal
                } else {
                    Movement::FollowUp
                };
                step_facts.movement = Some(Moved {
                    event,
                    before: self.machine.state(),
                    movement,
                    breach: None,
                    claimed: None,
                });
                self.group = Some(Group {
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
                .is_some_and(|m| m.movement == Movement::Legal);
            if step.turn.is_some() && !self.turn.thoughts.is_empty() && legal {
                // The same number again: a turn that was begun anew.
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
            self.meet(line, agent, step_facts);
        }
        if !thought.conditions {
            self.conditions.miss_prompt();
        }
        let action = thought.action.as_ref().map(KeptAction::of);
        self.keep_thought(Kept {
            what: KeptThought {
                agent,
                action,
                done: thought.done,
            },
            line,
            time: step.time,
        });
    }
}
