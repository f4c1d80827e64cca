//! Checks that the record accounts for everything that has changed since a revision.

use super::strict;
use crate::cli::common::located::LocatedConfig;
use crate::cli::output::Failure;
use crate::diag::{Finding, Place, subject};
use crate::source::{Found, Missing};
use crate::verify::Report;
use crate::verify::account::{AccountAnswer, reconcile_except};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use worktree::diff::tree::Revision;
use worktree::git::{GitError, Repository};

/// Maximum number of paths that a sentence names.
const SHOWN: usize = 10;

/// Applies the changes recorded in this change's traces to the merge base with `revision`, and
/// compares the result with `HEAD` (YV702, YV704). Traces that existed at the merge base account
/// for nothing, and traces themselves need no account.
/// traces need no trace.
pub(super) fn reconcile(
    located: &LocatedConfig,
    revision: &str,
    inputs: &[Result<Found, Missing>],
    report: &mut Report,
) -> Result<(), Failure> {
    let folder = if located.root.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &located.root
    };
    let repository = Repository::discover(folder).map_err(|e| unable(&e))?;
    let top = repository
        .work_tree()
        .ok_or_else(|| Failure::unable("the repository has no work tree", "run the gate in one"))?;
    let top = top.canonicalize().map_err(|e| {
        Failure::unable(
            format!("can't read `{}`: {e}", top.display()),
            "it must be readable",
        )
    })?;
    let (head, base) = (
        repository.commit("HEAD").map_err(|e| unable(&e))?,
        repository
            .commit_of_one_name(revision)
            .map_err(|e| unable(&e))?,
    );
    let Some(base) = repository.merge_base(head, base).map_err(|e| unable(&e))? else {
        let remedy = "fetch the whole history: a shallow clone hides what they share";
        return Err(Failure::unable(
            format!("`HEAD` and `{revision}` share no commit ([traces] account-for)"),
            remedy,
        ));
    };
    let mut own = BTreeSet::new();
    for found in inputs.iter().flatten() {
        let files = found.files().into_iter();
        let files: Vec<_> = files
            .filter_map(|(_, file)| Some((below(&top, file)?, file)))
            .collect();
        let mut unchanged = !files.is_empty();
        for (path, file) in &files {
            unchanged = unchanged
                && repository
                    .is_unchanged(base, path, file)
                    .map_err(|e| unable(&e))?;
        }
        if unchanged {
            let summaries = report.summaries.iter_mut();
            for summary in summaries.filter(|s| *s.file == *found.name) {
                summary.changes = Box::default();
            }
        }
        own.extend(files.into_iter().map(|(path, _)| path));
    }
    let (before, after) = (tree(&repository, base)?, tree(&repository, head)?);
    reconcile_except(report, (base, &before), Some((head, &after)), &own).map_err(|e| {
        Failure::unable(
            e.to_string(),
            "a shallow or partial clone may lack it: fetch it",
        )
    })?;
    let file = inputs
        .iter()
        .flatten()
        .next()
        .map_or(String::new(), |found| found.name.clone());
    let place = || Place {
        file: file.as_str().into(),
        ..Place::default()
    };
    if let Some(account) = report
        .account
        .as_ref()
        .filter(|a| a.accounts_for_head == Some(AccountAnswer::NotRecorded))
    {
        let open = list(&account.content_not_recorded);
        let why = if open.is_empty() {
            "a diff can't be checked".into()
        } else {
            format!("the content of {open} isn't recorded")
        };
        let message = format!(
            "it can't be determined whether the record accounts for what has changed since `{revision}`: {why}"
        );
        let about = subject(
            ["not recorded"]
                .into_iter()
                .chain(account.content_not_recorded.iter().map(|p| &**p)),
        );
        strict::add(
            report,
            Finding {
                subject: Some(about),
                ..strict::error(704, place(), message)
            },
        );
    }
    let written: BTreeSet<String> = located
        .config
        .reports
        .values()
        .filter_map(|path| below(&top, &located.root.join(path)))
        .collect();
    let differs = repository.uncommitted().map_err(|e| unable(&e))?;
    let others = |known| {
        let wanted = differs
            .iter()
            .filter(|(path, k)| *k == known && !own.contains(path) && !written.contains(path));
        wanted
            .map(|(path, _)| path.clone())
            .collect::<Vec<String>>()
    };
    let (changed, new) = (others(true), others(false));
    if !changed.is_empty() {
        let message = format!(
            "the work tree has changes that aren't committed, and nothing accounts for them: {}",
            list(&changed)
        );
        let about = subject(
            ["uncommitted"]
                .into_iter()
                .chain(changed.iter().map(|p| &**p)),
        );
        strict::add(
            report,
            Finding {
                subject: Some(about),
                ..strict::error(704, place(), message)
            },
        );
    }
    if !new.is_empty() {
        report.notices.push(format!(
            "files that git doesn't know were not accounted for: {}",
            list(&new)
        ));
    }
    let uncommitted: Vec<String> = differs
        .into_iter()
        .map(|(path, _)| path)
        .filter(|path| own.contains(path))
        .collect();
    if !uncommitted.is_empty() {
        report.notices.push(format!(
            "traces that aren't committed as they lie here: {}",
            list(&uncommitted)
        ));
    }
    Ok(())
}

/// Returns the path of a file relative to the top, with links in its directory resolved.
fn below(top: &Path, path: &Path) -> Option<String> {
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let real: PathBuf = folder.canonicalize().ok()?.join(path.file_name()?);
    Some(
        real.strip_prefix(top)
            .ok()?
            .to_str()?
            .replace(std::path::MAIN_SEPARATOR, "/"),
    )
}

fn tree(repository: &Repository, id: worktree::git::ObjectId) -> Result<Revision<'_>, Failure> {
    Revision::new(repository, id).map_err(|e| unable(&e))
}

fn unable(error: &GitError) -> Failure {
    Failure::unable(
        error.to_string(),
        "[traces] account-for names a revision; is it fetched (`fetch-depth: 0`)?",
    )
}

/// Lists the first paths in backticks.
fn list(paths: &[String]) -> String {
    let mut shown: Vec<String> = paths.iter().take(SHOWN).map(|p| format!("`{p}`")).collect();
    if paths.len() > SHOWN {
        shown.push(format!("{} more", paths.len() - SHOWN));
    }
    shown.join(", ")
}
