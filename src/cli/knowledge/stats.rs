//! `knowledge stats`: what the index holds.

use super::place::CommonPlaceArgs;
use super::{Format, failure};
use crate::cli::output::{Color, Failure, print};
use crate::cli::{EXIT_CLEAN, EXIT_NOTHING_VERIFIED};
use crate::knowledge::by_repository::holdings;
use crate::knowledge::stats::statistics;
use crate::report::{safe_json, terminal};
use crate::trajectory::words::plural;
use clap::Args;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use util::time::format_minute;

/// Arguments of `knowledge stats`.
#[derive(Debug, Args)]
pub struct StatsArgs {
    #[command(flatten)]
    place: CommonPlaceArgs,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

impl StatsArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let place = self.place.place()?;
        let store = place.open()?;
        place.warn_of_age(&store);
        let numbers = statistics(&store).map_err(|e| failure(&e))?;
        let names = &place.sources.repositories;
        let held = if names.is_empty() {
            BTreeMap::new()
        } else {
            holdings(&store).map_err(|e| failure(&e))?
        };
        let of = |name| held.get(name).copied().unwrap_or_default();
        let repositories: Vec<_> = names.keys().map(|name| (name, of(name))).collect();
        let digest = store.digest().map_err(|e| failure(&e.into()))?;
        let bytes = std::fs::metadata(&place.path).map_or(0, |data| data.len());
        let times = numbers
            .times
            .map(|(from, to)| (format_minute(from), format_minute(to)));
        let total: u64 = numbers.observations.iter().map(|(_, n)| n).sum();
        print(Color::Auto, |out| {
            if self.format == Format::Json {
                let sources: Map<String, Value> = numbers
                    .sources
                    .iter()
                    .map(|(kind, files, bytes)| {
                        (kind.clone(), json!({ "sources": files, "bytes": bytes }))
                    })
                    .collect();
                let observations: Map<String, Value> = numbers
                    .observations
                    .iter()
                    .map(|(kind, count)| (kind.clone(), json!(count)))
                    .collect();
                let repositories: Map<String, Value> = repositories
                    .iter()
                    .map(|(name, held)| {
                        let counts =
                            json!({ "sources": held.sources, "observations": held.observations });
                        ((*name).clone(), counts)
                    })
                    .collect();
                let json = json!({
                    "version": 1, "sources": sources, "observations": observations,
                    "repositories": repositories,
                    "oldest": times.as_ref().map(|(from, _)| from),
                    "newest": times.as_ref().map(|(_, to)| to),
                    "withoutTime": numbers.without_time,
                    "edges": numbers.edges, "skillUses": numbers.skill_uses,
                    "findings": numbers.findings, "secretsHidden": numbers.hidden,
                    "vectors": numbers.has_vectors,
                    "bytes": bytes, "digest": digest,
                });
                return writeln!(out, "{}", safe_json(&json));
            }
            for (kind, files, bytes) in &numbers.sources {
                writeln!(out, "sources of {}: {files}, {bytes} bytes", terminal(kind))?;
            }
            for (kind, count) in &numbers.observations {
                writeln!(out, "observations of {}: {count}", terminal(kind))?;
            }
            writeln!(
                out,
                "observations: {total}, {} without a time",
                numbers.without_time
            )?;
            for (name, held) in &repositories {
                let sources = plural(held.sources, "source");
                let observations = plural(held.observations, "observation");
                writeln!(out, "repository {name}: {sources}, {observations}")?;
            }
            if let Some((from, to)) = &times {
                writeln!(out, "times: {from} to {to}")?;
            }
            writeln!(
                out,
                "graph: {} edges; uses of skills: {}",
                numbers.edges, numbers.skill_uses
            )?;
            writeln!(
                out,
                "vectors: {}",
                if numbers.has_vectors { "yes" } else { "no" }
            )?;
            writeln!(
                out,
                "texts from which a secret was taken: {}",
                numbers.hidden
            )?;
            writeln!(out, "findings about sources: {}", numbers.findings)?;
            writeln!(out, "size: {bytes} bytes")?;
            writeln!(out, "digest: {digest}")
        })?;
        Ok(if total == 0 && numbers.edges == 0 {
            EXIT_NOTHING_VERIFIED
        } else {
            EXIT_CLEAN
        })
    }
}
