//! Policy packs, and the older rule files, which are a subset of packs.

use super::fields::{Fields, Reader};
use super::{PolicyDraft, condition};
use crate::condition::Condition;
use crate::effect::Effect;
use crate::model::{Combine, Fallback, Form, Property, Rule};
use crate::yaml::{Node, Value};

/// The keys of a pack that an older rule file doesn't have.
const PACK_KEYS: [&str; 7] = [
    "version",
    "id",
    "combine",
    "default",
    "workdir",
    "protected",
    "properties",
];

pub(super) fn read(fields: &mut Fields<'_>, reader: &mut Reader) -> PolicyDraft {
    // The older rule file consists of its rules.
    reader.older = !PACK_KEYS.iter().any(|key| fields.has(key));
    let id = fields.text("id", reader).map(|(id, _)| id);
    if let Some((version, at)) = fields.text("version", reader)
        && version != "1"
    {
        reader.problem(
            at,
            format!("version `{version}` of the format isn't known"),
            Some("this program reads version 1".into()),
        );
    }
    fields.accept("description");
    let combine = match fields.text("combine", reader) {
        None => Combine::FirstMatch,
        Some((word, _)) if word == "first-match" => Combine::FirstMatch,
        Some((word, _)) if word == "deny-overrides" => Combine::DenyOverrides,
        Some((word, at)) => {
            reader.unknown_word(
                at,
                "way to combine rules",
                &word,
                &["first-match", "deny-overrides"],
            );
            Combine::FirstMatch
        }
    };
    if let Some(node) = fields.take("protected") {
        let mut lists = Fields::new(node, "`protected`", reader);
        for (key, slot) in [("ask", 0usize), ("deny", 1)] {
            if let Some(globs) = lists.texts(key, reader)
                && let Some(list) = reader.protected.get_mut(slot)
            {
                *list = globs.into_iter().map(|(text, _)| text).collect();
            }
        }
        lists.finish(reader);
    }
    let default = fallback(fields, reader);
    let rules = list(fields, "rules", reader)
        .iter()
        .map(|n| rule(n, reader))
        .collect();
    let properties = list(fields, "properties", reader)
        .iter()
        .filter_map(|n| property(n, reader))
        .collect();
    PolicyDraft {
        id,
        form: Form::Pack,
        combine,
        default,
        monitor: false,
        disabled: None,
        rules,
        properties,
    }
}

fn fallback(fields: &mut Fields<'_>, reader: &mut Reader) -> Fallback {
    let none = || Fallback {
        effect: Effect::RequireApproval,
        reason: "no rule matched".into(),
        at: None,
    };
    let Some(written) = fields.take("default") else {
        return none();
    };
    if let Some(word) = written.text() {
        return Fallback {
            effect: reader
                .effect(&word, written.at)
                .unwrap_or(Effect::RequireApproval),
            at: Some(written.at),
            ..none()
        };
    }
    let mut inner = Fields::new(written, "`default`", reader);
    let effect = inner
        .required("effect", reader)
        .and_then(|(word, at)| reader.effect(&word, at));
    let reason = inner
        .text("reason", reader)
        .map(|(text, _)| text)
        .filter(|r| !r.trim().is_empty());
    inner.finish(reader);
    Fallback {
        effect: effect.unwrap_or(Effect::RequireApproval),
        reason: reason.unwrap_or_else(|| none().reason),
        at: Some(written.at),
    }
}

/// Takes a member that must be a list.
pub(super) fn list<'n>(
    fields: &mut Fields<'n>,
    key: &'static str,
    reader: &mut Reader,
) -> &'n [Node] {
    match fields.take(key) {
        None => &[],
        Some(Node {
            value: Value::List(list),
            ..
        }) => list,
        Some(other) => {
            reader.expected(other, "a list");
            &[]
        }
    }
}

fn rule(node: &Node, reader: &mut Reader) -> Rule {
    let mut fields = Fields::new(node, "a rule", reader);
    let (id, at) = fields
        .required("id", reader)
        .unwrap_or_else(|| (String::new(), node.at));
    if id.is_empty() && fields.has("id") {
        reader.problem(at, "the id is empty".into(), None);
    }
    let description = fields.text("description", reader).map(|(text, _)| text);
    let mut limits = Vec::new();
    // Without `when` a rule matches everything. An empty `when` is an oversight.
    fields.no_blank("when", reader);
    let when = match fields.take("when") {
        Some(when) => condition(when, Some(&mut limits), reader),
        None => Condition::All(Vec::new()),
    };
    let effect = fields
        .required("effect", reader)
        .and_then(|(word, at)| reader.effect(&word, at));
    let reason = fields
        .text("reason", reader)
        .map(|(text, _)| text)
        .filter(|r| !r.trim().is_empty());
    fields.finish(reader);
    let effect = effect.unwrap_or(Effect::Deny);
    Rule {
        id,
        at,
        description,
        effect,
        reason,
        limits,
        generated: false,
        when,
    }
}

fn property(node: &Node, reader: &mut Reader) -> Option<Property> {
    let mut fields = Fields::new(node, "a property", reader);
    let id = fields.required("id", reader);
    fields.no_blank("for_all", reader);
    let for_all = if let Some(when) = fields.take("for_all") {
        condition(when, None, reader)
    } else {
        reader.problem(node.at, "a property has no `for_all`".into(), None);
        Condition::All(Vec::new())
    };
    let effect = fields
        .required("effect", reader)
        .and_then(|(word, at)| reader.effect(&word, at));
    fields.accept("description");
    fields.finish(reader);
    Some(Property {
        id: id?.0,
        at: node.at,
        effect: effect?,
        for_all,
    })
}
