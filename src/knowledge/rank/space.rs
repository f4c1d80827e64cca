//! The vectors of all observations, as they are compared with those of questions.

use super::leading;
use super::lsa::Model;
use crate::knowledge::model2vec::Given;
use crate::knowledge::text::Segments;
use crate::knowledge::vector::{Vector, cosine_wide, widened};
use crate::knowledge::{KnowledgeError, Store, store};
use rayon::prelude::*;
use std::sync::Arc;

/// Key of the model that was learnt.
pub(super) const LEARNT: &str = "lsa";
/// Key of the digest of the model that was given.
pub(super) const GIVEN: &str = "given_model";

/// What makes vectors of texts.
#[derive(Debug)]
pub(super) enum Embedder {
    /// What was learnt of the index.
    Learnt(Model),
    /// What was given.
    Given(Arc<Given>),
}

impl Embedder {
    /// The vector of a text; `None` when no word of it is known.
    pub(super) fn embed(&self, text: &str) -> Option<Vector> {
        match self {
            Self::Learnt(model) => model.embed(text),
            Self::Given(model) => model.embed(text),
        }
    }

    /// Bytes of a vector.
    pub(super) fn dimensions(&self) -> usize {
        match self {
            Self::Learnt(model) => model.dimensions(),
            Self::Given(model) => model.dimensions(),
        }
    }
}

/// All vectors, beside the segments that they belong to.
#[derive(Debug)]
pub(super) struct Space {
    model: Embedder,
    /// Bytes of a vector.
    width: usize,
    /// For each segment its vectors, one behind the other; nothing where they are missing.
    parts: Vec<Vec<u8>>,
}

impl Space {
    /// Reads them; `None` when there are none.
    pub(super) fn load(store: &Store, segments: &Segments) -> Result<Option<Self>, KnowledgeError> {
        let db = &store.db;
        let model = if let Some(digest) = store::read_meta::<String>(db, GIVEN)? {
            // What is asked must be embedded by the model that what is stored was.
            let given = store.given()?.filter(|given| given.digest() == digest);
            Embedder::Given(given.ok_or(KnowledgeError::OtherModel)?)
        } else {
            let Some(bytes) = store::read_meta::<Vec<u8>>(db, LEARNT)? else { return Ok(None) };
            if store.has_model() {
                return Err(KnowledgeError::OtherModel);
            }
            let model = Model::from_bytes(&bytes).ok_or(KnowledgeError::Damaged("the model of the vectors can't be read"))?;
            Embedder::Learnt(model)
        };
        let width = model.dimensions();
        let mut parts = Vec::with_capacity(segments.all.len());
        for segment in &segments.all {
            let data = store::read_vectors(db, segment.id)?.unwrap_or_default();
            let whole = data.len() == width * segment.ids.len();
            parts.push(if whole { data } else { Vec::new() });
        }
        Ok(Some(Self { model, width, parts }))
    }

    /// The vector of a text; `None` when no word of it is known.
    pub(super) fn embed(&self, text: &str) -> Option<Vector> {
        self.model.embed(text)
    }

    /// The vector of an observation.
    pub(super) fn of(&self, segments: &Segments, observation: i64) -> Option<&[u8]> {
        let (segment, document) = segments.place(observation)?;
        self.parts.get(segment)?.get(document * self.width..(document + 1) * self.width)
    }

    /// The observations that are nearest, the nearest first: those of `among`, if it is given, which must be sorted.
    pub(super) fn nearest(&self, segments: &Segments, asked: &[u8], among: Option<&[i64]>, limit: usize) -> Vec<(i64, f64)> {
        let mut near = Vec::new();
        let asked = widened(asked);
        for (segment, part) in segments.all.iter().zip(&self.parts) {
            let vectors = part.par_chunks_exact(self.width.max(1)).with_min_len(4_096);
            let cosines: Vec<f32> = vectors.map(|vector| cosine_wide(&asked, vector)).collect();
            let standing = segment.standing().filter(|(_, id)| among.is_none_or(|ids| ids.binary_search(id).is_ok()));
            near.extend(standing.filter_map(|(n, id)| Some((*cosines.get(n)?, id))).filter(|(c, _)| *c > 0.0));
        }
        leading(near, limit).into_iter().map(|(cosine, id)| (id, f64::from(cosine))).collect()
    }
}
