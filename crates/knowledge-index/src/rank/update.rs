//! Keeps the vectors up to date.

use super::lsa::Model;
use super::space::{Embedder, GIVEN, LEARNT};
use crate::IndexError;
use crate::model2vec::Model2Vec;
use crate::store::{self, Writer};
use crate::vector::Vector;
use rayon::prelude::*;
use rusqlite::{Connection, params};
use std::sync::Arc;

/// Number of texts that a model is learned from. Those with the smallest ids are used: a fair
/// sample that changes little over time.
const SAMPLE: i64 = 4_000;
/// Number of texts whose vectors are computed at a time.
const BATCH: i64 = 2_048;
/// The model is learned again once more than one in this many texts is newer than it.
const FRESH: i64 = 5;
/// Minimum number of texts to learn from.
const LEAST: i64 = 8;

/// Metadata key of the digest of the training texts.
pub(super) const SAMPLED: &str = "lsa_sample";

/// What a run did with the vectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Vectors {
    /// Vectors are disabled.
    #[default]
    Off,
    /// There are too few texts to learn from.
    TooFew,
    /// The model was kept, and this many vectors were computed.
    Kept(u64),
    /// A new model was learned, and all vectors were computed.
    Learnt(u64),
    /// A different model was given, and all vectors were computed.
    Model2Vec(u64),
}

/// Brings the vectors up to date with the observations, using a given model or else a learned one.
/// `changed` says whether observations have changed since the last time.
///
/// # Errors
/// When the store can't be read or written.
pub fn update(
    writer: &Writer<'_>,
    enabled: bool,
    given: Option<Arc<Model2Vec>>,
    changed: bool,
) -> Result<Vectors, IndexError> {
    let db = &writer.db;
    if !enabled {
        forget(writer)?;
        return Ok(Vectors::Off);
    }
    let before: Option<String> = store::read_meta(db, GIVEN)?;
    if let Some(given) = given {
        return by_given(writer, given, before.as_deref(), changed);
    }
    if before.is_some() {
        forget(writer)?;
    }
    let count = observations(db)?;
    if count < LEAST {
        forget(writer)?;
        return Ok(Vectors::TooFew);
    }
    let known: Option<Vec<u8>> = store::read_meta(db, LEARNT)?;
    // A model without a record of its training texts can't be verified.
    let sampled: Option<Vec<u8>> = store::read_meta(db, SAMPLED)?;
    let mut model = known
        .as_deref()
        .filter(|_| sampled.is_some())
        .and_then(Model::from_bytes);
    let learnt_from = store::read_meta::<i64>(db, "lsa_observations")?.unwrap_or_default();
    let newer = store::read_meta::<i64>(db, "lsa_newer")?.unwrap_or_default();
    if model.is_some() && !changed && is_complete(db)? {
        return Ok(Vectors::Kept(0));
    }
    let fresh = count - vectors_stored(db)?;
    let stale = newer.saturating_add(fresh).saturating_mul(FRESH) > learnt_from;
    let learn = model.is_none() || stale;
    if learn {
        forget(writer)?;
        let texts = sample(db)?;
        writer.set(SAMPLED, digest(&texts))?;
        model = Model::learn(&texts);
    }
    let Some(model) = model else {
        return Ok(Vectors::TooFew);
    };
    if learn {
        writer.set(LEARNT, model.to_bytes())?;
    }
    let computed = embed(db, &Embedder::Learnt(model))?;
    if learn {
        writer.set("lsa_observations", count)?;
        writer.set("lsa_newer", 0)?;
        return Ok(Vectors::Learnt(computed));
    }
    writer.set("lsa_newer", newer + computed.cast_signed())?;
    Ok(Vectors::Kept(computed))
}

/// Like [`update`], with a given model.
fn by_given(
    writer: &Writer<'_>,
    given: Arc<Model2Vec>,
    before: Option<&str>,
    changed: bool,
) -> Result<Vectors, IndexError> {
    let same = before == Some(given.digest());
    if same && !changed && is_complete(&writer.db)? {
        return Ok(Vectors::Kept(0));
    }
    if !same {
        forget(writer)?;
        writer.set(GIVEN, given.digest())?;
    }
    let computed = embed(&writer.db, &Embedder::Model2Vec(given))?;
    Ok(if same {
        Vectors::Kept(computed)
    } else {
        Vectors::Model2Vec(computed)
    })
}

