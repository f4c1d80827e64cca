//! `yuangs-verify.toml`: what a gate checks, and what it suppresses, with reasons.
//!
//! The file is part of the repository under test. Whoever can change it can change the
//! judgement, so a gate takes it from a place that the agents can't write to (`--config`), or has
//! it reviewed.

mod apply;
mod baseline;
mod error;
mod files;
mod read;

pub use apply::{Applied, apply};
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

/// The name of the file.
pub const FILE: &str = "yuangs-verify.toml";

/// Everything that can be set. Paths are relative to the folder of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Config {
    /// Findings this bad fail the gate; `error` unless told otherwise.
    #[serde(default)]
    pub fail_on: Option<FailOn>,
    /// The traces to replay.
    #[serde(default)]
    pub traces: Option<Traces>,
    /// Public keys whose signatures count.
    #[serde(default)]
    pub keys: Option<Keys>,
    /// Severities that differ from the rule's own, by code.
    #[serde(default)]
    pub severity: BTreeMap<String, Override>,
    /// Findings that are let pass.
    #[serde(default)]
    pub ignore: Vec<Ignore>,
    /// Findings that were there before.
    #[serde(default)]
    pub baseline: Option<BaselineFile>,
    /// Reports to write: format and path.
    #[serde(default)]
    pub reports: BTreeMap<String, String>,
    /// The policy that every recorded decision is held against.
    #[serde(default)]
    pub policy: Option<Policy>,
    /// The repo map to check, and the interfaces to compare.
    #[serde(default)]
    pub repo_map: Option<RepoMap>,
    /// The index of knowledge: what `knowledge reindex` brings up to date. A gate doesn't look at
    /// it.
    #[serde(default)]
    pub knowledge: Option<Knowledge>,
}

/// `[traces]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Traces {
    /// Files and folders.
    pub paths: Vec<String>,
    /// Globs of the files in folders that are traces; by the endings of traces unless told
    /// otherwise.
    #[serde(default)]
    pub include: Option<Vec<String>>,
    /// Globs of the files in folders that are no traces. Every file must be a trace or fit one of
    /// them (YV111).
    #[serde(default)]
    pub exclude: Vec<String>,
    /// The formats that a trace may have (YV110); any unless told otherwise.
    #[serde(default)]
    pub formats: Option<Vec<String>>,
    /// The answers that must be *yes* for every execution; *not recorded* is an error then (YV212).
    #[serde(default)]
    pub require: Vec<Demand>,
    /// What an execution without an end (YV203) and a record that breaks off (YV104) are; warnings
    /// unless told otherwise.
    #[serde(default)]
    pub unterminated: Option<Unterminated>,
    /// A revision, as `origin/main`: every change since the branch parted from there must be
    /// accounted for by a trace (YV704).
    #[serde(default)]
    pub account_for: Option<String>,
    /// How risk is found; `v1` unless told otherwise.
    #[serde(default)]
    pub risk: Option<RiskProfile>,
    /// Why there may be no trace at all. Without it nothing to look at is no pass.
    #[serde(default)]
    pub allow_empty: Option<String>,
}

impl Traces {
    /// The section that says nothing but where the traces are.
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
            allow_empty: None,
        }
    }
}

/// An answer of the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Demand {
    /// Was each state reached legally?
    LegalPath,
    /// Did nothing run without being allowed?
    Authorised,
    /// Is every decision signed, reasoned and traceable?
    GovernanceComplete,
}

impl Demand {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::LegalPath, Self::Authorised, Self::GovernanceComplete];

    /// The word in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LegalPath => "legal-path",
            Self::Authorised => "authorised",
            Self::GovernanceComplete => "governance-complete",
        }
    }

    /// Its answer.
    #[must_use]
    pub const fn answer(self, verdict: &Verdict) -> Answer {
        match self {
            Self::LegalPath => verdict.legal_path,
            Self::Authorised => verdict.authorised,
            Self::GovernanceComplete => verdict.governance_complete,
        }
    }
}

/// How bad it is that an execution has no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unterminated {
    /// A cut trace fails.
    Error,
    /// As the rules say.
    #[default]
    Warning,
}

/// How the risk of an action is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RiskProfile {
    /// Believe the record.
    Off,
    /// The early runtime's rules.
    V0,
    /// What the action does.
    #[default]
    V1,
}

/// `[keys]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Keys {
    /// The trust file.
    pub file: String,
    /// Which decisions must be signed by one of its keys: those of humans, or all; none unless told
    /// otherwise.
    #[serde(default)]
    pub require: Option<rules::Signed>,
}

