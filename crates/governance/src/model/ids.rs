//! The identities in the model: actions, agents and tokens.
//!
//! There are two of each kind. The properties only distinguish "this one" from "another one", so a
//! third would add nothing.

use std::fmt;

/// An action of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ActionId {
    First,
    Second,
}

impl ActionId {
    pub const ALL: [Self; 2] = [Self::First, Self::Second];

    /// Returns the other of the two actions.
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
    First,
    Second,
}

impl AgentId {
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
    First,
    Second,
}

impl TokenId {
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
