//! Capability tokens: issue, revocation and use.

use super::super::digest::TokenInput;
use super::super::evidence::Token;
use super::super::scope;
use super::super::step_facts::{StepFacts, TokenUse};
use crate::trace::action;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{Action, ActionKind};
use governance::{ActionType, Ledger, LedgerError};
use std::collections::BTreeSet;

/// Maximum number of kept uses of unissued tokens; the first already makes the answer uncertain.
const UNISSUED: usize = 1024;
/// Maximum number of kept unknown words in grants.
const WORDS: usize = 256;

/// Tokens of one execution.
#[derive(Debug)]
pub(super) struct Capabilities {
    ledger: Ledger<Token>,
    /// Remaining comparisons with scopes.
    scope_work: u64,
    required: bool,
    /// A record that issues a token can't be read.
    unknown: bool,
    /// Tokens that were used before any was issued, with the line of the use.
    unissued: Vec<(String, u64)>,
    /// Granted words that are unknown so far, with the line of their token.
    unknown_grants: Vec<(u64, Box<str>)>,
}

impl Capabilities {
    pub(super) fn new() -> Self {
        Self {
            ledger: Ledger::new(),
            scope_work: scope::WORK,
            required: false,
            unknown: false,
            unissued: Vec::new(),
            unknown_grants: Vec::new(),
        }
    }

    pub(super) const fn ledger(&self) -> &Ledger<Token> {
        &self.ledger
    }

    /// Applies a start's requirement that every action needs a token.
    pub(super) const fn require(&mut self, required: bool) {
        self.required |= required;
    }

    /// Returns whether an action needs a token.
    pub(super) fn are_in_force(&self) -> bool {
        self.required || self.ledger.is_used()
    }

    /// Records that a token may have been issued in an unreadable record.
    pub(super) const fn lose_token(&mut self) {
        self.unknown = true;
    }

    pub(super) const fn are_unknown(&self) -> bool {
        self.unknown
    }

    pub(super) fn issue(&mut self, line: u64, id: &str, token: Token, step_facts: &mut StepFacts) {
        let anomalies = step_facts.anomalies_mut();
        anomalies.used_unissued = std::mem::take(&mut self.unissued);
        anomalies.tokens_lost = self.unknown;
        let room = WORDS.saturating_sub(self.unknown_grants.len());
        self.unknown_grants.extend(
            token
                .grants
                .words
                .iter()
                .take(room)
                .map(|word| (line, word.clone())),
        );
        step_facts.anomalies_mut().token = self.ledger.issue(id, token).err();
    }

    /// Revokes a token, and reports a use with a later date. record of it is there.
    pub(super) fn revoke(&mut self, time: Option<Timestamp>, id: &str, step_facts: &mut StepFacts) {
        // A token may be revoked before it is issued; it can't be issued afterwards.
        let revoked = self.ledger.revoke(id).is_ok();
        let used = self
            .ledger
            .token_mut(id)
            .filter(|_| revoked)
            .and_then(|token| token.last_use);
        if let (Some(time), Some((used, line))) = (time, used)
            && time.is_before(used)
        {
            step_facts.anomalies_mut().used_revoked = Some((id.to_owned(), line));
        }
    }

    pub(super) fn is_revoked(&self, id: &str) -> bool {
        self.ledger
            .live(id)
            .is_err_and(|e| e == LedgerError::Revoked)
    }

    /// Records the use of a token that hasn't been issued so far.
    pub(super) fn use_unissued(&mut self, id: &str, line: u64) {
        if self.unissued.len() < UNISSUED {
            self.unissued.push((id.to_owned(), line));
        }
    }

    /// Determines whether a token covers the executed action.
    pub(super) fn token_use(
        &mut self,
        named: Option<&str>,
        what: (Option<&str>, Option<&Action<'_>>, Option<&TokenInput>),
        changed: (&BTreeSet<String>, Option<Timestamp>),
    ) -> TokenUse {
        scope::token_use(&self.ledger, named, what, changed, &mut self.scope_work)
    }

    /// Records the time of a token's use. If no token is named and several exist, any of them may
    /// have been used, so nothing is recorded.
    pub(super) fn date_use(&mut self, named: Option<String>, time: Timestamp, line: u64) {
        let Some(name) = named.or_else(|| self.ledger.only().map(str::to_owned)) else {
            return;
        };
        if let Some(token) = self.ledger.token_mut(&name)
            && token
                .last_use
                .is_none_or(|(before, _)| before.is_before(time))
        {
            token.last_use = Some((time, line));
        }
    }

    /// Removes the tool of an action from the unknown words.
    pub(super) fn name_tool(&mut self, action: &Action<'_>) {
        if !self.unknown_grants.is_empty()
            && action.kind == ActionKind::Known(ActionType::ToolCall)
            && let Some(tool) = action.payload.and_then(action::tool)
        {
            self.unknown_grants.retain(|(_, word)| **word != *tool);
        }
    }

    /// Takes the granted words that are still unknown, with the line of their token.
    pub(super) fn take_unknown_grants(&mut self) -> Vec<(u64, Box<str>)> {
        std::mem::take(&mut self.unknown_grants)
    }

    /// Takes the state that outlives the end of an execution.
    pub(super) fn take(&mut self) -> (Ledger<Token>, Vec<(String, u64)>) {
        (
            std::mem::take(&mut self.ledger),
            std::mem::take(&mut self.unissued),
        )
    }

    /// Restores the state of an execution that continues after its end.
    pub(super) fn restore(&mut self, ledger: Ledger<Token>, unissued: Vec<(String, u64)>) {
        (self.ledger, self.unissued) = (ledger, unissued);
    }

    /// Returns an estimate of the heap bytes that it owns, with `entry` bytes for each map entry.
    pub(super) fn weight(&self, entry: usize) -> usize {
        let unissued = self.unissued.iter().map(|(id, _)| id.len() + 2 * entry);
        let grants = self
            .unknown_grants
            .iter()
            .map(|(_, word)| word.len() + 2 * entry);
        let tokens = self
            .ledger
            .iter()
            .map(|(id, token, _)| id.len() + token.weight());
        let buried = self.ledger.buried().map(|id| id.len() + 2 * entry);
        unissued.chain(grants).chain(tokens).chain(buried).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_in_force_when_a_start_requires_them() {
        let mut tokens = Capabilities::new();
        tokens.require(false);
        assert!(!tokens.are_in_force());
        tokens.require(true);
        tokens.require(false);
        assert!(tokens.are_in_force());
    }

    #[test]
    fn uses_of_unissued_tokens_are_kept_up_to_a_bound_and_taken_once() {
        let mut tokens = Capabilities::new();
        for line in 0..=(UNISSUED as u64) {
            tokens.use_unissued("t", line);
        }
        assert_eq!(tokens.weight(1), UNISSUED * 3);
        assert_eq!(tokens.take().1.len(), UNISSUED);
        assert!(tokens.take().1.is_empty());
    }
}
