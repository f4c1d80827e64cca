//! The effects of a tool's parameters beyond paths and URLs: queries, options, patterns, switches.
//!
//! A tool's name gives its purpose, but its parameters can ask for more: `git_diff` with
//! `--output`, a query that drops a table, a reader with `save_to`. Such a parameter decides.

use super::param::Param;
use crate::calls::spec_eval::is_assignment;
use crate::chars::{ANY, STAR, any_byte};
use crate::code;
use crate::effect::{Certainty, EffectKind, RiskLevel, Span, StepOrigin};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::syntax::ast::{Part, Word};
use crate::syntax::parse::Base;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The topics of a tool, by the words of its name (a bit set).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Topics(u8);

impl Topics {
    /// A database with SQL.
    pub(super) const DATABASE: Self = Self(1);
    /// Queries in any language.
    pub(super) const QUERY: Self = Self(2);
    /// Passwords, tokens, keys.
    pub(super) const SECRET: Self = Self(4);
    /// The secrets in the name aren't secrets: counted tokens, password policies.
    pub(super) const NO_SECRET: Self = Self(8);
    /// The environment.
    pub(super) const ENVIRONMENT: Self = Self(16);
    /// Names of files, without their contents.
    pub(super) const NAMES: Self = Self(32);
    /// Downloads of files.
    pub(super) const DOWNLOAD: Self = Self(64);
    /// Files and directories.
    pub(super) const FILES: Self = Self(128);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Returns whether the tool reads or moves secrets.
    pub(super) fn handles_secrets(self) -> bool {
        self.has(Self::SECRET) && !self.has(Self::NO_SECRET)
    }
}

/// Words of tools' names with their topics.
const TOPICS: [(Topics, &[&str]); 8] = [
    (
        Topics::DATABASE,
        &[
            "sql",
            "postgres",
            "postgresql",
            "pg",
            "mysql",
            "mariadb",
            "sqlite",
            "db",
            "database",
            "bigquery",
            "snowflake",
            "duckdb",
            "clickhouse",
            "mssql",
            "sqlserver",
            "oracle",
            "redshift",
            "cockroachdb",
            "trino",
            "presto",
            "athena",
            "supabase",
            "neon",
            "warehouse",
        ],
    ),
    (Topics::QUERY, &["query", "queries", "graphql", "statement"]),
    (
        Topics::SECRET,
        &[
            "secret",
            "secrets",
            "token",
            "tokens",
            "password",
            "passwords",
            "passwd",
            "passphrase",
            "credential",
            "credentials",
            "apikey",
            "keychain",
            "vault",
            "login",
        ],
    ),
    (
        Topics::NO_SECRET,
        &[
            "count",
            "counts",
            "usage",
            "estimate",
            "limit",
            "limits",
            "policy",
            "scanning",
            "semantic",
            "design",
            "tokenize",
            "tokenizer",
            "alert",
            "alerts",
            "budget",
            "price",
        ],
    ),
    (
        Topics::ENVIRONMENT,
        &[
            "env",
            "environ",
            "environment",
            "getenv",
            "printenv",
            "variable",
            "variables",
        ],
    ),
    (
        Topics::NAMES,
        &["list", "ls", "glob", "find", "stat", "tree", "exists"],
    ),
    (Topics::DOWNLOAD, &["download"]),
    (
        Topics::FILES,
        &[
            "file",
            "files",
            "dir",
            "directory",
            "directories",
            "folder",
            "folders",
            "path",
            "paths",
        ],
    ),
];

/// Returns the topics of a word in a tool's name.
pub(super) fn topic(word: &str) -> Topics {
    static MAP: LazyLock<FxHashMap<&str, Topics>> = LazyLock::new(|| {
        TOPICS
            .iter()
            .flat_map(|(topic, words)| words.iter().map(|word| (*word, *topic)))
            .collect()
    });
    MAP.get(word).copied().unwrap_or_default()
}

/// The role of a parameter, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Sql,
    /// A query in some language.
    Query,
    /// A GraphQL mutation.
    Mutation,
    /// The files to search.
    Glob,
    /// A path to write to.
    Output,
    /// A path to write to, or a format.
    OutputOrFormat,
    /// The mode for opening a file.
    Mode,
    /// The name of a requested thing.
    Name,
    Other,
}

