//! The types of action, and who decides about one.

use borsh::{BorshDeserialize, BorshSerialize};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The type of an action. Version 1 of the specification has no others.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ActionType {
    ToolCall,
    ShellCmd,
    CodeDiff,
    Answer,
}

/// Who made a governance decision.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum DecidedBy {
    Policy,
    Human,
}
