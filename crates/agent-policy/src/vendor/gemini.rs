//! Policies of Gemini CLI: TOML with `[[rule]]`.
//!
//! There the rule with the highest priority decides, for each command of a line by itself, and the
//! strictest decision counts. A pack with `deny-overrides` says the same if a rule that denies or
//! asks leaves out what more permissive rules of higher priority decide.

use super::gemini_rules::{Matcher, matcher};
use super::pack::{PackRule, Translation};
use super::toml_tree;
use crate::effect::Effect;
use crate::read::nearest;
use crate::yaml::{Node, Position, Problem, Value};
use serde_json::{Value as Json, json};

/// Maximum number of rules in a file. Each names those of higher priority.
const MAX_RULES: usize = 400;

/// The approval modes.
const MODES: [&str; 4] = ["default", "autoEdit", "plan", "yolo"];
/// The members of a rule.
const KNOWN: [&str; 15] = [
    "toolName",
    "mcpName",
    "subagent",
    "toolAnnotations",
    "argsPattern",
    "commandPrefix",
    "commandRegex",
    "decision",
    "priority",
    "modes",
    "interactive",
    "allowRedirection",
    "allow_redirection",
    "denyMessage",
    "deny_message",
];

/// A rule as it is read.
struct Rule {
    at: Position,
    id: String,
    effect: Effect,
    priority: i64,
    /// The modes it is active in; `None` for all.
    modes: Option<Json>,
    redirects: bool,
    reason: Option<String>,
    matcher: Matcher,
}

/// The members of a rule.
pub(super) struct Members<'n> {
    pub(super) at: Position,
    all: &'n [(Node, Node)],
}

impl<'n> Members<'n> {
    pub(super) fn get(&self, wanted: &str) -> Option<&'n Node> {
        let found = self
            .all
            .iter()
            .find(|(key, _)| key.text().as_deref() == Some(wanted));
        found.map(|(_, value)| value)
    }

    pub(super) fn text(&self, name: &str, pack: &mut Translation) -> Option<String> {
        let node = self.get(name)?;
        if let Value::Text(text) = &node.value {
            return Some(text.clone());
        }
        let message = format!("`{name}` is a text, not {}", node.kind());
        pack.problem(node.at, message, None);
        None
    }

    /// One text, or a list of texts.
    pub(super) fn texts(&self, name: &str, pack: &mut Translation) -> Option<Vec<String>> {
        let node = self.get(name)?;
        let mut all = Vec::new();
        for item in node.items() {
            if let Value::Text(text) = &item.value {
                all.push(text.clone());
            } else {
                let message = format!("`{name}` holds texts, not {}", item.kind());
                pack.problem(item.at, message, None);
            }
        }
        if node.items().is_empty() {
            pack.problem(node.at, format!("the list of `{name}` is empty"), None);
        }
        Some(all)
    }

    fn flag(&self, name: &str, pack: &mut Translation) -> Option<bool> {
        let node = self.get(name)?;
        if let Value::Bool(flag) = node.value {
            return Some(flag);
        }
        pack.problem(node.at, format!("`{name}` is true or false"), None);
        None
    }
}

/// Whether a text is such a policy.
pub(super) fn is_policy(text: &str) -> bool {
    text.contains("decision")
        && toml_tree::parse(text).is_ok_and(|root| match &root.value {
            Value::Map(members) => members.iter().any(|(key, value)| {
                key.text().as_deref() == Some("rule") && matches!(value.value, Value::List(_))
            }),
            _ => false,
        })
}

pub(super) fn translate(name: &str, text: &str) -> Result<Translation, Vec<Problem>> {
    let root = toml_tree::parse(text).map_err(|problem| vec![problem])?;
    let mut pack = Translation::new(name);
    let mut rules = Vec::new();
    let Value::Map(members) = &root.value else {
        return pack.finish();
    };
    for (key, value) in members {
        match (key.text().as_deref(), &value.value) {
            (Some("rule"), Value::List(list)) => {
                if pack.too_many(value.at, list.len(), MAX_RULES) {
                    continue;
                }
                for (number, node) in list.iter().enumerate() {
                    rules.extend(rule(number.saturating_add(1), node, &mut pack));
                }
            }
            (Some("safety_checker"), _) => {
                pack.gap(
                    value.at,
                    "safety checkers aren't run; they only make it stricter",
                );
            }
            (name, _) => {
                let message = format!("unknown member `{}`", name.unwrap_or_default());
                pack.problem(key.at, message, Some("known: rule, safety_checker"));
            }
        }
    }
    let start = Position::START;
    pack.gap(
        start,
        "the policies that Gemini CLI ships with aren't in this file: what no rule here is about \
         is asked about",
    );
    for rule in &rules {
        forbid(rule, &rules, &mut pack);
    }
    allow_commands(&rules, &mut pack);
    for rule in rules.iter().filter(|rule| rule.effect == Effect::Allow) {
        if let Some(tools) = rule.matcher.tools() {
            let all = [Some(tools), rule.modes.clone()];
            pack.rule(PackRule {
                at: rule.at,
                id: rule.id.clone(),
                description: None,
                when: Some(all_of(all)),
                effect: Effect::Allow,
                reason: "allowed by a rule for the tool".to_owned(),
            });
        }
    }
    pack.rule(PackRule {
        at: start,
        id: "answers".to_owned(),
        description: None,
        when: Some(json!({ "type": "answer" })),
        effect: Effect::Allow,
        reason: "calls no tool".to_owned(),
    });
    pack.finish()
}

