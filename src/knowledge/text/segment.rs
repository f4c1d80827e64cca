//! Segments as stored.

use super::DAMAGED;
use super::blocks::{Blocks, Entries};
use super::postings::{Posting, decode};
use super::sorted_run::Builder;
use crate::knowledge::KnowledgeError;
use rusqlite::{Connection, params};

/// The documents of a segment.
#[derive(Debug)]
pub(in crate::knowledge) struct Segment {
    pub(in crate::knowledge) id: i64,
    /// The ids of its observations, ascending.
    pub(in crate::knowledge) ids: Vec<i64>,
    /// The number of words in each document.
    pub(in crate::knowledge) lengths: Vec<u32>,
    /// Which documents are removed; empty when none are.
    tombstones: Vec<bool>,
}

impl Segment {
    /// Whether a document hasn't been removed.
    pub(in crate::knowledge) fn holds(&self, document: usize) -> bool {
        !self.tombstones.get(document).copied().unwrap_or_default()
    }

    /// Returns the live documents with their ids.
    pub(in crate::knowledge) fn standing(&self) -> impl Iterator<Item = (usize, i64)> {
        self.ids
            .iter()
            .copied()
            .enumerate()
            .filter(|(n, _)| self.holds(*n))
    }

    /// Returns the postings of a word in live documents: of the exact word, or of all words with
    /// this prefix.
    pub(in crate::knowledge) fn find(
        &self,
        db: &Connection,
        word: &str,
        prefix: bool,
    ) -> Result<Vec<Posting>, KnowledgeError> {
        let mut found = Vec::new();
        let mut take = |bytes: &[u8]| {
            decode(bytes, self.ids.len(), |posting| {
                if self.holds(posting.document as usize) {
                    found.push(posting);
                }
            })
            .ok_or(DAMAGED)
        };
        // Starts at the last block whose first word isn't after the word.
        let mut statement = db.prepare_cached(
            "SELECT word, data FROM block WHERE segment = ?1
             AND word >= coalesce(
                 (SELECT max(word) FROM block WHERE segment = ?1 AND word <= ?2), ''
             ) ORDER BY word",
        )?;
        let mut rows = statement.query(params![self.id, word])?;
        let asked = word.as_bytes();
        'blocks: while let Some(row) = rows.next()? {
            let (first, data) = (row.get_ref(0)?, row.get_ref(1)?);
            let (Ok(first), Ok(data)) = (first.as_bytes(), data.as_blob()) else {
                return Err(DAMAGED);
            };
            let mut entries = Entries::new(first, data);
            while let Some((other, list)) = entries.next()? {
                if other == asked || prefix && other.starts_with(asked) {
                    take(list)?;
                }
                if other >= asked && !(prefix && other.starts_with(asked)) {
                    break 'blocks;
                }
            }
        }
        if !prefix {
            return Ok(found);
        }
        found.sort_unstable_by_key(|p| p.document);
        found.dedup_by(|next, before| {
            let same = next.document == before.document;
            if same {
                before.count = before.count.saturating_add(next.count);
            }
            same
        });
        Ok(found)
    }
}

/// All segments of a store.
#[derive(Debug)]
pub(in crate::knowledge) struct Segments {
    /// The segments, by id.
    pub(in crate::knowledge) all: Vec<Segment>,
    /// Number of live documents.
    pub(in crate::knowledge) documents: usize,
    /// Mean number of words in a document.
    pub(in crate::knowledge) mean: f64,
}

