//! The pack that a vendor's file is translated into, as a tree with places and as YAML.

use crate::effect::Effect;
use crate::model::Policy;
use crate::read::load_tree;
use crate::yaml::{Node, Position, Problem, Value};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// The width that lines of YAML are kept in.
const WIDTH: usize = 96;
/// Maximum number of problems to list for one file.
const MAX_PROBLEMS: usize = 100;

/// Something that the vendor's file says and the pack doesn't, or says more strictly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The place in the vendor's file.
    pub at: Position,
    /// May contain hostile text.
    pub message: String,
}

/// A rule of the pack.
#[derive(Debug, Clone)]
pub(super) struct PackRule {
    pub(super) at: Position,
    pub(super) id: String,
    pub(super) description: Option<String>,
    /// `None` matches everything.
    pub(super) when: Option<Json>,
    pub(super) effect: Effect,
    pub(super) reason: String,
}

/// A vendor's file as a pack in our own language.
#[derive(Debug, Clone)]
pub struct Translation {
    id: String,
    default: (Effect, &'static str, Position),
    rules: Vec<PackRule>,
    ids: BTreeSet<String>,
    /// The names of the files, if there are several.
    sources: Vec<String>,
    /// What the pack doesn't say as the file does.
    pub gaps: Vec<Gap>,
    pub(super) problems: Vec<Problem>,
}

impl Translation {
    pub(super) fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            default: (Effect::RequireApproval, "no rule matched", Position::START),
            rules: Vec::new(),
            ids: BTreeSet::new(),
            sources: Vec::new(),
            gaps: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Names the next file.
    pub(super) fn source(&mut self, name: &str) {
        self.sources.push(name.to_owned());
    }

    /// The pack, if the file has no errors.
    pub(super) fn finish(mut self) -> Result<Self, Vec<Problem>> {
        if self.problems.is_empty() {
            self.gaps.sort_by_key(|gap| gap.at);
            self.gaps.dedup();
            return Ok(self);
        }
        self.problems
            .sort_by(|a, b| (a.at, &a.message).cmp(&(b.at, &b.message)));
        Err(self.problems)
    }

    pub(super) const fn set_default(&mut self, at: Position, effect: Effect, reason: &'static str) {
        self.default = (effect, reason, at);
    }

    /// Adds a rule. One that says what another with its id says is left out.
    pub(super) fn rule(&mut self, mut rule: PackRule) {
        let id = rule.id.clone();
        let mut number = 1_usize;
        while !self.ids.insert(rule.id.clone()) {
            let same = |other: &PackRule| {
                other.id == rule.id && other.effect == rule.effect && other.when == rule.when
            };
            if self.rules.iter().any(same) {
                return;
            }
            number = number.saturating_add(1);
            rule.id = format!("{id} ({number})");
        }
        self.rules.push(rule);
    }

    /// The conditions of the rules that allow.
    pub(super) fn allowed(&self) -> Vec<Json> {
        let allows = self.rules.iter().filter(|r| r.effect == Effect::Allow);
        allows.filter_map(|rule| rule.when.clone()).collect()
    }

    /// Denies what no settings of an agent are about: its answers and plans.
    pub(super) fn deny_unasked(&mut self) {
        self.rule(PackRule {
            at: Position::START,
            id: "not compared".to_owned(),
            description: None,
            when: Some(serde_json::json!({ "any": [
                { "type": "answer" }, { "tool": "update_plan" },
            ] })),
            effect: Effect::Deny,
            reason: "no settings are about this".to_owned(),
        });
    }

    /// Reports a list that is too long, and says whether it is.
    pub(super) fn too_many(&mut self, at: Position, count: usize, most: usize) -> bool {
        if count > most {
            self.problem(at, format!("{count} rules; there may be {most}"), None);
        }
        count > most
    }

    pub(super) fn gap(&mut self, at: Position, message: impl Into<String>) {
        let message = message.into();
        self.gaps.push(Gap { at, message });
    }

    pub(super) fn problem(&mut self, at: Position, message: String, help: Option<&str>) {
        if self.problems.len() < MAX_PROBLEMS {
            let help = help.map(str::to_owned);
            self.problems.push(Problem { at, message, help });
        }
    }

    /// The pack as the tree that packs are read from, with places in the vendor's file.
    pub(crate) fn tree(&self) -> Node {
        let rules = self.rules.iter().map(PackRule::tree).collect();
        let start = Position::START;
        let (_, _, at) = self.default;
        let members = vec![
            member(start, "version", Value::Text("1".into())),
            member(start, "id", Value::Text(self.id.clone())),
            member(start, "combine", Value::Text("deny-overrides".into())),
            member(at, "default", placed(&self.fallback(), at).value),
            member(start, "rules", Value::List(rules)),
        ];
        Node {
            at: start,
            value: Value::Map(members),
        }
    }

    fn fallback(&self) -> Json {
        let (effect, reason, _) = self.default;
        serde_json::json!({ "effect": effect.to_string(), "reason": reason })
    }

    /// Reads the pack as a policy.
    ///
    /// # Errors
    /// All errors, in the order of the file.
    pub fn load(&self) -> Result<Policy, Vec<Problem>> {
        load_tree(&self.id, &self.tree())
    }

