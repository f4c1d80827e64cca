//! The turns of the executions as a report shows them, kept only when somebody asks for them.
//!
//! A replay keeps nothing of an execution that is over. A report with timelines needs its turns, so there is a
//! limit to how many are kept, and the others are counted. The first ones in the order of the input are kept,
//! however many workers there are.

use crate::governance::{Risk, Ruling, State};
use crate::replay::{Execution, Judged, KeptAction, Movement};
use crate::trace::action;
use crate::trace::record::{ActionType, DecidedBy};
use crate::trace::step::{Action, ActionKind, Beside, Decision, Executed, Fact, Step};
use std::sync::Arc;

/// Characters that are kept of a text of an action.
const ACTION: usize = 8_000;
/// Characters that are kept of a result.
const RESULT: usize = 2_000;
/// Paths that are kept of an action.
const PATHS: usize = 3;
/// Movements that are kept of one turn.
const PATH: usize = 24;

/// A text, cut to what a report shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text or its beginning. Hostile.
    pub text: String,
    /// How many characters are missing behind it.
    pub cut: usize,
}

impl Text {
    fn of(text: &str, limit: usize) -> Self {
        match text.char_indices().nth(limit) {
            None => Self { text: text.to_owned(), cut: 0 },
            Some((at, _)) => {
                let (kept, rest) = text.split_at_checked(at).unwrap_or((text, ""));
                Self { text: kept.to_owned(), cut: rest.chars().count() }
            }
        }
    }
}

/// What an action does, by its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// A command line.
    Command(Text),
    /// A unified diff.
    Diff(Text),
    /// A tool with its parameters as JSON.
    Tool(String, Text),
    /// An answer.
    Answer(Text),
    /// A type or a payload that can't be told: the word for the type, and the payload as it stands.
    Other(String, Text),
}

/// An action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its id.
    pub id: Option<String>,
    /// What it does.
    pub deed: Deed,
    /// The first paths that it names.
    pub paths: Vec<String>,
    /// The risk that was recorded.
    pub risk: Option<Risk>,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What it says.
    pub ruling: Ruling,
    /// Who made it.
    pub by: DecidedBy,
    /// Who signed.
    pub signer: Option<String>,
    /// The rule of the policy.
    pub rule: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// When, in milliseconds since the epoch.
    pub time: Option<i64>,
    /// The action as it was changed.
    pub modified: Option<Shown>,
}

/// A result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Result {
    /// Whether it is said to have succeeded.
    pub success: bool,
    /// What it printed.
    pub output: Text,
    /// What went wrong.
    pub error: Option<Text>,
    /// The exit code.
    pub exit_code: Option<i64>,
}

/// A state on the way through a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// The state.
    pub state: State,
    /// The event that was illegal here, if one was.
    pub illegal: Option<String>,
}

/// One turn of one execution.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// The input.
    pub file: Arc<str>,
    /// The execution.
    pub execution: Arc<str>,
    /// Its number, where one is known.
    pub number: Option<i64>,
    /// The line that it begins on.
    pub line: u64,
    /// Its first time in milliseconds since the epoch.
    pub start: Option<i64>,
    /// Its last time.
    pub end: Option<i64>,
    /// The states that it went through.
    pub path: Vec<Stop>,
    /// The agents that thought, and whether each believed itself done.
    pub thoughts: Vec<(Option<String>, bool)>,
    /// What was proposed.
    pub proposed: Option<Shown>,
    /// When it was proposed.
    pub proposed_at: Option<i64>,
    /// What was decided.
    pub decision: Option<Verdict>,
    /// What ran, where it isn't what was proposed.
    pub ran: Option<Shown>,
    /// What came of it.
    pub result: Option<Result>,
    /// How the runtime ruled.
    pub evaluation: Option<String>,
}

impl Shown {
    fn each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        self.id.iter_mut().for_each(&mut *visit);
        match &mut self.deed {
            Deed::Command(text) | Deed::Diff(text) | Deed::Answer(text) => visit(&mut text.text),
            Deed::Tool(name, text) | Deed::Other(name, text) => {
                visit(name);
                visit(&mut text.text);
            }
        }
        self.paths.iter_mut().for_each(visit);
    }
}

