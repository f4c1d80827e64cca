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
    /// The position of each input's first byte, and that behind the last one.
    starts: Vec<u64>,
    digest: [u8; 32],
}

/// The part of an input that lies in a share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Index of the input.
    pub input: usize,
    /// The bytes of the input.
    pub bytes: Range<u64>,
    /// Size of the input in bytes.
    pub size: u64,
    /// Number of bytes on each side of a cut that certainly lie in the two parts next to it, if
    /// both are within the input.
    pub reach: u64,
}

impl Part {
    /// Returns whether it is the part in which the input begins. An empty input begins once, too.
    #[must_use]
    pub fn begins_input(&self) -> bool {
        self.bytes.start == 0 && (self.size == 0 || !self.bytes.is_empty())
    }
}

impl Plan {
    /// Makes the plan for inputs that all have a size: the files under the given paths.
    ///
    /// # Errors
    /// Standard input can't be divided.
    pub fn new(inputs: &[Result<Found, Missing>]) -> Result<Self, &'static str> {
        let mut starts = Vec::with_capacity(inputs.len() + 1);
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
        starts.push(total);
        Ok(Self {
            starts,
            digest: hash.finalize().into(),
        })
    }

    /// Returns what lies in a share. An input without bytes lies where the next one begins.
    pub fn parts(&self, share: Share) -> impl Iterator<Item = Part> {
        let total = self.starts.last().copied().unwrap_or_default();
        let bound = |number: u32| {
            let bound = u128::from(total) * u128::from(number) / u128::from(share.of);
            u64::try_from(bound).unwrap_or(u64::MAX)
        };
        let (from, to) = (bound(share.number - 1), bound(share.number));
        let is_last = share.number == share.of;
        let reach = total / u64::from(share.of) / 2;
        let inputs = self.starts.iter().zip(self.starts.iter().skip(1));
        inputs.enumerate().filter_map(move |(input, (start, end))| {
            let begins = *start >= from && (*start < to || is_last);
            let bytes = from.clamp(*start, *end) - start..to.clamp(*start, *end) - start;
            (begins || !bytes.is_empty()).then_some(Part {
                input,
                bytes,
                size: end - start,
                reach,
            })
        })
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
        let mut starts = vec![0];
        starts.extend(sizes.iter().scan(0, |sum, size| {
            *sum += size;
            Some(*sum)
        }));
        Plan {
            starts,
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
        fn each_byte_and_each_begin_is_in_one_share(
            sizes in proptest::collection::vec(0u64..1000, 0..40),
            of in 1u32..50,
        ) {
            let plan = plan(&sizes);
            let total: u64 = sizes.iter().sum();
            let mut begun = 0;
            let mut read = vec![0; sizes.len()];
            for number in 1..=of {
                let mut bytes = 0;
                for part in plan.parts(Share { number, of }) {
                    prop_assert_eq!(part.bytes.start, read[part.input]);
                    prop_assert_eq!(part.size, sizes[part.input]);
                    read[part.input] = part.bytes.end;
                    bytes += part.bytes.end - part.bytes.start;
                    begun += usize::from(part.bytes.start == 0 && part.input == begun);
                }
                prop_assert!(bytes <= total / u64::from(of) + 1);
            }
            prop_assert_eq!(begun, sizes.len());
            prop_assert_eq!(read, sizes);
        }
    }
}
