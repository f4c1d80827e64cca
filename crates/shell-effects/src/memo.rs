//! What names say, remembered: the same few tools and parameters are called again and again.

/// Names that are remembered at once.
const SLOTS: usize = 256;
/// Bytes of such a name.
const LENGTH: usize = 64;

/// What a pure function says of names. Each name has one place: who invents names that share one
/// has each of them looked at anew, and costs no more than without a memory.
#[derive(Debug)]
pub(super) struct Memo<T>(Vec<Option<(Box<str>, T)>>);

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self((0..SLOTS).map(|_| None).collect())
    }
}

impl<T: Copy> Memo<T> {
    /// What `find` says of a name.
    pub fn get(&mut self, name: &str, find: impl FnOnce(&str) -> T) -> T {
        let slot = self.0.get_mut(place(name));
        if let Some(Some((known, said))) = &slot
            && **known == *name
        {
            return *said;
        }
        let found = find(name);
        if let Some(slot) = slot.filter(|_| name.len() <= LENGTH) {
            *slot = Some((name.into(), found));
        }
        found
    }
}

/// The place of a name, by its length and how it begins and ends.
fn place(name: &str) -> usize {
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
    fn asks_once_and_stays_small() {
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
        fn says_what_the_function_says(names in proptest::collection::vec("[ab]{0,3}|x{60,70}", 0..600)) {
            let mut memo = Memo::default();
            for name in names {
                prop_assert_eq!(memo.get(&name, |name| (name.len(), name.chars().last())), (name.len(), name.chars().last()));
            }
        }
    }
}
