//! Effects of tool calls that are no command lines: from the tool's name and from the
//! paths and URLs among its parameters, whatever those are called.

use super::Context;
use super::chars::holds;
use super::effect::{Analysis, Certainty, EffectKind, Risk, Span};
use super::engine::Engine;
use super::expand::Arg;
use super::line::PLACES;
use super::memo::Memo;
use super::param::{Param, WRAPPERS};
use super::tool_line::Around;
use super::tool_params::{Role, Topics, has_drive, opens_for_writing, role, topic, with_slashes};
use rustc_hash::FxHashMap;
use serde_json::Value;
use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::LazyLock;

/// What a tool does by its name, the most telling first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verb {
    Delete,
    Execute,
    /// Runs the project's own tests or build.
    Check,
    Move,
    Write,
    Network,
    Read,
    GitRead,
    GitWrite,
    #[default]
    Unknown,
}

/// Words of tools' names, and what they say of them.
const WORDS: [(Verb, &[&str]); 7] = [
    (
        Verb::Delete,
        &["delete", "remove", "unlink", "rm", "rmdir", "destroy", "drop", "purge", "erase", "truncate", "wipe", "clear"],
    ),
    (
        Verb::Execute,
        &[
            "exec",
            "execute",
            "run",
            "shell",
            "bash",
            "command",
            "cmd",
            "terminal",
            "eval",
            "script",
            "spawn",
            "process",
            "python",
            "powershell",
            "invoke",
            "kill",
        ],
    ),
    (Verb::Check, &["test", "tests", "build", "compile", "lint", "typecheck"]),
    (Verb::Move, &["move", "rename", "mv"]),
    (
        Verb::Write,
        &[
            "write", "create", "update", "edit", "append", "insert", "replace", "patch", "apply", "save", "put", "set", "mkdir",
            "modify", "touch", "add", "upsert", "store", "copy", "format",
        ],
    ),
    (
        Verb::Network,
        &[
            "github", "gitlab", "gitea", "fetch", "http", "https", "request", "download", "upload", "send", "post", "web",
            "browse", "browser", "navigate", "url", "curl", "email", "publish", "deploy", "notify", "slack",
        ],
    ),
    (
        Verb::Read,
        &[
            "read",
            "get",
            "list",
            "ls",
            "search",
            "find",
            "query",
            "view",
            "show",
            "cat",
            "grep",
            "glob",
            "stat",
            "pwd",
            "which",
            "env",
            "tree",
            "describe",
            "lookup",
            "inspect",
            "count",
            "open",
            "think",
            "wait",
            "sleep",
            "head",
            "tail",
            "diff",
            "outline",
            "symbols",
            "references",
            "definition",
            "reading",
            "info",
            "analyze",
        ],
    ),
];

/// What a word of a tool's name says of it.
fn meaning(word: &str) -> Option<Verb> {
    static MEANINGS: LazyLock<FxHashMap<&str, Verb>> =
        LazyLock::new(|| WORDS.iter().flat_map(|(verb, words)| words.iter().map(|word| (*word, *verb))).collect());
    MEANINGS.get(word).copied()
}

/// A name in any of the usual spellings as lower-case words with something between them.
pub(super) fn spelled(name: &str) -> Cow<'_, str> {
    let upper = if name.is_ascii() { name.bytes().any(|b| b.is_ascii_uppercase()) } else { name.chars().any(char::is_uppercase) };
    if !upper {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len() + 8);
    let (mut lower, mut upper) = (false, false);
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        // A word begins with a capital behind a small letter, or with the last of several capitals: `readPDFFile`.
        if c.is_uppercase() && (lower || upper && chars.peek().is_some_and(|next| next.is_lowercase())) {
            out.push('_');
        }
        (lower, upper) = (c.is_lowercase(), c.is_uppercase());
        out.extend(c.to_lowercase());
    }
    Cow::Owned(out)
}

