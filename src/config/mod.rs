//! `yuangs-verify.toml`: what a gate checks and what it suppresses, with reasons.
//!
//! The file is part of the repository under test, and whoever can change it can change the outcome.
//! A gate should therefore read it from a place that agents can't write to (`--config`), or have
//! changes reviewed.

mod apply;
mod baseline;
mod error;
mod files;
mod read;

pub use apply::{Applied, Expiry, apply};
pub use baseline::{Baseline, BaselineError};
pub(crate) use error::nearest;
pub use error::{ConfigError, ConfigErrors, ConfigProblem};
pub use files::{TraceGlobs, TraceMatch};

use crate::diag::{FailOn, Severity};
use crate::replay::{Answer, Verdict};
use crate::rules;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// Name of the configuration file.
pub const FILE: &str = "yuangs-verify.toml";

/// The configuration of the gate. Paths are relative to the directory of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Config {
    /// The lowest severity that fails the gate; `error` by default.
    #[serde(default)]
    pub fail_on: Option<FailOn>,
    /// The traces to replay.
    #[serde(default)]
    pub traces: Option<Traces>,
    /// The public keys that signatures are verified with.
    #[serde(default)]
    pub keys: Option<Keys>,
    /// The manifests that calls of tools are compared with.
    #[serde(default)]
    pub tools: Option<ToolFiles>,
    /// Severities that differ from a rule's own, by rule code.
    #[serde(default)]
    pub severity: BTreeMap<String, Override>,
    /// Findings to suppress.
    #[serde(default)]
    pub ignore: Vec<Ignore>,
    /// Findings that existed before.
    #[serde(default)]
    pub baseline: Option<BaselineFile>,
    /// Reports to write: the path of each format.
    #[serde(default)]
    pub reports: BTreeMap<String, String>,
    /// The policy that every recorded decision is checked against.
    #[serde(default)]
    pub policy: Option<Policy>,
    /// The repo map to check, and the interfaces to compare.
    #[serde(default)]
    pub repo_map: Option<RepoMap>,
    /// The index of knowledge that `knowledge reindex` updates. A gate reads it if `gate` is set.
    #[serde(default)]
    pub knowledge: Option<Knowledge>,
}

/// `[traces]`: the traces to replay and what is required of them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Traces {
    /// Files and directories to search for traces.
    pub paths: Vec<String>,
    /// Globs of the files in directories that are traces; by default, the file's extension decides.
    #[serde(default)]
    pub include: Option<Vec<String>>,
    /// Globs of the files in directories that aren't traces. Every file must be a trace or match
    /// one of these (YV111).
    #[serde(default)]
    pub exclude: Vec<String>,
    /// The allowed formats of traces (YV110); all formats by default.
    #[serde(default)]
    pub formats: Option<Vec<String>>,
    /// The questions that must be answered *yes* for every execution (YV212). *Not recorded* is
    /// then an error.
    #[serde(default)]
    pub require: Vec<Demand>,
    /// The severity of an execution without an end (YV203) and of a truncated record (YV104);
    /// `warning` by default.
    #[serde(default)]
    pub unterminated: Option<Unterminated>,
    /// A revision such as `origin/main`. A trace must account for every change since the branch
    /// diverged from it (YV704).
    #[serde(default)]
    pub account_for: Option<String>,
    /// The method of finding the risk of an action; `v1` by default.
    #[serde(default)]
    pub risk: Option<RiskProfile>,
    /// How long a human's approval may take, in milliseconds (YV331); 300,000 by default, 0 for any
    /// time.
    #[serde(default)]
    pub approval_timeout_ms: Option<u64>,
    /// Reason for accepting that there is no trace at all. Without it, finding no trace fails the
    /// gate.
    #[serde(default)]
    pub allow_empty: Option<String>,
}

