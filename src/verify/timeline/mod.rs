//! The turns of executions as a report shows them, kept only when a report needs them.
//!
//! A replay keeps nothing of a finished execution, but a report with timelines needs its turns. At
//! most a fixed number of turns is kept and the rest is counted. The first ones in input order are
//! kept, whatever the number of workers.

mod command;
mod detail;
mod turn;
mod visit;

pub use command::{CommandRun, SkillScore};
pub use turn::{
    CallEnd, Context, ContextDiff, Deed, Frame, Item, Observation, Opening, Result, Shown, Stop,
    Text, Thought, Turn, Verdict,
};

use super::kept_text::shortened;
use crate::replay::{Execution, Legality, StepFacts};
use crate::trace::action;
use crate::trace::record::{EvaluationReason, RecordKind};
use crate::trace::scalar::Timestamp;
use crate::trace::step::{
    Action, ActionKind, Annotation, Decision, ExecutionFact, Fact, Paths, StartFact, Step,
};
use crate::trace::v1::Record as V1;
use crate::trace::{Entry, Record};
use borsh::{BorshDeserialize, BorshSerialize};
use detail::Detail;
use governance::ActionType;
use governance::{EvaluationKind, State};
use strict_json::{Raw, Str};

/// Maximum number of characters kept of an action's text.
const ACTION: usize = 8_000;
/// Maximum number of characters kept of a result.
const RESULT: usize = 2_000;
/// Maximum number of paths kept of an action.
const PATHS: usize = 3;
/// Maximum number of state transitions kept of one turn.
const PATH: usize = 24;

/// Maximum number of characters kept of a reason or an intent.
const TEXT: usize = 2_000;
/// Maximum number of bytes kept of a name, a path or another short text.
const WORD: usize = 4 << 10;
/// Maximum number of paths, items or names kept of one list.
const PATHS_KEPT: usize = 500;
/// Maximum number of frames kept of one recording.
const FRAMES: usize = 500;

impl Timeline {
    /// Adds a number to the lines.
    pub(super) fn shift(&mut self, lines: u64) {
        for turn in &mut self.turns {
            turn.line = turn.line.saturating_add(lines);
            turn.last_line = turn.last_line.saturating_add(lines);
            for frame in &mut turn.frames {
                frame.line = frame.line.saturating_add(lines);
            }
        }
        let openings = self.openings.iter_mut().map(|opening| &mut opening.line);
        let commands = self.commands.iter_mut().map(|command| &mut command.line);
        for line in openings.chain(commands) {
            *line = line.saturating_add(lines);
        }
    }

    /// Calls `visit` with every text that comes from the trace, so that secrets can be masked.
    pub(super) fn each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        self.turns.iter_mut().for_each(|turn| turn.each_text(visit));
        self.openings
            .iter_mut()
            .for_each(|opening| opening.each_text(visit));
        self.commands
            .iter_mut()
            .for_each(|command| command.each_text(visit));
    }
}

/// The kept turns in input order, and the number of those that were dropped.
#[derive(Debug, Clone, Default, BorshSerialize, BorshDeserialize)]
pub struct Timeline {
    pub turns: Vec<Turn>,
    /// Starts and resumptions of executions.
    pub openings: Vec<Opening>,
    /// Records of single commands, which have no turns.
    pub commands: Vec<CommandRun>,
    /// Number of turns beyond the limit.
    pub left_out: u64,
}

impl Timeline {
    /// Drops what a report with `limit` turns doesn't show after this many turns and openings.
    pub(super) fn cut(&mut self, (turns, openings): (usize, usize), limit: usize) {
        let room = limit.saturating_sub(turns);
        let dropped = self.turns.len().saturating_sub(room) as u64;
        self.left_out = self.left_out.saturating_add(dropped);
        self.turns.truncate(room);
        self.openings.truncate(limit.saturating_sub(openings));
    }
}

/// Records the turns of one worker's executions.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    limit: usize,
    timeline: Timeline,
    /// Details of the record that is being replayed, one entry per nested turn.
    details: Vec<Detail>,
    /// Set in streaming mode, in which complete turns are handed on instead of kept.
    stream: Option<TurnStream>,
}

