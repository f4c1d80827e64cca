//! `.ai-stack.json` as types: the configuration of an agent. Unknown members are refused.

use super::types::{AutoLoad, Server, SkillEntry};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// `.ai-stack.json`: the configuration of an agent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentConfig {
    /// The schema that an editor checks the file with.
    #[serde(rename = "$schema", default)]
    pub schema: Option<String>,
    /// The name of the agent.
    #[serde(default)]
    pub name: Option<String>,
    /// The name of the model.
    #[serde(default)]
    pub model: Option<String>,
    /// Sampling temperature, from 0 to 2.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// Maximum number of tokens in an answer.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u64>,
    /// Maximum number of calls of the model for one request.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u64>,
    /// The system prompt.
    #[serde(default)]
    pub system_prompt: Option<String>,
    /// The key of the provider. It belongs into the environment.
    #[serde(default)]
    pub api_key: Option<String>,
    /// The URL of the provider.
    #[serde(rename = "baseURL", default)]
    pub base_url: Option<String>,
    /// Settings of the agent itself, which may also be at the top.
    #[serde(default)]
    pub agent: Option<AgentSettings>,
    /// The provider of the model.
    #[serde(default)]
    pub provider: Option<Provider>,
    /// The skills of the agent.
    #[serde(default)]
    pub skill: Option<AgentSkills>,
    /// The servers of the agent.
    #[serde(default)]
    pub mcp: Option<AgentServers>,
    /// Settings of the agent's memory.
    #[serde(default)]
    pub memory: Option<Memory>,
    /// Permissions of tools, in the form of a policy with `defaultLevel`, `rules` and
    /// `categoryDefaults`.
    #[serde(default)]
    pub permission: Option<Map<String, Value>>,
    /// Settings of the agent's knowledge.
    #[serde(default)]
    pub knowledge: Option<Knowledge>,
}

/// Settings of an agent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentSettings {
    /// The name of the agent.
    #[serde(default)]
    pub name: Option<String>,
    /// The name of the model.
    #[serde(default)]
    pub model: Option<String>,
    /// Sampling temperature, from 0 to 2.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// Maximum number of tokens in an answer.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u64>,
    /// Maximum number of calls of the model for one request.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u64>,
    /// The system prompt.
    #[serde(default)]
    pub system_prompt: Option<String>,
    /// The key of the provider. It belongs into the environment.
    #[serde(default)]
    pub api_key: Option<String>,
    /// The URL of the provider.
    #[serde(rename = "baseURL", default)]
    pub base_url: Option<String>,
}

/// The provider of a model.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Provider {
    /// The key of the provider. It belongs into the environment.
    #[serde(default)]
    pub api_key: Option<String>,
    /// The URL of the provider.
    #[serde(rename = "baseURL", default)]
    pub base_url: Option<String>,
    /// Id of the organisation.
    #[serde(default)]
    pub organization: Option<String>,
    /// Id of the project.
    #[serde(default)]
    pub project: Option<String>,
    /// Maximum time of a request, in milliseconds.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub timeout: Option<u64>,
    /// Maximum number of repetitions of a failed request.
    #[serde(default)]
    pub max_retries: Option<u64>,
}

/// The skills of an agent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentSkills {
    /// The directories that contain the skills.
    #[serde(default)]
    pub directories: Option<Vec<String>>,
    /// Path of the file that lists the skills.
    #[serde(default)]
    pub config_path: Option<String>,
    /// Whether the skills are loaded automatically, or which of them.
    #[serde(default)]
    pub auto_load: Option<AutoLoad>,
    /// The skills by name.
    #[serde(default)]
    pub skills: Option<BTreeMap<String, SkillEntry>>,
}

/// The servers of an agent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentServers {
    /// Path of the file that defines the servers.
    #[serde(default)]
    pub config_path: Option<String>,
    /// Whether the agent connects to the servers automatically.
    #[serde(default)]
    pub auto_connect: Option<bool>,
    /// The servers by name.
    #[serde(default)]
    pub servers: Option<BTreeMap<String, Server>>,
}

/// Settings of an agent's memory.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Memory {
    /// Whether the agent has a memory.
    #[serde(default)]
    pub enabled: Option<bool>,
    /// Path of the database.
    #[serde(default)]
    pub db_path: Option<String>,
    /// Whether the database is created automatically.
    #[serde(default)]
    pub auto_initialize: Option<bool>,
    /// Whether memories are added to the context automatically.
    #[serde(default)]
    pub auto_inject: Option<bool>,
    /// Tokens of each part of the memory.
    #[serde(default)]
    pub token_budget: Option<TokenBudget>,
    /// When events are summarised, and which of two contradictory facts is kept.
    #[serde(default)]
    pub write_policy: Option<WritePolicy>,
    /// What is retrieved for a request.
    #[serde(default)]
    pub retrieval: Option<Retrieval>,
    /// The cache of embeddings.
    #[serde(default)]
    pub embedding_cache: Option<EmbeddingCache>,
}

