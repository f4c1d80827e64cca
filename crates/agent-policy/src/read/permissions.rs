//! Permission rules: levels for tools, defaults for categories, and what the session has approved.

use super::fields::{Fields, Reader};
use super::pack::list;
use super::when::name;
use super::{PolicyDraft, generated_rule};
use crate::condition::{Condition, Predicate};
use crate::effect::Effect;
use crate::facts::{Category, GIT_WRITE};
use crate::model::{Combine, Fallback, Form, Rule};
use crate::name::Name;
use crate::yaml::{Node, Position, Value};

const LEVELS: [&str; 3] = ["auto", "confirm", "deny"];

/// The other members of an agent's configuration that contains the block.
const BESIDE: [&str; 13] = [
    "$schema",
    "name",
    "model",
    "temperature",
    "maxTokens",
    "systemPrompt",
    "provider",
    "skill",
    "mcp",
    "memory",
    "knowledge",
    "agent",
    "tools",
];

/// Takes the block of permissions from the configuration of an agent.
pub(super) fn wrapped<'n>(fields: &mut Fields<'n>, reader: &mut Reader) -> Option<&'n Node> {
    if !fields.has("permission") {
        return None;
    }
    fields.no_blank("permission", reader);
    for key in BESIDE {
        fields.accept(key);
    }
    fields.take("permission")
}

/// Whether a map is a block of permissions.
pub(super) fn is_block(fields: &Fields<'_>) -> bool {
    let keys = [
        "defaultLevel",
        "sessionMemory",
        "categoryDefaults",
        "enabled",
    ];
    let of_tools = |node: &Node| {
        let members = match &node.value {
            Value::List(list) => list.first().map(|first| &first.value),
            _ => None,
        };
        let is_level = |key: &Node| key.text().is_some_and(|key| key == "level");
        matches!(members, Some(Value::Map(map)) if map.iter().any(|(key, _)| is_level(key)))
    };
    keys.into_iter().any(|key| fields.has(key)) || fields.peek("rules").is_some_and(of_tools)
}

/// Order: what this session approved, the first rule for the tool, the category's default, the
/// default level.
pub(super) fn read(fields: &mut Fields<'_>, reader: &mut Reader) -> PolicyDraft {
    let id = fields.text("id", reader).map(|(id, _)| id);
    for key in ["version", "description"] {
        fields.accept(key);
    }
    let at_enabled = fields.peek("enabled").map(|node| node.at);
    let disabled = fields
        .flag("enabled", reader)
        .filter(|enabled| !enabled)
        .and(at_enabled);
    let default = fields
        .text("defaultLevel", reader)
        .and_then(|(word, at)| level(&word, at, reader));
    let memory = fields.flag("sessionMemory", reader);
    let mut rules = Vec::new();
    if memory == Some(true) {
        let when = Condition::Is(Predicate::ApprovedBefore, "approved_before".into());
        let reason = "a human approved this tool in this session, at no lower risk";
        rules.push(generated_rule(
            "session-memory",
            fields.at,
            Effect::Allow,
            reason,
            when,
            Vec::new(),
        ));
    }
    for node in list(fields, "rules", reader) {
        rules.extend(rule(node, rules.len(), reader));
    }
    categories(fields, default, &mut rules, reader);
    let mut default = Fallback {
        effect: default.unwrap_or(Effect::RequireApproval),
        reason: "no permission rule is about this tool".into(),
        at: None,
    };
    if disabled.is_some() {
        rules.clear();
        default.effect = Effect::Allow;
        default.reason = "permission checks are off (`enabled: false`): nothing is asked".into();
    }
    PolicyDraft {
        id,
        form: Form::Permissions,
        combine: Combine::FirstMatch,
        default,
        monitor: false,
        disabled,
        rules,
        properties: Vec::new(),
    }
}

fn level(word: &str, at: Position, reader: &mut Reader) -> Option<Effect> {
    if !LEVELS.contains(&word) {
        reader.unknown_word(at, "level", word, &LEVELS);
        return None;
    }
    Effect::parse(word)
}

fn rule(node: &Node, number: usize, reader: &mut Reader) -> Option<Rule> {
    let mut fields = Fields::new(node, "a permission rule", reader);
    let tool = fields.required("tool", reader);
    let effect = fields
        .required("level", reader)
        .and_then(|(word, at)| level(&word, at, reader));
    let category = fields.text("category", reader);
    if let Some((word, at)) = &category {
        let known = Category::ALL.map(Category::name);
        if !known.contains(&word.as_str()) {
            reader.unknown_word(*at, "category", word, &known);
        }
    }
    let id = fields.text("id", reader).map(|(id, _)| id);
    let description = fields.text("description", reader).map(|(text, _)| text);
    let reason = fields.text("reason", reader).map(|(text, _)| text);
    fields.finish(reader);
    let (tool, at) = tool?;
    let effect = effect?;
    let names: Vec<Name> = name(&tool, at, reader).into_iter().collect();
    let when = Condition::Is(Predicate::Tool(names), format!("tool: {tool}"));
    let reason = reason.unwrap_or_else(|| match effect {
        Effect::Allow => format!("tools like `{tool}` need no confirmation"),
        Effect::RequireApproval => format!("tools like `{tool}` need a confirmation"),
        Effect::Deny => format!("tools like `{tool}` are forbidden"),
    });
    let id = id.unwrap_or_else(|| format!("{number:02}:{tool}"));
    Some(Rule {
        id,
        at: node.at,
        description,
        effect,
        reason: Some(reason),
        limits: Vec::new(),
        generated: false,
        when,
    })
}

