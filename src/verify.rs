//! The verification: inputs in, findings and verdicts out. No terminal, no clock, no environment.
//!
//! An input is read in blocks of half a megabyte. Each core takes a block, parses its lines into
//! records that borrow from it, and then passes with them through the workers, among whom the
//! executions are dealt out by a hash of their id. The workers see the blocks in the order of the
//! input, so an execution's steps are always replayed in that order; and the memory that a run
//! needs is that of a block for each core and of the executions that are open.

pub mod account;
mod bounds;
mod decisions;
mod input;
mod kept;
mod kept_text;
mod parse;
mod pipeline;
mod place;
mod refusals;
mod report;
mod shard;
mod signed;
mod ticket_lock;
pub mod timeline;
mod units;

pub use decisions::{read_decisions, report_unmet};
pub use kept_text::execution_name;
pub use report::{Counts, Report, skipped_sentence};
pub use signed::Book as Signatures;
pub use units::{InputUnits, Units};

use crate::diag::{Finding, assign_fingerprints};
use crate::rules::Settings;
use crate::schema::Validator;
use crate::source::{Found, Limits, Missing};
use crate::trace::Format;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// What to verify, and how.
#[derive(Debug, Default)]
pub struct Options {
    /// Read every input as this format instead of finding out.
    pub format: Option<Format>,
    /// The formats that an input may have; another one is a finding (YV110). Without a list any is
    /// fine.
    pub formats: Option<Vec<Format>>,
    /// What an input may demand.
    pub limits: Limits,
    /// What the rules are told.
    pub settings: Settings,
    /// Only check records against their schemas; replay nothing.
    pub schema_only: bool,
    /// Check every record against this schema, whatever it is.
    pub schema: Option<Validator>,
    /// Findings that are kept; the rest is counted. 0 keeps all.
    pub max_findings: usize,
    /// Turns that are kept for a report with timelines; 0 keeps none.
    pub max_turns: usize,
    /// Threads that read and replay; 0: one for each core.
    pub threads: usize,
    /// Counts the bytes that are read of the inputs, as they are stored.
    pub bytes_read: Option<Arc<AtomicU64>>,
}

/// Findings of each severity that are kept where the caller sets no limit; beyond it they are
/// counted.
const MOST_FINDINGS: usize = 10_000;

impl Options {
    /// Findings of each severity that are kept of one input.
    fn kept_findings(&self) -> usize {
        if self.max_findings == 0 {
            MOST_FINDINGS
        } else {
            self.max_findings
        }
    }
}

/// Verifies inputs, one after the other, in the order given.
#[must_use]
pub fn verify(inputs: &[Result<Found, Missing>], options: &Options) -> Report {
    let mut report = Report::default();
    for (n, input) in inputs.iter().enumerate() {
        report.counts.files += 1;
        if let Some(bound) = report.full(&options.limits) {
            input::refuse(
                bound,
                inputs.get(n..).unwrap_or_default(),
                options,
                &mut report,
            );
            report.counts.files += (inputs.len() - n - 1) as u64;
            break;
        }
        input::verify(input, options, None, &mut report);
    }
    finish(report, options)
}

/// Verifies one input and hands its turns to `on_turn`, each as soon as nothing can be added to it,
/// in an order that doesn't depend on the number of cores. The report keeps none of them.
///
/// Their texts are as recorded: what has to be hidden in them is known at the end of the input, by
/// [`Report::secrets`].
#[must_use]
pub fn verify_turns(
    input: &Result<Found, Missing>,
    options: &Options,
    on_turn: &mut (dyn FnMut(timeline::Turn) + Send),
) -> Report {
    let mut report = Report::default();
    report.counts.files += 1;
    input::verify(input, options, Some(on_turn), &mut report);
    finish(report, options)
}

/// Shows the records of inputs to `watch`, with the name of the input and the execution that each
/// belongs to, in the order of the input. Nothing is replayed; the report holds what couldn't be
/// read, and counts.
#[must_use]
pub fn watch(
    inputs: &[Result<Found, Missing>],
    options: &Options,
    watch: &mut (dyn FnMut(&str, &str, &crate::trace::entry::Entry<'_>) + Send),
) -> Report {
    let mut report = Report::default();
    for input in inputs {
        report.counts.files += 1;
        let name = match input {
            Ok(found) => found.name.clone(),
            Err(missing) => missing.name.clone(),
        };
        input::watch(input, options, &mut report, &mut |execution, entry| {
            watch(&name, execution, entry);
        });
    }
    finish(report, options)
}

/// Verifies what a reader gives, under a name for the report.
#[must_use]
pub fn verify_reader(name: &str, reader: impl Read + Send, options: &Options) -> Report {
    let mut report = Report::default();
    report.counts.files += 1;
    input::verify_reader(name, reader, options, &mut report);
    finish(report, options)
}

/// Puts a report in order: that of the input, with fingerprints, cut to what was asked for.
fn finish(mut report: Report, options: &Options) -> Report {
    let replayed = !options.schema_only && !report.summaries.is_empty();
    let on_traces = crate::rules::ALL
        .iter()
        .filter(|r| {
            !matches!(
                r.check,
                crate::rules::Check::Policy | crate::rules::Check::Repository
            )
        })
        .count();
    report.counts.rules_run = if replayed { on_traces as u64 } else { 0 };
    report.findings.sort_by_cached_key(Finding::order);
    assign_fingerprints(&mut report.findings);
    if options.max_findings > 0 {
        report.cut(options.max_findings);
    }
    report
        .summaries
        .sort_unstable_by(|a, b| (&a.file, a.line, &a.id).cmp(&(&b.file, b.line, &b.id)));
    report
}
