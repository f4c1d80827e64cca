//! The approvals and costs of several executions, in the order of their times.

use crate::action::type_bit;
use borsh::{BorshDeserialize, BorshSerialize};
use governance::ActionType;

/// Maximum number of entries of a timeline.
const MAX_ENTRIES: usize = 4_000_000;

const DAY: i64 = 24 * 60 * 60_000;

/// A time in milliseconds since the epoch, and the number of the entry in the order of reading.
pub type Moment = (i64, u64);

/// What happened in several executions, in the order of reading.
#[derive(Debug, Clone, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Timeline {
    /// The approvals, by the bit of their type.
    approvals: [Vec<Moment>; 5],
    costs: Vec<(Moment, f64)>,
    is_full: bool,
}

/// A timeline in the order of times. Windows of hours and days are counted over all executions.
#[derive(Debug, Clone, Default)]
pub struct SortedTimeline {
    approvals: [Vec<Moment>; 5],
    /// Each cost, with the sum of its UTC day up to and including it.
    costs: Vec<(Moment, f64)>,
}

impl Timeline {
    /// Adds an approval.
    pub fn approve(&mut self, kind: Option<ActionType>, at: Moment) {
        if self.has_room(1)
            && let Some(times) = self.approvals.get_mut(slot(kind))
        {
            times.push(at);
        }
    }

    /// Adds the cost of an action.
    pub fn spend(&mut self, cost: f64, at: Moment) {
        if cost.is_finite() && cost > 0.0 && self.has_room(1) {
            self.costs.push((at, cost));
        }
    }

    /// Adds what was read later, after this number of entries. If that is too much, none of it is
    /// kept.
    pub fn absorb(&mut self, later: Self, entries: u64) {
        self.is_full |= later.is_full;
        if !self.has_room(later.len()) {
            return;
        }
        let shifted = |(time, number): Moment| (time, number.saturating_add(entries));
        for (all, later) in self.approvals.iter_mut().zip(later.approvals) {
            all.extend(later.into_iter().map(shifted));
        }
        let later = later.costs.into_iter();
        self.costs
            .extend(later.map(|(at, cost)| (shifted(at), cost)));
    }

    /// Sorts the entries, so that they can be counted.
    #[must_use]
    pub fn sorted(self) -> SortedTimeline {
        let Self {
            mut approvals,
            mut costs,
            ..
        } = self;
        for times in &mut approvals {
            times.sort_unstable();
        }
        costs.sort_unstable_by_key(|(at, _)| *at);
        let (mut sum, mut day) = (0.0, None);
        for ((time, _), cost) in &mut costs {
            let own = Some(time.div_euclid(DAY));
            sum = if day == own { sum + *cost } else { *cost };
            day = own;
            *cost = sum;
        }
        SortedTimeline { approvals, costs }
    }

    /// Whether there were more entries than are kept, so that counts are too low.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.is_full
    }

    fn len(&self) -> usize {
        self.approvals.iter().map(Vec::len).sum::<usize>() + self.costs.len()
    }

    fn has_room(&mut self, entries: usize) -> bool {
        self.is_full |= self.len().saturating_add(entries) > MAX_ENTRIES;
        !self.is_full
    }
}

impl SortedTimeline {
    /// The number of approvals of a type in the window that ends before `now`.
    pub(crate) fn count(&self, kind: Option<ActionType>, window: i64, now: Moment) -> u64 {
        let times = self.approvals.get(slot(kind)).map(Vec::as_slice);
        let times = times.unwrap_or_default();
        let start = now.0.saturating_sub(window);
        let before = times.partition_point(|at| *at < now);
        let earlier = times.partition_point(|(time, _)| *time <= start);
        before.saturating_sub(earlier) as u64
    }

    /// The cost of the UTC day of `now`, up to `now`.
    pub(crate) fn cost_of_day(&self, now: Moment) -> f64 {
        let before = self.costs.partition_point(|(at, _)| *at < now);
        let last = before.checked_sub(1).and_then(|last| self.costs.get(last));
        last.filter(|((time, _), _)| time.div_euclid(DAY) == now.0.div_euclid(DAY))
            .map_or(0.0, |(_, sum)| *sum)
    }
}

/// The index of a type.
fn slot(kind: Option<ActionType>) -> usize {
    type_bit(kind).trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SHELL: Option<ActionType> = Some(ActionType::ShellCmd);

    #[test]
    fn days_are_those_of_utc() {
        let mut timeline = Timeline::default();
        let day = 20_000 * DAY;
        for (number, (time, cost)) in [(day - 1, 5.0), (day, 7.0), (day + 10, 1.5), (day, 2.0)]
            .into_iter()
            .enumerate()
        {
            timeline.spend(cost, (time, number as u64));
        }
        timeline.spend(f64::NAN, (day, 9));
        timeline.spend(-3.0, (day, 9));
        let timeline = timeline.sorted();
        let cost = |time, number| timeline.cost_of_day((time, number));
        assert!((cost(day - 1, 9) - 5.0).abs() < 1e-9);
        assert!(cost(day, 0).abs() < 1e-9, "midnight begins a day");
        assert!((cost(day, 9) - 9.0).abs() < 1e-9);
        assert!((cost(day + 20, 0) - 10.5).abs() < 1e-9);
        assert!(cost(day + DAY, 0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn counts_are_those_of_a_scan(
            entries in proptest::collection::vec((0i64..50, 0u8..2), 0..40),
            now in 0i64..60, number in 0u64..45, window in 1i64..40,
        ) {
            let kinds = [SHELL, None];
            let mut timeline = Timeline::default();
            for (number, (time, kind)) in (0..).zip(&entries) {
                timeline.approve(kinds[usize::from(*kind)], (*time, number));
            }
            let timeline = timeline.sorted();
            for (bit, kind) in (0..).zip(kinds) {
                let in_window = (0..).zip(&entries).filter(|(n, (time, of))| {
                    *of == bit && (*time, *n) < (now, number) && *time > now - window
                });
                prop_assert_eq!(timeline.count(kind, window, (now, number)), in_window.count() as u64);
            }
        }
    }
}
