//! The tools, servers, resources and prompts that manifests declare, and what a call does beyond
//! them.

use crate::schema::BoundedValidator;
use crate::trace::action::{arguments, text_arguments};
use crate::trace::step::{Action, ActionKind, Outcome};
use governance::{ActionType, RiskLevel};
use schemars::JsonSchema;
use serde::Deserialize;
use shell_effects::Param;
use std::collections::{BTreeMap, BTreeSet};
use strict_json::Scanner;

/// Maximum number of violations that are reported of one call.
const VIOLATIONS: usize = 5;
/// Maximum number of characters shown of a name or a message.
const SHOWN: usize = 200;

/// The kinds of results of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResultKind {
    /// No output, or only white space.
    Empty,
    /// Text that isn't a JSON object or array.
    Text,
    /// A JSON object or array.
    Json,
    /// Files that the result names in `artifacts`.
    Files,
}

impl ResultKind {
    /// Returns the word that manifests use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Text => "text",
            Self::Json => "json",
            Self::Files => "files",
        }
    }

    /// Returns the kinds of a result: one for its output, and `Files` if it names files. A result
    /// that consists of files alone needs no output.
    fn of(result: &Outcome<'_>) -> Vec<Self> {
        let files = result
            .artifacts
            .is_some_and(|files| !matches!(files.as_written().trim(), "[]" | "null" | ""));
        let output = result.output.decode();
        let mut kinds = Vec::new();
        match output.trim() {
            "" if files => {}
            "" => kinds.push(Self::Empty),
            text => {
                let mut scanner = Scanner::new(text, strict_json::DEFAULT_MAX_DEPTH);
                let is_json = text.starts_with(['{', '['])
                    && scanner.skip().and_then(|_| scanner.end()).is_ok();
                kinds.push(if is_json { Self::Json } else { Self::Text });
            }
        }
        if files {
            kinds.push(Self::Files);
        }
        kinds
    }
}

/// The declaration of a tool.
#[derive(Debug)]
pub struct DeclaredTool {
    /// The risk that the manifest declares.
    pub risk: Option<RiskLevel>,
    /// The schema of the parameters.
    pub parameters: BoundedValidator,
    /// The kinds of results; `None` when all are allowed.
    pub results: Option<BTreeSet<ResultKind>>,
}

/// The resources and prompts that a server lists.
#[derive(Debug, Default)]
pub struct ServerListing {
    /// URIs of the resources, and templates of URIs; `None` when the listing has no resources.
    pub resources: Option<(BTreeSet<String>, Vec<UriTemplate>)>,
    /// The prompts with the names of their required arguments; `None` when the listing has none.
    pub prompts: Option<BTreeMap<String, BTreeSet<String>>>,
}

/// Everything that the named manifests declare.
#[derive(Debug, Default)]
pub struct ToolManifest {
    /// Declarations by the name of the tool. A call must conform to each of them.
    tools: BTreeMap<String, Vec<DeclaredTool>>,
    /// The configured servers; `None` when no configuration of servers was read.
    servers: Option<BTreeSet<String>>,
    listings: BTreeMap<String, ServerListing>,
}

/// Something that a call does beyond the manifests. May contain hostile text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolFault {
    /// The call names no tool, or two.
    Nameless,
    /// No manifest declares the tool.
    UnknownTool(String),
    /// No configuration names the server.
    UnknownServer { tool: String, server: String },
    /// A parameter breaks the schema.
    Parameters {
        tool: String,
        /// JSON pointer in the parameters.
        pointer: String,
        message: String,
    },
    /// The server doesn't list the resource or prompt, or an argument of the prompt is missing.
    Unlisted { server: String, message: String },
    /// The manifest excludes this kind of result.
    Result { tool: String, kind: ResultKind },
}

impl ToolFault {
    /// Returns an estimate of the heap bytes that it owns.
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Nameless => 0,
            Self::UnknownTool(tool) | Self::Result { tool, .. } => tool.len(),
            Self::UnknownServer { tool, server } => tool.len() + server.len(),
            Self::Parameters {
                tool,
                pointer,
                message,
            } => tool.len() + pointer.len() + message.len(),
            Self::Unlisted { server, message } => server.len() + message.len(),
        }
    }
}

/// Returns a name as agents write it in the name of a tool.
fn in_tool_name(server: &str) -> String {
    server
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect()
}

fn shown(text: &str) -> String {
    let mut kept: String = text.chars().take(SHOWN).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    kept
}

