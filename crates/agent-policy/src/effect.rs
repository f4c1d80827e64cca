//! What a policy says of an action.

use serde::Serialize;
use std::fmt;

/// The effects, from mild to strict; the order is that of strictness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It may run.
    Allow,
    /// A human has to look at it first.
    RequireApproval,
    /// It may not run.
    Deny,
}

impl Effect {
    /// All of them, the mildest first.
    pub const ALL: [Self; 3] = [Self::Allow, Self::RequireApproval, Self::Deny];

    /// Every word that is read as an effect.
    pub const WORDS: [&'static str; 10] = [
        "allow",
        "auto",
        "approve",
        "require_approval",
        "confirm",
        "ask",
        "escalate",
        "require_human",
        "deny",
        "block",
    ];

    /// The effect that a word means; the older forms have words of their own.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "allow" | "auto" | "approve" => Self::Allow,
            "require_approval" | "confirm" | "ask" | "escalate" | "require_human" => {
                Self::RequireApproval
            }
            "deny" | "block" | "reject" => Self::Deny,
            _ => return None,
        })
    }

    /// The word in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::RequireApproval => "require_approval",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Whether something holds, where that can't always be told: `rm "$X"` may delete anything.
///
/// The order makes "and" the minimum, "or" the maximum (Kleene's strong logic).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tristate {
    /// It doesn't.
    No,
    /// It can't be told from the action alone.
    Maybe,
    /// It does.
    Yes,
}

impl Tristate {
    /// What is certain either way.
    #[must_use]
    pub const fn sure(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    /// The opposite; what can't be told stays so.
    #[must_use]
    pub const fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Maybe => Self::Maybe,
            Self::Yes => Self::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_words_mean_the_same() {
        assert!(Effect::Allow < Effect::RequireApproval && Effect::RequireApproval < Effect::Deny);
        for word in Effect::WORDS {
            assert!(Effect::parse(word).is_some(), "{word}");
        }
        assert_eq!(Effect::parse("escalate"), Some(Effect::RequireApproval));
        assert_eq!(Effect::parse("reject"), Some(Effect::Deny));
        assert_eq!(Effect::parse("Deny"), None);
    }

    #[test]
    fn what_cannot_be_told_stays_so() {
        assert_eq!(Tristate::Maybe.not(), Tristate::Maybe);
        assert_eq!(Tristate::Yes.min(Tristate::Maybe), Tristate::Maybe);
        assert_eq!(Tristate::No.max(Tristate::Maybe), Tristate::Maybe);
    }
}
