//! The store: a single SQLite file.
//!
//! The file is in WAL mode, so readers see the last committed state while one writer works.
//! Everything that a run changes is one transaction, so a killed writer leaves the previous state.

mod read;
mod write;

pub use read::{Filter, SourceRow, Stored};
pub(crate) use read::{Texts, meta as read_meta};
pub use write::{NewSource, OpenSource, Prepared, Writer};

use crate::model2vec::Model2Vec;
use crate::{IndexError, fulltext};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The SQL that creates the tables of sources and observations.
const OBSERVATIONS: &str = include_str!("schema.sql");
/// The SQL that creates the table of vectors.
const VECTORS: &str = include_str!("vectors.sql");
/// Maximum time to wait for another writer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What an application determines of a store: its id, its version, and further tables.
#[derive(Debug)]
pub struct Schema {
    /// SQLite's `application_id`, which distinguishes the file from other databases.
    pub application_id: i64,
    /// The version of all tables in the file, from 1: those of this crate and those of the
    /// application. A store with another version is refused, since it can be rebuilt from its
    /// sources.
    pub version: i64,
    /// The SQL that creates the tables of the application.
    pub tables: &'static str,
    /// Those of its tables whose rows belong to a source, by a column `source`. Their rows are
    /// removed with the source.
    pub owned: &'static [&'static str],
}

impl Schema {
    /// A store without other tables.
    pub const BARE: Self = Self {
        application_id: 0x6b69_6478,
        version: 1,
        tables: "",
        owned: &[],
    };

    fn create(&self, db: &Connection) -> Result<(), IndexError> {
        for tables in [OBSERVATIONS, self.tables, VECTORS] {
            db.execute_batch(tables)?;
        }
        fulltext::create(db)
    }

    /// Refuses a store with another version.
    fn check(&self, found: i64) -> Result<(), IndexError> {
        let known = self.version;
        match found.cmp(&known) {
            Ordering::Equal => Ok(()),
            Ordering::Greater => Err(IndexError::Newer { found, known }),
            Ordering::Less => Err(IndexError::Older { found, known }),
        }
    }
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    pub(crate) db: Connection,
    schema: &'static Schema,
    /// The directory of the given model, if any.
    model: Option<PathBuf>,
    /// That model, loaded on first use.
    given: OnceCell<Arc<Model2Vec>>,
}

impl Store {
    const fn over(db: Connection, schema: &'static Schema) -> Self {
        Self {
            db,
            schema,
            model: None,
            given: OnceCell::new(),
        }
    }

    /// Uses the vectors of a model2vec model in a directory instead of learned ones. The directory
    /// is read when vectors are first needed.
    pub fn use_model(&mut self, folder: Option<&Path>) {
        self.model = folder.map(Path::to_path_buf);
        self.given = OnceCell::new();
    }

    /// Whether a model was given.
    pub(crate) const fn has_model(&self) -> bool {
        self.model.is_some()
    }

    /// Loads the given model, if any.
    ///
    /// # Errors
    /// When the model can't be read.
    pub fn model(&self) -> Result<Option<Arc<Model2Vec>>, IndexError> {
        let Some(folder) = &self.model else {
            return Ok(None);
        };
        if let Some(known) = self.given.get() {
            return Ok(Some(Arc::clone(known)));
        }
        let opened = Arc::new(Model2Vec::open(folder).map_err(IndexError::Model)?);
        Ok(Some(Arc::clone(self.given.get_or_init(|| opened))))
    }

    /// Opens a store for reading. Nothing is changed.
    ///
    /// # Errors
    /// When the file is missing, isn't a store, or has a different version.
    pub fn open(path: &Path, schema: &'static Schema) -> Result<Self, IndexError> {
        if !path.is_file() {
            return Err(IndexError::Missing {
                path: path.to_path_buf(),
            });
        }
        is_database(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(path, flags)?;
        let (db, found) = match version(&db, path, schema) {
            Ok(found) => (db, found),
            Err(error) => {
                let Some(uri) = unchanging(path, &error) else {
                    return Err(error);
                };
                let db = Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?;
                let found = version(&db, path, schema)?;
                (db, found)
            }
        };
        settings(&db)?;
        schema.check(found)?;
        Ok(Self::over(db, schema))
    }

    /// Opens or creates a store for writing.
    ///
    /// # Errors
    /// When the file isn't a store, has a different version, or can't be written.
    pub fn create(path: &Path, schema: &'static Schema) -> Result<Self, IndexError> {
        if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| IndexError::Io {
                path: PathBuf::from(folder),
                error,
            })?;
        }
        is_database(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut db = Connection::open_with_flags(path, flags)?;
        let found = version(&db, path, schema)?;
        settings(&db)?;
        if found != NEW {
            schema.check(found)?;
        }
        // Use 24 MB: enough for the keys of half a million observations, which arrive in random
        // order. The rest is written once.
        db.pragma_update(None, "cache_size", -24_576)?;
        // Affects new files only: it halves the number of pages to write and wastes less of each.
        db.pragma_update(None, "page_size", 8192)?;
        db.pragma_update(None, "journal_mode", "wal")?;
        // A power failure may lose the last run, which can be repeated, but nothing else.
        db.pragma_update(None, "synchronous", "normal")?;
        if found == schema.version {
            return Ok(Self::over(db, schema));
        }
        let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Checked again in the transaction, since another process may have created the schema.
        if version(&transaction, path, schema)? == NEW {
            schema.create(&transaction)?;
            transaction.pragma_update(None, "user_version", schema.version)?;
        }
        transaction.pragma_update(None, "application_id", schema.application_id)?;
        transaction.commit()?;
        Ok(Self::over(db, schema))
    }

