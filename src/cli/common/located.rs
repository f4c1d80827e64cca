//! Locates the configuration and the files that it names.

use crate::cli::file;
use crate::cli::output::{Failure, Mistake};
use crate::config::{
    Baseline, Config, ConfigError, ConfigErrors, ConfigProblem, FILE, TraceMatch, Traces,
};
use crate::features::NotInBuild;
use crate::source::{
    Choice, Discovery, Found, Missing, NO_ENDING, NOT_INCLUDED, by_name, stays, survey_by,
};
use clap::Args;
use std::io;
use std::path::{Component, Path, PathBuf};
use worktree::git::{GitError, ObjectId, Repository};

/// Maximum size of a file read from a revision, in bytes.
const MOST: usize = 64 << 20;

/// The source of the gate's rules.
#[derive(Debug, Default, Clone, Args)]
pub(in crate::cli) struct RulesArgs {
    /// Read this configuration. The default is the nearest `yuangs-verify.toml` from the current
    /// folder upward.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Read configuration, policy, trust file and baseline from this revision of the repository, as
    /// `origin/main`, so that a change isn't checked by its own rules; traces are read from the
    /// work tree. `REV:PATH` names the configuration.
    #[arg(long, value_name = "REV", conflicts_with = "config")]
    config_from: Option<String>,
    /// Use the configuration of the work tree if that revision has none: for the change that adds
    /// the first one.
    #[arg(long, requires = "config_from")]
    first_run: bool,
}

impl RulesArgs {
    /// Uses the given configuration, or else the nearest one.
    pub(in crate::cli) fn from_config(config: Option<PathBuf>) -> Self {
        Self {
            config,
            ..Self::default()
        }
    }

    /// Whether the rules come from a revision.
    pub(in crate::cli) fn is_pinned(&self) -> bool {
        self.config_from.is_some()
    }

    /// Reads the configuration. A revision is resolved in the repository around `folder`.
    ///
    /// # Errors
    /// When there is none or it is invalid.
    pub(in crate::cli) fn locate(&self, folder: &Path) -> Result<LocatedConfig, Failure> {
        match &self.config_from {
            Some(written) => PinnedRevision::locate(written, self.first_run, folder),
            None => locate(self.config.as_deref()),
        }
    }
}

/// A configuration and its location.
#[derive(Debug)]
pub(in crate::cli) struct LocatedConfig {
    pub(in crate::cli) config: Config,
    /// The path of the file.
    pub(in crate::cli) path: PathBuf,
    /// The directory in the work tree that its paths are relative to.
    pub(in crate::cli) root: PathBuf,
    /// Notices about the origin of the configuration.
    pub(in crate::cli) notices: Vec<String>,
    /// The revision that the configuration comes from, if any.
    pinned: Option<PinnedRevision>,
}

/// A revision that the rules are read from.
#[derive(Debug)]
struct PinnedRevision {
    repository: Repository,
    commit: ObjectId,
    /// As the user wrote it.
    written: String,
    /// The directory of the configuration, relative to the top: empty, or with a trailing `/`.
    folder: String,
    /// The configuration, relative to the top.
    file: String,
    /// The top of the work tree.
    top: PathBuf,
}

/// The location of a file that belongs to the gate's rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum RuleFile {
    /// A file of the work tree.
    File(PathBuf),
    /// A file of the revision, by its path relative to the top.
    Pinned(String),
}

impl RuleFile {
    /// Returns the file next to this one with another extension.
    pub(in crate::cli) fn beside(&self, ending: &str) -> Self {
        match self {
            Self::File(path) => Self::File(path.with_extension(ending)),
            Self::Pinned(path) => Self::Pinned(slashes(&Path::new(path).with_extension(ending))),
        }
    }
}

impl LocatedConfig {
    /// Creates an empty configuration in a directory.
    pub(in crate::cli) fn at(root: &Path) -> Self {
        let root = if root == Path::new(".") {
            PathBuf::new()
        } else {
            root.to_path_buf()
        };
        Self {
            config: Config::default(),
            path: root.join(FILE),
            root,
            notices: Vec::new(),
            pinned: None,
        }
    }

