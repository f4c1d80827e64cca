//! The vectors of all observations, as they are compared with those of questions.

use super::lsa::Model;
use crate::knowledge::model2vec::Model2Vec;
use crate::knowledge::text::Segments;
use crate::knowledge::vector::{Vector, cosine_of, length, product, widened};
use crate::knowledge::{KnowledgeError, Store, store};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

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
    Model2Vec(Arc<Model2Vec>),
}

impl Embedder {
    /// Reads the model that the stored vectors come from; `None` when there are no vectors.
    pub(super) fn load(store: &Store) -> Result<Option<Self>, KnowledgeError> {
        let db = &store.db;
        if let Some(digest) = store::read_meta::<String>(db, GIVEN)? {
            let given = store.given()?.filter(|given| given.digest() == digest);
            return Ok(Some(Self::Model2Vec(
                given.ok_or(KnowledgeError::OtherModel)?,
            )));
        }
        let Some(bytes) = store::read_meta::<Vec<u8>>(db, LEARNT)? else {
            return Ok(None);
        };
        if store.has_model() {
            return Err(KnowledgeError::OtherModel);
        }
        let model = Model::from_bytes(&bytes).ok_or(KnowledgeError::Damaged(
            "the model of the vectors can't be read",
        ))?;
        Ok(Some(Self::Learnt(model)))
    }

    /// The vector of a text; `None` when no word of it is known.
    pub(super) fn embed(&self, text: &str) -> Option<Vector> {
        match self {
            Self::Learnt(model) => model.embed(text),
            Self::Model2Vec(model) => model.embed(text),
        }
    }

    /// Bytes of a vector.
    pub(super) fn dimensions(&self) -> usize {
        match self {
            Self::Learnt(model) => model.dimensions(),
            Self::Model2Vec(model) => model.dimensions(),
        }
    }
}

/// All vectors, beside the segments that they belong to.
#[derive(Debug)]
pub(super) struct Space {
    model: Embedder,
    /// Bytes of a vector.
    width: usize,
    /// For each segment its vectors; nothing where they are missing.
    parts: Vec<Part>,
}

/// The vectors of a segment.
#[derive(Debug, Default)]
struct Part {
    /// One behind the other.
    vectors: Vec<u8>,
    /// How long each is beyond its head.
    tails: Vec<u16>,
}

/// Bytes at the beginning of a vector that are compared first: the strongest dimensions of what was
/// learnt stand there. Those behind add at most the product of their lengths (Cauchy and Schwarz),
/// and nearly all vectors are told to be too far by that.
const HEAD: usize = 64;

/// Vectors that are compared in one go.
const BLOCK: usize = 4_096;

impl Part {
    fn new(vectors: Vec<u8>, width: usize) -> Self {
        let tail = |vector: &[u8]| length(vector.get(HEAD..).unwrap_or_default());
        let tails = vectors
            .par_chunks_exact(width.max(1))
            .with_min_len(BLOCK)
            .map(tail)
            .collect();
        Self { vectors, tails }
    }
}

impl Space {
    /// Reads them; `None` when there are none.
    pub(super) fn load(store: &Store, segments: &Segments) -> Result<Option<Self>, KnowledgeError> {
        let db = &store.db;
        // A question must be embedded by the model that embedded what is stored.
        let Some(model) = Embedder::load(store)? else {
            return Ok(None);
        };
        let width = model.dimensions();
        let mut parts = Vec::with_capacity(segments.all.len());
        for segment in &segments.all {
            let data = store::read_vectors(db, segment.id)?.unwrap_or_default();
            let whole = data.len() == width * segment.ids.len();
            parts.push(if whole {
                Part::new(data, width)
            } else {
                Part::default()
            });
        }
        Ok(Some(Self {
            model,
            width,
            parts,
        }))
    }

    /// The vector of a text; `None` when no word of it is known.
    pub(super) fn embed(&self, text: &str) -> Option<Vector> {
        self.model.embed(text)
    }

    /// The vector of an observation.
    pub(super) fn of(&self, segments: &Segments, observation: i64) -> Option<&[u8]> {
        let (segment, document) = segments.place(observation)?;
        self.parts
            .get(segment)?
            .vectors
            .get(document * self.width..(document + 1) * self.width)
    }

    /// The observations that are nearest, the nearest first: those of `among`, if it is given,
    /// which must be sorted.
    pub(super) fn nearest(
        &self,
        segments: &Segments,
        asked: &[u8],
        among: Option<&[i64]>,
        limit: usize,
    ) -> Vec<(i64, f64)> {
        let asked = QueryVector {
            tail: i32::from(length(asked.get(HEAD..).unwrap_or_default())),
            vector: widened(asked),
            limit,
        };
        let least = AtomicI32::new(0);
        let mut near = Nearest::new(limit);
        for (segment, part) in segments.all.iter().zip(&self.parts) {
            let stands = |at: usize, id: i64| {
                segment.holds(at) && among.is_none_or(|ids| ids.binary_search(&id).is_ok())
            };
            near.all
                .extend(asked.compare(part, &segment.ids, &stands, &least));
        }
        near.finish()
            .into_iter()
            .map(|(product, id)| (id, f64::from(cosine_of(product))))
            .collect()
    }
}

