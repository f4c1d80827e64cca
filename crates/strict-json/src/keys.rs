//! Which member names an object has had so far, for every object that is open.

use std::borrow::Cow;
use std::collections::HashSet;

/// Above this many members an object's names move from a list into a set, so that an object with a
/// million members costs a million look-ups and not half a billion comparisons.
const LINEAR: usize = 24;

/// Names of open objects that are remembered at once. Any more take memory and tell nobody
/// anything.
pub const MOST_NAMES: usize = 100_000;

/// What is known of a name that an object has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    First,
    Again,
    /// There are too many names to tell.
    Untold,
}

/// The names of the open objects, innermost last. One allocation serves a whole file.
#[derive(Debug, Default)]
pub(super) struct KeyStack<'a> {
    names: Vec<Cow<'a, str>>,
    /// One for each name. Kept apart, so that looking through them is a run over plain integers.
    signatures: Vec<u64>,
    frames: Vec<Frame<'a>>,
    /// Names in sets.
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

    /// Forgets every open object: after an error the frames above are never closed.
    pub(super) fn clear(&mut self) {
        self.names.clear();
        self.signatures.clear();
        self.frames.clear();
        self.in_sets = 0;
    }

    /// Enters a name into the innermost object.
    pub(super) fn insert(&mut self, name: Cow<'a, str>) -> Seen {
        let full = self.in_sets + self.names.len() >= MOST_NAMES;
        let Some(frame) = self.frames.last_mut() else {
            return Seen::First;
        };
        if let Some(set) = &mut frame.many {
            return match (set.contains(&name), full) {
                (true, _) => Seen::Again,
                (false, true) => Seen::Untold,
                (false, false) => {
                    self.in_sets += 1;
                    set.insert(name);
                    Seen::First
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
                return Seen::Again;
            }
        }
        if full {
            return Seen::Untold;
        }
        if known.len() >= LINEAR {
            let mut set: HashSet<Cow<'a, str>> = self.names.drain(start..).collect();
            self.signatures.truncate(start);
            set.insert(name);
            self.in_sets += set.len();
            frame.many = Some(set);
        } else {
            self.names.push(name);
            self.signatures.push(signature);
        }
        Seen::First
    }
}

/// Length and the first eight bytes: enough to tell apart nearly all names of a record without
/// comparing text.
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
        assert_eq!(keys.insert("a".into()), Seen::First);
        keys.open();
        assert_eq!(keys.insert("a".into()), Seen::First);
        assert_eq!(keys.insert("a".into()), Seen::Again);
        keys.close();
        assert_eq!(keys.insert("b".into()), Seen::First);
        assert_eq!(keys.insert("a".into()), Seen::Again);
    }

    #[test]
    fn finds_duplicates_among_many_names() {
        let mut keys = KeyStack::default();
        keys.open();
        for n in 0..1000 {
            assert_eq!(
                keys.insert(format!("member-{n}").into()),
                Seen::First,
                "{n}"
            );
        }
        for n in 0..1000 {
            assert_eq!(
                keys.insert(format!("member-{n}").into()),
                Seen::Again,
                "{n}"
            );
        }
    }

    #[test]
    fn too_many_names_are_not_remembered_and_closing_forgets_them() {
        let mut keys = KeyStack::default();
        keys.open();
        for n in 0..MOST_NAMES {
            assert_eq!(keys.insert(n.to_string().into()), Seen::First, "{n}");
        }
        assert_eq!(keys.insert("0".into()), Seen::Again);
        assert_eq!(keys.insert("x".into()), Seen::Untold);
        keys.open();
        assert_eq!(keys.insert("x".into()), Seen::Untold);
        keys.close();
        keys.close();
        keys.open();
        assert_eq!(keys.insert("x".into()), Seen::First);
    }
}
