//! The turns of the executions as a report shows them, kept only when somebody asks for them.
//!
//! A replay keeps nothing of an execution that is over. A report with timelines needs its turns, so
//! there is a limit to how many are kept, and the others are counted. The first ones in the order
//! of the input are kept, however many workers there are.

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
use crate::replay::{Execution, Movement, StepFacts};
use crate::trace::action;
use crate::trace::record::{EvaluationReason, RecordKind};
use crate::trace::scalar::Timestamp;
use crate::trace::step::{
    Action, ActionKind, Annotation, Decision, Executed, Fact, Paths, Started, Step,
};
use crate::trace::v1::Record as V1;
use crate::trace::{Entry, Record};
use detail::Detail;
use governance::ActionType;
use governance::{EvaluationKind, State};
use strict_json::{Raw, Str};

/// Characters that are kept of a text of an action.
const ACTION: usize = 8_000;
/// Characters that are kept of a result.
const RESULT: usize = 2_000;
/// Paths that are kept of an action.
const PATHS: usize = 3;
/// Movements that are kept of one turn.
const PATH: usize = 24;

/// Characters that are kept of a reason or an intent.
const TEXT: usize = 2_000;
/// Bytes that are kept of a name, a path or another word.
const WORD: usize = 4 << 10;
/// Paths, items or names that are kept of one list.
const PATHS_KEPT: usize = 500;
/// Frames that are kept of one recording.
const FRAMES: usize = 500;

impl Timeline {
    /// Shows every text that comes from the record, to take out what a report may not repeat.
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

/// The turns that are kept, in the order of the input, and how many aren't.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    /// The turns.
    pub turns: Vec<Turn>,
    /// How executions began.
    pub openings: Vec<Opening>,
    /// Records of commands, which have no turns.
    pub commands: Vec<CommandRun>,
    /// Turns that are over the limit.
    pub left_out: u64,
}

/// Writes down the turns of one worker's executions.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    limit: usize,
    timeline: Timeline,
    /// Of the record that is being replayed.
    details: Vec<Detail>,
    /// Set where turns are handed on as soon as they are complete, instead of being kept.
    stream: Option<TurnStream>,
}

/// The turns that are complete and not handed on yet.
#[derive(Debug, Default)]
struct TurnStream {
    /// The line that is being read.
    line: u64,
    /// Each with the line that completed it.
    complete: Vec<CompleteTurn>,
    /// Places of the recorder that a new turn can take.
    free: Vec<usize>,
}

/// A turn that nothing can be added to, with the line behind which that is known.
pub(super) type CompleteTurn = (u64, Turn);

/// Where an open execution writes: its turn's number, and its place in the recorder unless it is
/// over the limit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TurnCursor {
    begun: bool,
    number: Option<i64>,
    index: Option<usize>,
    /// Passes through the state machine, where the format numbers no turns; and whether the last
    /// one is over.
    passes: i64,
    over: bool,
}

