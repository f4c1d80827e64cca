//! The member names seen so far, for every open object.

use std::borrow::Cow;
use std::collections::HashSet;

/// Number of members above which names move from a list into a set. An object with a million
/// members then costs a million look-ups instead of half a billion comparisons.
const LINEAR: usize = 24;

/// Maximum number of names of open objects that are remembered, to bound the memory.
pub const MOST_NAMES: usize = 100_000;

/// The result of inserting a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameStatus {
    New,
    Duplicate,
    /// Too many names are open for the name to be remembered.
    Unknown,
}

/// The names of the open objects, innermost last. One allocation is reused for a whole file.
#[derive(Debug, Default)]
pub(super) struct KeyStack<'a> {
    names: Vec<Cow<'a, str>>,
    /// The signature of each name. They are separate, so that a search only reads integers.
    signatures: Vec<u64>,
    frames: Vec<Frame<'a>>,
    /// Number of names in sets.
    in_sets: usize,
}

#[derive(Debug)]
struct Frame<'a> {
    start: usize,
    many: Option<HashSet<Cow<'a, str>>>,
}

impl<'a> KeyStack<'a> {
    pub(super) fn open(&mut self) {
        self.frames.push(Frame {
            start: self.names.len(),
            many: None,
        });
    }

    pub(super) fn close(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.names.truncate(frame.start);
            self.signatures.truncate(frame.start);
            self.in_sets -= frame.many.map_or(0, |set| set.len());
        }
    }

    /// Forgets all open objects. After an error, their frames are never closed.
    pub(super) fn clear(&mut self) {
        self.names.clear();
        self.signatures.clear();
        self.frames.clear();
        self.in_sets = 0;
    }

    /// Inserts a name into the innermost object.
    pub(super) fn insert(&mut self, name: Cow<'a, str>) -> NameStatus {
        let full = self.in_sets + self.names.len() >= MOST_NAMES;
        let Some(frame) = self.frames.last_mut() else {
            return NameStatus::New;
        };
        if let Some(set) = &mut frame.many {
            return match (set.contains(&name), full) {
                (true, _) => NameStatus::Duplicate,
                (false, true) => NameStatus::Unknown,
                (false, false) => {
                    self.in_sets += 1;
                    set.insert(name);
                    NameStatus::New
                }
            };
        }
        let signature = signature(&name);
        let start = frame.start;
        let known = self.signatures.get(start..).unwrap_or_default();
        if known.contains(&signature) {
            let same = known
                .iter()
                .zip(self.names.get(start..).unwrap_or_default())
                .any(|(s, n)| *s == signature && *n == name);
            if same {
                return NameStatus::Duplicate;
            }
        }
        if full {
            return NameStatus::Unknown;
        }
        if known.len() >= LINEAR {
            let mut set: HashSet<Cow<'a, str>> = self.names.drain(start..).collect();
            self.signatures.truncate(start);
            set.insert(name);
            self.in_sets += set.len();
            frame.many = Some(set);
        } else {
            if self.names.capacity() == 0 {
                self.names.reserve(LINEAR);
                self.signatures.reserve(LINEAR);
            }
            self.names.push(name);
            self.signatures.push(signature);
        }
        NameStatus::New
    }
}

/// Combines the length and the first eight bytes. This distinguishes nearly all names of a record
/// without comparing text.
fn signature(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let head = match bytes.first_chunk::<8>() {
        Some(head) => u64::from_le_bytes(*head),
        None => bytes.iter().fold(0, |acc, b| acc << 8 | u64::from(*b)),
    };
    head ^ (name.len() as u64).rotate_right(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_duplicates_in_the_innermost_object_only() {
        let mut keys = KeyStack::default();
        keys.open();
        assert_eq!(keys.insert("a".into()), NameStatus::New);
        keys.open();
        assert_eq!(keys.insert("a".into()), NameStatus::New);
        assert_eq!(keys.insert("a".into()), NameStatus::Duplicate);
        keys.close();
        assert_eq!(keys.insert("b".into()), NameStatus::New);
        assert_eq!(keys.insert("a".into()), NameStatus::Duplicate);
    }

    #[test]
    fn finds_duplicates_among_many_names() {
        let mut keys = KeyStack::default();
        keys.open();
        for n in 0..1000 {
            assert_eq!(
                keys.insert(format!("member-{n}").into()),
                NameStatus::New,
                "{n}"
            );
        }
        for n in 0..1000 {
            assert_eq!(
                keys.insert(format!("member-{n}").into()),
                NameStatus::Duplicate,
                "{n}"
            );
        }
    }

    #[test]
    fn too_many_names_are_not_remembered_and_closing_forgets_them() {
        let mut keys = KeyStack::default();
        keys.open();
        for n in 0..MOST_NAMES {
            assert_eq!(keys.insert(n.to_string().into()), NameStatus::New, "{n}");
        }
        assert_eq!(keys.insert("0".into()), NameStatus::Duplicate);
        assert_eq!(keys.insert("x".into()), NameStatus::Unknown);
        keys.open();
        assert_eq!(keys.insert("x".into()), NameStatus::Unknown);
        keys.close();
        keys.close();
        keys.open();
        assert_eq!(keys.insert("x".into()), NameStatus::New);
    }
}