/// What a call of a client's own tool does with a server.
enum ServerCall<'c> {
    /// Lists what the server offers.
    List,
    Resource(&'c str),
    Prompt(&'c str),
}

/// Returns the server that a call of a client's own tool names, and what it does there.
fn server_call<'c>(tool: &str, call: &'c Param<'c>) -> Option<(&'c str, ServerCall<'c>)> {
    let plain: String = tool
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    let plain = plain.replace("mcp", "");
    let plain = plain.strip_suffix("tool").unwrap_or(&plain);
    let given = ["parameters", "arguments"]
        .iter()
        .find_map(|wrapper| call.get(wrapper))
        .unwrap_or(call);
    let text = |names: &[&str]| names.iter().find_map(|name| given.get(name)?.as_str());
    let server = text(&["server", "serverName", "server_name"])?;
    let what = match plain {
        "listresources" | "listresourcetemplates" | "listprompts" => ServerCall::List,
        "readresource" | "accessresource" => ServerCall::Resource(text(&["uri"])?),
        "getprompt" => ServerCall::Prompt(text(&["name", "prompt"])?),
        _ => return None,
    };
    Some((server, what))
}

impl ToolManifest {
    /// Adds the declaration of a tool.
    pub fn add_tool(&mut self, name: String, tool: DeclaredTool) {
        self.tools.entry(name).or_default().push(tool);
    }

    /// Adds the declaration of a tool of a server, which agents call as `mcp__SERVER__TOOL`.
    pub fn add_server_tool(&mut self, server: &str, name: &str, tool: DeclaredTool) {
        self.add_tool(format!("mcp__{}__{name}", in_tool_name(server)), tool);
    }

    /// Adds configured servers.
    pub fn add_servers(&mut self, names: impl Iterator<Item = String>) {
        self.servers.get_or_insert_default().extend(names);
    }

    /// Adds what a server lists.
    pub fn add_listing(&mut self, server: String, listing: ServerListing) {
        let kept = self.listings.entry(server).or_default();
        if let Some((uris, templates)) = listing.resources {
            let resources = kept.resources.get_or_insert_default();
            resources.0.extend(uris);
            resources.1.extend(templates);
        }
        if let Some(prompts) = listing.prompts {
            kept.prompts.get_or_insert_default().extend(prompts);
        }
    }

