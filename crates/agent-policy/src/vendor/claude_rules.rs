//! Permission rules of Claude Code: `Tool` and `Tool(specifier)`.

use super::claude::Settings;
use super::claude_modes::{self, Mode};
use super::claude_paths::path_globs;
use super::pack::{PackRule, Translation};
use crate::effect::Effect;
use crate::yaml::Position;
use serde_json::{Value as Json, json};

/// Tools that read files.
pub(super) const READERS: [&str; 6] = ["Read", "NotebookRead", "Grep", "Glob", "LS", "LSP"];
/// Tools that change files.
pub(super) const EDITORS: [&str; 4] = ["Edit", "MultiEdit", "Write", "NotebookEdit"];
/// Parameters of `Bash` that a rule may name instead of a command.
const BASH_PARAMETERS: [&str; 4] = [
    "description",
    "timeout",
    "run_in_background",
    "dangerouslyDisableSandbox",
];

/// The rules of a file.
#[derive(Debug, Default)]
pub(super) struct Specs {
    /// Rules that deny and ask.
    forbidding: Vec<(Effect, String, Position, Json)>,
    /// The entries of `allow`, with their first place.
    pub(super) commands: Vec<String>,
    /// Commands that are allowed word by word.
    pub(super) exact: Vec<String>,
    commands_at: Option<Position>,
    any_command: Option<Position>,
    reads: Vec<String>,
    reads_at: Option<Position>,
    any_read: bool,
    edits: Vec<String>,
    edits_at: Option<Position>,
    any_edit: bool,
    hosts: Vec<String>,
    hosts_at: Option<Position>,
    tools: Vec<String>,
    tools_at: Option<Position>,
    skills: Vec<String>,
    skills_at: Option<Position>,
}

/// Splits a rule into the tool and what is in its parentheses.
pub(super) fn split(text: &str) -> Result<(&str, Option<&str>), &'static str> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the rule is empty");
    }
    let (tool, spec) = match text.split_once('(') {
        None if text.contains(')') => return Err("`)` without `(`"),
        None => (text, None),
        Some((tool, rest)) => {
            let spec = rest.strip_suffix(')').ok_or("`(` without `)` at the end")?;
            (tool.trim_end(), Some(spec))
        }
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-*.:/@".contains(c);
    if tool.is_empty() || !tool.chars().all(plain) {
        return Err("no name of a tool is in front");
    }
    if spec.is_some_and(|spec| spec.trim().is_empty()) {
        return Err("nothing is between the parentheses");
    }
    Ok((tool, spec))
}

impl Specs {
    /// Adds an entry of `deny`, `ask` or `allow`.
    pub(super) fn add(&mut self, list: &str, text: &str, at: Position, pack: &mut Translation) {
        let (tool, spec) = match split(text) {
            Ok(parts) => parts,
            Err(why) => {
                let help = "a rule is `Tool` or `Tool(specifier)`, as `Bash(npm test:*)`";
                pack.problem(at, format!("`{text}`: {why}"), Some(help));
                return;
            }
        };
        let effect = match list {
            "deny" => Effect::Deny,
            "ask" => Effect::RequireApproval,
            _ => return self.allow(tool, spec, text, at, pack),
        };
        if let Some(when) = forbidden(tool, spec, text, at, pack) {
            self.forbidding
                .push((effect, format!("{list} {text}"), at, when));
        }
    }