/// All of some conditions.
fn all_of(parts: impl IntoIterator<Item = Option<Json>>) -> Json {
    let mut parts: Vec<Json> = parts.into_iter().flatten().collect();
    match parts.len() {
        1 => parts.pop().unwrap_or_default(),
        _ => json!({ "all": parts }),
    }
}

fn rule(number: usize, node: &Node, pack: &mut Translation) -> Option<Rule> {
    let Value::Map(all) = &node.value else {
        let message = format!("a rule is a table, not {}", node.kind());
        pack.problem(node.at, message, None);
        return None;
    };
    // The place of an element of `[[rule]]` is that of its first member.
    let at = all.first().map_or(node.at, |(key, _)| key.at);
    let members = Members { at, all };
    for (key, _) in all {
        let name = key.text().unwrap_or_default();
        if !KNOWN.contains(&name.as_str()) {
            let help = nearest(&name, &KNOWN).map_or_else(
                || format!("known: {}", KNOWN.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            pack.problem(
                key.at,
                format!("a rule has no member `{name}`"),
                Some(&help),
            );
        }
    }
    let effect = effect(&members, pack);
    let priority = priority(&members, pack);
    let modes = modes(&members, pack);
    let camel = members.flag("allowRedirection", pack);
    let redirects = camel.or_else(|| members.flag("allow_redirection", pack));
    let said = members.text("denyMessage", pack);
    let reason = said.or_else(|| members.text("deny_message", pack));
    let mut matcher = matcher(&members, pack)?;
    for name in ["subagent", "toolAnnotations", "interactive"] {
        if let Some(node) = members.get(name) {
            let message = format!(
                "`{name}` isn't known of an action: a rule that allows is left out, any other \
                 always applies"
            );
            pack.gap(node.at, message);
            matcher.inexact();
        }
    }
    let effect = effect?;
    let word = match effect {
        Effect::Allow => "allow",
        Effect::RequireApproval => "ask_user",
        Effect::Deny => "deny",
    };
    Some(Rule {
        at,
        id: format!("{number} {word} {}", matcher.shown),
        effect,
        priority: priority?,
        modes,
        redirects: redirects.unwrap_or(false),
        reason: reason.filter(|text| !text.trim().is_empty()),
        matcher,
    })
}

fn effect(members: &Members<'_>, pack: &mut Translation) -> Option<Effect> {
    let Some(node) = members.get("decision") else {
        pack.problem(members.at, "the rule has no `decision`".to_owned(), None);
        return None;
    };
    match node.text().as_deref() {
        Some("allow") => Some(Effect::Allow),
        Some("ask_user") => Some(Effect::RequireApproval),
        Some("deny") => Some(Effect::Deny),
        _ => {
            let message = format!("unknown decision `{}`", node.text().unwrap_or_default());
            pack.problem(node.at, message, Some("known: allow, deny, ask_user"));
            None
        }
    }
}

fn priority(members: &Members<'_>, pack: &mut Translation) -> Option<i64> {
    let Some(node) = members.get("priority") else {
        pack.problem(members.at, "the rule has no `priority`".to_owned(), None);
        return None;
    };
    match node.value {
        Value::Int(number) if (0..=999).contains(&number) => Some(number),
        _ => {
            let message = "`priority` is a whole number from 0 to 999".to_owned();
            pack.problem(node.at, message, None);
            None
        }
    }
}

/// The condition that a rule is active; `None` if it always is. Without a mode it is `default`.
fn modes(members: &Members<'_>, pack: &mut Translation) -> Option<Json> {
    let node = members.get("modes")?;
    let Value::List(list) = &node.value else {
        pack.problem(node.at, "`modes` is a list".to_owned(), None);
        return None;
    };
    let mut active = Vec::new();
    for item in list {
        let word = item.text().unwrap_or_default();
        match MODES.into_iter().find(|mode| *mode == word) {
            Some(mode) => active.push(mode),
            None => pack.problem(
                item.at,
                format!("unknown mode `{word}`"),
                Some("known: default, autoEdit, plan, yolo"),
            ),
        }
    }
    let others: Vec<&str> = MODES
        .into_iter()
        .filter(|mode| !active.contains(mode))
        .collect();
    if active.is_empty() || others.is_empty() {
        None
    } else if active.contains(&"default") {
        Some(json!({ "not": { "mode": others } }))
    } else {
        Some(json!({ "mode": active }))
    }
}

/// Writes a rule that denies or asks. It leaves out what more permissive rules of higher priority
/// decide.
fn forbid(rule: &Rule, rules: &[Rule], pack: &mut Translation) {
    if rule.effect == Effect::Allow {
        return;
    }
    let higher: Vec<&Rule> = rules
        .iter()
        .filter(|other| other.priority > rule.priority && other.effect < rule.effect)
        .collect();
    let mut except: Vec<Json> = Vec::new();
    for modes in distinct(higher.iter().map(|other| &other.modes)) {
        let same: Vec<&Rule> = in_modes(&higher, modes.as_ref());
        let of_commands = rule.matcher.may_be_command();
        let shell = commands(&same).into_iter().filter(|_| of_commands);
        let of_tools = rule.matcher.may_be_tool();
        let tools = same.iter().filter(|other| of_tools && other.modes == modes);
        let tools = tools.filter_map(|other| other.matcher.tools());
        let each = shell
            .chain(tools)
            .map(|one| all_of([Some(one), modes.clone()]));
        except.extend(each);
    }
    let except = (!except.is_empty()).then(|| json!({ "not": { "any": except } }));
    if rule.matcher.may_be_diff() {
        let diffs = Some(json!({ "type": "code_diff" }));
        pack.rule(PackRule {
            at: rule.at,
            id: format!("{} of a diff", rule.id),
            description: None,
            when: Some(all_of([diffs, rule.modes.clone(), except.clone()])),
            effect: Effect::RequireApproval,
            reason: "a diff may come from a call that a rule forbids".to_owned(),
        });
    }
    let parts = [Some(rule.matcher.loose()), rule.modes.clone(), except];
    let word = if rule.effect == Effect::Deny {
        "denied"
    } else {
        "asked about"
    };
    let reason = rule.reason.clone();
    pack.rule(PackRule {
        at: rule.at,
        id: rule.id.clone(),
        description: None,
        when: Some(all_of(parts)),
        effect: rule.effect,
        reason: reason
            .unwrap_or_else(|| format!("{word} by a rule with priority {}", rule.priority)),
    });
}

/// The different modes of some rules.
fn distinct<'r>(all: impl Iterator<Item = &'r Option<Json>>) -> Vec<Option<Json>> {
    let mut seen: Vec<Option<Json>> = Vec::new();
    for one in all {
        if !seen.contains(one) {
            seen.push(one.clone());
        }
    }
    seen
}

/// The rules that are active in these modes.
fn in_modes<'r>(rules: &[&'r Rule], modes: Option<&Json>) -> Vec<&'r Rule> {
    let active = |rule: &&&Rule| rule.modes.is_none() || rule.modes.as_ref() == modes;
    rules.iter().filter(active).copied().collect()
}

