//! Reads uses of skills from a store of an earlier generation: SQLite tables whose names end in
//! `_log` or, in a store with generations, `_log_v2` and the like.

use super::Use;
use crate::knowledge::extract::time;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Maximum number of rows of one table.
const ROWS: usize = 1_000_000;
/// Maximum number of bytes of one text.
const TEXT: usize = 4_096;

/// Why a legacy store can't be read.
#[derive(Debug, thiserror::Error)]
pub enum LegacyStoreError {
    /// The file is missing, not a database, or damaged.
    #[error("it can't be read as a SQLite database: {0}")]
    Database(#[from] rusqlite::Error),
    /// No table has the required columns.
    #[error(
        "no table whose name ends in `_log` or `_log_vN` has the columns `skill_name` and `success`"
    )]
    NoTable,
    /// A table has too many rows.
    #[error("the table `{0}` has more than {ROWS} rows")]
    TooLong(String),
}

/// The content of a legacy store.
#[derive(Debug, Default)]
pub struct LegacyStore {
    /// The uses, by table and row.
    pub uses: Vec<Use>,
    /// The tables that were read, with the number of rows used.
    pub tables: Vec<(String, u64)>,
}

/// Reads a legacy store without changing it. `name` is the file name in places.
///
/// # Errors
/// When the file isn't such a store, or has no matching table.
pub fn read_legacy_store(path: &Path, name: &str) -> Result<LegacyStore, LegacyStoreError> {
    let db = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    // The file may be hostile: its schema must not call functions with side effects.
    db.pragma_update(None, "trusted_schema", false)?;
    db.pragma_update(None, "cell_size_check", true)?;
    let mut found = LegacyStore::default();
    for table in tables(&db)? {
        let columns = columns(&db, &table)?;
        if columns.contains_key("skill_name") && columns.contains_key("success") {
            let before = found.uses.len();
            read(&db, &table, &columns, name, &mut found.uses)?;
            found
                .tables
                .push((table, (found.uses.len() - before) as u64));
        }
    }
    if found.tables.is_empty() {
        Err(LegacyStoreError::NoTable)
    } else {
        Ok(found)
    }
}

/// Returns ordinary tables only: reading a view or a virtual table would run code from the file.
fn tables(db: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0
         AND (name LIKE '%\\_log' ESCAPE '\\' OR name GLOB '*_log_v[0-9]*') ORDER BY name";
    let mut statement = db.prepare(sql)?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// Returns the columns of a table by their lower-case names. Generated columns aren't listed.
fn columns(db: &Connection, table: &str) -> rusqlite::Result<BTreeMap<String, String>> {
    let mut statement = db.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let names = statement.query_map([table], |row| row.get::<_, String>(0))?;
    names
        .map(|name| name.map(|n| (n.to_lowercase(), n)))
        .collect()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn read(
    db: &Connection,
    table: &str,
    columns: &BTreeMap<String, String>,
    name: &str,
    uses: &mut Vec<Use>,
) -> Result<(), LegacyStoreError> {
    const WANTED: [&str; 9] = [
        "skill_name",
        "success",
        "skill_version",
        "task_id",
        "cost",
        "latency",
        "started_at",
        "completed_at",
        "rolled_back",
    ];
    let select: Vec<String> = WANTED
        .iter()
        .map(|w| {
            columns
                .get(*w)
                .map_or_else(|| "NULL".to_owned(), |c| quoted(c))
        })
        .collect();
    let mut statement = db.prepare(&format!(
        "SELECT {} FROM {} LIMIT {}",
        select.join(", "),
        quoted(table),
        ROWS + 1
    ))?;
    let mut rows = statement.query([])?;
    let mut line = 0;
    while let Some(row) = rows.next()? {
        line += 1;
        if line > ROWS as u64 {
            return Err(LegacyStoreError::TooLong(table.to_owned()));
        }
        let value = |n: usize| row.get_ref(n).map(json);
        let text = |n: usize| {
            value(n).map(|v| {
                v.as_str()
                    .map(|t| t.chars().take(TEXT).collect::<String>())
                    .unwrap_or_default()
            })
        };
        let number = |v: &Value| v.as_f64().or_else(|| v.as_str()?.trim().parse().ok());
        let truth = |v: &Value| {
            number(v)
                .map(|n: f64| n > 0.0)
                .or_else(|| v.as_str()?.trim().to_lowercase().parse().ok())
        };
        // A text column stores numbers as text.
        let moment = |v: &Value| time(v).or_else(|| v.as_str()?.trim().parse().ok());
        let skill = text(0)?;
        if skill.is_empty() {
            continue;
        }
        uses.push(Use {
            file: format!("{name}#{table}"),
            line,
            skill,
            version: text(2)?,
            task: text(3)?,
            turn: None,
            success: truth(&value(1)?),
            weak: false,
            rolled_back: truth(&value(8)?) == Some(true),
            cost: number(&value(4)?),
            latency: number(&value(5)?),
            started: moment(&value(6)?),
            completed: moment(&value(7)?),
        });
    }
    Ok(())
}

fn json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Integer(n) => n.into(),
        ValueRef::Real(n) => n.into(),
        ValueRef::Text(text) => Value::String(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_under_another_prefix_are_read_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.db");
        let db = Connection::open(&path).unwrap();
        db.execute_batch(include_str!("legacy_store/tables.sql"))
            .unwrap();
        let found = read_legacy_store(&path, "old.db").unwrap();
        assert_eq!(found.tables, [("agent_execution_log".to_owned(), 2)]);
        let told: Vec<_> = found
            .uses
            .iter()
            .map(|u| (u.success, u.cost, u.started))
            .collect();
        assert_eq!(
            told,
            [
                (Some(true), Some(0.5), Some(1_769_853_600_000)),
                (Some(false), None, Some(5))
            ]
        );
        assert_eq!(found.uses[0].file, "old.db#agent_execution_log");

        std::fs::write(
            folder.path().join("text"),
            "no database, though it is long enough to be looked at as one",
        )
        .unwrap();
        assert!(matches!(
            read_legacy_store(&folder.path().join("text"), "text"),
            Err(LegacyStoreError::Database(_))
        ));
        assert!(matches!(
            read_legacy_store(&folder.path().join("none"), "none"),
            Err(LegacyStoreError::Database(_))
        ));
        assert!(!folder.path().join("none").exists());
        let empty = folder.path().join("empty.db");
        Connection::open(&empty)
            .unwrap()
            .execute_batch("CREATE TABLE a_log (x)")
            .unwrap();
        assert!(matches!(
            read_legacy_store(&empty, "e"),
            Err(LegacyStoreError::NoTable)
        ));
    }
}
