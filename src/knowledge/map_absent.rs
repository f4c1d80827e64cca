//! The layer `map` in a build without repo maps. Always refuses.

use super::KnowledgeError;
use super::retrieve::{Answer, Form, MapQuery};
use crate::features::{Feature, NotInBuild};
use knowledge_index::Store;
use std::io;
use std::path::{Path, PathBuf};

/// Refuses to list source code.
///
/// # Errors
/// Always.
pub(super) fn paths(_: &Path) -> io::Result<Vec<PathBuf>> {
    Err(io::Error::other(NotInBuild(Feature::Repomap)))
}

/// Refuses to render a map.
///
/// # Errors
/// Always.
pub fn map(_: &Store, _: MapQuery<'_>, _: usize, _: Form) -> Result<Answer, KnowledgeError> {
    Err(NotInBuild(Feature::Repomap).into())
}