impl TurnCursor {
    /// The number of the turn that a step of a log without numbers belongs to: turns are counted as
    /// they pass.
    fn pass(&mut self, fact: &Fact<'_, '_>) -> Option<i64> {
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

    /// A recorder that keeps no turn that is complete.
    pub(super) fn streaming() -> Self {
        Self {
            stream: Some(TurnStream::default()),
            ..Self::new(1)
        }
    }

    /// The turns that are kept; of a stream those that are complete and not handed on.
    pub(super) fn finish(self) -> Timeline {
        let mut timeline = self.timeline;
        if let Some(stream) = self.stream {
            timeline.turns = stream.complete.into_iter().map(|(_, turn)| turn).collect();
        }
        timeline
    }

    /// Takes note of the line that is being read.
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

    /// Nothing more comes to the turn that an execution writes to.
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

    /// Begins a turn, unless there are too many; returns its place.
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

    /// Reads what people want to see of a record and no check reads.
    pub(super) fn open_record(&mut self, entry: &Entry<'_>) {
        self.details = if self.limit == 0 {
            Vec::new()
        } else {
            Detail::of(entry)
        };
    }

    /// Takes note of a step after it was replayed. Its record was opened before.
    pub(super) fn note(
        &mut self,
        pen: &mut TurnCursor,
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
        let number = recorded.or_else(|| pen.pass(&step.fact));
        if !pen.begun || pen.number != number {
            self.complete(pen);
            *pen = TurnCursor {
                begun: true,
                number,
                index: None,
                ..*pen
            };
            let (file, id) = (execution.file().clone(), execution.id().clone());
            pen.index = self.begin(Turn {
                file,
                execution: id,
                number,
                counted: recorded.is_none() && number.is_some(),
                line: entry.line,
                ..Turn::default()
            });
        }
        let Some(turn) = pen.index.and_then(|n| self.timeline.turns.get_mut(n)) else {
            return;
        };
        turn.last_line = entry.line;
        if let Record::V1(V1::Call(call)) = &entry.record {
            turn.call = Some(CallEnd {
                id: word(call.call_id),
                tool: call.tool.map(word),
                outcome: call.outcome,
                cwd: call
                    .action
                    .as_ref()
                    .and_then(|action| action::cwd(action.payload.0))
                    .map(|cwd| shortened(&cwd, WORD).into_owned()),
            });
            let proposal = execution.turn().proposal.as_ref();
            turn.judged_risk = proposal.and_then(|p| p.what.judged_risk());
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
        detail.give(turn);
        if let Some(decided) = &step_facts.decided {
            turn.judged_risk = decided.risk;
        }
    }
}

/// How an execution began.
fn opening(
    entry: &Entry<'_>,
    time: Option<i64>,
    started: &Started<'_, '_>,
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
        intent: intent.map(|i| Text::of(&i.decode(), TEXT)),
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

/// A name, a path or another word of a record, cut where it is no word.
fn word(text: Str<'_>) -> String {
    shortened(&text.decode(), WORD).into_owned()
}

/// The texts of a list, the first of them, where it is one.
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
        // What several thoughts in a row amount to is known at the step behind them.
        if self.path.last().is_none_or(|s| s.state != moved.before) {
            self.path.push(Stop {
                state: moved.before,
                at: None,
                illegal: None,
            });
        }
        if moved.movement != Movement::Legal {
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

    fn execute(&mut self, executed: &Executed<'_, '_>, error_type: Option<String>) {
        self.ran = executed
            .action
            .as_ref()
            .map(shown)
            .filter(|ran| self.proposed.as_ref().is_none_or(|p| p.deed != ran.deed));
        self.result = executed.result.as_ref().map(|r| Result {
            success: r.success,
            marked_failed: r.marks.iter().any(|mark| r.output.starts_with(mark)),
            output: Text::of(&r.output.decode(), RESULT),
            error: r.error.map(|e| Text::of(&e.decode(), RESULT)),
            error_type,
            exit_code: r.exit_code,
            duration_ms: r.duration,
            cost: r.cost,
        });
        self.observed_changes = paths(executed.observed);
    }
}

fn shown(action: &Action<'_>) -> Shown {
    // A trace may hold a payload of any size; what is kept of it is cut.
    let raw = || {
        Text::of(
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
                Deed::Command(Text::of(&action::command(payload)?, ACTION))
            }
            ActionKind::Known(ActionType::CodeDiff) => {
                Deed::Diff(Text::of(&action::diff(payload)?, ACTION))
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

/// Puts the turns of several workers in the order of the input and keeps the first `limit`, less
/// those that are kept already.
pub(super) fn merge(into: &mut Timeline, parts: Vec<Timeline>, limit: usize) {
    let room = limit.saturating_sub(into.turns.len());
    let mut lines: Vec<u64> = parts
        .iter()
        .flat_map(|part| part.turns.iter().map(|turn| turn.line))
        .collect();
    lines.sort_unstable();
    into.left_out += lines.len().saturating_sub(room) as u64;
    // Only what may be kept is put together: each worker has kept as many turns as all of them may.
    let last = room
        .checked_sub(1)
        .and_then(|n| lines.get(n))
        .or(lines.last().filter(|_| room > 0));
    let (mut turns, mut openings) = (Vec::new(), Vec::new());
    for part in parts {
        into.left_out += part.left_out;
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
    // Turns of one record stand in its order.
    turns.sort_by(|a, b| (a.line, &a.execution).cmp(&(b.line, &b.execution)));
    turns.truncate(room);
    into.turns.extend(turns);
}
