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
fn meaning(word: &str) -> Option<Verb> {
    static MEANINGS: LazyLock<FxHashMap<&str, Verb>> = LazyLock::new(|| {
        WORDS
            .iter()
            .flat_map(|(verb, words)| words.iter().map(|word| (*word, *verb)))
            .collect()
    });
    MEANINGS.get(word).copied()
}

/// Converts a name in any common spelling to lower-case words with separators.
pub(super) fn spelled(name: &str) -> Cow<'_, str> {
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

pub(super) fn words(spelled: &str) -> impl Iterator<Item = &str> + Clone {
    spelled
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
    words(&spelled(name)).any(|word| WORDS.contains(&word))
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
    let masked = is_no_server(server)
        || tool.len() < name.len() && words(&spelled(tool)).all(|w| DEEDS_ALONE.contains(&w));
    for part in [tool, name] {
        let spelled = spelled(part);
        let words = words(&spelled);
        words.clone().for_each(|word| topics.add(topic(word)));
        if words
            .clone()
            .any(|word| word.starts_with("git") && meaning(word).is_none())
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
        let said: Vec<(&str, Option<Verb>)> = words.map(|word| (word, meaning(word))).collect();
        // The first in order is the most decisive. The last one shows whether the tool does more
        // than run something.
        let first = said.iter().filter_map(|(_, verb)| *verb).min();
        let last = said.iter().filter_map(|(_, verb)| *verb).max();
        match first.zip(last) {
            // `run_tests`: the name says what runs.
            Some((Verb::Execute, Verb::Check)) => {
                return (Verb::Check, topics_of_all(topics, name, tool));
            }
            // `view_and_transfer_money`: it has another, unknown operation besides.
            Some((Verb::Read, _)) if masked || does_more(&said) => {
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
const DEEDS: [&str; 168] = [
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
const DEEDS_OR_THINGS: [&str; 23] = [
    "attack", "charge", "close", "deposit", "dump", "fork", "grant", "launch", "mint", "mount",
    "purchase", "refund", "stake", "start", "stop", "strip", "swap", "sync", "toggle",
    "transfer", "trash", "trigger", "upgrade",
];

/// Words that are a verb only if no object follows: `get_ssh_config` only reads, `search__ssh`
/// doesn't.
const DEEDS_ALONE: [&str; 4] = ["admin", "root", "shell", "ssh"];

/// Words that join two verbs.
const JOINTS: [&str; 6] = ["and", "or", "then", "plus", "also", "n"];

/// Nouns after which a verb names a thing: `get_transfer_status` only reads.
const ASPECTS: [&str; 58] = [
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
const THINGS: [&str; 24] = [
    "address", "all", "any", "body", "children", "column", "content", "data", "date", "email",
    "folder", "id", "item", "key", "line", "meta", "metadata", "name", "parent", "size", "text",
    "title", "type", "value",
];

/// Returns whether a git tool with a reading word changes something by another word:
/// `git_show_and_push`.
fn writes_git<'w>(words: impl Iterator<Item = &'w str> + Clone) -> bool {
    let changes = |word: &str| match meaning(word) {
        Some(Verb::Delete | Verb::Move) => true,
        Some(Verb::Write) => !matches!(word, "patch" | "format" | "apply"),
        _ => false,
    };
    let said: Vec<(&str, Option<Verb>)> = words.map(|word| (word, meaning(word))).collect();
    let commits = said
        .windows(2)
        .any(|pair| matches!(pair, [(joint, _), ("commit", _)] if JOINTS.contains(joint)));
    commits || said.iter().any(|(word, _)| changes(word)) || does_more(&said)
}

/// Returns whether the part in place of the server's name contains a verb: `delete_all__get`.
fn is_no_server(server: &str) -> bool {
    let spelled = spelled(server);
    let deed = |word: &str| meaning(word) == Some(Verb::Delete) || DEEDS.contains(&word);
    !server.is_empty() && words(&spelled).next() != Some("mcp") && words(&spelled).any(deed)
}

/// Returns whether a word mixes ASCII letters with those of another script, or with full-width
/// letters.
fn mixes_scripts(word: &str) -> bool {
    !word.is_ascii()
        && word.bytes().any(|b| b.is_ascii_alphabetic())
        && word.chars().any(|c| c >= '\u{370}')
}

/// Returns whether a tool with a reading word does something else by another word.
fn does_more(said: &[(&str, Option<Verb>)]) -> bool {
    said.iter().enumerate().any(|(at, (word, verb))| {
        let behind = |n: usize| said.get(at + n).map(|(word, _)| *word);
        let ends = |at: Option<&str>| at.is_none_or(|next| JOINTS.contains(&next));
        if JOINTS.contains(word) {
            // A single word after a joining word is a noun; a word with its own object is a verb.
            let is_thing = |word: &str| {
                word.ends_with('s') || THINGS.contains(&word) || topic(word).has(Topics::FILES)
            };
            return match (behind(1), said.get(at + 1).and_then(|(_, verb)| *verb)) {
                (None, _) | (_, Some(_)) => false,
                (Some(next), None) if JOINTS.contains(&next) => false,
                (Some(next), None) => !(is_thing(next) && ends(behind(2))),
            };
        }
        let object = behind(1).filter(|next| !ASPECTS.contains(next));
        let deed = DEEDS.contains(word) && (object.is_some() || ends(behind(1)));
        let perhaps = DEEDS_OR_THINGS.contains(word)
            && object.is_some_and(|next| meaning(next) != Some(Verb::Read));
        verb.is_none() && (deed || perhaps)
    })
}

/// Returns the topics of the tool and its server.
fn topics_of_all(mut topics: Topics, name: &str, tool: &str) -> Topics {
    if tool.len() < name.len() {
        words(&spelled(name)).for_each(|word| topics.add(topic(word)));
    }
    topics
}
