//! Runs: the sorted words of some documents with their postings. They are built on all cores while
//! sources are read. A segment is the join of all runs of a reindexing.

use super::postings::{List, Posting};
use super::term_dict::{HashedTerm, Key, TermDict};
use crate::knowledge::words;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// Number of postings from which a new run is started. It limits what is sorted at a time to a few
/// megabytes.
const MOST: usize = 1 << 18;

/// The words of some documents.
#[derive(Debug)]
pub(in crate::knowledge) struct SortedRun {
    /// The number of words in each document.
    lengths: Vec<u32>,
    /// In the order of the words.
    entries: Vec<Entry>,
    /// The words that are longer than their key.
    long: Vec<Box<str>>,
    /// The concatenated posting lists.
    lists: Vec<u8>,
}

/// A word of a run.
#[derive(Debug)]
struct Entry {
    key: Key,
    /// Where its list ends.
    list: usize,
    /// The last document of the list.
    last: u32,
    /// The number of long words before it.
    long: u32,
}

impl SortedRun {
    fn bytes(&self) -> usize {
        let long: usize = self
            .long
            .iter()
            .map(|word| word.len() + size_of::<Box<str>>())
            .sum();
        let lengths = self.lengths.len() * size_of::<u32>();
        size_of::<Self>()
            + lengths
            + self.entries.len() * size_of::<Entry>()
            + long
            + self.lists.capacity()
    }
}

/// Collects the words of documents.
#[derive(Debug, Default)]
pub(in crate::knowledge) struct IndexWriter {
    done: Vec<SortedRun>,
    /// The words of the current document with their weights.
    document: Vec<(HashedTerm, u32)>,
    known: TermDict<TermState>,
    /// In the order of documents, each with the number of its word.
    postings: Vec<(Posting, u32)>,
    lengths: Vec<u32>,
}

/// Marks a missing place.
const NONE: u32 = u32::MAX;

/// The state of a known word.
#[derive(Debug, Clone, Copy)]
struct TermState {
    number: u32,
    /// The place of its last posting.
    last: u32,
}

impl Default for TermState {
    fn default() -> Self {
        Self {
            number: NONE,
            last: NONE,
        }
    }
}

impl IndexWriter {
    /// Adds a document. A word in the head counts `weight` times.
    pub(in crate::knowledge) fn add(&mut self, head: &[&str], body: &str, weight: u32) {
        if self.postings.len() > MOST {
            let run = self.run();
            self.done.push(run);
        }
        let Self {
            document: words,
            known,
            postings,
            lengths,
            ..
        } = self;
        let texts = head.iter().map(|text| (*text, weight)).chain([(body, 1)]);
        texts.for_each(|(text, weight)| {
            words::each(text, &mut |word| {
                words.push((HashedTerm::new(word), weight));
            });
        });
        // Only a document of four billion words could reach the number that marks a missing place.
        let number = |n: usize| u32::try_from(n).unwrap_or(NONE);
        let (document, first) = (number(lengths.len()), postings.len());
        lengths.push(number(words.len()));
        for (word, count) in words.drain(..) {
            let new = number(known.len());
            let known = known.of(word);
            match postings.get_mut(known.last as usize) {
                Some((posting, _)) if known.last as usize >= first => {
                    posting.count = posting.count.saturating_add(count);
                }
                _ => {
                    known.number = known.number.min(new);
                    known.last = number(postings.len());
                    postings.push((Posting { document, count }, known.number));
                }
            }
        }
    }