    /// Returns whether nothing is declared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.servers.is_none() && self.listings.is_empty()
    }

    /// Returns the highest risk that a manifest declares for the tool of a call.
    pub(super) fn declared_risk(&self, action: &Action<'_>) -> Option<(String, RiskLevel)> {
        if action.kind != ActionKind::Known(ActionType::ToolCall) || self.tools.is_empty() {
            return None;
        }
        let call: Param<'_> = action.payload?.read_clamped()?;
        let own = call.tool().into_iter();
        let others = call.other_tools();
        own.chain(others.iter().map(|(name, ..)| *name))
            .filter_map(|name| self.tools.get_key_value(name))
            .filter_map(|(name, all)| Some((name, all.iter().filter_map(|t| t.risk).max()?)))
            .max_by_key(|(_, risk)| *risk)
            .map(|(name, risk)| (name.clone(), risk))
    }

    /// Returns what a call does beyond the manifests.
    #[must_use]
    pub fn faults(&self, action: &Action<'_>) -> Vec<ToolFault> {
        let (ActionKind::Known(ActionType::ToolCall), Some(payload)) =
            (action.kind, action.payload)
        else {
            return Vec::new();
        };
        let Some(call) = payload.read_clamped::<Param<'_>>() else {
            return vec![ToolFault::Nameless];
        };
        let others: Vec<&str> = call
            .other_tools()
            .into_iter()
            .filter(|(_, _, perhaps)| !perhaps)
            .map(|(name, ..)| name)
            .collect();
        let Some(tool) = call.tool() else {
            return vec![ToolFault::Nameless];
        };
        let mut all = Vec::new();
        let mut names = vec![tool];
        if let Some((server, what)) = server_call(tool, &call) {
            // A client's own tool needs no declaration.
            names.clear();
            all.extend(self.offered(tool, server, &what, &call));
        }
        names.extend(others);
        all.extend(names.into_iter().filter_map(|name| self.unknown(name)));
        for declared in self.tools.get(tool).into_iter().flatten() {
            for text in text_arguments(&arguments(payload)) {
                match declared.parameters.violations(&text) {
                    Some(violations) => {
                        all.extend(violations.into_iter().take(VIOLATIONS).map(
                            |(pointer, message)| ToolFault::Parameters {
                                tool: shown(tool),
                                pointer: shown(&pointer),
                                message: shown(&message),
                            },
                        ));
                    }
                    None => all.push(ToolFault::Parameters {
                        tool: shown(tool),
                        pointer: String::new(),
                        message: "they are too long for their schema".to_owned(),
                    }),
                }
            }
        }
        all.dedup();
        all.truncate(VIOLATIONS);
        all
    }

    /// Reports a tool or server that nothing declares.
    fn unknown(&self, name: &str) -> Option<ToolFault> {
        let unknown = || Some(ToolFault::UnknownTool(shown(name)));
        let Some(rest) = name.strip_prefix("mcp__") else {
            return if self.tools.is_empty() || self.tools.contains_key(name) {
                None
            } else {
                unknown()
            };
        };
        let is_of = |server: &str| {
            rest.strip_prefix(&*in_tool_name(server))
                .is_some_and(|tool| tool.starts_with("__"))
        };
        match &self.servers {
            Some(servers) if !servers.iter().any(|server| is_of(server)) => {
                let server = rest.split("__").next().unwrap_or(rest);
                return Some(ToolFault::UnknownServer {
                    tool: shown(name),
                    server: shown(server),
                });
            }
            _ if self.tools.contains_key(name) => return None,
            None => {
                return if self.tools.is_empty() {
                    None
                } else {
                    unknown()
                };
            }
            Some(_) => {}
        }
        // The server is configured. Its tools are known only if they are listed.
        let prefix = |tool: &String| {
            tool.strip_prefix("mcp__").is_some_and(|other| {
                self.servers.iter().flatten().any(|server| {
                    is_of(server) && other.starts_with(&format!("{}__", in_tool_name(server)))
                })
            })
        };
        if self.tools.keys().any(prefix) {
            unknown()
        } else {
            None
        }
    }

    /// Checks the use of a resource or prompt of a server.
    fn offered(
        &self,
        tool: &str,
        server: &str,
        what: &ServerCall<'_>,
        call: &Param<'_>,
    ) -> Vec<ToolFault> {
        if let Some(servers) = &self.servers
            && !servers.contains(server)
        {
            return vec![ToolFault::UnknownServer {
                tool: shown(tool),
                server: shown(server),
            }];
        }
        let Some(listing) = self.listings.get(server) else {
            return Vec::new();
        };
        let unlisted = |message: String| {
            vec![ToolFault::Unlisted {
                server: shown(server),
                message,
            }]
        };
        match (what, &listing.resources, &listing.prompts) {
            (ServerCall::Resource(uri), Some((uris, templates)), _) => {
                if uris.contains(*uri) || templates.iter().any(|t| t.matches(uri)) {
                    Vec::new()
                } else {
                    unlisted(format!("the resource `{}`", shown(uri)))
                }
            }
            (ServerCall::Prompt(name), _, Some(prompts)) => match prompts.get(*name) {
                None => unlisted(format!("the prompt `{}`", shown(name))),
                Some(required) => {
                    let given = call
                        .get("parameters")
                        .or_else(|| call.get("arguments"))
                        .unwrap_or(call);
                    let given = given.get("arguments").unwrap_or(given);
                    let missing = required.iter().find(|name| given.get(name).is_none());
                    missing.map_or_else(Vec::new, |missing| {
                        unlisted(format!(
                            "the prompt `{}` without its argument `{}`",
                            shown(name),
                            shown(missing)
                        ))
                    })
                }
            },
            _ => Vec::new(),
        }
    }

    /// Reports the kinds of a result that the manifest of the tool excludes. Only results of
    /// successful calls are compared: any tool may fail with a text.
    pub(super) fn result_faults(&self, tool: Option<&str>, result: &Outcome<'_>) -> Vec<ToolFault> {
        let declared = tool
            .filter(|_| result.success && !result.perhaps)
            .and_then(|tool| Some((tool, self.tools.get(tool)?)));
        let Some((tool, declared)) = declared else {
            return Vec::new();
        };
        let allowed = |kind: &ResultKind| {
            declared
                .iter()
                .filter_map(|tool| tool.results.as_ref())
                .all(|kinds| kinds.contains(kind))
        };
        ResultKind::of(result)
            .into_iter()
            .filter(|kind| !allowed(kind))
            .map(|kind| ToolFault::Result {
                tool: shown(tool),
                kind,
            })
            .collect()
    }
}

/// Maximum number of variables in a template of URIs.
const VARIABLES: usize = 32;
/// Maximum size of a URI that is compared with templates, in bytes.
const URI_BYTES: usize = 8_192;

/// A template of URIs. A variable in braces stands for a part without a slash, and one with an
/// operator, as `{+path}`, for any text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UriTemplate(Vec<UriPart>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum UriPart {
    Literal(String),
    Variable {
        /// Whether the variable may contain slashes.
        slashes: bool,
    },
}

