//! Paths in settings: patterns of Claude Code, and directories.

use super::pack::Translation;
use crate::path::PathGlob;
use crate::surroundings::Surroundings;
use crate::yaml::Position;

/// The globs of a specifier of `Read` or `Edit`, which has the syntax of `.gitignore`.
pub(super) fn path_globs(
    spec: &str,
    allows: bool,
    text: &str,
    at: Position,
    pack: &mut Translation,
) -> Vec<String> {
    let spec = spec.trim();
    if spec.starts_with('!') {
        pack.problem(
            at,
            format!("`{text}`: a pattern that begins with `!` isn't read"),
            None,
        );
        return Vec::new();
    }
    let folder = spec.ends_with('/');
    let body = spec.trim_end_matches('/');
    let glob = if spec.starts_with("//") {
        format!("/{}", body.trim_start_matches('/'))
    } else if spec == "~" || spec.starts_with("~/") {
        body.to_owned()
    } else if let Some(rest) = body.strip_prefix('/').or_else(|| body.strip_prefix("./")) {
        // With one `./` a single name would match in any directory.
        format!("././{rest}")
    } else if body.contains('/') || body == "**" {
        body.to_owned()
    } else {
        format!("**/{body}")
    };
    let glob = glob.replace('{', "[{]").replace('}', "[}]");
    let glob = match (allows, folder) {
        (false, _) => glob,
        (true, true) => format!("{glob}/**"),
        (true, false) if glob.ends_with("**") => glob,
        // What is below a directory that matches is meant as well.
        (true, false) => format!("{glob}/"),
    };
    check_glob(&glob, at, pack);
    vec![glob]
}

/// The glob of a directory with all that is in it.
pub(super) fn directory(text: &str) -> String {
    let body = text.trim().trim_end_matches('/');
    let body = if body.starts_with(['/', '~', '.']) {
        body.to_owned()
    } else {
        format!("././{body}")
    };
    format!("{}/", body.replace('{', "[{]").replace('}', "[}]"))
}

pub(super) fn check_glob(glob: &str, at: Position, pack: &mut Translation) {
    if let Err(error) = PathGlob::new(glob, Surroundings::CWD, Surroundings::HOME) {
        pack.problem(at, format!("`{glob}`: {error}"), None);
    }
}
