//! Posting lists: where a word stands, and how often. Also who stands there: the documents of a segment.

use super::lexicon::{Lexicon, hash};
use crate::knowledge::words;

/// A document's place in a segment, and how often a word stands in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::knowledge) struct Posting {
    pub(in crate::knowledge) document: u32,
    pub(in crate::knowledge) count: u32,
}

/// Writes a list. Documents must rise. Each is the distance to the one before, twice, and one more if the word stands there
/// once; or else the count follows. Numbers have seven bits a byte, the lowest first.
pub(super) fn encode(list: &[Posting]) -> Vec<u8> {
    let mut out = List { bytes: Vec::with_capacity(list.len() * 2), last: 0 };
    for posting in list {
        out.push(*posting);
    }
    out.bytes
}

/// A list while it is written.
#[derive(Debug, Default)]
struct List {
    bytes: Vec<u8>,
    /// The document that was written last.
    last: u32,
}

impl List {
    fn push(&mut self, posting: Posting) {
        let distance = u64::from(posting.document - self.last);
        self.last = posting.document;
        if posting.count == 1 {
            number(distance << 1 | 1, &mut self.bytes);
        } else {
            number(distance << 1, &mut self.bytes);
            number(u64::from(posting.count), &mut self.bytes);
        }
    }
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

/// The words of some documents, each once, and where it stands among them. Made of the documents of one source, beside its
/// reading, so that the segment has to look for each word once a source only.
#[derive(Debug, Default)]
pub(in crate::knowledge) struct Words {
    known: Lexicon,
    /// Of each word the places of its first and its last posting.
    ends: Vec<(usize, usize)>,
    /// In the order of documents, each with the place of the next one of the same word.
    postings: Vec<(Posting, Option<usize>)>,
    /// How many words each document has.
    lengths: Vec<u32>,
}

impl Words {
    /// Adds a document: the words of its head `weight` times as heavy as those of its body.
    pub(in crate::knowledge) fn add(&mut self, head: &[&str], body: &str, weight: u32) {
        let document = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        let mut length = 0;
        for text in head {
            words::each(text, &mut |word| {
                length += 1;
                self.word(word, Posting { document, count: weight });
            });
        }
        words::each(body, &mut |word| {
            length += 1;
            self.word(word, Posting { document, count: 1 });
        });
        self.lengths.push(length);
    }

    fn word(&mut self, word: &str, posting: Posting) {
        let new = self.postings.len();
        let number = self.known.number(hash(word), word);
        let Some((_, last)) = self.ends.get_mut(number) else {
            self.ends.push((new, new));
            self.postings.push((posting, None));
            return;
        };
        if let Some((known, next)) = self.postings.get_mut(*last) {
            if known.document == posting.document {
                known.count = known.count.saturating_add(posting.count);
                return;
            }
            *next = Some(new);
        }
        *last = new;
        self.postings.push((posting, None));
    }
}

/// The segment of a run while it grows.
#[derive(Debug, Default)]
pub(in crate::knowledge) struct Builder {
    /// The ids of the documents, rising.
    pub(super) ids: Vec<i64>,
    /// How many words each has.
    pub(super) lengths: Vec<u32>,
    known: Lexicon,
    /// The list of each word.
    lists: Vec<List>,
    bytes: usize,
}

impl Builder {
    /// Adds documents with their words. Their ids follow each other, from `first` on, and are beyond all that were added.
    pub(in crate::knowledge) fn add(&mut self, first: i64, words: &Words) {
        let before = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
        self.ids.extend((first..).take(words.lengths.len()));
        self.lengths.extend(&words.lengths);
        for ((hash, word), (start, _)) in words.known.words().zip(&words.ends) {
            let number = self.known.number(hash, word);
            if number == self.lists.len() {
                self.bytes += word.len() + size_of::<List>() + size_of::<u64>() * 4;
                self.lists.push(List::default());
            }
            let Some(list) = self.lists.get_mut(number) else { continue };
            let length = list.bytes.len();
            let mut next = Some(*start);
            while let Some((posting, following)) = next.and_then(|at| words.postings.get(at)) {
                list.push(Posting { document: before.saturating_add(posting.document), count: posting.count });
                next = *following;
            }
            self.bytes += list.bytes.len() - length;
        }
    }

    /// About how many bytes it takes.
    pub(in crate::knowledge) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The words in their order, with their lists as they are stored.
    pub(super) fn lists(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let lists = self.lists.iter().map(|list| list.bytes.as_slice());
        let mut all: Vec<(&str, &[u8])> = self.known.words().map(|(_, word)| word).zip(lists).collect();
        all.sort_unstable_by_key(|(word, _)| *word);
        all.into_iter()
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
        let mut words = Words::default();
        words.add(&["b"], "a a b", 2);
        words.add(&[], "a", 2);
        builder.add(7, &words);
        let mut words = Words::default();
        words.add(&["c", "b"], "", 2);
        builder.add(12, &words);
        builder.add(13, &Words::default());
        let lists: Vec<(&str, Vec<Posting>)> = builder.lists().map(|(w, l)| (w, read(l, 3).unwrap())).collect();
        let posting = |document, count| Posting { document, count };
        let expected =
            [("a", vec![posting(0, 2), posting(1, 1)]), ("b", vec![posting(0, 3), posting(2, 2)]), ("c", vec![posting(2, 2)])];
        assert_eq!(lists, expected);
        assert!(builder.bytes() > 7);
        assert_eq!((builder.ids, builder.lengths), (vec![7, 8, 12], vec![4, 1, 2]));
    }

    proptest! {
        /// However documents are parted into sources.
        #[test]
        fn parts_make_no_difference(texts in proptest::collection::vec(("[a-d ]{0,6}", "[a-d ]{0,12}"), 0..12), cut in 0_usize..12) {
            let add = |builder: &mut Builder, first: i64, texts: &[(String, String)]| {
                let mut words = Words::default();
                for (head, body) in texts {
                    words.add(&[head], body, 2);
                }
                builder.add(first, &words);
            };
            let (mut whole, mut parts) = (Builder::default(), Builder::default());
            let (left, right) = texts.split_at(cut.min(texts.len()));
            add(&mut whole, 1, &texts);
            add(&mut parts, 1, left);
            add(&mut parts, 1 + i64::try_from(left.len()).unwrap(), right);
            prop_assert_eq!(whole.lists().collect::<Vec<_>>(), parts.lists().collect::<Vec<_>>());
            prop_assert_eq!((whole.ids, whole.lengths), (parts.ids, parts.lengths));
        }

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
