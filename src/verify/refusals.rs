//! Rejections that a record holds beside what it is of.

use crate::trace::entry::Record;
use crate::trace::formats::RecordClass;
use crate::trace::step::{Annotation, Decision, DecisionLine, Fact, Step};
use strict_json::Raw;

/// Whether a record holds whole turns. Then a rejection in it is about their decisions.
pub(super) fn is_whole(record: &Record<'_>) -> bool {
    record.class() == Some(RecordClass::Turn)
}

/// A rejection beside the step of a record that is none of a decision. One without an action can't
/// be bound to a thought, a start or a token.
pub(super) fn refusal_beside<'r, 'a>(
    step: &Step<'r, 'a>,
    decision: &Decision<'a>,
    written: Raw<'a>,
) -> Option<Step<'r, 'a>> {
    let bound = match step.fact {
        Fact::Annotation(
            Annotation::Shown(..) | Annotation::FinalArtifacts(_) | Annotation::ListedRejection(..),
        ) => false,
        Fact::Proposed(_)
        | Fact::Executed(_)
        | Fact::Observed(_)
        | Fact::Evaluated(..)
        | Fact::Ended(_) => true,
        Fact::Moved(_) | Fact::Annotation(_) => true,
        Fact::Thought(_)
        | Fact::Started(_)
        | Fact::Issued(_)
        | Fact::Revoked(_)
        | Fact::Context => decision.action.is_some(),
        Fact::Decided(_) | Fact::NotRecorded(_) | Fact::Terminal(_) | Fact::Unreadable(_) => false,
    };
    let fact = Fact::Annotation(Annotation::Decided(
        None,
        Some(DecisionLine {
            decision: *decision,
            written,
        }),
    ));
    bound.then_some(Step {
        time: None,
        fact,
        ..*step
    })
}
