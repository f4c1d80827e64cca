//! The reducers: `(state, event) -> state`, one pure function per version of the machine.
//!
//! A trace names its version and is checked against it. The reducer of version 1 lists every pair
//! of state and event, so that a new state or event doesn't compile until it is handled.

use super::event::{EvaluationKind, Event, Ruling};
use super::state::State;
use borsh::{BorshDeserialize, BorshSerialize};
use std::fmt;

/// A version of the state machine.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize,
)]
pub enum FsmVersion {
    /// The early runtime's machine. It has a shortcut past the evaluation, and a restart.
    V0,
    /// The current machine.
    V1,
    /// The machine of recorded sessions of coding agents. They record calls and results, and
    /// decisions only where their format has them. The machine checks nothing but the order of
    /// these.
    Session,
}

impl FsmVersion {
    /// The versions of the governed machine, oldest first. Sessions aren't governed.
    pub const ALL: [Self; 2] = [Self::V0, Self::V1];

    /// Parses the version that a trace names.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "0" => Some(Self::V0),
            "1" => Some(Self::V1),
            "session" => Some(Self::Session),
            _ => None,
        }
    }

    /// Returns the name used in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V0 => "0",
            Self::V1 => "1",
            Self::Session => "session",
        }
    }
}

impl fmt::Display for FsmVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for an event that is illegal in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{event} is illegal in {state}")]
pub struct Illegal {
    /// The state of the execution; the event leaves it unchanged.
    pub state: State,
    /// The event that is illegal there.
    pub event: Event,
}

/// Returns the state that follows an event.
///
/// # Errors
/// Returns [`Illegal`] if the machine of this version has no such transition.
pub const fn reduce(version: FsmVersion, state: State, event: Event) -> Result<State, Illegal> {
    match version {
        FsmVersion::V1 => reduce_v1(state, event),
        FsmVersion::V0 => match (state, event) {
            (State::Thinking, Event::Concluded) => Ok(State::Terminal),
            (State::Terminal, Event::Start) => Ok(State::Idle),
            _ => reduce_v1(state, event),
        },
        FsmVersion::Session => reduce_session(state, event),
    }
}

/// The machine of a session. A call is proposed, decided about if that is recorded, and has a
/// result or none. Between calls the session is in `THINKING`; it has no end of its own.
const fn reduce_session(state: State, event: Event) -> Result<State, Illegal> {
    use Event as E;
    use State as S;
    match (state, event) {
        (S::Idle | S::Thinking | S::Governing | S::Executing, E::Start)
        | (S::Governing, E::GovernanceDecided(Ruling::Rejected))
        | (S::Governing | S::Executing, E::ExecutionFinished) => Ok(S::Thinking),
        (S::Thinking | S::Governing | S::Executing, E::ActionProposed) => Ok(S::Governing),
        (S::Governing, E::GovernanceDecided(Ruling::Approved | Ruling::Modified)) => {
            Ok(S::Executing)
        }
        _ => Err(Illegal { state, event }),
    }
}

const fn reduce_v1(state: State, event: Event) -> Result<State, Illegal> {
    use Event as E;
    use State as S;
    let illegal = Err(Illegal { state, event });
    match state {
        S::Idle => match event {
            E::Start => Ok(S::Thinking),
            E::ThoughtGenerated { .. }
            | E::Concluded
            | E::ActionProposed
            | E::GovernanceDecided(_)
            | E::ExecutionFinished
            | E::ObservationRecorded
            | E::EvaluationMade(_) => illegal,
        },
        S::Thinking => match event {
            E::ThoughtGenerated { done: false } => Ok(S::Proposing),
            E::ThoughtGenerated { done: true } => Ok(S::Evaluating),
            E::Start
            | E::Concluded
            | E::ActionProposed
            | E::GovernanceDecided(_)
            | E::ExecutionFinished
            | E::ObservationRecorded
            | E::EvaluationMade(_) => illegal,
        },
        S::Proposing => match event {
            E::ActionProposed => Ok(S::Governing),
            E::Start
            | E::ThoughtGenerated { .. }
            | E::Concluded
            | E::GovernanceDecided(_)
            | E::ExecutionFinished
            | E::ObservationRecorded
            | E::EvaluationMade(_) => illegal,
        },
        S::Governing => match event {
            E::GovernanceDecided(Ruling::Approved | Ruling::Modified) => Ok(S::Executing),
            E::GovernanceDecided(Ruling::Rejected) => Ok(S::Thinking),
            E::Start
            | E::ThoughtGenerated { .. }
            | E::Concluded
            | E::ActionProposed
            | E::ExecutionFinished
            | E::ObservationRecorded
            | E::EvaluationMade(_) => illegal,
        },
        S::Executing => match event {
            E::ExecutionFinished => Ok(S::Observing),
            E::Start
            | E::ThoughtGenerated { .. }
            | E::Concluded
            | E::ActionProposed
            | E::GovernanceDecided(_)
            | E::ObservationRecorded
            | E::EvaluationMade(_) => illegal,
        },
        S::Observing => match event {
            E::ObservationRecorded => Ok(S::Evaluating),
            E::Start
            | E::ThoughtGenerated { .. }
            | E::Concluded
            | E::ActionProposed
            | E::GovernanceDecided(_)
            | E::ExecutionFinished
            | E::EvaluationMade(_) => illegal,
        },
        S::Evaluating => match event {
            E::EvaluationMade(EvaluationKind::Continue) => Ok(S::Thinking),
            E::EvaluationMade(EvaluationKind::Terminate) => Ok(S::Terminal),
            E::EvaluationMade(EvaluationKind::Pause) => Ok(S::Idle),
            E::Start
            | E::ThoughtGenerated { .. }
            | E::Concluded
            | E::ActionProposed
            | E::GovernanceDecided(_)
            | E::ExecutionFinished
            | E::ObservationRecorded => illegal,
        },
        S::Terminal => match event {
            E::Start
            | E::ThoughtGenerated { .. }
            | E::Concluded
            | E::ActionProposed
            | E::GovernanceDecided(_)
            | E::ExecutionFinished
            | E::ObservationRecorded
            | E::EvaluationMade(_) => illegal,
        },
    }
}

