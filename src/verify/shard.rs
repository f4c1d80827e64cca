//! One worker's share of the executions: opened, replayed, closed.

mod finding_builder;
mod folding;

use super::bounds::{Bound, Bounds, Refused};
use super::kept::Kept;
use super::kept_text::{OUTCOME, execution_name, shortened};
use super::place::{problem_finding, shown_parts};
use super::refusals::{is_whole, refusal_beside};
use super::report::Dropped;
use super::signed::Signed;
use super::timeline::{CompleteTurn, Recorder, Timeline, TurnCursor};
use crate::diag::{Finding, Related};
use crate::replay::{Close, ClosedState, Context, Execution, StepFacts, Summary};
use crate::rules::{self, Draft, RuleContext, Settings, Sink};
use crate::trace::entry::{Broken, Entry, Record};
use crate::trace::formats::{FormatRecord, Reader, RoutedRecord, Routing, native};
use crate::trace::record::RecordKind;
use crate::trace::refusal::Refusals;
use crate::trace::step::{Annotation, CallAnnotation, Decision, DecisionLine, Part};
use crate::trace::{Fact, Format, Step, v1};
use hashbrown::HashMap;
use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use strict_json::Raw;

/// A worker's executions.
#[derive(Debug)]
pub(super) struct Shard {
    file: Arc<str>,
    format: Format,
    open: HashMap<Box<str>, Box<OpenExecution>>,
    /// The execution whose record came last, with its id: the next record is likely to be its as
    /// well.
    current: Option<(Box<str>, Box<OpenExecution>)>,
    /// Executions that were declared over, by a hash of their id that nobody outside knows the key
    /// of: where their summary is, and what is left of them.
    closed: HashMap<u64, (usize, ClosedState)>,
    hasher: RandomState,
    bounds: Bounds,
    /// Bytes that the executions hold, as far as it is known: those that are open, and what is kept
    /// of those that are over.
    held: usize,
    /// The bound that was reached once: nothing new is opened any more.
    full: Option<Bound>,
    /// What wasn't replayed because of it.
    refused: Option<Refused>,
    summaries: Vec<Summary>,
    findings: Kept,
    /// Records that repeat an earlier one byte for byte.
    repeated: u64,
    /// Open executions, and those that go on behind their end, with an error among the findings
    /// that aren't kept.
    failed_unlisted: BTreeSet<Arc<str>>,
    /// Line of the last record that can't be attributed to an execution.
    last_lost: u64,
    /// A document broke off: nothing behind that is read.
    rest_lost: bool,
    /// The lost line that has explained a missing start already: it can't explain a second one.
    start_excused: u64,
    /// Findings that are kept folded under others.
    folded: usize,
    /// Follow-ups of such lines.
    follow_ups: Vec<(u64, Related)>,
    recorder: Recorder,
    signed: Signed,
    /// Tells whose records they are.
    reader: Box<dyn Reader>,
}

/// An open execution with what hangs on it.
#[derive(Debug)]
struct OpenExecution {
    execution: Execution,
    /// The finding that explains what follows, while the path is broken.
    root: Option<Root>,
    /// Chain breaks in a row are one.
    chain_broken_at: u64,
    chain_root: Option<usize>,
    /// The record that can't be read which may explain what is missing: of this execution, or of
    /// any; and the same for tokens.
    lost: Option<Root>,
    token_lost: Option<Root>,
    /// What a scan has found, and where it was said: the same text stands in a thought, its
    /// proposal and its execution.
    scanned: HashMap<String, usize>,
    /// It goes on after its end: the summary that it belongs to.
    reopened_from: Option<usize>,
    cursor: TurnCursor,
    /// What it held when that was found out last, and the bytes that have been read of it since.
    weight: usize,
    unweighed: usize,
}

/// Stands in for the reader of a worker while that is at work.
#[derive(Debug)]
struct NoReader;

