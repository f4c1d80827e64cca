//! State machine for a record that may be broken.
//!
//! It keeps two tracks. The *strict* track is the specification: an illegal event leaves the state
//! as it is. It determines the final state and the verdict. After one lost event, however, it finds
//! every following event illegal, while a reviewer needs only the first break.
//!
//! The second track is therefore a *set* of possible states. After an illegal event, the execution
//! may be in the state before (the event was forged or repeated) or in the event's target state
//! (the event before was lost). An event that is legal in any of these states is a follow-up. One
//! that is legal in none is a new break. break.

use governance::reducer::natural_target;
use governance::{Event, FsmVersion, State, StateSet, reduce};

/// Effect of an event on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Legality {
    /// Legal in the current state.
    Legal,
    /// Illegal in the current state, but an earlier break explains it.
    FollowUp,
    /// Illegal, and no earlier break explains it.
    Illegal,
}

/// State machine of one execution.
#[derive(Debug, Clone, Copy)]
pub struct Machine {
    version: FsmVersion,
    state: State,
    candidates: StateSet,
    broken: bool,
    /// The candidates come from an unreadable record. Nothing illegal is known, so the strict track
    /// follows the next events.
    guessing: bool,
    /// The event that just broke the path; the event missing before it may follow late.
    early: Option<Event>,
}

impl Machine {
    /// Creates a machine in `IDLE`.
    #[must_use]
    pub const fn new(version: FsmVersion) -> Self {
        Self::at(version, State::Idle)
    }

    /// Creates a machine in a known state.
    #[must_use]
    pub const fn at(version: FsmVersion, state: State) -> Self {
        Self {
            version,
            state,
            candidates: StateSet::only(state),
            broken: false,
            guessing: false,
            early: None,
        }
    }

    /// Returns the state of the strict track.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// Returns the version whose rules apply.
    #[must_use]
    pub const fn version(&self) -> FsmVersion {
        self.version
    }

