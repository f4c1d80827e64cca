//! The record of one command, as a report shows it: it has no turns, so it is kept beside them.

use super::turn::Text;
use super::{ACTION, PATHS_KEPT, texts, word as kept};
use crate::trace::Entry;
use crate::trace::formats::yuangs_record::{CommandRecord, FailureReason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use strict_json::{Raw, Str};

/// A skill that was considered, with its score as it was then.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SkillScore {
    /// Its name.
    pub name: String,
    /// Its score at the recorded time.
    pub score: Option<f64>,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandRun {
    /// The input.
    pub file: Arc<str>,
    /// Its line.
    pub line: u64,
    /// Its id.
    pub id: Arc<str>,
    /// Which command.
    pub name: String,
    /// When, in milliseconds since the epoch.
    pub time: i64,
    /// The version of the tool.
    pub tool_version: String,
    /// Where.
    pub project: String,
    /// In which mode.
    pub mode: Option<String>,
    /// What was typed.
    pub asked: Option<Text>,
    /// The command line that came of it.
    pub command: Option<Text>,
    /// Capabilities that a model had to have.
    pub required: Vec<String>,
    /// Capabilities that it should have.
    pub preferred: Vec<String>,
    /// The models to choose from.
    pub candidates: Vec<String>,
    /// The model that was taken.
    pub model: Option<String>,
    /// Whether that was a way out.
    pub used_fallback: bool,
    /// Why it was.
    pub fallback_reason: Option<String>,
    /// How it was chosen.
    pub strategy: Option<String>,
    /// Why it was chosen.
    pub reason: Option<String>,
    /// The skills, with their scores at the recorded time.
    pub skills: Vec<SkillScore>,
    /// Whether it is said to have succeeded.
    pub success: bool,
    /// The kind of failure.
    pub failure: Option<String>,
    /// Tokens that it took.
    pub tokens: Option<i64>,
    /// Milliseconds that it took.
    pub latency_ms: Option<f64>,
    /// How it was rewarded.
    pub reward: Option<f64>,
    /// The configuration of that time, as JSON.
    pub config: Text,
}

/// The members of the record that its type only checks.
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

/// The name of something that is written as a word or as an object with a name.
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
    /// Keeps a record; `None` when it is none of a command.
    pub(in crate::verify) fn of(file: &Arc<str>, entry: &Entry<'_>) -> Option<Self> {
        let record: CommandRecord<'_> = strict_json::from_text(entry.text).ok()?;
        let lists: Option<Lists<'_>> = strict_json::from_text(entry.text).ok();
        let lists = lists.as_ref();
        let owned = |text: Option<Str<'_>>| text.map(kept);
        let cut = |text: Option<Str<'_>>| text.map(|t| Text::of(&t.decode(), ACTION));
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
            config: Text::of(record.config_snapshot.as_written(), ACTION),
        })
    }
}