impl Reader for NoReader {
    fn feed(&mut self, _: &Entry<'_>, _: &mut dyn FnMut(RoutedRecord<'_, '_>)) {}
}

/// What a broken path goes back to.
#[derive(Debug, Clone, Copy)]
enum Root {
    /// A finding of this worker.
    Finding(usize),
    /// A line that nobody could read.
    Line(u64),
}

/// What a worker hands back.
#[derive(Debug, Default)]
pub(super) struct ShardOutput {
    pub(super) summaries: Vec<Summary>,
    #[expect(clippy::vec_box, reason = "see `Kept::into_parts`")]
    pub(super) findings: Vec<Box<Finding>>,
    pub(super) dropped: Dropped,
    /// Records that repeat an earlier one; and what a limit has kept from being replayed.
    pub(super) repeated: u64,
    pub(super) refused: Option<Refused>,
    pub(super) failed_unlisted: BTreeSet<Arc<str>>,
    pub(super) follow_ups: Vec<(u64, Related)>,
    pub(super) timeline: Timeline,
    pub(super) signed: Signed,
}

impl Shard {
    pub(super) fn new(
        file: Arc<str>,
        format: Format,
        reader: Box<dyn Reader>,
        recorder: Recorder,
        bounds: Bounds,
    ) -> Self {
        Self {
            file,
            format,
            open: HashMap::new(),
            current: None,
            closed: HashMap::new(),
            hasher: RandomState::new(),
            bounds,
            held: 0,
            full: None,
            refused: None,
            summaries: Vec::new(),
            findings: Kept::new(bounds.findings, bounds.worst),
            repeated: 0,
            failed_unlisted: BTreeSet::new(),
            last_lost: 0,
            rest_lost: false,
            start_excused: 0,
            folded: 0,
            follow_ups: Vec::new(),
            recorder,
            signed: Signed::default(),
            reader,
        }
    }

    /// Takes note that a line could not be attributed.
    pub(super) fn lost(&mut self, line: u64) {
        self.last_lost = line;
    }

    /// Takes note that all that follows is lost.
    pub(super) fn lose_rest(&mut self) {
        self.rest_lost = true;
    }

    /// Takes the next record of this worker's. `stem`: the execution of formats that name none.
    pub(super) fn feed(
        &mut self,
        stem: &str,
        entry: &Entry<'_>,
        settings: &Settings,
        context: Context<'_>,
    ) {
        self.recorder.at_line(entry.line);
        let mut reader = std::mem::replace(&mut self.reader, Box::new(NoReader));
        reader.feed(entry, &mut |fed| self.entry(stem, &fed, settings, context));
        self.reader = reader;
    }

    /// Moves the turns that are complete to `to`, where they aren't kept.
    pub(super) fn drain_turns(&mut self, to: &mut Vec<CompleteTurn>) {
        self.recorder.drain(to);
    }

    /// Replays one record of one execution.
    fn entry(
        &mut self,
        stem: &str,
        fed: &RoutedRecord<'_, '_>,
        settings: &Settings,
        context: Context<'_>,
    ) {
        let (id, entry) = (fed.execution.as_deref().unwrap_or(stem), fed.entry);
        let id = &*execution_name(id);
        // Taken out while it is worked on: findings and executions are this worker's both.
        let (id, mut live) = match self.current.take() {
            Some((name, live)) if *name == *id => (name, live),
            other => {
                self.open.extend(other);
                match self.open.remove_entry(id) {
                    Some(known) => known,
                    None if let Some(bound) = self.is_full() => return self.refuse(bound, entry),
                    None => (id.into(), self.open(id, entry)),
                }
            }
        };
        self.replay(&mut live, fed, settings, context);
        live.unweighed += entry.text.len();
        self.held += entry.text.len();
        if live.execution.is_closed() && live.reopened_from.is_none() {
            self.close(&id, live, settings);
        } else {
            let due = live.unweighed > live.weight.max(WEIGHED);
            if due {
                self.weigh(&mut live);
            }
            self.current = Some((id, live));
            if self.is_too_heavy() {
                self.relieve(entry.line, settings);
            }
        }
    }