pub(super) fn words(spelled: &str) -> impl Iterator<Item = &str> + Clone {
    spelled.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// What a tool does and what it is about, by its name.
pub(super) fn verb(name: &str) -> (Verb, Topics) {
    const READS: [&str; 8] = ["status", "log", "diff", "show", "blame", "branch", "list", "grep"];
    if !name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/' | ' ')) {
        // No runtime calls a tool that. Whatever its words seem to say is meant for the reader.
        return (Verb::Unknown, Topics::default());
    }
    let mut topics = Topics::default();
    // `mcp__SERVER__TOOL`: the tool tells; the server only if the tool doesn't.
    let end = name.as_bytes().windows(2).rposition(|pair| pair == b"__");
    let tool = end.and_then(|at| name.get(at + 2..)).unwrap_or(name);
    for part in [tool, name] {
        let spelled = spelled(part);
        let mut words = words(&spelled);
        words.clone().for_each(|word| topics.add(topic(word)));
        if words.clone().any(|word| word.starts_with("git") && meaning(word).is_none()) {
            return (if words.any(|word| READS.contains(&word)) { Verb::GitRead } else { Verb::GitWrite }, topics);
        }
        let said: Vec<(&str, Option<Verb>)> = words.map(|word| (word, meaning(word))).collect();
        // The first in order is the most telling, and the last tells whether there is more than running to it.
        let first = said.iter().filter_map(|(_, verb)| *verb).min();
        let last = said.iter().filter_map(|(_, verb)| *verb).max();
        match first.zip(last) {
            // `run_tests`: what is run is named.
            Some((Verb::Execute, Verb::Check)) => return (Verb::Check, topics_of_all(topics, name, tool)),
            // `view_and_transfer_money`: it does something besides, and nobody knows what.
            Some((Verb::Read, _)) if does_more(&said) => return (Verb::Unknown, topics_of_all(topics, name, tool)),
            Some((first, _)) => return (first, topics_of_all(topics, name, tool)),
            None => {}
        }
        if tool.len() == name.len() {
            break;
        }
    }
    (Verb::Unknown, topics)
}

/// Words that do something whose effects nobody here knows.
const DEEDS: [&str; 36] = [
    "accept",
    "activate",
    "approve",
    "assign",
    "authorize",
    "authorise",
    "buy",
    "cancel",
    "confirm",
    "deactivate",
    "disable",
    "disconnect",
    "enable",
    "exfiltrate",
    "inject",
    "install",
    "invite",
    "leak",
    "migrate",
    "pay",
    "provision",
    "reboot",
    "redeem",
    "reject",
    "restart",
    "revert",
    "revoke",
    "sell",
    "shutdown",
    "submit",
    "subscribe",
    "uninstall",
    "unlock",
    "wire",
    "withdraw",
    "zap",
];

/// The same, but also names of things: `get_transfer` only reads.
const DEEDS_OR_THINGS: [&str; 13] =
    ["burn", "charge", "grant", "merge", "mint", "purchase", "push", "refund", "reset", "restore", "swap", "transfer", "upgrade"];

/// Words that join two deeds.
const JOINTS: [&str; 6] = ["and", "or", "then", "plus", "also", "n"];

/// What a deed is about where its name is that of a thing: `get_transfer_status` only reads.
const ASPECTS: [&str; 40] = [
    "status",
    "state",
    "id",
    "ids",
    "info",
    "information",
    "details",
    "detail",
    "history",
    "list",
    "log",
    "logs",
    "name",
    "names",
    "type",
    "types",
    "count",
    "date",
    "time",
    "fee",
    "fees",
    "rate",
    "rates",
    "limit",
    "limits",
    "options",
    "request",
    "requests",
    "events",
    "page",
    "config",
    "settings",
    "order",
    "orders",
    "items",
    "points",
    "conflicts",
    "policy",
    "instructions",
    "window",
];

