//! The repositories of a command that covers several: a manifest, or `--root` for each.

use crate::cli::file;
use crate::cli::output::{Failure, Mistake};
use crate::config::ConfigError;
use crate::trace::entry::places_in;
use clap::Args;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use toml::Spanned;

/// Maximum length of a name.
const NAME: usize = 100;
/// Default path of a map in its repository.
const MAP: &str = "REPOMAP.md";

/// Selects several repositories.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct RepositoriesArgs {
    /// Cover all repositories that this manifest lists.
    #[arg(long, value_name = "FILE", conflicts_with = "root")]
    repositories: Option<PathBuf>,
    /// Cover this repository, under the name of its folder; may be given several times.
    #[arg(long, value_name = "PATH")]
    root: Vec<PathBuf>,
}

/// A manifest. Its paths are relative to its directory.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    #[serde(default)]
    store: Option<String>,
    #[serde(default)]
    repository: Vec<Entry>,
}

/// `[[repository]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Spanned<String>,
    path: PathBuf,
    #[serde(default)]
    map: Option<String>,
}

/// Several repositories.
#[derive(Debug, Default)]
pub(in crate::cli) struct Repositories {
    /// The directory that `store` is relative to.
    pub(in crate::cli) root: PathBuf,
    /// The path of the common index, as configured.
    #[cfg_attr(
        not(feature = "knowledge"),
        expect(dead_code, reason = "only an index is common")
    )]
    pub(in crate::cli) store: Option<String>,
    /// Sorted by name.
    pub(in crate::cli) list: Vec<Repository>,
    taken: Taken,
}

/// What the repositories of a list are found by: there may be thousands of them.
#[derive(Debug, Default)]
struct Taken {
    /// The names in lower case.
    names: BTreeSet<String>,
    /// The names by the directories, of those that exist.
    directories: BTreeMap<PathBuf, String>,
}

/// One of several repositories.
#[derive(Debug)]
pub(in crate::cli) struct Repository {
    /// One path component of ASCII characters, unique if case is ignored.
    pub(in crate::cli) name: String,
    /// The directory. It need not exist.
    pub(in crate::cli) path: PathBuf,
    /// The path of the map, relative to `path`.
    #[cfg_attr(
        not(feature = "repomap"),
        expect(dead_code, reason = "only maps have one")
    )]
    pub(in crate::cli) map: String,
}

impl RepositoriesArgs {
    /// Returns the repositories; `None` if none were asked for.
    ///
    /// # Errors
    /// When the manifest is invalid or empty, or a name is.
    pub(in crate::cli) fn list(&self) -> Result<Option<Repositories>, Failure> {
        let mut all = match &self.repositories {
            Some(manifest) => Repositories::read(manifest)?,
            None if self.root.is_empty() => return Ok(None),
            None => self.roots()?,
        };
        all.list.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Some(all))
    }

    fn roots(&self) -> Result<Repositories, Failure> {
        let mut all = Repositories::default();
        for path in &self.root {
            // `.` and `..` have no name of their own.
            let named = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            let real = || path.canonicalize().ok();
            let name = named.or_else(|| Some(real()?.file_name()?.to_string_lossy().into_owned()));
            all.add(name.unwrap_or_default(), path.clone(), None)
                .map_err(|why| {
                    Failure::unable(why, "a manifest names each repository: --repositories FILE")
                })?;
        }
        Ok(all)
    }
}

impl Repositories {
    /// Reads a manifest.
    fn read(path: &Path) -> Result<Self, Failure> {
        const REMEDY: &str = "each [[repository]] has a name and a path, and may have a map; docs/knowledge.md shows one";
        let (name, text) = (path.display().to_string(), file::regular_text(path)?);
        let mistakes = |mistakes: Vec<(Range<usize>, String)>| {
            let place = places_in(&name, &text);
            let mistakes = mistakes.into_iter().map(|(span, message)| Mistake {
                message,
                place: place(&span),
                help: None,
            });
            Failure::mistakes(&name, mistakes, REMEDY)
        };
        let manifest: Manifest = toml::from_str(&text).map_err(|error| {
            let message = ConfigError::from_toml(&error).to_string();
            mistakes(vec![(error.span().unwrap_or_default(), message)])
        })?;
        let mut all = Self {
            root: path.parent().map(Path::to_path_buf).unwrap_or_default(),
            store: manifest.store,
            ..Self::default()
        };
        let mut wrong = Vec::new();
        for Entry { name, path, map } in manifest.repository {
            let span = name.span();
            if let Err(why) = all.add(name.into_inner(), all.root.join(path), map) {
                wrong.push((span, why));
            }
        }
        match () {
            () if !wrong.is_empty() => Err(mistakes(wrong)),
            () if all.list.is_empty() => {
                let message = format!("`{name}` lists no repository");
                Err(Failure::unable(message, REMEDY))
            }
            () => Ok(all),
        }
    }

    fn add(&mut self, name: String, path: PathBuf, map: Option<String>) -> Result<(), String> {
        // Names become the first part of indexed paths, and of paths of caches.
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if name.is_empty()
            || name.len() > NAME
            || name.ends_with('.')
            || !name.chars().all(is_allowed)
        {
            let shown: String = name.chars().take(NAME).collect();
            return Err(format!(
                "`{shown}` can't name a repository: it takes at most {NAME} ASCII letters, digits, `.`, `_` and `-`, with no `.` at the end"
            ));
        }
        let map = map.unwrap_or_else(|| MAP.to_owned());
        if !is_below(&map) {
            return Err(format!(
                "`{map}`, the map of `{name}`, leads out of the repository"
            ));
        }
        if !self.taken.names.insert(name.to_ascii_lowercase()) {
            return Err(format!("two repositories are called `{name}`"));
        }
        if let Ok(real) = path.canonicalize()
            && let Some(other) = self.taken.directories.insert(real, name.clone())
        {
            return Err(format!("`{other}` and `{name}` are the same folder"));
        }
        self.list.push(Repository { name, path, map });
        Ok(())
    }
}

/// Whether a configured path consists of names, so that only symbolic links could lead out.
pub(in crate::cli) fn is_below(path: &str) -> bool {
    let is_name = |c| matches!(c, Component::Normal(_) | Component::CurDir);
    !path.is_empty() && Path::new(path).components().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Comparing each pair of directories would take a minute.
    #[test]
    fn thousands_of_repositories_are_listed_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut all = Repositories::default();
        for n in 0..5000 {
            let path = folder.path().join(n.to_string());
            std::fs::create_dir(&path).unwrap();
            all.add(format!("r{n}"), path, None).unwrap();
        }
        let mut again = |name: &str, path: &str| {
            let path = folder.path().join(path);
            all.add(name.to_owned(), path, None).unwrap_err()
        };
        let same = again("other", "7/../8");
        assert_eq!(same, "`r8` and `other` are the same folder");
        assert_eq!(again("R9", "nowhere"), "two repositories are called `R9`");
        assert_eq!(all.list.len(), 5000);
    }
}
