//! The vectors of all observations, prepared for comparison with a query.

use super::lsa::Model;
use crate::model2vec::Model2Vec;
use crate::vector::{Vector, cosine_of, length, product, widened};
use crate::{IndexError, Store, store};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// Metadata key of the learned model.
pub(super) const LEARNT: &str = "lsa";
/// Metadata key of the digest of the given model.
pub(super) const GIVEN: &str = "given_model";

/// A model that computes vectors of texts.
#[derive(Debug)]
pub(super) enum Embedder {
    /// A model learned from the index.
    Learnt(Model),
    /// A model given by the user.
    Model2Vec(Arc<Model2Vec>),
}

impl Embedder {
    /// Loads the model of the stored vectors; `None` when there are no vectors.
    pub(super) fn load(store: &Store) -> Result<Option<Self>, IndexError> {
        let db = &store.db;
        if let Some(digest) = store::read_meta::<String>(db, GIVEN)? {
            let given = store.model()?.filter(|given| given.digest() == digest);
            return Ok(Some(Self::Model2Vec(given.ok_or(IndexError::OtherModel)?)));
        }
        let Some(bytes) = store::read_meta::<Vec<u8>>(db, LEARNT)? else {
            return Ok(None);
        };
        if store.has_model() {
            return Err(IndexError::OtherModel);
        }
        let model = Model::from_bytes(&bytes).ok_or(IndexError::Damaged(
            "the model of the vectors can't be read",
        ))?;
        Ok(Some(Self::Learnt(model)))
    }

    /// Returns the vector of a text; `None` when no word of it is known.
    pub(super) fn embed(&self, text: &str) -> Option<Vector> {
        match self {
            Self::Learnt(model) => model.embed(text),
            Self::Model2Vec(model) => model.embed(text),
        }
    }

    /// Returns the number of dimensions, which is the size of a vector in bytes.
    pub(super) fn dimensions(&self) -> usize {
        match self {
            Self::Learnt(model) => model.dimensions(),
            Self::Model2Vec(model) => model.dimensions(),
        }
    }
}

/// The vectors of all observations, in the order of their ids.
#[derive(Debug)]
pub(super) struct Space {
    model: Embedder,
    ids: Vec<i64>,
    /// The concatenated vectors.
    vectors: Vec<u8>,
    /// The length of each vector's part after its head.
    tails: Vec<u16>,
}

/// Bytes at the beginning of a vector that are compared first. A learned model has its strongest
/// dimensions there. The remaining bytes add at most the product of their lengths (Cauchy–Schwarz),
/// which rules out nearly all vectors.
const HEAD: usize = 64;

/// Number of vectors that are compared in one block.
const BLOCK: usize = 4_096;

/// Returns the length of each vector's part after its head.
fn tails(vectors: &[u8], width: usize) -> Vec<u16> {
    let tail = |vector: &[u8]| length(vector.get(HEAD..).unwrap_or_default());
    vectors
        .par_chunks_exact(width.max(1))
        .with_min_len(BLOCK)
        .map(tail)
        .collect()
}

impl Space {
    /// Loads the vectors; `None` when there are none.
    pub(super) fn load(store: &Store) -> Result<Option<Self>, IndexError> {
        // A query must be embedded by the same model as the stored texts.
        let Some(model) = Embedder::load(store)? else {
            return Ok(None);
        };
        let width = model.dimensions();
        let mut select = store
            .db
            .prepare("SELECT observation, data FROM vector ORDER BY observation")?;
        let mut rows = select.query([])?;
        let (mut ids, mut vectors) = (Vec::new(), Vec::new());
        while let Some(row) = rows.next()? {
            // A vector of another width isn't comparable. `reindex --check` reports it.
            if let Ok(data) = row.get_ref(1)?.as_blob()
                && data.len() == width
            {
                ids.push(row.get(0)?);
                vectors.extend_from_slice(data);
            }
        }
        Ok(Some(Self {
            tails: tails(&vectors, width),
            model,
            ids,
            vectors,
        }))
    }

