//! The configured sources of knowledge: files and directories below that of the configuration.

use super::index_files::IndexFiles;
use super::{KnowledgeError, history};
use crate::diag::{Code, Finding, Place};
use crate::manifest::PROMOTIONS;
use crate::rules;
use crate::source::{Choice, Found, Input, by_name, events_in, join_events};
use content_scan::mask::Mask;
use content_scan::secret::{self, Table};
use globset::{GlobBuilder, GlobMatcher};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The name of a user's queue of candidates for skills.
const QUEUE: &str = ".yuangs_skill_candidates.json";

/// The kind of content in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SourceKind {
    /// Traces, in every format that can be replayed.
    Traces,
    /// Transcripts of sessions, in JSON Lines.
    Transcripts,
    /// Markdown documents.
    Documents,
    /// Rows of a timeline, as in `PROGRESS.md`.
    Progress,
    /// Logs of work done, as in `SUMMARY.md`.
    Summaries,
    /// One JSON file per run.
    Runs,
    /// Edges and nodes of the knowledge graph, in JSON Lines.
    Graph,
    /// Directories of a context bank.
    Bank,
    /// Directories of skills.
    Skills,
    /// Source code, for the map of the repository.
    RepoMap,
    /// Commits of the repository. What is configured are revisions, not paths.
    History,
}

impl SourceKind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Self::Traces,
        Self::Transcripts,
        Self::Documents,
        Self::Progress,
        Self::Summaries,
        Self::Runs,
        Self::Graph,
        Self::Bank,
        Self::Skills,
        Self::RepoMap,
        Self::History,
    ];

    /// Returns the name in the configuration and in the store.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Traces => "traces",
            Self::Transcripts => "transcripts",
            Self::Documents => "documents",
            Self::Progress => "progress",
            Self::Summaries => "summaries",
            Self::Runs => "runs",
            Self::Graph => "graph",
            Self::Bank => "bank",
            Self::Skills => "skills",
            Self::RepoMap => "repomap",
            Self::History => "history",
        }
    }

    /// Returns the kind with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }

    /// Whether a file found in a directory is of this kind. A file that is configured directly
    /// always is.
    pub(super) fn takes(self, path: &Path) -> bool {
        let Some(name) = path.file_name().map(|n| n.to_string_lossy().to_lowercase()) else {
            return false;
        };
        let plain = name
            .strip_suffix(".gz")
            .or_else(|| name.strip_suffix(".zst"))
            .unwrap_or(&name);
        let ends = |endings: &[&str]| endings.iter().any(|e| plain.ends_with(e));
        match self {
            Self::Traces => by_name(path) == Choice::Read,
            Self::Transcripts | Self::Graph => name == plain && ends(&[".jsonl"]),
            Self::Documents => super::extract::is_document(&name),
            Self::Progress | Self::Summaries => name == plain && ends(&[".md", ".markdown"]),
            Self::Runs => name == plain && ends(&[".json"]),
            // A snapshot of a bank is a copy.
            Self::Bank => name == plain && ends(&[".json"]) && !is_in(path, "snapshots"),
            Self::Skills => matches!(&*name, "meta.json" | "skills.json" | PROMOTIONS | QUEUE),
            // Listed with the repository's ignore rules, or no files at all.
            Self::RepoMap | Self::History => false,
        }
    }
}

/// Returns whether a file is directly in a directory of this name.
fn is_in(file: &Path, directory: &str) -> bool {
    file.parent().and_then(Path::file_name) == Some(directory.as_ref())
}

/// The sources as configured.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The directory that the paths are relative to and can't leave.
    pub root: PathBuf,
    /// Files, directories and globs, with `/`; revisions for [`SourceKind::History`].
    pub paths: Vec<(SourceKind, String)>,
    /// The index, whose files are no sources of it.
    pub index: Option<PathBuf>,
    /// The sources of other repositories, whose names they are indexed below; or why a repository
    /// can't be read. These have no repositories of their own.
    pub repositories: BTreeMap<String, Result<Sources, String>>,
}

/// One file of a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SourceFile {
    pub(super) kind: SourceKind,
    /// The path relative to the root, with `/`; or the revision. If it belongs to one of several
    /// repositories, it is below the repository's name.
    pub(super) name: String,
    /// Where the name within the repository begins.
    pub(super) within: usize,
    /// The path to open; or the root.
    pub(super) path: PathBuf,
}