    /// Ends an execution that was declared over, or that is given up.
    fn close(&mut self, id: &str, mut live: Box<OpenExecution>, settings: &Settings) {
        let close = live.execution.close();
        self.recorder.complete(&mut live.cursor);
        self.finish(&mut live, &close, settings);
        self.unload(&live);
        let remains = live.execution.closed_state();
        self.held += remains.weight();
        self.closed
            .insert(self.hasher.hash_one(id), (self.summaries.len(), remains));
        self.sum_up(&live);
    }

    fn sum_up(&mut self, live: &OpenExecution) {
        let failed_unlisted = self.failed_unlisted.remove(live.execution.id());
        let summary = live.execution.summary();
        let summary = Summary {
            failed_unlisted,
            outcome: summary
                .outcome
                .as_deref()
                .map(|outcome| shortened(outcome, OUTCOME).into()),
            ..summary
        };
        self.held += summary.weight();
        self.summaries.push(summary);
    }

    /// Why no more executions are opened.
    fn is_full(&mut self) -> Option<Bound> {
        let number = self.closed.len() + self.open.len();
        self.full = self
            .full
            .or((number >= self.bounds.executions).then_some(Bound::Executions));
        self.full
    }

    fn is_too_heavy(&self) -> bool {
        self.held > self.bounds.held
    }

    /// Takes note of a record that isn't replayed.
    fn refuse(&mut self, bound: Bound, entry: &Entry<'_>) {
        let refused = self
            .refused
            .get_or_insert_with(|| Refused::new(entry.line, bound));
        refused.records += 1;
        refused.content.add("");
        for part in shown_parts(entry) {
            refused.content.add(part);
        }
    }

    /// Finds out what an execution holds.
    fn weigh(&mut self, live: &mut OpenExecution) {
        self.unload(live);
        let scanned = live
            .scanned
            .keys()
            .map(|message| message.len() + 64)
            .sum::<usize>();
        live.weight = live.execution.weight() + size_of::<OpenExecution>() + scanned;
        live.unweighed = 0;
        self.load(live);
    }

    fn load(&mut self, live: &OpenExecution) {
        self.held += live.weight + live.unweighed;
    }

    fn unload(&mut self, live: &OpenExecution) {
        self.held = self.held.saturating_sub(live.weight + live.unweighed);
    }

    /// The open executions seem to hold too much. Finds out how much it is, lets go of payloads and
    /// then of what only warnings rest on, and if that doesn't help, opens no execution any more
    /// and gives the one up that was read last.
    fn relieve(&mut self, line: u64, settings: &Settings) {
        let mut open = std::mem::take(&mut self.open);
        let mut current = self.current.take();
        let context = context_of(settings);
        for lighter in [None, Some(false), Some(true)] {
            for live in open
                .values_mut()
                .chain(current.as_mut().map(|(_, live)| live))
            {
                match lighter {
                    Some(true) => live.execution.drop_texts(),
                    Some(false) if !context.keep_changes => live.execution.digest(context, SHORT),
                    _ => {}
                }
                self.weigh(live);
            }
            if self.held <= self.bounds.held / 8 * 7 {
                break;
            }
        }
        self.open = open;
        self.current = current;
        // What is left over an eighth is found out anew with every eighth that is added, so that
        // this takes no more time than reading.
        if self.held > self.bounds.held / 8 * 7 {
            self.full = self.full.or(Some(Bound::Held));
        }
        if self.is_too_heavy()
            && let Some((id, mut live)) = self.current.take()
        {
            let refused = self
                .refused
                .get_or_insert_with(|| Refused::new(line, Bound::Held));
            refused.given_up += 1;
            refused.content.add(&*id);
            live.execution.give_up();
            if let Some(summary) = live.reopened_from.and_then(|n| self.summaries.get_mut(n)) {
                live.execution.add_to(summary);
                self.recorder.complete(&mut live.cursor);
                self.unload(&live);
            } else {
                self.close(&id, live, settings);
            }
        }
    }