/// Things that a reading word may be about behind a joint, other than in the plural: `get_title_and_body`.
const THINGS: [&str; 24] = [
    "address", "all", "any", "body", "children", "column", "content", "data", "date", "email", "folder", "id", "item", "key",
    "line", "meta", "metadata", "name", "parent", "size", "text", "title", "type", "value",
];

/// Whether a tool that reads by one word of its name does something else by another.
fn does_more(said: &[(&str, Option<Verb>)]) -> bool {
    said.iter().enumerate().any(|(at, (word, verb))| {
        let behind = |n: usize| said.get(at + n).map(|(word, _)| *word);
        let ends = |at: Option<&str>| at.is_none_or(|next| JOINTS.contains(&next));
        if JOINTS.contains(word) {
            // Alone behind a joint stands a thing; what has an object of its own is a deed.
            let is_thing = |word: &str| word.ends_with('s') || THINGS.contains(&word) || topic(word).has(Topics::FILES);
            return match (behind(1), said.get(at + 1).and_then(|(_, verb)| *verb)) {
                (None, _) | (_, Some(_)) => false,
                (Some(next), None) if JOINTS.contains(&next) => false,
                (Some(next), None) => !(is_thing(next) && ends(behind(2))),
            };
        }
        let object = behind(1).filter(|next| !ASPECTS.contains(next));
        let deed = DEEDS.contains(word) && (object.is_some() || ends(behind(1)));
        let perhaps = DEEDS_OR_THINGS.contains(word) && object.is_some_and(|next| meaning(next) != Some(Verb::Read));
        verb.is_none() && (deed || perhaps)
    })
}

/// What the tool is about and its server as well.
fn topics_of_all(mut topics: Topics, name: &str, tool: &str) -> Topics {
    if tool.len() < name.len() {
        words(&spelled(name)).for_each(|word| topics.add(topic(word)));
    }
    topics
}

/// Parts of the names of parameters that hold paths.
const PATH_WORDS: [&str; 14] =
    ["path", "file", "dir", "folder", "cwd", "target", "source", "dest", "src", "dst", "root", "output", "input", "location"];

/// Names of parameters that hold a path and hardly ever another text.
const PATH_NAMES: [&str; 14] =
    ["path", "paths", "file", "files", "filename", "filepath", "dir", "directory", "folder", "cwd", "root", "src", "dst", "dest"];

/// What a parameter's name says of it.
#[derive(Debug, Clone, Copy)]
struct Key {
    role: Role,
    /// It holds a command line.
    command: bool,
    /// It holds a path.
    path: bool,
    /// It holds a path and nothing else.
    only_path: bool,
    /// It holds a path where the tool is one for files.
    file: bool,
    /// It may hold a patch.
    patch: bool,
}

impl Key {
    fn of(name: &str) -> Self {
        let within = |word: &str| name.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()));
        let spelled = spelled(name);
        let last = words(&spelled).last().unwrap_or_default();
        Self {
            role: role(name),
            command: command_like(name),
            path: PATH_WORDS.into_iter().any(within),
            only_path: PATH_NAMES.contains(&last),
            file: matches!(last, "" | "name" | "names" | "to" | "from" | "old" | "new"),
            patch: matches!(last, "patch" | "patches" | "diff" | "input" | "changes"),
        }
    }
}

thread_local! {
    static TOOLS: RefCell<Memo<(Verb, Topics)>> = RefCell::default();
    static KEYS: RefCell<Memo<Key>> = RefCell::default();
}

/// True if a text looks like a path, or stands where one is expected.
fn path_like(expected: bool, text: &str) -> bool {
    if text.is_empty() || text.len() > 4096 || holds(text, |byte| byte == b'\n') {
        return false;
    }
    expected
        || text.starts_with('/')
        || text.starts_with("~/")
        || has_drive(text)
        || text.contains('/') && !text.contains(' ') && !text.contains("://")
        || text.starts_with("./")
        || text.starts_with("../")
}

