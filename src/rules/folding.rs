//! Determines which findings are only consequences of another one. The verifier folds them under
//! it.

use super::{Rule, codes};
use crate::diag::Code;
use crate::replay::{Approval, StepFacts};

/// Why a finding is only a consequence of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldReason {
    /// The missing record may be an unreadable one.
    Lost,
    /// The record of the missing token may be an unreadable one.
    TokenLost,
    /// Nothing was proposed, which is reported as an illegal transition.
    Unproposed,
}

/// Rules whose findings a lost record may explain, wherever it is missing. For YV301, the missing
/// decision may be the unreadable record.
const FOLDS_ON_GAP: [Code; 5] = [
    codes::ILLEGAL_TRANSITION,
    codes::NO_START,
    codes::TURN_OUT_OF_ORDER,
    codes::UNAUTHORISED_EXECUTION,
    codes::RESULT_WITHOUT_EXECUTION,
];

impl Rule {
    /// Returns whether an unreadable record may explain a finding. Then the verdict stays open.
    #[must_use]
    pub fn folds_on_gap(&self) -> bool {
        FOLDS_ON_GAP.contains(&self.code)
    }

    /// Returns whether a finding only repeats that an action was executed without approval.
    #[must_use]
    pub fn repeats_unauthorised(&self) -> bool {
        matches!(
            self.code,
            codes::ILLEGAL_TRANSITION | codes::RESULT_WITHOUT_EXECUTION
        )
    }

    /// Returns whether a lost end of the execution may explain a finding.
    #[must_use]
    pub fn folds_on_lost_end(&self) -> bool {
        self.code == codes::UNTERMINATED_EXECUTION
    }

    /// Returns why a finding about a step is only a consequence of another one; `None` if it isn't.
    #[must_use]
    pub fn fold_reason(&self, step_facts: &StepFacts) -> Option<FoldReason> {
        let ran = step_facts.executed.as_ref();
        let unproposed = ran.is_some_and(|ran| ran.unproposed);
        match self.code {
            codes::TURN_OUT_OF_ORDER => step_facts
                .anomalies()
                .turns_lost
                .then_some(FoldReason::Lost),
            codes::UNAUTHORISED_EXECUTION
                if ran
                    .is_some_and(|ran| ran.decision_lost && ran.approval == Approval::Unknown) =>
            {
                Some(FoldReason::Lost)
            }
            codes::NO_CAPABILITY
            | codes::CAPABILITY_OUT_OF_SCOPE
            | codes::CAPABILITY_NOT_ISSUED
                if step_facts.anomalies().tokens_lost || ran.is_some_and(|ran| ran.token_lost) =>
            {
                Some(FoldReason::TokenLost)
            }
            codes::HIGH_RISK_WITHOUT_HUMAN => step_facts
                .decided
                .as_ref()
                .is_some_and(|decided| decided.unproposed)
                .then_some(FoldReason::Unproposed),
            codes::UNAUTHORISED_EXECUTION
            | codes::EXECUTED_OTHER_THAN_APPROVED
            | codes::EFFECT_BEYOND_RISK
            | codes::PATH_ESCAPES_WORKDIR
            | codes::UNDECLARED_CHANGE
            | codes::PROTECTED_PATH => unproposed.then_some(FoldReason::Unproposed),
            _ => None,
        }
    }
}