impl Traces {
    /// Creates a section that sets only the paths of the traces.
    #[must_use]
    pub fn from_paths(paths: Vec<String>) -> Self {
        Self {
            paths,
            include: None,
            exclude: Vec::new(),
            formats: None,
            require: Vec::new(),
            unterminated: None,
            account_for: None,
            risk: None,
            approval_timeout_ms: None,
            allow_empty: None,
        }
    }
}

/// A question of the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Demand {
    /// Was each state reached legally?
    LegalPath,
    /// Was every executed action allowed?
    Authorised,
    /// Is every decision signed, reasoned and traceable?
    GovernanceComplete,
}

impl Demand {
    pub const ALL: [Self; 3] = [Self::LegalPath, Self::Authorised, Self::GovernanceComplete];

    /// Returns the name that the configuration uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LegalPath => "legal-path",
            Self::Authorised => "authorised",
            Self::GovernanceComplete => "governance-complete",
        }
    }

    /// Returns the verdict's answer to this question.
    #[must_use]
    pub const fn answer(self, verdict: &Verdict) -> Answer {
        match self {
            Self::LegalPath => verdict.legal_path,
            Self::Authorised => verdict.authorised,
            Self::GovernanceComplete => verdict.governance_complete,
        }
    }
}

/// The severity of an execution without an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unterminated {
    /// A truncated trace is an error.
    Error,
    /// A truncated trace is a warning, as the rules define it.
    #[default]
    Warning,
}

/// The method of finding the risk of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RiskProfile {
    /// Trust the recorded risk.
    Off,
    /// Use the rules of the early runtime.
    V0,
    /// Analyse what the action does.
    #[default]
    V1,
}

/// `[keys]`: the trusted keys.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Keys {
    /// Path of the trust file.
    pub file: String,
    /// The decisions that must be signed by one of the keys: those of humans, or all; none by
    /// default.
    #[serde(default)]
    pub require: Option<rules::SignatureRequirement>,
}

/// `[tools]`: the manifests that calls of tools are compared with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ToolFiles {
    /// Paths of manifests of tools, skills and servers, of configurations of agents, and of
    /// listings of servers. Others aren't searched for.
    #[serde(default)]
    pub files: Vec<String>,
}

/// `[severity.CODE]`: another severity for a rule.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Override {
    /// The severity to use, or `off`.
    pub level: Level,
    /// Reason for the different severity.
    pub reason: String,
}

/// A severity, or `off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Error,
    Warning,
    Note,
    Off,
}

impl Level {
    /// Returns the severity that findings get; `None` when the rule is off.
    #[must_use]
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Note => Some(Severity::Note),
            Self::Off => None,
        }
    }
}

/// `[[ignore]]`: suppresses the findings that match all given keys.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Ignore {
    /// Code of the rule.
    #[serde(default)]
    pub code: Option<String>,
    /// Glob that the name of the input must match.
    #[serde(default)]
    pub path: Option<String>,
    /// Fingerprint of a single finding.
    #[serde(default)]
    pub fingerprint: Option<String>,
    /// Reason for suppressing the findings.
    pub reason: String,
    /// Last day on which the entry applies, such as `2027-01-31`.
    #[serde(default, deserialize_with = "date")]
    #[schemars(with = "Option<String>")]
    pub expires: Option<String>,
}

/// `[baseline]`: findings that existed before.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BaselineFile {
    /// Path of a file that `gate --write-baseline` wrote.
    pub file: String,
}

/// `[policy]`: the policy to check decisions against.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Policy {
    /// Path of the policy pack. The gate runs its cases and checks every recorded decision against
    /// it.
    pub file: String,
    /// A revision such as `origin/main`. The gate fails when the policy allows more than it did
    /// where the branch diverged from that revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Reason for accepting a policy without test cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untested: Option<String>,
    /// Findings of the comparison with `base` to accept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accept: Vec<Accept>,
}

