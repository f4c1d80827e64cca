//! Capability tokens: issued once, revoked once and for good.

use std::collections::{BTreeMap, BTreeSet};

/// What a ledger refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// The token is live already.
    #[error("the token is live already")]
    AlreadyIssued,
    /// The token was revoked; it can never be issued again.
    #[error("the token was revoked")]
    Revoked,
    /// Nobody has issued the token.
    #[error("the token was never issued")]
    Unknown,
}

/// The tokens of one execution, live and revoked. A token is in one of the two sets, never in both:
/// the type makes it so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger<T> {
    tokens: BTreeMap<Box<str>, (T, bool)>,
    /// Revoked before anybody issued them: nobody ever shall.
    buried: BTreeSet<Box<str>>,
}

impl<T> Default for Ledger<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Ledger<T> {
    /// An empty ledger.
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
    /// When it is live or was revoked.
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

    /// Revokes a token for good, be it one that nobody has issued yet.
    ///
    /// # Errors
    /// When it was never issued or is revoked already.
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

    /// The ids that were revoked before anybody issued them.
    pub fn buried(&self) -> impl Iterator<Item = &str> {
        self.buried.iter().map(|id| &**id)
    }

    /// Looks a token up.
    ///
    /// # Errors
    /// When it was never issued, or is revoked, be it before anybody issued it.
    pub fn live(&self, id: &str) -> Result<&T, LedgerError> {
        match self.tokens.get(id) {
            None if self.buried.contains(id) => Err(LedgerError::Revoked),
            None => Err(LedgerError::Unknown),
            Some((_, true)) => Err(LedgerError::Revoked),
            Some((token, false)) => Ok(token),
        }
    }

    /// A token, live or revoked, to note something of it.
    pub fn token_mut(&mut self, id: &str) -> Option<&mut T> {
        self.tokens.get_mut(id).map(|(token, _)| token)
    }

    /// The only token that was ever issued, if there is one and no other.
    #[must_use]
    pub fn only(&self) -> Option<&str> {
        let mut all = self.tokens.keys();
        all.next().filter(|_| all.next().is_none()).map(|id| &**id)
    }

    /// All tokens with `true` for the revoked, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T, bool)> {
        self.tokens
            .iter()
            .map(|(id, (token, revoked))| (&**id, token, *revoked))
    }

    /// Whether any token was ever issued.
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