impl UriTemplate {
    /// Parses a template. Returns `None` if a brace isn't closed, or there are too many variables.
    #[must_use]
    pub fn parse(template: &str) -> Option<Self> {
        let mut parts = Vec::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (variable, after) = after.split_once('}')?;
            parts.push(UriPart::Literal(before.to_owned()));
            parts.push(UriPart::Variable {
                slashes: variable.starts_with(['+', '#', '/', '?', '&', '.', ';']),
            });
            rest = after;
        }
        parts.push(UriPart::Literal(rest.to_owned()));
        (parts.len() <= 2 * VARIABLES + 1).then_some(Self(parts))
    }

    /// Returns whether a URI is one of the template's.
    fn matches(&self, uri: &str) -> bool {
        if uri.len() > URI_BYTES {
            return false;
        }
        let bytes = uri.as_bytes();
        // Whether the parts so far can end at each position.
        let mut reached = vec![false; bytes.len() + 1];
        if let Some(first) = reached.first_mut() {
            *first = true;
        }
        for part in &self.0 {
            let mut next = vec![false; bytes.len() + 1];
            let mut running = false;
            for (at, is_reached) in reached.iter().enumerate() {
                let rest = bytes.get(at..).unwrap_or_default();
                let (skipped, holds) = match part {
                    UriPart::Literal(text) => {
                        (text.len(), *is_reached && rest.starts_with(text.as_bytes()))
                    }
                    UriPart::Variable { slashes } => {
                        let Some(byte) = rest.first() else { break };
                        running = (running || *is_reached) && (*slashes || *byte != b'/');
                        (1, running)
                    }
                };
                if let Some(end) = next.get_mut(at + skipped).filter(|_| holds) {
                    *end = true;
                }
            }
            reached = next;
        }
        reached.last() == Some(&true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::SchemaBudget;
    use serde_json::{Value, json};
    use strict_json::Raw;

    fn manifest(servers: Option<&[&str]>) -> ToolManifest {
        let mut all = ToolManifest::default();
        let tool = |schema: Value| DeclaredTool {
            risk: Some(RiskLevel::Medium),
            parameters: BoundedValidator::new(&schema, &mut SchemaBudget::default()).unwrap(),
            results: None,
        };
        let weather =
            json!({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]});
        all.add_tool("weather".into(), tool(weather.clone()));
        all.add_tool("mcp__my_maps__find".into(), tool(weather));
        if let Some(servers) = servers {
            all.add_servers(servers.iter().map(|s| (*s).to_owned()));
        }
        all.add_listing(
            "notes".into(),
            ServerListing {
                resources: Some((
                    BTreeSet::from(["notes://index".to_owned()]),
                    UriTemplate::parse("notes://{year}/x").into_iter().collect(),
                )),
                prompts: Some(BTreeMap::from([(
                    "sum-up".to_owned(),
                    BTreeSet::from(["day".to_owned()]),
                )])),
            },
        );
        all
    }

    fn faults(manifest: &ToolManifest, payload: &Value) -> Vec<ToolFault> {
        let text = payload.to_string();
        let action = Action {
            id: None,
            kind: ActionKind::Known(ActionType::ToolCall),
            payload: Some(Raw::trusted(&text)),
            risk: None,
        };
        manifest.faults(&action)
    }

    #[test]
    fn calls_are_compared_with_their_manifest() {
        let all = manifest(None);
        for good in [
            json!({"tool":"weather","parameters":{"city":"Rome"}}),
            json!({"tool":"weather","arguments":"{\"city\":\"Rome\"}"}),
            json!({"tool":"weather","city":"Rome"}),
            json!({"tool_name":"weather","parameters":{"city":"Rome"}}),
            json!({"tool":"mcp__my_maps__find","parameters":{"city":"Rome"}}),
        ] {
            assert_eq!(faults(&all, &good), [], "{good}");
        }
        for (bad, pointer) in [
            (json!({"tool":"weather","parameters":{"city":17}}), "/city"),
            (json!({"tool":"weather","parameters":{}}), ""),
            (json!({"tool":"weather","parameters":null}), ""),
            (json!({"tool":"weather"}), ""),
            (json!({"tool":"weather","arguments":"city"}), ""),
            (json!({"tool":"weather","parameters":[1]}), ""),
            (
                json!({"tool":"weather","parameters":{"city":"a"},"arguments":{"city":1}}),
                "/city",
            ),
        ] {
            let found = faults(&all, &bad);
            assert!(
                matches!(&found[..], [ToolFault::Parameters { pointer: p, .. }] if p == pointer),
                "{bad}: {found:?}"
            );
        }
        let unknown = |name: &str| vec![ToolFault::UnknownTool(name.to_owned())];
        assert_eq!(faults(&all, &json!({"tool":"wether"})), unknown("wether"));
        assert_eq!(
            faults(&all, &json!({"tool":"mcp__x__y"})),
            unknown("mcp__x__y")
        );
        let two = json!({"tool":"weather","parameters":{"city":"a"},"toolName":"rm"});
        assert_eq!(faults(&all, &two), unknown("rm"));
        for nameless in [
            json!({"parameters":{}}),
            json!({"tool":""}),
            json!([]),
            json!({"tool":"a","tool_name":"b"}),
        ] {
            assert_eq!(faults(&all, &nameless), [ToolFault::Nameless], "{nameless}");
        }
        assert_eq!(faults(&ToolManifest::default(), &json!({"tool":"x"})), []);
    }

    #[test]
    fn servers_are_configured_and_list_what_they_offer() {
        let all = manifest(Some(&["my maps", "notes"]));
        let ghost = |tool: &str, server: &str| {
            vec![ToolFault::UnknownServer {
                tool: tool.to_owned(),
                server: server.to_owned(),
            }]
        };
        assert_eq!(
            faults(&all, &json!({"tool":"mcp__ghost__peek"})),
            ghost("mcp__ghost__peek", "ghost")
        );
        let city = json!({"city":"Rome"});
        assert_eq!(
            faults(
                &all,
                &json!({"tool":"mcp__my_maps__find","parameters":city})
            ),
            []
        );
        assert_eq!(
            faults(&all, &json!({"tool":"mcp__my_maps__lose"})),
            [ToolFault::UnknownTool("mcp__my_maps__lose".into())]
        );
        // The tools of this server aren't listed.
        assert_eq!(faults(&all, &json!({"tool":"mcp__notes__add"})), []);
        let read = |server: &str, uri: &str| json!({"tool":"ReadMcpResourceTool","parameters":{"server":server,"uri":uri}});
        assert_eq!(faults(&all, &read("notes", "notes://index")), []);
        assert_eq!(faults(&all, &read("notes", "notes://2026/x")), []);
        assert_eq!(faults(&all, &read("my maps", "maps://any")), []);
        assert_eq!(
            faults(&all, &read("ghost", "notes://index")),
            ghost("ReadMcpResourceTool", "ghost")
        );
        for uri in [
            "notes://secret",
            "notes://2026/12/x",
            "xnotes://index",
            "notes:///x",
        ] {
            assert!(
                matches!(
                    &faults(&all, &read("notes", uri))[..],
                    [ToolFault::Unlisted { .. }]
                ),
                "{uri}"
            );
        }
        let prompt = |name: &str, given: Value| json!({"tool":"get_prompt","parameters":{"server":"notes","name":name,"arguments":given}});
        assert_eq!(faults(&all, &prompt("sum-up", json!({"day":"today"}))), []);
        for (name, given) in [("sum-up", json!({})), ("other", json!({"day":"today"}))] {
            assert!(
                matches!(
                    &faults(&all, &prompt(name, given))[..],
                    [ToolFault::Unlisted { .. }]
                ),
                "{name}"
            );
        }
        assert_eq!(
            faults(
                &all,
                &json!({"tool":"list_resources","parameters":{"server":"notes"}})
            ),
            []
        );
    }

    #[test]
    fn templates_match_whole_uris() {
        assert_eq!(UriTemplate::parse("a{b"), None);
        assert_eq!(UriTemplate::parse(&"{a}".repeat(100_000)), None);
        let matches =
            |template: &str, uri: &str| UriTemplate::parse(template).unwrap().matches(uri);
        for (template, uri) in [
            ("file://{+path}", "file://a/b"),
            ("{a}{b}", "xy"),
            ("{a}-{b}", "x-y-z"),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert!(matches(template, uri), "{template} {uri}");
        }
        for (template, uri) in [
            ("file://{path}", "file://a/b"),
            ("{a}{b}", "x"),
            ("{a}", ""),
            ("plain", "plainly"),
            ("{a}.txt", "a.txt.exe"),
        ] {
            assert!(!matches(template, uri), "{template} {uri}");
        }
        let slow = format!("{}x", "{+a}".repeat(VARIABLES));
        assert!(!matches(&slow, &"a".repeat(URI_BYTES)));
        assert!(!matches("{+a}", &"a".repeat(URI_BYTES + 1)));
    }
}