    /// A new execution, or one that goes on after its end.
    fn open(&mut self, id: &str, entry: &Entry<'_>) -> Box<OpenExecution> {
        let remains = self
            .closed
            .get_mut(&self.hasher.hash_one(id))
            .map(|(n, remains)| (*n, std::mem::take(remains)));
        let reopened_from = remains.as_ref().map(|(n, _)| *n);
        let mut execution = Execution::new(id.into(), self.file.clone(), self.format, entry.line);
        if let Some((n, remains)) = remains
            && let Some(summary) = self.summaries.get(n)
        {
            execution.reopen(summary, remains);
        }
        let weight = size_of::<Execution>() + size_of::<OpenExecution>() + id.len();
        let live = OpenExecution {
            execution,
            root: None,
            chain_broken_at: 0,
            chain_root: None,
            lost: None,
            token_lost: None,
            scanned: HashMap::new(),
            reopened_from,
            cursor: TurnCursor::default(),
            weight,
            unweighed: 0,
        };
        self.load(&live);
        Box::new(live)
    }

    fn replay(
        &mut self,
        live: &mut OpenExecution,
        RoutedRecord { entry, problem, .. }: &RoutedRecord<'_, '_>,
        settings: &Settings,
        context: Context<'_>,
    ) {
        let execution = &mut live.execution;
        let whole = matches!(entry.record, Record::V1(_) | Record::Native(_));
        if whole && self.format.repeats_lines() && execution.is_repeat(entry.text) {
            self.repeated += 1;
            return;
        }
        let begins = execution.last_line() == 0;
        if let Some(root) = settings.workdir.as_deref().filter(|_| begins) {
            execution.place_at(root);
        }
        let decisions = settings
            .decisions
            .as_deref()
            .filter(|_| begins && matches!(entry.record, Record::V1(_)));
        if decisions.is_some_and(|d| d.knows(execution.id())) {
            execution.expect_sidecar_decisions();
        }
        let lost_between = if begins {
            self.last_lost > self.start_excused
        } else {
            self.last_lost > execution.last_line()
        };
        let problem_root = self.problems(live, entry);
        if let Some(problem) = problem {
            // What it is about isn't checked.
            live.execution.doubt_all();
            let id = Some(live.execution.id().clone());
            if let Some(finding) = problem_finding(&self.file, entry, problem, id) {
                self.keep(finding);
            }
        }
        let link = match &entry.record {
            Record::V1(record) => Some((record.prev(), record.declares_chain())),
            Record::Recovered(record) => Some((record.prev, record.declares_chain())),
            Record::Broken(record) => Some((record.prev, false)),
            _ => None,
        };
        if let Some((prev, declares_chain)) = link {
            let mut step_facts = StepFacts::default();
            live.execution.record(
                entry.line,
                entry.text,
                prev,
                declares_chain,
                &mut step_facts,
            );
            if step_facts.anomalies().chain.is_some() {
                self.chain(live, entry, &step_facts, lost_between, settings);
            }
        }
        if lost_between {
            live.lost = Some(Root::Line(self.last_lost));
            live.execution.miss_turns();
            if self.format.routing() == Routing::ByInput {
                live.execution.doubt_all();
            }
        }
        if matches!(entry.record, Record::Recovered(_)) {
            live.execution.doubt_all();
        }
        if entry.record.execution_id().is_some_and(|id| id.is_torn()) {
            // Records of another execution may look like this one's.
            live.execution.doubt_all();
        }
        if let Record::Broken(Broken {
            kind: None, turn, ..
        }) = entry.record
        {
            let mut step_facts = StepFacts::default();
            live.execution.lose_track(entry.line, turn, &mut step_facts);
            live.lost = problem_root.map(Root::Finding);
            live.root = live.root.or(live.lost);
            let cx = RuleContext {
                execution: &live.execution,
                step: None,
                entry: Some(entry),
                step_facts: &step_facts,
                close: None,
                settings,
            };
            let drafts = drafts_of(&cx);
            self.fold_drafts(live, live.lost, &drafts, (Some(entry), None));
        }
        let mut input_hash_wrong = entry
            .record
            .native()
            .and_then(FormatRecord::input_hash_is_wrong)
            == Some(true);
        self.recorder.open_record(entry);
        let mut context_breaks = match &entry.record {
            Record::V1(record) => live
                .execution
                .context()
                .note(record, settings.context_budget),
            Record::Recovered(record) => live
                .execution
                .context()
                .note_recovered(record, settings.context_budget),
            Record::Broken(_) => {
                live.execution.context().lose();
                Vec::new()
            }
            Record::Native(record) => live.execution.context().note_native(record.get()),
            _ => Vec::new(),
        };
        let refusals = Refusals::of(entry);
        let mut counted = false;
        entry.record.steps(&mut |step| {
            let refusal = refusals
                .at(step.part.nested)
                .and_then(|text| Some((native::decision(text)?, Raw::trusted(text))));
            let refused = refusal
                .as_ref()
                .and_then(|(decision, written)| step.refused(decision, *written));
            counted |= refused.is_some();
            // The record is none of a decision, and holds a rejection all the same.
            let beside =
                refusal.filter(|_| refused.is_none() && !counted && !is_whole(&entry.record));
            let told =
                beside.and_then(|(decision, written)| refusal_beside(step, &decision, written));
            counted |= told.is_some();
            // A proposal is there before it can be rejected.
            let behind = matches!(step.fact, Fact::Proposed(_));
            if let Some(told) = told.as_ref().filter(|_| !behind) {
                self.refusal(live, entry, told, (lost_between, settings), context);
            }
            let step = refused.as_ref().unwrap_or(step);
            let mut step_facts = StepFacts::default();
            if std::mem::take(&mut input_hash_wrong) {
                step_facts.anomalies_mut().input_hash_wrong = true;
            }
            if !context_breaks.is_empty() {
                step_facts.anomalies_mut().context = std::mem::take(&mut context_breaks);
            }
            let earlier = live.execution.pending_decision_for(step);
            let decision = earlier
                .as_ref()
                .and_then(|(line, text)| Some((*line, native::decision(text)?)));
            let decided = decision
                .as_ref()
                .map(|(line, decision)| step.with_decision(*line, decision));
            let step = decided.as_ref().unwrap_or(step);
            live.execution
                .step(entry.line, step, context, &mut step_facts);
            self.recorder
                .note(&mut live.cursor, entry, step, &step_facts, &live.execution);
            if let Fact::Unreadable(kind) = step.fact {
                live.lost = problem_root.map(Root::Finding);
                if kind == RecordKind::CapabilityIssued {
                    live.token_lost = live.lost;
                }
            }
            self.check_step(live, entry, step, &step_facts, lost_between, settings);
            if matches!(step.fact, Fact::Unreadable(_)) {
                live.root = live.root.or(live.lost);
            }
            if let Some(told) = told.as_ref().filter(|_| behind) {
                self.refusal(live, entry, told, (lost_between, settings), context);
            }
            if behind && let Some(beside) = pending_decision(live, entry, settings) {
                self.refusal(live, entry, &beside, (lost_between, settings), context);
            }
        });
        if let Some(text) = refusals
            .at(None)
            .filter(|_| !counted && is_whole(&entry.record))
            && let Some(decision) = native::decision(text)
        {
            let told = Annotation::Decided(
                None,
                Some(DecisionLine {
                    decision,
                    written: Raw::trusted(text),
                }),
            );
            let step = Step {
                turn: None,
                time: None,
                part: Part::WHOLE,
                fact: Fact::Annotation(told),
            };
            self.refusal(live, entry, &step, (lost_between, settings), context);
        }
    }

