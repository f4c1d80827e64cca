//! Hashes with a random key.

use siphasher::sip::SipHasher13;
use std::hash::{BuildHasher as _, Hash, Hasher as _, RandomState};
use std::sync::OnceLock;

/// The key, new in each process unless it was given.
static KEY: OnceLock<[u64; 2]> = OnceLock::new();

/// Gives the key, so that several processes have one. It should depend on what nobody who writes an
/// input knows. Returns false, without effect, if there is another key already: something was
/// hashed before.
#[must_use]
pub fn share_key(key: [u64; 2]) -> bool {
    *KEY.get_or_init(|| key) == key
}

/// Hashes a value with a key that is new in each process, so that nobody can write two values with
/// the same hash into an input. The hash differs between runs: it must neither be shown nor
/// determine an order.
#[must_use]
pub fn keyed_hash(value: &(impl Hash + ?Sized)) -> u64 {
    let [one, other] = *KEY.get_or_init(|| {
        let random = RandomState::new();
        [random.hash_one(1), random.hash_one(2)]
    });
    let mut hasher = SipHasher13::new_with_keys(one, other);
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::{keyed_hash, share_key};

    #[test]
    fn equal_values_have_equal_hashes() {
        assert_eq!(keyed_hash("a"), keyed_hash(&String::from("a")));
        assert_ne!(keyed_hash("a"), keyed_hash("b"));
        assert_ne!(keyed_hash(&("ab", "c")), keyed_hash(&("a", "bc")));
        assert!(!share_key([0, 0]), "there is a key already");
    }
}
