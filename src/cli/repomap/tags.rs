//! `repomap tags`: prints all definitions and references.

use super::tree::TreeArgs;
use crate::cli::common::exit::EXIT_CLEAN;
use crate::cli::output::{Color, Failure, print};
use clap::{Args, ValueEnum};
use repo_map::{write_ctags, write_jsonl};

/// Output formats of tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TagFormat {
    /// Definitions and references, one JSON object on a line.
    Jsonl,
    /// Definitions as a `tags` file.
    Ctags,
}

/// Arguments of `repomap tags`.
#[derive(Debug, Args)]
pub struct TagsArgs {
    #[command(flatten)]
    tree: TreeArgs,
    /// Output format.
    #[arg(long, value_enum, default_value_t = TagFormat::Jsonl)]
    format: TagFormat,
}

impl TagsArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let snapshot = self.tree.read()?;
        print(Color::Never, |out| match self.format {
            TagFormat::Jsonl => write_jsonl(&snapshot, out),
            TagFormat::Ctags => write_ctags(&snapshot, out),
        })?;
        Ok(if snapshot.files.is_empty() {
            super::tree::nothing("listed")
        } else {
            EXIT_CLEAN
        })
    }
}
