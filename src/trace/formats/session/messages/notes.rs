//! Notes that the programs of Cline and Roo write into messages of the user.

use super::{
    AGENT, CallEnd, CallStatus, EventKind, Events, LenientStr, Raw, USER, is_word, push_text,
};
use crate::trace::formats::session::text_calls::{self, Note};
use std::borrow::Cow;

/// Notes of the program in one message of the user.
#[derive(Default)]
pub(super) struct Notes<'a> {
    /// Whether the message contains a result.
    found: bool,
    /// An open result and the part in which it begins.
    result: Option<(Raw<'a>, String)>,
}

impl<'a> Notes<'a> {
    /// Reads a text of the message.
    pub(super) fn text(
        &mut self,
        events: &mut Events<'a>,
        raw: Raw<'a>,
        role: LenientStr<'a>,
        said: Cow<'a, str>,
    ) {
        let is_user = is_word(role, USER);
        if is_user && events.cwd.is_none() {
            events.cwd = text_calls::work_tree(&said).map(str::to_owned);
        }
        let note = text_calls::note(&said).filter(|_| is_user);
        match (note, &mut self.result) {
            (Some(Note::Environment), _) => {
                self.end(events);
                events.push(raw, EventKind::CallsInText);
            }
            (Some(Note::Result(output)), _) => {
                self.end(events);
                events.push(raw, EventKind::CallsInText);
                self.found = true;
                self.result = Some((raw, output.to_owned()));
            }
            (Some(Note::Skipped), _) if self.found => {
                self.end(events);
                push_result(events, raw, CallStatus::RejectedByText, said);
            }
            (_, Some((_, output))) => {
                if !output.is_empty() {
                    output.push('\n');
                }
                output.push_str(&said);
            }
            (_, None) => {
                if text_calls::is_sign(&said) && !is_word(role, AGENT) {
                    events.push(raw, EventKind::CallsInText);
                }
                push_text(events, raw, role, said);
            }
        }
    }

    /// Emits the open result, which now has all of its texts.
    pub(super) fn end(&mut self, events: &mut Events<'a>) {
        if let Some((raw, output)) = self.result.take() {
            push_result(events, raw, text_calls::how(&output), output.into());
        }
    }
}

/// Emits the result of a call from a text.
fn push_result<'a>(events: &mut Events<'a>, raw: Raw<'a>, how: CallStatus, output: Cow<'a, str>) {
    let ended = CallEnd {
        id: None,
        how,
        output,
        exit_code: None,
        change: None,
    };
    events.push(raw, EventKind::Ended(ended));
}
