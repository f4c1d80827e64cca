//! Who and what there is in the model.
//!
//! Two of each kind are enough to tell "this one" from "another one", which is all that the
//! properties speak of; every further one would only repeat the second.

use std::fmt;

/// An action of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ActionId {
    /// The first.
    First,
    /// The second.
    Second,
}

impl ActionId {
    /// Both.
    pub const ALL: [Self; 2] = [Self::First, Self::Second];

    /// The one that this isn't.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

impl fmt::Display for ActionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "action-1",
            Self::Second => "action-2",
        })
    }
}

/// An agent of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AgentId {
    /// The first.
    First,
    /// The second.
    Second,
}

impl AgentId {
    /// Both.
    pub const ALL: [Self; 2] = [Self::First, Self::Second];
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "agent-1",
            Self::Second => "agent-2",
        })
    }
}

/// A capability token of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TokenId {
    /// The first.
    First,
    /// The second.
    Second,
}

impl TokenId {
    /// Both.
    pub const ALL: [Self; 2] = [Self::First, Self::Second];
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "token-1",
            Self::Second => "token-2",
        })
    }
}
