//! Segments as they stand in the store.

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
    /// The ids of its observations, rising.
    pub(in crate::knowledge) ids: Vec<i64>,
    /// How many words each has.
    pub(in crate::knowledge) lengths: Vec<u32>,
    /// Which are removed; empty when none is.
    tombstones: Vec<bool>,
}

impl Segment {
    /// Whether a document still stands.
    pub(in crate::knowledge) fn holds(&self, document: usize) -> bool {
        !self.tombstones.get(document).copied().unwrap_or_default()
    }

    /// Documents that still stand, with their ids.
    pub(in crate::knowledge) fn standing(&self) -> impl Iterator<Item = (usize, i64)> {
        self.ids
            .iter()
            .copied()
            .enumerate()
            .filter(|(n, _)| self.holds(*n))
    }

    /// Where a word stands, in documents that still do: that very word, or all that begin with it.
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
        // From the last block on that begins before the word, or with it.
        let mut statement = db.prepare_cached(
            "SELECT word, data FROM block WHERE segment = ?1
             AND word >= coalesce((SELECT max(word) FROM block WHERE segment = ?1 AND word <= ?2), '') ORDER BY word",
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
    /// By their ids.
    pub(in crate::knowledge) all: Vec<Segment>,
    /// Documents that stand.
    pub(in crate::knowledge) documents: usize,
    /// Words that they have on average.
    pub(in crate::knowledge) mean: f64,
}

impl Segments {
    /// Reads what every search needs: which documents there are, and how long they are.
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

    /// Where an observation stands: its segment and its place there.
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

/// Adds what has been built as a segment, if it holds anything.
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
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
        /// Over several blocks: words by themselves, and all that begin alike.
        #[test]
        fn words_are_found_where_they_stand(texts in proptest::collection::vec("([a-c]{1,9} |[索引擎]{1,4} ){0,200}", 1..6), asked in "[a-c]{1,2}|[索引擎]{1,2}") {
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
                    words::each(text, &mut |w| count += u32::from(w == asked || prefix && w.starts_with(&asked)));
                    count
                };
                let expected: Vec<Posting> =
                    (0..).zip(texts.iter().map(count)).map(|(document, count)| Posting { document, count }).filter(|p| p.count > 0).collect();
                prop_assert_eq!(segments.all[0].find(&store.db, &asked, prefix).unwrap(), expected);
            }
        }
    }
}
