//! A fixed-size cache by name: the same few tools and parameters occur again and again.

/// Number of cached names.
const SLOTS: usize = 256;
/// Maximum length in bytes of a cached name.
const LENGTH: usize = 64;

/// A direct-mapped cache of a pure function of names. Colliding names evict each other: a hostile
/// trace that provokes collisions costs no more than no cache.
#[derive(Debug)]
pub(super) struct Memo<T>(Vec<Option<(Box<str>, T)>>);

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self((0..SLOTS).map(|_| None).collect())
    }
}

impl<T: Copy> Memo<T> {
    /// Returns the cached result for a name, or computes and stores it with `find`.
    pub fn get(&mut self, name: &str, find: impl FnOnce(&str) -> T) -> T {
        let slot = self.0.get_mut(slot_of(name));
        if let Some(Some((known, result))) = &slot
            && **known == *name
        {
            return *result;
        }
        let found = find(name);
        if let Some(slot) = slot.filter(|_| name.len() <= LENGTH) {
            *slot = Some((name.into(), found));
        }
        found
    }
}

/// Hashes a name to its slot, by its length, its beginning and its end.
fn slot_of(name: &str) -> usize {
    let bytes = name.as_bytes();
    let fold = |bytes: &[u8]| {
        bytes.iter().fold(0, |sum: usize, byte| {
            sum.wrapping_mul(31).wrapping_add(usize::from(*byte))
        })
    };
    let end = bytes
        .get(bytes.len().saturating_sub(4)..)
        .unwrap_or_default();
    let sum = fold(bytes.get(..bytes.len().min(4)).unwrap_or_default())
        .wrapping_mul(7)
        .wrapping_add(fold(end));
    (sum ^ sum >> 8).wrapping_add(bytes.len()) % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn computes_once_and_stays_small() {
        let mut memo = Memo::default();
        assert_eq!((memo.get("a", str::len), memo.get("a", |_| 7)), (1, 1));
        let long = "x".repeat(LENGTH + 1);
        assert_eq!(
            (memo.get(&long, str::len), memo.get(&long, |_| 7)),
            (LENGTH + 1, 7)
        );
        for n in 0..2 * SLOTS {
            memo.get(&n.to_string(), str::len);
        }
        assert_eq!(memo.0.len(), SLOTS);
    }

    proptest! {
        #[test]
        fn returns_what_the_function_returns(
            names in proptest::collection::vec("[ab]{0,3}|x{60,70}", 0..600)
        ) {
            let find = |name: &str| (name.len(), name.chars().last());
            let mut memo = Memo::default();
            for name in names {
                prop_assert_eq!(memo.get(&name, find), find(&name));
            }
        }
    }
}
