//! `repomap build`: writes a map.

use super::map_format;
use super::tree::{TreeArgs, relative};
use crate::cli::common::exit::EXIT_CLEAN;
use crate::cli::output::{Color, Failure, print, print_as_is};
use crate::cli::write;
use clap::Args;
use repo_map::{BuildError, Format, Map, Settings, TOKENS, build};
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use tokens::Encoding;

/// Arguments of `repomap build`.
#[derive(Debug, Args)]
pub struct BuildArgs {
    #[command(flatten)]
    tree: TreeArgs,
    /// Limit the whole map to N tokens.
    #[arg(long, value_name = "N", default_value_t = TOKENS, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    tokens: usize,
    /// Count tokens with this encoding.
    #[arg(long, value_name = "NAME", default_value = Encoding::O200k.name(), value_parser = Encoding::ALL.map(Encoding::name))]
    encoding: String,
    /// Rank what these files or folders hold and use higher; may be given several times.
    #[arg(long, value_name = "PATH")]
    focus: Vec<String>,
    /// Rank what these words name higher.
    #[arg(long, value_name = "WORDS", default_value = "")]
    query: String,
    /// Explain the rank of each file.
    #[arg(long)]
    explain: bool,
    /// Number the lines. A map with numbers is stale sooner.
    #[arg(long)]
    lines: bool,
    /// Mark entry points, global state, side effects and concurrency.
    #[arg(long)]
    marks: bool,
    /// Output format.
    #[arg(long, value_parser = map_format("For people and models", "For pages", "For programs"), default_value = "text")]
    format: Format,
    /// Write to this file, where `repomap check` finds it again.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl BuildArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let settings = Settings {
            format: self.format,
            tokens: self.tokens,
            encoding: self.encoding.clone(),
            focus: self.focus.iter().map(|f| f.replace('\\', "/")).collect(),
            query: self.query.clone(),
            lines: self.lines,
            marks: self.marks,
            explain: self.explain,
            ..Settings::default()
        };
        // Never dropped, since the process is about to end. Freeing a million names takes as long
        // as ranking them.
        let mut snapshot = ManuallyDrop::new(self.tree.read_for(&settings)?);
        // The map doesn't list its own output file, whatever that contains.
        let output = self.output.as_deref().filter(|_| self.tree.rev.is_none());
        if let Some(Ok(Some(output))) = output.map(|file| relative(&self.tree.path, file)) {
            if snapshot
                .files
                .iter()
                .any(|f| f.path == output && f.language.is_some() && !f.tags.definitions.is_empty())
            {
                let message = format!("`{output}` is a source that the map is made of");
                return Err(Failure::unable(
                    message,
                    "nothing that is read is overwritten; name another file",
                ));
            }
            snapshot.files.retain(|f| f.path != output);
        }
        let map = build(&snapshot, &settings).map_err(|e| unable(&e))?;
        match &self.output {
            None => print_as_is(Color::Never, |out| out.write_all(map.text.as_bytes()))?,
            Some(file) => {
                write::write(file, &map.text)?;
                print(Color::Never, |out| writeln!(out, "{}", summary(&map)))?;
            }
        }
        Ok(if map.files.1 == 0 {
            super::tree::nothing("mapped")
        } else {
            EXIT_CLEAN
        })
    }
}

/// Summarises the content of a map in a sentence.
fn summary(map: &Map) -> String {
    let ((shown, all), (files, of)) = (map.definitions, map.files);
    format!(
        "{shown} of {all} definitions in {files} of {of} files, {} tokens",
        map.tokens
    )
}

/// Converts an error of building a map.
pub(super) fn unable(error: &BuildError) -> Failure {
    let remedy = match error {
        BuildError::Settings(_) => "build the map again",
        BuildError::Budget(_) => "give more --tokens",
        BuildError::Focus(_) => "--focus takes paths from the top of the tree",
    };
    Failure::unable(error.to_string(), remedy)
}
