//! `repomap build` and `repomap check` for several repositories, with one report.

use super::build::{BuildArgs, summary};
use super::check::{CheckArgs, Checked};
use super::tree::TreeArgs;
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::common::formats::OutputFormat;
use crate::cli::common::inputs::locations;
use crate::cli::common::repositories::{Repositories, Repository};
use crate::cli::output::{Color, Failure, print, warn};
use crate::cli::write;
use crate::report::{safe_json, terminal};
use crate::source::stays;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

impl Repository {
    /// Returns the tree that is read of the repository, and the path of its map.
    fn tree(&self, shared: &TreeArgs) -> Result<(TreeArgs, PathBuf), Failure> {
        let (path, map) = (self.path.clone(), self.path.join(&self.map));
        if !path.is_dir() {
            let message = format!("`{}` isn't a folder", path.display());
            return Err(Failure::unable(message, "a repository is a folder"));
        }
        if !stays(&path, &map) {
            let message = format!("`{}` leads out of the repository", map.display());
            return Err(Failure::unable(
                message,
                "a map is a file in its repository",
            ));
        }
        let tree = TreeArgs {
            path,
            rev: shared.rev.clone(),
            // A cache is of one tree.
            cache: shared.cache.as_ref().map(|folder| folder.join(&self.name)),
        };
        Ok((tree, map))
    }
}

/// Writes the map of each repository. An earlier one is updated.
pub(super) fn build(args: &BuildArgs, all: &Repositories) -> Result<u8, Failure> {
    args.tree.is_default()?;
    let mut done = Vec::new();
    let mut maps: BTreeMap<PathBuf, &str> = BTreeMap::new();
    for repository in &all.list {
        let mut built = || -> Result<(u8, String), Failure> {
            let (tree, output) = repository.tree(&args.tree)?;
            // One repository may be inside another.
            for place in locations(&output) {
                let other = maps.entry(place).or_insert(&repository.name);
                if *other != repository.name {
                    let message = format!("`{}` is the map of `{other}`, too", output.display());
                    return Err(Failure::unable(message, "give each repository its own map"));
                }
            }
            let earlier = output.symlink_metadata().is_ok().then_some(&*output);
            let built = args.build(&tree, earlier, Some(&output))?;
            write::write(&output, &built.map.text)?;
            if let Some(counts) = &built.counts {
                warn(&format!("{}: {counts}", repository.name));
            }
            let code = match built.map.files.1 {
                0 => EXIT_NOTHING_VERIFIED,
                _ => EXIT_CLEAN,
            };
            Ok((code, summary(&built.map)))
        };
        done.push((&*repository.name, built()));
    }
    let codes: Vec<u8> = done
        .iter()
        .map(|(_, built)| built.as_ref().map_or(EXIT_ERROR, |b| b.0))
        .collect();
    print(Color::Auto, |out| {
        for (name, built) in &done {
            match built {
                Ok((_, summary)) => writeln!(out, "{name}: {summary}")?,
                Err(error) => failed(name, error, out)?,
            }
        }
        let words = ["written", "", "failed", "without any file to map"];
        writeln!(out, "{}", totals(&codes, words))
    })?;
    Ok(worst(&codes))
}

/// Checks the map of each repository.
pub(super) fn check(args: &CheckArgs, all: &Repositories) -> Result<u8, Failure> {
    args.tree.is_default()?;
    let mut done = Vec::new();
    for repository in &all.list {
        let checked = || -> Result<Checked, Failure> {
            let (tree, map) = repository.tree(&args.tree)?;
            let mut checked = args.check(
                &tree,
                &map,
                &format!("{}/{}", repository.name, repository.map),
            )?;
            for finding in &mut checked.findings {
                finding.help =
                    Some("write it again: `repomap build` with the same repositories".into());
            }
            Ok(checked)
        };
        done.push((&*repository.name, checked()));
    }
    let codes: Vec<u8> = done
        .iter()
        .map(|(_, checked)| checked.as_ref().map_or(EXIT_ERROR, Checked::code))
        .collect();
    let words = ["current", "stale", "failed", "without any file to map"];
    print(Color::Auto, |out| match args.format {
        OutputFormat::Text => {
            for (name, checked) in &done {
                match checked {
                    Ok(checked) => args.text(checked, out)?,
                    Err(error) => failed(name, error, out)?,
                }
            }
            writeln!(out, "{}", totals(&codes, words))
        }
        OutputFormat::Json => {
            let repositories: BTreeMap<&str, Value> = done
                .iter()
                .map(|(name, checked)| {
                    (
                        *name,
                        checked
                            .as_ref()
                            .map_or_else(|e| json!({ "error": e.to_string() }), |c| args.json(c)),
                    )
                })
                .collect();
            let json = json!({ "version": 1, "repositories": repositories });
            writeln!(out, "{}", safe_json(&json))
        }
    })?;
    Ok(worst(&codes))
}

/// Reports a repository that couldn't be mapped or checked.
fn failed(name: &str, error: &Failure, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{name}: error: {}", terminal(&error.to_string()))?;
    match error {
        Failure::Unable {
            remedy: Some(remedy),
            ..
        } => writeln!(out, "  help: {}", terminal(remedy)),
        Failure::Unable { .. } | Failure::Output(_) => Ok(()),
    }
}

/// Counts the repositories by exit code. The words describe the codes in their order.
fn totals(codes: &[u8], words: [&str; 4]) -> String {
    let counts = (EXIT_CLEAN..).zip(words).filter_map(|(code, word)| {
        let count = memchr::memchr_iter(code, codes).count();
        (count > 0).then(|| format!("{count} {word}"))
    });
    let counts: Vec<String> = counts.collect();
    let s = if codes.len() == 1 { "y" } else { "ies" };
    format!("{} repositor{s}: {}", codes.len(), counts.join(", "))
}

/// Returns the exit code with the highest priority.
fn worst(codes: &[u8]) -> u8 {
    [EXIT_ERROR, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED]
        .into_iter()
        .find(|code| codes.contains(code))
        .unwrap_or(EXIT_CLEAN)
}
