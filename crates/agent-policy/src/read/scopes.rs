//! Scopes: which paths may change, and the risk of paths.

use super::fields::{Fields, Reader};
use super::pack::list;
use super::when::globs;
use super::{PolicyDraft, condition};
use crate::condition::{Condition, PathTest, Predicate};
use crate::effect::Effect;
use crate::model::{Combine, Fallback, Form, Rule};
use crate::path::{Access, PathGlob};
use crate::yaml::Node;

const CHANGES: [Access; 2] = [Access::Write, Access::Delete];

/// A scope or a risk.
struct NamedGlobs {
    id: String,
    level: Option<String>,
    globs: Vec<PathGlob>,
}

/// Reads scopes. A change is allowed if no rule objects; the strictest objection decides.
pub(super) fn read(fields: &mut Fields<'_>, reader: &mut Reader) -> PolicyDraft {
    let id = fields.text("id", reader).map(|(id, _)| id);
    fields.accept("version");
    let monitor = meta(fields, reader);
    let scopes: Vec<NamedGlobs> = list(fields, "scopes", reader)
        .iter()
        .filter_map(|n| area(n, "allow", reader))
        .collect();
    let risks: Vec<NamedGlobs> = list(fields, "risks", reader)
        .iter()
        .filter_map(|n| area(n, "match", reader))
        .collect();
    let rules: Vec<Rule> = list(fields, "rules", reader)
        .iter()
        .filter_map(|n| rule(n, &scopes, &risks, reader))
        .collect();
    let default = Fallback {
        effect: Effect::RequireApproval,
        reason: "no scope is about this action".into(),
        at: None,
    };
    let mut all = rules;
    // Changes inside the scopes are allowed.
    if !scopes.is_empty() {
        let globs = scopes.iter().flat_map(|s| s.globs.clone()).collect();
        let test = PathTest {
            glob: globs,
            access: CHANGES.to_vec(),
            ..PathTest::default()
        };
        let when = Condition::Is(Predicate::Path(test), "path: inside the scopes".into());
        all.push(super::generated_rule(
            "inside-scopes",
            fields.at,
            Effect::Allow,
            "changes only what is in a scope",
            when,
            Vec::new(),
        ));
    }
    PolicyDraft {
        id,
        form: Form::Scopes,
        combine: Combine::DenyOverrides,
        default,
        monitor,
        disabled: None,
        rules: all,
        properties: Vec::new(),
    }
}

fn meta(fields: &mut Fields<'_>, reader: &mut Reader) -> bool {
    let Some(node) = fields.take("meta") else {
        return false;
    };
    let mut meta = Fields::new(node, "`meta`", reader);
    let monitor = match meta.text("mode", reader) {
        Some((word, _)) if word == "monitor" => true,
        Some((word, _)) if word == "enforce" => false,
        Some((word, at)) => {
            reader.unknown_word(at, "mode", &word, &["monitor", "enforce"]);
            false
        }
        None => false,
    };
    for key in ["name", "description", "version", "owner"] {
        meta.accept(key);
    }
    meta.finish(reader);
    monitor
}

fn area(node: &Node, key: &'static str, reader: &mut Reader) -> Option<NamedGlobs> {
    let mut fields = Fields::new(node, "a scope or risk", reader);
    let id = fields.required("id", reader);
    let level = if key == "match" {
        fields.required("level", reader).map(|(level, _)| level)
    } else {
        None
    };
    let texts = fields.texts(key, reader);
    if texts.is_none() {
        reader.problem(node.at, format!("it has no `{key}`"), None);
    }
    let globs = globs(&texts.unwrap_or_default(), reader);
    fields.accept("description");
    fields.finish(reader);
    Some(NamedGlobs {
        id: id?.0,
        level,
        globs,
    })
}

/// Reads `{id, scope | risk | when, action, reason}`. `scope` matches changes outside it, `risk`
/// matches paths of that risk (by id or level).
fn rule(
    node: &Node,
    scopes: &[NamedGlobs],
    risks: &[NamedGlobs],
    reader: &mut Reader,
) -> Option<Rule> {
    let mut fields = Fields::new(node, "a rule", reader);
    let (id, at) = fields.required("id", reader)?;
    let mut all = Vec::new();
    if let Some((name, at)) = fields.text("scope", reader) {
        let chosen: Vec<&NamedGlobs> = scopes.iter().filter(|s| s.id == name).collect();
        if chosen.is_empty() {
            reader.unknown_word(
                at,
                "scope",
                &name,
                &scopes.iter().map(|s| s.id.as_str()).collect::<Vec<_>>(),
            );
        }
        let globs = chosen.iter().flat_map(|s| s.globs.clone()).collect();
        let test = PathTest {
            except: globs,
            access: CHANGES.to_vec(),
            ..PathTest::default()
        };
        all.push(Condition::Is(
            Predicate::Path(test),
            format!("path: changed outside scope {name}"),
        ));
    }
    if let Some((name, at)) = fields.text("risk", reader) {
        let fits = |r: &&NamedGlobs| r.id == name || r.level.as_deref() == Some(name.as_str());
        let globs: Vec<PathGlob> = risks
            .iter()
            .filter(fits)
            .flat_map(|r| r.globs.clone())
            .collect();
        if globs.is_empty() {
            reader.unknown_word(
                at,
                "risk",
                &name,
                &risks.iter().map(|r| r.id.as_str()).collect::<Vec<_>>(),
            );
        }
        let test = PathTest {
            glob: globs,
            ..PathTest::default()
        };
        all.push(Condition::Is(
            Predicate::Path(test),
            format!("path: of risk {name}"),
        ));
    }
    let mut limits = Vec::new();
    for key in ["scope", "risk", "when"] {
        fields.no_blank(key, reader);
    }
    if let Some(when) = fields.take("when") {
        all.push(condition(when, Some(&mut limits), reader));
    }
    let effect = fields
        .required("action", reader)
        .and_then(|(word, at)| reader.effect(&word, at));
    let reason = fields
        .text("reason", reader)
        .map(|(text, _)| text)
        .filter(|r| !r.trim().is_empty());
    let description = fields.text("description", reader).map(|(text, _)| text);
    fields.finish(reader);
    let when = Condition::All(all);
    let effect = effect?;
    Some(Rule {
        id,
        at,
        description,
        effect,
        reason,
        limits,
        generated: false,
        when,
    })
}
