//! Extracts the commits of a repository: subject, body and paths.

use super::{Extracted, finding};
use crate::knowledge::source_config::SourceFile;
use knowledge_index::{Kind, Observation, summarise};
use worktree::git::{Commit, GitError, Repository};

/// Maximum number of commits that are read, newest first.
const COMMITS: usize = 10_000;
/// Maximum number of paths that are kept of a commit.
const PATHS: usize = 100;

pub(super) fn extract(file: &SourceFile, out: &mut Extracted) {
    let read = || -> Result<Vec<Commit>, GitError> {
        let repository = Repository::discover(&file.path)?;
        let tip = repository.commit(file.name_within())?;
        let ids = repository.history(tip, COMMITS + 1)?;
        ids.into_iter()
            .map(|id| repository.read_commit(id, PATHS))
            .collect()
    };
    let mut commits = match read() {
        Ok(commits) => commits,
        Err(error) => {
            let message = format!("the history can't be read: {error}");
            return out.findings.push(finding(101, &file.name, 0, message));
        }
    };
    if commits.len() > COMMITS {
        let message = format!("only the newest {COMMITS} commits are indexed");
        out.findings.push(finding(107, &file.name, 0, message));
        commits.truncate(COMMITS);
    }
    // A commit has no lines. The number is its position, from the oldest one.
    for (number, commit) in (1..).zip(commits.into_iter().rev()) {
        let mut detail = format!("commit {}\n{}\n", commit.id, commit.message.trim());
        for path in &commit.paths {
            detail.push_str(&format!("{path}\n"));
        }
        if commit.more_paths > 0 {
            detail.push_str(&format!("and {} more files\n", commit.more_paths));
        }
        let subject = commit.message.lines().next().unwrap_or_default();
        let mut refs = vec![commit.id.to_string()];
        refs.extend(commit.paths);
        out.push(
            Observation {
                kind: Kind::Commit,
                task: None,
                time: Some(commit.time),
                lines: (number, number),
                summary: summarise(subject),
                refs,
                detail,
            },
            false,
        );
    }
}