/// The conditions under which each command of a line matches one of the rules.
fn commands(rules: &[&Rule]) -> Vec<Json> {
    let texts = |list: fn(&Matcher) -> &[String]| -> Vec<String> {
        rules
            .iter()
            .flat_map(|rule| list(&rule.matcher).iter().cloned())
            .collect()
    };
    let (plain, regexes) = (texts(|m| &m.texts), texts(|m| &m.regexes));
    let mut all = Vec::new();
    if !plain.is_empty() {
        all.push(json!({ "command": { "text": plain } }));
    }
    if !regexes.is_empty() {
        // Gemini CLI compares the JSON of the command: without these it is the command itself.
        let both = [plain, regexes].concat();
        all.push(json!({
            "command": { "text": both },
            "not": { "command": { "raw": r#"["\\\n\r\t]"# } },
        }));
    }
    all
}

/// Writes the rules that allow commands as one, since each command of a line may have another.
fn allow_commands(rules: &[Rule], pack: &mut Translation) {
    let allowing: Vec<&Rule> = rules
        .iter()
        .filter(|rule| rule.effect == Effect::Allow && rule.matcher.is_about_commands())
        .collect();
    let mut number = 0_usize;
    for modes in distinct(allowing.iter().map(|rule| &rule.modes)) {
        let active = in_modes(&allowing, modes.as_ref());
        for redirects in [false, true] {
            let some: Vec<&Rule> = active
                .iter()
                .filter(|rule| rule.redirects || !redirects)
                .copied()
                .collect();
            // Otherwise another group says the same.
            let own = some.iter().find(|rule| rule.modes == modes);
            let Some(first) = own else {
                continue;
            };
            // Everything that is known may be redirected.
            let effects = redirects.then(|| {
                let known = super::known_effects();
                json!({ "effects": known })
            });
            let any = json!({ "any": commands(&some) });
            number = number.saturating_add(1);
            pack.rule(PackRule {
                at: first.at,
                id: format!("allow commands {number}"),
                description: None,
                when: Some(all_of([Some(any), modes.clone(), effects])),
                effect: Effect::Allow,
                reason: "allowed by the rules for commands".to_owned(),
            });
        }
    }
}