/// True if a parameter of this name holds a command line.
pub(super) fn command_like(key: &str) -> bool {
    ["command", "cmd", "shell", "script", "commandline", "command_line", "bash", "shell_command"]
        .into_iter()
        .any(|name| key.eq_ignore_ascii_case(name))
}

/// Effects of calling a tool with these parameters. Spans are empty: there is no line.
#[must_use]
pub fn effects_of_tool(name: &str, params: &Value, ctx: &Context<'_>) -> Analysis {
    effects_of_call(name, &Param::from(params), ctx)
}

/// As [`effects_of_tool`], with parameters that are borrowed from a record.
#[must_use]
pub fn effects_of_call(name: &str, params: &Param<'_>, ctx: &Context<'_>) -> Analysis {
    let mut e = Engine::new(ctx, 200_000);
    // Most calls have one step and one effect.
    (e.steps, e.effects) = (Vec::with_capacity(1), Vec::with_capacity(2));
    let (mut v, topics) = TOOLS.with_borrow_mut(|tools| tools.get(name, verb));
    let args: Vec<Arg> = Vec::new();
    e.step(name, &args, Span::default());
    let inputs = params.inputs();
    let params = &*inputs.values;
    if inputs.unreadable {
        e.emit_raw(
            EffectKind::Unknown,
            None,
            Certainty::Possible,
            Span::default(),
            Risk::High,
            "parameters in a text that can't be read as JSON",
        );
    }
    let mut found = Found { verb: v, topics, ..Found::default() };
    found.read(&mut e, params);
    let Found { verb, paths, outputs, seen_command, .. } = found;
    v = verb;
    for p in &outputs {
        // Where a copy or a move leads is a path like the others; a reader that is told where writes.
        e.path_write(&**p);
    }
    let brings = topics.has(Topics::DOWNLOAD);
    for p in &paths {
        match v {
            Verb::Network if brings => e.path_write(&**p),
            Verb::Read | Verb::GitRead | Verb::Network => e.path_read(&**p),
            Verb::Write | Verb::GitWrite => e.path_write(&**p),
            Verb::Delete => {
                let recursive = flag(params, "recursive") || p.ends_with('/');
                e.path_delete(&**p, recursive);
            }
            Verb::Move => {
                e.path_move(&**p);
                e.path_write(&**p);
            }
            Verb::Execute | Verb::Check | Verb::Unknown => e.path_read(&**p),
        }
    }
    let none = Span::default();
    match v {
        Verb::Read => {
            if topics.handles_secrets() {
                e.tool_secret(name, "the tool's name says that it reads secrets");
            } else if paths.is_empty() {
                e.emit_raw(EffectKind::Read, None, Certainty::Possible, none, Risk::Low, "the tool's name says that it reads");
            }
        }
        Verb::Write | Verb::Move if paths.is_empty() => {
            e.emit_raw(EffectKind::Write, None, Certainty::Possible, none, Risk::Medium, "the tool's name says that it writes");
        }
        Verb::Delete if paths.is_empty() => {
            e.emit_raw(EffectKind::Delete, None, Certainty::Possible, none, Risk::High, "the tool's name says that it deletes");
        }
        Verb::Write | Verb::Move | Verb::Delete => {}
        Verb::Execute if !seen_command => {
            e.emit_raw(
                EffectKind::Dynamic,
                None,
                Certainty::Possible,
                none,
                Risk::High,
                "the tool runs something that isn't named",
            );
        }
        Verb::Check if !seen_command => {
            e.emit_raw(
                EffectKind::Execute,
                None,
                Certainty::Certain,
                none,
                Risk::Medium,
                "the tool's name says that it runs the project's own tests or build",
            );
        }
        Verb::Execute | Verb::Check => {}
        Verb::Network => {
            e.emit_raw(
                EffectKind::Network,
                None,
                Certainty::Possible,
                none,
                Risk::Medium,
                "the tool's name says that it uses the network",
            );
        }
        Verb::GitRead => e.emit(EffectKind::GitRead, None, none, "the tool's name says that it reads the repository"),
        Verb::GitWrite => {
            let rewrites = words(&spelled(name)).any(|word| matches!(word, "reset" | "rebase" | "force" | "clean"))
                || flag(params, "force")
                || flag(params, "hard");
            let kind = if rewrites { EffectKind::GitRewrite } else { EffectKind::GitWrite };
            e.emit(kind, None, none, "the tool's name says that it changes the repository");
        }
        Verb::Unknown => {
            e.emit_raw(
                EffectKind::Unknown,
                Some(name.to_owned()),
                Certainty::Possible,
                none,
                Risk::High,
                "a tool whose name says nothing",
            );
        }
    }
    if !reads(v) && topics.handles_secrets() {
        e.tool_secret(name, "the tool's name says that it handles secrets");
    }
    if matches!(v, Verb::GitRead | Verb::GitWrite) {
        let spelled = spelled(name);
        let all: Vec<&str> = words(&spelled).collect();
        if let Some(at) = all.iter().rposition(|word| *word == "git") {
            e.tool_git(all.get(at + 1..).unwrap_or_default(), params);
        }
    }
    e.finish()
}