const ROLES: [(Role, &[&str]); 8] = [
    (
        Role::Sql,
        &[
            "sql",
            "sql_query",
            "sql_statement",
            "statement",
            "statements",
            "stmt",
            "ddl",
            "dml",
        ],
    ),
    (Role::Query, &["query", "queries", "q", "document"]),
    (Role::Mutation, &["mutation", "mutations"]),
    (
        Role::Glob,
        &[
            "glob",
            "globs",
            "include",
            "includes",
            "include_pattern",
            "include_patterns",
            "file_glob",
            "file_pattern",
            "file_patterns",
            "path_glob",
            "glob_pattern",
            "iglob",
        ],
    ),
    (
        Role::Output,
        &[
            "save_to",
            "save_as",
            "save_path",
            "saveto",
            "dest",
            "destination",
            "dst",
            "output_file",
            "output_path",
            "output_dir",
            "outfile",
            "out_file",
            "out_path",
            "download_path",
            "download_to",
            "download_dir",
            "write_to",
            "export_path",
            "export_to",
            "log_file",
            "target_file",
            "local_path",
            "dest_path",
            "destination_path",
        ],
    ),
    (Role::OutputOrFormat, &["output", "out", "export"]),
    (Role::Mode, &["mode", "open_mode", "access", "flags"]),
    (
        Role::Name,
        &[
            "name",
            "names",
            "key",
            "keys",
            "variable",
            "variables",
            "var",
            "vars",
            "env",
            "env_var",
            "secret",
            "id",
        ],
    ),
];

/// Returns the role of a parameter with this name.
pub(super) fn role(key: &str) -> Role {
    static MAP: LazyLock<FxHashMap<&str, Role>> = LazyLock::new(|| {
        ROLES
            .iter()
            .flat_map(|(role, names)| names.iter().map(|name| (*name, *role)))
            .collect()
    });
    let found = |name: &str| MAP.get(name).copied().unwrap_or(Role::Other);
    if key.bytes().any(|b| b.is_ascii_uppercase() || b == b'-') {
        return found(&super::tool_name::normalise_name(key).replace('-', "_"));
    }
    found(key)
}

/// Returns whether a mode opens a file for changes: `w`, `a+`, `r+b`.
pub(super) fn opens_for_writing(mode: &str) -> bool {
    mode.len() <= 4
        && mode.bytes().all(|c| b"rwaxb+tU".contains(&c))
        && mode.bytes().any(|c| b"wax+".contains(&c))
        || matches!(
            mode,
            "write" | "append" | "create" | "overwrite" | "read_write" | "readwrite"
        )
}

/// Returns whether a text looks like SQL. An English question may begin with the same word.
fn is_sql(text: &str) -> bool {
    text.split(';').any(|statement| {
        let mut rest = statement.trim_start();
        loop {
            let after_comment = if rest.starts_with("--") {
                rest.split_once('\n')
            } else {
                rest.strip_prefix("/*").and_then(|r| r.split_once("*/"))
            };
            let Some((_, after)) = after_comment else {
                break;
            };
            rest = after.trim_start();
        }
        let lower = rest
            .chars()
            .take(400)
            .collect::<String>()
            .to_ascii_lowercase();
        let words: Vec<&str> = lower
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|w| !w.is_empty())
            .collect();
        let has = |word: &str| words.contains(&word);
        match words.as_slice() {
            ["select", ..] => true,
            ["with", ..] => has("select") || has("as"),
            ["truncate", _, ..]
            | ["delete", "from", ..]
            | [
                "insert" | "replace" | "merge",
                "into" | "ignore" | "overwrite",
                ..,
            ] => true,
            ["update", ..] => has("set"),
            ["grant" | "revoke", ..] => has("on") || has("to"),
            ["drop" | "alter" | "create", what, ..] => matches!(
                *what,
                "table"
                    | "database"
                    | "schema"
                    | "index"
                    | "view"
                    | "user"
                    | "role"
                    | "function"
                    | "procedure"
                    | "trigger"
                    | "extension"
                    | "sequence"
                    | "type"
                    | "materialized"
                    | "temp"
                    | "temporary"
                    | "unique"
                    | "or"
                    | "policy"
                    | "tablespace"
                    | "server"
                    | "system"
                    | "keyspace"
                    | "collection"
            ),
            _ => false,
        }
    })
}

