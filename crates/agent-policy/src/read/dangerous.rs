//! Dangerous commands, templates of permissions, and limits.

use super::fields::{Fields, Reader};
use super::pack::list;
use super::when::{globs, name, network_pattern};
use super::{PolicyDraft, generated_rule};
use crate::condition::{CommandTest, Condition, PathTest, Predicate};
use crate::effect::Effect;
use crate::limit::Limit;
use crate::model::{Combine, Fallback, Form, Rule};
use crate::name::Name;
use crate::path::Access;
use crate::pattern;
use crate::yaml::{Node, Position, Value};

const SEVERITIES: [&str; 4] = ["low", "medium", "high", "critical"];

pub(super) fn read(fields: &mut Fields<'_>, reader: &mut Reader) -> PolicyDraft {
    let id = fields.text("id", reader).map(|(id, _)| id);
    for key in ["version", "description"] {
        fields.accept(key);
    }
    let mut rules = limits(fields, reader);
    for (number, node) in list(fields, "dangerous_commands", reader)
        .iter()
        .enumerate()
    {
        rules.extend(dangerous(node, number, reader));
    }
    templates(fields, &mut rules, reader);
    let default = Fallback {
        effect: Effect::RequireApproval,
        reason: "no rule matched".into(),
        at: None,
    };
    // Limits and dangerous commands apply whatever a template grants.
    PolicyDraft {
        id,
        form: Form::Dangerous,
        combine: Combine::DenyOverrides,
        default,
        monitor: false,
        disabled: None,
        rules,
        properties: Vec::new(),
    }
}

fn limits(fields: &mut Fields<'_>, reader: &mut Reader) -> Vec<Rule> {
    let Some(node) = fields.take("limits") else {
        return Vec::new();
    };
    let mut limits = Fields::new(node, "`limits`", reader);
    let mut found = Vec::new();
    if let Some(cost) = limits.take("max_cost_per_day") {
        match cost.value {
            Value::Int(n) => found.push((
                Limit::Cost(f64::from(i32::try_from(n).unwrap_or(i32::MAX))),
                cost.at,
            )),
            Value::Float(x) if x >= 0.0 => found.push((Limit::Cost(x), cost.at)),
            _ => reader.expected(cost, "a number, 0 or more"),
        }
    }
    found.extend(
        limits
            .count("max_executions_per_hour", reader)
            .map(|n| (Limit::AllPerHour(n), node.at)),
    );
    found.extend(
        limits
            .count("max_latency_per_task", reader)
            .map(|n| (Limit::Busy(n), node.at)),
    );
    // The default timeout of tools is for the runtime and decides nothing.
    limits.count("timeout_default", reader);
    limits.finish(reader);
    let rule = |(limit, at): (Limit, Position)| {
        let when = Condition::Is(
            Predicate::UsedUp(limit),
            format!("{} is used up", limit.key()),
        );
        let reason = "a limit of the policy is used up";
        generated_rule(
            &format!("limit-{}", limit.key()),
            at,
            Effect::Deny,
            reason,
            when,
            Vec::new(),
        )
    };
    found.into_iter().map(rule).collect()
}

