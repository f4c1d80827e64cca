//! Splits the inputs of a run among machines.

use super::{Found, Input, Missing};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// One of several shares of a run, written `I/N` with `I` from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    number: u32,
    of: u32,
}

impl Share {
    /// The only share of a run that isn't split.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Creates a share; `None` unless 1 ≤ `number` ≤ `of`.
    #[must_use]
    pub fn new(number: u32, of: u32) -> Option<Self> {
        (1..=of).contains(&number).then_some(Self { number, of })
    }

    /// Returns the number of the share, from 1.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.number
    }

    /// Returns the number of shares in the run.
    #[must_use]
    pub const fn of(self) -> u32 {
        self.of
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Share {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('/');
        let share =
            parts.and_then(|(number, of)| Self::new(number.parse().ok()?, of.parse().ok()?));
        share.ok_or("expected I/N, with I from 1 to N")
    }
}

/// The inputs of a run, one after the other, as the shares divide them. Every machine that sees the
/// same files makes the same plan.
#[derive(Debug)]
pub struct Plan {
    /// The position of each input's first byte.
    starts: Vec<u64>,
    total: u64,
    digest: [u8; 32],
}

impl Plan {
    /// Makes the plan for inputs that all have a size: the files under the given paths.
    ///
    /// # Errors
    /// Standard input can't be divided.
    pub fn new(inputs: &[Result<Found, Missing>]) -> Result<Self, &'static str> {
        let mut starts = Vec::with_capacity(inputs.len());
        let mut total = 0_u64;
        let mut hash = blake3::Hasher::new();
        for input in inputs {
            let (name, size) = match input {
                Ok(found) if found.input == Input::Stdin => {
                    return Err("standard input can't be divided");
                }
                Ok(found) => (&found.name, size(found)),
                Err(missing) => (&missing.name, 0),
            };
            starts.push(total);
            total = total.saturating_add(size);
            hash.update(&(name.len() as u64).to_le_bytes())
                .update(name.as_bytes())
                .update(&size.to_le_bytes());
        }
        Ok(Self {
            starts,
            total,
            digest: hash.finalize().into(),
        })
    }

    /// Returns the indexes of the inputs in a share: those that begin in its part of all bytes.
    #[must_use]
    pub fn inputs(&self, share: Share) -> Range<usize> {
        let index = |number: u32| {
            if number == share.of {
                return self.starts.len();
            }
            let bound = u128::from(self.total) * u128::from(number) / u128::from(share.of);
            let bound = u64::try_from(bound).unwrap_or(u64::MAX);
            self.starts.partition_point(|start| *start < bound)
        };
        index(share.number - 1)..index(share.number)
    }

    /// Returns a hash of the names and sizes of all inputs.
    #[must_use]
    pub const fn digest(&self) -> [u8; 32] {
        self.digest
    }
}

/// Returns the size of an input in bytes, as stored.
fn size(found: &Found) -> u64 {
    let sizes = found.files().into_iter();
    sizes
        .map(|(_, path)| path.metadata().map_or(0, |about| about.len()))
        .fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plan(sizes: &[u64]) -> Plan {
        let mut total = 0;
        let starts = sizes.iter().map(|size| {
            let start = total;
            total += size;
            start
        });
        Plan {
            starts: starts.collect(),
            total: sizes.iter().sum(),
            digest: [0; 32],
        }
    }

    #[test]
    fn a_share_is_written_as_a_fraction() {
        assert_eq!("2/3".parse(), Ok(Share { number: 2, of: 3 }));
        for wrong in ["0/3", "4/3", "1", "/", "1/0", "-1/2", "1/2/3", "a/b"] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn standard_input_is_not_divided() {
        let stdin = Found {
            name: "<stdin>".into(),
            input: Input::Stdin,
        };
        assert!(Plan::new(&[Ok(stdin)]).is_err());
    }

    proptest! {
        #[test]
        fn each_input_is_in_one_share(
            sizes in proptest::collection::vec(0u64..1000, 0..40),
            of in 1u32..50,
        ) {
            let plan = plan(&sizes);
            let mut next = 0;
            for number in 1..=of {
                let inputs = plan.inputs(Share { number, of });
                prop_assert_eq!(inputs.start, next);
                next = inputs.end;
            }
            prop_assert_eq!(next, sizes.len());
        }

        #[test]
        fn no_share_gets_more_than_its_part_and_one_input(
            sizes in proptest::collection::vec(1u64..1000, 1..40),
            of in 1u32..50,
        ) {
            let plan = plan(&sizes);
            for number in 1..=of {
                let inputs = sizes.get(plan.inputs(Share { number, of })).unwrap_or_default();
                let last = inputs.last().copied().unwrap_or_default();
                let sum: u64 = inputs.iter().sum();
                prop_assert!(sum <= plan.total / u64::from(of) + 1 + last);
            }
        }
    }
}
