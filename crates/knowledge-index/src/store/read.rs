//! Reads from the store.

use super::Store;
use crate::IndexError;
use crate::observation::{Id, Kind};
use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Row, params};
use sha2::{Digest, Sha256};
use util::hex;

/// A stored observation. Its texts come from a source and may be hostile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The row number, which another run may change.
    pub row: i64,
    pub id: Id,
    /// The path of the source.
    pub file: String,
    pub kind: Kind,
    /// The task, execution or session that it belongs to.
    pub task: Option<String>,
    /// Milliseconds since the Unix epoch.
    pub time: Option<i64>,
    /// The first and last source line.
    pub lines: (u64, u64),
    pub summary: String,
    /// Mentioned paths and commands.
    pub refs: Vec<String>,
    pub detail: String,
}

/// The columns of [`Stored`], in its order.
const COLUMNS: &str = "observation.id, key, path, observation.kind, task, time, first_line,
    last_line, summary, refs, detail
    FROM observation JOIN source ON source.id = observation.source";
/// Order by time, then by position in the source. Rows without a time come last.
const BY_TIME: &str = "ORDER BY time IS NULL, time, path, first_line, key";

/// The condition that an observation belongs to a task: by its own statement, or as a row of a
/// timeline or log whose heading or text names the task.
macro_rules! of_task {
    () => {
        "(task = ?1 OR observation.id IN (SELECT id FROM observation
            WHERE kind IN ('progress', 'log')
            AND ' ' || coalesce(task, '') || ' ' || detail || ' ' GLOB ?2))"
    };
}
/// The condition of a [`Filter`].
const FILTER: &str = concat!(
    "(?1 IS NULL OR ",
    of_task!(),
    ") AND (?3 IS NULL OR time >= ?3) AND (?4 IS NULL OR time <= ?4)
    AND (?5 IS NULL OR instr(',' || ?5 || ',', ',' || role || ',') > 0)
    AND (?6 IS NULL OR observation.source IN (SELECT id FROM source
        WHERE substr(path, 1, length(?6) + 1) = ?6 || '/'))"
);
/// The condition of [`Store::of_task`].
const OF_TASK: &str = of_task!();

/// Returns the names of kinds as a list of SQL.
fn quoted(kinds: &[Kind]) -> String {
    let names = kinds.iter().map(|kind| format!("'{}'", kind.name()));
    names.collect::<Vec<_>>().join(", ")
}

/// Returns the pattern of a text that contains a task's name as a whole word.
fn task_pattern(task: &str) -> String {
    let mut pattern = String::from("*[^A-Za-z0-9_-]");
    for c in task.chars() {
        match c {
            '*' | '?' | '[' => pattern.extend(['[', c, ']']),
            c => pattern.push(c),
        }
    }
    pattern.push_str("[^A-Za-z0-9_-]*");
    pattern
}

/// Restricts a search to some observations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Filter<'f> {
    /// Those of a task, execution or session.
    pub task: Option<&'f str>,
    /// Those not before this time, in milliseconds since the Unix epoch. Observations without a
    /// time don't match.
    pub since: Option<i64>,
    /// Those not after this time.
    pub until: Option<i64>,
    /// Those with one of these roles, separated by commas.
    pub roles: Option<&'f str>,
    /// Those of one of several repositories.
    pub repository: Option<&'f str>,
}

/// The parameters of [`FILTER`].
type FilterValues<'f> = (
    Option<&'f str>,
    Option<String>,
    Option<i64>,
    Option<i64>,
    Option<&'f str>,
    Option<&'f str>,
);

impl<'f> Filter<'f> {
    fn values(&self) -> FilterValues<'f> {
        let pattern = self.task.map(task_pattern);
        let Self {
            task,
            since,
            until,
            roles,
            repository,
        } = *self;
        (task, pattern, since, until, roles, repository)
    }
}

/// What a search compares of an observation.
#[derive(Debug, Clone)]
pub(crate) struct Texts {
    pub(crate) id: Id,
    pub(crate) time: Option<i64>,
    pub(crate) summary: String,
    pub(crate) refs: String,
    pub(crate) task: String,
    pub(crate) detail: String,
    /// Whether it is the text of a definition.
    pub(crate) is_body: bool,
    /// The path of the source.
    pub(crate) path: String,
}

/// A source as it was indexed.
#[derive(Debug, Clone)]
pub struct SourceRow {
    pub id: i64,
    pub kind: String,
    pub path: String,
    pub hash: Vec<u8>,
    pub bytes: u64,
}

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    let key: String = row.get(1)?;
    let kind: String = row.get(3)?;
    let refs: String = row.get(9)?;
    Ok(Stored {
        row: row.get(0)?,
        id: Id::typed(&key),
        file: row.get(2)?,
        kind: Kind::parse(&kind).unwrap_or(Kind::Log),
        task: row.get(4)?,
        time: row.get(5)?,
        lines: (
            row.get::<_, i64>(6)?.cast_unsigned(),
            row.get::<_, i64>(7)?.cast_unsigned(),
        ),
        summary: row.get(8)?,
        refs: refs.lines().map(str::to_owned).collect(),
        detail: row.get(10)?,
    })
}

