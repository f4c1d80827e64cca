//! Records whose members depend on each other: thoughts under the prompt contract, and evaluations.

use super::record::{AnyObject, Each, EvaluationReason, Intent};
use governance::EvaluationKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use std::borrow::Cow;
use strict_json::Str;

/// Output of a model. It contains an action exactly when it isn't done.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "ThoughtShape<'_>", bound(deserialize = "'de: 'a"))]
pub struct Thought<'a> {
    pub reasoning: Str<'a>,
    pub done: bool,
    pub action: Option<Intent<'a>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    bound(deserialize = "'de: 'a")
)]
struct ThoughtShape<'a> {
    reasoning: Str<'a>,
    done: bool,
    action: Option<Intent<'a>>,
}

/// A thought inside a turn, with the members of a record of its own.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "TurnThoughtShape<'_>", bound(deserialize = "'de: 'a"))]
pub struct TurnThought<'a> {
    pub agent_id: Option<Str<'a>>,
    pub reasoning: Str<'a>,
    pub done: bool,
    pub action: Option<Intent<'a>>,
    pub used_context: Option<Vec<Str<'a>>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    bound(deserialize = "'de: 'a")
)]
struct TurnThoughtShape<'a> {
    agent_id: Option<Str<'a>>,
    reasoning: Str<'a>,
    done: bool,
    action: Option<Intent<'a>>,
    used_context: Option<Vec<Str<'a>>>,
    #[expect(dead_code, reason = "checked, not read by a rule yet")]
    used_skills: Option<Each<Str<'a>>>,
    #[expect(dead_code, reason = "checked, not read by a rule yet")]
    model: Option<Str<'a>>,
}

/// A contradiction between two members of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Contradiction {
    /// An action together with `done: true`, or none together with `done: false`.
    #[error("an `action` is required exactly when `done` is false")]
    ActionAndDone,
    /// The reason belongs to another kind of evaluation.
    #[error("the `reason` doesn't belong to this `kind` of evaluation")]
    KindAndReason,
}

impl<'a> TryFrom<ThoughtShape<'a>> for Thought<'a> {
    type Error = Contradiction;

    fn try_from(shape: ThoughtShape<'a>) -> Result<Self, Contradiction> {
        let ThoughtShape {
            reasoning,
            done,
            action,
        } = shape;
        if action.is_some() == done {
            return Err(Contradiction::ActionAndDone);
        }
        Ok(Self {
            reasoning,
            done,
            action,
        })
    }
}

impl<'a> TryFrom<TurnThoughtShape<'a>> for TurnThought<'a> {
    type Error = Contradiction;

    fn try_from(shape: TurnThoughtShape<'a>) -> Result<Self, Contradiction> {
        let TurnThoughtShape {
            agent_id,
            reasoning,
            done,
            action,
            used_context,
            ..
        } = shape;
        if action.is_some() == done {
            return Err(Contradiction::ActionAndDone);
        }
        Ok(Self {
            agent_id,
            reasoning,
            done,
            action,
            used_context,
        })
    }
}

/// Adds to a JSON Schema: `action` if and only if not `done`. Null counts as absent.
fn action_iff_not_done(mut schema: Schema) -> Schema {
    let present = json_schema!({
        "required": ["action"],
        "properties": { "action": { "not": { "type": "null" } } }
    });
    schema.insert(
        "if".into(),
        serde_json::json!({ "properties": { "done": { "const": false } } }),
    );
    schema.insert("then".into(), present.clone().into());
    schema.insert("else".into(), serde_json::json!({ "not": present }));
    schema
}

impl JsonSchema for Thought<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Thought".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        action_iff_not_done(ThoughtShape::json_schema(generator))
    }
}

impl JsonSchema for TurnThought<'_> {
    fn schema_name() -> Cow<'static, str> {
        "TurnThought".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        action_iff_not_done(TurnThoughtShape::json_schema(generator))
    }
}

/// The runtime's evaluation with its reason. Each reason belongs to one kind.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "EvaluationShape")]
pub struct Evaluation {
    pub kind: EvaluationKind,
    pub reason: EvaluationReason,
}

impl Evaluation {
    /// Creates an evaluation; its kind follows from the reason.
    #[must_use]
    pub const fn because(reason: EvaluationReason) -> Self {
        Self {
            kind: reason.kind(),
            reason,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EvaluationShape {
    kind: EvaluationKind,
    reason: EvaluationReason,
    #[expect(dead_code, reason = "checked, never read")]
    metadata: Option<AnyObject>,
}

impl TryFrom<EvaluationShape> for Evaluation {
    type Error = Contradiction;

    fn try_from(shape: EvaluationShape) -> Result<Self, Contradiction> {
        if shape.reason.kind() == shape.kind {
            Ok(Self::because(shape.reason))
        } else {
            Err(Contradiction::KindAndReason)
        }
    }
}

impl JsonSchema for Evaluation {
    fn schema_name() -> Cow<'static, str> {
        "Evaluation".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        reason_of_its_kind(EvaluationShape::json_schema(generator))
    }
}

/// An evaluation of a native format, which accepts unknown members.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "OpenEvaluationShape")]
pub struct OpenEvaluation(pub Evaluation);

#[derive(Deserialize, JsonSchema)]
struct OpenEvaluationShape {
    kind: EvaluationKind,
    reason: EvaluationReason,
}

impl TryFrom<OpenEvaluationShape> for OpenEvaluation {
    type Error = Contradiction;

    fn try_from(shape: OpenEvaluationShape) -> Result<Self, Contradiction> {
        EvaluationShape {
            kind: shape.kind,
            reason: shape.reason,
            metadata: None,
        }
        .try_into()
        .map(Self)
    }
}

impl JsonSchema for OpenEvaluation {
    fn schema_name() -> Cow<'static, str> {
        "OpenEvaluation".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        reason_of_its_kind(OpenEvaluationShape::json_schema(generator))
    }
}

fn reason_of_its_kind(mut schema: Schema) -> Schema {
    schema.insert(
        "oneOf".into(),
        serde_json::json!([
            { "properties": {
                "kind": { "const": "continue" },
                "reason": { "enum": ["incomplete", "failure_retry"] }
            } },
            { "properties": {
                "kind": { "const": "terminate" },
                "reason": { "enum": ["goal_satisfied", "user_abort", "max_turns_exceeded"] }
            } },
            { "properties": {
                "kind": { "const": "pause" },
                "reason": { "enum": ["await_human_input"] }
            } }
        ]),
    );
    schema
}
