//! Loads policies and reports mistakes in them.

use super::revision::Revision;
use super::settings::SettingsFiles;
use crate::cli::common::exit::EXIT_CLEAN;
use crate::cli::file;
use crate::cli::output::{Color, Failure, Mistake, print};
use crate::diag::Place;
use crate::replay::PolicyFiles;
use agent_policy::{
    Gap, Policy, Position, Problem, SHIPPED, Translation, VendorFormat, built_in_policy, load,
};
use clap::Args;
use std::path::{Path, PathBuf};

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
    let format = if let Some(format) = format {
        format
    } else {
        let (file, text) = (name_of(Path::new(path)), read(Path::new(path))?);
        let Some(format) = VendorFormat::detect(&file, &text) else {
            return Ok(None);
        };
        format
    };
    let (pack, _) = translation(format, path)?;
    Ok(Some(pack.yaml()))
}

/// Translates a vendor's files into a pack. Also returns the files.
pub(super) fn translation(
    format: VendorFormat,
    written: &str,
) -> Result<(Translation, Vec<Source>), Failure> {
    if format == VendorFormat::Claude {
        let files = SettingsFiles::find(written)?;
        return Ok((files.translate()?, files.sources));
    }
    let source = source(written)?;
    match format.translate(&stem(&source.file), &source.text) {
        Ok(pack) => Ok((pack, vec![source])),
        Err(problems) => Err(complain(&source.file, &source.text, &problems)),
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

/// Returns the files of a policy, as one that governs all executions.
pub(in crate::cli) fn policy_files(name: &str) -> Result<PolicyFiles, Failure> {
    Ok(policy(name)?.files())
}

/// A file of a policy.
#[derive(Debug)]
pub(super) struct Source {
    /// The name used in reports.
    pub(super) file: String,
    pub(super) text: String,
    /// The path, if it was read from the disk.
    pub(super) path: Option<PathBuf>,
}

/// A policy with its files and the name used in reports.
#[derive(Debug)]
pub(in crate::cli) struct LoadedPolicy {
    /// The name of the file. Of several files, their names with commas.
    pub(super) file: String,
    /// At least one, in the order of [`Position::source`].
    pub(super) sources: Vec<Source>,
    pub(in crate::cli) policy: Policy,
    /// What it doesn't say as a vendor's file does.
    pub(super) gaps: Vec<Gap>,
}

impl LoadedPolicy {
    /// A policy that is in one file.
    pub(super) fn of_file(file: &str, text: String, policy: Policy) -> Self {
        let source = Source {
            file: file.to_owned(),
            text,
            path: None,
        };
        Self {
            file: file.to_owned(),
            sources: vec![source],
            policy,
            gaps: Vec::new(),
        }
    }

    /// A vendor's policy that is in one file.
    fn of_vendor(format: VendorFormat, source: Source) -> Result<Self, Failure> {
        let pack = format.translate(&stem(&source.file), &source.text);
        let loaded = pack.and_then(|pack| Ok((pack.load()?, pack.gaps)));
        match loaded {
            Ok((policy, gaps)) => Ok(Self {
                file: source.file.clone(),
                sources: vec![source],
                policy,
                gaps,
            }),
            Err(problems) => Err(complain(&source.file, &source.text, &problems)),
        }
    }

    /// Returns the paths of its files on the disk.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.sources.iter().filter_map(|s| s.path.as_deref())
    }

    /// Returns its files on the disk, as those of a policy that governs all executions.
    pub(in crate::cli) fn files(&self) -> PolicyFiles {
        let names = self.paths().filter_map(Path::to_str);
        PolicyFiles {
            all: names.map(str::to_owned).collect(),
            ..PolicyFiles::default()
        }
    }

    /// Returns the path of its only file on the disk, to write `what` next to it. None if it isn't
    /// on the disk.
    pub(super) fn only_path(&self, what: &str) -> Result<Option<&Path>, Failure> {
        if self.sources.len() > 1 {
            return Err(Failure::unable(
                format!(
                    "`{}` are several files: {what} belong next to one",
                    self.file
                ),
                "name one file of the policy",
            ));
        }
        Ok(self.paths().next())
    }

    /// Returns the name of the file of a place.
    pub(super) fn file_of(&self, at: Position) -> &str {
        let source = self.sources.get(usize::from(at.source));
        source.map_or(&self.file, |source| &source.file)
    }

    /// Returns a place in it, with the line there.
    pub(super) fn place(&self, at: Position) -> Place {
        place_in(&self.sources, &self.file, at)
    }

    /// Whether another policy has the same text.
    pub(super) fn is_same_text(&self, other: &Self) -> bool {
        self.sources.len() == other.sources.len()
            && self
                .sources
                .iter()
                .zip(&other.sources)
                .all(|(own, other)| own.text == other.text)
    }
}

fn place_in(sources: &[Source], otherwise: &str, at: Position) -> Place {
    match sources.get(usize::from(at.source)) {
        Some(source) => place(&source.file, &source.text, at),
        None => place(otherwise, "", at),
    }
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
        return policy_as(format, name);
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
    let mut found = parse(&name_of(path), read(path)?)?;
    let sources = found.sources.iter_mut();
    sources.for_each(|source| source.path = Some(path.to_owned()));
    Ok(found)
}

/// Loads the policy in a vendor's files.
pub(super) fn policy_as(format: VendorFormat, name: &str) -> Result<LoadedPolicy, Failure> {
    if format == VendorFormat::Claude {
        return SettingsFiles::find(name)?.load();
    }
    LoadedPolicy::of_vendor(format, source(name)?)
}

/// Reads a file, or one of a revision (`REV:PATH`).
pub(super) fn source(name: &str) -> Result<Source, Failure> {
    let path = Path::new(name);
    Ok(match Revision::named(name)? {
        Some(revision) => Source {
            file: name.to_owned(),
            text: revision.file()?,
            path: None,
        },
        None => Source {
            file: name_of(path),
            text: read(path)?,
            path: Some(path.to_owned()),
        },
    })
}

/// Parses a policy in the format that its name and text show. Mistakes are printed with their
/// places.
pub(super) fn parse(file: &str, text: String) -> Result<LoadedPolicy, Failure> {
    let Some(format) = VendorFormat::detect(file, &text) else {
        return parse_pack(file, text);
    };
    let source = Source {
        file: file.to_owned(),
        text,
        path: None,
    };
    LoadedPolicy::of_vendor(format, source)
}

/// Parses a pack, whatever its file's name is.
pub(super) fn parse_pack(file: &str, text: String) -> Result<LoadedPolicy, Failure> {
    match load(&stem(file), &text) {
        Ok(policy) => Ok(LoadedPolicy::of_file(file, text, policy)),
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
    mistakes(file, problems, |at| place(file, text, at))
}

/// Prints the mistakes of a policy in several files, and returns the failure that counts them.
pub(super) fn complain_of_all(file: &str, sources: &[Source], problems: &[Problem]) -> Failure {
    mistakes(file, problems, |at| place_in(sources, file, at))
}

fn mistakes(file: &str, problems: &[Problem], place: impl Fn(Position) -> Place) -> Failure {
    let problems = problems.iter().map(|problem| Mistake {
        message: problem.message.clone(),
        place: place(problem.at),
        help: problem.help.clone(),
    });
    Failure::mistakes(file, problems, "docs/policy.md describes the format")
}

/// Returns a place in a file of this text.
pub(super) fn place(file: &str, text: &str, at: Position) -> Place {
    Place {
        file: file.into(),
        line: at.line.into(),
        column: at.column.into(),
        pointer: None,
        excerpt: excerpt(text, at),
    }
}

/// Returns the line of a place, with the word there marked.
fn excerpt(text: &str, at: Position) -> Option<crate::diag::Excerpt> {
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
