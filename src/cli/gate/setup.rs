//! Where the configuration is, and what is relative to it.

use crate::cli::output::Failure;
use crate::config::{Config, FILE, Taken, Traces};
use crate::knowledge::stays;
use crate::source::{Choice, Discovery, by_name, survey_by};
use std::path::{Path, PathBuf};

/// A configuration with its place.
#[derive(Debug)]
pub(in crate::cli) struct Located {
    /// What it says.
    pub(in crate::cli) config: Config,
    /// The file.
    pub(in crate::cli) path: PathBuf,
    /// The folder that its paths are relative to.
    pub(in crate::cli) root: PathBuf,
}

impl Located {
    /// Whether a file that is to be written lies below the configuration, symbolic links and all. The
    /// repository that is judged may hold links to places that aren't its own. It needn't be there yet, nor its folder.
    pub(in crate::cli) fn holds(&self, path: &Path) -> bool {
        stays(&self.root, path)
    }

    /// The traces of the configuration, and what lies under their paths and is none; under names that are relative to it.
    ///
    /// # Errors
    /// When it can't be said which files are traces.
    pub(in crate::cli) fn traces(&self, traces: &Traces) -> Result<Discovery, Failure> {
        self.traces_under(traces, &traces.paths)
    }

    /// As [`Located::traces`], for some of the paths.
    pub(in crate::cli) fn traces_under(&self, traces: &Traces, paths: &[String]) -> Result<Discovery, Failure> {
        let files = traces.files().map_err(|e| Failure::unable(e.to_string(), "docs/gate.md says which globs there are"))?;
        let choose = |path: &Path| match files.taken(&self.name(&path.to_string_lossy())) {
            Taken::Trace => Choice::Read,
            Taken::Excluded => Choice::Leave,
            Taken::NotIncluded => Choice::Skip("no `include` fits it"),
            Taken::Unsaid => by_name(path),
        };
        let paths: Vec<PathBuf> = paths.iter().map(|p| self.root.join(p)).collect();
        let mut found = survey_by(&paths, &choose);
        for input in &mut found.inputs {
            match input {
                Ok(found) => found.name = self.name(&found.name),
                Err(missing) => missing.name = self.name(&missing.name),
            }
        }
        for skipped in &mut found.skipped {
            skipped.name = self.name(&skipped.name);
        }
        Ok(found)
    }

    /// The name of a file in reports: relative to the configuration, wherever the command was started, so that
    /// fingerprints stay.
    pub(in crate::cli) fn name(&self, name: &str) -> String {
        let path = Path::new(name);
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        // `./a` and `a` are one file.
        let below = below.strip_prefix(".").unwrap_or(below);
        below.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
    }
}

/// Reads the configuration at `path`, or the nearest one from the current folder upward.
///
/// # Errors
/// When there is none or it can't be used.
pub(in crate::cli) fn locate(path: Option<&Path>) -> Result<Located, Failure> {
    let path = match path {
        Some(path) => path.to_path_buf(),
        None => find().ok_or_else(|| {
            Failure::unable(
                format!("no `{FILE}` here or in a folder above"),
                "`yuangs-verify init` writes one; --config names one",
            )
        })?,
    };
    let text = crate::cli::file::text(&path)?;
    let config = Config::parse(&text).map_err(|e| {
        Failure::unable(format!("`{}`: {e}", path.display()), "`yuangs-verify schema print config` says what may stand in it")
    })?;
    // `./x.toml` lies where `x.toml` does.
    let root = path.parent().filter(|folder| *folder != Path::new(".")).map(Path::to_path_buf).unwrap_or_default();
    Ok(Located { config, path, root })
}

fn find() -> Option<PathBuf> {
    if Path::new(FILE).is_file() {
        return Some(FILE.into());
    }
    let here = std::env::current_dir().ok()?;
    here.ancestors().map(|folder| folder.join(FILE)).find(|path| path.is_file())
}
