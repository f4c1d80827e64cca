//! What a server of the Model Context Protocol offers, as it answers `tools/list`,
//! `resources/list`, `resources/templates/list` and `prompts/list`.

use crate::replay::ResultKind;
use governance::RiskLevel;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// `mcp-listing.json`: what a server of the Model Context Protocol offers.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Listing {
    /// The name of the server in the configuration.
    #[schemars(length(min = 1))]
    pub server: String,
    /// The tools of the server. Agents call them as `mcp__SERVER__TOOL`.
    #[serde(default)]
    pub tools: Option<Vec<ListedTool>>,
    /// The resources of the server.
    #[serde(default)]
    pub resources: Option<Vec<Resource>>,
    /// Templates of further resources.
    #[serde(default)]
    pub resource_templates: Option<Vec<ResourceTemplate>>,
    /// The prompts of the server.
    #[serde(default)]
    pub prompts: Option<Vec<Prompt>>,
}

/// A tool of a server.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedTool {
    /// The tool's name, unique on its server.
    #[schemars(length(min = 1))]
    pub name: String,
    /// A description of the tool for the model.
    #[serde(default)]
    pub description: Option<String>,
    /// JSON Schema of the parameters.
    pub input_schema: Map<String, Value>,
    /// The risk of harm by the tool.
    #[serde(default)]
    pub risk_level: Option<RiskLevel>,
    /// The kinds of results that a successful call may have. Without this member, any.
    #[serde(default)]
    pub result_kinds: Option<Vec<ResultKind>>,
}

/// A resource of a server.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// The URI of the resource.
    #[schemars(length(min = 1))]
    pub uri: String,
    /// The name of the resource.
    pub name: String,
    /// A description of the resource for the model.
    #[serde(default)]
    pub description: Option<String>,
    /// The media type of the content.
    #[serde(default)]
    pub mime_type: Option<String>,
}

/// A template of the URIs of resources.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceTemplate {
    /// The URI with variables in braces, as `notes://{day}`.
    #[schemars(length(min = 1))]
    pub uri_template: String,
    /// The name of the template.
    pub name: String,
}

/// A prompt of a server.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// The prompt's name, unique on its server.
    #[schemars(length(min = 1))]
    pub name: String,
    /// A description of the prompt.
    #[serde(default)]
    pub description: Option<String>,
    /// The arguments of the prompt.
    #[serde(default)]
    pub arguments: Option<Vec<PromptArgument>>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptArgument {
    /// The argument's name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// A description of the argument.
    #[serde(default)]
    pub description: Option<String>,
    /// Whether the argument must be given.
    #[serde(default)]
    pub required: Option<bool>,
}
