//! Does a map show what the next commit needs?
//!
//! usage: `cargo run --release -p repo-map --example evaluate -- [REPOSITORY [COMMITS]]`
//!
//! For up to 60 commits of a repository and of made histories, a map of the parent is built in
//! 2,000 tokens. The hit rate is the part of the files and definitions that the commit changes or
//! uses which the map shows, as the mean over the commits. The same is done with the order of a
//! `tags` file and with a `PageRank` without weights.

mod made;
mod score;

use made::Made;
use repo_map::{Cache, Snapshot, TreeError, of_revision};
use score::{Commit, Method, Score};
use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use worktree::git::{Kind, ObjectId, Repository};

/// Number of commits of each history by default.
const COMMITS: usize = 60;

/// Number of commits that are tried to find those.
const TRIED: usize = 400;

/// Commits that change more files than this are sweeps, which no map is made for.
const SWEEP: usize = 40;

/// Tokens of a map.
const TOKENS: usize = 2_000;

/// A value, or why there is none.
type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let folder = std::env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from("."), PathBuf::from);
    let wanted: usize = match std::env::args().nth(2) {
        Some(number) => number.parse()?,
        None => COMMITS,
    };
    let out = &mut std::io::stdout();
    writeln!(out, "| history | commits | method | files | definitions |")?;
    writeln!(out, "| --- | --- | --- | --- | --- |")?;
    let (found, scores) = history(&folder, wanted)?;
    print(out, "this repository", &scores)?;
    for made in Made::ALL {
        let scores = made::evaluate(made, 7, COMMITS, TOKENS);
        print(out, made.name(), &scores)?;
    }
    if found < wanted {
        writeln!(
            out,
            "\nToo few commits: {found} of {wanted}. A shallow clone has only the newest ones \
             (`git fetch --unshallow`)."
        )?;
    }
    Ok(())
}

fn print(out: &mut dyn Write, name: &str, scores: &[(Method, Score)]) -> Outcome<()> {
    for (method, score) in scores {
        let (files, definitions) = score.rates();
        writeln!(
            out,
            "| {name} | {} | {} | {files:.1} % | {definitions:.1} % |",
            score.commits,
            method.name()
        )?;
    }
    Ok(())
}

/// Lists commits with one parent: the commit, its parent and its subject.
fn commits(folder: &Path) -> Outcome<Vec<[String; 3]>> {
    let limit = format!("-n{TRIED}");
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["log", "--no-merges", "--format=%H%x09%P%x09%s", &limit])
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let text = String::from_utf8(output.stdout)?;
    let commit = |line: &str| {
        let mut parts = line.splitn(3, '\t').map(str::to_owned);
        Some([
            parts.next()?,
            parts.next().filter(|p| !p.is_empty())?,
            parts.next()?,
        ])
    };
    Ok(text.lines().filter_map(commit).collect())
}

/// The files of a commit by their paths.
fn files(repository: &Repository, revision: &str) -> Outcome<BTreeMap<String, ObjectId>> {
    let all = repository.files(repository.commit(revision)?)?.into_iter();
    let files = all.filter(|e| matches!(e.kind, Kind::File | Kind::Executable));
    Ok(files.map(|e| (e.path, e.id)).collect())
}

/// Evaluates the newest commits of a repository. Also returns their number.
fn history(folder: &Path, wanted: usize) -> Outcome<(usize, Vec<(Method, Score)>)> {
    let repository = Repository::discover(folder)?;
    let kept = tempfile::tempdir()?;
    let cache = Cache::open(kept.path(), SystemTime::UNIX_EPOCH);
    let mut scores = score::empty();
    let mut found = 0;
    let tree = |revision: &str| -> Result<Snapshot, TreeError> {
        of_revision(&repository, revision, "", Some(&cache))
    };
    let mut last: Option<(String, Snapshot)> = None;
    for [commit, parent, subject] in commits(folder)? {
        if found == wanted {
            break;
        }
        // At the end of a shallow clone, the parent isn't there.
        let Ok(old_files) = files(&repository, &parent) else {
            break;
        };
        let new_files = files(&repository, &commit)?;
        let differs = |one: &BTreeMap<String, ObjectId>, other: &BTreeMap<String, ObjectId>| {
            let all = one.iter().filter(|(path, id)| other.get(*path) != Some(id));
            all.filter_map(|(path, id)| {
                let bytes = repository.content(*id, repo_map::MAX_BYTES).ok()?;
                Some((path.clone(), String::from_utf8(bytes).ok()?))
            })
            .collect::<BTreeMap<String, String>>()
        };
        let (old_texts, new_texts) = (
            differs(&old_files, &new_files),
            differs(&new_files, &old_files),
        );
        if old_texts.len() > SWEEP || new_texts.len() > SWEEP {
            continue;
        }
        let after = match last.take() {
            Some((known, tree)) if known == commit => tree,
            _ => tree(&commit)?,
        };
        let before = tree(&parent)?;
        let one = Commit {
            subject: &subject,
            before: &before,
            after: &after,
            old_texts: &old_texts,
            new_texts: &new_texts,
        };
        found += usize::from(score::add(&mut scores, &one, TOKENS));
        last = Some((parent, before));
    }
    Ok((found, scores))
}
