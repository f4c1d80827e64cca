//! What a rule of Gemini CLI matches.

use super::gemini::Members;
use super::pack::Translation;
use crate::pattern;
use crate::yaml::Position;
use serde_json::{Value as Json, json};

/// The tool that runs commands.
const SHELL: &str = "run_shell_command";
/// Tools whose calls may be recorded as diffs.
const EDITORS: [&str; 3] = ["write_file", "replace", "edit"];

/// What a rule matches.
pub(super) struct Matcher {
    /// For the id of the rule.
    pub(super) shown: String,
    /// Names of the commands that certainly match, and expressions for them.
    pub(super) texts: Vec<String>,
    pub(super) regexes: Vec<String>,
    /// Tools that certainly match.
    certain: Vec<String>,
    /// Every tool matches, as far as it is no command.
    every_tool: bool,
    /// All that may match, and whether commands and calls of other tools may.
    loose: Json,
    may_be: (bool, bool),
    /// It is about calls with some arguments, which a diff may have come from.
    may_be_diff: bool,
}

impl Matcher {
    /// The condition for a rule that forbids.
    pub(super) fn loose(&self) -> Json {
        self.loose.clone()
    }

    /// The condition under which a call of a tool certainly matches.
    pub(super) fn tools(&self) -> Option<Json> {
        if self.every_tool {
            return Some(json!({ "type": ["tool_call", "code_diff"] }));
        }
        (!self.certain.is_empty()).then(|| json!({ "tool": self.certain }))
    }

    pub(super) const fn may_be_command(&self) -> bool {
        self.may_be.0
    }

    pub(super) const fn may_be_tool(&self) -> bool {
        self.may_be.1
    }

    /// Whether a diff, which shows no arguments of a call, may match.
    pub(super) const fn may_be_diff(&self) -> bool {
        self.may_be_diff
    }

    pub(super) const fn is_about_commands(&self) -> bool {
        !(self.texts.is_empty() && self.regexes.is_empty())
    }

    /// Nothing matches certainly any more.
    pub(super) fn inexact(&mut self) {
        self.texts.clear();
        self.regexes.clear();
        self.certain.clear();
        self.every_tool = false;
    }
}

/// Commands and calls of the tool that runs them.
fn any_command() -> Json {
    json!({ "any": [{ "type": "shell_cmd" }, { "tool": SHELL }] })
}

/// Reads what a rule matches.
pub(super) fn matcher(members: &Members<'_>, pack: &mut Translation) -> Option<Matcher> {
    let tools = members.texts("toolName", pack);
    let server = members.text("mcpName", pack);
    let prefixes = members.texts("commandPrefix", pack);
    let regex = members.text("commandRegex", pack);
    let arguments = members.text("argsPattern", pack);
    let given = [prefixes.is_some(), regex.is_some(), arguments.is_some()];
    if given.iter().filter(|given| **given).count() > 1 {
        let message = "only one of `commandPrefix`, `commandRegex` and `argsPattern` can be given";
        pack.problem(members.at, message.to_owned(), None);
        return None;
    }
    if tools.is_none() && server.is_none() {
        let message = "the rule has no `toolName`; `*` is any tool".to_owned();
        pack.problem(members.at, message, None);
        return None;
    }
    let is_shell = tools.as_deref() == Some(&[SHELL.to_owned()]) && server.is_none();
    if (prefixes.is_some() || regex.is_some()) && !is_shell {
        let message = format!("`commandPrefix` and `commandRegex` need `toolName = \"{SHELL}\"`");
        pack.problem(members.at, message, None);
        return None;
    }
    if let Some(prefixes) = prefixes {
        return Some(by_prefix(&prefixes));
    }
    // The command is the first member that such a pattern can begin with.
    let of_command = arguments
        .as_deref()
        .and_then(|a| a.strip_prefix("\"command\":\""));
    if let (true, Some(regex)) = (is_shell, regex.as_deref().or(of_command)) {
        return Some(by_regex(regex, members.at, pack));
    }
    let mut matcher = by_tool(tools.as_deref(), server.as_deref(), members.at, pack);
    match arguments {
        Some(arguments) => by_arguments(&mut matcher, &arguments, members.at, pack),
        None => matcher.may_be_diff = false,
    }
    Some(matcher)
}

fn by_prefix(prefixes: &[String]) -> Matcher {
    let (mut texts, mut loose, mut anywhere) = (Vec::new(), Vec::new(), Vec::new());
    for prefix in prefixes {
        texts.extend(names(prefix));
        loose.extend(names(prefix.trim()));
        if prefix.contains(['<', '>', '|', ';', '&', '\n']) {
            anywhere.push(regex_syntax::escape(prefix.trim()));
        }
    }
    let mut any = vec![json!({ "command": { "text": loose } })];
    if !anywhere.is_empty() {
        any.push(json!({ "command": { "raw": anywhere } }));
    }
    Matcher {
        shown: format!("{SHELL} {}", prefixes.join("|")),
        texts,
        regexes: Vec::new(),
        certain: Vec::new(),
        every_tool: false,
        loose: json!({ "any": any }),
        may_be: (true, false),
        may_be_diff: false,
    }
}