/// The complete turns that haven't been handed on yet.
#[derive(Debug, Default)]
struct TurnStream {
    /// The line that is being read.
    line: u64,
    complete: Vec<CompleteTurn>,
    /// Indexes in the recorder's list of turns that a new turn can reuse.
    free: Vec<usize>,
}

/// A finished turn, with the line after which it is known to be finished.
pub(super) type CompleteTurn = (u64, Turn);

/// The position at which an open execution writes: the number of its turn, and the turn's index in
/// the recorder. The index is `None` for turns beyond the limit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TurnCursor {
    begun: bool,
    number: Option<i64>,
    index: Option<usize>,
    /// Number of passes through the state machine, for formats that don't number turns.
    /// `over` says whether the last pass has ended.
    passes: i64,
    over: bool,
}

impl TurnCursor {
    /// Returns the turn number of a step in a format without turn numbers, by counting passes
    /// through the state machine.
    fn count_turn(&mut self, fact: &Fact<'_, '_>) -> Option<i64> {
        let moves = matches!(
            fact,
            Fact::Moved(_) | Fact::Annotation(Annotation::Thought(_) | Annotation::Decided(..))
        );
        if (self.over || self.passes == 0) && moves {
            self.passes += 1;
            self.over = false;
        }
        if let Fact::Moved(moved) = fact {
            self.over = matches!(
                (moved.from, moved.to),
                (State::Evaluating, _) | (State::Governing, State::Thinking) | (_, State::Terminal)
            );
        }
        (self.passes > 0).then_some(self.passes)
    }
}

