//! What an index holds, in numbers.

use super::KnowledgeError;
use knowledge_index::Store;

/// The numbers of an index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Number of sources and their bytes, by kind.
    pub sources: Vec<(String, u64, u64)>,
    /// Number of observations by kind.
    pub observations: Vec<(String, u64)>,
    /// Times of the oldest and newest observation, in milliseconds since the Unix epoch.
    pub times: Option<(i64, i64)>,
    /// Number of observations without a time.
    pub without_time: u64,
    pub edges: u64,
    pub skill_uses: u64,
    /// Number of findings about the sources.
    pub findings: u64,
    /// Number of texts with a removed secret.
    pub hidden: u64,
    /// Whether questions are answered by vectors too.
    pub has_vectors: bool,
}

/// Counts what an index holds.
///
/// # Errors
/// When the store can't be read.
pub fn statistics(store: &Store) -> Result<Statistics, KnowledgeError> {
    let count = |sql: &str| -> Result<u64, KnowledgeError> {
        let count: i64 = store.connection().query_row(sql, [], |row| row.get(0))?;
        Ok(count.cast_unsigned())
    };
    let mut sources = store
        .connection()
        .prepare("SELECT kind, count(*), coalesce(sum(bytes), 0) FROM source GROUP BY kind")?;
    let sources = sources.query_map([], |row| {
        let (files, bytes): (i64, i64) = (row.get(1)?, row.get(2)?);
        Ok((row.get(0)?, files.cast_unsigned(), bytes.cast_unsigned()))
    })?;
    let mut observations = store
        .connection()
        .prepare("SELECT kind, count(*) FROM observation GROUP BY kind ORDER BY kind")?;
    let observations = observations.query_map([], |row| {
        Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned()))
    })?;
    let times = store.connection().query_row(
        "SELECT min(time), max(time) FROM observation",
        [],
        |row| {
            let (oldest, newest): (Option<i64>, Option<i64>) = (row.get(0)?, row.get(1)?);
            Ok(oldest.zip(newest))
        },
    )?;
    Ok(Statistics {
        sources: sources.collect::<Result<_, _>>()?,
        observations: observations.collect::<Result<_, _>>()?,
        times,
        without_time: count("SELECT count(*) FROM observation WHERE time IS NULL")?,
        edges: count("SELECT count(*) FROM edge")?,
        skill_uses: count("SELECT count(*) FROM execution_log")?,
        findings: count("SELECT count(*) FROM finding")?,
        hidden: count("SELECT coalesce(sum(hidden), 0) FROM source")?,
        has_vectors: count("SELECT count(*) FROM vector")? > 0,
    })
}
