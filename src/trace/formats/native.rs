//! Types that the formats of other writers share.
//!
//! Those writers may change their formats at any time, so unknown members are accepted here. What a
//! format doesn't record stays "not recorded".

pub(in crate::trace) use super::shown::{DECISION_MEMBERS, names_action};

use crate::trace::record::Texts;
use crate::trace::scalar::{Int, Timestamp};
use crate::trace::step::{Action, ActionKind, Decision, Outcome, Thought};
use governance::{ActionType, DecidedBy};
use governance::{RiskLevel, Ruling};
use schemars::JsonSchema;
use serde::Deserialize;
use strict_json::{Raw, Str};

/// Declares structs of another writer's format: members in camelCase, unknown ones accepted.
macro_rules! open_shapes {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident<$a:lifetime> {
            $($(#[$field_meta:meta])* $field:ident : $type:ty,)*
        }
    )*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
        pub struct $name<$a> { $($(#[$field_meta])* pub $field: $type,)* }
    )*};
}
pub(super) use open_shapes;

/// Who decided, in the early runtime's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// The policy.
    Policy,
    /// The policy, in the words of one generation.
    AutoPolicy,
    /// A human.
    Human,
}

open_shapes! {
    /// An action. Its type may be any word.
    pub struct NativeAction<'a> {
        id: Option<Str<'a>>,
        #[serde(rename = "type")]
        kind: Str<'a>,
        payload: Option<Raw<'a>>,
        risk_level: Option<RiskLevel>,
    }

    /// A decision about an action.
    pub struct NativeDecision<'a> {
        status: Ruling,
        by: By,
        timestamp: Option<Timestamp>,
        action_id: Option<Str<'a>>,
        signer: Option<Str<'a>>,
        reason: Option<Str<'a>>,
        rule_id: Option<Str<'a>>,
        original_action_id: Option<Str<'a>>,
        modified_action: Option<NativeAction<'a>>,
        modification_reason: Option<Str<'a>>,
    }

    /// A response of the model.
    pub struct NativeThought<'a> {
        raw: Option<Str<'a>>,
        parsed_plan: Option<Raw<'a>>,
        is_done: bool,
        #[serde(rename = "type")]
        kind: Option<Str<'a>>,
        payload: Option<Raw<'a>>,
        reasoning: Option<Str<'a>>,
    }

    /// The result of an action.
    pub struct NativeResult<'a> {
        success: bool,
        output: Option<Str<'a>>,
        error: Option<Str<'a>>,
        exit_code: Option<Int<-2_147_483_648>>,
        artifacts: Option<Texts<'a>>,
    }
}

/// Returns the type that a word names.
#[must_use]
pub fn action_kind(word: Str<'_>) -> ActionKind<'_> {
    match &*word.decode() {
        "tool_call" => ActionKind::Known(ActionType::ToolCall),
        "shell_cmd" => ActionKind::Known(ActionType::ShellCmd),
        "code_diff" => ActionKind::Known(ActionType::CodeDiff),
        "answer" => ActionKind::Known(ActionType::Answer),
        _ => ActionKind::Other(word),
    }
}

/// Parses a decision from a text.
#[must_use]
pub fn decision(text: &str) -> Option<Decision<'_>> {
    strict_json::from_text::<NativeDecision<'_>>(text)
        .ok()
        .map(|d| d.fact())
}

impl<'a> NativeAction<'a> {
    /// Converts it to the common type.
    #[must_use]
    pub fn fact(&self) -> Action<'a> {
        Action {
            id: self.id,
            kind: action_kind(self.kind),
            payload: self.payload,
            risk: self.risk_level,
        }
    }
}

impl<'a> NativeDecision<'a> {
    /// Converts it to the common type.
    #[must_use]
    pub fn fact(&self) -> Decision<'a> {
        Decision {
            ruling: self.status,
            by: match self.by {
                By::Policy | By::AutoPolicy => DecidedBy::Policy,
                By::Human => DecidedBy::Human,
            },
            time: self.timestamp,
            action: self.action_id,
            signer: self.signer,
            reason: self.reason,
            rule: self.rule_id,
            original: self.original_action_id,
            modified: self.modified_action.as_ref().map(NativeAction::fact),
            modification_reason: self.modification_reason,
            signature: None,
        }
    }
}

impl<'a> NativeThought<'a> {
    /// Converts it to the common type.
    #[must_use]
    pub fn fact(&self) -> Thought<'a> {
        let action = match self.kind {
            Some(kind) if !self.is_done => Some(Action {
                id: None,
                kind: action_kind(kind),
                payload: self.payload,
                risk: None,
            }),
            _ => None,
        };
        Thought {
            agent: None,
            done: self.is_done,
            action,
            conditions: true,
        }
    }
}

/// Prefix of an output when the early runtime's policy stopped an action before the governor saw
/// it.
pub(super) const POLICY_DENIED: &str = "POLICY DENIED:";
/// Prefix of an output when nothing was executed because the governor rejected the action.
pub(super) const REJECTED: &str = "GOVERNANCE REJECTED:";

impl<'a> NativeResult<'a> {
    /// Returns whether it only says that nothing was executed: a failure without exit code and
    /// files, whose output is the mark and the reason. If the reason isn't recorded, the output
    /// must be one line.
    pub(super) fn is_notice(&self, mark: &str, reason: Option<Str<'_>>) -> bool {
        let Some(text) = self
            .output
            .filter(|output| output.starts_with(mark))
            .map(Str::decode)
        else {
            return false;
        };
        let said = text.strip_prefix(mark).unwrap_or_default().trim();
        let whole = !said.contains(['\n', '\r'])
            || [reason, self.error]
                .into_iter()
                .flatten()
                .any(|r| r.decode().trim() == said);
        whole
            && !self.success
            && self.exit_code.is_none()
            && self.artifacts.is_none_or(|a| a.count == 0)
    }

    /// Converts it to the common type, as the result of an action of this type.
    #[must_use]
    pub fn fact(&self, kind: Option<ActionKind<'_>>) -> Outcome<'a> {
        let marks: &[&str] = match kind {
            Some(ActionKind::Known(ActionType::CodeDiff)) => &["[FAILED]", POLICY_DENIED, REJECTED],
            Some(ActionKind::Known(ActionType::Answer)) => &[],
            _ => &[POLICY_DENIED, REJECTED],
        };
        Outcome {
            success: self.success,
            output: self.output.unwrap_or_default(),
            error: self.error,
            error_type: false,
            exit_code: self.exit_code.map(|n| n.get()),
            cost: None,
            duration: None,
            artifacts: self.artifacts,
            perhaps: false,
            marks,
        }
    }
}
