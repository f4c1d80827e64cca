//! Which findings only follow from another one. The verifier folds them under it.

use super::{Rule, codes};
use crate::diag::Code;
use crate::replay::{Approval, StepFacts};

/// Why a finding only follows from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excuse {
    /// What is missing may be in a record that can't be read.
    Lost,
    /// The token that is missing may be in a record that can't be read.
    TokenLost,
    /// Nothing was proposed, which is an illegal transition.
    Unproposed,
}

/// Rules that a lost record may explain, wherever on the path it is missing. The missing decision
/// (YV301) may be the record that can't be read.
const FOLDS_ON_GAP: [Code; 5] = [
    codes::ILLEGAL_TRANSITION,
    codes::NO_START,
    codes::TURN_OUT_OF_ORDER,
    codes::UNAUTHORISED_EXECUTION,
    codes::RESULT_WITHOUT_EXECUTION,
];

impl Rule {
    /// Whether a record that nobody could read may explain a finding. Then the verdict stays open.
    #[must_use]
    pub fn folds_on_gap(&self) -> bool {
        FOLDS_ON_GAP.contains(&self.code)
    }

    /// Whether a finding says no more than that an action ran without leave, where that is reported
    /// already.
    #[must_use]
    pub fn repeats_unauthorised(&self) -> bool {
        matches!(
            self.code,
            codes::ILLEGAL_TRANSITION | codes::RESULT_WITHOUT_EXECUTION
        )
    }

    /// Whether a lost end of the execution may explain a finding.
    #[must_use]
    pub fn folds_on_lost_end(&self) -> bool {
        self.code == codes::UNTERMINATED_EXECUTION
    }

    /// Why a finding about a step only follows from another one. `None` if it doesn't.
    #[must_use]
    pub fn excuse(&self, step_facts: &StepFacts) -> Option<Excuse> {
        let ran = step_facts.executed.as_ref();
        let unproposed = ran.is_some_and(|ran| ran.unproposed);
        match self.code {
            codes::TURN_OUT_OF_ORDER => step_facts.anomalies().turns_lost.then_some(Excuse::Lost),
            codes::UNAUTHORISED_EXECUTION
                if ran
                    .is_some_and(|ran| ran.decision_lost && ran.approval == Approval::Unknown) =>
            {
                Some(Excuse::Lost)
            }
            codes::NO_CAPABILITY
            | codes::CAPABILITY_OUT_OF_SCOPE
            | codes::CAPABILITY_NOT_ISSUED
                if step_facts.anomalies().tokens_lost || ran.is_some_and(|ran| ran.token_lost) =>
            {
                Some(Excuse::TokenLost)
            }
            codes::HIGH_RISK_WITHOUT_HUMAN => step_facts
                .decided
                .as_ref()
                .is_some_and(|decided| decided.unproposed)
                .then_some(Excuse::Unproposed),
            codes::UNAUTHORISED_EXECUTION
            | codes::EXECUTED_OTHER_THAN_APPROVED
            | codes::EFFECT_BEYOND_RISK
            | codes::PATH_ESCAPES_WORKDIR
            | codes::UNDECLARED_CHANGE
            | codes::PROTECTED_PATH => unproposed.then_some(Excuse::Unproposed),
            _ => None,
        }
    }
}