/// `[[policy.accept]]`: accepts one change that the comparison with `policy.base` reports.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Accept {
    /// Fingerprint of the finding: YV506, YV507, YV516 or YV517.
    pub fingerprint: String,
    /// Reason for accepting the change.
    pub reason: String,
    /// Last day on which the entry applies, such as `2027-01-31`.
    #[serde(default, deserialize_with = "date")]
    #[schemars(with = "Option<String>")]
    pub expires: Option<String>,
}

/// `[repo-map]`: the repo map to check, and the interfaces to compare.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RepoMap {
    /// Path of the committed map of the configuration's directory. The gate fails when the map
    /// shows what isn't true, or lacks too much of what a new one would show (YV904).
    #[serde(default)]
    pub file: Option<String>,
    /// How many per cent of what a new map would show the map may lack; 10 by default.
    #[serde(default)]
    pub max_drift: Option<Percent>,
    /// A revision. The gate compares the directory's definitions with those where the branch
    /// diverged from that revision (YV906).
    #[serde(default)]
    pub base: Option<String>,
}

/// A whole number of hundredths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "u8")]
#[schemars(extend("maximum" = 100))]
pub struct Percent(u8);

impl TryFrom<u8> for Percent {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Self, Self::Error> {
        if number <= 100 {
            Ok(Self(number))
        } else {
            Err("expected a whole number from 0 to 100")
        }
    }
}

impl From<Percent> for u8 {
    fn from(percent: Percent) -> Self {
        percent.0
    }
}

/// `[knowledge]`: the index of knowledge and its sources. Every list holds files and directories
/// below the directory of the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Knowledge {
    /// Path of the index; `.yuangs/index.db` by default.
    #[serde(default)]
    pub store: Option<String>,
    /// Whether the gate compares the index with its sources and fails when it differs (YV905).
    #[serde(default)]
    pub gate: bool,
    /// Traces in any format that can be replayed.
    #[serde(default)]
    pub traces: Vec<String>,
    /// Transcripts of sessions, as JSONL.
    #[serde(default)]
    pub transcripts: Vec<String>,
    /// Markdown documents.
    #[serde(default)]
    pub documents: Vec<String>,
    /// Markdown files with rows of a timeline, such as `PROGRESS.md`.
    #[serde(default)]
    pub progress: Vec<String>,
    /// Markdown files with logs of completed work, such as `SUMMARY.md`.
    #[serde(default)]
    pub summaries: Vec<String>,
    /// Runs, one JSON object per file.
    #[serde(default)]
    pub runs: Vec<String>,
    /// The knowledge graph: edges and nodes, as JSONL.
    #[serde(default)]
    pub graph: Vec<String>,
    /// Directories of context banks.
    #[serde(default)]
    pub bank: Vec<String>,
    /// Directories of skills.
    #[serde(default)]
    pub skills: Vec<String>,
    /// Path of a policy whose `permissions` are templates that skills name.
    #[serde(default)]
    pub permissions: Option<String>,
    /// Source code for the layer `map`. In a directory, all files that git doesn't ignore.
    #[serde(default)]
    pub repomap: Vec<String>,
    /// Revisions whose commits are indexed, such as `HEAD`.
    #[serde(default)]
    pub history: Vec<String>,
    /// A directory with a model2vec model (`model.safetensors`, `tokenizer.json`) to take vectors
    /// from. By default, vectors are learnt from the index.
    #[serde(default)]
    pub model: Option<String>,
    /// Number of days after which a result has half its weight; 30 by default.
    #[serde(default)]
    pub half_life_days: Option<u32>,
    /// How the weight of a result decays with age; `exponential` by default.
    #[serde(default)]
    pub decay: Option<DecayKind>,
    /// Weights and minimal scores of searches.
    #[serde(default)]
    pub ranking: Ranking,
    /// Token budgets by name; `default` applies when no other is requested.
    #[serde(default)]
    pub profiles: BTreeMap<String, Profile>,
    /// Limits on the cost and the use of skills.
    #[serde(default)]
    pub limits: SkillLimits,
    /// Limits on what one agent does.
    #[serde(default)]
    pub agent_limits: AgentLimits,
}