/// Names of the commands that begin with a text, at the end of a word.
fn names(prefix: &str) -> Vec<String> {
    if prefix.starts_with('^') || prefix.contains('*') {
        return vec![format!("^{}(?: [^]*)?$", regex_syntax::escape(prefix))];
    }
    vec![prefix.to_owned(), format!("{prefix} *")]
}

fn by_regex(regex: &str, at: Position, pack: &mut Translation) -> Matcher {
    let text = format!("^(?:{regex})");
    let compiles = pattern::compile(&text, false).is_ok();
    // Gemini CLI compares the JSON of all parameters.
    let of_json = regex.contains(['"', '^', '$']) || regex.contains(r"\\");
    let shown = format!("{SHELL} {regex}");
    if !compiles || of_json {
        let message = format!(
            "`{regex}` can't be compared with the command itself: a rule that allows is left out, \
             any other is about all commands"
        );
        pack.gap(at, message);
        return Matcher {
            shown,
            texts: Vec::new(),
            regexes: Vec::new(),
            certain: Vec::new(),
            every_tool: false,
            loose: any_command(),
            may_be: (true, false),
            may_be_diff: false,
        };
    }
    Matcher {
        shown,
        texts: Vec::new(),
        regexes: vec![text.clone()],
        certain: Vec::new(),
        every_tool: false,
        loose: json!({ "any": [{ "command": { "text": text } }, { "command": { "raw": text } }] }),
        may_be: (true, false),
        may_be_diff: false,
    }
}

fn by_tool(
    tools: Option<&[String]>,
    server: Option<&str>,
    at: Position,
    pack: &mut Translation,
) -> Matcher {
    let mut certain = Vec::new();
    let mut possible = Vec::new();
    let (mut every_tool, mut commands, mut diffs) = (false, false, false);
    let any = ["*".to_owned()];
    let tools = tools.unwrap_or(&any);
    for tool in tools {
        match server {
            Some(server) => {
                let tool = tool.strip_prefix("mcp_").map_or(tool.as_str(), |_| "*");
                if server == "*" && tool != "*" {
                    possible.push(format!("mcp_*_{tool}"));
                } else {
                    let server = if server == "*" { "" } else { server };
                    let dash = if server.is_empty() { "" } else { "_" };
                    certain.push(format!("mcp_{server}{dash}{tool}"));
                }
                possible.push(format!(
                    "{}__{tool}",
                    if server.is_empty() { "*" } else { server }
                ));
            }
            None if tool == "*" => {
                every_tool = true;
                commands = true;
                diffs = true;
            }
            None if tool == SHELL => commands = true,
            None => {
                diffs |= EDITORS.contains(&tool.as_str());
                if tool.matches('*').count() > 1 || tool.contains('*') && !tool.ends_with("_*") {
                    let message = format!("`{tool}`: a rule that allows is left out");
                    pack.gap(at, message);
                    possible.push(tool.clone());
                } else {
                    certain.push(tool.clone());
                }
            }
        }
    }
    possible.extend(certain.iter().cloned());
    let has_tools = !possible.is_empty();
    let mut loose = Vec::new();
    if every_tool {
        loose.push(json!({ "type": ["tool_call", "shell_cmd", "code_diff"] }));
    } else {
        if commands {
            loose.push(any_command());
        }
        if diffs {
            loose.push(json!({ "type": "code_diff" }));
        }
        if !possible.is_empty() {
            loose.push(json!({ "tool": possible }));
        }
    }
    let names = server.map_or_else(String::new, |server| format!("{server} "));
    Matcher {
        shown: format!("{names}{}", tools.join("|")),
        texts: if commands {
            vec!["*".to_owned()]
        } else {
            Vec::new()
        },
        regexes: Vec::new(),
        certain,
        every_tool,
        loose: json!({ "any": loose }),
        may_be: (commands, every_tool || diffs || has_tools),
        may_be_diff: diffs,
    }
}

/// Narrows a rule to calls with some arguments.
fn by_arguments(matcher: &mut Matcher, regex: &str, at: Position, pack: &mut Translation) {
    matcher.shown = format!("{} {regex}", matcher.shown);
    matcher.inexact();
    // Of our text the arguments are only a part.
    let anchored = regex.contains(['^', '$']);
    let usable = !anchored && pattern::compile(regex, true).is_ok();
    if usable {
        pack.gap(at, "`argsPattern`: a rule that allows is left out");
        matcher.loose = json!({ "all": [matcher.loose, { "pattern": regex }] });
        if matcher.may_be_diff {
            pack.gap(
                at,
                "`argsPattern`: a diff shows no arguments, so it is asked about",
            );
        }
    } else {
        let message = format!(
            "`{regex}` can't be compared: a rule that allows is left out, any other is about all \
             calls of the tool"
        );
        matcher.may_be_diff = false;
        pack.gap(at, message);
    }
}
