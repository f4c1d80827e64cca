//! Compares the store with a fresh reading of its sources.
//!
//! The store contains a hash of each source and a digest of its rows. Anyone who can write the file
//! can change both along with a text, so neither is trusted. The sources are read again and every
//! row is compared.

use super::extract::extract;
use super::source_config::SourceFile;
use super::tables::{self, SCHEMA};
use super::{KnowledgeError, weak};
use knowledge_index::{Prepared, Store};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// The tables whose rows belong to a source, with the columns that the source determines.
const TABLES: [(&str, &str, u32); 10] = [
    ("source", "kind, path, hash, bytes, digest, hidden", 6),
    ("observation", "key, kind, task, time, first_line, last_line, summary, refs, detail, role", 10),
    ("finding", "code, line, message", 3),
    ("edge", "line, from_node, to_node, type, time, weight, meta", 7),
    ("node", "line, id, type, time, payload", 5),
    ("name", "kind, name", 2),
    ("snapshot", "execution, path", 2),
    ("document", "name, json", 2),
    (
        "execution_log",
        "line, skill_name, skill_version, task_id, success, rolled_back, error_message, cost, latency, tokens_used, input_json, output_json, metadata_json,
         started_at, completed_at, turn",
        16,
    ),
    (
        "promotion_history",
        "line, skill_name, skill_version, candidate, old_status, new_status, recorded_score, recorded_metrics, reason, decided_by, promoted_at",
        11,
    ),
];

/// A digest over all rows of a source.
pub(super) type Contents = [u8; 32];

/// Computes the contents that the given sources should have in the store, in their order.
///
/// # Errors
/// When memory is exhausted.
pub(super) fn expected(
    sources: &[(&SourceFile, &[u8], u64)],
) -> Result<Vec<Contents>, KnowledgeError> {
    let mut store = Store::in_memory(&SCHEMA)?;
    let mut writer = store.write()?;
    for (file, hash, bytes) in sources {
        let mut extracted = extract(file);
        let observations = std::mem::take(&mut extracted.observations);
        let prepared = Prepared::new(observations, &file.name);
        tables::add(&mut writer, file, hash, *bytes, &extracted, &prepared)?;
    }
    let ids = (1_i64..).take(sources.len());
    ids.map(|id| contents(writer.connection(), id)).collect()
}

/// Computes the contents that the store has for a source.
///
/// # Errors
/// When the rows can't be read.
pub(super) fn contents(db: &Connection, source: i64) -> Result<Contents, KnowledgeError> {
    let mut all = blake3::Hasher::new();
    for (table, columns, count) in TABLES {
        let id = if table == "source" { "id" } else { "source" };
        let order: Vec<String> = (1..=count).map(|n| n.to_string()).collect();
        let sql = format!(
            "SELECT {columns} FROM {table} WHERE {id} = ?1 ORDER BY {}",
            order.join(", ")
        );
        let mut select = db.prepare_cached(&sql)?;
        let mut rows = select.query([source])?;
        while let Some(row) = rows.next()? {
            all.update(b"row");
            for n in 0..count as usize {
                let (kind, bytes): (u8, &[u8]) = match row.get_ref(n)? {
                    ValueRef::Null => (0, &[]),
                    ValueRef::Integer(n) => (1, &n.to_le_bytes()),
                    ValueRef::Real(n) => (2, &n.to_le_bytes()),
                    ValueRef::Text(text) => (3, text),
                    ValueRef::Blob(bytes) => (4, bytes),
                };
                all.update(&[kind]);
                all.update(&(bytes.len() as u64).to_le_bytes());
                all.update(bytes);
            }
        }
        all.update(b"end");
    }
    Ok(*all.finalize().as_bytes())
}

/// Returns the tables with rows that belong to no source. Their origin is unknown.
///
/// # Errors
/// When the store can't be read.
pub(super) fn strays(store: &Store) -> Result<Vec<&'static str>, KnowledgeError> {
    let mut found = Vec::new();
    for (table, ..) in TABLES.iter().filter(|(table, ..)| *table != "source") {
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM {table} WHERE source IS NULL OR source NOT IN (SELECT id FROM source))"
        );
        if store.connection().query_row(&sql, [], |row| row.get(0))? {
            found.push(*table);
        }
    }
    Ok(found)
}

/// Whether uses of skills are marked weak exactly where their turns are. Requires a store whose
/// rows match their sources.
///
/// # Errors
/// When the store or the bank can't be read.
pub(super) fn marks_agree(store: &Store, sources: &super::Sources) -> Result<bool, KnowledgeError> {
    weak::agrees(store, sources)
}