    /// Whether an output file would be below the configuration, with symbolic links resolved. The
    /// repository under test may contain links that lead elsewhere. The file and its directory need
    /// not exist.
    pub(in crate::cli) fn holds(&self, path: &Path) -> bool {
        stays(&self.root, path)
    }

    /// Returns the command-line arguments that select this configuration.
    pub(in crate::cli) fn arguments(&self) -> [String; 2] {
        match &self.pinned {
            Some(pinned) => ["--config-from".into(), pinned.written.clone()],
            None => [
                "--config".into(),
                self.path
                    .file_name()
                    .map_or_else(String::new, |n| n.to_string_lossy().into_owned()),
            ],
        }
    }

    /// Returns the configuration file.
    pub(in crate::cli) fn itself(&self) -> RuleFile {
        self.pinned.as_ref().map_or_else(
            || RuleFile::File(self.path.clone()),
            |p| RuleFile::Pinned(p.file.clone()),
        )
    }

    /// Returns a file that the configuration names.
    ///
    /// # Errors
    /// When it is read from a revision and the path leads out of the configuration's directory.
    pub(in crate::cli) fn material(&self, file: &str) -> Result<RuleFile, Failure> {
        let Some(pinned) = &self.pinned else {
            return Ok(RuleFile::File(self.root.join(file)));
        };
        let below = inside(Path::new(file)).ok_or_else(|| {
            let message = format!(
                "`{file}` of the configuration leads out of its folder in `{}`",
                pinned.written
            );
            Failure::unable(
                message,
                "with --config-from paths are relative, without `..`",
            )
        })?;
        Ok(RuleFile::Pinned(format!("{}{below}", pinned.folder)))
    }

