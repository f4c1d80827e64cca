//! Merges segments.

use super::DAMAGED;
use super::blocks::{ALL, Blocks, Reader};
use super::postings::{List, Posting, decode};
use super::segment::{Segment, Segments, write};
use crate::knowledge::{KnowledgeError, store};
use rusqlite::{Connection, Row, params};

/// Maximum number of segments before a merge.
const MOST: u64 = 8;
/// Everything is merged once more than one in this many documents is a tombstone.
const TOMBSTONE_SHARE: u64 = 4;

/// Merges segments if needed: the small ones when there are many, all when many documents are
/// removed.
pub(in crate::knowledge) fn compact(db: &Connection) -> Result<(), KnowledgeError> {
    let (count, written, tombstones) = sizes(db)?;
    let is_worn = tombstones.saturating_mul(TOMBSTONE_SHARE) > written;
    if !is_worn && count <= MOST {
        return Ok(());
    }
    let segments = Segments::load(db)?;
    let mut by_size: Vec<&Segment> = segments.all.iter().collect();
    if is_worn {
        merge(db, &by_size)?;
        // Everything was rewritten, so no tombstone is needed any more.
        db.execute("DELETE FROM gone", [])?;
        return Ok(());
    }
    // From the smallest up, a segment is included while it isn't much larger than all before it.
    by_size.sort_by_key(|s| (s.ids.len(), s.id));
    let mut sum = 0;
    let due = by_size.iter().enumerate().take_while(|(n, s)| {
        let due = *n < 2 || s.ids.len() <= 2 * sum;
        sum += s.ids.len();
        due
    });
    let due = due.count();
    merge(db, by_size.get(..due).unwrap_or_default())
}

/// Returns the number of segments, of their observations, and of removed ones, without reading
/// words.
fn sizes(db: &Connection) -> Result<(u64, u64, u64), KnowledgeError> {
    let sql = "SELECT count(*), coalesce(sum(length(observations)), 0) / 8, (SELECT count(*) FROM gone) FROM segment";
    let number = |row: &Row<'_>, n| row.get::<_, i64>(n).map(i64::cast_unsigned);
    Ok(db.query_row(sql, [], |row| {
        Ok((number(row, 0)?, number(row, 1)?, number(row, 2)?))
    })?)
}

/// Returns the number of live observations, once all words have been written.
pub(in crate::knowledge) fn standing(db: &Connection) -> Result<u64, KnowledgeError> {
    let (_, written, tombstones) = sizes(db)?;
    Ok(written.saturating_sub(tombstones))
}

/// A segment that is being merged.
struct MergedSegment<'s> {
    segment: &'s Segment,
    /// The new place of each document; `None` for removed ones.
    places: Vec<Option<u32>>,
}

fn merge(db: &Connection, segments: &[&Segment]) -> Result<(), KnowledgeError> {
    let mut standing: Vec<(i64, usize, usize)> = Vec::new();
    for (nth, segment) in segments.iter().enumerate() {
        standing.extend(segment.standing().map(|(document, id)| (id, nth, document)));
    }
    standing.sort_unstable();
    let mut olds: Vec<MergedSegment<'_>> = segments
        .iter()
        .map(|segment| MergedSegment {
            segment,
            places: vec![None; segment.ids.len()],
        })
        .collect();
    let mut lengths = Vec::with_capacity(standing.len());
    for (new, (_, nth, document)) in (0..).zip(&standing) {
        let old = olds.get_mut(*nth).ok_or(DAMAGED)?;
        *old.places.get_mut(*document).ok_or(DAMAGED)? = Some(new);
        lengths.push(
            old.segment
                .lengths
                .get(*document)
                .copied()
                .unwrap_or_default(),
        );
    }
    if !standing.is_empty() {
        let ids: Vec<i64> = standing.iter().map(|(id, ..)| *id).collect();
        let new = write(db, &ids, &lengths)?;
        lists(db, &olds, new)?;
        join_vectors(db, &olds, &standing, new)?;
    }
    for old in &olds {
        for table in [
            "block WHERE segment",
            "vectors WHERE segment",
            "segment WHERE id",
        ] {
            db.prepare_cached(&format!("DELETE FROM {table} = ?1"))?
                .execute([old.segment.id])?;
        }
        let mut forget = db.prepare_cached("DELETE FROM gone WHERE observation = ?1")?;
        for (document, id) in old.segment.ids.iter().enumerate() {
            if !old.segment.holds(document) {
                forget.execute([id])?;
            }
        }
    }
    Ok(())
}

/// Writes the posting lists of all segments to a new one. All are read in parallel in the order of
/// their words.
fn lists(db: &Connection, olds: &[MergedSegment<'_>], new: i64) -> Result<(), KnowledgeError> {
    let mut blocks = Blocks::new(db, new)?;
    let mut statements = olds
        .iter()
        .map(|_| db.prepare(ALL))
        .collect::<Result<Vec<_>, _>>()?;
    let mut cursors = Vec::new();
    for (statement, old) in statements.iter_mut().zip(olds) {
        let mut words = Reader::new(statement.query([old.segment.id])?);
        let head = words.next()?;
        cursors.push((words, head, old));
    }
    let mut merged: Vec<Posting> = Vec::new();
    let mut bytes = Vec::new();
    loop {
        let word = cursors
            .iter()
            .filter_map(|(_, head, _)| head.as_ref().map(|(word, _)| word))
            .min()
            .cloned();
        let Some(word) = word else {
            return blocks.end();
        };
        merged.clear();
        for (words, head, old) in &mut cursors {
            let Some((_, list)) = head.take_if(|(w, _)| *w == word) else {
                continue;
            };
            let read = decode(&list, old.places.len(), |p| {
                if let Some(document) = old.places.get(p.document as usize).copied().flatten() {
                    merged.push(Posting { document, ..p });
                }
            });
            read.ok_or(DAMAGED)?;
            *head = words.next()?;
        }
        merged.sort_unstable_by_key(|p| p.document);
        bytes.clear();
        let mut list = List::new(&mut bytes);
        for posting in &merged {
            list.push(*posting);
        }
        if !bytes.is_empty() {
            blocks.push(&word, &bytes)?;
        }
    }
}

/// Reorders the vectors, if all segments have them with the same width.
fn join_vectors(
    db: &Connection,
    olds: &[MergedSegment<'_>],
    standing: &[(i64, usize, usize)],
    new: i64,
) -> Result<(), KnowledgeError> {
    let mut all = Vec::new();
    for old in olds {
        let Some(data) = store::read_vectors(db, old.segment.id)? else {
            return Ok(());
        };
        all.push((data.len() / old.places.len().max(1), data));
    }
    let Some((width, _)) = all.first() else {
        return Ok(());
    };
    let mut data = Vec::with_capacity(width * standing.len());
    for (_, nth, document) in standing {
        let vector = all
            .get(*nth)
            .filter(|(w, _)| w == width)
            .and_then(|(w, data)| data.get(document * w..(document + 1) * w));
        let Some(vector) = vector else { return Ok(()) };
        data.extend_from_slice(vector);
    }
    db.prepare_cached("INSERT INTO vectors (segment, data) VALUES (?1, ?2)")?
        .execute(params![new, data])?;
    Ok(())
}