impl Knowledge {
    /// Iterates over the files and directories of all sources. Revisions are none.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        [
            &self.traces,
            &self.transcripts,
            &self.documents,
            &self.progress,
            &self.summaries,
            &self.runs,
            &self.graph,
            &self.bank,
            &self.skills,
            &self.repomap,
        ]
        .into_iter()
        .flatten()
        .map(String::as_str)
    }
}

/// `[knowledge.ranking]`: weights and minimal scores of searches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Ranking {
    /// Share of full text in the merged score.
    #[serde(default)]
    pub full_text: Option<Amount>,
    /// Share of vectors in the merged score.
    #[serde(default)]
    pub vectors: Option<Amount>,
    /// Minimum merged score of a result.
    #[serde(default)]
    pub minimum: Option<Amount>,
    /// Minimum merged score of the best result. Below it, a question isn't answered.
    #[serde(default)]
    pub answer: Option<Amount>,
}

/// How the weight of a result decays with age. Each method leaves half after `half-life-days`, and
/// never less than a tenth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DecayKind {
    /// By the same fraction every day.
    Exponential,
    /// By the same amount every day.
    Linear,
    /// By half after each full period of `half-life-days`.
    Step,
}

/// `[knowledge.limits]`: limits on the cost and the use of skills. Costs are in the unit of the
/// records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SkillLimits {
    /// The mean cost at which a skill's score gets no points for cost; 1.0 by default.
    #[serde(default)]
    pub max_cost: Option<Amount>,
    /// The mean latency in milliseconds at which a skill's score gets no points for latency; 60,000
    /// by default.
    #[serde(default)]
    pub max_latency_ms: Option<Amount>,
    /// Maximum cost of all uses of one skill on one day (UTC).
    #[serde(default)]
    pub cost_per_day: Option<Amount>,
    /// Maximum cost of all uses of one skill in one hour.
    #[serde(default)]
    pub cost_per_hour: Option<Amount>,
    /// Maximum cost of all uses of one skill in one execution.
    #[serde(default)]
    pub cost_per_task: Option<Amount>,
    /// Maximum number of uses of one skill on one day (UTC).
    #[serde(default)]
    pub uses_per_day: Option<u64>,
    /// Maximum number of uses of one skill in one hour.
    #[serde(default)]
    pub uses_per_hour: Option<u64>,
    /// Maximum number of uses of one skill in one execution.
    #[serde(default)]
    pub uses_per_task: Option<u64>,
    /// Maximum number of tokens of all uses of one skill on one day (UTC).
    #[serde(default)]
    pub tokens_per_day: Option<u64>,
    /// Maximum number of tokens of all uses of one skill in one hour.
    #[serde(default)]
    pub tokens_per_hour: Option<u64>,
    /// Maximum number of tokens of all uses of one skill in one execution.
    #[serde(default)]
    pub tokens_per_task: Option<u64>,
    /// Maximum duration of one use, in milliseconds.
    #[serde(default)]
    pub latency_ms: Option<Amount>,
}

/// `[knowledge.agent-limits]`: limits on the turns of one agent. Costs are in the unit of the
/// records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AgentLimits {
    /// Maximum cost of one agent on one day (UTC).
    #[serde(default)]
    pub cost_per_day: Option<Amount>,
    /// Maximum cost of one agent in one hour.
    #[serde(default)]
    pub cost_per_hour: Option<Amount>,
    /// Maximum cost of one agent in one execution.
    #[serde(default)]
    pub cost_per_task: Option<Amount>,
    /// Maximum number of turns of one agent on one day (UTC).
    #[serde(default)]
    pub turns_per_day: Option<u64>,
    /// Maximum number of turns of one agent in one hour.
    #[serde(default)]
    pub turns_per_hour: Option<u64>,
    /// Maximum number of turns of one agent in one execution.
    #[serde(default)]
    pub turns_per_task: Option<u64>,
    /// Maximum number of tokens of one agent on one day (UTC).
    #[serde(default)]
    pub tokens_per_day: Option<u64>,
    /// Maximum number of tokens of one agent in one hour.
    #[serde(default)]
    pub tokens_per_hour: Option<u64>,
    /// Maximum number of tokens of one agent in one execution.
    #[serde(default)]
    pub tokens_per_task: Option<u64>,
}

