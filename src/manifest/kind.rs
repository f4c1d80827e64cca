//! Detects the kind of a manifest.

use serde_json::Value;

/// The file in a directory of skills that records changes of their standing, one per line.
pub const PROMOTIONS: &str = "promotions.jsonl";

/// Whether the name of a file is that of a ledger of decisions about skills.
#[must_use]
pub fn is_ledger(path: &str) -> bool {
    path.rsplit(['/', '\\']).next() == Some(PROMOTIONS)
}

/// The kinds of manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Tool,
    Tools,
    /// `skill.json`: a skill with its tools.
    Skill,
    /// `skills.json`: the skills that are loaded.
    SkillSet,
    /// `meta.json`: author, purpose and permissions of a skill.
    Metadata,
    /// `.mcp.json`: servers of the Model Context Protocol.
    Servers,
    /// `.ai-stack.json`: the configuration of an agent.
    Agent,
    /// `mcp-listing.json`: what a server offers.
    Listing,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Tool,
        Self::Tools,
        Self::Skill,
        Self::SkillSet,
        Self::Metadata,
        Self::Servers,
        Self::Agent,
        Self::Listing,
    ];

    /// Returns the name of the schema. A list of tools has the schema of a tool, which applies to
    /// each element.
    #[must_use]
    pub const fn schema(self) -> &'static str {
        match self {
            Self::Tool | Self::Tools => "tool-manifest",
            Self::Skill => "skill-manifest",
            Self::SkillSet => "skill-set",
            Self::Metadata => "skill-metadata",
            Self::Servers => "mcp-servers",
            Self::Agent => "agent-config",
            Self::Listing => "mcp-listing",
        }
    }

    /// Returns the kind that a file's name implies.
    #[must_use]
    pub fn by_name(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        Some(match name {
            "skill.json" => Self::Skill,
            "skills.json" => Self::SkillSet,
            "meta.json" => Self::Metadata,
            ".mcp.json" | "mcp.json" => Self::Servers,
            ".ai-stack.json" => Self::Agent,
            "tool.json" => Self::Tool,
            "tools.json" => Self::Tools,
            "mcp-listing.json" => Self::Listing,
            _ if name.ends_with(".tool.json") => Self::Tool,
            _ if name.ends_with(".mcp-listing.json") => Self::Listing,
            _ => return None,
        })
    }

    /// Returns the kind that the shape of a value implies. More than one member must match, so that
    /// no record is mistaken for a manifest.
    #[must_use]
    pub fn by_shape(value: &Value) -> Option<Self> {
        let has = |member: &str| value.get(member).is_some();
        let text = |member: &str| value.get(member).is_some_and(Value::is_string);
        let is_tool = |tool: &Value| {
            ["name", "description"]
                .iter()
                .all(|m| tool.get(m).is_some_and(Value::is_string))
                && tool.get("parameters").is_some_and(Value::is_object)
        };
        let entry = |e: &Value| {
            e.get("path")
                .or_else(|| e.get("package"))
                .is_some_and(Value::is_string)
        };
        let loads = || {
            value
                .get("skills")
                .and_then(Value::as_object)
                .is_some_and(|s| !s.is_empty() && s.values().all(entry))
        };
        match value {
            Value::Array(all) => {
                (!all.is_empty() && all.iter().all(is_tool)).then_some(Self::Tools)
            }
            Value::Object(_) if has("record") || has("executionId") => None,
            Value::Object(_) => match () {
                () if value.get("mcpServers").is_some_and(Value::is_object) => Some(Self::Servers),
                () if loads() => Some(Self::SkillSet),
                () if text("name")
                    && text("version")
                    && value.get("tools").is_some_and(Value::is_array) =>
                {
                    Some(Self::Skill)
                }
                () if text("name") && text("version") && text("intent") => Some(Self::Metadata),
                () if is_tool(value) => Some(Self::Tool),
                () if text("server")
                    && ["tools", "resources", "prompts"]
                        .iter()
                        .any(|m| value.get(m).is_some_and(Value::is_array)) =>
                {
                    Some(Self::Listing)
                }
                () if text("systemPrompt") && (has("mcp") || has("skill")) => Some(Self::Agent),
                () => None,
            },
            _ => None,
        }
    }
}

/// Returns the kind of a manifest by its name or else by its shape. `None` means that it isn't one.
#[must_use]
pub fn kind_of(path: &str, text: &str) -> Option<Kind> {
    Kind::by_name(path).or_else(|| Kind::by_shape(&serde_json::from_str(text).ok()?))
}
