//! One execution while it is open: its machine, its turn, its books.

mod artifacts;
mod authorise;
mod clock;
mod close;
mod ids;
mod native;
mod reexecution;
mod separation_of_duties;
mod terminal;
mod weight;

pub use close::{Close, ClosedState};

use super::authority::{self, Assessor, Context};
use super::changes::RecordedChange;
use super::context::ContextTracker;
use super::evidence::{Kept, KeptAction, KeptThought, Token, TurnEvidence};
use super::machine::{Machine, Movement};
use super::step_facts::{Breach, ChainBreak, Moved, OutcomeMismatch, Reuse, StepFacts, TurnBreak};
use super::verdict::{Aspect, PathViolation, Verdict};
use crate::trace::action::hex;
use crate::trace::formats::{Coverage, Format};
use crate::trace::record::{EvaluationReason, RecordKind};
use crate::trace::scalar::Timestamp;
use crate::trace::step::{Action, Decision, Fact, Proposal, Started, Step, Thought};
use governance::DecidedBy;
use governance::{EvaluationKind, Event, FsmVersion, Ledger, RiskLevel, Ruling, State};
use hashbrown::{HashMap, HashSet};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use strict_json::Str;

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
    turns: u64,
    max_turns: Option<i64>,
    over_max: Option<u64>,
    known: HashMap<Box<str>, Known>,
    ledger: Ledger<Token>,
    /// How much may still be compared with scopes.
    scope_work: u64,
    capabilities_required: bool,
    people: separation_of_duties::People,
    /// The policy in force and what is asked for, as the last start says it.
    policy_digest: Option<Box<str>>,
    intent: Option<[u8; 32]>,
    chain: bool,
    last_hash: Option<[u8; 32]>,
    last_record_line: u64,
    last_line: u64,
    last_time: Option<(Timestamp, u64)>,
    undated: Option<clock::Undated>,
    last_evaluation: Option<(EvaluationKind, Option<EvaluationReason>, u64)>,
    outcome: Option<String>,
    ended: bool,
    /// It goes on after its end was declared: its numbers and turns count no more.
    reopened: bool,
    /// The early machine has started again and no turn has begun since: the last turn's number, and
    /// whether the second of two starts may still come.
    restart: Option<(i64, bool)>,
    /// What had run when its end was declared, if it goes on behind that: a Bloom filter of ids.
    ran_before: u64,
    answered: bool,
    editor: bool,
    terminal: terminal::Terminal,
    seen_lines: HashSet<[u8; 32]>,
    repeats: u64,
    /// Nobody can tell whether the next turn's number is the one that is due.
    turns_missed: bool,
    /// An evaluation can't be read.
    evaluation_unknown: bool,
    /// A record that issues a token can't be read.
    tokens_unknown: bool,
    /// Tokens that something ran on before any was issued, and where.
    unissued: Vec<(String, u64)>,
    /// Words that tokens grant and that nobody knows so far, and where they were issued.
    unknown_grants: Vec<(u64, Box<str>)>,
    shortcut: Option<u64>,
    actions: u64,
    decisions: u64,
    rejections: u64,
    /// What its actions have left behind.
    left: artifacts::Left,
    signatures: u64,
    conditions_missing: Option<&'static str>,
    policy_missing: bool,
    events: u64,
    path: Vec<(u64, Event, State)>,
    violation: Option<PathViolation>,
    verdict: Verdict,
    changes: Vec<RecordedChange>,
    shown: ContextTracker,
    refused: StartRefusals,
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
            turns: 0,
            max_turns: None,
            over_max: None,
            known: HashMap::new(),
            ledger: Ledger::new(),
            scope_work: super::scope::WORK,
            capabilities_required: false,
            people: separation_of_duties::People::default(),
            policy_digest: None,
            intent: None,
            chain: false,
            last_hash: None,
            last_record_line: 0,
            last_line: 0,
            last_time: None,
            undated: None,
            last_evaluation: None,
            outcome: None,
            ended: false,
            reopened: false,
            restart: None,
            ran_before: 0,
            answered: false,
            editor: false,
            terminal: terminal::Terminal::default(),
            seen_lines: HashSet::new(),
            repeats: 0,
            turns_missed: false,
            evaluation_unknown: false,
            tokens_unknown: false,
            unissued: Vec::new(),
            unknown_grants: Vec::new(),
            shortcut: None,
            actions: 0,
            decisions: 0,
            rejections: 0,
            left: artifacts::Left::default(),
            signatures: 0,
            conditions_missing: None,
            policy_missing: false,
            events: 0,
            path: Vec::with_capacity(PATH),
            violation: None,
            verdict: Verdict::CLEAN,
            changes: Vec::new(),
            shown: ContextTracker::default(),
            refused: StartRefusals::default(),
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
        &self.ledger
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
        self.ended
            && self.machine.candidates().single() != Some(State::Idle)
            && self.machine.version() != FsmVersion::V0
    }

    /// Whether an earlier break explains what comes now.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.machine.is_broken()
    }

    /// Whether `text`, a line of an event log, has been read before, byte for byte. The runtime's
    /// flush is known to write lines twice. A hash that can't be forged: whoever makes two lines
    /// collide hides the second one.
    pub fn is_repeat(&mut self, text: &str) -> bool {
        let fresh = self
            .seen_lines
            .insert(Sha256::digest(text.as_bytes()).into());
        self.repeats += u64::from(!fresh);
        !fresh
    }

    /// Takes note of a record as a whole: its place in the chain.
    pub fn record(
        &mut self,
        line: u64,
        text: &str,
        prev: Option<Str<'_>>,
        declares_chain: bool,
        step_facts: &mut StepFacts,
    ) {
        let first = self.last_record_line == 0;
        // Who has a `prev` is chained, whatever the start says: it may have been written anew
        // without a word of the chain.
        let begins = !self.chain && !first && prev.is_some() && !declares_chain;
        self.chain |= declares_chain || prev.is_some();
        if self.chain {
            let expected = if first {
                Some("0".repeat(64))
            } else {
                self.last_hash.map(|h| hex(&h))
            };
            if begins
                || expected
                    .as_deref()
                    .is_some_and(|expected| prev.is_none_or(|p| p != *expected))
            {
                step_facts.anomalies_mut().chain = Some(ChainBreak {
                    found: prev.map(|p| p.decode().into_owned()),
                    expected,
                    previous_line: self.last_record_line,
                });
            }
            self.last_hash = Some(Sha256::digest(text.as_bytes()).into());
        }
        self.last_record_line = line;
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
        self.turns_missed = true;
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
                self.last_evaluation = Some((*kind, *reason, line));
            }
            Fact::Ended(outcome) => self.declared_over(line, *outcome, step_facts),
            Fact::Issued(capability) => self.issued(line, step.time, capability, step_facts),
            Fact::Revoked(id) => self.revoked(step.time, &id.decode(), step_facts),
            Fact::Context => {}
            Fact::Moved(moved) => self.moved(line, step, moved, context, step_facts),
            Fact::Annotation(beside) => self.beside(line, step, beside, context, step_facts),
            Fact::NotRecorded(event) => self.not_recorded(line, step, *event, step_facts),
            Fact::Terminal(frame) => self.frame(line, *frame, step_facts),
            Fact::Unreadable(kind) => self.unreadable(line, step, *kind, step_facts),
        }
        if !matches!(step.fact, Fact::Started(_)) {
            self.restart = self.restart.map(|(last, _)| (last, false));
        }
        self.last_line = line;
    }

    /// Takes note of a signature that nobody has checked.
    pub fn unchecked_signature(&mut self) {
        self.signatures += 1;
    }

    /// Tells the machine of the thoughts that stood in a row. At an end, the early machine takes a
    /// `done` thought for the conclusion.
    fn flush_group(&mut self, at_end: bool) {
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
    fn stopped_at_done(&self) -> Option<u64> {
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

    fn remember(&mut self, line: u64, event: Event) {
        self.events += 1;
        if self.path.len() == PATH {
            self.path.remove(0);
        }
        self.path.push((line, event, self.machine.state()));
    }

    fn apply(&mut self, line: u64, event: Event, step_facts: &mut StepFacts) {
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

    fn breach(
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

    /// Compares the step's turn number with the turn that is open, and begins a turn where one is
    /// due.
    fn check_turn(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        begins: bool,
        step_facts: &mut StepFacts,
    ) {
        let Some(found) = step.turn else {
            return;
        };
        let after_end = step_facts
            .movement
            .is_some_and(|m| m.breach == Some(Breach::AfterTerminal));
        if after_end || self.reopened || self.machine.candidates().single() == Some(State::Terminal)
        {
            // What comes after the end has its finding; its number is no news.
            if begins && !self.reopened {
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
                let missed = self.turns_missed && found > expected;
                // The early machine may count on, or from one again.
                let counts_on = self
                    .restart
                    .is_some_and(|(last, _)| found == last.saturating_add(1));
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
                    && !self.machine.is_broken()
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

    fn turn_is_over(&self) -> bool {
        self.machine.may_be(State::Thinking) || self.machine.may_be(State::Idle)
    }

    fn begin_turn(&mut self, line: u64, id: Option<i64>) {
        self.turn = TurnEvidence {
            id,
            line,
            begun: true,
            ..TurnEvidence::default()
        };
        self.restart = None;
        self.turns_missed = false;
        self.turns += 1;
        if self
            .max_turns
            .is_some_and(|max| i64::try_from(self.turns).is_ok_and(|n| n > max))
        {
            self.over_max.get_or_insert(line);
        }
    }

    fn started(&mut self, line: u64, started: &Started<'_, '_>, step_facts: &mut StepFacts) {
        let paused = self.machine.state() == State::Idle;
        let goes_on = self.started;
        let version = FsmVersion::parse(&started.fsm_version.decode()).unwrap_or(FsmVersion::V1);
        if self.started
            && self.machine.version() == FsmVersion::V0
            && self.machine.state() == State::Terminal
        {
            // The early machine goes back to IDLE first; one record stands for both steps, or one
            // for each.
            self.machine.apply(Event::Start);
            self.apply(line, Event::Start, step_facts);
            self.restart = Some((self.turn.id.unwrap_or_default(), true));
            self.turn = TurnEvidence::default();
            (self.outcome, self.last_evaluation) = (None, None);
        } else if let Some((_, second @ true)) = &mut self.restart {
            *second = false;
        } else if self.started && !paused && !self.machine.may_be(State::Idle) {
            // The id is taken. The second start isn't applied: what follows is judged as going on.
            let before = self.machine.state();
            step_facts.anomalies_mut().reuse = Some(Reuse {
                of: "execution",
                id: self.id.to_string(),
                line: self.first_line,
            });
            self.breach(line, Event::Start, before, Breach::Restart, step_facts);
            // If a pause was lost before it, the execution goes on from here.
            self.machine.apply(Event::Start);
            self.reopened = false;
            if before == State::Terminal {
                self.machine.put(State::Thinking);
                self.turn = TurnEvidence::default();
            }
        } else if self.started {
            self.apply(line, Event::Start, step_facts);
        } else {
            self.machine = Machine::new(version);
            self.started = true;
            self.apply(line, Event::Start, step_facts);
        }
        self.ended = false;
        if let Some(decision) = &started.refused {
            self.refused_at_the_start(decision, step_facts);
        }
        // What an illegal start says otherwise isn't news besides.
        let legal = step_facts.anomalies().reuse.is_none();
        self.name_people(line, started, goes_on && legal, step_facts);
        self.compare_conditions(started, goes_on && legal && paused, step_facts);
        self.capabilities_required |= started.capabilities_required;
        self.policy_missing |= !started.policy;
        self.chain |= started.chain.is_some();
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
            self.conditions_missing = Some("prompt and tool-set version");
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

    /// Whether a thought is one more of the turn that is thought about.
    fn thinks_on(&self, step: &Step<'_, '_>) -> bool {
        self.group.is_some() && (step.turn.is_none() || step.turn == self.turn.id)
    }

    fn keep_thought(&mut self, thought: Kept<KeptThought>) {
        if self.turn.thoughts.len() < THOUGHTS {
            self.turn.thoughts.push(thought);
        } else {
            self.turn.thoughts_unknown = true;
            self.verdict.doubt(Aspect::LegalPath);
        }
    }

    fn proposed(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        proposal: &Proposal<'_, '_>,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        self.check_turn(line, step, false, step_facts);
        self.apply(line, Event::ActionProposed, step_facts);
        let agent: Option<Box<str>> = proposal.agent.map(|a| a.decode().into());
        // An action that is shown as a human has changed it is nobody's thought; what was proposed
        // is what was thought.
        if !proposal.replaced && self.is_nobodys_thought(agent.as_deref(), &proposal.action) {
            step_facts.anomalies_mut().not_thought = true;
        }
        let (found, reach) = authority::look(context, &proposal.action);
        step_facts.malform(reach.as_deref());
        step_facts.understate(understated(context, &proposal.action, found));
        self.name_tool(&proposal.action);
        if let Some(id) = proposal.action.id.filter(|_| !proposal.replaced) {
            self.enter(line, &id.decode(), &proposal.action, step_facts);
        }
        if let Some(agent) = &agent {
            self.meet(line, agent, step_facts);
        }
        if step_facts.movement.is_some_and(|m| m.breach.is_some()) && self.turn.proposal.is_some() {
            // A second proposal where none is due doesn't take the place of the first.
            return;
        }
        self.turn.proposer = agent;
        self.turn.declared = proposal
            .declared
            .map(|paths| paths.iter().map(|p| p.distinct().into()).collect());
        let thoughts = &self.turn.thoughts;
        let thought = thoughts
            .iter()
            .find_map(|t| t.what.action.clone())
            .filter(|_| proposal.replaced);
        let thought = thought.map(|thought| {
            let reach = authority::look_again(context, &thought).1;
            thought.reaching(reach)
        });
        self.turn.proposal_unknown = proposal.replaced && thought.is_none();
        if self.turn.proposal.is_some() {
            // What was decided was about the proposal before.
            self.turn.decision = None;
        } else if let Some(early) = &self.turn.decision {
            // A decision that came too early stays where it could be about this action, and could
            // decide it.
            let id = proposal.action.id.map(|id| id.decode());
            let other = early
                .what
                .action
                .as_deref()
                .is_some_and(|named| id.as_deref() != Some(named));
            let risk = found.max(proposal.action.risk);
            let too_high = early.what.by == DecidedBy::Policy
                && risk.is_none_or(|risk| risk == RiskLevel::High);
            if early.what.ruling != Ruling::Rejected
                && (other || too_high || early.what.modified.is_some())
            {
                self.turn.decision = None;
            }
        }
        let shown =
            || KeptAction::proposed(&proposal.action, found, &self.turn.thoughts).reaching(reach);
        self.turn.proposal = Some(Kept {
            what: thought.unwrap_or_else(shown),
            line,
            time: step.time,
        });
    }

    /// Enters an action's id into the books. An id may come back only for an action that was
    /// rejected and is proposed again as it was: that is its life cycle, everything else is a
    /// second action.
    fn enter(&mut self, line: u64, id: &str, action: &Action<'_>, step_facts: &mut StepFacts) {
        match self.known.get_mut(id) {
            Some(known)
                if (known.rejected || known.rejected_perhaps)
                    && known.frozen.as_ref().and_then(|f| f.same_as(action)) == Some(true) =>
            {
                (known.rejected, known.rejected_perhaps) = (false, false);
            }
            Some(known) => {
                step_facts.anomalies_mut().reuse = Some(Reuse {
                    of: "action",
                    id: id.to_owned(),
                    line: known.line,
                });
                self.turn.id_reused = true;
            }
            None => {
                self.known.insert(id.into(), Known::new(line));
            }
        }
    }

    fn is_nobodys_thought(&self, agent: Option<&str>, action: &Action<'_>) -> bool {
        let turn = &self.turn;
        if turn.thoughts.is_empty() || turn.thoughts_unknown || action.payload.is_none() {
            return false;
        }
        // Who thought alone needs no name.
        let alone = turn.thoughts.len() == 1;
        let same = |t: &&Kept<KeptThought>| {
            t.what.agent.as_deref() == agent || alone && (agent.is_none() || t.what.agent.is_none())
        };
        let mut theirs = turn.thoughts.iter().filter(same);
        let wanted = |t: &Kept<KeptThought>| {
            t.what
                .action
                .as_ref()
                .map(|a| a.same_as(action) != Some(false))
        };
        !theirs.any(|t| wanted(t).unwrap_or(false))
            // Nobody wanted anything at all: then the path is broken, and that is what is said.
            && turn.thoughts.iter().any(|t| t.what.action.is_some())
    }

    fn decided(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        decision: &Decision<'_>,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        self.check_turn(line, step, false, step_facts);
        // A rejection that was recorded with the proposal counts.
        let beside = self
            .turn
            .decision_beside
            .take()
            .filter(|beside| beside.what.ruling == Ruling::Rejected);
        let decision = native::stricter(*decision, beside.as_ref());
        self.apply(line, Event::GovernanceDecided(decision.ruling), step_facts);
        self.rule(line, step.time, &decision, context, step_facts);
    }

    fn declared_over(&mut self, line: u64, outcome: Str<'_>, step_facts: &mut StepFacts) {
        let word = outcome.decode().into_owned();
        if self.ended {
            let before = self.machine.state();
            self.breach(
                line,
                Event::Concluded,
                before,
                Breach::AfterTerminal,
                step_facts,
            );
            return;
        }
        self.settle_start_refusal(step_facts);
        // A `done` thought and straight to the end: that is the shortcut, and said as such.
        let shortcut = self.stopped_at_done();
        self.shortcut = self.shortcut.or(shortcut);
        if !self.started {
            self.started = true;
            let before = self.machine.state();
            self.breach(line, Event::Concluded, before, Breach::NoStart, step_facts);
        } else if shortcut.is_none() && !self.machine.is_broken() {
            let fits = match self.last_evaluation {
                Some((EvaluationKind::Terminate | EvaluationKind::Pause, Some(reason), _)) => {
                    reason.name() == word
                }
                Some((EvaluationKind::Continue, ..)) | None => false,
                Some((_, None, _)) => true,
            };
            if !fits {
                step_facts.anomalies_mut().outcome = Some(OutcomeMismatch {
                    outcome: word.clone(),
                    evaluated: self.last_evaluation.map(|(kind, reason, _)| {
                        reason.map_or(kind.name(), EvaluationReason::name)
                    }),
                    line: self.last_evaluation.map_or(0, |(.., line)| line),
                });
            }
        }
        self.outcome = Some(word);
        self.ended = true;
    }
}

/// The recorded risk and what the analyser found, where that is worse.
fn understated(
    context: Context<'_>,
    action: &Action<'_>,
    found: Option<RiskLevel>,
) -> Option<(RiskLevel, RiskLevel)> {
    let (recorded, found) = (action.risk?, found?);
    (context.assessor != Assessor::Off && found > recorded).then_some((recorded, found))
}
