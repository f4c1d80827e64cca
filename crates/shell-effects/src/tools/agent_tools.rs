//! The tools of known coding agents, as data: their operations and the roles of their parameters.
//!
//! A tool that isn't listed is rated by the words of its name. A listed one is rated by its
//! operation, as long as the data lists all parameters of the call. The files are embedded as text.
//! An entry is parsed when its tool first occurs, as in the [table of programs](crate::table).

mod patch;
mod rating;

use super::param::{Param, WRAPPERS};
use crate::paths::private::is_private;
use crate::table::{entries, names_of};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

pub(super) use rating::effects_of_known;

/// Names and texts of the embedded files.
const FILES: [(&str, &str); 12] = [
    (
        "amp.yaml",
        include_str!("../../../../policies/tools/amp.yaml"),
    ),
    (
        "anthropic.yaml",
        include_str!("../../../../policies/tools/anthropic.yaml"),
    ),
    (
        "claude-code.yaml",
        include_str!("../../../../policies/tools/claude-code.yaml"),
    ),
    (
        "cline.yaml",
        include_str!("../../../../policies/tools/cline.yaml"),
    ),
    (
        "codex.yaml",
        include_str!("../../../../policies/tools/codex.yaml"),
    ),
    (
        "copilot-cli.yaml",
        include_str!("../../../../policies/tools/copilot-cli.yaml"),
    ),
    (
        "gemini-cli.yaml",
        include_str!("../../../../policies/tools/gemini-cli.yaml"),
    ),
    (
        "inspect.yaml",
        include_str!("../../../../policies/tools/inspect.yaml"),
    ),
    (
        "mcp-servers.yaml",
        include_str!("../../../../policies/tools/mcp-servers.yaml"),
    ),
    (
        "openhands.yaml",
        include_str!("../../../../policies/tools/openhands.yaml"),
    ),
    (
        "pi.yaml",
        include_str!("../../../../policies/tools/pi.yaml"),
    ),
    (
        "swe-agent.yaml",
        include_str!("../../../../policies/tools/swe-agent.yaml"),
    ),
];

/// The operation of a tool, least harmful first. If a name has several operations, the last of them
/// in this order applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Changes only the agent's own notes or plan.
    Note,
    /// Asks the user.
    Ask,
    /// Lists files, or finds them by name.
    List,
    /// Searches the text of files.
    Search,
    /// Reads files.
    Read,
    /// Contacts a host and reads its answer.
    Fetch,
    /// Stops a command that the agent started.
    Kill,
    /// Starts another agent.
    Spawn,
    /// Creates or replaces a file.
    Write,
    /// Changes parts of a file.
    Edit,
    /// Applies a patch that names its files itself.
    Patch,
    /// Moves or renames a file.
    Move,
    /// Deletes a file or a directory.
    Delete,
    /// Types into a running command.
    Input,
    /// Runs a command.
    Command,
    /// Rated by the words of the tool's name and by all parameters but the listed texts.
    Named,
    /// Unknown; rated by the words of the tool's name.
    Unknown,
}

impl Operation {
    /// Returns whether the operation changes nothing.
    fn only_reads(self) -> bool {
        self <= Self::Read
    }
}

/// The role of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ParamRole {
    /// A command line, or a program with its arguments.
    Command,
    /// The directory in which a command starts, or which is searched.
    Directory,
    /// One or more files.
    Path,
    /// File names with wildcards.
    Glob,
    /// The new content of a file.
    Content,
    /// Text that is replaced.
    Old,
    /// Text that replaces it.
    New,
    /// A patch that names its files.
    Patch,
    /// A URL, or a text that contains URLs.
    Url,
    /// A search pattern.
    Pattern,
    /// Text typed into a running command.
    Input,
    /// Text without an effect.
    Text,
    /// Any value without an effect.
    Data,
    Number,
    /// A switch whose values are both harmless.
    Flag,
    /// A switch that lets the tool do more. The call counts as understood only while it is off.
    Guarded,
    /// Selects one of several operations of the tool.
    Subcommand,
}

/// The content of a parameter: a value, or objects with members of their own.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum ParamKind {
    Value(ParamRole),
    /// An object or a list of objects.
    Objects(BTreeMap<String, ParamKind>),
}

/// A tool of a coding agent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "read from the text by the index")
    )]
    name: String,
    #[serde(default)]
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "read from the text by the index")
    )]
    aliases: Vec<String>,
    does: Operation,
    /// Keyed by name, or by several names separated by commas (until [`split_names`] separates
    /// them).
    #[serde(default)]
    params: BTreeMap<String, ParamKind>,
    /// Parameters that every call must have.
    #[serde(default)]
    requires: Vec<String>,
    #[serde(default)]
    subcommands: BTreeMap<String, Operation>,
    /// The agent itself applies the patch of an `apply_patch` command. No program of that name
    /// runs.
    #[serde(default)]
    applies_patches: bool,
    #[serde(default)]
    #[cfg_attr(not(test), expect(dead_code, reason = "for the tests of the data"))]
    tests: Vec<TestCall>,
}

