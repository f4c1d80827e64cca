//! The eight states of an execution, and sets of them.

use borsh::{BorshDeserialize, BorshSerialize};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The state of an execution. The set is closed: a ninth state would be a new machine version.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum State {
    /// Before the start, and while a paused execution waits for a human.
    Idle,
    /// Agents think; nothing is proposed yet.
    Thinking,
    /// A thought asks for an action; the action isn't recorded yet.
    Proposing,
    /// The governor decides about the proposed action.
    Governing,
    /// The action executes. Only this state has side effects.
    Executing,
    /// The result of the action is being recorded.
    Observing,
    /// The runtime decides whether to continue.
    Evaluating,
    /// The execution has ended.
    Terminal,
}

impl State {
    /// All states, in the order in which a turn passes through them.
    pub const ALL: [Self; 8] = [
        Self::Idle,
        Self::Thinking,
        Self::Proposing,
        Self::Governing,
        Self::Executing,
        Self::Observing,
        Self::Evaluating,
        Self::Terminal,
    ];

    /// Returns the name used in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "IDLE",
            Self::Thinking => "THINKING",
            Self::Proposing => "PROPOSING",
            Self::Governing => "GOVERNING",
            Self::Executing => "EXECUTING",
            Self::Observing => "OBSERVING",
            Self::Evaluating => "EVALUATING",
            Self::Terminal => "TERMINAL",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of states. It holds the possible states of an execution whose record has a gap or an
/// error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StateSet(u8);

impl StateSet {
    pub const EMPTY: Self = Self(0);

    /// Returns the set that contains only `state`.
    #[must_use]
    pub const fn only(state: State) -> Self {
        Self(state.bit())
    }

    /// Returns the set with `state` added.
    #[must_use]
    pub const fn with(self, state: State) -> Self {
        Self(self.0 | state.bit())
    }

    /// Returns whether the set contains `state`.
    #[must_use]
    pub const fn contains(self, state: State) -> bool {
        self.0 & state.bit() != 0
    }

    /// Returns whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Iterates over the members in the order of [`State::ALL`].
    pub fn iter(self) -> impl Iterator<Item = State> {
        State::ALL.into_iter().filter(move |s| self.contains(*s))
    }

    /// Returns the member if there is exactly one.
    #[must_use]
    pub fn single(self) -> Option<State> {
        if self.0.is_power_of_two() {
            self.iter().next()
        } else {
            None
        }
    }
}

impl FromIterator<State> for StateSet {
    fn from_iter<I: IntoIterator<Item = State>>(states: I) -> Self {
        states.into_iter().fold(Self::EMPTY, Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_was_put_in() {
        let set: StateSet = [State::Idle, State::Terminal].into_iter().collect();
        assert_eq!(
            set.iter().collect::<Vec<_>>(),
            [State::Idle, State::Terminal]
        );
        assert_eq!(set.single(), None);
        assert_eq!(
            StateSet::only(State::Observing).single(),
            Some(State::Observing)
        );
        assert!(StateSet::EMPTY.is_empty());
    }
}
