//! Loads policies and reports mistakes in them.

use super::revision::Revision;
use crate::cli::common::exit::EXIT_CLEAN;
use crate::cli::file;
use crate::cli::output::{Color, Failure, Mistake, print};
use agent_policy::{Policy, Position, Problem, SHIPPED, built_in_policy, load};
use clap::Args;
use std::path::Path;

/// Maximum size of a policy or a test file in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// Arguments of `policy show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The policy to print.
    name: Option<String>,
}

impl ShowArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let text = match self.name {
            None => SHIPPED
                .iter()
                .map(|s| format!("{:<20} {}\n", s.name, s.summary))
                .collect(),
            Some(name) => match built_in_policy(&name) {
                Some(found) => found.text.to_owned(),
                None => return Err(no_policy(&name)),
            },
        };
        print(Color::Auto, |out| out.write_all(text.as_bytes()))?;
        Ok(EXIT_CLEAN)
    }
}

fn no_policy(name: &str) -> Failure {
    let names: Vec<&str> = SHIPPED.iter().map(|s| s.name).collect();
    Failure::unknown(
        format!("there is no file and no policy `{name}`"),
        name,
        names.iter().copied(),
        &format!("built in: {}", names.join(", ")),
    )
}

/// A policy with its text and the name used in reports.
#[derive(Debug)]
pub(in crate::cli) struct LoadedPolicy {
    pub(super) file: String,
    pub(super) text: String,
    pub(in crate::cli) policy: Policy,
}

/// Reads a file within the size limit.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    file::text_up_to(path, MAX_BYTES)
}

/// Returns a path as reported: with `/` on every system.
pub(super) fn name_of(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// Loads the policy with this name or in this file.
pub(in crate::cli) fn policy(name: &str) -> Result<LoadedPolicy, Failure> {
    let path = Path::new(name);
    if !path.is_file()
        && let Some(shipped) = built_in_policy(name)
    {
        return parse(&format!("{name}.yaml"), shipped.text.to_owned());
    }
    if let Some(revision) = Revision::named(name)? {
        return parse(name, revision.file()?);
    }
    if !path.exists() {
        return Err(no_policy(name));
    }
    parse(&name_of(path), read(path)?)
}

/// Parses a policy. Mistakes are printed with their places.
pub(super) fn parse(file: &str, text: String) -> Result<LoadedPolicy, Failure> {
    let stem = Path::new(file)
        .file_stem()
        .map_or_else(|| file.to_owned(), |s| s.to_string_lossy().into_owned());
    match load(&stem, &text) {
        Ok(policy) => Ok(LoadedPolicy {
            file: file.to_owned(),
            text,
            policy,
        }),
        Err(problems) => Err(complain(file, &text, &problems)),
    }
}

/// Prints mistakes with their lines, and returns the failure that counts them.
pub(super) fn complain(file: &str, text: &str, problems: &[Problem]) -> Failure {
    let problems = problems.iter().map(|problem| Mistake {
        message: problem.message.clone(),
        place: crate::diag::Place {
            excerpt: excerpt(text, problem.at),
            ..place(file, problem.at)
        },
        help: problem.help.clone(),
    });
    Failure::mistakes(file, problems, "docs/policy.md describes the format")
}

/// Returns a place in a policy file.
pub(super) fn place(file: &str, at: Position) -> crate::diag::Place {
    crate::diag::Place {
        file: file.into(),
        line: at.line.into(),
        column: at.column.into(),
        pointer: None,
        excerpt: None,
    }
}

/// Returns the line of a place, with the word there marked.
pub(super) fn excerpt(text: &str, at: Position) -> Option<crate::diag::Excerpt> {
    let line = text
        .lines()
        .nth(usize::try_from(at.line).ok()?.checked_sub(1)?)?;
    let from = usize::try_from(at.column)
        .ok()?
        .saturating_sub(1)
        .min(line.len());
    let rest = line.get(from..)?;
    let quoted = rest.starts_with(['"', '\'']);
    let ends = |(i, c): (usize, char)| {
        if quoted {
            i > 0 && rest.starts_with(c)
        } else {
            matches!(c, ':' | ',' | '}' | ']' | ' ')
        }
    };
    let length = rest
        .char_indices()
        .find(|c| ends(*c))
        .map_or(rest.len(), |(i, _)| if quoted { i + 1 } else { i });
    // A long line is cut around the place.
    let start = line
        .char_indices()
        .map(|(i, _)| i)
        .take_while(|i| i + 60 <= from.max(60))
        .last()
        .unwrap_or(0);
    let start = if from > 120 { start } else { 0 };
    let cut = line
        .char_indices()
        .map(|(i, c)| i + c.len_utf8())
        .take_while(|i| *i <= from + length.min(120) + 40)
        .last()?;
    let before = line.get(..start)?;
    Some(crate::diag::Excerpt {
        text: line.get(start..cut)?.to_owned(),
        span: (from - start, (from + length.max(1)).min(cut) - start),
        cut_before: start > 0,
        cut_after: cut < line.len(),
        surplus_before: (before.len() - before.chars().count()) as u64,
    })
}
