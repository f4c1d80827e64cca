//! Latent semantic analysis: texts are points in a space of few dimensions, where words with
//! similar contexts are close (Deerwester and others, "Indexing by latent semantic analysis", JASIS
//! 41, 1990). No model has to be downloaded, and equal texts give equal vectors.

use super::svd::{self, Row};
use crate::vector::{Vector, beginning, quantised};
use crate::words;
use std::collections::BTreeMap;

/// Maximum number of dimensions of the space.
const DIMENSIONS: usize = 128;
/// Maximum number of features: those in the most texts are kept.
const FEATURES: usize = 16_384;
/// Weight of a trigram, relative to a word.
const GRAM: f32 = 0.4;
/// Maximum number of bytes of a text that are read.
const LONGEST: usize = 8 << 10;

/// A model learned from a collection of texts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Model {
    /// Hashes of the features, sorted.
    features: Vec<u64>,
    /// The weight of each feature: rarer features have more.
    weights: Vec<f32>,
    /// One row for each feature.
    rows: Vec<f32>,
    dimensions: usize,
}

/// Hashes with FNV-1a. A deliberate collision only makes two words slightly similar.
pub(super) fn hash(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|p| p.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, b| {
        (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Returns the features of a text with their frequencies: words, and the trigrams of longer words.
/// Inflected and misspelled words share trigrams.
fn features(text: &str) -> BTreeMap<u64, f32> {
    let mut all = BTreeMap::new();
    words::each(beginning(text, LONGEST), &mut |word| {
        if words::is_function_word(word) {
            return;
        }
        *all.entry(hash(&["w", word])).or_insert(0.0) += 1.0;
        if word.is_ascii() && (5..=24).contains(&word.len()) {
            for at in 0..word.len() - 2 {
                let gram = word.get(at..at + 3).unwrap_or_default();
                *all.entry(hash(&["g", gram])).or_insert(0.0) += GRAM;
            }
        }
    });
    all
}

impl Model {
    /// Learns a model from texts; `None` when there are too few.
    pub(super) fn learn(texts: &[String]) -> Option<Self> {
        let all: Vec<BTreeMap<u64, f32>> = texts.iter().map(|t| features(t)).collect();
        let mut frequency: BTreeMap<u64, u32> = BTreeMap::new();
        for feature in all.iter().flat_map(BTreeMap::keys) {
            *frequency.entry(*feature).or_default() += 1;
        }
        let mut kept: Vec<(u32, u64)> = frequency.iter().map(|(f, n)| (*n, *f)).collect();
        kept.sort_by_key(|(n, f)| (std::cmp::Reverse(*n), *f));
        kept.truncate(FEATURES);
        kept.sort_by_key(|(_, f)| *f);
        #[expect(clippy::cast_precision_loss, reason = "counts of texts")]
        let weight = |n: u32| (texts.len() as f32 / n as f32).ln().max(0.05);
        let mut model = Self {
            features: kept.iter().map(|(_, f)| *f).collect(),
            weights: kept.iter().map(|(n, _)| weight(*n)).collect(),
            rows: Vec::new(),
            dimensions: 0,
        };
        let rows: Vec<Row> = all.iter().map(|features| model.weigh(features)).collect();
        let right = svd::right_singular_vectors(
            &rows,
            model.features.len(),
            DIMENSIONS.min(texts.len().div_ceil(2)),
        );
        model.dimensions = right.rows().next().map_or(0, <[f32]>::len);
        model.rows = right.rows().flatten().copied().collect();
        (model.dimensions > 0).then_some(model)
    }

    /// Returns the weighted known features of a text, normalised to unit length.
    #[expect(clippy::cast_possible_truncation, reason = "there are few features")]
    fn weigh(&self, features: &BTreeMap<u64, f32>) -> Row {
        let mut row: Row = Vec::with_capacity(features.len());
        for (feature, count) in features {
            if let Ok(at) = self.features.binary_search(feature) {
                let weight = self.weights.get(at).copied().unwrap_or_default();
                row.push((at as u32, (1.0 + count).ln() * weight));
            }
        }
        let length = row.iter().map(|(_, x)| x * x).sum::<f32>().sqrt();
        if length > 0.0 {
            for (_, x) in &mut row {
                *x /= length;
            }
        }
        row
    }

    /// Returns the vector of a text; `None` when no word of it is known.
    pub(super) fn embed(&self, text: &str) -> Option<Vector> {
        let mut sum = vec![0.0_f32; self.dimensions];
        for (feature, value) in self.weigh(&features(text)) {
            let start = feature as usize * self.dimensions;
            for (to, from) in sum.iter_mut().zip(
                self.rows
                    .get(start..start + self.dimensions)
                    .unwrap_or_default(),
            ) {
                *to += from * value;
            }
        }
        quantised(&sum)
    }

    /// Whether two models are equal except for rounding, which differs between processors.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        let near = |a: f32, b: f32| (a - b).abs() <= 1e-3 * b.abs();
        let rows_near = |a: &[f32], b: &[f32]| {
            let distance: f32 = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum();
            let length: f32 = b.iter().map(|y| y * y).sum();
            distance <= 0.0025 * length + 1e-6
        };
        let width = self.dimensions.max(1);
        (&self.features, self.dimensions) == (&other.features, other.dimensions)
            && self
                .weights
                .iter()
                .zip(&other.weights)
                .all(|(a, b)| near(*a, *b))
            && self.rows.len() == other.rows.len()
            && self
                .rows
                .chunks(width)
                .zip(other.rows.chunks(width))
                .all(|(a, b)| rows_near(a, b))
    }

    /// Returns the number of dimensions, which is the size of a vector in bytes.
    pub(super) const fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Serialises the model for the store.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend((self.dimensions as u64).to_le_bytes());
        out.extend((self.features.len() as u64).to_le_bytes());
        self.features
            .iter()
            .for_each(|f| out.extend(f.to_le_bytes()));
        self.weights
            .iter()
            .chain(&self.rows)
            .for_each(|w| out.extend(w.to_le_bytes()));
        out
    }

    /// Deserialises a stored model; `None` when the bytes are invalid.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| {
            bytes
                .get(at..at + 8)
                .and_then(|b| b.try_into().ok())
                .map(u64::from_le_bytes)
        };
        let dimensions = usize::try_from(number(0)?)
            .ok()
            .filter(|d| *d <= DIMENSIONS)?;
        let count = usize::try_from(number(8)?)
            .ok()
            .filter(|n| *n <= FEATURES)?;
        let (features, floats) = bytes.get(16..)?.split_at_checked(count * 8)?;
        if floats.len() != 4 * (count + count * dimensions) {
            return None;
        }
        let floats = floats
            .chunks_exact(4)
            .filter_map(|b| b.try_into().ok())
            .map(f32::from_le_bytes);
        let mut weights: Vec<f32> = floats.collect();
        let rows = weights.split_off(count);
        let features = features
            .chunks_exact(8)
            .filter_map(|b| b.try_into().ok())
            .map(u64::from_le_bytes)
            .collect();
        Some(Self {
            features,
            weights,
            rows,
            dimensions,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::cosine;
    use proptest::prelude::*;

    fn corpus() -> Vec<String> {
        let animals = [
            "the dog and the cat sleep",
            "a cat hunts a mouse",
            "the puppy and the dog bark",
            "a puppy hunts a cat",
        ];
        let code = [
            "compile the crate",
            "the compiler refuses the crate",
            "build the crate and link it",
            "the linker and the compiler",
        ];
        animals
            .iter()
            .chain(&code)
            .map(|t| (*t).to_owned())
            .collect()
    }

    #[test]
    fn what_keeps_the_same_company_is_alike() {
        let model = Model::learn(&corpus()).unwrap();
        let embed = |text: &str| model.embed(text).unwrap();
        let (dog, mouse, crate_) = (embed("dog"), embed("puppy"), embed("compile a crate"));
        assert!(
            cosine(&dog, &mouse) > cosine(&dog, &crate_) + 0.3,
            "{} {}",
            cosine(&dog, &mouse),
            cosine(&dog, &crate_)
        );
        assert_eq!(model.embed("zzz"), None);
        assert!(Model::learn(&[]).is_none());
    }

    #[test]
    fn a_model_is_stored_and_learnt_the_same_again() {
        let model = Model::learn(&corpus()).unwrap();
        assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap(), model);
        assert_eq!(Model::learn(&corpus()).unwrap(), model);
        assert!(model.is_near(&model));
        let mut other = model.clone();
        other.rows[0] += 0.5;
        assert!(!other.is_near(&model));
        other = model.clone();
        other.weights[0] += 0.5;
        assert!(!other.is_near(&model));
        let mut short = model.to_bytes();
        short.pop();
        assert!(Model::from_bytes(&short).is_none());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = Model::from_bytes(&bytes);
        }

        #[test]
        fn vectors_have_unit_length(text in "(dog|cat|crate|compile| ){1,12}") {
            if let Some(vector) = Model::learn(&corpus()).unwrap().embed(&text) {
                prop_assert!((cosine(&vector, &vector) - 1.0).abs() < 0.06);
            }
        }
    }
}
