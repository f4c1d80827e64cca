//! The operation of a tool, by the words of its name.

use super::tool_params::{Topics, topic};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The operation of a tool, most decisive first.
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

/// Words of tools' names with the operation they suggest.
const WORDS: [(Verb, &[&str]); 7] = [
    (
        Verb::Delete,
        &[
            "delete", "remove", "unlink", "rm", "rmdir", "destroy", "drop", "purge", "erase",
            "truncate", "wipe", "clear",
        ],
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
    (
        Verb::Check,
        &["test", "tests", "build", "compile", "lint", "typecheck"],
    ),
    (Verb::Move, &["move", "rename", "mv"]),
    (
        Verb::Write,
        &[
            "write", "create", "update", "edit", "append", "insert", "replace", "patch", "apply",
            "save", "put", "set", "mkdir", "modify", "touch", "add", "upsert", "store", "copy",
            "format",
        ],
    ),
    (
        Verb::Network,
        &[
            "github", "gitlab", "gitea", "fetch", "http", "https", "request", "download", "upload",
            "send", "post", "web", "browse", "browser", "navigate", "url", "curl", "email",
            "publish", "deploy", "notify", "slack",
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

/// Returns the operation that a word of a tool's name suggests.
fn verb_of(word: &str) -> Option<Verb> {
    static VERBS: LazyLock<FxHashMap<&str, Verb>> = LazyLock::new(|| {
        WORDS
            .iter()
            .flat_map(|(verb, words)| words.iter().map(|word| (*word, *verb)))
            .collect()
    });
    VERBS.get(word).copied()
}

/// Converts a name in any common spelling to lower-case words with separators.
pub(super) fn normalise_name(name: &str) -> Cow<'_, str> {
    let upper = if name.is_ascii() {
        name.bytes().any(|b| b.is_ascii_uppercase())
    } else {
        name.chars().any(char::is_uppercase)
    };
    if !upper {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len() + 8);
    let (mut lower, mut upper) = (false, false);
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        // A word begins with a capital after a lower-case letter, or with the last of several
        // capitals: `readPDFFile`.
        if c.is_uppercase()
            && (lower || upper && chars.peek().is_some_and(|next| next.is_lowercase()))
        {
            out.push('_');
        }
        (lower, upper) = (c.is_lowercase(), c.is_uppercase());
        out.extend(c.to_lowercase());
    }
    Cow::Owned(out)
}

pub(super) fn words(normalised: &str) -> impl Iterator<Item = &str> + Clone {
    normalised
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// Returns whether a word in the name of a tool or program says that it finds or lists files. It
/// may do other things too.
#[must_use]
pub fn is_listing(name: &str) -> bool {
    const WORDS: [&str; 11] = [
        "list",
        "ls",
        "dir",
        "directory",
        "tree",
        "glob",
        "find",
        "search",
        "grep",
        "rg",
        "files",
    ];
    words(&normalise_name(name)).any(|word| WORDS.contains(&word))
}

/// Returns the operation and the topics of a tool, by its name.
pub(super) fn verb(name: &str) -> (Verb, Topics) {
    const READS: [&str; 8] = [
        "status", "log", "diff", "show", "blame", "branch", "list", "grep",
    ];
    if !name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/' | ' '))
    {
        // No runtime uses such a name; its words are meant to deceive the reader.
        return (Verb::Unknown, Topics::default());
    }
    if words(name).any(mixes_scripts) {
        // `dеlete` with a letter of another script: no word of the name can be trusted.
        return (Verb::Unknown, Topics::default());
    }
    let mut topics = Topics::default();
    // `mcp__SERVER__TOOL`: the tool's words decide; the server's only if those are unknown.
    let end = name.as_bytes().windows(2).rposition(|pair| pair == b"__");
    let tool = end.and_then(|at| name.get(at + 2..)).unwrap_or(name);
    let server = end.and_then(|at| name.get(..at)).unwrap_or_default();
    let masked = contains_action(server)
        || tool.len() < name.len()
            && words(&normalise_name(tool)).all(|w| VERBS_WITHOUT_OBJECT.contains(&w));
    for part in [tool, name] {
        let normalised = normalise_name(part);
        let words = words(&normalised);
        words.clone().for_each(|word| topics.add(topic(word)));
        if words
            .clone()
            .any(|word| word.starts_with("git") && verb_of(word).is_none())
        {
            let reads = words.clone().any(|word| READS.contains(&word)) && !writes_git(words);
            return (
                if reads && !masked {
                    Verb::GitRead
                } else {
                    Verb::GitWrite
                },
                topics,
            );
        }
        let tagged: Vec<(&str, Option<Verb>)> = words.map(|word| (word, verb_of(word))).collect();
        // The first in order is the most decisive. The last one shows whether the tool does more
        // than run something.
        let first = tagged.iter().filter_map(|(_, verb)| *verb).min();
        let last = tagged.iter().filter_map(|(_, verb)| *verb).max();
        match first.zip(last) {
            // `run_tests`: the name says what runs.
            Some((Verb::Execute, Verb::Check)) => {
                return (Verb::Check, topics_of_all(topics, name, tool));
            }
            // `view_and_transfer_money`: it has another, unknown operation besides.
            Some((Verb::Read, _)) if masked || has_second_action(&tagged) => {
                return (Verb::Unknown, topics_of_all(topics, name, tool));
            }
            Some((first, _)) => return (first, topics_of_all(topics, name, tool)),
            None => {}
        }
        if tool.len() == name.len() {
            break;
        }
    }
    (Verb::Unknown, topics)
}

/// Verbs with unknown effects.
#[rustfmt::skip]
const ACTION_VERBS: [&str; 168] = [
    "abort", "accept", "activate", "alter", "amend", "approve", "assign", "attach", "authorise",
    "authorize", "backdoor", "ban", "bind", "brick", "broadcast", "brute", "burn", "buy",
    "bypass", "cancel", "chgrp", "chmod", "chown", "clone", "compromise", "configure",
    "confirm", "connect", "corrupt", "crack", "deactivate", "deauthorize", "decommission",
    "decrypt", "deface", "demote", "deny", "destruct", "detach", "detonate", "disable",
    "disarm", "discard", "disconnect", "dismiss", "dispatch", "dispose", "eject", "elevate",
    "encrypt", "enforce", "enqueue", "enroll", "escalate", "evict", "exfiltrate", "expel",
    "expire", "exploit", "extort", "fake", "flash", "flush", "forge", "freeze", "give", "hack",
    "halt", "hijack", "impersonate", "infect", "inject", "install", "interrupt", "invite",
    "jailbreak", "keylog", "kick", "leak", "logout", "manipulate", "merge", "migrate", "mutate",
    "neutralize", "nuke", "obliterate", "overwrite", "pay", "phish", "poison", "poke",
    "promote", "provision", "push", "pwn", "ransom", "rebase", "reboot", "rebuild", "recreate",
    "redeem", "refactor", "regenerate", "reject", "reload", "remount", "reopen", "rescind",
    "reset", "resize", "respawn", "restart", "restore", "retire", "retract", "revert", "revoke",
    "rewrite", "rid", "rob", "rollback", "rotate", "sabotage", "scrub", "seize", "sell",
    "shred", "shut", "shutdown", "sign", "siphon", "smash", "sniff", "spam", "spoof", "spy",
    "steal", "su", "submit", "subscribe", "sudo", "suspend", "takeover", "tamper", "terminate",
    "transmit", "tunnel", "tweak", "unban", "unblock", "undelete", "undeploy", "undo",
    "unfreeze", "uninstall", "unlock", "unmount", "unpublish", "unset", "unsubscribe", "usurp",
    "void", "wire", "withdraw", "wreck", "yank", "zap",
];

/// Verbs with unknown effects that also name things: `get_transfer` only reads.
#[rustfmt::skip]
const VERBS_OR_NOUNS: [&str; 23] = [
    "attack", "charge", "close", "deposit", "dump", "fork", "grant", "launch", "mint", "mount",
    "purchase", "refund", "stake", "start", "stop", "strip", "swap", "sync", "toggle",
    "transfer", "trash", "trigger", "upgrade",
];

/// Words that are a verb only if no object follows: `get_ssh_config` only reads, `search__ssh`
/// doesn't.
const VERBS_WITHOUT_OBJECT: [&str; 4] = ["admin", "root", "shell", "ssh"];

/// Words that join two verbs.
const CONJUNCTIONS: [&str; 6] = ["and", "or", "then", "plus", "also", "n"];

/// Nouns after which a verb names a thing: `get_transfer_status` only reads.
const ATTRIBUTE_NOUNS: [&str; 58] = [
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
    "address",
    "base",
    "block",
    "byte",
    "bytes",
    "column",
    "index",
    "line",
    "location",
    "message",
    "offset",
    "point",
    "position",
    "price",
    "prices",
    "reason",
    "row",
    "symbol",
];

/// Nouns in the singular that may be a second object after a joining word: `get_title_and_body`.
const OBJECT_NOUNS: [&str; 24] = [
    "address", "all", "any", "body", "children", "column", "content", "data", "date", "email",
    "folder", "id", "item", "key", "line", "meta", "metadata", "name", "parent", "size", "text",
    "title", "type", "value",
];

/// Returns whether a git tool with a reading word changes something by another word:
/// `git_show_and_push`.
fn writes_git<'w>(words: impl Iterator<Item = &'w str> + Clone) -> bool {
    let changes = |word: &str| match verb_of(word) {
        Some(Verb::Delete | Verb::Move) => true,
        Some(Verb::Write) => !matches!(word, "patch" | "format" | "apply"),
        _ => false,
    };
    let tagged: Vec<(&str, Option<Verb>)> = words.map(|word| (word, verb_of(word))).collect();
    let commits = tagged
        .windows(2)
        .any(|pair| matches!(pair, [(joint, _), ("commit", _)] if CONJUNCTIONS.contains(joint)));
    commits || tagged.iter().any(|(word, _)| changes(word)) || has_second_action(&tagged)
}

/// Returns whether the part in place of the server's name contains a verb: `delete_all__get`.
fn contains_action(server: &str) -> bool {
    let normalised = normalise_name(server);
    let is_action =
        |word: &str| verb_of(word) == Some(Verb::Delete) || ACTION_VERBS.contains(&word);
    !server.is_empty()
        && words(&normalised).next() != Some("mcp")
        && words(&normalised).any(is_action)
}

/// Returns whether a word mixes ASCII letters with those of another script, or with full-width
/// letters.
fn mixes_scripts(word: &str) -> bool {
    !word.is_ascii()
        && word.bytes().any(|b| b.is_ascii_alphabetic())
        && word.chars().any(|c| c >= '\u{370}')
}

/// Returns whether a tool with a reading word does something else by another word.
fn has_second_action(tagged: &[(&str, Option<Verb>)]) -> bool {
    tagged.iter().enumerate().any(|(at, (word, verb))| {
        let after = |n: usize| tagged.get(at + n).map(|(word, _)| *word);
        let ends = |at: Option<&str>| at.is_none_or(|next| CONJUNCTIONS.contains(&next));
        if CONJUNCTIONS.contains(word) {
            // A single word after a joining word is a noun; a word with its own object is a verb.
            let is_thing = |word: &str| {
                word.ends_with('s')
                    || OBJECT_NOUNS.contains(&word)
                    || topic(word).has(Topics::FILES)
            };
            return match (after(1), tagged.get(at + 1).and_then(|(_, verb)| *verb)) {
                (None, _) | (_, Some(_)) => false,
                (Some(next), None) if CONJUNCTIONS.contains(&next) => false,
                (Some(next), None) => !(is_thing(next) && ends(after(2))),
            };
        }
        let object = after(1).filter(|next| !ATTRIBUTE_NOUNS.contains(next));
        let is_action = ACTION_VERBS.contains(word) && (object.is_some() || ends(after(1)));
        let perhaps = VERBS_OR_NOUNS.contains(word)
            && object.is_some_and(|next| verb_of(next) != Some(Verb::Read));
        verb.is_none() && (is_action || perhaps)
    })
}

/// Returns the topics of the tool and its server.
fn topics_of_all(mut topics: Topics, name: &str, tool: &str) -> Topics {
    if tool.len() < name.len() {
        words(&normalise_name(name)).for_each(|word| topics.add(topic(word)));
    }
    topics
}