fn dangerous(node: &Node, number: usize, reader: &mut Reader) -> Option<Rule> {
    let mut fields = Fields::new(node, "a dangerous command", reader);
    let pattern = fields.required("pattern", reader);
    let severity = fields.text("severity", reader);
    if let Some((word, at)) = &severity
        && !SEVERITIES.contains(&word.as_str())
    {
        reader.unknown_word(*at, "severity", word, &SEVERITIES);
    }
    let effect = fields
        .required("action", reader)
        .and_then(|(word, at)| reader.effect(&word, at));
    let id = fields.text("id", reader).map(|(id, _)| id);
    let reason = fields.text("reason", reader).map(|(text, _)| text);
    let description = fields.text("description", reader).map(|(text, _)| text);
    fields.finish(reader);
    let (pattern, at) = pattern?;
    let effect = effect?;
    let severity = severity.map_or_else(|| "dangerous".to_owned(), |(word, _)| word);
    let test = command_test(&pattern, at, reader)?;
    let when = Condition::Is(Predicate::Command(test), format!("command: {pattern}"));
    let reason = reason.unwrap_or_else(|| format!("runs `{pattern}` ({severity})"));
    let id = id.unwrap_or_else(|| format!("{number:02}:{}", pattern.replace(' ', "-")));
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

/// Reads a pattern. Plain words are a program with arguments in any order; a pattern with shell
/// syntax is searched in the text of the line.
fn command_test(pattern: &str, at: Position, reader: &mut Reader) -> Option<CommandTest> {
    let words: Vec<&str> = pattern.split_ascii_whitespace().collect();
    let plain = |w: &&str| {
        w.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_./=:@+,*".contains(&b))
    };
    let Some((program, args)) = words.split_first() else {
        reader.problem(at, "an empty pattern matches nothing".into(), None);
        return None;
    };
    if words.iter().all(plain) {
        let program: Vec<Name> = name(program, at, reader).into_iter().collect();
        return Some(CommandTest {
            program,
            args: args.iter().map(|a| (*a).to_owned()).collect(),
            ..CommandTest::default()
        });
    }
    match pattern::compile(pattern, true) {
        Ok(regex) => Some(CommandTest {
            raw: vec![regex],
            ..CommandTest::default()
        }),
        Err(error) => {
            reader.problem(at, format!("`{pattern}`: {error}"), None);
            None
        }
    }
}

/// Reads templates. In the mode of its name, a template allows its grants and denies the rest.
fn templates(fields: &mut Fields<'_>, rules: &mut Vec<Rule>, reader: &mut Reader) {
    let Some(node) = fields.take("permissions") else {
        return;
    };
    let Value::Map(map) = &node.value else {
        reader.expected(node, "a map of templates");
        return;
    };
    for (key, value) in map {
        let Some(template) = key.text() else {
            reader.expected(key, "the name of a template");
            continue;
        };
        let mut fields = Fields::new(value, "a template of permissions", reader);
        let mut grants = Vec::new();
        for key in ["file_system", "files"] {
            for (text, at) in fields.texts_if_any(key, reader).unwrap_or_default() {
                grants.extend(file_grant(&text, at, reader));
            }
        }
        for (text, at) in fields.texts_if_any("network", reader).unwrap_or_default() {
            grants.extend(network_grant(&text, at, reader));
        }
        for (text, at) in fields.texts_if_any("commands", reader).unwrap_or_default() {
            if let Some(test) = command_test(&text, at, reader) {
                grants.push(Condition::Is(
                    Predicate::Command(test),
                    format!("command: {text}"),
                ));
            }
        }
        fields.accept("description");
        fields.finish(reader);
        let mode = || {
            let names = vec![Name::Exact(template.clone())];
            Condition::Is(Predicate::Mode(names), format!("mode: {template}"))
        };
        let granted = Condition::Is(Predicate::Granted(grants), format!("granted by {template}"));
        let allow = Condition::All(vec![mode(), granted.clone()]);
        let deny = Condition::All(vec![mode(), Condition::Not(Box::new(granted))]);
        let id = |what: &str| format!("{template}-{what}");
        rules.push(generated_rule(
            &id("grants"),
            key.at,
            Effect::Allow,
            &format!("granted by `{template}`"),
            allow,
            Vec::new(),
        ));
        rules.push(generated_rule(
            &id("rest"),
            key.at,
            Effect::Deny,
            &format!("not granted by `{template}`"),
            deny,
            Vec::new(),
        ));
    }
}

/// `read:/**`, `write:/tmp/*`.
fn file_grant(text: &str, at: Position, reader: &mut Reader) -> Option<Condition> {
    let (access, glob) = text.split_once(':').unwrap_or((text, ""));
    let access = match access {
        "read" => vec![Access::Read],
        "write" => vec![Access::Write],
        "delete" => vec![Access::Delete],
        other => {
            reader.unknown_word(at, "access", other, &["read", "write", "delete"]);
            return None;
        }
    };
    let glob = globs(&[(glob.to_owned(), at)], reader);
    Some(Condition::Is(
        Predicate::Path(PathTest {
            glob,
            access,
            ..PathTest::default()
        }),
        text.to_owned(),
    ))
}

/// `GET:https://api.github.com/*`; the name of a host grants every request to it.
fn network_grant(text: &str, at: Position, reader: &mut Reader) -> Option<Condition> {
    let predicate = if text.contains(['/', ':']) {
        Predicate::Network(vec![network_pattern(text, at, reader)?])
    } else {
        Predicate::Host(vec![name(text, at, reader)?])
    };
    Some(Condition::Is(predicate, text.to_owned()))
}
