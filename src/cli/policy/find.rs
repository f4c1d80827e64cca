//! Loads policies and reports mistakes in them.

use super::revision::Revision;
use crate::cli::common::exit::EXIT_CLEAN;
use crate::cli::file;
use crate::cli::output::{Color, Failure, Mistake, print};
use agent_policy::{
    Policy, Position, Problem, SHIPPED, VendorFormat, built_in_policy, load, load_file,
};
use clap::Args;
use std::path::Path;

/// Maximum size of a policy or a test file in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// Arguments of `policy show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The policy to print: a built-in one, or a file of an agent as the pack it is read as.
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
                None => pack_of(&name)?.ok_or_else(|| no_policy(&name))?,
            },
        };
        print(Color::Auto, |out| out.write_all(text.as_bytes()))?;
        Ok(EXIT_CLEAN)
    }
}

/// The pack that a vendor's file is read as.
fn pack_of(name: &str) -> Result<Option<String>, Failure> {
    let (format, path) = format_of(name);
    if format.is_none() && !Path::new(path).is_file() {
        return Ok(None);
    }
    let (file, text) = (name_of(Path::new(path)), read(Path::new(path))?);
    let Some(format) = format.or_else(|| VendorFormat::detect(&file, &text)) else {
        return Ok(None);
    };
    match format.translate(&stem(&file), &text) {
        Ok(pack) => Ok(Some(pack.yaml())),
        Err(problems) => Err(complain(&file, &text, &problems)),
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

/// Splits `FORMAT:PATH`. A file with such a name counts as a file.
pub(super) fn format_of(name: &str) -> (Option<VendorFormat>, &str) {
    match VendorFormat::split(name) {
        Some((format, path)) if !Path::new(name).exists() => (Some(format), path),
        _ => (None, name),
    }
}

/// Loads the policy with this name or in this file.
pub(in crate::cli) fn policy(name: &str) -> Result<LoadedPolicy, Failure> {
    let (format, name) = format_of(name);
    if let Some(format) = format {
        let (file, text) = match Revision::named(name)? {
            Some(revision) => (name.to_owned(), revision.file()?),
            None => (name_of(Path::new(name)), read(Path::new(name))?),
        };
        return parse_as(Some(format), &file, text);
    }
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

/// Parses a policy in the format that its name and text show. Mistakes are printed with their
/// places.
pub(super) fn parse(file: &str, text: String) -> Result<LoadedPolicy, Failure> {
    parse_as(None, file, text)
}

/// Parses a pack, whatever its file's name is.
pub(super) fn parse_pack(file: &str, text: String) -> Result<LoadedPolicy, Failure> {
    match load(&stem(file), &text) {
        Ok(policy) => Ok(LoadedPolicy {
            file: file.to_owned(),
            text,
            policy,
        }),
        Err(problems) => Err(complain(file, &text, &problems)),
    }
}

/// Parses a policy of a format. Mistakes are printed with their places.
pub(super) fn parse_as(
    format: Option<VendorFormat>,
    file: &str,
    text: String,
) -> Result<LoadedPolicy, Failure> {
    let read = match format {
        Some(format) => format.load(&stem(file), &text),
        None => load_file(file, &text),
    };
    match read {
        Ok(policy) => Ok(LoadedPolicy {
            file: file.to_owned(),
            text,
            policy,
        }),
        Err(problems) => Err(complain(file, &text, &problems)),
    }
}

/// The name of a file without its extension.
pub(super) fn stem(file: &str) -> String {
    let stem = Path::new(file).file_stem();
    stem.map_or_else(|| file.to_owned(), |s| s.to_string_lossy().into_owned())
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