    fn allow(
        &mut self,
        tool: &str,
        spec: Option<&str>,
        text: &str,
        at: Position,
        pack: &mut Translation,
    ) {
        let ignored = |pack: &mut Translation, why: &str| {
            pack.gap(at, format!("`{text}` allows nothing here: {why}"));
        };
        match (tool, spec) {
            ("Bash", None | Some("*" | ":*")) => self.any_command = self.any_command.or(Some(at)),
            ("Bash", Some(spec)) if parameter(tool, spec).is_some() => {
                ignored(pack, "only rules that deny or ask name a parameter");
            }
            ("Bash", Some(spec)) => {
                if spec.contains([';', '|', '&', '\n']) {
                    ignored(pack, "each command of a line is compared by itself");
                } else {
                    self.commands_at = self.commands_at.or(Some(at));
                    self.commands.extend(commands(spec));
                    self.exact
                        .extend((!spec.contains('*')).then(|| named(spec)));
                }
            }
            ("Read", None) => {
                self.any_read = true;
                self.reads_at = self.reads_at.or(Some(at));
            }
            ("Edit", None) => {
                self.any_edit = true;
                self.edits_at = self.edits_at.or(Some(at));
            }
            ("Read" | "Edit", Some(spec)) => {
                let globs = path_globs(spec, true, text, at, pack);
                let (list, place) = if tool == "Read" {
                    (&mut self.reads, &mut self.reads_at)
                } else {
                    (&mut self.edits, &mut self.edits_at)
                };
                list.extend(globs);
                *place = place.or(Some(at));
            }
            ("WebFetch", Some(spec)) => match spec.trim().strip_prefix("domain:") {
                Some(domain) => {
                    self.hosts.push(host(domain));
                    self.hosts_at = self.hosts_at.or(Some(at));
                }
                None => pack.problem(
                    at,
                    format!("`{text}`: a rule for `WebFetch` is `WebFetch(domain:HOST)`"),
                    None,
                ),
            },
            ("Skill", Some(spec)) => {
                self.skills.push(skill(spec));
                self.skills_at = self.skills_at.or(Some(at));
            }
            (_, Some(_)) => {
                let why = "what is in the parentheses isn't compared with calls of this tool";
                ignored(pack, why);
            }
            (tool, None) if tool.contains('*') && !names_server(tool) => {
                ignored(pack, "`*` may only follow the name of a server");
            }
            (tool, None) => {
                self.tools.extend(tool_names(tool));
                self.tools_at = self.tools_at.or(Some(at));
            }
        }
    }

    /// Writes the rules into the pack.
    pub(super) fn write(&self, settings: &Settings, pack: &mut Translation) {
        for (effect, id, at, when) in &self.forbidding {
            // In this mode nobody is asked.
            let effect = match settings.mode {
                Mode::DontAsk => Effect::Deny,
                _ => *effect,
            };
            let word = if effect == Effect::Deny {
                "denied"
            } else {
                "asked about"
            };
            pack.rule(PackRule {
                at: *at,
                id: id.clone(),
                description: None,
                when: Some(when.clone()),
                effect,
                reason: format!("{word} by the rule `{id}`"),
            });
        }
        let mut allow = |at: Option<Position>, id: &str, what: &str, when: Json| {
            if let Some(at) = at {
                pack.rule(PackRule {
                    at,
                    id: id.to_owned(),
                    description: Some(format!("`allow` of {what}")),
                    when: Some(when),
                    effect: Effect::Allow,
                    reason: format!("allowed by the rules for {what}"),
                });
            }
        };
        let any_line = json!({ "any": [{ "type": "shell_cmd" }, { "tool": "Bash" }] });
        allow(self.any_command, "allow Bash", "any command", any_line);
        if !self.commands.is_empty() {
            let texts = [self.commands.clone(), claude_modes::without_paths()];
            let when = json!({ "command": { "text": with_wrappers(&texts.concat()) } });
            allow(self.commands_at, "allow commands", "commands", when);
        }
        let reads = if self.any_read {
            json!({ "tool": READERS })
        } else {
            json!({ "tool": READERS, "path": { "glob": self.reads, "access": "read" } })
        };
        allow(self.reads_at, "allow reads", "reads", reads);
        let editing = json!([{ "tool": EDITORS }, { "type": "code_diff" }]);
        let edits = if self.any_edit {
            json!({ "any": editing, "not": { "path": { "access": "delete" } } })
        } else {
            let path = json!({ "glob": self.edits, "access": ["read", "write"] });
            json!({ "any": editing, "path": path })
        };
        allow(self.edits_at, "allow edits", "edits", edits);
        let hosts = json!({ "tool": "WebFetch", "host": self.hosts });
        allow(self.hosts_at, "allow hosts", "hosts", hosts);
        allow(
            self.tools_at,
            "allow tools",
            "tools",
            json!({ "tool": self.tools }),
        );
        let skills = json!({ "tool": "Skill", "pattern": self.skills });
        allow(self.skills_at, "allow skills", "skills", skills);
    }
}

