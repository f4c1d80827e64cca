//! A lock that is passed in the order of block numbers, whichever thread works on a block.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A value whose users enter strictly in ticket order, beginning with ticket 0.
#[derive(Debug)]
pub(super) struct TicketLock<T> {
    state: Mutex<State<T>>,
    moved: Condvar,
}

#[derive(Debug)]
struct State<T> {
    value: T,
    /// The ticket that may enter next.
    next: u64,
    /// Whether a ticket holder gave up, so that later ones needn't wait.
    given_up: bool,
}

impl<T> TicketLock<T> {
    pub(super) fn new(value: T) -> Self {
        Self {
            state: Mutex::new(State {
                value,
                next: 0,
                given_up: false,
            }),
            moved: Condvar::new(),
        }
    }

    /// Waits until all tickets before `number` have passed, and calls `work` with the value.
    /// Returns `None` if a ticket holder gave up.
    pub(super) fn pass<R>(&self, number: u64, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        let waiting = |state: &mut State<T>| state.next != number && !state.given_up;
        let mut state = self
            .moved
            .wait_while(self.lock(), waiting)
            .unwrap_or_else(PoisonError::into_inner);
        if state.given_up {
            return None;
        }
        let result = work(&mut state.value);
        state.next += 1;
        drop(state);
        self.moved.notify_all();
        Some(result)
    }

    /// Gives up: all waiting and future ticket holders return at once.
    pub(super) fn give_up(&self) {
        self.lock().given_up = true;
        self.moved.notify_all();
    }

    pub(super) fn into_inner(self) -> T {
        self.state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .value
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pass_in_their_order_whoever_comes_first() {
        let seen = TicketLock::new(Vec::new());
        std::thread::scope(|scope| {
            for lane in [3, 1, 2, 0] {
                let seen = &seen;
                scope.spawn(move || {
                    for number in (lane..400).step_by(4) {
                        seen.pass(number, |seen| seen.push(number));
                    }
                });
            }
        });
        assert_eq!(seen.into_inner(), (0..400).collect::<Vec<_>>());
    }

    #[test]
    fn nobody_waits_for_one_who_never_comes() {
        let gate = TicketLock::new(());
        let passed = std::thread::scope(|scope| {
            let waits = scope.spawn(|| gate.pass(1, |()| ()));
            gate.give_up();
            waits.join().unwrap()
        });
        assert_eq!(passed, None);
    }
}
