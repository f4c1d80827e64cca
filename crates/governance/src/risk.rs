//! Risk levels, and the early runtime's risk analysis.

use borsh::{BorshDeserialize, BorshSerialize};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The worst effect that an action can have. An unknown risk is high.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Risk")]
pub enum RiskLevel {
    /// Reads within the work tree, or has no effect.
    #[default]
    Low,
    /// Makes changes that a review can find and an undo can revert.
    Medium,
    /// Has a worse effect, or couldn't be understood.
    High,
}

impl RiskLevel {
    /// Returns the name used in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl fmt::Display for RiskLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An action as the early analyser sees it.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// A shell command line.
    ShellCommand(&'a str),
    CodeDiff,
    ToolCall,
    /// Text for the user.
    Answer,
    /// An action of a type that isn't known.
    Unknown,
}

/// Assesses an action like version 0 of the analyser did, for traces that it wrote.
///
/// It searches the text of a command for seven fragments. Quoting a single letter evades it, so
/// nothing else uses it.
///
/// An answer is low: by the specification it has no side effect. The early analyser's default level
/// was meant for types that it didn't know.
#[must_use]
pub fn assess_v0(subject: Subject<'_>) -> RiskLevel {
    const FRAGMENTS: [&str; 7] = ["rm ", "sudo", "chmod", "chown", "kill", ">", "|"];
    match subject {
        Subject::ShellCommand(command) => {
            let command = command.to_lowercase();
            if FRAGMENTS.iter().any(|f| command.contains(f)) {
                RiskLevel::High
            } else {
                RiskLevel::Medium
            }
        }
        Subject::CodeDiff => RiskLevel::Medium,
        Subject::ToolCall | Subject::Answer => RiskLevel::Low,
        Subject::Unknown => RiskLevel::High,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_0_is_as_naive_as_it_was() {
        let shell = |c| assess_v0(Subject::ShellCommand(c));
        assert_eq!(shell("RM -rf /"), RiskLevel::High);
        assert_eq!(shell("echo hi > f"), RiskLevel::High);
        assert_eq!(shell("ls | wc -l"), RiskLevel::High);
        assert_eq!(shell("r''m -rf /"), RiskLevel::Medium);
        assert_eq!(shell("ls"), RiskLevel::Medium);
        assert_eq!(assess_v0(Subject::CodeDiff), RiskLevel::Medium);
        assert_eq!(assess_v0(Subject::ToolCall), RiskLevel::Low);
        assert_eq!(assess_v0(Subject::Unknown), RiskLevel::High);
    }
}
