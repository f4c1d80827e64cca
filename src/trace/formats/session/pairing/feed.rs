//! Records that a session's reader derives and emits.

use super::{DEPTH, RoutedRecord};
use crate::diag::Code;
use crate::trace::entry::{Entry, Problem, Record};
use crate::trace::record::RecordKind;
use crate::trace::v1;
use std::borrow::Cow;
use strict_json::Scanner;

/// Reports that a limit was exceeded and something isn't checked.
pub(super) fn report_limit(
    key: &str,
    line: u64,
    message: String,
    on: &mut dyn FnMut(RoutedRecord<'_, '_>),
) {
    let problem = Problem {
        code: Code(107),
        at: (0, 1),
        pointer: None,
        message,
    };
    let mut entry = Entry::unread((line, 0), "", Vec::new(), Vec::new());
    entry.derived = true;
    on(RoutedRecord {
        execution: Some(Cow::Borrowed(key)),
        entry: &entry,
        problem: Some(problem),
    });
}

/// Emits a derived record.
pub(super) fn feed(
    kind: RecordKind,
    key: &str,
    line: u64,
    text: &str,
    on: &mut dyn FnMut(RoutedRecord<'_, '_>),
) {
    debug_assert!(Scanner::new(text, u32::MAX).skip().is_ok(), "{text}");
    let mut entry = Entry::unread((line, 0), text, Vec::new(), Vec::new());
    entry.derived = true;
    // The text was written here, of parts that were checked when they were read.
    let read = v1::read(kind, &mut Scanner::validated(text));
    match read.or_else(|_| v1::read(kind, &mut Scanner::new(text, DEPTH))) {
        Ok(record) => entry.record = Record::V1(record),
        Err(error) => {
            // A call that can't be read hasn't been checked.
            entry.problems.push(Problem {
                code: Code(103),
                at: (0, 1),
                pointer: None,
                message: format!("this call can't be read: {error}"),
            });
        }
    }
    on(RoutedRecord {
        execution: Some(Cow::Borrowed(key)),
        entry: &entry,
        problem: None,
    });
}