/// What parameters say.
#[derive(Default)]
pub(super) struct Found<'p> {
    /// What the tool does; parameters can make it more.
    pub(super) verb: Verb,
    pub(super) topics: Topics,
    pub(super) paths: Vec<Cow<'p, str>>,
    /// Where something is written, whatever the tool does.
    pub(super) outputs: Vec<Cow<'p, str>>,
    pub(super) seen_command: bool,
    /// Its paths are held against nobody: an answer says where it has it from.
    cites: bool,
}

impl<'p> Found<'p> {
    /// Reads parameters; effects of commands and addresses among them are added at once.
    pub(super) fn read(&mut self, e: &mut Engine<'_>, params: &'p Param<'_>) {
        // A stack instead of recursion: parameters may be nested as deep as they like.
        // Each with the members around it.
        let mut stack: Vec<(&'p str, &'p Param<'_>, Around<'p>)> = Vec::with_capacity(8);
        stack.push(("", params, &[]));
        let mut visited = 0usize;
        while let Some((key, value, around)) = stack.pop() {
            visited += 1;
            if visited > 10_000 {
                e.emit_raw(
                    EffectKind::Unknown,
                    None,
                    Certainty::Possible,
                    Span::default(),
                    Risk::High,
                    "too many parameters to look at",
                );
                break;
            }
            match value {
                Param::Members(m) => {
                    visited += m.len();
                    let files = Self::names_files(key);
                    stack.extend(m.iter().rev().map(|(k, v)| {
                        // What stands under the name of a file is what the file holds.
                        (if self.is_file_name(e, k, files) { "content" } else { &**k }, v, m.as_slice())
                    }));
                }
                Param::List(l) => {
                    let all: Option<Vec<&str>> = l.iter().map(Param::as_str).collect();
                    match all {
                        Some(list) if (command_like(key) || key.is_empty() && self.runs()) && !list.is_empty() => {
                            self.seen_command = true;
                            e.tool_words(&list, around);
                        }
                        _ => stack.extend(l.iter().rev().map(|v| (key, v, around))),
                    }
                }
                Param::Text(s) => self.text(e, key, s, value, around),
                Param::Flag(_) | Param::Number { .. } if reads(self.verb) && value.is_on() => e.tool_switch(key),
                Param::Flag(_) | Param::Number { .. } | Param::Nothing => {}
            }
        }
    }

    /// Whether what has no name of its own is what runs.
    fn runs(&self) -> bool {
        matches!(self.verb, Verb::Execute | Verb::Check)
    }

