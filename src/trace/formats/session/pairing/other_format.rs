//! Records of another format than the session's.

use super::super::DEPTH;
use super::Pairing;
use crate::diag::Code;
use crate::trace::entry::{Entry, Problem, Record};
use crate::trace::formats::{Fed, Format, NativeRecord};
use std::borrow::Cow;
use strict_json::Scanner;

impl Pairing {
    /// Reports a record of another format that tells of calls, or may: they aren't read.
    pub(super) fn report_other_format(&self, entry: &Entry<'_>, on: &mut dyn FnMut(Fed<'_, '_>)) {
        let found = Format::of_record(entry.text, DEPTH);
        let Some(other) = found.filter(|other| other.name() != self.format) else {
            return;
        };
        // Many formats hold messages; one without a call is no loss.
        let record = other.read(&mut Scanner::new(entry.text, DEPTH), entry.text);
        if let Ok(Record::Native(NativeRecord::Session(record))) = &record
            && !record.tells_of_calls()
        {
            return;
        }
        let other = other.name();
        let problem = Problem {
            code: Code(108),
            at: (0, 1),
            pointer: None,
            message: format!(
                "this record looks like one of `{other}`, and the input is read as `{}`: what it tells isn't checked",
                self.format
            ),
        };
        on(Fed {
            execution: Some(Cow::Borrowed(&self.stem)),
            entry,
            problem: Some(problem),
        });
    }
}
