//! Sessions of coding agents: calls and their results, without a governor of their own.

use super::super::evidence::{OwnedAction, OwnedActionKind};
use super::super::path_effects::WorkTree;
use super::super::session_actions::{ExecutedAction, SessionActions};
use super::super::step_facts::{Approval, CallAnomaly, CallAnomalyKind, StepFacts};
use super::super::verdict::Aspect;
use super::Execution;
use crate::trace::action::{call, cwd, same_action};
use crate::trace::record::NotRecorded;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{CallAnnotation, StartFact, Step};
use governance::{ActionType, Event, FsmVersion};
use hashbrown::HashMap;
use std::sync::Arc;
use strict_json::Raw;
use util::keyed_hash;

/// Maximum number of remembered rejected actions, which may recur under another id.
const REJECTED: usize = 1024;

/// State of an agent's session; empty for other executions.
#[derive(Debug, Default)]
pub(super) struct Session {
    /// Work tree, once the session has started.
    tree: Option<Arc<WorkTree>>,
    /// The caller has set the work tree, which overrides the record's.
    placed: bool,
    /// Decisions are recorded in another file.
    has_sidecar_decisions: bool,
    /// Root of the work tree, if a start names one.
    root: Option<Box<str>>,
    /// Line of the last recorded call, also in an execution of another kind.
    call_line: u64,
    /// Id of a call that the record marks as the last one.
    open: Option<Box<str>>,
    not_recorded: Vec<NotRecorded>,
    /// Id and line of rejected actions, by a hash of type and payload.
    rejected: HashMap<u64, (Box<str>, u64)>,
    /// The id under which this call's action was rejected in another execution of the session.
    rejected_elsewhere: Option<Box<str>>,
    /// Time of this call and time of its result.
    times: (Option<Timestamp>, Option<Timestamp>),
    /// Actions to compare with the same session in other files.
    pub(super) actions: SessionActions,
}

impl Session {
    /// Applies a start. The first one that names a work tree sets it, and what any start declares
    /// as not recorded stays so. Returns whether the start names another work tree.
    pub(super) fn start(&mut self, started: &StartFact<'_, '_>) -> bool {
        let root = started.workdir().map(|root| root.decode());
        let moved = match (&root, &self.root) {
            (Some(now), Some(then)) => **now != **then,
            _ => false,
        };
        let first = self.tree.is_none() || root.is_some() && self.root.is_none();
        if first && !self.placed {
            self.tree = Some(Arc::new(WorkTree::at(root.as_deref())));
            self.root = root.map(Into::into);
        }
        for part in started.not_recorded() {
            if !self.not_recorded.contains(part) {
                self.not_recorded.push(*part);
            }
        }
        moved
    }

    /// Returns an estimate of the heap bytes that it owns, with `entry` bytes for each map entry.
    pub(super) fn weight(&self, entry: usize) -> usize {
        let rejected: usize = self
            .rejected
            .values()
            .map(|(id, _)| id.len() + size_of::<(u64, (Box<str>, u64))>() + entry)
            .sum();
        // A work tree contains its root twice.
        let root = self.root.as_ref().map_or(0, |root| 3 * root.len());
        let ids = [&self.open, &self.rejected_elsewhere];
        let ids: usize = ids.into_iter().flatten().map(|id| id.len()).sum();
        rejected + root + ids + self.actions.weight()
    }

    /// Returns the work tree, once the session has started.
    pub(super) fn tree(&self) -> Option<Arc<WorkTree>> {
        self.tree.clone()
    }

    fn lacks(&self, part: NotRecorded) -> bool {
        self.not_recorded.contains(&part)
    }

    /// Returns whether a missing decision proves that nobody decided.
    pub(super) fn records_decisions(&self) -> bool {
        !self.lacks(NotRecorded::Decisions)
    }

    /// Returns whether decisions may be recorded in another file.
    pub(super) const fn has_sidecar_decisions(&self) -> bool {
        self.has_sidecar_decisions
    }

