//! End of an execution or of its input.

use super::super::step_facts::UnreadDiff;
use super::super::verdict::{Aspect, Summary};
use super::{EditorLog, Execution};
use crate::replay::Machine;
use crate::trace::formats::Coverage;
use governance::State;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Facts about an execution at the end of its input.
#[derive(Debug, Clone)]
pub struct Close {
    /// It is in no final state.
    pub unterminated: bool,
    /// It waits for a human.
    pub paused: bool,
    pub state: State,
    /// Line of the first turn beyond the maximum, and the maximum.
    pub max_turns: Option<(u64, i64)>,
    /// Name of a condition of the run that isn't recorded.
    pub conditions_missing: Option<&'static str>,
    /// Names of the parts that the format doesn't record.
    pub not_recorded: Option<Cow<'static, str>>,
    /// Granted words that are neither a type, a category nor a tool, with the line of the token.
    pub unknown_grants: Vec<(u64, Box<str>)>,
    /// Number of byte-identical lines that were read once.
    pub repeats: u64,
    /// Line of the thought that ended the execution without an evaluation.
    pub shortcut: Option<u64>,
    /// A diff that can't be parsed, and that nothing shows to have been executed.
    pub unread_diff: Option<UnreadDiff>,
}

/// State that outlives the end of an execution: revoked tokens and the chain of hashes. Many
/// executions have neither.
#[derive(Debug, Default)]
pub struct ClosedState {
    retained: Option<Box<RetainedState>>,
    /// Bloom filter of the ids of executed actions.
    ran: u64,
}

#[derive(Debug)]
struct RetainedState {
    ledger: governance::Ledger<crate::replay::evidence::Token>,
    unissued: Vec<(String, u64)>,
    chain: super::records::HashChain,
}

/// Returns an id's bit in the Bloom filter. A collision can only make an answer uncertain.
fn bit(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    1 << (hasher.finish() % 64)
}

impl ClosedState {
    /// Returns an estimate of the heap bytes that it owns.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.retained.as_ref().map_or(0, |retained| {
            let tokens = retained
                .ledger
                .iter()
                .map(|(id, token, _)| id.len() + token.weight())
                .sum::<usize>();
            size_of::<RetainedState>()
                + tokens
                + retained
                    .ledger
                    .buried()
                    .map(|id| id.len() + 64)
                    .sum::<usize>()
        })
    }
}

impl Execution {
    /// Returns whether an action with this id may have been executed before the declared end.
    pub(super) fn ran_before_the_end(&self, id: &str) -> bool {
        let ran = self.outcome.ran_before;
        ran != 0 && ran & bit(id) != 0
    }

    /// Ends the execution with its input, or because it was declared over.
    pub fn close(&mut self) -> Close {
        self.track.flush_group(true);
        if self.known.refused.unnamed && self.counts.rejections == 0 && self.counts.actions > 0 {
            self.doubt_all();
        }
        let state = self.track.machine.state();
        let paused = self.outcome.is_pause() && self.track.machine.may_be(State::Idle);
        let done = self.track.machine.may_be(State::Terminal)
            || self.editor == EditorLog::Answered
            || self.origin.format.coverage() == Coverage::Terminal
            || self.is_session();
        Close {
            unterminated: !done && !self.outcome.is_ended(),
            paused,
            state,
            max_turns: self
                .turns
                .over_max()
                .filter(|_| !self.outcome.names_max_turns()),
            conditions_missing: self.conditions_missing(),
            not_recorded: self.not_recorded_parts(),
            unknown_grants: self.tokens.take_unknown_grants(),
            repeats: self.lines.seen.repeats(),
            shortcut: self.track.shortcut,
            unread_diff: self.take_unread_diff(),
        }
    }

    /// Ends the execution early: the rest of it isn't read, so no answer can be given.
    pub fn give_up(&mut self) {
        self.doubt_all();
        self.leftovers.changes.clear();
    }

