//! Writes the changes of one run.

use super::Schema;
use super::read::{self, SourceRow};
use crate::IndexError;
use crate::fulltext::{self, Words};
use crate::observation::{Id, Observation};
use rusqlite::types::FromSql;
use rusqlite::{Connection, Transaction, params};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// The transaction of a run. Dropping it without [`Writer::commit`] changes nothing.
#[derive(Debug)]
pub struct Writer<'s> {
    pub(crate) db: Transaction<'s>,
    schema: &'static Schema,
    /// The id of the next observation.
    next: i64,
}

impl<'s> Writer<'s> {
    pub(super) fn new(db: Transaction<'s>, schema: &'static Schema) -> Result<Self, IndexError> {
        // Enough for one source. The default of 16 would evict statements between two sources.
        db.set_prepared_statement_cache_capacity(64);
        let last: i64 =
            db.query_row("SELECT coalesce(max(id), 0) FROM observation", [], |row| {
                row.get(0)
            })?;
        Ok(Self {
            db,
            schema,
            next: last + 1,
        })
    }

    /// Commits everything that was written.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn commit(self) -> Result<(), IndexError> {
        Ok(self.db.commit()?)
    }

    /// Returns the id of the next observation.
    pub const fn next(&self) -> i64 {
        self.next
    }

    /// Adds the words of new observations, whose ids begin at `first`.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn index(&self, first: i64, words: &[Words]) -> Result<(), IndexError> {
        (first..)
            .zip(words)
            .try_for_each(|(id, words)| fulltext::add(&self.db, id, words))
    }

    /// Removes a source with all its rows. Returns its number of observations.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn remove(&mut self, source: i64) -> Result<u64, IndexError> {
        fulltext::remove(&self.db, source)?;
        let vectors = "DELETE FROM vector WHERE observation IN
            (SELECT id FROM observation WHERE source = ?1)";
        self.db.prepare_cached(vectors)?.execute([source])?;
        let observations = self
            .db
            .prepare_cached("DELETE FROM observation WHERE source = ?1")?
            .execute([source])?;
        for table in self.schema.owned {
            self.db
                .prepare_cached(&format!("DELETE FROM {table} WHERE source = ?1"))?
                .execute([source])?;
        }
        self.db
            .prepare_cached("DELETE FROM source WHERE id = ?1")?
            .execute([source])?;
        Ok(observations as u64)
    }

    /// Adds a source with its observations. Their words are added by [`Writer::index`]. The source
    /// is complete after [`Writer::finish`].
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn add(
        &mut self,
        source: &NewSource<'_>,
        prepared: &Prepared,
    ) -> Result<OpenSource, IndexError> {
        let mut insert = self.db.prepare_cached(
            "INSERT INTO source (kind, path, hash, bytes, digest, hidden)
             VALUES (?1, ?2, ?3, ?4, zeroblob(0), ?5)",
        )?;
        let id = insert.insert(params![
            source.kind,
            source.path,
            source.hash,
            source.bytes.cast_signed(),
            source.hidden.cast_signed()
        ])?;
        drop(insert);
        let mut open = OpenSource {
            id,
            digest: Sha256::new(),
        };
        self.observations(source.path, &mut open, &prepared.0)?;
        Ok(open)
    }

    /// Completes a source: stores the digest of its rows.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn finish(&self, source: OpenSource) -> Result<(), IndexError> {
        let digest = source.digest.finalize();
        self.db
            .prepare_cached("UPDATE source SET digest = ?2 WHERE id = ?1")?
            .execute(params![source.id, digest.as_slice()])?;
        Ok(())
    }

    fn observations(
        &mut self,
        path: &str,
        source: &mut OpenSource,
        observations: &[Indexed],
    ) -> Result<(), IndexError> {
        let mut insert = self.db.prepare_cached(
            "INSERT INTO observation (id, key, source, kind, task, time, first_line, last_line,
             summary, refs, detail, role)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT (key) DO NOTHING",
        )?;
        let mut seen: HashMap<&Id, u64> = HashMap::new();
        for Indexed {
            observation,
            id: first,
            refs,
        } in observations
        {
            let repeat = seen.entry(first).or_default();
            // Another observation may have this id: the same text again or, very rarely, a
            // collision.
            let id = loop {
                let id = if *repeat == 0 {
                    first.clone()
                } else {
                    Id::of(observation, path, *repeat)
                };
                *repeat += 1;
                let lines = (
                    observation.lines.0.cast_signed(),
                    observation.lines.1.cast_signed(),
                );
                let values = params![
                    self.next,
                    id.as_str(),
                    source.id,
                    observation.kind.name(),
                    observation.task,
                    observation.time,
                    lines.0,
                    lines.1,
                    observation.summary,
                    refs,
                    observation.detail,
                    observation.role()
                ];
                if insert.execute(values)? > 0 {
                    break id;
                }
            };
            self.next += 1;
            let lines = format!("{} {}", observation.lines.0, observation.lines.1);
            source.note(&[id.as_str(), &lines]);
        }
        Ok(())
    }

    /// Returns the connection to the database, for the tables of the application.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.db
    }

    /// Returns a value of the table `meta`.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn meta<T: FromSql>(&self, key: &str) -> Result<Option<T>, IndexError> {
        read::meta(&self.db, key)
    }

    /// Returns the indexed sources, by kind and path.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn sources(&self) -> Result<Vec<SourceRow>, IndexError> {
        read::sources(&self.db)
    }

    /// Returns the digest of everything stored, in hexadecimal.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn digest(&self) -> Result<String, IndexError> {
        read::digest(&self.db)
    }

    /// Sets a value of the table `meta`.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn set(&self, key: &str, value: impl rusqlite::ToSql) -> Result<(), IndexError> {
        // An unchanged value doesn't cause a write to disk.
        let sql = "INSERT INTO meta VALUES (?1, ?2)
            ON CONFLICT (key) DO UPDATE SET value = ?2 WHERE value IS NOT ?2";
        self.db.prepare_cached(sql)?.execute(params![key, value])?;
        Ok(())
    }
}

