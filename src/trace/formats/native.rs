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
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::Deserializer;
use std::borrow::Cow;
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
        is_done: Option<bool>,
        #[serde(rename = "type")]
        kind: Option<Str<'a>>,
        payload: Option<Raw<'a>>,
        reasoning: Option<Str<'a>>,
    }

    /// The result of an action.
    pub struct NativeResult<'a> {
        success: bool,
        output: Option<AnyText<'a>>,
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
    /// Converts it to the common type. `None` if it doesn't say whether the agent considers its
    /// task done.
    #[must_use]
    pub fn fact(&self) -> Option<Thought<'a>> {
        self.is_done.map(|done| self.fact_when(done))
    }

    /// Returns whether it contains the plan of an action.
    pub(super) fn plans(&self) -> bool {
        self.kind.is_some()
            || self
                .parsed_plan
                .is_some_and(|plan| plan.as_written() != "null")
    }

    /// Converts it to the common type, if it is known whether the agent considers its task done.
    #[must_use]
    pub fn fact_when(&self, done: bool) -> Thought<'a> {
        // One generation keeps the action in the plan, and not whether the task is done.
        let plan = self.parsed_plan.filter(|_| self.is_done.is_none());
        let plan = plan.and_then(Raw::read::<NativeAction<'a>>);
        let action = match (self.kind, plan) {
            (Some(kind), _) => Some((kind, self.payload)),
            (None, Some(plan)) => Some((plan.kind, plan.payload)),
            (None, None) => None,
        };
        let action = action.filter(|_| !done).map(|(kind, payload)| Action {
            id: None,
            kind: action_kind(kind),
            payload,
            risk: None,
        });
        Thought {
            agent: None,
            done,
            action,
            conditions: true,
        }
    }
}

/// A text, or any other JSON value, which is its own text.
#[derive(Debug, Clone, Copy)]
pub struct AnyText<'a>(pub Str<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for AnyText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        let text = raw.read::<Str<'a>>();
        Ok(Self(text.unwrap_or_else(|| Str::plain(raw.as_written()))))
    }
}

impl JsonSchema for AnyText<'_> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "AnyText".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        true.into()
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
            .map(|output| output.0)
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
            output: self.output.map(|output| output.0).unwrap_or_default(),
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
