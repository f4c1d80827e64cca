//! Blocks: the sorted words of a segment with their posting lists, many in one row of the store.
//! One row per word would take as long to write as the rest of a segment.

use super::postings::{number, read};
use crate::knowledge::KnowledgeError;
use rusqlite::{CachedStatement, Connection, Rows, params};

/// Maximum size of a row in bytes: four rows fit into a page of 8 KB without overflow pages. A
/// longer list is a block of its own.
const SIZE: usize = 1_990;

/// Writes the words of a segment.
pub(super) struct Blocks<'c> {
    insert: CachedStatement<'c>,
    segment: i64,
    /// The first word of the block, and the last one written.
    first: Vec<u8>,
    last: Vec<u8>,
    data: Vec<u8>,
}

impl<'c> Blocks<'c> {
    pub(super) fn new(db: &'c Connection, segment: i64) -> Result<Self, KnowledgeError> {
        let insert =
            db.prepare_cached("INSERT INTO block (segment, word, data) VALUES (?1, ?2, ?3)")?;
        Ok(Self {
            insert,
            segment,
            first: Vec::new(),
            last: Vec::new(),
            data: Vec::new(),
        })
    }

    /// Adds a word, which must come after all previous ones.
    pub(super) fn push(&mut self, word: &[u8], list: &[u8]) -> Result<(), KnowledgeError> {
        if self.first.len() + self.data.len() + word.len() + list.len() > SIZE {
            self.end()?;
        }
        if self.data.is_empty() {
            word.clone_into(&mut self.first);
            word.clone_into(&mut self.last);
        }
        write(&self.last, word, list, &mut self.data);
        word.clone_into(&mut self.last);
        Ok(())
    }

    /// Writes the last block.
    pub(super) fn end(&mut self) -> Result<(), KnowledgeError> {
        if !self.data.is_empty() {
            let first = std::str::from_utf8(&self.first).map_err(|_| super::DAMAGED)?;
            self.insert
                .execute(params![self.segment, first, self.data])?;
            self.data.clear();
        }
        Ok(())
    }
}

/// Encodes a word after another one: the length of the common prefix, the length and bytes of the
/// rest, the length and bytes of the list.
fn write(before: &[u8], word: &[u8], list: &[u8], out: &mut Vec<u8>) {
    let common = before.iter().zip(word).take_while(|(a, b)| a == b).count();
    let rest = word.get(common..).unwrap_or_default();
    for (length, bytes) in [
        (common, None),
        (rest.len(), Some(rest)),
        (list.len(), Some(list)),
    ] {
        number(length as u64, out);
        out.extend_from_slice(bytes.unwrap_or_default());
    }
}

/// A word and its list; `None` at the end.
pub(super) type Next<W, L> = Result<Option<(W, L)>, KnowledgeError>;

/// An iterator over a block, whose bytes may be hostile.
#[derive(Debug)]
pub(super) struct Entries<'d> {
    word: Vec<u8>,
    data: &'d [u8],
}

impl<'d> Entries<'d> {
    /// Creates an iterator over a block with its first word.
    pub(super) fn new(first: &[u8], data: &'d [u8]) -> Self {
        Self {
            word: first.to_vec(),
            data,
        }
    }

    /// Returns the next word.
    pub(super) fn next(&mut self) -> Next<&[u8], &'d [u8]> {
        if self.data.is_empty() {
            return Ok(None);
        }
        let list = self.step().ok_or(super::DAMAGED)?;
        Ok(Some((&self.word, list)))
    }

    fn step(&mut self) -> Option<&'d [u8]> {
        let common = usize::try_from(read(&mut self.data)?).ok()?;
        if common > self.word.len() {
            return None;
        }
        self.word.truncate(common);
        let rest = self.taken()?;
        self.word.extend_from_slice(rest);
        self.taken()
    }

    /// Takes a length and that many bytes.
    fn taken(&mut self) -> Option<&'d [u8]> {
        let length = usize::try_from(read(&mut self.data)?).ok()?;
        let (taken, rest) = self.data.split_at_checked(length)?;
        self.data = rest;
        Some(taken)
    }
}

/// An iterator over all words of a segment in order.
pub(super) struct Reader<'s> {
    rows: Rows<'s>,
    /// The last word, its block, and the offset of the next word in the block.
    word: Vec<u8>,
    block: Vec<u8>,
    at: usize,
}

/// The query that [`Reader`] needs, for a segment.
pub(super) const ALL: &str = "SELECT word, data FROM block WHERE segment = ?1 ORDER BY word";

impl<'s> Reader<'s> {
    /// Creates a reader over the rows of [`ALL`].
    pub(super) const fn new(rows: Rows<'s>) -> Self {
        Self {
            rows,
            word: Vec::new(),
            block: Vec::new(),
            at: 0,
        }
    }

    /// Returns the next word.
    pub(super) fn next(&mut self) -> Next<Vec<u8>, Vec<u8>> {
        while self.at >= self.block.len() {
            let Some(row) = self.rows.next()? else {
                return Ok(None);
            };
            let (word, data) = (row.get_ref(0)?, row.get_ref(1)?);
            let (Ok(word), Ok(data)) = (word.as_bytes(), data.as_blob()) else {
                return Err(super::DAMAGED);
            };
            word.clone_into(&mut self.word);
            data.clone_into(&mut self.block);
            self.at = 0;
        }
        let data = self.block.get(self.at..).unwrap_or_default();
        let mut entries = Entries {
            word: std::mem::take(&mut self.word),
            data,
        };
        let list = entries.step().ok_or(super::DAMAGED)?;
        self.at = self.block.len() - entries.data.len();
        self.word = entries.word;
        Ok(Some((self.word.clone(), list.to_vec())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::store::Store;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn words_come_back(
            words in proptest::collection::btree_map("[a-cé索]{1,12}", proptest::collection::vec(any::<u8>(), 1..700), 0..40),
        ) {
            let store = Store::in_memory().unwrap();
            let segment = super::super::segment::write(&store.db, &[], &[]).unwrap();
            let mut blocks = Blocks::new(&store.db, segment).unwrap();
            for (word, list) in &words {
                blocks.push(word.as_bytes(), list).unwrap();
            }
            blocks.end().unwrap();
            let mut statement = store.db.prepare(ALL).unwrap();
            let mut reader = Reader::new(statement.query([segment]).unwrap());
            let mut read = BTreeMap::new();
            while let Some((word, list)) = reader.next().unwrap() {
                read.insert(String::from_utf8(word).unwrap(), list);
            }
            prop_assert_eq!(read, words);
            let longest = "SELECT max(length(data) + length(CAST(word AS BLOB))) FROM block";
            let longest: Option<u32> = store.db.query_row(longest, [], |r| r.get(0)).unwrap();
            // Includes the lengths of the last word.
            prop_assert!(longest.unwrap_or_default() as usize <= SIZE + 6);
        }

        #[test]
        fn any_bytes_are_words_or_damaged(first in "[a-c]{0,4}", data in proptest::collection::vec(0_u8..6, 0..64)) {
            let mut entries = Entries::new(first.as_bytes(), &data);
            let mut taken = 0;
            while let Ok(Some((_, list))) = entries.next() {
                taken += list.len() + 3;
                prop_assert!(taken <= data.len());
            }
        }
    }
}