impl Turn {
    /// Shows every text that comes from the record.
    fn each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        let Self { file: _, execution, number: _, line: _, start: _, end: _, path, thoughts, .. } = self;
        let mut id = execution.to_string();
        visit(&mut id);
        *execution = id.into();
        path.iter_mut().filter_map(|stop| stop.illegal.as_mut()).for_each(&mut *visit);
        thoughts.iter_mut().filter_map(|(agent, _)| agent.as_mut()).for_each(&mut *visit);
        for shown in self.proposed.iter_mut().chain(&mut self.ran) {
            shown.each_text(visit);
        }
        if let Some(decision) = &mut self.decision {
            let Verdict { ruling: _, by: _, signer, rule, reason, time: _, modified } = decision;
            signer.iter_mut().chain(rule).chain(reason).for_each(&mut *visit);
            if let Some(modified) = modified {
                modified.each_text(visit);
            }
        }
        if let Some(result) = &mut self.result {
            visit(&mut result.output.text);
            result.error.iter_mut().for_each(|error| visit(&mut error.text));
        }
        self.evaluation.iter_mut().for_each(visit);
    }
}

impl Timeline {
    /// Shows every text that comes from the record, to take out what a report may not repeat.
    pub(super) fn each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        self.turns.iter_mut().for_each(|turn| turn.each_text(visit));
    }
}

/// The turns that are kept, in the order of the input, and how many aren't.
#[derive(Debug, Default)]
pub struct Timeline {
    /// The turns.
    pub turns: Vec<Turn>,
    /// Turns that are over the limit.
    pub left_out: u64,
}

/// Writes down the turns of one worker's executions.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    limit: usize,
    timeline: Timeline,
}

/// Where an open execution writes: its turn's number, and its place in the recorder unless it is over the limit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pen {
    begun: bool,
    number: Option<i64>,
    index: Option<usize>,
}

impl Recorder {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, timeline: Timeline::default() }
    }

    pub(super) fn finish(self) -> Timeline {
        self.timeline
    }

    /// Takes note of a step after it was replayed.
    pub(super) fn note(&mut self, pen: &mut Pen, line: u64, step: &Step<'_, '_>, judged: &Judged, execution: &Execution) {
        if self.limit == 0 || matches!(step.fact, Fact::Started(_) | Fact::Ended(_) | Fact::Issued(_) | Fact::Revoked(_)) {
            return;
        }
        let number = step.turn.or(execution.turn().id);
        if !pen.begun || pen.number != number {
            *pen = Pen { begun: true, number, index: None };
            if self.timeline.turns.len() < self.limit {
                pen.index = Some(self.timeline.turns.len());
                let (file, execution) = (execution.file().clone(), execution.id().clone());
                self.timeline.turns.push(Turn { file, execution, number, line, ..Turn::default() });
            } else {
                self.timeline.left_out += 1;
            }
        }
        let Some(turn) = pen.index.and_then(|n| self.timeline.turns.get_mut(n)) else {
            return;
        };
        if let Some(time) = step.time {
            turn.start = Some(turn.start.map_or(time, |t| t.min(time)));
            turn.end = Some(turn.end.map_or(time, |t| t.max(time)));
        }
        turn.walk(judged, execution.state());
        turn.take(step);
    }
}

impl Turn {
    fn walk(&mut self, judged: &Judged, after: State) {
        let Some(moved) = &judged.movement else { return };
        if self.path.len() >= PATH {
            return;
        }
        // What several thoughts in a row amount to is known at the step behind them.
        if self.path.last().is_none_or(|s| s.state != moved.before) {
            self.path.push(Stop { state: moved.before, illegal: None });
        }
        if moved.movement != Movement::Legal {
            let illegal = Some(moved.event.to_string());
            self.path.push(Stop { state: after, illegal });
        } else if self.path.last().is_none_or(|s| s.state != after) {
            self.path.push(Stop { state: after, illegal: None });
        }
    }

