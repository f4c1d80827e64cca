//! Vectors of a given model in a build without them: refused.

use crate::features::{Feature, NotInBuild};
use std::path::Path;

/// The folder holds no model that can be used.
pub type ModelError = NotInBuild;

/// A model that was given; there is none.
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

    /// The vector of a text.
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
