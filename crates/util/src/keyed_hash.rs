//! Hashes for recognising a value again without keeping it.

use std::hash::{BuildHasher as _, Hash, RandomState};
use std::sync::LazyLock;

/// The key, new in each process.
static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// Hashes a value with a key that is new in each process, so that nobody can write two values with
/// the same hash into an input. The hash differs between runs: it must neither be shown nor
/// determine an order.
#[must_use]
pub fn keyed_hash(value: &(impl Hash + ?Sized)) -> u64 {
    KEY.hash_one(value)
}

#[cfg(test)]
mod tests {
    use super::keyed_hash;

    #[test]
    fn equal_values_have_equal_hashes() {
        assert_eq!(keyed_hash("a"), keyed_hash(&String::from("a")));
        assert_ne!(keyed_hash("a"), keyed_hash("b"));
        assert_ne!(keyed_hash(&("ab", "c")), keyed_hash(&("a", "bc")));
    }
}
