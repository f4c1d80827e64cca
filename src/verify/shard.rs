//! One worker's share of the executions.

use super::bounds::{Bound, Bounds, Refused};
use super::follow_ups::{Excuse, PATH_RULES, excuse, is_whole, refusal_beside};
use super::kept::Kept;
use super::kept_text::{NAME, execution_name, shorten_finding, shortened};
use super::place::{about, help, place, problem_finding, shown_parts, subject_of};
use super::report::Dropped;
use super::signed::Signed;
use super::timeline::{Recorder, Timeline, TurnCursor};
use crate::diag::{Code, Finding, Related, Severity, subject};
use crate::replay::{
    Aspect, Breach, Close, ClosedState, Context, Execution, Moved, Movement, StepFacts, Summary,
};
use crate::rules::{self, Draft, RuleContext, Settings, Sink};
use crate::trace::entry::{Broken, Entry, Problem, Record};
use crate::trace::native;
use crate::trace::record::RecordKind;
use crate::trace::refusal::Refusals;
use crate::trace::step::{Annotation, Part, Told};
use crate::trace::{Fact, Format, Step};
use governance::Event;
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
    ghost_of: Option<usize>,
    pen: TurnCursor,
    /// What it held when that was found out last, and the bytes that have been read of it since.
    weight: usize,
    unweighed: usize,
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
    pub(super) fn new(file: Arc<str>, format: Format, max_turns: usize, bounds: Bounds) -> Self {
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
            recorder: Recorder::new(max_turns),
            signed: Signed::default(),
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

    /// Replays one record of one execution of this worker's.
    pub(super) fn entry(
        &mut self,
        id: &str,
        entry: &Entry<'_>,
        settings: &Settings,
        context: Context<'_>,
    ) {
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
        self.replay(&mut live, entry, settings, context);
        live.unweighed += entry.text.len();
        self.held += entry.text.len();
        if live.execution.is_closed() && live.ghost_of.is_none() {
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
        self.finish(&mut live, &close, settings);
        self.unload(&live);
        let remains = live.execution.remains();
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
                .map(|outcome| shortened(outcome, NAME).into()),
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
        let context = Context {
            assessor: settings.assessor,
            keep_changes: settings.keep_changes,
            looks: None,
        };
        for lighter in [None, Some(false), Some(true)] {
            for live in open
                .values_mut()
                .chain(current.as_mut().map(|(_, live)| live))
            {
                match lighter {
                    Some(true) => live.execution.lighten(),
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
            if let Some(summary) = live.ghost_of.and_then(|n| self.summaries.get_mut(n)) {
                live.execution.add_to(summary);
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
        let ghost_of = remains.as_ref().map(|(n, _)| *n);
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
            ghost_of,
            pen: TurnCursor::default(),
            weight,
            unweighed: 0,
        };
        self.load(&live);
        Box::new(live)
    }

    fn replay(
        &mut self,
        live: &mut OpenExecution,
        entry: &Entry<'_>,
        settings: &Settings,
        context: Context<'_>,
    ) {
        let execution = &mut live.execution;
        if matches!(entry.record, Record::Event(_)) && execution.is_repeat(entry.text) {
            self.repeated += 1;
            return;
        }
        let begins = execution.last_line() == 0;
        let lost_between = if begins {
            self.last_lost > self.start_excused
        } else {
            self.last_lost > execution.last_line()
        };
        let problem_root = self.problems(live, entry);
        if matches!(entry.record, Record::CastFrame(_)) && entry.line == live.execution.first_line()
        {
            let message =
                "the recording begins without the line that says its version and size".to_owned();
            let problem = Problem {
                code: Code(103),
                at: (0, 1),
                pointer: None,
                message,
            };
            let finding = problem_finding(
                &self.file,
                entry,
                &problem,
                Some(live.execution.id().clone()),
            );
            if let Some(finding) = finding {
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
            if self.format.holds_one_execution() {
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
        let mut input_hash_wrong =
            matches!(&entry.record, Record::Turn(turn) if turn.input_hash_is_wrong() == Some(true));
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
                beside.and_then(|(decision, written)| refusal_beside(&step, &decision, written));
            counted |= told.is_some();
            // A proposal is there before it can be rejected.
            let behind = matches!(step.fact, Fact::Proposed(_));
            if let Some(told) = told.as_ref().filter(|_| !behind) {
                self.refusal(live, entry, told, (lost_between, settings), context);
            }
            let told_behind = told.filter(|_| behind);
            let step = refused.as_ref().unwrap_or(&step);
            let mut step_facts = StepFacts::default();
            if std::mem::take(&mut input_hash_wrong) {
                step_facts.anomalies_mut().input_hash_wrong = true;
            }
            if !context_breaks.is_empty() {
                step_facts.anomalies_mut().context = std::mem::take(&mut context_breaks);
            }
            let told = live.execution.told_for(step);
            let decision = told
                .as_ref()
                .and_then(|(line, text)| Some((*line, native::decision(text)?)));
            let told = decision
                .as_ref()
                .map(|(line, decision)| step.with_decision(*line, decision));
            let step = told.as_ref().unwrap_or(step);
            live.execution
                .step(entry.line, step, context, &mut step_facts);
            self.recorder
                .note(&mut live.pen, entry, step, &step_facts, &live.execution);
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
            if let Some(told) = told_behind.as_ref() {
                self.refusal(live, entry, told, (lost_between, settings), context);
            }
        });
        if let Some(text) = refusals
            .at(None)
            .filter(|_| !counted && is_whole(&entry.record))
            && let Some(decision) = native::decision(text)
        {
            let told = Annotation::Decided(
                None,
                Some(Told {
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

    /// Reports what the reader found wrong with a record; returns the first such finding.
    fn problems(&mut self, live: &mut OpenExecution, entry: &Entry<'_>) -> Option<usize> {
        let mut first = None;
        for problem in &entry.problems {
            if problem.is_scanned() {
                self.scanned(live, entry, problem);
                continue;
            }
            if let Some(finding) = problem_finding(
                &self.file,
                entry,
                problem,
                Some(live.execution.id().clone()),
            ) {
                if let Some(aspect) = rules::by_code(problem.code).and_then(|r| r.aspect) {
                    live.execution.verdict_mut().deny(aspect);
                }
                if problem.code == Code(106) {
                    // Two readers would see two records: nothing that rests on it can be told.
                    for aspect in [
                        Aspect::LegalPath,
                        Aspect::Authorised,
                        Aspect::GovernanceComplete,
                    ] {
                        live.execution.verdict_mut().doubt(aspect);
                    }
                }
                let index = self.keep(finding);
                first = first.or(index);
            }
        }
        first
    }

    /// Reports what a scan has found, once for each execution.
    fn scanned(&mut self, live: &mut OpenExecution, entry: &Entry<'_>, problem: &Problem) {
        let root = live.scanned.get(&problem.message).copied();
        let Some(found) = problem_finding(
            &self.file,
            entry,
            problem,
            Some(live.execution.id().clone()),
        ) else {
            return;
        };
        let Some(root) = root else {
            if let Some(index) = self.keep(found) {
                live.scanned.insert(problem.message.clone(), index);
            }
            return;
        };
        if self
            .findings
            .get(root)
            .is_some_and(|f| f.place.line != entry.line)
        {
            self.fold(
                Some(Root::Finding(root)),
                "the same stands here".into(),
                vec![found],
            );
        }
    }

    /// A break of the chain. Breaks in a row go back to one change; a break behind a line that
    /// can't be read goes back to that line.
    fn chain(
        &mut self,
        live: &mut OpenExecution,
        entry: &Entry<'_>,
        step_facts: &StepFacts,
        lost_between: bool,
        settings: &Settings,
    ) {
        let previous = step_facts
            .anomalies()
            .chain
            .as_ref()
            .map_or(0, |c| c.previous_line);
        live.execution
            .verdict_mut()
            .deny(Aspect::GovernanceComplete);
        let cx = RuleContext {
            execution: &live.execution,
            step: None,
            entry: Some(entry),
            step_facts,
            close: None,
            settings,
        };
        let drafts = drafts_of(&cx);
        let root = if lost_between {
            Some(Root::Line(self.last_lost))
        } else if previous != 0 && live.chain_broken_at == previous {
            live.chain_root.map(Root::Finding)
        } else {
            live.chain_root = self
                .report(live, &drafts, Some(entry), None)
                .first()
                .copied();
            live.chain_broken_at = entry.line;
            return;
        };
        let found = drafts
            .iter()
            .map(|draft| self.found(live, draft, Some(entry), None))
            .collect();
        self.fold(root, "YV801 broken-chain follows from it".into(), found);
        live.chain_broken_at = entry.line;
    }

    /// Shows a step to the rules and folds what only follows from an earlier break.
    fn check_step(
        &mut self,
        live: &mut OpenExecution,
        entry: &Entry<'_>,
        step: &Step<'_, '_>,
        step_facts: &StepFacts,
        lost_between: bool,
        settings: &Settings,
    ) {
        let cx = RuleContext {
            execution: &live.execution,
            step: Some(step),
            entry: Some(entry),
            step_facts,
            close: None,
            settings,
        };
        let drafts = drafts_of(&cx);
        if let Some(decision) = cx.decision().filter(|d| d.signature.is_some()) {
            self.signed
                .note(&live.execution, step.turn, &decision, entry.line);
            if settings.keys.is_none() {
                live.execution.unchecked_signature();
            }
        }
        if drafts.is_empty() {
            self.apply_movement(live, (entry, step), step_facts, drafts, lost_between);
            return;
        }
        let (excused, drafts): (Vec<_>, Vec<_>) = drafts
            .into_iter()
            .map(|draft| (excuse(&draft, step_facts), draft))
            .partition(|(excuse, _)| excuse.is_some());
        let drafts: Vec<Draft> = drafts.into_iter().map(|(_, draft)| draft).collect();
        let root = live.root;
        self.apply_movement(live, (entry, step), step_facts, drafts, lost_between);
        for (excuse, draft) in excused {
            let root = match excuse {
                Some(Excuse::Lost) => live.lost,
                Some(Excuse::TokenLost) => live.token_lost,
                Some(Excuse::Unproposed) | None => root.or(live.root),
            };
            if root.is_none() && excuse == Some(Excuse::Unproposed) {
                self.report(live, &[draft], Some(entry), Some(step));
            } else {
                self.fold_drafts(live, root, &[draft], (Some(entry), Some(step)));
            }
        }
    }

    /// Folds findings under the one that explains them, and leaves the answers that they would deny
    /// open.
    fn fold_drafts(
        &mut self,
        live: &mut OpenExecution,
        root: Option<Root>,
        drafts: &[Draft],
        (entry, step): (Option<&Entry<'_>>, Option<&Step<'_, '_>>),
    ) {
        for draft in drafts {
            if let Some(aspect) = draft.rule.aspect {
                live.execution.verdict_mut().doubt(aspect);
            }
            let found = self.found(live, draft, entry, step);
            self.fold(
                root,
                format!("{} {} follows from it", draft.rule.code, draft.rule.name),
                vec![found],
            );
        }
    }

    /// Reports what the rules say of a step, by how the machine took it.
    fn apply_movement(
        &mut self,
        live: &mut OpenExecution,
        (entry, step): (&Entry<'_>, &Step<'_, '_>),
        step_facts: &StepFacts,
        drafts: Vec<Draft>,
        lost_between: bool,
    ) {
        let Some(moved) = &step_facts.movement else {
            self.report(live, &drafts, Some(entry), Some(step));
            return;
        };
        match moved.movement {
            Movement::Legal => {
                self.report(live, &drafts, Some(entry), Some(step));
                if !live.execution.is_broken() {
                    live.root = None;
                }
            }
            Movement::FollowUp => {
                // A break has denied it; behind a record that can't be read it isn't known.
                live.execution.verdict_mut().doubt(Aspect::LegalPath);
                self.report(live, &drafts, Some(entry), Some(step));
                let found = self
                    .displaced(live, *moved, entry, step)
                    .into_iter()
                    .collect();
                self.fold(
                    live.root,
                    format!("{} is out of place because of it", moved.event),
                    found,
                );
            }
            Movement::Illegal => {
                if lost_between || matches!(live.root, Some(Root::Line(_))) {
                    // The line that nobody could read may be the one that is missing.
                    let root = live.root.unwrap_or(Root::Line(self.last_lost));
                    if moved.breach == Some(Breach::NoStart) {
                        self.start_excused = self.last_lost;
                    }
                    live.root = Some(root);
                    live.execution.lose_track_at(moved.event);
                    let (folded, others): (Vec<Draft>, Vec<Draft>) = drafts
                        .into_iter()
                        .partition(|d| PATH_RULES.contains(&d.rule.code.0));
                    // One line for the event, whatever is wrong with it; what else is, is kept as
                    // well.
                    let mut found: Vec<Finding> = folded
                        .iter()
                        .map(|draft| self.found(live, draft, Some(entry), Some(step)))
                        .collect();
                    if found.is_empty() {
                        found.extend(self.displaced(live, *moved, entry, step));
                    }
                    self.fold(
                        Some(root),
                        format!("{} is illegal in {}", moved.event, moved.before),
                        found,
                    );
                    live.execution.verdict_mut().doubt(Aspect::LegalPath);
                    if moved.event == Event::ObservationRecorded {
                        // What is missing before an observation is something that ran.
                        live.execution.verdict_mut().doubt(Aspect::Authorised);
                    }
                    for aspect in folded.iter().filter_map(|d| d.rule.aspect) {
                        live.execution.verdict_mut().doubt(aspect);
                    }
                    self.report(live, &others, Some(entry), Some(step));
                } else {
                    live.execution.verdict_mut().deny(Aspect::LegalPath);
                    let reported = self.report(live, &drafts, Some(entry), Some(step));
                    live.root = reported.first().copied().map(Root::Finding).or(live.root);
                }
            }
        }
    }

    /// What is to be said of an event that only an earlier break explains, should nobody hear of
    /// that.
    fn displaced(
        &self,
        live: &OpenExecution,
        moved: Moved,
        entry: &Entry<'_>,
        step: &Step<'_, '_>,
    ) -> Option<Finding> {
        let mut out = Sink::default();
        let is_result = matches!(
            moved.event,
            Event::ExecutionFinished | Event::ObservationRecorded
        );
        out.report(
            rules::by_code(Code(if is_result { 311 } else { 201 }))?,
            format!("{} is illegal in {}", moved.event, moved.before),
        )
        .subject(subject([&moved.event.to_string(), moved.before.name()]));
        out.drafts
            .first()
            .map(|draft| self.found(live, draft, Some(entry), Some(step)))
    }

    /// Lists findings under the one that explains them. They are kept: they stand on their own as
    /// soon as it is let pass.
    fn fold(&mut self, root: Option<Root>, message: String, mut findings: Vec<Finding>) {
        findings.iter_mut().for_each(shorten_finding);
        let Some(first) = findings.first() else {
            return;
        };
        let related = Related {
            folded: Vec::new(),
            ..Related::new(&self.file, first.place.line, message)
        };
        let has_place = self.folded < self.bounds.folded;
        let root = match root {
            // Nothing where it has made room for a worse one.
            Some(Root::Finding(index)) => self.findings.get_mut(index),
            Some(Root::Line(lost)) if has_place => {
                self.folded += findings.len();
                return self.follow_ups.push((
                    lost,
                    Related {
                        folded: findings,
                        ..related
                    },
                ));
            }
            Some(Root::Line(_)) | None => None,
        };
        let Some(root) = root else {
            // What explains them isn't kept.
            return findings
                .iter()
                .for_each(|f| self.leave_out(f.code, f.severity, f.execution.as_ref()));
        };
        // That something ran without leave is all that there is to say of what comes of it.
        let by_leave =
            rules::by_code(root.code).is_some_and(|rule| rule.aspect == Some(Aspect::Authorised));
        let mut folded: Vec<Finding> = findings
            .into_iter()
            .filter(|f| !by_leave || !matches!(f.code, Code(201 | 311)))
            .collect();
        if !has_place {
            for finding in folded.drain(..) {
                *root
                    .unlisted
                    .entry((finding.code, finding.severity))
                    .or_default() += 1;
            }
        }
        let before = root.folded().count();
        root.relate(Related { folded, ..related });
        self.folded += root.folded().count() - before;
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
        if lost_behind && (self.rest_lost || self.format.holds_one_execution()) {
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
            .partition(|d| root.is_some() && d.rule.code.0 == 203);
        let folded = folded
            .iter()
            .map(|draft| self.found(live, draft, None, None))
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
    pub(super) fn end(mut self, settings: &Settings) -> ShardOutput {
        let mut open: Vec<_> = std::mem::take(&mut self.open)
            .into_iter()
            .chain(self.current.take())
            .collect();
        open.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (_, mut live) in open {
            let close = live.execution.close();
            if let Some(summary) = live.ghost_of.and_then(|n| self.summaries.get_mut(n)) {
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

    /// Turns drafts into findings; returns where they are kept.
    fn report(
        &mut self,
        live: &mut OpenExecution,
        drafts: &[Draft],
        entry: Option<&Entry<'_>>,
        step: Option<&Step<'_, '_>>,
    ) -> Vec<usize> {
        let mut kept = Vec::new();
        for draft in drafts {
            let severity = draft.severity.unwrap_or(draft.rule.severity);
            if let Some(aspect) = draft.rule.aspect.filter(|_| severity == Severity::Error) {
                live.execution.verdict_mut().deny(aspect);
            }
            if !self.has_room(draft.rule.code, severity, Some(live.execution.id())) {
                continue;
            }
            let finding = self.found(live, draft, entry, step);
            kept.push(self.findings.push(finding));
        }
        kept
    }

    /// The finding that a draft is of.
    fn found(
        &self,
        live: &OpenExecution,
        draft: &Draft,
        entry: Option<&Entry<'_>>,
        step: Option<&Step<'_, '_>>,
    ) -> Finding {
        let place = place(&self.file, live.execution.last_line(), draft, entry, step);
        // In a turn that stands on one line, the related place is where the finding is.
        let mut related = Vec::with_capacity(draft.related.len());
        let elsewhere = draft.related.iter().filter(|(line, _)| *line != place.line);
        related.extend(
            elsewhere.map(|(line, message)| Related::new(&self.file, *line, message.as_str())),
        );
        Finding {
            execution: Some(live.execution.id().clone()),
            turn: step.and_then(|s| s.turn.or(live.execution.turn().id)),
            related,
            help: Some(help(draft.rule)),
            about: about(&live.execution, step),
            subject: Some(subject_of(draft, entry, step)),
            ..Finding::new(
                draft.rule.code,
                draft.rule.name,
                draft.severity.unwrap_or(draft.rule.severity),
                draft.message.as_str(),
                place,
            )
        }
    }

    fn keep(&mut self, finding: Finding) -> Option<usize> {
        self.has_room(finding.code, finding.severity, finding.execution.as_ref())
            .then(|| self.findings.push(finding))
    }

    /// Whether one more finding of this severity is kept; otherwise it is counted.
    fn has_room(&mut self, code: Code, severity: Severity, execution: Option<&Arc<str>>) -> bool {
        if self.findings.has_room(code, severity) {
            return true;
        }
        self.failed(severity, execution);
        false
    }

    /// Counts a finding that isn't kept.
    fn leave_out(&mut self, code: Code, severity: Severity, execution: Option<&Arc<str>>) {
        *self.findings.dropped.entry((code, severity)).or_default() += 1;
        self.failed(severity, execution);
    }

    /// Remembers an execution with an error that isn't kept.
    fn failed(&mut self, severity: Severity, execution: Option<&Arc<str>>) {
        if severity == Severity::Error {
            self.failed_unlisted.extend(execution.cloned());
        }
    }
}

/// Bytes of a payload that is as good as its digest.
const SHORT: usize = 1 << 10;

/// Bytes that are read of an execution before it is found out what it holds.
const WEIGHED: usize = 16 << 10;

fn drafts_of(cx: &RuleContext<'_, '_, '_>) -> Vec<Draft> {
    let mut out = Sink::default();
    rules::check_all(cx, &mut out);
    out.drafts
}