    fn text(&mut self, e: &mut Engine<'_>, key: &str, s: &'p str, value: &Param<'_>, around: Around<'_>) {
        let text = clean(s);
        let said = KEYS.with_borrow_mut(|keys| keys.get(key, Key::of));
        let bare = key.is_empty();
        let role = if bare && self.topics.has(Topics::QUERY) { Role::Query } else { said.role };
        match role {
            Role::Sql | Role::Query | Role::Mutation => e.tool_query(role, self.topics, &text),
            Role::Glob => return e.tool_glob(&text, self.topics.has(Topics::NAMES)),
            Role::Mode if self.verb == Verb::Read && opens_for_writing(&text) => self.verb = Verb::Write,
            Role::Name => e.tool_name(&text),
            _ if reads(self.verb) && value.is_on() => e.tool_switch(key),
            _ => {}
        }
        if (said.command || bare && self.runs()) && !text.is_empty() {
            self.seen_command = true;
            // What has no name has nothing beside it either.
            e.tool_line(s, if bare { &[] } else { around });
        } else if (said.patch || bare) && !reads(self.verb) && e.tool_patch(s) {
            // It is read as what it is.
        } else if let Some((scheme, rest)) = url(&text) {
            if scheme.eq_ignore_ascii_case("file") {
                match file_url(rest) {
                    Some(path) => self.paths.push(Cow::Owned(path)),
                    None => e.tool_no_path(),
                }
            } else if !self.cites {
                e.network(&Arg::literal(text, Span::default()));
            }
        } else if role == Role::Output || role == Role::OutputOrFormat && text.contains(['/', '.', '~', '\\']) {
            self.outputs.push(with_slashes(text));
        } else {
            let trimmed = match text {
                Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
                Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
            };
            let files = self.topics.has(Topics::FILES);
            if path_like(said.path || bare || said.file && files, &trimmed) {
                if holds(s, |byte| byte == 0) {
                    e.tool_no_path();
                }
                self.paths.push(with_slashes(trimmed));
            } else if (said.only_path || bare && files) && !trimmed.is_empty() {
                e.tool_no_path();
            }
        }
    }

    /// Whether the members under this key may be files by their names, whatever those look like.
    fn names_files(key: &str) -> bool {
        let plural = ["files", "paths", "documents", "contents", "blobs", "sources", "modules", "changes", "edits", "writes"];
        let spelled = spelled(key);
        words(&spelled).last().is_some_and(|last| plural.contains(&last))
    }

    /// Whether the name of a member is that of a file, or of an address; then it is taken in.
    fn is_file_name(&mut self, e: &mut Engine<'_>, name: &'p str, files: bool) -> bool {
        const OF_ONE: [&str; 32] = [
            "path",
            "file",
            "filename",
            "filepath",
            "name",
            "content",
            "contents",
            "text",
            "data",
            "encoding",
            "mode",
            "type",
            "start",
            "end",
            "from",
            "to",
            "old",
            "new",
            "url",
            "uri",
            "id",
            "language",
            "description",
            "string",
            "search",
            "replace",
            "find",
            "insert",
            "line",
            "lines",
            "operation",
            "action",
        ];
        if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            // A plain word is a file's name only where names of files are expected, and nothing that is said of one file.
            let is_name = files && !name.is_empty() && !words(&spelled(name)).any(|word| OF_ONE.contains(&word));
            if is_name {
                self.paths.push(Cow::Borrowed(name));
            }
            return is_name;
        }
        if let Some((scheme, _)) = url(name) {
            if !scheme.eq_ignore_ascii_case("file") && !self.cites {
                e.network(&Arg::literal(clean(name), Span::default()));
            }
            return true;
        }
        let dotted = || {
            let hidden = name.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
            let extension = |(stem, end): (&str, &str)| !stem.is_empty() && matches!(end.len(), 1..=5);
            hidden || self.topics.has(Topics::FILES) && name.rsplit_once('.').is_some_and(extension)
        };
        let backslash = name.contains('\\') && !name.contains(' ');
        let is_name = path_like(files, name) || backslash || !name.contains(' ') && dotted();
        if is_name {
            self.paths.push(with_slashes(clean(name)));
        }
        is_name
    }
}