/// A source that is added.
#[derive(Debug, Clone, Copy)]
pub struct NewSource<'s> {
    /// What kind of source it is. Kind and path together are unique.
    pub kind: &'s str,
    pub path: &'s str,
    /// A hash of its bytes, by which a change is noticed.
    pub hash: &'s [u8],
    /// Its length.
    pub bytes: u64,
    /// Number of texts with a removed secret.
    pub hidden: u64,
}

/// A source that is being written. [`Writer::finish`] completes it.
#[must_use = "without `Writer::finish`, the source has no digest"]
#[derive(Debug)]
pub struct OpenSource {
    id: i64,
    /// Of all rows of the source.
    digest: Sha256,
}

impl OpenSource {
    /// Returns the id of the source, by which rows of other tables belong to it.
    pub const fn id(&self) -> i64 {
        self.id
    }

    /// Adds texts to the digest with their lengths, so that different lists can't collide.
    pub fn note(&mut self, parts: &[&str]) {
        self.digest.update((parts.len() as u64).to_le_bytes());
        for part in parts {
            self.digest.update((part.len() as u64).to_le_bytes());
            self.digest.update(part.as_bytes());
        }
    }
}

/// The observations of a source in stored form, prepared on all cores while sources are read.
#[derive(Debug)]
pub struct Prepared(Vec<Indexed>);

#[derive(Debug)]
struct Indexed {
    observation: Observation,
    id: Id,
    refs: String,
}

impl Prepared {
    /// Prepares the observations of a source.
    pub fn new(observations: Vec<Observation>, source: &str) -> Self {
        let index = |observation: Observation| Indexed {
            refs: observation.refs.join("\n"),
            id: Id::of(&observation, source, 0),
            observation,
        };
        Self(observations.into_iter().map(index).collect())
    }

    /// Splits the observations into words.
    pub fn words(&self) -> Vec<Words> {
        let words = |Indexed {
                         observation, refs, ..
                     }: &Indexed| {
            let task = observation.task.as_deref().unwrap_or_default();
            Words::new(&observation.summary, refs, task, &observation.detail)
        };
        self.0.iter().map(words).collect()
    }
}
