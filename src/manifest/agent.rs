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
    #[serde(rename = "$schema")]
    pub schema: Option<String>,
    /// The name of the agent.
    pub name: Option<String>,
    /// The name of the model.
    pub model: Option<String>,
    /// Sampling temperature, from 0 to 2.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// Maximum number of tokens in an answer.
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u64>,
    /// Maximum number of calls of the model for one request.
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u64>,
    /// The system prompt.
    pub system_prompt: Option<String>,
    /// The key of the provider. It belongs into the environment.
    pub api_key: Option<String>,
    /// The URL of the provider.
    #[serde(rename = "baseURL")]
    pub base_url: Option<String>,
    /// Settings of the agent itself, which may also be at the top.
    pub agent: Option<AgentSettings>,
    /// The provider of the model.
    pub provider: Option<Provider>,
    /// The skills of the agent.
    pub skill: Option<AgentSkills>,
    /// The servers of the agent.
    pub mcp: Option<AgentServers>,
    /// Settings of the agent's memory.
    pub memory: Option<Memory>,
    /// Permissions of tools, in the form of a policy with `defaultLevel`, `rules` and
    /// `categoryDefaults`.
    pub permission: Option<Map<String, Value>>,
    /// Settings of the agent's knowledge.
    pub knowledge: Option<Knowledge>,
}

/// Settings of an agent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentSettings {
    /// The name of the agent.
    pub name: Option<String>,
    /// The name of the model.
    pub model: Option<String>,
    /// Sampling temperature, from 0 to 2.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// Maximum number of tokens in an answer.
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u64>,
    /// Maximum number of calls of the model for one request.
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u64>,
    /// The system prompt.
    pub system_prompt: Option<String>,
    /// The key of the provider. It belongs into the environment.
    pub api_key: Option<String>,
    /// The URL of the provider.
    #[serde(rename = "baseURL")]
    pub base_url: Option<String>,
}

/// The provider of a model.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Provider {
    /// The key of the provider. It belongs into the environment.
    pub api_key: Option<String>,
    /// The URL of the provider.
    #[serde(rename = "baseURL")]
    pub base_url: Option<String>,
    /// Id of the organisation.
    pub organization: Option<String>,
    /// Id of the project.
    pub project: Option<String>,
    /// Maximum time of a request, in milliseconds.
    #[schemars(range(min = 1))]
    pub timeout: Option<u64>,
    /// Maximum number of repetitions of a failed request.
    pub max_retries: Option<u64>,
}

/// The skills of an agent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentSkills {
    /// The directories that contain the skills.
    pub directories: Option<Vec<String>>,
    /// Path of the file that lists the skills.
    pub config_path: Option<String>,
    /// Whether the skills are loaded automatically, or which of them.
    pub auto_load: Option<AutoLoad>,
    /// The skills by name.
    pub skills: Option<BTreeMap<String, SkillEntry>>,
}

/// The servers of an agent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentServers {
    /// Path of the file that defines the servers.
    pub config_path: Option<String>,
    /// Whether the agent connects to the servers automatically.
    pub auto_connect: Option<bool>,
    /// The servers by name.
    pub servers: Option<BTreeMap<String, Server>>,
}

/// Settings of an agent's memory.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Memory {
    /// Whether the agent has a memory.
    pub enabled: Option<bool>,
    /// Path of the database.
    pub db_path: Option<String>,
    /// Whether the database is created automatically.
    pub auto_initialize: Option<bool>,
    /// Whether memories are added to the context automatically.
    pub auto_inject: Option<bool>,
    /// Tokens of each part of the memory.
    pub token_budget: Option<TokenBudget>,
    /// When events are summarised, and which of two contradictory facts is kept.
    pub write_policy: Option<WritePolicy>,
    /// What is retrieved for a request.
    pub retrieval: Option<Retrieval>,
    /// The cache of embeddings.
    pub embedding_cache: Option<EmbeddingCache>,
}

/// Tokens of each part of the memory. The parts must fit into the total.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TokenBudget {
    /// Facts about the user.
    pub profile: Option<u64>,
    /// The state of the task.
    pub task_state: Option<u64>,
    /// The latest events.
    pub recent_events: Option<u64>,
    /// The chunks that a search finds.
    pub semantic_chunks: Option<u64>,
    /// The running summary.
    pub summary: Option<u64>,
    /// All parts together.
    pub total: Option<u64>,
}

/// When events are summarised, and which of two contradictory facts is kept.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WritePolicy {
    /// Whether events are summarised automatically.
    pub auto_summarize: Option<bool>,
    /// Number of events after which a summary is written.
    #[serde(rename = "summarizeEveryNEvents")]
    #[schemars(range(min = 1))]
    pub summarize_every_n_events: Option<u64>,
    /// Which of two contradictory facts is kept.
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
    pub max_recent_events: Option<u64>,
    /// Maximum number of chunks.
    pub max_semantic_chunks: Option<u64>,
    /// Whether chunks are searched by their meaning.
    pub enable_semantic_search: Option<bool>,
}

/// The cache of embeddings.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EmbeddingCache {
    /// Whether embeddings are cached.
    pub enabled: Option<bool>,
    /// Maximum number of embeddings.
    #[schemars(range(min = 1))]
    pub max_entries: Option<u64>,
    /// Time until an embedding is computed again, in milliseconds.
    #[schemars(range(min = 1))]
    pub ttl_ms: Option<u64>,
}

/// Settings of an agent's knowledge.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Knowledge {
    /// Whether the agent has knowledge.
    pub enabled: Option<bool>,
    /// The indexed code.
    pub code: Option<CodeIndex>,
    /// The indexed documents.
    pub doc: Option<DocumentIndex>,
    /// How knowledge is searched.
    pub search: Option<Search>,
}

/// The code that an agent indexes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CodeIndex {
    /// Whether code is indexed.
    pub enabled: Option<bool>,
    /// The directory of the code.
    pub root_dir: Option<String>,
    /// Globs of the files that are indexed.
    pub include: Option<Vec<String>>,
    /// Globs of the files that aren't.
    pub exclude: Option<Vec<String>>,
    /// Whether changed files are indexed again.
    pub watch: Option<bool>,
}

/// The documents that an agent indexes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocumentIndex {
    /// Whether documents are indexed.
    pub enabled: Option<bool>,
    /// The documents.
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
    #[serde(rename = "type")]
    pub kind: Option<DocumentType>,
    /// The URL of the documents.
    pub url: String,
    /// Search terms for the source.
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
    pub auto_search: Option<bool>,
    /// Whether results are added to the context automatically.
    pub auto_inject: Option<bool>,
    /// Maximum number of results.
    #[schemars(range(min = 1))]
    pub max_results: Option<u64>,
    /// Minimum score of a result, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_score: Option<f64>,
}
