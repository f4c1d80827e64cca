//! Reads the tree that a command maps.

use crate::cli::common::exit::EXIT_NOTHING_VERIFIED;
use crate::cli::output::{Failure, warn};
use clap::Args;
use repo_map::{Cache, LeftOut, Settings, Snapshot, of_folder, of_revision};
use std::io;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::time::SystemTime;
use worktree::git::Repository;

/// Selects the tree.
#[derive(Debug, Args)]
pub(super) struct TreeArgs {
    /// The folder to read.
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Read this revision of the folder's repository, without a checkout.
    #[arg(long, value_name = "REV")]
    pub(super) rev: Option<String>,
    /// Cache parsed files in this folder (for example `.yuangs/cache/repomap`). Anyone who can
    /// write there can change maps, so don't share it with pull requests.
    #[arg(long, value_name = "DIR")]
    pub(super) cache: Option<PathBuf>,
}

impl TreeArgs {
    /// Reads the tree for a map with these settings. The map's token encoding is loaded in the
    /// meantime.
    pub(super) fn read_for(&self, settings: &Settings) -> Result<Snapshot, Failure> {
        // An unknown encoding is reported when the map is built.
        if let Ok(encoding) = settings.encoding() {
            rayon::spawn(move || encoding.load());
        }
        self.read()
    }

    /// Reads the tree, and updates the cache.
    pub(super) fn read(&self) -> Result<Snapshot, Failure> {
        if let Some(folder) = &self.cache {
            let file = folder.join(Cache::NAME);
            crate::cli::common::inputs::outside_git(&file)?;
            crate::cli::guard::check(&file, crate::cli::guard::Exemption::Nothing)?;
        }
        let cache = self
            .cache
            .as_deref()
            .map(|folder| Cache::open(folder, SystemTime::now()));
        let snapshot = match &self.rev {
            None => of_folder(&self.path, cache.as_ref())
                .map_err(|e| Failure::unable(e.to_string(), "it takes a folder"))?,
            Some(rev) => revision(&self.path, rev, cache.as_ref())?,
        };
        if let Some(cache) = &cache {
            cache.save().map_err(|e| {
                Failure::unable(
                    format!("can't write the cache: {e}"),
                    "--cache takes a folder to write to",
                )
            })?;
        }
        Ok(snapshot)
    }
}

/// Reads a revision of the repository around a directory, below that directory.
pub(super) fn revision(path: &Path, rev: &str, cache: Option<&Cache>) -> Result<Snapshot, Failure> {
    let unable = |e: &dyn std::fmt::Display| {
        Failure::unable(
            e.to_string(),
            "--rev takes a revision of the repository at PATH",
        )
    };
    let repository = Repository::discover(path).map_err(|e| unable(&e))?;
    let folder = match repository.work_tree() {
        Some(top) => below(&top, path)?,
        None => String::new(),
    };
    of_revision(&repository, rev, &folder, cache).map_err(|e| unable(&e))
}

/// Reads a directory at the merge base of `HEAD` and another revision. Also returns the short id of
/// the commit.
pub(super) fn at_merge_base(path: &Path, base: &str) -> Result<(String, Snapshot), Failure> {
    let unable = |e: &dyn std::fmt::Display| {
        let remedy = "is it fetched, with its history? A shallow clone has only the newest commit";
        Failure::unable(e.to_string(), remedy)
    };
    let repository = Repository::discover(path).map_err(|e| unable(&e))?;
    let head = repository.commit("HEAD").map_err(|e| unable(&e))?;
    let base_commit = repository
        .commit_of_one_name(base)
        .map_err(|e| unable(&e))?;
    let parting = repository
        .merge_base(head, base_commit)
        .map_err(|e| unable(&e))?;
    let parting = parting
        .ok_or_else(|| unable(&format!("`HEAD` and `{base}` share no commit")))?
        .to_string();
    let snapshot = revision(path, &parting, None)?;
    Ok((parting.chars().take(12).collect(), snapshot))
}

/// Counts the files that aren't fully known: they have syntax errors, or would take too much work.
pub(super) fn unread(snapshot: &Snapshot) -> usize {
    let broken = snapshot.files.iter().filter(|f| f.tags.has_errors).count();
    broken
        + snapshot
            .left_out
            .get(&LeftOut::Unparsed)
            .copied()
            .unwrap_or(0)
}

/// Returns the path of a directory below another one, with a trailing `/`; empty when they are the
/// same.
fn below(top: &Path, path: &Path) -> Result<String, Failure> {
    let missing = |e| {
        Failure::unable(
            format!("can't find `{}`: {e}", path.display()),
            "PATH must be a folder",
        )
    };
    let inner = relative(top, path).map_err(missing)?.unwrap_or_default();
    Ok(if inner.is_empty() {
        inner
    } else {
        format!("{inner}/")
    })
}

/// Returns a path below a directory as in a snapshot, with `/`; `None` when it is elsewhere.
pub(super) fn relative(top: &Path, path: &Path) -> io::Result<Option<String>> {
    let (top, path) = (top.canonicalize()?, path.canonicalize()?);
    Ok(path
        .strip_prefix(top)
        .ok()
        .map(|inner| inner.to_string_lossy().replace(MAIN_SEPARATOR, "/")))
}

/// Warns that there is nothing to process, and returns the exit code for it.
pub(super) fn nothing(what: &str) -> u8 {
    warn(&format!(
        "nothing was {what}: no file with definitions in a known language was found"
    ));
    EXIT_NOTHING_VERIFIED
}