impl Store {
    /// Returns the observation with an id.
    ///
    /// # Errors
    /// When there is none, or the store can't be read.
    pub fn by_id(&self, id: &Id) -> Result<Stored, IndexError> {
        let sql = format!("SELECT {COLUMNS} WHERE key = ?1");
        let found = self
            .db
            .prepare_cached(&sql)?
            .query_row([id.as_str()], stored)
            .optional()?;
        found.ok_or_else(|| IndexError::UnknownId(id.to_string()))
    }

    pub(crate) fn by_row(&self, row: i64) -> Result<Stored, IndexError> {
        let sql = format!("SELECT {COLUMNS} WHERE observation.id = ?1");
        Ok(self.db.prepare_cached(&sql)?.query_row([row], stored)?)
    }

    /// Returns the id and time of an observation.
    pub(crate) fn name_and_time(&self, row: i64) -> Result<(Id, Option<i64>), IndexError> {
        let mut select = self
            .db
            .prepare_cached("SELECT key, time FROM observation WHERE id = ?1")?;
        Ok(select.query_row([row], |row| {
            Ok((Id::typed(row.get_ref(0)?.as_str()?), row.get(1)?))
        })?)
    }

    /// Returns the text of an observation.
    pub(crate) fn detail(&self, row: i64) -> Result<String, IndexError> {
        let mut select = self
            .db
            .prepare_cached("SELECT detail FROM observation WHERE id = ?1")?;
        Ok(select.query_row([row], |row| row.get(0))?)
    }

    /// Returns what a search compares of an observation.
    pub(crate) fn texts(&self, row: i64) -> Result<Texts, IndexError> {
        let mut select = self.db.prepare_cached(
            "SELECT key, time, summary, refs, coalesce(task, ''), detail,
                observation.kind = 'code' AND instr(refs, char(10)) > 0, path
             FROM observation JOIN source ON source.id = observation.source
             WHERE observation.id = ?1",
        )?;
        Ok(select.query_row([row], |row| {
            Ok(Texts {
                id: Id::typed(row.get_ref(0)?.as_str()?),
                time: row.get(1)?,
                summary: row.get(2)?,
                refs: row.get(3)?,
                task: row.get(4)?,
                detail: row.get(5)?,
                is_body: row.get(6)?,
                path: row.get(7)?,
            })
        })?)
    }

    /// Returns the rows of the observations that a filter allows, ascending; `None` if it allows
    /// all.
    pub(crate) fn rows_among(&self, filter: &Filter<'_>) -> Result<Option<Vec<i64>>, IndexError> {
        if *filter == Filter::default() {
            return Ok(None);
        }
        let sql = format!("SELECT id FROM observation WHERE {FILTER} ORDER BY id");
        let mut select = self.db.prepare_cached(&sql)?;
        let rows = select.query_map(filter.values(), |row| row.get(0))?;
        Ok(Some(rows.collect::<Result<_, _>>()?))
    }

    /// Returns the number of observations that a filter allows.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn count_among(&self, filter: &Filter<'_>) -> Result<usize, IndexError> {
        let sql = format!("SELECT count(*) FROM observation WHERE {FILTER}");
        let count: i64 = self
            .db
            .prepare_cached(&sql)?
            .query_row(filter.values(), |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Returns the newest observations that a filter allows, the newest first.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn newest(&self, filter: &Filter<'_>, limit: usize) -> Result<Vec<Stored>, IndexError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let sql = format!(
            "SELECT {COLUMNS} WHERE {FILTER} ORDER BY time IS NULL, time DESC,
                path, first_line, key LIMIT ?7"
        );
        let mut statement = self.db.prepare_cached(&sql)?;
        let (task, pattern, since, until, roles, repository) = filter.values();
        let values = params![task, pattern, since, until, roles, repository, limit];
        let rows = statement.query_map(values, stored)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the observations of a task, the oldest first.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn of_task(&self, task: &str, limit: usize) -> Result<Vec<Stored>, IndexError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut statement = self.db.prepare_cached(&format!(
            "SELECT {COLUMNS} WHERE {OF_TASK} {BY_TIME} LIMIT ?3"
        ))?;
        let rows = statement.query_map(params![task, task_pattern(task), limit], stored)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns up to `count` observations before and after one, the oldest first, by time. Without
    /// a time, the order in the source is used.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn around(&self, middle: &Stored, count: usize) -> Result<Vec<Stored>, IndexError> {
        let place = "(coalesce(time, 9223372036854775807), path, first_line, key)";
        let time = middle.time.unwrap_or(i64::MAX);
        let ask = |side: &str, order: &str| -> Result<Vec<Stored>, IndexError> {
            let within = if middle.time.is_some() {
                "time IS NOT NULL"
            } else {
                "time IS NULL AND path = ?2"
            };
            let sql = format!(
                "SELECT {COLUMNS} WHERE {within} AND {place} {side} (?1, ?2, ?3, ?4)
                 ORDER BY time {order}, path {order}, first_line {order}, key {order} LIMIT ?5"
            );
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            let values = params![
                time,
                middle.file,
                middle.lines.0.cast_signed(),
                middle.id.as_str(),
                count
            ];
            let mut statement = self.db.prepare_cached(&sql)?;
            let rows = statement.query_map(values, stored)?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        let mut all = ask("<", "DESC")?;
        all.reverse();
        all.push(middle.clone());
        all.extend(ask(">", "ASC")?);
        Ok(all)
    }

    /// Returns a value of the table `meta`.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn meta<T: FromSql>(&self, key: &str) -> Result<Option<T>, IndexError> {
        meta(&self.db, key)
    }

