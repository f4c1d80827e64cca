//! The vectors of all observations, as they are compared with those of questions.

use super::leading;
use super::lsa::{Model, Vector, cosine};
use crate::knowledge::text::Segments;
use crate::knowledge::{KnowledgeError, store};
use rayon::prelude::*;
use rusqlite::Connection;

/// All vectors, beside the segments that they belong to.
#[derive(Debug)]
pub(super) struct Space {
    model: Model,
    /// Bytes of a vector.
    width: usize,
    /// For each segment its vectors, one behind the other; nothing where they are missing.
    parts: Vec<Vec<u8>>,
}

impl Space {
    /// Reads them; `None` when there are none.
    pub(super) fn load(db: &Connection, segments: &Segments) -> Result<Option<Self>, KnowledgeError> {
        let Some(bytes) = store::read_meta::<Vec<u8>>(db, "lsa")? else { return Ok(None) };
        let model = Model::from_bytes(&bytes).ok_or(KnowledgeError::Damaged("the model of the vectors can't be read"))?;
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
        for (segment, part) in segments.all.iter().zip(&self.parts) {
            let vectors = part.par_chunks_exact(self.width.max(1)).with_min_len(4_096);
            let cosines: Vec<f32> = vectors.map(|vector| cosine(asked, vector)).collect();
            let standing = segment.standing().filter(|(_, id)| among.is_none_or(|ids| ids.binary_search(id).is_ok()));
            near.extend(standing.filter_map(|(n, id)| Some((*cosines.get(n)?, id))).filter(|(c, _)| *c > 0.0));
        }
        leading(near, limit).into_iter().map(|(cosine, id)| (id, f64::from(cosine))).collect()
    }
}