fn observations(db: &Connection) -> Result<i64, IndexError> {
    Ok(db.query_row("SELECT count(*) FROM observation", [], |row| row.get(0))?)
}

/// Whether a model can be learned from the texts.
pub(super) fn can_learn(db: &Connection) -> Result<bool, IndexError> {
    Ok(observations(db)? >= LEAST && Model::learn(&sample(db)?).is_some())
}

fn vectors_stored(db: &Connection) -> Result<i64, IndexError> {
    Ok(db.query_row("SELECT count(*) FROM vector", [], |row| row.get(0))?)
}

/// Whether every observation has a vector. A removed observation leaves none.
fn is_complete(db: &Connection) -> Result<bool, IndexError> {
    Ok(vectors_stored(db)? == observations(db)?)
}

fn forget(writer: &Writer<'_>) -> Result<(), IndexError> {
    writer.db.execute("DELETE FROM vector", [])?;
    writer.db.execute(
        "DELETE FROM meta WHERE key IN (?1, ?2, ?3, 'lsa_observations', 'lsa_newer')",
        [LEARNT, GIVEN, SAMPLED],
    )?;
    Ok(())
}

/// Returns the texts to learn a model from.
pub(super) fn sample(db: &Connection) -> Result<Vec<String>, IndexError> {
    let mut statement =
        db.prepare("SELECT summary, refs, detail FROM observation ORDER BY key LIMIT ?1")?;
    let rows = statement.query_map([SAMPLE], |row| {
        Ok(text(
            &row.get::<_, String>(0)?,
            &row.get::<_, String>(1)?,
            &row.get::<_, String>(2)?,
        ))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Computes a digest of texts in order.
pub(super) fn digest(texts: &[String]) -> Vec<u8> {
    let mut all = blake3::Hasher::new();
    for text in texts {
        all.update(&(text.len() as u64).to_le_bytes());
        all.update(text.as_bytes());
    }
    all.finalize().as_bytes().to_vec()
}

/// Returns the text that the vector of an observation is computed from.
fn text(summary: &str, refs: &str, detail: &str) -> String {
    format!("{summary}\n{refs}\n{detail}")
}

/// Computes and stores the missing vectors. Returns their number.
fn embed(db: &Connection, model: &Embedder) -> Result<u64, IndexError> {
    let mut insert = db.prepare_cached("INSERT INTO vector (observation, data) VALUES (?1, ?2)")?;
    let (mut computed, mut last) = (0, 0);
    loop {
        let batch = vectors(db, model, last, "NOT IN (SELECT observation FROM vector)")?;
        let Some((end, _)) = batch.last() else {
            return Ok(computed);
        };
        last = *end;
        computed += batch.len() as u64;
        for (id, vector) in batch {
            insert.execute(params![id, vector])?;
        }
    }
}

/// Computes the vectors of the next observations after an id. A text without a known word gets a
/// zero vector. `among` is a condition on the ids.
pub(super) fn vectors(
    db: &Connection,
    model: &Embedder,
    last: i64,
    among: &str,
) -> Result<Vec<(i64, Vector)>, IndexError> {
    let mut select = db.prepare_cached(&format!(
        "SELECT id, summary, refs, detail FROM observation
         WHERE id > ?1 AND id {among} ORDER BY id LIMIT ?2"
    ))?;
    let texts: Vec<(i64, String)> = select
        .query_map([last, BATCH], |row| {
            let text = text(
                row.get_ref(1)?.as_str()?,
                row.get_ref(2)?.as_str()?,
                row.get_ref(3)?.as_str()?,
            );
            Ok((row.get(0)?, text))
        })?
        .collect::<Result<_, _>>()?;
    let embed = |(id, text): &(i64, String)| {
        let vector = model.embed(text);
        (*id, vector.unwrap_or_else(|| vec![0; model.dimensions()]))
    };
    Ok(texts.par_iter().map(embed).collect())
}