    /// Creates a store in memory.
    ///
    /// # Errors
    /// When memory is exhausted.
    pub fn in_memory(schema: &'static Schema) -> Result<Self, IndexError> {
        let db = Connection::open_in_memory()?;
        settings(&db)?;
        schema.create(&db)?;
        Ok(Self::over(db, schema))
    }

    /// Returns the connection to the database, for the tables of the application.
    #[must_use]
    pub const fn connection(&self) -> &Connection {
        &self.db
    }

    /// Whether the index contains exactly the words of the stored texts, and the statistics that
    /// ranking relies on. The words are indexed again and compared.
    ///
    /// # Errors
    /// When the store can't be read. An unreadable word index is a mismatch.
    pub fn words_agree(&self) -> Result<bool, IndexError> {
        match fulltext::agrees(&self.db) {
            Err(IndexError::Damaged(_) | IndexError::Database(_)) => Ok(false),
            other => other,
        }
    }

    /// Begins the single transaction of a run.
    ///
    /// # Errors
    /// When another process is writing.
    pub fn write(&mut self) -> Result<Writer<'_>, IndexError> {
        Writer::new(
            self.db
                .transaction_with_behavior(TransactionBehavior::Immediate)?,
            self.schema,
        )
    }
}

/// The version of a new file.
const NEW: i64 = 0;

fn settings(db: &Connection) -> Result<(), IndexError> {
    // The file may be hostile: its schema must not call functions with side effects.
    db.pragma_update(None, "trusted_schema", false)?;
    db.pragma_update(None, "cell_size_check", true)?;
    // 64 MB, in kilobytes.
    db.pragma_update(None, "cache_size", -65_536)?;
    Ok(())
}

/// Returns the address for opening an index in a read-only directory, where SQLite can't create the
/// file in which readers register. This is safe only if no writer has left a WAL, which such a
/// reader wouldn't see.
fn unchanging(path: &Path, error: &IndexError) -> Option<String> {
    let IndexError::Refused(error) = error else {
        return None;
    };
    // A full disk has no room for that file either.
    let codes = [
        ErrorCode::ReadOnly,
        ErrorCode::CannotOpen,
        ErrorCode::DiskFull,
        ErrorCode::SystemIoFailure,
    ];
    let refused = error
        .sqlite_error_code()
        .is_some_and(|code| codes.contains(&code));
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let settled = Path::new(&log).metadata().map_or_else(
        |e| e.kind() == std::io::ErrorKind::NotFound,
        |log| log.len() == 0,
    );
    let path = path
        .to_str()
        .filter(|_| refused && settled)?
        .replace('\\', "/");
    // Escapes characters with a meaning in a URI.
    let path = path
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    let slash = if path.as_bytes().get(1) == Some(&b':') {
        "/"
    } else {
        ""
    };
    Some(format!("file:{slash}{path}?immutable=1"))
}

/// The first bytes of a database file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Refuses a file that isn't a database. SQLite takes a file of a few bytes for an empty database
/// and would overwrite it.
fn is_database(path: &Path) -> Result<(), IndexError> {
    // SQLite reports its own error for a file that can't be opened.
    let Some(file) = Some(path)
        .filter(|p| p.is_file())
        .and_then(|p| std::fs::File::open(p).ok())
    else {
        return Ok(());
    };
    let mut start = Vec::new();
    let read = file.take(MAGIC.len() as u64).read_to_end(&mut start);
    if read.is_ok() && (start.is_empty() || start == MAGIC) {
        return Ok(());
    }
    Err(IndexError::Foreign {
        path: path.to_path_buf(),
    })
}

/// Returns the version of a store; 0 for a new file.
fn version(db: &Connection, path: &Path, schema: &Schema) -> Result<i64, IndexError> {
    db.busy_timeout(PATIENCE)?;
    let foreign = || IndexError::Foreign {
        path: path.to_path_buf(),
    };
    let ask = |pragma: &str| db.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let application = ask("application_id").map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => foreign(),
        _ => error.into(),
    })?;
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    // This program creates neither views nor triggers. A view with the name of a table would run
    // arbitrary and possibly endless queries.
    let others = "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')";
    let others: i64 = db.query_row(others, [], |row| row.get(0))?;
    // A virtual table runs code of SQLite on what the file holds: only ours, as we made them.
    let virtual_tables: Vec<String> = db
        .prepare("SELECT sql FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let is_planted = |sql: &String| !fulltext::TABLES.contains(&format!("{sql};"));
    let others = others > 0 || virtual_tables.iter().any(is_planted);
    if application != schema.application_id && (application != 0 || tables > 0) || others {
        return Err(foreign());
    }
    Ok(ask("user_version")?)
}

#[cfg(test)]
mod tests;
