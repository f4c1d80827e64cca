//! The full-text index: the words of observations in a contentless table of SQLite's FTS5.
//!
//! Our own splitter gives the words ([`crate::words`]). They contain neither blanks nor ASCII
//! punctuation, so FTS5's tokenizer `ascii` splits the joined words exactly at the blanks. The
//! texts are only in the table `observation`.

use crate::{IndexError, words};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Rows, params};

/// The words of an observation, as its full-text index has them: separated by blanks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    /// Of the summary, the references and the task.
    head: String,
    /// Of the detail.
    body: String,
}

impl Words {
    pub(crate) fn new(summary: &str, refs: &str, task: &str, detail: &str) -> Self {
        let mut all = Self {
            head: String::new(),
            body: String::with_capacity(detail.len()),
        };
        for text in [summary, refs, task] {
            append(text, &mut all.head);
        }
        append(detail, &mut all.body);
        all
    }
}

fn append(text: &str, to: &mut String) {
    words::each(text, &mut |word| {
        to.push_str(word);
        to.push(' ');
    });
}

/// Adds the words of an observation.
pub(crate) fn add(db: &Connection, observation: i64, words: &Words) -> Result<(), IndexError> {
    db.prepare_cached("INSERT INTO words (rowid, head, body) VALUES (?1, ?2, ?3)")?
        .execute(params![observation, words.head, words.body])?;
    Ok(())
}

/// Removes the words of all observations of a source, which must still be stored.
pub(crate) fn remove(db: &Connection, source: i64) -> Result<(), IndexError> {
    let sql = "DELETE FROM words WHERE rowid IN (SELECT id FROM observation WHERE source = ?1 ORDER BY id)";
    db.prepare_cached(sql)?.execute([source])?;
    Ok(())
}

/// The tables of full text.
pub(crate) const TABLES: &str = include_str!("fulltext.sql");

/// Creates the tables of full text.
pub(crate) fn create(db: &Connection) -> Result<(), IndexError> {
    Ok(db.execute_batch(TABLES)?)
}

/// Whether the index contains exactly the words of the stored texts, and the statistics that
/// ranking relies on. The words are indexed again and compared.
///
/// # Errors
/// When the store can't be read.
pub(crate) fn agrees(db: &Connection) -> Result<bool, IndexError> {
    // A temporary file, which SQLite deletes.
    let mut fresh = Connection::open("")?;
    create(&fresh)?;
    let transaction = fresh.transaction()?;
    let mut select =
        db.prepare("SELECT id, summary, refs, task, detail FROM observation ORDER BY id")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let text = |n| {
            row.get_ref(n)?
                .as_str_or_null()
                .map(Option::unwrap_or_default)
                .map_err(rusqlite::Error::from)
        };
        let words = Words::new(text(1)?, text(2)?, text(3)?, text(4)?);
        add(&transaction, row.get(0)?, &words)?;
    }
    transaction.commit()?;
    let instances =
        "CREATE VIRTUAL TABLE temp.instance USING fts5vocab('main', 'words', 'instance')";
    fresh.execute_batch(instances)?;
    for sql in [
        // The lengths of the observations, and all lengths together.
        "SELECT id, sz FROM words_docsize ORDER BY id",
        "SELECT block FROM words_data WHERE id = 1",
        "SELECT k, v FROM words_config ORDER BY k",
    ] {
        if !same_rows(db, &fresh, sql)? {
            return Ok(false);
        }
    }
    db.execute_batch(instances)?;
    let same = same_rows(
        db,
        &fresh,
        "SELECT term, doc, col, offset FROM temp.instance",
    );
    db.execute_batch("DROP TABLE temp.instance")?;
    same
}

/// Whether a query has the same rows in two databases.
fn same_rows(db: &Connection, fresh: &Connection, sql: &str) -> Result<bool, IndexError> {
    let (mut left, mut right) = (db.prepare(sql)?, fresh.prepare(sql)?);
    let columns = left.column_count();
    let (mut left, mut right): (Rows<'_>, Rows<'_>) = (left.query([])?, right.query([])?);
    loop {
        match (left.next()?, right.next()?) {
            (None, None) => return Ok(true),
            (Some(a), Some(b)) => {
                for column in 0..columns {
                    let (a, b): (ValueRef<'_>, ValueRef<'_>) =
                        (a.get_ref(column)?, b.get_ref(column)?);
                    if a != b {
                        return Ok(false);
                    }
                }
            }
            _ => return Ok(false),
        }
    }
}
