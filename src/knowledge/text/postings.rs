//! Posting lists: where a word stands, and how often. Also who stands there: the documents of a segment.

use std::collections::HashMap;

/// A document's place in a segment, and how often a word stands in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::knowledge) struct Posting {
    pub(in crate::knowledge) document: u32,
    pub(in crate::knowledge) count: u32,
}

/// Writes a list. Documents must rise. Each is the distance to the one before, twice, and one more if the word stands there
/// once; or else the count follows. Numbers have seven bits a byte, the lowest first.
pub(super) fn encode(list: &[Posting]) -> Vec<u8> {
    let mut out = Vec::with_capacity(list.len() * 2);
    let mut next = 0;
    for posting in list {
        let distance = u64::from(posting.document - next);
        next = posting.document;
        if posting.count == 1 {
            number(distance << 1 | 1, &mut out);
        } else {
            number(distance << 1, &mut out);
            number(u64::from(posting.count), &mut out);
        }
    }
    out
}

fn number(mut value: u64, out: &mut Vec<u8>) {
    while value > 0x7f {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Shows every posting of a list to `visit`. `None` when the bytes are no list, or name a document beyond `documents`.
pub(super) fn decode(bytes: &[u8], documents: usize, mut visit: impl FnMut(Posting)) -> Option<()> {
    let mut bytes = bytes.iter();
    let mut next = || -> Option<Option<u64>> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let Some(byte) = bytes.next() else { return (shift == 0).then_some(None) };
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(Some(value));
            }
        }
        None
    };
    let mut document = 0_u64;
    while let Some(head) = next()? {
        document = document.checked_add(head >> 1)?;
        let count = if head & 1 == 1 { 1 } else { u32::try_from(next()??).ok()? };
        if document >= documents as u64 {
            return None;
        }
        visit(Posting { document: u32::try_from(document).ok()?, count });
    }
    Some(())
}

/// The segment of a run while it grows.
#[derive(Debug, Default)]
pub(in crate::knowledge) struct Builder {
    /// The ids of the documents, rising.
    pub(super) ids: Vec<i64>,
    /// How many words each has.
    pub(super) lengths: Vec<u32>,
    // With the keyed hash of the standard library: nobody can make words collide.
    words: HashMap<Box<str>, Vec<Posting>>,
    postings: usize,
}

impl Builder {
    /// Adds a document: words parted by spaces, those of its head `head` times as heavy as those of its body. Ids must rise.
    pub(in crate::knowledge) fn add(&mut self, id: i64, head: &str, body: &str, weight: u32) {
        let document = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
        let mut length = 0;
        for (text, weight) in [(head, weight), (body, 1)] {
            for word in text.split_ascii_whitespace() {
                length += 1;
                let places = match self.words.get_mut(word) {
                    Some(places) => places,
                    None => self.words.entry(word.into()).or_default(),
                };
                match places.last_mut() {
                    Some(latest) if latest.document == document => latest.count = latest.count.saturating_add(weight),
                    _ => {
                        places.push(Posting { document, count: weight });
                        self.postings += 1;
                    }
                }
            }
        }
        self.ids.push(id);
        self.lengths.push(length);
    }

    /// How many places of words it holds.
    pub(in crate::knowledge) const fn postings(&self) -> usize {
        self.postings
    }

    /// The words in their order, with their lists as they are stored.
    pub(super) fn lists(&self) -> impl Iterator<Item = (&str, Vec<u8>)> {
        let mut all: Vec<(&str, &[Posting])> = self.words.iter().map(|(word, list)| (&**word, list.as_slice())).collect();
        all.sort_unstable_by_key(|(word, _)| *word);
        all.into_iter().map(|(word, list)| (word, encode(list)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8], documents: usize) -> Option<Vec<Posting>> {
        let mut all = Vec::new();
        decode(bytes, documents, |p| all.push(p)).map(|()| all)
    }

    #[test]
    fn heads_weigh_more_and_words_come_sorted() {
        let mut builder = Builder::default();
        builder.add(7, "b", "a a b", 2);
        builder.add(9, "", "a", 2);
        let lists: Vec<(&str, Vec<Posting>)> = builder.lists().map(|(w, l)| (w, read(&l, 2).unwrap())).collect();
        let posting = |document, count| Posting { document, count };
        assert_eq!(lists, [("a", vec![posting(0, 2), posting(1, 1)]), ("b", vec![posting(0, 3)])]);
        assert_eq!((builder.ids, builder.lengths), (vec![7, 9], vec![4, 1]));
    }

    proptest! {
        #[test]
        fn lists_come_back(list in proptest::collection::btree_map(0_u32..5_000_000, 1_u32..300, 0..200)) {
            let list: Vec<Posting> = list.into_iter().map(|(document, count)| Posting { document, count }).collect();
            prop_assert_eq!(read(&encode(&list), 5_000_000), Some(list.clone()));
            // A list that names what the segment hasn't is refused.
            if let Some(last) = list.last() {
                prop_assert_eq!(read(&encode(&list), last.document as usize), None);
            }
        }

        #[test]
        fn any_bytes_are_a_list_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            if let Some(list) = read(&bytes, 1_000) {
                prop_assert!(list.iter().all(|p| p.document < 1_000));
            }
        }
    }
}
