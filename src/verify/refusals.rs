//! Rejections that a record contains next to its main content.

use crate::trace::entry::Record;
use crate::trace::formats::RecordClass;
use crate::trace::step::{Annotation, Decision, DecisionLine, Fact, Step};
use strict_json::Raw;

/// Returns whether a record contains whole turns. A rejection in it then belongs to their
/// decisions.
pub(super) fn is_whole(record: &Record<'_>) -> bool {
    record.class() == Some(RecordClass::Turn)
}

/// Returns a step for a rejection in a record that isn't a decision. Next to a thought, a start or
/// a token, a rejection must name its action, since nothing else identifies it.
pub(super) fn attached_rejection<'r, 'a>(
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
