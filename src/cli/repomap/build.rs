//! `repomap build`: writes a map.

use super::tree::{TreeArgs, relative};
use super::{many, map_format};
use crate::cli::common::exit::EXIT_CLEAN;
use crate::cli::common::repositories::RepositoriesArgs;
use crate::cli::output::{Color, Failure, print, print_as_is, warn};
use crate::cli::{file, write};
use crate::trajectory::words::plural;
use clap::Args;
use repo_map::{
    BuildError, Format, Inputs, Map, NoMap, Previous, Settings, Snapshot, TOKENS, build_with,
};
use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use tokens::Encoding;

/// Arguments of `repomap build`.
#[derive(Debug, Args)]
pub struct BuildArgs {
    #[command(flatten)]
    pub(super) tree: TreeArgs,
    #[command(flatten)]
    several: RepositoriesArgs,
    /// Limit the whole map to N tokens [default: 1500].
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    tokens: Option<usize>,
    /// The encoding in which tokens are counted.
    #[arg(long, value_name = "NAME", help = "Count tokens with this encoding [default: o200k_base]", value_parser = Encoding::ALL.map(Encoding::name))]
    encoding: Option<String>,
    /// Rank what these files or folders hold and use higher; may be given several times.
    #[arg(long, value_name = "PATH")]
    focus: Vec<String>,
    /// Rank what these words name higher.
    #[arg(long, value_name = "WORDS")]
    query: Option<String>,
    /// Rank what differs from where the tree left this revision higher, with what that uses and who
    /// uses it.
    #[arg(long, value_name = "REV")]
    diff: Option<String>,
    /// Keep the order of this earlier map where ranks allow, and those of its settings that aren't
    /// given.
    #[arg(long, value_name = "OLD", conflicts_with_all = ["repositories", "root"])]
    update: Option<PathBuf>,
    /// Explain the rank of each file.
    #[arg(long)]
    explain: bool,
    /// Number the lines. A map with numbers is stale sooner.
    #[arg(long)]
    lines: bool,
    /// Mark entry points, global state, side effects and concurrency.
    #[arg(long)]
    marks: bool,
    /// Output format [default: text].
    #[arg(long, value_parser = map_format("For people and models", "For pages", "For programs"))]
    format: Option<Format>,
    /// Write to this file, where `repomap check` finds it again.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["repositories", "root"])]
    output: Option<PathBuf>,
}

impl BuildArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        if let Some(all) = self.several.list()? {
            return many::build(&self, &all);
        }
        let (update, output) = (self.update.as_deref(), self.output.as_deref());
        // Never dropped, since the process is about to end. Freeing a million names takes as long
        // as ranking them.
        let built = ManuallyDrop::new(self.build(&self.tree, update, output)?);
        let map = &built.map;
        match output {
            None => print_as_is(Color::Never, |out| out.write_all(map.text.as_bytes()))?,
            Some(file) => {
                write::write(file, &map.text)?;
                print(Color::Never, |out| writeln!(out, "{}", summary(map)))?;
            }
        }
        if let Some(counts) = &built.counts {
            warn(counts);
        }
        Ok(if map.files.1 == 0 {
            super::tree::nothing("mapped")
        } else {
            EXIT_CLEAN
        })
    }

    /// Makes the map of a tree, and keeps what it can of an earlier map.
    pub(super) fn build(
        &self,
        tree: &TreeArgs,
        update: Option<&Path>,
        output: Option<&Path>,
    ) -> Result<Built, Failure> {
        let previous = update.map(previous).transpose()?;
        let settings = self.settings(previous.as_ref().map(|(_, settings)| settings));
        let mut snapshot = tree.read_for(&settings)?;
        // The map doesn't list its own output file, whatever that contains.
        let output = output.filter(|_| tree.rev.is_none());
        if let Some(Ok(Some(output))) = output.map(|file| relative(&tree.path, file)) {
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
        let changes = tree.changes(&settings.diff, &snapshot)?;
        let inputs = Inputs {
            changes: changes.as_ref(),
            previous: previous.as_ref().map(|(previous, _)| previous),
            ..Inputs::default()
        };
        let map = build_with(&snapshot, &settings, inputs).map_err(|e| unable(&e))?;
        let counts = counts(&snapshot, &map.not_parsed);
        Ok(Built {
            map,
            counts,
            _snapshot: snapshot,
        })
    }

    /// Returns the settings: what is given, else those of the earlier map, else the defaults.
    fn settings(&self, earlier: Option<&Settings>) -> Settings {
        let mut out = earlier.cloned().unwrap_or_else(|| Settings {
            tokens: TOKENS,
            encoding: Encoding::O200k.name().to_owned(),
            ..Settings::default()
        });
        if let Some(format) = self.format {
            out.format = format;
        }
        if let Some(tokens) = self.tokens {
            out.tokens = tokens;
        }
        if let Some(encoding) = &self.encoding {
            out.encoding.clone_from(encoding);
        }
        if !self.focus.is_empty() {
            out.focus = self.focus.iter().map(|f| f.replace('\\', "/")).collect();
        }
        if let Some(query) = &self.query {
            out.query.clone_from(query);
        }
        if let Some(diff) = &self.diff {
            out.diff.clone_from(diff);
        }
        out.lines |= self.lines;
        out.marks |= self.marks;
        out.explain |= self.explain;
        out
    }
}

/// A map that was built.
pub(super) struct Built {
    pub(super) map: Map,
    /// The files that aren't in the map, in words.
    pub(super) counts: Option<String>,
    /// Kept because dropping it takes long.
    _snapshot: Snapshot,
}

/// Reads an earlier map.
fn previous(path: &Path) -> Result<(Previous, Settings), Failure> {
    let name = path.to_string_lossy();
    Previous::from_map(&file::regular_text(path)?).map_err(|e| no_map(&name, &e))
}

/// Counts the files that aren't in a map, or are in it only by their names. The map itself holds no
/// counts, which would be a conflict in each merge.
pub(super) fn counts(snapshot: &Snapshot, not_parsed: &BTreeMap<String, usize>) -> Option<String> {
    let list = |parts: Vec<String>| (!parts.is_empty()).then(|| parts.join(", "));
    let mut by_count: Vec<(&String, &usize)> = not_parsed.iter().collect();
    by_count.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let not_parsed = by_count.into_iter().map(|(name, count)| {
        let files = if *count == 1 { "file" } else { "files" };
        format!("{count} {name} {files}")
    });
    let left_out = snapshot.left_out.iter();
    let left_out = left_out.map(|(why, count)| format!("{count} {}", why.name()));
    let broken = snapshot.files.iter().filter(|f| f.tags.has_errors).count();
    let parts = [
        ("not parsed", list(not_parsed.collect())),
        ("left out", list(left_out.collect())),
        (
            "with syntax errors",
            (broken > 0).then(|| plural(broken as u64, "file")),
        ),
    ];
    let said: Vec<String> = parts
        .into_iter()
        .filter_map(|(name, list)| Some(format!("{name}: {}", list?)))
        .collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// Converts an error of reading a map.
pub(super) fn no_map(name: &str, error: &NoMap) -> Failure {
    let remedy = match error {
        NoMap::Version(_) => "build it again with this program: `repomap build -o FILE`",
        _ => "write one with `repomap build -o FILE`",
    };
    Failure::unable(format!("`{name}` isn't a map: {error}"), remedy)
}

/// Summarises the content of a map in a sentence.
pub(super) fn summary(map: &Map) -> String {
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
        BuildError::Changes(_) => "give --diff a revision of the repository around the tree",
    };
    Failure::unable(error.to_string(), remedy)
}
