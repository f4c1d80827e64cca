//! The manifests as types. The files in `schemas/` are generated from them.
//!
//! Unknown members are accepted where other programs keep their own, but not in limits and in the
//! configuration of an agent: a limit with a wrong name limits nothing.

use super::agent::AgentConfig;
use super::listing::Listing;
use super::rules::{Rules, Size};
use crate::replay::ResultKind;
use crate::schema::Catalogue;
use governance::RiskLevel;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A tool that a model may call.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// The tool's name, unique among the tools listed with it.
    #[schemars(length(min = 1))]
    pub name: String,
    /// A description of the tool for the model.
    pub description: String,
    /// JSON Schema of the parameters.
    pub parameters: Map<String, Value>,
    /// The risk of harm by the tool.
    #[serde(default)]
    pub risk_level: Option<RiskLevel>,
    /// The resources that the tool may use.
    #[serde(default)]
    pub permissions: Option<Vec<Permission>>,
    /// The kinds of results that a successful call may have. Without this member, any.
    #[serde(default)]
    pub result_kinds: Option<Vec<ResultKind>>,
}

/// A kind of resource that a tool or skill may use.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Permission {
    /// The kind of resource.
    #[serde(rename = "type")]
    pub kind: PermissionType,
    /// Globs that limit the permission: paths below the project (with the prefix `read:` or
    /// `write:` for one kind of access), hosts or requests, programs or names of environment
    /// variables. Either a list of what is allowed, or an object with `allow` and `deny`.
    #[serde(default)]
    pub rules: Rules,
}

/// The kinds of permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionType {
    FileSystem,
    Network,
    Command,
    Environment,
}

/// A semantic version as in <https://semver.org>: no number has a leading zero.
const SEMVER: &str = r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$";

/// `skill.json`: a skill with its tools.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SkillManifest {
    /// The skill's name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The skill's version, as in semantic versioning.
    #[schemars(regex(pattern = SEMVER))]
    pub version: String,
    /// The purpose of the skill.
    pub description: String,
    /// The tools that the skill provides.
    pub tools: Vec<SkillTool>,
    /// Functions that are called when the skill is loaded or unloaded, by the name of the event.
    #[serde(default)]
    pub hooks: Option<BTreeMap<String, String>>,
}

/// A tool of a skill.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SkillTool {
    /// The tool's own manifest.
    #[serde(flatten)]
    pub tool: Tool,
    /// The function that implements the tool: `./file.js#function`.
    #[schemars(regex(pattern = "^[^#]+#[^#]+$"))]
    pub handler: String,
}

/// `skills.json`: the skills that are loaded.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillSet {
    /// The skills by name.
    pub skills: BTreeMap<String, SkillEntry>,
    /// Whether the skills are loaded automatically, or which of them.
    #[serde(default)]
    pub auto_load: Option<AutoLoad>,
}

/// The source of a skill.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SkillEntry {
    /// A skill in a directory of the project.
    Path {
        /// The skill's directory.
        path: String,
        /// Whether the skill may be used.
        #[serde(default)]
        enabled: Option<bool>,
    },
    /// A skill from a package outside the project.
    Package {
        /// The name of the package.
        package: String,
        /// Whether the skill may be used.
        #[serde(default)]
        enabled: Option<bool>,
    },
}

/// The skills that are loaded automatically.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AutoLoad {
    /// All skills, or none.
    All(bool),
    /// The named skills.
    Some(Vec<String>),
}

/// `meta.json`: author, purpose and permissions of a skill.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Metadata {
    /// The skill's name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The skill's version, as in semantic versioning.
    #[schemars(regex(pattern = SEMVER))]
    pub version: String,
    /// The single purpose of the skill.
    pub intent: String,
    /// The author of the skill.
    #[schemars(length(min = 1))]
    pub author: String,
    /// The time of creation: a date, or milliseconds since the Unix epoch.
    pub created_at: Moment,
    /// A longer description of the skill.
    #[serde(default)]
    pub description: Option<String>,
    /// Search terms for the skill.
    #[serde(default)]
    pub tags: Option<Vec<String>>,
    /// Names of the skills that this one requires.
    #[serde(default)]
    pub dependencies: Option<Vec<String>>,
    /// Estimated cost of one use.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub cost_estimate: Option<f64>,
    /// The share of uses that should succeed, from 0 to 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub success_threshold: Option<f64>,
    /// The resources that the skill may use: a list, or the name of a template of the policy
    /// (`permissions` in `policy.yaml`). Without this member, no permissions are declared.
    #[serde(default)]
    #[schemars(schema_with = "permissions_schema")]
    pub permissions: Option<Permissions>,
    /// The limits that apply during a trial of the skill.
    #[serde(default)]
    pub trial: Option<Trial>,
}

/// The permissions of a skill.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Permissions {
    /// The name of a template.
    Named(String),
    /// The permissions themselves.
    Listed(Vec<Permission>),
}

