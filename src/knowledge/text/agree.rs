//! Compares segments with the texts that they index.

use super::DAMAGED;
use super::blocks::Entries;
use super::postings::decode;
use super::segment::{Segment, Segments};
use super::sorted_run::{Builder, IndexWriter};
use crate::knowledge::KnowledgeError;
use rusqlite::Connection;

/// Number of documents whose words are collected at a time.
const MANY: usize = 4_096;

/// A hash of the set of words in a document, independent of their order.
type Sum = u128;

/// Returns what a word adds to the sum of a document.
fn weight(word: &[u8], count: u32) -> Sum {
    let mut hash = blake3::Hasher::new();
    hash.update(&count.to_le_bytes());
    hash.update(word);
    let mut bytes = [0; 16];
    hash.finalize_xof().fill(&mut bytes);
    Sum::from_le_bytes(bytes)
}

/// Adds a word's posting list to the sums of its documents.
fn take(word: &[u8], list: &[u8], sums: &mut [Sum]) -> Result<(), KnowledgeError> {
    let read = decode(list, sums.len(), |posting| {
        if let Some(sum) = sums.get_mut(posting.document as usize) {
            *sum = sum.wrapping_add(weight(word, posting.count));
        }
    });
    read.ok_or(DAMAGED)
}

/// Whether every segment contains exactly the words of its documents, in the order that searches
/// rely on. `add` collects the words of an observation, and returns `false` for an observation that
/// must not be there.
///
/// # Errors
/// When the store can't be read.
pub(in crate::knowledge) fn agrees(
    db: &Connection,
    add: &mut dyn FnMut(i64, &mut IndexWriter) -> Result<bool, KnowledgeError>,
) -> Result<bool, KnowledgeError> {
    for segment in Segments::load(db)?.all {
        if !segment_agrees(db, &segment, add)? {
            return Ok(false);
        }
    }
    let stray: bool = db.query_row(
        "SELECT EXISTS (SELECT 1 FROM block WHERE segment NOT IN (SELECT id FROM segment))",
        [],
        |row| row.get(0),
    )?;
    Ok(!stray)
}

fn segment_agrees(
    db: &Connection,
    segment: &Segment,
    add: &mut dyn FnMut(i64, &mut IndexWriter) -> Result<bool, KnowledgeError>,
) -> Result<bool, KnowledgeError> {
    let mut stored: Vec<Sum> = vec![0; segment.ids.len()];
    let mut statement =
        db.prepare_cached("SELECT word, data FROM block WHERE segment = ?1 ORDER BY word")?;
    let mut rows = statement.query([segment.id])?;
    let mut last: Option<Vec<u8>> = None;
    while let Some(row) = rows.next()? {
        let (first, data) = (row.get_ref(0)?, row.get_ref(1)?);
        let (Ok(first), Ok(data)) = (first.as_bytes(), data.as_blob()) else {
            return Err(DAMAGED);
        };
        let mut entries = Entries::new(first, data);
        let mut begins = true;
        while let Some((word, list)) = entries.next()? {
            // A search can't find a word that is out of order.
            let rises = last.as_deref().is_none_or(|last| last < word);
            if !rises || std::mem::take(&mut begins) && word != first {
                return Ok(false);
            }
            last = Some(word.to_vec());
            take(word, list, &mut stored)?;
        }
    }
    let standing: Vec<(usize, i64)> = segment.standing().collect();
    let mut words = IndexWriter::default();
    for part in standing.chunks(MANY) {
        for (_, id) in part {
            if !add(*id, &mut words)? {
                return Ok(false);
            }
        }
        let mut builder = Builder::default();
        builder.add(1, words.runs());
        let mut sums: Vec<Sum> = vec![0; part.len()];
        builder.each(|word, list| take(word, list, &mut sums))?;
        let agrees =
            part.iter()
                .zip(&sums)
                .zip(&builder.lengths)
                .all(|(((document, _), sum), length)| {
                    stored.get(*document) == Some(sum)
                        && segment.lengths.get(*document) == Some(length)
                });
        if !agrees {
            return Ok(false);
        }
    }
    Ok(true)
}