    /// Returns the vector of a text; `None` when no word of it is known.
    pub(super) fn embed(&self, text: &str) -> Option<Vector> {
        self.model.embed(text)
    }

    /// Whether the model was learned from the index.
    pub(super) const fn is_learned(&self) -> bool {
        matches!(self.model, Embedder::Learnt(_))
    }

    /// Returns the vector of an observation.
    pub(super) fn of(&self, observation: i64) -> Option<&[u8]> {
        let (at, width) = (
            self.ids.binary_search(&observation).ok()?,
            self.model.dimensions(),
        );
        self.vectors.get(at * width..(at + 1) * width)
    }

    /// Returns the nearest observations in descending order of cosine. `among`, which must be
    /// sorted, restricts the observations.
    pub(super) fn nearest(
        &self,
        asked: &[u8],
        among: Option<&[i64]>,
        limit: usize,
    ) -> Vec<(i64, f64)> {
        let asked = QueryVector {
            tail: i32::from(length(asked.get(HEAD..).unwrap_or_default())),
            vector: widened(asked),
            limit,
        };
        let is_among = |id: i64| among.is_none_or(|ids| ids.binary_search(&id).is_ok());
        let mut near = Nearest::new(limit);
        near.all = asked.compare(&self.vectors, &self.tails, &self.ids, &is_among);
        near.finish()
            .into_iter()
            .map(|(product, id)| (id, f64::from(cosine_of(product))))
            .collect()
    }
}

/// The vector of a query.
struct QueryVector {
    vector: Vec<i16>,
    /// The length of its part after the head.
    tail: i32,
    limit: usize,
}

impl QueryVector {
    /// Returns the nearest vectors, possibly with some others. Blocks share the least product that
    /// is near enough: one block alone already has enough nearer vectors.
    fn compare(
        &self,
        vectors: &[u8],
        tails: &[u16],
        ids: &[i64],
        is_among: &(dyn Fn(i64) -> bool + Sync),
    ) -> Vec<(i32, i64)> {
        let least = AtomicI32::new(0);
        let head = self.vector.get(..HEAD).unwrap_or(&self.vector);
        let width = self.vector.len().max(1);
        let blocks = vectors
            .par_chunks(BLOCK * width)
            .zip(tails.par_chunks(BLOCK))
            .zip(ids.par_chunks(BLOCK));
        let nearest = |((vectors, tails), ids): ((&[u8], &[u16]), &[i64])| {
            let mut near = Nearest::new(self.limit);
            for ((vector, tail), id) in vectors.chunks_exact(width).zip(tails).zip(ids) {
                let most = product(head, vector) + self.tail * i32::from(*tail);
                if most <= near.least || most < least.load(Ordering::Relaxed) {
                    continue;
                }
                let product = product(&self.vector, vector);
                if product > near.least && is_among(*id) && near.add(product, *id) {
                    least.fetch_max(near.least, Ordering::Relaxed);
                }
            }
            near.all
        };
        blocks.flat_map_iter(nearest).collect()
    }
}

/// Collects the nearest observations.
struct Nearest {
    limit: usize,
    /// Products up to this one are too small.
    least: i32,
    /// Products and ids, including some that nearer ones have replaced since.
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

    /// Adds an observation whose product is above `least`. Of equal products the older one is kept,
    /// so ids must be ascending. Returns whether `least` has changed.
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

/// Sort key: the nearest first, and the older one among equals.
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
        // Stronger at the front, as in a learned model; equally strong everywhere, as in a given
        // model; and narrower than a head.
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
            let tails = tails(&vectors, width);
            let ids: Vec<i64> = (0..).map(|n| n * 3).take(MANY).collect();
            let is_among = |id: i64| id % 5 != 0;
            let mut all: Vec<(i32, i64)> = vectors
                .chunks(width)
                .zip(&ids)
                .filter(|(_, id)| is_among(**id))
                .map(|(vector, id)| {
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
            let found = wide.compare(&vectors, &tails, &ids, &is_among);
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
