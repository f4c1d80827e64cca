//! From the records of one input to those of its executions.

use super::{NativeRecord, TraceFormat as _};
use crate::trace::entry::{Entry, Problem, Record};
use hashbrown::HashSet;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use strict_json::Scanner;

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

/// Calls that sub-agents' own inputs contain. The session that started a sub-agent may repeat them.
#[derive(Debug, Clone, Default)]
pub struct OwnCalls(Arc<HashSet<u64>>);

impl OwnCalls {
    /// Calls that are kept of one run.
    pub const MOST: usize = 400_000;

    /// Those of lines of a sub-agent's session.
    #[must_use]
    pub fn of_lines<'t>(lines: impl Iterator<Item = &'t str>) -> HashSet<u64> {
        let format = &super::session::claude_code::FORMAT;
        let mut all = HashSet::new();
        for line in lines {
            let record = format.read(&mut Scanner::new(line, DEPTH), line);
            if let Ok(Record::Native(NativeRecord::Session(record))) = record {
                all.extend(record.call_hashes());
            }
        }
        all
    }

    /// Whether an input of its own tells of a call.
    pub(super) fn hold(&self, call: u64) -> bool {
        self.0.contains(&call)
    }
}

impl From<HashSet<u64>> for OwnCalls {
    fn from(all: HashSet<u64>) -> Self {
        Self(Arc::new(all))
    }
}

/// Levels of a line that is read.
const DEPTH: u32 = 1 << 10;

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
