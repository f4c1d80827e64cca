//! Word vectors distilled from a larger model (Tulkens and van Dongen, `Model2Vec`, 2024), read
//! from a directory with `model.safetensors` and `tokenizer.json`. Nothing is downloaded, and
//! nothing in the directory is executed.
//!
//! The vector of a text is the mean of the vectors of its word pieces. Supported are published
//! models with the tokenizer of BERT: the `potion-base` and `potion-retrieval` families. Other
//! tokenizers are rejected by name.

mod safetensors;
mod wordpiece;

use crate::vector::{beginning, quantised};
use sha2::{Digest, Sha256};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use util::hex;
use wordpiece::WordPiece;

/// Maximum size of `model.safetensors` in bytes.
const WEIGHTS_FILE: u64 = 1 << 30;
/// Maximum size of `tokenizer.json` in bytes.
const TOKENIZER_FILE: u64 = 64 << 20;
/// Maximum number of pieces of a text, the same as in the original library.
const PIECES: usize = 512;
/// Maximum number of bytes of a text that are read.
const LONGEST: usize = 8 << 10;
/// Maximum number of dimensions of a vector.
const DIMENSIONS: usize = 4_096;

/// Why a model can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file can't be read.
    #[error("`{}`: {error}", path.display())]
    Io {
        path: PathBuf,
        error: std::io::Error,
    },
    /// A file is too large for a model, or isn't a regular file.
    #[error("`{}` isn't a file of at most {most} bytes", path.display())]
    Size {
        path: PathBuf,
        /// Maximum number of bytes.
        most: u64,
    },
    /// The weights are invalid.
    #[error("`model.safetensors` can't be used: {0}")]
    Weights(String),
    /// The tokenizer is invalid or not supported.
    #[error("`tokenizer.json` can't be used: {0}")]
    Tokenizer(String),
}

/// A loaded model.
#[derive(Debug)]
pub struct Model2Vec {
    tokenizer: WordPiece,
    /// One row for each piece.
    rows: Vec<f32>,
    dimensions: usize,
    digest: String,
}

impl Model2Vec {
    /// Reads the model in a directory.
    ///
    /// # Errors
    /// When a file is missing, damaged, too large, or of a kind that isn't supported.
    pub(crate) fn open(folder: &Path) -> Result<Self, ModelError> {
        let tokenizer = read(folder.join("tokenizer.json"), TOKENIZER_FILE)?;
        Self::parse(
            &read(folder.join("model.safetensors"), WEIGHTS_FILE)?,
            &tokenizer,
        )
    }

    /// Reads a model from the bytes of its two files.
    ///
    /// # Errors
    /// Same as [`Model2Vec::open`].
    pub fn parse(weights: &[u8], tokenizer: &[u8]) -> Result<Self, ModelError> {
        let wrong = |what: &str| ModelError::Weights(what.to_owned());
        let mut digest = Sha256::new();
        for file in [weights, tokenizer] {
            digest.update((file.len() as u64).to_le_bytes());
            digest.update(file);
        }
        let mut tensors = safetensors::parse(weights)?;
        let embeddings = tensors
            .remove("embeddings")
            .ok_or_else(|| wrong("it has no tensor `embeddings`"))?;
        let [count, dimensions] = embeddings.shape[..] else {
            return Err(wrong("the tensor `embeddings` isn't a matrix"));
        };
        if count == 0 || !(1..=DIMENSIONS).contains(&dimensions) {
            return Err(ModelError::Weights(format!(
                "the tensor `embeddings` has {count} rows of {dimensions} numbers"
            )));
        }
        let mut rows = embeddings.values;
        if let Some(weights) = tensors.remove("weights") {
            if weights.values.len() != count {
                return Err(wrong("the tensor `weights` hasn't a number for each piece"));
            }
            for (row, weight) in rows.chunks_exact_mut(dimensions).zip(weights.values) {
                for x in row {
                    *x *= weight;
                }
            }
        }
        if let Some((other, _)) = tensors.pop_first() {
            return Err(ModelError::Weights(format!(
                "the tensor `{other}` isn't supported"
            )));
        }
        let tokenizer = WordPiece::parse(tokenizer)?;
        if tokenizer.largest() as usize + 1 != count {
            return Err(wrong("it hasn't as many rows as the tokenizer has pieces"));
        }
        Ok(Self {
            tokenizer,
            rows,
            dimensions,
            digest: hex(&digest.finalize()),
        })
    }

