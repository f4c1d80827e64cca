//! What names say, remembered: the same few tools and parameters are called again and again.

use std::collections::HashMap;

/// Names that are remembered; who invents new ones all the time gets each looked at anew.
const NAMES: usize = 1024;
/// Bytes of such a name.
const LENGTH: usize = 64;

/// What a pure function says of names. The hashing is keyed: whoever writes the trace chooses the names.
#[derive(Debug)]
pub(super) struct Memo<T>(HashMap<Box<str>, T>);

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T: Copy> Memo<T> {
    /// What `find` says of a name.
    pub(super) fn get(&mut self, name: &str, find: impl FnOnce(&str) -> T) -> T {
        if let Some(known) = self.0.get(name) {
            return *known;
        }
        let found = find(name);
        if name.len() <= LENGTH && self.0.len() < NAMES {
            self.0.insert(name.into(), found);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_once_and_stays_small() {
        let mut memo = Memo::default();
        assert_eq!((memo.get("a", str::len), memo.get("a", |_| 7)), (1, 1));
        for n in 0..2 * NAMES {
            memo.get(&n.to_string(), str::len);
        }
        let long = "x".repeat(LENGTH + 1);
        assert_eq!((memo.get(&long, str::len), memo.get(&long, |_| 7)), (LENGTH + 1, 7));
        assert_eq!(memo.0.len(), NAMES);
    }
}