    /// Replays a rejection that a record holds beside what it is of.
    fn refusal(
        &mut self,
        live: &mut OpenExecution,
        entry: &Entry<'_>,
        step: &Step<'_, '_>,
        (lost_between, settings): (bool, &Settings),
        context: Context<'_>,
    ) {
        let mut step_facts = StepFacts::default();
        live.execution
            .step(entry.line, step, context, &mut step_facts);
        self.check_step(live, entry, step, &step_facts, lost_between, settings);
    }

    fn finish(&mut self, live: &mut OpenExecution, close: &Close, settings: &Settings) {
        let step_facts = StepFacts::default();
        let cx = RuleContext {
            execution: &live.execution,
            step: None,
            entry: None,
            step_facts: &step_facts,
            close: Some(close),
            settings,
        };
        let drafts = drafts_of(&cx);
        let lost_behind = self.rest_lost || self.last_lost > live.execution.last_line();
        if lost_behind && (self.rest_lost || self.format.routing() == Routing::ByInput) {
            live.execution.doubt_all();
        }
        // A path that broke may have lost its end, and so may one behind which a line was lost.
        let root = if lost_behind {
            Some(Root::Line(self.last_lost))
        } else {
            live.root.filter(|_| live.execution.is_broken())
        };
        let (folded, others): (Vec<Draft>, Vec<Draft>) = drafts
            .into_iter()
            .partition(|d| root.is_some() && d.rule.folds_on_lost_end());
        let folded = folded
            .iter()
            .map(|draft| self.finding_of(live, draft, None, None))
            .collect();
        self.fold(
            root,
            "the execution may have ended there".to_owned(),
            folded,
        );
        self.report(live, &others, None, None);
    }

