//! Readers: turn the records of one input into those of its executions.

use super::{NativeRecord, TraceFormat as _};
use crate::trace::entry::{Entry, Problem, Record};
use hashbrown::HashSet;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use strict_json::Scanner;

/// A record assigned to an execution.
#[derive(Debug)]
pub struct RoutedRecord<'r, 'a> {
    /// Id of the execution; `None` when all records of the input belong to one.
    pub execution: Option<Cow<'r, str>>,
    pub entry: &'r Entry<'a>,
    /// A problem that only shows in connection with earlier records.
    pub problem: Option<Problem>,
}

/// Calls in sub-agents' own inputs. The session that started a sub-agent may repeat them.
#[derive(Debug, Clone, Default)]
pub struct OwnCalls(Arc<HashSet<u64>>);

impl OwnCalls {
    /// Maximum number of kept calls per project.
    pub const MOST: usize = 400_000;

    /// Collects the calls of a sub-agent's session from its lines.
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

    /// Returns whether a sub-agent's own input contains a call.
    pub(super) fn hold(&self, call: u64) -> bool {
        self.0.contains(&call)
    }
}

impl From<HashSet<u64>> for OwnCalls {
    fn from(all: HashSet<u64>) -> Self {
        Self(Arc::new(all))
    }
}

/// Maximum depth of a line.
const DEPTH: u32 = 1 << 10;

/// Receives the records of one input in their order, and emits those of its executions. Most
/// formats use a stateless one. A record that continues an earlier one may be kept until it is
/// complete.
pub trait Reader: fmt::Debug + Send {
    /// Reads the next record, and emits what is complete with it.
    fn feed(&mut self, entry: &Entry<'_>, on: &mut dyn FnMut(RoutedRecord<'_, '_>));

    /// Emits the remaining incomplete records at the end of the input.
    fn finish(&mut self, _on: &mut dyn FnMut(RoutedRecord<'_, '_>)) {}
}

/// Emits each record unchanged.
#[derive(Debug)]
pub(super) struct ByRecord;

impl Reader for ByRecord {
    fn feed(&mut self, entry: &Entry<'_>, on: &mut dyn FnMut(RoutedRecord<'_, '_>)) {
        on(RoutedRecord {
            execution: entry.record.execution_id().map(|id| id.decode()),
            entry,
            problem: None,
        });
    }
}