impl SourceFile {
    /// Returns the name within the repository.
    pub(super) fn name_within(&self) -> &str {
        self.name.get(self.within..).unwrap_or(&self.name)
    }

    /// Whether the file's name is that of a file with one record per line.
    pub(super) fn is_lines(&self) -> bool {
        self.name.to_lowercase().ends_with(".jsonl")
    }

    /// What is read: the file, or those of a directory that hold an event each.
    ///
    /// # Errors
    /// When the directory can't be read.
    pub(super) fn input(&self) -> std::io::Result<Input> {
        if self.path.is_dir()
            && let Some(events) = events_in(&self.path)?
        {
            return Ok(events);
        }
        Ok(Input::File(self.path.clone()))
    }

    /// Whether the file's name is that of a list of loaded skills.
    pub(super) fn is_skill_set(&self) -> bool {
        self.name.rsplit('/').next() == Some("skills.json")
    }
}

/// The files of all sources in order, with findings about those that can't be indexed.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) files: Vec<SourceFile>,
    pub(super) findings: Vec<Finding>,
    /// Files and directories that couldn't be listed, with the error. Their content is unknown, but
    /// not removed.
    pub(super) unlisted: Vec<(String, std::io::Error)>,
    /// Number of files below configured directories that their kind doesn't read, by the ending of
    /// the name.
    pub(super) unread: BTreeMap<(SourceKind, String), u64>,
    /// Number of these files in each of several repositories.
    pub(super) unread_in: BTreeMap<String, u64>,
}

/// Joins a configured path to the root, whether the file exists or not.
fn joined(root: &Path, configured: &str) -> Result<PathBuf, KnowledgeError> {
    let path = root.join(configured);
    let below = |c| {
        matches!(
            c,
            std::path::Component::Normal(_) | std::path::Component::CurDir
        )
    };
    let stays = !configured.is_empty() && Path::new(configured).components().all(below);
    if !stays
        || path
            .canonicalize()
            .is_ok_and(|real| !real.starts_with(root))
    {
        return Err(KnowledgeError::Outside {
            path: configured.to_owned(),
        });
    }
    Ok(path)
}

impl Sources {
    /// Resolves a configured path that isn't a source. It must not lead out of the root either.
    ///
    /// # Errors
    /// When it does, or the root can't be resolved.
    pub fn inside(&self, configured: &str) -> Result<PathBuf, KnowledgeError> {
        let root = self
            .root
            .canonicalize()
            .map_err(|error| KnowledgeError::Io {
                path: self.root.clone(),
                error,
            })?;
        joined(&root, configured)
    }

    /// Returns the files in directories of skills whose path `wanted` accepts, in order. Symbolic
    /// links are not followed.
    ///
    /// # Errors
    /// When a source leads out of the root.
    pub(super) fn below_skills(
        &self,
        wanted: &dyn Fn(&Path) -> bool,
    ) -> Result<BTreeMap<String, PathBuf>, KnowledgeError> {
        let root = self
            .root
            .canonicalize()
            .map_err(|error| KnowledgeError::Io {
                path: self.root.clone(),
                error,
            })?;
        let mut all = BTreeMap::new();
        for (_, configured) in self
            .paths
            .iter()
            .filter(|(kind, _)| *kind == SourceKind::Skills)
        {
            let folder = joined(&root, configured)?;
            // Unreadable directories are reported where the manifests are listed.
            let entries = walkdir::WalkDir::new(folder)
                .into_iter()
                .filter_map(Result::ok);
            let files = entries.filter(|e| e.file_type().is_file() && wanted(e.path()));
            all.extend(files.map(|e| (relative(&root, e.path()), e.into_path())));
        }
        Ok(all)
    }

