//! `--report FORMAT=PATH`: the reports of a run and their targets.

use super::output::{Color, Failure, print_as_is, print_prose};
use super::write;
use crate::report::page::Page;
use crate::report::{Base, Format, Lang, Run};
use crate::trajectory::{ExecutionSet, stats};
use crate::verify::Report;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use worktree::git::Repository;

/// Default number of turns that a page draws.
pub(super) const DRAWN_TURNS: usize = 2_000;

/// Options for reports.
#[derive(Debug, Default, Args)]
pub(super) struct ReportArgs {
    /// Output format of the report on standard output.
    #[arg(long, value_parser = format_parser(), value_name = "FORMAT")]
    format: Option<Format>,
    /// Write a report to a file, or to standard output with `-` instead of `--format`; may be given
    /// several times.
    #[arg(long = "report", value_parser = target, value_name = "FORMAT=PATH")]
    reports: Vec<Target>,
    /// Write the fixed words in text, Markdown and HTML reports, and the rules' summaries there, in
    /// this language. Messages of findings, codes and other formats stay English.
    #[arg(long, value_parser = lang_parser(), default_value = "en", value_name = "LANG")]
    pub(super) lang: Lang,
    /// Use colours always, never, or only on a terminal.
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(super) color: Color,
}

/// A format and the path of its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) format: Format,
    pub(super) path: PathBuf,
}

impl Target {
    fn is_stdout(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Returns the output file; `None` for standard output.
    pub(super) fn file(&self) -> Option<&Path> {
        Some(&*self.path).filter(|_| !self.is_stdout())
    }
}

fn names() -> Vec<PossibleValue> {
    Format::ALL
        .iter()
        .map(|f| PossibleValue::new(f.name()).help(f.about()))
        .collect()
}

fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(names()).try_map(|name| Format::parse(&name).ok_or("no such format"))
}

/// Creates a parser for the name of a language.
pub(super) fn lang_parser() -> impl TypedValueParser<Value = Lang> {
    let names = Lang::ALL.map(|lang| PossibleValue::new(lang.name()).help(lang.about()));
    PossibleValuesParser::new(names).map(|name| Lang::parse(&name).unwrap_or_default())
}

/// Parses `FORMAT=PATH`.
pub(super) fn target(text: &str) -> Result<Target, String> {
    let known = || Format::ALL.map(Format::name).join(", ");
    let (name, path) = text
        .split_once('=')
        .ok_or_else(|| format!("expected FORMAT=PATH; formats: {}", known()))?;
    let format = Format::parse(name)
        .ok_or_else(|| format!("no format is called `{name}`; formats: {}", known()))?;
    if path.is_empty() {
        return Err("the path is empty; `-` is standard output".into());
    }
    Ok(Target {
        format,
        path: path.into(),
    })
}

impl ReportArgs {
    /// Returns whether a report is asked for.
    pub(super) fn is_given(&self) -> bool {
        self.format.is_some() || !self.reports.is_empty()
    }

    /// Like [`Self::on_stdout`], for what is written in English only.
    ///
    /// # Errors
    /// When other reports or another language are requested.
    pub(super) fn only_format(&self) -> Result<Format, Failure> {
        if self.lang != Lang::En {
            return Err(Failure::unable(
                "this is written in English only",
                "leave --lang out",
            ));
        }
        self.on_stdout()
    }

    /// Returns the format if there is only one report, and it is written to standard output.
    ///
    /// # Errors
    /// When other reports are requested.
    pub(super) fn on_stdout(&self) -> Result<Format, Failure> {
        if self.reports.is_empty() {
            return Ok(self.format.unwrap_or(Format::Text));
        }
        Err(Failure::unable(
            "this is written on standard output only",
            "leave --report out, and name the format with --format",
        ))
    }

    /// Returns all reports with their targets.
    ///
    /// # Errors
    /// When two reports have the same target.
    pub(super) fn targets(&self) -> Result<Vec<Target>, Failure> {
        let mut all = self.reports.clone();
        let stdout = all.iter().filter(|t| t.is_stdout()).count();
        if stdout > 1 || (stdout == 1 && self.format.is_some()) {
            return Err(Failure::unable(
                "two reports go to standard output",
                "write one of them to a file: --report FORMAT=PATH",
            ));
        }
        if stdout == 0 {
            all.push(Target {
                format: self.format.unwrap_or(Format::Text),
                path: "-".into(),
            });
        }
        let mut seen: BTreeSet<&Path> = BTreeSet::new();
        if let Some(twice) = all.iter().find(|t| !seen.insert(&t.path)) {
            let message = format!("two reports go to `{}`", twice.path.display());
            return Err(Failure::unable(message, "give each its own file"));
        }
        Ok(all)
    }

    /// Writes the reports, files first.
    ///
    /// # Errors
    /// When one can't be written.
    pub(super) fn write(&self, targets: &[Target], run: &Run<'_>) -> Result<(), Failure> {
        write_files(targets, run)?;
        for target in targets.iter().filter(|t| t.is_stdout()) {
            // Output for other programs has no colours, and the filter that strips colours must not
            // change it.
            if target.format == Format::Text {
                print_prose(self.color, |out| run.write(target.format, out))?;
            } else {
                print_as_is(Color::Always, |out| run.write(target.format, out))?;
            }
        }
        Ok(())
    }
}

/// Writes the reports with files as targets.
///
/// # Errors
/// When one can't be written.
pub(super) fn write_files(targets: &[Target], run: &Run<'_>) -> Result<(), Failure> {
    for target in targets.iter().filter(|t| !t.is_stdout()) {
        let mut plain = anstream::StripStream::new(Vec::new());
        run.write(target.format, &mut plain)?;
        write::write(&target.path, plain.into_inner())?;
    }
    Ok(())
}

/// Returns the counts and distributions of a report, if a page shows them.
pub(super) fn statistics(targets: &[Target], report: &Report, lang: Lang) -> Option<Page> {
    let drawn = targets.iter().any(|t| t.format == Format::Html) && !report.summaries.is_empty();
    drawn.then(|| {
        let set =
            ExecutionSet::gather(&report.summaries, &report.findings, report.timeline.clone());
        stats::page(&stats::stats(&set), lang)
    })
}

/// Returns the repository around a directory, which the paths of a report are relative to.
pub(super) fn base(directory: &Path) -> Option<Base> {
    let directory = if directory.as_os_str().is_empty() {
        Path::new(".")
    } else {
        directory
    };
    let directory = directory.canonicalize().ok()?;
    let root = Repository::discover(&directory).ok()?.work_tree()?;
    Some(Base::new(root.canonicalize().ok()?, directory))
}

/// Quotes words for a shell.
pub(super) fn shell_line(words: &[String]) -> String {
    let quoted = words.iter().map(|word| {
        let plain = !word.is_empty()
            && word
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_./=:,@%+".contains(&b));
        if plain {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_format_and_path() {
        assert_eq!(
            target("sarif=a=b.sarif").unwrap(),
            Target {
                format: Format::Sarif,
                path: "a=b.sarif".into()
            }
        );
        for wrong in ["sarif", "sarif=", "nonsense=x", ""] {
            assert!(target(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        let line = shell_line(&[
            "replay".into(),
            "a b".into(),
            "it's".into(),
            String::new(),
            "$(x)".into(),
        ]);
        assert_eq!(line, "replay 'a b' 'it'\\''s' '' '$(x)'");
    }
}