impl Recorder {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            timeline: Timeline::default(),
            details: Vec::new(),
            stream: None,
        }
    }

    /// Creates a recorder that doesn't keep complete turns.
    pub(super) fn streaming() -> Self {
        Self {
            stream: Some(TurnStream::default()),
            ..Self::new(1)
        }
    }

    /// Returns the kept turns; in streaming mode, the complete turns that weren't handed on.
    pub(super) fn finish(self) -> Timeline {
        let mut timeline = self.timeline;
        if let Some(stream) = self.stream {
            timeline.turns = stream.complete.into_iter().map(|(_, turn)| turn).collect();
        }
        timeline
    }

    /// Sets the line that is being read.
    pub(super) fn at_line(&mut self, line: u64) {
        if let Some(stream) = &mut self.stream {
            stream.line = line;
        }
    }

    /// Moves the complete turns of a stream to `to`.
    pub(super) fn drain(&mut self, to: &mut Vec<CompleteTurn>) {
        if let Some(stream) = &mut self.stream {
            to.append(&mut stream.complete);
        }
    }

    /// Marks the current turn of an execution as complete.
    pub(super) fn complete(&mut self, cursor: &mut TurnCursor) {
        let Some(stream) = &mut self.stream else {
            return;
        };
        if let Some(index) = cursor.index.take()
            && let Some(turn) = self.timeline.turns.get_mut(index)
        {
            stream.complete.push((stream.line, std::mem::take(turn)));
            stream.free.push(index);
        }
    }

    /// Adds a turn and returns its index; counts it as dropped when the limit is reached.
    fn begin(&mut self, turn: Turn) -> Option<usize> {
        let turns = &mut self.timeline.turns;
        let free = self.stream.as_mut().and_then(|stream| stream.free.pop());
        if let Some(place) = free.and_then(|index| turns.get_mut(index)) {
            *place = turn;
            return free;
        }
        if self.stream.is_none() && turns.len() >= self.limit {
            self.timeline.left_out += 1;
            return None;
        }
        turns.push(turn);
        turns.len().checked_sub(1)
    }

    /// Reads the details of a record that only reports need. No check reads them.
    pub(super) fn open_record(&mut self, entry: &Entry<'_>) {
        self.details = if self.limit == 0 {
            Vec::new()
        } else {
            Detail::from_entry(entry)
        };
    }

    /// Records a step after its replay. [`open_record`](Self::open_record) was called with its
    /// record before.
    pub(super) fn note(
        &mut self,
        cursor: &mut TurnCursor,
        entry: &Entry<'_>,
        step: &Step<'_, '_>,
        step_facts: &StepFacts,
        execution: &Execution,
    ) {
        if self.limit == 0
            || matches!(
                step.fact,
                Fact::Ended(_) | Fact::Issued(_) | Fact::Revoked(_)
            )
        {
            return;
        }
        if let Fact::Started(started) = &step.fact {
            if self.timeline.openings.len() < self.limit {
                self.timeline.openings.push(opening(
                    entry,
                    step.time.map(Timestamp::millis),
                    started,
                    execution,
                ));
            }
            return;
        }
        let recorded = step.turn.or(execution.turn().id);
        let number = recorded.or_else(|| cursor.count_turn(&step.fact));
        if !cursor.begun || cursor.number != number {
            self.complete(cursor);
            *cursor = TurnCursor {
                begun: true,
                number,
                index: None,
                ..*cursor
            };
            let (file, id) = (execution.file().clone(), execution.id().clone());
            cursor.index = self.begin(Turn {
                file,
                execution: id,
                number,
                counted: recorded.is_none() && number.is_some(),
                line: entry.line,
                ..Turn::default()
            });
        }
        let Some(turn) = cursor.index.and_then(|n| self.timeline.turns.get_mut(n)) else {
            return;
        };
        turn.last_line = entry.line;
        if let Record::V1(V1::Call(call)) = &entry.record {
            turn.call = Some(CallEnd {
                id: word(call.call_id),
                tool: call.tool.map(word),
                outcome: call.outcome,
                decided: call.decision.as_ref().map(|d| (d.status, d.by)),
                cwd: call
                    .action
                    .as_ref()
                    .and_then(|action| action::cwd(action.payload.0))
                    .map(|cwd| shortened(&cwd, WORD).into_owned()),
            });
            let proposal = execution.turn().proposal.as_ref();
            turn.judged_risk = proposal.and_then(|p| p.what.effective_risk());
        }
        if let Some(time) = step.time.map(Timestamp::millis) {
            turn.start = Some(turn.start.map_or(time, |t| t.min(time)));
            turn.end = Some(turn.end.map_or(time, |t| t.max(time)));
        }
        turn.walk(
            step_facts,
            execution.state(),
            step.time.map(Timestamp::millis),
        );
        let mut none = Detail::default();
        let index = step
            .part
            .nested
            .and_then(|n| usize::try_from(n).ok())
            .unwrap_or_default();
        let detail = self.details.get_mut(index).unwrap_or(&mut none);
        turn.take(step, detail);
        detail.move_to(turn);
        if let Some(decided) = &step_facts.decided {
            turn.judged_risk = decided.risk;
        }
    }
}

/// Builds the opening from the record that starts an execution.
fn opening(
    entry: &Entry<'_>,
    time: Option<i64>,
    started: &StartFact<'_, '_>,
    execution: &Execution,
) -> Opening {
    let (intent, runtime, policy, parent) = match &entry.record {
        Record::V1(V1::ExecutionStarted(r)) => (
            Some(r.root_intent),
            r.runtime.as_ref(),
            r.policy.as_ref(),
            r.parent,
        ),
        Record::V1(V1::Execution(r)) => (
            Some(r.root_intent),
            r.runtime.as_ref(),
            r.policy.as_ref(),
            r.parent,
        ),
        _ => (None, None, None, None),
    };
    Opening {
        file: execution.file().clone(),
        execution: execution.id().clone(),
        line: entry.line,
        time,
        intent: intent.map(|i| Text::truncated(&i.decode(), TEXT)),
        runtime: runtime.map(|r| format!("{} {}", word(r.name), word(r.version))),
        agents: started
            .agents
            .unwrap_or_default()
            .iter()
            .take(PATHS_KEPT)
            .map(|a| word(*a))
            .collect(),
        governor: started.governor.map(word),
        policy_digest: started.policy_digest.map(word),
        policy_path: policy.and_then(|p| p.path).map(word),
        policy_revision: policy.and_then(|p| p.revision).map(word),
        max_turns: started.max_turns,
        parent: parent.map(word),
        workdir: started.workdir().map(word),
        not_recorded: started.not_recorded().to_vec(),
    }
}