    /// Returns the sources of the repository that an indexed name belongs to, and the name within
    /// it.
    pub(super) fn repository_of<'s>(&'s self, name: &'s str) -> Option<(&'s Sources, &'s str)> {
        if self.repositories.is_empty() {
            return Some((self, name));
        }
        let (repository, within) = name.split_once('/')?;
        let sources = self.repositories.get(repository)?;
        Some((sources.as_ref().ok()?, within))
    }

    /// Returns the errors about configured files and directories that don't exist or lead out of
    /// the root: at most one for each repository.
    #[must_use]
    pub fn missing(&self) -> Vec<KnowledgeError> {
        let others = self.repositories.iter().filter_map(|(name, repository)| {
            let why = match repository {
                Ok(sources) => sources.are_there().err()?.to_string(),
                Err(why) => why.clone(),
            };
            let name = name.clone();
            Some(KnowledgeError::Repository { name, why })
        });
        self.are_there().err().into_iter().chain(others).collect()
    }

    fn are_there(&self) -> Result<(), KnowledgeError> {
        for (kind, configured) in &self.paths {
            let exists = match (kind, Glob::of(&self.root, configured)?) {
                (SourceKind::History, _) => history::tip(&self.root, configured).map(|_| ()),
                (_, Some(glob)) => self.inside(&glob.base)?.canonicalize().map(|_| ()),
                (_, None) => match self.inside(configured)?.metadata() {
                    Ok(about) if !about.is_file() && !about.is_dir() => Err(not_regular()),
                    about => about.map(|_| ()),
                },
            };
            if let Err(error) = exists {
                let path = without_secrets(configured).unwrap_or_else(|| configured.clone());
                return Err(KnowledgeError::Source { path, error });
            }
        }
        Ok(())
    }

    /// Lists the files of all sources.
    ///
    /// # Errors
    /// When the root can't be resolved, or a path leads out of it.
    pub(super) fn list(&self) -> Result<Listing, KnowledgeError> {
        let own = IndexFiles::of(self.index.as_deref());
        let mut all = self.list_below("", &own)?;
        for (name, repository) in &self.repositories {
            let listed = match repository {
                Ok(sources) => {
                    let both = own.with(sources.index.as_deref());
                    sources.list_below(name, &both).map_err(|e| e.to_string())
                }
                Err(why) => Err(why.clone()),
            };
            match listed {
                Ok(listed) => {
                    all.files.extend(listed.files);
                    all.findings.extend(listed.findings);
                    all.unlisted.extend(listed.unlisted);
                    let unread = listed.unread.values().sum();
                    all.unread_in.insert(name.clone(), unread);
                    for (key, files) in listed.unread {
                        *all.unread.entry(key).or_default() += files;
                    }
                }
                // The other repositories can still be compared with what is indexed of them.
                Err(why) => {
                    let error = std::io::Error::other(why);
                    all.findings.push(unreadable(name, &error));
                    all.unlisted.push((name.clone(), error));
                }
            }
        }
        Ok(all)
    }

    /// Lists the files of the sources without other repositories. All names begin with that of the
    /// repository, unless it is empty.
    fn list_below(&self, repository: &str, own: &IndexFiles) -> Result<Listing, KnowledgeError> {
        let io = |path: &Path, error| KnowledgeError::Io {
            path: path.to_path_buf(),
            error,
        };
        let root = self.root.canonicalize().map_err(|e| io(&self.root, e))?;
        let mut walk = Walk {
            root: &root,
            own,
            files: BTreeMap::new(),
            listing: Listing::default(),
        };
        for (kind, configured) in &self.paths {
            walk.take(*kind, configured)?;
        }
        let Walk {
            mut files,
            listing:
                Listing {
                    mut findings,
                    mut unlisted,
                    unread,
                    ..
                },
            ..
        } = walk;
        join_sessions(&root, &mut files);
        let within = if repository.is_empty() {
            0
        } else {
            let prefixed = |name: &str| format!("{repository}/{name}");
            for finding in &mut findings {
                finding.place.file = prefixed(&finding.place.file).into();
            }
            for (name, _) in &mut unlisted {
                *name = prefixed(name);
            }
            let below = |((kind, name), path): ((_, String), _)| ((kind, prefixed(&name)), path);
            files = files.into_iter().map(below).collect();
            repository.len() + 1
        };
        findings.extend(unlisted.iter().map(|(name, error)| unreadable(name, error)));
        let shown = |(name, error): (String, std::io::Error)| {
            (without_secrets(&name).unwrap_or(name), error)
        };
        let unlisted = unlisted.into_iter().map(shown).collect();
        let mut all = Vec::with_capacity(files.len());
        for ((kind, name), path) in files {
            match without_secrets(&name) {
                None => all.push(SourceFile {
                    kind,
                    name,
                    within,
                    path,
                }),
                // The name is shown in every answer, and must be the same there as on disk.
                Some(shown) => {
                    let message =
                        "the name of the source holds a credential, so nothing of it is indexed"
                            .to_owned();
                    findings.push(finding(803, &shown, 0, message));
                }
            }
        }
        for finding in &mut findings {
            if let Some(shown) = without_secrets(&finding.place.file) {
                finding.place.file = shown.into();
            }
        }
        Ok(Listing {
            files: all,
            findings,
            unlisted,
            unread,
            unread_in: BTreeMap::new(),
        })
    }
}

