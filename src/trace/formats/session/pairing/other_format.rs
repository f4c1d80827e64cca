//! Records of another format than the session's.

use super::super::DEPTH;
use super::Pairing;
use crate::diag::Code;
use crate::trace::entry::{Entry, Problem, Record};
use crate::trace::formats::{Format, NativeRecord, RoutedRecord};
use std::borrow::Cow;
use strict_json::{Raw, Scanner};

impl Pairing {
    /// Reports a record of another format that may contain calls, because it isn't read. Returns
    /// whether it is one.
    pub(super) fn report_other_format(
        &self,
        entry: &Entry<'_>,
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) -> bool {
        let found = Format::of_valid_record(entry.text).filter(|other| other.name() != self.format);
        // A list of records that isn't read is in the wrong place, whatever its format.
        let in_list = |text: &str| {
            let list = strict_json::from_text::<Vec<Raw<'_>>>(text).ok()?;
            let mut texts = list.into_iter().map(Raw::as_written);
            texts.find_map(|text| {
                Format::of_valid_record(text).filter(|format| may_have_calls(*format, text))
            })
        };
        let other = match found {
            // Many formats contain messages; one without a call is no loss.
            Some(other) if may_have_calls(other, entry.text) => other,
            _ => match in_list(entry.text) {
                Some(other) => other,
                None => return false,
            },
        };
        let other = other.name();
        let problem = Problem {
            code: Code(108),
            at: (0, 1),
            pointer: None,
            message: if other == self.format {
                format!("this list of `{other}` records isn't read")
            } else {
                format!(
                    "this record looks like one of `{other}`, but the input is read as `{}`: the record isn't checked",
                    self.format
                )
            },
        };
        on(RoutedRecord {
            execution: Some(Cow::Borrowed(&self.stem)),
            entry,
            problem: Some(problem),
        });
        true
    }
}

/// Returns whether a record of a format may contain calls.
fn may_have_calls(format: Format, text: &str) -> bool {
    match format.read(&mut Scanner::new(text, DEPTH), text) {
        Ok(Record::Native(NativeRecord::Session(record))) => record.has_calls(),
        _ => true,
    }
}
