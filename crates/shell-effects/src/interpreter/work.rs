//! The budget of an analysis: work and depth.

/// Maximum nesting of code in code (`sh -c`, `eval`, functions, wrappers).
const MAX_LEVEL: usize = 20;

/// The remaining work, and how deeply the current code is nested.
pub(crate) struct Work {
    fuel: usize,
    level: usize,
}

impl Work {
    pub(crate) fn new(fuel: usize) -> Self {
        Self { fuel, level: 0 }
    }

    pub(crate) fn burn(&mut self, n: usize) {
        self.fuel = self.fuel.saturating_sub(n);
    }

    pub(crate) fn fuel(&self) -> usize {
        self.fuel
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.fuel == 0
    }

    pub(crate) fn enter(&mut self) {
        self.level += 1;
    }

    pub(crate) fn leave(&mut self) {
        self.level -= 1;
    }

    /// Returns whether the current text isn't nested in other code.
    pub(crate) fn is_outermost(&self) -> bool {
        self.level == 1
    }

    pub(crate) fn is_too_deep(&self) -> bool {
        self.level >= MAX_LEVEL
    }
}