/// A configured path with wildcards: it selects among the files below a directory.
struct Glob {
    /// The directory before the first wildcard.
    base: String,
    matcher: GlobMatcher,
}

impl Glob {
    /// Returns the glob of a configured path. A file or directory of exactly that name is none.
    fn of(root: &Path, configured: &str) -> Result<Option<Self>, KnowledgeError> {
        const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];
        if !configured.contains(WILDCARDS) || root.join(configured).exists() {
            return Ok(None);
        }
        let configured = configured.trim_start_matches("./");
        let before = configured.split(WILDCARDS).next().unwrap_or_default();
        let base = before.rsplit_once('/').map_or(".", |(base, _)| base);
        let glob = GlobBuilder::new(configured).literal_separator(true).build();
        let glob = glob.map_err(|error| KnowledgeError::Glob {
            path: configured.to_owned(),
            message: error.kind().to_string(),
        })?;
        Ok(Some(Self {
            base: base.to_owned(),
            matcher: glob.compile_matcher(),
        }))
    }
}

/// A walk over the configured sources.
struct Walk<'r> {
    root: &'r Path,
    own: &'r IndexFiles,
    files: BTreeMap<(SourceKind, String), PathBuf>,
    /// Everything but the files.
    listing: Listing,
}

impl Walk<'_> {
    fn take(&mut self, kind: SourceKind, configured: &str) -> Result<(), KnowledgeError> {
        if kind == SourceKind::History {
            match history::tip(self.root, configured) {
                Ok(_) => {
                    let key = (kind, configured.to_owned());
                    self.files.insert(key, self.root.to_owned());
                }
                Err(error) => self.listing.unlisted.push((configured.to_owned(), error)),
            }
            return Ok(());
        }
        let glob = Glob::of(self.root, configured)?;
        let base = glob.as_ref().map_or(configured, |glob| &glob.base);
        let path = joined(self.root, base)?;
        let selects = |root: &Path, path: &Path| {
            let matcher = glob.as_ref().map(|glob| &glob.matcher);
            matcher.is_none_or(|matcher| matcher.is_match(relative(root, path)))
        };
        let before = self.files.len();
        match path.canonicalize() {
            // It may be a symbolic link to the index.
            Ok(real) if self.own.contain(&real) => {}
            Ok(real) if real.is_file() => self.add(kind, path),
            Ok(real) if !real.is_dir() => {
                let error = not_regular();
                self.listing.unlisted.push((configured.to_owned(), error));
            }
            Ok(_) if kind == SourceKind::RepoMap => match super::map::paths(&path) {
                Ok(found) => {
                    for at in found {
                        if selects(self.root, &at) {
                            self.add(kind, at);
                        }
                    }
                }
                Err(error) => self.listing.unlisted.push((configured.to_owned(), error)),
            },
            Ok(_) => self.below(kind, &path, &selects),
            Err(error) => self.listing.unlisted.push((configured.to_owned(), error)),
        }
        if glob.is_some() && self.files.len() == before && self.listing.unlisted.is_empty() {
            let error = std::io::Error::new(std::io::ErrorKind::NotFound, "no file matches");
            self.listing.unlisted.push((configured.to_owned(), error));
        }
        Ok(())
    }

    /// Adds a file, unless its name is taken: different names that aren't valid UTF-8 may be shown
    /// alike.
    fn add(&mut self, kind: SourceKind, path: PathBuf) {
        if self.own.contain(&path) {
            return;
        }
        let name = relative(self.root, &path);
        match self.files.entry((kind, name)) {
            Entry::Vacant(free) => {
                free.insert(path);
            }
            Entry::Occupied(other) if *other.get() != path => {
                let message = "another source has the same name where bytes are not valid UTF-8: only one of them is indexed".to_owned();
                let finding = finding(101, &other.key().1, 0, message);
                self.listing.findings.push(finding);
            }
            Entry::Occupied(_) => {}
        }
    }

    /// Adds the files below a directory.
    fn below(
        &mut self,
        kind: SourceKind,
        directory: &Path,
        selects: &dyn Fn(&Path, &Path) -> bool,
    ) {
        // Symbolic links are not followed: they could lead out of the root or form a cycle.
        let walk = walkdir::WalkDir::new(directory).sort_by_file_name();
        for entry in walk.into_iter().filter_entry(|e| e.file_name() != ".git") {
            match entry {
                Ok(entry) if entry.file_type().is_file() && selects(self.root, entry.path()) => {
                    if kind.takes(entry.path()) {
                        self.add(kind, entry.into_path());
                    } else if !self.own.contain(entry.path()) {
                        let key = (kind, ending(entry.path()));
                        *self.listing.unread.entry(key).or_default() += 1;
                    }
                }
                Ok(_) => {}
                Err(error) => {
                    let name = relative(self.root, error.path().unwrap_or(directory));
                    self.listing.unlisted.push((name, error.into()));
                }
            }
        }
    }
}