    /// Returns a file that the command line names. With rules from a revision, a file of the work
    /// tree is read from the revision too, since the change under test may have modified it.
    pub(in crate::cli) fn named(&self, path: &Path) -> RuleFile {
        let there = || {
            let pinned = self.pinned.as_ref()?;
            let folder = path
                .parent()
                .filter(|p| !p.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            let below = folder
                .canonicalize()
                .ok()?
                .strip_prefix(&pinned.top)
                .ok()?
                .join(path.file_name()?);
            Some(RuleFile::Pinned(slashes(&below)))
        };
        there().unwrap_or_else(|| RuleFile::File(path.to_path_buf()))
    }

    /// Returns the given baseline, or else that of the configuration.
    pub(in crate::cli) fn baseline(
        &self,
        given: Option<&Path>,
    ) -> Result<Option<RuleFile>, Failure> {
        match (given, &self.config.baseline) {
            (Some(path), _) => Ok(Some(self.named(path))),
            (None, Some(baseline)) => self.material(&baseline.file).map(Some),
            (None, None) => Ok(None),
        }
    }

    pub(in crate::cli) fn read_baseline(&self, file: &RuleFile) -> Result<Baseline, Failure> {
        let (path, text) = (self.label(file), self.text(file)?);
        let remedy = "`gate --write-baseline FILE` writes one";
        Baseline::parse(&text)
            .map_err(|e| Failure::unable(format!("`{}`: {e}", path.display()), remedy))
    }

    /// Returns the name of a file in reports. A file from a revision is named relative to the
    /// configuration.
    pub(in crate::cli) fn label(&self, material: &RuleFile) -> PathBuf {
        match (material, &self.pinned) {
            (RuleFile::File(path), _) => path.clone(),
            (RuleFile::Pinned(path), pinned) => {
                let folder = pinned.as_ref().map_or("", |p| &*p.folder);
                path.strip_prefix(folder).unwrap_or(path).into()
            }
        }
    }

    /// Reads a file that belongs to the gate's rules.
    ///
    /// # Errors
    /// When it can't be read.
    pub(in crate::cli) fn text(&self, material: &RuleFile) -> Result<String, Failure> {
        match (material, &self.pinned) {
            (RuleFile::File(path), _) => file::text(path),
            (RuleFile::Pinned(path), Some(pinned)) => pinned.text(path),
            (RuleFile::Pinned(path), None) => Err(Failure::unable(
                format!("can't read `{path}`"),
                "no revision is named",
            )),
        }
    }

    /// Like [`LocatedConfig::text`]; `None` if the file doesn't exist.
    pub(in crate::cli) fn text_if_there(
        &self,
        material: &RuleFile,
    ) -> Result<Option<String>, Failure> {
        let there = match (material, &self.pinned) {
            (RuleFile::File(path), _) => path.is_file(),
            (RuleFile::Pinned(path), Some(pinned)) => pinned.has(path)?,
            (RuleFile::Pinned(_), None) => false,
        };
        there.then(|| self.text(material)).transpose()
    }

    /// Finds the configured traces and the other files below their paths, named relative to the
    /// configuration.
    ///
    /// # Errors
    /// When the globs for traces are invalid.
    pub(in crate::cli) fn traces(&self, traces: &Traces) -> Result<Discovery, Failure> {
        self.traces_under(traces, &traces.paths)
    }

    /// Like [`LocatedConfig::traces`], for some of the paths.
    pub(in crate::cli) fn traces_under(
        &self,
        traces: &Traces,
        paths: &[String],
    ) -> Result<Discovery, Failure> {
        let files = traces.files().map_err(|e| {
            Failure::unable(e.to_string(), "docs/gate.md says which globs there are")
        })?;
        let choose = |path: &Path| match files.classify(&self.name(&path.to_string_lossy())) {
            TraceMatch::Trace => Choice::Read,
            TraceMatch::Excluded => Choice::Leave,
            TraceMatch::NotIncluded => match by_name(path) {
                Choice::Skip(reason) if reason != NO_ENDING => Choice::Skip(reason),
                _ => Choice::Skip(NOT_INCLUDED),
            },
            TraceMatch::Unsaid => by_name(path),
        };
        let (away, paths): (Vec<PathBuf>, Vec<PathBuf>) = paths
            .iter()
            .map(|p| self.root.join(p))
            .partition(|path| self.is_led_away(path));
        let mut found = survey_by(&paths, &choose);
        found.inputs.extend(away.into_iter().map(|path| {
            let error =
                io::Error::other("a symbolic link leads out of the repository, and isn't followed");
            Err(Missing {
                name: path.to_string_lossy().into_owned(),
                error,
            })
        }));
        for input in &mut found.inputs {
            match input {
                Ok(found) => found.name = self.name(&found.name),
                Err(missing) => missing.name = self.name(&missing.name),
            }
        }
        for skipped in &mut found.skipped {
            skipped.name = self.name(&skipped.name);
        }
        let name = |input: &Result<Found, Missing>| match input {
            Ok(found) => found.name.clone(),
            Err(missing) => missing.name.clone(),
        };
        found.inputs.sort_by_cached_key(name);
        found.skipped.sort();
        Ok(found)
    }

    /// Whether symbolic links lead from a configured path out of the repository, or into its git
    /// directory. Without a repository, the directory of the configuration is the limit.
    fn is_led_away(&self, path: &Path) -> bool {
        let root = if self.root.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.root
        };
        let (Ok(root), Ok(real)) = (root.canonicalize(), path.canonicalize()) else {
            return false;
        };
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        if below.is_absolute() || lexical(&root, below) == real {
            return false;
        }
        let top = Repository::discover(&root)
            .ok()
            .and_then(|r| r.work_tree())
            .and_then(|top| top.canonicalize().ok());
        let inside = real.strip_prefix(
            top.as_ref()
                .filter(|top| root.starts_with(top))
                .unwrap_or(&root),
        );
        inside.is_err()
            || inside.is_ok_and(|inside| {
                inside
                    .components()
                    .any(|c| c.as_os_str().eq_ignore_ascii_case(".git"))
            })
    }

    /// Returns the name of a file in reports: relative to the configuration, so that fingerprints
    /// don't depend on the current directory.
    pub(in crate::cli) fn name(&self, name: &str) -> String {
        let path = Path::new(name);
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        // `./a` and `a` are the same file.
        let below = below.strip_prefix(".").unwrap_or(below);
        slashes(below)
    }
}