/// A call with the expected result.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(test), expect(dead_code, reason = "for the tests of the data"))]
struct TestCall {
    call: serde_json::Value,
    risk: crate::effect::RiskLevel,
    /// Kinds of effects that must all be found.
    #[serde(default)]
    effects: Vec<String>,
    /// Kinds of effects that must not be found.
    #[serde(default)]
    not: Vec<String>,
    /// Targets that must all be found.
    #[serde(default)]
    paths: Vec<String>,
}

/// The entries of one name, and the tool they are merged into.
#[derive(Debug, Default)]
struct Slot {
    entries: Vec<(&'static str, &'static str)>,
    tool: OnceLock<Option<Box<Tool>>>,
}

static NAMES: LazyLock<FxHashMap<&'static str, Slot>> = LazyLock::new(|| {
    let mut names: FxHashMap<&'static str, Slot> = FxHashMap::default();
    for (file, text) in FILES {
        for entry in entries(text) {
            for name in names_of(entry) {
                names.entry(name).or_default().entries.push((file, entry));
            }
        }
    }
    names
});

/// Returns the tool of this name, if a known agent has one. Where agents give a name different
/// operations, this is the most restrictive one.
#[must_use]
pub fn tool(name: &str) -> Option<&'static Tool> {
    let slot = NAMES.get(name)?;
    slot.tool
        .get_or_init(|| {
            let tools = slot.entries.iter().map(|(_, text)| parse(text).ok());
            // If one entry can't be parsed, the tool counts as unknown.
            let tools: Option<Vec<Tool>> = tools.collect();
            tools?.into_iter().reduce(Tool::merge).map(Box::new)
        })
        .as_deref()
}

fn parse(entry: &str) -> Result<Tool, String> {
    let list: Vec<Tool> = serde_saphyr::from_str(entry).map_err(|e| e.to_string())?;
    let mut tool = list.into_iter().next().ok_or("an empty entry")?;
    tool.params = split_names(tool.params);
    Ok(tool)
}

/// Splits keys that list several names into one key for each.
fn split_names(params: BTreeMap<String, ParamKind>) -> BTreeMap<String, ParamKind> {
    let mut all = BTreeMap::new();
    for (names, kind) in params {
        let kind = match kind {
            ParamKind::Objects(members) => ParamKind::Objects(split_names(members)),
            kind @ ParamKind::Value(_) => kind,
        };
        all.extend(
            names
                .split(',')
                .map(|name| (name.trim().to_owned(), kind.clone())),
        );
    }
    all
}

/// The parameters of a call, as far as the data explains them.
struct ClassifiedCall<'p> {
    /// The operation of this call.
    operation: Operation,
    parts: Vec<(ParamRole, &'p Param<'p>)>,
    applies_patches: bool,
    /// Parameters that the data doesn't list.
    unlisted: Vec<&'p str>,
    /// Whether the data explains the whole call.
    understood: bool,
}

impl Tool {
    /// Returns the tool's operation. With subcommands, this is the most restrictive of them.
    #[must_use]
    pub fn operation(&self) -> Operation {
        let subcommands = self.subcommands.values().copied();
        subcommands.max().unwrap_or(self.does)
    }

