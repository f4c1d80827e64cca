//! The end of an execution, or of its input.

use super::super::verdict::{Aspect, Summary};
use super::{EditorLog, Execution};
use crate::replay::Machine;
use crate::trace::formats::Coverage;
use governance::State;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// What is to be said of an execution when its input ends.
#[derive(Debug, Clone)]
pub struct Close {
    /// It is in no final state.
    pub unterminated: bool,
    /// It waits for a human.
    pub paused: bool,
    /// Where it stands.
    pub state: State,
    /// It took more turns than it may: the line of the first turn too many, and the limit.
    pub max_turns: Option<(u64, i64)>,
    /// What isn't said of the conditions.
    pub conditions_missing: Option<&'static str>,
    /// What its format doesn't keep.
    pub not_recorded: Option<Cow<'static, str>>,
    /// Words that tokens grant and that are no type, category or tool, with where they were issued.
    pub unknown_grants: Vec<(u64, Box<str>)>,
    /// Byte-identical lines that were read once.
    pub repeats: u64,
    /// The end was reached without an evaluation: the line of the thought that was taken for it.
    pub shortcut: Option<u64>,
}

/// What outlives the end of an execution: tokens stay revoked, and the chain goes on. Many
/// executions leave nothing of either.
#[derive(Debug, Default)]
pub struct ClosedState {
    books: Option<Box<Books>>,
    /// A Bloom filter of the ids that ran.
    ran: u64,
}

#[derive(Debug)]
struct Books {
    ledger: governance::Ledger<crate::replay::evidence::Token>,
    unissued: Vec<(String, u64)>,
    chain: super::records::HashChain,
}

/// Of an id, what is kept when its execution is over: one bit of a Bloom filter. Two that share it
/// make an answer uncertain, and nothing worse.
fn bit(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    1 << (hasher.finish() % 64)
}

impl ClosedState {
    /// Bytes that it holds besides itself, roughly.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.books.as_ref().map_or(0, |books| {
            let tokens = books
                .ledger
                .iter()
                .map(|(id, token, _)| id.len() + token.weight())
                .sum::<usize>();
            size_of::<Books>()
                + tokens
                + books.ledger.buried().map(|id| id.len() + 64).sum::<usize>()
        })
    }
}

impl Execution {
    /// Whether an action with this id had run when the end was declared, behind which this is.
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
        }
    }

    /// Ends the execution before its time: what comes next of it isn't read, so nothing can be told
    /// of it.
    pub fn give_up(&mut self) {
        self.doubt_all();
        self.left.changes.clear();
    }

    /// What is reported of it.
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
            changes: self.left.changes.clone().into(),
            actions_of_session: self
                .session
                .actions
                .summary(self.session.records_decisions()),
        }
    }

    /// What is kept of an execution that was declared over, for what may still come.
    #[must_use]
    pub fn remains(&mut self) -> ClosedState {
        let (ledger, unissued) = self.tokens.take();
        let books = (self.lines.chain.is_used()
            || !unissued.is_empty()
            || ledger.is_used()
            || ledger.buried().next().is_some())
        .then(|| {
            Box::new(Books {
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
        ClosedState { books, ran }
    }

    /// Goes on with an execution that was declared over: whatever comes now comes after its end.
    pub fn reopen(&mut self, summary: &Summary, remains: ClosedState) {
        let ClosedState { books, ran } = remains;
        if let Some(books) = books {
            self.tokens.restore(books.ledger, books.unissued);
            self.lines.chain = books.chain;
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

    /// Adds what came after the end to the summary that was made at the end.
    pub fn add_to(&self, summary: &mut Summary) {
        summary.verdict = self.verdict;
        summary.turns += self.turns.count();
        summary.actions += self.counts.actions;
        summary.decisions += self.counts.decisions;
        summary.signatures_unchecked += self.counts.signatures;
        summary.changes = [&summary.changes, self.left.changes.as_slice()]
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

    /// What this execution's format doesn't keep.
    fn not_recorded_parts(&mut self) -> Option<Cow<'static, str>> {
        if self.is_session() {
            self.verdict.doubt(Aspect::GovernanceComplete);
            if !self.session.records_decisions() && !self.session.is_decided_beside() {
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
        // A log without a single movement shows no path.
        if self.origin.format.coverage() == Coverage::Terminal || self.track.events == 0 {
            self.verdict.doubt(Aspect::LegalPath);
        }
        Some(Cow::Borrowed(parts))
    }
}