impl PinnedRevision {
    /// Finds the configuration of a revision: the named one, or the nearest one from `folder` up to
    /// the top of the repository.
    fn locate(written: &str, first_run: bool, folder: &Path) -> Result<LocatedConfig, Failure> {
        let (revision, named) = match written.split_once(':') {
            Some((revision, path)) if !revision.is_empty() => (revision, Some(path)),
            _ => (written, None),
        };
        let repository = Repository::discover(folder).map_err(|e| unable(&e))?;
        let tree = repository.work_tree().ok_or_else(|| {
            Failure::unable("the repository has no work tree", "run the gate in one")
        })?;
        let real = |path: &Path| {
            path.canonicalize().map_err(|e| {
                Failure::unable(
                    format!("can't read `{}`: {e}", path.display()),
                    "it must be readable",
                )
            })
        };
        let (top, here) = (real(&tree)?, real(folder)?);
        let commit = repository
            .commit_of_one_name(revision)
            .map_err(|e| unable(&e))?;
        let places = if let Some(path) = named {
            vec![inside(Path::new(path)).ok_or_else(|| {
                let message = format!("`{path}` leads out of the repository");
                Failure::unable(
                    message,
                    "the path of a configuration counts from the top of the repository",
                )
            })?]
        } else {
            let below = here.strip_prefix(&top).unwrap_or(Path::new(""));
            below
                .ancestors()
                .map(|folder| slashes(&folder.join(FILE)))
                .collect()
        };
        let mut pinned = Self {
            repository,
            commit,
            written: written.into(),
            folder: String::new(),
            file: String::new(),
            top,
        };
        for place in places {
            if pinned.has(&place)? {
                place
                    .rfind('/')
                    .and_then(|end| place.get(..=end))
                    .unwrap_or_default()
                    .clone_into(&mut pinned.folder);
                pinned.file = place;
                return pinned.read(first_run);
            }
        }
        if first_run {
            let mut located = locate(named.map(|path| pinned.top.join(path)).as_deref())?;
            located.notices.push(format!(
                "first run: `{written}` has no configuration, so the rules are those of the work tree, which the change itself may have written"
            ));
            return Ok(located);
        }
        let remedy = "--first-run goes by the work tree's, for the change that brings the first one; `REV:PATH` names one elsewhere";
        Err(Failure::unable(
            format!("`{written}` has no configuration (`{FILE}`)"),
            remedy,
        ))
    }

    /// Reads the configuration.
    fn read(self, first_run: bool) -> Result<LocatedConfig, Failure> {
        let path: PathBuf = self.file.as_str().into();
        let config = parse(
            &format!("{}:{}", self.written, self.file),
            &self.text(&self.file)?,
        )?;
        let short: String = self.commit.to_string().chars().take(12).collect();
        let mut notices = vec![format!(
            "the rules are those of `{}` ({short}): {}",
            self.written, self.file
        )];
        if first_run {
            notices.push("--first-run is no longer needed".into());
        }
        let root = self.top.join(&self.folder);
        let mut located = LocatedConfig {
            config,
            path,
            root,
            notices,
            pinned: Some(self),
        };
        let changed = located.changed()?;
        if !changed.is_empty() {
            let list = changed.join(", ");
            located.notices.push(format!(
                "the work tree has other rules, which don't count here: {list}"
            ));
        }
        Ok(located)
    }

    fn has(&self, path: &str) -> Result<bool, Failure> {
        self.repository
            .has_file(self.commit, path)
            .map_err(|e| unable(&e))
    }

    fn text(&self, path: &str) -> Result<String, Failure> {
        if !self.has(path)? {
            let message = format!("`{}` has no file `{path}`", self.written);
            return Err(Failure::unable(
                message,
                "with --config-from the files that the configuration names are read there too",
            ));
        }
        let bytes = self
            .repository
            .file(self.commit, path, MOST)
            .map_err(|e| unable(&e))?;
        String::from_utf8(bytes).map_err(|_| {
            Failure::unable(
                format!("`{path}` of `{}` is not UTF-8", self.written),
                "it must be text",
            )
        })
    }
}

