//! What a file is a manifest of.

use serde_json::Value;

/// The file in a folder of skills that holds the changes of their standing, one a line.
pub const PROMOTIONS: &str = "promotions.jsonl";

/// Whether a file holds decisions about skills, by its name.
#[must_use]
pub fn is_ledger(path: &str) -> bool {
    path.rsplit(['/', '\\']).next() == Some(PROMOTIONS)
}

/// The kinds of manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// One tool.
    Tool,
    /// A list of tools.
    Tools,
    /// A skill with its tools: `skill.json`.
    Skill,
    /// The skills that are loaded: `skills.json`.
    SkillSet,
    /// Who made a skill, for what, and what it may do: `meta.json`.
    Metadata,
    /// Servers of the Model Context Protocol: `.mcp.json`.
    Servers,
    /// The configuration of an agent: `.ai-stack.json`.
    Agent,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Tool,
        Self::Tools,
        Self::Skill,
        Self::SkillSet,
        Self::Metadata,
        Self::Servers,
        Self::Agent,
    ];

    /// The name of its schema; a list of tools has that of a tool for each.
    #[must_use]
    pub const fn schema(self) -> &'static str {
        match self {
            Self::Tool | Self::Tools => "tool-manifest",
            Self::Skill => "skill-manifest",
            Self::SkillSet => "skill-set",
            Self::Metadata => "skill-metadata",
            Self::Servers => "mcp-servers",
            Self::Agent => "agent-config",
        }
    }

    /// The kind that the name of a file says.
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
            _ if name.ends_with(".tool.json") => Self::Tool,
            _ => return None,
        })
    }

    /// The kind that the shape of a value says; more than one member must fit, so that no record is
    /// taken for one.
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
                () if text("systemPrompt") && (has("model") || has("mcp") || has("skill")) => {
                    Some(Self::Agent)
                }
                () => None,
            },
            _ => None,
        }
    }
}

/// What a file is a manifest of, by its name or else by its shape; `None` when it is none.
#[must_use]
pub fn kind_of(path: &str, text: &str) -> Option<Kind> {
    Kind::by_name(path).or_else(|| Kind::by_shape(&serde_json::from_str(text).ok()?))
}
