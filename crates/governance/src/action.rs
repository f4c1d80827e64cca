//! What an action is, and who decides about it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The types of action. The set is closed in version 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say all there is")]
pub enum ActionType {
    ToolCall,
    ShellCmd,
    CodeDiff,
    Answer,
}

/// Who decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say all there is")]
pub enum DecidedBy {
    Policy,
    Human,
}
