//! `config.toml` of Codex: its approval policy and its sandbox.

use super::claude_paths::{check_glob, directory};
use super::codex::UNREAD_BY_CODEX;
use super::pack::{PackRule, Translation};
use super::toml_tree;
use crate::effect::Effect;
use crate::yaml::{Node, Position, Problem, Value};
use serde_json::{Value as Json, json};

/// Members that make a file such a configuration.
const MEMBERS: [&str; 3] = ["approval_policy", "sandbox_mode", "sandbox_workspace_write"];

fn members(node: &Node) -> &[(Node, Node)] {
    match &node.value {
        Value::Map(members) => members,
        _ => &[],
    }
}

fn member<'n>(node: &'n Node, wanted: &str) -> Option<&'n Node> {
    let found = members(node)
        .iter()
        .find(|(key, _)| key.text().as_deref() == Some(wanted));
    found.map(|(_, value)| value)
}

/// Whether a text is a configuration with an approval policy or a sandbox.
pub(super) fn is_config(text: &str) -> bool {
    // Rules aren't TOML, and are recognised without parsing them.
    MEMBERS.iter().any(|name| text.contains(name))
        && toml_tree::parse(text)
            .is_ok_and(|root| MEMBERS.iter().any(|name| member(&root, name).is_some()))
}

/// Commands that run without asking whatever the approval policy is, as long as they only read.
const TRUSTED: [&str; 28] = [
    "cat",
    "cut",
    "echo",
    "expr",
    "false",
    "git diff",
    "git log",
    "git show",
    "git status",
    "grep",
    "head",
    "id",
    "ls",
    "nl",
    "paste",
    "pwd",
    "rev",
    "rg",
    "seq",
    "stat",
    "tail",
    "tr",
    "true",
    "uname",
    "uniq",
    "wc",
    "which",
    "whoami",
];

struct Sandbox {
    at: Position,
    /// The mode, if it isn't `read-only`.
    writes: bool,
    full: bool,
    network: bool,
    roots: Vec<String>,
}

pub(super) fn translate(name: &str, text: &str) -> Result<Translation, Vec<Problem>> {
    let root = toml_tree::parse(text).map_err(|problem| vec![problem])?;
    let mut pack = Translation::new(name);
    let sandbox = sandbox(&root, &mut pack);
    let approval = approval(&root, &mut pack);
    for (key, why) in [
        (
            "profiles",
            "profiles aren't read: only the settings outside of them",
        ),
        ("permissions", "named permissions aren't read"),
        ("mcp_servers", "tools of servers are asked about"),
    ] {
        if let Some(node) = member(&root, key) {
            pack.gap(node.at, why);
        }
    }
    if approval == "never" {
        pack.set_default(
            sandbox.at,
            Effect::Deny,
            "it leaves the sandbox, and nobody is asked",
        );
    } else {
        pack.set_default(sandbox.at, Effect::RequireApproval, "it leaves the sandbox");
    }
    if sandbox.full && approval != "untrusted" {
        pack.set_default(
            sandbox.at,
            Effect::Allow,
            "there is no sandbox, and nobody is asked",
        );
    }
    let mut allow = |id: &str, when: Json, reason: &str| {
        pack.rule(PackRule {
            at: sandbox.at,
            id: id.to_owned(),
            description: None,
            when: Some(when),
            effect: Effect::Allow,
            reason: reason.to_owned(),
        });
    };
    let free = json!({ "any": [{ "type": "answer" }, { "tool": "update_plan" }] });
    allow("no permission needed", free, "runs no command");
    let mut reads = json!({ "effects": ["read", "git_read"] });
    if let (true, Some(members)) = (approval == "untrusted", reads.as_object_mut()) {
        let known = TRUSTED
            .iter()
            .flat_map(|name| [(*name).to_owned(), format!("{name} *")]);
        let known: Vec<String> = known.collect();
        members.insert("command".to_owned(), json!({ "text": known }));
        let unread = json!({ "command": { "raw": UNREAD_BY_CODEX } });
        members.insert("not".to_owned(), unread);
    }
    allow("reads", reads, "only reads");
    if sandbox.writes && !sandbox.full && approval != "untrusted" {
        let mut effects = vec!["read", "git_read", "write", "delete", "execute"];
        if sandbox.network {
            effects.push("network");
        }
        let mut outside = json!({ "outside_workdir": true, "access": ["write", "delete"] });
        if let (false, Some(members)) = (sandbox.roots.is_empty(), outside.as_object_mut()) {
            members.insert("except".to_owned(), json!(sandbox.roots));
        }
        let guarded = json!({ "glob": [".git/", ".codex/"], "access": ["write", "delete"] });
        let when = json!({
            "effects": effects,
            "not": { "any": [{ "path": outside }, { "path": guarded }] },
        });
        allow("in the sandbox", when, "stays in the sandbox");
    }
    let at = Position::START;
    let message = "programs that aren't known run in the sandbox; they aren't allowed here";
    pack.gap(at, message);
    pack.finish()
}

