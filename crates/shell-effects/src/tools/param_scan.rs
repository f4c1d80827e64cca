//! Finds the paths, URLs, command lines and patches in the parameters of a call, whatever their
//! names and nesting.

use super::param::Param;
use super::tool::{clean, command_like, reads};
use super::tool_line::Siblings;
use super::tool_name::{Verb, normalise_name, words};
use super::tool_params::{Role, Topics, has_drive, opens_for_writing, role, with_slashes};
use super::{tool_line, tool_params};
use crate::chars::any_byte;
use crate::effect::Span;
use crate::interpreter::engine::Engine;
use crate::interpreter::expand::Arg;
use crate::memo::Memo;
use crate::paths::private::is_private;
use std::borrow::Cow;
use std::cell::RefCell;

/// Parts of names of parameters with paths.
const PATH_WORDS: [&str; 14] = [
    "path", "file", "dir", "folder", "cwd", "target", "source", "dest", "src", "dst", "root",
    "output", "input", "location",
];

/// Names of parameters with a path and hardly ever another text.
const PATH_NAMES: [&str; 14] = [
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filepath",
    "dir",
    "directory",
    "folder",
    "cwd",
    "root",
    "src",
    "dst",
    "dest",
];

/// Names of parameters with new file content and no other text.
const CONTENT_NAMES: [&str; 12] = [
    "newstring",
    "newstr",
    "newtext",
    "newcontent",
    "newcontents",
    "oldstring",
    "oldstr",
    "filetext",
    "filecontent",
    "filecontents",
    "inserttext",
    "replacement",
];

/// The meaning of a parameter's name.
#[derive(Debug, Clone, Copy)]
struct NameHints {
    role: Role,
    /// Contains a command line.
    command: bool,
    /// Contains a path.
    path: bool,
    /// Contains a path and nothing else.
    only_path: bool,
    /// Contains a path if the tool is about files.
    file: bool,
    /// Contains an id.
    id: bool,
    /// May contain a patch.
    patch: bool,
    /// Contains new file content.
    replaces: bool,
    /// May contain a command line that runs later.
    hook: Option<Hook>,
}

impl NameHints {
    fn from_name(name: &str) -> Self {
        let within = |word: &str| {
            name.as_bytes()
                .windows(word.len())
                .any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
        };
        let normalised = normalise_name(name);
        let last = words(&normalised).last().unwrap_or_default();
        Self {
            role: role(name),
            command: command_like(name),
            path: PATH_WORDS.into_iter().any(within),
            only_path: PATH_NAMES.contains(&last),
            file: matches!(last, "" | "name" | "names" | "to" | "from" | "old" | "new"),
            id: last == "id",
            patch: matches!(last, "patch" | "patches" | "diff" | "input" | "changes"),
            replaces: CONTENT_NAMES.contains(&&*name.replace(['_', '-'], "").to_ascii_lowercase()),
            hook: Hook::from_words(&words(&normalised).collect::<Vec<_>>())
                .filter(|_| !command_like(name)),
        }
    }
}

/// How surely a parameter contains a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hook {
    /// `run`, `exec`, `test_command`: any text with arguments is a command line.
    Command,
    /// `then`, `on_error`, `steps`: only a known program with effects is.
    Step,
    /// `code`: code of any language, or an error code.
    Code,
}

impl Hook {
    fn from_words(words: &[&str]) -> Option<Self> {
        let (first, last) = (words.first()?, words.last()?);
        match *last {
            "run" | "runs" | "exec" | "execute" | "hook" | "hooks" | "pager" | "commands"
            | "command" | "cmd" | "cmds" | "script" | "scripts" | "shell" => Some(Self::Command),
            "then" | "step" | "steps" | "after" | "before" | "callback" | "finally" => {
                Some(Self::Step)
            }
            "code" if words.len() == 1 => Some(Self::Code),
            _ if matches!(*first, "on" | "pre" | "post") && words.len() > 1 => Some(Self::Step),
            _ => None,
        }
    }
}

fn is_environment(key: &str) -> bool {
    matches!(
        key,
        "env" | "envs" | "environment" | "env_vars" | "environment_variables"
    )
}

