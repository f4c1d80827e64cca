//! Effects of tool calls that are no command lines: from the tool's name and from the
//! paths and URLs among its parameters, whatever those are called.

use super::effect::{Analysis, Certainty, EffectKind, Risk, Span};
use super::engine::{Engine, Stream};
use super::expand::Arg;
use super::{Context, How};
use serde_json::Value;

/// What a tool does by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Read,
    Write,
    Delete,
    Move,
    Execute,
    Network,
    GitRead,
    GitWrite,
    Unknown,
}

/// Words of tool names, most telling first.
const VERBS: &[(Verb, &[&str])] = &[
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
            "fetch", "http", "https", "request", "download", "upload", "send", "post", "web", "browse", "browser", "navigate",
            "url", "curl", "email", "publish", "deploy", "notify", "slack",
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
            "head",
            "tail",
            "diff",
            "outline",
            "symbols",
            "references",
            "definition",
        ],
    ),
];

/// The words of a name in any of the usual spellings.
fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut cur = String::new();
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            out.extend((!cur.is_empty()).then(|| std::mem::take(&mut cur)));
            lower = false;
            continue;
        }
        if c.is_uppercase() && lower {
            out.extend((!cur.is_empty()).then(|| std::mem::take(&mut cur)));
        }
        lower = c.is_lowercase();
        cur.extend(c.to_lowercase());
    }
    out.extend((!cur.is_empty()).then_some(cur));
    out
}

fn verb(name: &str) -> Verb {
    // `mcp__SERVER__TOOL`: the tool tells; the server only if the tool doesn't.
    let tool = name.rsplit("__").next().unwrap_or(name);
    for part in [tool, name] {
        let w = words(part);
        if w.iter().any(|x| x == "git" || x.starts_with("git")) {
            let reads = ["status", "log", "diff", "show", "blame", "branch", "list", "grep"];
            return if w.iter().any(|x| reads.contains(&x.as_str())) { Verb::GitRead } else { Verb::GitWrite };
        }
        for (v, list) in VERBS {
            if w.iter().any(|x| list.contains(&x.as_str())) {
                return *v;
            }
        }
    }
    Verb::Unknown
}

/// True if a text looks like a path.
fn path_like(key: &str, text: &str) -> bool {
    if text.is_empty() || text.len() > 4096 || text.contains('\n') {
        return false;
    }
    let k = key.to_ascii_lowercase();
    let named = [
        "path",
        "file",
        "filename",
        "dir",
        "directory",
        "folder",
        "cwd",
        "target",
        "source",
        "destination",
        "dest",
        "src",
        "dst",
        "root",
        "output",
        "input",
        "location",
    ]
    .iter()
    .any(|w| k.contains(w));
    named
        || text.starts_with('/')
        || text.starts_with("~/")
        || text.starts_with("./")
        || text.starts_with("../")
        || (text.contains('/') && !text.contains(' ') && !text.contains("://"))
}

fn command_like(key: &str) -> bool {
    matches!(
        key.to_ascii_lowercase().as_str(),
        "command" | "cmd" | "shell" | "script" | "commandline" | "command_line" | "bash" | "shell_command"
    )
}

/// Effects of calling a tool with these parameters. Spans are empty: there is no line.
#[must_use]
pub fn effects_of_tool(name: &str, params: &Value, ctx: &Context<'_>) -> Analysis {
    let mut e = Engine::new(ctx, 200_000);
    let v = verb(name);
    let args: Vec<Arg> = Vec::new();
    e.step(name, &args, Span::default());
    // A stack instead of recursion: parameters may be nested as deep as they like.
    let mut stack: Vec<(String, &Value)> = vec![(String::new(), params)];
    let mut paths: Vec<String> = Vec::new();
    let mut seen_command = false;
    let mut visited = 0usize;
    while let Some((key, value)) = stack.pop() {
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
            Value::Object(m) => stack.extend(m.iter().rev().map(|(k, v)| (k.clone(), v))),
            Value::Array(l) => {
                let all: Option<Vec<&str>> = l.iter().map(Value::as_str).collect();
                match all {
                    Some(list) if command_like(&key) && !list.is_empty() => {
                        seen_command = true;
                        let argv: Vec<Arg> = list.iter().map(|t| Arg::literal(clean(t), Span::default())).collect();
                        e.wrapped(&argv, &Stream::default(), false, Span::default());
                    }
                    _ => stack.extend(l.iter().rev().map(|v| (key.clone(), v))),
                }
            }
            Value::String(s) => {
                let text = clean(s);
                if command_like(&key) && v != Verb::Read {
                    seen_command = true;
                    e.run_text(&text, super::parse::Base::Fixed(Span::default()), How::Code, &Stream::default(), false);
                } else if let Some(i) = text.find("://").filter(|i| *i < 12) {
                    if text.get(..i) == Some("file") {
                        paths.push(text.get(i + 3..).unwrap_or_default().to_owned());
                    } else {
                        e.network(&Arg::literal(text, Span::default()));
                    }
                } else if path_like(&key, &text) {
                    paths.push(text);
                }
            }
            _ => {}
        }
    }
    let at = |p: &str| Arg::literal(p, Span::default());
    for p in &paths {
        match v {
            Verb::Read | Verb::GitRead | Verb::Network => e.path_read(&at(p)),
            Verb::Write | Verb::GitWrite => e.path_write(&at(p), false),
            Verb::Delete => {
                let recursive = flag(params, "recursive") || p.ends_with('/');
                e.path_delete(&at(p), recursive);
            }
            Verb::Move => {
                e.path_move(&at(p));
                e.path_write(&at(p), false);
            }
            Verb::Execute | Verb::Unknown => e.path_read(&at(p)),
        }
    }
    let none = Span::default();
    match v {
        Verb::Read => {
            if paths.is_empty() {
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
        Verb::Execute => {}
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
            let w = words(name);
            let rewrites = ["reset", "rebase", "force", "clean"].iter().any(|x| w.iter().any(|y| y == x))
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
    e.finish()
}

fn clean(s: &str) -> String {
    s.chars().map(|c| if c <= '\u{3}' { '\u{1a}' } else { c }).collect()
}

fn flag(params: &Value, key: &str) -> bool {
    params.get(key).is_some_and(|v| v.as_bool() == Some(true) || v.as_str() == Some("true"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Table;
    use serde_json::json;

    fn risk(name: &str, p: Value) -> Risk {
        let t = Table::builtin();
        effects_of_tool(name, &p, &Context::new(&t)).risk
    }

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
    }
}
