//! Findings that only follow from another one. They are folded under it, and appear when that is suppressed.

use crate::replay::{Approval, Judged};
use crate::rules::Draft;

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
pub(super) fn excuse(draft: &Draft, judged: &Judged) -> Option<Excuse> {
    let ran = judged.executed.as_ref();
    let unproposed = ran.is_some_and(|ran| ran.unproposed);
    match draft.rule.code.0 {
        206 => judged.turns_lost.then_some(Excuse::Lost),
        301 if ran.is_some_and(|ran| ran.decision_lost && ran.approval == Approval::Unknown) => Some(Excuse::Lost),
        401 | 405 | 407 if judged.tokens_lost || ran.is_some_and(|ran| ran.token_lost) => Some(Excuse::TokenLost),
        302 => judged.decided.as_ref().is_some_and(|decided| decided.unproposed).then_some(Excuse::Unproposed),
        301 | 305 | 323 | 703 | 704 | 705 => unproposed.then_some(Excuse::Unproposed),
        _ => None,
    }
}
