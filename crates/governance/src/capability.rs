//! Capability tokens. Each is issued at most once, and a revocation is final.

use std::collections::{BTreeMap, BTreeSet};

/// Why a ledger refuses an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    #[error("the token is live already")]
    AlreadyIssued,
    /// The token was revoked. It can't be issued again.
    #[error("the token was revoked")]
    Revoked,
    /// The token was never issued.
    #[error("the token was never issued")]
    Unknown,
}

/// The tokens of one execution, live and revoked. One map holds both, so that a token can't be both
/// at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger<T> {
    /// Each token by its id, with `true` if it was revoked.
    tokens: BTreeMap<Box<str>, (T, bool)>,
    /// Ids that were revoked before they were issued. They can never be issued.
    buried: BTreeSet<Box<str>>,
}

impl<T> Default for Ledger<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Ledger<T> {
    /// Creates an empty ledger.
    #[must_use]
    pub fn new() -> Self {
        Self {
            tokens: BTreeMap::new(),
            buried: BTreeSet::new(),
        }
    }

    /// Issues a token.
    ///
    /// # Errors
    /// Fails if the token is live or was revoked.
    pub fn issue(&mut self, id: &str, token: T) -> Result<(), LedgerError> {
        match self.tokens.get(id) {
            Some((_, false)) => Err(LedgerError::AlreadyIssued),
            Some((_, true)) => Err(LedgerError::Revoked),
            None if self.buried.contains(id) => Err(LedgerError::Revoked),
            None => {
                self.tokens.insert(id.into(), (token, false));
                Ok(())
            }
        }
    }

    /// Revokes a token for good. An id that was never issued can't be issued afterwards either.
    ///
    /// # Errors
    /// Fails if the token was never issued or is revoked already.
    pub fn revoke(&mut self, id: &str) -> Result<(), LedgerError> {
        match self.tokens.get_mut(id) {
            None => {
                self.buried.insert(id.into());
                Err(LedgerError::Unknown)
            }
            Some((_, true)) => Err(LedgerError::Revoked),
            Some((_, revoked)) => {
                *revoked = true;
                Ok(())
            }
        }
    }

    /// Returns the ids that were revoked before they were issued.
    pub fn buried(&self) -> impl Iterator<Item = &str> {
        self.buried.iter().map(|id| &**id)
    }

    /// Returns a live token.
    ///
    /// # Errors
    /// Fails if the token was never issued or was revoked.
    pub fn live(&self, id: &str) -> Result<&T, LedgerError> {
        match self.tokens.get(id) {
            None if self.buried.contains(id) => Err(LedgerError::Revoked),
            None => Err(LedgerError::Unknown),
            Some((_, true)) => Err(LedgerError::Revoked),
            Some((token, false)) => Ok(token),
        }
    }

    /// Returns a token, live or revoked, for an update of its data.
    pub fn token_mut(&mut self, id: &str) -> Option<&mut T> {
        self.tokens.get_mut(id).map(|(token, _)| token)
    }

    /// Returns the id of the only token ever issued, or `None` if there are none or several.
    #[must_use]
    pub fn only(&self) -> Option<&str> {
        let mut all = self.tokens.keys();
        all.next().filter(|_| all.next().is_none()).map(|id| &**id)
    }

    /// Iterates over all tokens by id; the flag is `true` for a revoked token.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T, bool)> {
        self.tokens
            .iter()
            .map(|(id, (token, revoked))| (&**id, token, *revoked))
    }

    /// Returns whether any token was ever issued.
    #[must_use]
    pub fn is_used(&self) -> bool {
        !self.tokens.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_lives_once() {
        let mut ledger = Ledger::new();
        assert_eq!(ledger.live("c"), Err(LedgerError::Unknown));
        assert_eq!(ledger.revoke("d"), Err(LedgerError::Unknown));
        assert_eq!(ledger.issue("d", ()), Err(LedgerError::Revoked));
        assert_eq!(ledger.live("d"), Err(LedgerError::Revoked));
        assert!(!ledger.is_used());
        assert_eq!(ledger.issue("c", ()), Ok(()));
        assert_eq!(ledger.issue("c", ()), Err(LedgerError::AlreadyIssued));
        assert_eq!(ledger.live("c"), Ok(&()));
        assert_eq!(ledger.revoke("c"), Ok(()));
        assert_eq!(ledger.live("c"), Err(LedgerError::Revoked));
        assert_eq!(ledger.issue("c", ()), Err(LedgerError::Revoked));
        assert_eq!(ledger.revoke("c"), Err(LedgerError::Revoked));
    }
}
