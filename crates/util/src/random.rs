//! Reproducible pseudo-random numbers. Don't use them for secrets.

/// A pseudo-random number generator (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014: `SplitMix64`). The value is its state.
#[derive(Debug, Clone)]
pub struct SplitMix(pub u64);

impl SplitMix {
    /// Returns the next number.
    #[expect(
        clippy::should_implement_trait,
        reason = "it never ends, so there is no `Option` to tell"
    )]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `n`, or 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        let n = u64::try_from(n.max(1)).unwrap_or(1);
        usize::try_from(self.next() % n).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers for seed 1234567, as published with the reference implementation.
    #[test]
    fn the_numbers_are_those_of_the_reference() {
        let mut numbers = SplitMix(1_234_567);
        let first = [numbers.next(), numbers.next(), numbers.next()];
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
        assert_eq!(numbers.below(1), 0);
        assert_eq!(numbers.below(0), 0);
    }
}
