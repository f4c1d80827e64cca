//! Keeping the vectors up to date.

use super::lsa::Model;
use crate::knowledge::KnowledgeError;
use crate::knowledge::store::{self, Writer};
use rayon::prelude::*;
use rusqlite::params;

/// Texts that the model is learnt from: those with the smallest ids, which is a fair sample and nearly the same one
/// tomorrow.
const SAMPLE: i64 = 4_000;
/// Texts whose vectors are computed at a time.
const BATCH: usize = 2_048;
/// One in so many texts may be newer than the model before it is learnt anew.
const FRESH: i64 = 5;
/// Texts below which there is nothing to learn.
const LEAST: i64 = 8;

/// What became of the vectors in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Vectors {
    /// None are kept.
    #[default]
    Off,
    /// There is too little to learn from.
    TooFew,
    /// The model stayed; so many vectors were computed.
    Kept(u64),
    /// The model was learnt anew, and all vectors computed.
    Learnt(u64),
}

/// Brings the vectors up to date with the observations.
pub(in crate::knowledge) fn update(writer: &Writer<'_>, enabled: bool, changed: bool) -> Result<Vectors, KnowledgeError> {
    let db = &writer.db;
    if !enabled {
        forget(writer)?;
        return Ok(Vectors::Off);
    }
    let count: i64 = db.query_row("SELECT count(*) FROM observation", [], |row| row.get(0))?;
    if count < LEAST {
        forget(writer)?;
        return Ok(Vectors::TooFew);
    }
    let known: Option<Vec<u8>> = store::read_meta(db, "lsa")?;
    let mut model = known.as_deref().and_then(Model::from_bytes);
    let learnt_from = store::read_meta::<i64>(db, "lsa_observations")?.unwrap_or_default();
    let newer = store::read_meta::<i64>(db, "lsa_newer")?.unwrap_or_default();
    if model.is_some() && !changed {
        return Ok(Vectors::Kept(0));
    }
    let missing: i64 =
        db.query_row("SELECT count(*) FROM observation WHERE id NOT IN (SELECT observation FROM embedding)", [], |row| {
            row.get(0)
        })?;
    let stale = (newer + missing) * FRESH > learnt_from;
    let learn = model.is_none() || stale;
    if learn {
        forget(writer)?;
        model = Model::learn(&sample(writer)?);
    }
    let Some(model) = model else { return Ok(Vectors::TooFew) };
    let computed = embed(writer, &model)?;
    if learn {
        writer.set("lsa", model.to_bytes())?;
        writer.set("lsa_observations", count)?;
        writer.set("lsa_newer", 0)?;
        return Ok(Vectors::Learnt(computed));
    }
    writer.set("lsa_newer", newer + computed.cast_signed())?;
    Ok(Vectors::Kept(computed))
}

fn forget(writer: &Writer<'_>) -> Result<(), KnowledgeError> {
    writer.db.execute("DELETE FROM embedding", [])?;
    writer.db.execute("DELETE FROM meta WHERE key IN ('lsa', 'lsa_observations', 'lsa_newer')", [])?;
    Ok(())
}

fn sample(writer: &Writer<'_>) -> Result<Vec<String>, KnowledgeError> {
    let mut statement = writer.db.prepare("SELECT summary, refs, detail FROM observation ORDER BY key LIMIT ?1")?;
    let rows = statement
        .query_map([SAMPLE], |row| Ok(text(&row.get::<_, String>(0)?, &row.get::<_, String>(1)?, &row.get::<_, String>(2)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The text of an observation that its vector is of.
fn text(summary: &str, refs: &str, detail: &str) -> String {
    format!("{summary}\n{refs}\n{detail}")
}

/// Computes the vectors that are missing.
fn embed(writer: &Writer<'_>, model: &Model) -> Result<u64, KnowledgeError> {
    let mut select = writer.db.prepare(
        "SELECT id, summary, refs, detail FROM observation WHERE id NOT IN (SELECT observation FROM embedding) ORDER BY id",
    )?;
    let mut insert = writer.db.prepare("INSERT INTO embedding (observation, vector) VALUES (?1, ?2)")?;
    let all: Vec<i64> = select.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    drop(select);
    let mut one = writer.db.prepare("SELECT summary, refs, detail FROM observation WHERE id = ?1")?;
    let mut computed = 0;
    for batch in all.chunks(BATCH) {
        let mut texts = Vec::with_capacity(batch.len());
        for id in batch {
            let row = one.query_row([id], |row| {
                Ok(text(&row.get::<_, String>(0)?, &row.get::<_, String>(1)?, &row.get::<_, String>(2)?))
            })?;
            texts.push((*id, row));
        }
        let vectors: Vec<(i64, Vec<u8>)> = texts
            .par_iter()
            .map(|(id, text)| {
                // What holds no known word is like nothing.
                let vector = model.embed(text).unwrap_or_default();
                (*id, vector.into_iter().map(i8::cast_unsigned).collect())
            })
            .collect();
        for (id, vector) in vectors {
            insert.execute(params![id, vector])?;
            computed += 1;
        }
    }
    Ok(computed)
}
