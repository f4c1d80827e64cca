//! The manifests that calls of tools are compared with.

use crate::cli::file;
use crate::cli::output::Failure;
use crate::manifest::declare;
use crate::replay::ToolManifest;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Reads the manifests that the command line names; `None` without any.
pub(in crate::cli) fn read_tools(paths: &[PathBuf]) -> Result<Option<Arc<ToolManifest>>, Failure> {
    if paths.is_empty() {
        return Ok(None);
    }
    let read = |path: &PathBuf| Ok((path.clone(), file::text(path)?));
    let files: Vec<_> = paths.iter().map(read).collect::<Result<_, Failure>>()?;
    Ok(Some(Arc::new(tool_manifest(&files)?)))
}

/// Combines manifests that have been read.
pub(in crate::cli) fn tool_manifest(files: &[(PathBuf, String)]) -> Result<ToolManifest, Failure> {
    let mut all = ToolManifest::default();
    for (path, text) in files {
        let named = declare(&mut all, &path.to_string_lossy(), text).map_err(|e| {
            Failure::unable(
                format!("can't compare calls with `{}`: {e}", path.display()),
                "name manifests of tools, skills, servers or agents, or listings of servers",
            )
        })?;
        if let Some(named) = named {
            let wanted = plain(&path.parent().unwrap_or(Path::new("")).join(&named));
            if !files.iter().any(|(path, _)| plain(path) == wanted) {
                return Err(Failure::unable(
                    format!("`{}` defines its servers in `{named}`", path.display()),
                    "name that file as well",
                ));
            }
        }
    }
    if all.is_empty() {
        return Err(Failure::unable(
            "no manifest declares a tool or a server",
            "name at least one in [tools] files",
        ));
    }
    Ok(all)
}

/// Returns a path without `.`.
fn plain(path: &Path) -> PathBuf {
    path.components()
        .filter(|part| *part != Component::CurDir)
        .collect()
}