/// `[severity.YV203]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Override {
    /// The severity instead, or `off`.
    pub level: Level,
    /// Why.
    pub reason: String,
}

/// A severity, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say all there is")]
pub enum Level {
    Error,
    Warning,
    Note,
    Off,
}

impl Level {
    /// The severity that findings get; none when there are to be no findings.
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

/// `[[ignore]]`: findings that fit everything that is said.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Ignore {
    /// Of this rule.
    #[serde(default)]
    pub code: Option<String>,
    /// In an input that this glob fits.
    #[serde(default)]
    pub path: Option<String>,
    /// This one finding.
    #[serde(default)]
    pub fingerprint: Option<String>,
    /// Why.
    pub reason: String,
    /// The last day on which it counts, as `2027-01-31`.
    #[serde(default, deserialize_with = "date")]
    #[schemars(with = "Option<String>")]
    pub expires: Option<String>,
}

/// `[baseline]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BaselineFile {
    /// What `gate --write-baseline` wrote.
    pub file: String,
}

/// `[policy]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Policy {
    /// The policy pack. Its cases are run, and every recorded decision is held against it.
    pub file: String,
    /// A revision, as `origin/main`: what the policy allows beyond what it allowed where the branch
    /// parted from there fails the gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Why it may be that no case tests it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untested: Option<String>,
}

/// `[repo-map]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RepoMap {
    /// The committed map, of the folder of the configuration. The gate builds it again and fails
    /// (YV904) when it isn't the same.
    #[serde(default)]
    pub file: Option<String>,
    /// A revision: what the folder defines is compared with what it defined where the branch parted
    /// from there (YV906).
    #[serde(default)]
    pub base: Option<String>,
}

/// `[knowledge]`: where the index of knowledge lies and what goes into it. Every list holds files
/// and folders below the folder of the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Knowledge {
    /// The index; `.yuangs/index.db` unless told otherwise.
    #[serde(default)]
    pub store: Option<String>,
    /// Traces, in every format that is replayed.
    #[serde(default)]
    pub traces: Vec<String>,
    /// Transcripts of sessions, JSONL.
    #[serde(default)]
    pub transcripts: Vec<String>,
    /// Markdown documents.
    #[serde(default)]
    pub documents: Vec<String>,
    /// Markdown with the rows of a timeline, as `PROGRESS.md`.
    #[serde(default)]
    pub progress: Vec<String>,
    /// Markdown with logs of what was done, as `SUMMARY.md`.
    #[serde(default)]
    pub summaries: Vec<String>,
    /// Runs, one JSON object a file.
    #[serde(default)]
    pub runs: Vec<String>,
    /// The knowledge graph: edges and nodes, JSONL.
    #[serde(default)]
    pub graph: Vec<String>,
    /// Folders of context banks.
    #[serde(default)]
    pub bank: Vec<String>,
    /// Folders of skills.
    #[serde(default)]
    pub skills: Vec<String>,
    /// Source code, for the layer `map`; of a folder all that git doesn't ignore.
    #[serde(default)]
    pub repomap: Vec<String>,
    /// A folder with a model2vec model (`model.safetensors`, `tokenizer.json`) whose vectors are
    /// used; without it they are learnt.
    #[serde(default)]
    pub model: Option<String>,
    /// Days after which what was found counts half; 30 unless told otherwise.
    #[serde(default)]
    pub half_life_days: Option<u32>,
    /// How age takes from what was found; `exponential` unless told otherwise.
    #[serde(default)]
    pub decay: Option<DecayKind>,
    /// Budgets by name; `default` is taken where no other is asked for.
    #[serde(default)]
    pub profiles: BTreeMap<String, Profile>,
    /// What skills may cost and take.
    #[serde(default)]
    pub limits: SkillLimits,
}

impl Knowledge {
    /// The files and folders that are read.
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

/// How age takes from what was found: each leaves half after `half-life-days`, and never less than
/// a tenth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DecayKind {
    /// By the same share every day.
    Exponential,
    /// By the same amount every day.
    Linear,
    /// By half each time that so many days are over.
    Step,
}