thread_local! {
    static NAME_HINTS: RefCell<Memo<NameHints>> = RefCell::default();
}

/// Returns whether a text looks like a path, or is any text where a path is expected.
fn path_like(expected: bool, text: &str) -> bool {
    const LONGEST: usize = 64 << 10;
    if text.is_empty() || text.len() > LONGEST {
        return false;
    }
    if !expected && (text.len() > 4096 || any_byte(text, |byte| byte == b'\n')) {
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

/// Returns whether an id with a leading slash is no path: the `/vercel/next.js` of a library. No
/// system has its files below such a directory.
fn is_library(id: &str) -> bool {
    const ROOTS: [&str; 38] = [
        "app",
        "apps",
        "bin",
        "boot",
        "builds",
        "code",
        "data",
        "dev",
        "etc",
        "github",
        "home",
        "lib",
        "lib32",
        "lib64",
        "library",
        "media",
        "mnt",
        "nix",
        "opt",
        "private",
        "proc",
        "project",
        "projects",
        "repo",
        "root",
        "run",
        "sbin",
        "snap",
        "src",
        "srv",
        "sys",
        "system",
        "tmp",
        "users",
        "usr",
        "var",
        "volumes",
        "workspace",
    ];
    let mut names = id.split('/');
    let plain = |name: &str| {
        let known = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
        !name.is_empty() && !name.starts_with('.') && name.bytes().all(known)
    };
    let leads = names.next() == Some("");
    let first = names.next().unwrap_or_default();
    let is_root = ROOTS.iter().any(|root| root.eq_ignore_ascii_case(first));
    let rest: Vec<&str> = names.collect();
    leads
        && plain(first)
        && !is_root
        && matches!(rest.len(), 1 | 2)
        && rest.iter().all(|name| plain(name))
        && !is_private(id, "")
}

/// Returns scheme and rest of a text that begins like a URL.
pub(super) fn url(text: &str) -> Option<(&str, &str)> {
    const LONGEST: usize = 12;
    let end = text
        .as_bytes()
        .windows(3)
        .take(LONGEST)
        .position(|part| part == b"://")?;
    Some((text.get(..end)?, text.get(end + 3..)?))
}

/// Returns the path of a `file:` URL, given the part after the scheme. `None` if it isn't a path on
/// this machine.
pub(super) fn file_url(rest: &str) -> Option<String> {
    let path = rest
        .find('/')
        .filter(|at| matches!(rest.get(..*at), Some("" | "localhost")))
        .and_then(|at| rest.get(at..))?;
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

/// The content of a call's parameters.
#[derive(Default)]
pub(super) struct ParamScan<'p> {
    pub(super) tool: &'p str,
    /// The tool's operation; parameters can make it more restrictive.
    pub(super) verb: Verb,
    pub(super) topics: Topics,
    pub(super) paths: Vec<Cow<'p, str>>,
    /// Paths that are written, whatever the tool does.
    pub(super) outputs: Vec<Cow<'p, str>>,
    pub(super) seen_command: bool,
    /// Whether URLs are only cited as sources, so that they add no effect.
    pub(super) cites: bool,
}

impl<'p> ParamScan<'p> {
    /// Reads parameters. Effects of commands and URLs among them are added at once.
    pub(super) fn read(&mut self, e: &mut Engine<'_>, params: &'p Param<'_>) {
        // A stack instead of recursion, because hostile parameters may be nested deeply. Each value
        // comes with the members around it.
        let mut stack: Vec<(&'p str, &'p Param<'_>, Siblings<'p>)> = Vec::with_capacity(8);
        stack.push(("", params, &[]));
        let mut visited = 0usize;
        while let Some((key, value, siblings)) = stack.pop() {
            visited += 1;
            if visited > 10_000 {
                e.emit_unknown(None, Span::default(), "too many parameters to analyse");
                break;
            }
            if reads(self.verb) && self.fills_a_file(key, value, siblings) {
                self.verb = Verb::Write;
            }
            match value {
                Param::Members(m) => {
                    visited += m.len();
                    let files = Self::names_files(key);
                    if is_environment(key) && !siblings.iter().any(|(name, _)| command_like(name)) {
                        for (name, value) in m {
                            let value = value.as_str().unwrap_or_default();
                            e.env_effect(&clean(name), &clean(value), Span::default());
                        }
                    }
                    if reads(self.verb) && m.iter().any(|(k, v)| self.is_filled(e, k, v, files)) {
                        self.verb = Verb::Write;
                    }
                    stack.extend(m.iter().rev().map(|(k, v)| {
                        // The value of a member named like a file is the file's content.
                        (
                            if self.is_file_name(e, k, files) {
                                "content"
                            } else {
                                &**k
                            },
                            v,
                            m.as_slice(),
                        )
                    }));
                }
                Param::List(l) => {
                    let all: Option<Vec<&str>> = l.iter().map(Param::as_str).collect();
                    match all {
                        Some(list)
                            if (command_like(key) || key.is_empty() && self.runs())
                                && !list.is_empty() =>
                        {
                            self.seen_command = true;
                            tool_line::tool_words(e, &list, siblings);
                        }
                        Some(list)
                            if list.len() > 1
                                && NAME_HINTS
                                    .with_borrow_mut(|keys| keys.get(key, NameHints::from_name))
                                    .hook
                                    == Some(Hook::Command) =>
                        {
                            // Either one program with its arguments, or several command lines.
                            tool_line::tool_hook(e, &list.join(" "), Hook::Step);
                            stack.extend(l.iter().rev().map(|v| (key, v, siblings)));
                        }
                        _ => stack.extend(l.iter().rev().map(|v| (key, v, siblings))),
                    }
                }
                Param::Text(s) => self.text(e, key, s, value, siblings),
                Param::Flag(_) | Param::Number { .. } if reads(self.verb) && value.is_on() => {
                    tool_params::tool_switch(e, key);
                }
                Param::Flag(_) | Param::Number { .. } | Param::Nothing => {}
            }
        }
    }

    /// Returns whether a value without a name is the command to run.
    fn runs(&self) -> bool {
        matches!(self.verb, Verb::Execute | Verb::Check)
    }

    fn text(
        &mut self,
        e: &mut Engine<'_>,
        key: &str,
        s: &'p str,
        value: &Param<'_>,
        siblings: Siblings<'_>,
    ) {
        let text = clean(s);
        let hints = NAME_HINTS.with_borrow_mut(|keys| keys.get(key, NameHints::from_name));
        let bare = key.is_empty();
        let role = if bare && self.topics.has(Topics::QUERY) {
            Role::Query
        } else {
            hints.role
        };
        match role {
            Role::Sql | Role::Query | Role::Mutation => {
                tool_params::tool_query(e, role, self.topics, &text);
            }
            Role::Glob => return tool_params::tool_glob(e, &text, self.topics.has(Topics::NAMES)),
            Role::Mode if self.verb == Verb::Read && opens_for_writing(&text) => {
                self.verb = Verb::Write;
            }
            Role::Name => tool_params::tool_name(e, &text),
            _ if reads(self.verb) && value.is_on() => tool_params::tool_switch(e, key),
            _ => {}
        }
        if let Some(hook) = hints.hook {
            tool_line::tool_hook(e, s, hook);
        }
        if (hints.command || bare && self.runs()) && !text.is_empty() {
            self.seen_command = true;
            // A value without a name has no other members either.
            tool_line::tool_line(e, s, if bare { &[] } else { siblings });
        } else if self.may_apply(hints, bare) && tool_line::tool_patch(e, s) {
            // Rated as a patch only.
        } else if let Some((scheme, rest)) = url(&text) {
            if scheme.eq_ignore_ascii_case("file") {
                match file_url(rest) {
                    Some(path) => self.paths.push(Cow::Owned(path)),
                    None => tool_params::tool_no_path(e),
                }
            } else if !self.cites {
                e.network(&Arg::literal(text, Span::default()));
            }
        } else if role == Role::Output
            || role == Role::OutputOrFormat && text.contains(['/', '.', '~', '\\'])
        {
            self.outputs.push(with_slashes(text));
        } else {
            let trimmed = match text {
                Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
                Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
            };
            let files = self.topics.has(Topics::FILES);
            if hints.id && is_library(&trimmed) {
                return;
            }
            if path_like(hints.path || bare || hints.file && files, &trimmed) {
                if any_byte(s, |byte| byte == 0) {
                    tool_params::tool_no_path(e);
                }
                self.paths.push(with_slashes(trimmed));
            } else if (hints.only_path || bare && files) && !trimmed.is_empty() {
                tool_params::tool_no_path(e);
            }
        }
    }

    /// Returns whether the tool's name contains one of these words.
    fn is_about(&self, list: &[&str]) -> bool {
        words(&normalise_name(self.tool)).any(|word| list.contains(&word))
    }

    /// Returns whether the tool applies a patch under this key. For a reading tool, that is any
    /// patch unless the tool's name is about patches.
    fn may_apply(&self, hints: NameHints, bare: bool) -> bool {
        if reads(self.verb) {
            hints.patch
                && !self.is_about(&["diff", "diffs", "patch", "patches", "review", "changes"])
        } else {
            hints.patch || bare
        }
    }

    /// Returns whether a reading tool gets new file content, so that it actually writes. A search
    /// text may be called content as well.
    fn fills_a_file(&self, key: &str, value: &Param<'_>, siblings: Siblings<'_>) -> bool {
        let hints =
            |key: &str| NAME_HINTS.with_borrow_mut(|keys| keys.get(key, NameHints::from_name));
        let searches = || {
            self.is_about(&[
                "search", "find", "grep", "query", "lookup", "match", "list", "filter",
            ])
        };
        let placed = || siblings.iter().any(|(name, _)| hints(name).only_path);
        let content = matches!(key, "content" | "contents") && placed() && !searches();
        !value.is_empty()
            && matches!(value, Param::Text(_) | Param::Members(_) | Param::List(_))
            && (content || hints(key).replaces)
    }

    /// Returns whether a member is named like a file and its text may be the file's content. A
    /// range of lines isn't.
    fn is_filled(
        &mut self,
        e: &mut Engine<'_>,
        name: &'p str,
        value: &Param<'_>,
        files: bool,
    ) -> bool {
        let text = value
            .as_str()
            .is_some_and(|text| text.contains(|c: char| c.is_ascii_alphabetic()));
        let named = self.paths.len();
        let is_file = text && self.is_file_name(e, name, files);
        self.paths.truncate(named);
        is_file && url(name).is_none()
    }

    /// Returns whether the members under this key may be named after files, whatever the names look
    /// like.
    fn names_files(key: &str) -> bool {
        let plural = [
            "files",
            "paths",
            "documents",
            "contents",
            "blobs",
            "sources",
            "modules",
            "changes",
            "edits",
            "writes",
        ];
        let normalised = normalise_name(key);
        words(&normalised)
            .last()
            .is_some_and(|last| plural.contains(&last))
    }

    /// Returns whether a member is named like a file or a URL. If so, records the path or adds the
    /// URL's effect.
    fn is_file_name(&mut self, e: &mut Engine<'_>, name: &'p str, files: bool) -> bool {
        const FILE_PROPERTIES: [&str; 32] = [
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
        // Like a parameter's value, without surrounding white space.
        let (written, name) = (name, name.trim());
        if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            // A plain word is a file name only where file names are expected, and not if it is a
            // property of one file.
            let is_name = files
                && !name.is_empty()
                && !words(&normalise_name(name)).any(|word| FILE_PROPERTIES.contains(&word));
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
            let hidden = name
                .strip_prefix('.')
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
            let extension =
                |(stem, end): (&str, &str)| !stem.is_empty() && matches!(end.len(), 1..=5);
            hidden || self.topics.has(Topics::FILES) && name.rsplit_once('.').is_some_and(extension)
        };
        let backslash = name.contains('\\') && !name.contains(' ');
        let is_name = path_like(files, name) || backslash || !name.contains(' ') && dotted();
        if is_name {
            if any_byte(written, |byte| byte == 0) {
                tool_params::tool_no_path(e);
            }
            self.paths.push(with_slashes(clean(name)));
        }
        is_name
    }
}