impl Segments {
    /// Loads what every search needs: the documents and their lengths.
    pub(in crate::knowledge) fn load(db: &Connection) -> Result<Self, KnowledgeError> {
        let removed: Vec<i64> = db
            .prepare("SELECT observation FROM gone")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let mut statement =
            db.prepare("SELECT id, observations, lengths FROM segment ORDER BY id")?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let (ids, lengths) = (row.get_ref(1)?, row.get_ref(2)?);
            let (Ok(ids), Ok(lengths)) = (ids.as_blob(), lengths.as_blob()) else {
                return Err(DAMAGED);
            };
            let ids: Vec<i64> = ids
                .as_chunks()
                .0
                .iter()
                .map(|b| i64::from_le_bytes(*b))
                .collect();
            let lengths: Vec<u32> = lengths
                .as_chunks()
                .0
                .iter()
                .map(|b| u32::from_le_bytes(*b))
                .collect();
            if ids.len() != lengths.len() || !ids.is_sorted() {
                return Err(DAMAGED);
            }
            let mut tombstones = Vec::new();
            for at in removed.iter().filter_map(|id| ids.binary_search(id).ok()) {
                tombstones.resize(ids.len(), false);
                if let Some(is) = tombstones.get_mut(at) {
                    *is = true;
                }
            }
            all.push(Segment {
                id: row.get(0)?,
                ids,
                lengths,
                tombstones,
            });
        }
        let standing = || {
            all.iter()
                .flat_map(|s| s.standing().filter_map(|(n, _)| s.lengths.get(n)))
        };
        let (documents, words) = standing().fold((0, 0_u64), |(n, words), length| {
            (n + 1, words + u64::from(*length))
        });
        #[expect(clippy::cast_precision_loss, reason = "counts of words")]
        let mean = words as f64 / f64::max(documents as f64, 1.0);
        Ok(Self {
            all,
            documents,
            mean,
        })
    }

    /// Returns the segment of an observation, and its place there.
    pub(in crate::knowledge) fn place(&self, observation: i64) -> Option<(usize, usize)> {
        self.all
            .iter()
            .enumerate()
            .find_map(|(n, s)| Some((n, s.ids.binary_search(&observation).ok()?)))
    }
}

/// Writes the documents of a segment. Returns its id.
pub(super) fn write(db: &Connection, ids: &[i64], lengths: &[u32]) -> Result<i64, KnowledgeError> {
    let ids: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
    let lengths: Vec<u8> = lengths.iter().flat_map(|n| n.to_le_bytes()).collect();
    let mut insert =
        db.prepare_cached("INSERT INTO segment (observations, lengths) VALUES (?1, ?2)")?;
    Ok(insert.insert(params![ids, lengths])?)
}

/// Writes the builder's content as a segment, unless it is empty.
pub(in crate::knowledge) fn add(db: &Connection, builder: &Builder) -> Result<(), KnowledgeError> {
    if builder.ids.is_empty() {
        return Ok(());
    }
    let segment = write(db, &builder.ids, &builder.lengths)?;
    let mut blocks = Blocks::new(db, segment)?;
    builder.each(|word, list| blocks.push(word, list))?;
    blocks.end()
}

#[cfg(test)]
mod tests {
    use super::super::IndexWriter;
    use super::*;
    use crate::knowledge::store::Store;
    use crate::knowledge::words;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 48,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        /// Over several blocks, exact words and prefixes are found.
        #[test]
        fn words_are_found_where_they_are(
            texts in proptest::collection::vec("([a-c]{1,9} |[索引擎]{1,4} ){0,200}", 1..6),
            asked in "[a-c]{1,2}|[索引擎]{1,2}",
        ) {
            let store = Store::in_memory().unwrap();
            let mut gathered = IndexWriter::default();
            for text in &texts {
                gathered.add(&[], text, 2);
            }
            let mut builder = Builder::default();
            builder.add(1, gathered.runs());
            add(&store.db, &builder).unwrap();
            let segments = Segments::load(&store.db).unwrap();
            for prefix in [false, true] {
                let count = |text: &String| {
                    let mut count = 0;
                    words::each(text, &mut |w| {
                        count += u32::from(w == asked || prefix && w.starts_with(&asked));
                    });
                    count
                };
                let counted = (0..).zip(texts.iter().map(count));
                let expected: Vec<Posting> = counted
                    .map(|(document, count)| Posting { document, count })
                    .filter(|posting| posting.count > 0)
                    .collect();
                prop_assert_eq!(segments.all[0].find(&store.db, &asked, prefix).unwrap(), expected);
            }
        }
    }
}
