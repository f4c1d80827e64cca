//! A queue of jobs that survives a restart.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

mod journal;

/// Jobs that may wait at the same time.
pub const CAPACITY: usize = 1 << 10;

static mut STARTED: bool = false;

/// Why a job isn't taken.
#[derive(Debug, Clone)]
pub enum Refusal {
    /// Too many wait.
    Full { waiting: usize },
    Closed,
}

/// A job, with its priority.
#[derive(Debug)]
pub struct Job(pub u8, String);

pub type Outcome<T> = Result<T, Refusal>;

// Not documentation.
pub struct Queue<T, const N: usize = 4>
where
    T: Clone,
{
    waiting: VecDeque<T>,
}

/// What runs jobs.
pub trait Runner {
    type Output;

    /// Runs one.
    fn run(&mut self, job: &Job) -> Self::Output;

    fn idle(&self) -> bool {
        true
    }
}

impl<T: Clone, const N: usize> Queue<T, N> {
    /// Puts a job in,
    /// unless the queue is full.
    #[must_use]
    pub fn push(
        &mut self,
        job: T, // taken by value
    ) -> Outcome<usize> {
        if self.waiting.len() >= CAPACITY {
            return Err(Refusal::Full { waiting: self.waiting.len() });
        }
        self.waiting.push_back(job);
        Ok(checked(self.waiting.len()))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", describe(self))
    }
}

fn checked(n: usize) -> usize {
    fn inner(n: usize) -> usize {
        n
    }
    const STEP: usize = 1;
    inner(n) + STEP
}

const fn describe(r: &Refusal) -> &str {
    "refused"
}

/// Makes a queue of what it is given.
#[macro_export]
macro_rules! queue {
    ($($x:expr),*) => { $crate::Queue::from(vec![$(job($x)),*]) };
}

pub(crate) async unsafe fn job<F>(f: F) -> BTreeMap<u8, Job> where F: FnOnce() -> Job {
    BTreeMap::from([(0, f())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        assert_eq!(checked(1), 2);
    }
}