    /// Converts the collected documents to a run.
    fn run(&mut self) -> SortedRun {
        let Self {
            known,
            postings,
            lengths,
            ..
        } = self;
        let known = known.sorted();
        // Counting sort: `places` contains the number of postings of each word, then where they
        // begin, and finally where they end.
        let mut places = vec![0; known.len()];
        for (_, number) in &*postings {
            if let Some(count) = places.get_mut(*number as usize) {
                *count += 1;
            }
        }
        let mut end = 0;
        for (.., word) in &known {
            if let Some(place) = places.get_mut(word.number as usize) {
                end += std::mem::replace(place, end);
            }
        }
        let mut sorted = vec![
            Posting {
                document: 0,
                count: 0
            };
            postings.len()
        ];
        for (posting, number) in postings.drain(..) {
            if let Some(place) = places.get_mut(number as usize)
                && let Some(to) = sorted.get_mut(*place)
            {
                *to = posting;
                *place += 1;
            }
        }
        let mut run = SortedRun {
            lengths: std::mem::take(lengths),
            entries: Vec::with_capacity(known.len()),
            long: Vec::new(),
            lists: Vec::with_capacity(sorted.len() * 2),
        };
        let mut start = 0;
        for (key, word, known) in known {
            let end = places
                .get(known.number as usize)
                .copied()
                .unwrap_or_default();
            let postings = sorted.get(start..end).unwrap_or_default();
            start = end;
            let mut list = List::new(&mut run.lists);
            for posting in postings {
                list.push(*posting);
            }
            let document = postings.last().map_or(0, |posting| posting.document);
            let long = u32::try_from(run.long.len()).unwrap_or(NONE);
            run.entries.push(Entry {
                key,
                list: run.lists.len(),
                last: document,
                long,
            });
            run.long.extend(word);
        }
        run
    }

    /// Returns all documents as runs. Clears the writer, but keeps its memory.
    pub(in crate::knowledge) fn runs(&mut self) -> Vec<SortedRun> {
        if !self.lengths.is_empty() {
            let last = self.run();
            self.done.push(last);
        }
        std::mem::take(&mut self.done)
    }
}

/// The segment of a reindexing while it is built.
#[derive(Debug, Default)]
pub(in crate::knowledge) struct Builder {
    /// The ids of the documents, ascending.
    pub(super) ids: Vec<i64>,
    /// The number of words in each document.
    pub(super) lengths: Vec<u32>,
    /// The runs, each with the place of its first document.
    runs: Vec<(u32, SortedRun)>,
    bytes: usize,
}

impl Builder {
    /// Adds documents with their words. Their ids are consecutive from `first` on, and larger than
    /// all previous ones.
    pub(in crate::knowledge) fn add(&mut self, first: i64, runs: Vec<SortedRun>) {
        let mut ids = first..;
        for run in runs {
            let before = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
            self.ids.extend(ids.by_ref().take(run.lengths.len()));
            self.lengths.extend(&run.lengths);
            self.bytes += run.bytes();
            self.runs.push((before, run));
        }
    }

    /// Returns the approximate size in bytes.
    pub(in crate::knowledge) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Passes the words to `visit` in order, with their encoded posting lists.
    pub(super) fn each<E>(
        &self,
        mut visit: impl FnMut(&[u8], &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let heads = self
            .runs
            .iter()
            .filter_map(|(before, run)| Head::of(*before, run, 0));
        let mut heads: BinaryHeap<Reverse<Head<'_>>> = heads.map(Reverse).collect();
        let mut bytes = Vec::new();
        while let Some(Reverse(first)) = heads.peek().copied() {
            bytes.clear();
            let mut list = List::new(&mut bytes);
            while let Some(mut head) = heads.peek_mut().filter(|head| head.0.word(&first).is_eq()) {
                let Head {
                    before,
                    run,
                    at,
                    entry,
                } = head.0;
                let start = at
                    .checked_sub(1)
                    .and_then(|at| run.entries.get(at))
                    .map_or(0, |before| before.list);
                list.append(
                    run.lists.get(start..entry.list).unwrap_or_default(),
                    entry.last,
                    before,
                );
                match Head::of(before, run, at + 1) {
                    Some(next) => head.0 = next,
                    None => drop(PeekMut::pop(head)),
                }
            }
            let (held, length) = first.entry.key.bytes();
            visit(
                first
                    .long()
                    .map_or(held.get(..length).unwrap_or_default(), str::as_bytes),
                &bytes,
            )?;
        }
        Ok(())
    }
}

/// The next word of a run.
#[derive(Clone, Copy)]
struct Head<'r> {
    before: u32,
    run: &'r SortedRun,
    at: usize,
    entry: &'r Entry,
}

impl<'r> Head<'r> {
    fn of(before: u32, run: &'r SortedRun, at: usize) -> Option<Self> {
        Some(Self {
            before,
            run,
            at,
            entry: run.entries.get(at)?,
        })
    }

    fn long(&self) -> Option<&'r str> {
        if self.entry.key.is_whole() {
            None
        } else {
            self.run
                .long
                .get(self.entry.long as usize)
                .map(|word| &**word)
        }
    }

    /// Compares the words only.
    fn word(&self, other: &Self) -> Ordering {
        self.entry
            .key
            .cmp(&other.entry.key)
            .then_with(|| self.long().cmp(&other.long()))
    }
}

