//! Reads a tree of files from the disk, or from a revision without a checkout.

use super::cache::{Cache, FileKind, Key};
use super::classify::{Attributes, LeftOut, MAX_BYTES, text};
use super::extract::Extractor;
use super::file_stat::FileStat;
use super::language::Language;
use super::roles;
use super::settings;
use super::tags::Tags;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use thiserror::Error;
use worktree::git::{GitError, Kind, ObjectId, Repository};

/// Why a tree can't be read.
#[derive(Debug, Error)]
pub enum TreeError {
    /// The directory can't be listed.
    #[error("can't read the folder `{path}`: {reason}")]
    Folder {
        path: String,
        /// The error message of the operating system.
        reason: String,
    },
    /// The repository or the revision can't be read.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// A file of a tree, with its tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Path from the root of the tree, with `/` as separator.
    pub path: String,
    /// The language; `None` for text in no supported language.
    pub language: Option<Language>,
    /// What the file defines and refers to.
    pub tags: Tags,
}

impl File {
    /// Returns whether all indices in its tags are in range. Call this for files that come from a
    /// store.
    pub fn is_sound(&self) -> bool {
        self.tags.is_sound()
    }

    /// Returns for each definition whether it is a part of a test, an example or a benchmark, which
    /// rank behind what they exercise.
    pub fn supporting(&self) -> Vec<bool> {
        if roles::is_supporting_file(&self.path, self.language) {
            vec![true; self.tags.definitions.len()]
        } else {
            roles::supporting_definitions(&self.tags, self.language)
        }
    }
}

/// The files of a tree, with their tags.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// Sorted by path.
    pub files: Vec<File>,
    /// Number of files that are left out, by reason.
    pub left_out: BTreeMap<LeftOut, usize>,
}

/// Where the content of a file is stored.
enum Place {
    Disk(PathBuf),
    Blob(ObjectId),
}

/// Bytes of blobs that are held in memory before they are parsed.
const BATCH: usize = 16 << 20;

/// The files of a tree, before they are read and parsed.
struct Listing {
    files: Vec<(String, Place)>,
    left_out: BTreeMap<LeftOut, usize>,
}

impl Listing {
    fn leave_out(&mut self, why: LeftOut) {
        *self.left_out.entry(why).or_default() += 1;
    }
}

/// Reads a directory. Files that `.gitignore` excludes, other repositories and symbolic links are
/// left out. Ignore files outside of the tree apply only if the directory is a part of a
/// repository. The user's global ignore file never applies.
///
/// # Errors
/// Returns [`TreeError::Folder`] if the directory itself can't be listed.
pub fn of_folder(root: &Path, cache: Option<&Cache>) -> Result<Snapshot, TreeError> {
    Ok(read(list(root)?, None, cache))
}

/// Lists the files that [`of_folder`] reads and that their names don't exclude. Returns their
/// sorted paths from the root with `/`, and their paths on disk.
///
/// # Errors
/// Returns [`TreeError::Folder`] if the directory itself can't be listed.
pub fn paths(root: &Path) -> Result<Vec<(String, PathBuf)>, TreeError> {
    let listing = list(root)?;
    let attributes = attributes(&listing, None);
    let wanted = listing
        .files
        .into_iter()
        .filter(|(path, _)| attributes.left_out(path).is_none());
    Ok(wanted
        .filter_map(|(path, place)| {
            if let Place::Disk(at) = place {
                Some((path, at))
            } else {
                None
            }
        })
        .collect())
}

/// Extracts the tags of one file. Returns `None` if the file isn't source code.
///
/// # Errors
/// Returns the reason for which the file is left out.
pub fn of_file(path: &str, bytes: &[u8]) -> Result<Option<File>, LeftOut> {
    let (kind, tags) = analyse(&mut Extractor::default(), path, bytes, None);
    Ok(into_file(path.to_owned(), kind, tags)?.filter(|f| f.language.is_some()))
}