    /// Returns the parts that aren't recorded, as words.
    pub(super) fn not_recorded(&self) -> Option<String> {
        let words: Vec<&str> = self.not_recorded.iter().map(|part| part.name()).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// Returns whether the arguments of a call aren't recorded. Its risk is then a guess.
    pub(super) fn hides_arguments(&self, action: Option<&OwnedAction>) -> bool {
        let payload = action.and_then(|action| action.payload.as_deref());
        let given = payload.and_then(|payload| call(Raw::trusted(payload)));
        let is_empty = |raw: Raw<'_>| {
            let inner = raw.as_written().strip_prefix('{');
            inner
                .and_then(|inner| inner.strip_suffix('}'))
                .is_some_and(|inner| inner.trim().is_empty())
        };
        self.lacks(NotRecorded::Arguments) && given.is_some_and(|(_, raw)| is_empty(raw))
    }

    /// Remembers a rejected action.
    pub(super) fn reject(&mut self, line: u64, action: Option<&OwnedAction>) {
        // Calls without recorded arguments are indistinguishable.
        let comparable = self.tree.is_some() && !self.lacks(NotRecorded::Arguments);
        let Some(action) = action.filter(|_| comparable) else {
            return;
        };
        if self.rejected.len() < REJECTED
            && let (Some(key), Some(id)) = (key(action), action.id.clone())
        {
            let placed = self.placed_key(key, action);
            self.actions.reject(placed, &id, line, self.times.1);
            self.rejected.entry(key).or_insert((id, line));
        }
    }

    /// Extends the hash of an action by its directory: a command without one starts in the
    /// session's work tree.
    fn placed_key(&self, key: u64, action: &OwnedAction) -> u64 {
        let is_command = action.kind == Some(OwnedActionKind::Known(ActionType::ShellCmd));
        let payload = action.payload.as_deref().map(Raw::trusted);
        let root = (is_command && payload.and_then(cwd).is_none()).then_some(&self.root);
        keyed_hash(&(key, root))
    }
}

/// Hashes the effect of an action.
fn key(action: &OwnedAction) -> Option<u64> {
    let is_command = action.kind == Some(OwnedActionKind::Known(ActionType::ShellCmd));
    let payload = action.payload.as_deref().map(Raw::trusted);
    let same = payload.and_then(|payload| same_action(is_command, payload));
    same.or_else(|| action.hash().map(|hash| keyed_hash(&hash)))
}

impl Execution {
    /// Returns whether it is a coding agent's session.
    #[must_use]
    pub fn is_session(&self) -> bool {
        self.track.machine.version() == FsmVersion::Session
    }

    /// Sets the work tree's root, which overrides the record's.
    pub fn place_at(&mut self, root: &str) {
        self.session.tree = Some(Arc::new(WorkTree::at(Some(root))));
        self.session.placed = true;
    }

    /// Records that decisions about its calls are in another file. If every call has one, nothing
    /// else was executed.
    pub const fn expect_sidecar_decisions(&mut self) {
        self.session.has_sidecar_decisions = true;
    }

    /// Returns whether the absence of `part` in the record proves that it didn't happen.
    #[must_use]
    pub fn records(&self, part: NotRecorded) -> bool {
        !self.session.lacks(part)
    }

    /// Returns the work tree.
    pub(super) fn tree(&self) -> &WorkTree {
        self.session
            .tree
            .as_deref()
            .unwrap_or_else(|| WorkTree::unknown())
    }

    /// Returns whether an event belongs to a call in a governed execution, or to anything but a
    /// call in a session.
    pub(super) fn is_foreign(&self, line: u64, event: Event) -> bool {
        event != Event::Start && self.is_session() != (self.session.call_line == line)
    }

    /// Reports the call that was marked as the last one, if another call with a result follows.
    pub(super) fn report_open_call(&mut self, step_facts: &mut StepFacts) {
        if let Some(id) = self.session.open.take() {
            step_facts.anomalies_mut().call = Some(CallAnomaly {
                id: Some(id.into()),
                kind: CallAnomalyKind::Unmatched { last: false },
            });
        }
    }

