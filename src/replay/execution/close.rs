//! The end of an execution, or of its input.

use crate::governance::State;

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
    pub not_recorded: Option<&'static str>,
    /// Byte-identical lines that were read once.
    pub repeats: u64,
    /// The end was reached without an evaluation: the line of the thought that was taken for it.
    pub shortcut: Option<u64>,
}