/// Tokens of each part of the memory. The parts must fit into the total.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TokenBudget {
    /// Facts about the user.
    #[serde(default)]
    pub profile: Option<u64>,
    /// The state of the task.
    #[serde(default)]
    pub task_state: Option<u64>,
    /// The latest events.
    #[serde(default)]
    pub recent_events: Option<u64>,
    /// The chunks that a search finds.
    #[serde(default)]
    pub semantic_chunks: Option<u64>,
    /// The running summary.
    #[serde(default)]
    pub summary: Option<u64>,
    /// All parts together.
    #[serde(default)]
    pub total: Option<u64>,
}

/// When events are summarised, and which of two contradictory facts is kept.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WritePolicy {
    /// Whether events are summarised automatically.
    #[serde(default)]
    pub auto_summarize: Option<bool>,
    /// Number of events after which a summary is written.
    #[serde(rename = "summarizeEveryNEvents", default)]
    #[schemars(range(min = 1))]
    pub summarize_every_n_events: Option<u64>,
    /// Which of two contradictory facts is kept.
    #[serde(default)]
    pub conflict_strategy: Option<ConflictStrategy>,
}

/// Which of two contradictory facts is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConflictStrategy {
    /// The later one.
    Latest,
}

/// What is retrieved for a request.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Retrieval {
    /// Maximum number of events.
    #[serde(default)]
    pub max_recent_events: Option<u64>,
    /// Maximum number of chunks.
    #[serde(default)]
    pub max_semantic_chunks: Option<u64>,
    /// Whether chunks are searched by their meaning.
    #[serde(default)]
    pub enable_semantic_search: Option<bool>,
}

/// The cache of embeddings.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EmbeddingCache {
    /// Whether embeddings are cached.
    #[serde(default)]
    pub enabled: Option<bool>,
    /// Maximum number of embeddings.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub max_entries: Option<u64>,
    /// Time until an embedding is computed again, in milliseconds.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub ttl_ms: Option<u64>,
}

/// Settings of an agent's knowledge.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Knowledge {
    /// Whether the agent has knowledge.
    #[serde(default)]
    pub enabled: Option<bool>,
    /// The indexed code.
    #[serde(default)]
    pub code: Option<CodeIndex>,
    /// The indexed documents.
    #[serde(default)]
    pub doc: Option<DocumentIndex>,
    /// How knowledge is searched.
    #[serde(default)]
    pub search: Option<Search>,
}

/// The code that an agent indexes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CodeIndex {
    /// Whether code is indexed.
    #[serde(default)]
    pub enabled: Option<bool>,
    /// The directory of the code.
    #[serde(default)]
    pub root_dir: Option<String>,
    /// Globs of the files that are indexed.
    #[serde(default)]
    pub include: Option<Vec<String>>,
    /// Globs of the files that aren't.
    #[serde(default)]
    pub exclude: Option<Vec<String>>,
    /// Whether changed files are indexed again.
    #[serde(default)]
    pub watch: Option<bool>,
}

/// The documents that an agent indexes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocumentIndex {
    /// Whether documents are indexed.
    #[serde(default)]
    pub enabled: Option<bool>,
    /// The documents.
    #[serde(default)]
    pub sources: Option<Vec<DocumentSource>>,
}

/// A source of documents.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocumentSource {
    /// The name of the source.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The kind of source.
    #[serde(rename = "type", default)]
    pub kind: Option<DocumentType>,
    /// The URL of the documents.
    pub url: String,
    /// Search terms for the source.
    #[serde(default)]
    pub tags: Option<Vec<String>>,
}

/// The kind of a source of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DocumentType {
    /// Pages below a URL.
    Url,
}

/// How an agent's knowledge is searched.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(
    clippy::struct_field_names,
    reason = "the members of the file have these names"
)]
pub struct Search {
    /// Whether each request is searched automatically.
    #[serde(default)]
    pub auto_search: Option<bool>,
    /// Whether results are added to the context automatically.
    #[serde(default)]
    pub auto_inject: Option<bool>,
    /// Maximum number of results.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub max_results: Option<u64>,
    /// Minimum score of a result, from 0 to 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_score: Option<f64>,
}
