//! The verdict of a replay: three questions, each answered yes, no or not recorded.

use super::changes::RecordedChange;
use super::session_actions::SessionActions;
use crate::trace::formats::{Coverage, Format};
use governance::{Event, FsmVersion, State};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// An answer. An approval is never inferred from a success: what isn't recorded is not a yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Answer {
    /// Shown by the record.
    #[serde(rename = "yes")]
    Yes,
    /// Contradicted by the record.
    #[serde(rename = "no")]
    No,
    /// The record doesn't hold what it takes to tell.
    #[serde(rename = "not recorded")]
    NotRecorded,
}

impl Answer {
    /// The words in reports.
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

/// The answers for one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
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
    /// All yes, until something says otherwise.
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

    /// Something contradicts it.
    pub fn deny(&mut self, aspect: Aspect) {
        *self.answer(aspect) = Answer::No;
    }

    /// Something isn't recorded. A no stays a no.
    pub fn doubt(&mut self, aspect: Aspect) {
        let answer = self.answer(aspect);
        if *answer == Answer::Yes {
            *answer = Answer::NotRecorded;
        }
    }

    /// Nothing can be told any more; a no stays a no.
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

/// What is reported of one execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its id.
    pub id: Arc<str>,
    /// The input.
    pub file: Arc<str>,
    /// The first line of it.
    pub line: u64,
    /// The format.
    pub format: Format,
    /// The version that judged.
    pub version: FsmVersion,
    /// The verdict.
    pub verdict: Verdict,
    /// How many turns were begun.
    pub turns: u64,
    /// Where it ended; `None` when the format doesn't tell.
    pub final_state: Option<State>,
    /// How it says that it ended.
    pub outcome: Option<Box<str>>,
    /// How many actions ran.
    pub actions: u64,
    /// How many decisions stand in it.
    pub decisions: u64,
    /// How many decisions carry a signature that nobody checked.
    pub signatures_unchecked: u64,
    /// The shortest prefix that breaks the path.
    pub violation: Option<Box<PathViolation>>,
    /// Milliseconds between its earliest and its latest step; `None` when no time is recorded.
    pub duration: Option<u64>,
    /// An error of it is counted and not kept: it has failed, whatever is listed of it.
    pub failed_unlisted: bool,
    /// What its actions changed, where that was asked for.
    pub changes: Box<[RecordedChange]>,
    /// What is compared with the same session in other files; none where there is nothing.
    pub actions_of_session: Option<Box<SessionActions>>,
}

impl Summary {
    /// Bytes that it holds besides itself and its violation, roughly. What was changed is kept only
    /// where it is to be accounted for, and may take eight times as much.
    #[must_use]
    pub fn weight(&self) -> usize {
        let changes: usize = self.changes.iter().map(RecordedChange::weight).sum();
        let actions = self.actions_of_session.as_ref();
        let actions = actions.map_or(0, |actions| actions.weight());
        let outcome = self.outcome.as_ref().map_or(0, |outcome| outcome.len());
        self.id.len() + outcome + changes / 8 + actions
    }

    /// Whether there was nothing to verify: nothing was decided or ran, and no turn was begun or
    /// none has a part; or nothing ran and no answer can be given. A terminal recording never gives
    /// one, whatever was typed.
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

/// The first bad event of a broken path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathViolation {
    /// Its line.
    pub line: u64,
    /// What happened.
    pub event: Event,
    /// Where.
    pub state: State,
    /// How many events, with this one, are the shortest prefix that shows it.
    pub prefix: u64,
    /// The last movements before it, oldest first: line, event, state reached.
    pub path: Box<[(u64, Event, State)]>,
}
