//! `schema`: lists, prints and writes the JSON Schemas.

use super::common::exit::EXIT_CLEAN;
use super::output::{Color, Failure, print};
use crate::report::{Document, Line};
use crate::schema::Catalogue;
use crate::trace::schemas;
use clap::Subcommand;
use std::path::PathBuf;

/// Subcommands of `schema`.
#[derive(Debug, Subcommand)]
pub enum SchemaCommand {
    /// List the names.
    List,
    /// Print one schema.
    Print {
        /// A name from the list.
        name: String,
    },
    /// Write all schemas into a folder, one file each.
    Write {
        /// The folder, which must exist.
        folder: PathBuf,
    },
}

/// Returns all schemas: of records, native formats, manifests and the tool's own output.
#[must_use]
pub fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::new();
    schemas::add_to(&mut catalogue);
    crate::manifest::add_to(&mut catalogue);
    catalogue.add::<Document<'_>>("report", "What `--format json` prints.", |_| {});
    catalogue.add::<Line<'_>>(
        "report-line",
        "A line of what `--format jsonl` prints.",
        |_| {},
    );
    catalogue.add::<crate::trajectory::explain::Document<'_>>(
        "explain",
        "What `explain TRACE --format json` prints.",
        |_| {},
    );
    catalogue.add::<crate::trajectory::compare::Document>(
        "compare",
        "What `compare --format json` prints.",
        |_| {},
    );
    catalogue.add::<crate::trajectory::reevaluate::Document>(
        "re-evaluation",
        "What `replay --mode re-evaluate --format json` prints.",
        |_| {},
    );
    catalogue.add::<crate::trajectory::stats::Document>(
        "stats",
        "What `stats --format json` prints.",
        |_| {},
    );
    catalogue.add::<crate::config::Config>(
        "config",
        "The configuration, `yuangs-verify.toml`.",
        |_| {},
    );
    catalogue.add::<governance::prove::Proof>(
        "fsm-proof",
        "What `fsm prove --format json` prints.",
        |_| {},
    );
    catalogue
}

impl SchemaCommand {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let catalogue = catalogue();
        match self {
            Self::List => print(Color::Auto, |out| {
                for entry in catalogue.entries() {
                    writeln!(out, "{:<22} {}", entry.name, entry.about)?;
                }
                Ok(())
            })?,
            Self::Print { name } => {
                let entry = catalogue.get(&name).ok_or_else(|| {
                    Failure::unknown(
                        format!("no schema is called `{name}`"),
                        &name,
                        catalogue.entries().iter().map(|entry| &*entry.name),
                        "`schema list` shows the names",
                    )
                })?;
                print(Color::Auto, |out| writeln!(out, "{}", text(&entry.schema)))?;
            }
            Self::Write { folder } => {
                for entry in catalogue.entries() {
                    let path = folder.join(format!("{}.schema.json", entry.name));
                    super::write::write(&path, format!("{}\n", text(&entry.schema)))?;
                }
            }
        }
        Ok(EXIT_CLEAN)
    }
}

/// Formats a schema as it is printed and checked in.
#[must_use]
pub fn text(schema: &serde_json::Value) -> String {
    serde_json::to_string_pretty(schema).unwrap_or_default()
}