fn list(root: &Path) -> Result<Listing, TreeError> {
    let unreadable = |reason: String| TreeError::Folder {
        path: root.display().to_string(),
        reason,
    };
    fs::read_dir(root).map_err(|e| unreadable(e.to_string()))?;
    let mut walk = ignore::WalkBuilder::new(root);
    let is_top = root.join(".git").exists();
    walk.hidden(false)
        .ignore(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .parents(!is_top);
    let top = root.to_path_buf();
    walk.filter_entry(move |e| {
        e.file_name() != ".git" && (e.path() == top || !e.path().join(".git").exists())
    });
    let mut listing = Listing {
        files: Vec::new(),
        left_out: BTreeMap::new(),
    };
    for entry in walk.build() {
        let Ok(entry) = entry else {
            listing.leave_out(LeftOut::Unreadable);
            continue;
        };
        let Some(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            continue;
        }
        let relative = entry.path().strip_prefix(root).ok().and_then(Path::to_str);
        match relative.map(|p| p.replace(std::path::MAIN_SEPARATOR, "/")) {
            _ if kind.is_symlink() => listing.leave_out(LeftOut::Link),
            None => listing.leave_out(LeftOut::NotUtf8),
            Some(path) if kind.is_file() => {
                listing.files.push((path, Place::Disk(entry.into_path())));
            }
            Some(_) => listing.leave_out(LeftOut::Unreadable),
        }
    }
    listing.files.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(listing)
}

/// Reads the files of a revision below a directory: `""` for all, else a path that ends with `/`.
///
/// # Errors
/// Returns [`TreeError::Git`] if the revision can't be read.
pub fn of_revision(
    repository: &Repository,
    revision: &str,
    folder: &str,
    cache: Option<&Cache>,
) -> Result<Snapshot, TreeError> {
    let commit = repository.commit(revision)?;
    let mut listing = Listing {
        files: Vec::new(),
        left_out: BTreeMap::new(),
    };
    for entry in repository.files(commit)? {
        let Some(path) = entry.path.strip_prefix(folder) else {
            continue;
        };
        match entry.kind {
            // A submodule isn't a part of this tree. On disk it is an empty directory.
            Kind::Submodule => {}
            Kind::Link => listing.leave_out(LeftOut::Link),
            Kind::File | Kind::Executable if entry.raw_path.is_some() => {
                listing.leave_out(LeftOut::NotUtf8);
            }
            Kind::File | Kind::Executable => {
                listing.files.push((path.to_owned(), Place::Blob(entry.id)));
            }
        }
    }
    Ok(read(listing, Some(repository), cache))
}

/// Reads a file from the disk, at most one byte more than the limit, with its stat from before.
fn content(path: &Path) -> Result<(Vec<u8>, Option<FileStat>), LeftOut> {
    use std::io::Read as _;
    let file = fs::File::open(path).map_err(|_| LeftOut::Unreadable)?;
    let metadata = file.metadata().map_err(|_| LeftOut::Unreadable)?;
    let size = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
    let mut out = Vec::with_capacity(size.min(MAX_BYTES) + 1);
    let limit = u64::try_from(MAX_BYTES + 1).unwrap_or(u64::MAX);
    file.take(limit)
        .read_to_end(&mut out)
        .map_err(|_| LeftOut::Unreadable)?;
    Ok((out, FileStat::from_metadata(&metadata)))
}

/// Reads a file of a revision, unless it exceeds the limit.
fn blob(id: ObjectId, repository: Option<&Repository>) -> Result<Vec<u8>, LeftOut> {
    match repository
        .ok_or(LeftOut::Unreadable)?
        .content(id, MAX_BYTES)
    {
        Ok(content) => Ok(content),
        Err(GitError::TooLarge { .. }) => Err(LeftOut::TooLarge),
        Err(_) => Err(LeftOut::Unreadable),
    }
}

/// The content of a file, or the path to read it from.
enum Source {
    Disk(PathBuf),
    Bytes(Vec<u8>),
}

/// Reads and parses the listed files, in the order of the list.
fn read(mut listing: Listing, repository: Option<&Repository>, cache: Option<&Cache>) -> Snapshot {
    let attributes = attributes(&listing, repository);
    let mut out = Snapshot::default();
    let files = std::mem::take(&mut listing.files);
    let mut files = files.into_iter().peekable();
    while files.peek().is_some() {
        // A repository reads one blob at a time. Files on disk are read by the thread that parses
        // them.
        let (mut batch, mut held) = (Vec::new(), 0);
        while held < BATCH {
            let Some((path, place)) = files.next() else {
                break;
            };
            let source = match (attributes.left_out(&path), place) {
                (Some(why), _) => Err(why),
                (None, Place::Disk(at)) => Ok(Source::Disk(at)),
                (None, Place::Blob(id)) => blob(id, repository).map(Source::Bytes),
            };
            held += if let Ok(Source::Bytes(bytes)) = &source {
                bytes.len()
            } else {
                0
            };
            batch.push((path, source));
        }
        let one = |extractor: &mut Extractor, (path, source): (String, Result<Source, LeftOut>)| {
            match source? {
                Source::Disk(at) => read_from_disk(extractor, path, &at, cache),
                Source::Bytes(bytes) => {
                    let (kind, tags) = analyse(extractor, &path, &bytes, cache);
                    into_file(path, kind, tags)
                }
            }
        };
        let parsed: Vec<_> = batch
            .into_par_iter()
            .map_init(Extractor::default, one)
            .collect();
        for one in parsed {
            match one {
                Ok(Some(file)) => out.files.push(file),
                Ok(None) => {}
                Err(why) => listing.leave_out(why),
            }
        }
    }
    out.left_out = listing.left_out;
    out
}

/// Returns the tags of a file on disk. The file isn't read if its cache entry is current.
fn read_from_disk(
    extractor: &mut Extractor,
    path: String,
    at: &Path,
    cache: Option<&Cache>,
) -> Result<Option<File>, LeftOut> {
    if let Some((kind, tags)) = cache.and_then(|cache| from_cache(&path, at, cache)) {
        return into_file(path, kind, tags);
    }
    let (bytes, stat) = content(at)?;
    let (kind, tags) = analyse(extractor, &path, &bytes, cache);
    if let (Some(cache), Some(stat)) = (cache, stat) {
        cache.record(&path, stat, kind);
    }
    into_file(path, kind, tags)
}

/// Returns the cached kind and tags of a file whose stat is unchanged.
fn from_cache(path: &str, at: &Path, cache: &Cache) -> Option<(FileKind, Tags)> {
    let stat = FileStat::from_metadata(&fs::symlink_metadata(at).ok()?)?;
    let kind = cache.file_kind(path, &stat)?;
    let tags = if let FileKind::Source(_, key) = &kind {
        cache.get(key)?
    } else {
        Tags::default()
    };
    Some((kind, tags))
}

/// Classifies a file and extracts its tags if it is source code.
fn analyse(
    extractor: &mut Extractor,
    path: &str,
    bytes: &[u8],
    cache: Option<&Cache>,
) -> (FileKind, Tags) {
    let language = Language::of(path, bytes);
    let text = match text(bytes, language.is_some()) {
        Ok(text) => text,
        Err(why) => return (FileKind::Not(why), Tags::default()),
    };
    let Some(language) = language else {
        return (
            if settings::is_map(text) {
                FileKind::Map
            } else {
                FileKind::Text
            },
            Tags::default(),
        );
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let key = Key::new(language, text);
    if let Some(tags) = cache.and_then(|c| c.get(&key)) {
        return (FileKind::Source(language, key), tags);
    }
    let Ok(tags) = extractor.extract(language, text) else {
        return (FileKind::Not(LeftOut::Unparsed), Tags::default());
    };
    if let Some(cache) = cache {
        cache.put(key, &tags);
    }
    (FileKind::Source(language, key), tags)
}

/// Returns the file as an entry of a snapshot. An earlier map isn't one: a map must not depend on
/// its own previous output.
fn into_file(path: String, kind: FileKind, tags: Tags) -> Result<Option<File>, LeftOut> {
    match kind {
        FileKind::Source(language, _) => Ok(Some(File {
            path,
            language: Some(language),
            tags,
        })),
        FileKind::Text => Ok(Some(File {
            path,
            language: None,
            tags,
        })),
        FileKind::Map => Ok(None),
        FileKind::Not(why) => Err(why),
    }
}

/// Reads the listed `.gitattributes` files.
fn attributes(listing: &Listing, repository: Option<&Repository>) -> Attributes {
    let mut out = Attributes::default();
    for (path, place) in &listing.files {
        let Some(folder) = path
            .strip_suffix(".gitattributes")
            .filter(|f| f.is_empty() || f.ends_with('/'))
        else {
            continue;
        };
        let bytes = match place {
            Place::Disk(at) => content(at).map(|(bytes, _)| bytes),
            Place::Blob(id) => blob(*id, repository),
        };
        if let Ok(bytes) = bytes {
            out.add(folder, &String::from_utf8_lossy(&bytes));
        }
    }
    out
}
