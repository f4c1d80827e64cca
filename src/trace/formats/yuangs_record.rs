//! `yuangs-record`: the record of one command. It has no turns, so it is only validated, not
//! replayed.

use super::native::open_shapes;
use super::{Coverage, FormatRecord, RecordClass, Routing, TraceFormat, Unit};
use crate::schema::Catalogue;
use crate::trace::entry::Record;
use crate::trace::record::Each;
use crate::trace::scalar::{Int, Timestamp};
use crate::trace::step::Step;
use schemars::JsonSchema;
use serde::Deserialize;
use strict_json::{Deserializer, Error, Raw, Scanner, Str};

pub(super) struct YuangsRecord;

impl TraceFormat for YuangsRecord {
    fn name(&self) -> &'static str {
        "yuangs-record"
    }

    fn coverage(&self) -> Coverage {
        Coverage::Nothing
    }

    fn routing(&self) -> Routing {
        Routing::Nowhere
    }

    fn is_line_oriented(&self) -> bool {
        false
    }

    fn is_shape_of(&self, unit: &Unit<'_>) -> bool {
        unit.has(&["meta", "outcome"]) && unit.has_one(&["decision", "intent"])
    }

    fn read<'a>(&self, scanner: &mut Scanner<'a>, _: &'a str) -> Result<Record<'a>, Error> {
        let command: Box<CommandRecord<'a>> = Box::deserialize(&mut Deserializer::new(scanner))?;
        scanner.end()?;
        Ok(command.into())
    }

    fn not_recorded(&self, _: bool) -> Option<&'static str> {
        None
    }

    fn add_schemas(&self, catalogue: &mut Catalogue) {
        catalogue.add::<CommandRecord<'_>>(self.name(), "The record of one command.", |_| {});
    }
}

impl<'a> FormatRecord<'a> for CommandRecord<'a> {
    fn class(&self) -> RecordClass {
        RecordClass::Command
    }

    fn steps<'r>(&'r self, _: &mut dyn FnMut(&Step<'r, 'a>)) {}
}

/// Why a command failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FailureReason {
    CapabilityMismatch,
    ProviderError,
    UserAbort,
    Timeout,
    Other,
}

open_shapes! {
    /// The record of a command.
    pub struct CommandRecord<'a> {
        id: Str<'a>,
        meta: Meta<'a>,
        intent: CapabilityIntent<'a>,
        config_snapshot: Raw<'a>,
        decision: ModelDecision<'a>,
        outcome: CommandOutcome<'a>,
        command: Option<Str<'a>>,
    }

    /// Which command was executed, when and where.
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

    /// Capabilities that the command requires of a model.
    pub struct CapabilityIntent<'a> {
        required: Each<Str<'a>>,
        preferred: Each<Str<'a>>,
        capability_version: Str<'a>,
    }

    /// Which model was selected, and why.
    pub struct ModelDecision<'a> {
        candidate_models: Each<Raw<'a>>,
        selected_model: Raw<'a>,
        used_fallback: bool,
        fallback_reason: Option<Str<'a>>,
        strategy: Option<Str<'a>>,
        reason: Option<Str<'a>>,
        skills: Option<Each<Raw<'a>>>,
    }

    /// How the command ended.
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
