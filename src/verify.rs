//! The verification: inputs in, findings and verdicts out, without terminal, clock or environment.
//!
//! An input is read in blocks of half a megabyte. Each core takes a block and parses its lines into
//! records that borrow from it. The block then passes through the workers, to which executions are
//! assigned by a hash of their id. The workers process blocks in input order, so the steps of an
//! execution are always replayed in order. Memory is bounded by one block per core and the open
//! executions.

pub mod account;
mod audit_log;
mod bounds;
mod decisions;
mod finding_store;
mod input;
mod input_result;
mod kept_text;
mod own_calls;
mod parse;
pub mod partial;
mod piece;
mod pipeline;
mod place;
mod refusals;
mod repeats;
mod report;
mod shard;
mod signed;
mod ticket_lock;
pub mod timeline;
mod units;
mod visit;

pub use audit_log::{AuditLog, report_audit_log};
pub use decisions::{read_decisions, report_unmatched_decisions};
pub use kept_text::execution_name;
pub use own_calls::SubAgentCalls;
pub use report::{Counts, Report, SilentInputs, skipped_sentence};
pub use signed::Signatures;
pub use units::{InputUnits, Units};
pub use visit::{Visitor, Watch, visit, watch};

use crate::diag::{Finding, assign_fingerprints};
use crate::replay::Summary;
use crate::rules::Settings;
use crate::schema::Validator;
use crate::source::{Found, Limits, Missing};
use crate::trace::Format;
use content_scan::mask::Mask;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The options of a verification.
#[derive(Debug, Default)]
pub struct Options {
    /// Reads every input as this format instead of detecting the format.
    pub format: Option<Format>,
    /// The allowed formats of inputs; another one is a finding (YV110). `None` allows any format.
    pub formats: Option<Vec<Format>>,
    /// Limits on the resources that an input may use.
    pub limits: Limits,
    /// Settings of the rules.
    pub settings: Settings,
    /// Only checks records against their schemas, without a replay.
    pub schema_only: bool,
    /// Checks every record against this schema, whatever its format.
    pub schema: Option<Validator>,
    /// Maximum number of findings to report; the rest is counted. With 0, only the built-in limit
    /// of 10,000 findings per severity and input applies.
    pub max_findings: usize,
    /// Maximum number of turns to keep for a report with timelines; 0 keeps none.
    pub max_turns: usize,
    /// Number of threads that read and replay; 0 means one per core.
    pub threads: usize,
    /// Counts the bytes that are read of the inputs, before decompression.
    pub bytes_read: Option<Arc<AtomicU64>>,
}

/// Maximum number of findings kept of each severity and input, if the caller sets no limit; the
/// rest is counted.
const MOST_FINDINGS: usize = 10_000;

impl Options {
    /// Returns the maximum number of findings kept of each severity and input.
    fn kept_findings(&self) -> usize {
        if self.max_findings == 0 {
            MOST_FINDINGS
        } else {
            self.max_findings
        }
    }
}

/// Verifies inputs one after the other, in the given order.
#[must_use]
pub fn verify(inputs: &[Result<Found, Missing>], options: &Options) -> Report {
    let mut report = Report::default();
    let mut own_calls = SubAgentCalls::new(inputs);
    for (n, input) in inputs.iter().enumerate() {
        report.counts.files += 1;
        if let Some(bound) = report.full(&options.limits) {
            let rest = inputs.get(n..).unwrap_or_default();
            if let Some(result) = input::refuse(bound, rest, options) {
                report.add(result, options);
            }
            report.counts.files += (inputs.len() - n - 1) as u64;
            break;
        }
        report.add(
            input::verify(input, options, own_calls.beside(input, options), None),
            options,
        );
    }
    finish(report, options)
}

/// Verifies one input and passes each turn to `on_turn` as soon as it is complete. The order
/// doesn't depend on the number of cores, and the report keeps no turns.
///
/// The turns contain unmasked text. What must be masked is known only at the end of the input, from
/// [`Report::secrets`]. `own_calls` are those of the sub-agents in the run.
#[must_use]
pub fn verify_turns(
    input: &Result<Found, Missing>,
    own_calls: &mut SubAgentCalls<'_>,
    options: &Options,
    on_turn: &mut (dyn FnMut(timeline::Turn) + Send),
) -> Report {
    let mut report = Report::default();
    report.counts.files += 1;
    let result = input::verify(
        input,
        options,
        own_calls.beside(input, options),
        Some(on_turn),
    );
    report.add(result, options);
    finish(report, options)
}

/// Verifies one of several inputs. `own_calls` are those of the sub-agents in the run.
#[must_use]
pub fn verify_one(
    input: &Result<Found, Missing>,
    own_calls: &mut SubAgentCalls<'_>,
    options: &Options,
) -> Report {
    let mut report = Report::default();
    report.counts.files += 1;
    report.add(
        input::verify(input, options, own_calls.beside(input, options), None),
        options,
    );
    finish(report, options)
}

/// Returns the findings between files that were verified one by one (YV324), from their summaries
/// and secrets.
#[must_use]
pub fn findings_between(summaries: Vec<Summary>, secrets: Mask) -> Vec<Finding> {
    let mut report = Report {
        summaries,
        secrets,
        ..Report::default()
    };
    repeats::report_repeats(&mut report);
    let is_between = |finding: &Finding| {
        let mut related = finding.related.iter();
        related.any(|place| place.file != finding.place.file)
    };
    report.findings.retain(is_between);
    report.findings
}

/// Verifies the content of a reader, under a name for the report.
#[must_use]
pub fn verify_reader(name: &str, reader: impl Read + Send, options: &Options) -> Report {
    let mut report = Report::default();
    report.counts.files += 1;
    report.add(input::verify_reader(name, reader, options), options);
    finish(report, options)
}

/// Completes a report: sorts it in input order, assigns fingerprints, and applies the requested
/// limits.
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
    repeats::report_repeats(&mut report);
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
