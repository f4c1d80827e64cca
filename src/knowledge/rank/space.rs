//! The vectors of all observations, as they are compared with those of questions.

use super::lsa::Model;
use crate::knowledge::model2vec::Given;
use crate::knowledge::text::Segments;
use crate::knowledge::vector::{Vector, cosine_of, product, widened};
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
        let asked = widened(asked);
        let mut near = Nearest::new(limit);
        for (segment, part) in segments.all.iter().zip(&self.parts) {
            let stands = |at: usize, id: &i64| segment.holds(at) && among.is_none_or(|ids| ids.binary_search(id).is_ok());
            let vectors = part.par_chunks_exact(self.width.max(1)).zip(&segment.ids).enumerate().with_min_len(8_192);
            let add = |mut near: Nearest, (at, (vector, id)): (usize, (&[u8], &i64))| {
                let product = product(&asked, vector);
                if product > near.least && stands(at, id) {
                    near.add(product, *id);
                }
                near
            };
            near.all.extend(vectors.fold(|| Nearest::new(limit), add).flat_map_iter(|near| near.all).collect::<Vec<_>>());
        }
        near.finish().into_iter().map(|(product, id)| (id, f64::from(cosine_of(product)))).collect()
    }
}

/// The nearest observations of those that were shown.
struct Nearest {
    limit: usize,
    /// What is not above this is none of them.
    least: i32,
    /// Their products and ids, and some that were overtaken since.
    all: Vec<(i32, i64)>,
}

impl Nearest {
    const fn new(limit: usize) -> Self {
        Self { limit, least: 0, all: Vec::new() }
    }

    /// Adds one whose product is above the least. Of those that are as near the older ones stay, so ids must rise.
    fn add(&mut self, product: i32, id: i64) {
        self.all.push((product, id));
        if self.all.len() >= 2 * self.limit.max(1) {
            self.cut();
            self.least = self.all.iter().map(|(product, _)| *product).min().unwrap_or_default();
        }
    }

    fn cut(&mut self) {
        if self.all.len() > self.limit {
            self.all.select_nth_unstable_by_key(self.limit, rank);
            self.all.truncate(self.limit);
        }
    }

    fn finish(mut self) -> Vec<(i32, i64)> {
        self.cut();
        self.all.sort_unstable_by_key(rank);
        self.all
    }
}

/// The nearest first; the older ones where they are as near.
const fn rank((product, id): &(i32, i64)) -> (i32, i64) {
    (-*product, *id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_nearest_are_those_of_a_sort(products in proptest::collection::vec(-3_i32..9, 0..80), limit in 0_usize..9) {
            let mut near = Nearest::new(limit);
            for (product, id) in products.iter().zip(0..) {
                if *product > near.least {
                    near.add(*product, id);
                }
            }
            let mut all: Vec<(i32, i64)> = products.iter().copied().zip(0..).filter(|(product, _)| *product > 0).collect();
            all.sort_by_key(rank);
            all.truncate(limit);
            prop_assert_eq!(near.finish(), all);
        }
    }
}
