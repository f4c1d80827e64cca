//! `yuangs-record`: the record of one command. It holds no turns: nothing to replay, but a schema
//! to keep.

use super::open_shapes;
use crate::trace::record::Each;
use crate::trace::scalar::{Int, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;
use strict_json::{Raw, Str};

/// Why a command failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say all there is")]
pub enum FailureReason {
    CapabilityMismatch,
    ProviderError,
    UserAbort,
    Timeout,
    Other,
}

open_shapes! {
    /// The record.
    pub struct CommandRecord<'a> {
        id: Str<'a>,
        meta: Meta<'a>,
        intent: CapabilityIntent<'a>,
        config_snapshot: Raw<'a>,
        decision: ModelDecision<'a>,
        outcome: CommandOutcome<'a>,
        command: Option<Str<'a>>,
    }

    /// Which command, when, where.
    pub struct Meta<'a> {
        command_name: Str<'a>,
        timestamp: Timestamp,
        tool_version: Str<'a>,
        project_path: Str<'a>,
        raw_input: Option<Str<'a>>,
        mode: Option<Str<'a>>,
        replayable: Option<bool>,
        version: Option<Str<'a>>,
    }

    /// What the command asked of a model.
    pub struct CapabilityIntent<'a> {
        required: Each<Str<'a>>,
        preferred: Each<Str<'a>>,
        capability_version: Str<'a>,
    }

    /// Which model was taken, and why.
    pub struct ModelDecision<'a> {
        candidate_models: Each<Raw<'a>>,
        selected_model: Raw<'a>,
        used_fallback: bool,
        fallback_reason: Option<Str<'a>>,
        strategy: Option<Str<'a>>,
        reason: Option<Str<'a>>,
        skills: Option<Each<Raw<'a>>>,
    }

    /// How it ended.
    pub struct CommandOutcome<'a> {
        success: bool,
        failure_reason: Option<FailureReason>,
        token_count: Option<Int<0>>,
        latency_ms: Option<f64>,
        reward: Option<f64>,
        #[serde(skip)]
        #[schemars(skip)]
        lifetime: std::marker::PhantomData<&'a ()>,
    }
}
