//! Passes the records of inputs to a visitor, instead of replaying them or while one rule does.

use super::input_result::InputResult;
use super::own_calls::SubAgentCalls;
use super::piece::Piece;
use super::{Options, Report, finish, input};
use crate::diag::Code;
use crate::source::{Found, Missing};
use crate::trace::{Entry, Format};
use content_scan::mask::Mask;

/// Receives the records of several inputs, one input after the other.
pub trait Visitor: Send {
    /// Receives the next record of an input, with the id of its execution.
    fn record(&mut self, file: &str, execution: &str, entry: &Entry<'_>);

    /// Receives the end of an input, with its secrets.
    fn end(&mut self, secrets: &Mask);
}

/// A callback that receives each record, with the name of its input and the id of its execution.
pub type Watch<'w> = &'w mut (dyn FnMut(&str, &str, &Entry<'_>) + Send);

impl Visitor for Watch<'_> {
    fn record(&mut self, file: &str, execution: &str, entry: &Entry<'_>) {
        self(file, execution, entry);
    }

    fn end(&mut self, _: &Mask) {}
}

/// Passes each record of the inputs to `watch`, in input order. With `rule`, it also replays the
/// records in the same pass and reports the findings of this rule. Otherwise the report contains
/// counts and what couldn't be read.
#[must_use]
pub fn watch(
    inputs: &[Result<Found, Missing>],
    options: &Options,
    rule: Option<Code>,
    mut watch: Watch<'_>,
) -> Report {
    visit(inputs, options, rule, &mut watch)
}

/// Like [`watch`], with a visitor.
#[must_use]
pub fn visit(
    inputs: &[Result<Found, Missing>],
    options: &Options,
    rule: Option<Code>,
    visitor: &mut dyn Visitor,
) -> Report {
    let mut report = Report::default();
    let mut own_calls = SubAgentCalls::new(inputs);
    for input in inputs {
        report.counts.files += 1;
        let result = visit_one(input, &mut own_calls, options, rule, visitor);
        report.add(result, options);
    }
    finish(report, options)
}

/// Passes the records of one of several inputs to a visitor.
pub(super) fn visit_one(
    input: &Result<Found, Missing>,
    own_calls: &mut SubAgentCalls<'_>,
    options: &Options,
    rule: Option<Code>,
    visitor: &mut dyn Visitor,
) -> InputResult {
    let name = match input {
        Ok(found) => &found.name,
        Err(missing) => &missing.name,
    };
    let result = input::watch(
        input,
        options,
        rule,
        own_calls.beside(input, options),
        &mut |execution, entry| visitor.record(name, execution, entry),
    );
    visitor.end(&result.mask);
    result
}

/// Passes the records of a piece of an input to a visitor.
pub(super) fn visit_piece(
    (found, piece): (&Found, Piece),
    format: Format,
    options: &Options,
    rule: Option<Code>,
    visitor: &mut dyn Visitor,
) -> InputResult {
    let watch = &mut |execution: &str, entry: &Entry<'_>| {
        visitor.record(&found.name, execution, entry);
    };
    let result = input::watch_piece((found, piece), format, options, rule, watch);
    visitor.end(&result.mask);
    result
}