    /// Returns the parameter with a command line or a program and its arguments.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        // Where agents name it differently, most of them use the whole word.
        self.commands().max_by_key(|name| *name == "command")
    }

    /// Returns all names of the parameter with a command line: agents have tools of the same name
    /// whose parameters differ.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.named(ParamRole::Command)
    }

    /// Returns the parameter with the directory in which a command starts.
    #[must_use]
    pub fn directory(&self) -> Option<&str> {
        self.param(ParamRole::Directory)
    }

    /// Returns all names of that parameter.
    pub fn directories(&self) -> impl Iterator<Item = &str> {
        self.named(ParamRole::Directory)
    }

    /// Returns the names of the parameters with paths that are relative to the agent's directory.
    pub fn located(&self) -> impl Iterator<Item = &str> {
        [ParamRole::Directory, ParamRole::Path, ParamRole::Glob]
            .into_iter()
            .flat_map(|role| self.named(role))
    }

    /// Returns whether a parameter with this value changes nothing about what the tool does.
    #[must_use]
    pub fn ignores(&self, name: &str, value: &Param<'_>) -> bool {
        use ParamRole::{Data, Flag, Guarded, Number, Text};
        match self.params.get(name) {
            Some(ParamKind::Value(role @ (Text | Data | Number | Flag | Guarded))) => {
                role.fits(value)
            }
            _ => false,
        }
    }

    /// Returns the parameter with a patch.
    #[must_use]
    pub fn patch(&self) -> Option<&str> {
        self.param(ParamRole::Patch)
    }

    /// Returns whether the agent itself applies a patch instead of executing this command.
    #[must_use]
    pub fn applies(&self, command: &Param<'_>) -> bool {
        self.applies_patches && rating::command_patch(command).is_some()
    }

    /// Returns the files of the patches that a call with these parameters applies, in order.
    #[must_use]
    pub fn patched(&self, params: &Param<'_>) -> Vec<String> {
        if self.applies_patches || self.patch().is_some() {
            rating::patched_files(&self.classify(params))
        } else {
            Vec::new()
        }
    }

    /// Returns whether the tool starts another agent.
    #[must_use]
    pub fn spawns(&self) -> bool {
        self.operation() == Operation::Spawn
    }

    /// Returns whether the data says only which parameters contain no paths.
    fn is_named(&self) -> bool {
        self.does == Operation::Named
    }

    /// Returns the parameters of a call without the texts that the data lists, if the call has all
    /// parameters that it must have.
    fn without_texts<'p>(&self, params: &Param<'p>) -> Param<'p> {
        let is_given = |name: &String| params.get(name).is_some_and(|value| !value.is_empty());
        match params {
            Param::Members(members) if self.requires.iter().all(is_given) => {
                without_texts(&self.params, members)
            }
            other => other.clone(),
        }
    }

    fn param(&self, role: ParamRole) -> Option<&str> {
        self.named(role).next()
    }

    fn named(&self, role: ParamRole) -> impl Iterator<Item = &str> {
        let params = self.params.iter();
        params
            .filter(move |(_, kind)| **kind == ParamKind::Value(role))
            .map(|(name, _)| name.as_str())
    }

    /// Merges two tools of the same name into the more restrictive one. Where both have the same
    /// operation, the result has the parameters of both. A parameter with two different roles is
    /// dropped, so that it is rated by its name and value.
    fn merge(self, other: Self) -> Self {
        let (mut one, other) = match self.operation().cmp(&other.operation()) {
            std::cmp::Ordering::Less => return other,
            std::cmp::Ordering::Greater => return self,
            std::cmp::Ordering::Equal => (self, other),
        };
        for (name, kind) in other.params {
            match one.params.get(&name) {
                Some(known) if *known != kind => {
                    one.params.remove(&name);
                }
                Some(_) => {}
                None => {
                    one.params.insert(name, kind);
                }
            }
        }
        one.applies_patches &= other.applies_patches;
        one.requires.retain(|name| other.requires.contains(name));
        for (name, does) in other.subcommands {
            let known = one.subcommands.entry(name).or_insert(does);
            *known = (*known).max(does);
        }
        one
    }

    /// Classifies the parameters of a call.
    fn classify<'p>(&self, params: &'p Param<'p>) -> ClassifiedCall<'p> {
        let mut classified = ClassifiedCall {
            operation: self.does,
            applies_patches: self.applies_patches,
            parts: Vec::new(),
            unlisted: Vec::new(),
            understood: true,
        };
        let mut given: Vec<&str> = Vec::new();
        let mut selected = None;
        for (name, value) in params.members().unwrap_or_default() {
            let of_call = matches!(&**name, "tool" | "tool_name") && value.as_str().is_some();
            if of_call || WRAPPERS.contains(&&**name) && value.is_empty() {
                continue;
            }
            // A value without a name is the tool's main argument.
            let listed = match &**name {
                "" => self.command().or_else(|| self.patch()).unwrap_or_default(),
                name => name,
            };
            let Some(kind) = self.params.get(listed) else {
                classified.unlisted.push(name);
                classified.understood = false;
                continue;
            };
            if value.is_empty() {
                continue;
            }
            given.push(listed);
            if *kind == ParamKind::Value(ParamRole::Subcommand) {
                let operation = value.as_str().and_then(|word| self.subcommands.get(word));
                // If the selector occurs twice, either may apply.
                selected = selected.max(operation.copied());
                classified.understood &= operation.is_some();
            } else {
                classified.understood &= collect_parts(kind, value, &mut classified.parts);
            }
        }
        classified.understood &= self
            .requires
            .iter()
            .all(|name| given.contains(&name.as_str()));
        classified.understood &= self.subcommands.is_empty() || selected.is_some();
        classified.operation = selected.unwrap_or(self.does);
        classified.understood &= classified.operation != Operation::Unknown;
        let fills = |(role, _): &(ParamRole, _)| {
            matches!(role, ParamRole::Content | ParamRole::New | ParamRole::Patch)
        };
        // No call of a reading tool contains new file content.
        classified.understood &=
            !(classified.operation.only_reads() && classified.parts.iter().any(fills));
        classified
    }
}