/// A vector that all others are compared with.
struct QueryVector {
    vector: Vec<i16>,
    /// How long it is beyond its head.
    tail: i32,
    limit: usize,
}

impl QueryVector {
    /// The nearest of a segment, and some that aren't among the nearest. What is less near than
    /// `least` is none of them, since one block alone has as many as are wanted that are; blocks
    /// raise it.
    fn compare(
        &self,
        part: &Part,
        ids: &[i64],
        stands: &(dyn Fn(usize, i64) -> bool + Sync),
        least: &AtomicI32,
    ) -> Vec<(i32, i64)> {
        let head = self.vector.get(..HEAD).unwrap_or(&self.vector);
        let width = self.vector.len().max(1);
        let blocks = part
            .vectors
            .par_chunks(BLOCK * width)
            .zip(part.tails.par_chunks(BLOCK))
            .zip(ids.par_chunks(BLOCK));
        let nearest = |(block, (vectors, ids)): (usize, (_, &[i64]))| {
            let (vectors, tails): (&[u8], &[u16]) = vectors;
            let mut near = Nearest::new(self.limit);
            for (at, ((vector, tail), id)) in
                vectors.chunks_exact(width).zip(tails).zip(ids).enumerate()
            {
                let most = product(head, vector) + self.tail * i32::from(*tail);
                if most <= near.least || most < least.load(Ordering::Relaxed) {
                    continue;
                }
                let product = product(&self.vector, vector);
                if product > near.least && stands(block * BLOCK + at, *id) && near.add(product, *id)
                {
                    least.fetch_max(near.least, Ordering::Relaxed);
                }
            }
            near.all
        };
        blocks.enumerate().flat_map_iter(nearest).collect()
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
        Self {
            limit,
            least: 0,
            all: Vec::new(),
        }
    }

    /// Adds one whose product is above the least. Of those that are as near the older ones stay, so
    /// ids must rise. Says whether the least has changed.
    fn add(&mut self, product: i32, id: i64) -> bool {
        self.all.push((product, id));
        let full = self.all.len() >= 2 * self.limit.max(1);
        if full {
            self.cut();
            self.least = self
                .all
                .iter()
                .map(|(product, _)| *product)
                .min()
                .unwrap_or_default();
        }
        full
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

    #[test]
    fn what_is_passed_over_is_too_far() {
        const MANY: usize = 3 * BLOCK + 77;
        let mut numbers = util::random::SplitMix(7);
        // Strong in front, as what was learnt is; and as strong everywhere, as what is given may
        // be; narrower than a head.
        for (width, fall) in [(128, 24), (128, 100_000), (64, 40), (20, 100)] {
            let mut vector = || -> Vec<u8> {
                let mut component = |n: usize| {
                    let most = 1 + 90 * fall / (fall + n);
                    i8::try_from(numbers.below(most)).unwrap() - i8::try_from(most / 2).unwrap()
                };
                (0..width).map(|n| component(n).cast_unsigned()).collect()
            };
            let vectors: Vec<u8> = (0..MANY).flat_map(|_| vector()).collect();
            let asked = vector();
            let part = Part::new(vectors, width);
            let ids: Vec<i64> = (0..).map(|n| n * 3).take(MANY).collect();
            let stands = |at: usize, id: i64| ids[at] == id && id % 5 != 0;
            let mut all: Vec<(i32, i64)> = part
                .vectors
                .chunks(width)
                .zip(&ids)
                .enumerate()
                .filter(|(at, (_, id))| stands(*at, **id))
                .map(|(_, (vector, id))| {
                    (
                        vector
                            .iter()
                            .zip(&asked)
                            .map(|(x, y)| i32::from(x.cast_signed()) * i32::from(y.cast_signed()))
                            .sum(),
                        *id,
                    )
                })
                .filter(|(product, _)| *product > 0)
                .collect();
            all.sort_by_key(rank);
            all.truncate(30);
            let tail = i32::from(length(asked.get(HEAD..).unwrap_or_default()));
            let wide = QueryVector {
                vector: widened(&asked),
                tail,
                limit: 30,
            };
            let found = wide.compare(&part, &ids, &stands, &AtomicI32::new(0));
            let near = Nearest {
                all: found,
                ..Nearest::new(30)
            };
            assert_eq!(near.finish(), all, "{width} {fall}");
        }
    }

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