    /// The pack as YAML. Gaps are comments.
    #[must_use]
    pub fn yaml(&self) -> String {
        let mut out = String::new();
        for gap in &self.gaps {
            let source = self.sources.get(usize::from(gap.at.source));
            let file = match source.filter(|_| self.sources.len() > 1) {
                Some(name) => format!("{}, ", plain_line(name)),
                None => String::new(),
            };
            let message = plain_line(&gap.message);
            out.push_str(&format!("# {file}line {}: {message}\n", gap.at.line));
        }
        out.push_str("version: 1\n");
        entry(&mut out, 0, "id", &self.id.as_str().into());
        out.push_str("combine: deny-overrides\n");
        entry(&mut out, 0, "default", &self.fallback());
        out.push_str("rules:\n");
        for rule in &self.rules {
            rule.write(&mut out);
        }
        out
    }
}

impl PackRule {
    /// The members in the order in which people read them.
    fn members(&self) -> Vec<(&'static str, Json)> {
        let mut all = vec![("id", Json::from(self.id.as_str()))];
        let description = self.description.as_deref();
        all.extend(description.map(|text| ("description", text.into())));
        all.extend(self.when.clone().map(|when| ("when", when)));
        all.push(("effect", self.effect.to_string().into()));
        all.push(("reason", self.reason.as_str().into()));
        all
    }

    fn tree(&self) -> Node {
        let members = self.members().into_iter();
        let members =
            members.map(|(key, value)| member(self.at, key, placed(&value, self.at).value));
        Node {
            at: self.at,
            value: Value::Map(members.collect()),
        }
    }

    fn write(&self, out: &mut String) {
        let mut own = String::new();
        for (key, value) in self.members() {
            entry(&mut own, 4, key, &value);
        }
        // The first member is behind the dash.
        out.push_str("  - ");
        out.push_str(own.trim_start());
    }
}

fn member(at: Position, key: &str, value: Value) -> (Node, Node) {
    let key = Value::Text(key.to_owned());
    (Node { at, value: key }, Node { at, value })
}

/// A JSON value as a tree, all of it at one place.
fn placed(value: &Json, at: Position) -> Node {
    let mut root = Node::from_json(value);
    let mut open = vec![&mut root];
    while let Some(node) = open.pop() {
        node.at = at;
        match &mut node.value {
            Value::List(list) => open.extend(list.iter_mut()),
            Value::Map(map) => open.extend(map.iter_mut().flat_map(|(k, v)| [k, v])),
            _ => {}
        }
    }
    root
}

/// Whether a character can be shown as it is: no control character, and none that is hidden.
fn is_shown(c: char) -> bool {
    c == ' ' || c.is_ascii_graphic() || !c.is_ascii() && c.is_alphanumeric()
}

/// A text on one line, without what ends a comment.
fn plain_line(text: &str) -> String {
    let shown = |c: char| {
        if is_shown(c) || "…—’“”".contains(c) {
            c
        } else {
            '\u{fffd}'
        }
    };
    text.chars().map(shown).collect()
}

fn entry(out: &mut String, indent: usize, key: &str, value: &Json) {
    let spaces = " ".repeat(indent);
    let short = flow(value);
    let deeper = indent.saturating_add(2);
    let fits = indent.saturating_add(key.len()).saturating_add(short.len()) < WIDTH;
    match value {
        Json::Object(members) if !fits && !members.is_empty() => {
            out.push_str(&format!("{spaces}{}:\n", scalar(key)));
            for (key, value) in members {
                entry(out, deeper, key, value);
            }
        }
        Json::Array(list) if !fits && !list.is_empty() => {
            out.push_str(&format!("{spaces}{}:\n", scalar(key)));
            for item in list {
                out.push_str(&format!("{spaces}  - {}", element(item, deeper)));
            }
        }
        _ => out.push_str(&format!("{spaces}{}: {short}\n", scalar(key))),
    }
}

/// An element of a list, without the dash in front of it.
fn element(item: &Json, indent: usize) -> String {
    let short = flow(item);
    let deeper = indent.saturating_add(2);
    match item {
        Json::Object(members)
            if !members.is_empty() && deeper.saturating_add(short.len()) >= WIDTH =>
        {
            let mut own = String::new();
            for (key, value) in members {
                entry(&mut own, deeper, key, value);
            }
            own.trim_start().to_owned()
        }
        _ => format!("{short}\n"),
    }
}

/// A value on one line.
fn flow(value: &Json) -> String {
    match value {
        Json::String(text) => scalar(text),
        Json::Array(list) => {
            let items: Vec<String> = list.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Json::Object(members) => {
            let members = members
                .iter()
                .map(|(k, v)| format!("{}: {}", scalar(k), flow(v)));
            let members: Vec<String> = members.collect();
            if members.is_empty() {
                "{}".to_owned()
            } else {
                format!("{{ {} }}", members.join(", "))
            }
        }
        other => other.to_string(),
    }
}

/// A text as YAML writes it: plain, in single quotes, or escaped.
fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let word = !matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    if begins && word && text.chars().all(plain) {
        return text.to_owned();
    }
    if text.chars().all(is_shown) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if is_shown(c) => out.push(c),
            c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

/// JSON for people, in which characters that can't be shown are escaped.
pub(super) fn plain_json(value: &Json) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || is_shown(c) {
            out.push(c);
        } else {
            // Such characters only appear in texts.
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out.push('\n');
    out
}

/// A text as Starlark writes it.
pub(super) fn starlark_text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if is_shown(c) => out.push(c),
            c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}