    /// Reports an action that was executed although the same was rejected earlier. Returns it for
    /// the comparison between files, if no approval is on record.
    pub(super) fn compare_with_rejected(
        &self,
        line: u64,
        approved: Option<&OwnedAction>,
        approval: Approval,
        step_facts: &mut StepFacts,
    ) -> Option<(u64, Option<Timestamp>, ExecutedAction)> {
        if !self.is_session() || matches!(approval, Approval::Rejected | Approval::Given) {
            return None;
        }
        let proposal = self.turn.proposal.as_ref().map(|p| &p.what);
        let action = approved.or(proposal)?;
        let key = key(action).filter(|_| self.records(NotRecorded::Arguments));
        let before = key.and_then(|key| self.session.rejected.get(&key));
        let here = before.filter(|(id, _)| Some(id) != action.id.as_ref());
        let here = here.map(|(id, line)| (id.to_string(), Some(*line)));
        let elsewhere = self.session.rejected_elsewhere.as_deref();
        let before = here.or_else(|| Some((elsewhere?.to_owned(), None)));
        let ran = action.id.as_deref().zip(key).map(|(id, key)| {
            let ran = ExecutedAction::new(id, line, before.is_some());
            let placed = self.session.placed_key(key, action);
            (placed, self.session.times.0, ran)
        });
        if before.is_some() {
            step_facts.anomalies_mut().rejected_before = before;
        }
        ran
    }

    /// Records an irregular call.
    pub(super) fn call_mark(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        mark: CallAnnotation<'_>,
        step_facts: &mut StepFacts,
    ) {
        match mark {
            CallAnnotation::Begins { ended } => {
                self.session.call_line = line;
                self.session.rejected_elsewhere = None;
                self.session.times = (step.time, ended);
                return;
            }
            CallAnnotation::RejectedElsewhere(id) => {
                self.session.rejected_elsewhere = Some(id.decode().into());
                return;
            }
            _ => {}
        }
        self.check_turn(line, step, false, step_facts);
        let proposed = || {
            let proposal = self.turn.proposal.as_ref()?;
            proposal.what.id.as_deref().map(str::to_owned)
        };
        let unmatched = |last| (proposed(), CallAnomalyKind::Unmatched { last });
        let (id, kind) = match mark {
            CallAnnotation::Begins { .. } | CallAnnotation::RejectedElsewhere(_) => return,
            CallAnnotation::NotRecorded => unmatched(false),
            CallAnnotation::Unmatched { last } => unmatched(last),
            CallAnnotation::Interrupted => (proposed(), CallAnomalyKind::Interrupted),
            CallAnnotation::RejectedByText => (proposed(), CallAnomalyKind::RejectedByText),
            CallAnnotation::Contradicted => (proposed(), CallAnomalyKind::Contradicted),
            CallAnnotation::ResultWithoutCall(id) => (
                Some(id.decode().into_owned()),
                CallAnomalyKind::ResultWithoutCall,
            ),
            CallAnnotation::Claimed(tool) => {
                let tool = tool.map(|tool| tool.decode().into_owned());
                (tool, CallAnomalyKind::Claimed)
            }
            CallAnnotation::AmbiguousResult(id) => (
                Some(id.decode().into_owned()),
                CallAnomalyKind::AmbiguousResult,
            ),
            CallAnnotation::RejectedAndRan(id) => (
                Some(id.decode().into_owned()),
                CallAnomalyKind::RejectedAndRan,
            ),
        };
        // It isn't known who approved the action, or whether a rejection was obeyed.
        if matches!(
            kind,
            CallAnomalyKind::ResultWithoutCall
                | CallAnomalyKind::Claimed
                | CallAnomalyKind::Unmatched { .. }
                | CallAnomalyKind::RejectedByText
        ) {
            self.verdict.doubt(Aspect::Authorised);
        }
        if let CallAnomalyKind::Unmatched { last } = kind {
            // A format that records results of some calls only marks the missing ones.
            if matches!(mark, CallAnnotation::NotRecorded) && !self.records(NotRecorded::Results) {
                return;
            }
            self.session.open = id.as_deref().map(Into::into).filter(|_| last);
        }
        step_facts.anomalies_mut().call = Some(CallAnomaly { id, kind });
    }
}