    /// Returns the digest of everything stored, in hexadecimal.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn digest(&self) -> Result<String, IndexError> {
        digest(&self.db)
    }

    /// Returns the latest time of an observation that isn't after `until`, in milliseconds since
    /// the Unix epoch.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn newest_time(&self, until: i64) -> Result<Option<i64>, IndexError> {
        Ok(self.db.query_row(
            "SELECT max(time) FROM observation WHERE time <= ?1",
            [until],
            |row| row.get(0),
        )?)
    }

    /// Returns the number of observations later than a time.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn later_than(&self, time: i64) -> Result<u64, IndexError> {
        let sql = "SELECT count(*) FROM observation WHERE time > ?1";
        Ok(self
            .db
            .query_row(sql, [time], |row| row.get::<_, i64>(0))?
            .cast_unsigned())
    }

    /// Returns the indexed sources, by kind and path.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn sources(&self) -> Result<Vec<SourceRow>, IndexError> {
        sources(&self.db)
    }

    /// Returns the newest observations of some kinds, the newest first, optionally of one task.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn newest_of(
        &self,
        kinds: &[Kind],
        task: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Stored>, IndexError> {
        let names = quoted(kinds);
        let sql = format!(
            "SELECT {COLUMNS} WHERE observation.kind IN ({names}) AND (?1 IS NULL OR task = ?1)
             ORDER BY time IS NULL, time DESC, path, first_line, key LIMIT ?2"
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut statement = self.db.prepare_cached(&sql)?;
        let rows = statement.query_map(params![task, limit], stored)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the number of observations of some kinds, optionally of one task.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn count_of(&self, kinds: &[Kind], task: Option<&str>) -> Result<usize, IndexError> {
        let names = quoted(kinds);
        let sql = format!(
            "SELECT count(*) FROM observation WHERE kind IN ({names}) AND (?1 IS NULL OR task = ?1)"
        );
        let count: i64 = self
            .db
            .prepare_cached(&sql)?
            .query_row([task], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }
}

pub(crate) fn meta<T: FromSql>(db: &Connection, key: &str) -> Result<Option<T>, IndexError> {
    Ok(db
        .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()?)
}

pub(crate) fn sources(db: &Connection) -> Result<Vec<SourceRow>, IndexError> {
    let mut statement =
        db.prepare_cached("SELECT id, kind, path, hash, bytes FROM source ORDER BY kind, path")?;
    let rows = statement.query_map([], |row| {
        let bytes: i64 = row.get(4)?;
        Ok(SourceRow {
            id: row.get(0)?,
            kind: row.get(1)?,
            path: row.get(2)?,
            hash: row.get(3)?,
            bytes: bytes.cast_unsigned(),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Computes a digest of the content, independent of its history: over the digests of the sources by
/// kind and path.
pub(crate) fn digest(db: &Connection) -> Result<String, IndexError> {
    let mut statement =
        db.prepare_cached("SELECT kind, path, hash, digest FROM source ORDER BY kind, path")?;
    let mut rows = statement.query([])?;
    let mut all = Sha256::new();
    while let Some(row) = rows.next()? {
        for part in [
            row.get::<_, String>(0)?.into_bytes(),
            row.get::<_, String>(1)?.into_bytes(),
            row.get(2)?,
            row.get(3)?,
        ] {
            all.update((part.len() as u64).to_le_bytes());
            all.update(&part);
        }
    }
    Ok(hex(&all.finalize()))
}
