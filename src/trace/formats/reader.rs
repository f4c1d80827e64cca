//! From the records of one input to those of its executions.

use crate::trace::entry::{Entry, Problem};
use std::borrow::Cow;
use std::fmt;

/// A record on its way to an execution.
#[derive(Debug)]
pub struct Fed<'r, 'a> {
    /// The execution that it belongs to; `None` where all records of the input belong to one.
    pub execution: Option<Cow<'r, str>>,
    /// The record.
    pub entry: &'r Entry<'a>,
    /// What only the records before it show to be wrong with it.
    pub problem: Option<Problem>,
}

/// Is handed the records of one input in their order, and hands on those of its executions. Most
/// formats have one that keeps nothing. Where a record goes on with an earlier one, it is kept here
/// until then.
pub trait Reader: fmt::Debug + Send {
    /// Takes the next record, and hands on what is complete with it.
    fn feed(&mut self, entry: &Entry<'_>, on: &mut dyn FnMut(Fed<'_, '_>));

    /// Hands on what never was completed: the input is over.
    fn finish(&mut self, _on: &mut dyn FnMut(Fed<'_, '_>)) {}
}

/// Each record is handed on as it is.
#[derive(Debug)]
pub(super) struct ByRecord;

impl Reader for ByRecord {
    fn feed(&mut self, entry: &Entry<'_>, on: &mut dyn FnMut(Fed<'_, '_>)) {
        on(Fed {
            execution: entry.record.execution_id().map(|id| id.decode()),
            entry,
            problem: None,
        });
    }
}
