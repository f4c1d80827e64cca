//! The record of a single command, as a report shows it. It has no turns, so it is kept apart from
//! them.

use super::turn::Text;
use super::{ACTION, PATHS_KEPT, texts, word as kept};
use crate::trace::Entry;
use crate::trace::formats::yuangs_record::{CommandRecord, FailureReason};
use borsh::{BorshDeserialize, BorshSerialize};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use strict_json::{Raw, Str};

/// A skill that was considered, with its recorded score.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize)]
pub struct SkillScore {
    /// Name of the skill.
    pub name: String,
    /// Score at the recorded time.
    pub score: Option<f64>,
}

/// The record of a single command.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandRun {
    /// Name of the input.
    pub file: Arc<str>,
    /// Line of the record in the trace.
    pub line: u64,
    /// Id of the record.
    pub id: Arc<str>,
    /// Name of the command.
    pub name: String,
    /// Recorded time, in milliseconds since the epoch.
    pub time: i64,
    /// Version of the tool that wrote the record.
    pub tool_version: String,
    /// Path of the project.
    pub project: String,
    /// Mode in which the command was run.
    pub mode: Option<String>,
    /// The text that the user typed.
    pub asked: Option<Text>,
    /// The resulting command line.
    pub command: Option<Text>,
    /// Capabilities that a model was required to have.
    pub required: Vec<String>,
    /// Capabilities that a model was preferred to have.
    pub preferred: Vec<String>,
    /// The candidate models.
    pub candidates: Vec<String>,
    /// The selected model.
    pub model: Option<String>,
    /// Whether the model was selected as a fallback.
    pub used_fallback: bool,
    /// Reason for the fallback.
    pub fallback_reason: Option<String>,
    /// Strategy of the selection.
    pub strategy: Option<String>,
    /// Reason for the selection.
    pub reason: Option<String>,
    /// The considered skills, with their scores at the recorded time.
    pub skills: Vec<SkillScore>,
    /// Whether the record reports success.
    pub success: bool,
    /// Kind of the failure.
    pub failure: Option<String>,
    /// Number of tokens used.
    pub tokens: Option<i64>,
    /// Latency in milliseconds.
    pub latency_ms: Option<f64>,
    /// Reward that was given for the result.
    pub reward: Option<f64>,
    /// The recorded configuration, as JSON text.
    pub config: Text,
}

/// The members of the record that its typed form checks without keeping.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct Lists<'a> {
    intent: IntentLists<'a>,
    decision: DecisionLists<'a>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct IntentLists<'a> {
    required: Raw<'a>,
    preferred: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
struct DecisionLists<'a> {
    candidate_models: Raw<'a>,
    #[serde(default)]
    skills: Option<Raw<'a>>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct Named<'a> {
    #[serde(default)]
    name: Option<Str<'a>>,
    #[serde(default)]
    id: Option<Str<'a>>,
    #[serde(default)]
    score: Option<f64>,
}

/// Reads a name with its score, written as a string or as an object with `name` or `id`.
fn name(raw: Raw<'_>) -> Option<(String, Option<f64>)> {
    if let Some(word) = raw.read::<Str<'_>>() {
        return Some((kept(word), None));
    }
    let named: Named<'_> = raw.read()?;
    Some((kept(named.name.or(named.id)?), named.score))
}

fn names(raw: Option<Raw<'_>>) -> Vec<(String, Option<f64>)> {
    let list: Vec<Raw<'_>> = raw.and_then(Raw::read).unwrap_or_default();
    list.into_iter().filter_map(name).take(PATHS_KEPT).collect()
}

impl CommandRun {
    /// Reads a record; `None` when it isn't the record of a command.
    pub(in crate::verify) fn of(file: &Arc<str>, entry: &Entry<'_>) -> Option<Self> {
        let record: CommandRecord<'_> = strict_json::from_text(entry.text).ok()?;
        let lists: Option<Lists<'_>> = strict_json::from_text(entry.text).ok();
        let lists = lists.as_ref();
        let owned = |text: Option<Str<'_>>| text.map(kept);
        let cut = |text: Option<Str<'_>>| text.map(|t| Text::truncated(&t.decode(), ACTION));
        let (meta, decision, outcome) = (&record.meta, &record.decision, &record.outcome);
        Some(Self {
            file: file.clone(),
            line: entry.line,
            id: kept(record.id).into(),
            name: kept(meta.command_name),
            time: meta.timestamp.millis(),
            tool_version: kept(meta.tool_version),
            project: kept(meta.project_path),
            mode: owned(meta.mode),
            asked: cut(meta.raw_input),
            command: cut(record.command),
            required: texts(lists.map(|l| l.intent.required)).unwrap_or_default(),
            preferred: texts(lists.map(|l| l.intent.preferred)).unwrap_or_default(),
            candidates: names(lists.map(|l| l.decision.candidate_models))
                .into_iter()
                .map(|(name, _)| name)
                .collect(),
            model: name(decision.selected_model).map(|(name, _)| name),
            used_fallback: decision.used_fallback,
            fallback_reason: owned(decision.fallback_reason),
            strategy: owned(decision.strategy),
            reason: owned(decision.reason),
            skills: names(lists.and_then(|l| l.decision.skills))
                .into_iter()
                .map(|(name, score)| SkillScore { name, score })
                .collect(),
            success: outcome.success,
            failure: outcome.failure_reason.map(|reason| {
                let word = match reason {
                    FailureReason::CapabilityMismatch => "capability-mismatch",
                    FailureReason::ProviderError => "provider-error",
                    FailureReason::UserAbort => "user-abort",
                    FailureReason::Timeout => "timeout",
                    FailureReason::Other => "other",
                };
                word.to_owned()
            }),
            tokens: outcome.token_count.map(|n| n.get()),
            latency_ms: outcome.latency_ms,
            reward: outcome.reward,
            config: Text::truncated(record.config_snapshot.as_written(), ACTION),
        })
    }
}