/// Returns whether a GraphQL document contains a mutation.
fn mutates(text: &str) -> bool {
    let (mut depth, mut named) = (0usize, false);
    let mut word = String::new();
    for line in text.lines() {
        let code = line.split('#').next().unwrap_or_default();
        for c in code.chars().chain(['\n']) {
            if c.is_ascii_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            named |= depth == 0 && word == "mutation";
            word.clear();
            match c {
                '{' if named && depth == 0 => return true,
                '{' | '(' => depth += 1,
                '}' | ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    false
}

/// Converts a Windows path to slashes, from its root: `C:\Users\x` becomes `/Users/x`.
pub(super) fn with_slashes(text: Cow<'_, str>) -> Cow<'_, str> {
    // A share of another machine stays unchanged: it isn't a path of this one.
    if !any_byte(&text, |byte| byte == b'\\') || text.starts_with("\\\\") {
        return text;
    }
    let slashed = text.replace('\\', "/");
    let drive = slashed
        .as_bytes()
        .first()
        .is_some_and(u8::is_ascii_alphabetic)
        && slashed.get(1..3) == Some(":/");
    Cow::Owned(if drive {
        slashed.get(2..).unwrap_or_default().to_owned()
    } else {
        slashed
    })
}

/// Returns whether a path begins like `C:\…`.
pub(super) fn has_drive(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && text.get(1..3) == Some(":\\")
}

const NO_SPAN: Span = Span { from: 0, to: 0 };

/// Adds the effects of a parameter that contains a query.
pub(super) fn tool_query(cx: &mut Engine<'_>, role: Role, topics: Topics, text: &str) {
    let sql = match role {
        Role::Sql => true,
        Role::Query => {
            topics.has(Topics::DATABASE) && !text.trim_start().starts_with(['{', '['])
                || topics.has(Topics::QUERY) && is_sql(text)
        }
        _ => false,
    };
    if sql {
        code::code(cx, "sql", &Arg::literal(text, NO_SPAN), &Stream::default());
    }
    let mutation =
        role == Role::Mutation && !text.trim().is_empty() || role == Role::Query && mutates(text);
    if mutation && !sql {
        let why = "a mutation: it changes the data of the service";
        cx.emit_raw(
            EffectKind::Network,
            None,
            Certainty::Possible,
            NO_SPAN,
            RiskLevel::High,
            why,
        );
    }
}

/// Adds the effects of file patterns, expanded like a shell would.
pub(super) fn tool_glob(cx: &mut Engine<'_>, text: &str, names_only: bool) {
    let word = Word {
        parts: vec![Part::Lit(text.to_owned())],
        span: NO_SPAN,
    };
    for one in crate::syntax::braces::expand(&word) {
        let Some(pattern) = one.plain() else { continue };
        let marked: String = pattern
            .chars()
            .map(|c| match c {
                '*' => STAR,
                '?' => ANY,
                c => c,
            })
            .collect();
        let arg = Arg::literal(marked, NO_SPAN);
        if names_only {
            cx.path_stat(&arg);
        } else {
            cx.path_read(&arg);
        }
    }
}

/// Adds the effects of a switch that is on: some make a reading tool do more.
pub(super) fn tool_switch(cx: &mut Engine<'_>, key: &str) {
    let key = super::tool_name::normalise_name(key);
    let words: Vec<&str> = key.split(|c: char| !c.is_alphanumeric()).collect();
    if words.iter().any(|w| {
        matches!(
            *w,
            "no" | "not"
                | "skip"
                | "dont"
                | "never"
                | "without"
                | "dry"
                | "allow"
                | "include"
                | "show"
        )
    }) {
        return;
    }
    let asks = |list: &[&str]| words.iter().any(|w| list.contains(w));
    let (kind, risk, why) = if asks(&[
        "delete", "remove", "purge", "unlink", "erase", "wipe", "destroy", "truncate", "drop",
        "prune",
    ]) {
        (
            EffectKind::Delete,
            RiskLevel::High,
            "a parameter asks to delete",
        )
    } else if asks(&["kill", "terminate", "signal"]) {
        (
            EffectKind::Process,
            RiskLevel::High,
            "a parameter asks to stop processes",
        )
    } else if asks(&["exec", "execute", "eval"]) {
        (
            EffectKind::Dynamic,
            RiskLevel::High,
            "a parameter asks to run what is found",
        )
    } else if asks(&["write", "overwrite", "inplace", "fix", "autofix"]) {
        (
            EffectKind::Write,
            RiskLevel::Medium,
            "a parameter asks to write",
        )
    } else {
        return;
    };
    cx.emit_raw(
        kind,
        Some(key.into_owned()),
        Certainty::Possible,
        NO_SPAN,
        risk,
        why,
    );
}

/// Adds an effect for a text where a path is expected, but which can't be resolved: too long,
/// several lines, or a NUL byte, at which some programs end it.
pub(super) fn tool_no_path(cx: &mut Engine<'_>) {
    let why = "a path that can't be followed";
    cx.emit_unknown(None, NO_SPAN, why);
}

/// Adds an effect for a tool that is named after a secret, or asked for one.
pub(super) fn tool_secret(cx: &mut Engine<'_>, name: &str, why: &'static str) {
    cx.emit_raw(
        EffectKind::Credential,
        Some(name.to_owned()),
        Certainty::Possible,
        NO_SPAN,
        RiskLevel::High,
        why,
    );
}

/// Rates `git_diff`, `git_push` and similar tools: the parameters become options and operands
/// of git.
pub(super) fn tool_git(cx: &mut Engine<'_>, words: &[&str], params: &Param<'_>) {
    let Param::Members(members) = params else {
        return;
    };
    let Some(first) = words.first() else { return };
    // `cherry_pick` is one subcommand, `diff_staged` is `diff`.
    let sub = match words.get(1).map(|second| format!("{first}-{second}")) {
        Some(both)
            if cx
                .ctx()
                .table
                .get("git")
                .is_some_and(|git| git.subcommands.contains_key(&both)) =>
        {
            both
        }
        _ => (*first).to_owned(),
    };
    let mut argv: Vec<String> = Vec::new();
    let mut operands: Vec<String> = Vec::new();
    let mut line = None;
    for (key, value) in members {
        let key = super::tool_name::normalise_name(key).replace('-', "_");
        match (key.as_str(), value) {
            (
                "" | "args" | "arguments" | "options" | "flags" | "extra_args" | "opts" | "argv",
                Param::Text(text),
            ) => {
                line = Some(super::tool::clean(text).into_owned());
            }
            (
                "" | "args" | "arguments" | "options" | "flags" | "extra_args" | "opts" | "argv",
                Param::List(list),
            ) => {
                argv.extend(
                    list.iter()
                        .filter_map(Param::as_str)
                        .map(|t| super::tool::clean(t).into_owned()),
                );
            }
            (_, Param::Flag(true)) => argv.push(format!("--{}", key.replace('_', "-"))),
            ("delete" | "remove", Param::Text(text)) => {
                argv.extend(["--delete".to_owned(), super::tool::clean(text).into_owned()]);
            }
            ("force" | "hard" | "force_delete" | "force_push", value) if value.is_on() => {
                argv.push(format!("--{key}"));
            }
            (
                "revision" | "rev" | "ref" | "commit" | "commit_hash" | "sha" | "hash" | "target"
                | "base" | "head" | "branch" | "branch_name" | "name" | "remote" | "tag" | "object"
                | "range" | "spec" | "refspec" | "start_point" | "base_branch" | "pattern"
                | "query" | "source",
                Param::Text(text),
            ) => operands.push(super::tool::clean(text).into_owned()),
            _ => {}
        }
    }
    if argv.is_empty() && operands.is_empty() && line.is_none() {
        return;
    }
    argv.append(&mut operands);
    let mut args = vec![Arg::literal("git", NO_SPAN), Arg::literal(sub, NO_SPAN)];
    args.extend(argv.into_iter().map(|t| Arg::literal(t, NO_SPAN)));
    match line {
        Some(line) => {
            let words: Vec<String> = args
                .iter()
                .map(|a| crate::syntax::quote::quote(&a.text))
                .collect();
            cx.run_text(
                &format!("{} {line}", words.join(" ")),
                Base::Fixed(NO_SPAN),
                StepOrigin::Code,
                &Stream::default(),
                false,
            );
        }
        None => {
            cx.wrapped(&args, &Stream::default(), false, NO_SPAN);
        }
    }
}

/// Handles a requested name: a variable with a secret, or `NAME=value`.
pub(super) fn tool_name(cx: &mut Engine<'_>, text: &str) {
    let name = is_assignment(text).map_or(text, |(name, _)| name);
    if name.as_bytes().first().is_some_and(u8::is_ascii_uppercase)
        && crate::interpreter::env::names_secret(name)
    {
        tool_secret(cx, name, "asks for a variable that holds a secret");
    }
}

#[cfg(test)]
mod tests;
