//! Vectors of a given model in a build without them. Always refuses.

use std::path::Path;

/// Why a model can't be used: this build reads none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`model2vec` is not part of this build: build with `--features model2vec`")]
pub struct ModelError;

/// A loaded model, which can't exist in this build.
#[derive(Debug)]
pub enum Model2Vec {}

impl Model2Vec {
    /// Refuses to read a model.
    ///
    /// # Errors
    /// Always.
    pub(crate) const fn open(_: &Path) -> Result<Self, ModelError> {
        Err(ModelError)
    }

    /// Returns the vector of a text.
    #[must_use]
    pub const fn embed(&self, _: &str) -> Option<Vec<u8>> {
        match *self {}
    }

    pub(crate) const fn dimensions(&self) -> usize {
        match *self {}
    }

    pub(crate) const fn digest(&self) -> &str {
        match *self {}
    }
}