/// Returns the schema of permissions that may be missing. Alternatives within alternatives would
/// hide the place of a violation.
fn permissions_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "anyOf": [
            { "description": "The name of a template.", "type": "string", "minLength": 1 },
            { "type": "array", "items": generator.subschema_for::<Permission>() },
            { "type": "null" }
        ]
    })
}

/// A point in time.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Moment {
    /// Milliseconds since the Unix epoch.
    Millis(i64),
    /// A date as text.
    Text(String),
}

/// The limits that apply during a trial of a skill.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Trial {
    /// The access that the skill has during the trial.
    pub mode: TrialMode,
    /// Maximum time of one use, in milliseconds.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub time_ms: Option<f64>,
    /// The same as `timeMs`.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub timeout: Option<f64>,
    /// Maximum memory of one use: bytes, or a text with a unit, as `512MB`.
    #[serde(default)]
    pub memory_bytes: Option<Size>,
    /// The same as `memoryBytes`.
    #[serde(default)]
    pub max_memory: Option<Size>,
    /// Globs of the paths that the skill may use.
    #[serde(default)]
    pub paths: Option<Vec<String>>,
    /// The same as `paths`.
    #[serde(default)]
    pub allowed_paths: Option<Vec<String>>,
    /// Whether the skill may contact other machines.
    #[serde(default)]
    pub network_allowed: Option<bool>,
}

impl Trial {
    /// Pairs of members with the same meaning. Only one of each may be present.
    pub(super) const SYNONYMS: [[&str; 2]; 3] = [
        ["timeMs", "timeout"],
        ["memoryBytes", "maxMemory"],
        ["paths", "allowedPaths"],
    ];

    /// Returns the maximum time of one use, in milliseconds.
    #[must_use]
    pub fn most_ms(&self) -> Option<f64> {
        lower(self.time_ms, self.timeout)
    }

    /// Returns the maximum memory of one use, in bytes.
    #[must_use]
    pub fn most_bytes(&self) -> Option<f64> {
        let bytes = |size: &Option<Size>| size.as_ref().map(Size::bytes);
        lower(bytes(&self.memory_bytes), bytes(&self.max_memory))
    }

    /// Returns the globs of the paths that the skill may use.
    #[must_use]
    pub fn globs(&self) -> Option<&[String]> {
        self.paths.as_deref().or(self.allowed_paths.as_deref())
    }
}

fn lower(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(f64::min)
}

/// The access that a skill has during its trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TrialMode {
    /// Nothing is run.
    #[default]
    DryRun,
    /// Nothing is changed.
    ReadOnly,
    /// The skill runs within the limits of time, memory and paths.
    Limited,
    /// The skill may do everything that its permissions allow.
    Full,
}

/// `.mcp.json`: servers of the Model Context Protocol.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Servers {
    /// The servers by name.
    pub mcp_servers: BTreeMap<String, Server>,
}

/// A server of the Model Context Protocol.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Server {
    /// A program that the agent starts.
    Program {
        /// Always `stdio`.
        #[serde(rename = "type", default)]
        kind: Option<ProgramType>,
        /// The program to start.
        command: String,
        /// Arguments of the program.
        #[serde(default)]
        args: Option<Vec<String>>,
        /// Environment variables of the program.
        #[serde(default)]
        env: Option<BTreeMap<String, String>>,
    },
    /// A running server that the agent connects to.
    Http {
        /// The transport: `http`, or the older `sse`.
        #[serde(rename = "type")]
        kind: HttpType,
        /// The URL of the server.
        url: String,
        /// Headers of each request.
        #[serde(default)]
        headers: Option<BTreeMap<String, String>>,
    },
}

/// The transport of a server that the agent starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProgramType {
    /// Standard input and output.
    Stdio,
}

/// The transport of a remote server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HttpType {
    /// HTTP.
    Http,
    /// HTTP with server-sent events.
    Sse,
}

/// Adds the schemas of all manifests to the catalogue.
pub fn add_to(catalogue: &mut Catalogue) {
    let keep = |_: &mut Map<String, Value>| {};
    catalogue.add::<Tool>("tool-manifest", "A tool that a model may call.", keep);
    catalogue.add::<SkillManifest>(
        "skill-manifest",
        "`skill.json`: a skill with its tools.",
        keep,
    );
    catalogue.add::<SkillSet>(
        "skill-set",
        "`skills.json`: the skills that are loaded.",
        keep,
    );
    catalogue.add::<Metadata>(
        "skill-metadata",
        "`meta.json`: who made a skill, for what, and what it may do.",
        keep,
    );
    catalogue.add::<Servers>(
        "mcp-servers",
        "`.mcp.json`: servers of the Model Context Protocol.",
        keep,
    );
    catalogue.add::<AgentConfig>(
        "agent-config",
        "`.ai-stack.json`: the configuration of an agent.",
        keep,
    );
    catalogue.add::<Listing>(
        "mcp-listing",
        "`mcp-listing.json`: what a server of the Model Context Protocol offers.",
        keep,
    );
}