impl LocatedConfig {
    /// Returns the files of the rules that differ between work tree and revision.
    fn changed(&self) -> Result<Vec<String>, Failure> {
        let Some(pinned) = &self.pinned else {
            return Ok(Vec::new());
        };
        let mut all = vec![self.itself()];
        if let Some(policy) = &self.config.policy {
            let policy = self.material(&policy.file)?;
            all.extend(
                super::policy_files::ENDINGS
                    .iter()
                    .map(|ending| policy.beside(ending)),
            );
            all.push(policy);
        }
        for file in [
            self.config.keys.as_ref().map(|k| &k.file),
            self.config.baseline.as_ref().map(|b| &b.file),
        ] {
            all.extend(file.map(|file| self.material(file)).transpose()?);
        }
        let mut changed = Vec::new();
        for material in all {
            let RuleFile::Pinned(path) = &material else {
                continue;
            };
            let there = self.text_if_there(&material)?;
            let here = crate::source::open_regular(&pinned.top.join(path))
                .and_then(|f| crate::source::read_whole(f, MOST as u64));
            if there.as_ref().map(String::as_bytes) != here.ok().as_deref() {
                changed.push(self.label(&material).to_string_lossy().into_owned());
            }
        }
        Ok(changed)
    }
}

fn unable(error: &GitError) -> Failure {
    let remedy = match error {
        GitError::Open { .. } => {
            "--config-from looks for the revision in the repository of the current folder"
        }
        GitError::Revision { .. } => {
            "is it fetched? `git fetch origin BRANCH`, or `fetch-depth: 0` where the work tree is checked out"
        }
        GitError::Link { .. } => "put the file itself there",
        GitError::NoFile { .. } => "paths count from the top of the repository",
        GitError::Objects(_) => "a shallow or partial clone lacks them; fetch all of it",
        GitError::TooLarge { .. } => "the configuration and policies of a gate are smaller",
    };
    Failure::unable(error.to_string(), remedy)
}

/// Joins a relative path to a directory and resolves `.` and `..` without following links.
fn lexical(folder: &Path, below: &Path) -> PathBuf {
    let mut path = folder.to_path_buf();
    for part in below.components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

/// Normalises a relative path with `/`; `None` if it leaves its directory.
fn inside(path: &Path) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(part) => parts.push(part.to_str()?),
            _ => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

fn slashes(path: &Path) -> String {
    path.to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/")
}

fn parse(name: &str, text: &str) -> Result<Config, Failure> {
    Config::parse(name, text).map_err(|ConfigErrors(problems)| {
        let is_missing = |p: &ConfigProblem| matches!(p.error, ConfigError::NotInBuild { .. });
        let remedy = if problems.iter().any(is_missing) {
            NotInBuild::REMEDY
        } else {
            "`yuangs-verify schema print config` lists what it may contain"
        };
        let problems = problems.iter().map(|p| Mistake {
            message: p.error.to_string(),
            place: p.place.clone(),
            help: None,
        });
        Failure::mistakes(name, problems, remedy)
    })
}

/// Reads the configuration at `path`, or else the nearest one from the current directory upward.
///
/// # Errors
/// When there is none or it is invalid.
pub(in crate::cli) fn locate(path: Option<&Path>) -> Result<LocatedConfig, Failure> {
    let path = match path {
        Some(path) => path.to_path_buf(),
        None => find().ok_or_else(|| {
            Failure::unable(
                format!("no `{FILE}` here or in a folder above"),
                "`yuangs-verify init` writes one; --config names one",
            )
        })?,
    };
    let config = parse(&path.display().to_string(), &file::regular_text(&path)?)?;
    // The directory of `./x.toml` is that of `x.toml`.
    let root = path
        .parent()
        .filter(|folder| *folder != Path::new("."))
        .map(Path::to_path_buf)
        .unwrap_or_default();
    Ok(LocatedConfig {
        config,
        path,
        root,
        notices: Vec::new(),
        pinned: None,
    })
}

fn find() -> Option<PathBuf> {
    if Path::new(FILE).is_file() {
        return Some(FILE.into());
    }
    let here = std::env::current_dir().ok()?;
    here.ancestors()
        .map(|folder| folder.join(FILE))
        .find(|path| path.is_file())
}
