//! Prevents overwriting the gate's own files and adding traces by accident.

use super::common::inputs::{Inputs, locations};
use super::common::located::{LocatedConfig, locate};
use super::common::policy_files::policy_files;
use super::output::Failure;
use crate::config::{FILE, TraceMatch};
use crate::source::Discovery;
use std::fs;
use std::path::{Path, PathBuf};

/// The kind of gate file that a command may overwrite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exemption {
    Nothing,
    Config,
    Baseline,
    /// The test cases of a policy.
    Policy,
}

/// Refuses one of the gate's own files, and a file that the gate would read as a trace. It checks
/// the configurations in all parent directories.
///
/// # Errors
/// When the file must not be written.
pub(super) fn check(path: &Path, own: Exemption) -> Result<(), Failure> {
    let mut configs: Vec<PathBuf> = Vec::new();
    for place in locations(path) {
        configs.extend(
            place
                .ancestors()
                .skip(1)
                .map(|folder| folder.join(FILE))
                .filter(|config| config.is_file()),
        );
    }
    configs.sort();
    configs.dedup();
    for config in configs {
        match locate(Some(&config)) {
            Ok(located) => check_against(&located, path, own)?,
            // The configuration is invalid, so the files that it names are unknown. Only the
            // configuration itself is protected.
            Err(_) => refuse_known(
                std::slice::from_ref(&config),
                &config,
                path,
                own == Exemption::Config,
            )?,
        }
    }
    Ok(())
}

/// Like [`check`], for one configuration.
pub(super) fn check_against(
    located: &LocatedConfig,
    path: &Path,
    own: Exemption,
) -> Result<(), Failure> {
    let config = &located.config;
    let below = |file: &String| located.root.join(file);
    let keys = config
        .keys
        .iter()
        .map(|keys| below(&keys.file))
        .collect::<Vec<_>>();
    let tools = config
        .tools
        .iter()
        .flat_map(|tools| tools.files.iter().map(below))
        .collect::<Vec<_>>();
    let baseline = config
        .baseline
        .iter()
        .map(|baseline| below(&baseline.file))
        .collect::<Vec<_>>();
    let policy = config
        .policy
        .iter()
        .flat_map(|policy| policy_files(&below(&policy.file)))
        .collect::<Vec<_>>();
    let all = [
        (
            std::slice::from_ref(&located.path),
            own == Exemption::Config,
        ),
        (&*keys, false),
        (&*tools, false),
        (&*baseline, own == Exemption::Baseline),
        (&*policy, own == Exemption::Policy),
    ];
    for (files, may) in all {
        refuse_known(files, &located.path, path, may)?;
    }
    among_traces(located, path)
}

/// Refuses one of some files, under any name.
fn refuse_known(files: &[PathBuf], config: &Path, path: &Path, may: bool) -> Result<(), Failure> {
    let mut known = Inputs::default();
    for file in files {
        known.add(file);
    }
    if may || !known.holds(path) {
        return Ok(());
    }
    let message = format!(
        "`{}` is a file that the gate goes by (`{}`)",
        path.display(),
        config.display()
    );
    Err(Failure::unable(
        message,
        "it isn't overwritten; name another file",
    ))
}

/// Refuses a file that the next run of the gate would read, or report as unread.
fn among_traces(located: &LocatedConfig, path: &Path) -> Result<(), Failure> {
    let Some(traces) = &located.config.traces else {
        return Ok(());
    };
    let Ok(files) = traces.files() else {
        return Ok(());
    };
    let root = if located.root.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &located.root
    };
    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    let places = locations(path);
    for named in &traces.paths {
        let given = root.join(named);
        let folder = given
            .canonicalize()
            .unwrap_or_else(|_| given.components().collect());
        for below in places
            .iter()
            .filter_map(|place| place.strip_prefix(&folder).ok())
        {
            let name = if below.as_os_str().is_empty() {
                given.clone()
            } else {
                given.join(below)
            };
            let name = name
                .strip_prefix(&root)
                .unwrap_or(&name)
                .to_string_lossy()
                .replace(std::path::MAIN_SEPARATOR, "/");
            let name = name.strip_prefix("./").unwrap_or(&name);
            if below.as_os_str().is_empty() || files.classify(name) != TraceMatch::Excluded {
                let message = format!(
                    "`{}` is below `{named}`, a path of [traces] in `{}`: the gate would read it as a trace",
                    path.display(),
                    located.path.display()
                );
                return Err(Failure::unable(
                    message,
                    "write it elsewhere, or name it in [traces] exclude",
                ));
            }
        }
    }
    if !has_other_names(path) {
        return Ok(());
    }
    let mut known = Inputs::default();
    let Discovery { inputs, .. } = located.traces(traces)?;
    known.add_found(&inputs);
    if known.holds(path) {
        let message = format!(
            "`{}` is a trace that the gate reads (`{}`)",
            path.display(),
            located.path.display()
        );
        return Err(Failure::unable(
            message,
            "it isn't overwritten; name another file",
        ));
    }
    Ok(())
}

/// Whether a file has several hard links.
fn has_other_names(path: &Path) -> bool {
    #[cfg(unix)]
    return fs::metadata(path)
        .is_ok_and(|there| there.is_file() && std::os::unix::fs::MetadataExt::nlink(&there) > 1);
    #[cfg(not(unix))]
    return false;
}
