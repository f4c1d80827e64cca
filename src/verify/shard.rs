//! Replays the executions of one worker: opens them, feeds them their records, closes them.

mod finding_builder;
mod folding;

use super::bounds::{Bound, Bounds, RefusedRecords};
use super::finding_store::FindingStore;
use super::kept_text::{OUTCOME, execution_name, shortened};
use super::piece::Load;
use super::place::{problem_finding, shown_parts};
use super::refusals::{attached_rejection, is_whole};
use super::report::Dropped;
use super::signed::SignedDecisions;
use super::timeline::{CompleteTurn, Recorder, Timeline, TurnCursor};
use crate::diag::{Code, Finding, Related};
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

/// The executions assigned to one worker, and what it collected about them.
#[derive(Debug)]
pub(super) struct Shard {
    file: Arc<str>,
    format: Format,
    open: HashMap<Box<str>, Box<OpenExecution>>,
    /// The execution of the last record, with its id. The next record most likely belongs to it
    /// too.
    current: Option<(Box<str>, Box<OpenExecution>)>,
    /// Executions that have ended, by a keyed hash of their id: the index of their summary, and the
    /// state needed if more of their records follow. The key is random, so a trace can't force
    /// collisions.
    closed: HashMap<u64, (usize, ClosedState)>,
    hasher: RandomState,
    bounds: Bounds,
    /// Estimated bytes held by the open executions and by what is kept of the ended ones.
    held: usize,
    /// Largest value of `held`.
    peak: usize,
    /// The bound that was reached. From then on, no new execution is opened.
    full: Option<Bound>,
    /// The records that weren't replayed because of `full`.
    refused: Option<RefusedRecords>,
    summaries: Vec<Summary>,
    findings: FindingStore,
    /// Number of records that repeat an earlier one byte for byte.
    repeated: u64,
    /// Ids of executions that have an error among the findings that weren't kept: open ones, and
    /// ended ones that got more records. For the others, the summary says so.
    failed_unlisted: BTreeSet<Arc<str>>,
    /// Line of the last record that can't be attributed to an execution.
    last_lost: u64,
    /// Whether a JSON document broke off, so that an unknown number of records is missing at the
    /// end.
    rest_lost: bool,
    /// The lost line that already explained a missing start. It can't explain a second one.
    start_excused: u64,
    /// Number of findings that are kept folded under others.
    folded: usize,
    /// Follow-up findings of lines that couldn't be read, by line. The findings about these lines
    /// are made elsewhere, so these are attached at the end of the input.
    follow_ups: Vec<(u64, Related)>,
    recorder: Recorder,
    signed: SignedDecisions,
    /// Assigns records to executions; some readers also combine records.
    reader: Box<dyn Reader>,
}

/// An open execution and the state for folding its findings.
#[derive(Debug)]
struct OpenExecution {
    execution: Execution,
    /// The cause of the findings that follow, while the execution's path is broken.
    root: Option<RootCause>,
    /// Line of the last break of the hash chain, or 0. Breaks on consecutive records have one
    /// cause, `chain_root`.
    chain_broken_at: u64,
    chain_root: Option<usize>,
    /// The last unreadable record that may explain a missing one: of this execution, or one that
    /// can't be attributed. `token_lost` is the same for capability tokens.
    lost: Option<RootCause>,
    token_lost: Option<RootCause>,
    /// Messages of the text scan, with the index of their finding. The same text often appears in a
    /// thought, its proposal and its execution, and is reported once.
    scanned: HashMap<String, usize>,
    /// The index of the execution's summary, if records came after its end.
    reopened_from: Option<usize>,
    cursor: TurnCursor,
    /// The bytes it held when last measured. `unweighed` counts the bytes read since.
    weight: usize,
    unweighed: usize,
}

/// Placeholder for a worker's reader while that one is borrowed.
#[derive(Debug)]
struct NoReader;

