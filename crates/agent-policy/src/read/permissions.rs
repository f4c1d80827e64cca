//! Permission rules: levels for tools, defaults for categories, and what the session has approved.

use super::fields::{Fields, Reader};
use super::pack::list;
use super::when::name;
use super::{PolicyDraft, generated_rule};
use crate::condition::{Condition, Predicate};
use crate::effect::Effect;
use crate::facts::Category;
use crate::model::{Combine, Fallback, Form, Rule};
use crate::name::Name;
use crate::yaml::Position;

const LEVELS: [&str; 3] = ["auto", "confirm", "deny"];

/// Order: what this session approved, the first rule for the tool, the category's default, the
/// default level.
pub(super) fn read(fields: &mut Fields<'_>, reader: &mut Reader) -> PolicyDraft {
    let id = fields.text("id", reader).map(|(id, _)| id);
    for key in ["version", "description"] {
        fields.accept(key);
    }
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
    categories(fields, &mut rules, reader);
    let effect = default.unwrap_or(Effect::RequireApproval);
    let default = Fallback {
        effect,
        reason: "no permission rule is about this tool".into(),
        at: None,
    };
    PolicyDraft {
        id,
        form: Form::Permissions,
        combine: Combine::FirstMatch,
        default,
        monitor: false,
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

fn rule(node: &crate::yaml::Node, number: usize, reader: &mut Reader) -> Option<Rule> {
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

/// Reads the defaults of categories. A call is in a category if all of its effects are.
fn categories(fields: &mut Fields<'_>, rules: &mut Vec<Rule>, reader: &mut Reader) {
    let Some(node) = fields.take("categoryDefaults") else {
        return;
    };
    let mut defaults = Fields::new(node, "`categoryDefaults`", reader);
    let mut found = Vec::new();
    for category in Category::ALL {
        if let Some((word, at)) = defaults.text(category.name(), reader)
            && let Some(effect) = level(&word, at, reader)
        {
            found.push((category, effect, at));
        }
    }
    defaults.finish(reader);
    // Strict ones first, so that a call in two categories gets the stricter default. Between
    // equals, the category of unknown effects comes first.
    found.sort_by_key(|(category, effect, _)| {
        (
            std::cmp::Reverse(*effect),
            *category != Category::Execute,
            *category,
        )
    });
    for (category, effect, at) in found {
        let when = Condition::Is(
            Predicate::Category(category.bit()),
            format!("category: {}", category.name()),
        );
        let reason = format!("the default of the category `{}`", category.name());
        rules.push(generated_rule(
            &format!("category-{}", category.name()),
            at,
            effect,
            &reason,
            when,
            Vec::new(),
        ));
    }
}