/// Members that an answer's text stands in.
pub const ANSWER: [&str; 2] = ["content", "text"];
/// Members that a diff stands in.
pub const DIFF: [&str; 2] = ["diff", "content"];

/// Effects of an `answer`: none of its text, but whatever stands beside that is read as the parameters of a call.
#[must_use]
pub fn effects_of_answer(payload: &Param<'_>, ctx: &Context<'_>) -> Analysis {
    /// Members that say what kind of text it is.
    const KINDS: [&str; 10] =
        ["confidence", "done", "final", "format", "lang", "language", "metadata", "mime_type", "role", "type"];
    /// Members that say where it has it from.
    const CITES: [&str; 6] = ["citations", "sources", "references", "links", "related", "urls"];
    let mut rest: Vec<(Cow<'_, str>, Param<'_>)> = Vec::new();
    let mut cited: Vec<(Cow<'_, str>, Param<'_>)> = Vec::new();
    let mut objects: Vec<&Param<'_>> = vec![payload];
    // An answer may be made of parts, each a text of its own.
    if let Param::List(parts) = payload {
        objects = parts.iter().collect();
    }
    for name in ANSWER {
        match payload.get(name) {
            Some(Param::List(parts)) => objects.extend(parts),
            Some(one @ Param::Members(_)) => objects.push(one),
            _ => {}
        }
    }
    for (name, value) in objects.into_iter().filter_map(Param::members).flatten() {
        let text = ANSWER.contains(&&**name) && matches!(value, Param::Text(_));
        let part = ANSWER.contains(&&**name) && std::ptr::eq(payload.get(name).unwrap_or(&Param::Nothing), value);
        if value.is_empty() || text || part || KINDS.contains(&&**name) || super::line::HARMLESS.contains(&&**name) {
            continue;
        }
        let list = if CITES.contains(&&**name) { &mut cited } else { &mut rest };
        list.push((Cow::Borrowed(name), value.clone()));
    }
    let mut analysis = if rest.is_empty() { Analysis::default() } else { effects_beside(&Param::Members(rest), ctx) };
    if !cited.is_empty() {
        let mut e = Engine::new(ctx, 200_000);
        let cited = Param::Members(cited);
        let mut found = Found { verb: Verb::Read, cites: true, ..Found::default() };
        found.read(&mut e, &cited);
        found.paths.iter().for_each(|path| e.path_read(&**path));
        analysis.join(e.finish());
    }
    analysis
}

/// Effects of what stands beside the diff of a `code_diff`, read as the parameters of a call.
#[must_use]
pub fn effects_beside_diff(payload: &Param<'_>, ctx: &Context<'_>) -> Analysis {
    let beside = |(name, value): &&(Cow<'_, str>, Param<'_>)| {
        let text = DIFF.contains(&&**name) && matches!(value, Param::Text(_));
        let here = PLACES.contains(&&**name) && value.as_str().is_some_and(|place| matches!(place, "." | "./"));
        !(value.is_empty() || text || here || super::line::HARMLESS.contains(&&**name))
    };
    let rest: Vec<_> = payload.members().unwrap_or_default().iter().filter(beside).cloned().collect();
    if rest.is_empty() { Analysis::default() } else { effects_beside(&Param::Members(rest), ctx) }
}

/// Effects of members that stand where no parameters belong.
fn effects_beside(rest: &Param<'_>, ctx: &Context<'_>) -> Analysis {
    if let Some(tool) = rest.tool() {
        return effects_of_call(tool, rest, ctx);
    }
    let mut e = Engine::new(ctx, 200_000);
    let mut unknown = |why| e.emit_raw(EffectKind::Unknown, None, Certainty::Possible, Span::default(), Risk::High, why);
    let names = rest.members().unwrap_or_default();
    if names.iter().any(|(name, _)| WRAPPERS.contains(&&**name) || matches!(&**name, "tool" | "tool_name")) {
        unknown("parameters of a tool that isn't named");
    }
    if names.iter().any(|(name, _)| PLACES.contains(&&**name)) {
        unknown("it says that it is applied somewhere else");
    }
    let inputs = rest.inputs();
    let mut found = Found { verb: Verb::Write, ..Found::default() };
    found.read(&mut e, &inputs.values);
    // Nothing says what is done to them.
    found.paths.iter().chain(&found.outputs).for_each(|path| e.path_write(&**path));
    e.finish()
}