impl Reader for NoReader {
    fn feed(&mut self, _: &Entry<'_>, _: &mut dyn FnMut(RoutedRecord<'_, '_>)) {}
}

/// The cause of follow-up findings.
#[derive(Debug, Clone, Copy)]
enum RootCause {
    /// The index of a finding of this worker.
    Finding(usize),
    /// The number of a line that couldn't be read.
    Line(u64),
}

/// The results of one worker.
#[derive(Debug, Default)]
pub(super) struct ShardOutput {
    pub(super) summaries: Vec<Summary>,
    #[expect(clippy::vec_box, reason = "see `FindingStore::into_parts`")]
    pub(super) findings: Vec<Box<Finding>>,
    pub(super) dropped: Dropped,
    /// Number of records that repeat an earlier one byte for byte.
    pub(super) repeated: u64,
    pub(super) refused: Option<RefusedRecords>,
    pub(super) failed_unlisted: BTreeSet<Arc<str>>,
    pub(super) follow_ups: Vec<(u64, Related)>,
    pub(super) timeline: Timeline,
    pub(super) signed: SignedDecisions,
    pub(super) load: Load,
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
            peak: 0,
            full: None,
            refused: None,
            summaries: Vec::new(),
            findings: FindingStore::new(bounds.findings, bounds.worst),
            repeated: 0,
            failed_unlisted: BTreeSet::new(),
            last_lost: 0,
            rest_lost: false,
            start_excused: 0,
            folded: 0,
            follow_ups: Vec::new(),
            recorder,
            signed: SignedDecisions::default(),
            reader,
        }
    }

    /// Reports only findings with this code.
    pub(super) const fn report_only(&mut self, code: Option<Code>) {
        self.findings.keep_only(code);
    }

    /// Records that a line could not be attributed to an execution.
    pub(super) fn lost(&mut self, line: u64) {
        self.last_lost = line;
    }

    /// Records that the rest of the input is lost.
    pub(super) fn lose_rest(&mut self) {
        self.rest_lost = true;
    }

    /// Replays the next record of this worker. `stem` is the execution id for formats whose records
    /// name none.
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

    /// Moves completed turns to `to`, if the recorder streams them.
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
        // Taken out of the maps, since both it and `self` are borrowed mutably below.
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
        self.peak = self.peak.max(self.held);
        if live.execution.is_closed() && live.reopened_from.is_none() {
            self.close(&id, live, settings);
        } else {
            let due = live.unweighed > live.weight.max(WEIGHED);
            if due {
                self.measure(&mut live);
            }
            self.current = Some((id, live));
            if self.is_too_heavy() {
                self.free_memory(entry.line, settings);
            }
        }
    }

    /// Closes an execution that ended or was given up.
    fn close(&mut self, id: &str, mut live: Box<OpenExecution>, settings: &Settings) {
        let close = live.execution.close();
        self.recorder.complete(&mut live.cursor);
        self.finish(&mut live, &close, settings);
        self.unload(&live);
        let remains = live.execution.closed_state();
        self.held += remains.weight();
        self.closed
            .insert(self.hasher.hash_one(id), (self.summaries.len(), remains));
        self.add_summary(&live);
    }

    fn add_summary(&mut self, live: &OpenExecution) {
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

    /// Returns the bound that prevents opening another execution.
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

    /// Records that a record isn't replayed.
    fn refuse(&mut self, bound: Bound, entry: &Entry<'_>) {
        let refused = self
            .refused
            .get_or_insert_with(|| RefusedRecords::new(entry.line, bound));
        refused.records += 1;
        refused.content.add("");
        for part in shown_parts(entry) {
            refused.content.add(part);
        }
    }

    /// Measures the memory of an execution.
    fn measure(&mut self, live: &mut OpenExecution) {
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

    /// Frees memory when the open executions seem to hold too much. It measures them, drops large
    /// payloads, then drops what only warnings need. If that isn't enough, it opens no more
    /// executions and gives up the current one.
    fn free_memory(&mut self, line: u64, settings: &Settings) {
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
                self.measure(live);
            }
            if self.held <= self.bounds.held / 8 * 7 {
                break;
            }
        }
        self.open = open;
        self.current = current;
        // With at least 1/8 of the bound free, the next measurement comes only after that much has
        // been read, so measuring takes no longer than reading. With less free, no execution is
        // opened any more.
        if self.held > self.bounds.held / 8 * 7 {
            self.full = self.full.or(Some(Bound::Held));
        }
        if self.is_too_heavy()
            && let Some((id, mut live)) = self.current.take()
        {
            let refused = self
                .refused
                .get_or_insert_with(|| RefusedRecords::new(line, Bound::Held));
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

    /// Opens an execution, or reopens one that has ended.
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
            // The reader couldn't process the part that the problem is about, so it wasn't checked.
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
            live.lost = Some(RootCause::Line(self.last_lost));
            live.execution.miss_turns();
            if self.format.routing() == Routing::ByInput {
                live.execution.doubt_all();
            }
        }
        if matches!(entry.record, Record::Recovered(_)) {
            live.execution.doubt_all();
        }
        if entry.record.execution_id().is_some_and(|id| id.is_torn()) {
            // The id contains half of a surrogate pair, so records of another execution may appear
            // to belong to this one.
            live.execution.doubt_all();
        }
        if let Record::Broken(Broken {
            kind: None, turn, ..
        }) = entry.record
        {
            let mut step_facts = StepFacts::default();
            live.execution.lose_track(entry.line, turn, &mut step_facts);
            live.lost = problem_root.map(RootCause::Finding);
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
            let rejection = refusals
                .at(step.part.nested)
                .and_then(|text| Some((native::decision(text)?, Raw::trusted(text))));
            let rejected_step = rejection
                .as_ref()
                .and_then(|(decision, written)| step.refused(decision, *written));
            counted |= rejected_step.is_some();
            // The record isn't a decision but contains a rejection.
            let attached = rejection
                .filter(|_| rejected_step.is_none() && !counted && !is_whole(&entry.record))
                .and_then(|(decision, written)| attached_rejection(step, &decision, written));
            counted |= attached.is_some();
            // A proposal must be replayed before its rejection.
            let proposes = matches!(step.fact, Fact::Proposed(_));
            if let Some(attached) = attached.as_ref().filter(|_| !proposes) {
                self.replay_attached(live, entry, attached, (lost_between, settings), context);
            }
            let step = rejected_step.as_ref().unwrap_or(step);
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
                live.lost = problem_root.map(RootCause::Finding);
                if kind == RecordKind::CapabilityIssued {
                    live.token_lost = live.lost;
                }
            }
            self.check_step(live, entry, step, &step_facts, lost_between, settings);
            if matches!(step.fact, Fact::Unreadable(_)) {
                live.root = live.root.or(live.lost);
            }
            if let Some(attached) = attached.as_ref().filter(|_| proposes) {
                self.replay_attached(live, entry, attached, (lost_between, settings), context);
            }
            if proposes && let Some(added) = sidecar_decision(live, entry, settings) {
                self.replay_attached(live, entry, &added, (lost_between, settings), context);
            }
        });
        if let Some(text) = refusals
            .at(None)
            .filter(|_| !counted && is_whole(&entry.record))
            && let Some(decision) = native::decision(text)
        {
            let annotation = Annotation::Decided(
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
                fact: Fact::Annotation(annotation),
            };
            self.replay_attached(live, entry, &step, (lost_between, settings), context);
        }
    }

    /// Replays a step for a decision that a record contains next to its main content, or that the
    /// decisions apart from the trace add.
    fn replay_attached(
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
        // The end may be missing from a broken path, or be on a lost line after the last record.
        let root = if lost_behind {
            Some(RootCause::Line(self.last_lost))
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

    /// Returns the number of executions so far.
    pub(super) fn executions(&self) -> usize {
        self.summaries.len() + self.open.len() + usize::from(self.current.is_some())
    }

    /// Closes all open executions at the end of the input and returns the results.
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
                self.add_summary(&live);
            }
        }
        let (findings, dropped) = self.findings.into_parts();
        let mut load = Load {
            executions: self.summaries.len() as u64,
            held: self.peak.max(self.held) as u64,
            folded: self.folded as u64,
            signed: self.signed.len() as u64,
            ..Load::default()
        };
        for finding in &findings {
            load.count(finding.severity);
        }
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
            load,
        }
    }
}

/// Returns a step for the decision that a separate decision source records for this call: the
/// decision, if the record has none, or a contradiction mark, if the two differ.
fn sidecar_decision<'r, 'a>(
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

/// Payloads up to this many bytes aren't replaced by their digest.
const SHORT: usize = 1 << 10;

/// Minimum number of bytes read of an execution between two measurements.
const WEIGHED: usize = 16 << 10;

/// Returns the replay context that follows from the settings alone.
fn context_of(settings: &Settings) -> Context<'_> {
    Context {
        assessor: settings.assessor,
        keep_changes: settings.keep_changes,
        tools: settings.tools.as_deref(),
        policies: Some(&settings.policies),
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