/// Returns the members of an object without the listed texts.
fn without_texts<'p>(
    listed: &BTreeMap<String, ParamKind>,
    members: &[(Cow<'p, str>, Param<'p>)],
) -> Param<'p> {
    let members = members.iter().filter_map(|(name, value)| {
        let value = match (listed.get(&**name), value) {
            (Some(ParamKind::Value(ParamRole::Text)), value) if is_plain(value) => return None,
            (Some(ParamKind::Objects(inner)), Param::Members(members)) => {
                without_texts(inner, members)
            }
            (Some(ParamKind::Objects(inner)), Param::List(list)) => {
                let each = list.iter().map(|one| match one {
                    Param::Members(members) => without_texts(inner, members),
                    other => other.clone(),
                });
                Param::List(each.collect())
            }
            (_, value) => value.clone(),
        };
        Some((name.clone(), value))
    });
    Param::Members(members.collect())
}

/// Top directories of this machine's disk. Sites and repositories hardly have these.
const TOPS: [&str; 20] = [
    "etc", "usr", "var", "home", "root", "tmp", "bin", "sbin", "opt", "boot", "dev", "proc", "sys",
    "lib", "run", "mnt", "Users", "Library", "private", "Volumes",
];

/// Returns whether a value is text that names nothing private, no place of this machine and no URL.
fn is_plain(value: &Param<'_>) -> bool {
    let is_plain = |value: &Param<'_>| {
        value.as_str().is_some_and(|text| {
            let text = text.trim();
            let outside = text.split('/').any(|name| name == "..");
            let remote = text.contains("://") || text.starts_with('~');
            let odd = text.contains('\0') || text.get(1..2) == Some(":");
            let top = text
                .strip_prefix('/')
                .and_then(|rest| rest.split('/').next());
            let local = top.is_some_and(|top| TOPS.contains(&top));
            !(outside || remote || odd || local || is_private(text, ""))
        })
    };
    match value {
        Param::List(list) => list.iter().all(is_plain),
        one => is_plain(one),
    }
}

/// Collects a value under its role. Returns false if it isn't of the type that the tool expects.
fn collect_parts<'p>(
    kind: &ParamKind,
    value: &'p Param<'p>,
    parts: &mut Vec<(ParamRole, &'p Param<'p>)>,
) -> bool {
    let members = match kind {
        ParamKind::Value(role) => {
            let fits = role.fits(value);
            if fits {
                parts.push((*role, value));
            }
            return fits;
        }
        ParamKind::Objects(members) => members,
    };
    let objects = match value {
        Param::List(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut fits = true;
    for object in objects {
        let Some(given) = object.members() else {
            return false;
        };
        for (name, value) in given {
            fits &= match members.get(&**name) {
                Some(_) if value.is_empty() => true,
                Some(kind) => collect_parts(kind, value, parts),
                None => false,
            };
        }
    }
    fits
}

impl ParamRole {
    /// Returns whether a value has the type of such parameters.
    fn fits(self, value: &Param<'_>) -> bool {
        let text = |value: &Param<'_>| matches!(value, Param::Text(_));
        let number = |value: &Param<'_>| match value {
            Param::Number { .. } => true,
            // Agents that write calls as XML write every value as text.
            Param::Text(text) => text.trim().parse::<f64>().is_ok(),
            _ => false,
        };
        let each = |fits: &dyn Fn(&Param<'_>) -> bool| match value {
            Param::List(list) => list.iter().all(fits),
            one => fits(one),
        };
        match self {
            Self::Data => true,
            Self::Patch | Self::Input => text(value),
            Self::Number => each(&number),
            Self::Text => each(&|value| {
                matches!(
                    value,
                    Param::Text(_) | Param::Flag(_) | Param::Number { .. }
                )
            }),
            Self::Flag => match value {
                Param::Flag(_) | Param::Number { .. } => true,
                Param::Text(text) => value.is_on() || text.eq_ignore_ascii_case("false"),
                _ => false,
            },
            Self::Guarded => match value {
                Param::Flag(on) => !on,
                Param::Text(text) => ["false", "use_default"].contains(&text.as_ref()),
                _ => false,
            },
            Self::Command
            | Self::Directory
            | Self::Path
            | Self::Glob
            | Self::Content
            | Self::Old
            | Self::New
            | Self::Url
            | Self::Pattern => each(&text),
            Self::Subcommand => false,
        }
    }
}

#[cfg(test)]
mod tests;