/// True for tools whose names say that they change nothing.
fn reads(v: Verb) -> bool {
    matches!(v, Verb::Read | Verb::GitRead)
}

/// Scheme and rest of a text that begins like a URL.
fn url(text: &str) -> Option<(&str, &str)> {
    const LONGEST: usize = 12;
    let end = text.as_bytes().windows(3).take(LONGEST).position(|part| part == b"://")?;
    Some((text.get(..end)?, text.get(end + 3..)?))
}

/// The text without the characters that stand for holes in expanded words.
pub(super) fn clean(s: &str) -> Cow<'_, str> {
    if holds(s, |b| b <= 3) {
        Cow::Owned(s.chars().map(|c| if c <= '\u{3}' { '\u{1a}' } else { c }).collect())
    } else {
        Cow::Borrowed(s)
    }
}

/// The path of a `file:` URL, by what stands behind its slashes; none for what is no path on this machine.
fn file_url(rest: &str) -> Option<String> {
    let path = rest.find('/').filter(|at| matches!(rest.get(..*at), Some("" | "localhost"))).and_then(|at| rest.get(at..))?;
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.bytes();
    while let Some(byte) = left.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(left.next())?, digit(left.next())?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    let text = String::from_utf8(bytes).ok()?;
    (!text.contains(['\0', '\n'])).then(|| clean(&text).into_owned())
}

fn flag(params: &Param<'_>, key: &str) -> bool {
    params.get(key).is_some_and(Param::is_on)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::risk_of_call as risk;
    use serde_json::json;

    #[test]
    fn names_and_parameters() {
        assert_eq!(risk("read_file", json!({"path": "README.md"})), Risk::Low);
        assert_eq!(risk("mcp__fs__readFile", json!({"anything": "./src/a.rs"})), Risk::Low);
        assert_eq!(risk("read_file", json!({"path": "/home/dev/.ssh/id_rsa"})), Risk::High);
        assert_eq!(risk("write_file", json!({"p": "./a.txt", "content": "rm -rf /"})), Risk::Medium);
        assert_eq!(risk("write_file", json!({"where": "/etc/hosts"})), Risk::High);
        assert_eq!(risk("delete_file", json!({"path": "a.txt"})), Risk::Medium);
        assert_eq!(risk("delete_directory", json!({"path": "src", "recursive": true})), Risk::High);
        assert_eq!(risk("bash_execute", json!({"command": "ls src"})), Risk::Low);
        assert_eq!(risk("bash_execute", json!({"command": "rm -rf src"})), Risk::High);
        assert_eq!(risk("run", json!({"command": ["rm", "-rf", "src"]})), Risk::High);
        assert_eq!(risk("fetch", json!({"url": "https://example.org"})), Risk::Medium);
        assert_eq!(risk("git_status", json!({})), Risk::Low);
        assert_eq!(risk("git_commit", json!({"message": "x"})), Risk::Medium);
        assert_eq!(risk("frobnicate", json!({})), Risk::High);
        assert_eq!(risk("run_tests", json!({"suite": "all"})), Risk::Medium);
        assert_eq!(risk("runTests", json!({"command": "rm -rf src"})), Risk::High);
        assert_eq!(risk("run_script", json!({"name": "test"})), Risk::High);
        assert_eq!(risk("delete_test", json!({})), Risk::High);
        assert_eq!(risk("github_get_issue", json!({"number": 1})), Risk::Medium);
        assert_eq!(risk("\u{1b}[2Jread", json!({})), Risk::High);
    }
}