/// Returns the state that an event usually leads to. A replay resumes there when an event is
/// illegal in the state that it tracked.
#[must_use]
pub const fn natural_target(event: Event) -> State {
    match event {
        Event::Start
        | Event::GovernanceDecided(Ruling::Rejected)
        | Event::EvaluationMade(EvaluationKind::Continue) => State::Thinking,
        Event::ThoughtGenerated { done: false } => State::Proposing,
        Event::ThoughtGenerated { done: true } | Event::ObservationRecorded => State::Evaluating,
        Event::Concluded | Event::EvaluationMade(EvaluationKind::Terminate) => State::Terminal,
        Event::ActionProposed => State::Governing,
        Event::GovernanceDecided(Ruling::Approved | Ruling::Modified) => State::Executing,
        Event::ExecutionFinished => State::Observing,
        Event::EvaluationMade(EvaluationKind::Pause) => State::Idle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the specification, transcribed independently of the reducer.
    const TABLE_V1: &[(State, Event, State)] = &[
        (State::Idle, Event::Start, State::Thinking),
        (
            State::Thinking,
            Event::ThoughtGenerated { done: false },
            State::Proposing,
        ),
        (
            State::Thinking,
            Event::ThoughtGenerated { done: true },
            State::Evaluating,
        ),
        (State::Proposing, Event::ActionProposed, State::Governing),
        (
            State::Governing,
            Event::GovernanceDecided(Ruling::Approved),
            State::Executing,
        ),
        (
            State::Governing,
            Event::GovernanceDecided(Ruling::Modified),
            State::Executing,
        ),
        (
            State::Governing,
            Event::GovernanceDecided(Ruling::Rejected),
            State::Thinking,
        ),
        (State::Executing, Event::ExecutionFinished, State::Observing),
        (
            State::Observing,
            Event::ObservationRecorded,
            State::Evaluating,
        ),
        (
            State::Evaluating,
            Event::EvaluationMade(EvaluationKind::Continue),
            State::Thinking,
        ),
        (
            State::Evaluating,
            Event::EvaluationMade(EvaluationKind::Terminate),
            State::Terminal,
        ),
        (
            State::Evaluating,
            Event::EvaluationMade(EvaluationKind::Pause),
            State::Idle,
        ),
    ];
    const MORE_IN_V0: &[(State, Event, State)] = &[
        (State::Thinking, Event::Concluded, State::Terminal),
        (State::Terminal, Event::Start, State::Idle),
    ];

    #[test]
    fn every_pair_of_version_1_is_as_specified() {
        for state in State::ALL {
            for event in Event::ALL {
                let expected = TABLE_V1
                    .iter()
                    .find(|(s, e, _)| (*s, *e) == (state, event))
                    .map(|(.., to)| *to);
                assert_eq!(
                    reduce(FsmVersion::V1, state, event).ok(),
                    expected,
                    "{state} {event}"
                );
            }
        }
    }

    #[test]
    fn every_pair_of_version_0_is_as_specified() {
        for state in State::ALL {
            for event in Event::ALL {
                let expected = TABLE_V1
                    .iter()
                    .chain(MORE_IN_V0)
                    .find(|(s, e, _)| (*s, *e) == (state, event))
                    .map(|(.., to)| *to);
                assert_eq!(
                    reduce(FsmVersion::V0, state, event).ok(),
                    expected,
                    "{state} {event}"
                );
            }
        }
    }

    #[test]
    fn every_pair_of_a_session_is_as_specified() {
        use Event as E;
        use State as S;
        let legal = [
            (S::Idle, E::Start, S::Thinking),
            (S::Thinking, E::Start, S::Thinking),
            (S::Governing, E::Start, S::Thinking),
            (S::Executing, E::Start, S::Thinking),
            (S::Thinking, E::ActionProposed, S::Governing),
            (S::Governing, E::ActionProposed, S::Governing),
            (S::Executing, E::ActionProposed, S::Governing),
            (
                S::Governing,
                E::GovernanceDecided(Ruling::Approved),
                S::Executing,
            ),
            (
                S::Governing,
                E::GovernanceDecided(Ruling::Modified),
                S::Executing,
            ),
            (
                S::Governing,
                E::GovernanceDecided(Ruling::Rejected),
                S::Thinking,
            ),
            (S::Governing, E::ExecutionFinished, S::Thinking),
            (S::Executing, E::ExecutionFinished, S::Thinking),
        ];
        for state in State::ALL {
            for event in Event::ALL {
                let expected = legal
                    .iter()
                    .find(|(s, e, _)| (*s, *e) == (state, event))
                    .map(|(.., to)| *to);
                let found = reduce(FsmVersion::Session, state, event).ok();
                assert_eq!(found, expected, "{state} {event}");
            }
        }
    }

    #[test]
    fn the_natural_target_is_where_the_event_is_legal() {
        for (_, event, to) in TABLE_V1.iter().chain(MORE_IN_V0.first()) {
            assert_eq!(natural_target(*event), *to, "{event}");
        }
    }
}