fn sandbox(root: &Node, pack: &mut Translation) -> Sandbox {
    let mut sandbox = Sandbox {
        at: Position::START,
        writes: false,
        full: false,
        network: false,
        roots: Vec::new(),
    };
    if let Some(node) = member(root, "sandbox_mode") {
        sandbox.at = node.at;
        match node.text().as_deref() {
            Some("read-only") => {}
            Some("workspace-write") => sandbox.writes = true,
            Some("danger-full-access") => sandbox.full = true,
            _ => pack.problem(
                node.at,
                "unknown `sandbox_mode`".to_owned(),
                Some("known: read-only, workspace-write, danger-full-access"),
            ),
        }
    }
    let mut tmp = true;
    if let Some(table) = member(root, "sandbox_workspace_write") {
        for (key, value) in members(table) {
            let name = key.text().unwrap_or_default();
            match (name.as_str(), &value.value) {
                ("network_access", Value::Bool(flag)) => sandbox.network = *flag,
                ("exclude_slash_tmp", Value::Bool(flag)) => tmp = !*flag,
                ("exclude_tmpdir_env_var", Value::Bool(_)) => {}
                ("writable_roots", Value::List(list)) => {
                    for item in list {
                        match &item.value {
                            Value::Text(path) => {
                                let glob = directory(path);
                                check_glob(&glob, item.at, pack);
                                sandbox.roots.push(glob);
                            }
                            _ => pack.problem(item.at, "a root is a text".to_owned(), None),
                        }
                    }
                }
                ("network_access" | "exclude_slash_tmp" | "exclude_tmpdir_env_var", _) => {
                    pack.problem(value.at, format!("`{name}` is true or false"), None);
                }
                ("writable_roots", _) => {
                    pack.problem(value.at, "`writable_roots` is a list".to_owned(), None);
                }
                _ => pack.problem(
                    key.at,
                    format!("`sandbox_workspace_write` has no member `{name}`"),
                    Some("known: writable_roots, network_access, exclude_slash_tmp, exclude_tmpdir_env_var"),
                ),
            }
        }
    }
    if tmp {
        sandbox.roots.push("/tmp/".to_owned());
    }
    sandbox
}

fn approval(root: &Node, pack: &mut Translation) -> &'static str {
    let Some(node) = member(root, "approval_policy") else {
        return "on-request";
    };
    if matches!(node.value, Value::Map(_)) {
        pack.gap(
            node.at,
            "an approval policy with parts is read as `untrusted`",
        );
        return "untrusted";
    }
    let known = ["untrusted", "on-failure", "on-request", "never"];
    let word = node.text().unwrap_or_default();
    let found = known.into_iter().find(|known| *known == word);
    found.unwrap_or_else(|| {
        let message = format!("unknown `approval_policy` `{word}`");
        let help = "known: untrusted, on-failure, on-request, never";
        pack.problem(node.at, message, Some(help));
        "on-request"
    })
}
