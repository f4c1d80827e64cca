//! Vectors of a given model in a build without them. Always refuses.

use crate::features::{Feature, NotInBuild};
use std::path::Path;

/// Why a model can't be used.
pub type ModelError = NotInBuild;

/// A loaded model, which can't exist in this build.
#[derive(Debug)]
pub enum Model2Vec {}

impl Model2Vec {
    /// Refuses to read a model.
    ///
    /// # Errors
    /// Always.
    pub(in crate::knowledge) const fn open(_: &Path) -> Result<Self, ModelError> {
        Err(NotInBuild(Feature::Model2Vec))
    }

    /// Returns the vector of a text.
    #[must_use]
    pub const fn embed(&self, _: &str) -> Option<Vec<u8>> {
        match *self {}
    }

    pub(in crate::knowledge) const fn dimensions(&self) -> usize {
        match *self {}
    }

    pub(in crate::knowledge) const fn digest(&self) -> &str {
        match *self {}
    }
}