/// Returns the ending of a file's name, such as `.png`; or the name itself if it has none.
fn ending(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => format!(".{}", ending.to_lowercase()),
        _ => name.into_owned(),
    }
}

/// Puts a directory in the place of the traces in it that hold an event of one session each.
fn join_sessions(root: &Path, files: &mut BTreeMap<(SourceKind, String), PathBuf>) {
    let traces = files
        .iter()
        .filter(|((kind, _), _)| *kind == SourceKind::Traces);
    let traces = traces.map(|((_, name), path)| {
        Ok(Found {
            name: name.clone(),
            input: Input::File(path.clone()),
        })
    });
    let mut others: Vec<_> = traces.collect();
    let before = others.len();
    let events = join_events(&mut others);
    if others.len() == before {
        return;
    }
    let left: BTreeSet<String> = others
        .into_iter()
        .flatten()
        .map(|found| found.name)
        .collect();
    files.retain(|(kind, name), _| *kind != SourceKind::Traces || left.contains(name));
    for folder in events.sessions.into_keys() {
        files.insert((SourceKind::Traces, relative(root, &folder)), folder);
    }
}

/// Returns a name with masked credentials; `None` when it has none.
fn without_secrets(name: &str) -> Option<String> {
    // Without the table of secrets, no name counts as free of them.
    let Ok(table) = Table::shipped() else {
        return Some(String::new());
    };
    let mut mask = Mask::default();
    for found in secret::find(table, name) {
        mask.add(name.get(found.start..found.end).unwrap_or_default());
    }
    mask.hide(name)
}

