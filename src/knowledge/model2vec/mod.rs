//! Vectors of words that somebody has distilled from a larger model (Tulkens and van Dongen,
//! `Model2Vec`, 2024), out of a folder with `model.safetensors` and `tokenizer.json`. Nothing is
//! fetched, and nothing in the folder is run.
//!
//! A text is the mean of the vectors of its pieces. Read are the published models that cut texts as
//! BERT does, which are those of the `potion-base` and `potion-retrieval` kind; other tokenizers
//! are refused by their names.

mod safetensors;
mod wordpiece;

use super::vector::{beginning, quantised};
use crate::source::read_whole;
use crate::trace::action::hex;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use wordpiece::WordPiece;

/// Bytes that `model.safetensors` may have.
const WEIGHTS_FILE: u64 = 1 << 30;
/// Bytes that `tokenizer.json` may have.
const TOKENIZER_FILE: u64 = 64 << 20;
/// Pieces of a text that count, as in the library that the models come from.
const PIECES: usize = 512;
/// Bytes of a text that are looked at.
const LONGEST: usize = 8 << 10;
/// Dimensions that a vector may have.
const DIMENSIONS: usize = 4_096;

/// The folder holds no model that can be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file can't be read.
    #[error("`{}`: {error}", path.display())]
    Io {
        path: PathBuf,
        error: std::io::Error,
    },
    /// A file is larger than any model.
    #[error("`{}` is no file of at most {most} bytes", path.display())]
    Size {
        path: PathBuf,
        /// What is read of it at most.
        most: u64,
    },
    /// The numbers aren't what they should be.
    #[error("`model.safetensors` can't be used: {0}")]
    Weights(String),
    /// The tokenizer isn't.
    #[error("`tokenizer.json` can't be used: {0}")]
    Tokenizer(String),
}

/// A model that was given.
#[derive(Debug)]
pub struct Model2Vec {
    tokenizer: WordPiece,
    /// A row for each piece.
    rows: Vec<f32>,
    dimensions: usize,
    digest: String,
}

impl Model2Vec {
    /// Reads the model of a folder.
    ///
    /// # Errors
    /// When a file is missing, damaged, too large, or of a kind that isn't supported.
    pub(in crate::knowledge) fn open(folder: &Path) -> Result<Self, ModelError> {
        let tokenizer = read(folder.join("tokenizer.json"), TOKENIZER_FILE)?;
        Self::parse(
            &read(folder.join("model.safetensors"), WEIGHTS_FILE)?,
            &tokenizer,
        )
    }

    /// Reads a model out of the bytes of its two files.
    ///
    /// # Errors
    /// As [`Model2Vec::open`].
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
            return Err(wrong("the tensor `embeddings` is no matrix"));
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

    /// The vector of a text: of unit length, each component times 127 and in two's complement;
    /// `None` when no piece of it is known.
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

    /// Bytes of a vector.
    pub(in crate::knowledge) const fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// SHA-256 of the files, in hexadecimal: tells models apart.
    pub(in crate::knowledge) fn digest(&self) -> &str {
        &self.digest
    }
}

/// A file of at most so many bytes.
fn read(path: PathBuf, most: u64) -> Result<Vec<u8>, ModelError> {
    // Neither a device nor a pipe, which might never begin.
    if std::fs::metadata(&path).is_ok_and(|m| !m.is_file()) {
        return Err(ModelError::Size { path, most });
    }
    std::fs::File::open(&path)
        .and_then(|file| read_whole(file, most))
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::FileTooLarge => ModelError::Size { path, most },
            _ => ModelError::Io { path, error },
        })
}

#[cfg(test)]
mod tests {
    use super::super::vector::cosine;
    use super::*;

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
            (&[("embeddings", &[8], &ROWS)], "no matrix"),
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
