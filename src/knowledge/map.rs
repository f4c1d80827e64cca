//! The layer `map`: a skeleton of the indexed code.

use super::retrieve::{Answer, Form, MapQuery};
use super::source_config::SourceKind;
use super::{KnowledgeError, tables};
use knowledge_index::{IndexError, Store};
use repo_map::{self, BuildError, File, Format, Settings, Snapshot};
use std::io;
use std::path::{Path, PathBuf};

/// Returns the source files below a directory that a map shows.
///
/// # Errors
/// When the directory can't be listed.
pub(super) fn paths(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let found = repo_map::paths(directory).map_err(|e| io::Error::other(e.to_string()))?;
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Renders the map of all indexed code in at most `budget` tokens.
///
/// # Errors
/// When the store can't be read, a focus path is unknown, or the budget can't fit even the head of
/// a map.
pub fn map(
    store: &Store,
    asked: MapQuery<'_>,
    budget: usize,
    form: Form,
) -> Result<Answer, KnowledgeError> {
    let damaged = || {
        KnowledgeError::from(IndexError::Damaged(
            "what a file of code defines can't be read",
        ))
    };
    let mut snapshot = Snapshot::default();
    for (path, json) in tables::documents(store.connection(), SourceKind::RepoMap)? {
        let (language, tags) = serde_json::from_str(&json).map_err(|_| damaged())?;
        let file = File {
            path,
            language: Some(language),
            tags,
        };
        if !file.is_sound() {
            return Err(damaged());
        }
        snapshot.files.push(file);
    }
    snapshot.files.sort_by(|a, b| a.path.cmp(&b.path));
    let settings = Settings {
        format: if form == Form::Json {
            Format::Json
        } else {
            Format::Text
        },
        tokens: budget,
        query: asked.query.to_owned(),
        focus: asked.focus.to_vec(),
        explain: asked.explain,
        ..Settings::default()
    };
    let map = repo_map::build(&snapshot, &settings).map_err(|e| failure(&e))?;
    let (shown, all) = if snapshot.files.is_empty() {
        (0, 0)
    } else {
        map.definitions
    };
    // A file without definitions is shown by its name.
    Ok(Answer {
        is_refused: false,
        text: map.text,
        tokens: map.tokens,
        shown: shown.max(map.files.0),
        left_out: all.saturating_sub(shown),
    })
}

fn failure(error: &BuildError) -> KnowledgeError {
    KnowledgeError::Map {
        message: error.to_string(),
        remedy: match error {
            BuildError::Focus(_) => "--focus takes paths from the folder of the configuration",
            _ => "give more map-tokens",
        },
    }
}
