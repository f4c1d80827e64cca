//! Calls in texts of an agent: those that it makes there, and those that it only claims.

use super::{CallParts, End, EventKind, Pairing, RecordKind, RoutedRecord, feed, first_of, write};
use crate::trace::formats::session::text_calls::{calls, claimed};
use crate::trace::scalar::Timestamp;

/// Formats that record every call as a structure. Markup in a text isn't a call there.
const STRUCTURED: [&str; 9] = [
    "atif",
    "claude-code",
    "codex",
    "codex-exec",
    "copilot-cli",
    "gemini-cli",
    "inspect",
    "messages",
    "pi",
];

/// A call in a text as markup.
#[derive(Debug)]
pub(super) struct Claim {
    line: u64,
    time: Option<Timestamp>,
    /// Empty if the markup names no tool.
    tool: Box<str>,
}

impl Pairing {
    /// Reads a text of the agent and the calls in it.
    pub(super) fn said(
        &mut self,
        key: &str,
        line: u64,
        time: Option<Timestamp>,
        text: &str,
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) {
        let Some(session) = self.sessions.get_mut(key) else {
            return;
        };
        if session.has_calls_in_text {
            let (said, calls) = calls(text);
            session.said = Some(first_of(said));
            let answers = session.answers;
            // Calls of an earlier message have their results by now, or never get them.
            while !calls.is_empty()
                && let Some(n) = self.waiting.first_open(key)
                && self.waiting.get(n).is_some_and(|w| w.asked != answers)
            {
                self.emit_call(n, false, on);
            }
            let found = !calls.is_empty();
            for call in calls {
                self.call(key, line, time, &call, on);
            }
            if found {
                return;
            }
        } else {
            session.said = Some(first_of(text));
        }
        if STRUCTURED.contains(&self.format)
            && let Some(tool) = claimed(text)
            && let Some(session) = self.sessions.get_mut(key)
        {
            session.claim.get_or_insert_with(|| Claim {
                line,
                time,
                tool: tool.into(),
            });
        }
    }

    /// Emits a claimed call if `next` shows that the message is over. Some programs keep the text
    /// of a call too: a call of the same tool in the same message is then the claimed one.
    pub(super) fn settle_claim(
        &mut self,
        key: &str,
        next: Option<&EventKind<'_>>,
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) {
        let Some(session) = self.sessions.get_mut(key) else {
            return;
        };
        let meant = |claim: &Claim, tool: &str| claim.tool.is_empty() || *claim.tool == *tool;
        let claim = match next {
            Some(EventKind::Call(call) | EventKind::Began(call)) => {
                session.claim.take_if(|claim| meant(claim, &call.tool));
                return;
            }
            None | Some(EventKind::Prompt(_) | EventKind::Ended(_)) => session.claim.take(),
            Some(_) => return,
        };
        let Some(claim) = claim else {
            return;
        };
        let Some(session) = self.next_turn(key, on) else {
            return;
        };
        let text = write::call(&CallParts {
            execution: key,
            turn: session.turns,
            id: &session.turns.to_string(),
            time: claim.time,
            tool: Some(&*claim.tool).filter(|tool| !tool.is_empty()),
            reasoning: None,
            action: None,
            decision: None,
            contradicted: false,
            end: End::Claimed,
            again: false,
            rejected_before: None,
        });
        feed(RecordKind::Call, key, claim.line, &text, on);
    }
}
