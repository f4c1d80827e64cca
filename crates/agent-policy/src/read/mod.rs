//! Reads policies of all forms into one model, with the position of every error.

mod dangerous;
mod fields;
mod pack;
mod permissions;
mod scopes;
mod when;

pub(crate) use fields::{Fields, Reader, nearest};
pub(crate) use when::condition;

use super::condition::Condition;
use super::effect::Effect;
use super::limit::Limit;
use super::model::{Combine, Fallback, Form, Policy, Property, Rule, Rules};
use super::surroundings::Surroundings;
use super::yaml::{Node, Position, Problem, Value, parse};
use shell_effects::path::normalise;
use std::collections::BTreeMap;

/// Maximum number of rules in a policy.
const MAX_RULES: usize = 10_000;

/// A policy as read from one of the forms, before the final checks.
pub(crate) struct PolicyDraft {
    id: Option<String>,
    form: Form,
    combine: Combine,
    default: Fallback,
    monitor: bool,
    disabled: Option<Position>,
    rules: Vec<Rule>,
    properties: Vec<Property>,
}

/// Reads a policy of any form. `name` is the id if the file has none.
///
/// # Errors
/// All errors, in the order of the file.
pub fn load(name: &str, text: &str) -> Result<Policy, Vec<Problem>> {
    let root = parse(text).map_err(|p| vec![p])?;
    load_tree(name, &root)
}

/// Reads a policy from its tree.
pub(crate) fn load_tree(name: &str, root: &Node) -> Result<Policy, Vec<Problem>> {
    let Value::Map(_) = root.value else {
        let message = format!("a policy is a map with `rules`, not {}", root.kind());
        return Err(vec![Problem {
            at: root.at,
            message,
            help: Some("docs/policy.md shows the forms".into()),
        }]);
    };
    let mut reader = Reader::new();
    let mut fields = Fields::new(root, "a policy", &mut reader);
    let wrapped = permissions::wrapped(&mut fields, &mut reader);
    if let Some(inner) = wrapped {
        std::mem::replace(&mut fields, Fields::new(inner, "`permission`", &mut reader))
            .finish(&mut reader);
    }
    let has = |key: &str| fields.has(key);
    let form = if wrapped.is_some() {
        Form::Permissions
    } else if has("dangerous_commands") || has("permissions") || has("limits") {
        Form::Dangerous
    } else if permissions::is_block(&fields) {
        Form::Permissions
    } else if has("scopes") || has("risks") || has("meta") {
        Form::Scopes
    } else {
        Form::Pack
    };
    let workdir = match fields.text("workdir", &mut reader) {
        None => Surroundings::CWD.to_owned(),
        Some((text, at)) => normalise(&text, Some(Surroundings::CWD)).unwrap_or_else(|| {
            reader.problem(at, format!("`{text}` isn't a directory"), None);
            Surroundings::CWD.to_owned()
        }),
    };
    reader.workdir.clone_from(&workdir);
    let draft = match form {
        Form::Pack => pack::read(&mut fields, &mut reader),
        Form::Permissions => permissions::read(&mut fields, &mut reader),
        Form::Dangerous => dangerous::read(&mut fields, &mut reader),
        Form::Scopes => scopes::read(&mut fields, &mut reader),
    };
    fields.finish(&mut reader);
    check_ids(&draft.rules, &mut reader);
    // Permission rules may consist of their default level.
    let needs_rules = draft.form != Form::Permissions;
    if needs_rules && draft.rules.is_empty() && reader.problems.is_empty() {
        reader.problem(
            root.at,
            "the policy has no rules: its default would decide everything".into(),
            None,
        );
    }
    if !reader.problems.is_empty() {
        reader
            .problems
            .sort_by(|a, b| (a.at, &a.message).cmp(&(b.at, &b.message)));
        return Err(reader.problems);
    }
    Ok(Policy {
        id: draft.id.unwrap_or_else(|| name.to_owned()),
        form: draft.form,
        combine: draft.combine,
        default: draft.default,
        monitor: draft.monitor,
        disabled: draft.disabled,
        rules: Rules::new(draft.rules),
        properties: draft.properties,
        surroundings: Surroundings::new(&workdir),
    })
}

fn check_ids(rules: &[Rule], reader: &mut Reader) {
    let mut seen: BTreeMap<&str, Position> = BTreeMap::new();
    for rule in rules {
        if let Some(first) = seen.get(rule.id.as_str()) {
            let message = format!("the id `{}` is on line {} already", rule.id, first.line);
            reader.problem(
                rule.at,
                message,
                Some("ids name the rule that stopped an action; each needs its own".into()),
            );
        }
        seen.insert(&rule.id, rule.at);
    }
    if let Some(rule) = rules.get(MAX_RULES) {
        reader.problem(rule.at, format!("more than {MAX_RULES} rules"), None);
    }
}

/// A rule that the form implies.
pub(crate) fn generated_rule(
    id: &str,
    at: Position,
    effect: Effect,
    reason: &str,
    when: Condition,
    limits: Vec<Limit>,
) -> Rule {
    Rule {
        id: id.to_owned(),
        at,
        description: None,
        effect,
        reason: Some(reason.to_owned()),
        limits,
        generated: true,
        when,
    }
}