    fn take(&mut self, step: &Step<'_, '_>) {
        match &step.fact {
            Fact::Thought(thought) | Fact::Beside(Beside::Thought(thought)) => {
                let agent = || thought.agent.map(|a| a.decode().into_owned());
                self.thoughts.extend((self.thoughts.len() < PATH).then(|| (agent(), thought.done)));
            }
            Fact::Proposed(proposal) => {
                self.proposed = Some(shown(&proposal.action));
                self.proposed_at = step.time;
            }
            Fact::Decided(decision) => self.decide(decision),
            Fact::Beside(Beside::Decided(action, decision)) => {
                if let Some(action) = action {
                    self.proposed.get_or_insert_with(|| shown(action));
                }
                if let Some(decision) = decision {
                    self.decide(decision);
                }
            }
            Fact::Executed(executed) | Fact::Beside(Beside::Executed(executed)) => self.execute(executed),
            Fact::Evaluated(kind, reason) => {
                let reason = reason.map(|r| format!(" ({})", r.name())).unwrap_or_default();
                self.evaluation = Some(format!("{}{reason}", kind.name()));
            }
            Fact::Moved(moved) => {
                if let Some(decision) = &moved.decision {
                    self.decide(decision);
                }
                if let Some(kind) = moved.evaluation {
                    self.evaluation = Some(kind.name().to_owned());
                }
            }
            _ => {}
        }
    }

    fn decide(&mut self, decision: &Decision<'_>) {
        let owned = |text: Option<crate::json::Str<'_>>| text.map(|t| t.decode().into_owned());
        self.decision = Some(Verdict {
            ruling: decision.ruling,
            by: decision.by,
            signer: owned(decision.signer),
            rule: owned(decision.rule),
            reason: owned(decision.reason.or(decision.modification_reason)),
            time: decision.time,
            modified: decision.modified.as_ref().map(shown),
        });
    }

    fn execute(&mut self, executed: &Executed<'_, '_>) {
        self.ran = executed.action.as_ref().map(shown).filter(|ran| self.proposed.as_ref().is_none_or(|p| p.deed != ran.deed));
        self.result = executed.result.as_ref().map(|r| Result {
            success: r.success,
            output: Text::of(&r.output.decode(), RESULT),
            error: r.error.map(|e| Text::of(&e.decode(), RESULT)),
            exit_code: r.exit_code,
        });
    }
}

fn shown(action: &Action<'_>) -> Shown {
    // A trace may hold a payload of any size; what is kept of it is cut.
    let kept = KeptAction::of(action);
    let raw = || Text::of(kept.payload.as_deref().unwrap_or_default(), ACTION);
    let deed = action.payload.and_then(|payload| {
        Some(match action.kind {
            ActionKind::Known(ActionType::ShellCmd) => Deed::Command(Text::of(&action::command(payload)?, ACTION)),
            ActionKind::Known(ActionType::CodeDiff) => Deed::Diff(Text::of(&action::diff(payload)?, ACTION)),
            ActionKind::Known(ActionType::ToolCall) => Deed::Tool(action::tool(payload)?, raw()),
            ActionKind::Known(ActionType::Answer) => Deed::Answer(raw()),
            ActionKind::Other(_) => return None,
        })
    });
    Shown {
        id: action.id.map(|id| id.decode().into_owned()),
        paths: action
            .payload
            .map(|payload| action::paths(action.kind, payload))
            .unwrap_or_default()
            .into_iter()
            .take(PATHS)
            .collect(),
        deed: deed.unwrap_or_else(|| Deed::Other(action.kind.name().into_owned(), raw())),
        risk: action.risk,
    }
}

/// Puts the turns of several workers in the order of the input and keeps the first `limit`, less those that
/// are kept already.
pub(super) fn merge(into: &mut Timeline, parts: Vec<Timeline>, limit: usize) {
    let mut turns = Vec::new();
    for part in parts {
        into.left_out += part.left_out;
        turns.extend(part.turns);
    }
    // Turns of one record stand in its order.
    turns.sort_by(|a, b| (a.line, &a.execution).cmp(&(b.line, &b.execution)));
    let room = limit.saturating_sub(into.turns.len());
    into.left_out += turns.len().saturating_sub(room) as u64;
    turns.truncate(room);
    into.turns.extend(turns);
}