/// The level of a category, or of a part of it.
struct CategoryLevel {
    name: String,
    category: Category,
    /// The bits of the category's parts.
    bits: u32,
    effect: Effect,
    at: Position,
}

/// Reads the defaults of categories. A call is in a category if all of its effects are.
///
/// A category that isn't named has its own level, unless the default level is `deny`.
fn categories(
    fields: &mut Fields<'_>,
    default: Option<Effect>,
    rules: &mut Vec<Rule>,
    reader: &mut Reader,
) {
    let block = fields.at;
    let mut defaults = fields
        .take("categoryDefaults")
        .map(|node| Fields::new(node, "`categoryDefaults`", reader));
    let mut found = Vec::new();
    for category in Category::ALL {
        let node = defaults
            .as_mut()
            .and_then(|defaults| defaults.take(category.name()));
        found.extend(match node {
            Some(node) => named(category, node, reader),
            None if default == Some(Effect::Deny) => Vec::new(),
            None => built_in(category, block),
        });
    }
    if let Some(defaults) = defaults {
        defaults.finish(reader);
    }
    // Strict ones first, so that a call in two categories gets the stricter default. Between
    // equals, the category of unknown effects comes first, and that of removing before writing.
    found.sort_by_key(|level| {
        (
            std::cmp::Reverse(level.effect),
            level.category != Category::Execute,
            level.category != Category::Admin,
            level.category,
        )
    });
    let is_auto = |category| {
        let mut levels = found.iter();
        levels.any(|level| level.category == category && level.effect == Effect::Allow)
    };
    let (reads_freely, writes_freely) = (is_auto(Category::Read), is_auto(Category::Write));
    for level in found {
        let CategoryLevel {
            name,
            category,
            mut bits,
            effect,
            at,
        } = level;
        if category == Category::Git && effect == Effect::Allow {
            // Who changes a repository reads it as well. What reads files of it reads.
            bits |= category.bit();
            if reads_freely {
                bits |= Category::Read.bit();
            }
        }
        // What removes something changes it as well.
        if category == Category::Admin && effect == Effect::Allow && writes_freely {
            bits |= Category::Write.bit();
        }
        let when = Condition::Is(Predicate::Category(bits), format!("category: {name}"));
        let reason = format!("the default of the category `{name}`");
        rules.push(generated_rule(
            &format!("category-{}", name.replace(' ', "-")),
            at,
            effect,
            &reason,
            when,
            Vec::new(),
        ));
    }
}

/// The written levels of a category. Reading and writing a repository may have different ones.
fn named(category: Category, node: &Node, reader: &mut Reader) -> Vec<CategoryLevel> {
    if category == Category::Git && matches!(node.value, Value::Map(_)) {
        let mut parts = Fields::new(node, "`git`", reader);
        let mut of = |key: &'static str| {
            parts
                .text(key, reader)
                .and_then(|(word, at)| Some((level(&word, at, reader)?, at)))
        };
        let read = of("read").unwrap_or((Effect::Allow, node.at));
        let write = of("write").unwrap_or((Effect::RequireApproval, node.at));
        parts.finish(reader);
        return git(read, write);
    }
    let Some(word) = node.text() else {
        reader.expected(node, "a level");
        return Vec::new();
    };
    let one = level(&word, node.at, reader).map(|effect| CategoryLevel {
        name: category.name().to_owned(),
        category,
        bits: category.bits(),
        effect,
        at: node.at,
    });
    one.into_iter().collect()
}

/// The levels of a category that a file doesn't name: only reading is automatic.
fn built_in(category: Category, at: Position) -> Vec<CategoryLevel> {
    let effect = match category {
        Category::Git => return git((Effect::Allow, at), (Effect::RequireApproval, at)),
        Category::Read => Effect::Allow,
        Category::Write | Category::Execute | Category::Network | Category::Admin => {
            Effect::RequireApproval
        }
    };
    vec![CategoryLevel {
        name: category.name().to_owned(),
        category,
        bits: category.bits(),
        effect,
        at,
    }]
}

/// The levels of reading and of changing a repository.
fn git(read: (Effect, Position), write: (Effect, Position)) -> Vec<CategoryLevel> {
    let part = |name: &str, bits: u32, (effect, at): (Effect, Position)| CategoryLevel {
        name: name.to_owned(),
        category: Category::Git,
        bits,
        effect,
        at,
    };
    vec![
        part("git read", Category::Git.bit(), read),
        part("git write", GIT_WRITE, write),
    ]
}
