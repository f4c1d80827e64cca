//! Which member names an object has had so far, for every object that is open.

use std::borrow::Cow;
use std::collections::HashSet;

/// Above this many members an object's names move from a list into a set, so that an object with a
/// million members costs a million look-ups and not half a billion comparisons.
const LINEAR: usize = 24;

/// The names of the open objects, innermost last. One allocation serves a whole file.
#[derive(Debug, Default)]
pub(super) struct KeyStack<'a> {
    names: Vec<Cow<'a, str>>,
    /// One for each name. Kept apart, so that looking through them is a run over plain integers.
    signatures: Vec<u64>,
    frames: Vec<Frame<'a>>,
}

#[derive(Debug)]
struct Frame<'a> {
    start: usize,
    many: Option<HashSet<Cow<'a, str>>>,
}

impl<'a> KeyStack<'a> {
    pub(super) fn open(&mut self) {
        self.frames.push(Frame { start: self.names.len(), many: None });
    }

    pub(super) fn close(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.names.truncate(frame.start);
            self.signatures.truncate(frame.start);
        }
    }

    /// Forgets every open object: after an error the frames above are never closed.
    pub(super) fn clear(&mut self) {
        self.names.clear();
        self.signatures.clear();
        self.frames.clear();
    }

    /// Enters a name into the innermost object; `false` when it was there already.
    pub(super) fn insert(&mut self, name: Cow<'a, str>) -> bool {
        let Some(frame) = self.frames.last_mut() else {
            return true;
        };
        if let Some(set) = &mut frame.many {
            return set.insert(name);
        }
        let signature = signature(&name);
        let start = frame.start;
        let known = self.signatures.get(start..).unwrap_or_default();
        if known.contains(&signature) {
            let same = known.iter().zip(self.names.get(start..).unwrap_or_default()).any(|(s, n)| *s == signature && *n == name);
            if same {
                return false;
            }
        }
        if known.len() >= LINEAR {
            let mut set: HashSet<Cow<'a, str>> = self.names.drain(start..).collect();
            self.signatures.truncate(start);
            set.insert(name);
            frame.many = Some(set);
        } else {
            self.names.push(name);
            self.signatures.push(signature);
        }
        true
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
        assert!(keys.insert("a".into()));
        keys.open();
        assert!(keys.insert("a".into()));
        assert!(!keys.insert("a".into()));
        keys.close();
        assert!(keys.insert("b".into()));
        assert!(!keys.insert("a".into()));
    }

    #[test]
    fn finds_duplicates_among_many_names() {
        let mut keys = KeyStack::default();
        keys.open();
        for n in 0..1000 {
            assert!(keys.insert(format!("member-{n}").into()), "{n}");
        }
        for n in 0..1000 {
            assert!(!keys.insert(format!("member-{n}").into()), "{n}");
        }
    }
}