/// A finite number that isn't negative.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "f64")]
pub struct Amount(#[schemars(range(min = 0.0))] f64);

/// Sound, because the number is never NaN.
impl Eq for Amount {}

impl TryFrom<f64> for Amount {
    type Error = &'static str;

    fn try_from(number: f64) -> Result<Self, Self::Error> {
        if number.is_finite() && number >= 0.0 {
            Ok(Self(number))
        } else {
            Err("expected a number that isn't negative")
        }
    }
}

impl From<Amount> for f64 {
    fn from(amount: Amount) -> Self {
        amount.0
    }
}

/// `[knowledge.profiles.NAME]`: budgets in tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Profile {
    /// Budget for the whole output of one command.
    #[serde(default)]
    pub budget_tokens: Option<usize>,
    /// Budget for the layer `index`.
    #[serde(default)]
    pub index_tokens: Option<usize>,
    /// Budget for the layer `timeline`.
    #[serde(default)]
    pub timeline_tokens: Option<usize>,
    /// Budget for each block of the layer `detail`.
    #[serde(default)]
    pub detail_tokens: Option<usize>,
    /// Budget for the layer `map`.
    #[serde(default)]
    pub map_tokens: Option<usize>,
    /// Budget for the results of one source in the layer `index`.
    #[serde(default)]
    pub max_per_source_tokens: Option<usize>,
    /// Budgets for the parts of a bundle.
    #[serde(default)]
    pub bundle: BundleTokens,
}

/// `[knowledge.profiles.NAME.bundle]`: budgets for the parts of a bundle, in tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BundleTokens {
    /// Budget for facts that hold in every task.
    #[serde(default)]
    pub profile: Option<usize>,
    /// Budget for the state of the task.
    #[serde(default)]
    pub task: Option<usize>,
    /// Budget for the completed work.
    #[serde(default)]
    pub summary: Option<usize>,
    /// Budget for the latest events.
    #[serde(default)]
    pub events: Option<usize>,
    /// Budget for the chunks that answer the question.
    #[serde(default)]
    pub chunks: Option<usize>,
    /// Budget for all parts together.
    #[serde(default)]
    pub total: Option<usize>,
}

/// Reads a date that is written as a TOML date or as a string.
fn date<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Date {
        Text(String),
        Toml(toml::value::Datetime),
    }
    Ok(Some(match Date::deserialize(deserializer)? {
        Date::Text(text) => text,
        Date::Toml(date) => date.to_string(),
    }))
}

/// Returns the first millisecond after a day, since the epoch.
pub(crate) fn day_end(date: &str) -> Option<i64> {
    util::time::parse_rfc3339(&format!("{date}T00:00:00Z")).map(|start| start + 86_400_000)
}

impl Config {
    /// Parses the file and makes all checks that need no other file.
    ///
    /// # Errors
    /// All errors of the file: invalid TOML, unknown keys, wrong values.
    pub fn parse(file: &str, text: &str) -> Result<Self, ConfigErrors> {
        read::read(file, text)
    }

    /// Returns the configured sections that this version accepts but doesn't run.
    #[must_use]
    pub fn not_run(&self) -> Vec<&'static str> {
        let unused = self.knowledge.iter().filter(|knowledge| !knowledge.gate);
        unused.map(|_| "knowledge").collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Feature;
    use proptest::prelude::*;

