//! Number of turns and the expected turn numbers.

/// Counts turns and compares them with the limit.
#[derive(Debug, Default)]
pub(super) struct TurnNumbers {
    count: u64,
    max: Option<i64>,
    over_max: Option<u64>,
    /// Set after a restart of the early machine, until a turn begins: the last turn's number, and
    /// whether a second start may still follow.
    restart: Option<(i64, bool)>,
    /// It isn't known whether the next turn's number is the expected one.
    missed: bool,
}

impl TurnNumbers {
    pub(super) fn begin(&mut self, line: u64) {
        self.restart = None;
        self.missed = false;
        self.count += 1;
        if self
            .max
            .is_some_and(|max| i64::try_from(self.count).is_ok_and(|n| n > max))
        {
            self.over_max.get_or_insert(line);
        }
    }

    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    pub(super) const fn max(&self) -> Option<i64> {
        self.max
    }

    /// Sets the limit, if one is given.
    pub(super) fn limit(&mut self, max: Option<i64>) {
        self.max = max.or(self.max);
    }

    /// Returns the line of the first turn beyond the limit, and the limit.
    pub(super) fn over_max(&self) -> Option<(u64, i64)> {
        self.over_max
            .map(|line| (line, self.max.unwrap_or_default()))
    }

    /// Records that lost records may have contained turns.
    pub(super) const fn miss(&mut self) {
        self.missed = true;
    }

    pub(super) const fn are_missed(&self) -> bool {
        self.missed
    }

    /// Restarts the early machine after turn `last`.
    pub(super) const fn restart(&mut self, last: i64) {
        self.restart = Some((last, true));
    }

    /// Returns whether a start is only the second of two that restart the early machine.
    pub(super) fn is_second_start(&mut self) -> bool {
        match &mut self.restart {
            Some((_, second @ true)) => {
                *second = false;
                true
            }
            _ => false,
        }
    }

    /// Handles a step other than a start: no second start can follow.
    pub(super) fn go_on(&mut self) {
        self.restart = self.restart.map(|(last, _)| (last, false));
    }

    /// Returns whether `found` continues the numbers from before a restart.
    pub(super) fn counts_on(&self, found: i64) -> bool {
        self.restart
            .is_some_and(|(last, _)| found == last.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_turn_too_many_is_reported() {
        let mut turns = TurnNumbers::default();
        turns.limit(Some(1));
        turns.limit(None);
        turns.begin(3);
        assert_eq!(turns.over_max(), None);
        turns.begin(5);
        turns.begin(7);
        assert_eq!((turns.over_max(), turns.count()), (Some((5, 1)), 3));
    }

    #[test]
    fn a_second_start_follows_the_first_directly() {
        let mut turns = TurnNumbers::default();
        assert!(!turns.is_second_start());
        turns.restart(4);
        assert!(turns.counts_on(5) && !turns.counts_on(1));
        assert!(turns.is_second_start() && !turns.is_second_start());
        turns.restart(4);
        turns.go_on();
        assert!(!turns.is_second_start() && turns.counts_on(5));
        turns.begin(9);
        assert!(!turns.counts_on(5));
    }
}