/// The condition of an entry of `deny` or `ask`.
fn forbidden(
    tool: &str,
    spec: Option<&str>,
    text: &str,
    at: Position,
    pack: &mut Translation,
) -> Option<Json> {
    if let Some((name, value)) = spec.and_then(|spec| parameter(tool, spec)) {
        let whose = if tool == "Bash" {
            json!({ "any": [{ "type": "shell_cmd" }, { "tool": tool }] })
        } else {
            json!({ "tool": tool_names(tool) })
        };
        let value = wildcard_in_quotes(value);
        let pattern = format!(r#""{}":"?{value}(?:"|,|\}})"#, escaped(name));
        return Some(with(whose, "pattern", pattern.into()));
    }
    let when = match (tool, spec) {
        ("Bash", None | Some("*" | ":*")) => {
            json!({ "any": [{ "type": "shell_cmd" }, { "tool": "Bash" }] })
        }
        ("Bash", Some(spec)) => {
            let line = json!([{ "type": "shell_cmd" }, { "tool": "Bash" }]);
            let one = json!({ "any": line, "command": { "text": commands(spec) } });
            if spec.contains([';', '|', '&', '\n']) {
                let whole = format!("^{}$", wildcard_regex(spec));
                json!({ "any": [one, { "command": { "raw": whole } }] })
            } else {
                one
            }
        }
        ("Read", None) => json!({ "tool": READERS }),
        ("Edit", None) => json!({ "any": [{ "tool": EDITORS }, { "type": "code_diff" }] }),
        ("Read", Some(spec)) => {
            let globs = path_globs(spec, false, text, at, pack);
            json!({ "any": [
                { "any": file_actions(), "path": { "glob": globs, "access": "read" } },
                { "any": [{ "tool": ["Edit", "MultiEdit"] }, { "type": "code_diff" }], "path": { "glob": globs } },
            ] })
        }
        ("Edit", Some(spec)) => {
            let globs = path_globs(spec, false, text, at, pack);
            json!({ "any": file_actions(), "path": { "glob": globs, "access": ["write", "delete"] } })
        }
        ("Write" | "MultiEdit" | "NotebookEdit" | "Glob" | "Grep" | "LS", Some(spec)) => {
            let same = if ["Glob", "Grep", "LS"].contains(&tool) {
                "Read"
            } else {
                "Edit"
            };
            pack.gap(
                at,
                format!(
                    "`{text}` isn't compared with paths by Claude Code; read as `{same}({spec})`"
                ),
            );
            return forbidden(same, Some(spec), text, at, pack);
        }
        ("WebFetch", Some(spec)) => {
            let Some(domain) = spec.trim().strip_prefix("domain:") else {
                let message = format!("`{text}`: a rule for `WebFetch` is `WebFetch(domain:HOST)`");
                pack.problem(at, message, None);
                return None;
            };
            json!({ "tool": "WebFetch", "host": host(domain) })
        }
        ("Agent" | "Task", Some(spec)) => {
            let pattern = format!(r#""subagent_type":"{}""#, wildcard_in_quotes(spec));
            json!({ "tool": ["Agent", "Task"], "pattern": pattern })
        }
        ("Skill", Some(spec)) => {
            json!({ "tool": ["Skill", "SlashCommand"], "pattern": forbidden_skill(spec) })
        }
        ("Cd", _) => {
            pack.gap(at, "`Cd` is about a command of the user, not about calls");
            return None;
        }
        (_, Some(_)) => {
            pack.gap(
                at,
                format!("`{text}`: all calls of the tool are meant here"),
            );
            json!({ "tool": tool_names(tool) })
        }
        (_, None) => json!({ "tool": tool_names(tool) }),
    };
    Some(when)
}

/// Actions whose paths rules for `Read` and `Edit` are about.
fn file_actions() -> Json {
    let tools: Vec<&str> = READERS.iter().chain(&EDITORS).copied().collect();
    json!([{ "type": ["shell_cmd", "code_diff"] }, { "tool": tools }])
}

fn with(mut when: Json, key: &str, value: Json) -> Json {
    if let Some(members) = when.as_object_mut() {
        members.insert(key.to_owned(), value);
    }
    when
}

/// `param:value` of a rule, where a rule may name a parameter.
pub(super) fn parameter<'s>(tool: &str, spec: &'s str) -> Option<(&'s str, &'s str)> {
    let (name, value) = spec.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let named = !name.is_empty() && !value.is_empty() && name.chars().all(word);
    let possible = match tool {
        // `timeout:*` is a command with any arguments.
        "Bash" => BASH_PARAMETERS.contains(&name) && value != "*",
        "Read" | "Edit" | "Write" | "Skill" | "WebFetch" | "Cd" | "PowerShell" => false,
        _ => true,
    };
    (named && possible).then_some((name, value))
}

/// Names that match a tool of a rule. The name of a server means all its tools.
fn tool_names(tool: &str) -> Vec<String> {
    let mut all = vec![tool.to_owned()];
    if let Some(rest) = tool.strip_prefix("mcp__")
        && !rest.contains("__")
        && !rest.contains('*')
    {
        all.push(format!("{tool}__*"));
    }
    match tool {
        "Agent" => all.push("Task".to_owned()),
        "Task" => all.push("Agent".to_owned()),
        _ => {}
    }
    all
}

/// Whether a name with `*` names a server in full.
fn names_server(tool: &str) -> bool {
    let rest = tool
        .strip_prefix("mcp__")
        .and_then(|rest| rest.split_once("__"));
    rest.is_some_and(|(server, _)| !server.is_empty() && !server.contains('*'))
}

/// The names of commands that a specifier of `Bash` means.
pub(super) fn commands(spec: &str) -> Vec<String> {
    let prefix = spec.strip_suffix(":*").or_else(|| spec.strip_suffix(" *"));
    match prefix.filter(|prefix| !prefix.is_empty()) {
        Some(prefix) => vec![named(prefix), named(&format!("{prefix} *"))],
        None => vec![named(spec)],
    }
}

/// A text with `*` as a name of our language, where `^` begins an expression.
fn named(text: &str) -> String {
    if text.starts_with('^') {
        format!("^{}$", wildcard_regex(text))
    } else {
        text.to_owned()
    }
}

/// The wrappers that Claude Code looks through, in front of a command.
pub(super) const WRAPPERS: &str = r"(?:(?:time|nohup|xargs|nice(?: -n ?-?[0-9]+| -[0-9]+)?|timeout(?: --?[a-z-]+(?:=[A-Za-z0-9.]+)?)* [0-9.]+[smhd]?|stdbuf(?: -[ioe] ?[0A-Z0-9]+)+) )+";
/// Wildcards in one expression: each makes it larger.
const MAX_WILDCARDS: usize = 8;
/// Commands in one expression, so that it can be analysed.
const MAX_COMMANDS: usize = 100;

/// The names, and expressions for the same commands behind wrappers.
pub(super) fn with_wrappers(commands: &[String]) -> Vec<String> {
    let mut all = commands.to_vec();
    // `a` and `a *`, of which the wildcard is shared.
    let (mut prefixes, mut exact, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for command in commands {
        let prefix = command
            .strip_suffix(" *")
            .filter(|prefix| !prefix.contains('*'));
        match (prefix, command.strip_prefix('^')) {
            (_, Some(regex)) => {
                others.push(format!("(?:{})", regex.strip_suffix('$').unwrap_or(regex)));
            }
            (Some(prefix), None) => prefixes.push(escaped(prefix)),
            (None, None) if command.contains('*') => others.push(wildcard_regex(command)),
            (None, None) => exact.push(escaped(command)),
        }
    }
    let mut group = |list: &[String], most: usize, tail: &str| {
        for some in list.chunks(most) {
            all.push(format!("^{WRAPPERS}(?:{}){tail}$", some.join("|")));
        }
    };
    group(&prefixes, MAX_COMMANDS, " [^]*");
    group(&exact, MAX_COMMANDS, "");
    group(&others, MAX_WILDCARDS, "");
    all
}

fn escaped(text: &str) -> String {
    regex_syntax::escape(text)
}

/// A text with `*` as a regular expression.
fn wildcard_regex(text: &str) -> String {
    let parts: Vec<String> = text.split('*').map(escaped).collect();
    parts.join("[^]*")
}

/// A text with `*` as a regular expression within a text of JSON.
fn wildcard_in_quotes(text: &str) -> String {
    let parts: Vec<String> = text.trim().split('*').map(escaped).collect();
    parts.join("[^\"]*")
}

/// A call of one skill, and nothing else.
pub(super) fn skill(spec: &str) -> String {
    let (name, arguments) = match spec.strip_suffix(" *").or_else(|| spec.strip_suffix(":*")) {
        Some(name) => (name, r#"(?:"args":"[^"\\{}]*",)?"#),
        None => (spec, ""),
    };
    let name = escaped(name.trim());
    format!(r#"(?-i:^\{{"parameters":\{{{arguments}"skill":"{name}"\}},"tool":"Skill"\}}$)"#)
}

fn forbidden_skill(spec: &str) -> String {
    let name = spec.strip_suffix(" *").or_else(|| spec.strip_suffix(":*"));
    let name = wildcard_in_quotes(name.unwrap_or(spec));
    format!(r#""(?:skill|command|name)":"/?{name}[" ]"#)
}

/// A host of a rule. `*` crosses dots only in front, and alone.
fn host(domain: &str) -> String {
    let domain = domain.trim().trim_end_matches('.').to_ascii_lowercase();
    let rest = domain.strip_prefix("*.").unwrap_or(&domain);
    if domain == "*" || !rest.contains('*') {
        return domain;
    }
    let parts: Vec<String> = rest.split('*').map(escaped).collect();
    let front = if rest == domain { "" } else { r".*\." };
    format!("^{front}{}$", parts.join("[^.]*"))
}