    /// Returns the unit vector of a text, each component times 127 as a signed byte. `None` when no
    /// piece of the text is known.
    #[must_use]
    pub fn embed(&self, text: &str) -> Option<Vec<u8>> {
        let mut sum = vec![0.0_f32; self.dimensions];
        for piece in self.tokenizer.pieces(beginning(text, LONGEST), PIECES) {
            let start = piece as usize * self.dimensions;
            for (to, from) in sum.iter_mut().zip(
                self.rows
                    .get(start..start + self.dimensions)
                    .unwrap_or_default(),
            ) {
                *to += from;
            }
        }
        quantised(&sum)
    }

    /// Returns the number of dimensions, which is the size of a vector in bytes.
    pub(crate) const fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the SHA-256 of the files in hexadecimal, which identifies the model.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }
}

/// Reads a file of at most `most` bytes.
fn read(path: PathBuf, most: u64) -> Result<Vec<u8>, ModelError> {
    // Opening a device or a pipe might block forever.
    if std::fs::metadata(&path).is_ok_and(|m| !m.is_file()) {
        return Err(ModelError::Size { path, most });
    }
    let mut bytes = Vec::new();
    let read = std::fs::File::open(&path)
        .and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes));
    match read {
        Ok(length) if length as u64 > most => Err(ModelError::Size { path, most }),
        Ok(_) => Ok(bytes),
        Err(error) => Err(ModelError::Io { path, error }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::cosine;

    fn parse(tensors: &[(&str, &[usize], &[f32])]) -> Result<Model2Vec, ModelError> {
        let tokenizer = wordpiece::tests::tokenizer(&["[UNK]", "dog", "puppy", "crate"]);
        Model2Vec::parse(&safetensors::tests::file(tensors), tokenizer.as_bytes())
    }

    const ROWS: [f32; 8] = [9.0, 9.0, 1.0, 0.1, 0.9, 0.2, 0.0, 1.0];

    #[test]
    fn a_text_is_the_mean_of_its_pieces() {
        let model = parse(&[("embeddings", &[4, 2], &ROWS)]).unwrap();
        let embed = |text: &str| model.embed(text).unwrap();
        assert!(cosine(&embed("Dog"), &embed("puppy")) > 0.98);
        assert!(cosine(&embed("dog"), &embed("crate")) < 0.2);
        assert!((cosine(&embed("dog crate"), &embed("crate, dog zzz")) - 1.0).abs() < 0.02);
        assert_eq!(model.embed("zzz"), None);
        assert_eq!(model.embed(""), None);
        assert_eq!(model.dimensions(), 2);
    }

    #[test]
    fn weights_scale_their_pieces() {
        let model = parse(&[
            ("embeddings", &[4, 2], &ROWS),
            ("weights", &[4], &[1.0, 0.0, 1.0, 2.0]),
        ])
        .unwrap();
        assert_eq!(model.embed("dog"), None);
        assert!(
            cosine(
                &model.embed("dog crate").unwrap(),
                &model.embed("crate").unwrap()
            ) > 0.99
        );
        assert_ne!(
            model.digest(),
            parse(&[("embeddings", &[4, 2], &ROWS)]).unwrap().digest()
        );
    }

    #[test]
    fn what_doesnt_fit_together_is_refused() {
        for (tensors, says) in [
            (
                &[("x", &[1_usize][..], &[1.0_f32][..])][..],
                "no tensor `embeddings`",
            ),
            (&[("embeddings", &[8], &ROWS)], "isn't a matrix"),
            (&[("embeddings", &[2, 4], &ROWS)], "as many rows"),
            (&[("embeddings", &[8, 1], &ROWS)], "as many rows"),
            (&[("embeddings", &[0, 4], &[])], "0 rows"),
            (
                &[("embeddings", &[4, 2], &ROWS), ("weights", &[1], &[1.0])],
                "each piece",
            ),
            (
                &[("embeddings", &[4, 2], &ROWS), ("mapping", &[1], &[1.0])],
                "`mapping`",
            ),
        ] {
            let error = parse(tensors).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        let missing = Model2Vec::open(Path::new("no-such-folder"))
            .unwrap_err()
            .to_string();
        assert!(missing.contains("tokenizer.json"), "{missing}");
    }
}