/// Decodes a name, a path or another short text, truncated to [`WORD`] bytes.
fn word(text: Str<'_>) -> String {
    shortened(&text.decode(), WORD).into_owned()
}

/// Reads the first strings of a list; `None` when it isn't a list.
fn texts(raw: Option<Raw<'_>>) -> Option<Vec<String>> {
    let list: Vec<Raw<'_>> = raw?.read()?;
    Some(
        list.into_iter()
            .filter_map(|t| t.read::<Str<'_>>())
            .map(word)
            .take(PATHS_KEPT)
            .collect(),
    )
}

fn paths(list: Option<Paths<'_, '_>>) -> Option<Vec<String>> {
    list.map(|list| list.iter().take(PATHS_KEPT).map(|p| word(*p)).collect())
}

impl Turn {
    fn walk(&mut self, step_facts: &StepFacts, after: State, at: Option<i64>) {
        let Some(moved) = &step_facts.movement else {
            return;
        };
        if self.path.len() >= PATH {
            return;
        }
        // The state after several thoughts in a row is known only at the step that follows them.
        if self.path.last().is_none_or(|s| s.state != moved.before) {
            self.path.push(Stop {
                state: moved.before,
                at: None,
                illegal: None,
            });
        }
        if moved.movement != Legality::Legal {
            let illegal = Some(moved.event.to_string());
            self.path.push(Stop {
                state: after,
                at,
                illegal,
            });
        } else if self.path.last().is_none_or(|s| s.state != after) {
            self.path.push(Stop {
                state: after,
                at,
                illegal: None,
            });
        }
    }

    fn take(&mut self, step: &Step<'_, '_>, detail: &mut Detail) {
        match &step.fact {
            Fact::Thought(thought) | Fact::Annotation(Annotation::Thought(thought)) => {
                let (reasoning, model) = detail.next_thought();
                let agent = || thought.agent.map(word);
                let kept = self.thoughts.len() < PATH;
                self.thoughts.extend(kept.then(|| Thought {
                    agent: agent(),
                    done: thought.done,
                    reasoning,
                    model,
                }));
            }
            Fact::Proposed(proposal) => {
                self.proposed = Some(shown(&proposal.action));
                self.proposed_at = step.time.map(Timestamp::millis);
                self.declared_changes = paths(proposal.declared);
            }
            Fact::Decided(decision) => self.decide(decision),
            Fact::Unreadable(RecordKind::GovernanceDecided) => self.decision_broken = true,
            Fact::Annotation(Annotation::Decided(action, told)) => {
                if let Some(action) = action {
                    self.proposed.get_or_insert_with(|| shown(action));
                }
                if let Some(told) = told {
                    self.decide(&told.decision);
                }
            }
            Fact::Executed(executed) | Fact::Annotation(Annotation::Executed(executed, _)) => {
                self.execute(executed, detail.error_type());
            }
            Fact::Evaluated(kind, reason) => self.evaluate(*kind, *reason),
            Fact::Moved(moved) => {
                if let Some(decision) = &moved.decision {
                    self.decide(decision);
                }
                if let Some(kind) = moved.evaluation {
                    self.evaluate(kind, moved.reason);
                }
            }
            _ => {}
        }
    }

    fn evaluate(&mut self, kind: EvaluationKind, reason: Option<EvaluationReason>) {
        let reason = reason
            .map(|r| format!(" ({})", r.name()))
            .unwrap_or_default();
        self.evaluation = Some(format!("{}{reason}", kind.name()));
    }

    fn decide(&mut self, decision: &Decision<'_>) {
        let owned = |text: Option<Str<'_>>| text.map(word);
        self.decision = Some(Verdict {
            ruling: decision.ruling,
            by: decision.by,
            signer: owned(decision.signer),
            rule: owned(decision.rule),
            reason: owned(decision.reason.or(decision.modification_reason)),
            time: decision.time.map(Timestamp::millis),
            signed: decision.signature.is_some(),
            modified: decision.modified.as_ref().map(shown),
        });
    }

    fn execute(&mut self, executed: &ExecutionFact<'_, '_>, error_type: Option<String>) {
        self.ran = executed
            .action
            .as_ref()
            .map(shown)
            .filter(|ran| self.proposed.as_ref().is_none_or(|p| p.deed != ran.deed));
        self.result = executed.result.as_ref().map(|r| Result {
            success: r.success,
            marked_failed: r.marks.iter().any(|mark| r.output.starts_with(mark)),
            output: Text::truncated(&r.output.decode(), RESULT),
            error: r.error.map(|e| Text::truncated(&e.decode(), RESULT)),
            error_type,
            exit_code: r.exit_code,
            duration_ms: r.duration,
            cost: r.cost,
        });
        self.observed_changes = paths(executed.observed);
    }
}

fn shown(action: &Action<'_>) -> Shown {
    // A trace may hold a payload of any size, so the kept text is truncated.
    let raw = || {
        Text::truncated(
            action
                .payload
                .map(|payload| payload.as_written())
                .unwrap_or_default(),
            ACTION,
        )
    };
    let deed = action.payload.and_then(|payload| {
        Some(match action.kind {
            ActionKind::Known(ActionType::ShellCmd) => {
                Deed::Command(Text::truncated(&action::command(payload)?, ACTION))
            }
            ActionKind::Known(ActionType::CodeDiff) => {
                Deed::Diff(Text::truncated(&action::diff(payload)?, ACTION))
            }
            ActionKind::Known(ActionType::ToolCall) => Deed::Tool {
                tool: shortened(&action::tool(payload)?, WORD).into_owned(),
                payload: raw(),
            },
            ActionKind::Known(ActionType::Answer) => Deed::Answer(raw()),
            ActionKind::Other(_) => return None,
        })
    });
    Shown {
        id: action.id.map(word),
        paths: action
            .payload
            .map(|payload| action::paths(action.kind, payload))
            .unwrap_or_default()
            .into_iter()
            .take(PATHS)
            .map(|path| shortened(&path, WORD).into_owned())
            .collect(),
        deed: deed.unwrap_or_else(|| Deed::Other {
            word: shortened(&action.kind.name(), WORD).into_owned(),
            payload: raw(),
        }),
        risk: action.risk,
        hash: action
            .payload
            .map(|payload| action::action_hash(&action.kind.name(), payload)),
    }
}

/// Merges the turns of several workers in input order. Keeps the first `limit`, less those that
/// `into` holds already.
pub(super) fn merge(into: &mut Timeline, parts: Vec<Timeline>, limit: usize) {
    let room = limit.saturating_sub(into.turns.len());
    let mut lines: Vec<u64> = parts
        .iter()
        .flat_map(|part| part.turns.iter().map(|turn| turn.line))
        .collect();
    lines.sort_unstable();
    let dropped = lines.len().saturating_sub(room) as u64;
    into.left_out = into.left_out.saturating_add(dropped);
    // Each worker has kept up to `limit` turns, so only those that can be kept are merged.
    let last = room
        .checked_sub(1)
        .and_then(|n| lines.get(n))
        .or(lines.last().filter(|_| room > 0));
    let (mut turns, mut openings) = (Vec::new(), Vec::new());
    for part in parts {
        into.left_out = into.left_out.saturating_add(part.left_out);
        turns.extend(
            part.turns
                .into_iter()
                .filter(|turn| last.is_some_and(|last| turn.line <= *last)),
        );
        openings.extend(part.openings);
        into.commands.extend(part.commands);
    }
    openings.sort_by(|a, b| (a.line, &a.execution).cmp(&(b.line, &b.execution)));
    openings.truncate(limit.saturating_sub(into.openings.len()));
    into.openings.append(&mut openings);
    // The sort is stable: turns of one record stay in their order.
    turns.sort_by(|a, b| (a.line, &a.execution).cmp(&(b.line, &b.execution)));
    turns.truncate(room);
    into.turns.extend(turns);
}