/// By word, then by the order of documents.
impl Ord for Head<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.word(other)
            .then_with(|| self.before.cmp(&other.before))
    }
}

impl PartialOrd for Head<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head<'_> {}

#[cfg(test)]
mod tests {
    use super::super::postings::decode;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::convert::Infallible;

    /// Returns each word with its postings as document and frequency.
    fn lists(builder: &Builder) -> Vec<(String, Vec<(u32, u32)>)> {
        let mut all = Vec::new();
        let read = builder.each(|word, list| {
            let mut postings = Vec::new();
            decode(list, builder.ids.len(), |p| {
                postings.push((p.document, p.count));
            })
            .unwrap();
            all.push((String::from_utf8(word.to_vec()).unwrap(), postings));
            Ok::<(), Infallible>(())
        });
        read.unwrap();
        all
    }

    #[test]
    fn heads_weigh_more_and_words_come_sorted() {
        let mut builder = Builder::default();
        let mut words = IndexWriter::default();
        words.add(&["b"], "a a b", 2);
        words.add(&[], "a", 2);
        builder.add(7, words.runs());
        let mut words = IndexWriter::default();
        words.add(&["c", "b"], "", 2);
        builder.add(12, words.runs());
        builder.add(13, IndexWriter::default().runs());
        let expected = [
            ("a", vec![(0, 2), (1, 1)]),
            ("b", vec![(0, 3), (2, 2)]),
            ("c", vec![(2, 2)]),
        ];
        assert_eq!(
            lists(&builder),
            expected.map(|(word, list)| (word.to_owned(), list))
        );
        assert!(builder.bytes() > 7);
        assert_eq!(
            (builder.ids, builder.lengths),
            (vec![7, 8, 12], vec![4, 1, 2])
        );
    }

    #[test]
    fn a_run_that_is_full_is_followed_by_another() {
        let mut words = IndexWriter::default();
        let documents = MOST / 50 + 1;
        let text = |n: usize| (n..n + 60).map(|n| format!("word{n} ")).collect::<String>();
        (0..documents).for_each(|n| words.add(&[], &text(n), 2));
        let runs = words.runs();
        assert_eq!(runs.len(), 2);
        let mut builder = Builder::default();
        builder.add(1, runs);
        assert_eq!(
            builder.ids,
            (1..=i64::try_from(documents).unwrap()).collect::<Vec<_>>()
        );
        let all = lists(&builder);
        assert_eq!(all.len(), documents + 59);
        for (word, list) in all {
            let n: u32 = word.strip_prefix("word").unwrap().parse().unwrap();
            let last = n.min(u32::try_from(documents).unwrap() - 1);
            assert_eq!(
                list,
                (n.saturating_sub(59)..=last)
                    .map(|d| (d, 1))
                    .collect::<Vec<_>>(),
                "{word}"
            );
        }
    }

    proptest! {
        /// The result doesn't depend on how documents are split into sources.
        #[test]
        fn parts_make_no_difference(
            texts in proptest::collection::vec(("[a-d ]{0,6}", "[a-d ]{0,12}( averyveryverylong[ab]{0,2})?"), 0..12),
            cuts in proptest::collection::vec(any::<bool>(), 12),
        ) {
            let mut builder = Builder::default();
            let mut expected: BTreeMap<String, BTreeMap<u32, u32>> = BTreeMap::new();
            let mut words = IndexWriter::default();
            let mut first = 1;
            for ((n, (head, body)), cut) in (0_u32..).zip(&texts).zip(cuts) {
                for (text, weight) in [(head, 2), (body, 1)] {
                    words::each(text, &mut |w| *expected.entry(w.to_owned()).or_default().entry(n).or_default() += weight);
                }
                words.add(&[head], body, 2);
                if cut {
                    builder.add(first, words.runs());
                    first = i64::from(n) + 2;
                }
            }
            builder.add(first, words.runs());
            let expected = expected.into_iter().map(|(word, list)| (word, list.into_iter().collect())).collect::<Vec<_>>();
            prop_assert_eq!(lists(&builder), expected);
            prop_assert_eq!(builder.ids, (1..).take(texts.len()).collect::<Vec<i64>>());
        }
    }
}
