//! `knowledge reindex`: brings the index up to date, or checks it.

use super::failure;
use super::place::{CommonPlaceArgs, ModelArgs};
use super::report::{Run, checked, report};
use crate::cli::output::{Color, Failure, print};
use crate::cli::progress::{Progress, Unit};
use crate::cli::replay::FailOn;
use crate::cli::{EXIT_CLEAN, EXIT_ERROR, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::diag::Finding;
use crate::knowledge::SCHEMA;
use crate::knowledge::reindex::{Settings, check, run_with};
use clap::{Args, ValueEnum};
use knowledge_index::Store;
use std::time::Instant;

/// Arguments of `knowledge reindex`.
#[derive(Debug, Args)]
pub struct ReindexArgs {
    #[command(flatten)]
    place: CommonPlaceArgs,
    /// Change nothing; compare the index with what its sources give now, report differences
    /// (YV905), and fail if there are any.
    #[arg(long)]
    check: bool,
    /// Compute no vectors: questions are answered by full text alone. With `--check`, accept an
    /// index without vectors.
    #[arg(long)]
    no_vectors: bool,
    #[command(flatten)]
    model: ModelArgs,
    /// Fail (exit 1) when there are findings this bad; with `--check` a stale index is bad enough
    /// by default.
    #[arg(long, value_enum, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Form::Text, value_name = "FORMAT")]
    format: Form,
}

/// Output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// For people.
    Text,
    /// JSON.
    Json,
    /// Markdown, for the summary of a job.
    Markdown,
}

impl ReindexArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let place = self.place.place()?;
        if place.sources.paths.is_empty() && place.sources.repositories.is_empty() {
            return Err(Failure::unable(
                "[knowledge] names no source",
                "docs/knowledge.md lists the kinds of source",
            ));
        }
        let settings = Settings {
            vectors: !self.no_vectors,
        };
        if self.check {
            let mut store = place.open()?;
            store.use_model(self.model.folder(&place)?.as_deref());
            let checked_now = check(&store, &place.sources, settings, place.limits());
            let comparison = checked_now.map_err(|e| failure(&e))?;
            let digest = store.digest().map_err(|e| failure(&e.into()))?;
            print(Color::Auto, |out| {
                checked(&comparison, &digest, self.format, out)
            })?;
            let compared = comparison.sources as u64;
            return Ok(self.exit(&comparison.findings, compared, FailOn::Warning));
        }
        // Checked first, so that no empty index is created.
        if let Some((last, others)) = place.sources.missing().split_last() {
            for error in others {
                failure(error).report();
            }
            return Err(failure(last));
        }
        let start = Instant::now();
        crate::cli::common::inputs::outside_git(&place.path)?;
        crate::cli::guard::check(&place.path, crate::cli::guard::Exemption::Nothing)?;
        let mut store = Store::create(&place.path, &SCHEMA).map_err(|e| failure(&e.into()))?;
        store.use_model(self.model.folder(&place)?.as_deref());
        let progress = Progress::start("indexing sources", Unit::Items, 0, false);
        let summary = run_with(
            &mut store,
            &place.sources,
            settings,
            place.limits(),
            &mut |done, total| progress.set(done, total),
        );
        drop(progress);
        let summary = summary.map_err(|e| failure(&e))?;
        let done = Run {
            summary: &summary,
            seconds: start.elapsed().as_secs_f64(),
        };
        print(Color::Auto, |out| report(&done, self.format, out))?;
        Ok(self.exit(
            &summary.findings,
            summary.observations + summary.edges,
            FailOn::Error,
        ))
    }

    fn exit(&self, findings: &[Finding], looked_at: u64, default: FailOn) -> u8 {
        // The content of a source that can't be opened is unknown.
        let unopened = findings
            .iter()
            .any(|f| f.code.0 == 101 && f.place.line == 0);
        match () {
            () if unopened => EXIT_ERROR,
            () if self.fail_on.unwrap_or(default).met_by(findings) => EXIT_FINDINGS,
            () if looked_at == 0 => EXIT_NOTHING_VERIFIED,
            () => EXIT_CLEAN,
        }
    }
}
