//! Verdict of a replay: three questions, each answered yes, no or not recorded.

use super::changes::RecordedChange;
use super::session_actions::SessionActions;
use crate::trace::formats::{Coverage, Format};
use borsh::{BorshDeserialize, BorshSerialize};
use governance::{Event, FsmVersion, State};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// Answer to a question about an execution. Missing evidence never becomes a yes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
)]
pub enum Answer {
    /// The record proves it.
    #[serde(rename = "yes")]
    Yes,
    /// The record contradicts it.
    #[serde(rename = "no")]
    No,
    /// The record doesn't contain enough to decide.
    #[serde(rename = "not recorded")]
    NotRecorded,
}

impl Answer {
    /// Returns the word that reports use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::NotRecorded => "not recorded",
        }
    }
}

/// The question that a rule's error answers with no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Aspect {
    /// Was each state reached legally?
    LegalPath,
    /// Did nothing run without being allowed?
    Authorised,
    /// Is the governance record complete?
    GovernanceComplete,
}

/// Answers for one execution.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// Was each state reached legally?
    pub legal_path: Answer,
    /// Did nothing run without being allowed?
    pub authorised: Answer,
    /// Is every decision signed, reasoned and traceable?
    pub governance_complete: Answer,
}

impl Verdict {
    /// Initial verdict: every answer is yes until something contradicts it.
    pub const CLEAN: Self = Self {
        legal_path: Answer::Yes,
        authorised: Answer::Yes,
        governance_complete: Answer::Yes,
    };

    fn answer(&mut self, aspect: Aspect) -> &mut Answer {
        match aspect {
            Aspect::LegalPath => &mut self.legal_path,
            Aspect::Authorised => &mut self.authorised,
            Aspect::GovernanceComplete => &mut self.governance_complete,
        }
    }

    /// Answers a question with no.
    pub fn deny(&mut self, aspect: Aspect) {
        *self.answer(aspect) = Answer::No;
    }

    /// Changes a yes to "not recorded". A no stays a no.
    pub fn doubt(&mut self, aspect: Aspect) {
        let answer = self.answer(aspect);
        if *answer == Answer::Yes {
            *answer = Answer::NotRecorded;
        }
    }

    /// Changes every yes to "not recorded".
    pub fn doubt_all(&mut self) {
        for aspect in [
            Aspect::LegalPath,
            Aspect::Authorised,
            Aspect::GovernanceComplete,
        ] {
            self.doubt(aspect);
        }
    }
}

/// What reports say about one execution.
#[derive(Debug, Clone, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Summary {
    pub id: Arc<str>,
    /// Name of the input.
    pub file: Arc<str>,
    /// First line of the execution.
    pub line: u64,
    pub format: Format,
    /// Version of the state machine that evaluated it.
    pub version: FsmVersion,
    pub verdict: Verdict,
    /// Number of turns that began.
    pub turns: u64,
    /// State at the end; `None` when the format doesn't record states.
    pub final_state: Option<State>,
    pub outcome: Option<Box<str>>,
    /// Number of executed actions.
    pub actions: u64,
    pub decisions: u64,
    /// Number of signatures that weren't checked.
    pub signatures_unchecked: u64,
    /// Shortest prefix that breaks the path.
    pub violation: Option<Box<PathViolation>>,
    /// Milliseconds between its earliest and its latest step; `None` when no time is recorded.
    pub duration: Option<u64>,
    /// An error was counted but not listed, so the execution failed whatever its listed findings
    /// are.
    pub failed_unlisted: bool,
    /// Recorded changes of its actions, kept only if requested.
    #[borsh(skip)]
    pub changes: Box<[RecordedChange]>,
    /// Actions to compare with the same session in other files.
    pub actions_of_session: Option<Box<SessionActions>>,
}

impl Summary {
    /// Returns an estimate of the heap bytes that it owns, without its violation. Changes are
    /// weighted with an eighth: they are kept only on request, and may take eight times as much.
    #[must_use]
    pub fn weight(&self) -> usize {
        let changes: usize = self.changes.iter().map(RecordedChange::weight).sum();
        let actions = self.actions_of_session.as_ref();
        let actions = actions.map_or(0, |actions| actions.weight());
        let outcome = self.outcome.as_ref().map_or(0, |outcome| outcome.len());
        self.id.len() + outcome + changes / 8 + actions
    }

    /// Returns whether there was nothing to verify: nothing was executed, and either no answer can
    /// be given or there are no decisions and no turns with content. A terminal recording never
    /// gives an answer, whatever was typed.
    #[must_use]
    pub fn shows_nothing(&self) -> bool {
        let Verdict {
            legal_path,
            authorised,
            governance_complete,
        } = self.verdict;
        let unknown = [legal_path, authorised, governance_complete]
            .into_iter()
            .all(|answer| answer == Answer::NotRecorded);
        let recording = self.format.coverage() == Coverage::Terminal;
        let empty_turns =
            self.format.coverage() == Coverage::Turns && legal_path == Answer::NotRecorded;
        unknown && (recording || self.actions == 0)
            || self.actions == 0 && self.decisions == 0 && (self.turns == 0 || empty_turns)
    }
}

/// First illegal event of an execution.
#[derive(Debug, Clone, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct PathViolation {
    pub line: u64,
    pub event: Event,
    /// State before the event.
    pub state: State,
    /// Length of the shortest prefix that shows the violation, this event included.
    pub prefix: u64,
    /// The last movements before it, oldest first: line, event, state reached.
    pub path: Box<[(u64, Event, State)]>,
}