    fn error(text: &str) -> String {
        Config::parse(FILE, text).unwrap_err().to_string()
    }

    #[test]
    fn reads_everything() {
        let config = Config::parse(
            FILE,
            "fail-on = 'warning'\n[traces]\npaths = ['traces']\nrisk = 'v0'\n[keys]\nfile = 'k'\n[tools]\nfiles = ['t']\n[severity.YV203]\nlevel = 'off'\nreason = 'r'\n[[ignore]]\ncode = 'YV301'\nexpires = 2027-01-31\nreason = 'r'\n[policy]\nfile = 'p'\n[reports]\nsarif = 'a'\n")
        .unwrap();
        assert_eq!(config.ignore[0].expires.as_deref(), Some("2027-01-31"));
        assert!(config.not_run().is_empty());
        let with_knowledge = Config {
            knowledge: Some(Knowledge::default()),
            ..Config::default()
        };
        assert_eq!(with_knowledge.not_run(), ["knowledge"]);
        assert_eq!(
            config.fail_on.and_then(FailOn::severity),
            Some(Severity::Warning)
        );
        assert_eq!(Config::parse(FILE, "").unwrap(), Config::default());
    }

    #[test]
    fn what_is_not_built_is_refused() {
        for (section, needed) in [
            ("[repo-map]\nfile = 'M'", &[Feature::Repomap][..]),
            ("[knowledge]", &[Feature::Knowledge]),
            (
                "[knowledge]\nrepomap = ['src']",
                &[Feature::Knowledge, Feature::Repomap],
            ),
            (
                "[knowledge]\nmodel = 'm'",
                &[Feature::Knowledge, Feature::Model2Vec],
            ),
        ] {
            match needed.iter().find(|feature| !feature.is_built()) {
                None => assert!(Config::parse(FILE, section).is_ok(), "{section}"),
                Some(feature) => {
                    let hint = format!("build with `--features {}`", feature.name());
                    assert!(error(section).ends_with(&hint), "{section}");
                }
            }
        }
    }

    #[test]
    fn unknown_keys_name_the_nearest() {
        assert_eq!(
            error("fial-on = 'error'"),
            "line 1, column 1: unknown key `fial-on`; the nearest is `fail-on`"
        );
        assert_eq!(
            error("[traces]\npaths = []\npath = 1"),
            "line 3, column 1: unknown key `path`; the nearest is `paths`"
        );
        assert_eq!(
            error("[severity.YV999]\nlevel = 'off'\nreason = 'r'"),
            "line 1, column 11: no rule has the code `YV999`; the nearest is `YV919`"
        );
    }

    #[test]
    fn what_lets_something_pass_needs_a_reason_and_a_target() {
        assert!(error("[severity.YV203]\nlevel = 'off'\nreason = ' '").contains("needs a reason"));
        assert!(error("[[ignore]]\ncode = 'YV301'").contains("reason"));
        assert!(error("[[ignore]]\npath = '**'\nreason = 'r'").contains("everything"));
        assert!(
            error("[[ignore]]\ncode = 'YV301'\nexpires = '2027-02-30'\nreason = 'r'")
                .contains("isn't a date")
        );
        assert!(error("[traces]\npaths = []\nallow-empty = ''").contains("needs a reason"));
        for path in ["/etc/x", "../x", "a/../../x", "", "-"] {
            assert!(
                error(&format!("[reports]\nhtml = '{path}'")).contains("leads out"),
                "{path}"
            );
        }
        assert!(error("fail-on = 'sometimes'").starts_with("line 1, column 11: "));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(\\PC|[\\[\\]=\n'\"a-z-]){0,80}") {
            if let Err(ConfigErrors(problems)) = Config::parse(FILE, &text) {
                assert!(!problems.is_empty());
            }
        }
    }
}