    /// How many executions it has had.
    pub(super) fn executions(&self) -> usize {
        self.summaries.len() + self.open.len() + usize::from(self.current.is_some())
    }

    /// Ends every execution that is still open, with the input.
    pub(super) fn end(mut self, stem: &str, settings: &Settings) -> ShardOutput {
        let context = context_of(settings);
        let mut reader = std::mem::replace(&mut self.reader, Box::new(NoReader));
        reader.finish(&mut |fed| self.entry(stem, &fed, settings, context));
        let mut open: Vec<_> = std::mem::take(&mut self.open)
            .into_iter()
            .chain(self.current.take())
            .collect();
        open.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (_, mut live) in open {
            let close = live.execution.close();
            self.recorder.complete(&mut live.cursor);
            if let Some(summary) = live.reopened_from.and_then(|n| self.summaries.get_mut(n)) {
                live.execution.add_to(summary);
            } else {
                self.finish(&mut live, &close, settings);
                self.sum_up(&live);
            }
        }
        let (findings, dropped) = self.findings.into_parts();
        ShardOutput {
            summaries: self.summaries,
            findings,
            dropped,
            repeated: self.repeated,
            refused: self.refused,
            failed_unlisted: self.failed_unlisted,
            follow_ups: self.follow_ups,
            timeline: self.recorder.finish(),
            signed: self.signed,
        }
    }
}

/// What a source beside the trace says of the call that a record holds: its decision where the
/// record has none, or that it says the opposite.
fn pending_decision<'r, 'a>(
    live: &OpenExecution,
    entry: &'r Entry<'a>,
    settings: &Settings,
) -> Option<Step<'r, 'a>> {
    let decisions = settings.decisions.as_deref()?;
    let Record::V1(v1::Record::Call(call)) = &entry.record else {
        return None;
    };
    let beside = decisions.about(live.execution.id(), &call.call_id.decode())?;
    let fact = match &call.decision {
        Some(own) if own.status.permits() == beside.ruling.permits() => return None,
        Some(_) => Fact::Annotation(Annotation::Call(CallAnnotation::Contradicted)),
        None => Fact::Decided(Decision::bare(beside.ruling, beside.by, Some(call.call_id))),
    };
    Some(Step {
        turn: Some(call.turn_id.get()),
        time: None,
        part: Part::WHOLE,
        fact,
    })
}

/// Bytes of a payload that is as good as its digest.
const SHORT: usize = 1 << 10;

/// Bytes that are read of an execution before it is found out what it holds.
const WEIGHED: usize = 16 << 10;

/// What a replay needs of the settings, without what other records have taught.
fn context_of(settings: &Settings) -> Context<'_> {
    Context {
        assessor: settings.assessor,
        keep_changes: settings.keep_changes,
        ..Context::default()
    }
}

fn drafts_of(cx: &RuleContext<'_, '_, '_>) -> Vec<Draft> {
    let mut out = Sink::default();
    rules::check_all(cx, &mut out);
    out.drafts
}

#[cfg(test)]
mod tests;
