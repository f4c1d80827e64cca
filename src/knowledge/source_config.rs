//! The configured sources of knowledge: files and directories below that of the configuration.

use super::KnowledgeError;
use crate::diag::{Code, Finding, Place};
use crate::manifest::PROMOTIONS;
use crate::rules;
use crate::source::{Choice, Found, Input, by_name, events_in, join_events};
use content_scan::mask::Mask;
use content_scan::secret::{self, Table};
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
}

impl SourceKind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
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
            // Listed with the repository's ignore rules, not here.
            Self::RepoMap => false,
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
    /// Files and directories, with `/`.
    pub paths: Vec<(SourceKind, String)>,
}

/// One file of a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SourceFile {
    pub(super) kind: SourceKind,
    /// The path relative to the root, with `/`.
    pub(super) name: String,
    /// The path to open.
    pub(super) path: PathBuf,
}

impl SourceFile {
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

    /// Checks that every configured file and directory exists.
    ///
    /// # Errors
    /// When one doesn't exist, or leads out of the root.
    pub fn are_there(&self) -> Result<(), KnowledgeError> {
        for (_, configured) in &self.paths {
            if let Err(error) = self.inside(configured)?.canonicalize() {
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
        let io = |path: &Path, error| KnowledgeError::Io {
            path: path.to_path_buf(),
            error,
        };
        let root = self.root.canonicalize().map_err(|e| io(&self.root, e))?;
        let mut files = BTreeMap::new();
        let mut findings = Vec::new();
        let mut unlisted = Vec::new();
        for (kind, configured) in &self.paths {
            let path = joined(&root, configured)?;
            match path.canonicalize() {
                Ok(real) if real.is_file() => add(*kind, &root, path, &mut files, &mut findings),
                Ok(_) if *kind == SourceKind::RepoMap => match super::map::paths(&path) {
                    Ok(found) => found
                        .into_iter()
                        .for_each(|at| add(*kind, &root, at, &mut files, &mut findings)),
                    Err(error) => unlisted.push((configured.clone(), error)),
                },
                Ok(_) => walk(
                    *kind,
                    &root,
                    &path,
                    &mut files,
                    &mut findings,
                    &mut unlisted,
                ),
                Err(error) => unlisted.push((configured.clone(), error)),
            }
        }
        join_sessions(&root, &mut files);
        findings.extend(unlisted.iter().map(|(name, error)| unreadable(name, error)));
        let shown = |(name, error): (String, std::io::Error)| {
            (without_secrets(&name).unwrap_or(name), error)
        };
        let unlisted = unlisted.into_iter().map(shown).collect();
        let mut all = Vec::with_capacity(files.len());
        for ((kind, name), path) in files {
            match without_secrets(&name) {
                None => all.push(SourceFile { kind, name, path }),
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
        })
    }
}

/// Adds a file, unless its name is taken: different names that aren't valid UTF-8 may be shown
/// alike.
fn add(
    kind: SourceKind,
    root: &Path,
    path: PathBuf,
    files: &mut BTreeMap<(SourceKind, String), PathBuf>,
    findings: &mut Vec<Finding>,
) {
    let name = relative(root, &path);
    match files.entry((kind, name)) {
        Entry::Vacant(free) => {
            free.insert(path);
        }
        Entry::Occupied(other) if *other.get() != path => {
            let message = "another source has the same name where bytes are not valid UTF-8: only one of them is indexed".to_owned();
            findings.push(finding(101, &other.key().1, 0, message));
        }
        Entry::Occupied(_) => {}
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

fn walk(
    kind: SourceKind,
    root: &Path,
    folder: &Path,
    files: &mut BTreeMap<(SourceKind, String), PathBuf>,
    findings: &mut Vec<Finding>,
    unlisted: &mut Vec<(String, std::io::Error)>,
) {
    // Symbolic links are not followed: they could lead out of the root or form a cycle.
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.file_type().is_file() && kind.takes(entry.path()) => {
                add(kind, root, entry.into_path(), files, findings);
            }
            Ok(_) => {}
            Err(error) => {
                let name = relative(root, error.path().unwrap_or(folder));
                unlisted.push((name, error.into()));
            }
        }
    }
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
