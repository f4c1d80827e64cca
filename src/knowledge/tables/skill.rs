//! Reads and writes the store's data about skills.

use crate::knowledge::KnowledgeError;
use crate::knowledge::context::Item;
use crate::knowledge::extract::{Promotion, time};
use crate::knowledge::skills::{Change, LibrarySkill, Manifest, Metrics, QueuedCandidate, Use};
use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, params};
use serde_json::Value;
use std::collections::BTreeSet;

/// Maximum number of dependencies of a skill that are read.
const DEPENDENCIES: usize = 100;

/// Returns every recorded use of a skill, by source and line.
pub(in crate::knowledge) fn uses(db: &Connection) -> Result<Vec<Use>, KnowledgeError> {
    let mut statement = db.prepare(
        "SELECT path, line, skill_name, skill_version, coalesce(task_id, ''), success,
         coalesce(weak, 0), rolled_back, cost, latency, started_at, completed_at, turn
         FROM execution_log JOIN source ON source.id = execution_log.source
         ORDER BY path, line, skill_name",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Use {
            file: row.get(0)?,
            line: row.get::<_, i64>(1)?.cast_unsigned(),
            skill: row.get(2)?,
            version: row.get(3)?,
            task: row.get(4)?,
            success: row.get(5)?,
            weak: row.get(6)?,
            rolled_back: row.get(7)?,
            cost: row.get(8)?,
            latency: row.get(9)?,
            started: row.get(10)?,
            completed: row.get(11)?,
            turn: row.get(12)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the documents of a kind of source: path and JSON.
fn documents(db: &Connection, kind: &str) -> Result<Vec<(String, Value)>, KnowledgeError> {
    let mut statement = db.prepare(
        "SELECT path, json FROM document JOIN source ON source.id = document.source
         WHERE kind = ?1 ORDER BY path, name",
    )?;
    let rows = statement.query_map([kind], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
    })?;
    let mut all = Vec::new();
    for row in rows {
        let (path, json) = row?;
        // Masking a secret may have broken the JSON syntax; such a document is skipped.
        if let Ok(value) = serde_json::from_str(&json) {
            all.push((path, value));
        }
    }
    Ok(all)
}

/// Returns what `read` finds in the documents about skills.
fn of_skills<T, All: FromIterator<T>>(
    db: &Connection,
    read: impl Fn((String, Value)) -> Option<T>,
) -> Result<All, KnowledgeError> {
    let documents = documents(db, "skills")?.into_iter();
    Ok(documents.filter_map(read).collect())
}

/// Returns the declarations of skills.
pub(in crate::knowledge) fn manifests(db: &Connection) -> Result<Vec<Manifest>, KnowledgeError> {
    let read = |(file, value): (String, Value)| {
        let text = |pointer: &str| {
            value
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let name = Some(text("/meta/name")).filter(|name| !name.is_empty())?;
        Some(Manifest {
            file,
            name,
            version: text("/meta/version"),
            intent: text("/meta/intent"),
            stage: text("/stage"),
            created: value.pointer("/meta/created_at").and_then(time),
            success_threshold: value
                .pointer("/meta/success_threshold")
                .and_then(Value::as_f64),
            dependencies: value
                .pointer("/meta/dependencies")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(|name| name.as_str().map(str::to_owned))
                .take(DEPENDENCIES)
                .collect(),
        })
    };
    of_skills(db, read)
}

/// Returns the skills that the lists of loaded skills disable.
pub(in crate::knowledge) fn disabled(db: &Connection) -> Result<BTreeSet<String>, KnowledgeError> {
    let named = |(_, value): (String, Value)| {
        value
            .get("disabled")
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    of_skills(db, named)
}

/// Returns the candidates in queues.
pub(in crate::knowledge) fn queue(db: &Connection) -> Result<Vec<QueuedCandidate>, KnowledgeError> {
    let read = |(file, value): (String, Value)| {
        let candidate = value.get("candidate")?;
        let text = |member| candidate.get(member)?.as_str().map(str::to_owned);
        Some(QueuedCandidate {
            file,
            line: value.get("line")?.as_u64()?,
            id: text("id")?,
            path: text("path")?,
            uses: candidate.get("usageCount")?.as_u64()?,
            status: text("status")?,
        })
    };
    of_skills(db, read)
}

/// Returns the skills in libraries.
pub(in crate::knowledge) fn library(db: &Connection) -> Result<Vec<LibrarySkill>, KnowledgeError> {
    let read = |(file, value): (String, Value)| {
        let skill = value.get("library")?;
        let text = |member| skill.get(member)?.as_str().map(str::to_owned);
        Some(LibrarySkill {
            file,
            line: value.get("line")?.as_u64()?,
            id: text("id")?,
            name: text("name")?,
            successes: skill.get("successCount")?.as_u64()?,
            failures: skill.get("failureCount")?.as_u64()?,
            is_enabled: skill.get("enabled")?.as_bool()?,
        })
    };
    of_skills(db, read)
}

/// Returns the items of context banks with the members that decide about them, without content.
pub(in crate::knowledge) fn items(db: &Connection) -> Result<Vec<Item>, KnowledgeError> {
    use crate::knowledge::context::Place;
    Ok(documents(db, "bank")?
        .iter()
        .filter_map(|(file, value)| Item::read(file, Place::Whole, value))
        .collect())
}

/// The changes of the standing of skills, by time.
const CHANGES: &str = "FROM promotion_history
     JOIN source ON source.id = promotion_history.source
     ORDER BY promoted_at, path, line, promotion_history.id";

/// Returns every recorded change of a skill's standing, by time.
pub(in crate::knowledge) fn changes(db: &Connection) -> Result<Vec<Change>, KnowledgeError> {
    let mut statement = db.prepare(&format!(
        "SELECT path, line, skill_name, skill_version, candidate, old_status, new_status,
         recorded_score, recorded_metrics, reason, decided_by, promoted_at {CHANGES}"
    ))?;
    let rows = statement.query_map([], |row| {
        Ok(Change {
            file: row.get(0)?,
            what: Promotion {
                line: row.get::<_, Option<i64>>(1)?.unwrap_or(0).cast_unsigned(),
                skill: row.get(2)?,
                version: row.get(3)?,
                candidate: row.get(4)?,
                old: row.get(5)?,
                new: row.get(6)?,
                score: row.get(7)?,
                metrics: row.get(8)?,
                reason: row.get(9)?,
                by: row.get(10)?,
                time: row.get::<_, Option<i64>>(11)?.unwrap_or(i64::MAX),
            },
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The statistics of a version of a skill: name, version, intent, metrics and score.
pub(in crate::knowledge) type Stats = (String, String, String, Metrics, f64);

/// Replaces the statistics of all skills.
pub(in crate::knowledge) fn write_stats(
    db: &Connection,
    all: &[Stats],
) -> Result<(), KnowledgeError> {
    db.execute("DELETE FROM skill_stats", [])?;
    let mut insert = db.prepare(
        "INSERT INTO skill_stats (skill_name, skill_version, intent, execution_count,
         success_count, failure_count, total_cost, avg_cost, total_latency, avg_latency, rollback_count, rollback_rate, stability_score, current_score,
         first_execution_at, last_execution_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?16)",
    )?;
    for (name, version, intent, f, score) in all {
        insert.execute(params![
            name,
            version,
            intent,
            f.executions.cast_signed(),
            f.successes.cast_signed(),
            f.failures().cast_signed(),
            f.total_cost,
            f.avg_cost.unwrap_or(0.0),
            f.total_latency,
            f.avg_latency.unwrap_or(0.0),
            f.rollbacks.cast_signed(),
            f.rollback_rate(),
            f.stability(),
            score,
            f.first,
            f.last
        ])?;
    }
    Ok(())
}

/// Score and metrics of a change.
type Basis = (Option<f64>, Option<String>);

/// Returns the row of each change with its basis, in the order of [`changes`].
fn bases(db: &Connection) -> Result<Vec<(i64, Basis)>, KnowledgeError> {
    let mut select = db.prepare(&format!(
        "SELECT promotion_history.id, score, metrics_json {CHANGES}"
    ))?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Sets the score and metrics of each change, in the order of [`changes`].
pub(in crate::knowledge) fn write_bases(
    db: &Connection,
    all: &[Basis],
) -> Result<(), KnowledgeError> {
    let sql = "UPDATE promotion_history SET score = ?2, metrics_json = ?3 WHERE id = ?1";
    let mut update = db.prepare(sql)?;
    for ((id, before), basis) in bases(db)?.into_iter().zip(all) {
        if before != *basis {
            update.execute(params![id, basis.0, basis.1])?;
        }
    }
    Ok(())
}

/// Whether score and metrics of every change are those that [`write_bases`] would set now.
pub(in crate::knowledge) fn bases_agree(
    db: &Connection,
    all: &[Basis],
) -> Result<bool, KnowledgeError> {
    Ok(bases(db)?.iter().map(|(_, basis)| basis).eq(all))
}

/// The intent of an execution's skill, from the statistics.
const INTENT: &str =
    "coalesce((SELECT s.intent FROM skill_stats s WHERE s.skill_name = execution_log.skill_name
     AND s.skill_version = execution_log.skill_version), '')";

/// Sets the intent of every use of a skill. Requires current statistics.
pub(in crate::knowledge) fn write_intents(db: &Connection) -> Result<(), KnowledgeError> {
    let sql = format!("UPDATE execution_log SET intent = {INTENT} WHERE intent IS NOT {INTENT}");
    db.execute(&sql, [])?;
    Ok(())
}

/// Whether the intent of every use is the one that [`write_intents`] would set now.
pub(in crate::knowledge) fn intents_agree(db: &Connection) -> Result<bool, KnowledgeError> {
    let sql =
        format!("SELECT NOT EXISTS (SELECT 1 FROM execution_log WHERE intent IS NOT {INTENT})");
    Ok(db.query_row(&sql, [], |row| row.get(0))?)
}

/// Returns the rows of the statistics in order. Numbers are rounded to a precision that is the same
/// on all processors.
pub(in crate::knowledge) fn stats(db: &Connection) -> Result<Vec<Vec<String>>, KnowledgeError> {
    let mut select = db.prepare(
        "SELECT skill_name, skill_version, intent, execution_count, success_count, failure_count,
             total_cost, avg_cost, total_latency, avg_latency, rollback_count, rollback_rate,
             stability_score, current_score, first_execution_at, last_execution_at, updated_at
         FROM skill_stats ORDER BY skill_name, skill_version",
    )?;
    let columns = select.column_count();
    let rows = select.query_map([], |row| {
        let column = |n| {
            Ok(match row.get(n)? {
                SqlValue::Real(number) => format!("{number:.9e}"),
                other => format!("{other:?}"),
            })
        };
        (0..columns).map(column).collect()
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
