//! Risk levels, and the early runtime's way to find one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How bad an action can get. Unknown means high.
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
)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Risk")]
pub enum RiskLevel {
    /// Reads inside the work tree, or nothing at all.
    #[default]
    Low,
    /// Changes that a review finds and an undo reverts.
    Medium,
    /// Anything worse, and anything that isn't understood.
    High,
}

impl RiskLevel {
    /// The name in records.
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
    /// A command line.
    ShellCommand(&'a str),
    /// A diff.
    CodeDiff,
    /// A call of a tool.
    ToolCall,
    /// Text for the user.
    Answer,
    /// A type that nobody knows.
    Unknown,
}

/// Version 0 of the analyser, kept for the traces of its day: it searches the text of a command for
/// six fragments. Anyone who quotes a letter gets past it, which is why nothing new is judged by
/// it.
///
/// An answer is low: the specification says of it that it has no side effect, while the early
/// analyser's "anything else" was meant for types that it didn't know.
#[must_use]
pub fn assess_v0(subject: Subject<'_>) -> RiskLevel {
    const FRAGMENTS: [&str; 6] = ["rm ", "sudo", "chmod", "chown", "kill", ">"];
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
        assert_eq!(shell("r''m -rf /"), RiskLevel::Medium);
        assert_eq!(shell("ls"), RiskLevel::Medium);
        assert_eq!(assess_v0(Subject::CodeDiff), RiskLevel::Medium);
        assert_eq!(assess_v0(Subject::ToolCall), RiskLevel::Low);
        assert_eq!(assess_v0(Subject::Unknown), RiskLevel::High);
    }
}
