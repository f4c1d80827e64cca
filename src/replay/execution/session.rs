//! Sessions of coding agents: calls and their results, without a governor of their own.

use super::super::evidence::KeptAction;
use super::super::path_effects::WorkTree;
use super::super::step_facts::{Approval, CallMark, CallMarkKind, StepFacts};
use super::super::verdict::Aspect;
use super::Execution;
use crate::trace::record::NotRecorded;
use crate::trace::step::{SessionMark, Started, Step};
use governance::FsmVersion;
use hashbrown::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

/// Rejected actions that are remembered of one session, to know them again under another id.
const REJECTED: usize = 1024;

/// What is known of a session; of an execution of another kind, nothing.
#[derive(Debug, Default)]
pub(super) struct Session {
    /// Where it works, once it has started.
    tree: Option<Arc<WorkTree>>,
    /// Somebody else has said where: what the record says of it doesn't count.
    placed: bool,
    not_recorded: Vec<NotRecorded>,
    /// Rejected actions by a hash of type and payload: their ids and lines.
    rejected: HashMap<u64, (Box<str>, u64)>,
}

impl Session {
    /// Takes note of a start. The first one that names a work tree counts, and what one start says
    /// that it doesn't keep stays unknown.
    pub(super) fn start(&mut self, started: &Started<'_, '_>) {
        let root = started.workdir.map(|root| root.decode());
        let later = root.is_some() && self.lacks(NotRecorded::Workdir);
        if !self.placed && (self.tree.is_none() || later) {
            self.tree = Some(Arc::new(WorkTree::at(root.as_deref())));
        }
        for part in started.not_recorded {
            if !self.not_recorded.contains(part) {
                self.not_recorded.push(*part);
            }
        }
    }

    /// Where it works.
    pub(super) fn tree(&self) -> Option<Arc<WorkTree>> {
        self.tree.clone()
    }

    fn lacks(&self, part: NotRecorded) -> bool {
        self.not_recorded.contains(&part)
    }

    /// Whether a missing decision shows that nobody decided.
    pub(super) fn records_decisions(&self) -> bool {
        !self.lacks(NotRecorded::Decisions)
    }

    /// What isn't recorded, in words.
    pub(super) fn not_recorded(&self) -> Option<String> {
        let words: Vec<&str> = self.not_recorded.iter().map(|part| part.name()).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// Remembers a rejected action.
    pub(super) fn reject(&mut self, line: u64, action: Option<&KeptAction>) {
        let Some(action) = action.filter(|_| self.tree.is_some()) else {
            return;
        };
        if self.rejected.len() < REJECTED
            && let (Some(key), Some(id)) = (key(action), action.id.clone())
        {
            self.rejected.entry(key).or_insert((id, line));
        }
    }
}

/// A hash of what an action does.
fn key(action: &KeptAction) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    action.hash()?.hash(&mut hasher);
    Some(hasher.finish())
}

impl Execution {
    /// Whether it is the session of a coding agent.
    #[must_use]
    pub fn is_session(&self) -> bool {
        self.machine.version() == FsmVersion::Session
    }

    /// Says where the work tree stands.
    pub fn place_at(&mut self, root: &str) {
        self.session.tree = Some(Arc::new(WorkTree::at(Some(root))));
        self.session.placed = true;
    }

    /// Whether what its record doesn't hold of this shows that it wasn't there.
    #[must_use]
    pub fn records(&self, part: NotRecorded) -> bool {
        !self.session.lacks(part)
    }

    /// Where its work tree stands.
    pub(super) fn tree(&self) -> &WorkTree {
        self.session
            .tree
            .as_deref()
            .unwrap_or_else(|| WorkTree::unknown())
    }

    /// Takes note of something that ran although the same was rejected before.
    pub(super) fn compare_with_rejected(
        &self,
        approved: Option<&KeptAction>,
        approval: Approval,
        step_facts: &mut StepFacts,
    ) {
        if !self.is_session() || self.session.rejected.is_empty() || approval == Approval::Rejected
        {
            return;
        }
        let proposal = self.turn.proposal.as_ref().map(|p| &p.what);
        let Some(action) = approved.or(proposal) else {
            return;
        };
        if approval == Approval::Given {
            return;
        }
        let before = key(action).and_then(|key| self.session.rejected.get(&key));
        if let Some((id, line)) = before.filter(|(id, _)| Some(id) != action.id.as_ref()) {
            step_facts.anomalies_mut().rejected_before = Some((id.to_string(), *line));
        }
    }

    /// Takes note of what is remarkable about a call.
    pub(super) fn call_mark(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        mark: SessionMark<'_>,
        step_facts: &mut StepFacts,
    ) {
        self.check_turn(line, step, false, step_facts);
        let proposed = || {
            let proposal = self.turn.proposal.as_ref()?;
            proposal.what.id.as_deref().map(str::to_owned)
        };
        let (id, kind) = match mark {
            SessionMark::Unmatched { last } => (proposed(), CallMarkKind::Unmatched { last }),
            SessionMark::Interrupted => (proposed(), CallMarkKind::Interrupted),
            SessionMark::RejectedByText => (proposed(), CallMarkKind::RejectedByText),
            SessionMark::Contradicted => (proposed(), CallMarkKind::Contradicted),
            SessionMark::ResultWithoutCall(id) => (
                Some(id.decode().into_owned()),
                CallMarkKind::ResultWithoutCall,
            ),
            SessionMark::AmbiguousResult(id) => (
                Some(id.decode().into_owned()),
                CallMarkKind::AmbiguousResult,
            ),
        };
        // Whatever ran there, nobody can tell who allowed it.
        if kind == CallMarkKind::ResultWithoutCall {
            self.verdict.doubt(Aspect::Authorised);
        }
        step_facts.anomalies_mut().call = Some(CallMark { id, kind });
    }
}
