//! Spans of Claude Code: that of a call has parts with the decision about it and its end.

use super::otlp::{Attributes, decision};
use governance::DecidedBy;
use hashbrown::HashMap;
use std::borrow::Cow;

/// Name of a call's span.
pub(super) const TOOL: &str = "claude_code.tool";

/// What the parts of a call's span say.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CallParts {
    /// Whether the call was allowed, and by whom.
    pub(super) decision: Option<(bool, DecidedBy)>,
    pub(super) failed: bool,
    executed: bool,
}

impl CallParts {
    /// Returns who rejected the call, if nothing says that it was executed all the same.
    pub(super) fn rejected(self) -> Option<DecidedBy> {
        let (allowed, by) = self.decision?;
        (!allowed && !self.executed).then_some(by)
    }
}

/// Parts of calls, by the id of the call's span.
#[derive(Debug, Default)]
pub(super) struct Parts<'a>(HashMap<Cow<'a, str>, CallParts>);

impl<'a> Parts<'a> {
    /// Adds a span, if it is a part of a call's.
    pub(super) fn add(&mut self, parent: Cow<'a, str>, name: &str, attributes: &Attributes<'a>) {
        let Some(part) = name
            .strip_prefix(TOOL)
            .and_then(|part| part.strip_prefix('.'))
        else {
            return;
        };
        let parts = self.0.entry(parent).or_default();
        match part {
            "blocked_on_user" => {
                parts.decision = decision(attributes, &["decision"], &["source"]);
            }
            "execution" => {
                let success = attributes.first(&["success"]);
                parts.executed = true;
                parts.failed = success.is_some_and(|word| word.eq_ignore_ascii_case("false"));
            }
            _ => {}
        }
    }

    pub(super) fn of(&self, span: &str) -> CallParts {
        self.0.get(span).copied().unwrap_or_default()
    }
}