    /// Returns whether several states are possible because of an earlier break.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        self.broken
    }

    /// Returns whether the execution may be in `state`.
    #[must_use]
    pub const fn may_be(&self, state: State) -> bool {
        self.candidates.contains(state)
    }

    /// Returns the possible states.
    #[must_use]
    pub const fn candidates(&self) -> StateSet {
        self.candidates
    }

    /// Returns whether `event` would be legal, without applying it.
    #[must_use]
    pub fn allows(&self, event: Event) -> bool {
        if !self.broken {
            return reduce(self.version, self.state, event).is_ok();
        }
        self.candidates
            .iter()
            .any(|s| reduce(self.version, s, event).is_ok())
    }

    /// Applies an event.
    pub fn apply(&mut self, event: Event) -> Legality {
        let strict = reduce(self.version, self.state, event);
        if !self.broken
            && let Ok(to) = strict
        {
            self.put(to);
            return Legality::Legal;
        }
        let next: StateSet = self
            .candidates
            .iter()
            .filter_map(|s| reduce(self.version, s, event).ok())
            .collect();
        if let Ok(to) = strict {
            self.state = to;
        }
        if next.is_empty() {
            self.candidates = self.candidates.with(natural_target(event)).with(self.state);
            self.broken = true;
            self.guessing = false;
            self.early = Some(event);
            return Legality::Illegal;
        }
        // If this is the missing event, the early one has already happened.
        let early = self.early.take();
        let version = self.version;
        let swapped = early
            .into_iter()
            .flat_map(|e| next.iter().filter_map(move |s| reduce(version, s, e).ok()));
        self.candidates = swapped.fold(next, StateSet::with);
        let movement = if strict.is_ok() {
            Legality::Legal
        } else if self.guessing {
            self.state = next.iter().next().unwrap_or(self.state);
            Legality::Legal
        } else {
            Legality::FollowUp
        };
        self.settle();
        movement
    }

    /// Applies an event that is on record but can't be read: one of `events`.
    pub fn apply_one_of(&mut self, events: &[Event]) {
        let next: StateSet = events
            .iter()
            .flat_map(|e| {
                self.candidates
                    .iter()
                    .filter_map(|s| reduce(self.version, s, *e).ok())
            })
            .collect();
        let strict = events
            .iter()
            .find_map(|e| reduce(self.version, self.state, *e).ok());
        if let Some(to) = strict {
            self.state = to;
        }
        self.candidates = if next.is_empty() {
            events
                .iter()
                .fold(self.candidates, |set, e| set.with(natural_target(*e)))
        } else {
            next
        };
        self.guessing |= !self.broken;
        self.broken = true;
        self.settle();
    }

    /// Handles a part that may be missing: every state becomes possible.
    pub fn lose_track(&mut self) {
        self.candidates = State::ALL.into_iter().collect();
        self.guessing |= !self.broken;
        self.broken = true;
    }

    /// Handles an event that no state explains: every state becomes possible, and the missing event
    /// before it may still follow.
    pub fn break_open(&mut self, early: Option<Event>) {
        self.candidates = State::ALL.into_iter().collect();
        self.broken = true;
        self.guessing = false;
        self.early = early;
    }

    /// Moves the execution to a known state, whatever the record says.
    pub fn put(&mut self, state: State) {
        self.state = state;
        self.candidates = StateSet::only(state);
        self.broken = false;
        self.guessing = false;
        self.early = None;
    }

    fn settle(&mut self) {
        if self.candidates.single() == Some(self.state) {
            self.broken = false;
            self.guessing = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use governance::{EvaluationKind, Ruling};

    const TURN: [Event; 6] = [
        Event::ThoughtGenerated { done: false },
        Event::ActionProposed,
        Event::GovernanceDecided(Ruling::Approved),
        Event::ExecutionFinished,
        Event::ObservationRecorded,
        Event::EvaluationMade(EvaluationKind::Continue),
    ];

    fn breaks(events: impl IntoIterator<Item = Event>) -> usize {
        let mut machine = Machine::new(FsmVersion::V1);
        events
            .into_iter()
            .filter(|e| machine.apply(*e) == Legality::Illegal)
            .count()
    }

    fn two_turns() -> Vec<Event> {
        let mut events = vec![Event::Start];
        events.extend(TURN);
        events.extend(TURN);
        events.push(Event::ThoughtGenerated { done: true });
        events.push(Event::EvaluationMade(EvaluationKind::Terminate));
        events
    }

    #[test]
    fn one_lost_event_is_one_break() {
        assert_eq!(breaks(two_turns()), 0);
        // The start isn't dropped: without it no other answer is possible.
        for lost in 1..two_turns().len() - 1 {
            let mut events = two_turns();
            let event = events.remove(lost);
            assert_eq!(breaks(events), 1, "lost {lost}: {event}");
        }
    }

    #[test]
    fn one_repeated_event_is_one_break() {
        for repeated in 1..two_turns().len() {
            let mut events = two_turns();
            events.insert(repeated, events[repeated]);
            assert_eq!(breaks(events), 1, "repeated {repeated}");
        }
    }

    #[test]
    fn two_neighbours_that_changed_places_are_one_break() {
        for first in 1..two_turns().len() - 1 {
            let mut events = two_turns();
            events.swap(first, first + 1);
            assert_eq!(breaks(events), 1, "swapped {first}");
        }
    }

    #[test]
    fn two_breaks_far_apart_are_two() {
        let mut events = two_turns();
        events.remove(9);
        events.remove(3);
        assert_eq!(breaks(events), 2);
    }

    #[test]
    fn the_strict_track_stays_where_an_illegal_event_finds_it() {
        let mut machine = Machine::at(FsmVersion::V1, State::Proposing);
        assert_eq!(machine.apply(Event::ExecutionFinished), Legality::Illegal);
        assert_eq!(machine.state(), State::Proposing);
        assert_eq!(machine.apply(Event::ActionProposed), Legality::Legal);
        assert!(!machine.is_broken());
    }
}
