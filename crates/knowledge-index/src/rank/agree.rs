//! Compares the stored vectors with those of the current texts.

use super::lsa::Model;
use super::space::Embedder;
use super::update::{SAMPLED, can_learn, digest, sample, vectors};
use crate::{IndexError, Store, store};
use rusqlite::{Connection, OptionalExtension as _};

/// How the stored vectors differ from those of the current texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// Vectors differ, or some are missing or surplus.
    Vectors,
    /// There are no vectors, though the texts suffice for them.
    Missing,
    /// The learned model differs.
    Model,
    /// The vectors come from a model that isn't available, so they can't be compared.
    OtherModel,
    /// The store doesn't record the texts that the model was learned from.
    Unrecorded,
}

/// Recomputes all vectors. Requires a store whose texts and words match their sources.
///
/// A learned model is recomputed if its training texts are unchanged. After later changes of the
/// sources that is impossible, and the stored model is accepted.
///
/// `wanted` says whether an index without vectors is incomplete. The index itself can't say it:
/// whoever removes the vectors can remove that as well.
///
/// # Errors
/// When the store or the given model can't be read.
pub fn difference(store: &Store, wanted: bool) -> Result<Option<Difference>, IndexError> {
    let db = &store.db;
    let model = match Embedder::load(store) {
        Ok(Some(model)) => model,
        Ok(None) => {
            return Ok(if exists(db, "SELECT 1 FROM vector")? {
                Some(Difference::Vectors)
            } else if wanted && (store.model()?.is_some() || can_learn(db)?) {
                Some(Difference::Missing)
            } else {
                None
            });
        }
        Err(IndexError::OtherModel) => return Ok(Some(Difference::OtherModel)),
        Err(IndexError::Damaged(_)) => return Ok(Some(Difference::Model)),
        Err(error) => return Err(error),
    };
    if let Embedder::Learnt(model) = &model
        && let Some(difference) = model_difference(db, model)?
    {
        return Ok(Some(difference));
    }
    let mut select = db.prepare("SELECT data FROM vector WHERE observation = ?1")?;
    let mut last = 0;
    loop {
        let batch = vectors(db, &model, last, "IS NOT NULL")?;
        let Some((end, _)) = batch.last() else { break };
        last = *end;
        for (id, expected) in &batch {
            let stored: Option<Vec<u8>> = select
                .query_row([id], |row| row.get(0))
                .optional()
                .map_err(IndexError::from)?;
            if !stored.is_some_and(|stored| is_near(&stored, expected)) {
                return Ok(Some(Difference::Vectors));
            }
        }
    }
    let stray = "SELECT 1 FROM vector WHERE observation NOT IN (SELECT id FROM observation)";
    Ok(exists(db, stray)?.then_some(Difference::Vectors))
}

fn exists(db: &Connection, select: &str) -> Result<bool, IndexError> {
    let sql = format!("SELECT EXISTS ({select})");
    Ok(db.query_row(&sql, [], |row| row.get(0))?)
}

fn model_difference(db: &Connection, model: &Model) -> Result<Option<Difference>, IndexError> {
    let Some(sampled) = store::read_meta::<Vec<u8>>(db, SAMPLED)? else {
        return Ok(Some(Difference::Unrecorded));
    };
    let texts = sample(db)?;
    if sampled != digest(&texts) {
        return Ok(None);
    }
    let learnt = Model::learn(&texts);
    let same = learnt.is_some_and(|learnt| model.is_near(&learnt));
    Ok((!same).then_some(Difference::Model))
}

/// Whether two vectors are equal except for rounding, which differs between processors.
fn is_near(a: &[u8], b: &[u8]) -> bool {
    let near = |(a, b): (&u8, &u8)| a.cast_signed().abs_diff(b.cast_signed()) <= 1;
    a.len() == b.len() && a.iter().zip(b).all(near)
}