    /// Returns the summary for reports.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let known_end = self.editor == EditorLog::No
            && self.origin.format.coverage() != Coverage::Terminal
            && !self.is_session();
        Summary {
            id: self.origin.id.clone(),
            file: self.origin.file.clone(),
            line: self.origin.first_line,
            format: self.origin.format,
            version: self.track.machine.version(),
            verdict: self.verdict,
            turns: self.turns.count(),
            final_state: known_end.then_some(self.track.machine.state()),
            outcome: self.outcome.name().map(Into::into),
            actions: self.counts.actions,
            decisions: self.counts.decisions,
            signatures_unchecked: self.counts.signatures,
            violation: self.track.violation.clone().map(Box::new),
            duration: self.times.duration(),
            failed_unlisted: false,
            changes: self.leftovers.changes.clone().into(),
            actions_of_session: self
                .session
                .actions
                .summary(self.session.records_decisions()),
        }
    }

    /// Returns the state to keep of an execution that was declared over, in case more follows.
    #[must_use]
    pub fn closed_state(&mut self) -> ClosedState {
        let (ledger, unissued) = self.tokens.take();
        let retained = (self.lines.chain.is_used()
            || !unissued.is_empty()
            || ledger.is_used()
            || ledger.buried().next().is_some())
        .then(|| {
            Box::new(RetainedState {
                ledger,
                unissued,
                chain: self.lines.chain.clone(),
            })
        });
        let ran = self
            .known
            .by_id
            .iter()
            .filter(|(_, known)| known.ran.is_some())
            .fold(0, |all, (id, _)| all | bit(id));
        ClosedState { retained, ran }
    }

    /// Continues an execution that was declared over; further events come after its end.
    pub fn reopen(&mut self, summary: &Summary, remains: ClosedState) {
        let ClosedState { retained, ran } = remains;
        if let Some(retained) = retained {
            self.tokens.restore(retained.ledger, retained.unissued);
            self.lines.chain = retained.chain;
        }
        self.outcome.ran_before = ran;
        self.track.machine = Machine::at(
            summary.version,
            summary.final_state.unwrap_or(State::Terminal),
        );
        self.track.started = true;
        self.outcome.reopen();
        self.origin.first_line = summary.line;
        self.verdict = summary.verdict;
        self.track.violation = summary.violation.as_deref().cloned();
    }

    /// Adds events after the end to the summary that was made at the end.
    pub fn add_to(&self, summary: &mut Summary) {
        summary.verdict = self.verdict;
        summary.turns += self.turns.count();
        summary.actions += self.counts.actions;
        summary.decisions += self.counts.decisions;
        summary.signatures_unchecked += self.counts.signatures;
        summary.changes = [&summary.changes, self.leftovers.changes.as_slice()]
            .concat()
            .into();
        if summary.violation.is_none() {
            summary.violation = self.track.violation.clone().map(Box::new);
        }
    }

    fn conditions_missing(&self) -> Option<&'static str> {
        if self.origin.format.coverage() != Coverage::Complete || self.is_session() {
            return None;
        }
        self.conditions.missing(self.shown.has_unchecked_diff())
    }

    /// Names the parts that this execution's format doesn't record, and adjusts the verdict to
    /// them.
    fn not_recorded_parts(&mut self) -> Option<Cow<'static, str>> {
        if self.is_session() {
            self.verdict.doubt(Aspect::GovernanceComplete);
            if !self.session.records_decisions() && !self.session.has_sidecar_decisions() {
                self.verdict.doubt(Aspect::Authorised);
            }
            return self.session.not_recorded().map(Cow::Owned);
        }
        let parts = self
            .origin
            .format
            .not_recorded(self.editor != EditorLog::No)?;
        self.verdict.doubt(Aspect::GovernanceComplete);
        if matches!(
            self.origin.format.coverage(),
            Coverage::Movements { evidence: false } | Coverage::Terminal
        ) {
            self.verdict.doubt(Aspect::Authorised);
        }
        // A log without a single transition proves no path.
        if self.origin.format.coverage() == Coverage::Terminal || self.track.events == 0 {
            self.verdict.doubt(Aspect::LegalPath);
        }
        Some(Cow::Borrowed(parts))
    }
}
