//! Findings that only follow from another one. They are folded under it, and appear when that is
//! suppressed.

use crate::replay::{Approval, StepFacts};
use crate::rules::Draft;
use crate::trace::entry::Record;
use crate::trace::step::{Annotation, Decision, Fact, Step, Told};
use crate::trace::v1;
use strict_json::Raw;

/// Rules that a lost record may explain. Their findings are folded under it, and the verdict stays
/// open: the missing decision (YV301) may be the record that can't be read.
pub(super) const PATH_RULES: [u16; 5] = [201, 202, 206, 301, 311];

/// Why a finding only follows from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Excuse {
    /// What is missing may be in a record that can't be read.
    Lost,
    /// The token that is missing may be in a record that can't be read.
    TokenLost,
    /// Nothing was proposed, which is an illegal transition.
    Unproposed,
}

/// Why a draft only follows from another finding. `None` if it doesn't.
pub(super) fn excuse(draft: &Draft, step_facts: &StepFacts) -> Option<Excuse> {
    let ran = step_facts.executed.as_ref();
    let unproposed = ran.is_some_and(|ran| ran.unproposed);
    match draft.rule.code.0 {
        206 => step_facts.anomalies().turns_lost.then_some(Excuse::Lost),
        301 if ran.is_some_and(|ran| ran.decision_lost && ran.approval == Approval::Unknown) => {
            Some(Excuse::Lost)
        }
        401 | 405 | 407
            if step_facts.anomalies().tokens_lost || ran.is_some_and(|ran| ran.token_lost) =>
        {
            Some(Excuse::TokenLost)
        }
        302 => step_facts
            .decided
            .as_ref()
            .is_some_and(|decided| decided.unproposed)
            .then_some(Excuse::Unproposed),
        301 | 305 | 323 | 703 | 704 | 705 => unproposed.then_some(Excuse::Unproposed),
        _ => None,
    }
}

/// Whether a record holds whole turns. Then a rejection in it is about their decisions.
pub(super) fn is_whole(record: &Record<'_>) -> bool {
    matches!(
        record,
        Record::Turn(_)
            | Record::Recovered(_)
            | Record::V1(v1::Record::Turn(_) | v1::Record::Execution(_))
    )
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
            Annotation::Shown(..) | Annotation::SummedUp(_) | Annotation::RefusedBefore(..),
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
        Some(Told {
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
