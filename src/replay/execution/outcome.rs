//! End of an execution: its last evaluation and the declared outcome.

use crate::trace::record::EvaluationReason;
use governance::EvaluationKind;

/// Kind, reason and line of an evaluation.
pub(super) type Evaluation = (EvaluationKind, Option<EvaluationReason>, u64);

/// Last evaluation and declared end.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    evaluation: Option<Evaluation>,
    /// An evaluation can't be read.
    evaluation_unknown: bool,
    word: Option<String>,
    ended: bool,
    /// The execution continues after its declared end; turn numbers are no longer checked.
    reopened: bool,
    /// Bloom filter of the ids executed before the declared end, if the execution continues after
    /// it.
    pub(super) ran_before: u64,
}

impl Outcome {
    pub(super) const fn evaluate(
        &mut self,
        kind: EvaluationKind,
        reason: Option<EvaluationReason>,
        line: u64,
    ) {
        self.evaluation = Some((kind, reason, line));
    }

    /// Records an evaluation that can't be read.
    pub(super) const fn lose_evaluation(&mut self) {
        self.evaluation = None;
        self.evaluation_unknown = true;
    }

    pub(super) const fn evaluation(&self) -> Option<Evaluation> {
        self.evaluation
    }

    /// Forgets the outcome of an earlier run of the early machine.
    pub(super) fn reset(&mut self) {
        (self.word, self.evaluation) = (None, None);
    }

    /// Records a declared end whose outcome can't be read.
    pub(super) const fn end(&mut self) {
        self.ended = true;
    }

    /// Records a declared end with its outcome.
    pub(super) fn declare(&mut self, word: String) {
        self.word = Some(word);
        self.ended = true;
    }

    /// Handles a start, which cancels a declared end.
    pub(super) const fn start(&mut self) {
        self.ended = false;
    }

    pub(super) const fn is_ended(&self) -> bool {
        self.ended
    }

    /// Continues an execution that was declared over.
    pub(super) const fn reopen(&mut self) {
        self.ended = true;
        self.reopened = true;
    }

    /// Handles a second start, which may resume from a lost pause.
    pub(super) const fn resume(&mut self) {
        self.reopened = false;
    }

    pub(super) const fn is_reopened(&self) -> bool {
        self.reopened
    }

    /// Returns whether the declared outcome agrees with the last evaluation.
    pub(super) fn fits(&self, word: &str) -> bool {
        match self.evaluation {
            Some((EvaluationKind::Terminate | EvaluationKind::Pause, Some(reason), _)) => {
                reason.name() == word
            }
            Some((EvaluationKind::Continue, ..)) | None => false,
            Some((_, None, _)) => true,
        }
    }

    pub(super) fn is_pause(&self) -> bool {
        self.evaluation
            .is_some_and(|(kind, ..)| kind == EvaluationKind::Pause)
    }

    /// Returns whether the reason of the end is that there were too many turns.
    pub(super) fn names_max_turns(&self) -> bool {
        let declared = || self.word.as_deref() == Some(EvaluationReason::MaxTurnsExceeded.name());
        match self.evaluation {
            Some((_, reason, _)) => reason == Some(EvaluationReason::MaxTurnsExceeded),
            None => self.evaluation_unknown && declared(),
        }
    }

    /// Returns the declared outcome, or the reason of the last evaluation if that ended the
    /// execution.
    pub(super) fn name(&self) -> Option<&str> {
        self.word.as_deref().or_else(|| {
            let (_, reason, _) = self
                .evaluation
                .filter(|(kind, ..)| *kind == EvaluationKind::Terminate)?;
            reason.map(EvaluationReason::name)
        })
    }

    pub(super) fn weight(&self) -> usize {
        self.word.as_ref().map_or(0, String::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use EvaluationReason::MaxTurnsExceeded;

    #[test]
    fn a_declared_outcome_fits_the_last_evaluation() {
        let mut outcome = Outcome::default();
        let word = MaxTurnsExceeded.name();
        assert!(!outcome.fits(word), "nothing was evaluated");
        outcome.evaluate(EvaluationKind::Terminate, Some(MaxTurnsExceeded), 3);
        assert!(outcome.fits(word) && !outcome.fits("other"));
        assert!(outcome.names_max_turns());
        assert_eq!(outcome.name(), Some(word));
        outcome.evaluate(EvaluationKind::Continue, None, 4);
        assert!(!outcome.fits(word));
    }

    #[test]
    fn an_unreadable_evaluation_leaves_the_declared_word() {
        let mut outcome = Outcome::default();
        outcome.declare(MaxTurnsExceeded.name().to_owned());
        assert!(outcome.is_ended() && !outcome.names_max_turns());
        outcome.lose_evaluation();
        assert!(outcome.names_max_turns());
        outcome.start();
        assert!(!outcome.is_ended());
    }
}