fn relative(root: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let parts = inside
        .components()
        .filter(|c| !matches!(c, std::path::Component::CurDir));
    parts
        .map(|c| c.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}

/// The error of a pipe, which could block, or of a device.
fn not_regular() -> std::io::Error {
    std::io::Error::other("it isn't a regular file")
}

fn unreadable(name: &str, error: &std::io::Error) -> Finding {
    finding(101, name, 0, format!("the source can't be opened: {error}"))
}

/// Creates a finding about a line of a source; 0 is the source as a whole.
pub(super) fn finding(code: u16, file: &str, line: u64, message: String) -> Finding {
    // Only the message distinguishes these findings in a baseline.
    let subject = Some(crate::diag::digest(&message));
    let place = Place {
        file: file.into(),
        line,
        ..Place::default()
    };
    Finding {
        subject,
        ..rules::finding(Code(code), message, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(root: &Path, paths: &[&str]) -> Sources {
        Sources {
            root: root.to_path_buf(),
            paths: paths
                .iter()
                .map(|p| (SourceKind::Documents, (*p).to_owned()))
                .collect(),
            ..Sources::default()
        }
    }

    #[test]
    fn files_are_listed_once_and_in_order() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("docs")).unwrap();
        for name in ["docs/b.md", "docs/a.MD", "docs/c.txt", "README.md"] {
            std::fs::write(root.path().join(name), "x").unwrap();
        }
        let listing = sources(
            root.path(),
            &["docs", "./docs/b.md", "README.md", "docs/c.txt", "missing"],
        )
        .list()
        .unwrap();
        let names: Vec<&str> = listing.files.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["README.md", "docs/a.MD", "docs/b.md", "docs/c.txt"]);
        assert_eq!(listing.findings.len(), 1);
        assert_eq!(listing.findings[0].code, Code(101));
    }

    #[test]
    fn a_source_with_a_secret_in_its_name_is_left_out() {
        let token = secret::sample::fill("ghp_⟦crc62:30⟧").unwrap();
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("docs").join(&token)).unwrap();
        for name in [
            format!("docs/{token}.md"),
            format!("docs/{token}/b.md"),
            "docs/c.md".to_owned(),
        ] {
            std::fs::write(root.path().join(name), "x").unwrap();
        }
        let listing = sources(root.path(), &["docs", &format!("missing/{token}")])
            .list()
            .unwrap();
        let names: Vec<&str> = listing.files.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["docs/c.md"]);
        let mut codes: Vec<u16> = listing.findings.iter().map(|f| f.code.0).collect();
        codes.sort_unstable();
        assert_eq!(codes, [101, 803, 803]);
        assert!(
            !format!("{:?}", listing.findings).contains(token.get(4..16).unwrap()),
            "{:?}",
            listing.findings
        );
    }

    #[test]
    fn globs_select_among_files_of_the_kind() {
        let root = tempfile::tempdir().unwrap();
        for name in [
            "docs/a.md",
            "docs/deep/b.md",
            "docs/c.png",
            "docs/.git/x.md",
            "[x].md",
            "LICENSE",
        ] {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        let names = |paths: &[&str]| {
            let listing = sources(root.path(), paths).list().unwrap();
            let files = listing.files.iter().map(|f| f.name.clone());
            (files.collect::<Vec<_>>(), listing.unlisted.len())
        };
        assert_eq!(names(&["docs/*.md"]).0, ["docs/a.md"]);
        assert_eq!(names(&["docs/**/*.md"]).0, ["docs/a.md", "docs/deep/b.md"]);
        assert_eq!(names(&["./d?cs/{a,b}.md"]).0, ["docs/a.md"]);
        assert_eq!(names(&["[x].md"]).0, ["[x].md"], "a file of that name");
        assert_eq!(names(&["docs/*.rst"]), (Vec::new(), 1));
        assert!(matches!(
            sources(root.path(), &["docs/[a"]).list(),
            Err(KnowledgeError::Glob { .. })
        ));
        assert!(matches!(
            sources(root.path(), &["../**/*.md"]).list(),
            Err(KnowledgeError::Outside { .. })
        ));
        let listing = sources(root.path(), &["."]).list().unwrap();
        let unread: Vec<_> = listing.unread.into_iter().collect();
        let kind = SourceKind::Documents;
        assert_eq!(
            unread,
            [
                ((kind, ".png".to_owned()), 1),
                ((kind, "LICENSE".to_owned()), 1)
            ]
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_that_look_the_same_are_told() {
        use std::os::unix::ffi::OsStrExt as _;
        let root = tempfile::tempdir().unwrap();
        for name in [b"a\xff.md", b"a\xfe.md"] {
            std::fs::write(root.path().join(std::ffi::OsStr::from_bytes(name)), "x").unwrap();
        }
        let listing = sources(root.path(), &["."]).list().unwrap();
        assert_eq!((listing.files.len(), listing.findings.len()), (1, 1));
        let twice = sources(root.path(), &[".", "./."]).list().unwrap();
        assert_eq!(
            (twice.files.len(), twice.findings.len()),
            (1, 2),
            "what is listed again is the same file"
        );
    }

    #[test]
    fn nothing_leads_out() {
        let root = tempfile::tempdir().unwrap();
        for path in ["..", "/etc/passwd", "a/../../b", ""] {
            assert!(
                matches!(
                    sources(root.path(), &[path]).list(),
                    Err(KnowledgeError::Outside { .. })
                ),
                "{path}"
            );
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc", root.path().join("etc")).unwrap();
            for path in ["etc", "etc/hostname"] {
                assert!(
                    matches!(
                        sources(root.path(), &[path]).list(),
                        Err(KnowledgeError::Outside { .. })
                    ),
                    "{path}"
                );
            }
            let inside = sources(root.path(), &["."]).list().unwrap();
            assert!(inside.files.is_empty(), "{:?}", inside.files);
        }
    }
}
