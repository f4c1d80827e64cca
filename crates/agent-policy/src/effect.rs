//! Effects of decisions, and three-valued logic.

use serde::Serialize;
use std::fmt;

/// The effect of a decision, ordered from permissive to restrictive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The action may run.
    Allow,
    /// A human must approve the action first.
    RequireApproval,
    /// The action must not run.
    Deny,
}

impl Effect {
    /// All effects, the most permissive first.
    pub const ALL: [Self; 3] = [Self::Allow, Self::RequireApproval, Self::Deny];

    /// The words for effects that messages list.
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

    /// Parses an effect. Older policy forms have their own words.
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

    /// The name in reports.
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

/// A truth value with an unknown: `rm "$X"` may delete anything.
///
/// The order makes "and" the minimum, "or" the maximum (Kleene's strong logic).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tristate {
    /// It doesn't hold.
    No,
    /// It is unknown from the action alone.
    Maybe,
    /// It holds.
    Yes,
}

impl Tristate {
    /// Converts a known truth value.
    #[must_use]
    pub const fn from_bool(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    /// Negates the value; an unknown stays unknown.
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
