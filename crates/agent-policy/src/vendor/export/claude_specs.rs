//! What rules of a policy are in the language of Claude Code.

use super::clauses::Clause;
use super::meaning;
use crate::action::type_bit;
use crate::condition::{CommandTest, PathTest};
use crate::effect::Effect;
use crate::model::Rule;
use crate::name::Name;
use crate::path::Access;
use crate::vendor::VendorFormat;
use crate::vendor::claude_modes::{FREE, without_paths};
use crate::vendor::claude_rules::{EDITORS, READERS, commands, parameter, split};
use governance::ActionType;
use serde_json::json;
use std::collections::BTreeSet;

/// What an alternative of a rule that allows becomes.
pub(super) struct Permissions {
    /// Entries of `allow`, with the id of the rule that they become a part of.
    pub(super) entries: Vec<(&'static str, String)>,
    /// Whether a name can't be said.
    pub(super) missed: bool,
}

/// The entries for an alternative of a rule that allows, or the key that can't be said.
pub(super) fn permissions(clause: &Clause<'_>) -> Result<Permissions, String> {
    let bit = |kind| clause.has_type(type_bit(Some(kind)));
    if let Some(key) = clause.others.first() {
        // A skill is compared with the text of its call.
        return Err(format!("`{key}`"));
    }
    let mut said = Permissions {
        entries: Vec::new(),
        missed: false,
    };
    let mut add = |group, texts: Vec<String>| {
        let texts = texts.into_iter().filter(|text| is_rule(text));
        said.entries.extend(texts.map(|text| (group, text)));
    };
    match (clause.command, clause.path, clause.hosts.is_empty()) {
        (Some(test), None, true) => {
            let (texts, missed) = command_specs(test, true);
            add("allow commands", texts);
            said.missed = missed;
        }
        (None, Some(path), true) => {
            if path.glob.is_empty()
                || !path.except.is_empty()
                || path.outside.is_some()
                || path.protected.is_some()
            {
                return Err("`path` with more than globs".to_owned());
            }
            for (group, tool, access) in [
                ("allow reads", "Read", Access::Read),
                ("allow edits", "Edit", Access::Write),
            ] {
                let tools: &[&str] = if tool == "Read" { &READERS } else { &EDITORS };
                let mut known = clause.tools.iter();
                let types = [ActionType::ToolCall, ActionType::CodeDiff];
                let [calls, diffs] = types.map(bit);
                let may_name = calls || diffs && tool == "Edit";
                let meant = clause.tools.is_empty() && may_name
                    || known.any(|name| tools.iter().any(|tool| name.fits(tool, true)));
                // The editors of Claude Code read what they change.
                let accessed = path.access.is_empty() || path.access.contains(&access);
                if meant && accessed {
                    let globs = path.glob.iter();
                    let specs = globs.flat_map(|glob| path_specs(glob.text()));
                    add(group, specs.map(|spec| format!("{tool}({spec})")).collect());
                }
            }
        }
        (None, None, false) => {
            let names = clause.hosts.iter();
            let texts = names.map(|name| format!("WebFetch(domain:{})", name.text()));
            add("allow hosts", texts.collect());
        }
        (None, None, true) if !clause.tools.is_empty() => {
            // Others need no permission.
            let named = clause.tools.iter();
            for name in named.filter(|name| !FREE.contains(&name.text())) {
                let (group, text) = match name.text() {
                    "Bash" => ("allow Bash", "Bash"),
                    "Read" => ("allow reads", "Read"),
                    "Edit" => ("allow edits", "Edit"),
                    text => ("allow tools", text),
                };
                add(group, vec![text.to_owned()]);
            }
        }
        // The vendor allows answers itself.
        (None, None, true) if !clause.types.is_empty() => {
            if bit(ActionType::ToolCall) {
                return Err("every tool".to_owned());
            }
            if bit(ActionType::ShellCmd) {
                add("allow Bash", vec!["Bash".to_owned()]);
            }
            if bit(ActionType::CodeDiff) {
                add("allow edits", vec!["Edit".to_owned()]);
            }
        }
        (None, None, true) => return Err("every action".to_owned()),
        _ => return Err("several of `command`, `path` and `host` together".to_owned()),
    }
    Ok(said)
}

/// The entries that forbid an alternative of a rule, and whether they are about it alone.
pub(super) fn prohibitions(clause: &Clause<'_>) -> (Vec<String>, bool) {
    let bit = |kind| clause.has_type(type_bit(Some(kind)));
    let mut exact = clause.others.is_empty();
    let runs = clause.tools.is_empty() || clause.tools.iter().any(|n| n.fits("Bash", false));
    let mut texts = Vec::new();
    if let (Some(test), true) = (clause.command, runs) {
        let (specs, missed) = command_specs(test, false);
        exact &= test.program.is_empty() && test.raw.is_empty() && clause.path.is_none();
        texts = specs;
        if missed || texts.is_empty() {
            exact = false;
            texts.push("Bash".to_owned());
        }
    } else if let Some(path) = clause.path {
        exact &= path.except.is_empty() && path.outside.is_none() && path.protected.is_none();
        texts = path_prohibitions(path);
    } else if !clause.hosts.is_empty() {
        let names = clause.hosts.iter();
        texts.extend(names.map(|name| format!("WebFetch(domain:{})", name.text())));
    } else if !clause.tools.is_empty() {
        texts.extend(clause.tools.iter().map(|name| name.text().to_owned()));
    } else if !clause.types.is_empty() && !bit(ActionType::ToolCall) {
        if bit(ActionType::ShellCmd) {
            texts.push("Bash".to_owned());
        }
        if bit(ActionType::CodeDiff) {
            texts.push("Edit".to_owned());
        }
    }
    texts.retain(|text| is_rule(text));
    (texts, exact)
}

fn path_prohibitions(path: &PathTest) -> Vec<String> {
    let accesses = |access: &Access| path.access.is_empty() || path.access.contains(access);
    let reads = accesses(&Access::Read);
    let edits = accesses(&Access::Write) || accesses(&Access::Delete);
    let tools = [("Read", reads), ("Edit", edits)].into_iter();
    let tools = tools.filter_map(|(tool, meant)| meant.then_some(tool));
    if path.glob.is_empty() {
        return tools.map(str::to_owned).collect();
    }
    let specs: Vec<String> = path
        .glob
        .iter()
        .flat_map(|glob| path_specs(glob.text()))
        .collect();
    tools
        .flat_map(|tool| specs.iter().map(move |spec| format!("{tool}({spec})")))
        .collect()
}

/// Whether a text is a rule of Claude Code.
fn is_rule(text: &str) -> bool {
    let settings = json!({ "permissions": { "deny": [text] } }).to_string();
    VendorFormat::Claude.translate("export", &settings).is_ok()
}

/// Whether an entry forbids what a rule does, and nothing else.
pub(super) fn says(rule: &Rule, text: &str) -> bool {
    let list = match rule.effect {
        Effect::Allow => return false,
        Effect::RequireApproval => "ask",
        Effect::Deny => "deny",
    };
    if split(text).is_err() {
        return false;
    }
    let settings = json!({ "permissions": { list: [text] } }).to_string();
    let head = VendorFormat::Claude.load("export", &settings);
    let own = head.as_ref().ok().and_then(|head| head.rules.first());
    own.is_some_and(|own| meaning(own) == meaning(rule))
}

/// The rules for commands with some texts or programs, and whether some can't be said.
fn command_specs(wanted: &CommandTest, allows: bool) -> (Vec<String>, bool) {
    // What narrows a rule down may be left away where it forbids.
    let narrowed = !(wanted.raw.is_empty() && wanted.args.is_empty() && wanted.arg.is_empty());
    let mut missed = allows && narrowed;
    let mut specs = Vec::new();
    for name in &wanted.program {
        match name {
            Name::Exact(program) => specs.push(format!("{program} *")),
            _ => missed = true,
        }
    }
    // What the vendor adds to each list of commands.
    let added: BTreeSet<String> = without_paths().into_iter().collect();
    let texts: BTreeSet<&str> = wanted.text.iter().map(Name::text).collect();
    let has_added = added
        .iter()
        .filter(|text| !text.starts_with('^'))
        .all(|text| texts.contains(text.as_str()));
    for name in &wanted.text {
        let text = name.text();
        let prefix = text.strip_suffix(" *").filter(|prefix| !prefix.is_empty());
        let spec = match (name, prefix) {
            (Name::Regex(..), _) if allows && has_added => continue,
            _ if allows && has_added && added.contains(text) => continue,
            (Name::Regex(..), _) => None,
            (Name::Star(_), Some(prefix)) if !allows || texts.contains(prefix) => {
                Some(format!("{prefix} *"))
            }
            (Name::Star(_), Some(_)) => None,
            (Name::Star(_), None) if text == "*" && !allows => Some(text.to_owned()),
            (Name::Exact(_), _) if texts.contains(format!("{text} *").as_str()) => continue,
            _ => Some(text.to_owned()),
        };
        // The rule has to mean this text, and no parameter.
        let says_so = |spec: &String| {
            let all = commands(spec);
            parameter("Bash", spec).is_none()
                && all.iter().any(|one| one == text)
                && (!allows || all.iter().all(|one| texts.contains(one.as_str())))
                && !(allows && (spec.contains([';', '|', '&', '\n']) || spec == "*"))
        };
        match spec.filter(says_so) {
            Some(spec) => specs.push(spec),
            None => missed = true,
        }
    }
    let specs = specs.into_iter().map(|spec| format!("Bash({spec})"));
    (specs.collect(), missed)
}

/// The patterns that match what a glob matches.
fn path_specs(glob: &str) -> Vec<String> {
    let plain = glob.replace("[{]", "").replace("[}]", "");
    if plain.contains(['{', '}', '\\']) || glob.starts_with('!') {
        return Vec::new();
    }
    let glob = glob.replace("[{]", "{").replace("[}]", "}");
    let body = glob.strip_suffix('/').unwrap_or(&glob);
    if let Some(rest) = body.strip_prefix("././") {
        vec![format!("./{rest}")]
    } else if let Some(rest) = body.strip_prefix('/') {
        vec![format!("//{rest}")]
    } else if let Some(name) = body.strip_prefix("**/").filter(|name| !name.contains('/')) {
        vec![name.to_owned()]
    } else if body.contains('/') || body == "~" || body == "**" {
        vec![body.to_owned()]
    } else {
        // A name in any directory, of the work tree or not.
        vec![body.to_owned(), format!("//**/{body}")]
    }
}
