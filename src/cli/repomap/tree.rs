//! Reads the tree that a command maps.

use crate::cli::common::exit::EXIT_NOTHING_VERIFIED;
use crate::cli::output::{Failure, warn};
use clap::Args;
use repo_map::{
    Cache, Changes, LeftOut, MAX_BYTES, Settings, Snapshot, of_file, of_folder, of_revision,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::time::SystemTime;
use worktree::git::{GitError, Kind, ObjectId, Repository};

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
    /// Refuses a folder besides the repositories that are given.
    pub(super) fn is_default(&self) -> Result<(), Failure> {
        if self.path == Path::new(".") {
            return Ok(());
        }
        Err(Failure::unable(
            format!("`{}` is given besides repositories", self.path.display()),
            "give another --root, or a [[repository]] in the manifest",
        ))
    }

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

impl TreeArgs {
    /// Determines what changed in the tree since it left a revision; `None` without a revision.
    pub(super) fn changes(
        &self,
        diff: &str,
        snapshot: &Snapshot,
    ) -> Result<Option<Changes>, Failure> {
        changes(&self.path, self.rev.as_deref(), diff, snapshot)
    }
}

/// Determines what changed between the merge base of a revision and a tree, which is a directory or
/// its state in another revision.
pub(super) fn changes(
    path: &Path,
    rev: Option<&str>,
    diff: &str,
    snapshot: &Snapshot,
) -> Result<Option<Changes>, Failure> {
    if diff.is_empty() {
        return Ok(None);
    }
    let unable = |e: GitError| {
        let remedy = "is it fetched, with its history? A shallow clone has only the newest commit";
        Failure::unable(e.to_string(), remedy)
    };
    let repository = Repository::discover(path).map_err(unable)?;
    let head = repository.commit(rev.unwrap_or("HEAD")).map_err(unable)?;
    let parting = merge_base(&repository, head, diff)?;
    let folder = match repository.work_tree() {
        Some(top) => below(&top, path)?,
        None => String::new(),
    };
    let listed = |commit| -> Result<BTreeMap<String, ObjectId>, Failure> {
        let all = repository.files(commit).map_err(unable)?.into_iter();
        let files = all.filter(|e| matches!(e.kind, Kind::File | Kind::Executable));
        Ok(files
            .filter_map(|e| Some((e.path.strip_prefix(&folder)?.to_owned(), e.id)))
            .collect())
    };
    let (before, after) = (listed(parting)?, listed(head)?);
    let mut touched: BTreeSet<String> = after
        .iter()
        .filter(|(path, id)| before.get(*path) != Some(id))
        .map(|(path, _)| path.clone())
        .collect();
    touched.extend(before.keys().filter(|p| !after.contains_key(*p)).cloned());
    if rev.is_none() {
        let open = repository.uncommitted().map_err(unable)?.into_iter();
        touched.extend(open.filter_map(|(p, _)| Some(p.strip_prefix(&folder)?.to_owned())));
    }
    let blob = |id: &ObjectId| repository.content(*id, MAX_BYTES).ok();
    let mut out = Changes::default();
    for name in touched {
        let old = before.get(&name).and_then(blob);
        let old_file = old
            .as_deref()
            .and_then(|b| of_file(&name, b).ok().flatten());
        let file = snapshot
            .files
            .binary_search_by(|f| f.path.as_str().cmp(&name))
            .ok()
            .and_then(|at| snapshot.files.get(at));
        let Some(file) = file else {
            if let Some(old) = &old_file {
                out.remove(old, None);
            }
            continue;
        };
        let new = match rev {
            None => std::fs::read(path.join(&name)).ok(),
            Some(_) => after.get(&name).and_then(blob),
        };
        if new.is_some() && new == old {
            continue;
        }
        let text = |bytes: &Option<Vec<u8>>| {
            let text = bytes.as_deref().map(String::from_utf8_lossy);
            text.unwrap_or_default().into_owned()
        };
        let old_text = text(&old);
        let old = old_file.as_ref().map(|file| (file, old_text.as_str()));
        out.add(old, file, &text(&new));
    }
    Ok(Some(out))
}

/// Returns the commit where a head left a revision.
fn merge_base(repository: &Repository, head: ObjectId, base: &str) -> Result<ObjectId, Failure> {
    let unable = |e: &dyn std::fmt::Display| {
        let remedy = "is it fetched, with its history? A shallow clone has only the newest commit";
        Failure::unable(e.to_string(), remedy)
    };
    let base_commit = repository
        .commit_of_one_name(base)
        .map_err(|e| unable(&e))?;
    repository
        .merge_base(head, base_commit)
        .map_err(|e| unable(&e))?
        .ok_or_else(|| unable(&format!("`HEAD` and `{base}` share no commit")))
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
    let parting = merge_base(&repository, head, base)?.to_string();
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
