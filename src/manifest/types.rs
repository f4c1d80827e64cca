//! The manifests as types. They are the schema: the files in `schemas/` are generated from them.
//!
//! Members that nobody knows are let pass: other programs keep their own there.

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
    /// Its name, unique among its neighbours.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its parameters.
    pub parameters: Map<String, Value>,
    /// How much harm it can do.
    #[serde(default)]
    pub risk_level: Option<RiskLevel>,
    /// What it may touch.
    #[serde(default)]
    pub permissions: Option<Vec<Permission>>,
}

/// What something may touch.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Permission {
    /// Of what kind.
    #[serde(rename = "type")]
    pub kind: PermissionType,
    /// Globs: of paths below the project (`read:` or `write:` before one narrows it), of hosts, of
    /// programs, of names of variables.
    #[serde(default)]
    pub rules: Vec<String>,
}

/// Kinds of permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say all there is")]
pub enum PermissionType {
    FileSystem,
    Network,
    Command,
    Environment,
}

/// A version as <https://semver.org> has it: no number begins with a zero.
const SEMVER: &str = r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$";

/// `skill.json`: a skill with its tools.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SkillManifest {
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Its version, as semantic versioning has it.
    #[schemars(regex(pattern = SEMVER))]
    pub version: String,
    /// What it is for.
    pub description: String,
    /// Its tools.
    pub tools: Vec<SkillTool>,
    /// Functions that are called when it is loaded or let go, by the name of the moment.
    #[serde(default)]
    pub hooks: Option<BTreeMap<String, String>>,
}

/// A tool of a skill.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SkillTool {
    /// The tool.
    #[serde(flatten)]
    pub tool: Tool,
    /// The function that does it: `./file.js#function`.
    #[schemars(regex(pattern = "^[^#]+#[^#]+$"))]
    pub handler: String,
}

/// `skills.json`: the skills that are loaded.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillSet {
    /// The skills by name.
    pub skills: BTreeMap<String, SkillEntry>,
    /// Whether they are loaded without being asked for, or which of them.
    #[serde(default)]
    pub auto_load: Option<AutoLoad>,
}

/// Where a skill comes from.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SkillEntry {
    /// From the project.
    Path {
        /// Its folder.
        path: String,
        /// Whether it may be used.
        #[serde(default)]
        enabled: Option<bool>,
    },
    /// From elsewhere.
    Package {
        /// Its package.
        package: String,
        /// Whether it may be used.
        #[serde(default)]
        enabled: Option<bool>,
    },
}

/// What is loaded without being asked for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AutoLoad {
    /// All, or nothing.
    All(bool),
    /// These.
    Some(Vec<String>),
}

/// `meta.json`: who made a skill, for what, and what it may do.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Metadata {
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Its version, as semantic versioning has it.
    #[schemars(regex(pattern = SEMVER))]
    pub version: String,
    /// Its one purpose.
    pub intent: String,
    /// Who made it.
    #[schemars(length(min = 1))]
    pub author: String,
    /// When it was made: a date, or milliseconds since the epoch.
    pub created_at: Moment,
    /// What it is about.
    #[serde(default)]
    pub description: Option<String>,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Option<Vec<String>>,
    /// Skills that it needs.
    #[serde(default)]
    pub dependencies: Option<Vec<String>>,
    /// What one use is thought to cost.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub cost_estimate: Option<f64>,
    /// The share of uses that are to succeed.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub success_threshold: Option<f64>,
    /// What it may touch; without it nothing is declared.
    #[serde(default)]
    pub permissions: Option<Vec<Permission>>,
    /// How it is being tried.
    #[serde(default)]
    pub trial: Option<Trial>,
}

/// A time.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Moment {
    /// Milliseconds since the epoch.
    Millis(i64),
    /// A date.
    Text(String),
}

/// How a skill is being tried.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// What it may do meanwhile.
    pub mode: TrialMode,
    /// Milliseconds that one use may take.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub time_ms: Option<f64>,
    /// Memory that one use may take, in bytes.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub memory_bytes: Option<f64>,
    /// Globs of the paths that it may touch.
    #[serde(default)]
    pub paths: Option<Vec<String>>,
}

/// What a skill may do while it is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TrialMode {
    /// Nothing runs.
    #[default]
    DryRun,
    /// Nothing is changed.
    ReadOnly,
    /// It stays within time, memory and paths.
    Limited,
    /// Whatever its permissions let it.
    Full,
}

/// `.mcp.json`: servers of the Model Context Protocol.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Servers {
    /// The servers by name.
    pub mcp_servers: BTreeMap<String, Server>,
}

/// A server.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Server {
    /// A program that is started.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        #[serde(default)]
        args: Option<Vec<String>>,
        /// Variables that it is given.
        #[serde(default)]
        env: Option<BTreeMap<String, String>>,
    },
    /// A server that is there already.
    Http {
        /// `http`.
        #[serde(rename = "type")]
        kind: HttpType,
        /// Where.
        url: String,
    },
}

/// The one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HttpType {
    /// Over HTTP.
    Http,
}

/// `.ai-stack.json`: the configuration of an agent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentConfig {
    /// The model.
    #[serde(default)]
    pub model: Option<String>,
    /// How freely it chooses its words, 0..2.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// Tokens of an answer, at most.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u64>,
    /// What it is told first.
    #[serde(default)]
    pub system_prompt: Option<String>,
    /// Its skills.
    #[serde(default)]
    pub skill: Option<AgentSkills>,
    /// Its servers.
    #[serde(default)]
    pub mcp: Option<AgentServers>,
    /// Its memory.
    #[serde(default)]
    pub memory: Option<Map<String, Value>>,
    /// What it may do.
    #[serde(default)]
    pub permission: Option<Map<String, Value>>,
    /// What it knows.
    #[serde(default)]
    pub knowledge: Option<Map<String, Value>>,
}

/// The skills of an agent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentSkills {
    /// The folders that they lie in.
    #[serde(default)]
    pub directories: Option<Vec<String>>,
    /// Whether they are loaded without being asked for, or which of them.
    #[serde(default)]
    pub auto_load: Option<AutoLoad>,
}

/// The servers of an agent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentServers {
    /// The file that names them.
    #[serde(default)]
    pub config_path: Option<String>,
    /// Whether they are connected to without being asked for.
    #[serde(default)]
    pub auto_connect: Option<bool>,
}

/// Adds the schemas of all manifests.
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
}