/// `[knowledge.limits]`: what skills may cost and how often they may run. Costs are in the unit of
/// the records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SkillLimits {
    /// The mean cost at which a score earns nothing for it; 1.0 unless told otherwise.
    #[serde(default)]
    pub max_cost: Option<Amount>,
    /// The mean latency in milliseconds at which a score earns nothing for it; 60,000 unless told
    /// otherwise.
    #[serde(default)]
    pub max_latency_ms: Option<Amount>,
    /// The cost of all uses of one skill on one day (UTC), at most.
    #[serde(default)]
    pub cost_per_day: Option<Amount>,
    /// The cost of all uses of one skill in one hour, at most.
    #[serde(default)]
    pub cost_per_hour: Option<Amount>,
    /// The cost of all uses of one skill in one execution, at most.
    #[serde(default)]
    pub cost_per_task: Option<Amount>,
    /// Uses of one skill on one day (UTC), at most.
    #[serde(default)]
    pub uses_per_day: Option<u64>,
    /// Uses of one skill in one hour, at most.
    #[serde(default)]
    pub uses_per_hour: Option<u64>,
    /// Uses of one skill in one execution, at most.
    #[serde(default)]
    pub uses_per_task: Option<u64>,
    /// Milliseconds that one use may take, at most.
    #[serde(default)]
    pub latency_ms: Option<Amount>,
}

/// An amount: finite and not negative.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "f64")]
pub struct Amount(#[schemars(range(min = 0.0))] f64);

/// Holds, since what isn't a number is no amount.
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
    /// Of everything that one command prints.
    #[serde(default)]
    pub budget_tokens: Option<usize>,
    /// Of the layer `index`.
    #[serde(default)]
    pub index_tokens: Option<usize>,
    /// Of the layer `timeline`.
    #[serde(default)]
    pub timeline_tokens: Option<usize>,
    /// Of each block of the layer `detail`.
    #[serde(default)]
    pub detail_tokens: Option<usize>,
    /// Of the layer `map`.
    #[serde(default)]
    pub map_tokens: Option<usize>,
    /// Of what comes from one source in the layer `index`.
    #[serde(default)]
    pub max_per_source_tokens: Option<usize>,
    /// Of the parts of a bundle.
    #[serde(default)]
    pub bundle: BundleTokens,
}

/// `[knowledge.profiles.NAME.bundle]`: budgets of the parts of a bundle, in tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BundleTokens {
    /// What holds in every task.
    #[serde(default)]
    pub profile: Option<usize>,
    /// How the task stands.
    #[serde(default)]
    pub task: Option<usize>,
    /// What was done.
    #[serde(default)]
    pub summary: Option<usize>,
    /// What happened last.
    #[serde(default)]
    pub events: Option<usize>,
    /// What answers the question.
    #[serde(default)]
    pub chunks: Option<usize>,
    /// All of them together.
    #[serde(default)]
    pub total: Option<usize>,
}

/// A date as TOML has it, or as text.
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

/// The first millisecond after a day, since the epoch.
pub(crate) fn day_end(date: &str) -> Option<i64> {
    util::time::parse_rfc3339(&format!("{date}T00:00:00Z")).map(|start| start + 86_400_000)
}

impl Config {
    /// Reads the file and checks what can be checked without looking around.
    ///
    /// # Errors
    /// With everything that is wrong: a file that isn't TOML, unknown keys, wrong values.
    pub fn parse(file: &str, text: &str) -> Result<Self, ConfigErrors> {
        read::read(file, text)
    }

    /// The sections that are set and that this version reads without running anything for them.
    #[must_use]
    pub fn not_run(&self) -> Vec<&'static str> {
        self.knowledge.iter().map(|_| "knowledge").collect()
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
            "fail-on = 'warning'\n[traces]\npaths = ['traces']\nrisk = 'v0'\n[keys]\nfile = 'k'\n[severity.YV203]\nlevel = 'off'\nreason = 'r'\n[[ignore]]\ncode = 'YV301'\nexpires = 2027-01-31\nreason = 'r'\n[policy]\nfile = 'p'\n[reports]\nsarif = 'a'\n")
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
            "line 1, column 11: no rule has the code `YV999`; the nearest is `YV109`"
        );
    }

    #[test]
    fn what_lets_something_pass_needs_a_reason_and_a_target() {
        assert!(error("[severity.YV203]\nlevel = 'off'\nreason = ' '").contains("needs a reason"));
        assert!(error("[[ignore]]\ncode = 'YV301'").contains("reason"));
        assert!(error("[[ignore]]\npath = '**'\nreason = 'r'").contains("everything"));
        assert!(
            error("[[ignore]]\ncode = 'YV301'\nexpires = '2027-02-30'\nreason = 'r'")
                .contains("no day")
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
