//! Reads from manifests what calls of tools are compared with.

use super::agent::AgentConfig;
use super::fault::faults;
use super::kind::{Kind, kind_of};
use super::listing::Listing;
use super::types::{Servers, SkillManifest, Tool};
use crate::replay::{DeclaredTool, ServerListing, ToolManifest, UriTemplate};
use crate::schema::{BoundedValidator, SchemaBudget};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Maximum size of a manifest in bytes.
const MOST: usize = 16 << 20;
/// Codes of the faults with which nothing is compared with a manifest.
const FATAL: [u16; 4] = [102, 106, 107, 901];

/// Why calls can't be compared with a manifest. May contain hostile text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeclarationError {
    /// The file is another one, or declares neither tools nor servers.
    #[error("it declares neither tools nor servers")]
    OtherKind,
    #[error("it is larger than 16 MiB")]
    TooLarge,
    /// The manifest has faults.
    #[error("{0} (`validate` shows everything that is wrong with it)")]
    Faulty(String),
}

/// Adds what a manifest declares. Returns the path of another file that defines servers, if the
/// manifest names one.
///
/// # Errors
/// When the file is no such manifest, or a faulty one.
pub fn declare(
    to: &mut ToolManifest,
    name: &str,
    text: &str,
) -> Result<Option<String>, DeclarationError> {
    if text.len() > MOST {
        return Err(DeclarationError::TooLarge);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let kind = kind_of(name, text).ok_or(DeclarationError::OtherKind)?;
    if let Some(fault) = faults(kind, text)
        .into_iter()
        .find(|fault| FATAL.contains(&fault.code))
    {
        return Err(DeclarationError::Faulty(fault.message));
    }
    let mut budget = SchemaBudget::default();
    match kind {
        Kind::Tool => add(to, read(text)?, &mut budget)?,
        Kind::Tools => {
            for tool in read::<Vec<Tool>>(text)? {
                add(to, tool, &mut budget)?;
            }
        }
        Kind::Skill => {
            for tool in read::<SkillManifest>(text)?.tools {
                add(to, tool.tool, &mut budget)?;
            }
        }
        Kind::Servers => to.add_servers(read::<Servers>(text)?.mcp_servers.into_keys()),
        Kind::Agent => {
            let Some(mcp) = read::<AgentConfig>(text)?.mcp else {
                return Err(DeclarationError::OtherKind);
            };
            to.add_servers(mcp.servers.unwrap_or_default().into_keys());
            return Ok(mcp.config_path);
        }
        Kind::Listing => list(to, read(text)?, &mut budget)?,
        Kind::SkillSet | Kind::Metadata => return Err(DeclarationError::OtherKind),
    }
    Ok(None)
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, DeclarationError> {
    serde_json::from_str(text).map_err(|e| DeclarationError::Faulty(e.to_string()))
}

fn validator(
    schema: Map<String, Value>,
    budget: &mut SchemaBudget,
) -> Result<BoundedValidator, DeclarationError> {
    BoundedValidator::new(&Value::Object(schema), budget)
        .map_err(|e| DeclarationError::Faulty(e.to_string()))
}

fn add(
    to: &mut ToolManifest,
    tool: Tool,
    budget: &mut SchemaBudget,
) -> Result<(), DeclarationError> {
    let declared = DeclaredTool {
        risk: tool.risk_level,
        parameters: validator(tool.parameters, budget)?,
        results: tool.result_kinds.map(BTreeSet::from_iter),
    };
    to.add_tool(tool.name, declared);
    Ok(())
}

fn list(
    to: &mut ToolManifest,
    listing: Listing,
    budget: &mut SchemaBudget,
) -> Result<(), DeclarationError> {
    for tool in listing.tools.unwrap_or_default() {
        let declared = DeclaredTool {
            risk: tool.risk_level,
            parameters: validator(tool.input_schema, budget)?,
            results: tool.result_kinds.map(BTreeSet::from_iter),
        };
        to.add_server_tool(&listing.server, &tool.name, declared);
    }
    let templates = listing.resource_templates.map(|all| {
        all.iter()
            .filter_map(|t| UriTemplate::parse(&t.uri_template))
            .collect::<Vec<_>>()
    });
    let uris = listing
        .resources
        .map(|all| all.into_iter().map(|r| r.uri).collect::<BTreeSet<_>>());
    let resources = match (uris, templates) {
        (None, None) => None,
        (uris, templates) => Some((uris.unwrap_or_default(), templates.unwrap_or_default())),
    };
    let prompts = listing.prompts.map(|all| {
        let required = |prompt: super::listing::Prompt| {
            let arguments = prompt.arguments.unwrap_or_default().into_iter();
            let names = arguments
                .filter(|a| a.required == Some(true))
                .map(|a| a.name)
                .collect();
            (prompt.name, names)
        };
        all.into_iter().map(required).collect()
    });
    to.add_listing(listing.server, ServerListing { resources, prompts });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(name: &str, text: &str) -> Result<Option<String>, DeclarationError> {
        declare(&mut ToolManifest::default(), name, text)
    }

    #[test]
    fn only_sound_manifests_of_tools_and_servers_are_compared_with() {
        let tool = r#"{"name":"a","description":"d","parameters":{"type":"object"}}"#;
        for (name, text) in [
            ("tool.json", tool.to_owned()),
            ("tools.json", format!("\u{feff}[{tool}]")),
            ("any.json", format!("[{tool}]")),
            (".mcp.json", r#"{"mcpServers":{}}"#.to_owned()),
            (".ai-stack.json", r#"{"mcp":{"servers":{"a":{"type":"sse","url":"https://a.example/"}}}}"#.to_owned()),
            ("mcp-listing.json", r#"{"server":"a","tools":[{"name":"t","inputSchema":{}}],"resources":[],"prompts":[]}"#.to_owned()),
        ] {
            assert_eq!(declared(name, &text), Ok(None), "{name}");
        }
        let named = declared(".ai-stack.json", r#"{"mcp":{"configPath":"./.mcp.json"}}"#);
        assert_eq!(named, Ok(Some("./.mcp.json".into())));
        for (name, text) in [
            (".ai-stack.json", "{}"),
            ("skills.json", r#"{"skills":{}}"#),
            ("other.json", "{}"),
        ] {
            assert_eq!(
                declared(name, text),
                Err(DeclarationError::OtherKind),
                "{name}"
            );
        }
        for (name, text) in [
            ("tools.json", "{"),
            ("tools.json", "{}"),
            (
                "tool.json",
                r#"{"name":"a","name":"b","description":"d","parameters":{}}"#,
            ),
            (
                "tool.json",
                r#"{"name":"a","description":"d","parameters":{"$ref":"https://example.com/x"}}"#,
            ),
            (
                "mcp-listing.json",
                r#"{"server":"a","resourceTemplates":[{"name":"t","uriTemplate":"a{"}]}"#,
            ),
        ] {
            assert!(
                matches!(declared(name, text), Err(DeclarationError::Faulty(_))),
                "{text}"
            );
        }
    }
}
